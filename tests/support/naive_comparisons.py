"""Every engine against the naive reading, on one random protocol.

Engines run in this process where they can, on one model for all of them. Each disagreement is a line.
"""

from __future__ import annotations

import random
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from tests.support.clock import OutOfTime, at_most
from tests.support.models import build
from tests.support.naive import UNDEFINED_READ, Explored, Naive
from tests.support.random_plans import Plan
from tests.support.random_protocols import DEEPEST, MOST_STATES, random_protocol
from verifier.clauses.unrolling import Steps
from verifier.engines import bmc, explore, prove, simulate
from verifier.engines.bounded_search import DepthClosed, Search, SolverGaveUp, ViolationFound, search
from verifier.engines.choices import StepsChoice
from verifier.engines.ic3.search import Counterexample, Proof
from verifier.engines.kinduction import BaseClosed, KInductionProof, kinduction
from verifier.engines.provers import (
    ic3_certificate,
    ic3_work,
    kind_certificate,
    with_goal,
)
from verifier.explicit import orbits
from verifier.processes.limits import Limits
from verifier.specs.definition import PropertyKind
from verifier.system.model import Model
from verifier.trust.certify import check
from verifier.trust.replay import Replayer, ReplayFailure
from verifier.trust.trace import Trace
from verifier.verdict import VerdictKind

_SECONDS_OF_A_PROVER = 4
_LARGEST_K = 12


@dataclass
class Subject:
    """A protocol with the true answers, as far as it was explored."""

    seed: int
    plan: Plan
    model: Model
    naive: Naive
    truth: Explored

    @property
    def depth(self) -> int:
        """Return the depth to which everything is known."""
        return self.truth.closed

    @property
    def names(self) -> tuple[str, ...]:
        """All properties."""
        return tuple(prop.name for prop in self.model.system.properties)

    def least(self, name: str) -> int | None:
        """Return the fewest actions to a violation (or witness), if it is known."""
        return self.truth.steps.get(name)

    def mistake_in(self, trace: Trace) -> str | None:
        """Return the reason why a trace is not what it claims to be."""
        actions = [(action.name, action.parameters) for action in trace.actions]
        mistake = self.naive.mistake_in(trace.states, actions, trace.violates)
        if mistake is None:
            least = self.least(trace.violates or "")
            if trace.steps <= self.depth and (least is None or least > trace.steps):
                mistake = f"it has {trace.steps} actions, exploration found {least}"
        return mistake


def subject_of(seed: int) -> Subject:
    """The protocol of a seed, explored by the naive reading."""
    plan, protocol = random_protocol(seed)
    model = build(protocol)
    naive = Naive(model.definition)
    truth = naive.explore(MOST_STATES, DEEPEST)
    return Subject(seed, plan, model, naive, truth)


Complaints = Iterator[str]


def _of_trace(subject: Subject, who: str, trace: Trace | None) -> Complaints:
    if trace is None:
        yield f"{who}: no trace"
        return
    mistake = subject.mistake_in(trace)
    if mistake is not None:
        yield f"{who}: the trace to {trace.violates} is wrong: {mistake}"
    try:
        Replayer(subject.model).check(trace)
    except ReplayFailure as failure:
        yield f"{who}: the trace to {trace.violates} does not replay: {failure}"


def by_exploring(subject: Subject, symmetry: bool) -> Complaints:
    """States, deadlocks and least depths."""
    who = "explore --symmetry" if symmetry else "explore"
    deepest = None if subject.truth.complete else subject.depth
    request = explore.Request(subject.names, max_depth=deepest, symmetry=symmetry, keep_going=True)
    found = explore.explore(subject.model, request)
    figures, truth = found.statistics, subject.truth
    states = figures["states_in_orbits"] if figures["symmetry"] else figures["distinct_states"]
    if states != truth.states:
        yield f"{who}: {states} states, not {truth.states}"
    if not figures["symmetry"] and figures["deadlocks"] != truth.deadlocks:
        yield f"{who}: {figures['deadlocks']} deadlocks, not {truth.deadlocks}"
    if truth.complete and not figures["complete"]:
        yield f"{who}: not complete"
    for verdict in found.verdicts if truth.complete else ():
        if verdict.trace is None and verdict.property_name in truth.steps:
            yield f"{who}: {verdict.property_name} was not found, though all was explored"
    yield from _of_verdicts(subject, who, found.verdicts, fewest=True)


