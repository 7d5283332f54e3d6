"""TLC's order of values, which decides the choice of CHOOSE and the listing of sets.

Source: compareTo of the values in ``tlc2.value.impl`` (tlaplus/tlaplus).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cmp_to_key
from itertools import chain
from typing import Any

from verifier.tla.lazy_sets import INT, NAT, FunctionSet, Interval, Powerset
from verifier.tla.value_types import TRUE, Boolean, Fn, ForeignValue, ModelValue, NoValue, Value
from verifier.tla.values import LazyFunction, LazySet, has_at_most, materialize

_BEHIND = 0x10FFFF
"""The number of words behind all others: the greatest character."""
_CACHED = 200_000
_SHOWN = 1000
_KEPT = 4096
"""The largest number of members of a lazy set that are kept in order."""


def _are_integers(values: Iterable[Value]) -> bool:
    return set(map(type, chain.from_iterable(values))) == {int}


class Order:
    """An order of all values: integers by value, words by first appearance, sets by size first.

    Words of no text and no file come last, by their letters. Their first comparison would give each process
    another order, because Python's hashes decide which values of a set are compared first.
    """

    def __init__(self, words: Iterable[str] = ()) -> None:
        self.ranks: dict[str, int] = {}
        for word in words:
            self.ranks.setdefault(word, len(self.ranks))
        self.texts = len(self.ranks)
        self.unsure: set[str] = set()
        """Strings that were compared and occur in none of the texts. In TLC, their order depends on when each
        is first computed."""
        self.later: set[str] = set()
        """Words that were compared before any text or file had them: they keep their place."""
        self.key = cmp_to_key(self.compare)
        self.known: dict[frozenset[Value], list[Value]] = {}
        self.keys: dict[Value, Any] = {}

    def meet(self, word: str) -> None:
        """Register a word of a file, which TLC orders as it is read."""
        if word not in self.later:
            self.ranks.setdefault(word, len(self.ranks))

    def place(self, word: str) -> tuple[int, str]:
        """Return the place of a word: its number by first appearance, or its letters behind all numbers."""
        number = self.ranks.get(word)
        if number is not None:
            return number, ""
        self.later.add(word)
        return _BEHIND, word

    def sort(self, values: Iterable[Value]) -> list[Value]:
        """Return values in order."""
        if type(values) is frozenset:
            ordered = self.known.get(values)
            if ordered is None:
                if len(self.known) > _CACHED:
                    self.known.clear()
                self.known[values] = ordered = self._sort(list(values))
            return ordered
        return self._sort(list(values))

    def sort_by_kind(self, values: frozenset[Value]) -> list[Value]:
        """Return values in order; values without an order are sorted by kind, for readers."""
        try:
            return self.sort(values)
        except NoValue:
            return OrderOfKinds(self).sort(values)

    def _note(self, words: Sequence[str]) -> None:
        words_met = [word for word in words if self.ranks.get(word, self.texts) >= self.texts]
        if len(words_met) > 1:
            self.unsure.update(words_met)

    def _sort(self, values: list[Value]) -> list[Value]:
        if len(values) < 2:
            return values
        kinds = set(map(type, values))
        if len(kinds) == 1:
            kind = next(iter(kinds))
            if kind is int:
                return sorted(values)
            if kind is str:
                self._note(values)
                return sorted(values, key=self.place)
            if kind is ModelValue:
                return sorted(values, key=lambda value: self.place(value.name))
            if kind is tuple and len(set(map(len, values))) == 1 and _are_integers(values):
                return sorted(values)  # of one length, so the first item that differs decides
        try:
            return sorted(values, key=self.sort_key)
        except TypeError:
            return sorted(values, key=self.key)

    def sort_key(self, value: Value) -> Any:
        """Return a key that Python sorts as ``compare`` does. Keys of kinds that ``compare`` rejects are not
        comparable in Python."""
        kind = type(value)
        if kind is int:
            return value
        if kind is str:
            number, letters = self.place(value)
            return chr(number) + letters
        if kind is ModelValue:
            number, letters = self.place(value.name)
            return number.to_bytes(4, "big") + letters.encode()
        if kind is Boolean:
            return frozenset((0,) if value.truth else ())
        if kind is ForeignValue:  # it has some place, since nobody reads it
            return ("", value.written)
        if kind is tuple:
            return (len(value), *range(1, len(value) + 1), *map(self.sort_key, value))
        if value is NAT or value is INT:
            raise TypeError  # compared by themselves
        if kind is not Fn and kind is not frozenset:
            return self.sort_key(materialize(value))
        result = self.keys.get(value)
        if result is None:
            if kind is Fn:
                keys = self._sort(list(value))
                result = (len(value), *map(self.sort_key, keys), *(self.sort_key(value[key]) for key in keys))
            else:
                result = [len(value), *map(self.sort_key, self.sort(value))]
            if len(self.keys) > _CACHED:
                self.keys.clear()
            self.keys[value] = result
        return result

    def walk(self, value: Value) -> Iterable[Value]:
        """Return the members of a set in order. A lazy set is not listed if its own order is the same. Raises
        NoValue for a value that is no set or cannot be listed."""
        if type(value) is frozenset:
            return self.sort(value)
        if not isinstance(value, LazySet):
            raise NoValue("no set")
        kept: list[Value] | None = getattr(value, "ordered", None)
        if kept is not None:
            return kept
        own = isinstance(value, Interval | Powerset | FunctionSet)
        if own and (value.infinite or not has_at_most(value, _KEPT)):
            return value.members()
        value.ordered = list(value.members()) if own else self._sort(list(value.members()))
        return value.ordered

    def compare(self, one: Value, other: Value) -> int:
        """Return a number below, equal to or above 0. Raises NoValue for values that TLC cannot compare."""
        if one is other:
            return 0
        if (one is NAT and other is INT) or (one is INT and other is NAT):
            return 1 if one is INT else -1
        one, other = materialize(one), materialize(other)
        first, second = type(one), type(other)
        if first is ModelValue or second is ModelValue:
            if first is second:
                return self._words(one.name, other.name)
            return -1 if first is ModelValue else 1
        if first is second:
            if first is int:
                return int(one > other) - int(one < other)
            if first is str:
                self._note((one, other))
                return self._words(one, other)
            if first is frozenset:
                return self._rows(self.sort(one), self.sort(other))
            if first is tuple:
                return self._rows(one, other)
            if first is Boolean:
                return (one is TRUE) - (other is TRUE)
        if first in (Fn, tuple) and second in (Fn, tuple):
            return self._functions(one, other)
        raise NoValue("values of different kinds have no order")

    def _words(self, one: str, other: str) -> int:
        first, second = self.place(one), self.place(other)
        return int(first > second) - int(first < second)

    def _rows(self, one: Any, other: Any) -> int:
        if len(one) != len(other):
            return len(one) - len(other)
        for left, right in zip(one, other, strict=True):
            compared = self.compare(left, right)
            if compared:
                return compared
        return 0

    def _functions(self, one: Value, other: Value) -> int:
        """Compare the sizes, then the domains, then the values, as FcnRcdValue and RecordValue do."""
        if len(one) != len(other):
            return len(one) - len(other)
        pairs = [dict(enumerate(f, 1)) if type(f) is tuple else f for f in (one, other)]
        keys = [self._sort(list(f)) for f in pairs]
        values = [[pair[key] for key in own] for pair, own in zip(pairs, keys, strict=True)]
        return self._rows(*keys) or self._rows(*values)


class OrderOfKinds(Order):
    """An order of all values, one kind after the other: it agrees with TLC's order where TLC has one."""

    def __init__(self, order: Order) -> None:
        super().__init__(())
        self.ranks, self.texts, self.unsure = order.ranks, order.texts, order.unsure
        self.later = order.later

    def compare(self, one: Value, other: Value) -> int:
        """Return a number below, equal to or above 0."""
        try:
            return super().compare(one, other)
        except NoValue:
            return -1 if _kind(one) < _kind(other) else 1


