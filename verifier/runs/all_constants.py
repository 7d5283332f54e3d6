"""Runs of proofs for all constants."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from verifier.engines.all_constants import AllConstantsOutcome, check, check_properties, described
from verifier.errors import UsageError
from verifier.outcomes.expectations import exit_code
from verifier.outcomes.run import Run
from verifier.parametric.loading import ParametricReading, read_for_all
from verifier.parametric.proving import CHECKER, FINDER
from verifier.runs.engine import Listen
from verifier.specs.constants import IndexSetConstant, IntegerConstant, constants_of
from verifier.specs.registry import load as load_class

if TYPE_CHECKING:
    from verifier.runs.loading import Loaded
    from verifier.runs.prove import ProveOptions
    from verifier.runs.question import Question


def prepare(question: Question[ProveOptions]) -> Question[ProveOptions]:
    """The question, if it can be asked of all constants. Raises UsageError."""
    check_properties(question.definition, question.properties)
    if question.loaded.source is not None:
        raise UsageError("--all-constants reads protocols that are Python classes, no TLA+ modules")
    kind = load_class(question.loaded.spec)
    defaults = kind().constants
    for name, constant in constants_of(kind).items():
        given = question.definition.constants[name]
        if isinstance(constant, IntegerConstant | IndexSetConstant) and given != defaults[name]:
            raise UsageError(f"--all-constants proves for every {name}, so --set {name}={given} says nothing")
    return question


def reading_of(loaded: Loaded) -> ParametricReading:
    """The protocol read for all constants. Raises NotParametric if it has no such reading."""
    return read_for_all(load_class(loaded.spec), dict(loaded.definition.constants))


def run(question: Question[ProveOptions], listen: Listen = lambda _: None) -> Run:
    """The run: until it is done, out of time, or interrupted."""
    began = time.monotonic()
    reading = reading_of(question.loaded)
    building = time.monotonic() - began
    outcome: AllConstantsOutcome = check(reading, question.properties, question.limits, listen)
    since = question.limits.since
    return Run(
        engine="prove",
        definition=question.definition,
        model=None,
        options={"properties": list(question.properties), **question.recorded},
        depth=0,
        solvers=(FINDER, CHECKER),
        outcome=outcome,
        seconds=time.monotonic() - (began if since is None else since),
        building_seconds=building,
        exit_code=exit_code(outcome.verdicts, question.expectations, outcome.enabled),
        expected=question.options.expect,
        proofs=tuple(described(attempt) for attempt in outcome.attempts),
        origin=question.origin,
        assumptions=outcome.assumptions,
        certificate_texts=outcome.certificates,
    )
