"""The loop of an execution that violates a temporal property, with the reasons for which it is fair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from verifier.outcomes.unmet import list_unmet
from verifier.printable import say_count
from verifier.text.columns import wrap
from verifier.trust.trace import Trace

_INDENT = "    "


def render_loop(trace: Trace, written: Mapping[str, Any] | None, width: int) -> list[Text]:
    """Return how the execution continues forever, what it never does, and why it is fair. ``written``: the
    execution as ITF."""
    loop = trace.loop
    assert loop is not None
    last = len(trace.states) - 1
    if loop.closing is None:
        first = f"Nothing changes from here on: the execution stays in state {last} forever."
    else:
        first = f"{loop.closing} leads from state {last} back to state {loop.start}, and so on forever."
    lines = [Text(line, "bold red") for line in wrap(first, width)]
    unmet = [] if written is None else list_unmet(written)
    if trace.violates is not None:
        lines.append(Text(f"{trace.violates} fails in this execution{':' if unmet else '.'}"))
    for words in unmet:
        lines += map(Text, wrap(words, width, initial_indent="  ", subsequent_indent=_INDENT))
    if not loop.conditions:
        lines.append(Text("No fairness is demanded, so every loop counts."))
    else:
        lines.append(Text("Why the loop is fair:"))
    for name, reason in loop.conditions:
        said = wrap(f"{name}: {reason}", width, initial_indent="  ", subsequent_indent=_INDENT)
        lines += map(Text, said)
    return lines


def replay_words(trace: Trace) -> str:
    """Describe a replayed lasso on one line."""
    loop = trace.loop
    assert loop is not None
    back = f"stays in state {loop.start}" if loop.closing is None else f"goes back to state {loop.start}"
    return (
        f"replayed: {say_count(len(trace.states), 'state')}, then it {back}; "
        f"{trace.violates} fails in this execution, "
        f"which is fair ({loop.fairness}: {say_count(len(loop.conditions), 'condition')})"
    )
