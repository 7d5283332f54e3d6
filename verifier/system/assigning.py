"""The effect of an action's assignment on the lowered state: a value is stored at a place within a
variable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pysmt.fnode import FNode

from verifier.encodings.bits import TRUE, conjunction, disjunction, negation
from verifier.encodings.cases import cases
from verifier.encodings.lowered import Lowered, LoweredOption, either, is_total
from verifier.encodings.sorts import PartialFunction
from verifier.encodings.terms import Operator, Symbol, Term


def keys(target: Term) -> Iterator[Term]:
    """The keys along the path of a target, from the variable on."""
    if target.arguments:
        yield from keys(target.arguments[0])
        yield from target.arguments[1:]


def assign(
    changed: dict[str, Lowered],
    target: Term,
    value: Lowered,
    lower: Callable[[Term], Lowered],
    beyond: list[FNode],
) -> None:
    """Puts ``value`` at the path ``target`` of the changed variables.

    ``lower`` reads the path's keys. The conditions under which the path leads to no place are added to
    ``beyond``.
    """
    path: list[Term] = []
    while target.operator is not Operator.VARIABLE:
        path.append(target)
        target = target.arguments[0]
    assert isinstance(target.data, Symbol)
    name = target.data.name

    def put(current: Any, steps: list[Term]) -> Any:
        if not steps:
            return value
        step, rest = steps[0], steps[1:]
        if step.operator is Operator.FIELD:
            return {**current, step.data: put(current[step.data], rest)}
        key = lower(step.arguments[1])
        result = dict(current)
        possible = cases(step.arguments[1].sort, key)
        within = [(item, when) for item, when in possible if item in result]
        partial = isinstance(step.arguments[0].sort, PartialFunction)
        for item, when in within:
            new = put_in_slot(current[item], rest, when) if partial else put(current[item], rest)
            result[item] = either(when, new, current[item])
        if len(within) < len(possible) or not is_total(key):
            beyond.append(negation(disjunction(when for _, when in within)))
        return result

    def put_in_slot(slot: Any, steps: list[Term], when: FNode) -> LoweredOption:
        """A key that is absent is added, but a place below it is not there."""
        if steps:
            beyond.append(conjunction((when, negation(slot.present))))
        return LoweredOption(TRUE, put(slot.payload, steps))

    changed[name] = put(changed[name], list(reversed(path)))
