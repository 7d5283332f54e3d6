"""The contents of a state, and the changes between two states, as entries for the table of a trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Sequence as PythonSequence
from dataclasses import dataclass
from typing import Any

from verifier.encodings.concrete import Concrete, FrozenMap
from verifier.encodings.sorts import (
    Bag,
    Boolean,
    Function,
    Option,
    PartialFunction,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
    Variant,
)
from verifier.encodings.terms import Symbol
from verifier.text.deltas import delta, is_brief, of_bags
from verifier.text.notation import PLAIN, Notation

_ABSENT = "–"


@dataclass(frozen=True)
class Entry:
    """One line of a trace: a place in the state, and the value there.

    ``lane`` is the lane to which the place belongs; None if it belongs to no lane.
    """

    lane: Concrete | None
    path: str
    parts: tuple[str, ...]
    """The value; for a change the old and the new value."""
    parent: str = ""
    """The path of the record, if the place is a field of a record."""


@dataclass(frozen=True)
class _Place:
    """A place in the state, reached from a variable on the way to its parts."""

    path: str
    lane: Concrete | None = None
    keyed: bool = False
    """True if the path has a key already. Only the first key of a path decides about the lane."""
    parent: str = ""
    """The path of the record, if the place is a field of a record."""

    def entry(self, *parts: str) -> Entry:
        """The entry for this place."""
        return Entry(self.lane, self.path, parts, self.parent)


def changes(
    variables: PythonSequence[Symbol],
    before: Mapping[str, Concrete],
    after: Mapping[str, Concrete],
    lanes: Sort | None,
    first_index: int = 0,
    notation: Notation = PLAIN,
) -> list[Entry]:
    """The differences of ``after`` from ``before``, in the order of the variables."""
    differ = _Differ(lanes, first_index, notation)
    return [
        entry
        for symbol in variables
        for entry in differ.entries(symbol.sort, before[symbol.name], after[symbol.name], _Place(symbol.name))
    ]


def contents(
    variables: PythonSequence[Symbol],
    state: Mapping[str, Concrete],
    lanes: Sort | None,
    *,
    brief: bool,
    notation: Notation = PLAIN,
) -> list[Entry]:
    """The contents of a state. With ``brief``, a value that all lanes share is written once."""
    lister = _Lister(lanes, brief, notation)
    return [
        entry
        for symbol in variables
        for entry in lister.entries(symbol.sort, state[symbol.name], _Place(symbol.name))
    ]


def lane_of(path_sort: Sort, lanes: Sort | None) -> bool:
    """True if a function's keys are the lanes."""
    functions = (Function, PartialFunction)
    return lanes is not None and isinstance(path_sort, functions) and path_sort.domain == lanes


def _below(place: _Place, sort: Sort, key: Concrete, lanes: Sort | None, notation: Notation) -> _Place:
    decides = not place.keyed and lane_of(sort, lanes)
    return _Place(f"{place.path}[{notation.show(key)}]", key if decides else place.lane, True)


@dataclass(frozen=True)
class _Lister:
    """Lists the parts of a value."""

    lanes: Sort | None
    brief: bool
    notation: Notation

    def entries(self, sort: Sort, value: Any, place: _Place) -> Iterator[Entry]:
        """The contents of a place."""
        has_lanes = not place.keyed and lane_of(sort, self.lanes)
        if isinstance(sort, Function) and has_lanes:
            if self.brief and _uniform(value):
                yield place.entry(self._compact(sort, value))
                return
            for key, item in value.items():
                below = _below(place, sort, key, self.lanes, self.notation)
                yield below.entry(self._show(sort.range, item))
        elif isinstance(sort, Record) and not place.keyed and self._has_lanes(sort):
            for name, part in sort.fields:
                yield from self.entries(part, value[name], _Place(f"{place.path}.{name}"))
        else:
            yield place.entry(self._show(sort, value))

    def _has_lanes(self, sort: Record) -> bool:
        return any(lane_of(part, self.lanes) for _, part in sort.fields)

    def _show(self, sort: Sort, value: Any) -> str:
        return self._compact(sort, value) if self.brief else self.notation.show(value)

    def _compact(self, sort: Sort, value: Any) -> str:
        """A value as text. A function with the same value for all keys is written ``all 0``."""
        match sort:
            case Function() if len(value) > 1 and _uniform(value):
                return f"all {self._compact(sort.range, next(iter(value.values()))).removeprefix('all ')}"
            case Record():
                fields = ((name, self._compact(part, value[name])) for name, part in sort.fields)
                return self.notation.show_record(fields)
            case Option() if value is not None:
                return self._compact(sort.inner, value)
        return self.notation.show(value)


