"""Names and operators with arguments: variables, constants, parameters, definitions, LET, LAMBDA."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from verifier.tla import ast
from verifier.tla.arguments import argument_source, argument_sources, compile_body, frame_source, unit_of
from verifier.tla.ast import Builtin, Definition
from verifier.tla.emitting import Source
from verifier.tla.errors import Place
from verifier.tla.extensions import EXTENSIONS, IN_NEXT
from verifier.tla.frames import UNSET, Evaluate, Frame, Undefined, Unit
from verifier.tla.lets import local_source
from verifier.tla.logic import comparison_source
from verifier.tla.memories import Memory
from verifier.tla.primitives import PRIMITIVES
from verifier.tla.random_members import drawn_by
from verifier.tla.reading_files import FILES, WRITING
from verifier.tla.remembered import is_worth_remembering, latest, remember_results, remember_without_arguments
from verifier.tla.specialised import specialise_call
from verifier.tla.value_types import NoValue, Value

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator


def endless(name: str) -> str:
    """Return the error for a recursion that reaches Python's limit."""
    return f"{name} calls itself without an end, or deeper than 60,000 closures go"


# -- applications


def application_source(ev: Evaluator, whole: ast.Apply, unit: Unit, primed: bool) -> Source:
    """Return the source of a name, or of an operator with arguments."""
    symbol = ev.resolve(whole.operator, unit.module) or whole.operator
    if symbol in ev.constants and not whole.arguments:
        return ev.emit.bind(ev.constants[symbol])
    match symbol:
        case ast.Variable():
            return _variable(ev, symbol, whole, primed)
        case ast.Bound():
            return f"e[{unit.slot(symbol)}]"
        case ast.Parameter():
            return _parameter(ev, symbol, whole, unit, primed)
        case Definition():
            called = _call_source(ev, symbol, whole, unit, primed, truth=False)
            return ev.emit.once(called) if whole.arguments and ev.is_fixed(whole, unit) else called
        case Builtin():
            test = comparison_source(ev, symbol.name, whole, unit, primed) if _own(symbol) else None
            if test is not None:
                source = f"(TRUE if {test} else FALSE)"
            else:
                source = _primitive(ev, symbol, whole, unit, primed)
            return ev.emit.once(source) if ev.is_fixed(whole, unit) else source
    raise Undefined(whole.place, f"the constant {symbol.name} has no value: give it one in the configuration")


def predicate_source(ev: Evaluator, whole: ast.Apply, unit: Unit, primed: bool) -> Source | None:
    """Return the source of an operator with arguments as a formula; None if it is compiled as a value."""
    symbol = ev.resolve(whole.operator, unit.module) or whole.operator
    if isinstance(symbol, Builtin) and _own(symbol):
        return comparison_source(ev, symbol.name, whole, unit, primed)
    if isinstance(symbol, Definition) and symbol not in ev.constants:
        return _call_source(ev, symbol, whole, unit, primed, truth=True)
    return None


def _own(symbol: Builtin) -> bool:
    return symbol.module in ("", "Naturals")


def _variable(ev: Evaluator, symbol: ast.Variable, whole: ast.Apply, primed: bool) -> Source:
    index, place = ev.index[symbol], whole.place
    if not primed:
        return f"now[{index}]"
    now, following, name, read_next = ev.now, ev.next, symbol.name, ev.read_next

    def read(e: Frame) -> Value:
        read_next[0] = True
        value = following[index]
        if value is UNSET:
            initially = now[index] is UNSET  # Init is evaluated before any state exists
            words = "has no value yet" if initially else "has no value in the next state yet"
            raise Undefined(place, f"{name} {words}: assign it before it is read")
        return value

    known, read_already = ev.emit.fresh("t"), ev.emit.bind(read_next)
    inline = f"{read_already}[0] and ({known} := following[{index}]) is not UNSET"
    return f"({known} if {inline} else {ev.emit.call(read)})"


def _parameter(ev: Evaluator, symbol: ast.Parameter, whole: ast.Apply, unit: Unit, primed: bool) -> Source:
    read = f"e[{unit.slot(symbol)}]"
    if symbol.arity:
        arguments = ", ".join(ev.value_source(argument, unit, primed) for argument in whole.arguments)
        return f"{read}.call{'_next' if primed else ''}({arguments})"
    if symbol in ev.evaluated:
        return read
    name, known = ev.emit.fresh("t"), ev.emit.fresh("t")
    if primed:
        return f"({name}.force_next() if type({name} := {read}) is Waiting else {name})"
    forced = f"{known} if ({known} := {name}.value) is not UNSET else {name}.force()"
    return f"({name} if type({name} := {read}) is not Waiting else {forced})"


def _primitive(ev: Evaluator, symbol: Builtin, whole: ast.Apply, unit: Unit, primed: bool) -> Source:
    make = PRIMITIVES.get(symbol.name) or EXTENSIONS.get(symbol.name) or FILES.get(symbol.name)
    make = IN_NEXT.get(symbol.name, make) if primed else make
    if symbol.name in WRITING:
        words = f"{symbol.name} writes a file or runs a program, which verify does not"
        hint = f"put an operator of yours for it in the configuration: {symbol.name} <- Op"
        return ev.make_refusal(whole.place, f"{words}: {hint}")
    if make is None:
        words = f"{symbol.name} of the module {symbol.module or 'TLA+'} is not supported"
        return ev.make_refusal(whole.place, words)
    arguments = [argument_source(ev, a, unit, primed) for a in whole.arguments]
    return make(ev, whole, arguments)


