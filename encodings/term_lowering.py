"""The walk that lowers terms by a table of rules, and gives bound variables their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Self, TypeAlias

from pysmt.fnode import FNode

from verifier.encodings.concrete import Concrete
from verifier.encodings.fitting import convert
from verifier.encodings.lowered import Lowered
from verifier.encodings.readings import Bindings, Memory
from verifier.encodings.sorts import Sort
from verifier.encodings.terms import Operator, Symbol, Term

Rule: TypeAlias = Callable[["TermLowering", Term, Bindings], Any]
"""Lowers a term of one operator, whose bound variables have the values of the bindings."""


class TermLowering(Memory):
    """Lowers terms for one meaning of the free variables.

    Terms that are alike are lowered once for each value of what they read of bound variables. It calls
    ``tick`` for each of these and for each value of a bound variable. ``tick`` may raise an exception to end
    the work.
    """

    rules: ClassVar[Mapping[Operator, Rule]]
    """The rule of each operator."""

    def __init__(
        self,
        variables: Mapping[Symbol, Lowered],
        tick: Callable[[], None] = lambda: None,
        outer: Self | None = None,
    ) -> None:
        self.variables = dict(variables)
        super().__init__(self.variables, outer)
        self._tick = tick

    def extend(self, variables: Mapping[Symbol, Lowered]) -> Self:
        """A lowering that gives further variables a meaning. It shares what does not read them."""
        return type(self)({**self.variables, **variables}, self._tick, self)

    def lower(self, term: Term, bindings: Bindings) -> Any:
        """The lowered form of a term."""
        reading = self.reading(term)
        key = reading.key(bindings)
        result = reading.results.lowered.get(key)
        if result is None:
            self._tick()
            result = reading.results.lowered[key] = self.rules[term.operator](self, term, bindings)
        return result

    def arguments(self, term: Term, bindings: Bindings) -> list[Any]:
        """The lowered forms of a term's arguments."""
        return [self.lower(argument, bindings) for argument in term.arguments]

    def argument(self, term: Term, bindings: Bindings) -> Any:
        """The lowered form of a term's only argument."""
        (argument,) = term.arguments
        return self.lower(argument, bindings)

    def formulas(self, term: Term, bindings: Bindings) -> Iterator[FNode]:
        """A term's arguments as formulas."""
        return (self.formula(argument, bindings) for argument in term.arguments)

    def convert(self, sort: Sort, term: Term, bindings: Bindings) -> Any:
        """The lowered form of a term, in the shape of a sort that includes the term's sort."""
        return convert(self.lower(term, bindings), term.sort, sort)

    def expand(self, term: Term, bindings: Bindings) -> Iterator[tuple[Concrete, Bindings]]:
        """The bound variable's values that count, each with the bindings that include it."""
        assert term.binds is not None
        for value in self.candidates(term, bindings):
            self._tick()
            yield value, {**bindings, term.binds: value}

    def instances(self, term: Term, bindings: Bindings) -> Iterator[tuple[Concrete, FNode]]:
        """The bound variable's values that count, each with the last argument lowered to a formula for it."""
        for value, inner in self.expand(term, bindings):
            yield value, self.formula(term.arguments[-1], inner)
