"""Executions whose values are written as the protocol's own language writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.text import Text

from verifier.text.columns import wrap
from verifier.trust.trace import Trace


def render_written_trace(trace: Trace, width: int, *, full: bool) -> Iterator[Text]:
    """The lines of an execution whose values are written as TLA+ writes them."""
    before: Mapping[str, Any] = {}
    for number, state in enumerate(trace.shown or trace.states):
        title = "initially" if number == 0 else str(trace.actions[number - 1].name)
        yield Text(f"{number:>3} {title}", "bold")
        changed = {name: value for name, value in state.items() if full or before.get(name) != value}
        for name, value in changed.items():
            mark = "*" if full and number and before.get(name) != value else " "
            for line in wrap(f"{name} = {value}", width - 6, subsequent_indent="  "):
                yield Text(f"    {mark} {line}")
                mark = " "
        if not changed:
            yield Text("      nothing changes")
        before = state
