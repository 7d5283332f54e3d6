"""Takes the states of a trace apart into places: paths such as ``log[r1].epoch``, each with its value."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from verifier.encodings.concrete import Concrete
from verifier.report.itf_values import is_record
from verifier.report.notation import Notation

_EMPTY: tuple[Any, ...] = ([], {"#tup": []})


@dataclass(frozen=True)
class Places:
    """Splits values into their parts."""

    notation: Notation
    functions: frozenset[str] = frozenset()
    """Paths of records and sequences that are functions of participants."""

    def flat(
        self, path: str, data: Any, whole: Collection[str] = (), of_lanes: Collection[str] = ()
    ) -> Iterator[tuple[str, Concrete]]:
        """The places under a path with their values.

        Functions and records are taken apart, except at the paths in ``whole``. A function in ``of_lanes``
        has no place of its own, even without keys.
        """
        if path in whole:
            yield path, self.notation.read(data)
            return
        pairs = self._pairs(path, data)
        if path in of_lanes and data in _EMPTY:  # a module writes a function without keys as <<>>
            pairs = []
        if pairs is not None and (pairs or path in of_lanes):
            for key, item in pairs:
                yield from self.flat(f"{path}[{self.notation.show(key)}]", item, whole, of_lanes)
            return
        match data:
            case {"tag": "Some", "value": dict() as inner} if not self.notation.is_tla:
                yield from self.flat(path, inner, whole, of_lanes)
            case dict() if self._is_record(data):
                for name, item in data.items():
                    yield from self.flat(f"{path}.{name}", item, whole, of_lanes)
            case _:
                yield path, self.notation.read(data)

    def maps_in(self, path: str, data: Any) -> Iterator[tuple[str, set[str]]]:
        """The paths of the functions under a path, each with its keys as text."""
        pairs = self._pairs(path, data)
        if pairs is not None:
            keys = [self.notation.show(key) for key, _ in pairs]
            yield path, set(keys)
            for key, (_, item) in zip(keys, pairs, strict=True):
                yield from self.maps_in(f"{path}[{key}]", item)
            return
        match data:
            case {"tag": "Some", "value": dict() as inner} if not self.notation.is_tla:
                yield from self.maps_in(path, inner)
            case dict() if self._is_record(data):
                for name, item in data.items():
                    yield from self.maps_in(f"{path}.{name}", item)

    def _pairs(self, path: str, data: Any) -> list[tuple[Any, Any]] | None:
        """The keys of a function with their values; None of anything else."""
        match data:
            case {"#map": pairs}:
                return [(key, item) for key, item in pairs]
            case dict() if path in self.functions and self._is_record(data):
                return list(data.items())
            case list() if path in self.functions:
                return list(enumerate(data, 1))
            case {"#tup": items} if path in self.functions:
                return list(enumerate(items, 1))
        return None

    def _is_record(self, data: Any) -> bool:
        if self.notation.is_tla:
            return bool(data) and not any(str(name).startswith("#") for name in data)
        return is_record(data)
