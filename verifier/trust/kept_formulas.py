"""Formulas that actions keep, so that several properties of one model ask each obligation once.

A formula that an instance keeps under some hypotheses is kept under more of them. So an obligation of another
property is known if its hypotheses contain those of a proof. Formulas are compared as terms, not by name:
``UndefinedRead`` is another formula for each property, since it speaks of what the property reads. It is
split into the reads of the actions, which properties share, and those of the property.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pysmt.fnode import FNode

from verifier.system.model import Model
from verifier.system.partial_reads import nowhere_undefined


@dataclass(frozen=True)
class SplitFormulas:
    """Formulas by name, each as a conjunction of parts."""

    parts: Mapping[str, tuple[FNode, ...]]
    own: frozenset[str]
    """The names that only one property assumes: itself, and ``UndefinedRead`` if the property reads
    what may have no value. The last part of the latter is the property's."""

    def list_shared(self, names: Iterable[str]) -> list[FNode]:
        """The parts that other properties assume too."""
        shared: list[FNode] = []
        for name in names:
            parts = self.parts[name]
            shared += parts[:-1] if name in self.own else parts
        return shared

    def list_all(self, names: Iterable[str]) -> list[FNode]:
        """All parts of the formulas."""
        return [part for name in names for part in self.parts[name]]


def split_formulas(model: Model, formulas: Mapping[str, FNode], property_name: str) -> SplitFormulas:
    """Split the formulas of an invariant of ``model.asking((property_name,))``."""
    parts: dict[str, tuple[FNode, ...]] = {name: (formula,) for name, formula in formulas.items()}
    title = model.definition.titles.undefined_read
    implied = {prop.name for prop in model.system.implied}
    own = {property_name} - implied
    reads = [read for read in model.undefined if read.property_name in own]
    # The split must be of this formula: another reading of the model may have changed it.
    if reads and formulas.get(title) is nowhere_undefined(model.undefined):
        others = nowhere_undefined(read for read in model.undefined if read.property_name not in own)
        parts[title] = (others, nowhere_undefined(reads))
        own.add(title)
    return SplitFormulas(parts, frozenset(own & parts.keys()))


@dataclass(frozen=True)
class KeptFormulas:
    """Proofs of one solver about one model: for each formula and instance, the hypotheses.

    Models that differ by ``Model.asking`` have the same instances. No other two models may share this.
    """

    _proofs: dict[tuple[FNode, int], list[frozenset[FNode]]] = field(default_factory=dict)
    _instances: set[int] = field(default_factory=set)

    def add(self, formula: FNode, instance: int, hypotheses: Iterable[FNode]) -> None:
        """The instance keeps the formula from states in which the hypotheses and the formula hold."""
        self._proofs.setdefault((formula, instance), []).append(frozenset(hypotheses))
        self._instances.add(instance)

    def has_any(self, instance: int) -> bool:
        """True if anything is known of the instance."""
        return instance in self._instances

    def is_kept(self, formula: FNode, instance: int, hypotheses: frozenset[FNode]) -> bool:
        """True if that is known under these hypotheses, or fewer of them."""
        return any(proof <= hypotheses for proof in self._proofs.get((formula, instance), ()))


@dataclass(frozen=True)
class SharedProofs:
    """The obligations of one model that hold, by who found it. Neither solver relies on the other."""

    found: KeptFormulas = field(default_factory=KeptFormulas)
    rechecked: KeptFormulas = field(default_factory=KeptFormulas)


@dataclass(frozen=True)
class KeptName:
    """A part of a named formula that an instance keeps. Names, unlike terms, pass between processes."""

    name: str
    part: int
    instance: int
    own: tuple[str, ...]
    """The formulas assumed in full. Of the others of the invariant, what properties share is assumed."""


def add_kept(
    known: KeptFormulas, split: SplitFormulas, invariant: Iterable[str], kept: Iterable[KeptName]
) -> None:
    """Add what another process reports."""
    shared = split.list_shared(invariant)
    for one in kept:
        hypotheses = (*shared, *split.list_all(one.own))
        known.add(split.parts[one.name][one.part], one.instance, hypotheses)
