"""Formulas: what is true or false."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product
from typing import Any

from verifier.tla import ast
from verifier.tla.assignments import Walk
from verifier.tla.ast import Expression
from verifier.tla.comparing import equals
from verifier.tla.core import Core, Source
from verifier.tla.frames import UNSET, Frame, Undefined, Unit, Waiting
from verifier.tla.values import NoValue, Value, members

_MOST_NESTED = 6
"""Python nests no more than 20 loops, and a walk has up to 12 around."""


class Logic(Core):
    """Compiles formulas."""

    def logic_forms(self) -> dict[type, Callable[[Any, Unit, bool], Source]]:
        """What compiles which formulas."""
        return {
            ast.Junction: self.junction,
            ast.Quantifier: self.quantifier,
            ast.Unchanged: self.unchanged,
            ast.Enabled: self.enabled,
            ast.Step: self.step,
        }

    def junction(self, whole: ast.Junction, unit: Unit, primed: bool) -> Source:
        """A conjunction or disjunction."""
        tests = [self.truth_source(item, unit, primed) for item in whole.items]
        joined = (" and " if whole.conjunction else " or ").join(tests)
        return tests[0] if len(tests) == 1 else f"({joined})"

    def quantifier(self, whole: ast.Quantifier, unit: Unit, primed: bool) -> Source:
        """A bounded quantifier."""
        body = self.truth_source(whole.body, unit, primed)
        decides = f"not {body}" if whole.universal else body
        lines = self.loops(
            whole.bindings, unit, primed, [f"if {decides}: return {not whole.universal}"]
        )  # fmt: skip
        return self.emit.statements([*lines, f"return {whole.universal}"])

    def domain(self, whole: Expression, unit: Unit, primed: bool, *, ordered: bool = False) -> Source:
        """The members of a set, to walk through once; ``ordered`` as TLC orders them."""
        place = whole.place
        if self.is_interval(whole, unit):
            assert isinstance(whole, ast.Apply)
            low, high = (self.integer(part, unit, primed) for part in whole.arguments)
            return f"range({low}, {high} + 1)"
        source, walk = self.value_source(whole, unit, primed), self.order.walk if ordered else members

        def walked(found: Value) -> Iterable[Value]:
            try:
                return walk(found)
            except NoValue as error:
                raise self.fault(place, error, found) from None

        named = self.emit.bound(walked)
        if ordered:
            return f"{named}({source})"
        return self.emit.let([source], lambda t: f"({t} if type({t}) is frozenset else {named}({t}))")

    def is_interval(self, whole: Expression, unit: Unit) -> bool:
        """Whether an expression is ``a..b`` of integers."""
        return (
            isinstance(whole, ast.Apply)
            and isinstance(whole.operator, ast.Builtin)
            and whole.operator.name == ".."
            and self.resolve(whole.operator, unit.module) is None
        )

    def loops(
        self,
        bindings: tuple[ast.Binding, ...],
        unit: Unit,
        primed: bool,
        inner: Sequence[str],
        *,
        ordered: bool = False,
    ) -> list[str]:
        """Lines that run others for all values of the bound names; the sets are evaluated first."""
        domain = partial(self.domain, ordered=True) if ordered else self.domain
        sets = [domain(binding.domain, unit, primed) for binding in bindings]
        if len(bindings) == 1:
            return self.loop(bindings[0], unit, sets[0], inner)
        names = [self.emit.fresh("s") for _ in sets]
        first = [
            f"{name} = {source}" if number == 0 else f"{name} = {self.emit.bound(_again)}({source})"
            for number, (name, source) in enumerate(zip(names, sets, strict=True))
        ]
        if len(bindings) > _MOST_NESTED:
            row, parts = self.emit.fresh("t"), []
            for number, binding in enumerate(bindings):
                parts += [f"{self.emit.bound(self.setter(binding, unit))}(e, {row}[{number}])"]
            return [*first, f"for {row} in {self.emit.bound(product)}({', '.join(names)}):",
                    *(f" {line}" for line in (*parts, *inner))]  # fmt: skip
        lines = list(inner)
        for binding, name in zip(reversed(bindings), reversed(names), strict=True):
            lines = self.loop(binding, unit, name, lines)
        return [*first, *lines]

    def loop(self, binding: ast.Binding, unit: Unit, source: Source, inner: Sequence[str]) -> list[str]:
        """The same for one binding, whose set is known."""
        indented = [f" {line}" for line in inner]
        if not binding.is_tuple:
            return [f"for e[{unit.slot(binding.names[0])}] in {source}:", *indented]
        item, put = self.emit.fresh("t"), self.emit.bound(self.setter(binding, unit))
        return [f"for {item} in {source}:", f" {put}(e, {item})", *indented]

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

    def unchanged(self, whole: ast.Unchanged, unit: Unit, primed: bool) -> Source:
        """``UNCHANGED e``, where the next state is known."""
        return self._equal_next(whole.body, unit, primed)

    def _equal_next(self, body: Expression, unit: Unit, primed: bool) -> Source:
        if primed:
            words = "a formula of two states stands below a prime, or among initial states"
            return self.refused(body.place, words)
        return f"({self.value_source(body, unit)} == {self.value_source(body, unit, True)})"

    def step(self, whole: ast.Step, unit: Unit, primed: bool) -> Source:
        """``[A]_v`` or ``<<A>>_v`` of two states."""
        action, same_next = (
            self.truth_source(whole.action, unit, primed),
            self._equal_next(whole.subscript, unit, primed),
        )
        if whole.stuttering:
            return f"({same_next} or {action})"
        return f"(not {same_next} and {action})"

    def enabled(self, whole: ast.Enabled, unit: Unit, primed: bool) -> Source:
        """``ENABLED A``: whether there is a next state."""
        if primed:
            return self._enabled_next(whole, unit)
        if whole.own:
            return self._enabled_apart(whole, unit)
        walk = self.actions.walk(whole.body, unit, False)
        return self.emit.call(self._possible(walk))

    def _enabled_next(self, whole: ast.Enabled, unit: Unit) -> Source:
        """The same of the next state, or of an initial one: what it reads has a value there already."""
        facts = self.analysis.of(whole.body, unit.module)
        if whole.own or any(isinstance(one, ast.Parameter | ast.Definition) for one in facts.free):
            words = "ENABLED of the next state is not supported with what an argument or a LET stands for"
            return self.refused(whole.place, words)
        now, following, reads = self.now, self.next, [(self.index[one], one.name) for one in facts.reads]
        test = self.truth(ast.Enabled(whole.body, place=whole.place), unit)

        def possible(e: Frame) -> bool:
            missing = [name for index, name in reads if following[index] is UNSET]
            if missing:
                raise Undefined(whole.place, f"{missing[0]} has no value in the next state yet")
            self.read_next[0] = True
            before, now[:] = now[:], following
            try:
                return test(e)
            finally:
                now[:] = before

        return self.emit.call(possible)

    def _enabled_apart(self, whole: ast.Enabled, unit: Unit) -> Source:
        """The same with variables of the formula's own: by an evaluator that has those."""
        facts, own = self.analysis.of(whole.body, unit.module), [variable for variable, _ in whole.own]
        others = sorted(variable.name for variable in facts.reads.difference(own))
        if others:
            words = f"ENABLED of an instance, whose action reads {', '.join(others)} from outside of it"
            return self.refused(whole.place, f"{words}, is not supported")
        inner, values = self.beside(own), [self.value(value, unit) for _, value in whole.own]
        inside = Unit(unit.module)
        slots = [(unit.slot(name), inside.slot(name)) for name in facts.free]
        test = inner.truth(ast.Enabled(whole.body, place=whole.place), inside)

        def possible(e: Frame) -> bool:
            kept = inner.now[:]
            inner.symmetry = self.symmetry
            inner.now[:] = [value(e) for value in values]
            frame = inside.frame()
            for outer, slot in slots:
                given = e[outer]
                frame[slot] = given.force() if type(given) is Waiting else given
            try:
                return test(frame)
            finally:
                inner.now[:] = kept

        return self.emit.call(possible)

    def _possible(self, walk: Walk) -> Callable[[Frame], bool]:
        """Whether a walk finds a next state."""

        class Found(Exception):
            pass

        def stop() -> None:
            raise Found

        def possible(e: Frame) -> bool:
            kept, between = self.next[:], self.actions.between
            self.next[:] = [UNSET] * len(kept)
            try:
                walk(e, stop)
            except Found:
                return True
            finally:
                self.next[:], self.actions.between = kept, between
            return False

        return possible

    # -- formulas made by operators

    def comparison(self, name: str, whole: ast.Apply, unit: Unit, primed: bool) -> Source | None:
        """A formula made by an operator of the language or of numbers; None for any other operator."""
        match name:
            case "~":
                return f"(not {self.truth_source(whole.arguments[0], unit, primed)})"
            case "=>" | "<=>":
                first, second = (self.truth_source(part, unit, primed) for part in whole.arguments)
                return f"(not {first} or {second})" if name == "=>" else f"({first} is {second})"
            case "=" | "#":
                return self._equality(name == "=", whole, unit, primed)
            case "\\in" | "\\notin":
                item, of = whole.arguments
                return self.membership(name == "\\in", item, of, unit, primed)
            case "<" | ">" | "<=" | ">=":
                return self._order(name, whole, unit, primed)
            case "\\cdot":
                return self.emit.call(self.actions.composes(whole, unit, primed))
            case "TRUE":
                return "True"
            case "FALSE":
                return "False"
        return None

    def _order(self, name: str, whole: ast.Apply, unit: Unit, primed: bool) -> Source:
        place = whole.place

        def wrong(first: Value, second: Value) -> bool:
            found = second if type(first) is int else first
            raise Undefined(place, f"an integer is expected beside {name}: it is {self.show(found)}")

        left, right = whole.arguments if name in ("<", "<=") else reversed(whole.arguments)
        sign, bad = name.replace(">", "<"), self.emit.bound(wrong)

        sources = [self.value_source(part, unit, primed) for part in (left, right)]

        def compared(one: str, other: str) -> Source:
            numbers = self.emit.are_integers(sources, (one, other)).removesuffix(" and ")
            if not numbers:
                return f"({one} {sign} {other})"
            return f"({one} {sign} {other} if {numbers} else {bad}({one}, {other}))"

        return self.emit.let(sources, compared)

    def _equality(self, wanted: bool, whole: ast.Apply, unit: Unit, primed: bool) -> Source:
        place, right = whole.place, whole.arguments[1]

        def equal(first: Value, second: Value) -> bool:
            """Of values that are not equal, and of different kinds or model values: whether TLC says so."""
            try:
                return equals(first, second)
            except NoValue as error:
                words = f"{error}: {self.show(first)} and {self.show(second)}"
                raise Undefined(place, words, error.tlc) from None

        slow, negated = self.emit.bound(equal), "" if wanted else "not "

        def compared(one: str, other: str) -> Source:
            if isinstance(right, ast.Number | ast.String):
                kind = type(right.value).__name__
                test = f"({one} == {other} or type({one}) is not {kind} and {slow}({one}, {other}))"
            elif isinstance(whole.arguments[0], ast.Number | ast.String):
                unlike = f"type({one}) is not type({other})"
                test = f"({one} == {other} or {unlike} and {slow}({one}, {other}))"
            else:
                typed = f"type({one}) is ModelValue and {one}.type != {other}.type"
                unlike = f"(type({one}) is not type({other}) or type({one}) in COMPOUND or {typed})"
                test = f"({one} is {other} or {one} == {other} or {unlike} and {slow}({one}, {other}))"
            return f"({negated}{test})" if negated else test

        return self.emit.let([self.value_source(part, unit, primed) for part in whole.arguments], compared)


def _again(found: Iterable[Value]) -> Iterable[Value]:
    """A set to go through several times."""
    return found if isinstance(found, list | frozenset | range) else list(found)
