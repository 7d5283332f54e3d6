"""The transition system: a protocol at given constants, down to state bits. No solver in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pysmt.fnode import FNode

from verifier.encodings.concrete import Concrete, show
from verifier.encodings.layout import Leaf
from verifier.encodings.sorts import IndexSet
from verifier.specs.definition import PropertyKind


@dataclass(frozen=True, eq=False)
class Instance:
    """One action with its expanded parameters fixed.

    In a state where ``guard`` holds, taking it gives each bit of ``updates`` the value of its term in
    the old state and leaves all other bits unchanged. ``inputs`` are the bits of free parameters.
    """

    action: str
    parameters: Mapping[str, Concrete]
    guard: FNode
    updates: Mapping[FNode, FNode]
    inputs: tuple[FNode, ...]
    reads: frozenset[int]
    """Leaves (by index) that the guard or an update depends on."""
    writes: frozenset[int]
    """Leaves that may change."""
    mentions: tuple[tuple[IndexSet, Concrete], ...]
    """Elements of symmetric index sets among the parameters, in order."""
    names: tuple[tuple[IndexSet, Concrete], ...] = ()
    """Those that count as named once it is taken (``verifier.system.declared_symmetry.order_named``)."""

    @property
    def label(self) -> str:
        """``LeaderWrite(r1)``."""
        return f"{self.action}({', '.join(show(value) for value in self.parameters.values())})"


@dataclass(frozen=True, eq=False)
class SafetyProperty:
    """A formula that must hold in every reachable state.

    Of a reachable property it is the negation: a search for a violation then finds a witness. Of a step
    invariant it is that no enabled instance breaks it (``verifier.system.step_invariants``).
    """

    name: str
    kind: PropertyKind
    formula: FNode
    default: bool


@dataclass(frozen=True, eq=False)
class NamedFormula:
    """A formula over the state bits, and what it is called."""

    name: str
    formula: FNode


@dataclass(frozen=True)
class Symmetry:
    """The elements of an index set that may be permuted in any execution: all but the ``pinned`` ones."""

    sort: IndexSet
    pinned: frozenset[Concrete]

    @property
    def movable(self) -> tuple[Concrete, ...]:
        """The elements that may be permuted, in order."""
        return tuple(element for element in self.sort.each() if element not in self.pinned)


@dataclass(frozen=True, eq=False)
class TransitionSystem:
    """State bits, initial states, instances of actions and properties, all over the same bits."""

    leaves: tuple[Leaf, ...]
    bits: tuple[FNode, ...]
    valid: FNode
    """True if bits hold a state at all; implied by ``init``, kept by every instance."""
    init: FNode
    instances: tuple[Instance, ...]
    properties: tuple[SafetyProperty, ...]
    symmetries: tuple[Symmetry, ...]
    alive: FNode
    """True if something can happen; a state where it does not hold is a deadlock."""
    constraint: FNode
    """True if a state is within the protocol's constraint; part of every guard."""
    lemmas: tuple[NamedFormula, ...] = ()
    """Lemmas for the proofs of properties; each is to be proved with them."""

    @property
    def implied(self) -> tuple[SafetyProperty, ...]:
        """The checks that come with any property, since an action that would break it is disabled: that no
        value leaves its sort, and that nothing is read that has no value."""
        kinds = (PropertyKind.UNDEFINED_READ, PropertyKind.TYPE_INVARIANT)
        return tuple(prop for kind in kinds for prop in self.properties if prop.kind is kind)

    def property_named(self, name: str) -> SafetyProperty:
        """The property of that name."""
        return next(prop for prop in self.properties if prop.name == name)

    def seeks(self, name: str) -> bool:
        """True if an execution to a state in which the property's formula fails is what is wanted."""
        return any(p.name == name and p.kind is PropertyKind.REACHABLE for p in self.properties)

    def about_steps(self, name: str) -> bool:
        """True if the property relates a state and its successor. Where its formula fails, one more action
        completes the counterexample."""
        return any(p.name == name and p.kind is PropertyKind.STEP_INVARIANT for p in self.properties)
