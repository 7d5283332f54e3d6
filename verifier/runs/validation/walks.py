"""States of a module: reached by walks of the interpreter, or drawn from the sorts."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from verifier.encodings.random_values import draw_value
from verifier.runs.validation.budget import Budget
from verifier.runs.validation.subject import ERRORS, Subject

if TYPE_CHECKING:
    from verifier.tla.exploration_result import State

MOST_WALKED, MOST_DRAWN = 150, 100
_MOST_OF_SAMPLE, _MOST_SUCCESSORS, _MOST_STEPS = 60, 3_000, 60
_EXCHANGED = 0.4
"""The share of values that are exchanged with another state's value instead of drawn from the sort."""


def walk_states(
    subject: Subject, chance: Random, budget: Budget, most: int = MOST_WALKED
) -> dict[State, bool]:
    """Return reachable states: of the sample, and of random walks that prefer new values. For each, the
    result says whether it is known to be reached within the given depth."""
    sample = subject.made.translation.sample
    if not sample.initial:
        return {}
    some = chance.sample(sample.states, min(len(sample.states), _MOST_OF_SAMPLE))
    states = dict.fromkeys(some, subject.depth is None) | dict.fromkeys(sample.initial[:most], True)
    longest = _MOST_STEPS if subject.depth is None else min(_MOST_STEPS, subject.depth)
    seen = {(place, value) for state in sample.states for place, value in enumerate(state)}
    generated = 0
    while len(states) < most and generated < _MOST_SUCCESSORS and budget.spent < 0.25:
        before = len(states)
        state = chance.choice(sample.initial)
        for _ in range(longest):
            following = _followers(subject, state)
            generated += 1 + len(following)
            if not following:
                break
            new = [s for s in following if any((p, v) not in seen for p, v in enumerate(s))]
            state = chance.choice(new or following)
            seen.update(enumerate(state))
            states[state] = True
        if len(states) == before and generated > 20 * longest:
            break
    return dict(list(states.items())[:most])


def _followers(subject: Subject, state: State) -> list[State]:
    stepper = subject.stepper
    try:
        if not stepper.within(state):
            return []
        return [other for other in stepper.successors(state) if stepper.goes_on(state, other)]
    except ERRORS:
        return []


def draw_states(
    subject: Subject, walked: Sequence[State], chance: Random, most: int = MOST_DRAWN
) -> list[State]:
    """Return states of the sorts: walked ones with some values exchanged or drawn, and some fully random
    ones."""
    if not walked or not all(symbol.sort.size for symbol in subject.variables):
        return []
    states: dict[State, None] = {}
    for number in range(most):
        state = list(chance.choice(walked))
        for place, symbol in enumerate(subject.variables):
            if number % 10 == 9 or chance.random() < 1.5 / len(subject.variables):
                if chance.random() < _EXCHANGED:
                    state[place] = chance.choice(walked)[place]
                else:
                    state[place] = subject.names.decode(draw_value(symbol.sort, chance), symbol.sort)
        states[tuple(state)] = None
    return list(states)


__all__ = ["MOST_DRAWN", "MOST_WALKED", "draw_states", "walk_states"]
