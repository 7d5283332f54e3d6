"""Questions to engines, and the frame of every run: build the model, search, and conclude the Run."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from verifier.engines.outcome import Outcome
from verifier.errors import UsageError, make_unknown_name_error
from verifier.outcomes.expectations import Expectations, exit_code, expectations_of
from verifier.outcomes.run import Origin, Run, origin
from verifier.processes.limits import INTERRUPTED, Interrupted, Limits
from verifier.runs.building import build_model
from verifier.runs.loaded import Loaded
from verifier.runs.option import list_declared, record_options
from verifier.runs.options import Options
from verifier.specs.definition import Definition
from verifier.specs.names import own_name
from verifier.system.deadlock import with_deadlock
from verifier.system.model import Model
from verifier.verdict import Verdict, VerdictKind

if TYPE_CHECKING:
    from verifier.trust.certificate import Certificate

_LOG = logging.getLogger(__name__)

OptionsT = TypeVar("OptionsT", bound=Options)


@dataclass(frozen=True)
class Question(Generic[OptionsT]):
    """A question to an engine: every name in it is known."""

    loaded: Loaded
    options: OptionsT
    properties: tuple[str, ...]
    expectations: Expectations
    deadlock: bool
    """True if freedom from deadlock is among the model's properties."""
    origin: Origin
    limits: Limits
    """The limits of the whole run."""
    ended: str | None = None
    """The reason why the run ended before a model could be built; None if it did not."""
    patience: float | None = None
    """The processor time of this process at which building is given up; None: only at the limits."""

    @property
    def definition(self) -> Definition:
        """Return the protocol's definition."""
        return self.loaded.definition

    @property
    def recorded(self) -> dict[str, Any]:
        """Return the options for results."""
        return record_options(self.options)


Choose = Callable[[Definition, Sequence[str], Sequence[str], bool], tuple[str, ...]]
"""Returns the properties to check, like ``choose_properties``."""


def choose_properties(
    definition: Definition, named: Sequence[str], expected: Sequence[str] = (), deadlock: bool = False
) -> tuple[str, ...]:
    """Return the properties to check, with those that have expectations, and freedom from deadlock. Both
    properties of a refinement are checked together. Raises UsageError for an unknown property, or if there is
    none."""
    known, stuck = [prop.name for prop in definition.properties], definition.titles.no_deadlock
    named = [own_name(name, known) for name in named]
    for name in named:
        if name not in (*known, *([stuck] if deadlock else []), "all"):
            words = elsewhere(definition, name, temporal=False)
            raise UsageError(words) if words else make_unknown_name_error("property", name, [*known, "all"])
    also = [*(name for name in expected if name != stuck), *([stuck] if deadlock else [])]
    if "all" in named and "all" not in known:
        return tuple(dict.fromkeys((*known, *also)))
    chosen = dict.fromkeys(named) if named else [prop.name for prop in definition.properties if prop.default]
    if not chosen and not also:
        names = ", ".join(known)
        raise UsageError(
            f"{definition.name} checks no property by default: name one with --property ({names})"
        )
    beginnings = (one.beginnings for one in definition.refinements if one.steps in {*chosen, *also})
    return tuple(dict.fromkeys((*chosen, *also, *beginnings)))


def elsewhere(definition: Definition, name: str, *, temporal: bool) -> str | None:
    """Return the command that checks a property which this engine does not check. ``temporal``: the engine
    checks temporal properties. None if there is no such property."""
    if temporal and name in {prop.name for prop in definition.properties}:
        return f"{name} is about single states: verify bmc, explore and prove check it"
    if not temporal and name in {prop.name for prop in definition.temporal}:
        return f"{name} is a temporal property: verify live checks it"
    return None


