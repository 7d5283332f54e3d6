"""ALIAS: the fields that a trace shows instead of the variables.

Source: evalAlias of ``tlc2.tool.impl.Tool`` (tlaplus/tlaplus).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from verifier.tla.answers import as_trace
from verifier.tla.exploration_result import State
from verifier.tla.frames import UNSET, Undefined
from verifier.tla.specification import Specification
from verifier.tla.tlc_ext import TRACE
from verifier.tla.value_types import Fn, NoValue, Value
from verifier.tla.values import materialize


def evaluate_alias(
    specification: Specification, states: Sequence[State], start: int | None = None
) -> list[dict[str, Value] | None]:
    """Return the fields of the alias for each state of a trace; None where it has no value or is no record.
    As in TLC, the next state of the last one is itself, or the state where a loop ``start``s."""
    alias, evaluator = specification.alias, specification.evaluator
    if alias is None:
        return [None] * len(states)
    evaluate = evaluator.compile_value(alias.body, alias.module)
    names = [variable.name for variable in specification.variables]
    records: list[dict[str, Value] | None] = []
    kept = evaluator.now[:], evaluator.next[:], dict(evaluator.answers)
    for number, state in enumerate(states, 1):
        last = number == len(states)
        following = states[number] if not last else state if start is None else states[start]
        evaluator.now[:], evaluator.next[:] = state, following
        evaluator.answers["level"] = partial(int, number)
        evaluator.answers[TRACE] = partial(as_trace, names, states[:number])
        try:
            value = materialize(evaluate())
        except (Undefined, NoValue):
            value = UNSET
        is_record = type(value) is Fn and all(type(key) is str for key in value)
        records.append(dict(value) if is_record else None)
    evaluator.now[:], evaluator.next[:] = kept[0], kept[1]
    evaluator.answers = kept[2]
    return records
