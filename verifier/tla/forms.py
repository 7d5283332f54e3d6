"""Expressions with a syntax of their own: sets, functions, records, tuples, IF, CASE, CHOOSE, EXCEPT."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from verifier.tla import ast
from verifier.tla.ast import Expression
from verifier.tla.core import Core, Source
from verifier.tla.errors import Place
from verifier.tla.frames import Frame, Undefined, Unit
from verifier.tla.lazy_sets import Combined, ProductSet, RecordSet
from verifier.tla.symmetry import Asymmetric
from verifier.tla.values import NoValue, Value, is_infinite, is_set, set_of


class Forms(Core):
    """Compiles expressions by their form."""

    def value_forms(self) -> dict[type, Callable[[Any, Unit, bool], Source]]:
        """What compiles which expressions."""
        return {
            ast.If: lambda w, u, p: self.if_of(w, u, p, self.value_source),
            ast.Case: self._case,
            ast.Let: lambda w, u, p: self.let(w, u, p, self.value_source),
            ast.Choose: self._choose,
            ast.Unbounded: self._unbounded,
            ast.SetOf: self._set_of,
            ast.Filter: self._filter,
            ast.Image: self._image,
            ast.Record: self._record,
            ast.RecordSet: self._record_set,
            ast.Tuple: self._tuple,
            ast.Product: self._product,
            ast.Prime: self._prime,
        }

    def if_of(
        self,
        whole: ast.If,
        unit: Unit,
        primed: bool,
        source: Callable[[Expression, Unit, bool], Source],
    ) -> Source:
        """A value or a formula by a condition."""
        condition = self.truth_source(whole.condition, unit, primed)
        then, otherwise = source(whole.then, unit, primed), source(whole.otherwise, unit, primed)
        return f"({then} if {condition} else {otherwise})"

    def _case(self, whole: ast.Case, unit: Unit, primed: bool) -> Source:
        lines = [
            f"if {self.truth_source(guard, unit, primed)}: return {self.value_source(value, unit, primed)}"
            for guard, value in whole.arms
        ]
        if whole.other is None:
            other = self.refused(whole.place, whole.missing)
        else:
            other = self.value_source(whole.other, unit, primed)
        return self.emit.statements([*lines, f"return {other}"])

    def _choose(self, whole: ast.Choose, unit: Unit, primed: bool) -> Source:
        firsts = self.firsts(whole, unit, primed)

        def chosen(e: Frame) -> Value:
            found = firsts(e)
            if len(found) > 1:
                raise self.uneven(whole, found)
            return found[0]

        return self.emit.call(chosen)

    def uneven(self, whole: ast.Choose, found: list[Value]) -> Asymmetric:
        """The error for a CHOOSE that takes different elements in orders that should be alike."""
        words = f"CHOOSE takes {self.show(found[0])} or {self.show(found[1])}, which a permutation exchanges"
        return Asymmetric(f"{whole.place}: {words}", found)

    def firsts(self, whole: ast.Choose, unit: Unit, primed: bool) -> Callable[[Frame], list[Value]]:
        """What CHOOSE takes; with permutations, in each order that they make of TLC's."""
        container = self.value(whole.binding.domain, unit, primed)
        place, body = whole.place, self.truth_source(whole.body, unit, primed)

        def looped(line: str) -> list[str]:
            inner = [f"if {body}: {line}"]
            return self.loops((whole.binding,), unit, primed, inner, ordered=True)

        item = self.item(whole.binding, unit)
        first = self.emit.function(self.emit.statements([*looped(f"return [{item}]"), "return []"]))
        every = self.emit.function(
            self.emit.statements(["found = []", *looped(f"found.append({item})"), "return found"])
        )

        def taken(e: Frame) -> list[Value]:
            found: list[Value]
            if self.symmetry is not None and self.symmetry.touches(container(e)):
                found = every(e)
                if found:
                    return self.symmetry.firsts(frozenset(found))
            else:
                found = first(e)
            if not found:
                raise Undefined(place, "CHOOSE finds no element that satisfies its formula")
            return found

        return taken

    @staticmethod
    def item(binding: ast.Binding, unit: Unit) -> Source:
        """The element of a set that the names of a binding stand for."""
        parts = [f"e[{unit.slot(name)}]" for name in binding.names]
        return f"({', '.join(parts)},)" if binding.is_tuple else parts[0]

    def _unbounded(self, whole: ast.Unbounded, unit: Unit, primed: bool) -> Source:
        words = (
            f"{whole.kind} without a set cannot be evaluated: say \\in and a set, or replace it in the cfg"
        )
        return self.refused(whole.place, words)

    def _set_of(self, whole: ast.SetOf, unit: Unit, primed: bool) -> Source:
        items = [f"{self.value_source(item, unit, primed)}," for item in whole.items]
        alike = len(items) < 2 or {type(item) for item in whole.items} in ({ast.Number}, {ast.String})
        made = "frozenset" if alike else self._of_one_kind(whole.place)
        return f"{made}(({' '.join(items)}))"

    def _of_one_kind(self, place: Place) -> Source:
        """The source of a function that makes a set, whose members must be of kinds that are compared."""

        def made(items: Sequence[Value]) -> Value:
            try:
                return set_of(items)
            except NoValue as error:
                raise self.fault(place, error) from None

        return self.emit.bound(made)

    def _filter(self, whole: ast.Filter, unit: Unit, primed: bool) -> Source:
        place, put = whole.binding.domain.place, self.setter(whole.binding, unit)
        body = self.truth_source(whole.body, unit, primed)
        test_in = self.emit.later(body)

        def walked(e: Frame, found: Value) -> Any:
            if is_infinite(found):
                own = e[:]

                def test(item: Value) -> bool:
                    put(own, item)
                    return bool(test_in(own))

                return Combined("filter", found, test)
            if not is_set(found):
                raise self.fault(place, NoValue("no set"), found)
            return found.members()

        kept = f"kept.append({self.item(whole.binding, unit)})"
        domain = self.value_source(whole.binding.domain, unit, primed)
        return self.emit.statements([
            f"found = {domain}",
            "if type(found) is not frozenset:",
            f" found = {self.emit.bound(walked)}(e, found)",
            f" if type(found) is {self.emit.bound(Combined)}: return found",
            "kept = []",
            *self.loop(whole.binding, unit, "found", [f"if {body}: {kept}"]),
            "return frozenset(kept)",
        ])  # fmt: skip

    def _image(self, whole: ast.Image, unit: Unit, primed: bool) -> Source:
        inner = [f"made.append({self.value_source(whole.body, unit, primed)})"]
        lines = self.loops(whole.bindings, unit, primed, inner)
        return self.emit.statements(["made = []", *lines, f"return {self._of_one_kind(whole.place)}(made)"])

    # -- records, tuples

    def _record(self, whole: ast.Record, unit: Unit, primed: bool) -> Source:
        fields = [f"{name!r}: {self.value_source(value, unit, primed)}" for name, value in whole.fields]
        return f"Fn({{{', '.join(fields)}}})"

    def _record_set(self, whole: ast.RecordSet, unit: Unit, primed: bool) -> Source:
        order = self.order.walk

        def made(sets: tuple[Value, ...]) -> Value:
            return RecordSet(
                {name: found for (name, _), found in zip(whole.fields, sets, strict=True)}, order
            )

        sets = self._sets([value for _, value in whole.fields], unit, primed)
        return f"{self.emit.bound(made)}({sets})"

    def _sets(self, parts: Sequence[Expression], unit: Unit, primed: bool) -> Source:
        """The values of expressions, as a tuple, each of which must be a set."""

        def wrong(place: Place) -> Callable[[Value], Value]:
            def checked(found: Value) -> Value:
                if not is_set(found):
                    raise self.fault(place, NoValue("no set"), found)
                return found

            return checked

        items = [
            f"{self.emit.bound(wrong(part.place))}({self.value_source(part, unit, primed)}),"
            for part in parts
        ]
        return f"({' '.join(items)})"

    def _tuple(self, whole: ast.Tuple, unit: Unit, primed: bool) -> Source:
        items = [f"{self.value_source(item, unit, primed)}," for item in whole.items]
        return f"({' '.join(items)})"

    def _product(self, whole: ast.Product, unit: Unit, primed: bool) -> Source:
        order = self.order.walk
        made = self.emit.bound(lambda sets: ProductSet(sets, order))
        return f"{made}({self._sets(whole.items, unit, primed)})"

    # -- primes

    def _prime(self, whole: ast.Prime, unit: Unit, primed: bool) -> Source:
        if primed:
            words = "a prime stands below another one, or in a formula of initial states"
            return self.refused(whole.place, words)  # a LET may define what it does not read
        return self.value_source(whole.body, unit, True)

    def integer(self, whole: Expression, unit: Unit, primed: bool) -> Source:
        """An expression that must be an integer."""
        place = whole.place

        def wrong(found: Value) -> int:
            raise Undefined(place, f"an integer is expected here: it is {self.show(found)}")

        source, bad = self.value_source(whole, unit, primed), self.emit.bound(wrong)
        if isinstance(whole, ast.Number) or source in self.emit.integers:
            return source
        return self.emit.let([source], lambda t: f"({t} if type({t}) is int else {bad}({t}))")
