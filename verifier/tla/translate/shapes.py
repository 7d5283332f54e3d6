"""What values look like, and the smallest sort for them.

A shape says which kinds of values were seen in one place: integers, words, sets of what, records with which
fields. Shapes only grow. The sort of a shape holds all the values that it was made of, and others besides.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from verifier.encodings.concrete import tag_of_fields
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
from verifier.tla.order import text
from verifier.tla.symmetry import Renaming
from verifier.tla.translate.coding import Names
from verifier.tla.values import Boolean as Truth
from verifier.tla.values import Fn, ModelValue, NoValue, Value, listed

_MOST_MIXED = 64
"""More integers than this are not listed beside words."""
_MOST_KEYS, _MOST_UNSEEN, _MOST_SEEN = 256, 4, 4_096
"""Keys and members are listed by their values where their sort would have more, and so many times as many as
were seen, and no more than so many were seen."""
_MOST_SHAPES = 8
"""Records with more sets of fields become functions of strings."""
MOST_LISTED = 100_000


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

    # -- values

    def add(self, value: Value) -> None:
        """A value."""
        value = listed(value)
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

    def _see_sort(self, sort: Sort, names: Names) -> None:
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

    # -- sorts

    def sort(self, names: Names) -> Sort:
        """The sort."""
        kinds = self._kinds(names)
        if not kinds:
            return NOTHING
        if len(kinds) == 1:
            return next(iter(kinds.values()))
        return Variant(**kinds)

    def key_sort(self, names: Names) -> Sort:
        """The sort of keys or members: what has parts is listed where it could be much else than was seen."""
        found = self.sort(names)
        if not self.seen or isinstance(found, Boolean | Range | Listed):
            return found
        if not self.lists and found.size <= max(_MOST_KEYS, _MOST_UNSEEN * len(self.seen)):
            return found
        if any(isinstance(value, int | Truth) for value in self.seen):
            return found
        return Listed(*map(names.word, sorted(self.seen, key=lambda value: text(value, names.order))))

    def _kinds(self, names: Names) -> dict[str, Sort]:
        kinds: dict[str, Sort] = self._scalars(names)
        if self.truths:
            kinds["truth"] = Boolean()
        if self.sets is not None:
            kinds["set"] = Set(self.sets.key_sort(names))
        records, rows, functions = self.records, self.rows, self.functions
        if len(records) > _MOST_SHAPES or (functions is not None and records):
            functions, records = self._with_records(), {}
        if functions is not None and rows is not None:
            functions, rows = _with_rows(functions, rows), None
        if rows is not None:
            kinds["sequence"] = _rows_sort(rows, names)
        for fields in records.values():
            record = {name: fields[name].sort(names) for name in names.order.sorted(fields)}
            tag = "record" if len(records) == 1 else tag_of_fields(record)
            while tag in kinds:  # as of [a_b : S] beside [a : S, b : S]
                tag += "_"
            kinds[tag] = Record(**record)
        if functions is not None:
            kinds["function"] = _function_sort(functions, names)
        return kinds

    def _with_records(self) -> Functions:
        made = Functions(partial=True)
        if self.functions is not None:
            both = Shape(functions=made)
            both.merge(Shape(functions=self.functions))
        for fields in self.records.values():
            made.domains.add(frozenset(fields))
            for name, shape in fields.items():
                made.keys.add(name)
                made.results.merge(shape)
        return made

    def _scalars(self, names: Names) -> dict[str, Sort]:
        kinds: dict[str, Sort] = {}
        for companions in names.companions:
            if any(word in self.words for word in companions):
                self.words |= dict.fromkeys(companions)
        plain: list[Value] = [w for w in self.words if isinstance(w, ModelValue)]
        plain += [w for w in self.words if isinstance(w, str)]
        plain.sort(key=lambda word: (isinstance(word, str), names.order.rank(_name(word))))
        words = [names.word(word) for word in plain]
        if words and self.ints and len(self.ints) <= _MOST_MIXED:
            kinds["word"] = Listed(*words, *sorted(self.ints))
            return kinds
        if self.ints:
            kinds["number"] = integers(self.ints)
        if words:
            kinds["word"] = Listed(*words)
        return kinds


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


NOTHING = Range(1, 0)
"""The sort of what was never seen: the elements of a set that is always empty."""


def _name(word: Value) -> str:
    return word.name if isinstance(word, ModelValue) else str(word)


def integers(values: Iterable[int]) -> Sort:
    """Integers that lie close together as a range, others listed."""
    found = sorted(values)
    low, high = found[0], found[-1]
    if high - low + 1 <= 2 * len(found) + 8:
        return Range(low, high)
    return Listed(*found)


def _rows_sort(rows: Rows, names: Names) -> Sort:
    if len(rows.lengths) == 1:
        return Tuple(*(shape.sort(names) for shape in rows.items))
    element = Shape()
    for shape in rows.items:
        element.merge(shape)
    return Sequence(element.sort(names), max(rows.lengths))


def _with_rows(functions: Functions, rows: Rows) -> Functions:
    made = Functions(set(functions.domains), partial=functions.partial)
    made.keys.merge(functions.keys)
    made.results.merge(functions.results)
    for length in rows.lengths:
        made.domains.add(frozenset(range(1, length + 1)))
    for number, shape in enumerate(rows.items, 1):
        made.keys.add(number)
        made.results.merge(shape)
    return made


def _function_sort(functions: Functions, names: Names) -> Sort:
    keys, results = functions.keys.key_sort(names), functions.results.sort(names)
    if len(functions.domains) == 1 and not functions.partial:
        (domain,) = functions.domains
        exact = exact_sort(domain, names)
        if exact is not None:
            return Function(exact, results)
    return PartialFunction(keys, results)


def exact_sort(domain: frozenset[Value], names: Names) -> Sort | None:
    """The sort with exactly these values; None if no sort has them."""
    shape = Shape()
    for key in domain:
        shape.add(key)
    if not domain:
        return None
    if shape.ints and not (shape.words or shape.truths or shape.rows or shape.sets):
        found = sorted(shape.ints)
        if len(found) == len(domain):
            return Range(found[0], found[-1]) if found[-1] - found[0] + 1 == len(found) else Listed(*found)
    try:
        sort = shape.sort(names)
    except NoValue:
        return None
    return sort if sort.size == len(domain) else None


__all__ = [
    "MOST_LISTED",
    "NOTHING",
    "NoShape",
    "Shape",
    "exact_sort",
]
