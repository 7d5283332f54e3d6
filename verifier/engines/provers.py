"""The work of each prover in its own process, and the certificates of the proofs."""

from __future__ import annotations

import gc
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
from verifier.engines.hypotheses import conjoin_invariant, keep_unchanged
from verifier.engines.ic3.problem import problem
from verifier.engines.ic3.reduction import reduce_invariant
from verifier.engines.ic3.search import Counterexample, Proof, prove
from verifier.engines.inductive_step import InductiveSet, largest_inductive
from verifier.engines.kinduction import Event, KInductionProof, kinduction
from verifier.kernels.building import load_queries
from verifier.processes.children import Work
from verifier.solvers import QUERY_SOLVER, UnknownAnswer, solver_version
from verifier.solvers.solver_names import COMPILED
from verifier.symmetry.bit_permutations import bit_permutations
from verifier.symmetry.instance_orbits import instance_representatives
from verifier.system.model import Model
from verifier.system.transition_system import SafetyProperty, TransitionSystem
from verifier.trust.certificate import Certificate, FoundBy, certificate_of, list_named_formulas
from verifier.version import tool_version

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
    """The number of lemmas in ``names``."""
    seconds: float


@dataclass(frozen=True)
class Used:
    """The facts that the next reported proof rests on."""

    names: tuple[str, ...]
    """The preserved formulas that the proof uses; they are inductive together."""
    hypotheses: tuple[str, ...]
    """The properties whose invariants it assumes."""


def _goals(model: Model, name: str) -> tuple[str, ...]:
    """The property and the implied properties."""
    return tuple(dict.fromkeys((*(prop.name for prop in model.system.implied), name)))


def find_inductive_lemmas(
    model: Model, name: str, lemmas: bool = True, others: Sequence[str] = ()
) -> InductiveSet:
    """The largest set of lemmas, type invariants, the property and ``others`` whose conjunction is inductive.
    If the property is in the set, it is proved. Empty where nothing but type invariants would be: IC3 finds
    what it needs of these by itself, and assuming them slows its queries."""
    system, typed = model.system, model.definition.titles.typed
    candidates = {typed: system.valid}
    candidates |= {lemma.name: lemma.formula for lemma in system.lemmas if lemmas}
    goals = dict.fromkeys((*_goals(model, name), *others))
    candidates |= {goal: system.property_named(goal).formula for goal in goals}
    instances = instance_representatives(model.definition, system)
    own = _goals(model, name)
    wanted = {name, *others, *(lemma.name for lemma in system.lemmas if lemmas)}
    return largest_inductive(system, candidates, instances, _LEMMA_SOLVER, (typed, *own), wanted)


def ic3_work(
    model: Model,
    name: str,
    lemmas: bool,
    solver: str = QUERY_SOLVER,
    others: Sequence[str] = (),
    hypotheses: Sequence[Certificate] = (),
) -> Work:
    """IC3 on the property and the implied properties. With ``lemmas``, it checks the protocol's lemmas first,
    and assumes those that hold; ``others`` are properties that may serve as lemmas. It assumes the
    hypotheses."""

    def work(report: Callable[[Any], None], incoming: Connection) -> None:
        began = time.monotonic()
        kept = InductiveSet((), {})
        if (lemmas and model.system.lemmas) or others:
            kept = find_inductive_lemmas(model, name, lemmas, others)
            own = sum(lemma.name in kept.names for lemma in model.system.lemmas)
            report(LemmasKept(kept.names, own, time.monotonic() - began))
            if set(_goals(model, name)) <= set(kept.names):
                report(Used(kept.around(_goals(model, name)), ()))
                report(Proof((), 0, 0, 0, time.monotonic() - began))
                return
        known: list[FNode] = list_named_formulas(model, kept.names)
        permutations = bit_permutations(model, known)
        keeping = keep_unchanged(model, hypotheses, permutations, known)
        known += [conjoin_invariant(model, hypothesis) for hypothesis in keeping]

        def report_invariants(clauses: Clauses) -> None:
            report(StructuralInvariants(clauses))

        goal = with_goal(model.system, name)
        question = problem(
            goal, name, lemmas=known, report_invariants=report_invariants, permutations=permutations
        )
        try:
            gc.freeze()  # the model stays as long as the process
            functions = load_queries() if solver == QUERY_SOLVER else None
            answer: Proof | Counterexample = prove(question, permutations, report, solver, functions)
            if isinstance(answer, Proof):
                fewer = reduce_invariant(question, permutations, answer.clauses, solver)
                answer = replace(answer, clauses=tuple(fewer.clauses))
                report(_sort_used(kept, keeping, fewer.lemmas))
        except UnknownAnswer:
            report(SolverGaveUp(f"{solver} gave up"))
            return
        report(answer)

    return work


def _sort_used(kept: InductiveSet, hypotheses: Sequence[Certificate], indices: Sequence[int]) -> Used:
    """The facts at these places: those that were kept come first."""
    first = len(kept.names)
    return Used(
        kept.around(kept.names[index] for index in indices if index < first),
        tuple(hypotheses[index - first].property_name for index in indices if index >= first),
    )


def kind_work(
    model: Model, name: str, solver: str, with_others: bool, hypotheses: Sequence[Certificate] = ()
) -> Work:
    """k-induction on the property and the implied properties, under the hypotheses. ``with_others``, it has a
    low priority and waits for the structural invariants that IC3 found, or for None."""

    def work(report: Callable[[Any], None], incoming: Connection) -> None:
        structural: Clauses | None = None
        if with_others:
            os.nice(_IN_THE_BACKGROUND)
            structural = incoming.recv()
        known = [conjoin_invariant(model, hypothesis) for hypothesis in hypotheses]
        system = with_goal(model.system, name)

        def tell(event: Event) -> None:
            if isinstance(event, KInductionProof):
                report(Used((), tuple(hypotheses[index].property_name for index in event.assumed)))
            report(event)

        kinduction(system, name, solver, tell, structural=structural, assumed=known)

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
    solvers = "+".join(
        [solver, *([COMPILED] if proof.compiled else ()), *([_LEMMA_SOLVER] if lemmas else ())]
    )
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
    versions = "+".join(
        tool_version() if each == COMPILED else solver_version(each) for each in solver.split("+")
    )
    found_by = FoundBy(engine, solver, versions)
    typed = {frozenset(clause) for clause in type_clauses(model.system)}
    named = tuple(
        tuple((bits[abs(literal) - 1], literal > 0) for literal in clause)
        for clause in clauses
        if frozenset(clause) not in typed
    )
    return certificate_of(model, name, lemmas, named, found_by, k)