def _uniform(value: FrozenMap) -> bool:
    return len(set(value.values())) == 1


@dataclass(frozen=True)
class _Differ:
    """Finds the parts of a value that changed, if they are shorter than the whole value."""

    lanes: Sort | None
    first_index: int
    """The first place of sequences and tuples."""
    notation: Notation

    def entries(self, sort: Sort, old: Any, new: Any, place: _Place) -> Iterator[Entry]:
        """The changes at a place."""
        if old == new:
            return
        match sort:
            case _ if sort.is_scalar or isinstance(sort, Boolean):
                yield self._whole(old, new, place)
            case Option() if old is not None and new is not None:
                yield from self.entries(sort.inner, old, new, place)
            case Record() if not self._better_whole(sort, old, new):
                for name, part in sort.fields:
                    inner = _Place(f"{place.path}.{name}", place.lane, place.keyed, place.path)
                    yield from self.entries(part, old[name], new[name], inner)
            case Function():
                for key in sort.domain.each():
                    yield from self.entries(
                        sort.range, old[key], new[key], _below(place, sort, key, self.lanes, self.notation)
                    )
            case Bag():
                yield place.entry(of_bags(old, new, self.notation.show))
            case Tuple() | Variant() | PartialFunction():
                yield from self._compound(sort, old, new, place)
            case Set() if not self._short(old, new):
                yield place.entry(delta(old, new, self.notation.show))
            case Sequence():
                yield from self._sequence(sort, old, new, place)
            case _:
                yield self._whole(old, new, place)

    def _whole(self, old: Concrete, new: Concrete, place: _Place) -> Entry:
        return place.entry(self.notation.show(old), self.notation.show(new))

    def _short(self, old: Concrete, new: Concrete) -> bool:
        return is_brief(self.notation.show(old), self.notation.show(new))

    def _better_whole(self, sort: Record, old: Any, new: Any) -> bool:
        """True if most fields of a small record changed."""
        flat = all(part.is_scalar or isinstance(part, Boolean | Set) for _, part in sort.fields)
        changed = sum(old[name] != new[name] for name in sort.field_sorts)
        return flat and 2 * changed > len(sort.fields) and self._short(old, new)

    def _compound(self, sort: Sort, old: Any, new: Any, place: _Place) -> Iterator[Entry]:
        match sort:
            case Tuple():
                for index, part in enumerate(sort.items):
                    inner = _Place(f"{place.path}[{index + self.first_index}]", place.lane, True)
                    yield from self.entries(part, old[index], new[index], inner)
            case Variant() if old.tag == new.tag:
                inner = _Place(f"{place.path}.{old.tag}", place.lane, place.keyed, place.path)
                yield from self.entries(sort.payload(old.tag), old.payload, new.payload, inner)
            case PartialFunction():
                yield from self._partial(sort, old, new, place)
            case _:
                yield self._whole(old, new, place)

    def _partial(self, sort: PartialFunction, old: Any, new: Any, place: _Place) -> Iterator[Entry]:
        apart = not place.keyed and lane_of(sort, self.lanes)
        for key in sort.domain.each() if apart else (key for key in old if key in new):
            below = _below(place, sort, key, self.lanes, self.notation)
            if key in old and key in new:
                yield from self.entries(sort.range, old[key], new[key], below)
            elif key in old or key in new:
                show = self.notation.show
                yield below.entry(*(show(held[key]) if key in held else _ABSENT for held in (old, new)))
        if not apart and set(old) != set(new):
            same = FrozenMap((key, new.get(key, item)) for key, item in old.items())
            yield place.entry(delta(same, new, self.notation.show))

    def _sequence(self, sort: Sequence, old: Any, new: Any, place: _Place) -> Iterator[Entry]:
        if words := delta(old, new, self.notation.show):
            yield place.entry(words)
        elif len(old) != len(new):
            yield self._whole(old, new, place)
        else:
            for index, (was, now) in enumerate(zip(old, new, strict=True)):
                inner = _Place(f"{place.path}[{index + self.first_index}]", place.lane, True)
                yield from self.entries(sort.element, was, now, inner)
