"""Runs of random simulation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from verifier.errors import UsageError, make_unknown_name_error
from verifier.runs.engine import Engine, Listen, late
from verifier.runs.option import Switch, Whole, Words, option
from verifier.runs.options import (
    COVERAGE,
    DeadlockOption,
    FirstOption,
    Options,
    SemanticsOption,
    properties_option,
)

if TYPE_CHECKING:
    from verifier.engines.outcome import Outcome
    from verifier.outcomes.run import Run
    from verifier.runs.loaded import Loaded
    from verifier.runs.question import Question
    from verifier.specs.definition import Definition
    from verifier.system.model import Model

_HISTOGRAM = (
    "Count the values of an expression in the last state of each execution; may be repeated. The expression "
    "is Python over state variables, constants and the protocol's methods (s is the state), with + - * // % "
    "< <= == != & | ~ [ ], forall, exists, count, if_, minimum, maximum."
)
_GUIDED = (
    "Search for violations: prefer rare actions, restart from states with new values, and let a solver "
    "search a few steps beyond these states. The counts are then not a sample of all executions."
)
_HELP = """Run random executions: check properties on the way, and count.

Each step is chosen uniformly at random among the enabled actions. An execution ends in a state without
enabled actions, at a violation, or at DEPTH. A run without a violation proves nothing: the verdict is
then INCONCLUSIVE (exit code 12).

\b
Examples:
  verify simulate kip101 --walks 100000
  verify simulate rabbit-sac --property none --count-action Release
  verify simulate rabbit-sac --histogram "active_count(s, 'a1')"
  verify simulate TwoPhase.tla --walks 100000
  verify simulate kip320-first-try --property StrongIsr --guided --first
"""


@dataclass(frozen=True)
class SimulateOptions(SemanticsOption, DeadlockOption, FirstOption, Options):
    """The options of a simulation."""

    properties: tuple[str, ...] = properties_option(
        "What to check on the way", "'all' is all of them, 'none' is none"
    )
    walks: int = option(10_000, Whole(), "The number of executions.")
    depth: int = option(100, Whole(), "The largest number of actions in an execution.")
    seed: int = option(0, Whole(), "Vary the executions. The same seed gives the same ones.")
    guided: bool = option(False, Switch(), _GUIDED)
    coverage: bool = option(False, Switch(), COVERAGE)
    histogram: tuple[str, ...] = option((), Words("EXPR"), _HISTOGRAM)
    count_action: tuple[str, ...] = option(
        (), Words("ACTION"), "Count how often this action is taken in an execution; may be repeated."
    )


def _prepare(loaded: Loaded, options: SimulateOptions) -> Question[SimulateOptions]:
    from verifier.runs.question import ask

    if options.guided and (options.histogram or options.count_action):
        raise UsageError("--guided walks are not a sample, so it goes without --histogram and --count-action")
    if options.guided and options.coverage:
        raise UsageError("--guided walks are not a sample, so it goes without --coverage")
    known = [action.name for action in loaded.definition.actions]
    for name in options.count_action:
        if name not in known:
            raise make_unknown_name_error(f"action of {loaded.definition.name}", name, known)
    return replace(ask(loaded, options, _properties), deadlock=True)


def _properties(
    definition: Definition, named: Sequence[str], expected: Sequence[str], deadlock: bool
) -> tuple[str, ...]:
    from verifier.runs.question import choose_properties

    if "none" not in named or any(prop.name == "none" for prop in definition.properties):
        return choose_properties(definition, named, expected, deadlock)
    if len(named) > 1:
        raise UsageError("--property none does not go with other properties")
    return tuple(dict.fromkeys((*expected, *((definition.titles.no_deadlock,) if deadlock else ()))))


def _run(
    question: Question[SimulateOptions],
    listen: Listen = lambda _: None,
    built: Callable[[Model], None] = lambda _: None,
) -> Run:
    from verifier.engines.guided_walks import SOLVER, walk_guided
    from verifier.engines.simulate import Request, simulate
    from verifier.runs.question import answer, conclude
    from verifier.system.measure import measure

    options, vocabulary = question.options, question.loaded.vocabulary

    def search(model: Model) -> Outcome:
        request = Request(
            properties=question.properties,
            walks=options.walks,
            depth=options.depth,
            seed=options.seed,
            first=options.first,
            ending=options.ending,
            counted_actions=options.count_action,
            measures={text: measure(model, text, vocabulary) for text in options.histogram},
            limits=question.limits,
            coverage=options.coverage,
        )
        return (walk_guided if options.guided else simulate)(model, request, listen)

    solvers = (SOLVER,) if options.guided else ()
    run = answer(question, search, built)
    return conclude(question, run, ENGINE.name, depth=options.depth, solvers=solvers)


ENGINE = Engine(
    name="simulate",
    help=_HELP,
    options=SimulateOptions,
    prepare=_prepare,
    run=_run,
    announcement=lambda asked: f"{asked.options.walks:,} random executions",
    render=late("verifier.text.simulation", "render_simulation"),
    progress=late("verifier.text.progress", "WalksText"),
    decides=False,
)
