"""Bounded model checking gives the verdicts and shortest lengths that an independent checker found."""

from __future__ import annotations

import pytest

from tests.support.expected_verdicts import Question, agrees, answer, questions

# To the diameter of the larger graphs: minutes with every solver but CaDiCaL.
SLOW = {"kip320-2.3.3.2-21", "kip320-3.2.2.1-21", "kip279-2.2.2.2-17", "kip320-2.2.2.2-17"}
SLOW |= {"kip320-first-try-3.1.1.1-17", "kip320-first-try-3.2.2.2-12", "kip320-first-try-3.2.2.2-11"}


def _questions() -> list[object]:
    return [
        pytest.param(question, id=question.label, marks=_marks(question.label, place))
        for place, question in enumerate(questions("kafka"))
    ]


def _marks(label: str, place: int) -> list[pytest.MarkDecorator]:
    if label in SLOW:
        return [pytest.mark.slow]
    return [pytest.mark.thorough] if place % 3 else []


@pytest.mark.parametrize("question", _questions())
def test_the_kafka_family(question: Question) -> None:
    verdicts = answer(question, solver=None)
    for expected, verdict in zip(question.expected, verdicts, strict=True):
        assert agrees(expected, verdict), verdict


def test_there_is_something_to_check() -> None:
    assert sum(len(question.expected) for question in questions("kafka")) >= 60
