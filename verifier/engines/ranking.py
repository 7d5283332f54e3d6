"""Proof of a temporal property by the ranking that the protocol declares for it.

The claims of the ranking (``verifier.system.ranking_model``) are asked one after the other of the states in
which the lemmas and type invariants hold that are inductive together. A proof counts after another solver has
checked it in a process of its own, as every proof. A claim that fails refutes the ranking, not the property,
and perhaps only in states that are never reached.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from verifier.clauses.cnf import Clausifier
from verifier.encodings.bits import negation
from verifier.encodings.concrete import Concrete, show
from verifier.engines.inductive_step import largest_inductive
from verifier.engines.proofs import CheckedProof
from verifier.engines.recheck import DeadActions, recheck_work, rechecker
from verifier.processes.children import Work
from verifier.processes.limits import Limits
from verifier.processes.pool import run_alone
from verifier.solvers import QUERY_SOLVER, Answer, open_solver, solver_version
from verifier.system.liveness import LiveModel
from verifier.system.model import State
from verifier.system.ranking_model import Claim, NoRanking, ranking_claims, ranking_model, ranking_of
from verifier.trust.certificate import Certificate, FoundBy, certificate_of, list_named_formulas
from verifier.trust.certify import CheckReport
from verifier.trust.concrete_reading import ConcreteReading
from verifier.trust.initial_states import require_initial_state
from verifier.trust.replay import Replayer

RANKING = "ranking"


@dataclass(frozen=True)
class Progress:
    """News of the claims."""

    claims: int
    """The number of claims."""
    shown: int
    seconds: float


@dataclass(frozen=True)
class RankingFailed:
    """The reason why the ranking proves nothing."""

    reason: str


@dataclass(frozen=True)
class _Shown:
    """All claims follow from these, which are inductive together."""

    names: tuple[str, ...]
    claims: int


@dataclass(frozen=True)
class RankingProof:
    """The outcome of a proof by ranking, and its cost."""

    proof: CheckedProof | None
    reason: str | None
    """The facts shown, or why there is no proof."""
    is_error: bool
    """True if the checker refutes the proof."""
    dead: tuple[str, ...]
    """Actions that the invariant shows to be impossible."""
    statistics: dict[str, Any]


def prove_by_ranking(live: LiveModel, limits: Limits, listen: Callable[[Progress], None]) -> RankingProof:
    """Proves the property by its ranking, until limits or the user end it."""

    def hear(news: Any) -> None:
        if isinstance(news, Progress):
            listen(news)

    require_initial_state(live.base)
    limits = limits.begin()
    began = time.monotonic()
    shown = run_alone(RANKING, _work(live), limits, nested=False, hear=hear)
    statistics: dict[str, Any] = {"peak_memory_bytes": shown.peak_memory, "seconds": round(shown.seconds, 3)}
    result = next((news for news in shown.reported if isinstance(news, _Shown | RankingFailed)), None)
    if not isinstance(result, _Shown):
        reason = result.reason if result is not None else shown.limit or shown.failure
        return RankingProof(None, reason or "the work ended early", False, (), statistics)
    statistics["claims"] = result.claims
    certificate = _certificate(live, result.names)
    checker = rechecker(QUERY_SOLVER)

    def check(report: Callable[[Any], None], incoming: Connection) -> None:
        recheck_work(ranking_model(live), certificate, checker)(report, incoming)

    checked = run_alone(f"{RANKING} checked", check, limits, nested=False)
    statistics["peak_memory_bytes"] = max(shown.peak_memory, checked.peak_memory)
    statistics["recheck"] = {"solver": checker, "seconds": round(time.monotonic() - began - shown.seconds, 3)}
    report = next((news for news in checked.reported if isinstance(news, CheckReport)), None)
    if report is None:
        return RankingProof(None, checked.limit or checked.failure, False, (), statistics)
    if report.failed:
        first = report.failed[0]
        said = f"{checker} refutes" if first.certain else f"{checker} gave up on"
        return RankingProof(None, f"{said}: {first.obligation}", first.certain, (), statistics)
    dead = next((news.names for news in checked.reported if isinstance(news, DeadActions)), ())
    proof = _report_checked(live, certificate, checker, report.seconds)
    words = f"{result.claims} claims of its ranking hold in all reachable states, as {checker} checked again"
    return RankingProof(proof, words, False, dead, statistics)


def _report_checked(live: LiveModel, certificate: Certificate, checker: str, seconds: float) -> CheckedProof:
    implied = [prop.name for prop in live.model.system.implied]
    uses = tuple(name for name in implied if name in certificate.lemmas)
    return CheckedProof(live.property_.name, RANKING, checker, seconds, certificate, uses)


def _certificate(live: LiveModel, names: tuple[str, ...]) -> Certificate:
    found_by = FoundBy(RANKING, QUERY_SOLVER, solver_version(QUERY_SOLVER))
    return certificate_of(
        live.model, live.property_.name, names, (), found_by, fairness=live.fairness, ranking=True
    )


def _work(live: LiveModel) -> Work:
    def work(report: Callable[[Any], None], incoming: Connection) -> None:
        report(_decide(live, report))

    return work


def _decide(live: LiveModel, report: Callable[[Any], None]) -> _Shown | RankingFailed:
    """True if all claims follow from what is inductive."""
    try:
        claims = ranking_claims(live)
    except NoRanking as none:
        return RankingFailed(str(none))
    names = _inductive(live)
    for prop in live.model.system.implied:
        if prop.name not in names:
            return RankingFailed(f"{prop.name} is not inductive, even with the lemmas")
    failed = _first_failing(live, names, claims, report)
    typed = live.model.definition.titles.typed
    return failed or _Shown(tuple(name for name in names if name != typed), len(claims))


def _inductive(live: LiveModel) -> tuple[str, ...]:
    """Lemmas and type invariants that are inductive together."""
    system, typed = live.model.system, live.model.definition.titles.typed
    candidates = {typed: system.valid}
    candidates |= {lemma.name: lemma.formula for lemma in system.lemmas}
    goals = {prop.name: prop.formula for prop in system.implied}
    instances = range(len(system.instances))
    inductive = largest_inductive(system, candidates | goals, instances, QUERY_SOLVER, (typed, *goals))
    return inductive.names


def _first_failing(
    live: LiveModel, names: Sequence[str], claims: Sequence[Claim], report: Callable[[Any], None]
) -> RankingFailed | None:
    began, system, given = time.monotonic(), live.model.system, 0
    clauses, solver = Clausifier(), open_solver(QUERY_SOLVER)
    for symbol in system.bits:
        clauses.declare(symbol)
    for formula in list_named_formulas(live.model, names):
        clauses.assert_term(formula)
    try:
        for number, claim in enumerate(claims):
            report(Progress(len(claims), number, time.monotonic() - began))
            failing = clauses.literal(negation(claim.formula))
            solver.add_clauses(clauses.clauses[given:])
            given = len(clauses.clauses)
            answer = solver.solve([failing])
            if answer is Answer.UNKNOWN:
                return RankingFailed(f"{QUERY_SOLVER} gave up on the claim that {claim.says}")
            if answer is Answer.SATISFIABLE:
                state = [solver.value(place) for place in range(1, len(system.bits) + 1)]
                return RankingFailed(_explain(live, claim, state))
    finally:
        solver.close()
    return None


def _explain(live: LiveModel, claim: Claim, state: Sequence[bool]) -> str:
    """The claim with a state in which it fails, and how the measures change there."""
    base = live.base
    own = list(state[: len(base.system.bits)])
    decoded = base.layout.decode_state(own)
    where = ", ".join(f"{name} = {show(value)}" for name, value in decoded.items())
    words = f"its ranking fails at this claim: {claim.says}"
    if claim.instance is not None and not claim.instance.inputs:
        instance = base.instance(claim.instance.label)
        after = Replayer(base).successor(own, instance, ())
        if after is not None:
            change = _change(live, decoded, base.layout.decode_state(after))
            words = f"{words} ({change})"
    return f"{words}, in the state {where}. If no execution reaches it, a lemma has to exclude it"


def _change(live: LiveModel, before: State, after: State) -> str:
    """The first measure that changes in a step."""
    ranking = ranking_of(live)
    for number, (old, new) in enumerate(
        zip(_values(ranking, before), _values(ranking, after), strict=True), 1
    ):
        if old != new:
            return f"measure {number} goes from {_show(old)} to {_show(new)}"
    return "no measure changes"


def _values(ranking: Any, state: State) -> Iterator[tuple[Concrete, ...]]:
    reading = ConcreteReading(state)
    for measure in ranking.measures:
        yield tuple(reading.value(term, {}) for term in measure)


def _show(values: tuple[Concrete, ...]) -> str:
    words = ", ".join(map(show, values))
    return words if len(values) == 1 else f"({words})"
