"""The requirements that a protocol's own assumptions make of its constants, in whatever form of Python."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from verifier.parametric.errors import NotParametric
from verifier.parametric.traced import Assumption, Decisions
from verifier.specs.protocol import Protocol

_MOST_WAYS = 100
"""Assumptions that may hold in more ways require nothing."""


def read_assumptions(protocol: Protocol, decisions: Decisions) -> tuple[Mapping[str, Assumption], set[str]]:
    """Return the comparisons of constants that the assumptions make, and the required ones among them. For
    ``a or b``, Python evaluates only ``a`` if it is true, but the assumption requires neither. So the
    assumptions are evaluated again with other answers. A required comparison has the same answer in all ways
    in which they hold."""
    holds, answers, made = _ask(protocol, decisions, {})
    required, waiting = set(answers.items()), _others({}, answers)
    refused = list(decisions.refused)
    for given in waiting:
        if not required or len(waiting) > _MOST_WAYS:
            return made, set()
        holds, answers, _ = _ask(protocol, decisions, given)
        decisions.refused[:] = refused  # a refusal with other answers does not count
        waiting += _others(given, answers)
        if holds:
            required &= set(answers.items())
    return made, {asked for asked, _ in required}


def _ask(
    protocol: Protocol, decisions: Decisions, given: Mapping[str, bool]
) -> tuple[bool, Mapping[str, bool], Mapping[str, Assumption]]:
    """Evaluate the assumptions with given answers of comparisons. Return whether they hold, all answers, and
    all comparisons."""
    decisions.answers = dict(given)
    holds = False
    with suppress(Exception):  # an error of the protocol's code: then it is not a valid protocol
        try:
            holds = all(said for said, _ in protocol.assumptions())
        except NotParametric:
            holds = True
    answers, decisions.answers = decisions.answers, None
    return holds, answers, decisions.take()


def _others(given: Mapping[str, bool], answers: Mapping[str, bool]) -> list[dict[str, bool]]:
    """Return further answers to try: the opposite of each new answer, after those before it."""
    asked = [one for one in answers if one not in given]
    before = {one: answers[one] for one in given}
    others = []
    for one in asked:
        others.append({**before, one: not answers[one]})
        before[one] = answers[one]
    return others
