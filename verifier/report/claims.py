"""The claims of verdicts, in sentences: how far was looked, at how much, and what may be shorter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from verifier.outcomes.row import ASSUMPTIONS, Row
from verifier.printable import say_count
from verifier.report.report import verdict_words
from verifier.report.telling import unkept_formulas
from verifier.verdict import COMPLETE, VACUOUS, VerdictKind, beyond_depth, say_limits, say_reachable

_NO_VIOLATION = (
    "This is not a violation: a step leads from a state that satisfies all assumptions to one that does not."
)
_MAY_BE_UNREACHABLE = "Nobody knows whether an execution reaches its first state."
UNREACHABLE = "; the first state may be unreachable"
"""The end of the reason of an engine, which the page says in a sentence."""
_MOST_NAMED = 3
"""The most protocols and properties that a sentence on undecided jobs names."""
_BEYOND = re.compile(rf"^{beyond_depth(0)}".replace("0", "([0-9]+)"))
_OF_LOOPS = ("no lasso ", "complete: no fair loop ", VACUOUS)
"""The beginnings of reasons that say of a temporal property all that is known."""
_REPLAYED = "It was replayed step by step, without a solver."


def is_complete(row: Row) -> bool:
    """True if every reachable state was explored."""
    return bool(row.statistics.get("complete"))


def verdict_of(row: Row) -> str:
    """Return the verdict in words: how sure it is, up to where, at which constants."""
    match row.verdict:
        case VerdictKind.HOLDS:
            return f"HOLDS {_extent(row)}".replace(" ,", ",")
        case VerdictKind.PROVED:
            return f"PROVED {scope_of(row)}"
        case VerdictKind.VIOLATED if row.trace is not None and "loop" in row.trace:
            return "VIOLATED by an execution that never ends"
        case VerdictKind.VIOLATED | VerdictKind.REACHED if row.trace is not None and row.steps:
            return f"{verdict_words(row)}, {'the fewest' if row.fewest else 'maybe not the fewest'}"
        case VerdictKind.NOT_INDUCTIVE if row.reason and row.reason.endswith(UNREACHABLE):
            unkept = next(unkept_formulas(row), "").partition(":")[0]
            one_alone = unkept.startswith("1 ") or not unkept
            return f"{row.verdict}: {row.reason.removesuffix(UNREACHABLE) if one_alone else unkept}"
    return verdict_words(row)


def _extent(row: Row) -> str:
    """Say how much was looked at. Of a complete search the number of states says more than the depth."""
    if not is_complete(row):
        return "" if row.depth is None else f"{scope_of(row)}: nothing is known beyond"
    states = row.statistics.get("distinct_states")
    count = f": {states:,} {'state' if states == 1 else 'states'}" if isinstance(states, int) else ""
    return f", {scope_of(row)}{count}"


def scope_of(row: Row) -> str:
    """Return how far a good verdict goes; nothing for other verdicts."""
    if row.verdict is VerdictKind.PROVED:
        if row.is_for_all_constants:
            return "for all constants"
        within = _within(row).strip()
        return "for these constants only" if row.constants else within or "for executions of any length"
    if row.verdict is not VerdictKind.HOLDS:
        return ""
    if is_complete(row):
        return "complete up to the VIEW" if row.statistics.get("view") else "complete"
    return "" if row.depth is None else f"up to depth {row.depth}"


def scopes(rows: Sequence[Row]) -> dict[VerdictKind, str]:
    """Return for each kind of good verdict how far all go: `` in all states``, or how many go how far."""
    scopes = {}
    for kind in (VerdictKind.HOLDS, VerdictKind.PROVED):
        counts = _extents([row for row in rows if row.verdict is kind])
        if len(counts) > 1:
            told = [f"{count:,} {_in_all_states(words)}" for words, count in counts.most_common()]
            scopes[kind] = f": {', '.join(told)}"
        for words in counts if len(counts) == 1 else ():
            scopes[kind] = f" {_in_all_states(words)}" if words else ""
    return scopes


def _in_all_states(words: str) -> str:
    """The words of ``scope_of`` as they stand behind a verdict."""
    return words.replace("complete", "in all states")


def _extents(rows: Sequence[Row]) -> Counter[str]:
    """Return how many rows go how far; those up to different depths are one kind."""
    told = [scope_of(row) for row in rows]
    bounded = [
        row.depth for row, words in zip(rows, told, strict=True) if words.startswith("up to") and row.depth
    ]
    if len(set(bounded)) > 1:
        between = f"up to a depth of {min(bounded)} to {max(bounded)}"
        told = [between if words.startswith("up to") else words for words in told]
    return Counter(words or "no depth" for words in told) if len(set(told)) > 1 else Counter(told)


def holding(rows: Sequence[Row]) -> str:
    """Say in a sentence how far the other properties hold, by which engines, and what is not decided."""
    told: dict[str, dict[str, int]] = {}
    for engine in dict.fromkeys(row.engine for row in rows):
        for kind in (VerdictKind.HOLDS, VerdictKind.PROVED):
            of_kind = [row for row in rows if row.engine == engine and row.verdict is kind]
            verb = "hold" if kind is VerdictKind.HOLDS else "are proved"
            for words, count in _extents(of_kind).items():
                told.setdefault(f"{verb} {_in_all_states(words)}".rstrip(), {})[engine] = count
    parts = [f"{sum(of.values()):,} {words} ({', '.join(of)})" for words, of in told.items()]
    parts += _undecided(rows)
    return f" Of the other jobs {', '.join(parts)}." if parts else ""


def _undecided(rows: Sequence[Row]) -> list[str]:
    """Name the jobs that are not decided, and why they are not."""
    open_rows = [row for row in rows if row.verdict is VerdictKind.INCONCLUSIVE]
    if not open_rows:
        return []
    names = list(dict.fromkeys(f"{row.spec} {row.claim}" for row in open_rows))
    reasons = list(dict.fromkeys(row.reason for row in open_rows if row.reason))
    more = [f"{len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else []
    why = f": {reasons[0]}" if len(reasons) == 1 else ": several reasons" if reasons else ""
    verb = "is" if len(open_rows) == 1 else "are"
    return [f"{len(open_rows):,} {verb} not decided ({', '.join([*names[:_MOST_NAMED], *more])}){why}"]


def claim_of(row: Row) -> str:
    """Return the claim of a verdict."""
    match row.verdict:
        case VerdictKind.PROVED:
            return _tell_proof(row)
        case VerdictKind.HOLDS:
            return _holds(row)
        case VerdictKind.REACHED:
            return f"{_execution(row)} reaches it{_shortest(row)} {_REPLAYED}"
        case VerdictKind.VIOLATED if row.trace is None:
            return "No reachable state satisfies it."
        case VerdictKind.VIOLATED:
            return f"{_execution(row)} violates it{_shortest(row)}{_ahead(row)} {_REPLAYED}"
        case VerdictKind.NOT_INDUCTIVE:
            return f"{_NO_VIOLATION} {_MAY_BE_UNREACHABLE}"
        case VerdictKind.INCONCLUSIVE:
            return "Nothing is known about executions that were not searched. Neither a pass nor a failure."
        case VerdictKind.ERROR:
            return "The tool contradicts itself: no verdict."


def _tell_proof(row: Row) -> str:
    if row.is_for_all_constants:
        satisfying = " that satisfy the assumptions" * bool(row.statistics[ASSUMPTIONS])
        return f"No execution of any length violates it, for all constants{satisfying}."
    where = ", with these constants" if row.constants else ""
    return f"No execution of any length{_within(row)} violates it{where}.{_because(row)}"


def _holds(row: Row) -> str:
    if (row.reason or "").startswith(_OF_LOOPS):
        return _because(row).strip()
    states = row.statistics.get("distinct_states")
    counted = f"{states:,}" if isinstance(states, int) else ""
    if is_complete(row):
        if row.statistics.get("view"):
            return f"No state that was looked at violates it: {counted}, one of each value of the VIEW."
        return f"No reachable state{_within(row)} violates it: all {counted or 'of them'} were looked at."
    looked = f" {counted} states were looked at." if counted else ""
    actions = say_count(row.depth or 0, "action")
    return f"No execution of at most {actions} violates it.{looked}{_because(row)}"


def _within(row: Row) -> str:
    return say_limits(row.statistics.get("constraints", ()))


def _because(row: Row) -> str:
    if not row.reason:
        return ""
    reason, constraints = row.reason, row.statistics.get("constraints", ())
    if reason == COMPLETE and constraints:
        reason = f"complete: every {say_reachable(constraints)} was checked"
    return f" {reason[0].upper()}{reason[1:]}."


def _ahead(row: Row) -> str:
    """Say what it means that an execution is longer than the search was asked for."""
    found = _BEYOND.search(row.reason or "")
    if not found:
        return ""
    asked = "1 step" if found[1] == "1" else f"{found[1]} steps"
    return f" The search asked for {asked}; it met this longer execution on the way."


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
    """Name the solver that found a proof. An exploration needs none, and of several solvers nobody knows
    which it was."""
    found_by = str((row.proof or {}).get("found_by"))
    searches = (row.statistics.get("provers") or {}).get(row.property_name) or {}
    states = (searches.get("explore") or {}).get("states")
    if found_by == "explore" and isinstance(states, int):
        return f"explore, which looked at all {say_count(states, 'state')}"
    alone = row.solver and "+" not in row.solver and found_by != "explore"
    return f"{found_by} with {row.solver}" if alone else found_by


def summary_of(rows: Sequence[Row]) -> str:
    """Say in a sentence whether anything is wrong, and how sure that is."""
    words = scopes(rows)
    counts = Counter(row.verdict for row in rows)
    if rows and all(row.verdict is VerdictKind.HOLDS and scope_of(row) == "complete" for row in rows):
        return f"Nothing fails: {_all_hold(rows)}."
    bad = {VerdictKind.VIOLATED, VerdictKind.NOT_INDUCTIVE, VerdictKind.ERROR}.intersection(counts)
    told = ", ".join(
        f"{counts[kind]} {kind}{words.get(kind, '')}" for kind in reversed(VerdictKind) if counts[kind]
    )
    if bad:
        return f"Something fails: {told}."
    known = set(counts) <= {VerdictKind.HOLDS, VerdictKind.PROVED, VerdictKind.REACHED}
    return f"{'Nothing fails' if known else 'No failure was found, but not all is known'}: {told}."


def _all_hold(rows: Sequence[Row]) -> str:
    """Say that properties hold in every reachable state; the number of states, if it is one number."""
    claims, many = {(row.spec, row.claim) for row in rows}, len(rows)
    what = "properties" if len(claims) == many else "jobs"
    who = "the property holds" if many == 1 else f"all {many:,} {what} hold"
    states = {row.statistics.get("distinct_states") for row in rows}
    limits = {_within(row) for row in rows}
    count = next(iter(states)) if len(states) == 1 else None
    number = f" ({count:,})" if isinstance(count, int) else ""
    return f"{who} in every reachable state{next(iter(limits)) if len(limits) == 1 else ''}{number}"
