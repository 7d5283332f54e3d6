"""Definitions of modules, their frames, and the arguments of their calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from verifier.tla import ast
from verifier.tla.ast import Builtin, Definition, Expression
from verifier.tla.emitting import Source
from verifier.tla.facts import ACTION, CONSTANT
from verifier.tla.frames import Closure, Code, Frame, Undefined, Unit
from verifier.tla.lets import extend_frame, may_wait
from verifier.tla.value_types import Value

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator


def unit_of(ev: Evaluator, definition: Definition) -> Unit:
    """Return the unit of a module's definition, with its parameters in the first slots."""
    unit = ev.units.get(definition)
    if unit is None:
        unit = ev.units[definition] = Unit(definition.module)
        for parameter in definition.parameters:
            unit.slot(parameter)
        unit.room.clear()
    return unit


def compile_body(ev: Evaluator, definition: Definition, unit: Unit, primed: bool, *, truth: bool) -> str:
    """Return the name of a definition's body as a function. It is compiled once, perhaps after the name is
    used."""
    evaluated = ev.evaluated if definition.nested else _always(ev, definition)
    slots = ev.at_of.get(definition, ()) if definition.nested else ()
    key = (definition, unit, primed, truth, evaluated, slots)
    body = ev.bodies.get(key)
    if body is None:
        body = ev.bodies[key] = ev.emit.fresh("b")
        assert definition.body is not None
        kept = ev.at_slots, ev.evaluated
        ev.at_slots, ev.evaluated = list(slots), evaluated
        try:
            source = (ev.truth_source if truth else ev.value_source)(definition.body, unit, primed)
        except Undefined:  # the next caller gets the same error
            del ev.bodies[key]
            raise
        finally:
            ev.at_slots, ev.evaluated = kept
        ev.emit.names[body] = ev.emit.function(source)
        ev.emit.bodies[body] = ev.emit.unfold(source)
    return body


def frame_source(ev: Evaluator, unit: Unit, arguments: list[Source]) -> Source:
    """Return the source of a frame: the arguments of a definition, then empty slots."""
    room = ev.rooms.get(unit)
    if room is None:
        room = ev.rooms[unit] = ev.emit.bind(unit.room)
    return f"[{''.join(f'{argument}, ' for argument in arguments)}*{room}]"


def argument_source(ev: Evaluator, whole: Expression, unit: Unit, primed: bool) -> Source:
    """Return the source of an argument that is evaluated at once; of an operator as a closure."""
    if isinstance(whole, ast.OperatorArgument | ast.Lambda):
        return operator_source(ev, whole, unit, primed)
    return ev.value_source(whole, unit, primed)


def operator_source(ev: Evaluator, whole: Expression, unit: Unit, primed: bool) -> Source:
    """Return the source of an operator argument, as a Closure."""
    ev.passes_changing |= ev.analysis.of(whole, unit.module).changing
    if isinstance(whole, ast.Lambda):
        definition = Definition("LAMBDA", whole.parameters, unit.module, whole.place, True, whole.body)
        ev.at_of[definition] = tuple(ev.at_slots)
        return _closure(ev, definition, unit, primed)
    assert isinstance(whole, ast.OperatorArgument)
    symbol = ev.resolve(whole.operator, unit.module) or whole.operator
    if isinstance(symbol, ast.Parameter):
        return f"e[{unit.slot(symbol)}]"
    if isinstance(symbol, Definition):
        return _closure(ev, symbol, unit, primed)
    if isinstance(symbol, Builtin):
        return _builtin_closure(ev, symbol, whole)
    raise Undefined(whole.place, f"the constant {symbol.name} has no value: give it one in the configuration")


def _builtin_closure(ev: Evaluator, symbol: Builtin, whole: ast.OperatorArgument) -> Source:
    own = Unit("")
    parameters = [ast.Parameter(f"p{number}") for number in range(symbol.arity)]
    given = tuple(ast.Apply(parameter, place=whole.place) for parameter in parameters)
    slots = [own.slot(parameter) for parameter in parameters]
    evaluate = ev.value(ast.Apply(symbol, given, place=whole.place), own)
    assert slots == list(range(len(slots)))

    def call(*values: Value) -> Value:
        return evaluate([*values, *([None] * (own.size - len(values)))])

    return ev.emit.bind(Closure(call, call))


