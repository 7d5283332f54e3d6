"""Proofs by induction for all constants: two solvers, and the lemmas as they turn out to be needed.

Source: Padon et al. 2016, doi:10.1145/2908080.2908118, find lemmas by counterexamples to induction, too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from verifier.errors import UsageError
from verifier.parametric.clausal import close_clause
from verifier.parametric.deciding import FINDER, ROUNDS, SOON, STEPS_PER_SECOND, decide
from verifier.parametric.obligation import Obligation
from verifier.parametric.obligations import Obligations
from verifier.parametric.protocol_readings import ParametricReading
from verifier.parametric.refutations import CLOCK, REFUTING, Refutations
from verifier.parametric.results import Open, Result, Shown, place_of
from verifier.parametric.smtlib import script
from verifier.parametric.system import ALWAYS, TYPED, ParametricSystem
from verifier.processes.children import Work
from verifier.processes.limits import INTERRUPTED, Interrupted, Limits
from verifier.processes.pool import Task, TaskResult, run_tasks, serve
from verifier.processes.watching import within
from verifier.solvers import Answer
from verifier.solvers.solver_names import decide_script, load_script_solvers
from verifier.specs.definition import PropertyKind
from verifier.specs.titles import UNDEFINED_READ

PROVABLE = (
    PropertyKind.INVARIANT,
    PropertyKind.TYPE_INVARIANT,
    PropertyKind.STEP_INVARIANT,
    PropertyKind.DEADLOCK_INVARIANT,
)
"""The kinds of properties that a proof by induction can show."""
NOT_KEPT = (PropertyKind.STEP_INVARIANT, PropertyKind.DEADLOCK_INVARIANT)
"""The kinds that lemmas imply. They concern steps, or states in which no action is enabled."""
AT_ONCE = 2
_CLOCK = 900.0
"""The limit of seconds for an obligation, whatever its solver counts."""


Listen = Callable[[Any], None]


class Violated(Exception):
    """An execution violates the property, so that its proof ends."""


@dataclass(frozen=True)
class Attempt:
    """A property, the obligations shown for it and its lemmas, and the open ones."""

    property_name: str
    kept: bool
    """True if all actions preserve the property itself, so that the lemmas need not imply it."""
    with_stays: bool = False
    """True if lemmas say of each action that it keeps within sorts and reads defined values."""
    results: Mapping[str, Result] = field(default_factory=dict)
    needed: tuple[str, ...] = ()
    """The lemmas that the proof needs, and the property if it is kept."""
    limit: str | None = None
    peak_memory: int = 0
    violated: bool = False
    """True if there is no proof, since an execution violates the property."""

    @property
    def open(self) -> tuple[Open, ...]:
        """Return the obligations that were not shown."""
        return tuple(one for one in self.results.values() if isinstance(one, Open))

    @property
    def proved(self) -> bool:
        """True if all needed obligations were shown."""
        return self.limit is None and not self.open and not self.violated


@dataclass(frozen=True)
class Listed:
    """Obligations by claim: of each lemma, and of the property if the lemmas must imply it."""

    obligations: Obligations
    claims: Mapping[str, Sequence[Obligation]]

    @staticmethod
    def of(obligations: Obligations, property_name: str) -> Listed:
        """Return all obligations for the property, always in the same order."""
        by_claim: dict[str, list[Obligation]] = {name: [] for name in obligations.names}
        for one in (*obligations.initiation(), *obligations.consecution()):
            by_claim[one.claim].append(one)
        if obligations.system.kind(property_name) is PropertyKind.STEP_INVARIANT:
            by_claim[property_name] = list(obligations.steps(property_name))
        elif property_name not in obligations.names:
            by_claim[property_name] = list(obligations.safety(property_name))
        by_claim[UNDEFINED_READ] = list(obligations.reads())
        _ = obligations.premises.hypotheses, obligations.premises.axioms.leads
        obligations.premises.learn(one for claim in by_claim.values() for one in claim)
        return Listed(obligations, by_claim)

    def find(self, claim: str, name: str) -> Obligation | None:
        """Return the obligation of a claim with this name. None if there is none."""
        return next((one for one in self.claims.get(claim, ()) if one.name == name), None)

    @cached_property
    def server(self) -> Work:
        """Return the work of a process that decides obligations: by claim, name and whether it gives
        up soon. The obligations share lemmas, so it makes fewer formulas than a process for each."""

        def answer(request: tuple[str, str, bool]) -> Result | None:
            claim, name, soon = request
            obligation = self.find(claim, name)
            if obligation is None:
                return None
            return decide(self.obligations, obligation, rounds=SOON if soon else ROUNDS)

        return serve(answer)


@dataclass(frozen=True)
class Proofs:
    """The obligations for one property.

    Formulas are made once. Their order influences the instances that solvers get, so a certificate makes them
    in the same order.
    """

    reading: ParametricReading
    system: ParametricSystem

    @staticmethod
    def of(reading: ParametricReading) -> Proofs:
        """Return the obligations of a reading. Raises UsageError if it has no initial state."""
        _require_initial_state(reading)
        return Proofs(reading, ParametricSystem(reading.definition, reading.claims_sorts))

    def list_obligations(self, property_name: str, *, kept: bool, with_stays: bool = False) -> Listed:
        """Return the obligations for a property, which is implied, or kept together with the lemmas."""
        names = (property_name,) if kept else ()
        made = Obligations(self.system, self.reading.assumptions, kept=names, with_stays=with_stays)
        return Listed.of(made, property_name)


def _require_initial_state(reading: ParametricReading) -> None:
    """Raise UsageError if no state is initial and satisfies the constraint, at any constants. Every claim
    would hold then."""
    system = ParametricSystem(reading.definition, reading.claims_sorts)
    asked = Obligations(system, reading.assumptions)
    clauses = (*asked.constants, *asked.clausifier.clauses(system.beginning, "init"))
    nodes = [close_clause(system.logic, clause, asked.premises.axioms.leads) for clause in clauses]
    text = script([("", node) for node in nodes], asked.premises.axioms.list_named(nodes), [])
    if decide_script(FINDER, text, (), STEPS_PER_SECOND).answer is Answer.UNSATISFIABLE:
        what = "no state satisfies init and the constraint, if there is one, so that every claim would hold"
        raise UsageError(f"{reading.definition.name} at all constants: {what}")


def prove(
    proofs: Proofs,
    property_name: str,
    limits: Limits,
    listen: Listen = lambda _: None,
    refuting: Sequence[Work] = (),
    watch: Callable[[], None] = lambda: None,
) -> Attempt:
    """Show that the lemmas imply the property or preserve it together, and then every lemma that this needs.
    Implication is first tried with little effort, because a failing proof takes all of it. ``refuting``: work
    that reports Refuted obligations at some constants. If the proof needs one of them, it is given up.
    ``watch`` is called several times a second, and may raise Violated."""
    load_script_solvers()
    search = _Search(proofs, property_name, limits, listen, Refutations(deque(refuting)), watch)
    if proofs.system.kind(property_name) in NOT_KEPT:
        return search.attempt(kept=False)
    if not search.is_implied(soon=True):
        attempt = search.attempt(kept=True)
        if attempt.proved or attempt.limit is not None or not search.is_implied(soon=False):
            return attempt
    return search.attempt(kept=False)


@dataclass
class _Search:
    """The search for one proof. Shown obligations are not decided again."""

    proofs: Proofs
    property_name: str
    limits: Limits
    listen: Listen
    refuted: Refutations
    watch: Callable[[], None]
    shown: dict[tuple[bool, str], Shown] = field(default_factory=dict)
    """Shown obligations, by whether the property was kept, and by name."""
    peak_memory: int = 0
    limit: str | None = None

    def is_implied(self, *, soon: bool) -> bool:
        """True if the lemmas imply the property. False if the time is over."""
        if (ALWAYS, self.property_name) in self.refuted.where:
            return False
        listed = self._list_obligations(kept=False)
        if listed is None:
            return False
        tasks = (self._task(listed, one, soon=soon) for one in listed.claims[self.property_name])
        all_shown = all(isinstance(one, Shown) for one in self._results(listed, deque(tasks)))
        return all_shown and self.limit is None

    def attempt(self, *, kept: bool) -> Attempt:
        """Show all needed obligations. If that fails, the lemmas also claim that all reads have values, and
        that actions assign values of the right sorts."""
        if self.proofs.reading.is_total:
            return self._attempt(kept, with_stays=False)
        first = self._attempt(kept, with_stays=False, until_open=True)
        if first.proved or first.limit is not None:
            return first
        more = self._attempt(kept, with_stays=True)
        # If the time is over, the obligations that were open before are still reported.
        return more if more.limit is None else replace(more, results={**first.results, **more.results})

    def _list_obligations(self, *, kept: bool, with_stays: bool = False) -> Listed | None:
        """The obligations. To make them takes seconds: None where the limits were reached."""
        make = partial(self.proofs.list_obligations, self.property_name, kept=kept, with_stays=with_stays)
        try:
            return within(self.limits, make)
        except Interrupted as reached:
            self.limit = str(reached)
            return None

    def _attempt(self, kept: bool, *, with_stays: bool, until_open: bool = False) -> Attempt:
        listed = self._list_obligations(kept=kept, with_stays=with_stays)
        if listed is None:
            return Attempt(self.property_name, kept, with_stays, limit=self.limit)
        results: dict[str, Result] = {}
        needed: dict[str, None] = {}
        waiting: deque[Task] = deque()
        missing = set[str]()

        def need(claim: str) -> None:
            if claim in needed:
                return
            needed[claim] = None
            for one in listed.claims[claim]:
                known = self.shown.get((kept, one.name))
                if known is None:
                    # An obligation that is not shown soon is tried again with more lemmas.
                    soon = until_open and claim == UNDEFINED_READ
                    waiting.append(self._task(listed, one, soon=soon))
                    missing.add(one.name)
                else:
                    take(known)

        def take(result: Result) -> None:
            results[result.name] = result
            missing.discard(result.name)
            for claim in result.uses if isinstance(result, Shown) else ():
                need(claim)

        for claim in (*listed.obligations.list_needed_claims(self.property_name), self.property_name):
            need(claim)
        for result in self._run_until_refuted(listed, waiting, missing, needed):
            take(result)
            if until_open and isinstance(result, Open):
                break
            self.listen(result)
        results |= self.refuted.among(listed.claims, needed)
        names = list_lemmas(listed, needed)
        return Attempt(self.property_name, kept, with_stays, results, names, self.limit, self.peak_memory)

    def _run_until_refuted(
        self, listed: Listed, tasks: deque[Task], missing: Collection[str], needed: Iterable[str]
    ) -> Iterator[Result]:
        """Yield the results of tasks until no claim is missing, or a needed one is refuted. After a
        refutation, only further refutations are sought: all places where the proof fails are reported."""
        while missing and (tasks or self.refuted.waiting) and self.limit is None:
            if self.refuted.among(listed.claims, needed):
                tasks.clear()
            if self.refuted.waiting:
                tasks.appendleft(self.refuted.task(self._limits(CLOCK)))
            for result in self._results(listed, tasks):
                if result is not None:
                    yield result
                if not missing or self.refuted.among(listed.claims, needed):
                    break
                if result is None and self.refuted.waiting:
                    # The last search has the largest constants: a successful proof does not need it.
                    add = tasks.append if len(self.refuted.waiting) == 1 else tasks.appendleft
                    add(self.refuted.task(self._limits(CLOCK)))

    def _results(self, listed: Listed, tasks: deque[Task]) -> Iterator[Result | None]:
        """Yield the results of the tasks, and of those that are added meanwhile; nothing if a limit was
        reached. None stands for a finished search for counterexamples."""
        if self.limit is not None:
            return
        kept = bool(listed.obligations.kept)
        try:
            for done in run_tasks(tasks, AT_ONCE, lambda _: self.watch()):
                self.peak_memory = max(self.peak_memory, done.peak_memory)
                if done.name == REFUTING:
                    self.refuted.take(done)
                    yield None
                else:
                    result = _result(done)
                    if isinstance(result, Shown):
                        self.shown[kept, result.name] = result
                    yield result
                self.limits.check_time()
        except KeyboardInterrupt:
            self.limit = INTERRUPTED
        except Interrupted as reached:
            self.limit = str(reached)

    def _task(self, listed: Listed, obligation: Obligation, *, soon: bool) -> Task:
        request = (obligation.claim, obligation.name, soon)
        return Task(obligation.name, listed.server, self._limits(_CLOCK), request)

    def _limits(self, clock: float) -> Limits:
        left = self.limits.seconds_left
        return Limits(clock if left is None else min(clock, max(0.1, left)), self.limits.memory)


def list_lemmas(listed: Listed, claims: Container[str]) -> tuple[str, ...]:
    """Return the lemmas among claims; those about the sorts of fields have one name together."""
    names = (name for name in listed.obligations.names if name in claims)
    return tuple(dict.fromkeys(TYPED if name.startswith(f"{TYPED}:") else name for name in names))


def _result(done: TaskResult) -> Result:
    for reported in done.reported:
        if isinstance(reported, Shown | Open):
            return reported
    return Open(done.name, done.limit or done.failure or "the solver ended early")


def list_open_places(open_: Iterable[Open]) -> list[tuple[str, str, str]]:
    """Return the action, the claim and the reason of each open obligation."""
    reasons: dict[tuple[str, str], str] = {}
    for one in open_:
        at, claim, _ = place_of(one.name)
        reasons.setdefault((at, claim), one.reason)
    return [(at, claim, reason) for (at, claim), reason in reasons.items()]
