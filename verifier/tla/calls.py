"""Names and operators with arguments: variables, constants, parameters, definitions, LET, LAMBDA."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verifier.tla import ast
from verifier.tla.ast import Builtin, Definition, Expression
from verifier.tla.core import Source
from verifier.tla.errors import Place
from verifier.tla.extensions import EXTENSIONS, IN_NEXT
from verifier.tla.facts import ACTION, CONSTANT
from verifier.tla.frames import UNSET, Closure, Code, Evaluate, Frame, Undefined, Unit
from verifier.tla.lets import Lets, may_wait
from verifier.tla.primitives import PRIMITIVES
from verifier.tla.reading_files import FILES, WRITING
from verifier.tla.remembered import Memory, is_worth_remembering, latest, remembered, remembered_alone
from verifier.tla.values import NoValue, Value


def endless(name: str) -> str:
    """What is wrong where Python's own limit is reached."""
    return f"{name} calls itself without an end, or deeper than 60,000 closures go"


class Calls(Lets):
    """Compiles names and operators with arguments."""

    def start_calls(self) -> None:
        """Nothing is compiled yet."""
        self.at_slots: list[int] = []
        self.at_of: dict[Definition, tuple[int, ...]] = {}
        """Where definitions of a LET below EXCEPT find what @ is there."""
        self.bodies: dict[tuple[Any, ...], str] = {}
        self.evaluated: frozenset[ast.Parameter] = frozenset()
        """The parameters that are values in what is compiled: none of them waits."""
        self.rooms: dict[Unit, str] = {}
        self.values: dict[Definition, str] = {}
        self.units: dict[Definition, Unit] = {}
        self.operations: dict[tuple[str, int, Place], Evaluate | None] = {}
        self.memories: dict[tuple[Definition, bool], Memory] = {}
        self.start_lets()

    def unit_of(self, definition: Definition) -> Unit:
        """The unit of a definition of a module, with its parameters in the first slots."""
        found = self.units.get(definition)
        if found is None:
            found = self.units[definition] = Unit(definition.module)
            for parameter in definition.parameters:
                found.slot(parameter)
            found.room.clear()
        return found

    def body(self, definition: Definition, unit: Unit, primed: bool, *, truth: bool) -> str:
        """The name of a definition's body as a function, made once; it may be needed before it is there."""
        evaluated = self.evaluated if definition.nested else self._always(definition)
        slots = self.at_of.get(definition, ()) if definition.nested else ()
        key = (definition, unit, primed, truth, evaluated, slots)
        found = self.bodies.get(key)
        if found is None:
            found = self.bodies[key] = self.emit.fresh("b")
            assert definition.body is not None
            kept = self.at_slots, self.evaluated
            self.at_slots, self.evaluated = list(slots), evaluated
            try:
                source = (self.truth_source if truth else self.value_source)(definition.body, unit, primed)
            except Undefined:  # whoever asks next is told the same
                del self.bodies[key]
                raise
            finally:
                self.at_slots, self.evaluated = kept
            self.emit.names[found] = self.emit.function(source)
            self.emit.bodies[found] = self.emit.unfolded(source)
        return found

    def frame(self, unit: Unit, arguments: list[Source]) -> Source:
        """A frame that begins with the arguments of a definition, with room for all else."""
        room = self.rooms.get(unit)
        if room is None:
            room = self.rooms[unit] = self.emit.bound(unit.room)
        return f"[{''.join(f'{argument}, ' for argument in arguments)}*{room}]"

    # -- applications

    def application(self, whole: ast.Apply, unit: Unit, primed: bool) -> Source:
        """The value of a name, or of an operator with arguments."""
        symbol = self.resolve(whole.operator, unit.module) or whole.operator
        if symbol in self.constants and not whole.arguments:
            return self.emit.bound(self.constants[symbol])
        match symbol:
            case ast.Variable():
                return self._variable(symbol, whole, primed)
            case ast.Bound():
                return f"e[{unit.slot(symbol)}]"
            case ast.Parameter():
                return self._parameter(symbol, whole, unit, primed)
            case Definition():
                called = self._defined(symbol, whole, unit, primed, truth=False)
                return self.emit.once(called) if whole.arguments and self.is_fixed(whole, unit) else called
            case Builtin():
                test = self.comparison(symbol.name, whole, unit, primed) if self._own(symbol) else None
                if test is not None:
                    found = f"(TRUE if {test} else FALSE)"
                else:
                    found = self._primitive(symbol, whole, unit, primed)
                return self.emit.once(found) if self.is_fixed(whole, unit) else found
        raise Undefined(
            whole.place, f"the constant {symbol.name} has no value: give it one in the configuration"
        )

    def predicate(self, whole: ast.Apply, unit: Unit, primed: bool) -> Source | None:
        """An operator with arguments as a formula; None where its value is to be asked."""
        symbol = self.resolve(whole.operator, unit.module) or whole.operator
        if isinstance(symbol, Builtin) and self._own(symbol):
            return self.comparison(symbol.name, whole, unit, primed)
        if isinstance(symbol, Definition) and symbol not in self.constants:
            return self._defined(symbol, whole, unit, primed, truth=True)
        return None

    @staticmethod
    def _own(symbol: Builtin) -> bool:
        return symbol.module in ("", "Naturals")

    def _variable(self, symbol: ast.Variable, whole: ast.Apply, primed: bool) -> Source:
        index, place = self.index[symbol], whole.place
        if not primed:
            return f"now[{index}]"
        following, name, read_next = self.next, symbol.name, self.read_next

        def read(e: Frame) -> Value:
            read_next[0] = True
            found = following[index]
            if found is UNSET:
                words = f"{name} has no value in the next state yet: assign it before it is read"
                raise Undefined(place, words)
            return found

        known, read_already = self.emit.fresh("t"), self.emit.bound(read_next)
        inline = f"{read_already}[0] and ({known} := following[{index}]) is not UNSET"
        return f"({known} if {inline} else {self.emit.call(read)})"

    def _parameter(self, symbol: ast.Parameter, whole: ast.Apply, unit: Unit, primed: bool) -> Source:
        read = f"e[{unit.slot(symbol)}]"
        if symbol.arity:
            arguments = ", ".join(self.value_source(argument, unit, primed) for argument in whole.arguments)
            return f"{read}.call{'_next' if primed else ''}({arguments})"
        if symbol in self.evaluated:
            return read
        found, known = self.emit.fresh("t"), self.emit.fresh("t")
        if primed:
            return f"({found}.force_next() if type({found} := {read}) is Waiting else {found})"
        forced = f"{known} if ({known} := {found}.value) is not UNSET else {found}.force()"
        return f"({found} if type({found} := {read}) is not Waiting else {forced})"

    def _primitive(self, symbol: Builtin, whole: ast.Apply, unit: Unit, primed: bool) -> Source:
        make = PRIMITIVES.get(symbol.name) or EXTENSIONS.get(symbol.name) or FILES.get(symbol.name)
        make = IN_NEXT.get(symbol.name, make) if primed else make
        if symbol.name in WRITING:
            words = f"{symbol.name} writes a file or runs a program, which verify does not"
            hint = f"put an operator of yours for it in the configuration: {symbol.name} <- Op"
            return self.refused(whole.place, f"{words}: {hint}")
        if make is None:
            words = f"{symbol.name} of the module {symbol.module or 'TLA+'} is not supported"
            return self.refused(whole.place, words)
        arguments = [self.argument(a, unit, primed) for a in whole.arguments]
        return make(self, whole, arguments)

    def operation(self, name: str, arity: int, place: Place) -> Evaluate | None:
        """What computes a built-in operator of a frame that has its arguments; None if there is none."""
        key = (name, arity, place)
        if key not in self.operations:
            make = PRIMITIVES.get(name) or EXTENSIONS.get(name)
            whole = ast.Apply(Builtin(name, arity), (), place=place)
            sources = [f"e[{number}]" for number in range(arity)]
            self.operations[key] = None if make is None else self.emit.function(make(self, whole, sources))
        return self.operations[key]

    def argument(self, whole: Expression, unit: Unit, primed: bool) -> Source:
        """An argument, evaluated; an operator as a closure."""
        if isinstance(whole, ast.OperatorArgument | ast.Lambda):
            return self.operator(whole, unit, primed)
        return self.value_source(whole, unit, primed)

    # -- operators as values

    def operator(self, whole: Expression, unit: Unit, primed: bool) -> Source:
        """An operator that is an argument, as a Closure."""
        if isinstance(whole, ast.Lambda):
            definition = Definition("LAMBDA", whole.parameters, unit.module, whole.place, True, whole.body)
            self.at_of[definition] = tuple(self.at_slots)
            return self._closure(definition, unit, primed)
        assert isinstance(whole, ast.OperatorArgument)
        symbol = self.resolve(whole.operator, unit.module) or whole.operator
        if isinstance(symbol, ast.Parameter):
            return f"e[{unit.slot(symbol)}]"
        if isinstance(symbol, Definition):
            return self._closure(symbol, unit, primed)
        if isinstance(symbol, Builtin):
            return self._builtin_closure(symbol, whole)
        raise Undefined(
            whole.place, f"the constant {symbol.name} has no value: give it one in the configuration"
        )

    def _builtin_closure(self, symbol: Builtin, whole: ast.OperatorArgument) -> Source:
        own = Unit("")
        parameters = [ast.Parameter(f"p{number}") for number in range(symbol.arity)]
        given = tuple(ast.Apply(parameter, place=whole.place) for parameter in parameters)
        slots = [own.slot(parameter) for parameter in parameters]
        evaluate = self.value(ast.Apply(symbol, given, place=whole.place), own)
        assert slots == list(range(len(slots)))

        def call(*values: Value) -> Value:
            return evaluate([*values, *([None] * (own.size - len(values)))])

        return self.emit.bound(Closure(call, call))

    def _closure(self, definition: Definition, unit: Unit, primed: bool) -> Source:
        target = unit if definition.nested else self.unit_of(definition)
        slots = [target.slot(parameter) for parameter in definition.parameters]
        nested = definition.nested

        body = self.body(definition, target, primed, truth=False)
        values = [self.emit.fresh("t") for _ in slots]
        if nested:
            frame = ["inner = e[:]"]
            frame += [f"inner[{slot}] = {value}" for slot, value in zip(slots, values, strict=True)]
        else:
            frame = [f"inner = {self.frame(target, list(values))}"]

        def call_next(e: Frame) -> Callable[..., Value]:
            def call(*given: Value) -> Value:
                inner = self.stretched(e[:] if nested else target.frame(), target)
                for slot, value in zip(slots, given, strict=True):
                    inner[slot] = value
                in_next = self.emit.names[self.body(definition, target, True, truth=False)]
                return in_next(self.stretched(inner, target))

            return call

        def walked(e: Frame) -> tuple[Definition, Unit, Frame, list[int]]:
            return definition, target, self.stretched(e[:] if nested else target.frame(), target), slots

        named, later, walk = (self.emit.bound(thing) for thing in (Closure, call_next, walked))
        return self.emit.statements([
            f"def call({', '.join(values)}):",
            *(f" {line}" for line in frame),
            f" return {body}(inner)",
            f"return {named}(call, {later}(e), lambda: {walk}(e))",
        ])  # fmt: skip

    # -- definitions

    def _defined(
        self, symbol: Definition, whole: ast.Apply, unit: Unit, primed: bool, *, truth: bool
    ) -> Source:
        """A definition with its arguments."""
        if symbol.nested and not symbol.parameters:
            return self.local(symbol, whole, unit, primed, truth=truth)
        target = unit if symbol.nested else self.unit_of(symbol)
        facts = self.analysis.of_definition(symbol)
        if not symbol.parameters and facts.level == CONSTANT and not facts.free:
            # Also what is random: as TLC, it is chosen once.
            constant = self._constant(symbol, whole, target)
            return self.truth_of(constant, whole.place) if truth else constant
        arguments = self.arguments(symbol, whole, unit, primed)
        body = self.body(symbol, target, primed, truth=truth)
        name, place = symbol.shown, whole.place
        if symbol.nested:
            slots = [target.slot(parameter) for parameter in symbol.parameters]
            given = [f"inner[{slot}] = {argument}" for slot, argument in zip(slots, arguments, strict=True)]
            entered = self._guarded(f"{body}(inner)", name, place)
            return self.emit.statements(["inner = e[:]", *given, *entered])
        if is_worth_remembering(facts) and not any(parameter.arity for parameter in symbol.parameters):
            known = self.memories.setdefault((symbol, truth), Memory())
            reads = [self.index[variable] for variable in facts.reads]
            enter = self._entered(body, name, place)
            if reads and not arguments:
                alone = remembered_alone(self, known, enter, target, reads, primed)
                return latest(self, known, alone, reads, primed)
            frame = self.emit.function(f"[{', '.join(arguments)}]")
            return self.emit.call(remembered(self, known, enter, frame, target, reads, primed))
        return self.emit.statements([
            f"e = {self.frame(target, arguments)}",
            *self._guarded(self._evaluated(body), name, place, alone=True),
        ])  # fmt: skip

    def _evaluated(self, body: str) -> Source:
        """The source that evaluates a body in the frame ``e``: its own, unless it is still being compiled."""
        return self.emit.bodies.get(body, f"{body}(e)")

    def _guarded(self, entered: Source, name: str, place: Place, *, alone: bool = False) -> list[str]:
        """Lines that evaluate the body of a definition; ``alone`` if it is one of a module."""

        def within(error: Undefined) -> None:
            error.within(name, place)

        def failed(error: NoValue | RecursionError) -> Undefined:
            return Undefined(place, f"{error}, in {name}" if isinstance(error, NoValue) else endless(name))

        others = [
            "except (NoValue, RecursionError) as error:",
            f" raise {self.emit.bound(failed)}(error) from None",
        ]
        return [
            "try:",
            f" return {entered}",
            "except Undefined as error:",
            f" {self.emit.bound(within)}(error)",
            " raise",
            *(others if alone else []),
        ]

    def _entered(self, body: str, name: str, place: Place) -> Callable[[Frame], Any]:
        """The body of a definition, in a frame that is made for it."""
        lines = self._guarded(self._evaluated(body), name, place, alone=True)
        made: Evaluate = self.emit.names[self.emit.define(lines)]
        return made

    def _constant(self, symbol: Definition, whole: ast.Apply, target: Unit) -> Source:
        """A definition that has one value: evaluated once for all its uses."""
        body = self.body(symbol, target, False, truth=False)
        enter, names = self._entered(body, symbol.shown, whole.place), self.emit.names
        name = self.values.setdefault(symbol, self.emit.fresh("v"))
        names.setdefault(name, UNSET)

        def first(e: Frame) -> Any:
            if names[name] is UNSET:
                names[name] = enter(target.frame())
            return names[name]

        return f"({name} if {name} is not UNSET else {self.emit.call(first)})"

    def arguments(
        self, symbol: Definition, whole: ast.Apply, unit: Unit, primed: bool, *, walked: bool = False
    ) -> list[Source]:
        """The arguments of a definition, evaluated at once where they are needed or cannot fail. Where it is
        ``walked``, one that speaks of the next state may be what is assigned to."""
        facts = self.analysis.of_definition(symbol)
        acts = facts.level >= ACTION or facts.enabled or (walked and primed)
        always = frozenset() if acts else self._always(symbol)
        found = []
        for parameter, argument in zip(symbol.parameters, whole.arguments, strict=True):
            own = self.analysis.of(argument, unit.module)
            assigned = walked and (own.level >= ACTION or may_wait(own))
            if parameter.arity:
                found.append(self.operator(argument, unit, primed))
            elif parameter in always and not assigned:
                found.append(self.value_source(argument, unit, primed))
            else:
                found.append(self.waiting(argument, unit, primed, acts or assigned))
        return found

    def _always(self, symbol: Definition) -> frozenset[ast.Parameter]:
        """The parameters whose arguments are evaluated before a definition is entered."""
        facts = self.analysis.of_definition(symbol)
        acts = facts.level >= ACTION or facts.enabled
        return frozenset() if acts or symbol.nested else self.strictness.of(symbol)

    def waiting(self, whole: Expression, unit: Unit, primed: bool, acts: bool) -> Source:
        """An argument; ``acts`` if it may stand below a prime, or be an action, where it is used."""
        facts = self.analysis.of(whole, unit.module)
        if isinstance(whole, ast.Number | ast.String):
            return self.value_source(whole, unit, primed)
        if isinstance(whole, ast.Apply) and not whole.arguments:
            symbol = self.resolve(whole.operator, unit.module) or whole.operator
            if isinstance(symbol, ast.Bound):
                return self.value_source(whole, unit, primed)
            if isinstance(symbol, ast.Parameter):
                return f"e[{unit.slot(symbol)}]"
            if isinstance(symbol, ast.Variable) and not acts and not primed:
                return self.value_source(whole, unit, primed)
            if symbol in self.constants:
                return self.value_source(whole, unit, primed)
        if self._is_made_of_names(whole, unit):
            return self.value_source(whole, unit, primed)
        kept = facts.level < ACTION and not facts.changing and not primed
        constant = facts.level == CONSTANT and not facts.changing
        passes = kept and may_wait(facts)
        code = Code(whole, unit, kept, self.value, primed, constant, self.read_next, passes)
        return f"Waiting({self.emit.bound(code)}, e)"

    def _is_made_of_names(self, whole: Expression, unit: Unit) -> bool:
        """Whether an expression is a tuple, record or set of bound names and literals: it always has a value,
        and the same one below a prime."""
        match whole:
            case ast.Number() | ast.String():
                return True
            case ast.Tuple() | ast.SetOf():
                return all(self._is_made_of_names(item, unit) for item in whole.items)
            case ast.Record():
                return all(self._is_made_of_names(value, unit) for _, value in whole.fields)
            case ast.Apply() if not whole.arguments:
                symbol = self.resolve(whole.operator, unit.module) or whole.operator
                return isinstance(symbol, ast.Bound) or symbol in self.constants
        return False
