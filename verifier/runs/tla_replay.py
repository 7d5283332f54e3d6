"""Executions checked by the interpreter: a counterexample of a TLA+ module is one if it says so."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from verifier.runs.tla_loading import OF_STEPS
from verifier.specs.definition import NO_DEADLOCK
from verifier.tla.explorer import State
from verifier.tla.frames import Undefined
from verifier.tla.specification import Formula, Safety, Specification
from verifier.tla.translate.sampling import Stepper


def disagreement(
    spec: Specification, states: Sequence[State], name: str | None, start: int | None = None
) -> str | None:
    """What makes these states no execution that violates the property; None if they are one.

    ``start``: the execution goes on for ever, by the state of that number after the last one.
    """
    stepper = Stepper(spec)
    try:
        return _no_execution(spec, stepper, states, start) or _no_violation(
            spec, stepper, states, name, start
        )
    except Undefined as error:
        return str(error)


def _no_execution(
    spec: Specification, stepper: Stepper, states: Sequence[State], start: int | None
) -> str | None:
    if not all(_true(spec, formula, states[0]) for formula in spec.init):
        return "step 0: the first state is not initial"
    path = list(states) if start is None else [*states, states[start]]
    for number, (one, other) in enumerate(itertools.pairwise(path), 1):
        if start is not None and number == len(states) and one == other:
            continue  # it stutters
        if not stepper.within(one):
            return f"step {number}: the CONSTRAINT lets no step begin in the state before"
        if other not in stepper.successors(one):
            return f"step {number}: it is no step of Next"
    return None


def _no_violation(
    spec: Specification, stepper: Stepper, states: Sequence[State], name: str | None, start: int | None
) -> str | None:
    last = states[-1]
    if name is None:
        return None
    if name == NO_DEADLOCK:
        return "the last state has a successor" if stepper.successors(last) else None
    if name in spec.invariants:
        return f"{name} holds in the last state" if _true(spec, spec.invariants[name], last) else None
    before = states[-2] if len(states) > 1 else last
    return (
        None
        if _fails(spec, spec.properties[name.removesuffix(OF_STEPS)], before, last)
        else (f"{name} holds in the last state")
    )


def _fails(spec: Specification, safety: Safety, before: State, last: State) -> bool:
    """Whether a state, or the step to it, violates a property."""
    return not (
        all(_true(spec, formula, last) for formula in safety.always)
        and all(_true(spec, formula, before, last) for formula in safety.steps)
    )


def _true(spec: Specification, formula: Formula, state: State, following: State | None = None) -> bool:
    evaluator = spec.evaluator
    evaluator.now[:] = state
    if following is not None:
        evaluator.next[:] = following
    return bool(evaluator.compiled_truth(formula.body, formula.module)())
