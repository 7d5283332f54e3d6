"""The values of a module that are red: of functions, definitions, counts and instances only what decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.test_telling import CONFIG, MODULE, draw, list_blamed, tell_row
from tests.support.examples import run_rows
from tests.support.modules_for_pages import find_violation

ONLY_TWO = MODULE.replace("\\E x \\in 1..3", "\\E x \\in {2}")


@pytest.mark.parametrize(
    ("formula", "culprits"),
    [
        ('[p \\in 1..3 |-> pc[p]] = [p \\in 1..3 |-> "out"]', ["pc[2]"]),
        ('[p \\in 1..3 |-> IF p = n THEN "out" ELSE pc[p]] = [p \\in 1..3 |-> "out"]', ["n", "pc[2]"]),
        ('[pc EXCEPT ![1] = "out"] = [p \\in 1..3 |-> "out"]', ["pc[2]"]),
        ('[p \\in 1..3 |-> pc[p]] \\in [1..3 -> {"out"}]', ["pc[2]"]),
        ('LET s == pc IN \\A p \\in 1..3 : LET t == s[p] IN t = "out"', ["pc[2]"]),
        ('LET s == [p \\in 1..3 |-> <<pc[p], n>>] IN \\A p \\in 2..3 : s[p] # <<"in", 1>>', ["pc[2]", "n"]),
        ('Cardinality({p \\in 1..3 : p = 1 \\/ pc[p] = "in" \\/ n > 5}) <= 1', ["pc[2]"]),
        ('(IF n = 1 THEN pc[2] ELSE pc[3]) = "out"', ["n", "pc[2]"]),
        ('n = 0 \\/ \\E p \\in {2} : pc[p] = "out" /\\ n < 4', ["n", "pc[2]"]),
        ('\\E p \\in {2, 3} : IF p = 2 THEN pc[p] = "out" ELSE n > 5', ["n", "pc[2]"]),
        ('LET Of(x) == pc[x] IN Of(2) = "out"', ["pc[2]"]),
        ('LET Of(x) == IF pc[x] = "in" THEN 1 ELSE 0 IN \\A p \\in 2..3 : Of(p) + 1 <= 1', ["pc[2]"]),
        ('[p \\in 1..2 |-> pc[p]] # <<"out", "in">>', ["pc[1]", "pc[2]"]),
        ('{pc[p] : p \\in 2..3} # {"in", "out"}', ["pc[2]", "pc[3]"]),
        ('(n = 1) <=> (\\E p \\in {1, 3} : pc[p] = "in")', ["n", "pc[1]", "pc[3]"]),
        (
            'LET RECURSIVE S(_) S(k) == IF k = 0 THEN n ELSE <<pc[k], S(k - 1)>> IN S(2)[1] = "out"',
            ["n", "pc[1]", "pc[2]"],
        ),
        ('\\A p \\in {2} : [at |-> pc[p], n |-> n] \\in [at : {"out"}, n : 0..4]', ["pc[2]"]),
    ],
)
def test_only_what_decides_is_red(formula: str, culprits: list[str], tmp_path: Path) -> None:
    row = find_violation(tmp_path, "Sets", ONLY_TWO.replace("FORMULA", formula), CONFIG)
    assert tell_row(row).head == "Step 1, Take(x=2), breaks Formula."
    assert sorted(path for path, _ in list_blamed(row)) == sorted(culprits)


def test_below_a_prime_no_value_of_this_state_decides(tmp_path: Path) -> None:
    """Before the step n is 0 and the IF takes the other branch."""
    text = ONLY_TWO.replace("Formula ==", 'Choice == (IF n = 0 THEN pc[1] ELSE pc[2]) = "out"\nFormula ==')
    text = text.replace("FORMULA", "[][Choice']_n")
    row = find_violation(tmp_path, "Sets", text, CONFIG.replace("INVARIANT", "PROPERTY"))
    assert {"n'", "pc'[2]"} <= {path for path, _ in list_blamed(row)}


INNER = """---- MODULE Inner ----
EXTENDS Naturals
CONSTANT most
VARIABLES n, seen
Small == n + 1 <= most
Later == n > 0 => seen = "out"
Out == n # 1 \\/ seen = "out"
====
"""


@pytest.mark.parametrize(
    ("formula", "words", "culprits"),
    [
        ("In!Small", "Now (Cardinality(held)) + 1 is 3, and must be at most 2.", ["held"]),
        ("Put!Later", 'Now pc[2] is "in", and must be "out".', ["pc[2]"]),
        ("Put!Out", 'Now neither alternative holds: n is 1, and must not be; and pc[2] is "in", not "out".',
         ["n", "pc[2]"]),
    ],
)  # fmt: skip
def test_an_instance_is_told_in_the_names_of_the_module_around_it(
    formula: str, words: str, culprits: list[str], tmp_path: Path
) -> None:
    (tmp_path / "Inner.tla").write_text(INNER)
    instances = (
        "In == INSTANCE Inner WITH most <- 2, n <- Cardinality(held), seen <- pc[3]\n"
        "Put == INSTANCE Inner WITH most <- 2, seen <- pc[2]\nFormula =="
    )
    text = ONLY_TWO.replace("Formula ==", instances).replace("FORMULA", formula)
    row = find_violation(tmp_path, "Sets", text, CONFIG)
    assert tell_row(row).lines[-1] == words
    assert [path for path, _ in list_blamed(row)] == culprits
    marked = [one.path for part in draw(row).failing for one in part.blamed]
    assert not any(" = " in path for path in marked)  # as in n = Cardinality(held)


def test_a_premise_of_an_instance_is_told_in_the_names_around_it(tmp_path: Path) -> None:
    (tmp_path / "Inner.tla").write_text(INNER)
    instance = "In == INSTANCE Inner WITH most <- 2, n <- Cardinality(held), seen <- pc[2]\nFormula =="
    text = ONLY_TWO.replace("Formula ==", instance).replace("FORMULA", "n = 1 => In!Later")
    found = tell_row(find_violation(tmp_path, "Sets", text, CONFIG))
    assert found.lines[-1] == 'Now pc[2] is "in", and must be "out".'
    assert found.around == ("This is required because n = 1, (Cardinality(held)) > 0.",)


LEAVING = """---- MODULE Leaving ----
CONSTANT P
VARIABLES pc, held
Init == pc = [p \\in P |-> "idle"] /\\ held = {}
Take(p) == pc[p] = "idle" /\\ pc' = [pc EXCEPT ![p] = "in"] /\\ held' = held \\cup {p}
Next == \\E p \\in P : Take(p)
Spec == Init /\\ [][Next]_<<pc, held>>
Formula == held = {}
====
"""


def test_membership_of_a_lane_is_told_as_membership(tmp_path: Path) -> None:
    """A set of participants is drawn lane by lane, and is no function."""
    row = find_violation(tmp_path, "Leaving", LEAVING, f"CONSTANT P = {{a, b}}\n{CONFIG}")
    taken = tell_row(row).head[len("Step 1, Take(p=")]
    assert tell_row(row).lines[0] == f"Step {row.steps} changes held: {taken} added."


PARTS = """---- MODULE Parts ----
EXTENDS Naturals
CONSTANT P
VARIABLES f, g
Init == f = [k \\in {1, 2} \\X {"a b"} |-> 0] /\\ g = [s \\in SUBSET P |-> 0]
Up(k) == f[k] < 2 /\\ f' = [f EXCEPT ![k] = @ + 1] /\\ UNCHANGED g
Put(s) == g[s] < 1 /\\ g' = [g EXCEPT ![s] = 1] /\\ UNCHANGED f
Next == (\\E k \\in DOMAIN f : Up(k)) \\/ \\E s \\in SUBSET P : Put(s)
Spec == Init /\\ [][Next]_<<f, g>>
Formula == g[P] = 0 \\/ \\A k \\in DOMAIN f : f[k] = 0
====
"""


@pytest.mark.parametrize("semantics", ["interpreter", "translation"])
def test_parameters_that_are_tuples_and_sets_are_values(semantics: str, tmp_path: Path) -> None:
    module = tmp_path / "Parts.tla"
    module.write_text(PARTS)
    module.with_suffix(".cfg").write_text(f"CONSTANT P = {{a, b}}\n{CONFIG}")
    rows = run_rows("explore", "--spec", str(module), "--by", semantics)
    row = next(row for row in rows if row.trace is not None)
    assert row.trace is not None
    given = [state["#meta"]["parameters"] for state in row.trace["states"][1:]]
    assert {"s": {"#set": ["a", "b"]}} in given
    assert any(one.get("k", [None])[1:] == ["a b"] for one in given)
    assert {str(step) for step in draw(row).steps[1:]} <= {
        "Put(s={a, b})", 'Up(k=<<1, "a b">>)', 'Up(k=<<2, "a b">>)',
    }  # fmt: skip


def test_a_part_at_a_key_of_the_state_is_the_part_and_the_key(tmp_path: Path) -> None:
    spec = tmp_path / "leads.py"
    spec.write_text(
        """from verifier import *
