"""Contradictions within a run's JSON that was read from a file: somebody changed it, or two were mixed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from verifier.errors import UsageError
from verifier.verdict import VerdictKind

_SHOWN_BY_TRACES = {VerdictKind.VIOLATED, VerdictKind.REACHED, VerdictKind.NOT_INDUCTIVE, VerdictKind.ERROR}
"""The verdicts that an execution shows."""
_OF_THE_RUN = ("spec", "spec_hash", "constants")


def check_consistency(content: Mapping[str, Any]) -> None:
    """Raise UsageError, which names the place, where parts of a run's object contradict each other.

    The object has the shape of ``verifier.outcomes.json_types.RunObject``. What no two parts say is believed.
    """
    verdicts: dict[str, str] = {}
    for index, result in enumerate(content["results"]):
        name, place = result["property"], f"results[{index}]"
        if verdicts.setdefault(name, result["verdict"]) != result["verdict"]:
            words = f"{result['verdict']} of {name}, and another result {verdicts[name]}"
            raise UsageError(f"{place} says {words}")
        for words in _contradictions(content, result):
            raise UsageError(f"{place} says {words}")


def _contradictions(content: Mapping[str, Any], result: Mapping[str, Any]) -> Iterator[str]:
    trace = result["trace"]
    if trace is None:
        if result["steps"] is not None:
            yield f"{result['steps']} steps, and has no trace"
        return
    about = trace["#meta"]
    # A proof for all constants that fails shows a counterexample to induction at some constants.
    shown = _SHOWN_BY_TRACES | (
        set() if isinstance(content["constants"], Mapping) else {VerdictKind.INCONCLUSIVE}
    )
    if result["verdict"] not in shown:
        yield f"{result['verdict']}, and has a trace"
    if result["steps"] not in (None, _steps_of(trace)):
        yield f"{result['steps']} steps, and its trace has {_steps_of(trace)}"
    loop = trace.get("loop")
    if loop is not None and not 0 <= loop < len(trace["states"]):
        yield f"state {loop} begins the loop, and its trace has {len(trace['states'])} states"
    if about.get("property") not in (None, result["property"]):
        yield f"{result['property']}, and its trace is of {about['property']}"
    if isinstance(content["constants"], Mapping):
        for name in _OF_THE_RUN:
            if name in about and about[name] != content[name]:
                yield f"{name} {content[name]}, and its trace has {about[name]}"


def _steps_of(trace: Mapping[str, Any]) -> int:
    """Return the number of actions of a trace, with the one that closes its loop."""
    return len(trace["states"]) - 1 + ("action" in trace["#meta"].get("loop", {}))
