"""The loop of an infinite execution: its start, and in words why it is fair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verifier.outcomes.unmet import list_unmet
from verifier.report.notation import Notation

STUTTERS = "nothing changes from here on"
"""The name in drawings of the step of an execution that only stutters."""


def close_loop(trace: Mapping[str, Any]) -> Mapping[str, Any]:
    """The execution once round its loop: one more step leads back to the state where the loop starts."""
    if "loop" not in trace:
        return trace
    about, back = trace["#meta"].get("loop", {}), trace["states"][trace["loop"]]
    taken = {"action": about.get("action", STUTTERS), "parameters": about.get("parameters", {})}
    taken["guards"] = about.get("guards", [])  # of this step, and not of the one that led there first
    again = {**back, "#meta": {**back.get("#meta", {}), **taken}}
    return {**trace, "states": [*trace["states"], again]}


def loop_lines(trace: Mapping[str, Any]) -> list[str]:
    """The lines; none if the execution is finite. The trace has the shape of ``outcomes.shapes.Trace``."""
    return [*unmet_lines(trace), *fair_lines(trace)]


def unmet_lines(trace: Mapping[str, Any]) -> list[str]:
    """The lines on how the execution goes on forever, and on what is false there."""
    if "loop" not in trace:
        return []
    about, last = trace["#meta"].get("loop", {}), len(trace["states"]) - 1
    if "action" not in about:
        first = f"{STUTTERS}: the execution stays in state {last} forever"
    else:
        given, notation = about.get("parameters", {}), Notation.of(trace)
        shown = ", ".join(f"{name}={notation.show(value)}" for name, value in given.items())
        first = f"{about['action']}({shown}) goes back to state {trace['loop']}, and so on forever"
    return [first, *list_unmet(trace)]


def fair_lines(trace: Mapping[str, Any]) -> list[str]:
    """Say for each fairness condition why the loop meets it, in a line."""
    about = trace["#meta"].get("loop", {}) if "loop" in trace else {}
    return [f"{one['condition']}: {one['met']}" for one in about.get("conditions", [])]
