"""Lemmas suggested for proofs for all constants: clauses of small constants, lifted and tried."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import ROOT, verify
from tests.support.sampling import rest_slow
from verifier.engines.all_constants import not_begun
from verifier.parametric.lifted import Lifter, method
from verifier.parametric.protocol_readings import read_traced
from verifier.runs.suggested_proofs import prove_with_suggestions
from verifier.runs.suggesting import readable
from verifier.specs.protocol import define
from verifier.specs.registry import load
from verifier.system.model import Model, build

LOCK = ROOT / "docs" / "tutorial" / "ticket_lock.py"
CONSTANTS = {"clients": 2, "last_ticket": 2}


def lifter() -> tuple[Lifter, Model]:
    kind = load(str(LOCK))
    model = build(define(kind(CONSTANTS)))
    sorts = {v.name: v.sort for v in read_traced(kind, CONSTANTS).definition.variables}
    return Lifter(model.layout, sorts, {"client": "clients"}), model


def lock_without(folder: Path, lemma: str) -> Path:
    """The file of the lock without one of its lemmas."""
    before, _, rest = LOCK.read_text(encoding="utf-8").partition(f"    @lemma\n    def {lemma}(")
    assert rest
    after = rest.partition("    @lemma\n")
    found = folder / "lock.py"
    found.write_text(before + "".join(after[1:]), encoding="utf-8")
    return found


def test_a_clause_becomes_a_formula_of_any_elements_and_numbers() -> None:
    lift, _ = lifter()
    both_zero = [(f"ticket[{c}]#{bit}", bit == 1) for c in ("c1", "c2") for bit in (0, 1)]
    texts = [one.text for one in lift.lift([both_zero])]
    assert any("(a != b) & (s.ticket[a] == k) & (s.ticket[b] == k)" in text for text in texts)
    assert all("for k in Range(0, self.last_ticket)" in text for text in texts if " k)" in text)


def test_what_is_lifted_can_be_read_by_both_readings() -> None:
    """Also where the text goes over several lines, and of every clause over one or two bits."""
    lift, model = lifter()
    names = [bit.symbol_name() for bit in model.layout.bits]
    clauses = [[(a, False), (b, True)] for a in names[:6] for b in names[4:10] if a != b]
    found = lift.lift(clauses)
    assert len(found) > 30
    pairs = [(f"suggested_{place}", one.text) for place, one in enumerate(found)]
    assert readable(load(str(LOCK)), pairs, CONSTANTS) == pairs


def test_elements_that_differ_by_chance_may_be_equal() -> None:
    """Of three different elements, the guesses keep all inequalities, one of them, or none."""
    lift, _ = lifter()
    three = build(define(load(str(LOCK))({"clients": 3, "last_ticket": 1})))
    lift = Lifter(three.layout, lift.sorts, {"client": "clients"})
    clause = [(f"holders[{c}]", True) for c in ("c1", "c2", "c3")]
    kept = {tuple(part for part in one.parts if "!=" in part) for one in lift.lift([clause]) if one.is_split}
    assert {(), ("(a != b)",), ("(a != c)",), ("(b != c)",)} <= kept


def test_a_formula_that_means_nothing_is_left_out() -> None:
    pairs = [("wrong", "s.served.is_some"), ("right", "s.served <= s.drawn")]
    assert readable(load(str(LOCK)), pairs, CONSTANTS) == pairs[1:]
    assert method("one", "s.up", "Why.").splitlines()[1:] == [
        "    def one(self, s):",
        '        """Why."""',
        "        return s.up",
    ]


@pytest.mark.parametrize("lemma", rest_slow(["tickets_differ", "tickets_were_drawn", "holder_is_served"], 1))
def test_a_lemma_that_the_lock_lacks_is_found(lemma: str, tmp_path: Path) -> None:
    """The printed lemma is pasted, and then the proof succeeds."""
    spec = lock_without(tmp_path, lemma)
    asked = ("prove", "--property", "mutual_exclusion", "--all-constants", "--format", "json")
    done = verify(*asked, "--spec", str(spec), "--suggest")
    content = json.loads(done.stdout)
    assert done.exit_code == 12
    texts = content["statistics"]["suggested"]["mutual_exclusion"]
    assert texts
    spec.write_text("\n".join([spec.read_text(encoding="utf-8"), *texts]), encoding="utf-8")
    assert verify(*asked, "--spec", str(spec)).exit_code == 0


def test_lemmas_that_properties_share_are_printed_once_and_under_names_that_are_free(tmp_path: Path) -> None:
    """All that is printed can be pasted into the class."""
    spec = lock_without(tmp_path, "tickets_differ")
    text = spec.read_text(encoding="utf-8").replace("def holder_is_served(", "def suggested_1(")
    alone = "forall((a == b) | ~s.holders.contains(b) for a in s.holders for b in self.clients)"
    text += f"\n    @invariant\n    def alone(self, s):\n        return {alone}\n\n"
    spec.write_text(text, encoding="utf-8")
    asked = ("prove", str(spec), "--property", "mutual_exclusion", "--property", "alone", "--all-constants")
    said = verify(*asked, "--suggest").stdout
    assert "The proofs of mutual_exclusion and alone need the following lemmas." in said
    printed = said[said.index("    @lemma") : said.index("PROVED: ") if "PROVED: " in said else None]
    lines = [line for line in printed.splitlines() if line.startswith("    ") or not line]
    names = [line.split("(")[0] for line in lines if line.startswith("    def ")]
    assert names
    assert len(set(names)) == len(names)
    assert "    def suggested_1" not in names
    spec.write_text(text + "\n".join(lines), encoding="utf-8")
    assert verify(*asked).exit_code == 0


def test_suggest_belongs_to_proofs_for_all_constants() -> None:
    done = verify("prove", "--spec", str(LOCK), "--suggest")
    assert done.exit_code == 2
    assert "--all-constants" in done.output


def test_a_search_for_lemmas_that_never_began_is_said_to_have_ended() -> None:
    outcome = not_begun(["mutual_exclusion"], "timeout of 1 s")
    unused: Any = None
    suggested = prove_with_suggestions(unused, unused, outcome)
    assert suggested.statistics["suggesting_ended"] == "timeout of 1 s before it began"
