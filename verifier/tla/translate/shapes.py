"""What values look like.

A shape says which kinds of values were seen in one place: integers, words, sets of what, records with which
fields. Shapes only grow.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from verifier.encodings.sorts import (
    Boolean,
    Function,
    Listed,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
    Variant,
)
from verifier.tla.symmetry import Renaming
from verifier.tla.translate.coding import Names
from verifier.tla.values import Boolean as Truth
from verifier.tla.values import Fn, ModelValue, Value, listed

_MOST_SEEN = 4_096
"""Of more keys or members the values themselves are not kept."""
_MOST_HELD = 64
"""The values of sorts of this size are listed beside others."""
_MOST_ADDED = 1 << 14
"""Of so many values it is remembered that they were added."""
MOST_LISTED = 100_000
NOTHING = Range(1, 0)
"""The sort of what was never seen: the elements of a set that is always empty."""


class NoShape(Exception):
    """No finite sort holds these values."""


@dataclass
class Shape:
    """What was seen in one place."""

    ints: set[int] = field(default_factory=set)
    words: dict[Value, None] = field(default_factory=dict)
    truths: bool = False
    sets: Shape | None = None
    rows: Rows | None = None
    records: dict[frozenset[str], dict[str, Shape]] = field(default_factory=dict)
    functions: Functions | None = None
    seen: dict[Value, None] | None = None
    """The values themselves, of keys of functions and members of sets; None where they are not all known."""
    lists: bool = False
    """Whether some came from a sort that lists them."""
    held: dict[Value, None] = field(default_factory=dict, compare=False)
    """The values with parts, and words, of small sorts that were added: they are listed where some are."""
    added: set[Value] = field(default_factory=set, compare=False, repr=False)
    """Values with parts that it has already, as far as they are kept. A shape only grows, so what is added
    again changes nothing."""

    # -- values

    def add(self, value: Value) -> None:
        """A value."""
        value = listed(value)
        if self._has(value):
            return
        self._see(value)
        match value:
            case int():
                self.ints.add(value)
            case Truth():
                self.truths = True
            case str() | ModelValue():
                self.words[value] = None
            case frozenset():
                inside = self.members()
                for item in value:
                    inside.add(item)
            case tuple():
                self._row(len(value), value)
            case Fn() if all(type(key) is str for key in value):
                fields = self._record(frozenset(value))
                for name, item in value.items():
                    fields[name].add(item)
            case Fn():
                found = self._functions()
                found.domains.add(frozenset(value))
                for key, item in value.items():
                    found.keys.add(key)
                    found.results.add(item)
            case _:
                raise NoShape(f"a value of the kind {type(value).__name__}")

    def _has(self, value: Value) -> bool:
        """Whether a value with parts was added before; it is from now on."""
        if not isinstance(value, frozenset | tuple | Fn):
            return False
        if value in self.added:
            return True
        if len(self.added) < _MOST_ADDED:
            self.added.add(value)
        return False

    def _see(self, value: Value) -> None:
        if self.seen is not None:
            self.seen[value] = None
            if len(self.seen) > _MOST_SEEN and not self.lists:
                self.seen = None

    def _row(self, length: int, items: Iterable[Value] = ()) -> Rows:
        self.rows = self.rows or Rows()
        self.rows.lengths.add(length)
        while len(self.rows.items) < length:
            self.rows.items.append(Shape())
        for shape, item in zip(self.rows.items, items, strict=False):
            shape.add(item)
        return self.rows

    def _record(self, names: frozenset[str]) -> dict[str, Shape]:
        if names not in self.records:
            self.records[names] = {name: Shape() for name in sorted(names)}
        return self.records[names]

    def members(self) -> Shape:
        """What was seen of the members of sets."""
        if self.sets is None:
            self.sets = Shape(seen={})
        return self.sets

    def _functions(self) -> Functions:
        self.functions = self.functions or Functions()
        return self.functions

    def merge(self, other: Shape) -> None:
        """What another shape has."""
        self._merge_seen(other)
        self.ints |= other.ints
        self.words |= other.words
        self.truths = self.truths or other.truths
        if other.sets is not None:
            self.members().merge(other.sets)
        if other.rows is not None:
            for length in other.rows.lengths:
                self._row(length)
            assert self.rows is not None
            for shape, more in zip(self.rows.items, other.rows.items, strict=False):
                shape.merge(more)
        for names, fields in other.records.items():
            own = self._record(names)
            for name, shape in fields.items():
                own[name].merge(shape)
        if other.functions is not None:
            found = self._functions()
            found.domains |= other.functions.domains
            found.partial = found.partial or other.functions.partial
            found.keys.merge(other.functions.keys)
            found.results.merge(other.functions.results)

    def _merge_seen(self, other: Shape) -> None:
        self.lists = self.lists or other.lists
        self.held |= other.held
        if self.seen is not None and other.seen is not None:
            self.seen |= other.seen
        elif not self.lists and other != Shape():
            self.seen = None

    def even_out(self) -> None:
        """Makes items of tuples alike that have parts of the same kinds, and those that have words of these:
        functions on 1..N are such tuples, and what one item has got, another may get."""
        if self.rows is not None and len(self.rows.lengths) == 1:
            whole = Shape()
            compound = [item for item in self.rows.items if item._parts()]
            for item in compound:
                whole.merge(item)
            if all(item._compound_kinds() == whole._compound_kinds() for item in compound):
                for item in self.rows.items:
                    if item._parts() or item.words.keys() & whole.words.keys():
                        item.merge(whole)
        for part in self._parts():
            part.even_out()

    def _compound_kinds(self) -> tuple[object, ...]:
        return (*self.records, self.sets is None, self.rows is None, self.functions is None)

    def _parts(self) -> list[Shape]:
        parts = [shape for fields in self.records.values() for shape in fields.values()]
        parts += [] if self.sets is None else [self.sets]
        parts += [] if self.rows is None else self.rows.items
        parts += [] if self.functions is None else [self.functions.keys, self.functions.results]
        return parts

    def permute(self, renamings: Iterable[Renaming]) -> None:
        """Adds what permutations, which are a group without the identity, make of the values that the sort
        lists."""
        for renaming in renamings:
            self.words |= dict.fromkeys([renaming.of(word) for word in list(self.words)])
            if self.seen is not None:
                self.seen |= dict.fromkeys([renaming.of(value) for value in list(self.seen)])
            self.held |= dict.fromkeys([renaming.of(value) for value in list(self.held)])
        if self.functions is not None:
            for renaming in renamings:
                moved = [frozenset(map(renaming.of, domain)) for domain in self.functions.domains]
                self.functions.domains.update(moved)
        for part in self._parts():
            part.permute(renamings)

    def add_sort(self, sort: Sort, names: Names) -> None:
        """What a sort holds."""
        self._see_sort(sort, names)
        match sort:
            case Boolean():
                self.truths = True
            case Range():
                if sort.size > MOST_LISTED:
                    raise NoShape("a large range")
                self.ints.update(range(sort.low, sort.high + 1))
            case Listed():
                for value in sort.values():
                    self.add(names.decode(value, sort))
            case Set():
                self.members().add_sort(sort.element, names)
            case Tuple() | Sequence() | Record():
                self._add_row_sort(sort, names)
            case Function() | PartialFunction():
                self._add_function_sort(sort, names)
            case Variant():
                for _, part in sort.alternatives:
                    self.add_sort(part, names)
            case _:
                raise NoShape(f"the sort {sort}")

    def listed(self) -> dict[Value, None]:
        """The values that a sort of keys or members lists; none where they are not all known."""
        if self.seen is None:
            return {}
        return self.seen | self.held if self.lists else self.seen

    def _see_sort(self, sort: Sort, names: Names) -> None:
        if sort.size <= _MOST_HELD:
            values = (names.decode(one, sort) for one in sort.values())
            self.held |= dict.fromkeys(one for one in values if not isinstance(one, int | Truth))
        if names.lists(sort):
            self.lists, self.seen = True, self.seen or {}
        elif not self.lists and not isinstance(sort, Listed) and sort != NOTHING:
            self.seen = None

    def _add_row_sort(self, sort: Tuple | Sequence | Record, names: Names) -> None:
        if isinstance(sort, Record):
            fields = self._record(frozenset(sort.field_sorts))
            for name, part in sort.fields:
                fields[name].add_sort(part, names)
        elif isinstance(sort, Tuple):
            for shape, item in zip(self._row(len(sort.items)).items, sort.items, strict=False):
                shape.add_sort(item, names)
        else:
            rows = self._row(sort.capacity)
            rows.lengths.update(range(sort.capacity))
            for shape in rows.items[: sort.capacity]:
                shape.add_sort(sort.element, names)

    def _add_function_sort(self, sort: Function | PartialFunction, names: Names) -> None:
        found = self._functions()
        if isinstance(sort, Function):
            found.domains.add(frozenset(names.decode(key, sort.domain) for key in sort.domain.values()))
        else:
            found.partial = True
        found.keys.add_sort(sort.domain, names)
        found.results.add_sort(sort.range, names)


@dataclass
class Rows:
    """Tuples and sequences."""

    lengths: set[int] = field(default_factory=set)
    items: list[Shape] = field(default_factory=list)


@dataclass
class Functions:
    """Functions that are no sequences, and no records."""

    domains: set[frozenset[Value]] = field(default_factory=set)
    keys: Shape = field(default_factory=lambda: Shape(seen={}))
    results: Shape = field(default_factory=Shape)
    partial: bool = False
