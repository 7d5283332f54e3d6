"""How an infinite execution goes on, in words: where its loop goes back to, and why the loop is fair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verifier.encodings.concrete import show
from verifier.report.itf_values import value_of


def loop_lines(trace: Mapping[str, Any]) -> list[str]:
    """The lines; none if the execution is finite. The trace has the shape of ``outcomes.shapes.Trace``."""
    if "loop" not in trace:
        return []
    about, last = trace["#meta"].get("loop", {}), len(trace["states"]) - 1
    if "action" not in about:
        first = f"nothing changes any more: the execution stays in state {last} for ever"
    else:
        given = about.get("parameters", {})
        shown = ", ".join(f"{name}={show(value_of(value))}" for name, value in given.items())
        first = f"{about['action']}({shown}) goes back to state {trace['loop']}, and so on for ever"
    return [first, *(f"{one['condition']}: {one['met']}" for one in about.get("conditions", []))]
