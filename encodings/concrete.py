"""Concrete values: what the states of a trace are made of.

Every sort has ordinary, hashable Python values: ``bool``, ``int``, ``str`` (enumeration members and
index elements), ``None`` (the empty option), ``frozenset``, ``tuple`` and, for records, functions and
bags, the hashable mapping defined here.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

Concrete: TypeAlias = Hashable
"""A concrete value of some sort. Two values are the same exactly when they compare equal."""


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
        return isinstance(other, Mapping) and self._items == dict(other)

    def __repr__(self) -> str:
        return f"FrozenMap({self._items!r})"

    def updated(self, key: Any, value: Any) -> FrozenMap:
        """The same mapping with ``key`` mapped to ``value``."""
        return FrozenMap({**self._items, key: value})


def show(value: Concrete) -> str:
    """A concrete value as a reader wants to see it: ``(id 1, epoch 2)``, ``{r1, r3}``, ``–`` for none."""
    match value:
        case None:
            return "–"
        case bool():
            return "true" if value else "false"
        case frozenset():
            return "{" + ", ".join(show(item) for item in sorted(value, key=_order)) + "}"
        case tuple():
            return "⟨" + ", ".join(show(item) for item in value) + "⟩"
        case FrozenMap():
            if all(isinstance(key, str) and key.isidentifier() for key in value):
                return "(" + ", ".join(f"{key} {show(item)}" for key, item in value.items()) + ")"
            return "(" + ", ".join(f"{show(key)}: {show(item)}" for key, item in value.items()) + ")"
        case _:
            return str(value)


def _order(value: Concrete) -> tuple[str, Any]:
    if isinstance(value, (bool, int)):
        return ("", value)
    return (type(value).__name__, show(value))
