"""Tests of lemmas that are suggested by the guards of a module's actions."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.runs.guard_lemmas import guard_lemmas
from verifier.runs.loaded import Loaded, ReadingOptions
from verifier.runs.loading import load
from verifier.runs.reading_for_all import class_of, reading_of
from verifier.runs.suggesting import lemma_terms, readable

MODULE = r"""---- MODULE Elect ----
EXTENDS Naturals, FiniteSets
CONSTANTS Node, Quorum, Nil
VARIABLES vote, votes, leader, asked
TypeOK == /\ vote \in [Node -> Node \cup {Nil}] /\ votes \in [Node -> SUBSET Node]
          /\ leader \in SUBSET Node /\ asked \in [Node -> BOOLEAN]
Init == /\ vote = [n \in Node |-> Nil] /\ votes = [n \in Node |-> {}]
        /\ leader = {} /\ asked = [n \in Node |-> FALSE]
{actions}
Next == Act
Inv == \A n, m \in leader : n = m
====
"""
CONFIG = "INIT Init\nNEXT Next\nINVARIANT Inv\nCONSTANTS\nNode = {a, b}\nQuorum = {{a, b}}\nNil = Nil\n"
SAME = {"vote", "votes", "leader", "asked"}


def _load(folder: Path, step: str, parameters: str, more: str = "") -> Loaded:
    changed = {name for name in SAME if f"{name}'" in step}
    rest = "".join(f" /\\ {name}' = {name}" for name in sorted(SAME - changed))
    text = MODULE.replace("{actions}", f"{more}\nAct == \\E {parameters} : {step}{rest}")
    assert text != MODULE
    (folder / "Elect.tla").write_text(text)
    (folder / "Elect.cfg").write_text(CONFIG)
    loaded = load(str(folder / "Elect.tla"), {}, reading=ReadingOptions(None, (), ()))
    assert loaded.source is not None
    return loaded.source.as_protocol(loaded, ("Inv",), ())


def _texts(loaded: Loaded) -> list[str]:
    assert loaded.of_module is not None
    kind, constants = class_of(loaded), dict(reading_of(loaded).constants)
    pairs = readable(kind, [(f"guard_{n}", one) for n, one in enumerate(guard_lemmas(kind))], constants)
    terms = lemma_terms(kind, pairs, constants)
    lines = [loaded.of_module.write_module({name: term}).splitlines()[3] for name, term in terms.items()]
    return [line.split(" == ")[1] for line in lines]


SAID = {
    "a set gains an element": (
        r"asked[n] /\ leader' = leader \cup {n}",
        r"n \in Node",
        [r"\A n \in Node : ((n \in leader) => asked[n])"],
    ),
    "a set loses an element": (
        r"asked[n] /\ leader' = leader \ {n}",
        r"n \in Node",
        [r"\A n \in Node : (~(n \in leader) => asked[n])"],
    ),
    "a place of a function": (
        r"asked[m] /\ vote' = [vote EXCEPT ![n] = m]",
        r"n, m \in Node",
        [r"\A n, m \in Node : ((vote[n] = m) => asked[m])"],
    ),
    "a set in a function": (
        r"vote[m] = n /\ votes' = [votes EXCEPT ![n] = @ \cup {m}]",
        r"n, m \in Node",
        [r"\A n, m \in Node : ((m \in votes[n]) => (vote[m] = n))"],
    ),
    "another parameter": (
        r"vote[m] = n /\ leader' = leader \cup {n}",
        r"n, m \in Node",
        [r"\A n \in Node : ((n \in leader) => \E m \in Node : (vote[m] = n))"],
    ),
    "a quorum": (
        r"Q \subseteq votes[n] /\ leader' = leader \cup {n}",
        r"n \in Node, Q \in Quorum",
        [
            (
                r"\A n \in Node : ((n \in leader) => \E Q \in Quorum : \A x \in Node : "
                r"((x \in Q) => (x \in votes[n])))"
            )
        ],
    ),
    "a majority": (
        r"Cardinality(Q) * 2 > Cardinality(Node) /\ (\A m \in Q : vote[m] = n) /\ leader' = leader \cup {n}",
        r"n \in Node, Q \in SUBSET Node",
        [
            (
                r"\A n \in Node : ((n \in leader) => "
                r"(Cardinality(Node) < (Cardinality({m \in Node : (vote[m] = n)}) * 2)))"
            )
        ],
    ),
    "two things at once": (
        r"asked[m] /\ leader' = leader \cup {n} /\ votes' = [votes EXCEPT ![m] = @ \cup {n}]",
        r"n, m \in Node",
        [
            r"\A n, m \in Node : ((n \in votes[m]) => asked[m])",
            r"\A n \in Node : ((n \in leader) => \E m \in Node : asked[m])",
            r"\A n \in Node : ((n \in leader) => \E m \in Node : (asked[m] /\ (n \in votes[m])))",
        ],
    ),
    "a set that a line defines": (
        r"votes[n] = Q /\ Cardinality(Q) > 1 /\ leader' = leader \cup {n}",
        r"n \in Node, Q \in SUBSET Node",
        [r"\A n \in Node : ((n \in leader) => (1 < Cardinality(votes[n])))"],
    ),
    "a set without a rule": (
        r"Cardinality(Q) > 1 /\ leader' = leader \cup {n}",
        r"n \in Node, Q \in SUBSET Node",
        [],
    ),
}


@pytest.mark.parametrize("what", SAID)
def test_what_an_action_brings_about_implies_its_guard(what: str, tmp_path: Path) -> None:
    step, parameters, said = SAID[what]
    assert _texts(_load(tmp_path, step, parameters)) == said


def test_names_in_texts_differ_from_those_around(tmp_path: Path) -> None:
    """The module calls both variables n, one in an operator."""
    step = r"Free /\ leader' = leader \cup {n}"
    texts = _texts(_load(tmp_path, step, r"n \in Node", r"Free == \A n \in Node : vote[n] = Nil"))
    assert texts == [r"\A n \in Node : ((n \in leader) => \A n_ \in Node : (vote[n_] = Nil))"]
