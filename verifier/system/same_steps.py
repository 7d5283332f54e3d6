"""Steps that are steps of several instances: a step is a state and the one after it, whatever its name is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pysmt.fnode import FNode
from pysmt.operators import AND, NOT

from verifier.encodings.bits import (
    FALSE,
    TRUE,
    conjunction,
    disjunction,
    equivalence,
    negation,
    restrict_formulas,
)
from verifier.encodings.elimination import exists_over
from verifier.system.transition_system import Instance


def changes(instance: Instance) -> FNode:
    """True if taking the instance changes the state."""
    return disjunction(negation(equivalence(old, new)) for old, new in instance.updates.items())


@dataclass(frozen=True)
class _Known:
    """Facts about bits before and after an instance is taken, each as a set of places."""

    set_before: int
    clear_before: int
    set_after: int
    clear_after: int
    updated: int

    def excludes(self, other: _Known) -> bool:
        """True if no step is one of both."""
        set_before = self.set_before | other.set_before
        clear_before = self.clear_before | other.clear_before
        own, theirs = (
            (one.set_after | set_before & ~one.updated, one.clear_after | clear_before & ~one.updated)
            for one in (self, other)
        )
        return bool(set_before & clear_before or own[0] & theirs[1] or own[1] & theirs[0])


class SameSteps:
    """For any two instances, the states in which a step of one is a step of the other.

    Most pairs share no step, which is visible by bits that are certain. So there are few formulas of such
    steps.
    """

    def __init__(self, instances: Sequence[Instance], bits: Iterable[FNode]) -> None:
        self._instances = instances
        self._place = {bit: place for place, bit in enumerate(bits)}
        self._known = [self._certain(instance) for instance in instances]

    def when(self, number: int, other: int) -> FNode:
        """Return the states and own inputs for which an instance changes the state as the other one does.
        False if never."""
        if self._known[number].excludes(self._known[other]):
            return FALSE
        one, two = self._instances[number], self._instances[other]
        bits = dict.fromkeys((*one.updates, *two.updates))
        same = [equivalence(one.updates.get(bit, bit), two.updates.get(bit, bit)) for bit in bits]
        if _is_refuted(conjunction((one.guard, two.guard, changes(one), *same))):
            return FALSE
        formula: FNode = exists_over(conjunction((two.guard, *same)), two.inputs)
        return formula

    def _certain(self, instance: Instance) -> _Known:
        before = _units(instance.guard)
        after = {bit: new for bit, new in instance.updates.items() if new in (TRUE, FALSE)}
        return _Known(
            self._places(bit for bit, value in before.items() if value is TRUE),
            self._places(bit for bit, value in before.items() if value is FALSE),
            self._places(bit for bit, value in after.items() if value is TRUE),
            self._places(bit for bit, value in after.items() if value is FALSE),
            self._places(instance.updates),
        )

    def _places(self, bits: Iterable[FNode]) -> int:
        places = (self._place.get(bit) for bit in bits)  # inputs are no bits of the state
        return sum(1 << place for place in places if place is not None)


def _parts(formula: FNode) -> Sequence[FNode]:
    parts: Sequence[FNode] = formula.args() if formula.node_type() == AND else (formula,)
    return parts


def _units(formula: FNode) -> Mapping[FNode, FNode]:
    """The variables whose value a conjunction states, with the value."""
    units = {}
    for part in _parts(formula):
        variable = part.arg(0) if part.node_type() == NOT else part
        if variable.is_symbol():
            units[variable] = TRUE if variable is part else FALSE
    return units


def _is_refuted(formula: FNode) -> bool:
    """True if unit propagation alone contradicts the formula."""
    while units := _units(formula):
        rest = (part for part in _parts(formula) if part not in units and negation(part) not in units)
        formula = conjunction(restrict_formulas(list(rest), units))
    return formula is FALSE
