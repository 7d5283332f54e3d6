"""The parts of the state that decide a comparison: of functions those at the keys at which they differ."""

from __future__ import annotations

from contextlib import suppress

from verifier.encodings.blame import Culprit
from verifier.tla import ast
from verifier.tla.ast import Expression
from verifier.tla.frames import Undefined
from verifier.tla.reading_parts import PartFinder
from verifier.tla.value_types import NoValue, Value
from verifier.tla.values import is_function, is_member, materialize, pairs_of, same

_MOST_KEYS = 200
"""The most keys of functions that are compared one by one."""


class Comparison:
    """Finds what decides a comparison in a frame."""

    def __init__(self, finder: PartFinder) -> None:
        self.finder = finder
        self.blaming = finder.blaming

    def decisive(self, relation: str, left: Expression, right: Expression) -> tuple[Culprit, ...] | None:
        """The parts of the state that decide a comparison; None if that is all that both sides read."""
        with suppress(Undefined, NoValue):
            if relation in ("<", "≤"):
                return self._too_large(left, right)
            if relation in (">", "≥"):
                return self._too_large(right, left)
            if relation == "=":
                return self._different(left, right)
            if relation == "∈":
                return self._outside(left, right)
        return None

    def _too_large(self, count: Expression, limit: Expression) -> tuple[Culprit, ...] | None:
        blame = self._blame_count(count)
        return None if blame is None else tuple(dict.fromkeys([*blame, *self.finder.culprits(limit)]))

    def _blame_count(self, whole: Expression) -> tuple[Culprit, ...] | None:
        """Of a count that is too large, what makes each element one that counts."""
        match whole:
            case ast.Apply(operator=operator, arguments=(of,)):
                module = self.blaming.unit.module
                symbol = self.blaming.descent.evaluator.resolve(operator, module) or operator
                if symbol.name != "Cardinality":
                    return None
                finder, counted = self.finder.open(of)
                blaming = finder.blaming
                path = blaming.path_of(counted, set())
                if not isinstance(counted, ast.Filter) and path is None:
                    return None
                held = [blaming.text(one) for one in blaming.sort(materialize(blaming.value(counted)))]
                if path is not None:
                    return (Culprit(path, tuple(held)),)
                members = blaming.memberships(counted)
                parts = [part for one in held if members for part in members[one].culprits]
                return tuple(dict.fromkeys(parts)) or None
        return None

    def _different(self, left: Expression, right: Expression) -> tuple[Culprit, ...] | None:
        """Of functions that differ, what both read at the keys at which they do."""
        one, other = self._pairs(left), self._pairs(right)
        if one is None or other is None or one.keys() != other.keys():
            return None
        keys = [key for key in one if not same(one[key], other[key])]
        sides = [_at_keys(self.finder, side, keys) for side in (left, right)]
        return _join(sides)

    def _outside(self, left: Expression, right: Expression) -> tuple[Culprit, ...] | None:
        """Of a function that is not in a set of functions, what it reads at the keys with wrong values."""
        finder, functions = self.finder.open(right)
        pairs = self._pairs(left)
        if isinstance(functions, ast.RecordSet) and pairs is not None:
            return self._fields_outside(left, pairs, finder, functions)
        if not isinstance(functions, ast.FunctionSet) or pairs is None:
            return None
        domain, range_ = (
            materialize(finder.blaming.value(one)) for one in (functions.domain, functions.range)
        )
        if domain != frozenset(pairs):
            return None
        keys = [key for key, value in pairs.items() if not is_member(value, range_)]
        return _join([_at_keys(self.finder, left, keys), list(finder.culprits(functions.range))])

    def _fields_outside(
        self, left: Expression, pairs: dict[Value, Value], reading: PartFinder, records: ast.RecordSet
    ) -> tuple[Culprit, ...] | None:
        """Of a record that is not in a set of records, the fields with wrong values."""
        finder, record = self.finder.open(left)
        path = finder.blaming.path_of(record, set())
        made = dict(record.fields) if isinstance(record, ast.Record) else {}
        if (path is None and not made) or pairs.keys() != {name for name, _ in records.fields}:
            return None
        found: list[list[Culprit] | None] = []
        for name, range_ in records.fields:
            if not is_member(pairs[name], materialize(reading.blaming.value(range_))):
                own = finder.culprits(made[name]) if made else [Culprit(f"{path}.{name}")]
                found.append([*own, *reading.culprits(range_)])
        return _join(found)

    def _pairs(self, whole: Expression) -> dict[Value, Value] | None:
        if not self.finder.is_state(whole):
            return None
        value = self.blaming.value(whole)
        pairs = pairs_of(value) if is_function(value) else None
        return pairs if pairs is not None and len(pairs) <= _MOST_KEYS else None


def _at_keys(finder: PartFinder, whole: Expression, keys: list[Value]) -> list[Culprit] | None:
    """Return what a function reads at some keys; None if that is not known."""
    reading, function = finder.open(whole)
    blaming = reading.blaming
    path = blaming.path_of(function, set())
    if path is not None:
        is_record = all(isinstance(key, str) and key.isidentifier() for key in keys)
        return None if is_record else [Culprit(f"{path}[{blaming.text(key)}]") for key in keys]
    match function:
        case ast.Function():
            values = [reading.at_key(function, key) for key in keys]
            return None if None in values else [culprit for one in values for culprit in one or ()]
        case ast.Except(updates=updates) if all(len(one.path) == 1 for one in updates):
            put = [blaming.value(one.path[0]) for one in updates]
            new = [one for one, key in zip(updates, put, strict=True) if key in keys]
            old = _at_keys(reading, function.function, [key for key in keys if key not in put])
            given = (culprit for one in new for culprit in reading.culprits(one.value))
            return None if old is None else [*old, *given]
    return None


def _join(found: list[list[Culprit] | None]) -> tuple[Culprit, ...] | None:
    """The culprits of all; None if one is not known, or if there are none."""
    if None in found:
        return None
    return tuple(dict.fromkeys(culprit for one in found for culprit in one or ())) or None
