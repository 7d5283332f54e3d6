"""TLA+ modules translated to definitions: the same states and verdicts as the interpreter finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import specify_module, translate_body, write_module
from tests.support.tla_random import ran
from verifier.encodings.concrete import show
from verifier.encodings.sorts import Listed, PartialFunction, Range, Sequence, Set, Variant
from verifier.errors import UsageError
from verifier.runs.modules.translating import Symbolic, description
from verifier.text.counterexample import render_trace
from verifier.tla.ast import Definition as Operator
from verifier.tla.explorer import Explorer
from verifier.tla.translate import translation
from verifier.tla.translate.recursion import fold_of
from verifier.tla.translate.scouting import Scout
from verifier.tla.translate.shape_sorts import sort_of
from verifier.trust.explain import LONGEST_REASON, reasons
from verifier.verdict import VerdictKind

QUEUE = """
EXTENDS Naturals, Sequences, FiniteSets, TLC
CONSTANTS Node, None
VARIABLES owner, queue, log, seen, count
vars == <<owner, queue, log, seen, count>>
Init == owner = None /\\ queue = <<>> /\\ log = [n \\in Node |-> 0] /\\ seen = {} /\\ count = <<>>
Ask(n) == /\\ Len(queue) < 2
          /\\ \\A i \\in 1..Len(queue) : queue[i].from # n
          /\\ queue' = Append(queue, [from |-> n, kind |-> IF log[n] = 0 THEN "first" ELSE "again"])
          /\\ UNCHANGED <<owner, log, seen, count>>
