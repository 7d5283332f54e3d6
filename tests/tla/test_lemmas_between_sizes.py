"""Lemmas of a ring of processes, which IC3 finds between the least constants and those of the configuration.

Source: L. Lamport, "Teaching Concurrency", ACM SIGACT News 40(1), 2009.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.outcomes.run import Run
from verifier.runs.asking import execute
from verifier.runs.loading import load
from verifier.runs.prove_options import ProveOptions

RING = r"""---- MODULE Ring ----
EXTENDS Integers
CONSTANT N
ASSUME N > 0
VARIABLES x, y, pc
vars == <<x, y, pc>>
TypeOK == /\ x \in [0..(N - 1) -> {0, 1}] /\ y \in [0..(N - 1) -> {0, 1}]
          /\ pc \in [0..(N - 1) -> {"a", "b", "Done"}]
Init == /\ x = [i \in 0..(N - 1) |-> 0] /\ y = [i \in 0..(N - 1) |-> 0]
        /\ pc = [i \in 0..(N - 1) |-> "a"]
a(i) == pc[i] = "a" /\ x' = [x EXCEPT ![i] = 1] /\ pc' = [pc EXCEPT ![i] = "b"] /\ y' = y
b(i) == pc[i] = "b" /\ y' = [y EXCEPT ![i] = x[(i - 1) % N]] /\ pc' = [pc EXCEPT ![i] = "Done"] /\ x' = x
Next == \E i \in 0..(N - 1) : a(i) \/ b(i)
Some == (\A i \in 0..(N - 1) : pc[i] = "Done") => \E i \in 0..(N - 1) : y[i] = 1
====
"""


def _suggest(folder: Path, text: str) -> Run:
    (folder / "Ring.tla").write_text(text)
    config = "INIT Init\nNEXT Next\nINVARIANT Some\nCONSTANT N = 4\nCHECK_DEADLOCK FALSE\n"
    (folder / "Ring.cfg").write_text(config)
    options = ProveOptions(all_constants=True, suggest=True)
    return execute("prove", load(str(folder / "Ring.tla"), {}), options)


@pytest.mark.slow
def test_a_lemma_of_the_ring_is_found_for_any_number_of_processes(tmp_path: Path) -> None:
    run = _suggest(tmp_path, RING)
    assert run.outcome.verdicts[0].kind.name == "PROVED"
    (text,) = run.outcome.statistics["suggested"]["Some"]
    assert "x[" in text


@pytest.mark.slow
def test_a_ring_whose_processes_do_not_wait_is_violated(tmp_path: Path) -> None:
    run = _suggest(tmp_path, RING.replace('b(i) == pc[i] = "b"', "b(i) == TRUE"))
    assert run.outcome.verdicts[0].kind.name == "VIOLATED"
