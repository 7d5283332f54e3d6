"""Tests of constants whose elements are sets, such as quorums, in proofs for all constants."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from verifier.errors import UsageError
from verifier.parametric.errors import NotParametric
from verifier.processes.limits import Limits
from verifier.runs.asking import execute
from verifier.runs.certifying_all import certify, read_claim
from verifier.runs.loaded import Differs, ReadingOptions
from verifier.runs.loading import load
from verifier.runs.modules.constant_choices import choices_of
from verifier.runs.modules.loading import load as load_module
from verifier.runs.modules.protocol_agreement import Compared, compare
from verifier.runs.prove_options import ProveOptions
from verifier.tla.first_order.constants import classify
from verifier.tla.first_order.families import Families, all_families
from verifier.tla.first_order.protocol_classes import make_protocol
from verifier.tla.first_order.typed import Typed

VOTES = r"""---- MODULE Votes ----
EXTENDS Naturals, FiniteSets
CONSTANTS Node, Quorum, Value
{assume}
VARIABLES vote, decided
TypeOK == vote \in SUBSET (Node \X Value) /\ decided \in SUBSET Value
Init == vote = {} /\ decided = {}
Vote(n, v) == (\A w \in Value : <<n, w>> \notin vote) /\ vote' = vote \cup {<<n, v>>} /\ decided' = decided
Decide(v, Q) == (\A n \in Q : <<n, v>> \in vote) /\ decided' = decided \cup {v} /\ vote' = vote
Next == \/ \E n \in Node, v \in Value : Vote(n, v)
        \/ \E v \in Value, Q \in Quorum : Decide(v, Q)