def by_sorting_elements(subject: Subject) -> Complaints:
    """Orbits, with elements sorted although they have few permutations."""
    with patch.object(orbits, "FEW_PERMUTATIONS", 0):
        yield from by_exploring(subject, True)


def _of_verdicts(subject: Subject, who: str, verdicts: Sequence[Any], fewest: bool) -> Complaints:
    """Compare verdicts, found and missing, at the depth to which everything is known."""
    for verdict in verdicts:
        least = subject.least(verdict.property_name)
        if verdict.kind is VerdictKind.ERROR:
            yield f"{who}: {verdict.property_name} is an error: {verdict.reason}"
        elif verdict.trace is not None:
            yield from _of_trace(subject, who, verdict.trace)
            if (fewest or verdict.fewest) and verdict.trace.steps != least:
                yield f"{who}: {verdict.property_name} in {verdict.trace.steps}, not {least}"
        elif least is not None and least <= (verdict.depth or 0):
            yield f"{who}: {verdict.property_name} {verdict.kind} to {verdict.depth}, but found in {least}"
        elif least is not None and least <= subject.depth <= (verdict.depth or 0):
            yield f"{who}: {verdict.property_name} was not found"


def by_searching(subject: Subject, steps: Steps, symmetry: bool, solver: str = "cadical") -> Complaints:
    """One bounded search, in this process."""
    who = f"bmc {steps}{'' if symmetry else ' --no-symmetry'}"
    events: list[Any] = []
    search(subject.model.system, Search(steps, solver, subject.depth, subject.names, symmetry), events.append)
    replayer, found = Replayer(subject.model), set()
    for event in events:
        match event:
            case SolverGaveUp():
                yield f"{who}: {event.reason}"
            case DepthClosed():
                for name in event.properties:
                    least = subject.least(name)
                    if least is not None and least <= event.depth:
                        yield f"{who}: {name} closed to {event.depth}, but found in {least}"
            case ViolationFound():
                found.add(event.violates)
                taken = [(subject.model.system.instances[f.instance], f.inputs) for f in event.firings]
                yield from _of_firings(subject, who, replayer, event.initial, taken, event.violates)
                if steps is Steps.SERIAL and event.steps != subject.least(event.violates):
                    yield f"{who}: {event.violates} in {event.steps}, not {subject.least(event.violates)}"
    for name in set(subject.names) - found:
        if (subject.least(name) or 0) <= subject.depth and name in subject.truth.steps:
            yield f"{who}: {name} was not found"


def _of_firings(
    subject: Subject, who: str, replayer: Replayer, initial: Sequence[bool], taken: Any, name: str
) -> Complaints:
    try:
        trace = replayer.execute(initial, taken, name)
    except ReplayFailure as failure:
        yield f"{who}: what violates {name} does not replay: {failure}"
        return
    yield from _of_trace(subject, who, trace)


def by_simulating(subject: Subject) -> Complaints:
    """Check that the findings of random walks are real."""
    request = simulate.Request(subject.names, walks=64, depth=subject.depth + 1, seed=1)
    yield from _of_verdicts(subject, "simulate", simulate.simulate(subject.model, request).verdicts, False)


def _goals(subject: Subject, name: str) -> list[str]:
    types = [p.name for p in subject.model.system.properties if p.kind is PropertyKind.TYPE_INVARIANT]
    undefined = [UNDEFINED_READ] if UNDEFINED_READ in subject.names else []
    return [name, *types, *undefined]


def _of_proof(subject: Subject, who: str, name: str, certificate: Any) -> Complaints:
    """A proof that is checked, and of something true."""
    for goal in _goals(subject, name):
        if goal in subject.truth.steps:
            yield f"{who}: {name} is proved, but {goal} fails in {subject.least(goal)}"
    for failed in check(subject.model, certificate, "z3").failed:
        yield f"{who}: the certificate of {name} fails: {failed.obligation}"


def _of_counterexample(subject: Subject, who: str, name: str, initial: Any, taken: Any) -> Complaints:
    """An execution to a violation of the property or of what goes along with it."""
    system, replayer = subject.model.system, Replayer(subject.model)
    firings = [(system.instances[index], inputs) for index, inputs in taken]
    for goal in _goals(subject, name):
        try:
            trace = replayer.execute(initial, firings, goal)
        except ReplayFailure:
            continue
        yield from _of_trace(subject, who, trace)
        return
    yield f"{who}: what violates {name} does not replay"