class Leads(Protocol):
    \"\"\"A leader counts.\"\"\"
    nodes = IndexSetConstant(2, "who")
    def state(self): return State(lead=Option(self.nodes), v=Function(self.nodes, Range(0, 2)))
    def init(self, s): return [s.lead.is_none, forall(s.v[n] == 0 for n in self.nodes)]
    @action(n="nodes")
    def elect(self, s, n): return Step(when=s.lead.is_none, then={s.lead: n})
    @action(n="nodes")
    def count(self, s, n): return Step(when=[s.lead == some(n), s.v[n] < 2], then={s.v[n]: s.v[n] + 1})
    @invariant
    def small(self, s): return s.lead.is_some.implies(s.v[s.lead.value] < 1)
"""
    )
    row = next(one for one in run_rows("explore", "--spec", str(spec)) if one.trace is not None)
    assert row.trace is not None
    (part,) = row.trace["#meta"]["failing"]
    assert part["where"] == [["v[n1]", "1"], ["lead", "n1"]]
    assert part["says"] == "v[n1] is 1, and must be less than 1"
    assert [one["path"] for one in part["culprits"]] == ["v[n1]", "lead"]


def test_a_count_below_a_limit_may_be_one_less(tmp_path: Path) -> None:
    spec = tmp_path / "counts.py"
    spec.write_text(
        """from verifier import *