def _closure(ev: Evaluator, definition: Definition, unit: Unit, primed: bool) -> Source:
    target = unit if definition.nested else unit_of(ev, definition)
    slots = [target.slot(parameter) for parameter in definition.parameters]
    nested = definition.nested

    body = compile_body(ev, definition, target, primed, truth=False)
    values = [ev.emit.fresh("t") for _ in slots]
    if nested:
        frame = ["inner = e[:]"]
        frame += [f"inner[{slot}] = {value}" for slot, value in zip(slots, values, strict=True)]
    else:
        frame = [f"inner = {frame_source(ev, target, list(values))}"]

    def call_next(e: Frame) -> Callable[..., Value]:
        def call(*given: Value) -> Value:
            inner = extend_frame(e[:] if nested else target.frame(), target)
            for slot, value in zip(slots, given, strict=True):
                inner[slot] = value
            in_next = ev.emit.names[compile_body(ev, definition, target, True, truth=False)]
            return in_next(extend_frame(inner, target))

        return call

    def make_closure(e: Frame) -> tuple[Definition, Unit, Frame, list[int]]:
        return definition, target, extend_frame(e[:] if nested else target.frame(), target), slots

    named, later, walk = (ev.emit.bind(thing) for thing in (Closure, call_next, make_closure))
    return ev.emit.statements([
        f"def call({', '.join(values)}):",
        *(f" {line}" for line in frame),
        f" return {body}(inner)",
        f"return {named}(call, {later}(e), lambda: {walk}(e))",
    ])  # fmt: skip


def argument_sources(
    ev: Evaluator, symbol: Definition, whole: ast.Apply, unit: Unit, primed: bool, *, walked: bool = False
) -> list[Source]:
    """Return the sources of a definition's arguments. An argument is evaluated at once if it is always needed
    or cannot fail. If the definition is ``walked``, an argument may be the target of an assignment."""
    facts = ev.analysis.of_definition(symbol)
    acts = facts.level >= ACTION or facts.enabled or (walked and primed)
    always = frozenset() if acts else _always(ev, symbol)
    sources = []
    for parameter, argument in zip(symbol.parameters, whole.arguments, strict=True):
        own = ev.analysis.of(argument, unit.module)
        assigned = walked and (own.level >= ACTION or may_wait(own))
        if parameter.arity:
            sources.append(operator_source(ev, argument, unit, primed))
        elif parameter in always and not assigned:
            sources.append(ev.value_source(argument, unit, primed))
        else:
            sources.append(waiting_source(ev, argument, unit, primed, acts or assigned))
    return sources


def _always(ev: Evaluator, symbol: Definition) -> frozenset[ast.Parameter]:
    """Return the parameters whose arguments are evaluated before a definition is entered."""
    facts = ev.analysis.of_definition(symbol)
    acts = facts.level >= ACTION or facts.enabled
    return frozenset() if acts or symbol.nested else ev.strictness.of(symbol)


def waiting_source(ev: Evaluator, whole: Expression, unit: Unit, primed: bool, acts: bool) -> Source:
    """Return the source of an argument. ``acts``: it may be primed, or be an action, where it is used."""
    facts = ev.analysis.of(whole, unit.module)
    if isinstance(whole, ast.Number | ast.String):
        return ev.value_source(whole, unit, primed)
    if isinstance(whole, ast.Apply) and not whole.arguments:
        symbol = ev.resolve(whole.operator, unit.module) or whole.operator
        if isinstance(symbol, ast.Bound):
            return ev.value_source(whole, unit, primed)
        if isinstance(symbol, ast.Parameter):
            return f"e[{unit.slot(symbol)}]"
        if isinstance(symbol, ast.Variable) and not acts and not primed:
            return ev.value_source(whole, unit, primed)
        if symbol in ev.constants:
            return ev.value_source(whole, unit, primed)
    if _is_made_of_names(ev, whole, unit):
        return ev.value_source(whole, unit, primed)
    kept = facts.level < ACTION and not facts.changing and not primed
    constant = facts.level == CONSTANT and not facts.changing
    passes = kept and may_wait(facts)
    code = Code(whole, unit, kept, ev.value, primed, constant, ev.read_next, passes)
    return f"Waiting({ev.emit.bind(code)}, e)"


def _is_made_of_names(ev: Evaluator, whole: Expression, unit: Unit) -> bool:
    """True if an expression is a tuple, record or set of bound names and literals. Such an expression always
    has a value, and a prime does not change it."""
    match whole:
        case ast.Number() | ast.String():
            return True
        case ast.Tuple() | ast.SetOf():
            return all(_is_made_of_names(ev, item, unit) for item in whole.items)
        case ast.Record():
            return all(_is_made_of_names(ev, value, unit) for _, value in whole.fields)
        case ast.Apply() if not whole.arguments:
            symbol = ev.resolve(whole.operator, unit.module) or whole.operator
            return isinstance(symbol, ast.Bound) or symbol in ev.constants
    return False
