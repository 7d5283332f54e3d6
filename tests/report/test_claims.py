"""Pages state the question, the depth of the search, and whether a shorter execution is possible."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify
from tests.support.examples import kip320_first_try, rabbit_lasso, run_rows
from tests.support.modules_for_pages import JUGS, JUGS_CONFIG, commit, find_violation, jugs
from verifier.outcomes.row import ASKED, DOCUMENTED, Row
from verifier.report.claims import claim_of, finder_of, verdict_of
from verifier.report.fair_loop import close_loop, loop_lines
from verifier.report.known import find_known_answer
from verifier.report.page import as_html
from verifier.report.report import Report
from verifier.report.trace_diagram import diagram_of
from verifier.report.verdict_page import verdict_page
from verifier.verdict import COMPLETE, VerdictKind, beyond_depth


def page(row: Row) -> str:
    return as_html(Report("one", (row,)))


def like(row: Row, **changes: Any) -> Row:
    return replace(row, **{"trace": None, "steps": None, "reason": None, **changes})


def test_the_page_has_formula_and_documentation() -> None:
    text = page(kip320_first_try())
    assert "no election loses it." in text
    assert "∀ leader ∈ replica(3)" in text
    does = kip320_first_try().statistics[DOCUMENTED]
    assert does["FollowerTruncate"].startswith("A follower that finds its log to differ")
    assert does["FollowerTruncate"] in text


def test_the_page_of_a_liveness_property_says_what_it_demands() -> None:
    asked = rabbit_lasso().statistics[ASKED]
    assert asked["kind"] == "temporal property"
    assert asked["says"].startswith("always eventually ")
    assert asked["description"].startswith("Again and again the load is balanced")
    assert claim_of(rabbit_lasso()).startswith("An execution that goes on forever violates it.")


def test_of_a_module_its_own_words_are_shown(tmp_path: Path) -> None:
    row = commit(tmp_path)
    assert row.statistics[ASKED] == {
        "kind": "invariant",
        "says": r'\A r \in RM : rmState[r] # "committed"',
        "description": "",
    }
    assert row.statistics[DOCUMENTED] == {"Prepare": "A manager is ready, and says so."}


@pytest.mark.parametrize(
    ("comment", "words"),
    [
        ("\\* Two is not reached.\n", "Two is not reached."),
        ("\\* Two is\n\\* not reached.\n", "Two is not reached."),
        ("(* Two is not reached. *)\n", "Two is not reached."),
        ("(***********)\n(* Two is  *)\n(* far away. *)\n(***********)\n", "Two is far away."),
        ("\\* Of something else.\n\n", ""),
        ("\\* a line\n" * 13, ""),
        ("", ""),
    ],
)
def test_the_comment_above_a_definition_is_its_documentation(
    comment: str, words: str, tmp_path: Path
) -> None:
    text = JUGS.replace("NeverTwo ==", f"{comment}NeverTwo ==")
    row = find_violation(tmp_path, "Jugs", text, JUGS_CONFIG)
    assert row.statistics[ASKED] == {"kind": "invariant", "says": "big # 2", "description": words}


def test_a_complete_search_says_how_many_states_there_are(tmp_path: Path) -> None:
    rows = run_rows("explore", "--spec", "rabbit-sac", "--set", "queues=2", "--set", "apps=2")
    row = next(row for row in rows if row.verdict is VerdictKind.HOLDS)
    states = row.statistics["distinct_states"]
    assert verdict_of(row) == f"HOLDS, complete: {states:,} states"
    assert claim_of(row) == f"No reachable state violates it: all {states:,} were looked at."
    assert verdict_of(row) in page(row)
    bounded = replace(row, statistics={**row.statistics, "complete": False}, depth=7, reason=None)
    assert verdict_of(bounded) == "HOLDS up to depth 7: nothing is known beyond"
    assert claim_of(bounded) == (
        f"No execution of at most 7 actions violates it. {states:,} states were looked at."
    )


def test_a_memory_that_nobody_measured_is_left_out(tmp_path: Path) -> None:
    row = jugs(tmp_path)
    known, unknown = replace(row, peak_memory=2**20), replace(row, peak_memory=0)
    assert ("peak memory", "1 MiB") in verdict_page("a", "a", known, with_itf=False).facts
    assert "peak memory" not in dict(verdict_page("a", "a", unknown, with_itf=False).facts)


def test_whether_an_execution_is_the_shortest_is_said(tmp_path: Path) -> None:
    row = jugs(tmp_path)
    assert row.fewest
    assert claim_of(row).startswith("An execution of 2 steps violates it, and no shorter one does.")
    longer = replace(row, fewest=False)
    assert claim_of(longer).startswith("An execution of 2 steps violates it; there may be a shorter one.")
    assert "The search asked for" not in claim_of(longer)
    ahead = replace(longer, reason=beyond_depth(1))
    assert "The search asked for 1 step; it met this longer execution on the way." in claim_of(ahead)
    assert "The search asked for 12 steps; " in claim_of(replace(longer, reason=beyond_depth(12)))


def test_another_checkers_shorter_execution_agrees_in_words_that_say_so() -> None:
    row = kip320_first_try()
    assert row.steps == 13
    found = find_known_answer(row)
    assert found is not None
    assert found.words == "violated in 12 steps"
    assert found.mark == "agrees that it is violated; this execution is longer"
    assert find_known_answer(replace(row, steps=12, fewest=True)).mark == "agrees"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("found_by", "solver", "words"),
    [
        ("explore", "minisat+cadical+z3", "explore"),
        ("ic3", "minisat+cadical", "ic3"),
        ("ic3", "minisat", "ic3 with minisat"),
        ("explore", "z3", "explore"),
    ],
)
def test_who_found_a_proof(found_by: str, solver: str, words: str) -> None:
    row = like(kip320_first_try(), verdict=VerdictKind.PROVED, proof={"found_by": found_by}, solver=solver)
    assert finder_of(row) == words
    assert f"Found by {words}." in page(row)


def test_a_lemma_that_fails_is_named_and_not_the_property() -> None:
    row = kip320_first_try()
    assert row.trace is not None
    trace = {**row.trace, "#meta": {**row.trace["#meta"], "property": "NoSuchEntryIsFinal"}}
    assert '"property":"NoSuchEntryIsFinal"' in page(replace(row, trace=trace))
    assert '"property":"StrongIsr"' in page(row)


def test_without_constants_no_sentence_begins_with_a_dot(tmp_path: Path) -> None:
    row = jugs(tmp_path)
    assert not row.constants
    assert '<span class="constants">' not in page(row)
    proved = like(row, verdict=VerdictKind.PROVED)
    assert claim_of(proved) == "No execution of any length violates it."


def test_a_complete_search_within_a_constraint_is_said_to_be_one(tmp_path: Path) -> None:
    row = like(jugs(tmp_path), verdict=VerdictKind.PROVED, reason=COMPLETE)
    assert claim_of(row).endswith(" Complete: every reachable state was checked.")
    limited = replace(row, statistics={**row.statistics, "constraints": ["Bound"]})
    assert claim_of(limited).endswith(
        " Complete: every state reachable within the constraint Bound was checked."
    )


def test_a_loop_says_what_is_false_in_it() -> None:
    row = rabbit_lasso()
    assert row.trace is not None
    about, start = row.trace["#meta"]["loop"], row.trace["loop"]
    lines = loop_lines(row.trace)
    (first,) = about["failing"]  # what is false in some states of the loop alone is not told
    app, queue = (dict(first["witnesses"])[name] for name in ("a", "q"))
    words = f"false in every state of the loop for a = {app}, q = {queue}: (active[{queue}] = {app})"
    assert words in lines[1]
    for state in row.trace["states"][start:]:
        active = dict(state["active"]["#map"])[queue]
        assert active != {"tag": "Some", "value": app}
        assert app not in dict(state["subscriber_queue"]["#map"])[queue]


WAITING = """---- MODULE Waiting ----
EXTENDS Naturals
VARIABLES pc, turn
vars == <<pc, turn>>
Init == pc = [p \\in 1..2 |-> "idle"] /\\ turn = 1
Try(p) == pc[p] = "idle" /\\ pc' = [pc EXCEPT ![p] = "try"] /\\ UNCHANGED turn
Enter(p) == pc[p] = "try" /\\ turn = p /\\ pc' = [pc EXCEPT ![p] = "in"] /\\ UNCHANGED turn
Leave(p) == pc[p] = "in" /\\ pc' = [pc EXCEPT ![p] = "idle"] /\\ turn' = p
Next == \\E p \\in 1..2 : Try(p) \\/ Enter(p) \\/ Leave(p)
Spec == /\\ Init /\\ [][Next]_vars
        /\\ \\A p \\in 1..2 : WF_vars(Enter(p)) /\\ WF_vars(Try(p)) /\\ WF_vars(Leave(p))
