"""Concrete values: the values in the states of a trace.

Every sort has ordinary, hashable Python values: ``bool``, ``int``, ``str`` (enumeration members),
``None`` (the empty option), ``frozenset``, ``tuple``; and, defined here, ``Element`` for index sets,
``Tagged`` for variants and a hashable mapping for records, functions and bags.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias, final

Concrete: TypeAlias = Hashable
"""A concrete value of some sort. Two values are the same exactly when they compare equal."""


@final
class Element:
    """An element of an index set, identified by the set and the element's number, which starts at 1.

    ``element`` makes one object for each element. So elements are compared by identity, never by name.
    """

    __slots__ = ("count", "kind", "name", "number", "prefix")

    def __init__(self, kind: str, count: int, prefix: str, number: int) -> None:
        self.kind = kind
        self.count = count
        self.prefix = prefix
        self.number = number
        apart = "_" if prefix[-1:].isdigit() or prefix.endswith("_") else ""
        self.name = f"{prefix}{apart}{number}"

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return element, (self.kind, self.count, self.prefix, self.number)


@cache
def element(kind: str, count: int, prefix: str, number: int) -> Element:
    """The element with this number in the index set of ``count`` elements of one kind."""
    # Equal integers have one element: it must not know what one of them was computed from.
    return Element(kind, int(count), prefix, int(number))


@final
@dataclass(frozen=True)
class Tagged:
    """A value of a variant. A tag without payload holds the empty tuple."""

    tag: str
    payload: Concrete = ()


class FrozenMap(Mapping[Any, Any]):
    """An immutable, hashable mapping that keeps the order in which it was built.

    Equality and hash ignore that order, as for ``dict``.
    """

    __slots__ = ("_hash", "_items")

    def __init__(self, items: Mapping[Any, Any] | Iterable[tuple[Any, Any]] = ()) -> None:
        self._items = dict(items)
        self._hash: int | None = None

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._items.items()))
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, FrozenMap):
            return self._items == other._items
        return isinstance(other, Mapping) and self._items == dict(other)

    def __repr__(self) -> str:
        return f"FrozenMap({self._items!r})"

    def updated(self, key: Any, value: Any) -> FrozenMap:
        """The mapping with ``key`` mapped to ``value``."""
        return FrozenMap({**self._items, key: value})


def elements_of(value: Concrete) -> Iterator[Element]:
    """The elements in a value, in the order in which it is shown."""
    match value:
        case Element():
            yield value
        case frozenset():
            for item in sorted(value, key=_order):
                yield from elements_of(item)
        case tuple():
            for item in value:
                yield from elements_of(item)
        case Tagged():
            yield from elements_of(value.payload)
        case FrozenMap():
            for key, item in value.items():
                yield from elements_of(key)
                yield from elements_of(item)


def with_elements(value: Concrete, renaming: Mapping[Element, Concrete]) -> Concrete:
    """The value with elements replaced by others, or by what stands for them."""
    match value:
        case Element():
            return renaming.get(value, value)
        case frozenset():
            return frozenset(with_elements(item, renaming) for item in value)
        case tuple():
            return tuple(with_elements(item, renaming) for item in value)
        case Tagged():
            return Tagged(value.tag, with_elements(value.payload, renaming))
        case FrozenMap():
            pairs = value.items()
            return FrozenMap((with_elements(k, renaming), with_elements(v, renaming)) for k, v in pairs)
    return value


_PLAIN = re.compile(r"\w[\w .+/-]*")
_QUOTED = re.compile(r'"\w[\w .+/-]*"')
"""Also shown as it is: quoting the plain word within gives no text of its own."""


def show(value: Concrete) -> str:
    """A concrete value as text: ``(id 1, epoch 2)``, ``{r1, r3}``, ``–`` for none.

    Two values of one sort have different texts. For that, words with unusual characters are quoted.
    """
    match value:
        case None:
            return "–"
        case bool():
            return "true" if value else "false"
        case frozenset():
            return "{" + ", ".join(show(item) for item in sorted(value, key=_order)) + "}"
        case tuple():
            return "⟨" + ", ".join(show(item) for item in value) + "⟩"
        case Tagged():
            return _show_tagged(value)
        case FrozenMap():
            if all(isinstance(key, str) and key.isidentifier() for key in value):
                return "(" + ", ".join(f"{key} {show(item)}" for key, item in value.items()) + ")"
            return "(" + ", ".join(f"{show(key)}: {show(item)}" for key, item in value.items()) + ")"
        case str():
            plain = _PLAIN.fullmatch(value) or _QUOTED.fullmatch(value)
            return value if plain else json.dumps(value, ensure_ascii=False)
        case _:
            return str(value)


def tag_of_fields(fields: Iterable[str]) -> str:
    """The tag of records that have these fields and no name."""
    return "with_" + "_".join(fields)


def _show_tagged(value: Tagged) -> str:
    """``vote(epoch 2)``, ``count(3)``, and ``stop`` for a tag without payload. A tag that only lists the
    fields of a record, as the translation of TLA+ calls records without a name, is left out."""
    if value.payload == ():
        return value.tag
    if isinstance(value.payload, FrozenMap) and value.tag == tag_of_fields(map(str, value.payload)):
        return show(value.payload)
    shown = show(value.payload)
    return value.tag + (shown if isinstance(value.payload, FrozenMap) else f"({shown})")


def show_constants(constants: Mapping[str, Any]) -> str:
    """``replicas=3, log_size=2``; a text as it was given, without quotes around it."""
    shown = {name: value if isinstance(value, str) else show(value) for name, value in constants.items()}
    return ", ".join(f"{name}={value}" for name, value in shown.items())


def _order(value: Concrete) -> tuple[str, Any]:
    if isinstance(value, (bool, int)):
        return ("", value)
    if isinstance(value, Element):
        return ("Element", (value.kind, value.count, value.prefix, value.number))
    return (type(value).__name__, show(value))
