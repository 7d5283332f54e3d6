"""Formulas that every later obligation assumes are held by the solver for good, and no others are."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engines.test_induction import Pair
from tests.support.models import build
from verifier.engines import induction
from verifier.engines.induction import Request, induct, question_of
from verifier.engines.inductive_encoding import InductiveEncoding
from verifier.engines.inductive_question import Kind
from verifier.verdict import VerdictKind


def _encode() -> tuple[InductiveEncoding, list[str], tuple[int, ...]]:
    model = build(Pair())
    name = model.definition.properties[0].name
    question = question_of(model, Request(name, symmetry=False))
    return InductiveEncoding(model.system, question), list(question.formulas), question.instances


def test_what_always_holds_decides_as_what_is_assumed() -> None:
    assumed, names, instances = _encode()
    held, _, _ = _encode()
    held.hold_always(names)
    for index in instances:
        for name in names:
            answer = assumed.ask(Kind.CONSECUTION, name, index, names)
            assert held.ask(Kind.CONSECUTION, name, index, ()).holds is answer.holds


def test_what_always_holds_may_not_be_asked_of_the_state_itself() -> None:
    """The obligations that assume less come first: afterwards they would hold for no reason."""
    encoded, names, _ = _encode()
    assert any(encoded.ask(Kind.SAFETY, name, None, ()).holds is False for name in names)
    encoded.hold_always(names)
    assert all(encoded.ask(Kind.SAFETY, name, None, ()).holds for name in names)


@pytest.mark.parametrize(("some_cores", "early"), [(2, True), (1, False)])
def test_a_proof_is_checked_beside_the_search_for_it(
    monkeypatch: pytest.MonkeyPatch, some_cores: int, early: bool
) -> None:
    """The other solver begins once the invariant is known, if there is a core for it."""
    monkeypatch.setattr(induction, "cores", lambda: some_cores)
    begun: list[tuple[str, bool]] = []
    original = induction._InductiveCheck._check_again

    def check_again(self: induction._InductiveCheck, children: Any, invariant: tuple[str, ...]) -> None:
        begun.append((",".join(invariant), self.conclusion is None))
        original(self, children, invariant)

    monkeypatch.setattr(induction._InductiveCheck, "_check_again", check_again)
    model = build(Pair())
    outcome = induct(model, Request(model.definition.properties[0].name))
    names = ",".join(outcome.invariant)
    proved = outcome.verdicts[0].kind is VerdictKind.PROVED
    assert (outcome.rechecked is not None) is proved
    assert [before for _, before in begun] == ([True, False] if early else [False])
    assert begun[-1] == (names, False)
