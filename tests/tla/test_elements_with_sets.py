"""Records with sets in a set, records beside -1, fields changed together, and the least of a set.

Each claim is proved, or an execution violates it: no false claim is proved.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.errors import UsageError
from verifier.outcomes.run import Run
from verifier.parametric.errors import NotParametric
from verifier.processes.limits import Limits
from verifier.runs.asking import execute
from verifier.runs.certifying_all import certify, read_claim
from verifier.runs.loaded import ReadingOptions
from verifier.runs.loading import load
from verifier.runs.prove_options import ProveOptions
from verifier.verdict import VerdictKind

MODULE = r"""---- MODULE Views ----
EXTENDS Integers
CONSTANTS Node, Most
None == "none"
Nil == -1
ASSUME None \notin Node
Rec == [by : Node, at : 0..Most]
VARIABLES msgs, last, own
TypeOK ==
  /\ msgs \subseteq [by : Node \cup {None}, view : SUBSET Node, at : 0..Most]
  /\ last \in [Node -> [rec : Rec \cup {Nil}, count : 0..Most]]
  /\ own \in [Node -> SUBSET Node]
Min(S) == CHOOSE x \in S : \A y \in S : x <= y
Max(S) == CHOOSE x \in S : \A y \in S : y <= x
Init ==
  /\ msgs = {}
  /\ last = [n \in Node |-> [rec |-> Nil, count |-> 0]]
  /\ own = [n \in Node |-> {n}]
Send(n) ==
  /\ msgs' = msgs \cup {[by |-> n, view |-> own[n], at |-> last[n].count]}
  /\ UNCHANGED <<last, own>>
Take(n, m) ==
  /\ own' = [own EXCEPT ![n] = @ \cup m.view]
  /\ last' = [last EXCEPT ![n].rec = [by |-> n, at |-> Min({m.at, last[n].count})],
                          ![n].count = IF @ < Most THEN @ + 1 ELSE @]
  /\ UNCHANGED msgs
Next == \E n \in Node : Send(n) \/ \E m \in msgs : Take(n, m)
Spec == Init /\ [][Next]_<<msgs, last, own>>

OwnHasSelf == \A n \in Node : n \in own[n]
SenderInView == \A m \in msgs : m.by \in m.view
SenderIsNode == \A m \in msgs : \A n \in Node : n = None => m.by = n
RecordIsPast == \A n \in Node : last[n].count > 0 =>
  \E r \in Rec : last[n].rec = r /\ r.by = n /\ r.at <= last[n].count
SeenAt == \A n \in Node : last[n].count > 0 => 0 <= Max({m.at : m \in msgs})

ViewsAreEqual == \A m, p \in msgs : m.view = p.view
OneView == \A m, p \in msgs : m.by = p.by => m.view = p.view
ViewIsSender == \A m \in msgs : \A x \in m.view : x = m.by
NobodySeesAll == ~ \E m \in msgs : \A n \in Node : n \in m.view
RecordsAreFirst == \A n \in Node : last[n].count > 0 =>
  \E r \in Rec : last[n].rec = r /\ r.at = 0
