"""The work of each prover in its own process, and the certificates of the proofs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any

from pysmt.fnode import FNode

from verifier.clauses.type_clauses import type_clauses
from verifier.clauses.unrolling import Clauses, Steps
from verifier.encodings.bits import conjunction
from verifier.engines.bounded_search import Search, SolverGaveUp, search
from verifier.engines.ic3.problem import problem
from verifier.engines.ic3.reduction import reduced
from verifier.engines.ic3.search import Counterexample, Proof, prove
from verifier.engines.inductive_step import largest_inductive
from verifier.engines.kinduction import KInductionProof, kinduction
from verifier.processes.children import Work
from verifier.solvers import QUERY_SOLVER, UnknownAnswer, solver_version
from verifier.symmetry.bit_permutations import bit_permutations
from verifier.symmetry.instance_orbits import representatives
from verifier.system.model import Model
from verifier.system.transition_system import SafetyProperty, TransitionSystem
from verifier.trust.certificate import TYPED, Certificate, FoundBy, certificate_of, named_formulas

IC3, KIND, BMC = "ic3", "kind", "bmc"
_LEMMA_SOLVER = "z3"  # so that CaDiCaL, which checks what IC3 found, has found nothing of it
_BEYOND_ALL_DEPTHS = 1_000_000
_IN_THE_BACKGROUND = 10


def with_goal(system: TransitionSystem, name: str) -> TransitionSystem:
    """The system with one property: the conjunction of the given one and all ``TransitionSystem.implied``.

    An instance is disabled where it would assign a value outside a sort or read what has no value. So a
    property is proved of the protocol only if no instance ever would.
    """
    prop = system.property_named(name)
    implied = [other.formula for other in system.implied]
    goal = SafetyProperty(name, prop.kind, conjunction((prop.formula, *implied)), prop.default)
    return replace(system, properties=(goal,))


@dataclass(frozen=True)
class StructuralInvariants:
    """The structural invariants, which IC3 computes, for k-induction."""

    clauses: Clauses


@dataclass(frozen=True)
class LemmasKept:
    """Lemmas, properties and type invariants of the protocol whose conjunction is inductive."""

    names: tuple[str, ...]
    lemmas: int
    """How many of ``names`` are lemmas."""
    seconds: float


def _goals(model: Model, name: str) -> tuple[str, ...]:
    """The property and the implied properties."""
    return tuple(dict.fromkeys((*(prop.name for prop in model.system.implied), name)))


def kept_lemmas(model: Model, name: str) -> tuple[str, ...]:
    """The largest set of lemmas, type invariants and the property whose conjunction is inductive. If the
    property is in the set, it is proved."""
    system = model.system
    candidates = {TYPED: system.valid} | {lemma.name: lemma.formula for lemma in system.lemmas}
    candidates |= {goal: system.property_named(goal).formula for goal in _goals(model, name)}
    instances = representatives(model.definition, system)
    return largest_inductive(system, candidates, instances, _LEMMA_SOLVER)


def ic3_work(model: Model, name: str, lemmas: bool, solver: str = QUERY_SOLVER) -> Work:
    """IC3 on the property and the implied properties. With ``lemmas``, it checks the protocol's lemmas first,
    and assumes those that hold."""

    def work(report: Callable[[Any], None], incoming: Connection) -> None:
        known: list[FNode] = []
        if lemmas and model.system.lemmas:
            began = time.monotonic()
            names = kept_lemmas(model, name)
            own = sum(lemma.name in names for lemma in model.system.lemmas)
            report(LemmasKept(names, own, time.monotonic() - began))
            if set(_goals(model, name)) <= set(names):
                report(Proof((), 0, 0, 0, time.monotonic() - began))
                return
            known = named_formulas(model, names)

        def found(clauses: Clauses) -> None:
            report(StructuralInvariants(clauses))

        question = problem(with_goal(model.system, name), name, lemmas=known, found=found)
        permutations = bit_permutations(model)
        try:
            answer: Proof | Counterexample = prove(question, permutations, report, solver)
            if isinstance(answer, Proof):
                clauses = reduced(question, permutations, answer.clauses, solver)
                answer = replace(answer, clauses=tuple(clauses))
        except UnknownAnswer:
            report(SolverGaveUp(f"{solver} gave up"))
            return
        report(answer)

    return work


def kind_work(model: Model, name: str, solver: str, with_others: bool) -> Work:
    """k-induction on the property and the implied properties. ``with_others``, it has a low priority and
    waits for the structural invariants that IC3 found, or for None."""

    def work(report: Callable[[Any], None], incoming: Connection) -> None:
        structural: Clauses | None = None
        if with_others:
            os.nice(_IN_THE_BACKGROUND)
            structural = incoming.recv()
        kinduction(with_goal(model.system, name), name, solver, report, structural=structural)

    return work


def bmc_work(model: Model, names: Sequence[str], solver: str) -> Work:
    """Bounded model checking in parallel steps, without a bound on the depth."""

    def work(report: Callable[[Any], None], incoming: Connection) -> None:
        search(model.system, Search(Steps.PARALLEL, solver, _BEYOND_ALL_DEPTHS, tuple(names)), report)

    return work


def ic3_certificate(
    model: Model, name: str, proof: Proof, lemmas: tuple[str, ...] = (), solver: str = QUERY_SOLVER
) -> Certificate:
    """The invariant that IC3 found, with the lemmas that it assumed."""
    solvers = f"{solver}+{_LEMMA_SOLVER}" if lemmas else solver
    return _certificate(model, name, lemmas, proof.clauses, (IC3, solvers))


def kind_certificate(model: Model, name: str, proof: KInductionProof, solver: str) -> Certificate:
    """The property itself, with the clauses that k-induction assumed."""
    return _certificate(model, name, _goals(model, name), proof.clauses, (KIND, solver), max(proof.k, 1))


def _certificate(
    model: Model,
    name: str,
    lemmas: tuple[str, ...],
    clauses: Sequence[tuple[int, ...]],
    finder: tuple[str, str],
    k: int = 1,
) -> Certificate:
    bits = [symbol.symbol_name() for symbol in model.system.bits]
    engine, solver = finder
    versions = "+".join(solver_version(each) for each in solver.split("+"))
    found_by = FoundBy(engine, solver, versions)
    typed = {frozenset(clause) for clause in type_clauses(model.system)}
    named = tuple(
        tuple((bits[abs(literal) - 1], literal > 0) for literal in clause)
        for clause in clauses
        if frozenset(clause) not in typed
    )
    return certificate_of(model, name, lemmas, named, found_by, k)
