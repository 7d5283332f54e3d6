"""Dependence on a free parameter in no particular state: types, deadlocks, replay."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from tests.support.models import build
from verifier.encodings.bits import (
    FALSE,
    TRUE,
    bit,
    choice,
    conjunction,
    disjunction,
    equivalence,
    negation,
)
from verifier.encodings.elimination import exists_over
from verifier.encodings.sorts import Boolean, Range, Set
from verifier.engines import explore as explore_module
from verifier.engines import findings
from verifier.engines import simulate as simulate_module
from verifier.engines.bmc import Request, check
from verifier.engines.explore import explore
from verifier.errors import UsageError
from verifier.processes.limits import Interrupted, Limits
from verifier.specs.protocol import Protocol, State, Step, action, deadlock_invariant, free, invariant
from verifier.trust.replay import Replayer
from verifier.verdict import VerdictKind


class Doubling(Protocol, camel_case=True):
    """Doubles or stays as it chooses, until it cannot stay: then it leaves its range."""

    CHOICE = Boolean()

    def state(self) -> State:
        return State(x=Range(0, 4))

    def init(self, s: Any) -> Any:
        return s.x == 1

    @action(more=free("CHOICE"))
    def go_on(self, s: Any, more: Any) -> Step:
        return Step(when=[more | (s.x == 3)], then={s.x: s.x + 1})

    @deadlock_invariant(default=False)
    def goes_on(self, s: Any) -> Any:
        return s.x > 4


def test_a_state_is_stuck_only_if_no_choice_helps() -> None:
    model = build(Doubling())
    replayer = Replayer(model)
    assert not model.system.alive.get_free_variables() - set(model.system.bits)
    for x in range(4):
        assert replayer.find_violated(model.layout.encode_state({"x": x})) == []
    assert replayer.find_violated(model.layout.encode_state({"x": 4})) == ["TypeInvariant"]


def test_leaving_a_sort_by_choice_is_a_violation() -> None:
    (verdict,) = check(build(Doubling()), Request(("TypeInvariant",), 6, solver="cadical")).verdicts
    assert (verdict.kind, verdict.steps) == (VerdictKind.VIOLATED, 3)


def test_exists_over_quantifies_each_connective() -> None:
    x, y, z = bit("x"), bit("y"), bit("z")
    assert exists_over(conjunction((x, y)), [x]) is y
    assert exists_over(disjunction((x, y)), [x]) is TRUE
    assert exists_over(equivalence(x, y), [x]) is TRUE
    assert exists_over(conjunction((x, choice(x, y, z))), [x]) is y
    assert exists_over(conjunction((x, y)), [x, y]) is TRUE
    assert exists_over(FALSE, [x]) is FALSE
    assert exists_over(y, [x]) is y


@pytest.fixture
def _usual_stack() -> Iterator[None]:
    """Python's own limit of calls within calls, whatever was asked before."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.usefixtures("_usual_stack")
def test_too_many_choices_are_refused() -> None:
    """Each bit that is quantified away is a case within the case of another."""
    bits = [bit(f"Put(n1).value#{number}") for number in range(400)]
    links = [disjunction((one, negation(other))) for one, other in pairwise(bits)]
    ring = disjunction((conjunction((bits[0], bit("y"))), bits[-1]))
    with pytest.raises(UsageError, match=r"the free parameters Put\(n1\)\.value have too many values"):
        exists_over(conjunction((*links, ring)), bits)


class Subsets(Protocol, camel_case=True):
    """Takes a set of which a guard says that it is the whole one."""

    PLACES = Set(Range(1, 40))

    def state(self) -> State:
        return State(x=Range(0, 1))

    def init(self, s: Any) -> Any:
        return s.x == 0

    @action(taken=free("PLACES"))
    def take(self, s: Any, taken: Any) -> Step:
        return Step(when=[taken.cardinality == 40], then={s.x: 1})

    @invariant
    def stays(self, s: Any) -> Any:
        return s.x == 0


def test_choices_too_many_to_try_are_refused_though_one_makes_a_move() -> None:
    with pytest.raises(UsageError, match=r"Take\(\) is chosen too freely to enumerate"):
        explore(build(Subsets()), explore_module.Request(("Stays",)))


@pytest.mark.parametrize("searched", [explore_module, simulate_module], ids=["explore", "simulate"])
def test_compiling_the_moves_ends_with_the_time(monkeypatch: pytest.MonkeyPatch, searched: Any) -> None:
    def endless(_: Any) -> None:
        while True:
            pass

    monkeypatch.setattr(findings, "Moves", endless)
    monkeypatch.setattr(simulate_module, "Moves", endless)
    run = explore if searched is explore_module else simulate_module.simulate
    with pytest.raises(Interrupted, match=r"timeout of 0\.3 s"):
        run(build(Doubling()), searched.Request(("TypeInvariant",), limits=Limits(seconds=0.3)))
