"""Temporal properties decided among states up to symmetry, if no execution continues forever meanwhile.

A loop that is closed up to names need not be a loop, and fairness of one element distinguishes it from
others. So states up to symmetry say little about loops. But a loop of steps is also a loop among them. To
violate the property, a loop would have to stay in certain states. If there is none among these, executions
can only stop there. Whether stopping is fair depends on one state: no step that fairness demands is possible
in it.

This is sound if permutations of elements change neither the system nor the question. Then the terms of the
property name no element, nothing depends on their order, and there is fairness for each element or for none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from pysmt.fnode import FNode

from verifier.encodings.bits import TRUE, conjunction, disjunction, negation
from verifier.engines.explore import Graph
from verifier.engines.fair_loops import Indices, Mask, StateGraph, components
from verifier.explicit.compiled import Program
from verifier.explicit.orbits import Orbits
from verifier.explicit.packing import WORD, places, to_slices
from verifier.specs.definition import DefinitionError, Property, PropertyKind
from verifier.storage.distinct import distinct
from verifier.system.declared_symmetry import check_symmetry
from verifier.system.liveness import LiveModel
from verifier.system.model import Model
from verifier.system.transition_system import SafetyProperty

_CHUNK = WORD * 256


def no_symmetry(live: LiveModel) -> str | None:
    """Say why the question cannot be asked of states up to symmetry; None if it can."""
    if not live.base.system.symmetries:
        return "no elements are interchangeable"
    if live.base.definition.constraint is not None:
        return "a constraint bounds what is looked at"
    if len(live.model.system.bits) > len(live.base.system.bits):
        return "the property is about the past or the future of a state"
    if live.read is not TRUE:
        return "the property may read what has no value"
    if any(one.family.given or one.family.steps is not None for one in live.conditions):
        return "fairness names elements"
    if any(goal.avoids or any(visit.steps for visit in goal.visits) for goal in live.goals):
        return "the property is about steps"
    return None if _is_symmetric(live) else "the property tells elements apart"


def _is_symmetric(live: LiveModel) -> bool:
    """True if the same elements are interchangeable with the property as without it."""
    definition = live.base.definition
    claims = (
        Property(f"term {number}", PropertyKind.INVARIANT, term, False, "")
        for number, term in enumerate(live.property_.formula.quantified_terms())
    )
    try:
        symmetry = check_symmetry(replace(definition, properties=(*definition.properties, *claims)))
    except DefinitionError:
        return False
    return symmetry == live.base.system.symmetries


def stopping_model(live: LiveModel) -> Model:
    """The model whose property, of the same name, says that no execution may stop and so violate it."""
    idle = conjunction(negation(condition.enabled) for condition in live.conditions)
    missed = disjunction(
        conjunction((goal.stays, *(visit.state for visit in goal.visits))) for goal in live.goals
    )
    stops = negation(conjunction((missed, idle)))
    base = live.base.asking(())
    goal = SafetyProperty(live.property_.name, PropertyKind.INVARIANT, stops, default=True)
    return replace(base, system=replace(base.system, properties=(*base.system.implied, goal)), breaking=())


@dataclass(frozen=True)
class Region:
    """The states in which a loop would have to stay, of those that were explored up to symmetry."""

    model: Model
    graph: Graph
    check: Callable[[], None]

    def has_loop(self, stays: FNode) -> bool:
        """True if steps lead round in a circle, up to symmetry, within states that satisfy the formula."""
        within = self._where(stays)
        edges = self.graph.edges
        inside = edges[within[edges[:, 0]] & within[edges[:, 1]]]
        same = inside[:, 0] == inside[:, 1]
        if self._renames(distinct(inside[same, 0])):
            return True
        moving = inside[~same]
        order = np.argsort(moving[:, 0], kind="stable")
        states = StateGraph(len(self.graph.rows), moving[order, 0], moving[order, 1])
        labels = components(states, within)[within]
        return len(labels) > 0 and int(labels.max()) + 1 < len(labels)

    def _where(self, formula: FNode) -> Mask:
        bits = self.model.system.bits
        program = Program(bits)
        program.output(program.number(formula))
        compiled = program.compile()
        result = np.zeros(len(self.graph.rows), np.bool_)
        for first in range(0, len(result), _CHUNK):
            self.check()
            rows = self.graph.rows[first : first + _CHUNK]
            (output,) = compiled(list(to_slices(rows, len(bits))))
            numbers = places(output)
            result[first + numbers[numbers < len(rows)]] = True
        return result

    def _renames(self, states: Indices) -> bool:
        """True if a step leads from one of the states to another one that differs in names only."""
        orbits, moves = Orbits(self.model), self.graph.moves
        for first in range(0, len(states), _CHUNK):
            self.check()
            rows = self.graph.rows[states[first : first + _CHUNK]]
            for after in moves.successors(moves.look(rows)):
                before = rows[after.sources]
                changed = (after.rows != before).any(axis=1)
                back = (orbits.representatives(after.rows) == before).all(axis=1)
                if (changed & back).any():
                    return True
        return False
