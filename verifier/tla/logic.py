"""The compilers of formulas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from verifier.tla import ast
from verifier.tla.ast import Expression
from verifier.tla.comparing import equals
from verifier.tla.emitting import Source
from verifier.tla.evaluator import Walk
from verifier.tla.excepting import DIFFERENT, except_source, may_be_beside
from verifier.tla.frames import UNSET, Frame, Undefined, Unit, Waiting
from verifier.tla.hoisting import make_guarded_loop
from verifier.tla.kept_conjuncts import keep_conjunct
from verifier.tla.kept_parts import keep_parts
from verifier.tla.membership import membership_source
from verifier.tla.remaining import remaining_lines
from verifier.tla.value_types import NoValue, Value

if TYPE_CHECKING:
    from verifier.tla.evaluator import Compile, Evaluator


def junction_source(ev: Evaluator, whole: ast.Junction, unit: Unit, primed: bool) -> Source:
    """Return the source of a conjunction or disjunction."""
    tests = [ev.truth_source(item, unit, primed) for item in whole.items]
    if whole.conjunction and not primed:
        tests = [keep_conjunct(ev, item, unit, test) for item, test in zip(whole.items, tests, strict=True)]
    joined = (" and " if whole.conjunction else " or ").join(tests)
    return tests[0] if len(tests) == 1 else f"({joined})"


def quantifier_source(ev: Evaluator, whole: ast.Quantifier, unit: Unit, primed: bool) -> Source:
    """Return the source of a bounded quantifier."""
    body = ev.truth_source(whole.body, unit, primed)
    body = body if primed else keep_parts(ev, whole.body, unit, body)
    decides = f"not {body}" if whole.universal else body
    inner = [f"if {decides}: return {not whole.universal}"]
    known = [] if primed else remaining_lines(ev, whole, unit, decides)
    # As in TLC, a member that decides hides the errors of the members after it.
    lines = make_guarded_loop(ev, whole, unit, primed, inner, walked=ev.counts is not None)
    return ev.emit.statements([*known, *lines, f"return {whole.universal}"])


def make_unchanged_source(ev: Evaluator, whole: ast.Unchanged, unit: Unit, primed: bool) -> Source:
    """Return the source of ``UNCHANGED e``, where the next state is known."""
    return _equal_next(ev, whole.body, unit, primed)


def _equal_next(ev: Evaluator, body: Expression, unit: Unit, primed: bool) -> Source:
    if primed:
        words = "a formula of two states stands below a prime, or among initial states"
        return ev.make_refusal(body.place, words)
    return f"({ev.value_source(body, unit)} == {ev.value_source(body, unit, True)})"


def step_source(ev: Evaluator, whole: ast.Step, unit: Unit, primed: bool) -> Source:
    """Return the source of ``[A]_v`` or ``<<A>>_v`` for two states. As in TLC, A must have a value also
    where ``[A]_v`` holds since v stays."""
    action, same_next = (
        ev.truth_source(whole.action, unit, primed),
        _equal_next(ev, whole.subscript, unit, primed),
    )
    if whole.stuttering:
        return f"({action} or {same_next})"
    return f"(not {same_next} and {action})"


def make_enabled_source(ev: Evaluator, whole: ast.Enabled, unit: Unit, primed: bool) -> Source:
    """Return the source of ``ENABLED A``: there is a next state."""
    if primed:
        return _make_enabled_next(ev, whole, unit)
    if whole.own:
        return _make_enabled_apart(ev, whole, unit)
    walk = ev.actions.walk(whole.body, unit, False)
    return ev.emit.call(_possible(ev, walk))


def _make_enabled_next(ev: Evaluator, whole: ast.Enabled, unit: Unit) -> Source:
    """Return the source of ENABLED in the next state, or in an initial one, whose variables have values."""
    facts = ev.analysis.of(whole.body, unit.module)
    if whole.own or any(isinstance(one, ast.Parameter | ast.Definition) for one in facts.free):
        words = "ENABLED of the next state is not supported with what an argument or a LET stands for"
        return ev.make_refusal(whole.place, words)
    now, following, reads = ev.now, ev.next, [(ev.index[one], one.name) for one in facts.reads]
    test = ev.truth(ast.Enabled(whole.body, place=whole.place), unit)

    def possible(e: Frame) -> bool:
        missing = [name for index, name in reads if following[index] is UNSET]
        if missing:
            raise Undefined(whole.place, f"{missing[0]} has no value in the next state yet")
        ev.read_next[0] = True
        before, now[:] = now[:], following
        try:
            return test(e)
        finally:
            now[:] = before

    return ev.emit.call(possible)


def _make_enabled_apart(ev: Evaluator, whole: ast.Enabled, unit: Unit) -> Source:
    """Return the source of ENABLED with variables of its own, by an evaluator that has these."""
    facts, own = ev.analysis.of(whole.body, unit.module), [variable for variable, _ in whole.own]
    others = sorted(variable.name for variable in facts.reads.difference(own))
    if others:
        words = f"ENABLED of an instance, whose action reads {', '.join(others)} from outside of it"
        return ev.make_refusal(whole.place, f"{words}, is not supported")
    inner, values = ev.beside(own), [ev.value(value, unit) for _, value in whole.own]
    inside = Unit(unit.module)
    slots = [(unit.slot(name), inside.slot(name)) for name in facts.free]
    test = inner.truth(ast.Enabled(whole.body, place=whole.place), inside)

    def possible(e: Frame) -> bool:
        kept = inner.now[:]
        inner.symmetry = ev.symmetry
        inner.now[:] = [value(e) for value in values]
        frame = inside.frame()
        for outer, slot in slots:
            given = e[outer]
            frame[slot] = given.force() if type(given) is Waiting else given
        try:
            return test(frame)
        finally:
            inner.now[:] = kept

    return ev.emit.call(possible)


def _possible(ev: Evaluator, walk: Walk) -> Callable[[Frame], bool]:
    """Return a test that a walk finds a next state."""

    class Found(Exception):
        pass

    def stop() -> None:
        raise Found

    def possible(e: Frame) -> bool:
        kept, between = ev.next[:], ev.actions.between
        ev.next[:] = [UNSET] * len(kept)
        try:
            walk(e, stop)
        except Found:
            return True
        finally:
            ev.next[:], ev.actions.between = kept, between
        return False

    return possible


# -- formulas made by operators


def comparison_source(ev: Evaluator, name: str, whole: ast.Apply, unit: Unit, primed: bool) -> Source | None:
    """Return the source of a formula made by an operator of the language or of numbers; None for others."""
    match name:
        case "~":
            return f"(not {ev.truth_source(whole.arguments[0], unit, primed)})"
        case "=>" | "<=>":
            first, second = (ev.truth_source(part, unit, primed) for part in whole.arguments)
            return f"(not {first} or {second})" if name == "=>" else f"({first} is {second})"
        case "=" | "#":
            return _equality(ev, name == "=", whole, unit, primed)
        case "\\in" | "\\notin":
            item, of = whole.arguments
            return membership_source(ev, name == "\\in", item, of, unit, primed)
        case "<" | ">" | "<=" | ">=":
            return _order(ev, name, whole, unit, primed)
        case "\\cdot":
            return ev.emit.call(ev.actions.composes(whole, unit, primed))
        case "TRUE":
            return "True"
        case "FALSE":
            return "False"
    return None


def _order(ev: Evaluator, name: str, whole: ast.Apply, unit: Unit, primed: bool) -> Source:
    place = whole.place

    def wrong(first: Value, second: Value) -> bool:
        value = second if type(first) is int else first
        raise Undefined(place, f"an integer is expected beside {name}: it is {ev.describe(value)}")

    left, right = whole.arguments if name in ("<", "<=") else reversed(whole.arguments)
    sign, bad = name.replace(">", "<"), ev.emit.bind(wrong)

    sources = [ev.value_source(part, unit, primed) for part in (left, right)]

    def make_comparison(one: str, other: str) -> Source:
        numbers = ev.emit.are_integers(sources, (one, other)).removesuffix(" and ")
        if not numbers:
            return f"({one} {sign} {other})"
        return f"({one} {sign} {other} if {numbers} else {bad}({one}, {other}))"

    return ev.emit.let(sources, make_comparison)


def _equality(ev: Evaluator, wanted: bool, whole: ast.Apply, unit: Unit, primed: bool) -> Source:
    place, right = whole.place, whole.arguments[1]

    def equal(first: Value, second: Value) -> bool:
        """Compare values that are not identical, of different kinds or model values, as TLC does."""
        try:
            return equals(first, second)
        except NoValue as error:
            words = f"{error}: {ev.show(first)} and {ev.show(second)}"
            raise Undefined(place, words, error.tlc) from None

    slow, negated = ev.emit.bind(equal), "" if wanted else "not "

    def make_comparison(one: str, other: str) -> Source:
        if isinstance(right, ast.Number | ast.String):
            kind = type(right.value).__name__
            test = f"({one} == {other} or type({one}) is not {kind} and {slow}({one}, {other}))"
        elif isinstance(whole.arguments[0], ast.Number | ast.String):
            unlike = f"type({one}) is not type({other})"
            test = f"({one} == {other} or {unlike} and {slow}({one}, {other}))"
        else:
            typed = f"type({one}) is ModelValue and {one}.type != {other}.type"
            unlike = f"(type({one}) is not type({other}) or type({one}) in COMPOUND or {typed})"
            test = f"({one} is {other} or {one} == {other} or {unlike} and {slow}({one}, {other}))"
        if is_beside:
            test = f"({other} is not {ev.emit.bind(DIFFERENT)} and {test})"
        return f"({negated}{test})" if negated else test

    left = whole.arguments[0]
    target = ev.actions.target(left, unit, primed) if may_be_beside(right) else None
    is_beside = type(target) is int
    sources = [ev.value_source(left, unit, primed)]
    if is_beside:
        assert isinstance(right, ast.Except)
        sources.append(except_source(ev, right, unit, primed, f"{ev.emit.bind(ev.next)}[{target}]"))
    else:
        sources.append(ev.value_source(right, unit, primed))
    return ev.emit.let(sources, make_comparison)


FORMS: Mapping[type[Expression], Compile] = MappingProxyType(
    {
        ast.Junction: junction_source,
        ast.Quantifier: quantifier_source,
        ast.Unchanged: make_unchanged_source,
        ast.Enabled: make_enabled_source,
        ast.Step: step_source,
    }
)
"""The compilers of formulas."""
