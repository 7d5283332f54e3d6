"""Violations that a proof for all constants finds, and the CONSTRAINT of the configuration.

A proof ignores the CONSTRAINT: it covers more states. But an execution that leaves the CONSTRAINT before its
last state violates nothing that the configuration asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from verifier.printable import join_words
from verifier.runs.modules.brief_exploration import explore_briefly
from verifier.tla.exploration_result import State, Violation
from verifier.tla.frames import Undefined
from verifier.tla.specification import Specification
from verifier.tla.translate.sampling import Stepper

_SECONDS = 10.0
"""The limit of the exploration of states within the CONSTRAINT for a violation."""


def name_constraints(spec: Specification) -> str:
    """Return the constraints of a configuration in words; an empty text if there are none."""
    states = [f"CONSTRAINT {one.name}" for one in spec.config.constraints] if spec.constraints else []
    steps = [f"ACTION_CONSTRAINT {one.name}" for one in spec.config.action_constraints]
    return join_words([*states, *(steps if spec.action_constraints else [])])


def is_within_constraints(spec: Specification, states: Sequence[State]) -> bool:
    """True if the constraints allow an execution to come to its last state, which itself may be beyond."""
    stepper = Stepper(spec)
    pairs = list(pairwise(states))
    try:
        return all(map(stepper.within, states[:-1])) and all(
            stepper.goes_on(one, other) for one, other in pairs[:-1]
        )
    except Undefined:
        return False


def find_within_constraints(spec: Specification, name: str) -> Violation | None:
    """Return an execution within the constraints that violates the property; None if a short search finds
    none."""
    plain = replace(spec, symmetry=[], view=None)
    return explore_briefly(plain, (name,), _SECONDS).result.violations.get(name)
