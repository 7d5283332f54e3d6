"""Membership in sets, without going through them where TLC does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression
from verifier.tla.core import Core, Truth
from verifier.tla.errors import Place
from verifier.tla.frames import Frame, Undefined, Unit
from verifier.tla.lazy_sets import Interval
from verifier.tla.values import ModelValue, NoValue, Value, has_at_most, is_infinite, is_member, same

Inside: TypeAlias = Callable[[Frame, Value], bool]
"""Whether a value is in a set."""
_FEW = 4096


class Membership(Core):
    """Compiles membership."""

    def membership(
        self, wanted: bool, left: Expression, right: Expression, unit: Unit, primed: bool
    ) -> Truth:
        r"""``left \\in right``, or ``\\notin`` if it is not ``wanted``."""
        inside = self._part(right, unit, primed)
        if inside is not None:
            tested = self.value(left, unit, primed)
            return lambda e: inside(e, tested(e)) is wanted
        item, of, place = self.value(left, unit, primed), self.value(right, unit, primed), right.place

        def member(e: Frame) -> bool:
            found, container = item(e), of(e)
            if type(container) is frozenset:
                if found in container:
                    return wanted
                for some in container:
                    if type(some) is not type(found) or (type(some) is ModelValue and found.type):
                        self.comparable(found, container, place)
                    break
                return not wanted
            try:
                return is_member(found, container) is wanted
            except NoValue as error:
                raise self.fault(place, error, container) from None

        if (
            isinstance(right, ast.Apply)
            and isinstance(right.operator, ast.Builtin)
            and right.operator.name == ".."
            and self.resolve(right.operator, unit.module) is None
        ):
            low, high = (self.integer(part, unit, primed) for part in right.arguments)

            def between(e: Frame) -> bool:
                found, ends = item(e), (low(e), high(e))
                if type(found) is int:
                    return (ends[0] <= found <= ends[1]) is wanted
                try:
                    return Interval(*ends).contains(found) is wanted
                except NoValue as error:
                    raise self.fault(place, error) from None

            return between
        return member

    def _part(self, right: Expression, unit: Unit, primed: bool) -> Inside | None:
        """Whether a value is in a set that is a part of another; None for any other set."""
        if isinstance(right, ast.Filter):
            return self._filter_test(right, unit, primed)
        if not isinstance(right, ast.Apply):
            return None
        symbol = self.resolve(right.operator, unit.module) or right.operator
        if not isinstance(symbol, Definition) or symbol.nested or symbol in self.constants:
            return None
        return (
            self._part_by_name(symbol, right, unit, primed) if isinstance(symbol.body, ast.Filter) else None
        )

    def _filter_test(self, right: ast.Filter, unit: Unit, primed: bool) -> Inside:
        r"""Whether a value is in ``{x \in S : p}``: in S, and p is true of it.

        Through an S that is listed TLC goes in any case, and so reports what has no value for another
        element. A set that is the same in all states is made once, unless it is large.
        """
        of, place = self.value(right.binding.domain, unit, primed), right.binding.domain.place
        put, body = self.setter(right.binding, unit), self.truth(right.body, unit, primed)
        whole, fixed = self.value(right, unit, primed), self.is_fixed(right, unit)

        def inside(e: Frame, item: Value) -> bool:
            container = of(e)
            try:
                found = is_member(item, container)
                listed = type(container) is frozenset or type(container) is Interval
                if listed or (fixed and not is_infinite(container) and has_at_most(container, _FEW)):
                    return item in whole(e)
            except NoValue as error:
                raise self.fault(place, error, container) from None
            if not found:
                return False
            put(e, item)
            return body(e)

        return inside

    def _part_by_name(self, symbol: Definition, right: ast.Apply, unit: Unit, primed: bool) -> Inside:
        """The same where a definition says it."""
        assert isinstance(symbol.body, ast.Filter)
        target, place, name = self.unit_of(symbol), right.place, symbol.shown
        arguments = self.arguments(symbol, right, unit, primed)
        test = self._filter_test(symbol.body, target, primed)

        def inside(e: Frame, item: Value) -> bool:
            inner = [argument(e) for argument in arguments]
            try:
                return test(inner + [None] * (target.size - len(inner)), item)
            except Undefined as error:
                error.within(name, place)
                raise

        return inside

    def comparable(self, found: Value, container: frozenset[Value], place: Place) -> None:
        """Raises Undefined if a value is of another kind than the members of a set."""
        try:
            for some in container:
                same(found, some)
        except NoValue:
            words = f"{self.show(found)} is of another kind than the members of {self.show(container)}"
            raise Undefined(place, words) from None
