"""Runs of proofs for all constants."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from verifier.encodings.concrete import show_constants
from verifier.encodings.open_integers import LARGEST
from verifier.engines.all_constants import (
    ONLY_INVARIANTS,
    AllConstantsOutcome,
    check,
    describe_proof,
    leave_open,
    list_provable,
    not_begun,
    stop_at_violations,
)
from verifier.engines.induction import Request, induct
from verifier.engines.small_violations import (
    DEPTH,
    SEARCHED,
    EarlyViolations,
    is_about_bounds,
    search_violations,
)
from verifier.errors import UsageError
from verifier.outcomes.expectations import exit_code
from verifier.outcomes.run import Run
from verifier.parametric.assumed import is_satisfied
from verifier.parametric.deciding import CHECKER, FINDER
from verifier.parametric.formulas import say_formulas
from verifier.parametric.protocol_readings import ParametricReading
from verifier.parametric.results import SIZES
from verifier.processes.limits import INTERRUPTED, Interrupted, Limits
from verifier.processes.watching import within
from verifier.runs.building import build_model
from verifier.runs.engine import Listen
from verifier.runs.loaded import Agreement, Differs, OfModule, TypeInvariantViolated
from verifier.runs.protocol_loading import load_class_at
from verifier.runs.reading_for_all import class_of, list_small_constants, reading_of
from verifier.specs.constants import IndexSetConstant, IntegerConstant, constants_of
from verifier.specs.definition import Definition, DefinitionError
from verifier.system.model import Model
from verifier.trust.trace import Trace
from verifier.verdict import Verdict, VerdictKind

if TYPE_CHECKING:
    from verifier.runs.prove_options import ProveOptions
    from verifier.runs.question import Question


def prepare(question: Question[ProveOptions]) -> Question[ProveOptions]:
    """Return the question, if it can be asked for all constants. Raises UsageError."""
    source = question.loaded.source
    if source is not None:
        loaded = source.as_protocol(question.loaded, question.properties, ())
        known = {prop.name for prop in loaded.definition.properties}
        names = tuple(name for name in question.properties if name in known)
        question = replace(question, loaded=loaded, properties=names)
    provable = list_provable(question.definition, question.properties)
    if not question.options.properties:
        question = replace(question, properties=provable)
    kind = class_of(question.loaded)
    defaults = kind().constants
    for name, constant in constants_of(kind).items():
        given = question.definition.constants[name]
        if isinstance(constant, IntegerConstant | IndexSetConstant) and given != defaults[name]:
            raise UsageError(f"--all-constants proves for every {name}; --set {name}={given} has no effect")
    return question


def _with_counterexamples(
    outcome: AllConstantsOutcome,
    small: Sequence[Callable[[], Model | None]],
    limits: Limits,
    violated: Collection[str],
) -> tuple[AllConstantsOutcome, Model | None]:
    """Add a counterexample to induction for the first open property, at small constants. Return it with its
    model. ``violated``: properties that need none."""
    verdicts = list(outcome.verdicts)
    for place, verdict in enumerate(verdicts):
        name = verdict.property_name
        is_open = outcome.attempts[place].limit is None and verdict.kind is VerdictKind.INCONCLUSIVE
        if is_open and name not in violated:
            about = tuple(one.claim for one in outcome.open if one.property_name == name)
            counterexample = _counterexample(small, Request(name, limits=limits, about=about))
            if counterexample is not None:
                model, trace = counterexample
                where = f"counterexample to induction with {_show_sizes(model.definition)}"
                verdicts[place] = replace(verdict, trace=trace, reason=f"{verdict.reason}; {where}")
                return replace(outcome, verdicts=tuple(verdicts)), model
    return outcome, None


def _tell_by_module(
    outcome: AllConstantsOutcome, model: Model, module: OfModule
) -> tuple[AllConstantsOutcome, Model | None, Mapping[str, Mapping[str, Any]]]:
    """Return the outcome with violations as executions of the module, and their files. Else, what a
    counterexample makes false has the module's text, and the counterexample its model."""
    violated = [one for one in outcome.verdicts if one.kind is VerdictKind.VIOLATED]
    told = {one.property_name: module.retell(model.definition, one) for one in violated}
    retold = {name: one for name, one in told.items() if one is not None}
    if violated and len(retold) == len(told):
        verdicts = tuple(
            retold[one.property_name][0] if one.property_name in retold else one for one in outcome.verdicts
        )
        files = {name: file for name, (_, file) in retold.items() if file}
        return replace(outcome, verdicts=verdicts), None, files
    verdicts = tuple(
        one if one.trace is None else replace(one, trace=module.explain(model.definition, one.trace))
        for one in outcome.verdicts
    )
    return replace(outcome, verdicts=verdicts), model, {}


