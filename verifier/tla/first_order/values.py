"""Values of the interpreter as plain values of the protocol, and back, by their kinds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from verifier.encodings.plain_terms import Map as PlainMap
from verifier.encodings.plain_terms import values_of
from verifier.tla.first_order.constants import Constants
from verifier.tla.first_order.kinds import (
    Fields,
    Kind,
    Map,
    Member,
    Optional,
    Pair,
    SetOf,
    Sorts,
    Truth,
    Whole,
    Word,
)
from verifier.tla.value_types import FALSE, TRUE, Fn, Value, boolean, function


class Outside(Exception):
    """Raised for a value that is none of its kind."""


def find_integers(value: Value, kind: Kind) -> Iterator[tuple[int, Whole]]:
    """Yield the integers in a value of a kind, each with its own kind. Values of other kinds have none."""
    match kind:
        case Whole() if type(value) is int:
            yield value, kind
        case Optional(inner=inner):
            yield from find_integers(value, inner)
        case SetOf(element=Kind() as element) if isinstance(value, frozenset):
            for one in value:
                yield from find_integers(one, element)
        case Pair(items) if isinstance(value, tuple):
            for one, item in zip(value, items, strict=False):
                yield from find_integers(one, item)
        case Fields(parts) if isinstance(value, dict):
            for part in parts:
                if part.name in value:
                    yield from find_integers(value[part.name], part.kind)
        case Map(domain, range_):
            given = dict(enumerate(value, 1)) if isinstance(value, tuple) else value
            for key, item in given.items() if isinstance(given, dict) else ():
                yield from find_integers(key, domain)
                yield from find_integers(item, range_)


class Translator:
    """Values at the constants of one configuration."""

    def __init__(self, constants: Constants, sorts: Sorts) -> None:
        self.constants, self.sorts = constants, sorts
        self._elements: dict[str, dict[Value, Any]] = {}
        self._values: dict[str, dict[Any, Value]] = {}
        for name, given in constants.sets.items():
            own = list(sorts.members[name].values())
            self._elements[name] = dict(zip(given, own, strict=True))
            self._values[name] = dict(zip(own, given, strict=True))

    def encode_families(self) -> dict[str, Any]:
        """Return the values of the families' state variables by name."""
        families = {}
        for name, family in self.constants.families.items():
            sets = {
                element: self.encode(value, family.kind.range)
                for value, element in self._elements[name].items()
            }
            families[family.variable] = PlainMap(sets)
        return families

    def encode(self, value: Value, kind: Kind) -> Any:
        """Return a value of the interpreter as one of the protocol. Raises Outside."""
        match kind:
            case Truth() if value is TRUE or value is FALSE:
                return value is TRUE
            case Whole() if type(value) is int:
                return value
            case Word():
                return self._word(value)
            case Member(constant) if not isinstance(value, PlainMap) and value in self._elements[constant]:
                return self._elements[constant][value]
            case Optional(inner, absent):
                return None if self._is_absent(value, absent) else self.encode(value, inner)
            case SetOf(element) if isinstance(value, frozenset) and element is not None:
                return frozenset(self.encode(one, element) for one in value)
            case Pair(items) if isinstance(value, tuple) and len(value) == len(items):
                return tuple(self.encode(one, item) for one, item in zip(value, items, strict=True))
            case Fields():
                return self._encode_record(value, kind)
            case Map(domain, range_):
                given = dict(enumerate(value, 1)) if isinstance(value, tuple) else value
                if isinstance(given, dict):
                    entries = {self.encode(k, domain): self.encode(v, range_) for k, v in given.items()}
                    if set(entries) == set(values_of(domain.sort(self.sorts))):
                        return PlainMap(entries)
        raise Outside(f"{value!r} is not a value of its sort, {kind}")

    def _encode_record(self, value: Value, kind: Fields) -> Any:
        if not isinstance(value, Fn) or not all(kind.part(name) for name in value if isinstance(name, str)):
            raise Outside(f"{value!r} is not one of: {kind}")
        fields = {}
        for part in kind.parts:
            if part.name in value:
                fields[part.name] = self.encode(value[part.name], part.kind)
            elif part.may_lack:
                fields[part.name] = None
            else:
                raise Outside(f"{value!r} is not one of: {kind}")
        if len(value) > sum(part.name in value for part in kind.parts):
            raise Outside(f"{value!r} is not one of: {kind}")
        return PlainMap(fields)

    def _word(self, value: Value) -> str:
        for word in () if self.sorts.words is None else self.sorts.words.members:
            if self._value_of(str(word)) == value:
                return str(word)
        raise Outside(f"{value!r} is not a word of the module")

    def _value_of(self, word: str) -> Value:
        return self.constants.atoms.get(word, word)

    def _is_absent(self, value: Value, absent: str | int) -> bool:
        """True if a value is the one that stands for none."""
        if isinstance(absent, int):
            return type(value) is int and value == absent
        return bool(value == self._value_of(absent))

    def decode(self, value: Any, kind: Kind) -> Value:
        """Return a plain value of the protocol as one of the interpreter."""
        match kind:
            case Truth():
                return boolean(value)
            case Whole():
                return value
            case Word():
                return self._value_of(value)
            case Member(constant):
                return self._values[constant][value]
            case Optional(inner, absent):
                if value is None:
                    return absent if isinstance(absent, int) else self._value_of(absent)
                return self.decode(value, inner)
            case SetOf(element):
                assert element is not None
                return frozenset(self.decode(one, element) for one in value)
            case Pair(items):
                return tuple(self.decode(one, item) for one, item in zip(value, items, strict=True))
            case Fields(parts):
                held = (part for part in parts if not (part.may_lack and value[part.name] is None))
                return function({part.name: self.decode(value[part.name], part.kind) for part in held})
            case Map(domain, range_):
                return function({self.decode(k, domain): self.decode(v, range_) for k, v in value.items()})
        raise AssertionError(kind)
