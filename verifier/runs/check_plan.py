"""The plan of a check: the properties that each engine checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from verifier.errors import UsageError, make_unknown_name_error
from verifier.outcomes.expectations import parse_expectations
from verifier.outcomes.run import origin
from verifier.processes.cores import cores
from verifier.processes.limits import Limits
from verifier.runs.check_time import begin_of_engines
from verifier.runs.engine import Engine, engine_named
from verifier.runs.loaded import Loaded
from verifier.runs.options import check_ends
from verifier.runs.question import Question

EXPLORE, PROVE, LIVE, BMC, WALKS = "explore", "prove", "live", "bmc", "simulate"
EVALUATION = "Evaluation"
"""The verdict of a module's check without properties: assumptions hold, and all reachable states and steps
have values."""
_MOST_WORKERS = 8
"""The most processes for the interpreter of a module, if the user does not say. Each keeps the states that it
finds, and one process merges them, in about a twentieth of the time."""


@dataclass(frozen=True)
class Plan:
    """The properties of states and steps, and those of executions. A module's property may be both."""

    safety: tuple[str, ...]
    temporal: tuple[str, ...]
    explores: bool = True
    """True if there is a reason to explore: a postcondition of a module is one too."""
    postconditions: tuple[str, ...] = ()
    """The postconditions, which are evaluated after all states were explored."""
    by_view: bool = False
    """True if states with equal views count as one, as TLC has it. No prover knows that, so none is asked."""
    coverage: bool = False
    """True if exploration counts formulas, so that it goes on when every property is decided."""

    def plan_exploration(self, question: Question[Any]) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Return the properties and the options of exploration."""
        first = question.options.first
        given = {"first": first, "coverage": self.coverage}
        given |= {"keep_going": True} if self.coverage and not first else {}
        if self.safety or not (self.coverage and self.temporal):
            return self.safety, given
        # No property of states is asked: it counts formulas in all states, and its own verdict is not shown.
        return (question.definition.titles.no_deadlock,), {**given, "keep_going": True}


def prepare(engine: Engine[Any], loaded: Loaded, options: Any) -> Question[Any]:
    """Return the question of a check. Each engine checks the names again. Raises UsageError for an unknown
    name, or if the spec has no property."""
    check_ends(options)
    if options.find_bugs and not options.explore:
        raise UsageError("--find-bugs starts no provers: it goes without --certificate and --no-explore")
    if options.coverage and (options.find_bugs or not options.explore):
        raise UsageError("--coverage explores: it goes without --find-bugs, --certificate and --no-explore")
    definition, stuck = loaded.definition, loaded.definition.titles.no_deadlock
    deadlock = options.deadlock or stuck in options.properties
    claims = engine.claims(definition)
    names = [*options.properties] or [name for name, by_default in claims.items() if by_default]
    if "all" in names:
        names = [name for name in names if name != "all"] + list(claims)
    names += [stuck] if deadlock else []
    own = [name for name in dict.fromkeys(names) if name not in claims and name != stuck]
    if own and loaded.source is None:  # operators of a module may be properties
        raise make_unknown_name_error("property", own[0], [*claims, "all"])
    evaluated = _postconditions(loaded, options)
    if loaded.source is not None and not options.explore and (evaluated or not names):
        what = f"the POSTCONDITION {evaluated[0]}" if evaluated else "a module without properties"
        raise UsageError(f"{what} is left to exploration, so that --no-explore and --certificate do not do")
    if not names and loaded.source is None:
        words = f"{definition.name} checks no property by default: name one with --property"
        raise UsageError(f"{words} ({', '.join(claims)})" if claims else words)
    actions = [action.name for action in definition.actions]
    expectations = parse_expectations(options.expect, dict.fromkeys((*claims, *names)), actions, stuck)
    properties = tuple(dict.fromkeys((*names, *expectations.properties)))
    limits = Limits(options.timeout, options.memory, loaded.began).begin()
    question = Question(loaded, options, properties, expectations, stuck in properties, origin(), limits)
    _check_names(question)
    return question


def _postconditions(loaded: Loaded, options: Any) -> tuple[str, ...]:
    """Return the postconditions of a module, unless properties are named."""
    return () if loaded.source is None or options.properties else loaded.source.postconditions


def plan(question: Question[Any]) -> Plan:
    """Sort the properties by what they concern. Other names are operators of a TLA+ module."""
    definition, properties = question.definition, question.properties
    module = question.loaded.source is not None
    lasting = {prop.name for prop in definition.temporal}
    states = {prop.name for prop in definition.properties} | {definition.titles.no_deadlock}
    temporal = tuple(name for name in properties if name in lasting)
    safety = tuple(name for name in properties if name in states or (module and name not in lasting))
    coverage = question.options.coverage
    explores = bool(safety) or coverage or (module and not question.options.properties)
    postconditions = _postconditions(question.loaded, question.options)
    explores = explores and question.options.explore
    by_view = explores and question.loaded.source is not None and question.loaded.source.has_view
    return Plan(safety, temporal, explores, postconditions, by_view, coverage)


def sub_options(question: Question[Any], name: str, properties: Sequence[str], **given: Any) -> Any:
    """Return the options with which a check asks an engine about properties, within the limits of the
    check."""
    options, engine = question.options, engine_named(name)
    deadlock = question.definition.titles.no_deadlock in properties
    about = {"timeout": options.timeout, "deadlock": deadlock, "by": options.by}
    alone = options.coverage or options.find_bugs  # a hunt has other work for the cores
    about |= {"workers": options.workers, "module_workers": 1 if alone else min(cores(), _MOST_WORKERS)}
    about |= {"first": options.first, "keep_going": options.keep_going, "explore": options.explore, **given}
    return engine.options_for(properties, about)


def sub_question(question: Question[Any], name: str, options: Any) -> Question[Any]:
    """Return the question for one engine of the check. Its time ends a little before that of the check.
    Raises UsageError."""
    from verifier.runs.asking import make_question

    loaded = replace(question.loaded, began=begin_of_engines(question.limits))
    return make_question(engine_named(name), loaded, options)


def _check_names(question: Question[Any]) -> None:
    """Raise UsageError for an operator of a module that is no property."""
    parts = plan(question)
    for name, properties in ((EXPLORE, parts.safety), (LIVE, parts.temporal)):
        if properties:
            sub_question(question, name, sub_options(question, name, properties))
