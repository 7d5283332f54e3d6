"""What every run does: names are checked, the model is built, an engine searches, and all of it is a Run."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from verifier.engines.bmc import Outcome
from verifier.errors import UsageError, unknown_name
from verifier.outcomes.expectations import Expectations, exit_code, expectations_of
from verifier.outcomes.run import Origin, Run, origin
from verifier.runs.loading import Loaded
from verifier.runs.options import Options
from verifier.specs.definition import NO_DEADLOCK, Definition
from verifier.system.deadlock import with_deadlock
from verifier.system.model import Model, build
from verifier.verdict import Verdict, VerdictKind

OptionsT = TypeVar("OptionsT", bound=Options)
OutcomeT = TypeVar("OutcomeT", bound=Outcome)


@dataclass(frozen=True)
class Asked(Generic[OptionsT]):
    """A run about to begin: every name in it is known."""

    loaded: Loaded
    options: OptionsT
    properties: tuple[str, ...]
    expectations: Expectations
    deadlock: bool
    origin: Origin
    began: float
    """On the monotonic clock."""

    @property
    def definition(self) -> Definition:
        """The protocol's."""
        return self.loaded.definition

    def seconds_left(self) -> float | None:
        """Of the time allowed; None is no limit."""
        timeout = self.options.timeout
        return None if timeout is None else max(timeout - (time.monotonic() - self.began), 0.01)


@dataclass(frozen=True)
class Searched(Generic[OutcomeT]):
    """What came of a run before its end or an interrupt."""

    model: Model | None
    building_seconds: float
    outcome: OutcomeT


def ask(
    loaded: Loaded,
    options: OptionsT,
    choose: Callable[..., tuple[str, ...]] | None = None,
) -> Asked[OptionsT]:
    """The run that the options ask for; ``choose`` is ``chosen_properties``, or like it.

    Raises UsageError for an unknown name, or if there is nothing to check.
    """
    began = time.monotonic()
    # Induction has no such option: freedom from deadlock is none of the properties that lemmas prove.
    deadlock = hasattr(options, "deadlock") and (options.deadlock or NO_DEADLOCK in options.properties)
    expectations = expectations_of(options.expect, loaded.definition, deadlock=deadlock)
    chosen = (choose or chosen_properties)(
        loaded.definition, options.properties, expectations.properties, deadlock
    )
    return Asked(loaded, options, chosen, expectations, deadlock, origin(), began)


def chosen_properties(
    definition: Definition, asked: Sequence[str], expected: Sequence[str] = (), deadlock: bool = False
) -> tuple[str, ...]:
    """The properties to check, with those of which something is expected, and freedom from deadlock.

    Raises UsageError for an unknown one, or if there is none.
    """
    known = [prop.name for prop in definition.properties]
    for name in asked:
        if name not in (*known, *([NO_DEADLOCK] if deadlock else []), "all"):
            raise unknown_name("property", name, [*known, "all"])
    also = [*(name for name in expected if name != NO_DEADLOCK), *([NO_DEADLOCK] if deadlock else [])]
    if "all" in asked:
        return tuple(dict.fromkeys((*known, *also)))
    chosen = dict.fromkeys(asked) if asked else [prop.name for prop in definition.properties if prop.default]
    if not chosen and not also:
        names = ", ".join(known)
        raise UsageError(
            f"{definition.name} checks no property by default: name one with --property ({names})"
        )
    return tuple(dict.fromkeys((*chosen, *also)))


def searched(
    asked: Asked[OptionsT],
    search: Callable[[Model], OutcomeT],
    nothing_found: Callable[[tuple[Verdict, ...]], OutcomeT],
) -> Searched[OutcomeT]:
    """Builds the model and searches. An interrupt, or the end of the time, while building is no verdict."""
    began = time.monotonic()
    model, building = None, 0.0
    try:
        with _limited(asked.options.timeout):
            model = build(asked.loaded.definition)
            model = (with_deadlock(model) if asked.deadlock else model).asking(asked.properties)
        building = time.monotonic() - began
        return Searched(model, building, search(model))
    except KeyboardInterrupt as stop:  # a search concludes by itself: this was before or after it
        return Searched(model, building, nothing_found(undecided(asked, asked.properties, stop)))


def finished(
    asked: Asked[OptionsT],
    found: Searched[OutcomeT],
    *,
    engine: str,
    options: Mapping[str, Any],
    depth: int = 0,
    solvers: tuple[str, ...] = (),
    proofs: tuple[Mapping[str, Any], ...] = (),
) -> Run:
    """The run, ended."""
    outcome, expectations = found.outcome, asked.expectations
    return Run(
        engine=engine,
        definition=asked.definition,
        model=found.model,
        options={"properties": list(asked.properties), **options},
        depth=depth,
        solvers=solvers,
        outcome=outcome,
        seconds=time.monotonic() - asked.began,
        building_seconds=found.building_seconds,
        exit_code=exit_code(outcome.verdicts, expectations, outcome.enabled),
        expected=asked.options.expect,
        missing=expectations.never_enabled(outcome.enabled),
        proofs=proofs,
        origin=asked.origin,
    )


class _OutOfTime(KeyboardInterrupt):
    """The time is over; as with Ctrl-C, nothing on the way may catch it."""


@contextmanager
def _limited(seconds: float | None) -> Iterator[None]:
    """Raises _OutOfTime inside when the time is over. The search has a clock of its own."""

    def stop(*_: Any) -> None:
        raise _OutOfTime

    if seconds is None:
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def undecided(
    asked: Asked[OptionsT], properties: Sequence[str], stop: KeyboardInterrupt
) -> tuple[Verdict, ...]:
    """The verdicts where the end came before the engine could begin, or after it was done."""
    late = isinstance(stop, _OutOfTime)
    reason = f"timeout of {asked.options.timeout:g} s, while building" if late else "interrupted"
    return tuple(Verdict(name, VerdictKind.INCONCLUSIVE, None, 0.0, reason) for name in properties)
