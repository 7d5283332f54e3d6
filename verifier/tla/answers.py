"""The answers of TLCGet about the search.

Source: ``tlc2.module.TLCGetSet`` (tlaplus/tlaplus).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from verifier.tla.extensions import EXIT, LEVEL_OF_NEXT
from verifier.tla.tlc_ext import COUNTEREXAMPLE, TRACE
from verifier.tla.value_types import Fn, NoValue, Value, boolean

if TYPE_CHECKING:
    from verifier.tla.exploration_result import State
    from verifier.tla.search_state import SearchState


def as_trace(names: Sequence[str], states: Iterable[State]) -> Value:
    """Return states as TLC's records of the variables."""
    return tuple(Fn(dict(zip(names, state, strict=True))) for state in states)


def answers(search: SearchState) -> dict[str, Callable[[], Value]]:
    """Return the answers, by the key that TLCGet is given."""
    numbers: dict[str, Callable[[], Value]] = {
        "diameter": lambda: search.level + 1 + max(search.ahead, search.count > search.end > 0, 0),
        "distinct": lambda: search.result.distinct,
        "duration": lambda: int(time.monotonic() - search.began),
        "generated": lambda: search.result.generated,
        "queue": lambda: search.count - search.current - 1,
    }

    def configuration() -> Value:
        known = {"mode": "bfs", "worker": 1, "depth": -1, "seed": "0", "traces": -1}
        return Fn({**known, "deadlock": boolean(search.looks_for_deadlocks)})

    def statistics() -> Value:
        fields = {name: number() for name, number in numbers.items()}
        return Fn({**fields, "initial": search.result.initial, "worker": 0})

    def trace() -> Value:
        """Return the states up to the one that is being checked."""
        if search.ahead < 0:
            raise NoValue("Trace has no value before there is a state")
        before = search.known.path(search.current)
        last = [] if before and not search.ahead else [tuple(search.evaluator.now)]
        return as_trace(search.names, [*before, *last])

    def no_counterexample() -> Value:
        """Return TRUE if the search has found no violation. Before its end, TLC knows none.

        Raises NoValue at the end of a search that leaves temporal properties open: they may be violated.
        """
        lasting = [name for name, one in search.specification.properties.items() if one.liveness]
        if search.result.complete and lasting:
            words = f"CounterExample may be that of {', '.join(lasting)}"
            raise NoValue(f"{words}, which exploration does not decide")
        return boolean(not (search.result.complete and search.result.violations))

    def registers() -> Value:
        """Return the registers of the only worker."""
        known = search.evaluator.registers.items()
        return Fn({name: (value,) for name, value in known if isinstance(name, str) and name != EXIT})

    level = {
        "level": lambda: search.level + 1 + search.ahead,
        LEVEL_OF_NEXT: lambda: search.level + 1 + search.ahead + (search.ahead >= 0),
    }
    whole = {"config": configuration, "stats": statistics, "all:named": registers, TRACE: trace}
    whole[COUNTEREXAMPLE] = no_counterexample
    return {**numbers, **level, **whole}
