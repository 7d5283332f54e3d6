"""Contradictions between an execution in a run, the property that it violates, and the figures of the run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from verifier.outcomes.asked import TEMPORAL_PROPERTY
from verifier.outcomes.checksum import CHECKSUM, checksum_of
from verifier.specs.definition import PropertyKind
from verifier.verdict import VerdictKind

_NAME = re.compile(r"(\w+)('?)")
_ITEM = re.compile(r":> (.*?)(?= @@ |\)$)")
_WORDS = re.compile(r"\{[\w\", ]*\}")


def trace_contradictions(content: Mapping[str, Any], result: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a result says and its execution contradicts. The result has an execution."""
    trace = result["trace"]
    about = trace["#meta"]
    kind = content.get("asked", {}).get(result["property"], {}).get("kind", "")
    yield from _shape(result, about, kind, has_loop="loop" in trace)
    if result["found_by"] == "explore" and "loop" not in trace:
        yield from _figures(content["statistics"], result, trace)
    yield from _sets(about)
    yield from _values(trace)
    if about.get(CHECKSUM, "") != checksum_of(trace):
        yield f"an execution that was altered after the run: its {CHECKSUM} is another"


def _shape(
    result: Mapping[str, Any], about: Mapping[str, Any], kind: str, *, has_loop: bool
) -> Iterator[str]:
    if has_loop != ("loop" in about):
        yield "a loop, and #meta.loop is missing" if has_loop else "#meta.loop, and has no loop"
    if kind == TEMPORAL_PROPERTY and not has_loop and result["verdict"] == VerdictKind.VIOLATED:
        yield f"{result['property']} is of the kind “{kind}”, and its trace has no loop"
    of_step = about.get("about_step") and not _has_prime(about.get("failing", ()))
    if of_step and kind == PropertyKind.INVARIANT:
        yield f"{result['property']} is of the kind “{kind}”, and its trace fails in a step"


def _has_prime(parts: Any) -> bool:
    """True if a part or a premise of one reads the next state."""
    return any(
        "'" in part["formula"]
        or any("'" in path for path, _ in part["where"])
        or _has_prime(part.get("premises", ()))
        for part in parts
    )


def _figures(
    statistics: Mapping[str, Any], result: Mapping[str, Any], trace: Mapping[str, Any]
) -> Iterator[str]:
    """Compare an execution that exploration found with its figures."""
    steps, depth = len(trace["states"]) - 1, result["depth"]
    if result["fewest"] and depth is not None and depth not in (steps - 1, steps):
        yield f"depth {depth}, and its shortest execution has {steps} steps"
    counts = statistics.get("actions") or {}
    taken = Counter(state.get("#meta", {}).get("action") for state in trace["states"][1:])
    for action, times in taken.items():
        known = counts.get(action, {}).get("taken")
        if isinstance(known, int) and known < times:
            yield f"{times} steps of {action}, and statistics.actions counts {known}"


def _sets(about: Mapping[str, Any]) -> Iterator[str]:
    """Compare constants that are sets with the sets that the trace has by these names."""
    for name, members in about.get("sets", {}).items():
        constant, items = about.get("constants", {}).get(name), members.get("#set")
        if not isinstance(constant, str) or not _WORDS.fullmatch(constant) or not isinstance(items, list):
            continue
        if {str(item) for item in items} != set(re.findall(r"\w+", constant)):
            yield f"{name} = {constant}, and its trace has the members {', '.join(map(str, items))}"


def _values(trace: Mapping[str, Any]) -> Iterator[str]:
    """Compare the values of variables that a false part mentions with those of the state."""
    about, states = trace["#meta"], trace["states"]
    if "loop" in trace:
        return
    for part in about.get("failing", ()):
        for path, value in part["where"]:
            match = _NAME.fullmatch(path)
            of_next = match is None or bool(match[2]) or not about.get("about_step")
            state = states[-1] if of_next or len(states) < 2 else states[-2]
            if match is None or match[1] not in state:
                continue
            shown, own = _items_of_text(value), _items_of_json(state[match[1]])
            if shown is not None and own is not None and shown != own:
                number = states.index(state)
                yield f"{path} is {value} where it fails, and state {number} has another value"


def _items_of_json(data: Any) -> list[str] | None:
    """The texts of a plain value, or of those of a function; None of anything else."""
    match data:
        case {"#map": pairs} if pairs and all(_is_plain(item) for _, item in pairs):
            return sorted(_plain(item) for _, item in pairs)
        case _ if _is_plain(data):
            return [_plain(data)]
    return None


def _items_of_text(words: str) -> list[str] | None:
    if words.endswith("…"):
        return None
    items = _ITEM.findall(words) if words.startswith("(") and words.endswith(")") else []
    if items:
        return sorted(item.strip('"') for item in items)
    is_plain = re.fullmatch(r'"[^"]*"|-?\w+', words) is not None
    return [words.strip('"')] if is_plain else None


def _is_plain(data: Any) -> bool:
    return isinstance(data, bool | int) or (isinstance(data, str) and re.fullmatch(r"\w*", data) is not None)


def _plain(data: Any) -> str:
    return str(data).upper() if isinstance(data, bool) else str(data)