def _show_sizes(definition: Definition) -> str:
    """Return small constants in words. Those of a TLA+ module are sets, of which only the size matters."""
    shown = show_constants(definition.constants)
    return f"{shown} {SIZES}" if definition.presentation.source.endswith(".tla") else shown


def _with_violations(
    outcome: AllConstantsOutcome,
    question: Question[ProveOptions],
    reading: ParametricReading,
    early: EarlyViolations,
) -> tuple[AllConstantsOutcome, Model | None]:
    """Replace the open verdicts of properties that are violated at small constants: the first at which most
    are. Return the model of these executions, too."""
    searched = _list_searched(question, reading)
    open_names = tuple(
        verdict.property_name
        for verdict, attempt in zip(outcome.verdicts, outcome.attempts, strict=False)
        if verdict.kind is VerdictKind.INCONCLUSIVE
        and (attempt.limit is None or early.knows(verdict.property_name))
        and verdict.property_name in searched
    )
    small = _models(question, reading, DEPTH)
    place, violated = search_violations(small, open_names, question.limits, early)
    if place is None:
        return outcome, None
    # It was built before within the limits. What was found in time is told although the time is over now.
    again = replace(question, limits=Limits(memory=question.limits.memory))
    model = _models(again, reading, DEPTH)[place]()
    assert model is not None
    where = show_constants(model.definition.constants)
    verdicts = tuple(
        replace(violated[one.property_name], reason=f"with {where}") if one.property_name in violated else one
        for one in outcome.verdicts
    )
    return replace(outcome, verdicts=verdicts), model


def _list_searched(question: Question[ProveOptions], reading: ParametricReading) -> list[str]:
    """Return the properties for which executions that violate them are searched."""
    kinds = {one.name: one.kind for one in reading.definition.properties}
    return [name for name in question.properties if kinds[name] in SEARCHED]


def _models(
    question: Question[ProveOptions], reading: ParametricReading, largest: int = 0
) -> list[Callable[[], Model | None]]:
    """Return functions that build the models at small constants which satisfy all assumptions of a proof.
    ``largest``: unbounded numbers have at least this bound there."""

    kind = class_of(question.loaded)

    def model(constants: dict[str, Any]) -> Model | None:
        try:
            return build_model(load_class_at(kind, constants).definition, question.limits)
        except (UsageError, DefinitionError, Interrupted):
            return None  # these constants are not allowed together, or the time is over

    small = list(list_small_constants(question.loaded))
    for one in small:
        if LARGEST in one:
            one[LARGEST] = max(one[LARGEST], largest)
    fitting = (one for one in small if all(is_satisfied(said, one) for said in reading.assumptions))
    return [partial(model, one) for one in fitting]


def _counterexample(
    small: Sequence[Callable[[], Model | None]], request: Request
) -> tuple[Model, Trace] | None:
    """Return a counterexample to an open claim at some of the constants; if there is none, to any claim."""
    other = None
    for made in small:
        if (model := made()) is None:
            continue
        try:
            trace = induct(model, request).verdicts[0].trace
        except (UsageError, Interrupted):
            continue  # no state is initial there, or the time is over
        if trace is not None and trace.violates in request.about:
            return model, trace
        if trace is not None and is_about_bounds(model, trace.violates):
            continue
        if trace is not None and other is None:
            other = model, trace
    return other


def _as_said(definition: Definition, reading: ParametricReading | None) -> Definition:
    """Return the definition with the formulas as they are for all constants."""
    if reading is None:
        return definition
    # A module's own text comes before the formula that was read from it.
    of_module = definition.presentation.says if definition.presentation.config else {}
    says = {**say_formulas(reading), **of_module}
    return replace(definition, presentation=replace(definition.presentation, says=says))


def _stop_at_type_invariant(
    properties: Sequence[str], violated: TypeInvariantViolated
) -> AllConstantsOutcome:
    """Return the outcome where an execution of a module violates its type invariant."""
    if all(one.property_name != violated.name for one in violated.verdicts):  # the search was too short
        return stop_at_violations(properties, str(violated), violated.verdicts)
    reason = f"{violated.name} is violated with {violated.constants}, and each proof needs it"
    return stop_at_violations(properties, reason, violated.verdicts)


def _ask_undecided(question: Question[ProveOptions], agreement: Agreement) -> Question[ProveOptions]:
    """Return the question about the properties that have a value in each state that the comparison reached.
    Raises UsageError if there are none."""
    if question.properties and agreement.without_value.keys() >= set(question.properties):
        raise UsageError(agreement.without_value[question.properties[0]])
    known = agreement.without_value
    return replace(question, properties=tuple(name for name in question.properties if name not in known))


def _list_met(
    outcome: AllConstantsOutcome, agreement: Agreement
) -> Mapping[str, tuple[Verdict, Mapping[str, Any]]]:
    """Return the violations that only the comparison met. Those of the search are at smaller constants."""
    found = {one.property_name for one in outcome.verdicts if one.kind is VerdictKind.VIOLATED}
    return {name: one for name, one in agreement.violated.items() if name not in found}


