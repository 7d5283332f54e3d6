"""What a protocol's own assumptions require of its constants, however Python's code puts it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from verifier.parametric.errors import NotParametric
from verifier.parametric.traced import Assumption, Decisions
from verifier.specs.protocol import Protocol

_MOST_WAYS = 100
"""Of assumptions that may hold in more ways nothing is taken for required."""


def assumed(protocol: Protocol, decisions: Decisions) -> tuple[Mapping[str, Assumption], set[str]]:
    """The comparisons that the assumptions make of the constants, and which of them they require.

    Of ``a or b`` Python asks only for ``a`` if it is true, and the assumption requires neither. So they are
    asked again, with other answers: what is required has the same answer in all ways in which they hold.
    """
    holds, answers, made = _ask(protocol, decisions, {})
    required, waiting = set(answers.items()), _others({}, answers)
    refused = list(decisions.refused)
    for given in waiting:
        if not required or len(waiting) > _MOST_WAYS:
            return made, set()
        holds, answers, _ = _ask(protocol, decisions, given)
        decisions.refused[:] = refused  # what is refused elsewhere may be what holds there
        waiting += _others(given, answers)
        if holds:
            required &= set(answers.items())
    return made, {asked for asked, _ in required}


def _ask(
    protocol: Protocol, decisions: Decisions, given: Mapping[str, bool]
) -> tuple[bool, Mapping[str, bool], Mapping[str, Assumption]]:
    """True if the assumptions hold if comparisons have these answers; all answers; what was compared."""
    decisions.answers = dict(given)
    holds = False
    with suppress(Exception):  # of the protocol's code, which is then no protocol
        try:
            holds = all(said for said, _ in protocol.assumptions())
        except NotParametric:
            holds = True
    answers, decisions.answers = decisions.answers, None
    return holds, answers, decisions.taken()


def _others(given: Mapping[str, bool], answers: Mapping[str, bool]) -> list[dict[str, bool]]:
    """What may be answered instead: for each answer that was not given its opposite, after those before."""
    asked = [one for one in answers if one not in given]
    before = {one: answers[one] for one in given}
    found = []
    for one in asked:
        found.append({**before, one: not answers[one]})
        before[one] = answers[one]
    return found
