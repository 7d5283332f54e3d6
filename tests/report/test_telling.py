"""The head of a page: the step that breaks a property, in a sentence, and the parts of the state to blame."""

from __future__ import annotations

from dataclasses import replace
from json import JSONDecoder
from pathlib import Path

import pytest

from tests.support.examples import kip320_first_try, run_rows
from tests.support.modules_for_pages import find_violation
from verifier.encodings.blame import Blame, Culprit, Side, blame_comparison, join_blames
from verifier.outcomes.row import Row
from verifier.report.claims import scopes, summary_of, verdict_of
from verifier.report.diagram import Diagram
from verifier.report.failing import failing_parts
from verifier.report.fair_loop import close_loop
from verifier.report.page import as_html
from verifier.report.report import Report
from verifier.report.telling import Told, tell
from verifier.report.trace_diagram import diagram_of
from verifier.specs.titles import NO_DEADLOCK
from verifier.verdict import VerdictKind


def draw(row: Row) -> Diagram:
    assert row.trace is not None
    return diagram_of(close_loop(row.trace), row.drawing)


def tell_row(row: Row) -> Told:
    found = tell(row, draw(row))
    assert found is not None
    return found


def list_blamed(row: Row) -> list[tuple[str, tuple[str, ...]]]:
    diagram = draw(row)
    parts = (*diagram.failing, *diagram.unmet)
    return [(one.path, one.members) for part in parts for one in part.culprits]


def test_the_step_the_change_and_the_value_are_said() -> None:
    row = kip320_first_try()
    found = tell_row(row)
    assert found.head == f"Step {row.steps}, {draw(row).steps[-1]}, breaks StrongIsr."
    (change, why), (since,) = found.lines, found.around
    assert change.startswith(f"Step {row.steps} changes ")
    assert "For leader = " in why
    assert "offset = 0: length(log[" in why
    assert why.endswith(" is 0, and must be more than 0.")
    assert since.startswith("This is required because replica[")
    assert " ∈ quorum.isr, 0 < replica[" in since
    ((path, members),) = list_blamed(row)
    assert path.startswith("length(log[")
    assert members == ()


MODULE = """---- MODULE Sets ----
EXTENDS Naturals, FiniteSets
VARIABLES held, pc, n
Init == held = {1} /\\ pc = [p \\in 1..3 |-> "out"] /\\ n = 0
Take(x) == x \\notin held /\\ held' = held \\union {x} /\\ n' = n + 1 /\\ pc' = [pc EXCEPT ![x] = "in"]
Next == \\E x \\in 1..3 : Take(x)
Spec == Init /\\ [][Next]_<<held, pc, n>>
Free(p) == pc[p] = "out"
Formula == FORMULA
====
"""
CONFIG = "SPECIFICATION Spec\nINVARIANT Formula\nCHECK_DEADLOCK FALSE\n"


