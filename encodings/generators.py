"""Reads a Python generator as a quantification: ``forall(up(n) for n in self.nodes if n != leader)``.

Python runs the generator's code. Each of its loops gets one bound variable, so the code gives one element,
which is about that variable. A condition makes Python ask a formula for its truth value. The answer is
true first. Then the loop gets its variable once more, and the answer is false, which must skip the
variable. So the generator gives the element exactly if every condition holds, whatever Python did with
the answers on the way. Everything else is refused:

- a loop that is not a ``for`` of the generator itself: in a list, ``zip`` or an unpacking;
- ``and``, ``or``, ``not`` and chained comparisons;
- a condition that Python decides without a formula.
"""

from __future__ import annotations

import dis
import functools
import inspect
import itertools
import sys
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from types import CodeType, FrameType, GeneratorType
from typing import Any

from verifier.encodings.expressions import Value, sort_of, wrap
from verifier.encodings.python_use import GUARD
from verifier.encodings.sorts import Sequence, Set, Sort, SortError
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.encodings.values import BooleanValue

_NOTHING = object()
_NO_TRUTH = (
    "a formula has no truth value while Python reads the protocol. Write `a & b` for `a and b`, `a | b` for "
    "`a or b`, `~a` for `not a`, `if_(a, b, c)` for `b if a else c`, `s.contains(a)` for `a in s`, "
    "`minimum(a, b)` for `min(a, b)`, `(0 < x) & (x < 3)` for `0 < x < 3`"
)
_ONE_FORMULA = (
    "each for of a generator has at most one if, with one formula: write & | ~ and if_(…) instead of "
    "and, or, not, if … else, a second if, or a chain such as 0 < x < 3"
)
_BY_PYTHON = (
    "the if of a generator is decided while Python reads the protocol, whatever the variable: write a "
    "formula of it, or constantly(…) if that is meant"
)
_NO_DOMAIN = "each for of a quantifier's generator goes over a sort or a set, as in for n in self.nodes"


class LoopError(SortError):
    """A loop over a sort or a value that is not a ``for`` of a quantifier's generator."""


@dataclass(frozen=True)
class Bound:
    """A bound variable with its domain: a sort, a set or a sequence."""

    domain: Any
    symbol: Symbol
    variable: Any


def make_bound(name: str, domain: Any, sort: Sort) -> Bound:
    """A new variable of ``sort``."""
    symbol = Symbol(name, sort)
    return Bound(domain, symbol, wrap(Term(Operator.VARIABLE, sort, (), symbol)))


@dataclass(frozen=True)
class Generated:
    """A generator as read: its variables and conditions from left to right, and its element."""

    steps: tuple[Bound | BooleanValue, ...]
    element: Any


def read_generator(generator: GeneratorType[Any, Any, Any]) -> Generated:
    """Reads a generator. Raises SortError if it cannot be read as a quantification."""
    if generator.gi_code.co_name != "<genexpr>":
        raise SortError("a quantifier takes a generator that is written in its parentheses: … for n in …")
    if inspect.getgeneratorstate(generator) != inspect.GEN_CREATED:
        raise SortError("a generator is read once: write it in the parentheses of each quantifier")
    reading = _OpenGenerator(generator)
    token = _READING.set(reading)
    try:
        return reading.result()
    finally:
        _READING.reset(token)
        generator.close()


class Elements:
    """The iterator over a domain. It gives bound variables to the generator that is being read."""

    def __init__(self, domain: Any) -> None:
        self.domain = domain
        self.bound: Bound | None = None
        self.turns = 0
        self.asked = 0
        """The number of formulas that were asked for their truth value in this turn."""
        self.conditional = False

    def __iter__(self) -> Elements:
        return self

    def __next__(self) -> Any:
        frame, reading = sys._getframe(1), _READING.get()
        if reading is None or not reading.runs(self, frame):
            is_value = isinstance(self.domain, Value)
            shown = f"value of {sort_of(self.domain)}" if is_value else f"sort ({self.domain})"
            raise LoopError(
                f"a {shown} has no elements while the protocol is being read: quantify over it with "
                "forall(…), exists(…), comprehension(…) or count(…) instead of a loop, and ask contains(…) "
                "instead of in"
            )
        return reading.turn(self, frame.f_lasti)


def elements(domain: Any) -> Elements:
    """The iterator over a domain. Only ``__iter__`` calls this function, because it looks at its caller."""
    made, reading = Elements(domain), _READING.get()
    if reading is not None:
        reading.begins(made, sys._getframe(2))
    return made


def truth(value: Value) -> bool:
    """The truth value of a formula in a condition. Only ``__bool__`` calls it: it looks at its caller."""
    reading = _READING.get()
    if reading is None or not reading.is_in(sys._getframe(2)):
        guard = GUARD.get()
        truth = None if guard is None else guard.truth(value)
        if truth is None:
            raise SortError(_NO_TRUTH)
        return truth
    return reading.answer(value)