Give == /\\ queue # <<>> /\\ owner = None
        /\\ owner' = Head(queue).from /\\ queue' = Tail(queue)
        /\\ seen' = seen \\cup {Head(queue)}
        /\\ count' = IF owner' \\in DOMAIN count THEN [count EXCEPT ![owner'] = 2] ELSE count @@ (owner' :> 1)
        /\\ UNCHANGED log
Free == /\\ owner # None
        /\\ log' = [log EXCEPT ![owner] = IF @ < 2 THEN @ + 1 ELSE @]
        /\\ owner' = None /\\ UNCHANGED <<queue, seen, count>>
Next == (\\E n \\in Node : Ask(n)) \\/ Give \\/ Free
Spec == Init /\\ [][Next]_vars
TypeOK == /\\ owner \\in Node \\cup {None} /\\ log \\in [Node -> 0..2]
          /\\ seen \\subseteq [from : Node, kind : {"first", "again"}]
Small == Cardinality(seen) < 4
"""
QUEUE_CONFIG = """
SPECIFICATION Spec
CONSTANTS Node = {a, b}
 None = None
INVARIANTS TypeOK Small
CHECK_DEADLOCK FALSE
"""

COUNTER = """
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x < 30 /\\ x' = x + 1
Low == x < 25
"""


def _distinct(asked: Symbolic) -> tuple[int, int]:
    explorer = Explorer(asked.loaded.specification, properties=(), keep_going=True)
    explorer.explore()
    found = ran("explore", asked, keep_going=True).outcome.statistics
    return explorer.result.distinct, found["distinct_states"]


def test_the_translated_module_has_the_states_that_the_interpreter_finds(tmp_path: Path) -> None:
    theirs, ours = _distinct(translate_body(tmp_path, QUEUE, QUEUE_CONFIG))
    assert theirs == ours > 100


WAYS = """
EXTENDS Naturals, FiniteSets
VARIABLES x, y, s
Init == x \\in {0, 1} /\\ y = 0 /\\ (x = 0 \\/ y < 2) /\\ s = {}
Or(z) == z < 2 \\/ z % 2 = 0
Turn == x' = (x + 1) % 4 /\\ y' = (y + x) % 3 /\\ s' = {x, y}
Next == GUARD /\\ Turn
Small == x # 3 \\/ y # 2
"""
TURNS = {"x": "<<y, z>>", "y": "<<x, z>>", "z": "<<x, y>>"}
GUARDS = [
    "(x < 9 \\/ y < 9)",
    "(\\E i \\in 0..2 : i <= x)",
    "Or(x) /\\ Or(y)",
    "(IF x = 1 THEN Or(y) ELSE \\E i \\in 1..3 : i > x)",
    "(\\A i \\in 0..1 : x # i \\/ y < 9)",
    "(x = 1 => Or(y))",
    "(\\E i \\in {x, y} : i < 9)",
    "(\\E i \\in s \\cup {x} : i < 9)",
    "(\\E i \\in {i \\in {x, y} : i > 0} \\cup {0} : i < 9)",
    "(\\E i \\in IF x = 1 THEN {x, y} ELSE {y, 0} : i < 9)",
    "(\\E i \\in {x, y, 0}, j \\in s : i <= j \\/ i = 0)",
    "(\\E t \\in SUBSET {x, y} : Cardinality(t) < 2)",
    "(CASE x = 0 -> Or(y) [] OTHER -> x > 0 \\/ y > 0)",
    "(LET a == x + y IN a > 0 \\/ Or(a))",
    "(s' \\subseteq {x, y, 0} /\\ (s \\subseteq 0..2 \\/ x = 1))",
    "(\\/ x' = 0 \\/ (x' = 1 /\\ Or(y)) \\/ x' \\in {1, y})",
]


@pytest.mark.parametrize("guard", GUARDS)
def test_states_are_counted_as_tlc_counts_them(tmp_path: Path, guard: str) -> None:
    """Each way in which Init or a guard can be true is a state generated."""
    body = WAYS.replace("GUARD", guard)
    asked = translate_body(tmp_path, body, "INIT Init\nNEXT Next\nCONSTRAINT Small\nCHECK_DEADLOCK FALSE\n")
    explorer = Explorer(asked.loaded.specification, properties=(), keep_going=True)
    explorer.explore()
    theirs, ours = explorer.result, ran("explore", asked, keep_going=True).outcome.statistics
    assert asked.translation.uncounted is None
    assert (ours["distinct_states"], ours["levels"]) == (theirs.distinct, theirs.levels)
    assert ours["generated_states"] == theirs.generated
    assert set(ours["actions"]) <= {"Next"}


def test_it_is_said_where_ways_are_not_told_apart(tmp_path: Path) -> None:
    body = WAYS.replace("GUARD", "(\\A i \\in s : \\E j \\in s : j = i)")
    asked = translate_body(tmp_path, body, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    ran("explore", asked, keep_going=True)
    assert asked.translation.uncounted is not None
    assert asked.translation.uncounted.line == 7


@pytest.mark.parametrize("command", ["explore", "check"])
def test_a_remark_says_that_tlc_may_count_more(tmp_path: Path, command: str) -> None:
    turns = " \\/ ".join(f"({v}' = ({v} + 1) % 40 /\\ UNCHANGED {others})" for v, others in TURNS.items())
    body = "EXTENDS Naturals\nVARIABLES s, x, y, z\nInit == s = {} /\\ x = 0 /\\ y = 0 /\\ z = 0\n"
    body += f"Next == (\\A i \\in s : \\E j \\in s : j = i) /\\ ({turns}) /\\ s' = {{x, y}}\nInv == x < 40\n"
    module = write_module(tmp_path, body)
    module.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\n")
    words = ":5:10: TLC may count more generated states: a step for each way to make this formula true"
    assert words in verify(command, str(module)).stderr


FOLDS = """
EXTENDS Integers, FiniteSets
VARIABLES s, t
N == 1..6
RECURSIVE Sum(_), Above(_, _), Mix(_), Twice(_)
Sum(S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \\in S : TRUE IN x + Sum(S \\ {x})
Above(S, k) == IF S # {} THEN LET x == CHOOSE y \\in S : TRUE
                                  r == Above(S \\ {x}, k) IN IF x > k THEN r \\cup {x} ELSE r
               ELSE {}
Mix(S) == IF {} = S THEN 1 ELSE LET x == CHOOSE x \\in S : TRUE IN (x + 3 * Mix(S \\ {x})) % 7
Twice(S) == IF S = {} THEN 0
            ELSE LET x == CHOOSE x \\in S : TRUE IN (Twice(S \\ {x}) + Twice(S \\ {x}) + x) % 5
Init == s = {} /\\ t = <<0, 1, 0>>
Next == \\/ \\E i \\in N \\ s : Sum(s) < 12 /\\ s' = s \\cup {i} /\\ t' = <<Sum(s'), Mix(s'), Twice(s')>>
        \\/ Cardinality(Above(s, 3)) > 1 /\\ s' = Above(s, 4) /\\ UNCHANGED t
Inv == t[2] # 4 \\/ Cardinality(s) < 3
"""


def test_a_recursive_operator_that_folds_a_set_takes_its_members_in_order(tmp_path: Path) -> None:
    asked = translate_body(tmp_path, FOLDS, "INIT Init\nNEXT Next\nINVARIANT Inv\nCHECK_DEADLOCK FALSE\n")
    operators = asked.loaded.specification.module.names
    folds = [operators[name] for name in ("Sum", "Above", "Mix", "Twice")]
    assert all(isinstance(one, Operator) and fold_of(one) is not None for one in folds)
    explorer = Explorer(asked.loaded.specification, properties=("Inv",), keep_going=True)
    explorer.explore()
    found = ran("explore", asked, keep_going=True).outcome
    assert found.statistics["distinct_states"] == explorer.result.distinct > 50
    (verdict,) = found.verdicts
    assert verdict.kind is VerdictKind.VIOLATED
    assert verdict.depth == len(explorer.result.violations["Inv"].states) - 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("CHOOSE x \\in S : TRUE IN x + Sum", "CHOOSE x \\in S : x > 0 IN x + Sum"),
        ("x + Sum(S \\ {x})", "Cardinality(S) + Sum(S \\ {x})"),
        ("x + Sum(S \\ {x})", "x + Sum(S \\ {x, x})"),
        ("Sum(S) == IF S = {} THEN 0", "Sum(S) == IF S = {} THEN Cardinality(S)"),
    ],
)
def test_other_recursion_is_no_fold(tmp_path: Path, old: str, new: str) -> None:
    assert old in FOLDS
    made = specify_module(tmp_path, FOLDS.replace(old, new, 1))
    definition = made.module.names["Sum"]
    assert isinstance(definition, Operator)
    assert fold_of(definition) is None


def test_an_operator_that_calls_itself_too_often_is_refused_at_once(tmp_path: Path) -> None:
    body = FOLDS.replace("x == CHOOSE x \\in S : TRUE IN (Twice", "x == CHOOSE x \\in S : x > 0 IN (Twice")
    asked = translate_body(tmp_path, body, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    with pytest.raises(UsageError, match="Twice calls itself too often to be unrolled"):
        asked.definition()


def test_sorts_are_those_of_the_values(tmp_path: Path) -> None:
    asked = translate_body(tmp_path, QUEUE, QUEUE_CONFIG)
    asked.definition()
    sorts = {symbol.name: symbol.sort for symbol in asked.translation.variables}
    assert isinstance(sorts["owner"], Listed)
    assert isinstance(sorts["queue"], Sequence)
    assert sorts["queue"].capacity == 2
    assert isinstance(sorts["seen"], Set)
    assert isinstance(sorts["count"], PartialFunction)


def test_bmc_finds_the_shortest_counterexample(tmp_path: Path) -> None:
    asked = translate_body(tmp_path, COUNTER, "INIT Init\nNEXT Next\nINVARIANT Low\nCHECK_DEADLOCK FALSE\n")
    (verdict,) = ran("bmc", asked, depth=26, shortest=True).outcome.verdicts
    assert verdict.kind is VerdictKind.VIOLATED
    assert verdict.depth == 25


def test_a_sort_is_widened_where_a_value_leaves_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translation, "sample", _first)
    monkeypatch.setattr(Scout, "widen", lambda *_: None)
    asked = translate_body(tmp_path, COUNTER, "INIT Init\nNEXT Next\nINVARIANT Low\nCHECK_DEADLOCK FALSE\n")
    assert sort_of(asked.translation.shapes["x"], asked.translation.names) == Range(0, 2)
    found = ran("explore", asked, keep_going=True)
    assert found.outcome.statistics["distinct_states"] == 31
    assert found.outcome.verdicts[0].kind is VerdictKind.VIOLATED


def _first(specification: object, **others: object) -> object:
    from verifier.tla.translate.sampling import Sample

    return Sample([(0,), (1,), (2,)], [(0,)], True, complete=False)


def test_a_deadlock_is_found_behind_steps_that_change_nothing(tmp_path: Path) -> None:
    body = COUNTER + "Spec == Init /\\ [][Next]_x\n"
    asked = translate_body(tmp_path, body, "SPECIFICATION Spec\nINVARIANT Low\n")
    found = {v.property_name: v for v in ran("explore", asked, keep_going=True).outcome.verdicts}
    assert found["NoDeadlock"].kind is VerdictKind.VIOLATED
    assert found["NoDeadlock"].depth == 30


def test_what_has_no_value_is_an_error_where_it_is_reached(tmp_path: Path) -> None:
    body = """
EXTENDS Naturals, Sequences
VARIABLE q
Init == q = <<>>
Next == IF Len(q) < 2 THEN q' = Append(q, 1) ELSE q' = Tail(Tail(Tail(q)))
"""
    asked = translate_body(tmp_path, body, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    with pytest.raises(UsageError, match=r"M\.tla:5:.*Tail"):
        ran("bmc", asked, depth=4)


def test_what_is_not_translated_is_named_with_its_place(tmp_path: Path) -> None:
    body = """
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x' = 1 - x
Live == TLCGet("level") + x < 9
"""
    asked = translate_body(tmp_path, body, "INIT Init\nNEXT Next\nINVARIANT Live\n")
    with pytest.raises(UsageError, match=r"M\.tla:6:9: the operator TLCGet is not.*explore looks"):
        ran("bmc", asked, depth=2)
    assert any("Live" in line for line in description(asked.loaded)["only_explicit"])


def test_records_of_several_shapes_are_variants(tmp_path: Path) -> None:
    body = """
EXTENDS Naturals
VARIABLE sent
Init == sent = {}
Ask == sent' = sent \\cup {[type |-> "ask", n |-> 1]}
Tell == \\E m \\in sent : m.type = "ask" /\\ sent' = sent \\cup {[type |-> "tell", to |-> {m.n}]}
Next == Ask \\/ Tell
Fine == \\A m \\in sent : m.type = "tell" => m.to = {1}
"""
    asked = translate_body(tmp_path, body, "INIT Init\nNEXT Next\nINVARIANT Fine\n")
    assert _distinct(asked) == (3, 3)
    sort = asked.translation.variables[0].sort
    assert isinstance(sort, Set)
    assert isinstance(sort.element, Variant)
    found = {v.property_name: v.kind for v in ran("prove", asked).outcome.verdicts}
    assert found["Fine"] is VerdictKind.PROVED


def test_records_of_several_shapes_are_shown_by_their_fields(tmp_path: Path) -> None:
    """The fields a_b and a, b make two shapes; what they are called inside is not shown."""
    body = """
EXTENDS Naturals
VARIABLE sent
Init == sent = {}
One == sent' = sent \\cup {[a_b |-> 1]}
Two == sent' = sent \\cup {[a |-> 1, b |-> 2]}
Three == sent' = sent \\cup {[a |-> 1, b |-> 2, c |-> 3]}
Next == One \\/ Two \\/ Three
Few == sent # {[a |-> 1, b |-> 2], [a |-> 1, b |-> 2, c |-> 3]}
Fine == {[a_b |-> 1], [a |-> 1, b |-> 2]} \\subseteq sent => [a |-> 1, b |-> 2, c |-> 3] \\notin sent
"""
    asked = translate_body(tmp_path, body, "INIT Init\nNEXT Next\nINVARIANTS Few Fine\n")
    found = {v.property_name: v for v in ran("bmc", asked, depth=4).outcome.verdicts}
    assert (found["Few"].steps, found["Fine"].steps) == (2, 3)
    assert found["Few"].trace is not None
    assert show(found["Few"].trace.states[-1]["sent"]).count("(a 1, b 2, c 3)") == 1


def test_a_conclusion_without_any_state_does_not_explain_a_failure(tmp_path: Path) -> None:
    body = """
EXTENDS Naturals
VARIABLE at
Init == at = [i \\in 0..1 |-> 0]
In(i) == at' = [at EXCEPT ![i] = 1]
Next == \\E i \\in 0..1 : In(i)
Alone == \\A i, j \\in 0..1 : at[i] = 1 /\\ at[j] = 1 => i = j
"""
    asked = translate_body(tmp_path, body, "INIT Init\nNEXT Next\nINVARIANT Alone\n")
    run = ran("bmc", asked, depth=3)
    (trace,) = (v.trace for v in run.outcome.verdicts if v.trace is not None)
    assert run.model is not None
    first = reasons(run.model, trace)[0]
    assert first.formula.endswith("⇒ false")
    assert dict(first.values) == {"at[0]": 1, "at[1]": 1}


def test_enabled_is_a_formula_of_the_state(tmp_path: Path) -> None:
    body = """
EXTENDS Naturals
VARIABLES x, s
Init == x = 0 /\\ s = {1}
Add == x < 3 /\\ x' = x + 1 /\\ UNCHANGED s
Put == \\E y \\in s : y > x /\\ s' = s \\cup {y + 1} /\\ UNCHANGED x
Next == Add \\/ (x < 3 /\\ Cardinality(s) < 3 /\\ Put)
More == ENABLED Next <=> x < 3
Sure == ENABLED Put
"""
    body = body.replace("Naturals", "Naturals, FiniteSets")
    asked = translate_body(
        tmp_path, body, "INIT Init\nNEXT Next\nINVARIANTS More Sure\nCHECK_DEADLOCK FALSE\n"
    )
    found = {v.property_name: v for v in ran("explore", asked, keep_going=True).outcome.verdicts}
    assert found["More"].kind is VerdictKind.HOLDS
    assert found["Sure"].kind is VerdictKind.VIOLATED
    assert found["Sure"].depth == 1


@pytest.mark.parametrize(
    "step",
    [
        "Head(q) = 1 /\\ FALSE /\\ q' = q",
        "q' = Tail(q) /\\ FALSE",
        "\\E x \\in {Head(q)} : FALSE /\\ q' = q",
        "q' \\in {<<Head(q)>>} /\\ FALSE",
        "(IF Head(q) = 1 THEN q' = q ELSE q' = q)",
        "(TRUE \\/ Head(q) = 1) /\\ q' = q",
        "(\\E x \\in {1, 2} : x = 1 \\/ q[x] = 1) /\\ q' = q",
    ],
)
def test_what_a_step_reads_before_it_fails_is_an_error(tmp_path: Path, step: str) -> None:
    body = f"\nEXTENDS Naturals, Sequences\nVARIABLE q\nInit == q = <<1>>\nNext == q' = <<>> \\/ ({step})\n"
    asked = translate_body(tmp_path, body, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    with pytest.raises(UsageError, match=r"M\.tla:5:"):
        ran("bmc", asked, depth=3)


def test_a_parameter_that_stands_for_a_variable_is_assigned(tmp_path: Path) -> None:
    body = """
EXTENDS Naturals, Sequences
VARIABLES q, r
Init == q = <<1, 2>> /\\ r = <<3>>
Shorter(l, i) == [j \\in 1..(Len(l) - 1) |-> IF j < i THEN l[j] ELSE l[j + 1]]
Lose(l) == l # <<>> /\\ \\E i \\in 1..Len(l) : l' = Shorter(l, i)
Next == (Lose(q) /\\ UNCHANGED r) \\/ (Lose(r) /\\ UNCHANGED q)
"""
    theirs, ours = _distinct(translate_body(tmp_path, body, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n"))
    assert theirs == ours == 8


def test_reasons_look_at_shared_parts_once(tmp_path: Path) -> None:
    shared = "".join(f"D{n} == IF b THEN 7 - D{n - 1} ELSE D{n - 1}\n" for n in range(1, 41))
    body = f"""
EXTENDS Naturals
VARIABLES x, b
Init == x = 3 /\\ b = FALSE
Next == x' = 4 /\\ b' = b
D0 == x
{shared}Inv == D40 = 3
"""
    run = ran("bmc", translate_body(tmp_path, body, "INIT Init\nNEXT Next\nINVARIANT Inv\n"), depth=3)
    assert run.model is not None
    (trace,) = (verdict.trace for verdict in run.outcome.verdicts if verdict.trace is not None)
    (reason,) = reasons(run.model, trace)
    assert sorted(reason.values) == [("b", False), ("x", 4)]
    assert len(reason.formula) < LONGEST_REASON + 10


def test_places_of_sequences_and_tuples_are_counted_as_in_tla(tmp_path: Path) -> None:
    body = """
EXTENDS Naturals, Sequences
VARIABLES q, f
Init == q = <<3, 3>> /\\ f = <<0, "idle">>
Put(i) == q' = [q EXCEPT ![i] = i] /\\ f' = [f EXCEPT ![1] = i]
Next == \\E i \\in 1..2 : Put(i)
Sorted == \\A i \\in 1..Len(q) - 1 : q[i] >= q[i + 1]
First == f[1] < 2
"""
    asked = translate_body(tmp_path, body, "INIT Init\nNEXT Next\nINVARIANTS Sorted First\n")
    run = ran("bmc", asked, depth=3)
    assert run.model is not None
    sorted_, first = (verdict.trace for verdict in run.outcome.verdicts if verdict.trace is not None)
    assert [str(reason) for reason in reasons(run.model, first)] == ["f[1] < 2 is false (f[1] = 2)"]
    assert str(reasons(run.model, sorted_)[0]) == "q[2] ≤ q[1] is false (q[2] = 3, q[1] = 1)"
    lines = "\n".join(line.plain for line in render_trace(run.definition, sorted_, 80))
    assert "q[1]: 3 → 1" in lines
    assert "f[1]: 0 → 1" in lines


@pytest.mark.thorough
def test_clauses_count_places_as_in_tla(tmp_path: Path) -> None:
    body = """
EXTENDS Naturals
VARIABLE f
Init == f = <<0, 0>>
Up(i) == f[i] < 2 /\\ (i > 1 => f[i - 1] > f[i]) /\\ f' = [f EXCEPT ![i] = @ + 1]
Next == \\E i \\in 1..2 : Up(i)
Inv == f[2] = 2 => f[1] = 2
"""
    config = "INIT Init\nNEXT Next\nINVARIANT Inv\nCHECK_DEADLOCK FALSE\n"
    model = ran("bmc", translate_body(tmp_path, body, config), depth=1).model
    assert model is not None
    found = model.layout.meanings(model.definition.presentation.first_index)
    assert {meaning.text(True).split()[0] for meaning in found.values()} == {"f[1]", "f[2]"}
    assert {name.split("#")[0] for name in found} == {"f[0]", "f[1]"}  # bits keep their names
