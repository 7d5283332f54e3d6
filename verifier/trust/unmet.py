"""The parts of what must hold again and again, or in the end, that are false in the loop of an execution."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

from verifier.encodings.concrete import show
from verifier.encodings.lowering import Bindings
from verifier.encodings.terms import Term
from verifier.specs.temporal import TemporalFormula, TemporalOperator
from verifier.system.model import Model
from verifier.trust.concrete_reading import ConcreteReading
from verifier.trust.explain import Explainer, Reason
from verifier.trust.lasso import Execution
from verifier.trust.trace import Trace

_LASTING = (
    TemporalOperator.EVENTUALLY,
    TemporalOperator.ALWAYS_EVENTUALLY,
    TemporalOperator.EVENTUALLY_ALWAYS,
    TemporalOperator.LEADS_TO,
)
"""Formulas whose last term is false somewhere in the loop of an execution that violates them."""
_MOST_COMPARED = 50
"""The most states of a loop whose reasons are compared."""


def unmet(model: Model, trace: Trace) -> list[dict[str, Any]]:
    """Return the parts of what must hold again and again, or in the end, that are false in the loop.

    Each has the state of its values in words, and the first the demand on the formula.
    """
    prop = next((one for one in model.definition.temporal if one.name == trace.violates), None)
    if prop is None or trace.loop is None:
        return []
    first_index = model.definition.presentation.first_index
    explainers = [Explainer(ConcreteReading(state), first_index) for state in trace.states]
    execution = Execution(model, trace.states, trace.loop.start)
    return _list_unmet(prop.formula, execution, explainers, MappingProxyType({}))


def _list_unmet(
    formula: TemporalFormula, execution: Execution, explainers: list[Explainer], bindings: Bindings
) -> list[dict[str, Any]]:
    """Return the parts of a formula.

    A conjunction has those of the first side that fails, and "for each" those for the first value that
    makes it fail. A disjunction has those of each side, and demands none of them.
    """

    def parts_of(side: TemporalFormula, values: Bindings) -> list[dict[str, Any]]:
        return _list_unmet(side, execution, explainers, values)

    match formula.operator:
        case TemporalOperator.OR:
            sides = [parts_of(side, bindings) for side in formula.parts]
            left_out = ("demand", "within")
            told = all(sides) and not any(one["truth"] for side in sides for one in side)
            parts = [one for side in sides for one in side] if told else []
            return [{key: value for key, value in one.items() if key not in left_out} for one in parts]
        case TemporalOperator.AND:
            failing = (side for side in formula.parts if not execution.holds(side, bindings))
            return next((parts for side in failing if (parts := parts_of(side, bindings))), [])
        case TemporalOperator.FOR_EACH:
            assert formula.binds is not None
            body = formula.parts[0]
            each = ({**bindings, formula.binds: value} for value in formula.binds.sort.each())
            return next((parts_of(body, one) for one in each if not execution.holds(body, one)), [])
    if formula.parts or formula.operator not in _LASTING:
        return []
    return _list_unmet_terms(formula, explainers, execution.start, bindings)


def _list_unmet_terms(
    formula: TemporalFormula, explainers: list[Explainer], start: int, bindings: Bindings
) -> list[dict[str, Any]]:
    """Return the parts of a formula about states."""
    readings = [one.reading for one in explainers]

    def is_false(term: Term, number: int) -> bool:
        return readings[number].is_defined(term, bindings) and not readings[number].holds(term, bindings)

    term, operator = formula.terms[-1], formula.operator
    failing = [number for number in range(len(readings)) if is_false(term, number)]
    looping = [number for number in failing if number >= start]
    if not looping:
        return []
    unmet, due = list[dict[str, Any]](), None
    since = max((n for n in range(len(readings)) if n not in failing), default=-1) + 1
    if operator is TemporalOperator.LEADS_TO and since <= start:
        premise = formula.terms[0]
        due = next((n for n in range(since, len(readings)) if readings[n].holds(premise, bindings)), None)
        if due is not None:
            shown = explainers[due].part(premise, bindings)
            part = replace(shown, witnesses=tuple((one.name, show(value)) for one, value in bindings.items()))
            unmet.append({**part.as_json, "truth": True, "states": f"in state {due}"})
    every = "from there on, and " if due is not None else ""
    reasons = explainers[looping[0]].failures(term, bindings)
    if len(looping) < len(readings) - start:
        words = f"in state {looping[0]}, again and again"
    else:
        words = f"{every}in every state of the loop"
        compared = looping[:_MOST_COMPARED]
        lasting = _common([explainers[number].failures(term, bindings) for number in compared])
        reasons, words = (lasting, words) if lasting else (reasons, f"{words}, in state {looping[0]}")
    at = {} if len(looping) < len(readings) - start else {"at": looping[0]}
    parts = [{**one.part.as_json, "truth": False, "states": words, **at} for one in reasons]
    if parts and (due is not None or operator is not TemporalOperator.LEADS_TO):
        whole = explainers[looping[0]].part(term, bindings).formula
        parts[0]["demand" if [one["formula"] for one in parts] == [whole] else "within"] = str(operator)
    return [*unmet, *parts]


def _common(by_state: list[list[Reason]]) -> list[Reason]:
    """The reasons that there are in all states."""
    keys = [{(one.witnesses, one.formula) for one in of_state} for of_state in by_state]
    return [one for one in by_state[0] if all((one.witnesses, one.formula) in of_state for of_state in keys)]