def by_ic3(subject: Subject, name: str) -> Complaints:
    """IC3, in this process."""
    events: list[Any] = []
    try:
        with at_most(_SECONDS_OF_A_PROVER):
            ic3_work(subject.model, name, True)(events.append, None)  # type: ignore[arg-type]
    except OutOfTime:
        return
    answer = events[-1]
    if isinstance(answer, Proof):
        yield from _of_proof(subject, "ic3", name, ic3_certificate(subject.model, name, answer))
    elif isinstance(answer, Counterexample):
        yield from _of_counterexample(subject, "ic3", name, answer.initial, answer.firings)
    else:
        yield f"ic3: {name} ended with {answer}"


def by_kinduction(subject: Subject, name: str) -> Complaints:
    """k-induction, in this process."""
    events: list[Any] = []
    try:
        with at_most(_SECONDS_OF_A_PROVER):
            goal = with_goal(subject.model.system, name)
            kinduction(goal, name, "cadical", events.append, largest_k=_LARGEST_K)
    except OutOfTime:
        pass
    about_steps = subject.model.system.about_steps
    least = [
        subject.truth.steps[goal] - about_steps(goal)
        for goal in _goals(subject, name)
        if goal in subject.truth.steps
    ]
    for event in events:
        if isinstance(event, BaseClosed) and least and event.depth >= min(least):
            yield f"k-induction: {name} closed to {event.depth}, but fails in a state at {min(least)}"
        elif isinstance(event, KInductionProof):
            certificate = kind_certificate(subject.model, name, event, "cadical")
            yield from _of_proof(subject, "k-induction", name, certificate)
        elif isinstance(event, ViolationFound):
            taken = [(firing.instance, firing.inputs) for firing in event.firings]
            yield from _of_counterexample(subject, "k-induction", name, event.initial, taken)


def by_bmc(subject: Subject, steps: StepsChoice, symmetry: bool) -> Complaints:
    """The whole of bounded model checking, with its child processes."""
    who = f"bmc.check {steps}{'' if symmetry else ' --no-symmetry'}"
    request = bmc.Request(subject.names, subject.depth, steps, symmetry=symmetry, shortest=True)
    # Parallel steps alone find no shortest execution, and do not say so.
    fewest = steps is not StepsChoice.PARALLEL
    yield from _of_verdicts(subject, who, bmc.check(subject.model, request).verdicts, fewest)


def by_proving(subject: Subject, name: str) -> Complaints:
    """All provers side by side, with their child processes."""
    request = prove.Request((name,), limits=Limits(_SECONDS_OF_A_PROVER), explore=subject.seed % 2 == 1)
    for verdict in prove.check(subject.model, request).verdicts:
        if verdict.kind is VerdictKind.ERROR:
            yield f"prove: {name} is an error: {verdict.reason}"
        elif verdict.trace is not None:
            yield from _of_trace(subject, "prove", verdict.trace)
        elif verdict.kind in (VerdictKind.PROVED, VerdictKind.VIOLATED) and name in subject.truth.steps:
            yield f"prove: {name} {verdict.kind}, but found in {subject.least(name)}"


def fast_checks(subject: Subject) -> list[Callable[[], Complaints]]:
    """Return the checks for every seed, all in this process."""
    name = random.Random(subject.seed).choice(subject.names)
    return [
        lambda: by_exploring(subject, False),
        lambda: by_exploring(subject, True),
        lambda: by_sorting_elements(subject),
        lambda: by_searching(subject, Steps.SERIAL, True),
        lambda: by_searching(subject, Steps.SERIAL, False),
        lambda: by_searching(subject, Steps.PARALLEL, True),
        lambda: by_searching(subject, Steps.PARALLEL, False),
        lambda: by_simulating(subject),
        lambda: by_ic3(subject, name),
        lambda: by_kinduction(subject, name),
    ]


def slow_checks(subject: Subject) -> list[Callable[[], Complaints]]:
    """Return the checks for a sample of the seeds, with child processes."""
    name = random.Random(subject.seed).choice(subject.names)
    return [
        lambda: by_bmc(subject, StepsChoice.AUTO, True),
        lambda: by_bmc(subject, StepsChoice.SERIAL, False),
        lambda: by_bmc(subject, StepsChoice.PARALLEL, True),
        lambda: by_proving(subject, name),
    ]


def disagreements(subject: Subject, slow: bool) -> Complaints:
    """All that the engines say otherwise."""
    for compare in fast_checks(subject) + (slow_checks(subject) if slow else []):
        try:
            yield from compare()
        except Exception:  # noqa: BLE001  # whatever it is, it is a disagreement
            yield f"an exception: {traceback.format_exc()}"
