"""Runs a protocol's functions again with the values of one state, so that Python's answers are those there.

While a protocol is read, its functions run once, and what Python decides then holds for all states. Here the
same functions run with a state and its parameters at hand. They still make terms, but where Python asks for a
hash, a text or a truth value of an expression, it gets that of the expression's value in this state. The
function of a quantifier is called again for each value if it asks. ``encodings.plain_terms`` reads the terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Generic, TypeVar

from verifier.encodings.expressions import Value, term_of, wrap
from verifier.encodings.operations import body_term
from verifier.encodings.plain_terms import Environment, Reader, Reading, values_of
from verifier.encodings.python_use import GUARD
from verifier.encodings.terms import Symbol, Term
from verifier.specs.reading.keys import Site, asker

_FIRST_RUNS = 3
"""A function that asks nothing runs in so many states. Its terms are then those of every state."""
_MOST_VALUES = 20_000
"""A quantifier over more values is not read."""

Made = TypeVar("Made")


class NoReading(Exception):
    """Something has no reading here: a generator's variable that Python asks about, or a sort too large."""


class OutOfTime(Exception):
    """The time for all of this is over."""


@dataclass(frozen=True, eq=False)
class Each(Term):
    """The result of a quantifier's function, which is called again for each value of its variables."""

    again: Callable[[Environment], Term] = field(kw_only=True)


class PlainReader(Reader):
    """Reads terms, also those that are made for each value."""

    def _read(self, term: Term) -> Reading:
        if isinstance(term, Each):
            return lambda e: PlainReader(self._tick)(term.again(e))(e)
        return super()._read(term)

    def _compile_binding(self, term: Term) -> Callable[[Environment], Iterator[tuple[Any, Environment]]]:
        assert term.binds is not None
        if term.binds.sort.size > _MOST_VALUES:
            raise NoReading
        return super()._compile_binding(term)


class InOneState:
    """Answers what Python asks about expressions, by their values in one state."""

    def __init__(self, places: frozenset[Site], tick: Callable[[], None]) -> None:
        self._places = places
        self._tick = tick
        self._values: Environment = {}
        self._about: set[Symbol] | None = None
        """The variables of the expressions that Python asked about; None if it asked nothing."""

    @contextmanager
    def give_values(self, values: Environment) -> Iterator[None]:
        """The context in which variables have these values, beside those that they have already."""
        before, self._values = self._values, {**self._values, **values}
        token = GUARD.set(self)
        try:
            yield
        finally:
            GUARD.reset(token)
            self._values = before

    def record_questions(self, call: Callable[[], Made]) -> tuple[Made, set[Symbol] | None]:
        """The result of a function, and the variables of the expressions that Python asked about
        meanwhile."""
        before, self._about = self._about, None
        try:
            made = call()
            return made, self._about
        finally:
            self._about = _both(before, self._about)

    def hash_expression(self, value: Any, frame: FrameType) -> int:
        """The hash of the value. A target of a step is no value: it has the hash of its identity."""
        if (frame.f_code, frame.f_lasti) in self._places:
            return id(value)
        return hash(self._value(value))

    def show_expression(self, value: Any, frame: FrameType) -> str | None:
        """The text of the value, if the protocol's code asks."""
        return None if asker(frame) is None else str(self._value(value))

    def truth(self, value: Any) -> bool:
        """The truth of the value."""
        return bool(self._value(value))

    def take_collection(self, container: Any) -> None:
        """Any may be taken."""

    def body(self, symbols: tuple[Symbol, ...], call: Callable[[], Any]) -> Any:
        """The body; as one that is made for each value of its variables if Python asks about these."""
        first = {symbol: next(values_of(symbol.sort), None) for symbol in symbols if symbol.sort.size}
        with self.give_values(first):
            made, about = self.record_questions(call)
        if about is None or about.isdisjoint(symbols):
            return made
        if not isinstance(made, Value | int):
            raise NoReading

        def again(e: Environment) -> Term:
            self._tick()
            with self.give_values(e):
                return body_term(call())

        term = body_term(made)
        return wrap(Each(term.operator, term.sort, (term,), term.data, term.binds, again=again))

    def _value(self, value: Any) -> Any:
        term = term_of(value)
        self._about = _both(self._about, set(term.free))
        if not term.free <= self._values.keys():
            raise NoReading
        return PlainReader(self._tick)(term)(self._values)


def _both(one: set[Symbol] | None, other: set[Symbol] | None) -> set[Symbol] | None:
    return other if one is None else one if other is None else one | other


class Rerun(Generic[Made]):
    """A function of a protocol that makes terms, run again in states."""

    def __init__(self, own: InOneState, call: Callable[[], Made]) -> None:
        self._own, self._call = own, call
        self._runs = 0
        self._asks = False
        self._made: list[Made] = []

    def at(self, e: Environment) -> Made:
        """Run it with these values. A function that asks nothing has one result everywhere."""
        if self._made and not self._asks and self._runs >= _FIRST_RUNS:
            return self._made[0]
        with self._own.give_values(e):
            made, about = self._own.record_questions(self._call)
        self._made = [made]
        self._asks, self._runs = self._asks or about is not None, self._runs + 1
        return made
