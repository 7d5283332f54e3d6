"""Runs of bounded model checking."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from verifier.engines.choices import StepsChoice
from verifier.errors import UsageError
from verifier.runs.engine import Engine, Listen, OutputFile, late
from verifier.runs.option import OneOf, Switch, Whole, internal, option
from verifier.runs.options import (
    SOLVER,
    DeadlockOption,
    FirstOption,
    Options,
    SemanticsOption,
    ValidationOption,
    memory_option,
)
from verifier.verdict import Verdict, VerdictKind

if TYPE_CHECKING:
    from verifier.clauses.unrolling import Clauses
    from verifier.engines.bmc import Request
    from verifier.engines.search_parts import Part
    from verifier.outcomes.run import Run
    from verifier.runs.loaded import Loaded
    from verifier.runs.question import Question
    from verifier.system.model import Model

_DEPTH = "The largest number of actions in an execution. [default: the spec's default_depth, or 10]"
_STEPS = (
    "serial takes one action in each step of the search, and closes a depth fast. parallel takes several, "
    "and finds violations fast. auto runs both, and explores while the states are few."
)
_SYMMETRY = "If executions differ only in the names of interchangeable elements, search one of them."
_HELP = """Check properties in every execution of at most DEPTH actions.

Progress goes to standard error, the result to standard output.

\b
Examples:
  verify bmc kip320 --depth 12
  verify bmc kip320-first-try --property StrongIsr --shortest
  verify bmc my_protocol.py --timeout 5m --trace-out trace.itf.json
  verify bmc TwoPhase.tla --config Small.cfg --set N=4
"""


@dataclass(frozen=True)
class BmcOptions(SemanticsOption, ValidationOption, DeadlockOption, FirstOption, Options):
    """The options of bounded model checking."""

    depth: int | None = option(None, Whole(), _DEPTH)
    steps: str = option("auto", OneOf(tuple(map(str, StepsChoice))), _STEPS)
    solver: str | None = option(None, SOLVER, "The solver. [default: cadical]")
    symmetry: bool = option(True, Switch(), _SYMMETRY)
    shortest: bool = option(
        False, Switch(), "Find a counterexample with the fewest actions, and prove that none has fewer."
    )
    seed: int = option(0, Whole(), "Vary the search. Verdicts do not depend on it.")
    memory: int | None = memory_option()
    stride: int = internal(1)
    """For a hunt: the parallel steps from one question to the next; see ``Search``."""
    part: Part | None = internal(None, recorded=True)
    """The part of all executions that is searched. A verdict then concerns this part only."""
    guesses: Clauses | None = internal(None)
    """Candidates for structural invariants, if they are known; see ``Search``."""
    closed: Mapping[str, int] | None = internal(None)
    """Depths that earlier runs closed for properties; see ``Request``."""
    ends_beyond: bool = internal(False)
    """True if violations beyond the depth of properties that end the run count; see ``Request``."""
    writes_question: bool = internal(False)
    """True if the question is written to a file, so that a module must be translated."""


def _prepare(loaded: Loaded, options: BmcOptions) -> Question[BmcOptions]:
    from verifier.runs.question import ask

    if options.shortest and options.steps == StepsChoice.PARALLEL:
        raise UsageError(
            "--shortest does not go with --steps parallel: only serial steps show that no execution is "
            "shorter (allowed: --steps auto, serial)"
        )
    if options.part is not None and options.steps != StepsChoice.SERIAL:
        raise UsageError("only a search with serial steps has parts (allowed: steps serial)")
    if options.depth is None:
        options = replace(options, depth=loaded.definition.presentation.default_depth)
    return ask(loaded, options)


def _request(question: Question[BmcOptions]) -> Request:
    from verifier.engines.bmc import Request

    options = question.options
    assert options.depth is not None
    return Request(
        properties=question.properties,
        depth=options.depth,
        steps=StepsChoice(options.steps),
        solver=options.solver,
        symmetry=options.symmetry,
        shortest=options.shortest,
        limits=question.limits,
        seed=options.seed,
        stride=options.stride,
        part=options.part,
        guesses=options.guesses,
        closed=options.closed or {},
        ending=options.ending,
        ends_beyond=options.ends_beyond,
        first=options.first,
        awaited=tuple(expected.action for expected in question.expectations.enabled),
    )


def _run(
    question: Question[BmcOptions],
    listen: Listen = lambda _: None,
    built: Callable[[Model], None] = lambda _: None,
) -> Run:
    from verifier.engines.bmc import PREFERRED_SOLVER, check
    from verifier.runs.question import answer, conclude

    request = _request(question)

    nothing = {"searches": {}, "peak_memory_bytes": 0}
    run = answer(question, lambda model: check(model, request, listen), built, nothing, free=True)
    verdicts = tuple(_as_deep(verdict, request.closed) for verdict in run.outcome.verdicts)
    run = replace(run, outcome=replace(run.outcome, verdicts=verdicts))
    solvers = (request.solver or PREFERRED_SOLVER,)
    return conclude(question, run, ENGINE.name, depth=request.depth, solvers=solvers)


def _as_deep(verdict: Verdict, closed: Mapping[str, int]) -> Verdict:
    """Return the verdict with the depth that was closed before, if the search did not reach it."""
    depth = max(closed.get(verdict.property_name, -1), -1 if verdict.depth is None else verdict.depth)
    if verdict.kind is not VerdictKind.INCONCLUSIVE or depth < 0:
        return verdict
    return replace(verdict, depth=depth)


def _dump(question: Question[BmcOptions], model: Model) -> str:
    from verifier.clauses import smt2

    request = _request(question)
    return smt2.dump(model, request.properties, request.depth)


def _shortest_unless_parallel(options: Mapping[str, Any]) -> Mapping[str, Any]:
    return {} if options.get("steps") == StepsChoice.PARALLEL else {"shortest": True}


ENGINE = Engine(
    name="bmc",
    help=_HELP,
    options=BmcOptions,
    prepare=_prepare,
    run=_run,
    announcement=lambda asked: f"{', '.join(asked.properties)} to depth {asked.options.depth}",
    render=late("verifier.text.run", "render_run"),
    progress=late("verifier.text.progress", "DepthsText"),
    files=(
        OutputFile(
            "--dump-smt2",
            "Write the solver's input as SMT-LIB 2, for other solvers.",
            prepare=lambda options, _: replace(options, writes_question=True),
            of_question=_dump,
        ),
    ),
    reads_free=True,
    has_parts=True,
    finds_fewest=lambda options: bool(options.get("shortest")),
    manifest_defaults=_shortest_unless_parallel,
)
