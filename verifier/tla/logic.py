"""Formulas: what is true or false."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from verifier.tla import ast
from verifier.tla.ast import Expression
from verifier.tla.core import Bind, Core, Truth
from verifier.tla.frames import UNSET, Evaluate, Frame, Undefined, Unit
from verifier.tla.values import ModelValue, NoValue, Value, members, same


class Logic(Core):
    """Compiles formulas."""

    def logic_forms(self) -> dict[type, Callable[[Any, Unit, bool], Truth]]:
        """What compiles which formulas."""
        return {
            ast.Junction: self.junction,
            ast.Quantifier: self.quantifier,
            ast.Unchanged: self.unchanged,
            ast.Enabled: self.enabled,
            ast.Step: self.step,
        }

    def junction(self, whole: ast.Junction, unit: Unit, primed: bool) -> Truth:
        """A conjunction or disjunction."""
        tests = [self.truth(item, unit, primed) for item in whole.items]
        if len(tests) == 1:
            return tests[0]
        if len(tests) == 2:
            first, second = tests
            if whole.conjunction:
                return lambda e: first(e) and second(e)
            return lambda e: first(e) or second(e)
        if whole.conjunction:

            def every(e: Frame) -> bool:
                for test in tests:  # noqa: SIM110 -- a generator would take longer
                    if not test(e):
                        return False
                return True

            return every

        def some(e: Frame) -> bool:
            for test in tests:  # noqa: SIM110
                if test(e):
                    return True
            return False

        return some

    def quantifier(self, whole: ast.Quantifier, unit: Unit, primed: bool) -> Truth:
        """A bounded quantifier."""
        wanted = not whole.universal
        if len(whole.bindings) == 1 and not whole.bindings[0].is_tuple:
            domain = self.domain(whole.bindings[0].domain, unit, primed)
            slot = unit.slot(whole.bindings[0].names[0])
            body = self.truth(whole.body, unit, primed)

            def decided(e: Frame) -> bool:
                for item in domain(e):
                    e[slot] = item
                    if body(e) is wanted:
                        return wanted
                return not wanted

            return decided
        if len(whole.bindings) == 2 and not any(binding.is_tuple for binding in whole.bindings):
            return self._quantifier_of_two(whole, unit, primed)
        bind = self.bind(whole.bindings, unit, primed)
        inner = self.truth(whole.body, unit, primed)

        def decided_by_several(e: Frame) -> bool:
            for _ in bind(e):
                if inner(e) is wanted:
                    return wanted
            return not wanted

        return decided_by_several

    def _quantifier_of_two(self, whole: ast.Quantifier, unit: Unit, primed: bool) -> Truth:
        wanted = not whole.universal
        first, second = (self.domain(binding.domain, unit, primed) for binding in whole.bindings)
        outer, inner = (unit.slot(binding.names[0]) for binding in whole.bindings)
        body = self.truth(whole.body, unit, primed)

        def decided(e: Frame) -> bool:
            ones, others = first(e), second(e)
            if not isinstance(others, frozenset | range):
                others = list(others)
            for one in ones:
                for other in others:
                    e[outer], e[inner] = one, other
                    if body(e) is wanted:
                        return wanted
            return not wanted

        return decided

    def domain(
        self, whole: Expression, unit: Unit, primed: bool, *, ordered: bool = False
    ) -> Callable[[Frame], Iterable[Value]]:
        """The members of a set, to walk through once; ``ordered`` as TLC orders them."""
        place = whole.place
        if (
            isinstance(whole, ast.Apply)
            and isinstance(whole.operator, ast.Builtin)
            and self.resolve(whole.operator, unit.module) is None
            and whole.operator.name == ".."
        ):
            low, high = (self.integer(part, unit, primed) for part in whole.arguments)
            return lambda e: range(low(e), high(e) + 1)
        evaluate, walk = self.value(whole, unit, primed), self.order.walk

        def walked(e: Frame) -> Iterable[Value]:
            found = evaluate(e)
            if type(found) is frozenset and not ordered:
                return found
            try:
                return walk(found) if ordered else members(found)
            except NoValue as error:
                raise self.fault(place, error, found) from None

        return walked

    def bind(
        self, bindings: tuple[ast.Binding, ...], unit: Unit, primed: bool, *, ordered: bool = False
    ) -> Bind:
        """Gives the bound names all their values in turn; the sets are evaluated first."""
        domains = [self.domain(binding.domain, unit, primed, ordered=ordered) for binding in bindings]
        setters = [self.setter(binding, unit) for binding in bindings]
        last = len(bindings) - 1

        def bound(e: Frame) -> Iterator[None]:
            sets = [domain(e) for domain in domains]
            if last:
                sets = [
                    sets[0],
                    *(s if isinstance(s, list | frozenset | range) else list(s) for s in sets[1:]),
                ]

            def level(number: int) -> Iterator[None]:
                put = setters[number]
                for item in sets[number]:
                    put(e, item)
                    if number == last:
                        yield
                    else:
                        yield from level(number + 1)

            return level(0)

        return bound

    def setter(self, binding: ast.Binding, unit: Unit) -> Callable[[Frame, Value], None]:
        """Puts an element of a set where the names of a binding are read."""
        slots = [unit.slot(name) for name in binding.names]
        if not binding.is_tuple:
            slot = slots[0]

            def put(e: Frame, item: Value) -> None:
                e[slot] = item

            return put
        place = binding.domain.place

        def put_parts(e: Frame, item: Value) -> None:
            if type(item) is not tuple or len(item) != len(slots):
                raise Undefined(
                    place, f"tuples of {len(slots)} are expected in this set, not {self.show(item)}"
                )
            for slot, part in zip(slots, item, strict=True):
                e[slot] = part

        return put_parts

    def unchanged(self, whole: ast.Unchanged, unit: Unit, primed: bool) -> Truth:
        """``UNCHANGED e``, where the next state is known."""
        return self._equal_next(whole.body, unit, primed)

    def _equal_next(self, body: Expression, unit: Unit, primed: bool) -> Truth:
        if primed:
            words = "a formula of two states stands below a prime, or among initial states"
            raise Undefined(body.place, words)
        here, there = self.value(body, unit), self.value(body, unit, True)
        return lambda e: bool(here(e) == there(e))

    def step(self, whole: ast.Step, unit: Unit, primed: bool) -> Truth:
        """``[A]_v`` or ``<<A>>_v`` of two states."""
        action, same_next = (
            self.truth(whole.action, unit, primed),
            self._equal_next(whole.subscript, unit, primed),
        )
        if whole.stuttering:
            return lambda e: same_next(e) or action(e)
        return lambda e: not same_next(e) and action(e)

    def enabled(self, whole: ast.Enabled, unit: Unit, primed: bool) -> Truth:
        """``ENABLED A``: whether there is a next state."""
        if primed:
            raise Undefined(whole.place, "ENABLED of the next state is not supported")
        walk = self.actions.walk(whole.body, unit, False)

        class Found(Exception):
            pass

        def stop() -> None:
            raise Found

        def possible(e: Frame) -> bool:
            kept = self.next[:]
            self.next[:] = [UNSET] * len(kept)
            try:
                walk(e, stop)
            except Found:
                return True
            finally:
                self.next[:] = kept
            return False

        return possible

    # -- formulas made by operators

    def comparison(self, name: str, whole: ast.Apply, unit: Unit, primed: bool) -> Truth | None:
        """A formula made by an operator of the language or of numbers; None for any other operator."""
        left, right = whole.arguments if len(whole.arguments) == 2 else (whole.arguments or (None,))[:1] * 2
        match name:
            case "~":
                assert left is not None
                test = self.truth(left, unit, primed)
                return lambda e: not test(e)
            case "=>" | "<=>":
                assert left is not None
                assert right is not None
                first, second = self.truth(left, unit, primed), self.truth(right, unit, primed)
                if name == "=>":
                    return lambda e: not first(e) or second(e)
                return lambda e: first(e) is second(e)
            case "=" | "#":
                assert left is not None
                assert right is not None
                return self._equality(name == "=", left, right, whole, unit, primed)
            case "\\in" | "\\notin":
                assert left is not None
                assert right is not None
                return self.membership(name == "\\in", left, right, unit, primed)
            case "<" | ">" | "<=" | ">=":
                assert left is not None
                assert right is not None
                return self._order(
                    name, self.value(left, unit, primed), self.value(right, unit, primed), whole
                )
            case "TRUE":
                return lambda e: True
            case "FALSE":
                return lambda e: False
        return None

    def _order(self, name: str, one: Evaluate, other: Evaluate, whole: ast.Apply) -> Truth:
        place = whole.place

        def wrong(first: Value, second: Value) -> Undefined:
            found = second if type(first) is int else first
            return Undefined(place, f"an integer is expected beside {name}: it is {self.show(found)}")

        def less(e: Frame) -> bool:
            first, second = one(e), other(e)
            if type(first) is int and type(second) is int:
                return first < second
            raise wrong(first, second)

        def most(e: Frame) -> bool:
            first, second = one(e), other(e)
            if type(first) is int and type(second) is int:
                return first <= second
            raise wrong(first, second)

        if name in (">", ">="):
            one, other = other, one
        return less if name in ("<", ">") else most

    def _equality(
        self, wanted: bool, left: Expression, right: Expression, whole: ast.Apply, unit: Unit, primed: bool
    ) -> Truth:
        one, other, place = self.value(left, unit, primed), self.value(right, unit, primed), whole.place

        if isinstance(right, ast.Number | ast.String):
            literal, kind = right.value, type(right.value)

            def equal_literal(e: Frame) -> bool:
                first = one(e)
                if first == literal:
                    return wanted
                return not wanted if type(first) is kind else equal(e)

        def equal(e: Frame) -> bool:
            first, second = one(e), other(e)
            if first is second or first == second:
                return wanted
            if type(first) is type(second) and (type(first) is not ModelValue or first.type == second.type):
                return not wanted
            try:
                return same(first, second) is wanted
            except NoValue as error:
                words = f"{error}: {self.show(first)} and {self.show(second)}"
                raise Undefined(place, words) from None

        return equal_literal if isinstance(right, ast.Number | ast.String) else equal
