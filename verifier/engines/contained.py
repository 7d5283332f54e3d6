"""The check that the steps of some actions are steps of others.

A fairness condition may describe steps by other formulas than the protocol's actions.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from verifier.clauses.tseitin import Definitions
from verifier.encodings.bits import negation
from verifier.solvers import Answer, open_solver
from verifier.system.model import Model
from verifier.system.same_steps import SameSteps, changes

_SOLVER = "cadical"


def with_steps_beyond(model: Model, actions: Collection[str]) -> str | None:
    """One of the actions that may take a step, from a well-formed state, that no other action takes and that
    changes the state; None if there is none. A solver that gives up counts as such a step."""
    instances = model.system.instances
    same = SameSteps(instances, model.system.bits)
    others = [number for number, one in enumerate(instances) if one.action not in actions]
    for number, instance in enumerate(instances):
        if instance.action in actions and _may_leave(model, number, others, same):
            return instance.action
    return None


def _may_leave(model: Model, number: int, others: Sequence[int], same: SameSteps) -> bool:
    """True if a step of the instance may be none of the others'."""
    definitions, instance = Definitions(), model.system.instances[number]
    for term in (model.system.valid, instance.guard, changes(instance)):
        definitions.hold(term)
    for other in others:
        definitions.hold(negation(same.when(number, other)))
    solver = open_solver(_SOLVER)
    try:
        solver.add_clauses(definitions.clauses)
        return solver.solve() is not Answer.UNSATISFIABLE
    finally:
        solver.close()
