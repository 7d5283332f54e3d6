"""Assignments to the next state: ``x' = e``, ``x' \\in S`` and UNCHANGED, as they are walked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from verifier.tla import ast
from verifier.tla.ast import Builtin, Definition, Expression
from verifier.tla.errors import Place
from verifier.tla.frames import UNSET, Frame, Undefined, Unit, Waiting
from verifier.tla.values import NoValue, Value, is_member, listed, same

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator

Continue: TypeAlias = Callable[[], None]
Walk: TypeAlias = Callable[[Frame, Continue], None]
Target: TypeAlias = "int | Callable[[Frame], int | None] | None"
"""The variable that the left side of an assignment is: known, known when it is walked, or none."""


class Assignments:
    """Walkers that assign."""

    evaluator: Evaluator

    @abstractmethod
    def walk(self, whole: Expression, unit: Unit, primed: bool, *, top: bool = False) -> Walk:
        """The walker of a formula."""

    def target(self, whole: Expression, unit: Unit, primed: bool) -> Target:
        """The variable that is assigned, where the left side of ``=`` is one in the next state."""
        if isinstance(whole, ast.Prime) and not primed:
            return self._variable(whole.body, unit)
        if isinstance(whole, ast.Apply):
            symbol = self.evaluator.resolve(whole.operator, unit.module) or whole.operator
            if primed:
                return self._variable(whole, unit)
            if isinstance(symbol, ast.Parameter) and not symbol.arity:
                return self._of_parameter(symbol, unit, primed=False)
            if isinstance(symbol, Definition) and not symbol.arity and symbol.body is not None:
                inner = unit if symbol.nested else self.evaluator.unit_of(symbol)
                return self.target(symbol.body, inner, primed) if not symbol.nested else None
        return None

    def _variable(self, whole: Expression, unit: Unit) -> Target:
        if not isinstance(whole, ast.Apply) or whole.arguments:
            return None
        symbol = self.evaluator.resolve(whole.operator, unit.module) or whole.operator
        if isinstance(symbol, ast.Variable):
            return self.evaluator.index[symbol]
        if isinstance(symbol, ast.Parameter):
            return self._of_parameter(symbol, unit, primed=True)
        if isinstance(symbol, Definition) and symbol.body is not None and not symbol.nested:
            return self._variable(symbol.body, self.evaluator.unit_of(symbol))
        return None

    def _of_parameter(self, symbol: ast.Parameter, unit: Unit, *, primed: bool) -> Target:
        """The variable that an argument is: ``Op(y) == y = e`` with ``Op(x')``, or ``y' = e`` with
        ``Op(x)``."""
        slot = unit.slot(symbol)

        def of(e: Frame) -> int | None:
            found = e[slot]
            if type(found) is not Waiting:
                return None
            code = found.code
            find = self._variable if primed else lambda w, u: self.target(w, u, False)
            target = find(code.expression, code.unit)
            return target(found.env) if callable(target) else target

        return of

    def assign(self, target: Target, whole: ast.Apply, unit: Unit, primed: bool) -> Walk:
        value, following, place = (
            self.evaluator.value(whole.arguments[1], unit, primed),
            self.evaluator.next,
            whole.place,
        )
        if callable(target):
            test = self.evaluator.truth(whole, unit, primed)

            def assigned_if(e: Frame, follow: Continue) -> None:
                index = target(e)
                if index is None:
                    if test(e):
                        follow()
                else:
                    self._put(index, listed(value(e)), place, follow)

            return assigned_if
        assert isinstance(target, int)
        index = target

        def assigned(e: Frame, follow: Continue) -> None:
            found = value(e)
            if following[index] is UNSET:
                following[index] = found
                follow()
                following[index] = UNSET
            elif self._equal(following[index], found, place):
                follow()

        return assigned

    def _put(self, index: int, found: Value, place: Place, follow: Continue) -> None:
        following = self.evaluator.next
        if following[index] is UNSET:
            following[index] = found
            follow()
            following[index] = UNSET
        elif self._equal(following[index], found, place):
            follow()

    def _equal(self, one: Value, other: Value, place: Place) -> bool:
        try:
            return same(one, other)
        except NoValue as error:
            shown = f"{self.evaluator.show(one)} and {self.evaluator.show(other)}"
            raise Undefined(place, f"{error}: {shown}") from None

    def assign_some(self, target: Target, whole: ast.Apply, unit: Unit, primed: bool) -> Walk:
        right, place = whole.arguments[1], whole.place
        domain = self.evaluator.emit.function(self.evaluator.domain(right, unit, primed, ordered=True))
        container = self.evaluator.value(right, unit, primed)
        test = self.evaluator.truth(whole, unit, primed) if callable(target) else None
        following = self.evaluator.next

        def assigned(e: Frame, follow: Continue) -> None:
            index = target(e) if callable(target) else target
            if index is None:
                if test is not None and test(e):
                    follow()
                return
            if following[index] is not UNSET:
                try:
                    inside = is_member(following[index], container(e))
                except NoValue as error:
                    raise self.evaluator.fault(place, error) from None
                if inside:
                    follow()
                return
            for item in domain(e):
                following[index] = item
                follow()
                following[index] = UNSET

        return assigned

    def unchanged(self, body: Expression, unit: Unit) -> Walk:
        """``UNCHANGED e``: the variables in e, if it is a tuple of them, stay as they are."""
        indices = self._variables(body, unit)
        now, following = self.evaluator.now, self.evaluator.next
        if indices is None:
            return self._unchanged_by_parts(body, unit)

        def kept(e: Frame, follow: Continue) -> None:
            put = []
            for index in indices:
                found = following[index]
                if found is UNSET:
                    following[index] = now[index]
                    put.append(index)
                elif found is not now[index] and found != now[index]:
                    break
            else:
                follow()
            for index in put:
                following[index] = UNSET

        return kept

    def _unchanged_by_parts(self, body: Expression, unit: Unit) -> Walk:
        if isinstance(body, ast.Tuple):
            return in_turn([self.unchanged(item, unit) for item in body.items])
        equal = Builtin("=", 2)
        assignment = ast.Apply(equal, (ast.Prime(body, place=body.place), body), place=body.place)
        return self.walk(assignment, unit, False)

    def _variables(self, body: Expression, unit: Unit) -> list[int] | None:
        if isinstance(body, ast.Tuple):
            parts = [self._variables(item, unit) for item in body.items]
            return None if None in parts else [index for part in parts if part for index in part]
        if not isinstance(body, ast.Apply) or body.arguments:
            return None
        symbol = self.evaluator.resolve(body.operator, unit.module) or body.operator
        if isinstance(symbol, ast.Variable):
            return [self.evaluator.index[symbol]]
        if isinstance(symbol, Definition) and symbol.body is not None and not symbol.nested:
            return self._variables(symbol.body, self.evaluator.unit_of(symbol))
        return None


def either(walks: list[Walk]) -> Walk:
    def walked(e: Frame, follow: Continue) -> None:
        for walk in walks:
            walk(e, follow)

    return walked


def all_true(tests: list[Callable[[Frame], bool]]) -> Walk:
    if len(tests) == 1:
        test = tests[0]

        def one(e: Frame, follow: Continue) -> None:
            if test(e):
                follow()

        return one
    held = list(tests)

    def every(e: Frame, follow: Continue) -> None:
        for test in held:
            if not test(e):
                return
        follow()

    return every


def in_turn(walks: list[Walk]) -> Walk:
    if len(walks) == 1:
        return walks[0]
    first, rest = walks[0], in_turn(walks[1:])
    return lambda e, follow: first(e, lambda: rest(e, follow))
