"""Permutations of model values, as SYMMETRY names them, and the check that they change only names.

A formula cannot distinguish model values by itself: it is true of a state exactly if it is true of the
permuted state. A permutation may be used if nothing breaks this. Three things may: a constant that the
permutation changes, an operator that depends on the order of values or on the search, and CHOOSE.
``automorphisms`` searches the formulas for the first two. ``Symmetry`` checks the choices of CHOOSE and of
folds over sets during evaluation: they must be the same in every permuted order.

Source: Ip and Dill 1996, doi:10.1007/BF00625968.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from verifier.tla.errors import Place
from verifier.tla.lazy_sets import Combined, FunctionSet, Infinite, Interval, Powerset, ProductSet, RecordSet
from verifier.tla.order import Order
from verifier.tla.value_types import Boolean, Fn, ModelValue, Value
from verifier.tla.values import LazyFunction, LazySet

Permutation: TypeAlias = dict[Value, Value]
_REMEMBERED = 100_000


class Asymmetric(Exception):
    """Raised if a permutation changes more than names: where, and why."""

    def __init__(self, words: str, answers: Iterable[Value] = ()) -> None:
        super().__init__(words)
        self.answers = tuple(answers)
        """The elements taken in the permuted orders; empty if they are not known."""


class Renaming:
    """A permutation that is applied to values. It remembers the images of records and sets."""

    def __init__(self, permutation: Permutation) -> None:
        self.permutation = permutation
        self.known: dict[Value, Value] = {}

    def of(self, value: Value) -> Value:
        """Return the image of a value."""
        kind = type(value)
        if kind is ModelValue:
            return self.permutation.get(value, value)
        if kind is tuple:
            return tuple([self.of(item) for item in value])
        if kind is not frozenset and kind is not Fn:
            return self.of(value.materialize()) if isinstance(value, LazySet | LazyFunction) else value
        images = self.known.get(value)
        if images is None:
            if kind is frozenset:
                images = frozenset([self.of(item) for item in value])
            else:
                images = Fn([(self.of(key), self.of(item)) for key, item in value.items()])
            if len(self.known) > _REMEMBERED:
                self.known.clear()
            self.known[value] = images
        return images


class Symmetry:
    """Checks the choices from sets. The permutations are a group, without the identity."""

    def __init__(self, permutations: Iterable[Permutation], order: Order) -> None:
        self.renamings = [Renaming(permutation) for permutation in permutations]
        self.order = order
        self.moved = {value for renaming in self.renamings for value in renaming.permutation}
        self.known: dict[frozenset[Value], list[Value]] = {}

    def touches(self, value: Value) -> bool:
        """True if a value may contain a value that a permutation moves."""
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
        """Return the orders of values under all permutations, TLC's own first."""
        orders = {tuple(self.order.sort(values)): None}
        for renaming in self.renamings:
            back = {renaming.of(value): value for value in values}
            orders[tuple(back[value] for value in self.order.sort(frozenset(back)))] = None
        return [list(row) for row in orders]

    def firsts(self, candidates: frozenset[Value]) -> list[Value]:
        """Return the element that CHOOSE takes of these in each order, TLC's own first."""
        firsts = self.known.get(candidates)
        if firsts is None:
            if len(self.known) > _REMEMBERED:
                self.known.clear()
            firsts = self.known[candidates] = list(dict.fromkeys(row[0] for row in self.orders(candidates)))
        return firsts

    def fold(self, place: Place, values: frozenset[Value], along: Callable[[list[Value]], Value]) -> Value:
        """Return the result of a fold along every order. Raises Asymmetric if the results differ."""
        if not self.touches(values):
            return along(self.order.sort(values))
        first, *others = [along(row) for row in self.orders(values)]
        if any(other != first for other in others):
            raise Asymmetric(
                f"{place}: a fold over a set gives another value in another order of its elements"
            )
        return first
