"""Permutations of model values, as SYMMETRY names them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from verifier.tla.errors import TlaError
from verifier.tla.values import Fn, ModelValue, NoValue, Value, members, pairs_of

if TYPE_CHECKING:
    from verifier.tla.specification import Specification

Permutation: TypeAlias = dict[Value, Value]
_MOST = 50_000
_REMEMBERED = 100_000


def permutations(specification: Specification) -> list[Permutation]:
    """All permutations that the configuration's SYMMETRY generates, but for the identity. Raises TlaError."""
    generators: list[Permutation] = []
    for formula in specification.symmetry:
        value = specification.evaluator.compiled(formula.body, formula.module)()
        place = formula.body.place
        try:
            generators += [_permutation(pairs_of(item)) for item in members(value)]
        except NoValue:
            raise TlaError(place, "SYMMETRY expects a set of permutations of model values") from None
    return _closure([g for g in generators if g])


def _permutation(pairs: dict[Value, Value]) -> Permutation:
    if set(pairs) != set(pairs.values()) or not all(isinstance(value, ModelValue) for value in pairs):
        raise NoValue("no permutation")
    return {key: value for key, value in pairs.items() if key is not value}


def _closure(generators: list[Permutation]) -> list[Permutation]:
    """The group."""
    found: dict[frozenset[tuple[Value, Value]], Permutation] = {}
    waiting: list[Permutation] = [{}]
    while waiting:
        one = waiting.pop()
        for generator in generators:
            keys = one.keys() | generator.keys()
            made = {key: generator.get(one.get(key, key), one.get(key, key)) for key in keys}
            made = {key: value for key, value in made.items() if key is not value}
            mark = frozenset(made.items())
            if made and mark not in found and len(found) < _MOST:
                found[mark] = made
                waiting.append(made)
    return list(found.values())


class Renaming:
    """A permutation, applied to values; what it makes of records and sets is remembered."""

    def __init__(self, permutation: Permutation) -> None:
        self.permutation = permutation
        self.known: dict[Value, Value] = {}

    def state(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """A state, renamed."""
        of = self.of
        return tuple([of(value) for value in values])

    def of(self, value: Value) -> Value:
        """A value, renamed."""
        kind = type(value)
        if kind is ModelValue:
            return self.permutation.get(value, value)
        if kind is tuple:
            return tuple([self.of(item) for item in value])
        if kind is not frozenset and kind is not Fn:
            return value
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
