"""Bound names: their sets, and loops over these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from verifier.tla import ast
from verifier.tla.ast import Expression
from verifier.tla.emitting import Source
from verifier.tla.frames import Frame, Undefined, Unit
from verifier.tla.value_types import NoValue, Value
from verifier.tla.values import members

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator

_MOST_NESTED = 6
"""The limit of nested loops: Python nests at most 20, and a walk has up to 12 around."""


def item_source(binding: ast.Binding, unit: Unit) -> Source:
    """Return the source of the element to which the names of a binding are bound."""
    parts = [f"e[{unit.slot(name)}]" for name in binding.names]
    return f"({', '.join(parts)},)" if binding.is_tuple else parts[0]


def integer_source(ev: Evaluator, whole: Expression, unit: Unit, primed: bool) -> Source:
    """Return the source of an expression that must be an integer."""
    place = whole.place

    def wrong(value: Value) -> int:
        raise Undefined(place, f"an integer is expected here: it is {ev.describe(value)}")

    source, bad = ev.value_source(whole, unit, primed), ev.emit.bind(wrong)
    if isinstance(whole, ast.Number) or source in ev.emit.integers:
        return source
    return ev.emit.let([source], lambda t: f"({t} if type({t}) is int else {bad}({t}))")


def domain_source(
    ev: Evaluator, whole: Expression, unit: Unit, primed: bool, *, ordered: bool = False
) -> Source:
    """Return the source of a set's members, for one loop. ``ordered``: in TLC's order."""
    place = whole.place
    if is_interval(ev, whole, unit):
        assert isinstance(whole, ast.Apply)
        low, high = (integer_source(ev, part, unit, primed) for part in whole.arguments)
        return f"range({low}, {high} + 1)"
    source, walk = ev.value_source(whole, unit, primed), ev.order.walk if ordered else members

    def walk_members(container: Value) -> Iterable[Value]:
        try:
            return walk(container)
        except NoValue as error:
            raise ev.fault(place, error, container) from None

    named = ev.emit.bind(walk_members)
    if ordered and ev.is_fixed(whole, unit):

        def keep_row(container: Value) -> Iterable[Value]:
            row = walk_members(container)
            return row if isinstance(row, list) else _Row(lambda: walk_members(container))

        return ev.emit.once(f"{ev.emit.bind(keep_row)}({source})")
    if ordered:
        known, row = ev.emit.bind(ev.order.known), ev.emit.fresh("t")

        def look_up(of: str) -> Source:
            is_known = f"type({of}) is frozenset and ({row} := {known}.get({of})) is not None"
            return f"({row} if {is_known} else {named}({of}))"

        return ev.emit.let([source], look_up)
    return ev.emit.let([source], lambda t: f"({t} if type({t}) is frozenset else {named}({t}))")


def is_interval(ev: Evaluator, whole: Expression, unit: Unit) -> bool:
    """True if an expression is ``a..b`` of integers."""
    return (
        isinstance(whole, ast.Apply)
        and isinstance(whole.operator, ast.Builtin)
        and whole.operator.name == ".."
        and ev.resolve(whole.operator, unit.module) is None
    )


def loop_lines(
    ev: Evaluator,
    bindings: tuple[ast.Binding, ...],
    unit: Unit,
    primed: bool,
    inner: Sequence[str],
    *,
    ordered: bool = False,
) -> list[str]:
    """Return lines that run others for all values of the bound names. The sets are evaluated first."""
    sets = [domain_source(ev, binding.domain, unit, primed, ordered=ordered) for binding in bindings]
    if len(bindings) == 1:
        return loop_lines_over(ev, bindings[0], unit, sets[0], inner)
    names = [ev.emit.fresh("s") for _ in sets]
    first = [
        f"{name} = {source}" if number == 0 else f"{name} = {ev.emit.bind(_again)}({source})"
        for number, (name, source) in enumerate(zip(names, sets, strict=True))
    ]
    if len(bindings) > _MOST_NESTED:
        row, parts = ev.emit.fresh("t"), []
        for number, binding in enumerate(bindings):
            parts += [f"{ev.emit.bind(compile_setter(ev, binding, unit))}(e, {row}[{number}])"]
        return [*first, f"for {row} in {ev.emit.bind(product)}({', '.join(names)}):",
                *(f" {line}" for line in (*parts, *inner))]  # fmt: skip
    lines = list(inner)
    for binding, name in zip(reversed(bindings), reversed(names), strict=True):
        lines = loop_lines_over(ev, binding, unit, name, lines)
    return [*first, *lines]


def whole_loop_source(
    ev: Evaluator, parts: Sequence[Expression], unit: Unit, make: Callable[[bool], list[str]]
) -> Source:
    """Return the source of a loop that takes every member, so that the members may be taken as they come.

    Only the choice between two errors depends on the order then. So after an error, the loop runs again in
    TLC's order, and the loops inside of it run in that order at once: otherwise the time of an error would
    double with each loop around it. ``parts`` may have side effects, such as printing: then the loop always
    runs in order. ``make``: makes its lines, in order or not.
    """
    if any(ev.analysis.of(part, unit.module).changing for part in parts):
        return ev.emit.statements(make(True))
    in_order, seeks = ev.emit.define_later(lambda: make(True)), ev.seeks_first_error

    def run_again(e: Frame) -> Any:
        seeks[0] = True
        try:
            return in_order(e)
        finally:
            seeks[0] = False

    return ev.emit.statements([
        f"if {ev.emit.bind(seeks)}[0]: return {ev.emit.call(in_order)}",
        "try:",
        *(f" {line}" for line in make(False)),
        "except (Undefined, NoValue):",
        f" return {ev.emit.call(run_again)}",
    ])  # fmt: skip


def members_in_order(ev: Evaluator, container: Value) -> Iterable[Value]:
    """Return the members of a set in TLC's order, or by kind where TLC has no order of them."""
    try:
        return ev.order.walk(container)
    except NoValue:
        return ev.order.sort_by_kind(frozenset(members(container)))


