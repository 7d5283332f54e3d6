"""Formulas of all states and steps of a graph at once, beside the interpreter state by state."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.lasting_modules import MODULES
from tests.support.tla_modules import specify_module
from verifier.tla import state_graph
from verifier.tla.columns import level_choice as levels
from verifier.tla.columns.unsuited import Unsuited
from verifier.tla.explorer import Explorer
from verifier.tla.frames import Undefined
from verifier.tla.specification import Specification
from verifier.tla.state_graph import Graph, Recorder
from verifier.tla.unfolding import Always, Eventually, Fair, Leaf, Not, Several, Unfolded, unfold_formula

QUIET = "SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\n"
TWO = "EXTENDS Integers, TLC\nVARIABLES x, y\nvars == <<x, y>>\n"


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use columns for small graphs too, however long that takes."""
    monkeypatch.setattr(state_graph, "_LARGE", 1)
    monkeypatch.setattr(levels, "_LARGE", 1)
    monkeypatch.setattr(levels, "_TRIED_SECONDS", 1e9)


def _graph(spec: Specification, *, by_columns: bool) -> Graph:
    explorer = Explorer(spec, properties=(), keep_going=True, by_columns=by_columns)
    recorder = Recorder(explorer)
    explorer.explore()
    searches = not any(spec.evaluator.analysis.of(one.body, one.module).changing for one in spec.constraints)
    assert (explorer.columns.search is not None) is (by_columns and searches)
    graph = recorder.graph(explorer, lambda: None)
    return graph if by_columns else Graph(**{**vars(graph), "by_columns": lambda: None})


def _leaves(formula: Unfolded) -> list[Leaf]:
    match formula:
        case Leaf():
            return [formula]
        case Fair():
            return [formula.enabled, formula.step]
        case Several():
            return [leaf for part in formula.parts for leaf in _leaves(part)]
        case Not() | Always() | Eventually():
            return _leaves(formula.part)


def _truth(graph: Graph, leaf: Leaf) -> list[bool] | str:
    """Return the truth of a formula in all states or steps, or its error."""
    try:
        if leaf.stuttering is None:
            return list(map(bool, graph.where(leaf)))
        return list(map(bool, graph.steps(leaf, np.ones(len(graph.sources), np.bool_))))
    except Undefined as error:
        return str(error)


def _leaves_of(spec: Specification) -> list[Leaf]:
    formulas = [*spec.fairness, *(part for one in spec.properties.values() for part in one.parts)]
    return [leaf for one in formulas for leaf in _leaves(unfold_formula(spec.evaluator, one))]


def _compare(spec: Specification) -> tuple[Graph, list[Leaf]]:
    """Compare both ways on all formulas of a specification. Return the graph and the formulas."""
    plain, graph = _graph(spec, by_columns=False), _graph(spec, by_columns=True)
    assert list(graph.states) == list(plain.states)
    assert (graph.sources == plain.sources).all()
    assert (graph.targets == plain.targets).all()
    leaves = _leaves_of(spec)
    for leaf in leaves:
        assert _truth(graph, leaf) == _truth(plain, leaf), leaf.body.place
    return graph, leaves


def _decides(graph: Graph, leaf: Leaf) -> bool:
    """True if columns decide a formula of a state."""
    formulas = graph.by_columns()
    assert formulas is not None
    try:
        formulas.where(leaf.body, leaf.module)
    except (Undefined, Unsuited):
        return False
    return True


@pytest.mark.parametrize(("name", "fairness"), [(n, f) for n, one in MODULES.items() for f in one.fairness])
def test_formulas_of_modules_that_tlc_judged(tmp_path: Path, name: str, fairness: str) -> None:
    small = MODULES[name]
    asked = "".join(f"PROPERTY {claim}\n" for claim in small.properties)
    body = small.text().partition("\n")[2].rpartition("====")[0]
    config = f"SPECIFICATION Spec{fairness}\nCHECK_DEADLOCK FALSE\n{small.config}\n{asked}"
    _compare(specify_module(tmp_path, body, config))


def test_steps_of_all_kinds(tmp_path: Path) -> None:
    body = TWO + (
        "Init == x = 0 /\\ y \\in 0..2\n"
        "Up(n) == x < n /\\ x' = x + 1 /\\ UNCHANGED y\n"
        "Swap == x' = y /\\ y' = x\n"
        "Next == (\\E n \\in 2..4 : Up(n)) \\/ Swap\n"
        "Fair == WF_vars(Swap) /\\ SF_y(Swap) /\\ \\A n \\in 2..4 : WF_x(LET m == n IN Up(m))\n"
        "Spec == Init /\\ [][Next]_vars /\\ Fair\n"
        "Live == [][x' > x \\/ y' # y]_vars /\\ []<>(x = y) /\\ [](ENABLED <<Swap>>_x => x # y)\n"
    )
    graph, leaves = _compare(specify_module(tmp_path, body, f"{QUIET}PROPERTY Live\n"))
    assert len(graph.sources) > 20
    enabled = [leaf for leaf in leaves if "ENABLED" in str(leaf.body) or leaf.stuttering is None]
    assert any(_decides(graph, leaf) for leaf in enabled)


def test_a_formula_of_the_search_is_decided_state_by_state(tmp_path: Path) -> None:
    body = TWO + (
        "Init == x = 0 /\\ y = 0\n"
        "Next == x < 5 /\\ x' = x + 1 /\\ UNCHANGED y\n"
        "Spec == Init /\\ [][Next]_vars\n"
        'Live == []<>(TLCGet("level") > 3)\n'
    )
    spec = specify_module(tmp_path, body, f"{QUIET}PROPERTY Live\n")
    graph, (leaf,) = _graph(spec, by_columns=True), _leaves_of(spec)
    assert not _decides(graph, leaf)
    assert _truth(graph, leaf) == [False, False, False, True, True, True]


@pytest.mark.parametrize("second", ["x' = 1 \\div (x - 2) /\\ y' = 0", "x' = 7"])
def test_enabled_looks_no_further_than_the_first_step(tmp_path: Path, second: str) -> None:
    body = TWO + (
        "Init == x = 0 /\\ y = 0\n"
        "Next == x < 3 /\\ x' = x + 1 /\\ UNCHANGED y\n"
        f"Odd == (x' = x + 1 /\\ y' = y) \\/ ({second})\n"
        "Spec == Init /\\ [][Next]_vars\n"
        "Live == []<>(ENABLED <<Odd>>_vars)\n"
    )
    spec = specify_module(tmp_path, body, f"{QUIET}PROPERTY Live\n")
    graph, (leaf,) = _graph(spec, by_columns=True), _leaves_of(spec)
    assert not _decides(graph, leaf)
    assert _truth(graph, leaf) == [True] * 4


def test_an_error_is_that_of_the_first_state(tmp_path: Path) -> None:
    body = TWO + (
        "Init == x = 0 /\\ y = 0\n"
        "Next == x < 5 /\\ x' = x + 1 /\\ y' = 5 - x\n"
        "Spec == Init /\\ [][Next]_vars\n"
        "Live == [][x < 2 \\/ 1 \\div (y - 3) > 0]_x\n"
    )
    spec = specify_module(tmp_path, body, f"{QUIET}PROPERTY Live\n")
    graph, leaves = _compare(spec)
    assert any("div" in str(_truth(graph, leaf)) or "zero" in str(_truth(graph, leaf)) for leaf in leaves)
