"""The built-in operators of the language and of the standard modules.

An operator is compiled once for each place, from its compiled arguments.

Source: Specifying Systems (Lamport, 2002), chapters 16 and 18; in tlaplus/tlaplus, ``tlc2.module`` and
``tlc2.value.impl``.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from verifier.printable import say_count
from verifier.tla import ast
from verifier.tla.errors import LARGEST
from verifier.tla.frames import Undefined
from verifier.tla.lazy_sets import ANY, INT, NAT, REAL, STRING, Combined, Interval, Powerset, Sequences
from verifier.tla.value_types import BOOLEANS, TRUE, Boolean, NoValue, Value, boolean, function
from verifier.tla.values import (
    check_joint_kinds,
    check_kinds_of_two,
    domain_of,
    is_infinite,
    is_member,
    is_plain,
    is_set,
    is_subset,
    materialize,
    members,
    pairs_of,
    same,
    size_of,
)

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator

Make: TypeAlias = Callable[["Evaluator", ast.Apply, list[str]], str]
"""Compiles an application from the sources of its arguments."""
Compute: TypeAlias = Callable[..., Value]
_LISTED_AT_ONCE = 64
_LISTED = 10_000


def simple(compute: Compute) -> Make:
    """Make an operator whose value is computed from its arguments. NoValue gets the place."""

    def make(evaluator: Evaluator, whole: ast.Apply, arguments: list[str]) -> str:
        place, emit = whole.place, evaluator.emit

        def value(*given: Value) -> Value:
            try:
                return compute(*given)
            except NoValue as error:
                raise evaluator.fault(place, error, *(given or (None,))) from None

        return f"{emit.bind(value)}({', '.join(arguments)})"

    return make


def quick(compute: Compute, test: str, value: str, *, integer: bool = False) -> Make:
    """Make an operator like `simple`, with a Python operation for the usual kinds of values. ``integer``: the
    result of that operation is an integer."""

    def make(evaluator: Evaluator, whole: ast.Apply, arguments: list[str]) -> str:
        def either(*names: str) -> str:
            slow = simple(compute)(evaluator, whole, list(names))
            return f"({value.format(*names)} if {test.format(*names)} else {slow})"

        if any(argument.isdigit() for argument in arguments):
            return simple(compute)(evaluator, whole, arguments)
        source = evaluator.emit.let(arguments, either)
        return evaluator.emit.integer(source) if integer else source

    return make


def with_evaluator(compute: Callable[..., Value]) -> Make:
    """Make an operator like `simple` that also needs the evaluator, for its order or its state."""

    def make(evaluator: Evaluator, whole: ast.Apply, arguments: list[str]) -> str:
        return simple(lambda *given: compute(evaluator, *given))(evaluator, whole, arguments)

    return make


def constant(value: Value) -> Make:
    """Make an operator without arguments."""
    return lambda evaluator, whole, arguments: evaluator.emit.bind(value)


def arithmetic(compute: Callable[[int, int], int], sign: str = "") -> Make:
    """Make an operator on two integers. ``sign``: Python's operator, if it has a value for all integers."""

    def make(evaluator: Evaluator, whole: ast.Apply, arguments: list[str]) -> str:
        place = whole.place

        def value(one: Value, other: Value) -> int:
            if type(one) is int and type(other) is int:
                try:
                    result = compute(one, other)
                except NoValue as error:
                    raise Undefined(place, str(error)) from None
                if -LARGEST <= result <= LARGEST:
                    return result
                raise Undefined(place, f"the result {result} is beyond TLC's integers of 32 bits")
            wrong = other if type(one) is int else one
            raise Undefined(place, f"an integer is expected here: it is {evaluator.describe(wrong)}")

        emit = evaluator.emit
        slow, made = emit.bind(value), emit.fresh("t")

        def quickly(one: str, other: str) -> str:
            both = emit.are_integers(arguments, (one, other))
            inside = f"{both}{-LARGEST} <= ({made} := {one} {sign} {other}) <= {LARGEST}"
            return f"({made} if {inside} else {slow}({one}, {other}))"

        source = emit.let(arguments, quickly) if sign else f"{slow}({', '.join(arguments)})"
        return emit.integer(source)

    return make


