"""The meaning of a protocol at given constants: the parts on which the answers of engines depend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from verifier.encodings.concrete import Concrete
from verifier.encodings.sorts import Sort
from verifier.encodings.terms import Symbol, Term
from verifier.specs.ranking import RankingArgument
from verifier.specs.temporal import FairnessVariant, TemporalProperty


@dataclass(frozen=True)
class Parameter:
    """A parameter of an action.

    An expanded parameter gives an instance per value. The solver chooses the value of a free parameter within
    one instance.
    """

    symbol: Symbol
    free: bool
    left_open: bool = False
    """True if the protocol leaves it to each engine; ``free`` then says how it is read now."""


@dataclass(frozen=True)
class Action:
    """A named action: guard lines, and assignments as pairs of target and value. The rest is unchanged.

    A target is a variable, or a path of applications and fields in a variable. An action assigns its targets
    in order, as TLA+'s ``EXCEPT`` does. All values are those of the old state.
    """

    name: str
    parameters: tuple[Parameter, ...]
    when: tuple[Term, ...]
    then: tuple[tuple[Term, Term], ...]
    description: str
    place: str = ""
    """The file and the line where it is written; no part of the meaning."""

    @property
    def sorts(self) -> dict[str, Sort]:
        """The sort of each parameter by its name, in order."""
        return {parameter.symbol.name: parameter.symbol.sort for parameter in self.parameters}


class PropertyKind(StrEnum):
    """The kinds of properties: what a property claims."""

    INVARIANT = "invariant"
    """Every reachable state satisfies the formula."""
    TYPE_INVARIANT = "type invariant"
    """An invariant, and no enabled action would assign a value outside its variable's sort."""
    UNDEFINED_READ = "undefined read"
    """In no reachable state does an action, a property or the constraint read what has no value."""
    DEADLOCK_INVARIANT = "deadlock invariant"
    """Every reachable state in which no action is enabled satisfies the formula."""
    STEP_INVARIANT = "step invariant"
    """Every step from a reachable state satisfies the formula, which relates the states before and after it,
    or changes nothing."""
    REACHABLE = "reachable"
    """Some reachable state satisfies the formula."""


@dataclass(frozen=True)
class Property:
    """A named claim. If a run names no properties, it checks those with ``default``."""

    name: str
    kind: PropertyKind
    formula: Term
    default: bool
    description: str
    place: str = ""
    """The file and the line where it is written; no part of the meaning."""


@dataclass(frozen=True)
class Lemma:
    """A named formula that helps to prove properties. A lemma by itself claims nothing; it must be proved."""

    name: str
    formula: Term
    description: str
    using: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The names of lemmas with which an action keeps it, by its name, or by none if any does."""


@dataclass(frozen=True)
class Meaning:
    """A protocol at given constants, without its description (``verifier.specs.definition``)."""

    name: str
    constants: Mapping[str, Concrete]
    variables: tuple[Symbol, ...]
    init: Term
    actions: tuple[Action, ...]
    properties: tuple[Property, ...]
    constraint: Term | None
    """Engines check states that do not satisfy it, but take no step from them (TLC's CONSTRAINT)."""
    lemmas: tuple[Lemma, ...] = ()
    successor: tuple[Symbol, ...] = ()
    """The names of step invariants for the values of the variables after a step, in the order of the
    variables."""
    temporal: tuple[TemporalProperty, ...] = ()
    """Claims about whole executions. Only ``verify live`` checks it."""
    fairness: tuple[FairnessVariant, ...] = ()
    """The protocol's own fairness, if it states one, and named variants."""
    rankings: tuple[RankingArgument, ...] = ()
    """Why temporal properties hold; each is to be proved."""
