"""Names and operators with arguments: variables, constants, parameters, definitions, LET, LAMBDA."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verifier.tla import ast
from verifier.tla.ast import Builtin, Definition, Expression
from verifier.tla.errors import Place
from verifier.tla.extensions import EXTENSIONS
from verifier.tla.facts import ACTION, CONSTANT
from verifier.tla.frames import UNSET, Closure, Code, Evaluate, Frame, Undefined, Unit, Waiting
from verifier.tla.lets import Lets
from verifier.tla.primitives import PRIMITIVES
from verifier.tla.remembered import Memory, is_worth_remembering, remembered
from verifier.tla.strictness import Strictness
from verifier.tla.values import FALSE, TRUE, NoValue, Value


def endless(name: str) -> str:
    """What is wrong where Python's own limit is reached."""
    return f"{name} calls itself without an end, or deeper than 60,000 closures go"


class Calls(Lets):
    """Compiles names and operators with arguments."""

    def start_calls(self) -> None:
        """Nothing is compiled yet."""
        self.at_slots: list[int] = []
        self.bodies: dict[tuple[Definition, Unit, bool, bool], list[Evaluate]] = {}
        self.units: dict[Definition, Unit] = {}
        self.memories: dict[tuple[Definition, bool], Memory] = {}
        self.strictness = Strictness(self.resolve, self.constants.__contains__)

    def unit_of(self, definition: Definition) -> Unit:
        """The unit of a definition of a module, with its parameters in the first slots."""
        found = self.units.get(definition)
        if found is None:
            found = self.units[definition] = Unit(definition.module)
            for parameter in definition.parameters:
                found.slot(parameter)
        return found

    def body(self, definition: Definition, unit: Unit, primed: bool, *, truth: bool) -> list[Evaluate]:
        """The body of a definition, compiled once; a list, because it may be needed before it is there."""
        key = (definition, unit, primed, truth)
        found = self.bodies.get(key)
        if found is None:
            found = self.bodies[key] = []
            assert definition.body is not None
            kept, self.at_slots = self.at_slots, []
            compiled = (self.truth if truth else self.value)(definition.body, unit, primed)
            self.at_slots = kept
            found.append(compiled)
        return found

    # -- applications

    def application(self, whole: ast.Apply, unit: Unit, primed: bool) -> Evaluate:
        """The value of a name, or of an operator with arguments."""
        symbol = self.resolve(whole.operator, unit.module) or whole.operator
        if symbol in self.constants:
            constant = self.constants[symbol]
            if not whole.arguments:
                return lambda e: constant
        match symbol:
            case ast.Variable():
                return self._variable(symbol, whole, primed)
            case ast.Bound():
                slot = unit.slot(symbol)
                return lambda e: e[slot]
            case ast.Parameter():
                return self._parameter(symbol, whole, unit, primed)
            case Definition():
                called = self._defined(symbol, whole, unit, primed, truth=False)
                return self.once(called) if whole.arguments and self.is_fixed(whole, unit) else called
            case Builtin():
                test = self.comparison(symbol.name, whole, unit, primed) if self._own(symbol) else None
                if test is not None:
                    found = lambda e: TRUE if test(e) else FALSE  # noqa: E731
                else:
                    found = self._primitive(symbol, whole, unit, primed)
                return self.once(found) if self.is_fixed(whole, unit) else found
        raise Undefined(
            whole.place, f"the constant {symbol.name} has no value: give it one in the configuration"
        )

    def predicate(self, whole: ast.Apply, unit: Unit, primed: bool) -> Callable[[Frame], bool] | None:
        """An operator with arguments as a formula; None where its value is to be asked."""
        symbol = self.resolve(whole.operator, unit.module) or whole.operator
        if isinstance(symbol, Builtin) and self._own(symbol):
            return self.comparison(symbol.name, whole, unit, primed)
        if isinstance(symbol, Definition) and symbol not in self.constants:
            test = self._defined(symbol, whole, unit, primed, truth=True)
            return self.once(test) if self.is_fixed(whole, unit) else test
        return None

    @staticmethod
    def _own(symbol: Builtin) -> bool:
        return symbol.module in ("", "Naturals")

    def _variable(self, symbol: ast.Variable, whole: ast.Apply, primed: bool) -> Evaluate:
        index, place = self.index[symbol], whole.place
        if not primed:
            now = self.now
            return lambda e: now[index]
        following, name, read_next = self.next, symbol.name, self.read_next

        def read(e: Frame) -> Value:
            read_next[0] = True
            found = following[index]
            if found is UNSET:
                words = f"{name} has no value in the next state yet: assign it before it is read"
                raise Undefined(place, words)
            return found

        return read

    def _parameter(self, symbol: ast.Parameter, whole: ast.Apply, unit: Unit, primed: bool) -> Evaluate:
        slot = unit.slot(symbol)
        if symbol.arity:
            arguments = [self.value(argument, unit, primed) for argument in whole.arguments]
            if primed:
                return lambda e: e[slot].call_next(*[argument(e) for argument in arguments])
            return lambda e: e[slot].call(*[argument(e) for argument in arguments])
        if primed:

            def read_next(e: Frame) -> Value:
                found = e[slot]
                return found.force_next() if type(found) is Waiting else found

            return read_next

        def read(e: Frame) -> Value:
            found = e[slot]
            return found.force() if type(found) is Waiting else found

        return read

    def _primitive(self, symbol: Builtin, whole: ast.Apply, unit: Unit, primed: bool) -> Evaluate:
        make = PRIMITIVES.get(symbol.name) or EXTENSIONS.get(symbol.name)
        if make is None:
            words = f"{symbol.name} of the module {symbol.module or 'TLA+'} is not supported"

            def refused(e: Frame) -> Value:
                raise Undefined(whole.place, words)

            return refused
        arguments = [self.argument(a, unit, primed) for a in whole.arguments]
        return make(self, whole, arguments)

    def argument(self, whole: Expression, unit: Unit, primed: bool) -> Evaluate:
        """An argument, evaluated; an operator as a closure."""
        if isinstance(whole, ast.OperatorArgument | ast.Lambda):
            return self.operator(whole, unit, primed)
        return self.value(whole, unit, primed)

    # -- operators as values

    def operator(self, whole: Expression, unit: Unit, primed: bool) -> Evaluate:
        """An operator that is an argument, as a Closure."""
        if isinstance(whole, ast.Lambda):
            definition = Definition("LAMBDA", whole.parameters, unit.module, whole.place, True, whole.body)
            return self._closure(definition, unit, primed)
        assert isinstance(whole, ast.OperatorArgument)
        symbol = self.resolve(whole.operator, unit.module) or whole.operator
        if isinstance(symbol, ast.Parameter):
            slot = unit.slot(symbol)
            return lambda e: e[slot]
        if isinstance(symbol, Definition):
            return self._closure(symbol, unit, primed)
        if isinstance(symbol, Builtin):
            return self._builtin_closure(symbol, whole)
        raise Undefined(
            whole.place, f"the constant {symbol.name} has no value: give it one in the configuration"
        )

    def _builtin_closure(self, symbol: Builtin, whole: ast.OperatorArgument) -> Evaluate:
        own = Unit("")
        parameters = [ast.Parameter(f"p{number}") for number in range(symbol.arity)]
        given = tuple(ast.Apply(parameter, place=whole.place) for parameter in parameters)
        slots = [own.slot(parameter) for parameter in parameters]
        evaluate = self.value(ast.Apply(symbol, given, place=whole.place), own)
        assert slots == list(range(len(slots)))

        def call(*values: Value) -> Value:
            return evaluate([*values, *([None] * (own.size - len(values)))])

        closure = Closure(call, call)
        return lambda e: closure

    def _closure(self, definition: Definition, unit: Unit, primed: bool) -> Evaluate:
        target = unit if definition.nested else self.unit_of(definition)
        slots = [target.slot(parameter) for parameter in definition.parameters]
        nested = definition.nested

        def caller(e: Frame, primed: bool) -> Callable[..., Value]:
            compiled: list[Evaluate] = []

            def call(*values: Value) -> Value:
                if not compiled:
                    compiled.append(self.body(definition, target, primed, truth=False)[0])
                inner = e[:] if nested else target.frame()
                if len(inner) < target.size:
                    inner += [None] * (target.size - len(inner))
                for slot, value in zip(slots, values, strict=True):
                    inner[slot] = value
                return compiled[0](inner)

            return call

        def walked(e: Frame) -> tuple[Definition, Unit, Frame, list[int]]:
            inner = e[:] if nested else target.frame()
            return definition, target, inner + [None] * (target.size - len(inner)), slots

        def made(e: Frame) -> Closure:
            return Closure(caller(e, primed), caller(e, True), lambda: walked(e))

        return made

    # -- definitions

    def _defined(
        self, symbol: Definition, whole: ast.Apply, unit: Unit, primed: bool, *, truth: bool
    ) -> Callable[[Frame], Any]:
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
        compiled = self.body(symbol, target, primed, truth=truth)
        name, place = symbol.shown, whole.place
        if symbol.nested:
            slots = [target.slot(parameter) for parameter in symbol.parameters]

            def nested(e: Frame) -> Any:
                inner = e[:]
                for slot, argument in zip(slots, arguments, strict=True):
                    inner[slot] = argument(e)
                try:
                    return compiled[0](inner)
                except Undefined as error:
                    error.within(name, place)
                    raise

            return nested
        if is_worth_remembering(facts) and not any(parameter.arity for parameter in symbol.parameters):
            known = self.memories.setdefault((symbol, truth), Memory())
            reads = [self.index[variable] for variable in facts.reads]
            enter = self._entered(compiled, name, place)
            return remembered(self, known, enter, arguments, target, reads, primed)
        return self._call(target, arguments, compiled, name, place)

    @staticmethod
    def _entered(compiled: list[Evaluate], name: str, place: Place) -> Callable[[Frame], Any]:
        """The body of a definition, in a frame that is made for it."""

        def enter(inner: Frame) -> Any:
            try:
                return compiled[0](inner)
            except Undefined as error:
                error.within(name, place)
                raise
            except NoValue as error:
                raise Undefined(place, f"{error}, in {name}") from None
            except RecursionError:
                raise Undefined(place, endless(name)) from None

        return enter

    @staticmethod
    def _call(
        target: Unit, arguments: list[Evaluate], compiled: list[Evaluate], name: str, place: Place
    ) -> Callable[[Frame], Any]:
        """A call of a definition of a module, in a frame of its own."""
        count = len(arguments)
        if not count:

            def call_alone(e: Frame) -> Any:
                try:
                    return compiled[0]([None] * target.size)
                except Undefined as error:
                    error.within(name, place)
                    raise
                except NoValue as error:
                    raise Undefined(place, f"{error}, in {name}") from None
                except RecursionError:
                    raise Undefined(place, endless(name)) from None

            return call_alone

        def call(e: Frame) -> Any:
            inner = [argument(e) for argument in arguments]
            inner += [None] * (target.size - count)
            try:
                return compiled[0](inner)
            except Undefined as error:
                error.within(name, place)
                raise
            except NoValue as error:
                raise Undefined(place, f"{error}, in {name}") from None
            except RecursionError:
                raise Undefined(place, endless(name)) from None

        return call

    def _constant(self, symbol: Definition, whole: ast.Apply, target: Unit) -> Evaluate:
        """A definition that has one value: evaluated once for all its uses."""
        compiled = self.body(symbol, target, False, truth=False)
        enter, known = self._entered(compiled, symbol.shown, whole.place), self.known

        def constant(e: Frame) -> Any:
            found = known.get(symbol, UNSET)
            if found is UNSET:
                found = known[symbol] = enter(target.frame())
            return found

        return constant

    def arguments(self, symbol: Definition, whole: ast.Apply, unit: Unit, primed: bool) -> list[Evaluate]:
        """The arguments of a definition, evaluated at once where they are needed or cannot fail."""
        facts = self.analysis.of_definition(symbol)
        acts = facts.level >= ACTION or facts.enabled
        always = frozenset() if acts or symbol.nested else self.strictness.of(symbol)
        return [
            self.operator(argument, unit, primed)
            if parameter.arity
            else self.value(argument, unit, primed)
            if parameter in always
            else self.waiting(argument, unit, primed, acts)
            for parameter, argument in zip(symbol.parameters, whole.arguments, strict=True)
        ]

    def waiting(self, whole: Expression, unit: Unit, primed: bool, acts: bool) -> Evaluate:
        """An argument; ``acts`` if it may stand below a prime, or be an action, where it is used."""
        facts = self.analysis.of(whole, unit.module)
        if isinstance(whole, ast.Number | ast.String):
            return self.value(whole, unit, primed)
        if isinstance(whole, ast.Apply) and not whole.arguments:
            symbol = self.resolve(whole.operator, unit.module) or whole.operator
            if isinstance(symbol, ast.Bound):
                return self.value(whole, unit, primed)
            if isinstance(symbol, ast.Parameter):
                slot = unit.slot(symbol)
                return lambda e: e[slot]
            if isinstance(symbol, ast.Variable) and not acts and not primed:
                return self.value(whole, unit, primed)
            if symbol in self.constants:
                return self.value(whole, unit, primed)
        if self._is_made_of_names(whole, unit):
            return self.value(whole, unit, primed)
        kept = facts.level < ACTION and not facts.changing and not primed
        constant = facts.level == CONSTANT and not facts.changing
        code = Code(whole, unit, kept, self.value, primed, constant, self.read_next)
        return lambda e: Waiting(code, e)

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
