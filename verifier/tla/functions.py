"""Functions: ``[x \\in S |-> e]``, ``f[x]`` and EXCEPT.

Source: Specifying Systems (Lamport, 2002), section 16.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from verifier.tla import ast
from verifier.tla.ast import Expression
from verifier.tla.comparing import differs_plainly
from verifier.tla.emitting import Source
from verifier.tla.errors import Place
from verifier.tla.forms import asymmetric_choice, compile_choice
from verifier.tla.frames import UNSET, Evaluate, Frame, Undefined, Unit
from verifier.tla.lazy_sets import FunctionSet, ProductSet
from verifier.tla.loops import compile_setter, item_source, loop_lines
from verifier.tla.value_types import Fn, NoValue, Value
from verifier.tla.values import LazyFunction, has_at_most, has_key, is_infinite, is_member, is_set

if TYPE_CHECKING:
    from verifier.tla.evaluator import Compile, Evaluator


_FEW = 1024


class _Different:
    """The value of an EXCEPT that plainly differs from the one that it is compared with."""


DIFFERENT: Any = _Different()


def may_be_beside(whole: Expression) -> bool:
    """True if an expression is an EXCEPT that can be compared before it is made."""
    return isinstance(whole, ast.Except) and len(whole.updates) == 1


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

    def lazy(e: Frame, found: Value) -> LazyFunction:
        kept = e[:]

        def frame(itself: LazyFunction, argument: Value) -> Frame:
            inner = kept[:]
            inner[slot] = argument
            if own is not None:
                inner[own] = itself
            return inner

        if not is_set(found):
            raise ev.fault(place, NoValue("no set"), found)
        return LazyFunction(
            found,
            lambda itself, argument: body(frame(itself, argument)),
            lambda itself, argument: (whole.body, unit, frame(itself, argument)),
        )

    def walk_domain(e: Frame, found: Value) -> Any:
        if not is_set(found):
            raise ev.fault(place, NoValue("no set"), found)
        return lazy(e, found) if found.infinite else found.members()

    if waits:
        ev.computes_later = True
        return f"{ev.emit.bind(lazy)}(e, {domain})"
    return ev.emit.statements([
        f"found = {domain}",
        "if type(found) is not frozenset:",
        f" found = {ev.emit.bind(walk_domain)}(e, found)",
        f" if type(found) is {ev.emit.bind(LazyFunction)}: return found",
        "pairs = {}",
        "for item in found:",
        f" e[{slot}] = item",
        f" pairs[item] = {value}",
        "return function(pairs)",
    ])  # fmt: skip


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
        for found, binding in zip(sets, whole.bindings, strict=False):
            if not is_set(found):
                raise ev.fault(binding.domain.place, NoValue("no set"), found)

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
    lines = loop_lines(ev, whole.bindings, unit, primed, [f"pairs[{key}] = {value}"])
    made = ev.emit.function(ev.emit.statements(["pairs = {}", *lines, "return function(pairs)"]))
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
        for found, place in zip((domain, image), places, strict=True):
            if not is_set(found):
                raise ev.fault(place, NoValue("no set"), found)
        return FunctionSet(domain, image, order)

    parts = (ev.value_source(part, unit, primed) for part in (whole.domain, whole.range))
    return f"{ev.emit.bind(make_function_set)}({', '.join(parts)})"


def _function_apply(ev: Evaluator, whole: ast.FunctionApply, unit: Unit, primed: bool) -> Source:
    if isinstance(whole.function, ast.Choose):
        return _choice_at(ev, whole, whole.function, unit, primed)

    def elsewhere(found: Value, argument: Value) -> Value:
        return no_value_at(ev, whole, found, argument)

    parts = [ev.value_source(part, unit, primed) for part in (whole.function, whole.argument)]
    slow = ev.emit.bind(elsewhere)
    if isinstance(whole.function, ast.Number | ast.String):
        return f"{slow}({', '.join(parts)})"
    if isinstance(whole.argument, ast.String):
        return ev.emit.let(
            parts, lambda f, x: f"({f}[{x}] if type({f}) is Fn and {x} in {f} else {slow}({f}, {x}))"
        )
    found = ev.emit.fresh("t")  # looked up once: Python code computes the hash of a function
    return ev.emit.let(
        parts,
        lambda f, x: (
            f"({found} if type({f}) is Fn and ({found} := {f}.get({x}, UNSET)) is not UNSET"
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
        found, argument = firsts(e), given(e)
        values = [apply_to(ev, whole, function, argument) for function in found]
        if any(value != values[0] for value in values):
            raise asymmetric_choice(ev, choice, found)
        return values[0]

    return ev.emit.call(result)


def apply_to(ev: Evaluator, whole: ast.FunctionApply, found: Value, argument: Value) -> Value:
    """Return the value of a function at an argument. Raises Undefined if there is none."""
    if type(found) is Fn:
        if argument in found:
            return found[argument]
    elif type(found) is tuple and type(argument) is int and 0 < argument <= len(found):
        return found[argument - 1]
    return no_value_at(ev, whole, found, argument)


def no_value_at(ev: Evaluator, whole: ast.FunctionApply, found: Value, argument: Value) -> Value:
    """Return the value of a lazy function at an argument. Raises Undefined if there is none."""
    if type(found) is LazyFunction:
        try:
            return found.apply(argument)
        except NoValue as error:
            if str(error) != "outside":
                raise ev.fault(whole.place, error) from None
    elif type(found) not in (Fn, tuple):
        words = f"{ev.show(found)} is applied to {ev.show(argument)}, but it is no function"
        raise Undefined(whole.place, words)
    words = f"{ev.show(argument)} is not in the domain of the function {ev.show(found)}"
    if type(argument) is str and type(found) is Fn:
        words = f"the record {ev.show(found)} has no field {argument}"
    raise Undefined(whole.place, words)


# -- EXCEPT


def _at_source(ev: Evaluator, whole: ast.At, unit: Unit, primed: bool) -> Source:
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


def check_key(ev: Evaluator, place: Place, argument: Value, found: Value) -> bool:
    """True if a listed function has an argument. Raises Undefined for a value that is no function, and for an
    argument that may not be compared with the others."""
    try:
        if type(found) is tuple:
            if found and type(argument) is not int:
                raise NoValue("a tuple has integers as its arguments: another one is put")
            return bool(found) and 0 < argument <= len(found)
        if type(found) is not Fn:
            raise NoValue("no function")
        return has_key(argument, found)
    except NoValue as error:
        raise ev.fault(place, error, argument if type(found) in (Fn, tuple) else found) from None


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
    functions, found = [], whole
    for argument in path:
        if type(found) is LazyFunction and not is_infinite(found.domain):
            found = found.materialize()
        functions.append(found)
        if type(found) is LazyFunction:
            if not is_member(argument, found.domain):
                return functions[0]
            found = found.apply(argument)
        else:
            if not check_key(ev, place, argument, found):
                return functions[0]
            found = found[argument] if type(found) is Fn else found[argument - 1]
    e[slot] = found
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


FORMS: Mapping[type[Expression], Compile] = MappingProxyType(
    {
        ast.Function: _function_source,
        ast.FunctionSet: _function_set,
        ast.At: _at_source,
        ast.Except: except_source,
        ast.FunctionApply: _function_apply,
    }
)
"""The compilers of functions and their applications."""
