"""The reason why a state is a deadlock: for each action and each choice of its parameters, the first conjunct
that is false, with the values that it reads.

Only what speaks of the state itself is told. A way that some later conjunct closes is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice, product

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression
from verifier.tla.descent import Descent
from verifier.tla.errors import TlaError
from verifier.tla.explaining import make_descent
from verifier.tla.exploration_result import State
from verifier.tla.facts import STATE
from verifier.tla.frames import Frame, Undefined, Unit
from verifier.tla.lets import extend_frame, let_lines
from verifier.tla.loops import compile_setter
from verifier.tla.said_parts import Around, Bound, SaidPart
from verifier.tla.specification import Specification
from verifier.tla.value_types import NoValue
from verifier.tla.values import members

MOST = 8
"""The most that are told: readers need no more."""
_MOST_ELEMENTS = 64
"""The most elements of a choice that are tried."""


@dataclass(frozen=True)
class WaitingPart:
    """The first false conjunct of an action, with the parameters at which it is false."""

    action: str
    part: SaidPart


@dataclass(frozen=True)
class _Way:
    """A part of Next: the action it belongs to, and the names bound around it within the action."""

    whole: Expression
    unit: Unit
    frame: Frame
    action: str = "Next"
    bound: Bound = ()


def waiting_parts(spec: Specification, state: State) -> list[WaitingPart]:
    """Return what the actions wait for in a state, at most ``MOST`` of them."""
    formula = spec.next
    if formula is None:
        return []
    body = formula.body.action if isinstance(formula.body, ast.Step) else formula.body
    unit = Unit(formula.module)
    parts = _Waiting(make_descent(spec, state)).find(_Way(body, unit, unit.frame()))
    with suppress(Undefined, NoValue, RecursionError, TlaError):
        return list(islice(parts, MOST))
    return []


class _Waiting:
    def __init__(self, descent: Descent) -> None:
        self.descent, self.evaluator = descent, descent.evaluator

    def find(self, way: _Way) -> Iterator[WaitingPart]:
        """Yield the first false conjunct of each way through a formula; nothing of one that is not closed."""
        whole, unit = way.whole, way.unit
        is_opened = isinstance(whole, ast.Let) or (isinstance(whole, ast.Junction) and whole.conjunction)
        if not is_opened and self.evaluator.analysis.of(whole, unit.module).level <= STATE:
            if self.descent.is_false(whole, unit, way.frame):
                part = self.descent.false_leaf(whole, unit, way.frame, Around(way.bound))
                yield WaitingPart(way.action, part)
            return
        match whole:
            case ast.Junction() if whole.conjunction:
                yield from next((some for item in whole.items if (some := self._all(way, item))), [])
            case ast.Junction():
                for item in whole.items:
                    yield from self.find(replace(way, whole=item))
            case ast.Quantifier() if not whole.universal:
                yield from self._choices(whole, way)
            case ast.If() if self.evaluator.analysis.of(whole.condition, unit.module).level <= STATE:
                held = not self.descent.is_false(whole.condition, unit, way.frame)
                yield from self.find(replace(way, whole=whole.then if held else whole.otherwise))
            case ast.Let():
                lines = [*let_lines(self.evaluator, whole, unit, False), "return e"]
                put = self.evaluator.emit.function(self.evaluator.emit.statements(lines))
                yield from self.find(
                    replace(way, whole=whole.body, frame=put(extend_frame(way.frame[:], unit)))
                )
            case ast.Apply():
                yield from self._open(whole, way)

    def _all(self, way: _Way, item: Expression) -> list[WaitingPart]:
        return list(islice(self.find(replace(way, whole=item)), MOST))

    def _choices(self, whole: ast.Quantifier, way: _Way) -> Iterator[WaitingPart]:
        """Yield what each choice of elements waits for."""
        evaluator, unit = self.evaluator, way.unit
        domains = [evaluator.value(binding.domain, unit) for binding in whole.bindings]
        sets = [frozenset(members(domain(extend_frame(way.frame, unit)))) for domain in domains]
        put = [compile_setter(evaluator, binding, unit) for binding in whole.bindings]
        names = [name for binding in whole.bindings for name in binding.names]
        for binding, held in zip(whole.bindings, sets, strict=True):
            if not held:
                part = self.descent.leaf(binding.domain, unit, way.frame, way.bound)
                some = ", ".join(name.name for name in binding.names)
                yield WaitingPart(way.action, replace(part, formula=f"some {some} \\in {part.formula}"))
        for items in islice(product(*map(evaluator.order.sort, sets)), _MOST_ELEMENTS):
            inner = extend_frame(way.frame[:], unit)
            for place, item in zip(put, items, strict=True):
                place(inner, item)
            here = tuple((name.name, inner[unit.slot(name)]) for name in names)
            yield from self.find(replace(way, whole=whole.body, frame=inner, bound=(*way.bound, *here)))

    def _open(self, whole: ast.Apply, way: _Way) -> Iterator[WaitingPart]:
        symbol = self.evaluator.resolve(whole.operator, way.unit.module) or whole.operator
        if not isinstance(symbol, Definition) or symbol.body is None or symbol.recursive:
            return
        if any(parameter.arity for parameter in symbol.parameters):
            return
        unit, frame = self.descent.enter(symbol, whole, way.unit, way.frame)
        extend_frame(frame, unit)
        bound = tuple((one.name, frame[unit.slot(one)]) for one in symbol.parameters)
        yield from self.find(_Way(symbol.body, unit, frame, symbol.shown, bound))
