"""The built-in operators of TLC, TLCExt and the Community Modules.

Source: ``tlc2.module`` (tlaplus/tlaplus) and tlaplus/CommunityModules.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from functools import cmp_to_key
from itertools import combinations, permutations, product
from typing import TYPE_CHECKING, Any

from verifier.tla import ast
from verifier.tla.ast import Expression
from verifier.tla.bags import BAGS
from verifier.tla.comparing import equals
from verifier.tla.errors import Place
from verifier.tla.frames import UNSET
from verifier.tla.order import text
from verifier.tla.primitives import Make, arithmetic, sequence, simple, truth_of, with_evaluator
from verifier.tla.random_members import random_member, random_subset
from verifier.tla.scope import LANGUAGE
from verifier.tla.tlc_ext import TLC_EXT
from verifier.tla.value_types import TRUE, Fn, ModelValue, NoValue, Value, boolean
from verifier.tla.values import has_at_most, members

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator


# -- TLC


EXIT = "exit"
"""The register that a module sets to end the search."""
_NAMED = "s:"
"""The prefix of register names that are strings."""
LEVEL_OF_NEXT = "level'"
"""The key under which ``TLCGet("level")'`` asks the search."""


def _print(evaluator: Evaluator, shown: Value, value: Value) -> Value:
    evaluator.printed.append(text(shown, evaluator.order))
    return value


def _assert(evaluator: Evaluator, truth: Value, words: Value) -> Value:
    if truth is not TRUE:
        raise NoValue(f"Assert fails: {words if type(words) is str else text(words, evaluator.order)}")
    return truth


def _get(evaluator: Evaluator, name: Value) -> Value:
    if type(name) is str and not name.startswith(_NAMED):
        answer = evaluator.answers.get(name)
        if answer is None:
            raise NoValue(f"TLCGet({name!r}) is not supported")
        return answer()
    value = evaluator.registers.get(name, UNSET)
    if value is UNSET:
        raise NoValue(f"TLCGet({name}): no value was set")
    return value


def _get_in_next(evaluator: Evaluator, name: Value) -> Value:
    """Return TLCGet's answer below a prime. Only the level differs there."""
    return _get(evaluator, LEVEL_OF_NEXT if name == "level" else name)


def _set(evaluator: Evaluator, name: Value, value: Value) -> Value:
    if type(name) is str and not name.startswith(_NAMED):
        if name == EXIT and value is TRUE:
            evaluator.registers[EXIT] = TRUE
        return TRUE
    evaluator.registers[name] = value
    return TRUE


def _get_or(evaluator: Evaluator, name: Value, value: Value) -> Value:
    return evaluator.registers.get(name, value)


def _get_and_set(evaluator: Evaluator, name: Value, operator: Any, value: Value, default: Value) -> Value:
    before = evaluator.registers.get(name, default)
    evaluator.registers[name] = operator.call(before, value)
    return before


def _model_value(evaluator: Evaluator, name: Value) -> Value:
    if type(name) is not str:
        raise NoValue("the name of a model value is a string")
    return evaluator.model_values.setdefault(name, ModelValue(name))


def _sort(evaluator: Evaluator, value: Value, less: Any) -> Value:
    def compare(one: Value, other: Value) -> int:
        return -1 if truth_of(less.call(one, other)) else int(truth_of(less.call(other, one)))

    return tuple(sorted(sequence(value), key=cmp_to_key(compare)))


def _random_element(evaluator: Evaluator, value: Value) -> Value:
    if has_at_most(value, 0):
        raise NoValue("RandomElement of a set without elements")
    return random_member(evaluator.order.walk, value)


def _random_subset(evaluator: Evaluator, count: Value, value: Value) -> Value:
    return random_subset(evaluator.order.walk, count, value)


# -- folds, of FiniteSetsExt and SequencesExt


def _make_map_then_fold(evaluator: Evaluator, whole: ast.Apply, arguments: list[str]) -> str:
    if not _takes_any(whole.arguments[3]):
        return with_evaluator(_map_then_fold)(evaluator, whole, arguments)

    def compute(operator: Any, base: Value, image: Any, choose: Any, value: Value) -> Value:
        step = lambda item, made: operator.call(image.call(item), made)  # noqa: E731
        return _fold(evaluator, whole.place, step, base, value, inward=True)

    return simple(compute)(evaluator, whole, arguments)


def _make_fold_set(evaluator: Evaluator, whole: ast.Apply, arguments: list[str]) -> str:
    """Compile FoldSet. TLC's code combines the first member first, but the module's text would combine it
    last."""

    def compute(operator: Any, base: Value, value: Value) -> Value:
        return _fold(evaluator, whole.place, operator.call, base, value)

    return simple(compute)(evaluator, whole, arguments)


def _takes_any(choose: Expression) -> bool:
    r"""True if an operator is ``LAMBDA s : CHOOSE x \in s : TRUE``, the usual one."""
    if not isinstance(choose, ast.Lambda) or not isinstance(choose.body, ast.Choose):
        return False
    domain, body = choose.body.binding.domain, choose.body.body
    own = isinstance(domain, ast.Apply) and domain.operator is choose.parameters[0]
    return own and isinstance(body, ast.Apply) and body.operator is LANGUAGE["TRUE"]


def _map_then_fold(
    evaluator: Evaluator, operator: Any, base: Value, image: Any, choose: Any, value: Value
) -> Value:
    """Compute ``op(f(x), fold of the rest)``, with x chosen first."""
    chosen, rest = [], frozenset(members(value))
    while rest:
        item = choose.call(rest)
        chosen.append(item)
        rest -= {item}
    for item in reversed(chosen):
        base = operator.call(image.call(item), base)
    return base


