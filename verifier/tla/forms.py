"""Expressions with a syntax of their own: sets, functions, records, tuples, IF, CASE, CHOOSE, EXCEPT.

Source: Specifying Systems (Lamport, 2002), section 16.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from verifier.tla import ast
from verifier.tla.ast import Expression
from verifier.tla.emitting import Source
from verifier.tla.errors import Place
from verifier.tla.frames import Frame, Undefined, Unit
from verifier.tla.lazy_sets import Combined, ProductSet, RecordSet
from verifier.tla.lets import let_source
from verifier.tla.loops import (
    compile_setter,
    item_source,
    loop_lines,
    loop_lines_over,
    member_lines,
    whole_loop_source,
)
from verifier.tla.symmetry import Asymmetric
from verifier.tla.unique_choice import find_formula_of_unique
from verifier.tla.value_types import NoValue, Value
from verifier.tla.values import is_infinite, is_set, set_of

if TYPE_CHECKING:
    from verifier.tla.evaluator import Compile, Evaluator


def if_source(
    ev: Evaluator,
    whole: ast.If,
    unit: Unit,
    primed: bool,
    source: Callable[[Expression, Unit, bool], Source],
) -> Source:
    """Return the source of IF, for a value or a formula."""
    condition = ev.truth_source(whole.condition, unit, primed)
    then, otherwise = source(whole.then, unit, primed), source(whole.otherwise, unit, primed)
    return f"({then} if {condition} else {otherwise})"


def _case(ev: Evaluator, whole: ast.Case, unit: Unit, primed: bool) -> Source:
    lines = [
        f"if {ev.truth_source(guard, unit, primed)}: return {ev.value_source(value, unit, primed)}"
        for guard, value in whole.arms
    ]
    if whole.other is None:
        other = ev.make_refusal(whole.place, whole.missing)
    else:
        other = ev.value_source(whole.other, unit, primed)
    return ev.emit.statements([*lines, f"return {other}"])


def _choose_source(ev: Evaluator, whole: ast.Choose, unit: Unit, primed: bool) -> Source:
    firsts = compile_choice(ev, whole, unit, primed)

    def choose_first(e: Frame) -> Value:
        members = firsts(e)
        if len(members) > 1:
            raise asymmetric_choice(ev, whole, members)
        return members[0]

    return ev.emit.call(choose_first)


def asymmetric_choice(ev: Evaluator, whole: ast.Choose, elements: list[Value]) -> Asymmetric:
    """Return the error for a CHOOSE that takes different elements in orders that should be equivalent."""
    words = f"CHOOSE takes {ev.show(elements[0])} or {ev.show(elements[1])}, which a permutation exchanges"
    return Asymmetric(f"{whole.place}: {words}", elements)


def compile_choice(
    ev: Evaluator, whole: ast.Choose, unit: Unit, primed: bool
) -> Callable[[Frame], list[Value]]:
    """Return a function that computes the element that CHOOSE takes. With permutations, it returns the
    element for each permuted order."""
    container = ev.value(whole.binding.domain, unit, primed)
    place, body = whole.place, ev.truth_source(whole.body, unit, primed)

    def make_loop(line: str) -> list[str]:
        inner = [f"if {body}: {line}"]
        return loop_lines(ev, (whole.binding,), unit, primed, inner, ordered=True)

    item = item_source(whole.binding, unit)
    first = ev.emit.function(ev.emit.statements([*make_loop(f"return [{item}]"), "return []"]))
    every = ev.emit.function(
        ev.emit.statements(["found = []", *make_loop(f"found.append({item})"), "return found"])
    )

    take_only = _compile_unique(ev, whole, unit, primed)

    def take_firsts(e: Frame) -> list[Value]:
        members: list[Value] = take_only(e)
        if len(members) == 1:
            return members
        if ev.symmetry is not None and ev.symmetry.touches(container(e)):
            members = every(e)
            if members:
                return ev.symmetry.firsts(frozenset(members))
        else:
            members = first(e)
        if not members:
            raise Undefined(place, "CHOOSE finds no element that satisfies its formula")
        return members

    return take_firsts


def _compile_unique(
    ev: Evaluator, whole: ast.Choose, unit: Unit, primed: bool
) -> Callable[[Frame], list[Value]]:
    """Return a function that computes the only element that satisfies the formula, if the formula says that
    there is only one. Otherwise the function returns none, or several."""
    formula = find_formula_of_unique(whole)
    if formula is None or ev.counts is not None or ev.analysis.of(formula, unit.module).changing:
        return lambda e: []
    item, test = item_source(whole.binding, unit), ev.truth_source(formula, unit, primed)
    loop = loop_lines(ev, (whole.binding,), unit, primed, [f"if {test}: found.append({item})"])
    every = ev.emit.function(ev.emit.statements(["found = []", *loop, "return found"]))

    def take_only(e: Frame) -> list[Value]:
        if ev.passes_changing:
            return []
        try:
            members: list[Value] = every(e)
        except Undefined:
            return []
        return members

    return take_only


def _refuse_unbounded(ev: Evaluator, whole: ast.Unbounded, unit: Unit, primed: bool) -> Source:
    words = f"{whole.kind} without a set cannot be evaluated: say \\in and a set, or replace it in the cfg"
    return ev.make_refusal(whole.place, words)


def _set_of(ev: Evaluator, whole: ast.SetOf, unit: Unit, primed: bool) -> Source:
    items = [f"{ev.value_source(item, unit, primed)}," for item in whole.items]
    alike = len(items) < 2 or {type(item) for item in whole.items} in ({ast.Number}, {ast.String})
    made = "frozenset" if alike else _of_one_kind(ev, whole.place)
    return f"{made}(({' '.join(items)}))"


def _of_one_kind(ev: Evaluator, place: Place) -> Source:
    """Return the source of a function that makes a set. Its members must be of comparable kinds."""

    def make_set(items: Sequence[Value]) -> Value:
        try:
            return set_of(items)
        except NoValue as error:
            raise ev.fault(place, error) from None

    return ev.emit.bind(make_set)


def _filter(ev: Evaluator, whole: ast.Filter, unit: Unit, primed: bool) -> Source:
    place, put = whole.binding.domain.place, compile_setter(ev, whole.binding, unit)
    body = ev.truth_source(whole.body, unit, primed)
    test_in = ev.emit.later(body)

    def test_infinite(e: Frame, container: Value) -> Any:
        """Return the part of an infinite set; None for a finite set."""
        if is_infinite(container):
            own = e[:]

            def test(item: Value) -> bool:
                put(own, item)
                return bool(test_in(own))

            return Combined("filter", container, test)
        if not is_set(container):
            raise ev.fault(place, NoValue("no set"), container)
        return None

    kept = f"kept.append({item_source(whole.binding, unit)})"
    domain = ev.value_source(whole.binding.domain, unit, primed)

    def make(ordered: bool) -> list[str]:
        return [
            *member_lines(ev, domain, test_infinite, ordered=ordered),
            "kept = []",
            *loop_lines_over(ev, whole.binding, unit, "found", [f"if {body}: {kept}"]),
            "return frozenset(kept)",
        ]

    return whole_loop_source(ev, [whole.body], unit, make)


def _image(ev: Evaluator, whole: ast.Image, unit: Unit, primed: bool) -> Source:
    inner = [f"made.append({ev.value_source(whole.body, unit, primed)})"]
    made = f"return {_of_one_kind(ev, whole.place)}(made)"

    def make(ordered: bool) -> list[str]:
        lines = loop_lines(ev, whole.bindings, unit, primed, inner, ordered=ordered)
        return ["made = []", *lines, made]

    return whole_loop_source(ev, [whole.body], unit, make)


# -- records, tuples


def _record(ev: Evaluator, whole: ast.Record, unit: Unit, primed: bool) -> Source:
    fields = [f"{name!r}: {ev.value_source(value, unit, primed)}" for name, value in whole.fields]
    return f"Fn({{{', '.join(fields)}}})"


def _record_set(ev: Evaluator, whole: ast.RecordSet, unit: Unit, primed: bool) -> Source:
    order = ev.order.walk

    def make_record_set(sets: tuple[Value, ...]) -> Value:
        return RecordSet(
            {name: field_set for (name, _), field_set in zip(whole.fields, sets, strict=True)}, order
        )

    sets = _sets(ev, [value for _, value in whole.fields], unit, primed)
    return f"{ev.emit.bind(make_record_set)}({sets})"


def _sets(ev: Evaluator, parts: Sequence[Expression], unit: Unit, primed: bool) -> Source:
    """Return the source of a tuple of expressions, each of which must be a set."""

    def wrong(place: Place) -> Callable[[Value], Value]:
        def check_set(value: Value) -> Value:
            if not is_set(value):
                raise ev.fault(place, NoValue("no set"), value)
            return value

        return check_set

    items = [f"{ev.emit.bind(wrong(part.place))}({ev.value_source(part, unit, primed)})," for part in parts]
    return f"({' '.join(items)})"


def _tuple(ev: Evaluator, whole: ast.Tuple, unit: Unit, primed: bool) -> Source:
    items = [f"{ev.value_source(item, unit, primed)}," for item in whole.items]
    return f"({' '.join(items)})"


def _product(ev: Evaluator, whole: ast.Product, unit: Unit, primed: bool) -> Source:
    order = ev.order.walk
    made = ev.emit.bind(lambda sets: ProductSet(sets, order))
    return f"{made}({_sets(ev, whole.items, unit, primed)})"


# -- primes


def _prime(ev: Evaluator, whole: ast.Prime, unit: Unit, primed: bool) -> Source:
    if primed:
        words = "a prime stands below another one, or in a formula of initial states"
        return ev.make_refusal(whole.place, words)  # a LET may have unused definitions
    return ev.value_source(whole.body, unit, True)


FORMS: Mapping[type[Expression], Compile] = MappingProxyType(
    {
        ast.If: lambda ev, whole, unit, primed: if_source(ev, whole, unit, primed, ev.value_source),
        ast.Case: _case,
        ast.Let: lambda ev, whole, unit, primed: let_source(ev, whole, unit, primed, ev.value_source),
        ast.Choose: _choose_source,
        ast.Unbounded: _refuse_unbounded,
        ast.SetOf: _set_of,
        ast.Filter: _filter,
        ast.Image: _image,
        ast.Record: _record,
        ast.RecordSet: _record_set,
        ast.Tuple: _tuple,
        ast.Product: _product,
        ast.Prime: _prime,
    }
)
"""The compilers of expressions that are neither names, formulas nor functions."""