def _kind(value: Value) -> str:
    """Return the name of a value's kind for comparison: a sequence is compared with functions."""
    kind = type(materialize(value))
    return (Fn if kind is tuple else kind).__name__


_FIELD = re.compile(r"[A-Za-z0-9_]*[A-Za-z][A-Za-z0-9_]*")
"""A string that may be the name of a record's field. Other strings are written as keys."""
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\f": "\\f", "\r": "\\r"})


def text(value: Value, order: Order) -> str:
    """Return a value in TLA+ syntax."""
    match value:
        case str():
            return f'"{value.translate(_ESCAPES)}"'
        case frozenset():
            return "{" + ", ".join(text(item, order) for item in order.sort_by_kind(value)) + "}"
        case tuple():
            return "<<" + ", ".join(text(item, order) for item in value) + ">>"
        case Fn():
            return _function_text(value, order)
        case Interval():
            return f"{value.low}..{value.high}"
        case LazySet():
            if value.infinite or not has_at_most(value, _SHOWN):
                return value.words
            return text(value.materialize(), order)
        case LazyFunction():
            try:
                return text(value.materialize(), order)
            except NoValue:
                return "[…]"
    return str(value)


def _function_text(value: Fn, order: Order) -> str:
    if all(type(key) is str and _FIELD.fullmatch(key) for key in value):
        return "[" + ", ".join(f"{key} |-> {text(value[key], order)}" for key in order.sort(value)) + "]"
    keys = order.sort_by_kind(value.domain)
    return "(" + " @@ ".join(f"{text(key, order)} :> {text(value[key], order)}" for key in keys) + ")"