@pytest.mark.parametrize(
    ("formula", "words", "culprits"),
    [
        ("2 \\notin held", "Now 2 is in held, and must not be.", [("held", ("2",))]),
        ("held \\subseteq {1, 3}", "Now held has 2, not in {1, 3}.", [("held", ("2",))]),
        ("held = {1}", "Now held has 2, which is too many: it must be {1}.", [("held", ("2",))]),
        ("held \\in SUBSET ({1} \\union 4..60)",  # which nobody lists
         "Now {1, 2} (held) is not in SUBSET ({1} \\union 4..60).", [("held", ())]),
        ("n # 1", "Now n is 1, and must not be.", [("n", ())]),
        ("n < 1", "Now n is 1, and must be less than 1.", [("n", ())]),
        ("~(n = 1)", "Now n is 1, and must not be.", [("n", ())]),
        ("1 > n", "Now n is 1, and must be less than 1.", [("n", ())]),
        ("Cardinality(held) = 1", "Now Cardinality(held) is 2, and must be 1.", [("held", ())]),
        ("pc[2] = \"out\" \\/ n = 0",
         'Now neither alternative holds: pc[2] is "in", not "out"; and n is 1, not 0.',
         [("pc[2]", ()), ("n", ())]),
        # Of a disjunction each part is told, also if one of them finds an element.
        ('(\\A p \\in 2..3 : pc[p] = "out") \\/ (\\E p \\in 2..3 : p + n = 7) \\/ held = {1}',
         ('For p = 2: no alternative holds: pc[2] is "in", not "out"; and no p has p + n = 7; '
          "and held has 2, which is too many: it must be {1}."),
         [("pc[2]", ()), ("n", ()), ("held", ("2",))]),
        ("(n = 0 /\\ held = {1}) \\/ (n = 1 /\\ Cardinality(held) = 1)",
         "Now neither alternative holds: n is 1, not 0; and Cardinality(held) is 2, not 1.",
         [("n", ()), ("held", ())]),
        ("n = 0 \\/ (\\A p, r \\in 1..2 : p + n < 3)",
         "For p = 2, r = 1: neither alternative holds: p + n is 3, not less than 3; and n is 1, not 0.",
         [("n", ())]),
        ("(IF n = 1 THEN 2 \\notin held ELSE TRUE) \\/ Free(2)",
         ("Now neither alternative holds: IF n = 1 THEN 2 \\notin held ELSE TRUE is false; "
          'and pc[2] is "in", not "out".'),
         [("held", ("2",)), ("pc[2]", ())]),
        ("\\A p \\in 1..3 : p \\in held /\\ n > 0 => pc[p] = \"in\"",
         'For p = 1: pc[1] is "out", and must be "in".|This is required because p \\in held /\\ n > 0.',
         [("pc[1]", ())]),
        ("~\\E p \\in 1..3 : p # 1 /\\ pc[p] = \"in\"",
         'For p = 2: p # 1 /\\ pc[p] = "in" is true, and must not be.', [("pc[2]", ())]),
        ("IF n > 0 THEN held = {1} ELSE n = 0",
         "Now held has 2, which is too many: it must be {1}.|THEN applies, since n > 0.", [("held", ("2",))]),
        ("IF n = 0 THEN held = {1} ELSE 2 \\notin held",
         "Now 2 is in held, and must not be.|ELSE applies, since n = 0 is false.", [("held", ("2",))]),
        ("CASE n = 0 -> TRUE [] n > 0 -> 2 \\notin held",
         "Now 2 is in held, and must not be.|The case applies in which n > 0.", [("held", ("2",))]),
        ('\\A p \\in {q \\in 2..3 : pc[q] = "in"} : p \\notin held',
         ('For p = 2: 2 is in held, and must not be.|'
         'This is required because p \\in {q \\in 2..3 : pc[q] = "in"}.'),
         [("held", ("2",))]),
        ('\\A p \\in {q \\in 2..3 : pc[q] = "in"} : p = 5',  # the state is in the set alone
         'For p = 2: p is 2, and must be 5.|This is required because p \\in {q \\in 2..3 : pc[q] = "in"}.',
         [("pc[2]", ())]),
        ('{pc[q] : q \\in 2..3} \\subseteq {"out"}',
         'Now {pc[q] : q \\in 2..3} has "in", not in {"out"}.', [("pc[2]", ())]),
        ('{q \\in 2..3 : pc[q] = "in"} = {}',
         'Now {q \\in 2..3 : pc[q] = "in"} must be empty, and has 2.', [("pc[2]", ())]),
        # A member that each element forbids is told with its value.
        ("\\E p \\in 1..2 : p \\notin held",
         ("Now no p will do: for p = 1, 1 is in held, and must not be; "
          "for p = 2, 2 is in held, and must not be."), [("held", ("1", "2"))]),
        ('n > 0 => \\E p \\in {q \\in 2..3 : pc[q] = "in"} : p = 5',
         ('Now no p in {q \\in 2..3 : pc[q] = "in"}, which is {2}, has p = 5.|'
         "This is required because n > 0."), [("pc[2]", ()), ("pc[3]", ())]),
    ],
)  # fmt: skip
def test_why_a_formula_of_a_module_is_false(
    formula: str, words: str, culprits: list[tuple[str, tuple[str, ...]]], tmp_path: Path
) -> None:
    text = MODULE.replace("FORMULA", formula)
    text = text.replace("\\E x \\in 1..3", "\\E x \\in {2}") if "q" in formula else text
    row = find_violation(tmp_path, "Sets", text, CONFIG)
    found = tell_row(row)
    assert found.head in {f"Step 1, Take(x={number}), breaks Formula." for number in (2, 3)}
    taken = found.head[len("Step 1, Take(x=")]
    assert taken == "2" or "2" not in words
    assert "|".join([found.lines[-1], *found.around]) == words
    assert list_blamed(row) == culprits


