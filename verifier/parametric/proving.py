"""Proofs by induction for all constants: two solvers, and the lemmas as they turn out to be needed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from typing import Any

from verifier.parametric.loading import ParametricReading
from verifier.parametric.obligations import EFFORTS, Effort, Obligation, Obligations
from verifier.parametric.results import Open, Result, Shown, place_of
from verifier.parametric.sizes import FACTS
from verifier.parametric.smtlib import script
from verifier.parametric.system import TYPED, ParametricSystem
from verifier.processes.limits import INTERRUPTED, Interrupted, Limits
from verifier.processes.pool import Task, TaskResult, run_tasks
from verifier.solvers import Answer
from verifier.solvers.names import decide_script, load_script_solvers
from verifier.specs.definition import UNDEFINED_READ, PropertyKind

FINDER, CHECKER = "z3", "cvc5"
PROVABLE = (PropertyKind.INVARIANT, PropertyKind.TYPE_INVARIANT)
"""What a proof by induction can be of."""
AT_ONCE = 2
_STEPS_PER_SECOND = 2_000_000
"""Of Z3's own unit of work, about."""
_CHECKER_STEPS = 1_500_000
"""Of cvc5's own unit of work: some ten seconds. What it needs is mostly a hundredth of that."""
_CLOCK = 300.0
"""Seconds after which an obligation is given up, whatever its solver counts."""


Listen = Callable[[Any], None]


@dataclass(frozen=True)
class Attempt:
    """A property, what was shown of it and its lemmas, and what is open."""

    property_name: str
    kept: bool
    """Whether the property is itself kept by all actions, not implied by the lemmas."""
    with_stays: bool = False
    """Whether the lemmas say of each action that it stays within sorts and what has a value."""
    results: Mapping[str, Result] = field(default_factory=dict)
    needed: tuple[str, ...] = ()
    """The lemmas that the proof needs, and the property if it is kept."""
    limit: str | None = None
    peak_memory: int = 0

    @property
    def open(self) -> tuple[Open, ...]:
        """What was not shown."""
        return tuple(one for one in self.results.values() if isinstance(one, Open))

    @property
    def proved(self) -> bool:
        """Whether all that is needed was shown."""
        return self.limit is None and not self.open


def obligations_of(
    reading: ParametricReading, property_name: str, *, kept: bool, with_stays: bool = False
) -> Obligations:
    """The obligations for a property, always made in the same order."""
    lemmas = [lemma.name for lemma in reading.definition.lemmas]
    lemmas += [property_name] * (kept and property_name not in lemmas)
    system = ParametricSystem(reading.definition, tuple(lemmas), with_stays)
    return Obligations(system, reading.assumptions, with_stays=with_stays)


def listed(obligations: Obligations, property_name: str) -> dict[str, list[Obligation]]:
    """All obligations by what is claimed: of each lemma, and of the property if it is to be implied."""
    found: dict[str, list[Obligation]] = {name: [] for name in obligations.names}
    for one in (*obligations.initiation(), *obligations.consecution()):
        found[one.claim].append(one)
    if property_name not in obligations.names:
        found[property_name] = list(obligations.safety(property_name))
    found[UNDEFINED_READ] = list(obligations.reads())
    found[FACTS] = []
    _ = obligations.hypotheses
    obligations.learn(one for claim in found.values() for one in claim)
    return found


def prove(
    reading: ParametricReading, property_name: str, limits: Limits, listen: Listen = lambda _: None
) -> Attempt:
    """Shows that the lemmas imply the property, or that it is kept together with them, and then every lemma
    that this needs. Where that fails, the lemmas also claim that all that they and the actions read has a
    value, and that actions assign values of the right sorts."""
    first = _attempt(reading, property_name, False, limits, lambda _: None, only_safety=True)
    if first.limit is not None:
        return first
    kept = bool(first.open)
    if reading.is_total:
        return _attempt(reading, property_name, kept, limits, listen)
    found = _attempt(reading, property_name, kept, limits, lambda _: None, until_open=True)
    if found.proved or found.limit is not None:
        return found
    more = _attempt(reading, property_name, kept, limits, listen, with_stays=True)
    # Where the time is over, what was open before is still worth saying.
    return more if more.limit is None else replace(more, results={**found.results, **more.results})


