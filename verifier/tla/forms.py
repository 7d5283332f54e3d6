"""Expressions with a syntax of their own: sets, functions, records, tuples, IF, CASE, CHOOSE, EXCEPT."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verifier.tla import ast
from verifier.tla.ast import Expression
from verifier.tla.core import Core
from verifier.tla.frames import Evaluate, Frame, Undefined, Unit
from verifier.tla.lazy_sets import Combined, ProductSet, RecordSet
from verifier.tla.symmetry import Asymmetric, Symmetry
from verifier.tla.values import (
    Fn,
    NoValue,
    Value,
    is_infinite,
    is_set,
)


class Forms(Core):
    """Compiles expressions by their form."""

    def value_forms(self) -> dict[type, Callable[[Any, Unit, bool], Evaluate]]:
        """What compiles which expressions."""
        return {
            ast.If: self._if,
            ast.Case: self._case,
            ast.Let: lambda w, u, p: self.let(w, u, p, self.value),
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

    def _if(self, whole: ast.If, unit: Unit, primed: bool) -> Evaluate:
        condition = self.truth(whole.condition, unit, primed)
        then, otherwise = self.value(whole.then, unit, primed), self.value(whole.otherwise, unit, primed)
        return lambda e: then(e) if condition(e) else otherwise(e)

    def _case(self, whole: ast.Case, unit: Unit, primed: bool) -> Evaluate:
        arms = [
            (self.truth(guard, unit, primed), self.value(value, unit, primed)) for guard, value in whole.arms
        ]
        other = self.value(whole.other, unit, primed) if whole.other is not None else None
        place = whole.place

        def chosen(e: Frame) -> Value:
            for guard, value in arms:
                if guard(e):
                    return value(e)
            if other is None:
                raise Undefined(place, "no case of this CASE is true, and there is no OTHER")
            return other(e)

        return chosen

    def _choose(self, whole: ast.Choose, unit: Unit, primed: bool) -> Evaluate:
        firsts = self.firsts(whole, unit, primed)

        def chosen(e: Frame) -> Value:
            found = firsts(e)
            if len(found) > 1:
                raise self.uneven(whole, found)
            return found[0]

        return chosen

    def uneven(self, whole: ast.Choose, found: list[Value]) -> Asymmetric:
        """The error for a CHOOSE that takes different elements in orders that should be alike."""
        words = f"CHOOSE takes {self.show(found[0])} or {self.show(found[1])}, which a permutation exchanges"
        return Asymmetric(f"{whole.place}: {words}")

    def firsts(self, whole: ast.Choose, unit: Unit, primed: bool) -> Callable[[Frame], list[Value]]:
        """What CHOOSE takes; with permutations, in each order that they make of TLC's."""
        domain = self.domain(whole.binding.domain, unit, primed, ordered=True)
        container = self.value(whole.binding.domain, unit, primed)
        put, place = self.setter(whole.binding, unit), whole.place
        body = self.truth(whole.body, unit, primed)

        def taken(e: Frame) -> list[Value]:
            if self.symmetry is not None and self.symmetry.touches(container(e)):
                return watched(e, self.symmetry)
            for item in domain(e):
                put(e, item)
                if body(e):
                    return [item]
            raise Undefined(place, "CHOOSE finds no element that satisfies its formula")

        def watched(e: Frame, symmetry: Symmetry) -> list[Value]:
            candidates = []
            for item in domain(e):
                put(e, item)
                if body(e):
                    candidates.append(item)
            if not candidates:
                raise Undefined(place, "CHOOSE finds no element that satisfies its formula")
            return symmetry.firsts(frozenset(candidates))

        return taken

    def _unbounded(self, whole: ast.Unbounded, unit: Unit, primed: bool) -> Evaluate:
        words = (
            f"{whole.kind} without a set cannot be evaluated: say \\in and a set, or replace it in the cfg"
        )
        place = whole.place

        def refused(e: Frame) -> Value:
            raise Undefined(place, words)

        return refused

    def _set_of(self, whole: ast.SetOf, unit: Unit, primed: bool) -> Evaluate:
        items = [self.value(item, unit, primed) for item in whole.items]
        if len(items) == 1:
            item = items[0]
            return lambda e: frozenset((item(e),))
        return lambda e: frozenset([item(e) for item in items])

    def _filter(self, whole: ast.Filter, unit: Unit, primed: bool) -> Evaluate:
        domain, place = self.value(whole.binding.domain, unit, primed), whole.binding.domain.place
        put, body = self.setter(whole.binding, unit), self.truth(whole.body, unit, primed)
        walk = self.domain(whole.binding.domain, unit, primed)
        simple = not whole.binding.is_tuple
        slot = unit.slot(whole.binding.names[0])

        def filtered(e: Frame) -> Value:
            found = domain(e)
            if type(found) is not frozenset:
                if is_infinite(found):
                    own = e[:]

                    def test(item: Value) -> bool:
                        put(own, item)
                        return body(own)

                    return Combined("filter", found, test)
                if not is_set(found):
                    raise self.fault(place, NoValue("no set"), found)
                found = found.members()
            kept = []
            if simple:
                for item in found:
                    e[slot] = item
                    if body(e):
                        kept.append(item)
            else:
                for item in found:
                    put(e, item)
                    if body(e):
                        kept.append(item)
            return frozenset(kept)

        del walk
        return filtered

    def _image(self, whole: ast.Image, unit: Unit, primed: bool) -> Evaluate:
        bind, body = self.bind(whole.bindings, unit, primed), self.value(whole.body, unit, primed)
        return lambda e: frozenset([body(e) for _ in bind(e)])

    # -- records, tuples

    def _record(self, whole: ast.Record, unit: Unit, primed: bool) -> Evaluate:
        fields = [(name, self.value(value, unit, primed)) for name, value in whole.fields]
        return lambda e: Fn([(name, value(e)) for name, value in fields])

    def _record_set(self, whole: ast.RecordSet, unit: Unit, primed: bool) -> Evaluate:
        fields = [(name, self.value(value, unit, primed), value.place) for name, value in whole.fields]
        order = self.order.sorted

        def made(e: Frame) -> Value:
            sets = {}
            for name, value, place in fields:
                sets[name] = value(e)
                if not is_set(sets[name]):
                    raise self.fault(place, NoValue("no set"), sets[name])
            return RecordSet(sets, order)

        return made

    def _tuple(self, whole: ast.Tuple, unit: Unit, primed: bool) -> Evaluate:
        items = [self.value(item, unit, primed) for item in whole.items]
        if len(items) == 2:
            first, second = items
            return lambda e: (first(e), second(e))
        return lambda e: tuple([item(e) for item in items])

    def _product(self, whole: ast.Product, unit: Unit, primed: bool) -> Evaluate:
        items = [(self.value(item, unit, primed), item.place) for item in whole.items]
        order = self.order.sorted

        def made(e: Frame) -> Value:
            sets = []
            for item, place in items:
                sets.append(item(e))
                if not is_set(sets[-1]):
                    raise self.fault(place, NoValue("no set"), sets[-1])
            return ProductSet(tuple(sets), order)

        return made

    # -- primes

    def _prime(self, whole: ast.Prime, unit: Unit, primed: bool) -> Evaluate:
        if primed:
            words = "a prime stands below another one, or in a formula of initial states"
            raise Undefined(whole.place, words)
        return self.value(whole.body, unit, True)

    def integer(self, whole: Expression, unit: Unit, primed: bool) -> Callable[[Frame], int]:
        """An expression that must be an integer."""
        evaluate, place = self.value(whole, unit, primed), whole.place
        if isinstance(whole, ast.Number):
            return evaluate

        def number(e: Frame) -> int:
            found = evaluate(e)
            if type(found) is int:
                return found
            raise Undefined(place, f"an integer is expected here: it is {self.show(found)}")

        return number
