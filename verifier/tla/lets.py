"""LET: definitions for one expression, evaluated when they are needed, or at once if they are always needed.

A definition that is evaluated at once is a value in its slot. Any other is delayed there. Below a prime, a
value in a slot is evaluated again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression
from verifier.tla.emitting import Source
from verifier.tla.errors import Place
from verifier.tla.facts import ACTION, CONSTANT, Facts, subexpressions
from verifier.tla.frames import Code, Evaluate, Frame, Undefined, Unit, Waiting
from verifier.tla.kept_parts import compile_kept, keep_parts

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator


def let_source(
    ev: Evaluator,
    whole: ast.Let,
    unit: Unit,
    primed: bool,
    source: Callable[[Expression, Unit, bool], Source],
) -> Source:
    """Return the source of a LET."""
    put = let_lines(ev, whole, unit, primed)
    body = source(whole.body, unit, primed)
    return ev.emit.statements([*put, f"return {body}"]) if put else body


def let_lines(ev: Evaluator, whole: ast.Let, unit: Unit, primed: bool, *, walked: bool = False) -> list[str]:
    """Return lines that store the definitions without parameters of a LET in the frame. ``walked``: the next
    state is being built, so an argument may have no value yet, and another one later."""
    always, lines = ev.strictness.find_evaluated(whole, unit.module), []
    for definition in whole.definitions:
        ev.at_of[definition] = tuple(ev.at_slots)
        if definition.parameters or definition.body is None:
            continue
        waits = walked and may_wait(ev.analysis.of_definition(definition))
        if definition in always and not primed and not waits and _is_kept(ev, definition):
            lines += _put_lines(ev, definition, unit, _reading(definition, whole) or definition.place)
        else:
            code = code_of(ev, definition, unit, primed)
            lines.append(f"e[{unit.slot(definition)}] = Waiting({ev.emit.bind(code)}, e)")
    return lines


def code_of(ev: Evaluator, definition: Definition, unit: Unit, primed: bool) -> Code:
    """Return a definition of a LET, without parameters, as delayed code."""
    assert definition.body is not None
    facts = ev.analysis.of_definition(definition)
    kept = _is_kept(ev, definition) and not primed
    constant = facts.level == CONSTANT and not facts.changing
    passes = kept and may_wait(facts)
    compiled = partial(compile_kept, ev) if kept and facts.costly else ev.value
    return Code(definition.body, unit, kept, compiled, primed, constant, ev.read_next, passes)


def _is_kept(ev: Evaluator, definition: Definition) -> bool:
    """True if a definition has one value in a state."""
    facts = ev.analysis.of_definition(definition)
    return facts.level < ACTION and not facts.changing


def _put_lines(ev: Evaluator, definition: Definition, unit: Unit, place: Place) -> list[str]:
    """Return lines that evaluate a definition, which is first read at a place."""
    assert definition.body is not None
    slot, body = unit.slot(definition), definition.body
    source = keep_parts(ev, body, unit, ev.value_source(body, unit), is_value=True)

    def within(error: Undefined) -> None:
        error.within(definition.name, place, definition.place)

    return [
        "try:",
        f" e[{slot}] = {source}",
        "except Undefined as error:",
        f" {ev.emit.bind(within)}(error)",
        " raise",
    ]


def local_source(
    ev: Evaluator, symbol: Definition, whole: ast.Apply, unit: Unit, primed: bool, *, truth: bool
) -> Source:
    """Return the source of a definition of a LET without parameters."""
    source = ev.emit.call(_read(ev, symbol, whole, unit, primed))
    if not primed:
        name, known = ev.emit.fresh("t"), ev.emit.fresh("t")
        waited = f"{known} if ({known} := {name}.value) is not UNSET else {source}"
        source = f"({name} if type({name} := e[{unit.slot(symbol)}]) is not Waiting else {waited})"
    return ev.truth_of(source, whole.place) if truth else source


def _read(ev: Evaluator, symbol: Definition, whole: ast.Apply, unit: Unit, primed: bool) -> Evaluate:
    """Return a function that evaluates a definition of a LET that is delayed or below a prime."""
    slot, body = unit.slot(symbol), symbol.body
    made: list[Evaluate] = []

    def in_next(e: Frame) -> Any:
        if not made:
            assert body is not None
            made.append(ev.value(body, unit, True))
        return made[0](extend_frame(e, unit))

    def read(e: Frame) -> Any:
        value = e[slot]
        try:
            if type(value) is not Waiting:
                return in_next(e)
            return value.force_next() if primed else value.force()
        except Undefined as error:
            error.within(symbol.name, whole.place, symbol.place)
            raise

    return read


def extend_frame(env: Frame, unit: Unit) -> Frame:
    """Return a frame with slots for code that was compiled after the frame was made."""
    if len(env) < unit.size:
        env += [None] * (unit.size - len(env))
    return env


def may_wait(facts: Facts) -> bool:
    """True if an expression names a parameter or a definition, which may be delayed."""
    return any(isinstance(one, ast.Parameter | Definition) for one in facts.free)


def _reading(definition: Definition, whole: Expression) -> Place | None:
    """Return the place where an expression first reads a definition; None if it does not."""
    if isinstance(whole, ast.Apply) and whole.operator is definition:
        return whole.place
    inside = [whole.body] if isinstance(whole, ast.Let) else subexpressions(whole)[0]
    if isinstance(whole, ast.Let):
        inside += [one.body for one in whole.definitions if one.body is not None and one is not definition]
    return next((place for part in inside if (place := _reading(definition, part)) is not None), None)
