"""Contradictions within a run's JSON that was read from a file: somebody changed it, or two were mixed.

Of a verdict without an execution only the parts that say the same in other words can tell: the exit code,
the reason, the kind of the property, the proof, and the figures of the search.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from verifier.errors import UsageError
from verifier.outcomes.asked import TEMPORAL_PROPERTY
from verifier.outcomes.checked import say_replayed
from verifier.outcomes.checksum import CHECKSUM, QUESTION, checksum_of_question
from verifier.outcomes.row import exit_codes_of
from verifier.outcomes.trace_consistency import trace_contradictions
from verifier.specs.definition import PropertyKind
from verifier.verdict import NEVER_REACHED, NO_STATE_REACHES, POSTCONDITION_FALSE, ExitCode, VerdictKind

_SHOWN_BY_TRACES = {VerdictKind.VIOLATED, VerdictKind.REACHED, VerdictKind.NOT_INDUCTIVE, VerdictKind.ERROR}
"""The verdicts that an execution shows."""
_EXCLUDED = {
    True: {VerdictKind.HOLDS, VerdictKind.NOT_INDUCTIVE},
    False: {VerdictKind.REACHED},
}
"""The verdicts that there are not of a reachable property, and of any other."""
_WITHOUT_TRACE = {NEVER_REACHED, NO_STATE_REACHES, POSTCONDITION_FALSE}
"""The reasons of a violation that no execution shows."""
_PROVE_NOTHING = {"bmc", "explore", "simulate"}
_FIND_VIOLATIONS = {"bmc", "simulate"}
"""The engines that others ask for violations only."""
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
        for words in chain(_contradictions(content, result), _check_foundation(content, result)):
            raise UsageError(f"{place} says {words}")
    of_run = chain(_negative(content), _figures(content["statistics"]), _exit_code(content))
    for words in chain(of_run, _question(content)):
        raise UsageError(words)


def _question(content: Mapping[str, Any]) -> Iterator[str]:
    """Compare the formulas and the documentation with their checksum."""
    if not any(content.get(name) for name in QUESTION):
        return
    if CHECKSUM not in content:
        yield f"the run has no {CHECKSUM} of its formulas: another version made it, or it was altered"
    elif content[CHECKSUM] != checksum_of_question(content):
        yield f"the formulas or their documentation were altered after the run: its {CHECKSUM} is another"


def _exit_code(content: Mapping[str, Any]) -> Iterator[str]:
    """Compare the exit code with the verdicts and what was expected of them."""
    if content["results"] and "ended" not in content:
        code = ExitCode.worst(exit_codes_of(content))
        if content["exit_code"] != code:
            yield f"exit_code is {content['exit_code']}, and the results give {int(code)}"


def _check_foundation(content: Mapping[str, Any], result: Mapping[str, Any]) -> Iterator[str]:
    """Compare a verdict with its reason, the kind of its property, its proof and the depth of the search."""
    verdict, name = VerdictKind(result["verdict"]), result["property"]
    reason, depth = result["reason"] or "", result["depth"]
    kind = content.get("asked", {}).get(name, {}).get("kind", "")
    is_sought = kind == PropertyKind.REACHABLE
    if kind and verdict in _EXCLUDED[is_sought]:
        yield f"{verdict}, and {name} is of the kind “{kind}”"
    if verdict is VerdictKind.REACHED and result["trace"] is None:
        yield f"{verdict}, and has no trace"
    if verdict is VerdictKind.VIOLATED and result["trace"] is None and reason not in _WITHOUT_TRACE:
        yield f"{verdict}, and has neither a trace nor a reason"
    if reason.startswith("complete") and verdict not in (VerdictKind.HOLDS, VerdictKind.PROVED):
        yield f"{verdict}, and its reason is “{reason}”"
    if verdict is VerdictKind.PROVED:
        has_proof = any(proof["property"] == name for proof in content.get("proofs", ()))
        if content["engine"] in _PROVE_NOTHING:
            yield f"{verdict}, which {content['engine']} never answers"
        elif not has_proof and not reason:
            yield f"{verdict}, and has neither a proof nor a reason"
    if verdict is VerdictKind.HOLDS:
        if depth is None and not reason:
            yield f"{verdict}, and has neither a depth nor a reason"
        elif reason.startswith("complete:") and content["statistics"].get("complete") is False:
            yield f"{verdict}, “{reason}”, and statistics.complete is false"
    yield from _depths(content, result)
    yield from _search(content, result)


def _search(content: Mapping[str, Any], result: Mapping[str, Any]) -> Iterator[str]:
    """Compare a verdict on all states with the search that gave it."""
    verdict, reason, statistics = result["verdict"], result["reason"] or "", content["statistics"]
    if verdict == VerdictKind.PROVED:
        decided_by = statistics.get("decided_by")
        of_check = decided_by.get(result["property"]) if isinstance(decided_by, Mapping) else None
        found_by = {result["found_by"], of_check}
        for engine in sorted(found_by & _FIND_VIOLATIONS):
            yield f"{verdict}, which {engine} never answers"
        if isinstance(content["constants"], Mapping) and "all constants" in reason.lower():
            yield f"{verdict}, “{reason}”, and the run has constants"
    yield from _evidence(content, result)
    is_explored = "explore" in (result["found_by"], content["engine"])
    if not reason.startswith("complete:") or not is_explored:
        return
    if statistics.get("view") is True:
        yield f"“{reason}”, and statistics.view is true: one state of each view was checked"
    depth, explored = result["depth"], statistics.get("depth")
    is_whole = statistics.get("complete") is True
    if is_whole and isinstance(depth, int) and isinstance(explored, int) and depth != explored:
        yield f"“{reason}” at depth {depth}, and statistics.depth is {explored}"


def _evidence(content: Mapping[str, Any], result: Mapping[str, Any]) -> Iterator[str]:
    """Compare a verdict with what several engines together say of it."""
    said = (content["statistics"].get("evidence") or {}).get(result["property"])
    if said is None:
        return
    place, reason = f"statistics.evidence.{result['property']}", result["reason"] or ""
    if content["engine"] != "check":
        yield f"{result['verdict']} by {content['engine']}, and {place}, which only check has"
    if result["fewest"] is not None and said != say_replayed(fewest=result["fewest"]):
        yield f"fewest is {str(result['fewest']).lower()}, and {place} is “{said}”"
    if said.startswith("complete:") and reason.startswith("complete:") and said != reason:
        yield f"“{reason}”, and {place} is “{said}”"


def _negative(content: Mapping[str, Any]) -> Iterator[str]:
    """Name times and counts below zero."""
    places = [("seconds", content["seconds"])]
    places += [(f"results[{n}].seconds", one.get("seconds")) for n, one in enumerate(content["results"])]
    places += [(f"statistics.{name}", value) for name, value in content["statistics"].items()]
    for place, value in places:
        if isinstance(value, int | float) and value < 0:
            yield f"{place} is {value}"


def _depths(content: Mapping[str, Any], result: Mapping[str, Any]) -> Iterator[str]:
    """Compare a depth that was closed with the one that was asked for and the one that was explored."""
    depth, explored = result["depth"], content["statistics"].get("depth")
    if depth is None or result["verdict"] not in (VerdictKind.HOLDS, VerdictKind.INCONCLUSIVE):
        return
    for option in ("depth", "max_depth"):
        most = content["options"].get(option)
        if isinstance(most, int) and depth > most:
            yield f"depth {depth} where {option} {most} was asked for"
    asked = content["options"].get("depth")
    is_whole = result["reason"] or "ended" in content or content["engine"] != "bmc"
    if isinstance(asked, int) and depth < asked and result["verdict"] == VerdictKind.HOLDS and not is_whole:
        yield f"{result['verdict']} up to depth {depth}, and depth {asked} was asked for"
    # Of a temporal property, a depth counts states of lassos, and not actions.
    is_temporal = content.get("asked", {}).get(result["property"], {}).get("kind") == TEMPORAL_PROPERTY
    if isinstance(explored, int) and depth > explored and not is_temporal:
        yield f"depth {depth}, and statistics.depth is {explored}"


def _figures(statistics: Mapping[str, Any]) -> Iterator[str]:
    """Compare the figures of an exploration with each other."""
    levels, distinct = statistics.get("levels") or [], statistics.get("distinct_states")
    depth, generated = statistics.get("depth"), statistics.get("generated_states")
    is_complete = statistics.get("complete") is True
    if levels and isinstance(depth, int) and len(levels) != depth + 1:
        yield f"statistics.depth is {depth}, and statistics.levels has {len(levels)} levels"
    if levels and isinstance(distinct, int):
        total = sum(levels)
        if total > distinct or (is_complete and total != distinct):
            yield f"statistics.distinct_states is {distinct:,}, and statistics.levels sum to {total:,}"
    if isinstance(distinct, int) and isinstance(generated, int) and generated < distinct:
        yield f"statistics.generated_states is {generated:,}, and distinct_states {distinct:,}"
    initial = statistics.get("initial_states")
    beyond = statistics.get("states_beyond_constraint")  # an initial state may be beyond it
    if levels and isinstance(initial, int) and levels[0] != initial and not beyond:
        yield f"statistics.initial_states is {initial:,}, and the first of statistics.levels {levels[0]:,}"
    if is_complete and statistics.get("waiting_states"):
        yield f"statistics.complete is true, and {statistics['waiting_states']:,} states are waiting"
    deadlocks = statistics.get("deadlocks")
    if isinstance(deadlocks, int) and isinstance(distinct, int) and deadlocks > distinct:
        yield f"statistics.deadlocks is {deadlocks:,}, and distinct_states {distinct:,}"
    yield from _actions(statistics)


def _actions(statistics: Mapping[str, Any]) -> Iterator[str]:
    """Compare the counts of actions with each other and with the states that they lead to."""
    actions, generated = statistics.get("actions") or {}, statistics.get("generated_states")
    taken = sum(counts.get("taken") or 0 for counts in actions.values())
    # At the last depth actions are counted whose steps were not taken.
    if statistics.get("complete") and isinstance(generated, int) and taken > generated:
        yield f"statistics.actions takes {taken:,} steps, and generated_states is {generated:,}"
    for action, counts in actions.items():
        for what, count in counts.items():
            if isinstance(count, int) and count < 0:
                yield f"statistics.actions.{action}.{what} is {count}"
    for action in statistics.get("never_enabled") or ():
        if any(isinstance(count, int) and count for count in actions.get(action, {}).values()):
            yield f"statistics.never_enabled names {action}, and statistics.actions counts steps of it"


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
    if about.get("property") not in (None, result["property"]) and not _breaks_lemma(result, about):
        yield f"{result['property']}, and its trace is of {about['property']}"
    if isinstance(content["constants"], Mapping):
        for name in _OF_THE_RUN:
            if name in about and about[name] != content[name]:
                yield f"{name} {content[name]}, and its trace has {about[name]}"
    yield from trace_contradictions(content, result)


def _breaks_lemma(result: Mapping[str, Any], about: Mapping[str, Any]) -> bool:
    """True if the reason of a failed induction names the property of the trace: a lemma that is not kept."""
    words = re.findall(r"\w+", str(result["reason"]))
    return result["verdict"] == VerdictKind.NOT_INDUCTIVE and about["property"] in words


def _steps_of(trace: Mapping[str, Any]) -> int:
    """Return the number of actions of a trace, with the one that closes its loop."""
    return len(trace["states"]) - 1 + ("action" in trace["#meta"].get("loop", {}))
