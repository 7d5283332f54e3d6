"""Runs that check temporal properties under fairness."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from verifier.errors import UsageError, make_unknown_name_error
from verifier.runs.engine import Engine, Listen, late
from verifier.runs.option import Name, OneOf, Switch, Whole, option
from verifier.runs.options import (
    SOLVER,
    FirstOption,
    Options,
    SemanticsOption,
    ValidationOption,
    memory_option,
    properties_option,
)

if TYPE_CHECKING:
    from verifier.engines.live import Request
    from verifier.outcomes.run import Run
    from verifier.runs.loaded import Loaded
    from verifier.runs.question import Question
    from verifier.specs.definition import Definition
    from verifier.system.model import Model

_FAIRNESS = (
    "The fairness that executions have: spec (the spec's own), none (an execution may stop anywhere), or a "
    "variant that verify show lists."
)
_ENGINE = (
    "explicit explores every state. bmc searches for lassos. l2s reduces liveness to safety, and searches "
    "for a proof. ranking uses the ranking that a Python protocol declares (docs/liveness.md). orbits "
    "explores one state of each symmetry class of a Python protocol. auto runs all that apply, and "
    "takes the first answer."
)
_ENGINES = OneOf(("auto", "explicit", "bmc", "l2s", "ranking", "orbits"), {"prove": "l2s"})
_EXPLORE = (
    "With --engine auto: also explore every state. Exploration gives no certificate, so --certificate "
    "switches exploration off."
)
_HELP = """Check temporal properties of every execution, under fairness.

A counterexample is an infinite execution that violates the property: some steps, then a fair loop that
repeats forever (a lasso). Progress goes to standard error, the result to standard output.

\b
Examples:
  verify live rabbit-sac --property Liveness
  verify live rabbit-sac --fairness each-subscribe --set queues=2
  verify live my_protocol.py --engine bmc --depth 12
  verify live Paxos.tla --config Live.cfg
