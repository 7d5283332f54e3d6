"""The remembered values of one definition."""

from __future__ import annotations

from typing import Any

from verifier.tla.values import LazySet

_MOST = 20_000
_MOST_SETS = 500
"""The limit of remembered values that are lazy sets, each of which may remember its members."""
_TRIED = 1_000
_WORTH_IT = 0.3
"""The share of calls whose values must be known."""


class Memory:
    """The remembered values of one definition, for all places of call."""

    __slots__ = ("answered", "calls", "latest", "pays", "table")

    def __init__(self) -> None:
        self.table: dict[Any, Any] = {}
        self.latest: dict[bool, list[str]] = {}
        """The names of its last value and of the objects that it depends on; True: in the next state."""
        self.calls = self.answered = 0
        self.pays = True
        """True while enough calls are known. Once it is False, nothing is looked up."""

    def keep(self, key: Any, value: Any) -> None:
        """Remember a new value."""
        self.calls += 1
        if self.calls > _TRIED and self.answered < self.calls * _WORTH_IT:
            self.pays = False
            self.table.clear()
            return
        if len(self.table) >= (_MOST_SETS if isinstance(value, LazySet) else _MOST):
            self.table.clear()
        self.table[key] = value