def _fold(
    evaluator: Evaluator,
    place: Place,
    step: Callable[[Value, Value], Value],
    base: Value,
    value: Value,
    *,
    inward: bool = False,
) -> Value:
    """Fold a set as ``step(x, fold of the members before x)`` in TLC's order. ``inward``: of the members
    after x."""

    def along(row: list[Value]) -> Value:
        made = base
        for item in reversed(row) if inward else row:
            made = step(item, made)
        return made

    if evaluator.symmetry is not None:
        return evaluator.symmetry.fold(place, frozenset(members(value)), along)
    return along(list(evaluator.order.walk(value)))


def _fold_left(operator: Any, base: Value, value: Value) -> Value:
    for item in sequence(value):
        base = operator.call(base, item)
    return base


def _fold_right(operator: Any, value: Value, base: Value) -> Value:
    for item in reversed(sequence(value)):
        base = operator.call(item, base)
    return base


def _extreme(value: Value, *, largest: bool) -> Value:
    items = list(members(value))
    if not items:
        raise NoValue(f"{'Max' if largest else 'Min'} of the empty set has no value")
    if not all(type(item) is int for item in items):
        raise NoValue("integers are expected in this set")
    return max(items) if largest else min(items)


def _subsets_of_size(count: Value, value: Value) -> Value:
    items = frozenset(members(value))
    if type(count) is not int:
        raise NoValue("an integer is expected here")
    return frozenset(map(frozenset, combinations(items, count))) if count >= 0 else frozenset()


def _sequences_of(value: Value) -> Value:
    return frozenset(permutations(members(value)))


def _make_bounded_sequences(value: Value, count: Value) -> Value:
    items = list(members(value))
    if type(count) is not int:
        raise NoValue("an integer is expected here")
    return frozenset(row for size in range(count + 1) for row in product(items, repeat=size))


def _shift(count: int) -> int:
    if count < 0:
        raise NoValue("a shift by less than 0")
    return count


def shift_right(number: int, count: int) -> int:
    """Return the value of ``shiftR``. Raises NoValue for a negative number: its definition and TLC's class
    (``Bitwise.java``) differ there."""
    if number < 0:
        raise NoValue("shiftR takes a number that is not negative")
    return number >> _shift(count)


_DIGITS = re.compile(r"[+-]?[0-9]+")


def _as_integer(value: Value) -> Value:
    """Return the integer that a string says, as ``Integer.parseInt`` of Java does. Raises NoValue."""
    if not isinstance(value, str) or not _DIGITS.fullmatch(value) or not -(2**31) <= int(value) < 2**31:
        raise NoValue("a string of digits for an integer of 32 bits is expected here")
    return int(value)


def _pad_with_zeros(number: Value, width: Value) -> Value:
    """Return the digits of an integer with zeros before them. Raises NoValue."""
    if type(number) is not int or type(width) is not int or width < 1:
        raise NoValue("zeroPadN takes an integer, and a width above 0")
    return f"{number:0{width}d}"


IN_NEXT: dict[str, Make] = {"TLCGet": with_evaluator(_get_in_next)}
"""Operators that have another value below a prime, with the same arguments."""
EXTENSIONS: dict[str, Make] = {
    "Print": with_evaluator(_print),
    "PrintT": with_evaluator(lambda evaluator, value: _print(evaluator, value, TRUE)),
    "Assert": with_evaluator(_assert),
    "JavaTime": simple(lambda: int(time.time()) % 2**31),
    "TLCGet": with_evaluator(_get),
    **TLC_EXT,
    "TLCSet": with_evaluator(_set),
    "TLCGetOrDefault": with_evaluator(_get_or),
    "TLCGetAndSet": with_evaluator(_get_and_set),
    "TLCEval": simple(lambda value: value.materialize() if hasattr(value, "materialize") else value),
    "AssertEq": simple(lambda one, other: boolean(equals(one, other))),
    "TLCCache": simple(lambda value, closure: value),
    "TLCDefer": simple(lambda value: TRUE),
    "TLCNoOp": simple(lambda value: value),
    "TLCModelValue": with_evaluator(_model_value),
    "SortSeq": with_evaluator(_sort),
    "ToString": with_evaluator(lambda evaluator, value: text(value, evaluator.order)),
    "RandomElement": with_evaluator(_random_element),
    "RandomSubset": with_evaluator(_random_subset),
    **BAGS,
    "MapThenFoldSet": _make_map_then_fold,
    "FoldSet": _make_fold_set,
    "FoldLeft": simple(_fold_left),
    "FoldRight": simple(_fold_right),
    "Min": simple(lambda value: _extreme(value, largest=False)),
    "Max": simple(lambda value: _extreme(value, largest=True)),
    "kSubset": simple(_subsets_of_size),
    "SetToSeq": with_evaluator(lambda evaluator, value: tuple(evaluator.order.walk(value))),
    "SetToSeqs": simple(_sequences_of),
    "BoundedSeq": simple(_make_bounded_sequences),
    "Reverse": simple(lambda value: sequence(value)[::-1]),
    "&": arithmetic(int.__and__),
    "|": arithmetic(int.__or__),
    "^^": arithmetic(int.__xor__),
    "shiftR": arithmetic(shift_right),
    "shiftL": arithmetic(lambda one, count: one << min(_shift(count), 64)),
    "IOEnv": simple(lambda: Fn(os.environ)),
    "atoi": simple(_as_integer),
    "zeroPadN": simple(_pad_with_zeros),
}