"""


@dataclass(frozen=True)
class LiveOptions(SemanticsOption, ValidationOption, FirstOption, Options):
    """The options of checks of temporal properties."""

    properties: tuple[str, ...] = properties_option("Temporal properties to check")
    fairness: str = option("spec", Name(), _FAIRNESS, metavar="NAME")
    engine: str = option("auto", _ENGINES, _ENGINE)
    explore: bool = option(True, Switch(), _EXPLORE)
    depth: int | None = option(
        None,
        Whole(1),
        "With --engine bmc: the largest number of states in a lasso. [default: the spec's default_depth, or "
        "10]",
    )
    solver: str | None = option(None, SOLVER, "The solver of bounded search and k-induction.")
    max_states: int | None = option(None, Whole(), "End when there are more states than this.")
    memory: int | None = memory_option()


def _prepare(loaded: Loaded, options: LiveOptions) -> Question[LiveOptions]:
    from dataclasses import replace

    from verifier.outcomes.expectations import parse_expectations
    from verifier.outcomes.run import origin
    from verifier.processes.limits import Limits
    from verifier.runs.question import Question, elsewhere
    from verifier.system.fairness import conditions_named

    definition = loaded.definition
    _check(options)
    names = [prop.name for prop in definition.temporal]
    for name in options.properties:
        if name not in names and (words := elsewhere(definition, name, temporal=True)) is not None:
            raise UsageError(words)
    if not names:
        words = f"{definition.name} has no temporal property: mark a method with @temporal"
        raise UsageError(words)
    conditions_named(definition, options.fairness)
    if options.depth is None and options.engine == "bmc":
        options = replace(options, depth=max(1, definition.presentation.default_depth))
    actions = [action.name for action in definition.actions]
    expectations = parse_expectations(options.expect, names, actions, definition.titles.no_deadlock)
    properties = _choose_properties(definition, options.properties, expectations.properties)
    limits = Limits(options.timeout, options.memory, loaded.began).begin()
    return Question(loaded, options, properties, expectations, False, origin(), limits)


def _check(options: LiveOptions) -> None:
    """Raise UsageError for options that the chosen engine does not support."""
    if options.depth is not None and options.engine != "bmc":
        raise UsageError(f"--depth is for --engine bmc: {options.engine} knows no bound of a lasso")
    if not options.explore and options.engine in ("explicit", "orbits"):
        words = f"--engine {options.engine} explores, which leaves no certificate"
        raise UsageError(f"{words}: use --engine auto, l2s or ranking for one")


def _choose_properties(
    definition: Definition, named: Sequence[str], expected: Sequence[str]
) -> tuple[str, ...]:
    known = [prop.name for prop in definition.temporal]
    for name in named:
        if name not in (*known, "all"):
            raise make_unknown_name_error("temporal property", name, [*known, "all"])
    if "all" in named:
        return tuple(known)
    chosen = tuple(named) or tuple(prop.name for prop in definition.temporal if prop.default)
    properties = tuple(dict.fromkeys((*chosen, *expected)))
    if not properties:
        words = f"{definition.name} checks no temporal property by default: name one with --property"
        raise UsageError(f"{words} ({', '.join(known)})")
    return properties


def _request(question: Question[LiveOptions]) -> Request:
    from verifier.engines.choices import LiveEngine
    from verifier.engines.live import Request
    from verifier.system.fairness import conditions_named

    options = question.options
    return Request(
        properties=question.properties,
        fairness=options.fairness,
        conditions=conditions_named(question.definition, options.fairness),
        engine=LiveEngine(options.engine),
        depth=options.depth or max(1, question.definition.presentation.default_depth),
        solver=options.solver,
        max_states=options.max_states,
        explore=options.explore,
        first=options.first,
        limits=question.limits,
    )


def _run(
    question: Question[LiveOptions],
    listen: Listen = lambda _: None,
    built: Callable[[Model], None] = lambda _: None,
) -> Run:
    from verifier.engines.live import check
    from verifier.engines.proofs import ProveOutcome
    from verifier.runs.prove import describe_proof
    from verifier.runs.question import answer, conclude
    from verifier.trust.certificate import make_claimed_model

    request = _request(question)
    run = answer(question, lambda model: check(model, request, listen), built, {"peak_memory_bytes": 0})
    proofs = run.outcome.proofs if isinstance(run.outcome, ProveOutcome) else ()
    models = [run.model and make_claimed_model(run.model, proof.certificate) for proof in proofs]
    return conclude(
        question,
        run,
        ENGINE.name,
        depth=request.depth,
        solvers=_solvers(question.options, run.outcome.statistics, [proof.rechecked_by for proof in proofs]),
        proofs=tuple(describe_proof(model, proof) for model, proof in zip(models, proofs, strict=True)),
        certificates={proof.property_name: proof.certificate for proof in proofs},
    )


def _solvers(
    options: LiveOptions, statistics: Mapping[str, Any], rechecked: Sequence[str]
) -> tuple[str, ...]:
    """Return the solvers of the engines that decided; of all engines if nothing was decided."""
    from verifier.engines.property_proof import BMC_SOLVER, KIND_SOLVER
    from verifier.solvers.minisat_backend import MinisatSolver

    of_property = statistics.get("properties", {}).values()
    deciding = {figures.get("decided_by", "l2s") for figures in of_property}
    engines = deciding if options.engine == "auto" else {options.engine}
    used: list[str] = []
    if "bmc" in engines:
        used.append(options.solver or KIND_SOLVER)
    if "l2s" in engines:
        used += [MinisatSolver.NAME, options.solver or KIND_SOLVER, options.solver or BMC_SOLVER, *rechecked]
    if "ranking" in engines:
        used += [MinisatSolver.NAME, *rechecked]
    return tuple(dict.fromkeys(used))


ENGINE = Engine(
    name="live",
    help=_HELP,
    options=LiveOptions,
    prepare=_prepare,
    run=_run,
    announcement=lambda asked: f"{', '.join(asked.properties)} under fairness {asked.options.fairness}",
    render=late("verifier.text.live", "render_live"),
    progress=late("verifier.text.live", "LiveText"),
    writes_certificates=True,
    certifying={"explore": False},
    decides_temporal=True,
    finds_fewest=lambda options: options.get("engine") == "bmc",
    relative_cost=6.0,
    is_bounded=lambda options: options.get("engine") == "bmc",
)
