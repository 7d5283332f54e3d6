"""A protocol at given constants, as plain data. Every engine starts from it.

Python classes build it (``verifier.specs.protocol``). A front end for parsed text could build it too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from verifier.encodings.concrete import Concrete
from verifier.encodings.sorts import Sort
from verifier.encodings.terms import Symbol, Term
from verifier.specs import hashing
from verifier.specs.ranking import RankingArgument
from verifier.specs.temporal import FairnessVariant, TemporalProperty
from verifier.specs.titles import Titles

_TITLES = Titles()


class DefinitionError(Exception):
    """A protocol is not well formed. The message names the place and what is expected there."""


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


def prime(name: str) -> str:
    """The name of a variable's value after a step. No variable of the state has such a name."""
    return f"{name}'"


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
class Refinement:
    """That every execution is one of an abstract protocol (``verifier.specs.refinement``)."""

    steps: str
    """The name of the property that speaks of steps."""
    beginnings: str
    """The name of the property that speaks of initial states."""
    abstract: str
    """The name of the abstract protocol."""
    mapping: tuple[tuple[Symbol, Term], ...]
    """Its variables, each with its value in a state of this protocol."""


@dataclass(frozen=True)
class DescribedConstant:
    """A constant: its value, its default, and its allowed values in words."""

    name: str
    value: Concrete
    default: Concrete
    allowed: str
    description: str


@dataclass(frozen=True)
class Presentation:
    """The description of a protocol. It is no part of the protocol's meaning."""

    description: str = ""
    source: str = ""
    """The module of a built-in protocol, or the file of another protocol."""
    config: str = ""
    """Of a TLA+ module: the file of its configuration."""
    default_depth: int = 10
    """The default depth of bounded model checking, in actions."""
    constants: tuple[DescribedConstant, ...] = ()
    lanes: Sort | None = None
    """The index set, range or enumeration whose values are the columns of a trace; None if there is none."""
    lane_kind: str = ""
    """The word for one of them."""
    says: Mapping[str, str] = field(default_factory=dict)
    """Of a TLA+ module: how it defines its properties."""
    first_index: int = 0
    """The first place of sequences and tuples where they are shown; 1 in TLA+."""
    constraints: tuple[str, ...] = ()
    """Of a TLA+ module: the names of the constraints on states and steps in its configuration."""
    libraries: tuple[str, ...] = ()
    """Of a TLA+ module: the folders named for modules that it extends."""
    named_lemmas: tuple[str, ...] = ()
    """Of a TLA+ module: the definitions that the user named as lemmas."""


@dataclass(frozen=True)
class Definition:
    """A protocol at given constants."""

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
    drawing: Mapping[str, Any] | None = None
    """The drawing of executions in reports (``verifier.specs.drawing``), as JSON; None if nothing is said."""
    presentation: Presentation = Presentation()
    temporal: tuple[TemporalProperty, ...] = ()
    """Claims about whole executions. Only ``verify live`` checks it."""
    fairness: tuple[FairnessVariant, ...] = ()
    """The protocol's own fairness, if it states one, and named variants."""
    rankings: tuple[RankingArgument, ...] = ()
    """Why temporal properties hold; each is to be proved."""
    refinements: tuple[Refinement, ...] = ()
    """Between which protocols refinements are; two of the properties say that each holds."""
    titles: Titles = _TITLES
    """The titles of built-in checks."""
    checks_deadlock: bool = False
    """True if a run that names no properties looks for deadlocks too (TLC's CHECK_DEADLOCK)."""
    exchanges: tuple[Mapping[str, str], ...] = ()
    """Exchanges of two words that may be interchangeable: guesses, no part of the meaning.
    Who uses one looks whether it is so."""
    permutations: tuple[Mapping[str, str], ...] = ()
    """The images of words under permutations of values (TLC's SYMMETRY). Whoever makes the definition checks
    that they change nothing but names. Exploration keeps one state of each orbit."""

    @property
    def limits(self) -> tuple[str, ...]:
        """Return the names of the constraints: verdicts are about executions within them."""
        return self.presentation.constraints or (() if self.constraint is None else ("constraint",))

    def terms(self) -> Iterator[tuple[str, Term]]:
        """Every term of the definition, with its place in words."""
        yield "init", self.init
        for action in self.actions:
            yield from ((f"action {action.name}", term) for term in action.when)
            for target, value in action.then:
                yield from ((f"action {action.name}", term) for term in (target, value))
        for prop in self.properties:
            yield f"property {prop.name}", prop.formula
        if self.constraint is not None:
            yield "constraint", self.constraint
        for lemma in self.lemmas:
            yield f"lemma {lemma.name}", lemma.formula

    def read(self, *, free: bool) -> Definition:
        """The definition with the parameters that are left open free or expanded.

        Both have the same transitions and the same hash. What has no value cannot be free.
        """

        def read(parameter: Parameter) -> Parameter:
            if not parameter.left_open:
                return parameter
            return replace(parameter, free=free and parameter.symbol.sort.lacking is None)

        actions = (replace(a, parameters=tuple(map(read, a.parameters))) for a in self.actions)
        return replace(self, actions=tuple(actions))

    @cached_property
    def spec_hash(self) -> str:
        """A hash of the meaning (see ``verifier.specs.hashing``).

        It includes the lemmas, because the answer of induction depends on them.
        """
        return hashing.spec_hash(self)
