"""Functions: ``[x \\in S |-> e]``, ``f[x]`` and EXCEPT."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verifier.tla import ast
from verifier.tla.ast import Expression
from verifier.tla.core import Core
from verifier.tla.errors import Place
from verifier.tla.frames import Evaluate, Frame, Undefined, Unit
from verifier.tla.lazy_sets import FunctionSet, ProductSet
from verifier.tla.values import (
    Fn,
    LazyFunction,
    NoValue,
    Value,
    function,
    has_at_most,
    is_infinite,
    is_set,
)

_FEW = 1024


class Functions(Core):
    """Compiles functions."""

    def function_forms(self) -> dict[type, Callable[[Any, Unit, bool], Evaluate]]:
        """What compiles which expressions."""
        return {
            ast.Function: self._function,
            ast.FunctionSet: self._function_set,
            ast.At: self._at,
            ast.Except: self._except,
            ast.FunctionApply: self._function_apply,
        }

    def _function(self, whole: ast.Function, unit: Unit, primed: bool) -> Evaluate:
        if len(whole.bindings) > 1 or whole.bindings[0].is_tuple:
            return self._function_of_several(whole, unit, primed)
        domain, place = self.value(whole.bindings[0].domain, unit, primed), whole.bindings[0].domain.place
        slot = unit.slot(whole.bindings[0].names[0])
        own = unit.slot(whole.itself) if whole.itself is not None else None
        body = self.value(whole.body, unit, primed)

        def lazy(e: Frame, found: Value) -> LazyFunction:
            kept = e[:]

            def frame(itself: LazyFunction, argument: Value) -> Frame:
                inner = kept[:]
                inner[slot] = argument
                if own is not None:
                    inner[own] = itself
                return inner

            return LazyFunction(
                found,
                lambda itself, argument: body(frame(itself, argument)),
                lambda itself, argument: (whole.body, unit, frame(itself, argument)),
            )

        if own is not None:
            return lambda e: lazy(e, domain(e))

        def made(e: Frame) -> Value:
            found = domain(e)
            if type(found) is not frozenset:
                if not is_set(found):
                    raise self.fault(place, NoValue("no set"), found)
                if found.infinite:
                    return lazy(e, found)
                found = found.members()
            pairs = {}
            for item in found:
                e[slot] = item
                pairs[item] = body(e)
            return function(pairs)

        return made

    def _function_of_several(self, whole: ast.Function, unit: Unit, primed: bool) -> Evaluate:
        """A function of several arguments, which are a tuple."""
        own = unit.slot(whole.itself) if whole.itself is not None else None
        slots = [[unit.slot(name) for name in binding.names] for binding in whole.bindings]
        bind, body = self.bind(whole.bindings, unit, primed), self.value(whole.body, unit, primed)
        domains = [self.value(binding.domain, unit, primed) for binding in whole.bindings]
        setters = [self.setter(binding, unit) for binding in whole.bindings]
        single = len(whole.bindings) == 1

        def key(e: Frame) -> Value:
            parts = [
                tuple([e[slot] for slot in names]) if binding.is_tuple else e[names[0]]
                for names, binding in zip(slots, whole.bindings, strict=True)
            ]
            return parts[0] if single else tuple(parts)

        def made(e: Frame) -> Value:
            return function({key(e): body(e) for _ in bind(e)})

        def lazy(e: Frame) -> Value:
            kept = e[:]
            sets = tuple(domain(e) for domain in domains)

            def compute(itself: LazyFunction, argument: Value) -> Value:
                inner = kept[:]
                assert own is not None
                inner[own] = itself
                for put, part in zip(setters, (argument,) if single else argument, strict=True):
                    put(inner, part)
                return body(inner)

            return LazyFunction(sets[0] if single else ProductSet(sets, self.order.sorted), compute)

        if own is None:
            return made
        return lazy if self._calls_itself(whole, unit) else self._at_once(made, lazy, domains)

    def _calls_itself(self, whole: ast.Function, unit: Unit) -> bool:
        return whole.itself in self.analysis.of(whole.body, unit.module).free

    @staticmethod
    def _at_once(made: Evaluate, lazy: Evaluate, domains: list[Evaluate]) -> Evaluate:
        """A function that has a name, but does not call itself: its values are computed at once if they are
        few, and none of them fails, so that it can be compared and remembered."""

        def function_of(e: Frame) -> Value:
            sets = [domain(e) for domain in domains]
            few = all(is_set(each) and not is_infinite(each) and has_at_most(each, _FEW) for each in sets)
            if not few:
                return lazy(e)
            try:
                return made(e)
            except Undefined:
                # TLC computes a value when it is asked for: this one may not be.
                return lazy(e)

        return function_of

    def _function_set(self, whole: ast.FunctionSet, unit: Unit, primed: bool) -> Evaluate:
        domain, image = self.value(whole.domain, unit, primed), self.value(whole.range, unit, primed)
        order, places = self.order.sorted, (whole.domain.place, whole.range.place)

        def made(e: Frame) -> Value:
            sets = (domain(e), image(e))
            for found, place in zip(sets, places, strict=True):
                if not is_set(found):
                    raise self.fault(place, NoValue("no set"), found)
            return FunctionSet(*sets, order)

        return made

    def _function_apply(self, whole: ast.FunctionApply, unit: Unit, primed: bool) -> Evaluate:
        if isinstance(whole.function, ast.Choose):
            return self._choice_at(whole, whole.function, unit, primed)
        applied, given = self.value(whole.function, unit, primed), self.value(whole.argument, unit, primed)
        outside = self.outside
        if isinstance(whole.argument, ast.String):
            name = whole.argument.value

            def field(e: Frame) -> Value:
                record = applied(e)
                if type(record) is Fn and name in record:
                    return record[name]
                return outside(whole, record, name)

            return field

        variable, slot = (
            self.plain_variable(whole.function, unit, primed),
            self.plain_slot(whole.argument, unit),
        )
        if variable is not None and slot is not None:
            return self._variable_at(whole, variable, slot)

        def result(e: Frame) -> Value:
            found = applied(e)
            argument = given(e)
            if type(found) is Fn:
                try:
                    return found[argument]
                except KeyError:
                    pass
            elif type(found) is tuple and type(argument) is int and 0 < argument <= len(found):
                return found[argument - 1]
            return outside(whole, found, argument)

        return result

    def _choice_at(self, whole: ast.FunctionApply, choice: ast.Choose, unit: Unit, primed: bool) -> Evaluate:
        r"""``(CHOOSE m \\in S : p).value``: permutations may exchange the m if the value stays."""
        firsts, given = self.firsts(choice, unit, primed), self.value(whole.argument, unit, primed)

        def result(e: Frame) -> Value:
            found, argument = firsts(e), given(e)
            values = [self.result(whole, function, argument) for function in found]
            if any(value != values[0] for value in values):
                raise self.uneven(choice, found)
            return values[0]

        return result

    def result(self, whole: ast.FunctionApply, found: Value, argument: Value) -> Value:
        """The value of a function at an argument. Raises Undefined where there is none."""
        if type(found) is Fn:
            if argument in found:
                return found[argument]
        elif type(found) is tuple and type(argument) is int and 0 < argument <= len(found):
            return found[argument - 1]
        return self.outside(whole, found, argument)

    def _variable_at(self, whole: ast.FunctionApply, variable: int, slot: int) -> Evaluate:
        """The most frequent case: a variable at a bound name."""
        now, outside = self.now, self.outside

        def result(e: Frame) -> Value:
            found, argument = now[variable], e[slot]
            if type(found) is Fn:
                try:
                    return found[argument]
                except KeyError:
                    pass
            elif type(found) is tuple and type(argument) is int and 0 < argument <= len(found):
                return found[argument - 1]
            return outside(whole, found, argument)

        return result

    def plain_variable(self, whole: Expression, unit: Unit, primed: bool) -> int | None:
        """The number of the variable that an expression is, in the state it stands in."""
        if primed or not isinstance(whole, ast.Apply) or whole.arguments:
            return None
        symbol = self.resolve(whole.operator, unit.module) or whole.operator
        return self.index[symbol] if isinstance(symbol, ast.Variable) else None

    @staticmethod
    def plain_slot(whole: Expression, unit: Unit) -> int | None:
        """The slot of the bound name that an expression is."""
        if isinstance(whole, ast.Apply) and isinstance(whole.operator, ast.Bound):
            return unit.slot(whole.operator)
        return None

    def outside(self, whole: ast.FunctionApply, found: Value, argument: Value) -> Value:
        """The value of a function that is lazy. Raises Undefined where there is none."""
        if type(found) is LazyFunction:
            try:
                return found.apply(argument)
            except NoValue as error:
                if str(error) != "outside":
                    raise self.fault(whole.place, error) from None
        elif type(found) not in (Fn, tuple):
            words = f"{self.show(found)} is applied to {self.show(argument)}, but it is no function"
            raise Undefined(whole.place, words)
        words = f"{self.show(argument)} is not in the domain of the function {self.show(found)}"
        if type(argument) is str and type(found) is Fn:
            words = f"the record {self.show(found)} has no field {argument}"
        raise Undefined(whole.place, words)

    # -- EXCEPT

    def _at(self, whole: ast.At, unit: Unit, primed: bool) -> Evaluate:
        if not self.at_slots:
            raise Undefined(whole.place, "@ has no meaning outside EXCEPT")
        slot = self.at_slots[-1]
        return lambda e: e[slot]

    def _except(self, whole: ast.Except, unit: Unit, primed: bool) -> Evaluate:
        updated = self.value(whole.function, unit, primed)
        updates = []
        for update in whole.updates:
            path = [self.value(part, unit, primed) for part in update.path]
            slot = unit.fresh()
            self.at_slots.append(slot)
            value = self.value(update.value, unit, primed)
            self.at_slots.pop()
            updates.append((path, value, slot))
        place = whole.place
        if len(updates) == 1 and len(updates[0][0]) == 1:
            return self._except_once(whole, updated, *updates[0])

        def changed(e: Frame) -> Value:
            found = updated(e)
            for path, value, slot in updates:
                found = self.put(place, found, [part(e) for part in path], value, e, slot)
            return found

        return changed

    def _except_once(
        self, whole: ast.Except, updated: Evaluate, path: list[Evaluate], value: Evaluate, slot: int
    ) -> Evaluate:
        """The most frequent case: one update of one argument."""
        (key,), place = path, whole.place

        def changed(e: Frame) -> Value:
            found, argument = updated(e), key(e)
            if type(found) is Fn:
                if argument not in found:
                    return found
                e[slot] = found[argument]
                item = value(e)
                made = Fn(found)
                made[argument] = item
                return made
            return self.put(place, found, [argument], value, e, slot)

        return changed

    def put(
        self, place: Place, found: Value, path: list[Value], value: Evaluate, e: Frame, slot: int
    ) -> Value:
        """A function with another value at the end of a path; unchanged where the path leaves its domain."""
        argument, *rest = path
        if type(found) is LazyFunction:
            found = found.listed()
        if type(found) is tuple:
            if type(argument) is not int or not 0 < argument <= len(found):
                return found
            before = found[argument - 1]
        elif type(found) is Fn:
            if argument not in found:
                return found
            before = found[argument]
        else:
            raise self.fault(place, NoValue("no function"), found)
        if rest:
            item = self.put(place, before, rest, value, e, slot)
        else:
            e[slot] = before
            item = value(e)
        if type(found) is tuple:
            return (*found[: argument - 1], item, *found[argument:])
        made = Fn(found)
        made[argument] = item
        return made
