"""Proofs for all depths: IC3, k-induction and bounded model checking in parallel. The first answer counts.

A proof counts only after another solver has checked its invariant in a process of its own. A violation counts
only after it was replayed. A proof and a violation of the same property are an error.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from verifier.clauses.structural_invariants import enabled_on_walks
from verifier.engines.bounded_search import DepthClosed, SolverGaveUp, ViolationFound
from verifier.engines.choices import EngineChoice
from verifier.engines.ic3.search import Counterexample, FrameClosed, FrameProgress, Proof
from verifier.engines.kinduction import BaseClosed, KInductionProof
from verifier.engines.outcome import Outcome
from verifier.engines.provers import (
    BMC,
    IC3,
    KIND,
    LemmasKept,
    StructuralInvariants,
    bmc_work,
    ic3_certificate,
    ic3_work,
    kind_certificate,
    kind_work,
)
from verifier.engines.recheck import RECHECK, DeadActions, recheck_work, rechecker
from verifier.processes.children import ChildEnded, Children
from verifier.processes.limits import INTERRUPTED, Limits
from verifier.solvers import QUERY_SOLVER
from verifier.specs.definition import PropertyKind
from verifier.system.model import Model
from verifier.trust.certificate import Certificate
from verifier.trust.certify import CheckReport
from verifier.trust.initial_states import require_initial_state
from verifier.trust.replay import Replayer, ReplayFailure
from verifier.trust.shorten import shorten
from verifier.trust.trace import Trace
from verifier.verdict import Verdict, VerdictKind, settled

IC3_SOLVER, KIND_SOLVER, BMC_SOLVER = QUERY_SOLVER, "cadical", "z3"


@dataclass(frozen=True)
class Request:
    """What is to be proved, and how."""

    properties: tuple[str, ...]
    engine: EngineChoice = EngineChoice.AUTO
    solver: str | None = None
    """The solver of k-induction and bounded model checking; None: each uses the solver it prefers."""
    limits: Limits = field(default_factory=Limits)
    lemmas: bool = True
    """Whether IC3 assumes the protocol's lemmas after they were checked."""
    witnesses: bool = False
    """Whether random walks look for states in which actions are enabled. A proof shows no such states."""


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
    """What cannot be said by the numbers: that a proof was found, that lemmas hold."""


@dataclass(frozen=True)
class CheckedProof:
    """A proof that another solver has checked."""

    property_name: str
    prover: str
    rechecked_by: str
    recheck_seconds: float
    certificate: Certificate


@dataclass(frozen=True)
class ProveOutcome(Outcome):
    """An outcome with its proofs."""

    proofs: tuple[CheckedProof, ...] = ()


def check(
    model: Model, request: Request, listen: Callable[[Progress], None] = lambda _: None
) -> ProveOutcome:
    """Proves or refutes the properties one after the other. The limits or the user may end it early.

    Raises NoInitialState.
    """
    require_initial_state(model)
    limits = request.limits.begun()
    verdicts: list[Verdict] = []
    proofs: list[CheckedProof] = []
    statistics: dict[str, Any] = {"provers": {}, "peak_memory_bytes": 0}
    dead: set[str] = set()
    interrupted = False
    waiting = sorted(request.properties, key=lambda name: _cost(model, name))
    while waiting:
        name, left = waiting.pop(0), len(waiting) + 1
        if interrupted:
            verdicts.append(Verdict(name, VerdictKind.INCONCLUSIVE, None, 0.0, INTERRUPTED))
            continue
        run = _PropertyProof(model.asking((name,)), request, name, limits.shared(left), listen)
        verdicts += run.run()
        interrupted = run.interrupted
        if run.proved is not None:
            proofs.append(run.proved)
        dead.update(run.dead)
        statistics["provers"][name] = run.statistics
        statistics["peak_memory_bytes"] = max(statistics["peak_memory_bytes"], run.peak_memory)
    place = {name: number for number, name in enumerate(request.properties)}
    verdicts.sort(key=lambda verdict: place.get(verdict.property_name, len(place)))
    distinct = {verdict.property_name: verdict for verdict in reversed(verdicts)}
    seen = {action.name for v in verdicts if v.trace is not None for action in v.trace.actions}
    if request.witnesses:
        seen |= enabled_on_walks(model.system)
    return ProveOutcome(
        verdicts=tuple(verdict for verdict in verdicts if distinct[verdict.property_name] is verdict),
        never_enabled=tuple(sorted(dead)),
        statistics=statistics,
        enabled=tuple(sorted(seen)),
        proofs=tuple(proofs),
    )


def _cost(model: Model, name: str) -> tuple[bool, int]:
    """What tells cheap proofs from others: a type invariant is mostly inductive, a short formula simple."""
    prop = model.system.property_named(name)
    return prop.kind is not PropertyKind.TYPE_INVARIANT, len(prop.formula.get_free_variables())


