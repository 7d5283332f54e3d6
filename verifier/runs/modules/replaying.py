"""Executions checked by the interpreter, which confirms each counterexample of a TLA+ module.

A trace file is followed from its first state: among the interpreter's states, those with the text of the file
are taken. So no content of a file is trusted, and its values need not be parsed.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from verifier.errors import UsageError, make_unknown_name_error
from verifier.runs.modules.loading import TlaLoaded, formula_named, temporal_named
from verifier.runs.modules.traces import as_aliased, as_file, explain_loop, module_trace
from verifier.specs.temporal import NO_FAIRNESS
from verifier.tla.exploration_result import State, Taken
from verifier.tla.explorer import Explorer
from verifier.tla.frames import Undefined
from verifier.tla.itf import as_json
from verifier.tla.lasso import Lasso
from verifier.tla.specification import Specification
from verifier.tla.splitting import Formula
from verifier.tla.translate.sampling import Stepper
from verifier.tla.unfolding import split_fairness
from verifier.trust.itf import Header
from verifier.trust.replay import ReplayFailure
from verifier.trust.trace import ActionTaken, Loop, Trace
from verifier.verdict import OF_STEPS


@dataclass(frozen=True)
class Around:
    """The loop of an infinite execution: the number of the state after the last one."""

    start: int
    fair: bool
    """True if the loop must be fair, as the specification says."""


def disagreement(
    spec: Specification, states: Sequence[State], name: str | None, around: Around | None = None
) -> str | None:
    """Return the reason why these states are no execution that violates the property; None if they are
    one."""
    stepper = Stepper(spec)
    try:
        wrong = _no_execution(spec, stepper, states, around)
        if wrong is not None or name is None:
            return wrong
        if around is not None:
            return _no_lasso(spec, stepper, states, name, around)
        return _no_violation(spec, stepper, states, name)
    except Undefined as error:
        return str(error)


def _no_execution(
    spec: Specification, stepper: Stepper, states: Sequence[State], around: Around | None
) -> str | None:
    stepper.begin()
    if not all(_true(spec, formula, states[0]) for formula in spec.init):
        return "step 0: the first state is not initial"
    path = list(states) if around is None else [*states, states[around.start]]
    for number, (one, other) in enumerate(itertools.pairwise(path), 1):
        stepper.arrive(number - 1)
        if number == len(states) and one == other:
            continue  # a stuttering step
        if not stepper.within(one):
            return f"step {number}: the CONSTRAINT lets no step begin in the state before"
        if around is None and number == len(states) - 1:  # here a search ends
            following = stepper.find_successors(one, other.__eq__)
        else:
            following = stepper.successors(one)
        if other not in following:
            return f"step {number}: it is not a step of Next"
        if number < len(path) - (around is None) and not stepper.goes_on(one, other):
            return f"step {number}: the ACTION_CONSTRAINT lets no step follow this one"
    return None


def _no_violation(spec: Specification, stepper: Stepper, states: Sequence[State], name: str) -> str | None:
    last = states[-1]
    stepper.arrive(len(states) - 1)
    if name == spec.titles.no_deadlock:
        return "the last state has a successor" if stepper.successors(last) else None
    if name in spec.invariants:
        return f"{name} holds in the last state" if _true(spec, spec.invariants[name], last) else None
    safety = spec.properties[name.removesuffix(OF_STEPS)]
    if len(states) == 1 and not all(_true(spec, formula, last) for formula in safety.initially):
        return None
    before = states[-2] if len(states) > 1 else last
    if not all(_true(spec, formula, last) for formula in safety.always):
        return None
    stepper.arrive(max(len(states) - 2, 0))
    violated = not all(_true(spec, formula, before, last) for formula in safety.steps)
    return None if violated else f"{name} holds in the last state"


def _no_lasso(
    spec: Specification, stepper: Stepper, states: Sequence[State], name: str, around: Around
) -> str | None:
    lasso = Lasso(spec.evaluator, states, around.start, stepper.arrive)
    for formula in spec.fairness if around.fair else ():
        if not lasso.holds(formula):
            return f"the loop is not fair, as {formula.body.place} demands"
    safety = spec.properties.get(name) or temporal_named(spec, name, list(spec.properties))
    if all(lasso.holds(formula) for formula in safety.parts):
        return f"{name} holds of this execution"
    return None


def _true(spec: Specification, formula: Formula, state: State, following: State | None = None) -> bool:
    evaluator = spec.evaluator
    evaluator.now[:] = state
    if following is not None:
        evaluator.next[:] = following
    return bool(evaluator.compile_truth(formula.body, formula.module)())


# -- files


@dataclass(frozen=True)
class Followed:
    """The execution of a trace file, as the interpreter finds it."""

    trace: Trace
    """The trace, with values in TLA+ syntax."""
    written: Mapping[str, Any]
    """The trace as ITF."""


def follow_trace(module: TlaLoaded, data: Mapping[str, Any], said: Header) -> Followed:
    """Return the execution in a trace file, which shows what it claims. Raises UsageError if the file is no
    trace of such a module, and ReplayFailure if the module lacks a step."""
    spec = _select_property(module, said)
    around = None if "loop" not in data else Around(_start(data), said.fairness != NO_FAIRNESS)
    actions = [_action_name(entry, number) for number, entry in enumerate(data["states"]) if number]
    states = _states(spec, data["states"])
    wrong = disagreement(spec, states, said.violates, around)
    if wrong is not None:
        raise ReplayFailure(len(states) - 1, wrong)
    trace = module_trace(spec, module.definition, said.violates, states, _find_actions(spec, states, actions))
    written = as_file(spec, module.definition, trace, states)
    if around is not None:
        loop = data["#meta"]["loop"]
        closing = ActionTaken(str(loop["action"]), {}) if "action" in loop else None
        if closing is not None:
            _find_actions(spec, (states[-1], states[around.start]), (closing.name,), len(states))
        conditions, _ = split_fairness(spec.evaluator, spec.fairness if around.fair else ())
        met = tuple((one.label, "met") for one in conditions)
        trace = replace(trace, loop=Loop(around.start, closing, str(said.fairness), met))
        about = {**loop, "failing": explain_loop(spec, trace, states)}  # not what the file says
        written |= {"loop": around.start, "#meta": {**written["#meta"], "loop": about}}
    return Followed(as_aliased(spec, trace, written, states), written)


def _find_actions(
    spec: Specification, states: Sequence[State], actions: Sequence[str], first: int = 1
) -> list[Taken]:
    """Return the actions between states. Raises ReplayFailure if a step does not belong to its claimed
    action."""
    stepper, taken_actions = Stepper(spec), []
    for number, ((one, other), action) in enumerate(
        zip(itertools.pairwise(states), actions, strict=True), first
    ):
        allowed = stepper.actions(one, other)
        if action not in allowed:
            taken = " or ".join(allowed) or "no action: nothing changes"
            raise ReplayFailure(number, f"the step is one of {taken}, not of {action}")
        taken_actions.append(allowed[action])
    return taken_actions


def _start(data: Mapping[str, Any]) -> int:
    start: int = data["loop"]
    if not 0 <= start < len(data["states"]):
        raise UsageError(f'"loop" is {start}, and the states are numbered up to {len(data["states"]) - 1}')
    return start


def _select_property(module: TlaLoaded, said: Header) -> Specification:
    """Return the specification with the property that the trace violates. Raises UsageError for an unknown
    one."""
    spec, name = module.specification, said.violates
    lasting = said.fairness is not None
    known = (*module.definition.property_names, spec.titles.no_deadlock)
    if spec.next is None:
        raise UsageError(f"{spec.module.name} has no Next, so it has no executions")
    if name is None or name in known or lasting:
        return spec
    return replace(spec, invariants={**spec.invariants, name: formula_named(spec, name, known)})


def _action_name(entry: Any, number: int) -> str:
    if not isinstance(entry, dict):
        raise UsageError(f"state {number} is not a JSON object")
    said = entry.get("#meta")
    name = said.get("action") if isinstance(said, dict) else None
    if not isinstance(name, str):
        raise UsageError(f'state {number} does not name the action that led to it ("#meta": {{"action": …}})')
    return name


def _states(spec: Specification, entries: Sequence[Any]) -> list[State]:
    """Return the states of a file's entries. Raises UsageError and ReplayFailure."""
    names, order = [one.name for one in spec.variables], spec.evaluator.order
    wanted = [_plain(entry, names, number) for number, entry in enumerate(entries)]

    def is_alike(state: State, number: int) -> bool:
        """True if a state has the text of the file; different values may have the same text."""
        return _text([as_json(value, order) for value in state]) == wanted[number]

    explorer = Explorer(replace(spec, symmetry=[], view=None, constraints=[]), properties=(), keep_going=True)
    explorer._initial()
    paths = [[state] for state in dict.fromkeys(explorer.states) if is_alike(state, 0)]
    if not paths:
        raise ReplayFailure(0, "there is no such initial state")
    stepper = Stepper(spec)
    for number in range(1, len(wanted)):
        paths = [
            [*path, state]
            for path in {id(path[-1]): path for path in paths}.values()
            for state in dict.fromkeys(stepper.find_successors(path[-1], partial(is_alike, number=number)))
        ]
        if not paths:
            raise ReplayFailure(number, "no step of Next leads from the state before to this one")
    return paths[0]


def _plain(entry: Any, names: Sequence[str], number: int) -> str:
    if not isinstance(entry, dict):
        raise UsageError(f"state {number} is not a JSON object")
    for name in names:
        if name not in entry:
            raise UsageError(f"state {number} lacks the variable {name}")
    for name in entry:
        if name not in names and not name.startswith("#"):
            raise make_unknown_name_error(f"variable in state {number}", name, names)
    return _text([entry[name] for name in names])


def _text(values: Sequence[Any]) -> str:
    return json.dumps(values, sort_keys=True)
