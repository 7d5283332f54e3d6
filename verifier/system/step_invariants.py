"""Step invariants as formulas of the state before the step: no enabled instance violates the property.

So engines that search for states in which a formula fails decide them, and the violating step is one more
action (``TransitionSystem.about_steps``). This is sound for parallel steps too: each instance is checked in
each state that is reached by firing one instance at a time, and a parallel step may fire just one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pysmt.fnode import FNode

from verifier.encodings.bits import (
    FALSE,
    TRUE,
    conjunction,
    disjunction,
    equivalence,
    negation,
    restrict_formula,
    restrict_formulas,
)
from verifier.encodings.definedness import Definedness
from verifier.encodings.lowered import Lowered
from verifier.encodings.lowering import Lowering
from verifier.encodings.terms import Symbol
from verifier.specs.definition import Definition, Property, PropertyKind


@dataclass(frozen=True, eq=False)
class BreakingStep:
    """An instance that may break a step invariant, and the states and inputs with which it does."""

    instance: str
    property_name: str
    when: FNode
    """It is enabled, and the step changes the state and does not satisfy the property."""
    unread: FNode
    """It is enabled, and the step changes the state, and the property reads what has no value."""
    inputs: tuple[FNode, ...]


class StepInvariants:
    """The step invariants of a definition, read for one instance after the other."""

    def __init__(
        self, definition: Definition, before: Mapping[Symbol, Lowered], tick: Callable[[], None]
    ) -> None:
        self._variables = definition.variables
        self._successor = definition.successor
        self._before = before
        self._tick = tick
        self._properties = [p for p in definition.properties if p.kind is PropertyKind.STEP_INVARIANT]
        unchanged = {symbol.name: value for symbol, value in before.items()}
        self._reflexive = {
            prop.name for prop, holds, read in self._read(unchanged) if holds is TRUE and read is TRUE
        }
        """The properties that a stuttering step satisfies, so that no formula has to say so."""

    def _read(self, after: Mapping[str, Any]) -> Iterator[tuple[Property, FNode, FNode]]:
        """The properties with their formulas, and where these read nothing without a value."""
        if not self._properties:
            return
        meaning = {new: after[old.name] for old, new in zip(self._variables, self._successor, strict=True)}
        lowering = Lowering({**self._before, **meaning}, self._tick)
        definedness = Definedness(lowering)
        for prop in self._properties:
            yield prop, lowering.formula(prop.formula), definedness.of(prop.formula)

    def find_broken(
        self,
        label: str,
        guard: FNode,
        after: Mapping[str, Any],
        updates: Mapping[FNode, FNode],
        inputs: tuple[FNode, ...],
    ) -> Iterator[BreakingStep]:
        """The step invariants that an instance breaks. ``after`` has the variables as it leaves them."""
        changes = disjunction(negation(equivalence(old, new)) for old, new in updates.items())
        for prop, holds, read in self._read(after):
            taken = guard if prop.name in self._reflexive else conjunction((guard, changes))
            breaks = conjunction((taken, read, negation(holds)))
            unread = conjunction((taken, negation(read)))
            if not (breaks.is_false() and unread.is_false()):
                yield BreakingStep(label, prop.name, breaks, unread, inputs)


def breaking_choices(
    steps: Sequence[BreakingStep], bits: Sequence[FNode], state: Sequence[bool]
) -> Iterator[tuple[str, list[bool]]]:
    """The instances that break a step invariant in a state, each with inputs with which it does."""
    known = {bit: TRUE if value else FALSE for bit, value in zip(bits, state, strict=True)}
    for step, left in zip(steps, restrict_formulas([step.when for step in steps], known), strict=True):
        inputs = _satisfying(left, step.inputs)
        if inputs is not None:
            yield step.instance, inputs


def _satisfying(formula: FNode, variables: Sequence[FNode]) -> list[bool] | None:
    """Values of all the variables that satisfy a formula over them, or None."""
    if formula is FALSE or not variables:
        return None if formula is FALSE else []
    for value in (False, True):
        rest = restrict_formula(formula, {variables[0]: TRUE if value else FALSE})
        assignment = _satisfying(rest, variables[1:])
        if assignment is not None:
            return [value, *assignment]
    return None