class Counts(Protocol):
    \"\"\"Nodes are on.\"\"\"
    nodes = IndexSetConstant(2, "who")
    def state(self): return State(on=Set(self.nodes))
    def init(self, s): return s.on.is_empty
    @action(n="nodes")
    def start(self, s, n): return Step(when=~s.on.contains(n), then={s.on: s.on.add(n)})
    @invariant
    def nobody(self, s): return count(self.nodes, lambda n: s.on.contains(n)) < 1
    @invariant
    def one(self, s): return count(self.nodes, lambda n: s.on.contains(n)) < 2
"""
    )
    rows = [one for one in run_rows("explore", "--spec", str(spec)) if one.trace is not None]
    says = [row.trace["#meta"]["failing"][0]["says"] for row in rows if row.trace is not None]
    assert says == ["1 node counts (n1), and none may", "2 nodes count (n1, n2), and at most 1 may"]


def test_premises_on_elements_of_a_set_in_the_state_are_told(tmp_path: Path) -> None:
    formula = '\\A p \\in held : p # 1 => pc[p] = "out"'
    row = find_violation(tmp_path, "Sets", MODULE.replace("FORMULA", formula), CONFIG)
    assert tell_row(row).around == ("This is required because p \\in held, p # 1.",)


RECORDS = """---- MODULE Records ----
EXTENDS Naturals
VARIABLES f
Init == f = [i \\in 1..2 |-> [x |-> 0, y |-> {}]]
Put(i) == i = 2 /\\ f' = [f EXCEPT ![i].x = 2, ![i].y = {1}]
Next == \\E i \\in 1..2 : Put(i)
Spec == Init /\\ [][Next]_f
Formula == FORMULA
====
"""


@pytest.mark.parametrize(
    ("formula", "culprits"),
    [
        ("\\A i \\in 1..2 : f[i] \\in [x : 0..1, y : SUBSET {1}]", ["f[2].x"]),
        ("[i \\in 1..2 |-> f[i].x] # <<0, 2>>", ["f[1].x", "f[2].x"]),
        ("\\A i \\in 1..2 : f[i].y = {}", ["f[2].y"]),
    ],
)
def test_of_a_record_only_the_fields_that_decide_are_red(
    formula: str, culprits: list[str], tmp_path: Path
) -> None:
    row = find_violation(tmp_path, "Records", RECORDS.replace("FORMULA", formula), CONFIG)
    assert sorted(path for path, _ in list_blamed(row)) == sorted(culprits)


SHARED_NODES = """from verifier import *
class Shared(Protocol):
    \"\"\"Nodes point at each other.\"\"\"
    nodes = IndexSetConstant(2, "who")
    def state(self): return State(
        own=Function(self.nodes, Option(self.nodes)), f=Function(self.nodes, Boolean()),
        w=Function(self.nodes, Set(self.nodes)), t=Range(0, 2))
    def init(self, s): return [
        forall(s.own[n].is_none for n in self.nodes), forall(~s.f[n] for n in self.nodes),
        forall(s.w[n].is_empty for n in self.nodes), s.t == 0]
    @action(n="nodes", k="nodes")
    def point(self, s, n, k): return Step(when=[s.own[n].is_none, n != k], then={s.own[n]: k})
    @action(n="nodes")
    def flip(self, s, n): return Step(then={s.f[n]: ~s.f[n], s.t: minimum(s.t + 1, 2)})
    @action(n="nodes")
    def put(self, s, n): return Step(then={s.w[n]: s.w[n].add(n)})
