"""The proof or refutation of one property: provers side by side, of which the first answer counts.

A proof counts only after another solver has checked its invariant in a process of its own. A violation counts
only after it was replayed. A proof and a violation of the same property are an error.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from verifier.engines.bounded_search import DepthClosed, SolverGaveUp, ViolationFound
from verifier.engines.choices import EngineChoice
from verifier.engines.hypotheses import with_hypotheses
from verifier.engines.ic3.search import Counterexample, FrameClosed, FrameProgress, Proof
from verifier.engines.kinduction import BaseClosed, KInductionProof
from verifier.engines.proof_by_exploring import SharedExploration
from verifier.engines.proofs import CheckedProof, Progress, Request
from verifier.engines.provers import (
    BMC,
    IC3,
    KIND,
    LemmasKept,
    StructuralInvariants,
    Used,
    bmc_work,
    ic3_certificate,
    ic3_work,
    kind_certificate,
    kind_work,
)
from verifier.engines.recheck import RECHECK, DeadActions, recheck_work, rechecker
from verifier.engines.search_by_exploring import NAME as EXPLORING
from verifier.engines.state_space import ExplorationsDiffer, Explored
from verifier.processes.children import ChildEnded, Children
from verifier.processes.limits import INTERRUPTED, Limits
from verifier.solvers import QUERY_SOLVER
from verifier.specs.definition import PropertyKind
from verifier.system.model import Model
from verifier.trust.certificate import Certificate
from verifier.trust.certify import CheckReport
from verifier.trust.replay import Replayer, ReplayFailure
from verifier.trust.shorten import shorten
from verifier.trust.trace import Trace
from verifier.verdict import NEVER_REACHED, Verdict, VerdictKind, settle_verdict

_IN_THE_BACKGROUND = 10
"""The lower priority of searches during a check: if a proof is claimed, there is mostly nothing left to
find."""
IC3_SOLVER, KIND_SOLVER, BMC_SOLVER = QUERY_SOLVER, "cadical", "z3"


class PropertyProof:
    """Proves or refutes one property."""

    def __init__(
        self,
        model: Model,
        request: Request,
        name: str,
        limits: Limits,
        listen: Callable[[Progress], None],
        hypotheses: Sequence[Certificate],
        before: Verdict,
        exploration: SharedExploration | None = None,
    ) -> None:
        self.model = model
        self.system = model.system
        self.request = request
        self.name = name
        self.listen = listen
        self.limits = limits
        self.children = Children(limits)
        self.interrupted = False
        self.share_over = False
        """True if it was left undecided because its share of the time was over, not the time."""
        self.hypotheses = hypotheses
        self.exploration = exploration
        self.began = time.monotonic() - before.seconds
        self.replayer = Replayer(model)
        self.last = int(model.system.about_steps(name))
        """The number of actions of a counterexample after the state in which IC3 and k-induction find it."""
        self.closed = -1 if before.depth is None else before.depth
        self.claim: tuple[str, Certificate] | None = None
        """The prover that claims a proof, and its invariant, which was not checked yet."""
        self.rechecker = ""
        self.used: dict[str, Used] = {}
        """The facts that the proof of each prover rests on."""
        self.kept: tuple[str, ...] | None = None
        """The inductive lemmas and properties; None: unknown."""
        self.proved: CheckedProof | None = None
        self.explored: Explored | None = None
        """The exploration that proved the property, if one did."""
        self.verdicts: list[Verdict] = []
        self.dead: tuple[str, ...] = ()
        self.failures: list[str] = []
        self.statistics: dict[str, dict[str, Any]] = {EXPLORING: {}} if exploration else {}
        self.peak_memory = 0

    def run(self) -> list[Verdict]:
        """The verdict of the property, and perhaps of an implied property that is violated instead."""
        reason = self.children.supervise(self._search)
        self.interrupted = reason == INTERRUPTED
        self.peak_memory = self.children.peak_memory
        if not self.verdicts:
            until = self.limits.until
            self.share_over = not self.interrupted and until is not None and time.monotonic() >= until
            reason = reason or "; ".join(self.failures) or "the provers ended early"
            self._decide(VerdictKind.INCONCLUSIVE, reason)
        return self.verdicts

    def _search(self) -> None:
        exploration = self.exploration
        for news in exploration.select_news(self.name) if exploration else ():
            self._take_exploring(news)
        if self.verdicts:
            return
        try:
            if exploration:
                exploration.enter(self.children)
            self._start()
            for event in self.children.events():
                self._take(event)
                if self.verdicts:
                    return
        finally:
            if exploration:
                exploration.leave(self.children)

    def _start(self) -> None:
        """Starts the provers. In ``auto``, k-induction has a low priority."""
        choice, model, name = self.request.engine, self.model, self.name
        solver = self.request.solver
        if choice in (EngineChoice.AUTO, EngineChoice.IC3):
            ic3 = ic3_work(model, name, self.request.lemmas, IC3_SOLVER, self._others(), self.hypotheses)
            self._child(IC3, IC3_SOLVER, ic3)
        if choice in (EngineChoice.AUTO, EngineChoice.KIND):
            with_others = choice is EngineChoice.AUTO
            kind = kind_work(model, name, solver or KIND_SOLVER, with_others, self.hypotheses)
            self._child(KIND, solver or KIND_SOLVER, kind)
        if choice is EngineChoice.AUTO:
            names = dict.fromkeys((name, *self._find_implied()))
            self._child(BMC, solver or BMC_SOLVER, bmc_work(model, tuple(names), solver or BMC_SOLVER))

    def _child(self, prover: str, solver: str, work: Any) -> None:
        self.statistics[prover] = {"solver": solver}
        self.children.start(prover, work)

    def _others(self) -> tuple[str, ...]:
        """Return the other asked properties that may serve as lemmas: inductive ones are proved with this
        one."""
        invariants = [p.name for p in self.system.properties if p.kind is PropertyKind.INVARIANT]
        return tuple(n for n in self.request.properties if n in invariants and n != self.name)

    def _find_implied(self) -> Iterable[str]:
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
        elif self.exploration and event.child == EXPLORING:
            for news in self.exploration.hear(event, self.name):
                self._take_exploring(news)
            self._tell_of_others(event.content)
        else:
            self._take_news(event.child, event.content)

    def _tell_of_lemmas(self, prover: str, count: int) -> None:
        if count:
            many = "1 lemma is" if count == 1 else f"{count} lemmas are"
            self._tell(prover, note=f"{many} inductive, and used")

    def _take_news(self, prover: str, news: Any) -> None:
        match news:
            case FrameClosed() | FrameProgress():
                self._take_frame(news)
            case StructuralInvariants():
                self.children.send(KIND, news.clauses)
            case LemmasKept():
                self.kept = news.names if self.request.lemmas else None
                self.statistics[prover] |= {"lemmas": news.lemmas, "lemma_seconds": round(news.seconds, 3)}
                self._tell_of_lemmas(prover, news.lemmas)
            case Used():
                self.used[prover] = news
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
        self.listen(Progress(prover, self.name, self._measure_elapsed(), depth, clauses, obligations, note))

    # Proofs

    def _take_proof(self, prover: str, news: Proof | KInductionProof) -> None:
        known = self.statistics[prover]
        known["seconds"] = round(news.seconds, 3)
        used = self.used.get(prover, Used((), ()))
        if isinstance(news, Proof):
            known |= {"frame": news.frame, "learned_clauses": news.learned, "queries": news.queries}
            certificate = ic3_certificate(self.model, self.name, news, used.names, known["solver"])
        else:
            known["k"] = news.k
            certificate = kind_certificate(self.model, self.name, news, known["solver"])
        assumed = [each for each in self.hypotheses if each.property_name in used.hypotheses]
        self._claim(prover, with_hypotheses(certificate, assumed))

    def _take_exploring(self, news: Any) -> None:
        match news:
            case Explored():
                self._take_explored(news)
            case ExplorationsDiffer():
                self._decide(VerdictKind.ERROR, news.reason)
            case _:
                self._take_news(EXPLORING, news)

    def _tell_of_others(self, news: Any) -> None:
        """Report results of exploration on later properties at once, since it explores for all of them."""
        if isinstance(news, ViolationFound) and news.violates not in (self.name, *self._find_implied()):
            reached = "reached" if self.system.seeks(news.violates) else "violated"
            note = f"{reached} in {len(news.firings)} steps"
            self.listen(Progress(EXPLORING, news.violates, self._measure_elapsed(), note=note))

    def _take_explored(self, news: Explored) -> None:
        again = round(news.seconds_again, 3)
        self.statistics[EXPLORING] |= {
            "states": news.states,
            "depth": news.depth,
            "seconds": round(news.seconds, 3),
            "recheck_seconds": again,
        }
        self._tell(EXPLORING, note=f"each of the {news.states:,} reachable states was looked at, twice")
        self.explored = news
        self.dead = news.never_enabled
        kind, reason = settle_verdict(sought=self.system.seeks(self.name))
        self._decide(kind, reason and NEVER_REACHED, found_by=EXPLORING)

    def _claim(self, prover: str, certificate: Certificate) -> None:
        """Let another solver check the proof. Bounded model checking continues meanwhile."""
        if self.claim is not None:
            return
        self.claim = (prover, certificate)
        self.rechecker = rechecker(self.statistics[prover]["solver"])
        self._tell(prover, note=f"proof found, {self.rechecker} checks it")
        for other in (IC3, KIND):
            self.children.kill(other)
        self.children.give_way(BMC, _IN_THE_BACKGROUND)
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
        others = (prop.name for prop in self.system.properties if prop.name != self.name)
        uses = tuple(name for name in others if name in certificate.lemmas)
        self.proved = CheckedProof(
            self.name,
            prover,
            self.rechecker,
            seconds,
            certificate,
            uses,
            *self._find_unneeded_lemmas(certificate),
        )
        self.statistics[RECHECK] = {"solver": self.rechecker, "seconds": round(seconds, 3)}
        kind, reason = settle_verdict(sought=self.system.seeks(self.name))
        self._decide(kind, reason, found_by=prover)

    def _find_unneeded_lemmas(
        self, certificate: Certificate
    ) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
        """The declared lemmas that the invariant does not need, and those that are not inductive."""
        if self.kept is None:
            return None, None
        out = [lemma.name for lemma in self.system.lemmas if lemma.name not in certificate.lemmas]
        return (
            tuple(name for name in out if name in self.kept),
            tuple(name for name in out if name not in self.kept),
        )

    # Violations

    def _violation(
        self, prover: str, initial: Sequence[bool], firings: Sequence[tuple[int, Sequence[bool]]]
    ) -> None:
        """Replays an execution that violates the property, or an implied property."""
        taken = [(self.system.instances[index], inputs) for index, inputs in firings]
        for name in dict.fromkeys((self.name, *self._find_implied())):
            try:
                self.replayer.execute(initial, taken, name)
            except ReplayFailure as failure:
                problem = failure
                continue
            kept = shorten(self.replayer, initial, taken, name)
            self._conclude_violated(prover, name, self.replayer.execute(initial, kept, name))
            return
        self._decide(VerdictKind.ERROR, f"{prover} found a violation that does not replay: {problem}")

    def _conclude_violated(self, prover: str, name: str, trace: Trace) -> None:
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
        verdict = Verdict(
            name, kind, depth, self._measure_elapsed(), trace=trace, fewest=fewest, found_by=prover
        )
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
        self.verdicts.append(
            Verdict(self.name, kind, depth, self._measure_elapsed(), reason, found_by=found_by)
        )

    def _measure_elapsed(self) -> float:
        return time.monotonic() - self.began
