"""Membership in sets, without an enumeration where TLC needs none.

Source: the methods member in ``tlc2.value.impl`` (tlaplus/tlaplus).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from verifier.tla import ast
from verifier.tla.arguments import argument_sources, unit_of
from verifier.tla.ast import Definition, Expression
from verifier.tla.emitting import Source
from verifier.tla.errors import Place
from verifier.tla.frames import Evaluate, Frame, Undefined, Unit
from verifier.tla.lazy_sets import Interval
from verifier.tla.loops import compile_setter, integer_source, is_interval
from verifier.tla.value_types import ForeignValue, ModelValue, NoValue, Value
from verifier.tla.values import has_at_most, is_infinite, is_member, members, same

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator


Inside: TypeAlias = Callable[[Frame, Value], bool]
"""Returns True if a value is in a set."""
_FEW = 4096


def _is_listed(value: Value) -> bool:
    return type(value) is frozenset or type(value) is Interval


def membership_source(
    ev: Evaluator, wanted: bool, left: Expression, right: Expression, unit: Unit, primed: bool
) -> Source:
    r"""Return the source of ``left \in right``, or ``\notin`` if it is not ``wanted``."""
    source = _member_source(ev, left, right, unit, primed)
    return source if wanted else f"(not {source})"


def _member_source(ev: Evaluator, left: Expression, right: Expression, unit: Unit, primed: bool) -> Source:
    inside = _part(ev, right, unit, primed)
    item = ev.value_source(left, unit, primed)
    if inside is not None:
        return f"{ev.emit.bind(inside)}(e, {item})"
    if is_interval(ev, right, unit):
        assert isinstance(right, ast.Apply)
        return _between(ev, item, right, unit, primed)
    place = right.place

    def outside(value: Value, container: frozenset[Value]) -> bool:
        """Return False for a value that is not in a listed set. Raises Undefined for one of another kind."""
        kind = type(value)
        for some in container:
            typed = kind is ModelValue and value.type
            if type(some) is not kind or typed or kind is ForeignValue:
                require_comparable(ev, value, container, place)
            break
        return False

    def member(value: Value, container: Value) -> bool:
        try:
            return is_member(value, container)
        except NoValue as error:
            raise ev.fault(place, error, container) from None

    listed, other = ev.emit.bind(outside), ev.emit.bind(member)
    return ev.emit.let(
        [item, ev.value_source(right, unit, primed)],
        lambda one, of: (
            f"({one} in {of} or {listed}({one}, {of}) if type({of}) is frozenset else {other}({one}, {of}))"
        ),
    )


def _between(ev: Evaluator, item: Source, right: ast.Apply, unit: Unit, primed: bool) -> Source:
    place = right.place

    def between(value: Value, low: int, high: int) -> bool:
        try:
            return Interval(low, high).contains(value)
        except NoValue as error:
            raise ev.fault(place, error) from None

    slow, ends = ev.emit.bind(between), [integer_source(ev, part, unit, primed) for part in right.arguments]
    return ev.emit.let(
        [item, *ends],
        lambda one, low, high: (
            f"({low} <= {one} <= {high} if type({one}) is int else {slow}({one}, {low}, {high}))"
        ),
    )


def _part(ev: Evaluator, right: Expression, unit: Unit, primed: bool) -> Inside | None:
    """Return the test that a value is in a set that is a part of another; None for any other set."""
    if isinstance(right, ast.Filter):
        return _filter_test(ev, right, unit, primed)
    if not isinstance(right, ast.Apply):
        return None
    symbol = ev.resolve(right.operator, unit.module) or right.operator
    if isinstance(symbol, ast.Builtin) and symbol.name == "\\cap":
        return _part_of_both(ev, right, unit, primed)
    if not isinstance(symbol, Definition) or symbol.nested or symbol in ev.constants:
        return None
    body = symbol.body
    if isinstance(body, ast.Filter):
        return _part_by_name(
            ev, symbol, right, unit, primed, _filter_test(ev, body, unit_of(ev, symbol), primed)
        )
    if isinstance(body, ast.Apply) and not symbol.recursive and _is_intersection(ev, body, symbol):
        both = _part_of_both(ev, body, unit_of(ev, symbol), primed)
        return None if both is None else _part_by_name(ev, symbol, right, unit, primed, both)
    return None


def _is_intersection(ev: Evaluator, body: ast.Apply, within: Definition) -> bool:
    symbol = ev.resolve(body.operator, unit_of(ev, within).module) or body.operator
    return isinstance(symbol, ast.Builtin) and symbol.name == "\\cap"


def _part_of_both(ev: Evaluator, right: ast.Apply, unit: Unit, primed: bool) -> Inside | None:
    r"""Return the test that a value is in both sets of ``A \cap B``, if each is a part of another. TLC asks
    one set after the other and lists neither."""
    tests = [_part(ev, operand, unit, primed) for operand in right.arguments]
    first, second = tests
    if first is None or second is None:
        return None
    return lambda e, item: first(e, item) and second(e, item)


def _filter_test(ev: Evaluator, right: ast.Filter, unit: Unit, primed: bool) -> Inside:
    r"""Return the test that a value is in ``{x \in S : p}``: in S, and p is true of it. TLC always enumerates
    a listed S, and so reports another element for which p has no value. A set that is the same in all states
    is built once, unless it is large."""
    of, place = ev.value(right.binding.domain, unit, primed), right.binding.domain.place
    parts = _parts_of_union(ev, right.binding.domain, unit, primed)
    put, body = compile_setter(ev, right.binding, unit), ev.truth(right.body, unit, primed)
    whole, fixed = ev.value(right, unit, primed), ev.is_fixed(right, unit)

    def inside(e: Frame, item: Value) -> bool:
        container = of(e)
        try:
            is_inside = is_member(item, container)
            listed = _is_listed(container) and (parts is None or all(map(_is_listed, members(parts(e)))))
            small = fixed and parts is None and not is_infinite(container)
            if listed or (small and has_at_most(container, _FEW)):
                return item in whole(e)
        except NoValue as error:
            raise ev.fault(place, error, container) from None
        if not is_inside:
            return False
        put(e, item)
        return body(e)

    return inside


def _parts_of_union(ev: Evaluator, domain: Expression, unit: Unit, primed: bool) -> Evaluate | None:
    r"""Return a function that computes S of ``UNION S``; None for any other set. TLC lists the union only if
    it lists all members of S. So it does not enumerate ``UNION {[T -> U] : T \in V}``."""
    if not isinstance(domain, ast.Apply):
        return None
    symbol = ev.resolve(domain.operator, unit.module) or domain.operator
    is_union = isinstance(symbol, ast.Builtin) and symbol.name == "UNION"
    return ev.value(domain.arguments[0], unit, primed) if is_union else None


def _part_by_name(
    ev: Evaluator, symbol: Definition, right: ast.Apply, unit: Unit, primed: bool, test: Inside
) -> Inside:
    """Return the membership test of a set that a definition describes. ``test``: the test of its body."""
    target = unit_of(ev, symbol)
    arguments = ", ".join(argument_sources(ev, symbol, right, unit, primed))
    given = ev.emit.function(f"[{arguments}]")

    def inside(e: Frame, item: Value) -> bool:
        inner = given(e)
        try:
            return test(inner + [None] * (target.size - len(inner)), item)
        except Undefined as error:
            error.within(symbol.shown, right.place, symbol.place)
            raise

    return inside


def require_comparable(ev: Evaluator, value: Value, container: frozenset[Value], place: Place) -> None:
    """Raise Undefined if a value is of another kind than the members of a set."""
    try:
        for some in container:
            same(value, some)
    except NoValue:
        words = f"{ev.show(value)} is of another kind than the members of {ev.show(container)}"
        raise Undefined(place, words) from None
