"""Short explorations of a module for violations of a few properties."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress

from verifier.processes.limits import Interrupted
from verifier.tla.explorer import Explorer
from verifier.tla.frames import Undefined
from verifier.tla.specification import Specification

_MOST_STATES = 20_000
"""The limit of states."""


def explore_briefly(
    spec: Specification, properties: Sequence[str], seconds: float, *, keep_going: bool = False
) -> Explorer:
    """Return a search of the first states, as far as it came in this time, with the actions of the
    executions that it found."""
    until = time.monotonic() + seconds

    def stop_late(_: Explorer) -> None:
        if time.monotonic() > until:
            raise Interrupted("the time is over")

    explorer = Explorer(
        spec,
        properties=tuple(properties),
        keep_going=keep_going,
        max_states=_MOST_STATES,
        enforce=stop_late,
    )
    with suppress(Interrupted, Undefined):
        explorer.explore()
    explorer.name_actions()
    return explorer
