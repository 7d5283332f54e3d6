"""The claims of verdicts, in sentences: how far was looked, at how much, and what may be shorter."""

from __future__ import annotations

from verifier.outcomes.row import Row
from verifier.report.report import verdict_words
from verifier.verdict import VerdictKind

_NO_VIOLATION = (
    "This is no violation: a step leads from a state that satisfies all assumptions to one that does not."
)
_MAY_BE_UNREACHABLE = "Nobody knows whether an execution reaches its first state."
UNREACHABLE = "; the first state may be unreachable"
"""The end of the reason of an engine, which the page says in a sentence."""
_REPLAYED = "It was replayed on a concrete evaluator."


def is_complete(row: Row) -> bool:
    """True if every reachable state was explored."""
    return bool(row.statistics.get("complete"))


def verdict_of(row: Row) -> str:
    """Return the verdict in words. If every state was explored, their number says more than the depth."""
    states = row.statistics.get("distinct_states")
    if row.verdict is VerdictKind.HOLDS and is_complete(row) and isinstance(states, int):
        up_to = " up to the VIEW" if row.statistics.get("view") else ""
        return f"HOLDS, complete{up_to}: {states:,} {'state' if states == 1 else 'states'}"
    if row.verdict is VerdictKind.NOT_INDUCTIVE and row.reason and row.reason.endswith(UNREACHABLE):
        return f"{row.verdict}: {row.reason.removesuffix(UNREACHABLE)}"
    return verdict_words(row)


def claim_of(row: Row) -> str:
    """Return the claim of a verdict."""
    match row.verdict:
        case VerdictKind.PROVED:
            return _proved(row)
        case VerdictKind.HOLDS:
            return _holds(row)
        case VerdictKind.REACHED:
            return f"{_execution(row)} reaches it{_shortest(row)} {_REPLAYED}"
        case VerdictKind.VIOLATED if row.trace is None:
            return "No reachable state satisfies it."
        case VerdictKind.VIOLATED:
            return f"{_execution(row)} violates it{_shortest(row)} {_REPLAYED}"
        case VerdictKind.NOT_INDUCTIVE:
            return f"{_NO_VIOLATION} {_MAY_BE_UNREACHABLE}"
        case VerdictKind.INCONCLUSIVE:
            return "Nothing is known beyond the depth closed. Neither a pass nor a failure."
        case VerdictKind.ERROR:
            return "The tool contradicts itself: no verdict."


def _proved(row: Row) -> str:
    if row.is_for_all_constants:
        return "No execution of any length violates it, for all constants with what is assumed of them."
    where = ", with these constants" if row.constants else ""
    return f"No execution of any length violates it{where}.{_because(row)}"


def _holds(row: Row) -> str:
    states = row.statistics.get("distinct_states")
    counted = f"{states:,}" if isinstance(states, int) else ""
    if is_complete(row):
        if row.statistics.get("view"):
            return f"No state that was looked at violates it: {counted}, one of each value of the VIEW."
        beyond = " within the constraint" if row.statistics.get("states_beyond_constraint") else ""
        return f"No reachable state{beyond} violates it: all {counted or 'of them'} were looked at."
    looked = f" {counted} states were looked at." if counted else ""
    return f"No execution of at most {row.depth} actions violates it.{looked}{_because(row)}"


def _because(row: Row) -> str:
    return f" {row.reason[0].upper()}{row.reason[1:]}." if row.reason else ""


def _execution(row: Row) -> str:
    if row.trace is not None and "loop" in row.trace:
        return "An execution that goes on forever"
    steps = row.steps or 0
    return f"An execution of {steps} {'step' if steps == 1 else 'steps'}"


def _shortest(row: Row) -> str:
    """True if there may be a shorter execution."""
    if row.trace is not None and "loop" in row.trace:
        return "."
    return ", and no shorter one does." if row.fewest else "; there may be a shorter one."


def finder_of(row: Row) -> str:
    """Who found a proof: an exploration needs no solver, and of several solvers nobody knows which it was."""
    found_by = str((row.proof or {}).get("found_by"))
    searches = (row.statistics.get("provers") or {}).get(row.property_name) or {}
    states = (searches.get("explore") or {}).get("states")
    if found_by == "explore" and isinstance(states, int):
        return f"explore, which looked at all {states:,} states"
    alone = row.solver and "+" not in row.solver and found_by != "explore"
    return f"{found_by} with {row.solver}" if alone else found_by
