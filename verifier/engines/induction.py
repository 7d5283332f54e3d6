"""The inductive check: do the lemmas hold initially, does every action keep them, do they imply the property?

The solver works in a child process. A counterexample to induction is replayed here before it counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from typing import Any

from verifier.encodings.bits import conjunction, negation
from verifier.engines import bmc
from verifier.engines.choices import INDUCTION_SOLVER
from verifier.engines.counterexamples import Counterexamples
from verifier.engines.induction_outcome import InductionOutcome, LeftOut, Recheck
from verifier.engines.inductive_question import (
    Candidate,
    Conclusion,
    DroppedLemma,
    Kind,
    ObligationResult,
    Question,
)
from verifier.engines.inductive_step import check_obligations
from verifier.engines.obligations import Obligation as Obligation
from verifier.engines.obligations import ObligationGroup, group_obligations
from verifier.engines.recheck import RECHECK, DeadActions, choose_induction_rechecker, recheck_work
from verifier.errors import UsageError, make_unknown_name_error
from verifier.printable import say_count
from verifier.processes.children import ChildEnded, Children, Work
from verifier.processes.cores import cores
from verifier.processes.limits import INTERRUPTED, Limits
from verifier.solvers import solver_version
from verifier.specs.definition import PropertyKind
from verifier.symmetry.instance_images import InstanceImages
from verifier.symmetry.instance_orbits import instance_representatives
from verifier.system.model import Model
from verifier.system.transition_system import SafetyProperty
from verifier.trust.certificate import Certificate, FoundBy, certificate_of
from verifier.trust.certify import CheckReport, add_checked
from verifier.trust.initial_states import require_initial_state
from verifier.trust.kept_formulas import KeptFormulas, SharedProofs, add_kept, split_formulas
from verifier.trust.replay import Replayer, ReplayFailure
from verifier.trust.trace import Trace
from verifier.verdict import Verdict, VerdictKind

ENGINE = "induct"
_MAY_BE_UNREACHABLE = "the first state may be unreachable"
_FIRST_STATE = "first state"


@dataclass(frozen=True)
class Request:
    """The properties to prove, and how to prove them."""

    property_name: str
    lemmas: tuple[str, ...] | None = None
    """None: all lemmas of the protocol."""
    solver: str = INDUCTION_SOLVER
    symmetry: bool = True
    """Check one instance of each orbit under renaming interchangeable elements."""
    houdini: bool = False
    minimise: bool = False
    reachable: int | None = None
    """The most actions within which the first state of a counterexample is sought; None: it is not sought."""
    limits: Limits = field(default_factory=Limits)
    seed: int = 0
    proved: tuple[str, ...] = ()
    """An invariant of the protocol that was proved before. A property that follows from it is proved."""
    shared: SharedProofs | None = None
    """Obligations that were decided for other properties of the model. New ones are added."""
    about: tuple[str, ...] = ()
    """Formulas of which a counterexample is rather shown than of others."""


@dataclass(frozen=True)
class Progress:
    """An obligation decided, or a lemma left out, as it happens."""

    news: Obligation | LeftOut
    seconds: float


@dataclass(frozen=True)
class PropertyProgress:
    """News of one of several properties."""

    property_name: str
    progress: Progress


Listen = Callable[[Progress], None]


def induct(model: Model, request: Request, listen: Listen = lambda _: None) -> InductionOutcome:
    """Checks the obligations.

    Raises UsageError for what cannot be proved by induction, and NoInitialState.
    """
    require_initial_state(model)
    return _InductiveCheck(model.asking((request.property_name,)), request, listen).run()


def check_names(goal: str, kind: PropertyKind, lemmas: Iterable[str], known: Iterable[str]) -> None:
    """Raises UsageError for unknown lemmas, and for a goal that is no invariant."""
    if kind is PropertyKind.REACHABLE:
        raise UsageError(f"{goal} says what must be reachable: induction proves what always holds")
    names = list(known)
    for name in lemmas:
        if name not in names:
            raise make_unknown_name_error("lemma", name, names)


def question_of(model: Model, request: Request) -> Question:
    """The obligations to check. Raises UsageError for unknown lemmas and for a reachable property."""
    system = model.system
    goal = system.property_named(request.property_name)
    known = {lemma.name: lemma.formula for lemma in system.lemmas}
    check_names(goal.name, goal.kind, request.lemmas or (), known)
    lemmas = tuple(known) if request.lemmas is None else tuple(dict.fromkeys(request.lemmas))
    # An instance is disabled where it would assign a value outside a sort or read what has no value. So it
    # must be proved that no instance would.
    formulas = {model.definition.titles.typed: system.valid}
    formulas |= {prop.name: prop.formula for prop in system.implied}
    needed = tuple(formulas)
    kept = {**known, **{prop.name: prop.formula for prop in system.properties}}
    formulas |= {name: kept[name] for name in request.proved if name not in formulas}
    formulas |= {name: known[name] for name in lemmas} | {goal.name: goal.formula}
    everything = tuple(range(len(system.instances)))
    choosing = request.houdini or request.minimise
    shared = None if choosing else request.shared
    split = None if shared is None else split_formulas(model, formulas, goal.name)
    # A formula may be assumed without another, so each must be its own image.
    alone = tuple(formulas.values()) if split is None else tuple(split.list_all(formulas))
    images = InstanceImages(model, alone, alone) if request.symmetry and not choosing else None
    return Question(
        formulas=formulas,
        lemmas=lemmas,
        needed=needed,
        property_name=goal.name,
        instances=instance_representatives(model.definition, system) if request.symmetry else everything,
        solver=request.solver,
        houdini=request.houdini,
        minimise=request.minimise,
        seed=request.seed,
        proved=request.proved,
        split=split,
        kept=KeptFormulas() if shared is None else shared.found,
        images=images,
    )


class _InductiveCheck:
    def __init__(self, model: Model, request: Request, listen: Listen) -> None:
        self.model = model
        self.request = request
        self.listen = listen
        self.began = time.monotonic()
        self.limits = request.limits.begin()
        self.question = question_of(model, request)
        self.answers: dict[tuple[Kind, str, int | None], ObligationResult] = {}
        self.left_out: dict[str, LeftOut] = {}
        self.conclusion: Conclusion | None = None
        self.certificate: Certificate | None = None
        self.checked: CheckReport | None = None
        self.checking: tuple[str, ...] = ()
        """The invariant that another solver checks, or has checked."""
        self.dead: tuple[str, ...] = ()
        self.failures: list[str] = []
        self.candidates: tuple[str, ...] = ()
        self.shown: ObligationResult | None = None
        """The failure whose states are shown: all that it assumes holds in the first of them."""

    def run(self) -> InductionOutcome:
        children = Children(self.limits)
        reason = children.supervise(lambda: self._search(children))
        verdict = self._verdict(reason or "; ".join(self.failures) or "the solver gave up")
        obligations = tuple(map(self._obligation, self.answers.values()))
        statistics = {
            "instances_asked": len(self.question.instances),
            "obligations": [_describe(group) for group in group_obligations(obligations)],
            "left_out": {item.formula: item.fell_at for item in self.left_out.values()},
            "invariant": list(self.conclusion.invariant if self.conclusion else ()),
            **({"assumed": list(self.shown.assumed)} if self.shown is not None else {}),
            "peak_memory_bytes": children.peak_memory,
        }
        proved = verdict.kind is VerdictKind.PROVED
        return InductionOutcome(
            verdicts=(verdict,),
            never_enabled=self.dead,
            statistics=statistics,
            obligations=obligations,
            left_out=tuple(self.left_out.values()),
            invariant=self.conclusion.invariant if self.conclusion else (),
            asked=len(self.question.instances),
            rechecked=self._recheck() if proved else None,
            interrupted=reason == INTERRUPTED,
        )

    def _recheck(self) -> Recheck:
        assert self.certificate is not None
        assert self.checked is not None
        by, checked = choose_induction_rechecker(self.request.solver), self.checked
        return Recheck(
            self.certificate, by, checked.seconds, checked.obligations, checked.instances, checked.reused
        )

    def _work(self) -> Work:
        system, question = self.model.system, self.question

        def work(report: Callable[[Any], None], incoming: Connection) -> None:
            check_obligations(system, question, report)

        return work

    def _search(self, children: Children) -> None:
        children.start(ENGINE, self._work())
        self._follow(children)

    def _follow(self, children: Children) -> None:
        for event in children.events():
            if isinstance(event, ChildEnded):
                if event.failure is not None:
                    what = "a proof was not checked" if event.child == RECHECK else "the check failed"
                    self.failures.append(f"{what}: {event.failure}")
            elif isinstance(event.content, ObligationResult):
                answer = event.content
                self.answers[answer.kind, answer.formula, answer.instance] = answer
                self._share(answer)
                self._tell(self._obligation(answer))
            elif isinstance(event.content, DroppedLemma):
                gone = event.content
                where = None if gone.fell_at is None else self._place(gone.fell_at)
                self.left_out[gone.formula] = LeftOut(gone.formula, where)
                self._tell(self.left_out[gone.formula])
            elif isinstance(event.content, Candidate):
                self.candidates = event.content.invariant
                if cores() > 1:  # both take long, and what one finds says nothing about the other
                    self._check_again(children, event.content.invariant)
            elif isinstance(event.content, Conclusion):
                self.conclusion = event.content
                self._check_again(children, event.content.invariant)
            elif isinstance(event.content, DeadActions):
                self.dead = event.content.names
            elif isinstance(event.content, CheckReport):
                self.checked = event.content
                if self.request.shared is not None and self.certificate is not None:
                    add_checked(self.model, self.certificate, self.checked, self.request.shared.rechecked)

    def _share(self, answer: ObligationResult) -> None:
        """Let the properties that follow know what this one's obligations show."""
        if self.question.split is not None:
            add_kept(self.question.kept, self.question.split, self.candidates, answer.kept)

    def _check_again(self, children: Children, invariant: tuple[str, ...]) -> None:
        """Lets another solver check the invariant. Until then it is only a claim. It may be checked before it
        is claimed; a check of another invariant ends."""
        if self.checking == invariant:
            return
        if self.checking:
            children.kill(RECHECK)
        self.checking, self.checked, self.dead = invariant, None, ()
        if not invariant:
            return
        solver, name = self.request.solver, self.request.property_name
        found_by, by = FoundBy(ENGINE, solver, solver_version(solver)), choose_induction_rechecker(solver)
        self.certificate = certificate_of(self.model, name, invariant, (), found_by)
        known = None if self.request.shared is None else self.request.shared.rechecked
        children.start(RECHECK, recheck_work(self.model, self.certificate, by, known))

    def _tell(self, news: Obligation | LeftOut) -> None:
        self.listen(Progress(news, self._measure_elapsed()))

    def _measure_elapsed(self) -> float:
        return time.monotonic() - self.began

    def _obligation(self, answer: ObligationResult) -> Obligation:
        instance = None if answer.instance is None else self.model.system.instances[answer.instance]
        action, label = (None, None) if instance is None else (instance.action, instance.label)
        return Obligation(answer.kind, answer.formula, action, label, answer.holds, answer.seconds)

    def _place(self, answer: ObligationResult) -> str:
        if answer.instance is None:
            return "an initial state" if answer.kind is Kind.INITIATION else "a state"
        return self.model.system.instances[answer.instance].label

    def _say_failure(self, answer: ObligationResult) -> str:
        place, formula = self._place(answer), answer.formula
        if answer.instance is not None and self.model.system.about_steps(formula):
            return f"after {place}, a step violates {formula}"  # the action itself may change nothing of it
        return f"{place} does not keep {formula}"

    def _verdict(self, undecided: str) -> Verdict:
        name = self.request.property_name
        if self.conclusion is not None and self.conclusion.invariant:
            return self._conclude_claim(undecided)
        failing = self._failing()
        if failing is None or (self.conclusion is None and not failing.state):
            return Verdict(name, VerdictKind.INCONCLUSIVE, None, self._measure_elapsed(), undecided)
        try:
            trace = Counterexamples(self.model, self.question).trace(failing)
        except (ReplayFailure, ValueError) as failure:
            reason = f"{self._place(failing)} against {failing.formula} does not replay: {failure}"
            return Verdict(name, VerdictKind.ERROR, None, self._measure_elapsed(), reason)
        if failing.kind is Kind.INITIATION and failing.formula == name:
            return Verdict(
                name, VerdictKind.VIOLATED, trace.steps, self._measure_elapsed(), None, trace, fewest=True
            )
        return self._not_inductive(failing, trace)

    def _conclude_claim(self, undecided: str) -> Verdict:
        """The verdict on the invariant that was found. It proves the property only if it was checked."""
        name, by = self.request.property_name, choose_induction_rechecker(self.request.solver)
        if self.checked is None:
            reason = f"a proof was found, but {by} did not finish checking it: {undecided}"
            return Verdict(name, VerdictKind.INCONCLUSIVE, None, self._measure_elapsed(), reason)
        if not self.checked.failed:
            return Verdict(name, VerdictKind.PROVED, None, self._measure_elapsed(), found_by=ENGINE)
        refuted = next((item for item in self.checked.failed if item.certain), None)
        if refuted is None:
            reason = f"{by} gave up checking the proof: {self.checked.failed[0].obligation}"
            return Verdict(name, VerdictKind.INCONCLUSIVE, None, self._measure_elapsed(), reason)
        reason = f"{ENGINE} claims a proof, but {by} refutes: {refuted.obligation}"
        return Verdict(name, VerdictKind.ERROR, None, self._measure_elapsed(), reason)

    def _failing(self) -> ObligationResult | None:
        """Return the failure to show. It is the first one of an asked formula, or of all; of a needed formula
        if lemmas may be dropped."""
        failing = [answer for answer in self.answers.values() if answer.holds is False]
        needed = {*self.question.needed, self.request.property_name}
        if self.request.houdini or self.request.minimise:
            failing = [answer for answer in failing if answer.formula in needed]
        asked = [answer for answer in failing if answer.formula in self.request.about]
        return next(iter((*asked, *failing)), None)

    def _not_inductive(self, failing: ObligationResult, trace: Trace) -> Verdict:
        name, self.shown = self.request.property_name, failing
        if failing.kind is Kind.INITIATION:
            reason = f"{failing.formula} fails in an initial state"
            return Verdict(name, VerdictKind.NOT_INDUCTIVE, None, self._measure_elapsed(), reason, trace)
        reason = f"{self._say_failure(failing)}; "
        if self.request.reachable is None:
            reason += _MAY_BE_UNREACHABLE
            return Verdict(name, VerdictKind.NOT_INDUCTIVE, None, self._measure_elapsed(), reason, trace)
        start = self._decide_reached(failing, self.request.reachable)
        if start.trace is None:
            within = "" if start.depth is None else f"within {say_count(start.depth, 'action')}"
            how_far = within or "it was not looked how far"
            reason += f"the first state is not reached {how_far}"
            return Verdict(name, VerdictKind.NOT_INDUCTIVE, None, self._measure_elapsed(), reason, trace)
        whole = replace(
            trace,
            states=(*start.trace.states, *trace.states[1:]),
            actions=(*start.trace.actions, *trace.actions),
        )
        if failing.formula == name:
            Replayer(self.model).check(whole)
            return Verdict(name, VerdictKind.VIOLATED, whole.steps, self._measure_elapsed(), None, whole)
        reason += (
            f"the first state is reached by {say_count(start.trace.steps, 'action')}, "
            f"so {failing.formula} is violated"
        )
        return Verdict(name, VerdictKind.NOT_INDUCTIVE, None, self._measure_elapsed(), reason, trace)

    def _decide_reached(self, failing: ObligationResult, depth: int) -> Verdict:
        """Return the verdict whether an execution with at most this number of actions reaches the first
        state."""
        system = self.model.system
        assert failing.state is not None
        held = zip(system.bits, failing.state, strict=True)
        elsewhere = negation(conjunction(bit if value else negation(bit) for bit, value in held))
        sought = SafetyProperty(_FIRST_STATE, PropertyKind.REACHABLE, elsewhere, default=False)
        model = replace(self.model, system=replace(system, properties=(*system.properties, sought)))
        # The state is one of many that differ in names only, so elements may be named in any order.
        question = bmc.Request((_FIRST_STATE,), depth, symmetry=False, limits=self.limits)
        return next(v for v in bmc.check(model, question).verdicts if v.property_name == _FIRST_STATE)


def _describe(group: ObligationGroup) -> dict[str, Any]:
    return {
        "obligation": group.kind.value,
        "lemma": group.formula,
        "action": group.action,
        "instances": len(group.obligations),
        "holds": group.holds,
        "fails_at": [item.instance for item in group.obligations if item.holds is False],
        "seconds": round(group.seconds, 4),
    }
