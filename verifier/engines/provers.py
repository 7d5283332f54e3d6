"""What each prover does in its own process, and the invariant that comes of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any

from verifier.bit_permutations import bit_permutations
from verifier.certificate import Certificate, FoundBy, certificate_of
from verifier.encodings.bits import conjunction
from verifier.engines.bounded_search import Search, search
from verifier.engines.ic3.problem import problem, type_clauses
from verifier.engines.ic3.reduction import reduced
from verifier.engines.ic3.search import Counterexample, Proof, prove
from verifier.engines.kinduction import Induced, kinduction
from verifier.engines.processes import Work
from verifier.model import Model
from verifier.solvers import solver_version
from verifier.solvers.assuming import AssumingSolver
from verifier.specs.definition import PropertyKind
from verifier.system import SafetyProperty, TransitionSystem
from verifier.unroll import Steps

IC3, KIND, BMC = "ic3", "kind", "bmc"
_BEYOND_ALL_DEPTHS = 1_000_000
_IN_THE_BACKGROUND = 10


def with_goal(system: TransitionSystem, name: str) -> TransitionSystem:
    """The system with the property and all type invariants as one.

    An instance is disabled where it would leave a sort, so a property is proved of the protocol only if
    no instance ever would.
    """
    prop = system.property_named(name)
    types = [p.formula for p in system.properties if p.kind is PropertyKind.TYPE_INVARIANT]
    goal = SafetyProperty(name, prop.kind, conjunction((prop.formula, *types)), prop.default)
    return replace(system, properties=(goal,))


def ic3_work(model: Model, name: str) -> Work:
    """IC3 on the property and the type invariants."""

    def work(report: Callable[[Any], None], incoming: Connection) -> None:
        question = problem(with_goal(model.system, name), name)
        permutations = bit_permutations(model)
        answer: Proof | Counterexample = prove(question, permutations, report)
        if isinstance(answer, Proof):
            answer = replace(answer, clauses=tuple(reduced(question, permutations, answer.clauses)))
        report(answer)

    return work


def kind_work(model: Model, name: str, solver: str, nice: bool) -> Work:
    """k-induction on the property and the type invariants."""

    def work(report: Callable[[Any], None], incoming: Connection) -> None:
        if nice:
            os.nice(_IN_THE_BACKGROUND)
        kinduction(with_goal(model.system, name), name, solver, report)

    return work


def bmc_work(model: Model, names: Sequence[str], solver: str) -> Work:
    """Bounded model checking in parallel steps, deeper and deeper."""

    def work(report: Callable[[Any], None], incoming: Connection) -> None:
        search(model.system, Search(Steps.PARALLEL, solver, _BEYOND_ALL_DEPTHS, tuple(names)), report)

    return work


def ic3_certificate(model: Model, name: str, proof: Proof) -> Certificate:
    """The invariant that IC3 found, without what ``Typed`` says already."""
    return _certificate(model, name, (), proof.clauses, (IC3, AssumingSolver.NAME))


def kind_certificate(model: Model, name: str, proof: Induced, solver: str) -> Certificate:
    """The property itself with what was known beside."""
    types = [p.name for p in model.system.properties if p.kind is PropertyKind.TYPE_INVARIANT]
    lemmas = tuple(dict.fromkeys((name, *types)))
    return _certificate(model, name, lemmas, proof.clauses, (KIND, solver), max(proof.k, 1))


def _certificate(
    model: Model,
    name: str,
    lemmas: tuple[str, ...],
    clauses: Sequence[tuple[int, ...]],
    found_by: tuple[str, str],
    k: int = 1,
) -> Certificate:
    bits = [symbol.symbol_name() for symbol in model.system.bits]
    engine, solver = found_by
    typed = {frozenset(clause) for clause in type_clauses(model.system)}
    named = tuple(
        tuple((bits[abs(literal) - 1], literal > 0) for literal in clause)
        for clause in clauses
        if frozenset(clause) not in typed
    )
    return certificate_of(model, name, lemmas, named, FoundBy(engine, solver, solver_version(solver)), k)