@pytest.mark.parametrize(
    ("formula", "words", "culprits"),
    [
        ("n' = n", "Now n' is 1, and must be n, which is 0.", [("n'", ()), ("n", ())]),
        (
            '\\A p \\in {2} : pc\'[p] = "out"',
            'For p = 2: pc\'[2] is "in", and must be "out".',
            [("pc'[2]", ())],
        ),
        ('\\A p \\in {2} : pc[p]\' # "in"', 'For p = 2: pc\'[2] is "in", and must not be.', [("pc'[2]", ())]),
        ("Cardinality(held') < 2", "Now Cardinality(held') is 2, and must be less than 2.",
         [("held'", ("1", "2"))]),
        ("n < 0", "Before the step n is 0, and must be less than 0.", [("n", ())]),
        ('\\A p \\in {2} : pc[p] = "in"', 'For p = 2, before the step: pc[2] is "out", and must be "in".',
         [("pc[2]", ())]),
    ],
)  # fmt: skip
def test_a_step_property_says_the_value_of_the_next_state(
    formula: str, words: str, culprits: list[tuple[str, tuple[str, ...]]], tmp_path: Path
) -> None:
    text = MODULE.replace("FORMULA", f"[][{formula}]_<<held, pc, n>>").replace(
        "\\E x \\in 1..3", "\\E x \\in {2}"
    )
    row = find_violation(tmp_path, "Sets", text, CONFIG.replace("INVARIANT", "PROPERTY"))
    assert tell_row(row).lines[-1] == words
    assert list_blamed(row) == culprits


def test_of_a_step_only_the_values_at_fault_are_red(tmp_path: Path) -> None:
    """Values of other participants that the formula reads too are not marked."""
    formula = '[][\\A p \\in 1..3 : pc\'[p] = "out"]_<<held, pc, n>>'
    text = MODULE.replace("FORMULA", formula).replace("\\E x \\in 1..3", "\\E x \\in {2}")
    row = find_violation(tmp_path, "Sets", text, CONFIG.replace("INVARIANT", "PROPERTY"))
    page = as_html(Report("all", [row]))
    failing, _ = JSONDecoder().raw_decode(page, page.index('"failing":') + len('"failing":'))
    ((_, witnesses, marked, _),) = failing
    assert witnesses == [["p", "2"]]
    assert [(path, value) for path, value, *_ in marked] == [("pc'[2]", '"in"')]


def test_a_count_that_is_too_small_blames_who_nearly_counts(tmp_path: Path) -> None:
    (tmp_path / "quorum.py").write_text(QUORUM)
    rows = run_rows("explore", "--spec", str(tmp_path / "quorum.py"))
    row = next(row for row in rows if row.verdict is VerdictKind.VIOLATED)
    assert row.trace is not None
    (held,), asked = (row.trace["states"][-1][name]["#set"] for name in ("held", "asked"))
    (other,) = set(asked) - {held}
    found = tell_row(row)
    assert found.around == ("This is required because closed.",)
    assert found.lines[-1] == (
        f"Now 1 node counts ({held}), and 2 are needed; {other} does not count: "
        f"{other} is not in held, which is {{{held}}}."
    )
    assert list_blamed(row) == [("held", ())]


