"""State spaces: explored twice, by each of the explorers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.support.tla_modules import question_of, translate_body
from verifier.engines.growth import StateBudget
from verifier.engines.proof_by_exploring import _CompiledStates
from verifier.engines.search_by_exploring import Told
from verifier.engines.state_space import ExplorationsDiffer, Explored, StateSpace, explore_twice
from verifier.processes.limits import Limits
from verifier.runs.modules.proving import _InterpretedStates
from verifier.system.model import build

_ALL = Explored(("Inv",), 7, 3, (), ("Next",), 1.0)


@dataclass
class Space:
    """Explorations with these results."""

    first: Explored | None
    again: Explored | None
    asked: int = 0

    def explore(self) -> Explored | None:
        self.asked += 1
        return self.first

    def explore_again(self) -> Explored | None:
        self.asked += 1
        return self.again


def test_explorations_agree_or_contradict_each_other_or_do_not_end() -> None:
    slower = replace(_ALL, seconds=9.0)
    assert explore_twice(Space(_ALL, slower)) == replace(_ALL, seconds_again=9.0)
    for other in (replace(_ALL, states=8), replace(_ALL, holds=()), replace(_ALL, levels=(1, 6))):
        assert isinstance(explore_twice(Space(_ALL, other)), ExplorationsDiffer)
    assert explore_twice(Space(_ALL, None)) is None
    unfinished = Space(None, _ALL)
    assert explore_twice(unfinished) is None
    assert unfinished.asked == 1


@pytest.mark.parametrize("bound", [3, 9])
def test_both_explorers_visit_the_same_states(tmp_path: Path, bound: int) -> None:
    body = (
        "EXTENDS Naturals\nVARIABLES x, y\nInit == x \\in 0..1 /\\ y = 0\n"
        f"Next == \\/ x < {bound} /\\ x' = x + 1 /\\ y' = y\n        \\/ x > 1 /\\ y' = 1 - y /\\ x' = 0\n"
        "Inv == x < 4\nLow == y < 2\n"
    )
    made = translate_body(tmp_path, body, "\nINIT Init\nNEXT Next\nINVARIANTS Inv Low\n")
    model = build(made.definition())
    names = ("Inv", "Low")
    told = Told(model, names, lambda event: None)
    compiled: StateSpace = _CompiledStates(model, names, Limits(), told)
    asked = question_of(made, "prove")
    interpreted: StateSpace = _InterpretedStates(asked, asked.module.specification, names, 5.0)
    for explore in ("explore", "explore_again"):
        one, other = getattr(compiled, explore)(), getattr(interpreted, explore)()
        assert (one.states, one.depth, one.holds) == (other.states, other.depth, other.holds)
        assert ("Inv" in one.holds) == (bound == 3)


def test_a_budget_is_exceeded_by_what_is_expected() -> None:
    budget = StateBudget(found=10, expected=100)
    assert not budget.is_exceeded(9, [1, 3, 9], 9)
    assert not budget.is_exceeded(13, [1, 3, 9], 3)
    assert budget.is_exceeded(13, [1, 3, 9], 4)