Agreed == \A v, w \in decided : v = w
Backed == \A v \in decided : \E Q \in Quorum : \A n \in Q : <<n, v>> \in vote
Once == \A n \in Node : \A v, w \in Value : <<n, v>> \in vote /\ <<n, w>> \in vote => v = w
====
"""
MEET = r"ASSUME \A Q, R \in Quorum : Q \cap R # {}"
MAJORITIES = "{{a, b}, {a, c}, {b, c}}"
SMALL = r"""---- MODULE Small ----
EXTENDS Naturals, FiniteSets
CONSTANTS Node, Quorum
{assume}
VARIABLES x, q
TypeOK == x \in SUBSET Node /\ q \in Quorum
Init == x = {} /\ q \in Quorum
Next == {next}
Inv == {inv}
====
"""
STEP = r"(\E n \in Node : x' = x \cup {n} /\ q' = q) \/ (q' \in Quorum /\ x' = q)"


def _votes(
    folder: Path, quorums: str = MAJORITIES, assume: str = "", change: tuple[str, str] = ("", "")
) -> str:
    text = VOTES.replace("{assume}", assume)
    assert change[0] in text
    (folder / "Votes.tla").write_text(text.replace(*change))
    config = "INIT Init\nNEXT Next\nINVARIANT Agreed\nCONSTANTS\nNode = {a, b, c}\nValue = {v, w}\n"
    (folder / "Votes.cfg").write_text(f"{config}Quorum = {quorums}\n")
    return str(folder / "Votes.tla")


def _small(
    folder: Path, inv: str, assume: str = "", after: str = STEP, quorums: str = "{{a, b}, {b}}"
) -> str:
    text = SMALL.replace("{assume}", assume).replace("{inv}", inv).replace("{next}", after)
    (folder / "Small.tla").write_text(text)
    config = "INIT Init\nNEXT Next\nINVARIANT Inv\nCONSTANTS\nNode = {a, b}\n"
    (folder / "Small.cfg").write_text(f"{config}Quorum = {quorums}\n")
    return str(folder / "Small.tla")


def _compare(spec: str) -> Compared:
    specification = load_module(spec, {}).specification
    protocol = make_protocol(specification, tuple(specification.invariants))
    return compare(protocol, lambda given: load_module(spec, given).specification, 0.3, Limits().begin())


# Agreement with the interpreter

READ = {
    "an element": r"\E n \in q : n \in x",
    "a part": r"\A Q \in Quorum : Q \subseteq x => q \subseteq x",
    "an intersection": r"\A Q, R \in Quorum : Q \cap R # {}",
    "a difference": r"\E Q \in Quorum : Q \ x = {}",
    "a union": r"\A Q \in Quorum : Q \cup x = Node",
    "equal sets": r"\E Q \in Quorum : Q = x",
    "equal elements": r"\A Q \in Quorum : Q = q",
    "an empty set": r"q # {} /\ {} \notin Quorum",
    "a set that is sought": r"x \in Quorum",
    "a listed set": r"{n \in Node : n \in x} \in Quorum",
    "some of the sets": r"q \in {Q \in Quorum : Q \subseteq x}",
    "a number of elements": r"\A Q \in Quorum : Cardinality(Q) * 2 > Cardinality(Node)",
    "the number of sets": r"Cardinality(Quorum) > 1",
    "a listed element": r"q \in {q}",
    "all parts": r"q \in SUBSET Node /\ Quorum \subseteq SUBSET Node",
    "all parts of a set": r"Quorum \subseteq SUBSET x",
    "no set": r"Quorum # {}",
}


_TOGETHER = 4
"""The claims of one module, which are compared in the same states."""


@pytest.mark.usefixtures("few_drawn_states")
@pytest.mark.parametrize("first", range(0, len(READ), _TOGETHER))
def test_sets_of_sets_agree_with_the_interpreter(first: int, tmp_path: Path) -> None:
    """Nothing is known of the family here, so that it may be any family of parts."""
    claims = [*READ.values()][first : first + _TOGETHER]
    spec = _small(
        tmp_path,
        "\n".join([claims[0], *(f"Inv{k} == {one}" for k, one in enumerate(claims[1:]))]),
        quorums="{{a, b}, {b}, {}}",
    )
    config = Path(spec).with_suffix(".cfg")
    names = [f"Inv{k}" for k in range(len(claims) - 1)]
    config.write_text(config.read_text().replace("INVARIANT Inv", f"INVARIANTS Inv {' '.join(names)}"))
    compared = _compare(spec)
    assert compared.states > 300
    assert {"Node": 2, "Quorum": 1} in compared.sizes


ASSUMED = {
    "any two meet": MEET,
    "each is a part": r"ASSUME Quorum \subseteq SUBSET Node",
    "each is a part, and they meet": rf"ASSUME (\A Q \in Quorum : Q \subseteq Node) /\ {MEET[7:]}",
    "each has an element": r"ASSUME {} \notin Quorum",
    "each is a majority": r"ASSUME \A Q \in Quorum : Cardinality(Q) * 2 > Cardinality(Node)",
    "all are there": r"ASSUME Node \in Quorum",
}


@pytest.mark.parametrize("what", ASSUMED)
def test_assumptions_agree_with_the_interpreter(what: str, tmp_path: Path) -> None:
    """At the families that violate it, the module and the protocol refuse the constants."""
    assert _compare(_small(tmp_path, "x = x", ASSUMED[what])).states > 300


def test_all_families_of_small_sets_are_compared(tmp_path: Path) -> None:
    constants = classify(load_module(_small(tmp_path, "x = x", quorums="{{a}, {b}}"), {}).specification)
    small = [one for one in choices_of(constants, Random(0)) if one.sizes["Node"] == 2 and not one.is_own]
    assert len(small) == 15
    assert len(set(map(frozenset, (one.families["Quorum"] for one in small)))) == 15
    assert len(list(all_families(1))) == 3


@pytest.mark.parametrize("inv", [r"q \subseteq x", r"\E Q \in Quorum : Q = x", r"x \in Quorum"])
def test_a_wrong_set_is_noticed(inv: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = Families.as_set

    def empty(self: Families, typed: Typed) -> Typed:
        found = right(self, typed)
        return Typed(found.kind, found.value - found.value)

    monkeypatch.setattr(Families, "as_set", empty)
    with pytest.raises(Differs):
        _compare(_small(tmp_path, inv, after="x' = Node /\\ q' = q"))


def test_a_wrong_assumption_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The protocol takes the ASSUME to be weaker than it is, so it accepts more families."""
    monkeypatch.setattr("verifier.tla.first_order.protocol_classes.read_facts", lambda *_: [])
    with pytest.raises(Differs, match="the module refuses these constants"):
        _compare(_small(tmp_path, "x = x", MEET))


