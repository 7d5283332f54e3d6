"""How an infinite execution goes on, in words: where its loop goes back to, and why the loop is fair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verifier.encodings.concrete import show
from verifier.report.itf_values import value_of


def loop_lines(trace: Mapping[str, Any]) -> list[str]:
    """The lines; none if the execution is finite."""
    start, about = trace.get("loop"), trace.get("#meta", {}).get("loop") or {}
    if not isinstance(start, int) or not isinstance(about, dict):
        return []
    last = len(trace["states"]) - 1
    if "action" not in about:
        first = f"nothing changes any more: the execution stays in state {last} for ever"
    else:
        given = about.get("parameters") or {}
        shown = ", ".join(f"{name}={show(value_of(value))}" for name, value in given.items())
        first = f"{about['action']}({shown}) goes back to state {start}, and so on for ever"
    met = about.get("conditions") or []
    return [first, *(f"{one.get('condition')}: {one.get('met')}" for one in met if isinstance(one, dict))]
