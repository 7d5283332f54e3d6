"""Reads of what may have no value, and those of temporal properties."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pysmt.fnode import FNode

from verifier.encodings.bits import FALSE, conjunction, disjunction, negation, restrict_formula
from verifier.encodings.definedness import Definedness
from verifier.encodings.elimination import exists_over
from verifier.encodings.layout import Layout
from verifier.encodings.lowering import Bindings, Lowering
from verifier.encodings.partiality import is_total
from verifier.encodings.terms import Symbol, Term
from verifier.specs.definition import Definition
from verifier.specs.temporal import TemporalFormula, TemporalOperator, TemporalProperty
from verifier.system.same_steps import changes
from verifier.system.transition_system import Instance


@dataclass(frozen=True, eq=False)
class PartialRead:
    """A read of what may have no value, and the states in which it has none."""

    place: str
    """The place of the read in the protocol: ``the guard of Fire(r1)``."""
    lines: tuple[Term, ...]
    """The lines read there, up to the first that is false."""
    bindings: Bindings
    free: tuple[Symbol, ...]
    """Parameters that the bindings leave open."""
    when: FNode
    property_name: str | None = None
    """The property that reads; None: an action or the constraint."""


def nowhere_undefined(reads: Iterable[PartialRead]) -> FNode:
    """True if none of the reads lacks a value."""
    return negation(disjunction(read.when for read in reads))


def parts_of(formula: TemporalFormula, bindings: Bindings) -> Iterator[tuple[TemporalFormula, Bindings]]:
    """Yield the operands of a temporal formula, those of a quantifier for each value."""
    if formula.binds is None:
        yield from ((part, bindings) for part in formula.parts)
    else:
        for value in formula.binds.sort.each():
            yield formula.parts[0], {**bindings, formula.binds: value}


class TemporalReads:
    """The reads of temporal properties, in a transition system with these instances."""

    def __init__(self, definition: Definition, layout: Layout, instances: Sequence[Instance]) -> None:
        self._definition = definition
        self._layout = layout
        self._instances = instances
        self.lowering = Lowering({s: layout.lowered[s.name] for s in definition.variables})
        self._definedness = Definedness(self.lowering)

    def find(self, prop: TemporalProperty) -> list[PartialRead]:
        """Return the reads of the property that lack a value in some state. It makes each in every state."""
        reads: dict[tuple[str, FNode], PartialRead] = {}
        for term, bindings, of_step in _list_partial(prop.formula, {}):
            found = self._of_step if of_step else self._of_state
            for read in found(prop.name, term, bindings):
                if read.when is not FALSE:
                    reads.setdefault((read.place, read.when), read)
        return list(reads.values())

    def _of_state(self, name: str, term: Term, bindings: Bindings) -> Iterator[PartialRead]:
        when = negation(self._definedness.of(term, bindings))
        yield PartialRead(f"the property {name}", (term,), bindings, (), when, name)

    def _of_step(self, name: str, term: Term, bindings: Bindings) -> Iterator[PartialRead]:
        """Yield for each instance the states in which its step changes the state and has such a read."""
        lowering, later = self.two_states
        defined = Definedness(lowering).of(term, bindings)
        for instance in self._instances:
            after = {new: instance.updates.get(old, old) for old, new in later.items()}
            unread = negation(restrict_formula(defined, after))
            when = exists_over(conjunction((instance.guard, changes(instance), unread)), instance.inputs)
            yield PartialRead(f"the property {name} in the step {instance.label}", (), {}, (), when, name)

    @cached_property
    def two_states(self) -> tuple[Lowering, Mapping[FNode, FNode]]:
        """A reader of terms of a step, and for each bit of the state the one that stands for its new
        value."""
        definition, layout = self._definition, self._layout
        later = Layout({new.name: new.sort for new in definition.successor})
        meaning = {old: layout.lowered[old.name] for old in definition.variables}
        meaning |= {new: later.lowered[new.name] for new in definition.successor}
        return Lowering(meaning), dict(zip(layout.bits, later.bits, strict=True))


def _list_partial(formula: TemporalFormula, bindings: Bindings) -> Iterator[tuple[Term, Bindings, bool]]:
    """Yield the terms that may lack a value, with values of bound variables, and True if it is about a
    step."""
    if all(is_total(term) for term in formula.all_terms()):
        return
    of_step = formula.operator is TemporalOperator.STEP
    yield from ((term, bindings, of_step) for term in formula.terms if not is_total(term))
    for part, values in parts_of(formula, bindings):
        yield from _list_partial(part, values)
