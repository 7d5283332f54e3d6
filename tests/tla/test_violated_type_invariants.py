"""Runs for all constants on modules whose executions violate the type invariant."""

from __future__ import annotations

from pathlib import Path

from verifier.outcomes.run import Run
from verifier.processes.limits import Limits
from verifier.runs.asking import execute
from verifier.runs.loading import load
from verifier.runs.modules.loading import TlaLoaded
from verifier.runs.modules.loading import load as load_module
from verifier.runs.modules.type_violations import LeavesSorts, find_violations
from verifier.runs.prove_options import ProveOptions
from verifier.text.all_constants import render_for_all

MODULE = r"""---- MODULE Effects ----
EXTENDS Naturals
CONSTANT Node
VARIABLES count, taken
TypeOK == count \in 0..1 /\ taken \in SUBSET Node
Init == count = 0 /\ taken = {}
Take(n) == n \notin taken /\ taken' = taken \cup {n} /\ count' = count + 1
Next == \E n \in Node : Take(n)
Spec == Init /\ [][Next]_<<count, taken>>
AtMostOne == \A m, n \in taken : m = n
Counted == taken = {} => count = 0
Stays == [][taken = {}]_<<count, taken>>
====
"""
CONFIG = """SPECIFICATION Spec
CONSTANT Node = {nodes}
INVARIANTS AtMostOne Counted
PROPERTY Stays
CHECK_DEADLOCK FALSE
"""


def _prove(folder: Path, text: str = MODULE, nodes: str = "{a, b}", *properties: str) -> Run:
    options = ProveOptions(properties=properties, all_constants=True)
    return execute("prove", load(str(_write(folder, text, nodes)), {}), options)


def _write(folder: Path, text: str, nodes: str) -> Path:
    (folder / "Effects.tla").write_text(text)
    (folder / "Effects.cfg").write_text(CONFIG.replace("{nodes}", nodes))
    return folder / "Effects.tla"


def _kinds(run: Run) -> dict[str, str]:
    return {one.property_name: one.kind.name for one in run.outcome.verdicts}


def test_the_type_invariant_is_violated_with_an_execution(tmp_path: Path) -> None:
    """It need not be asked for. A violated property that was asked for has an execution, too."""
    run = _prove(tmp_path)
    assert _kinds(run) == {
        "TypeOK": "VIOLATED",
        "AtMostOne": "VIOLATED",
        "Counted": "INCONCLUSIVE",
        "Stays": "VIOLATED",
    }
    assert run.exit_code == 10
    verdicts = {one.property_name: one for one in run.outcome.verdicts}
    trace = verdicts["TypeOK"].trace
    assert trace is not None
    assert [one.name for one in trace.actions] == ["Take", "Take"]
    assert verdicts["TypeOK"].reason == "with Node=2"
    assert verdicts["Counted"].reason == "TypeOK is violated with Node=2, and each proof needs it"
    shown = "\n".join(str(line) for line in render_for_all(run, 100, full=False))
    assert "Effects.tla:5: count \\in 0..1 is false" in shown
    assert not run.certificate_texts


def test_a_violation_at_other_constants_than_those_of_the_configuration_is_found(tmp_path: Path) -> None:
    run = _prove(tmp_path, MODULE, "{a}", "Counted")
    assert _kinds(run) == {"TypeOK": "VIOLATED", "Counted": "INCONCLUSIVE"}
    assert run.outcome.verdicts[0].reason == "with Node=2"


def test_an_initial_state_may_violate_it(tmp_path: Path) -> None:
    """No step leaves a sort here: the initial state is outside."""
    text = MODULE.replace("Init == count = 0", "Init == count = 2").replace("count + 1", "0")
    run = _prove(tmp_path, text, "{a}", "TypeOK", "Counted")
    assert _kinds(run) == {"TypeOK": "VIOLATED", "Counted": "VIOLATED"}
    assert run.outcome.verdicts[0].steps == 0


def test_without_an_execution_nothing_is_claimed(tmp_path: Path) -> None:
    """The comparison says that the type invariant is violated, where it is not: no verdict may follow."""
    module: TlaLoaded = load_module(str(_write(tmp_path, MODULE, "{a}")), {})
    met = LeavesSorts("a variable leaves its sort", module.specification, "Node=1")
    assert not find_violations(met, "TypeOK", (), module.definition, Limits().begin()).verdicts
