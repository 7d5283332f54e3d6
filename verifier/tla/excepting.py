"""``[f EXCEPT ![i] = e]``, also beside a value that it is compared with.

Source: Specifying Systems (Lamport, 2002), section 16.1.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from verifier.tla import ast
from verifier.tla.ast import Expression
from verifier.tla.comparing import differs_plainly
from verifier.tla.emitting import Source
from verifier.tla.errors import Place
from verifier.tla.frames import UNSET, Evaluate, Frame, Undefined, Unit
from verifier.tla.value_types import Fn, NoValue, Value
from verifier.tla.values import LazyFunction, has_key, is_infinite, is_member

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator


class _Different:
    """The value of an EXCEPT that plainly differs from the one that it is compared with."""


DIFFERENT: Any = _Different()


def may_be_beside(whole: Expression) -> bool:
    """True if an expression is an EXCEPT that can be compared before it is made."""
    return isinstance(whole, ast.Except) and len(whole.updates) == 1


def at_source(ev: Evaluator, whole: ast.At, unit: Unit, primed: bool) -> Source:
    if not ev.at_slots:
        raise Undefined(whole.place, "@ has no meaning outside EXCEPT")
    return f"e[{ev.at_slots[-1]}]"


def except_source(
    ev: Evaluator, whole: ast.Except, unit: Unit, primed: bool, known: Source | None = None
) -> Source:
    """Compile an EXCEPT. ``known``: a value, of one that has a single update, that it is compared with. Where
    they differ plainly, its value is DIFFERENT."""
    updates = []
    before = ev.value_source(whole.function, unit, primed)
    for update in whole.updates:
        path = [ev.value_source(part, unit, primed) for part in update.path]
        slot = unit.fresh()
        ev.at_slots.append(slot)
        value = ev.value_source(update.value, unit, primed)
        ev.at_slots.pop()
        updates.append((path, value, slot))
    if len(updates) == 1 and len(updates[0][0]) == 1 and known is None:
        return _except_once(ev, whole, before, *updates[0])
    put, lines = ev.emit.bind(partial(partial(put_at, ev), whole.place)), [f"found = {before}"]
    for path, value, slot in updates:
        later = ev.emit.bind(ev.emit.later(value))
        beside = f", {known}" if known is not None else ""
        lines.append(f"found = {put}(found, [{', '.join(path)}], {later}, e, {slot}{beside})")
    return ev.emit.statements([*lines, "return found"])


def _except_once(
    ev: Evaluator, whole: ast.Except, before: Source, path: list[Source], value: Source, slot: int
) -> Source:
    """Compile the most frequent EXCEPT: one update of one argument."""
    put, later = ev.emit.bind(partial(partial(put_at, ev), whole.place)), ev.emit.later(value)
    has = ev.emit.bind(partial(partial(check_key, ev), whole.place))
    return ev.emit.statements([
        f"found = {before}",
        f"argument = {path[0]}",
        "if type(found) is Fn:",
        f" if argument not in found and not {has}(argument, found): return found",
        f" e[{slot}] = found[argument]",
        f" item = {value}",
        " made = Fn(found)",
        " made[argument] = item",
        " return made",
        f"return {put}(found, [argument], {ev.emit.bind(later)}, e, {slot})",
    ])  # fmt: skip


def check_key(ev: Evaluator, place: Place, argument: Value, function: Value) -> bool:
    """True if a listed function has an argument. Raises Undefined for a value that is no function, and for an
    argument that may not be compared with the others."""
    try:
        if type(function) is tuple:
            if function and type(argument) is not int:
                raise NoValue("a tuple has integers as its arguments: another one is put")
            return bool(function) and 0 < argument <= len(function)
        if type(function) is not Fn:
            raise NoValue("no function")
        return has_key(argument, function)
    except NoValue as error:
        raise ev.fault(place, error, argument if type(function) in (Fn, tuple) else function) from None


def put_at(
    ev: Evaluator,
    place: Place,
    whole: Value,
    path: list[Value],
    value: Evaluate,
    e: Frame,
    slot: int,
    known: Any = UNSET,
) -> Value:
    """Return a function with another value at the end of a path. It is unchanged if the path leaves its
    domain. It is DIFFERENT, and not made, if it plainly differs from a known value there."""
    functions, part = [], whole
    for argument in path:
        if type(part) is LazyFunction and not is_infinite(part.domain):
            part = part.materialize()
        functions.append(part)
        if type(part) is LazyFunction:
            if not is_member(argument, part.domain):
                return functions[0]
            part = part.apply(argument)
        else:
            if not check_key(ev, place, argument, part):
                return functions[0]
            part = part[argument] if type(part) is Fn else part[argument - 1]
    e[slot] = part
    item = value(e)
    if known is not UNSET:
        with suppress(NoValue):  # a comparison of whole values says which
            if _differs_at(known, functions, path, item):
                return DIFFERENT
    for before, argument in zip(reversed(functions), reversed(path), strict=True):
        if type(before) is LazyFunction:
            item = before.but(argument, item)
        elif type(before) is tuple:
            item = (*before[: argument - 1], item, *before[argument:])
        else:
            made = Fn(before)
            made[argument] = item
            item = made
    return item


def find_item(ev: Evaluator, place: Place, whole: Value, path: list[Value], known: Value) -> Any:
    """Return the item of a known value at the end of a path. If an item of the same simple type differs from
    it, then the known value plainly differs from the function with that item there. DIFFERENT if it does so
    with any item; UNSET if neither is clear. Raises Undefined if the function has no such path."""
    part, is_known = whole, True
    for number, argument in enumerate(path, 1):
        last = number == len(path)
        if type(part) is not Fn and not (last and type(part) is tuple):
            return UNSET
        if not check_key(ev, place, argument, part):
            return UNSET
        if type(part) is tuple:
            return _find_in_tuple(part, argument, known) if is_known else UNSET
        is_known = is_known and type(known) is Fn and argument in known
        known = known[argument] if is_known else UNSET
        part = part[argument]
    return known


def _find_in_tuple(whole: tuple[Value, ...], argument: int, known: Value) -> Any:
    if type(known) is not tuple or len(known) != len(whole):
        return UNSET
    try:
        for one, other in zip(whole[: argument - 1], known, strict=False):
            if one is not other and one != other:
                return DIFFERENT if differs_plainly(one, other) else UNSET
    except NoValue:
        return UNSET
    return known[argument - 1]


def _differs_at(known: Value, functions: list[Value], path: list[Value], item: Value) -> bool:
    """True if a known function plainly differs from the one that has an item at the end of a path. Then TLC
    compares them, and they are not equal: of functions, one pair that TLC compares is enough. Of tuples, the
    first items that differ decide."""
    for function, argument in zip(functions[:-1], path, strict=False):
        if type(function) is not Fn or type(known) is not Fn or argument not in known:
            return False
        known = known[argument]
    last, argument = functions[-1], path[-1]
    if type(last) is Fn:
        return type(known) is Fn and argument in known and differs_plainly(item, known[argument])
    if type(last) is not tuple or type(known) is not tuple or len(known) != len(last):
        return False
    for one, other in zip(last[: argument - 1], known, strict=False):
        if one is not other and one != other:
            return differs_plainly(one, other)
    return differs_plainly(item, known[argument - 1])
