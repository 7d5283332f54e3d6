"""The parts of what must hold again and again, or in the end, that are false in the loop of an execution."""

from __future__ import annotations

from typing import Any

from verifier.encodings.terms import Term
from verifier.specs.temporal import TemporalFormula, TemporalOperator
from verifier.system.model import Model
from verifier.trust.concrete_reading import ConcreteReading
from verifier.trust.explain import Explainer, Reason
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
    return _unmet_of(prop.formula, explainers, trace.loop.start)


def _unmet_of(formula: TemporalFormula, explainers: list[Explainer], start: int) -> list[dict[str, Any]]:
    """Return the parts of a formula; of a disjunction those of each side, of which none is demanded."""
    if formula.operator is TemporalOperator.OR:
        sides = [_unmet_of(side, explainers, start) for side in formula.parts]
        left_out = ("demand", "within")
        told = all(sides) and not any(one["truth"] for side in sides for one in side)
        parts = [one for side in sides for one in side] if told else []
        return [{key: value for key, value in one.items() if key not in left_out} for one in parts]
    if formula.parts or formula.operator not in _LASTING:
        return []

    readings = [one.reading for one in explainers]

    def is_false(term: Term, number: int) -> bool:
        return readings[number].is_defined(term, {}) and not readings[number].holds(term, {})

    term, operator = formula.terms[-1], formula.operator
    failing = [number for number in range(len(readings)) if is_false(term, number)]
    looping = [number for number in failing if number >= start]
    if not looping:
        return []
    unmet, due = list[dict[str, Any]](), None
    since = max((n for n in range(len(readings)) if n not in failing), default=-1) + 1
    if operator is TemporalOperator.LEADS_TO and since <= start:
        premise = formula.terms[0]
        due = next((n for n in range(since, len(readings)) if readings[n].holds(premise, {})), None)
        if due is not None:
            part = explainers[due].part(premise, {})
            unmet.append({**part.as_json, "truth": True, "states": f"in state {due}"})
    every = "from there on, and " if due is not None else ""
    reasons = explainers[looping[0]].failures(term)
    if len(looping) < len(readings) - start:
        words = f"in state {looping[0]}, again and again"
    else:
        words = f"{every}in every state of the loop"
        lasting = _common([explainers[number].failures(term) for number in looping[:_MOST_COMPARED]])
        reasons, words = (lasting, words) if lasting else (reasons, f"{words}, in state {looping[0]}")
    at = {} if len(looping) < len(readings) - start else {"at": looping[0]}
    parts = [{**one.part.as_json, "truth": False, "states": words, **at} for one in reasons]
    if parts and (due is not None or operator is not TemporalOperator.LEADS_TO):
        whole = explainers[looping[0]].part(term, {}).formula
        parts[0]["demand" if [one["formula"] for one in parts] == [whole] else "within"] = str(operator)
    return [*unmet, *parts]


def _common(by_state: list[list[Reason]]) -> list[Reason]:
    """The reasons that there are in all states."""
    keys = [{(one.witnesses, one.formula) for one in of_state} for of_state in by_state]
    return [one for one in by_state[0] if all((one.witnesses, one.formula) in of_state for of_state in keys)]
