"""The loop of an infinite execution: its start, and in words why it is fair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from verifier.report.notation import Notation

STUTTERS = "nobody acts any more"
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


def _failing(about: Mapping[str, Any]) -> list[str]:
    """The parts of the property that are false in a state of the loop, or true where they may not be."""
    return [_line(one, about.get("state")) for one in about.get("failing", ())]


def _line(one: Mapping[str, Any], state: int | None) -> str:
    states = one.get("states") or f"in state {state}"
    truth = "true" if one.get("truth") else "false"
    comma = "," if states.endswith(("again", "forever")) and one["witnesses"] else ""
    where = _where(one["where"], f"in state {one['at']}" if "at" in one else "there")
    return f"{truth} {states}{comma}{_at(one['witnesses'])}: {one['formula']}{where}"


def _at(witnesses: Sequence[Sequence[str]]) -> str:
    """The values for which a part is false: `` for q = q1``."""
    return f" for {', '.join(f'{name} = {value}' for name, value in witnesses)}" if witnesses else ""


def _where(where: Sequence[Sequence[str]], there: str) -> str:
    """The values that a part mentions."""
    return f" ({there} {', '.join(f'{name} = {value}' for name, value in where)})" if where else ""


def loop_lines(trace: Mapping[str, Any]) -> list[str]:
    """The lines; none if the execution is finite. The trace has the shape of ``outcomes.shapes.Trace``."""
    return [*unmet_lines(trace), *fair_lines(trace)]


def unmet_lines(trace: Mapping[str, Any]) -> list[str]:
    """The lines on how the execution goes on forever, and on what is false there."""
    if "loop" not in trace:
        return []
    about, last = trace["#meta"].get("loop", {}), len(trace["states"]) - 1
    if "action" not in about:
        first = f"nobody acts any more: the execution stays in state {last} for ever"
    else:
        given, notation = about.get("parameters", {}), Notation.of(trace)
        shown = ", ".join(f"{name}={notation.show(value)}" for name, value in given.items())
        first = f"{about['action']}({shown}) goes back to state {trace['loop']}, and so on for ever"
    return [first, *_failing(about)]


def fair_lines(trace: Mapping[str, Any]) -> list[str]:
    """Say for each fairness condition why the loop meets it, in a line."""
    about = trace["#meta"].get("loop", {}) if "loop" in trace else {}
    return [f"{one['condition']}: {one['met']}" for one in about.get("conditions", [])]
