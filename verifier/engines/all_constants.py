"""Proofs for all constants at once, one property after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from verifier.engines.outcome import Outcome
from verifier.engines.refuting import refuting
from verifier.engines.small_violations import EarlyViolations
from verifier.errors import UsageError, make_unknown_name_error
from verifier.parametric.certificate import dump
from verifier.parametric.deciding import CHECKER, FINDER
from verifier.parametric.protocol_readings import ParametricReading
from verifier.parametric.proving import PROVABLE, Attempt, Proofs, Violated, list_open_places, prove
from verifier.parametric.results import Open, Shown, place_of, say_obligation
from verifier.processes.limits import INTERRUPTED, Interrupted, Limits
from verifier.processes.watching import within
from verifier.specs.definition import Definition
from verifier.system.model import Model
from verifier.verdict import ALL_CONSTANTS, Verdict, VerdictKind

ELSEWHERE = "an execution at other small constants violates it: ask for it alone"
"""Why a property is open although it is violated: all executions of a run are at the same constants."""
ONLY_INVARIANTS = "only invariants, also of steps and of deadlocks, can be proved for all constants"
"""Why the proof of a property of another kind is not tried."""


@dataclass(frozen=True)
class OpenObligation:
    """An obligation that was not shown: that an action keeps a lemma."""

    property_name: str
    at: str
    claim: str
    reason: str


@dataclass(frozen=True)
class AllConstantsOutcome(Outcome):
    """An outcome with the shown and the open obligations."""

    attempts: tuple[Attempt, ...] = ()
    assumptions: tuple[str, ...] = ()
    certificates: Mapping[str, str] = field(default_factory=dict)
    """The certificate of each proved property, as the text of a file."""
    was_read: bool = True
    """False if the end came before the protocol was read, so that the assumptions are not known."""

    @property
    def interrupted(self) -> bool:
        """True if the user ended it."""
        return any(attempt.limit == INTERRUPTED for attempt in self.attempts)

    @property
    def open(self) -> tuple[OpenObligation, ...]:
        """The obligations that were not shown, by property, action and lemma."""
        return tuple(
            OpenObligation(attempt.property_name, *place)
            for attempt in self.attempts
            for place in list_open_places(attempt.open)
        )


def list_provable(definition: Definition, names: Sequence[str]) -> tuple[str, ...]:
    """Return the properties that a proof by induction can show. Raises UsageError for unknown ones, and if
    none is left."""
    kinds = {prop.name: prop.kind for prop in definition.properties}
    for name in names:
        if name not in kinds:
            raise make_unknown_name_error("property for --all-constants", name, kinds)
    provable = tuple(name for name in names if kinds[name] in PROVABLE)
    if names and not provable:
        words = f"{ONLY_INVARIANTS}, and {names[0]} is not one (kind: {kinds[names[0]]})"
        raise UsageError(f"{words}; to decide it at given constants, leave --all-constants out")
    return provable


def leave_open(name: str, reason: str) -> Verdict:
    """Return the open verdict on a property that is not tried."""
    return Verdict(name, VerdictKind.INCONCLUSIVE, None, 0.0, reason, found_by=ALL_CONSTANTS)


def check(
    reading: ParametricReading,
    properties: Sequence[str],
    limits: Limits,
    listen: Callable[[Any], None] = lambda _: None,
    at_small: Sequence[Callable[[], Model | None]] = (),
    early: EarlyViolations | None = None,
) -> AllConstantsOutcome:
    """Prove the properties, or report the open obligations. Nothing is refuted: a counterexample of the
    reading may be none of the protocol, at the chosen constants. ``at_small`` makes models in which
    counterexamples to induction are searched meanwhile. A property that ``early`` knows to be violated has no
    proof, so its attempt ends."""
    limits = limits.begin()
    attempts: list[Attempt] = []
    verdicts: list[Verdict] = []
    certificates: dict[str, str] = {}
    for name in properties:
        began = time.monotonic()
        if attempts and attempts[-1].limit == INTERRUPTED:  # the user ended all of it
            attempts.append(Attempt(name, False, limit=INTERRUPTED))
            verdicts.append(_verdict(attempts[-1], 0.0))
            continue
        try:
            _end_if_violated(early, name)
            works = [refuting(made, name) for made in at_small]
            proofs = within(limits, lambda: Proofs.of(reading))
            attempt = prove(proofs, name, limits, listen, works, partial(_end_if_violated, early, name))
        except Violated:
            attempt = Attempt(name, False, violated=True)
        except KeyboardInterrupt:
            attempt = Attempt(name, False, limit=INTERRUPTED)
        except Interrupted as limit:
            attempt = Attempt(name, False, limit=str(limit))
        attempts.append(attempt)
        if attempt.proved:
            certificates[name] = dump(reading, attempt)
        verdicts.append(_verdict(attempt, time.monotonic() - began))
    return AllConstantsOutcome(
        verdicts=tuple(verdicts),
        never_enabled=(),
        statistics={
            "peak_memory_bytes": max((one.peak_memory for one in attempts), default=0),
            "obligations": {one.property_name: len(one.results) for one in attempts},
            "open": [
                {"property": one.property_name, "at": at, "lemma": claim, "reason": reason}
                for one in attempts
                for at, claim, reason in list_open_places(one.open)
            ],
        },
        attempts=tuple(attempts),
        assumptions=reading.said,
        certificates=certificates,
    )


def _end_if_violated(early: EarlyViolations | None, name: str) -> None:
    """Raises Violated if an execution is known that violates the property."""
    if early is not None and early.knows(name):
        raise Violated


def not_begun(
    properties: Sequence[str], limit: str, kind: VerdictKind = VerdictKind.INCONCLUSIVE
) -> AllConstantsOutcome:
    """The outcome where the protocol was not read before the end came, or must not be used (ERROR)."""
    attempts = tuple(Attempt(name, False, limit=limit) for name in properties)
    verdicts = tuple(replace(_verdict(attempt, 0.0), kind=kind) for attempt in attempts)
    figures = {"peak_memory_bytes": 0, "obligations": dict.fromkeys(properties, 0), "open": []}
    return AllConstantsOutcome(verdicts, (), figures, attempts=attempts, was_read=False)


def stop_at_violations(
    properties: Sequence[str], reason: str, violations: Sequence[Verdict]
) -> AllConstantsOutcome:
    """The outcome where executions were found before a proof could begin. The other properties are open.
    ``violations`` may be of further properties, which come first."""
    violated = {one.property_name: one for one in violations}
    further = tuple(one for name, one in violated.items() if name not in properties)
    outcome = not_begun([name for name in properties if name not in violated], reason)
    open_ = {one.property_name: one for one in outcome.verdicts}
    asked = tuple({**open_, **violated}[name] for name in properties)
    return replace(outcome, verdicts=(*further, *asked))


def _verdict(attempt: Attempt, seconds: float) -> Verdict:
    name = attempt.property_name
    if attempt.proved:
        return Verdict(name, VerdictKind.PROVED, None, seconds, found_by=ALL_CONSTANTS)
    places = [say_obligation(at, claim) for at, claim, _ in list_open_places(attempt.open)]
    if attempt.violated:
        reason = ELSEWHERE
        return Verdict(name, VerdictKind.INCONCLUSIVE, None, seconds, reason, found_by=ALL_CONSTANTS)
    reason = attempt.limit or f"not proved: {'; '.join(f'that {place}' for place in places)}"
    return Verdict(name, VerdictKind.INCONCLUSIVE, None, seconds, reason, found_by=ALL_CONSTANTS)


def describe_proof(attempt: Attempt) -> dict[str, Any]:
    """A proof, as the JSON output has it."""
    shown = [one for one in attempt.results.values() if isinstance(one, Shown)]
    return {
        "property": attempt.property_name,
        "found_by": FINDER,
        "rechecked_by": CHECKER,
        "recheck_seconds": round(sum(one.check_seconds for one in shown), 3),
        "lemmas": list(attempt.needed),
        "kept": attempt.kept,
        "obligations": [_obligation(one) for one in attempt.results.values()],
    }


def _obligation(result: Shown | Open) -> dict[str, Any]:
    at, claim, part = place_of(result.name)
    fields = {"formula": claim, "at": at, "part": part, "holds": isinstance(result, Shown) or None}
    if isinstance(result, Shown):
        return {**fields, "seconds": round(result.seconds, 4), "uses": list(result.uses)}
    return {**fields, "seconds": 0.0, "reason": result.reason}
