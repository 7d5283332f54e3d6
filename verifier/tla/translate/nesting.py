"""How deep an operator can call itself before it calls itself without an end.

An operator whose value follows from its arguments and the state, and that calls itself with arguments that
a call around it has, does so again and again: it has no value. So of calls that stand within each other no
more than there are arguments matter. What is counted are calls in the bodies of calls; one in an argument,
``Op(Op(x))``, does not stand within the call that it is an argument of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from verifier.encodings.terms import Term
from verifier.tla.ast import Apply, Definition, OperatorArgument, Symbol
from verifier.tla.facts import ACTION, Facts
from verifier.tla.translate.coding import Names
from verifier.tla.translate.contexts import Arguments, Context, Thunk
from verifier.tla.translate.recursion import nodes
from verifier.tla.translate.symbolic import Known
from verifier.tla.translate.terms import SCALARS


def follows_from_arguments(symbol: Definition, facts: Facts) -> bool:
    """Whether the value of an operator is the same wherever its arguments and the state are. What stands in a
    LET may speak of names around it; below a prime or ENABLED there is another state."""
    plain = not symbol.nested and not any(parameter.arity for parameter in symbol.parameters)
    return plain and facts.level < ACTION and not (facts.changing or facts.enabled)


def some_are_equal(calls: Sequence[Arguments], names: Names, most: int) -> bool:
    """Whether two of some calls, in each state, have the same arguments, as far as is seen: there are more
    calls than arguments. ``most``: if it takes more arguments than these, it is not seen."""
    if not calls:
        return False
    count = prod(_how_many(list(given), names, most) for given in zip(*calls, strict=True))
    return len(calls) > count


def changed_arguments(context: Context) -> list[Any]:
    """What the parameters of operators that call themselves are in the innermost calls, and were not in the
    calls around these."""
    found = []
    for calls in context.calls.values():
        for before, now in zip(*calls[-2:], strict=True) if len(calls) > 1 else ():
            if now is not before:
                found.append(now)
    return found


def reached(definition: Definition, resolve: Callable[[Symbol, str], Symbol | None]) -> frozenset[Definition]:
    """The definitions that a definition speaks of, and those of which these speak; itself only where it calls
    itself."""
    found: set[Definition] = set()
    waiting = [definition]
    while waiting:
        one = waiting.pop()
        for node in nodes(one.body) if one.body is not None else ():
            if isinstance(node, Apply | OperatorArgument):
                symbol = resolve(node.operator, one.module) or node.operator
                if isinstance(symbol, Definition) and symbol not in found:
                    found.add(symbol)
                    waiting.append(symbol)
    return frozenset(found)


def _how_many(given: list[Any], names: Names, most: int) -> int:
    """How many values an argument has in calls: one where all pass on the same, else those of the sorts, and
    one for an argument without value, which an operator may leave unread."""
    if all(one is given[0] for one in given):
        return 1
    values: set[Any] = set()
    for one in given:
        found = one.found if isinstance(one, Thunk) else one
        if isinstance(found, Known):
            values.add(found.value)
        elif isinstance(found, Term) and isinstance(found.sort, SCALARS) and found.sort.size < most:
            values.update(names.decode(value, found.sort) for value in found.sort.values())
        else:
            return most
    return len(values) + 1
