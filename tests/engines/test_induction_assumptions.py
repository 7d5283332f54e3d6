"""Formulas that every later obligation assumes are held by the solver for good, and no others are."""

from __future__ import annotations

from tests.engines.test_induction import Pair
from tests.support.models import build
from verifier.engines.induction import Request, question_of
from verifier.engines.inductive_step import Kind, _Encoding


def _encoded() -> tuple[_Encoding, list[str], tuple[int, ...]]:
    model = build(Pair())
    name = model.definition.properties[0].name
    question = question_of(model, Request(name, symmetry=False))
    return _Encoding(model.system, question), list(question.formulas), question.instances


def test_what_always_holds_decides_as_what_is_assumed() -> None:
    assumed, names, instances = _encoded()
    held, _, _ = _encoded()
    held.hold_always(names)
    for index in instances:
        for name in names:
            answer = assumed.ask(Kind.CONSECUTION, name, index, names)
            assert held.ask(Kind.CONSECUTION, name, index, ()).holds is answer.holds


def test_what_always_holds_may_not_be_asked_of_the_state_itself() -> None:
    """The obligations that assume less come first: afterwards they would hold for no reason."""
    encoded, names, _ = _encoded()
    assert any(encoded.ask(Kind.SAFETY, name, None, ()).holds is False for name in names)
    encoded.hold_always(names)
    assert all(encoded.ask(Kind.SAFETY, name, None, ()).holds for name in names)