def test_of_a_count_all_that_fail_one_conjunct_are_told(tmp_path: Path) -> None:
    """One element lacks the value, another has it and lies outside."""
    text = QUORUM.replace(".implies(s.asked.contains(n))", ".implies(~s.asked.contains(n))")
    text = text.replace("s.asked.contains(n)) == 2", "s.asked.contains(n)) == 1")
    (tmp_path / "quorum.py").write_text(text)
    rows = run_rows("explore", "--spec", str(tmp_path / "quorum.py"))
    row = next(row for row in rows if row.verdict is VerdictKind.VIOLATED)
    assert row.trace is not None
    (held,), (asked,) = (row.trace["states"][-1][name]["#set"] for name in ("held", "asked"))
    found = tell_row(row)
    assert found.lines[-1].count("does not count") == 2
    assert f"{asked} does not count: {asked} is not in held, which is {{{held}}}" in found.lines[-1]
    assert f"{held} does not count: {held} is not in asked, which is {{{asked}}}" in found.lines[-1]
    (part,) = row.trace["#meta"]["failing"]
    assert sorted(part["context"]) == ["asked", "held"]


def test_all_actions_that_do_not_keep_a_formula_are_named() -> None:
    (row,) = run_rows(
        "induct", "kip320", "--property", "StrongIsr", "--lemma", "Committed", "--set", "replicas=2"
    )
    found = tell_row(row)
    held = found.lines[0]
    first, second = found.around[-2:]
    assert held == "State 0 satisfies StrongIsr, UndefinedRead, TypeOk and the lemma Committed."
    assert row.proof is not None
    broken = [
        item["at"]
        for item in row.proof["obligations"]
        if item["formula"] == "Committed" and item["holds"] is False
    ]
    assert len(broken) > 1
    assert first == f"{len(broken)} of 9 actions do not keep Committed: {', '.join(broken)}."
    assert second.startswith("3 of 9 actions do not keep StrongIsr: ")
    assert verdict_of(row) == f"NOT_INDUCTIVE: {len(broken)} of 9 actions do not keep Committed"


QUORUM = '''
from verifier import *


class Quorum(Protocol):
    """A node of the ensemble lacks what another has."""

    name = "quorum"
    nodes = IndexSetConstant(3)

    def state(self):
        return State(held=Set(self.nodes), asked=Set(self.nodes), closed=Boolean())

    def init(self, s):
        one = count(self.nodes, lambda n: s.held.contains(n)) == 1
        two = count(self.nodes, lambda n: s.asked.contains(n)) == 2
        inside = forall(self.nodes, lambda n: s.held.contains(n).implies(s.asked.contains(n)))
        return one & two & inside & ~s.closed

    @action()
    def close(self, s):
        return Step(when=[~s.closed], then={s.closed: True})

    @invariant()
    def two_have_it(self, s):
        found = count(self.nodes, lambda n: s.asked.contains(n) & s.held.contains(n))
        return s.closed.implies(found >= 2)
'''


def test_sides_are_told_with_their_values() -> None:
    x = Side("x", "{a, b}", ("a", "b"), ("x",))
    y = Side("y", "{b, c}", ("b", "c"), ("y",))
    assert blame_comparison("=", x, y) == Blame(
        "x has a, which is too many and lacks c: it must be y, which is {b, c}",
        (Culprit("x", ("a",)), Culprit("y", ("c",))),
    )
    n, m = Side("n", "3", None, ("n",)), Side("m", "3", None, ("m",))
    assert blame_comparison("≠", n, m).says == "n and m are both 3"
    assert join_blames([blame_comparison("<", n, m), blame_comparison("≠", n, m)]) == Blame(
        "neither alternative holds: n is 3, not less than m, which is 3; and n and m are both 3",
        (Culprit("n"), Culprit("m")),
        ("n is 3, and must be less than m, which is 3", "n and m are both 3"),
    )