# What is refused

REFUSED = {
    "sets that are parts of no constant": ("{{a, b}, {c}}", "are sets or tuples"),
    "sets and elements": ("{{a}, b}", "are sets or tuples"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_other_sets_of_sets_are_refused(what: str, tmp_path: Path) -> None:
    quorums, words = REFUSED[what]
    loaded = load(_small(tmp_path, "x = x", quorums=quorums), {}, reading=ReadingOptions(None, (), ()))
    assert loaded.source is not None
    with pytest.raises((UsageError, NotParametric), match=words):
        loaded.source.as_protocol(loaded, ("Inv",), ())


# Proofs


def _prove(spec: str, *lemmas: str) -> tuple[str, str, str]:
    loaded = load(spec, {}, reading=ReadingOptions(None, (), lemmas))
    run = execute("prove", loaded, ProveOptions(all_constants=True))
    return run.outcome.verdicts[0].kind.name, "; ".join(run.assumptions or ()), "; ".join(run.beyond_declared)


@pytest.mark.slow
def test_agreement_is_proved_for_all_quorums(tmp_path: Path) -> None:
    spec = _votes(tmp_path)
    loaded = load(spec, {}, reading=ReadingOptions(None, (), ("Backed", "Once")))
    run = execute("prove", loaded, ProveOptions(all_constants=True))
    assert run.outcome.verdicts[0].kind.name == "PROVED"
    assert "each element of Quorum is a subset of Node" in (run.assumptions or ())
    assert run.beyond_declared[-1] == "any two elements of Quorum share an element"
    path = tmp_path / "proof.json"
    path.write_text(run.certificate_texts["Agreed"])
    assert certify(read_claim(path, spec, None, Limits())).verdict.reason is None


@pytest.mark.slow
def test_an_assume_of_the_module_is_no_assumption_beyond(tmp_path: Path) -> None:
    verdict, _, beyond = _prove(_votes(tmp_path, assume=MEET), "Backed", "Once")
    assert verdict == "PROVED"
    assert "share" not in beyond


@pytest.mark.slow
def test_agreement_is_proved_without_a_lemma_by_hand(tmp_path: Path) -> None:
    loaded = load(_votes(tmp_path, assume=MEET), {}, reading=ReadingOptions(None, (), ()))
    run = execute("prove", loaded, ProveOptions(all_constants=True, suggest=True))
    assert run.outcome.verdicts[0].kind.name == "PROVED"
    (text,) = run.outcome.statistics["suggested"]["Agreed"]
    assert "\\E Q \\in Quorum" in text


NOT_PROVED = {
    "quorums that do not meet": ("{{a, b}, {c}}", "", ("", "")),
    "an ASSUME that does not make quorums meet": (MAJORITIES, r"ASSUME {} \notin Quorum", ("", "")),
    "two votes": (MAJORITIES, MEET, (r"(\A w \in Value : <<n, w>> \notin vote) /\ ", "")),
    "one vote is enough": (MAJORITIES, MEET, (r"(\A n \in Q", r"(\E n \in Q")),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", NOT_PROVED)
def test_what_is_false_is_not_proved(what: str, tmp_path: Path) -> None:
    """An execution at few nodes and quorums violates it."""
    assert _prove(_votes(tmp_path, *NOT_PROVED[what]), "Backed", "Once")[0] == "VIOLATED"