def compile_operator(ev: Evaluator, name: str, arity: int, place: Place) -> Evaluate | None:
    """Return the function that computes a built-in operator from a frame of its arguments; None for another
    operator."""
    key = (name, arity, place)
    if key not in ev.operations:
        make = PRIMITIVES.get(name) or EXTENSIONS.get(name)
        whole = ast.Apply(Builtin(name, arity), (), place=place)
        sources = [f"e[{number}]" for number in range(arity)]
        ev.operations[key] = None if make is None else ev.emit.function(make(ev, whole, sources))
    return ev.operations[key]


# -- definitions


def _call_source(
    ev: Evaluator, symbol: Definition, whole: ast.Apply, unit: Unit, primed: bool, *, truth: bool
) -> Source:
    """Return the source of a definition with its arguments."""
    if symbol.nested and not symbol.parameters:
        return local_source(ev, symbol, whole, unit, primed, truth=truth)
    special = specialise_call(ev, symbol, whole, unit, primed)
    if special is not None:
        assert isinstance(special.operator, Definition)
        symbol, whole = special.operator, special
    target = unit if symbol.nested else unit_of(ev, symbol)
    facts = ev.analysis.of_definition(symbol)
    if ev.analysis.has_one_value(symbol):
        # A random value is included: as in TLC, it is chosen once.
        constant = _constant(ev, symbol, whole, target)
        return ev.truth_of(constant, whole.place) if truth else constant
    arguments = argument_sources(ev, symbol, whole, unit, primed)
    body = compile_body(ev, symbol, target, primed, truth=truth)
    place = whole.place
    if symbol.nested:
        slots = [target.slot(parameter) for parameter in symbol.parameters]
        given = [f"inner[{slot}] = {argument}" for slot, argument in zip(slots, arguments, strict=True)]
        alone = special is not None  # an error names it like any definition of a module
        entered = _make_guarded_body_lines(ev, f"{body}(inner)", symbol, place, alone=alone)
        return ev.emit.statements(["inner = e[:]", *given, *entered])
    remembers = ev.counts is None and is_worth_remembering(facts)  # a formula that is counted is evaluated
    if remembers and not any(parameter.arity for parameter in symbol.parameters):
        known = ev.memories.setdefault((symbol, truth), Memory())
        reads = [ev.index[variable] for variable in facts.reads]
        enter = _body_function(ev, body, symbol, place)
        if reads and not arguments:
            remembered = remember_without_arguments(ev, known, enter, target, reads, primed)
            return latest(ev, known, remembered, reads, primed)
        frame = ev.emit.function(f"[{', '.join(arguments)}]")
        return ev.emit.call(remember_results(ev, known, enter, frame, target, reads, primed))
    return ev.emit.statements([
        f"e = {frame_source(ev, target, arguments)}",
        *_make_guarded_body_lines(ev, _body_source(ev, body), symbol, place, alone=True),
    ])  # fmt: skip


def _body_source(ev: Evaluator, body: str) -> Source:
    """Return the source that evaluates a body in the frame ``e``. It is a call if the body is still being
    compiled, and the body's own source otherwise."""
    return ev.emit.bodies.get(body, f"{body}(e)")


def _make_guarded_body_lines(
    ev: Evaluator, entered: Source, symbol: Definition, place: Place, *, alone: bool = False
) -> list[str]:
    """Return lines that evaluate the body of a definition. ``alone``: it is a definition of a module."""
    name = symbol.shown

    def within(error: Undefined) -> None:
        error.within(name, place, symbol.place)

    def make_error(error: NoValue | RecursionError) -> Undefined:
        return Undefined(place, f"{error}, in {name}" if isinstance(error, NoValue) else endless(name))

    others = [
        "except (NoValue, RecursionError) as error:",
        f" raise {ev.emit.bind(make_error)}(error) from None",
    ]
    return [
        "try:",
        f" return {entered}",
        "except Undefined as error:",
        f" {ev.emit.bind(within)}(error)",
        " raise",
        *(others if alone else []),
    ]


def _body_function(ev: Evaluator, body: str, symbol: Definition, place: Place) -> Callable[[Frame], Any]:
    """Return a function that evaluates the body of a definition in its own frame."""
    lines = _make_guarded_body_lines(ev, _body_source(ev, body), symbol, place, alone=True)
    made: Evaluate = ev.emit.names[ev.emit.define(lines)]
    return made


def _constant(ev: Evaluator, symbol: Definition, whole: ast.Apply, target: Unit) -> Source:
    """Return the source of a definition that has one value, which is evaluated once for all its uses."""
    body = compile_body(ev, symbol, target, False, truth=False)
    enter, names = _body_function(ev, body, symbol, whole.place), ev.emit.names
    name = ev.values.setdefault(symbol, ev.emit.fresh("v"))
    names.setdefault(name, UNSET)
    is_changing = ev.analysis.of_definition(symbol).changing  # few are: seeding takes longer than most values

    def first(e: Frame) -> Any:
        if names[name] is UNSET:
            draws = drawn_by(f"{ev.seed} {symbol.module} {symbol.shown}") if is_changing else nullcontext()
            with draws:
                names[name] = enter(target.frame())
        return names[name]

    return f"({name} if {name} is not UNSET else {ev.emit.call(first)})"