def test_how_sure_a_verdict_is_stands_beside_it() -> None:
    row = replace(kip320_first_try(), trace=None, steps=None, reason=None)
    assert row.constants
    proved = replace(row, verdict=VerdictKind.PROVED)
    assert verdict_of(proved) == "PROVED for these constants only"
    everywhere = replace(proved, statistics={"assumptions": ["replicas >= 2"]})
    assert verdict_of(everywhere) == "PROVED for all constants"
    holds = replace(row, verdict=VerdictKind.HOLDS, depth=7, statistics={})
    assert verdict_of(holds) == "HOLDS up to depth 7: nothing is known beyond"
    found = {"complete": True, "distinct_states": 12}
    whole = replace(holds, statistics=found)
    assert verdict_of(whole) == "HOLDS, complete: 12 states"
    viewed = replace(holds, statistics={**found, "view": True})
    assert verdict_of(viewed) == "HOLDS, complete up to the VIEW: 12 states"
    assert scopes([holds, whole, whole]) == {VerdictKind.HOLDS: ": 2 in all states, 1 up to depth 7"}
    assert summary_of([holds, whole]) == "Nothing fails: 2 HOLDS: 1 up to depth 7, 1 in all states."
    assert summary_of([kip320_first_try(), whole]) == "Something fails: 1 VIOLATED, 1 HOLDS in all states."
    every = [replace(whole, property_name=name) for name in "abc"]
    assert summary_of(every) == "Nothing fails: all 3 properties hold in every reachable state (12)."
    more = replace(whole, statistics={**found, "distinct_states": 13})
    assert summary_of([*every, more]) == "Nothing fails: all 4 properties hold in every reachable state."
    assert "every" not in summary_of([viewed, whole])  # a VIEW leaves states out


def test_what_is_not_inductive_is_no_violation_yet() -> None:
    row = replace(kip320_first_try(), verdict=VerdictKind.NOT_INDUCTIVE)
    head = tell_row(row).head
    assert head.startswith("Not decided: the induction fails at ")
    assert head.endswith(" it leads to one that violates StrongIsr. That state may be unreachable.")


def test_a_deadlock_says_that_nothing_is_enabled(tmp_path: Path) -> None:
    row = find_violation(tmp_path, "Sets", MODULE.replace("FORMULA", "n # 1"), CONFIG)
    assert row.trace is not None
    about = {**row.trace["#meta"], "failing": [], "property": NO_DEADLOCK}
    stuck = replace(row, property_name=NO_DEADLOCK, trace={**row.trace, "#meta": about})
    assert tell_row(stuck) == Told(
        f"After step 1, {draw(row).steps[-1]}, no action is enabled: a deadlock.", ()
    )


def test_an_execution_that_was_looked_for_goes_wrong_nowhere() -> None:
    row = replace(kip320_first_try(), verdict=VerdictKind.REACHED)
    assert tell(row, draw(row)) is None


def test_a_part_of_a_variable_has_its_own_value_or_the_variable_is_named() -> None:
    part = {"formula": "a[i] < 2", "witnesses": [("i", "3")], "where": [("a", "<<0, 1, 2>>")]}
    (whole,) = failing_parts([part], ["a"], ["<<0, 1, 2>>"])
    assert [(one.path, one.value) for one in whole.where] == [("a", "<<0, 1, 2>>")]
    (parts,) = failing_parts([part], ["a[2]", "a[3]"], ["1", "2"])
    assert [(one.path, one.value) for one in parts.where] == [("a[3]", "2")]


FILTERED = """
from verifier.encodings.operations import if_
from verifier.encodings.quantifiers import comprehension, forall, image
from verifier.encodings.sorts import Function, Range, Set
from verifier.specs.protocol import IndexSetConstant, Protocol, State, Step, action, invariant


class Counting(Protocol):
    \"\"\"Nodes count.\"\"\"

    nodes = IndexSetConstant(2, "who counts", kind="node")

    def state(self):
        return State(x=Function(self.nodes, Range(0, 2)), slow=Set(self.nodes))

    def init(self, s):
        return forall(self.nodes, lambda n: s.x[n] == 0) & s.slow.is_empty

    @action(n="nodes")
    def up(self, s, n):
        return Step(when=[if_(s.slow.contains(n), s.x[n] < 1, s.x[n] < 2)], then={s.x[n]: s.x[n] + 1})

    @invariant()
    def formula(self, s):
        return FORMULA
"""


