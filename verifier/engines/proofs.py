"""Requests, news and proofs of the provers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from verifier.engines.choices import EngineChoice
from verifier.engines.outcome import Outcome
from verifier.processes.limits import Limits
from verifier.trust.certificate import Certificate

if TYPE_CHECKING:
    from verifier.engines.state_space import Explored


@dataclass(frozen=True)
class Request:
    """The properties to prove, and how to prove them."""

    properties: tuple[str, ...]
    engine: EngineChoice = EngineChoice.AUTO
    solver: str | None = None
    """The solver of k-induction and bounded model checking; None: each uses the solver it prefers."""
    limits: Limits = field(default_factory=Limits)
    lemmas: bool = True
    """True if IC3 assumes the protocol's lemmas after they were checked."""
    explore: bool = False
    """True if exploration continues beside the other provers, unless one of them or a solver is named. Its
    proofs have no certificate."""
    first: bool = False
    """True if a property that is violated ends all."""
    witnesses: bool = False
    """True if random walks look for states in which actions are enabled. A proof shows no such states."""


@dataclass(frozen=True)
class Progress:
    """News of a prover."""

    prover: str
    property_name: str
    seconds: float
    depth: int | None = None
    """The depth that was closed; of IC3, the frontier."""
    clauses: int | None = None
    obligations: int | None = None
    note: str = ""
    """News without a number: that a proof was found, that lemmas hold."""


@dataclass(frozen=True)
class CheckedProof:
    """A proof that another solver has checked."""

    property_name: str
    prover: str
    rechecked_by: str
    recheck_seconds: float
    certificate: Certificate
    uses: tuple[str, ...] = ()
    """The other properties that are part of the invariant."""
    lemmas_not_needed: tuple[str, ...] | None = None
    """Declared lemmas that are inductive, but no part of the invariant; None: it was not found out."""
    lemmas_not_inductive: tuple[str, ...] | None = None
    """Declared lemmas that fall, with or without the others; None: it was not found out."""


@dataclass(frozen=True)
class ProveOutcome(Outcome):
    """An outcome with its proofs."""

    proofs: tuple[CheckedProof, ...] = ()
    explored: Mapping[str, Explored] = field(default_factory=dict)
    """The proof of each property that exploration proved."""