class _OpenGenerator:
    """A generator that is being read."""

    def __init__(self, generator: GeneratorType[Any, Any, Any]) -> None:
        self.generator = generator
        self.shape = _shape(generator.gi_code)
        self.steps: list[Bound | BooleanValue] = []
        self.loop: Elements | None = None
        """The loop that got its variable last."""
        self.loops: dict[int, Elements] = {}
        """The iterators of the generator's own loops, by the offset of the instruction that asks them."""
        first = inspect.getgeneratorlocals(generator).get(".0")
        if isinstance(first, Elements) and not first.turns:
            self.loops[self.shape.first] = first

    def result(self) -> Generated:
        element = next(self.generator, _NOTHING)
        generated = Generated(tuple(self.steps), element)
        conditions = sum(isinstance(step, BooleanValue) for step in generated.steps)
        variables = len(generated.steps) - conditions
        if not variables:
            raise SortError(_NO_DOMAIN)
        if element is _NOTHING:
            raise SortError(_ONE_FORMULA if conditions else _BY_PYTHON)
        if any(loop.turns != 1 for loop in self.loops.values()):
            raise SortError(_ONE_FORMULA)  # the element came although a formula was false
        if conditions < self.shape.conditions:
            raise SortError(_BY_PYTHON)
        if variables != len(self.loops):
            raise SortError(_NO_DOMAIN)
        if next(self.generator, _NOTHING) is not _NOTHING:
            raise SortError(_ONE_FORMULA if self._skips() else _NO_DOMAIN)
        return generated

    def is_in(self, frame: FrameType) -> bool:
        """True if a frame runs the generator's own code."""
        return frame is self.generator.gi_frame

    def begins(self, made: Elements, frame: FrameType) -> None:
        """Notes an iterator if the very next instruction of the generator asks it, as a ``for`` does."""
        if self.is_in(frame) and frame.f_lasti in self.shape.asked_by:
            self.loops[self.shape.asked_by[frame.f_lasti]] = made

    def runs(self, asked: Elements, frame: FrameType) -> bool:
        """True if a loop of the generator asks this iterator itself."""
        return self.is_in(frame) and self.loops.get(frame.f_lasti) is asked

    def turn(self, loop: Elements, offset: int) -> Any:
        """The variable: once, and once more if its loop has a condition."""
        if loop.bound is None:
            if self._skips():
                raise SortError(_ONE_FORMULA)
            loop.bound = make_bound(self.shape.names[offset], loop.domain, _element(loop.domain))
            self.steps.append(loop.bound)
        elif loop.turns == 2 and loop.asked != 1:
            raise SortError(_ONE_FORMULA)
        elif loop.turns == 2 or not loop.conditional:
            raise StopIteration
        loop.turns, loop.asked, self.loop = loop.turns + 1, 0, loop
        return loop.bound.variable

    def answer(self, formula: Value) -> bool:
        """True in the first turn of a loop, and false in the second."""
        loop = self.loop
        if loop is None:
            raise SortError(_NO_TRUTH)
        if not isinstance(formula, BooleanValue):
            raise SortError(f"the if of a generator needs a formula, not a value of {sort_of(formula)}")
        loop.asked += 1
        if loop.asked > 1:
            raise SortError(_ONE_FORMULA)
        if self._skips():
            return False
        loop.conditional = True
        self.steps.append(formula)
        return True

    def _skips(self) -> bool:
        """True if the variable is being skipped: in the second turn of its loop nothing else may happen."""
        return self.loop is not None and self.loop.turns == 2


_READING: ContextVar[_OpenGenerator | None] = ContextVar("the generator that is being read", default=None)
"""Python passes nothing to ``__next__`` and ``__bool__``, so they find the generator here."""


def _element(domain: Any) -> Sort:
    sort = sort_of(domain) if isinstance(domain, Value) else domain
    if isinstance(sort, Set | Sequence) and isinstance(domain, Value):
        return sort.element
    assert isinstance(sort, Sort)
    return sort


@dataclass(frozen=True)
class _Shape:
    """The loops of a generator, read from its bytecode. An instruction is known by its offset."""

    first: int
    """The instruction that asks the first loop's iterator; -1 if there is none."""
    asked_by: Mapping[int, int]
    """For each instruction that makes an iterator: the next one, if that asks the iterator."""
    names: Mapping[int, str]
    """The variable of each instruction that asks an iterator."""
    conditions: int
    """The number of conditions: jumps back to a loop before the generator gives its element."""


@functools.lru_cache(maxsize=1024)
def _shape(code: CodeType) -> _Shape:
    every = list(dis.get_instructions(code))
    shortest = [item for item in every if not _is_prefix(item)]
    # A jump to an instruction with prefixes goes to the first of them.
    later = [item.offset for before, item in itertools.pairwise(every) if not _is_prefix(before)]
    goes_to = dict(zip([every[0].offset, *later], (item.offset for item in shortest), strict=True))
    gives = next((item.offset for item in shortest if item.opname == "YIELD_VALUE"), -1)
    asks = [item for item in shortest if item.opname == "FOR_ITER"]
    heads = {item.offset for item in asks if item.offset < gives < int(item.argval)}
    following = [*itertools.pairwise(shortest)]
    jumps = (item for item in shortest if item.opcode in dis.hasjrel and item.offset < gives)
    return _Shape(
        first=asks[0].offset if asks else -1,
        asked_by={a.offset: b.offset for a, b in following if a.opname == "GET_ITER" and b in asks},
        names={a.offset: _find_stored_name(b) for a, b in following if a in asks},
        conditions=sum(goes_to.get(item.argval) in heads for item in jumps),
    )


def _is_prefix(item: dis.Instruction) -> bool:
    return item.opname == "EXTENDED_ARG"


def _find_stored_name(item: dis.Instruction) -> str:
    """The name that an instruction stores first; x if it stores none."""
    names = item.argval if isinstance(item.argval, tuple) else (item.argval,)
    return str(names[0]) if item.opname.startswith("STORE_") else "x"
