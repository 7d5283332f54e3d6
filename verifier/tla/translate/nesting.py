"""The depth of an operator's recursion, and calls that never end.

The value of an operator may depend on its arguments and the state alone. If it then calls itself with
arguments that a call around it has, it does so again and again: it has no value. So no more nested calls
matter than there are arguments. Only calls in the bodies of calls are nested. A call in an argument, as in
``Op(Op(x))``, is not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from verifier.encodings.terms import Term
from verifier.tla.ast import Apply, Definition, OperatorArgument, Symbol
from verifier.tla.facts import ACTION, Facts
from verifier.tla.translate.coding import Names
from verifier.tla.translate.contexts import Arguments, Context
from verifier.tla.translate.recursion import nodes
from verifier.tla.translate.symbolic import Known
from verifier.tla.translate.terms import SCALARS
from verifier.tla.translate.thunks import Thunk


def follows_from_arguments(symbol: Definition, facts: Facts) -> bool:
    """True if the value of an operator depends only on its arguments and the state. A definition of a LET may
    mention names around it. Prime and ENABLED refer to another state."""
    plain = not symbol.nested and not any(parameter.arity for parameter in symbol.parameters)
    return plain and facts.level < ACTION and not (facts.changing or facts.enabled)


def some_are_equal(calls: Sequence[Arguments], names: Names, most: int) -> bool:
    """True if two calls surely have the same arguments in each state: there are more calls than possible
    arguments. ``most``: arguments with more values than this are not counted, and the answer is False."""
    if not calls:
        return False
    count = prod(_how_many(list(given), names, most) for given in zip(*calls, strict=True))
    return len(calls) > count


def find_changed_arguments(context: Context) -> list[Any]:
    """Return the arguments of the innermost recursive calls that differ from the arguments of the calls
    around them."""
    changed_arguments = []
    for calls in context.calls.values():
        for before, now in zip(*calls[-2:], strict=True) if len(calls) > 1 else ():
            if now is not before:
                changed_arguments.append(now)
    return changed_arguments


def find_mentioned_definitions(
    definition: Definition, resolve: Callable[[Symbol, str], Symbol | None]
) -> frozenset[Definition]:
    """Return all definitions that a definition mentions, directly or through others. It contains the
    definition itself only if that is recursive."""
    definitions: set[Definition] = set()
    waiting = [definition]
    while waiting:
        one = waiting.pop()
        for node in nodes(one.body) if one.body is not None else ():
            if isinstance(node, Apply | OperatorArgument):
                symbol = resolve(node.operator, one.module) or node.operator
                if isinstance(symbol, Definition) and symbol not in definitions:
                    definitions.add(symbol)
                    waiting.append(symbol)
    return frozenset(definitions)


def _how_many(given: list[Any], names: Names, most: int) -> int:
    """Return an upper bound of the number of values that an argument has in calls. It is one if all calls
    pass on the same argument. An argument without a value counts as one more, because an operator may leave
    it unread."""
    if all(one is given[0] for one in given):
        return 1
    values: set[Any] = set()
    for one in given:
        argument = one.translation if isinstance(one, Thunk) else one
        if isinstance(argument, Known):
            values.add(argument.value)
        elif isinstance(argument, Term) and isinstance(argument.sort, SCALARS) and argument.sort.size < most:
            values.update(names.decode(value, argument.sort) for value in argument.sort.values())
        else:
            return most
    return len(values) + 1
