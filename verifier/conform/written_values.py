"""Values that a log writes, as conditions on the bits of a state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from verifier.conform.coding import Coding, NotSymbolic
from verifier.conform.machine import Machine
from verifier.conform.mapping import Target
from verifier.conform.protocols import concrete
from verifier.encodings.concrete import Concrete
from verifier.encodings.layout import Layout, Part, Place
from verifier.encodings.plain_terms import values_of
from verifier.encodings.sorts import Function, Record, Set, Sort, Tuple
from verifier.encodings.sorts import Sequence as SequenceSort

MOST_VALUES = 20_000
"""The most values of a part of a variable that are compared with what a log writes."""
Cube: TypeAlias = list[int]


class WrittenValues:
    """Finds the values of a part of a state that agree with what a log writes."""

    def __init__(self, machine: Machine, coding: Coding, layout: Layout) -> None:
        self._machine, self._coding, self._layout = machine, coding, layout

    def cubes(self, target: Target, keys: Sequence[Any], written: Any) -> Iterator[list[Cube]]:
        """Yield conditions on a state that together say that a part of it is what a log writes: each is a
        list of alternatives, and each of these a list of literals."""
        sort: Sort = self._layout.sorts[target.variable]
        path: tuple[Any, ...] = ()
        for number, key in enumerate(keys):
            if not isinstance(sort, Function | Record | Tuple):
                yield self._list_cubes(target.variable, path, sort, keys[number:], written)
                return
            parts = [(step, part) for step, own, part in self._parts(sort) if self._machine.agrees(own, key)]
            if not parts:
                yield []
                return
            if len(parts) > 1:
                raise NotSymbolic
            path, sort = (*path, parts[0][0]), parts[0][1]
        yield from self._agreeing(target.variable, path, sort, written)

    def _agreeing(
        self, variable: str, path: tuple[Any, ...], sort: Sort, written: Any
    ) -> Iterator[list[Cube]]:
        if sort.size <= MOST_VALUES:
            yield self._list_cubes(variable, path, sort, (), written)
            return
        if isinstance(written, list) and isinstance(sort, Set | SequenceSort):
            value = self._find_value(sort, written)
            yield [] if value is None else [self._cube(variable, path, value)]
            return
        if not isinstance(written, dict) or not {"#map", "tag"}.isdisjoint(written):
            raise NotSymbolic
        parts = {str(own): (step, part) for step, own, part in self._parts(sort)}
        if parts.keys() != written.keys():
            yield []
        for name, (step, part) in parts.items():
            if name in written:
                yield from self._agreeing(variable, (*path, step), part, written[name])

    def _find_value(self, sort: Set[Any] | SequenceSort[Any], written: list[Any]) -> Concrete | None:
        """Return the set or sequence that a log writes; None if the sort has none. Raises NotSymbolic if an
        item may stand for several values."""
        if sort.element.size > MOST_VALUES:
            raise NotSymbolic
        values = [
            (one, self._coding.decode(one, sort.element)) for one in map(concrete, values_of(sort.element))
        ]
        items = []
        for item in written:
            matches = [one for one, own in values if self._machine.agrees(own, item)]
            if len(matches) > 1:
                raise NotSymbolic
            items += matches
        if len(items) < len(written):
            return None
        if isinstance(sort, Set):
            return frozenset(items) if len(set(items)) == len(items) else None
        return tuple(items) if len(items) <= sort.capacity else None

    def _list_cubes(
        self, variable: str, path: tuple[Any, ...], sort: Sort, keys: Sequence[Any], written: Any
    ) -> list[Cube]:
        """Return the values of a part of a variable that agree with what a log writes at some keys in it."""
        if sort.size > MOST_VALUES:
            raise NotSymbolic
        values = map(concrete, values_of(sort))
        agreeing = (one for one in values if self._agrees_at(self._coding.decode(one, sort), keys, written))
        return [self._cube(variable, path, value) for value in agreeing]

    def _agrees_at(self, value: Any, keys: Sequence[Any], written: Any) -> bool:
        try:
            for key in keys:
                value = self._machine.part(value, key)
        except KeyError:
            return False
        return self._machine.agrees(value, written)

    def _parts(self, sort: Sort) -> Iterator[tuple[Any, Any, Sort]]:
        """Yield the parts of a function, record or tuple: the step to it, its key, and its sort. Raises
        NotSymbolic."""
        match sort:
            case Function():
                for key in sort.domain.each():
                    yield key, self._coding.decode(key, sort.domain), sort.range
            case Record():
                yield from ((name, name, part) for name, part in sort.fields)
            case Tuple():
                for number, part in enumerate(sort.items):
                    yield Place(number), number + self._coding.first_index, part
            case _:
                raise NotSymbolic

    def _cube(self, variable: str, path: tuple[Any, ...], value: Any) -> Cube:
        """Return the literals that say that a part of a variable has a value."""
        return make_cube(self._layout, variable, path, value)


def make_cube(layout: Layout, variable: str, path: tuple[Any, ...], value: Any) -> Cube:
    """Return the literals that say that a part of a variable has a value. Bit 0 is literal 1."""
    state: dict[str, Any] = {name: sort.default for name, sort in layout.sorts.items()}
    state[variable] = _put(state[variable], path, value)
    bits, wanted, literals, place = layout.encode_state(state), (variable, *path), list[int](), 0
    for leaf in layout.leaves:
        where = tuple(step.name if isinstance(step, Part) else step for step in leaf.path[: len(wanted)])
        for _ in leaf.bits:
            place += 1
            if where == wanted:
                literals.append(place if bits[place - 1] else -place)
    return literals


def _put(whole: Any, path: Sequence[Any], value: Any) -> Any:
    """Return a value with another one at the end of a path."""
    if not path:
        return value
    if isinstance(whole, tuple):
        at = path[0]
        return (*whole[:at], _put(whole[at], path[1:], value), *whole[at + 1 :])
    return whole.updated(path[0], _put(whole[path[0]], path[1:], value))