def member_lines(
    ev: Evaluator, domain: Source, replace_infinite: Callable[[Frame, Value], Any], *, ordered: bool
) -> list[str]:
    """Return lines that put the members of a set into ``found``. ``replace_infinite`` returns the value of
    the whole loop for an infinite set, and None for a finite one."""
    walk = partial(members_in_order, ev) if ordered else members
    return [
        f"found = {domain}",
        "if type(found) is not frozenset:",
        f" whole = {ev.emit.bind(replace_infinite)}(e, found)",
        " if whole is not None: return whole",
        f" found = {ev.emit.bind(walk)}(found)",
        *([f"else: found = {ev.emit.bind(walk)}(found)"] if ordered else []),
    ]


def loop_lines_over(
    ev: Evaluator, binding: ast.Binding, unit: Unit, source: Source, inner: Sequence[str]
) -> list[str]:
    """Return lines that run others for all values of one binding, whose set is known."""
    indented = [f" {line}" for line in inner]
    if not binding.is_tuple:
        return [f"for e[{unit.slot(binding.names[0])}] in {source}:", *indented]
    item, put = ev.emit.fresh("t"), ev.emit.bind(compile_setter(ev, binding, unit))
    return [f"for {item} in {source}:", f" {put}(e, {item})", *indented]


def compile_setter(ev: Evaluator, binding: ast.Binding, unit: Unit) -> Callable[[Frame, Value], None]:
    """Return a function that stores an element of a set in the slots of a binding's names."""
    slots = [unit.slot(name) for name in binding.names]
    if not binding.is_tuple:
        slot = slots[0]

        def put(e: Frame, item: Value) -> None:
            e[slot] = item

        return put
    place = binding.domain.place

    def put_parts(e: Frame, item: Value) -> None:
        if type(item) is not tuple or len(item) != len(slots):
            raise Undefined(place, f"tuples of {len(slots)} are expected in this set, not {ev.show(item)}")
        for slot, part in zip(slots, item, strict=True):
            e[slot] = part

    return put_parts


def _again(items: Iterable[Value]) -> Iterable[Value]:
    """Return a set that can be enumerated several times."""
    return items if isinstance(items, list | frozenset | range) else list(items)


class _Row:
    """Members in order. A long row is made for each loop, so that it takes no space."""

    def __init__(self, walk: Callable[[], Iterable[Value]]) -> None:
        self.walk = walk

    def __iter__(self) -> Iterator[Value]:
        return iter(self.walk())