def divide(one: int, other: int) -> int:
    """``one \\\\div other``"""
    if other == 0:
        raise NoValue("division by 0")
    return one // other


def modulo(one: int, other: int) -> int:
    """``one % other``"""
    if other <= 0:
        raise NoValue(f"the second argument of % must be above 0: it is {other}")
    return one % other


def power(one: int, other: int) -> int:
    """``one ^ other``"""
    if other < 0 or (one == 0 and other == 0):
        raise NoValue(f"{one} ^ {other} has no value")
    return one**other if abs(one) < 2 or other < 40 else 2**40


def interval(low: Value, high: Value) -> Value:
    """``low..high``"""
    if type(low) is not int or type(high) is not int:
        raise NoValue("an integer is expected here")
    if high - low < _LISTED_AT_ONCE:
        return frozenset(range(low, high + 1))
    return Interval(low, high)


def union(one: Value, other: Value) -> Value:
    r"""``one \\cup other``"""
    if type(one) is frozenset and type(other) is frozenset:
        check_kinds_of_two(one, other)
        return one | other
    if not (is_set(one) and is_set(other)):
        raise NoValue("sets are expected here")
    first, second = (type(each) in (frozenset, Interval) for each in (one, other))
    if first and second and size_of(one) + size_of(other) <= _LISTED:
        return union(materialize(one), materialize(other))
    # TLC looks into the listed set first, and reports members of another kind there.
    return Combined("\\cup", other, one) if second and not first else Combined("\\cup", one, other)


def intersection(one: Value, other: Value) -> Value:
    r"""``one \\cap other``"""
    if type(one) is frozenset and type(other) is frozenset:
        check_kinds_of_two(one, other)
        return one & other
    if type(other) is frozenset:
        one, other = other, one
    return _part(one, other, "\\cap", wanted=True)


def difference(one: Value, other: Value) -> Value:
    r"""``one \\ other``"""
    if type(one) is frozenset and type(other) is frozenset:
        check_kinds_of_two(one, other)
        return one - other
    return _part(one, other, "\\", wanted=False)


def _part(one: Value, other: Value, sign: str, *, wanted: bool) -> Value:
    if not (is_set(one) and is_set(other)):
        raise NoValue("sets are expected here")
    if is_infinite(one):
        return Combined(sign, one, other)
    return frozenset(value for value in members(one) if is_member(value, other) is wanted)


def big_union(of: Value) -> Value:
    """``UNION S``"""
    union: set[Value] = set()
    parts: list[frozenset[Value]] = []
    large: Value = None
    for item in members(of):
        if type(item) is frozenset:
            union |= item
            parts.append(item)
        elif is_infinite(item):
            large = item if large is None else Combined("\\cup", large, item)
        else:
            whole = frozenset(members(item))
            union |= whole
            parts.append(whole)
    if len(set(map(type, union))) > 1:  # members of one type are never refused
        check_joint_kinds(parts)
    return frozenset(union) if large is None else Combined("\\cup", large, frozenset(union))


def _domain(value: Value) -> Value:
    return domain_of(value)


def _make_subset(evaluator: Evaluator, value: Value) -> Value:
    if not is_set(value):
        raise NoValue("no set")
    return Powerset(value, evaluator.order.walk)


def _is_finite(value: Value) -> Value:
    if not is_set(value):
        raise NoValue("no set")
    return boolean(not is_infinite(value))


# -- sequences


def sequence(value: Value) -> tuple[Value, ...]:
    """Return a value as a sequence. Raises NoValue for a value that is none."""
    if type(value) is tuple:
        return value
    items = materialize(value)
    if type(items) is tuple:
        return items
    raise NoValue("a sequence is expected here")


def concatenation(one: Value, other: Value) -> Value:
    r"""Compute ``one \o other``, also for strings."""
    if type(one) is str and type(other) is str:
        return one + other
    return (*sequence(one), *sequence(other))


def _length(value: Value) -> Value:
    return len(value) if type(value) is str else len(sequence(value))


def _head(value: Value) -> Value:
    items = sequence(value)
    if not items:
        raise NoValue("Head of the empty sequence has no value")
    return items[0]


def _tail(value: Value) -> Value:
    items = sequence(value)
    if not items:
        raise NoValue("Tail of the empty sequence has no value")
    return items[1:]


