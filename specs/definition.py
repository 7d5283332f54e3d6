"""A protocol at given constants, as plain data. Every engine starts from it.

Python classes build it (``verifier.specs.protocol``). A front end for parsed text could build it too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from verifier.encodings.concrete import Concrete
from verifier.encodings.sorts import Sort
from verifier.encodings.terms import Symbol, Term
from verifier.specs.meaning import Action, Lemma, Meaning, Parameter, Property, PropertyKind
from verifier.specs.titles import Titles

__all__ = [
    "Action",
    "Definition",
    "DefinitionError",
    "DescribedConstant",
    "Lemma",
    "Parameter",
    "Presentation",
    "Property",
    "PropertyKind",
    "Refinement",
    "prime",
]

_TITLES = Titles()


class DefinitionError(Exception):
    """A protocol is not well formed. The message names the place and what is expected there."""


def prime(name: str) -> str:
    """The name of a variable's value after a step. No variable of the state has such a name."""
    return f"{name}'"


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
    settings: Mapping[str, str] = field(default_factory=dict)
    """The constants that the user gave, as texts of ``--set``."""


@dataclass(frozen=True)
class Definition(Meaning):
    """A protocol at given constants."""

    drawing: Mapping[str, Any] | None = None
    """The drawing of executions in reports (``verifier.specs.drawing``), as JSON; None if nothing is said."""
    presentation: Presentation = Presentation()
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
        from verifier.specs import hashing

        return hashing.spec_hash(self)
