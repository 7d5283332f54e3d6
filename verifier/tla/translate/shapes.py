"""Shapes: summaries of the values that occur in one place.

A shape says which kinds of values were seen there: integers, words, sets and their members, records and their
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
from verifier.tla.value_types import Boolean as Truth
from verifier.tla.value_types import Fn, ModelValue, Value
from verifier.tla.values import materialize

_MOST_SEEN = 4_096
"""The limit of keys or members that are kept as values."""
MOST_HELD, MOST_HELD_IN_FORMULAS = 64, 256
"""The largest sort whose values are listed beside others, in assigned values and elsewhere. An assigned value
that is not listed is outside the variable's sort, which is widened; elsewhere it would have no value."""
_MOST_ADDED = 1 << 14
"""The limit of values that a shape remembers as added."""
MOST_LISTED = 100_000
NOTHING = Range(1, 0)
"""The empty sort, for places without any value: the elements of a set that is always empty."""


class NoShape(Exception):
    """Raised if no finite sort holds these values."""


@dataclass
class Shape:
    """The values that were seen in one place."""

    ints: set[int] = field(default_factory=set)
    words: dict[Value, None] = field(default_factory=dict)
    truths: bool = False
    sets: Shape | None = None
    rows: Rows | None = None
    records: dict[frozenset[str], dict[str, Shape]] = field(default_factory=dict)
    functions: Functions | None = None
    seen: dict[Value, None] | None = None
    """The values themselves, for keys of functions and members of sets; None if not all are known."""
    lists: bool = False
    """True if some values came from a sort that lists them."""
    held: dict[Value, None] = field(default_factory=dict, compare=False)
    """The words and the values with parts of small sorts that were added. They are listed where other values
    are."""
    added: set[Value] = field(default_factory=set, compare=False, repr=False)
    """Values with parts that were added before, as far as they are kept. A shape only grows, so a second
    addition changes nothing."""

    # -- values

    def add(self, value: Value) -> None:
        """Add a value."""
        value = materialize(value)
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
                functions = self._functions()
                functions.domains.add(frozenset(value))
                for key, item in value.items():
                    functions.keys.add(key)
                    functions.results.add(item)
            case _:
                raise NoShape(f"a value of the kind {type(value).__name__}")

    def _has(self, value: Value) -> bool:
        """True if a value with parts was added before. It is remembered from now on."""
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
        """Return the shape of the members of sets."""
        if self.sets is None:
            self.sets = Shape(seen={})
        return self.sets

    def _functions(self) -> Functions:
        self.functions = self.functions or Functions()
        return self.functions

    def merge(self, other: Shape) -> None:
        """Add the values of another shape."""
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
            functions = self._functions()
            functions.domains |= other.functions.domains
            functions.partial = functions.partial or other.functions.partial
            functions.keys.merge(other.functions.keys)
            functions.results.merge(other.functions.results)

    def _merge_seen(self, other: Shape) -> None:
        self.lists = self.lists or other.lists
        self.held |= other.held
        if self.seen is not None and other.seen is not None:
            self.seen |= other.seen
        elif not self.lists and other != Shape():
            self.seen = None

    def even_out(self) -> None:
        """Make the items of tuples alike if their parts have the same kinds, or if they share words.
        Functions on 1..N are such tuples: a value of one item may also occur in another."""
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
        """Add the images of the listed values under permutations, which form a group without the identity."""
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

    def add_sort(self, sort: Sort, names: Names, most: int = MOST_HELD) -> None:
        """Add the values of a sort. ``most``: the size of the largest sorts whose values are listed beside
        others."""
        self._see_sort(sort, names, most)
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
                self.members().add_sort(sort.element, names, most)
            case Tuple() | Sequence() | Record():
                self._add_row_sort(sort, names, most)
            case Function() | PartialFunction():
                self._add_function_sort(sort, names, most)
            case Variant():
                for _, part in sort.alternatives:
                    self.add_sort(part, names, most)
            case _:
                raise NoShape(f"the sort {sort}")

    def list_values(self) -> dict[Value, None]:
        """Return the values that a sort of keys or members lists; none if not all are known."""
        if self.seen is None:
            return {}
        return self.seen | self.held if self.lists else self.seen

    def _see_sort(self, sort: Sort, names: Names, most: int) -> None:
        if sort.size <= most:
            values = (names.decode(one, sort) for one in sort.values())
            self.held |= dict.fromkeys(one for one in values if not isinstance(one, int | Truth))
        if names.lists(sort):
            self.lists, self.seen = True, self.seen or {}
        elif not self.lists and not isinstance(sort, Listed) and sort != NOTHING:
            self.seen = None

    def _add_row_sort(self, sort: Tuple | Sequence | Record, names: Names, most: int) -> None:
        if isinstance(sort, Record):
            fields = self._record(frozenset(sort.field_sorts))
            for name, part in sort.fields:
                fields[name].add_sort(part, names, most)
        elif isinstance(sort, Tuple):
            for shape, item in zip(self._row(len(sort.items)).items, sort.items, strict=False):
                shape.add_sort(item, names, most)
        else:
            rows = self._row(sort.capacity)
            rows.lengths.update(range(sort.capacity))
            for shape in rows.items[: sort.capacity]:
                shape.add_sort(sort.element, names, most)

    def _add_function_sort(self, sort: Function | PartialFunction, names: Names, most: int) -> None:
        functions = self._functions()
        if isinstance(sort, Function):
            functions.domains.add(frozenset(names.decode(key, sort.domain) for key in sort.domain.values()))
        else:
            functions.partial = True
        functions.keys.add_sort(sort.domain, names, most)
        functions.results.add_sort(sort.range, names, most)


@dataclass
class Rows:
    """Tuples and sequences."""

    lengths: set[int] = field(default_factory=set)
    items: list[Shape] = field(default_factory=list)


@dataclass
class Functions:
    """Functions that are neither sequences nor records."""

    domains: set[frozenset[Value]] = field(default_factory=set)
    keys: Shape = field(default_factory=lambda: Shape(seen={}))
    results: Shape = field(default_factory=Shape)
    partial: bool = False