def _attempt(
    reading: ParametricReading,
    property_name: str,
    kept: bool,
    limits: Limits,
    listen: Listen,
    *,
    only_safety: bool = False,
    until_open: bool = False,
    with_stays: bool = False,
) -> Attempt:
    load_script_solvers()
    obligations = obligations_of(reading, property_name, kept=kept, with_stays=with_stays)
    claims = listed(obligations, property_name)
    results: dict[str, Result] = {}
    needed: dict[str, None] = {}
    waiting = [property_name, *(() if only_safety else obligations.always_needed(property_name))]
    peak, limit = 0, None
    while waiting and limit is None:
        needed |= dict.fromkeys(waiting)
        asked = [one for claim in waiting for one in claims[claim]]
        used: dict[str, None] = {}
        try:
            for done in run_tasks([_task(obligations, one, limits) for one in asked], AT_ONCE):
                peak = max(peak, done.peak_memory)
                result = _result(done)
                results[result.name] = result
                listen(result)
                if until_open and isinstance(result, Open):
                    break
                if isinstance(result, Shown):
                    used |= dict.fromkeys(result.uses)
                limits.check_time()
        except KeyboardInterrupt:
            limit = INTERRUPTED
        except Interrupted as reached:
            limit = str(reached)
        waiting = [name for name in used if name not in needed]
        if only_safety or (until_open and any(isinstance(one, Open) for one in results.values())):
            break
    names = tuple(dict.fromkeys(_shown(name) for name in obligations.names if name in needed))
    return Attempt(property_name, kept, with_stays, results, names, limit, peak)


def _shown(lemma: str) -> str:
    """The name of a lemma, of those about the sorts of fields the one that they have together."""
    return TYPED if lemma.startswith(f"{TYPED}:") else lemma


def _task(obligations: Obligations, obligation: Obligation, limits: Limits) -> Task:
    def work(report: Callable[[Any], None], _: Connection) -> None:
        report(decide(obligations, obligation))

    left = limits.seconds_left
    seconds = _CLOCK if left is None else min(_CLOCK, max(0.1, left))
    return Task(obligation.name, work, Limits(seconds, limits.memory))


def _result(done: TaskResult) -> Result:
    for reported in done.reported:
        if isinstance(reported, Shown | Open):
            return reported
    return Open(done.name, done.limit or done.failure or "the solver ended early")


def decide(obligations: Obligations, obligation: Obligation) -> Result:
    """Asks the solvers with more and more instances."""
    reason = "both solvers gave up"
    last: list[Any] | None = None
    for number in obligations.efforts:
        effort = EFFORTS[number]
        asked = Query.of(obligations, obligation, effort)
        if asked.hypotheses == last:
            continue
        last = asked.hypotheses
        began = time.process_time()
        names = [f"h{place}" for place in range(len(asked.hypotheses))]
        steps = int(effort.seconds * _STEPS_PER_SECOND)
        found = decide_script(FINDER, asked.script(named=True), names, steps)
        seconds = time.process_time() - began
        if found.answer is not Answer.UNSATISFIABLE:
            reason = f"{FINDER} " + _REASONS[found.answer]
            continue
        kept = tuple(sorted(int(name[1:]) for name in found.core))
        began = time.process_time()
        checked = decide_script(CHECKER, asked.script(kept), (), _CHECKER_STEPS)
        if checked.answer is Answer.UNSATISFIABLE:
            uses = tuple(dict.fromkeys(asked.hypotheses[place][0] for place in kept))
            took = time.process_time() - began
            return Shown(obligation.name, number, kept, uses, seconds, took)
        reason = f"{FINDER} shows it, {CHECKER} {_REASONS[checked.answer]}"
    return Open(obligation.name, reason)


_REASONS = {
    Answer.SATISFIABLE: "finds no contradiction in the instances that it was given",
    Answer.UNKNOWN: "gave up",
}


@dataclass(frozen=True)
class Query:
    """What a solver is asked of an obligation."""

    obligations: Obligations
    local: list[tuple[str, Any]]
    """Constants, guard and goal."""
    hypotheses: list[tuple[str, Any]]
    """Lemmas, or instances of them, each with the lemma's name."""

    @staticmethod
    def of(obligations: Obligations, obligation: Obligation, effort: Effort) -> Query:
        """The formulas of an obligation with as many hypotheses as the effort says."""
        local = obligations.local(obligation)
        return Query(obligations, local, obligations.chosen(obligation, effort))

    def script(
        self, kept: Sequence[int] | None = None, *, named: bool = False
    ) -> str:
        """The SMT-LIB text with these hypotheses, or with all. ``named``: each hypothesis has a name."""
        places = range(len(self.hypotheses)) if kept is None else kept
        hypotheses = [(f"h{place}", *self.hypotheses[place]) for place in places]
        nodes = [node for _, node in self.local] + [node for _, _, node in hypotheses]
        return script(
            self.local,
            self.obligations.definitions(nodes),
            [(name if named else "", lemma, node) for name, lemma, node in hypotheses],
            self.obligations.printer,
        )


def open_places(open_: Iterable[Open]) -> list[tuple[str, str, str]]:
    """Of what is open: the action, the claim, and why."""
    found: dict[tuple[str, str], str] = {}
    for one in open_:
        at, claim, _ = place_of(one.name)
        found.setdefault((at, claim), one.reason)
    return [(at, claim, reason) for (at, claim), reason in found.items()]