@pytest.mark.parametrize(
    ("formula", "words", "culprits"),
    [
        ("if_(s.slow.is_empty, s.x['n1'] < 1, s.x['n1'] < 0)",
         "Now x[n1] is 1, and must be less than 1.|Then applies, since slow = {}.", [("x[n1]", ())]),
        ("forall(comprehension(self.nodes, lambda q: s.x[q] > 0), lambda p: s.slow.contains(p))",
         ("For p = n1: n1 is not in slow, which is {}.|"
          "This is required because n1 ∈ ({q ∈ node(2): (0 < x[q])})."),
         [("slow", ())]),
        ("image(self.nodes, lambda p: s.x[p]) <= {0}",
         "Now {x[p] : p ∈ node(2)} has 1, not in {0}.", [("x[n1]", ())]),
        ("forall(self.nodes, lambda p: s.x[p] == 0) | s.slow.contains('n1')",
         ("For p = n1: neither alternative holds: x[n1] is 1, not 0; "
          "and n1 is not in slow, which is {}."), [("x[n1]", ()), ("slow", ())]),
    ],
)  # fmt: skip
def test_why_a_formula_of_a_protocol_is_false(
    formula: str, words: str, culprits: list[tuple[str, tuple[str, ...]]], tmp_path: Path
) -> None:
    spec = tmp_path / "counting.py"
    spec.write_text(FILTERED.replace("FORMULA", formula))
    rows = run_rows("explore", "--spec", str(spec))
    row = next(row for row in rows if row.verdict is VerdictKind.VIOLATED)
    found = tell_row(row)
    assert "|".join([found.lines[-1], *found.around]) == words
    assert list_blamed(row) == culprits


def test_the_branch_of_a_choice_is_among_what_an_action_demands(tmp_path: Path) -> None:
    text = MODULE.replace("FORMULA", "n = 0").replace(
        "Take(x) == x", "Take(x) == (IF n = 0 THEN x # 3 ELSE x # 1) /\\ x"
    )
    row = find_violation(tmp_path, "Sets", text, CONFIG)
    assert row.trace is not None
    said = [one["formula"] for one in row.trace["states"][-1]["#meta"]["guards"]]
    assert said == ["THEN applies, since n = 0", "x \\notin held"]


GROWING = """---- MODULE Growing ----
EXTENDS Naturals, TLC
CONSTANT Node
VARIABLES q, pc
Init == q = <<>> /\\ pc = [p \\in Node |-> 0]
Add(p) == p \\notin DOMAIN q /\\ q' = q @@ (p :> 7) /\\ pc' = [pc EXCEPT ![p] = 1]
Next == \\E p \\in Node : Add(p)
Full == DOMAIN q # Node
====
"""


def test_a_key_that_a_function_gains_is_told_also_by_lanes(tmp_path: Path) -> None:
    config = "CONSTANT Node = {a1, a2}\nINIT Init\nNEXT Next\nINVARIANT Full\n"
    row = find_violation(tmp_path, "Growing", GROWING, config)
    diagram = draw(row)
    paths = [place.path for place in diagram.places]
    assert "q" not in paths  # the empty function is no value of its own
    changed = {paths[change.place]: change.words for change in diagram.steps[-1].changes}
    assert len(changed) == 2
    assert [words for path, words in changed.items() if path.startswith("q[")] == ["– → 7"]


def test_members_of_one_set_that_are_to_blame_together_are_all_told(tmp_path: Path) -> None:
    """Two elements that a formula finds to be alike are both red, and both sides are named."""
    text = (
        "---- MODULE Votes ----\nEXTENDS Naturals\nVARIABLE sent\nInit == sent = {}\n"
        'Send(a) == sent\' = sent \\cup {[from |-> a, kind |-> "vote"]}\n'
        "Next == \\E a \\in {1, 2} : Send(a)\n"
        "Spec == Init /\\ [][Next]_sent\n"
        "Formula == \\A m, n \\in sent : m.from # n.from => m.kind # n.kind\n====\n"
    )
    row = find_violation(tmp_path, "Votes", text, CONFIG)
    assert 'm.kind and n.kind are both "vote".' in tell_row(row).lines[-1]
    (part,) = draw(row).failing
    (one,) = part.culprits
    members = ['[from |-> 1, kind |-> "vote"]', '[from |-> 2, kind |-> "vote"]']
    assert (one.path, list(one.members)) == ("sent", members)
