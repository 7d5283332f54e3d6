"""Permutations of model values, as SYMMETRY names them, and whether they change nothing.

A formula cannot tell model values apart by itself: what it says of a state, it says of the permuted state. So
a permutation may be used if nothing breaks that. Three things may: a constant whose value the permutation
changes, an operator whose answer rests on the order of values or on the search, and CHOOSE. The first two are
looked for in the formulas (``automorphisms``); what CHOOSE and folds over sets take is watched while they are
evaluated (``Symmetry``), and must be the same for every order that a permutation makes of TLC's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from verifier.tla.errors import Place
from verifier.tla.lazy_sets import Combined, FunctionSet, Infinite, Interval, Powerset, ProductSet, RecordSet
from verifier.tla.order import Order
from verifier.tla.values import Boolean, Fn, LazyFunction, LazySet, ModelValue, Value

Permutation: TypeAlias = dict[Value, Value]
_REMEMBERED = 100_000


class Asymmetric(Exception):
    """A permutation changes more than names: where, and why."""

    def __init__(self, words: str, answers: Iterable[Value] = ()) -> None:
        super().__init__(words)
        self.answers = tuple(answers)
        """What is taken in the orders that permutations make; empty where that is not known."""


class Renaming:
    """A permutation, applied to values; what it makes of records and sets is remembered."""

    def __init__(self, permutation: Permutation) -> None:
        self.permutation = permutation
        self.known: dict[Value, Value] = {}

    def of(self, value: Value) -> Value:
        """A value, renamed."""
        kind = type(value)
        if kind is ModelValue:
            return self.permutation.get(value, value)
        if kind is tuple:
            return tuple([self.of(item) for item in value])
        if kind is not frozenset and kind is not Fn:
            return self.of(value.listed()) if isinstance(value, LazySet | LazyFunction) else value
        found = self.known.get(value)
        if found is None:
            if kind is frozenset:
                found = frozenset([self.of(item) for item in value])
            else:
                found = Fn([(self.of(key), self.of(item)) for key, item in value.items()])
            if len(self.known) > _REMEMBERED:
                self.known.clear()
            self.known[value] = found
        return found


class Symmetry:
    """Watches what is taken out of sets. The permutations are a group, without the identity."""

    def __init__(self, found: Iterable[Permutation], order: Order) -> None:
        self.renamings = [Renaming(permutation) for permutation in found]
        self.order = order
        self.moved = {value for renaming in self.renamings for value in renaming.permutation}
        self.known: dict[frozenset[Value], list[Value]] = {}

    def touches(self, value: Value) -> bool:
        """Whether a value may have a part that a permutation moves."""
        match value:
            case ModelValue():
                return value in self.moved
            case Fn():
                return any(map(self.touches, value)) or any(map(self.touches, value.values()))
            case frozenset() | tuple():
                return any(map(self.touches, value))
            case Interval() | Infinite() | Boolean() | int() | str():
                return False
            case Powerset():
                return self.touches(value.base)
            case FunctionSet():
                return self.touches(value.domain) or self.touches(value.range)
            case RecordSet():
                return any(map(self.touches, value.fields.values()))
            case ProductSet():
                return any(map(self.touches, value.items))
            case Combined():
                return self.touches(value.first) or (value.sign != "filter" and self.touches(value.second))
        return True

    def orders(self, values: frozenset[Value]) -> list[list[Value]]:
        """The orders of some values that the permutations make of the usual one, which is the first."""
        found = {tuple(self.order.sorted(values)): None}
        for renaming in self.renamings:
            back = {renaming.of(value): value for value in values}
            found[tuple(back[value] for value in self.order.sorted(frozenset(back)))] = None
        return [list(row) for row in found]

    def firsts(self, candidates: frozenset[Value]) -> list[Value]:
        """What CHOOSE takes of these in each order: the usual one first."""
        found = self.known.get(candidates)
        if found is None:
            if len(self.known) > _REMEMBERED:
                self.known.clear()
            found = self.known[candidates] = list(dict.fromkeys(row[0] for row in self.orders(candidates)))
        return found

    def fold(self, place: Place, values: frozenset[Value], along: Callable[[list[Value]], Value]) -> Value:
        """What a fold gives along every order. Raises Asymmetric if that is not the same."""
        if not self.touches(values):
            return along(self.order.sorted(values))
        first, *others = [along(row) for row in self.orders(values)]
        if any(other != first for other in others):
            raise Asymmetric(
                f"{place}: a fold over a set gives another value in another order of its elements"
            )
        return first
