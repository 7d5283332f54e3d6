"""A protocol at given constants, as plain data: what every engine starts from.

Python classes build it (``verifier.specs.protocol``); a front end for parsed text could as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from verifier.encodings.concrete import Concrete
from verifier.encodings.sorts import IndexSet, Sort
from verifier.encodings.terms import Symbol, Term
from verifier.specs import hashing


class DefinitionError(Exception):
    """A protocol is not well formed. The message says where and what is expected there."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of an action.

    An expanded one gives an instance per value; a free one is chosen by the solver within one instance.
    """

    symbol: Symbol
    free: bool


@dataclass(frozen=True)
class Action:
    """A named action: guard lines, and what it assigns (target, value); the rest is unchanged.

    A target is a variable, or a path of applications and fields below one. The targets of one action
    are assigned in order, as in TLA+'s ``EXCEPT``; all values are of the old state.
    """

    name: str
    parameters: tuple[Parameter, ...]
    when: tuple[Term, ...]
    then: tuple[tuple[Term, Term], ...]
    description: str

    @property
    def sorts(self) -> dict[str, Sort]:
        """The sort of each parameter by its name, in order."""
        return {parameter.symbol.name: parameter.symbol.sort for parameter in self.parameters}


class PropertyKind(StrEnum):
    """What a property claims."""

    INVARIANT = "invariant"
    """Every reachable state satisfies the formula."""
    TYPE_INVARIANT = "type invariant"
    """An invariant, and no enabled action would assign a value outside its variable's sort."""
    UNDEFINED_READ = "undefined read"
    """In no reachable state an action, a property or the constraint reads what has no value."""
    DEADLOCK_INVARIANT = "deadlock invariant"
    """Every reachable state in which no action is enabled satisfies the formula."""
    REACHABLE = "reachable"
    """Some reachable state satisfies the formula."""


UNDEFINED_READ = "UndefinedRead"
"""What the property of that kind is called."""

NO_DEADLOCK = "NoDeadlock"
"""What freedom from deadlock is called: in every reachable state some action is enabled."""


@dataclass(frozen=True)
class Property:
    """A named claim. ``default`` ones are checked when none is asked for by name."""

    name: str
    kind: PropertyKind
    formula: Term
    default: bool
    description: str


@dataclass(frozen=True)
class Lemma:
    """A named formula that helps to prove properties. It claims nothing until it is proved with them."""

    name: str
    formula: Term
    description: str


@dataclass(frozen=True)
class DescribedConstant:
    """A constant: its value, the one that it has by default, and what is allowed, in words."""

    name: str
    value: Concrete
    default: Concrete
    allowed: str
    description: str


@dataclass(frozen=True)
class Presentation:
    """What is said of a protocol beside its meaning."""

    description: str = ""
    source: str = ""
    """The module of a built-in protocol, the file of any other."""
    default_depth: int = 10
    """Actions: how deep bounded model checking looks unless told otherwise."""
    constants: tuple[DescribedConstant, ...] = ()
    lanes: IndexSet | None = None
    """The index set that gives a trace its columns; None: it has none."""


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
    """States that do not satisfy it are checked, but nothing happens in them (TLC's CONSTRAINT)."""
    lemmas: tuple[Lemma, ...] = ()
    drawing: Mapping[str, Any] | None = None
    """How executions are drawn (``verifier.specs.drawing``), as JSON; None: it does not say."""
    presentation: Presentation = Presentation()

    def terms(self) -> Iterator[tuple[str, Term]]:
        """Every term with the place where it stands."""
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

    @cached_property
    def spec_hash(self) -> str:
        """A hash of the meaning, lemmas included (what induction says depends on them): see
        ``verifier.specs.hashing``."""
        return hashing.spec_hash(self)
