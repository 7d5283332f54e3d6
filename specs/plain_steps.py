"""The effect of an action in a state of plain values: where it leads, or why it leads nowhere.

What has no value, or leaves its sort, is written down here apart from the formulas that engines get: an
action whose guard reads what has no value is not enabled; one that would assign what has no value, or is
outside the sort, is not enabled either, and the state violates the type invariant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from verifier.encodings.plain_terms import Environment, Map, Undefined, belongs
from verifier.encodings.sorts import PartialFunction, Record, Sort, Tuple
from verifier.encodings.terms import Operator, Symbol, Term

Read = Callable[[Term], Callable[[Environment], Any]]
"""Gives the value of a term in an environment. It raises Undefined where there is none."""


@dataclass(frozen=True)
class Happening:
    """The effect of an instance in a state: where it leads, if it is enabled, and what is wrong with it."""

    after: Mapping[Symbol, Any] | None = None
    """The variables with their values; None if it is not enabled."""
    undefined: bool = False
    leaves: bool = False

    @property
    def state(self) -> tuple[Any, ...] | None:
        """The values of the variables after it, in the order of the state; None if it is not enabled."""
        return None if self.after is None else tuple(self.after.values())


NOTHING = Happening()


def happening(
    read: Read,
    when: Iterable[Term],
    then: Iterable[tuple[Term, Term]],
    state: Environment,
    parameters: Environment,
) -> Happening:
    """Run guard lines and assignments in a state, with these values of the parameters."""
    e = {**state, **parameters}
    try:
        if not all(read(line)(e) for line in when):
            return NOTHING
    except Undefined:
        return Happening(undefined=True)
    changed, undefined, leaves = dict(state), False, False
    for target, term in then:
        try:
            value = read(term)(e)
            path = _path(read, target, e)
        except Undefined:
            undefined = True
            continue
        symbol, keys = path[0], path[1:]
        if not belongs(value, target.sort):
            leaves = True
        elif not leaves and not undefined:
            new, inside = _put(changed[symbol], keys, value, symbol.sort)
            leaves |= not inside
            changed[symbol] = new
    if undefined or leaves:
        return Happening(undefined=undefined, leaves=True)
    return Happening(changed)


def _path(read: Read, target: Term, e: Environment) -> list[Any]:
    """The variable, then the keys and names of fields below it."""
    if target.operator is Operator.VARIABLE:
        return [target.data]
    step = target.data if target.operator is Operator.FIELD else read(target.arguments[1])(e)
    return [*_path(read, target.arguments[0], e), step]


def _put(current: Any, keys: list[Any], value: Any, sort: Sort) -> tuple[Any, bool]:
    """The value with another one at the end of a path, and whether the path is inside it."""
    if not keys:
        return value, True
    if isinstance(sort, Tuple):
        below, inside = _put(current[keys[0]], keys[1:], value, sort.items[keys[0]])
        return (*current[: keys[0]], below, *current[keys[0] + 1 :]), inside
    if isinstance(sort, PartialFunction) and len(keys) == 1 and belongs(keys[0], sort.domain):
        return Map({**current, keys[0]: value}), True
    if keys[0] not in current:
        return current, False
    part = sort.field_sorts[keys[0]] if isinstance(sort, Record) else sort.range  # type: ignore[attr-defined]
    below, inside = _put(current[keys[0]], keys[1:], value, part)
    return Map({**current, keys[0]: below}), inside