PROPERTY
"""


@pytest.mark.parametrize(
    ("formula", "culprits"),
    [
        ("forall(self.nodes, lambda n: s.own[n].is_some.implies(~s.f[s.own[n].value]))", {"own", "f"}),
        ("union_of(self.nodes, lambda n: s.w[n]) <= comprehension(self.nodes, lambda n: s.f[n])",
         {"w", "f"}),
    ],
)  # fmt: skip
def test_of_a_function_to_truth_values_only_what_is_read_is_red(
    formula: str, culprits: set[str], tmp_path: Path
) -> None:
    spec = tmp_path / "shared_nodes.py"
    text = f"    @invariant\n    def holds(self, s): return {formula}"
    spec.write_text(SHARED_NODES.replace("PROPERTY", text))
    row = next(one for one in run_rows("explore", "--spec", str(spec)) if one.trace is not None)
    found = [path for path, _ in list_blamed(row)]
    assert {path.partition("[")[0] for path in found} == culprits
    assert len(found) == 2, "the other node is not read"


def test_a_step_is_told_with_the_values_before_it(tmp_path: Path) -> None:
    """The step changes t from 1 to 2: it is the 1 that it may not find."""
    spec = tmp_path / "shared_nodes.py"
    text = (
        "    @step_invariant\n"
        "    def early(self, s, after): return forall(\n"
        "        self.nodes, lambda n: (s.f[n] & ~after.f[n]).implies(s.t < 1))"
    )
    spec.write_text(SHARED_NODES.replace("PROPERTY", text))
    row = next(one for one in run_rows("explore", "--spec", str(spec)) if one.trace is not None)
    (part,) = draw(row).failing
    (culprit,) = part.culprits
    assert (culprit.path, culprit.value, culprit.is_before) == ("t", "1", True)
    (earlier,) = tell_row(row).earlier
    assert "t was changed before in step 1, Flip: 0 → 1. " in "".join(piece.text for piece in earlier)


FIELDS = """---- MODULE Fields ----
EXTENDS Naturals
VARIABLES f, g
R == 1..2
Init == f = [i \\in R |-> [x |-> 0, y |-> {}]] /\\ g = 0
Put(i) == f[i].x < 2 /\\ f' = [f EXCEPT ![i].x = @ + 1, ![i].y = @ \\cup {f[i].x}] /\\ g' = 1
Next == \\E i \\in R : Put(i)
Spec == Init /\\ [][Next]_<<f, g>>
Max(S) == CHOOSE x \\in S : \\A y \\in S : y <= x
Formula == FORMULA
====
"""


@pytest.mark.parametrize(
    ("formula", "culprits"),
    [
        ("\\A i \\in {1} : f[i] \\in [x : {0, 1}, y : SUBSET {0, 1}]", ["f[1].x"]),
        ("[i \\in {1} |-> f[i].x] # [i \\in {1} |-> 1]", ["f[1].x"]),
        ("Max({f[i].x : i \\in {1}}) < 1", ["f[1].x"]),
        ("(\\E i \\in R : f[i].x > 0 /\\ i = 1) <=> g = 2", ["f[1].x", "g"]),
    ],
)
def test_of_records_only_the_fields_that_are_read_are_red(
    formula: str, culprits: list[str], tmp_path: Path
) -> None:
    row = find_violation(tmp_path, "Fields", FIELDS.replace("FORMULA", formula), CONFIG)
    assert sorted(path for path, _ in list_blamed(row)) == sorted(culprits)


def test_of_an_equivalence_both_sides_are_told(tmp_path: Path) -> None:
    formula = "(\\E i \\in R : f[i].x > 0) <=> g = 2"
    row = find_violation(tmp_path, "Fields", FIELDS.replace("FORMULA", formula), CONFIG)
    assert tell_row(row).lines[-1] == "Now \\E i \\in R : f[i].x > 0 is true and g = 2 is false."


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("count(self.nodes, lambda n: s.f[n]) <= 1 - s.t", "1 node counts (n1), and none may"),
        ("count(self.nodes, lambda n: s.f[n]) >= 2 * s.t", "1 node counts (n1), and 2 are needed"),
        ("count(self.nodes, lambda n: s.w[n].is_empty) + 0 > s.t + 1", None),
    ],
)  # fmt: skip
def test_the_limit_of_a_count_is_at_fault_too(formula: str, words: str | None, tmp_path: Path) -> None:
    spec = tmp_path / "shared_nodes.py"
    text = f"    @invariant\n    def holds(self, s): return {formula}"
    spec.write_text(SHARED_NODES.replace("PROPERTY", text))
    row = next(one for one in run_rows("explore", "--spec", str(spec)) if one.trace is not None)
    assert "t" in {path for path, _ in list_blamed(row)}
    assert words is None or tell_row(row).lines[-1].replace("n2", "n1").startswith(f"Now {words}")
