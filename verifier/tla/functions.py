"""Functions: ``[x \\in S |-> e]`` and ``f[x]``.

Source: Specifying Systems (Lamport, 2002), section 16.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from verifier.tla import ast
from verifier.tla.ast import Expression
from verifier.tla.emitting import Source
from verifier.tla.excepting import at_source, except_source
from verifier.tla.forms import asymmetric_choice, compile_choice
from verifier.tla.frames import Evaluate, Frame, Undefined, Unit
from verifier.tla.lazy_sets import FunctionSet, ProductSet
from verifier.tla.loops import compile_setter, item_source, loop_lines, member_lines, whole_loop_source
from verifier.tla.value_types import Fn, NoValue, Value
from verifier.tla.values import LazyFunction, has_at_most, is_infinite, is_set

if TYPE_CHECKING:
    from verifier.tla.evaluator import Compile, Evaluator


_FEW = 1024


def _function_source(ev: Evaluator, whole: ast.Function, unit: Unit, primed: bool) -> Source:
    if len(whole.bindings) > 1 or whole.bindings[0].is_tuple:
        return _function_of_several(ev, whole, unit, primed)
    domain, place = (
        ev.value_source(whole.bindings[0].domain, unit, primed),
        whole.bindings[0].domain.place,
    )
    slot = unit.slot(whole.bindings[0].names[0])
    own = unit.slot(whole.itself) if whole.itself is not None else None
    waits = own is not None or whole in ev.inside_recursive
    _note_inner(ev, whole, unit)
    value = ev.value_source(whole.body, unit, primed)
    body = ev.emit.later(value)

    def lazy(e: Frame, keys: Value) -> LazyFunction:
        kept = e[:]

        def frame(itself: LazyFunction, argument: Value) -> Frame:
            inner = kept[:]
            inner[slot] = argument
            if own is not None:
                inner[own] = itself
            return inner

        if not is_set(keys):
            raise ev.fault(place, NoValue("no set"), keys)
        return LazyFunction(
            keys,
            lambda itself, argument: body(frame(itself, argument)),
            lambda itself, argument: (whole.body, unit, frame(itself, argument)),
        )

    def lazy_if_infinite(e: Frame, keys: Value) -> Any:
        if not is_set(keys):
            raise ev.fault(place, NoValue("no set"), keys)
        return lazy(e, keys) if keys.infinite else None

    if waits:
        ev.computes_later = True
        return f"{ev.emit.bind(lazy)}(e, {domain})"

    def make(ordered: bool) -> list[str]:
        return [
            *member_lines(ev, domain, lazy_if_infinite, ordered=ordered),
            "pairs = {}",
            "for item in found:",
            f" e[{slot}] = item",
            f" pairs[item] = {value}",
            "return function(pairs)",
        ]

    return whole_loop_source(ev, [whole.body], unit, make)


def _function_of_several(ev: Evaluator, whole: ast.Function, unit: Unit, primed: bool) -> Source:
    """Return the source of a function of several arguments, which form a tuple."""
    own = unit.slot(whole.itself) if whole.itself is not None else None
    waits = whole in ev.inside_recursive or (own is not None and _calls_itself(ev, whole, unit))
    _note_inner(ev, whole, unit)
    value = ev.value_source(whole.body, unit, primed)
    body = ev.emit.later(value)
    domains = [ev.emit.later(ev.value_source(b.domain, unit, primed)) for b in whole.bindings]
    setters = [compile_setter(ev, binding, unit) for binding in whole.bindings]
    single = len(whole.bindings) == 1
    parts = [item_source(binding, unit) for binding in whole.bindings]
    key = parts[0] if single else f"({', '.join(parts)})"

    def lazy(e: Frame) -> Value:
        kept = e[:]
        sets = tuple(domain(e) for domain in domains)
        for keys, binding in zip(sets, whole.bindings, strict=False):
            if not is_set(keys):
                raise ev.fault(binding.domain.place, NoValue("no set"), keys)

        def compute(itself: LazyFunction, argument: Value) -> Value:
            inner = kept[:]
            if own is not None:
                inner[own] = itself
            for put, part in zip(setters, (argument,) if single else argument, strict=True):
                put(inner, part)
            return body(inner)

        return LazyFunction(sets[0] if single else ProductSet(sets, ev.order.walk), compute)

    ev.computes_later = ev.computes_later or own is not None or waits
    if waits:
        return ev.emit.call(lazy)

    def make(ordered: bool) -> list[str]:
        lines = loop_lines(ev, whole.bindings, unit, primed, [f"pairs[{key}] = {value}"], ordered=ordered)
        return ["pairs = {}", *lines, "return function(pairs)"]

    made = ev.emit.function(whole_loop_source(ev, [whole.body], unit, make))
    if own is None:
        return ev.emit.call(_list_or(made, lazy, domains))
    return ev.emit.call(_at_once(made, lazy, domains))


def _note_inner(ev: Evaluator, whole: ast.Function, unit: Unit) -> None:
    r"""Record an inner function of a recursive one: ``f[x \in S] == [y \in T |-> e]``. If e calls f at other
    values with the same x, the inner function must exist before all its values, as in TLC."""
    inner = whole.body
    if isinstance(inner, ast.Function) and whole.itself is not None and _calls_itself(ev, whole, unit):
        ev.inside_recursive.add(inner)


def _list_or(made: Evaluate, lazy: Evaluate, domains: list[Evaluate]) -> Evaluate:
    """Compute the values of a function without a name at once, unless it has infinitely many."""

    def function_of(e: Frame) -> Value:
        try:
            return made(e)
        except Undefined:
            if any(is_infinite(domain(e)) for domain in domains):
                return lazy(e)
            raise

    return function_of


def _calls_itself(ev: Evaluator, whole: ast.Function, unit: Unit) -> bool:
    return whole.itself in ev.analysis.of(whole.body, unit.module).free


def _at_once(made: Evaluate, lazy: Evaluate, domains: list[Evaluate]) -> Evaluate:
    """Compute the values of a named function at once if they are few and none of them fails. The function is
    not recursive. It can then be compared and remembered."""

    def function_of(e: Frame) -> Value:
        sets = [domain(e) for domain in domains]
        few = all(is_set(each) and not is_infinite(each) and has_at_most(each, _FEW) for each in sets)
        if not few:
            return lazy(e)
        try:
            return made(e)
        except Undefined:
            # TLC computes a value on demand, and may not need this one.
            return lazy(e)

    return function_of


def _function_set(ev: Evaluator, whole: ast.FunctionSet, unit: Unit, primed: bool) -> Source:
    order, places = ev.order.walk, (whole.domain.place, whole.range.place)

    def make_function_set(domain: Value, image: Value) -> Value:
        for container, place in zip((domain, image), places, strict=True):
            if not is_set(container):
                raise ev.fault(place, NoValue("no set"), container)
        return FunctionSet(domain, image, order)

    parts = (ev.value_source(part, unit, primed) for part in (whole.domain, whole.range))
    return f"{ev.emit.bind(make_function_set)}({', '.join(parts)})"


def _function_apply(ev: Evaluator, whole: ast.FunctionApply, unit: Unit, primed: bool) -> Source:
    if isinstance(whole.function, ast.Choose):
        return _choice_at(ev, whole, whole.function, unit, primed)

    def elsewhere(function: Value, argument: Value) -> Value:
        return no_value_at(ev, whole, function, argument)

    parts = [ev.value_source(part, unit, primed) for part in (whole.function, whole.argument)]
    slow = ev.emit.bind(elsewhere)
    if isinstance(whole.function, ast.Number | ast.String):
        return f"{slow}({', '.join(parts)})"
    if isinstance(whole.argument, ast.String):
        return ev.emit.let(
            parts, lambda f, x: f"({f}[{x}] if type({f}) is Fn and {x} in {f} else {slow}({f}, {x}))"
        )
    name = ev.emit.fresh("t")  # looked up once: Python code computes the hash of a function
    if isinstance(whole.argument, ast.Number) and whole.argument.value > 0:  # most often of a tuple
        place = whole.argument.value
        return ev.emit.let(
            parts,
            lambda f, x: (
                f"({f}[{place - 1}] if type({f}) is tuple and {place} <= len({f}) else {name}"
                f" if type({f}) is Fn and ({name} := {f}.get({x}, UNSET)) is not UNSET else {slow}({f}, {x}))"
            ),
        )
    return ev.emit.let(
        parts,
        lambda f, x: (
            f"({name} if type({f}) is Fn and ({name} := {f}.get({x}, UNSET)) is not UNSET"
            f" else {f}[{x} - 1]"
            f" if type({f}) is tuple and type({x}) is int and 0 < {x} <= len({f}) else {slow}({f}, {x}))"
        ),
    )


def _choice_at(
    ev: Evaluator, whole: ast.FunctionApply, choice: ast.Choose, unit: Unit, primed: bool
) -> Source:
    r"""Compile ``(CHOOSE m \in S : p).value``: permutations may exchange the m if the value does not
    change."""
    firsts, given = compile_choice(ev, choice, unit, primed), ev.value(whole.argument, unit, primed)

    def result(e: Frame) -> Value:
        functions, argument = firsts(e), given(e)
        values = [apply_to(ev, whole, function, argument) for function in functions]
        if any(value != values[0] for value in values):
            raise asymmetric_choice(ev, choice, functions)
        return values[0]

    return ev.emit.call(result)


def apply_to(ev: Evaluator, whole: ast.FunctionApply, function: Value, argument: Value) -> Value:
    """Return the value of a function at an argument. Raises Undefined if there is none."""
    if type(function) is Fn:
        if argument in function:
            return function[argument]
    elif type(function) is tuple and type(argument) is int and 0 < argument <= len(function):
        return function[argument - 1]
    return no_value_at(ev, whole, function, argument)


def no_value_at(ev: Evaluator, whole: ast.FunctionApply, function: Value, argument: Value) -> Value:
    """Return the value of a lazy function at an argument. Raises Undefined if there is none."""
    if type(function) is LazyFunction:
        try:
            return function.apply(argument)
        except NoValue as error:
            if str(error) != "outside":
                raise ev.fault(whole.place, error) from None
    elif type(function) not in (Fn, tuple):
        words = f"{ev.show(function)} is applied to {ev.show(argument)}, but it is not a function"
        raise Undefined(whole.place, words)
    words = f"{ev.show(argument)} is not in the domain of the function {ev.show(function)}"
    if type(argument) is str and type(function) is Fn:
        words = f"the record {ev.show(function)} has no field {argument}"
    raise Undefined(whole.place, words)


FORMS: Mapping[type[Expression], Compile] = MappingProxyType(
    {
        ast.Function: _function_source,
        ast.FunctionSet: _function_set,
        ast.At: at_source,
        ast.Except: except_source,
        ast.FunctionApply: _function_apply,
    }
)
"""The compilers of functions and their applications."""
