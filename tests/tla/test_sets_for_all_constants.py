"""Sets in proofs for all constants: unions, no elements, sets that may be absent, claims refused alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from verifier.errors import UsageError
from verifier.outcomes.run import Run
from verifier.processes.limits import Limits
from verifier.runs.asking import execute
from verifier.runs.certifying_all import certify, read_claim
from verifier.runs.loaded import ReadingOptions
from verifier.runs.loading import load
from verifier.runs.prove_options import ProveOptions
from verifier.tla.first_order.scopes import Unread

pytestmark = pytest.mark.usefixtures("few_drawn_states")

MODULE = r"""---- MODULE Teams ----
EXTENDS Naturals, FiniteSets
CONSTANTS Node, None
VARIABLES fam, own, g
TypeOK == /\ fam \in SUBSET (SUBSET Node) /\ own \in [Node -> SUBSET Node]
          /\ g \in [Node -> (SUBSET Node) \cup {None}]
Init == fam = {} /\ own = [n \in Node |-> {}] /\ g = [n \in Node |-> None]
Owners == {m \in Node : own[m] # {}}
Give(n) == own' = [own EXCEPT ![n] = @ \cup {n}] /\ UNCHANGED <<fam, g>>
New(A) == A # {} /\ fam' = fam \cup {A} /\ UNCHANGED <<own, g>>
Mark(n) == g' = [g EXCEPT ![n] = Owners] /\ UNCHANGED <<own, fam>>
Next == (\E n \in Node : Give(n) \/ Mark(n)) \/ (\E A \in SUBSET Node : New(A))
CLAIMS
====
"""
CONFIG = """INIT Init
NEXT Next
CONSTANTS Node = {a, b}
None = None
CHECK_DEADLOCK FALSE
"""


def _prove(folder: Path, claims: Mapping[str, str], *names: str, lemmas: tuple[str, ...] = ()) -> Run:
    spec = folder / "Teams.tla"
    text = "\n".join(f"{name} == {claim}" for name, claim in claims.items())
    spec.write_text(MODULE.replace("CLAIMS", text), encoding="utf-8")
    spec.with_suffix(".cfg").write_text(CONFIG, encoding="utf-8")
    loaded = load(str(spec), {}, reading=ReadingOptions(None, (), lemmas))
    return execute("prove", loaded, ProveOptions(properties=names or tuple(claims), all_constants=True))


def _kinds(run: Run) -> dict[str, str]:
    return {one.property_name: one.kind.name for one in run.outcome.verdicts}


TRUE = {
    "UnionOfVariable": r"UNION fam \subseteq Node",
    "UnionAndParts": r"\A A \in fam : A \subseteq UNION fam",
    "UnionWithoutElements": r"UNION fam = {} => fam = {}",
    "UnionOfImage": r"UNION {own[n] : n \in Node} = {v \in Node : \E n \in Node : v \in own[n]}",
    "UnionOfWritten": r"\A n \in Node : UNION {own[n], {}} = own[n]",
    "UnionOfNothing": r"UNION {} = {} /\ Cardinality(UNION {{}}) = 0",
    "UnionOfParts": r"UNION SUBSET Node = Node",
    "AbsentSet": r"\A n \in Node : g[n] # None => g[n] \subseteq Owners",
    "MembersOfAbsentSet": r"\A n \in Node : g[n] # None => \A m \in g[n] : own[m] # {}",
    "NoElements": r"Cardinality({}) = 0 /\ Cardinality({} \cap fam) = 0 /\ {} = {}",
    "NoConditions": r"{} \cap {z \in {} : z = z} = {} /\ (\A z \in {} : z = 1)",
    "NoImages": r"{<<z, z>> : z \in {}} = {} /\ ~(\E n \in Node, z \in {} : z = n)",
}
FALSE = {
    "NoUnion": r"UNION fam # Node",
    "NoUnionOfImage": r"UNION {own[n] : n \in Node} = {}",
    "AbsentSetIsAll": r"\A n \in Node : g[n] # None => g[n] = Owners",
    "SomeOfNone": r"\E z \in {} : z = z",
    "OneOfNone": r"Cardinality({}) = 1",
}


def test_what_is_true_is_proved(tmp_path: Path) -> None:
    run = _prove(tmp_path, TRUE)
    assert _kinds(run) == dict.fromkeys(TRUE, "PROVED"), [one.reason for one in run.outcome.verdicts]


def test_what_is_false_is_violated(tmp_path: Path) -> None:
    """The comparison with the interpreter is about the same claims."""
    kinds = _kinds(_prove(tmp_path, FALSE))
    assert set(kinds.values()) == {"VIOLATED"}


UNGUARDED = {
    "Members": r"\A n \in Node : \A m \in g[n] : own[m] # {}",
    "Part": r"\A n \in Node : g[n] \subseteq Owners",
    "Union": r"UNION {g[n] : n \in Node} \subseteq Owners",
    "Count": r"\A n \in Node : Cardinality(g[n]) >= 0",
    "Filter": r"\A n \in Node : {m \in g[n] : own[m] = {}} = {}",
}


@pytest.mark.parametrize("claim", UNGUARDED)
def test_a_claim_that_reads_an_absent_set_is_refused(claim: str, tmp_path: Path) -> None:
    """In the initial state g[n] is None, and no set. So TLC ends with an error there."""
    with pytest.raises(UsageError, match=r"expected here|the elements of this set are None or"):
        _prove(tmp_path, {claim: UNGUARDED[claim]})


NOT_READ = r"\A n \in Nat : n >= 0"


def test_a_claim_without_a_reading_is_refused_alone(tmp_path: Path) -> None:
    run = _prove(tmp_path, {"Claim": "Cardinality(fam) >= 0", "Other": NOT_READ}, "Other", "Claim", "TypeOK")
    assert _kinds(run) == {"Claim": "PROVED", "TypeOK": "PROVED", "Other": "INCONCLUSIVE"}
    reasons = {one.property_name: one.reason or "" for one in run.outcome.verdicts}
    assert "Teams.tla:14:" in reasons["Other"]
    assert "such as Nat: write a range" in reasons["Other"]
    assert run.exit_code == 12
    path, spec = tmp_path / "c.json", str(tmp_path / "Teams.tla")
    path.write_text(run.certificate_texts["Claim"])
    assert certify(read_claim(path, spec, None, Limits())).verdict.reason is None


def test_a_claim_without_a_reading_that_nobody_asks_for_is_not_read(tmp_path: Path) -> None:
    assert _kinds(_prove(tmp_path, {"Claim": "TRUE", "Other": NOT_READ}, "Claim")) == {"Claim": "PROVED"}


def test_a_lemma_without_a_reading_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unread, match="such as Nat: write a range"):
        _prove(tmp_path, {"Claim": "TRUE", "Other": NOT_READ}, "Claim", "TypeOK", lemmas=("Other",))


def test_all_claims_without_a_reading_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Unread, match="such as Nat: write a range"):
        _prove(tmp_path, {"Claim": NOT_READ, "Other": NOT_READ})


def test_the_union_of_other_values_is_refused_with_advice(tmp_path: Path) -> None:
    with pytest.raises(Unread, match=r"UNION is read of a set of sets.*write \{x .in S"):
        _prove(tmp_path, {"Claim": "UNION Node = {}"})


def test_a_set_that_may_be_absent_is_described_so(tmp_path: Path) -> None:
    with pytest.raises(Unread, match=r"None or a set whose elements are an element of Node"):
        _prove(tmp_path, {"Claim": r"\A n \in Node : g[n] = 1"})