def _subsequence(value: Value, first: Value, last: Value) -> Value:
    if type(first) is not int or type(last) is not int:
        raise NoValue("SubSeq takes a sequence and two integers")
    items = value if type(value) is str else sequence(value)
    if first > last:
        return items[:0]
    if first < 1 or last > len(items):
        elements = say_count(len(items), "element")
        raise NoValue(f"SubSeq from {first} to {last} leaves the sequence, which has {elements}")
    return items[first - 1 : last]


def truth_of(value: Value) -> bool:
    """Return a truth value as Python's. Raises NoValue for another value."""
    if type(value) is not Boolean:
        raise NoValue("TRUE or FALSE is expected of this operator")
    return value.truth


def _select(value: Value, test: Any) -> Value:
    return tuple(item for item in sequence(value) if truth_of(test.call(item)))


# -- functions and bags


def over(one: Value, other: Value) -> Value:
    """Compute ``one @@ other``. Raises NoValue, as TLC, if the keys are of incomparable kinds."""
    own, more = pairs_of(one), pairs_of(other)
    first = next((key for key in own if not is_plain(key)), None)
    for key in more:
        if first is not None and type(key) is not type(first):
            same(first, key)
    return function({**more, **own})


def _subset(evaluator: Evaluator, one: Value, other: Value) -> Value:
    r"""Compute ``one \subseteq other``. TLC checks the members in its order, and stops at the first that is
    not in the other set or cannot be compared. So the order matters if the answer is not TRUE."""
    by_order = is_set(one) and is_set(other) and not (isinstance(one, Powerset) or is_infinite(one))
    if not by_order or type(one) is type(other) is frozenset:
        return boolean(is_subset(one, other))
    with suppress(NoValue):
        if is_subset(one, other):
            return TRUE
    return boolean(all(is_member(item, other) for item in evaluator.order.walk(one)))


def _permutations(evaluator: Evaluator, value: Value) -> Value:
    from itertools import permutations

    items = evaluator.order.sort(frozenset(members(value)))
    return frozenset(function(dict(zip(items, row, strict=True))) for row in permutations(items))


def _truth(compute: Callable[..., bool]) -> Make:
    return simple(lambda *given: boolean(compute(*given)))


def _negative(value: Value) -> int:
    if type(value) is not int:
        raise NoValue("an integer is expected here")
    return -value


PRIMITIVES: dict[str, Make] = {
    "TRUE": constant(boolean(True)),
    "FALSE": constant(boolean(False)),
    "BOOLEAN": constant(BOOLEANS),
    "STRING": constant(STRING),
    "Nat": constant(NAT),
    "Int": constant(INT),
    "Real": constant(REAL),
    "Any": constant(ANY),
    "+": arithmetic(int.__add__, "+"),
    "-": arithmetic(int.__sub__, "-"),
    "*": arithmetic(int.__mul__, "*"),
    "\\div": arithmetic(divide),
    "%": arithmetic(modulo),
    "^": arithmetic(power),
    "-.": simple(_negative),
    "..": simple(interval),
    "\\cup": simple(union),
    "\\cap": simple(intersection),
    "\\": simple(difference),
    "\\subseteq": with_evaluator(_subset),
    "UNION": simple(big_union),
    "SUBSET": with_evaluator(_make_subset),
    "DOMAIN": quick(_domain, "type({0}) is Fn", "{0}.domain"),
    "Cardinality": quick(size_of, "type({0}) is frozenset", "len({0})", integer=True),
    "IsFiniteSet": simple(_is_finite),
    "Seq": simple(Sequences),
    "Len": quick(_length, "type({0}) is tuple", "len({0})", integer=True),
    "Head": quick(_head, "type({0}) is tuple and {0}", "{0}[0]"),
    "Tail": quick(_tail, "type({0}) is tuple and {0}", "{0}[1:]"),
    "Append": quick(lambda value, item: (*sequence(value), item), "type({0}) is tuple", "(*{0}, {1})"),
    "\\o": simple(concatenation),
    "SubSeq": simple(_subsequence),
    "SelectSeq": simple(_select),
    ":>": simple(lambda key, value: function({key: value})),
    "@@": simple(over),
    "Permutations": with_evaluator(_permutations),
}
"""The operators by name. ``extensions`` adds those of rarer modules."""