GetsIn(q) == pc[q] = "try" ~> pc[q] = "in"
EachGetsIn == \\A p \\in 1..2 : GetsIn(p)
TurnChanges == <>(turn # 1)
StaysOut == <>[](\\A p \\in 1..2 : pc[p] # "in")
====
"""
WAITING_CONFIG = "SPECIFICATION Spec\nPROPERTIES EachGetsIn TurnChanges StaysOut\nCHECK_DEADLOCK FALSE\n"


@pytest.mark.parametrize("semantics", ["interpreter", "translation"])
def test_the_loop_of_a_module_says_what_is_false_in_it(semantics: str, tmp_path: Path) -> None:
    (tmp_path / "Waiting.tla").write_text(WAITING)
    (tmp_path / "Waiting.cfg").write_text(WAITING_CONFIG)
    rows = run_rows("live", str(tmp_path / "Waiting.tla"), "--by", semantics)
    traces = {row.property_name: row.trace for row in rows}
    assert traces.keys() == {"EachGetsIn", "TurnChanges", "StaysOut"}
    said = {name: loop_lines(trace) for name, trace in traces.items() if trace is not None}
    waiting = traces["EachGetsIn"]
    assert waiting is not None
    (due,) = (line for line in said["EachGetsIn"] if line.startswith("true in state"))
    assert 'for q = 2: Waiting.tla:12: pc[q] = "try"' in due
    assert waiting["states"][int(re.findall(r"\d+", due)[0])]["pc"][1] == "try"
    (never, *_) = (line for line in said["EachGetsIn"] if line.startswith("false in "))
    assert 'for q = 2: Waiting.tla:12: pc[q] = "in"' in never
    assert "false in every state: Waiting.tla:14: turn # 1 (turn stays 1)" in said["TurnChanges"]
    again = [line for line in said["StaysOut"] if "again and again" in line and "forever" not in line]
    assert any('for p = 1: Waiting.tla:15: pc[p] # "in"' in line for line in again)
    for lines in said.values():
        assert any(line.startswith("WF of Enter with p = ") for line in lines)
    whole = html.unescape(as_html(Report("all", rows)))
    overview = whole.partition('class="answers"')[2].partition("</table>")[0]
    assert 'pc[q] = "try" is true for q = 2, in state' in overview
    assert 'Then pc[q] = "in" must hold, in this state or later. It never does for q = 2:' in overview


def test_the_step_that_closes_a_loop_has_its_own_demands() -> None:
    row = rabbit_lasso()
    assert row.trace is not None
    closing = diagram_of(close_loop(row.trace), row.drawing).steps[-1]
    given = dict(closing.parameters)
    assert closing.action == "Release"
    assert any(one.formula == f"active[{given['queue']}] = {given['app']}" for one in closing.demands)


def test_a_counterexample_to_induction_is_no_violation() -> None:
    reason = "BecomeLeader(r1, 0) does not keep P; the first state may be unreachable"
    row = like(kip320_first_try(), verdict=VerdictKind.NOT_INDUCTIVE, reason=reason)
    assert verdict_of(row) == "NOT_INDUCTIVE: BecomeLeader(r1, 0) does not keep P"
    assert claim_of(row).startswith("This is not a violation: ")
    assert claim_of(row).endswith("Nobody knows whether an execution reaches its first state.")


def test_built_in_checks_say_what_they_ask(tmp_path: Path) -> None:
    config = JUGS_CONFIG.replace("INVARIANT NeverTwo\n", "")
    (tmp_path / "Jugs.tla").write_text(JUGS)
    (tmp_path / "Jugs.cfg").write_text(config)
    rows = run_rows("explore", "--spec", str(tmp_path / "Jugs.tla"))
    (row,) = [row for row in rows if row.property_name == "NoDeadlock"]
    assert row.statistics[ASKED]["description"] == "In every reachable state some action is enabled."
    assert "In every reachable state some action is enabled." in page(row)


def test_a_property_that_names_another_has_its_text(tmp_path: Path) -> None:
    named = "Few == big < 9 /\\ small < 9\nAlso == Few\n===="
    text = JUGS.replace("====\n", f"{named}\n")
    (tmp_path / "Jugs.tla").write_text(text)
    config = JUGS_CONFIG.replace("NeverTwo", "Also Few")
    (tmp_path / "Jugs.cfg").write_text(config)
    rows = {row.property_name: row for row in run_rows("explore", "--spec", str(tmp_path / "Jugs.tla"))}
    assert rows["Few"].statistics[ASKED]["says"] == "big < 9 /\\ small < 9"
    assert rows["Also"].statistics[ASKED]["says"] == "Few == big < 9 /\\ small < 9"


def test_the_kind_of_a_property_of_steps_is_said_before_it_is_translated(tmp_path: Path) -> None:
    module = tmp_path / "Up.tla"
    module.write_text(
        "---- MODULE Up ----\nEXTENDS Naturals\nVARIABLE n\nInit == n = 0\nNext == n' = (n + 1) % 3\n"
        "Grows == [][n' > n]_n\nSmall == n < 3\n====\n"
    )
    module.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Small\nPROPERTY Grows\n")
    asked = json.loads(verify("check", str(module), "--format", "json").stdout)["asked"]
    assert (asked["Small"]["kind"], asked["Grows"]["kind"]) == ("invariant", "step invariant")


def test_levels_that_sum_to_less_than_the_states_say_why() -> None:
    row = replace(kip320_first_try(), statistics={"levels": [1, 3, 6], "distinct_states": 15})
    page = verdict_page("a", "a", row, with_itf=False)
    assert (
        page.beyond_levels
        == "10 states in all. 5 more states were found beyond, 15 together, and not looked at."
    )
    whole = replace(row, statistics={"levels": [1, 3, 6], "distinct_states": 10})
    assert verdict_page("a", "a", whole, with_itf=False).beyond_levels == ""


def test_the_kind_of_a_property_names_all_its_parts(tmp_path: Path) -> None:
    """A formula with [] and <> is more than an invariant."""
    module = tmp_path / "Mix.tla"
    module.write_text(
        "---- MODULE Mix ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x < 3 /\\ x' = x + 1\n"
        "Spec == Init /\\ [][Next]_x /\\ WF_x(Next)\nBoth == [](x < 9) /\\ <>(x = 3)\nOnly == [](x < 9)\n"
        "Ever == <>(x = 3)\nSteps == [][x' > x]_x /\\ [](x < 9)\n====\n"
    )
    names = "PROPERTIES Both Only Ever Steps\nCHECK_DEADLOCK FALSE\n"
    module.with_suffix(".cfg").write_text(f"SPECIFICATION Spec\n{names}")
    (first, *others) = run_rows("check", str(module))
    kinds = {row.property_name: row.statistics[ASKED]["kind"] for row in (first, *others)}
    assert kinds == {
        "Both": "invariant and temporal property",
        "Only": "invariant",
        "Ever": "temporal property",
        "Steps": "invariant: the part about states",
        "Steps!step": "step invariant: the part about steps",
    }


def test_a_proof_by_enumeration_names_no_solver() -> None:
    made = like(kip320_first_try(), verdict=VerdictKind.PROVED, solver="minisat+z3", solver_version="")
    whole = page(replace(made, proof={"found_by": "explore"}))
    assert "Proof by enumeration" in whole
    assert "minisat+z3" not in whole
    assert "minisat+z3" in page(replace(made, proof={"found_by": "ic3"}))


def test_no_line_ends_within_an_option() -> None:
    row = replace(kip320_first_try(), engine="explore", options={"timeout": 77})
    assert '<span class="unbroken">--timeout</span> 77' in page(row)