def _list_decided(outcome: AllConstantsOutcome, agreement: Agreement) -> dict[str, Verdict]:
    """Return the verdicts that the comparison found, by property."""
    without = {name: leave_open(name, reason) for name, reason in agreement.without_value.items()}
    return without | {name: verdict for name, (verdict, _) in _list_met(outcome, agreement).items()}


def _add_decided(
    outcome: AllConstantsOutcome, decided: Mapping[str, Verdict], asked: Sequence[str]
) -> AllConstantsOutcome:
    """Add verdicts without a proof, in the order that is asked for."""
    every = {**{one.property_name: one for one in outcome.verdicts}, **decided}
    names = dict.fromkeys((*(name for name in asked if name in every), *every))
    return replace(outcome, verdicts=tuple(every[name] for name in names))


def _add_left_out(outcome: AllConstantsOutcome, module: OfModule) -> AllConstantsOutcome:
    """Add the open verdicts on properties of a module without a proof, and what its proofs rest on."""
    called = {"type_invariant": module.type_invariant}
    called |= {"ignored": module.ignored} if module.ignored else {}
    decided = {verdict.property_name for verdict in outcome.verdicts}
    left_out = [one for one in module.left_out if one.property_name not in decided]
    statistics = {**outcome.statistics, **called}
    return replace(outcome, statistics=statistics, verdicts=(*outcome.verdicts, *left_out))


def run(question: Question[ProveOptions], listen: Listen = lambda _: None) -> Run:
    """Run until it is done, out of time, or interrupted."""
    began, reading, model, asked = time.monotonic(), None, None, question.properties
    early: EarlyViolations | None = None
    agreement: Agreement | None = None
    traces: Mapping[str, Mapping[str, Any]] = {}
    question = replace(question, properties=list_provable(question.definition, asked))
    decided = {name: leave_open(name, ONLY_INVARIANTS) for name in asked if name not in question.properties}
    try:
        if question.loaded.of_module is not None:
            agreement = question.loaded.of_module.compare(question.limits)
            question = _ask_undecided(question, agreement)
        reading = within(question.limits, lambda: reading_of(question.loaded))
        building = time.monotonic() - began
        small = _models(question, reading)
        violations = _models(question, reading, DEPTH)
        met = frozenset(() if agreement is None else agreement.violated)
        with EarlyViolations(violations, _list_searched(question, reading), question.limits, met) as early:
            outcome = check(reading, question.properties, question.limits, listen, small, early)
    except (Interrupted, KeyboardInterrupt) as limit:
        building = time.monotonic() - began
        outcome = not_begun(question.properties, str(limit) or INTERRUPTED)
    except Differs as difference:  # nothing is claimed
        building = time.monotonic() - began
        outcome = not_begun(question.properties, str(difference), VerdictKind.ERROR)
    except TypeInvariantViolated as violated:  # each proof would need the type invariant
        building, traces = time.monotonic() - began, violated.traces
        outcome = _stop_at_type_invariant(question.properties, violated)
    if agreement is not None:
        outcome = replace(outcome, statistics={**outcome.statistics, "validation": agreement.figures})
    if reading is not None and early is not None and not outcome.interrupted:
        if question.options.suggest:
            from verifier.runs.suggested_proofs import prove_with_suggestions  # few runs need it

            outcome = prove_with_suggestions(question, reading, outcome)
        outcome, model = _with_violations(outcome, question, reading, early)
        if model is None:
            outcome, model = _with_counterexamples(outcome, small, question.limits, met)
        if model is not None and question.loaded.of_module is not None:
            outcome, model, traces = _tell_by_module(outcome, model, question.loaded.of_module)
    if agreement is not None:
        traces = {**traces, **{name: file for name, (_, file) in _list_met(outcome, agreement).items()}}
        decided |= _list_decided(outcome, agreement)
    outcome = _add_decided(outcome, decided, asked) if decided else outcome
    if question.loaded.of_module is not None:
        outcome = _add_left_out(outcome, question.loaded.of_module)
    since = question.limits.since
    return Run(
        engine="prove",
        definition=_as_said(question.definition, reading),
        model=model,
        options={"properties": list(asked), **question.recorded},
        depth=0,
        solvers=(FINDER, CHECKER),
        outcome=outcome,
        seconds=time.monotonic() - (began if since is None else since),
        building_seconds=building,
        exit_code=exit_code(outcome.verdicts, question.expectations, outcome.enabled),
        expected=question.options.expect,
        proofs=tuple(describe_proof(attempt) for attempt in outcome.attempts),
        origin=question.origin,
        assumptions=outcome.assumptions,
        beyond_declared=() if reading is None else reading.beyond_declared,
        certificate_texts=outcome.certificates,
        traces=traces,
    )
