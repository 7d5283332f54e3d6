"""What depends on a free parameter for no state in particular: types, deadlocks, replay."""

from __future__ import annotations

from typing import Any

from tests.models import build
from verifier.encodings.bits import (
    FALSE,
    TRUE,
    bit,
    choice,
    conjunction,
    disjunction,
    equivalence,
)
from verifier.encodings.elimination import exists_over
from verifier.encodings.sorts import Boolean, Range
from verifier.engines.bmc import Request, check
from verifier.specs.protocol import Protocol, State, Step, action, deadlock_invariant, free
from verifier.trust.replay import Replayer
from verifier.verdict import VerdictKind


class Doubling(Protocol):
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
        assert replayer.violated(model.layout.encode_state({"x": x})) == []
    assert replayer.violated(model.layout.encode_state({"x": 4})) == ["TypeInvariant"]


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
