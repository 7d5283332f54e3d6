"""What TLCGet answers of the search."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from verifier.tla.extensions import LEVEL_OF_NEXT
from verifier.tla.values import Fn, Value, boolean

if TYPE_CHECKING:
    from verifier.tla.explorer import Explorer


def answers(search: Explorer) -> dict[str, Callable[[], Value]]:
    """By what is asked for."""
    numbers: dict[str, Callable[[], Value]] = {
        "diameter": lambda: search.level + 1 + max(search.ahead, 0),
        "distinct": lambda: search.found.distinct,
        "duration": lambda: int(time.monotonic() - search.began),
        "generated": lambda: search.found.generated,
        "queue": lambda: search.count - search.current - 1,
    }

    def configuration() -> Value:
        known = {"mode": "bfs", "worker": 1, "depth": -1, "seed": "0", "traces": -1}
        return Fn({**known, "deadlock": boolean(search.looks_for_deadlocks)})

    def statistics() -> Value:
        found = {name: number() for name, number in numbers.items()}
        return Fn({**found, "initial": search.found.initial, "worker": 0})

    level = {
        "level": lambda: search.level + 1 + search.ahead,
        LEVEL_OF_NEXT: lambda: search.level + 1 + search.ahead + (search.ahead >= 0),
    }
    return {**numbers, **level, "config": configuration, "stats": statistics}