CountsStay == \A n \in Node : last[n].count = 0
EmptyMax == Max({m.at : m \in msgs}) >= 0
====
"""
CONFIG = """SPECIFICATION Spec
CONSTANTS Node = {n1, n2} Most = 1
CHECK_DEADLOCK FALSE
"""


def _prove(folder: Path, *properties: str, lemmas: tuple[str, ...] = (), text: str = MODULE) -> Run:
    (folder / "Views.tla").write_text(text)
    (folder / "Views.cfg").write_text(CONFIG)
    loaded = load(str(folder / "Views.tla"), {}, reading=ReadingOptions(None, (), lemmas))
    return execute("prove", loaded, ProveOptions(properties=properties, all_constants=True))


def _kinds(run: Run) -> dict[str, str]:
    return {one.property_name: one.kind.name for one in run.outcome.verdicts}


@pytest.mark.slow
def test_true_claims_are_proved_and_certified(tmp_path: Path) -> None:
    names = ("SenderInView", "SenderIsNode", "RecordIsPast")
    run = _prove(tmp_path, *names, lemmas=("OwnHasSelf",))
    assert _kinds(run) == dict.fromkeys(names, "PROVED")
    assert run.outcome.statistics["validation"]["steps"] > 100
    for name in names:
        path = tmp_path / f"{name}.json"
        path.write_text(run.certificate_texts[name])
        checked = certify(read_claim(path, str(tmp_path / "Views.tla"), None, Limits()))
        assert checked.verdict.kind.name == "PROVED", name


@pytest.mark.slow
@pytest.mark.parametrize(
    "claim", ["ViewsAreEqual", "OneView", "ViewIsSender", "NobodySeesAll", "RecordsAreFirst", "CountsStay"]
)
def test_false_claims_are_violated(claim: str, tmp_path: Path) -> None:
    assert _kinds(_prove(tmp_path, claim, lemmas=("OwnHasSelf",))) == {claim: "VIOLATED"}


@pytest.mark.slow
@pytest.mark.parametrize("order", ["n, k", "k, n"])
def test_that_a_record_exists_is_one_predicate_in_any_order(order: str, tmp_path: Path) -> None:
    """The variables of the predicate are in the order of the formula, not of the quantifiers."""
    sees = "Sees(n, k) == \\E m \\in msgs : m.by = n /\\ k \\in m.view\n"
    true = f"SeesItself == \\A {order} \\in Node : Sees(n, k) => Sees(n, n)\n"
    false = f"SeenSees == \\A {order} \\in Node : Sees(n, k) => Sees(k, n)\n"
    text = MODULE.replace("OwnHasSelf ==", f"{sees}{true}{false}OwnHasSelf ==", 1)
    run = _prove(tmp_path, "SeesItself", "SeenSees", lemmas=("OwnHasSelf",), text=text)
    assert _kinds(run) == {"SeesItself": "PROVED", "SeenSees": "VIOLATED"}


def test_the_greatest_of_an_empty_set_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="CHOOSE"):  # the interpreter has no value in the initial state
        _prove(tmp_path, "EmptyMax")


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ("CHOOSE x \\in S : x >= 0", "only the least or greatest"),
        ("CHOOSE x \\in S : \\A y \\in S : x < y", "only the least or greatest"),
        ("CHOOSE x \\in S : \\A y \\in 0..Most : x <= y", "only the least or greatest"),
        ("CHOOSE x \\in S : \\E y \\in S : x <= y", "only the least or greatest"),
        ("CHOOSE x \\in Nat : \\A y \\in Nat : x <= y", "Nat"),
    ],
)
def test_another_choice_is_refused_with_its_place(choice: str, words: str, tmp_path: Path) -> None:
    text = MODULE.replace("CHOOSE x \\in S : \\A y \\in S : x <= y", choice)
    with pytest.raises((UsageError, NotParametric), match=words) as refusal:
        _prove(tmp_path, "OwnHasSelf", text=text)
    assert "Views.tla:13" in str(refusal.value)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("Rec \\cup {Nil}", "Rec \\cup {Nil, -2}", "union"),
        ("ASSUME None \\notin Node", "", "compared"),
    ],
)
def test_what_is_not_known_to_differ_is_refused(old: str, new: str, words: str, tmp_path: Path) -> None:
    with pytest.raises((UsageError, NotParametric), match=words):
        _prove(tmp_path, "SenderIsNode", text=MODULE.replace(old, new))


ABSENT_VIEWS = MODULE.replace("view : SUBSET Node,", "view : (SUBSET Node) \\cup {Nil},")


def test_a_set_that_may_be_absent_is_read(tmp_path: Path) -> None:
    true, false = _prove(tmp_path, "SenderIsNode", "NobodySeesAll", text=ABSENT_VIEWS).outcome.verdicts
    assert true.kind is VerdictKind.PROVED
    assert false.kind is VerdictKind.VIOLATED


OPTIONS = r"""---- MODULE Views ----
EXTENDS Integers
CONSTANTS Node, Most
None == "none"
ASSUME None \notin Node
VARIABLES teams, who, bad
TypeOK ==
  /\ teams \subseteq SUBSET (Node \cup {None})
  /\ who \in Node \cup {None}
  /\ bad \in BOOLEAN
Init == teams = {} /\ who = None /\ bad = FALSE
Choose(team, n, k) ==
  /\ Most > 999 /\ n # k /\ team = {None}
  /\ bad' = TRUE /\ UNCHANGED <<teams, who>>
Join(n) ==
  /\ teams' = teams \cup {{who, n}}
  /\ who' = n /\ UNCHANGED bad
Next == \/ \E team \in SUBSET (Node \cup {None}), n, k \in Node : Choose(team, n, k)
        \/ \E n \in Node : Join(n)
Spec == Init /\ [][Next]_<<teams, who, bad>>
NeverBad == ~bad
NotAlone == \A t \in teams : \E n \in Node : n \in t
====
"""


def test_none_is_one_element_of_a_set(tmp_path: Path) -> None:
    """It is one whatever the variables of its absent value are. So the actions keep the sets within their
    sorts, and a set can have None alone. ``NeverBad`` is false from Most = 1000 on, where neither the
    comparison nor the search for a violation comes."""
    joining = "        \\/ \\E n \\in Node : Join(n)\n"
    choosing = _prove(tmp_path, "NeverBad", text=OPTIONS.replace(joining, ""))
    assert _kinds(choosing) == {"NeverBad": "INCONCLUSIVE"}
    both = _prove(tmp_path, "NeverBad", "NotAlone", text=OPTIONS)
    assert _kinds(both) == {"NeverBad": "INCONCLUSIVE", "NotAlone": "PROVED"}


READS = r"""---- MODULE Views ----
EXTENDS Integers
CONSTANTS Node, Most
Nil == -1
Rec == [by : Node, at : 0..Most]
VARIABLES last, own
TypeOK == last \in [Node -> Rec \cup {Nil}] /\ own \in [0..Most -> Node]
Init ==
  /\ last = [n \in Node |-> IF Most > 99 THEN Nil ELSE [by |-> n, at |-> 0]]
  /\ own \in [0..Most -> Node]
Give(n, k) ==
  /\ Most <= 99 /\ last' = [last EXCEPT ![n] = [by |-> k, at |-> Most]]
  /\ UNCHANGED own
Next == \E n, k \in Node : Give(n, k)
Spec == Init /\ [][Next]_<<last, own>>
Held == Most <= 99 => \A n \in Node : last[n].by \in Node
Member == \A n \in Node : last[n].by \in Node
NotIn == \A n \in Node : last[n].by \notin {}
Part == \A n \in Node : {last[n].by} \subseteq Node
Beyond == Most > 99 => own[Most + 1] \in Node
====
"""


def test_a_read_without_a_value_belongs_to_no_set(tmp_path: Path) -> None:
    """The field of -1 is no element of Node, although every value of its kind is."""
    names = ("Held", "Member", "NotIn", "Part", "Beyond")
    kinds = _kinds(_prove(tmp_path, *names, text=READS))
    assert kinds == {**dict.fromkeys(names, "INCONCLUSIVE"), "Held": "PROVED"}