def ask(loaded: Loaded, options: OptionsT, choose: Choose = choose_properties) -> Question[OptionsT]:
    """Return the question that the options ask. Its time begins now, unless it began with loading. Raises
    UsageError for an unknown name, or if there is nothing to check."""
    deadlock = False
    if "deadlock" in list_declared(type(options)):
        named = loaded.definition.titles.no_deadlock in options.properties
        deadlock = getattr(options, "deadlock") or named  # noqa: B009
        options = replace(options, deadlock=deadlock)  # type: ignore[call-arg]
    expectations = expectations_of(options.expect, loaded.definition, deadlock=deadlock)
    properties = choose(loaded.definition, options.properties, expectations.properties, deadlock)
    limits = Limits(options.timeout, getattr(options, "memory", None), loaded.began)
    return Question(loaded, options, properties, expectations, deadlock, origin(), limits.begin())


@dataclass(frozen=True)
class Answer:
    """The result of a question: from an engine, or from an end before one could begin."""

    model: Model | None
    """None if the run ended before the model was built."""
    building_seconds: float
    outcome: Outcome


def answer(
    question: Question[OptionsT],
    search: Callable[[Model], Outcome],
    built: Callable[[Model], None] = lambda _: None,
    statistics: Mapping[str, Any] = MappingProxyType({}),
    *,
    free: bool = False,
) -> Answer:
    """Build the model, with open parameters free or expanded, and search. If an interrupt or the end of the
    time comes first, all verdicts are INCONCLUSIVE, with these statistics."""
    began = time.monotonic()
    model, building = None, 0.0
    try:
        if question.ended is not None:
            raise Interrupted(question.ended)
        model = build_model(question.definition, question.limits, free=free, patience=question.patience)
        model = (with_deadlock(model) if question.deadlock else model).asking(question.properties)
        building = time.monotonic() - began
        size = (len(model.system.bits), len(model.system.instances))
        _LOG.info("%s: built %d bits, %d instances in %.2f s", question.definition.name, *size, building)
        built(model)
        return Answer(model, building, search(model))
    except Interrupted as limit:
        reason = f"{limit}, while building the formulas"
    except KeyboardInterrupt:  # a search handles its own interrupts: this came before or after it
        reason = INTERRUPTED
    return Answer(
        model, building, Outcome(make_undecided_verdicts(question.properties, reason), (), dict(statistics))
    )


def make_undecided_verdicts(properties: Sequence[str], reason: str) -> tuple[Verdict, ...]:
    """Return the verdicts if the end came before the engine began, or after it was done."""
    return tuple(Verdict(name, VerdictKind.INCONCLUSIVE, None, 0.0, reason) for name in properties)


def _mark_fewest(verdict: Verdict) -> Verdict:
    """Say of an execution without an action that none has fewer."""
    return replace(verdict, fewest=True) if verdict.steps == 0 else verdict


def conclude(
    question: Question[OptionsT],
    result: Answer,
    engine: str,
    *,
    depth: int = 0,
    solvers: tuple[str, ...] = (),
    proofs: tuple[Mapping[str, Any], ...] = (),
    certificates: Mapping[str, Certificate] | None = None,
) -> Run:
    """Return the finished run."""
    outcome, expectations = result.outcome, question.expectations
    outcome = replace(outcome, verdicts=tuple(map(_mark_fewest, outcome.verdicts)))
    for verdict in outcome.verdicts:
        _LOG.info("%s: %s: %s by %s", engine, verdict.property_name, verdict.kind, verdict.found_by)
    began = question.limits.since
    assert began is not None
    return Run(
        engine=engine,
        definition=question.definition,
        model=result.model,
        options={"properties": list(question.properties), **question.recorded},
        depth=depth,
        solvers=solvers,
        outcome=outcome,
        seconds=time.monotonic() - began,
        building_seconds=result.building_seconds,
        exit_code=exit_code(outcome.verdicts, expectations, outcome.enabled),
        expected=question.options.expect,
        missing=expectations.never_enabled(outcome.enabled),
        proofs=proofs,
        certificates=certificates or {},
        origin=question.origin,
    )