class _PropertyProof:
    """Proves or refutes one property."""

    def __init__(
        self,
        model: Model,
        request: Request,
        name: str,
        limits: Limits,
        listen: Callable[[Progress], None],
    ) -> None:
        self.model = model
        self.system = model.system
        self.request = request
        self.name = name
        self.listen = listen
        self.limits = limits
        self.children = Children(limits)
        self.interrupted = False
        self.began = time.monotonic()
        self.replayer = Replayer(model)
        self.last = int(model.system.about_steps(name))
        """How many actions a counterexample has beyond the state in which IC3 and k-induction find one."""
        self.closed = -1
        self.claim: tuple[str, Certificate] | None = None
        """The prover that claims a proof, and its invariant, which was not checked yet."""
        self.rechecker = ""
        self.lemmas: tuple[str, ...] = ()
        """The names of the formulas that IC3 assumes."""
        self.proved: CheckedProof | None = None
        self.verdicts: list[Verdict] = []
        self.dead: tuple[str, ...] = ()
        self.failures: list[str] = []
        self.statistics: dict[str, dict[str, Any]] = {}
        self.peak_memory = 0

    def run(self) -> list[Verdict]:
        """The verdict of the property, and perhaps of an implied property that is violated instead."""
        reason = self.children.supervise(self._search)
        self.interrupted = reason == INTERRUPTED
        self.peak_memory = self.children.peak_memory
        if not self.verdicts:
            reason = reason or "; ".join(self.failures) or "the provers ended early"
            self._decide(VerdictKind.INCONCLUSIVE, reason)
        return self.verdicts

    def _search(self) -> None:
        self._start()
        for event in self.children.events():
            self._take(event)
            if self.verdicts:
                return

    def _start(self) -> None:
        """Starts the provers. In ``auto``, k-induction has a low priority."""
        choice, model, name = self.request.engine, self.model, self.name
        solver = self.request.solver
        if choice in (EngineChoice.AUTO, EngineChoice.IC3):
            ic3 = ic3_work(model, name, self.request.lemmas, IC3_SOLVER)
            self._child(IC3, IC3_SOLVER, ic3)
        if choice in (EngineChoice.AUTO, EngineChoice.KIND):
            with_others = choice is EngineChoice.AUTO
            kind = kind_work(model, name, solver or KIND_SOLVER, with_others)
            self._child(KIND, solver or KIND_SOLVER, kind)
        if choice is EngineChoice.AUTO:
            names = dict.fromkeys((name, *self._implied()))
            self._child(BMC, solver or BMC_SOLVER, bmc_work(model, tuple(names), solver or BMC_SOLVER))

    def _child(self, prover: str, solver: str, work: Any) -> None:
        self.statistics[prover] = {"solver": solver}
        self.children.start(prover, work)

    def _implied(self) -> Iterable[str]:
        return (prop.name for prop in self.system.implied)

    def _take(self, event: Any) -> None:
        if isinstance(event, ChildEnded):
            if event.child == IC3:
                self.children.send(KIND, None)  # it may still wait for structural invariants
            if event.failure is not None:
                self.failures.append(f"{event.child} failed: {event.failure}")
                if event.child == RECHECK:
                    self._decide(VerdictKind.INCONCLUSIVE, f"a proof was not checked: {event.failure}")
            return
        if event.child == RECHECK:
            self._take_recheck(event.content)
        else:
            self._take_news(event.child, event.content)

    def _take_news(self, prover: str, news: Any) -> None:
        match news:
            case FrameClosed() | FrameProgress():
                self._take_frame(news)
            case StructuralInvariants():
                self.children.send(KIND, news.clauses)
            case LemmasKept():
                self.lemmas = news.names
                self.statistics[prover] |= {"lemmas": news.lemmas, "lemma_seconds": round(news.seconds, 3)}
                self._tell(prover, note=f"{news.lemmas} lemmas hold, and are kept")
            case BaseClosed():
                self._close(prover, news.depth + self.last)
            case DepthClosed():
                if self.name in news.properties:
                    self._close(prover, news.depth)
            case Proof() | KInductionProof():
                self._take_proof(prover, news)
            case Counterexample():
                self.statistics[prover]["queries"] = news.queries
                self._violation(prover, news.initial, news.firings)
            case ViolationFound():
                firings = [(firing.instance, firing.inputs) for firing in news.firings]
                self._violation(prover, news.initial, firings)
            case SolverGaveUp():
                self.failures.append(f"{prover}: {news.reason}")

    def _take_frame(self, news: FrameClosed | FrameProgress) -> None:
        self.statistics[IC3] |= {
            "frame": news.frame,
            "clauses": news.clauses,
            "obligations": news.obligations,
        }
        if isinstance(news, FrameClosed):
            self.closed = max(self.closed, news.frame + self.last)
        self._tell(IC3, news.frame, news.clauses, news.obligations)

    def _close(self, prover: str, depth: int) -> None:
        self.statistics[prover]["depth"] = depth
        self.closed = max(self.closed, depth)
        self._tell(prover, depth)

    def _tell(
        self,
        prover: str,
        depth: int | None = None,
        clauses: int | None = None,
        obligations: int | None = None,
        note: str = "",
    ) -> None:
        self.listen(Progress(prover, self.name, self._elapsed(), depth, clauses, obligations, note))

    # Proofs

    def _take_proof(self, prover: str, news: Proof | KInductionProof) -> None:
        known = self.statistics[prover]
        known["seconds"] = round(news.seconds, 3)
        if isinstance(news, Proof):
            known |= {"frame": news.frame, "learned_clauses": news.learned, "queries": news.queries}
            self._claim(prover, ic3_certificate(self.model, self.name, news, self.lemmas, known["solver"]))
        else:
            known["k"] = news.k
            self._claim(prover, kind_certificate(self.model, self.name, news, known["solver"]))

    def _claim(self, prover: str, certificate: Certificate) -> None:
        """Lets another solver check the proof. Bounded model checking goes on meanwhile."""
        if self.claim is not None:
            return
        self.claim = (prover, certificate)
        self.rechecker = rechecker(self.statistics[prover]["solver"])
        self._tell(prover, note=f"proof found, {self.rechecker} checks it")
        for other in (IC3, KIND):
            self.children.kill(other)
        self.children.start(RECHECK, recheck_work(self.model, certificate, self.rechecker))

    def _take_recheck(self, news: Any) -> None:
        assert self.claim is not None
        prover = self.claim[0]
        match news:
            case DeadActions():
                self.dead = news.names
            case CheckReport() if not news.failed:
                self._proof_stands(news.seconds)
            case CheckReport():
                first = news.failed[0]
                if first.certain:
                    refuted = f"{prover} claims a proof, but {self.rechecker} refutes: {first.obligation}"
                    self._decide(VerdictKind.ERROR, refuted)
                else:
                    self._decide(VerdictKind.INCONCLUSIVE, f"{self.rechecker} gave up checking the proof")

    def _proof_stands(self, seconds: float) -> None:
        assert self.claim is not None
        prover, certificate = self.claim
        self.proved = CheckedProof(self.name, prover, self.rechecker, seconds, certificate)
        self.statistics[RECHECK] = {"solver": self.rechecker, "seconds": round(seconds, 3)}
        kind, reason = settled(sought=self.system.seeks(self.name))
        self._decide(kind, reason, found_by=prover)

    # Violations

    def _violation(
        self, prover: str, initial: Sequence[bool], firings: Sequence[tuple[int, Sequence[bool]]]
    ) -> None:
        """Replays an execution that violates the property, or an implied property."""
        taken = [(self.system.instances[index], inputs) for index, inputs in firings]
        for name in dict.fromkeys((self.name, *self._implied())):
            try:
                self.replayer.execute(initial, taken, name)
            except ReplayFailure as failure:
                problem = failure
                continue
            kept = shorten(self.replayer, initial, taken, name)
            self._violated(prover, name, self.replayer.execute(initial, kept, name))
            return
        self._decide(VerdictKind.ERROR, f"{prover} found a violation that does not replay: {problem}")

    def _violated(self, prover: str, name: str, trace: Trace) -> None:
        if self.claim is not None:
            reason = (
                f"{self.claim[0]} claims a proof, but {prover} found a violation in {trace.steps} actions"
            )
            self._decide(VerdictKind.ERROR, reason)
            return
        if name == self.name and trace.steps <= self.closed:
            reason = (
                f"depth {self.closed} was closed, but {prover} found a violation in {trace.steps} actions"
            )
            self._decide(VerdictKind.ERROR, reason)
            return
        reached = self.system.seeks(name)
        fewest = name == self.name and self.closed == trace.steps - 1
        kind = VerdictKind.REACHED if reached else VerdictKind.VIOLATED
        depth = max(trace.steps, self.closed)
        verdict = Verdict(name, kind, depth, self._elapsed(), trace=trace, fewest=fewest, found_by=prover)
        if name != self.name:
            reason = f"{name} is violated"
            self.verdicts.append(verdict)
            self._decide(VerdictKind.INCONCLUSIVE, reason)
        else:
            self.verdicts.append(verdict)

    def _decide(self, kind: VerdictKind, reason: str | None = None, found_by: str | None = None) -> None:
        depth = self.closed if self.closed >= 0 else None
        if kind is VerdictKind.PROVED or found_by is not None:
            depth = None
        self.verdicts.append(Verdict(self.name, kind, depth, self._elapsed(), reason, found_by=found_by))

    def _elapsed(self) -> float:
        return time.monotonic() - self.began
