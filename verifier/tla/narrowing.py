r"""``\E v \in V : P(v) /\ x' = [f EXCEPT ![i] = v]`` where x' is known: a loop over one value, not over all.

If x' has a value before the loop begins, its item at the path is the only value for which the equation may be
true. The other members of V are left out. ``P`` stands for the conjuncts before the equation. If one of them
does not name ``v`` and is false, all members are left out. The meaning stays the same, errors included, under
these conditions:

- V is an interval, or a constant set of integers or of strings. An item of another type leaves out no member.
- ``f``, ``i`` and each conjunct of ``P`` are about the first state and have no side effect. Only a conjunct
  may name ``v``: as one side of ``=`` or of ``#``, or left of or within the braces of ``... \in {..., ...}``.
  Then TLC's errors depend on the type of ``v`` alone.
- Each conjunct of ``P`` is tried with one member, even after one that is false and names ``v``. An error in a
  conjunct, in ``f`` or in ``i`` decides nothing: the loop runs as it is written, and finds the error itself.
- A conjunct of ``P`` is a comparison, or asks for a member: a walk takes it as the test that it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from verifier.tla import ast
from verifier.tla.ast import Builtin, Definition, Expression, Symbol
from verifier.tla.excepting import DIFFERENT, find_item, may_be_beside
from verifier.tla.facts import STATE
from verifier.tla.frames import UNSET, Evaluate, Frame, Truth, Undefined, Unit
from verifier.tla.lets import extend_frame
from verifier.tla.value_types import NoValue, Value

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator

_DEEPEST = 6
"""The limit of definitions in definitions that are looked into."""
_FEWEST = 4
"""A loop of fewer passes runs as it is written."""
_TESTS = frozenset(("=", "#", "<", ">", "<=", ">=", "\\in", "\\notin"))
Narrow = Callable[[Frame, Iterable[Value]], Iterable[Value]]
"""Returns the members of a loop that may be taken, in their order."""


@dataclass(frozen=True)
class _Equation:
    """``x' = [function EXCEPT ![path] = v]``"""

    target: int
    """The index of ``x``."""
    function: Expression
    path: tuple[Expression, ...]


@dataclass(frozen=True)
class _Found:
    """The conjuncts before an equation, and the equation if there is one."""

    before: list[Expression]
    equation: _Equation | None = None


def find_narrowing(ev: Evaluator, whole: ast.Quantifier, unit: Unit, kind: type | None) -> Narrow | None:
    r"""Return what leaves members of the innermost set of an ``\E`` out; None if it takes all of them.
    ``kind``: the type of all members of that set, if it is known."""
    if kind not in (int, str) or ev.counts is not None or whole.universal:
        return None
    name = whole.bindings[-1].names[0]
    found = _Search(ev).look(whole.body, unit, name, _DEEPEST)
    if found is None or found.equation is None:
        return None
    return _Narrowing(ev, unit, name, found.before, found.equation, kind).narrow


class _Search:
    """Finds the equation for a name in a body, and the conjuncts before it."""

    def __init__(self, ev: Evaluator) -> None:
        self.ev = ev

    def look(self, whole: Expression, unit: Unit, name: Symbol, depth: int) -> _Found | None:
        """Return what a conjunct begins with, up to the equation; None if the loop must stay as it is."""
        match whole:
            case ast.Junction(conjunction=True):
                before: list[Expression] = []
                for item in whole.items:
                    found = self.look(item, unit, name, depth)
                    if found is None:
                        return None
                    before += found.before
                    if found.equation is not None:
                        return _Found(before, found.equation)
                return _Found(before)
            case ast.Apply():
                symbol = self.ev.resolve(whole.operator, unit.module) or whole.operator
                if isinstance(symbol, Builtin):
                    return self._look_at_test(symbol.name, whole, unit, name)
                if isinstance(symbol, Definition):
                    return self._look_into(symbol, whole, unit, name, depth)
        return None

    def _look_at_test(self, sign: str, whole: ast.Apply, unit: Unit, name: Symbol) -> _Found | None:
        if sign not in _TESTS:
            return None
        if sign == "=" and (equation := self._equation(whole, unit, name)) is not None:
            return _Found([], equation)
        sides = list(whole.arguments)
        if sign in ("\\in", "\\notin") and isinstance(sides[1], ast.SetOf):
            sides[1:] = sides[1].items
        elif sign not in ("=", "#") and self._names(whole, unit, name):
            return None
        alike = all(_is_name(side, name) or not self._names(side, unit, name) for side in sides)
        return _Found([whole]) if alike and self._is_about_state(whole, unit) else None

    def _equation(self, whole: ast.Apply, unit: Unit, name: Symbol) -> _Equation | None:
        left, right = whole.arguments
        if not isinstance(right, ast.Except) or not may_be_beside(right):
            return None
        target, update = self.ev.actions.target(left, unit, False), right.updates[0]
        fixed = (right.function, *update.path)
        settled = all(self._is_about_state(one, unit) and not self._names(one, unit, name) for one in fixed)
        if type(target) is not int or not settled or not _is_name(update.value, name):
            return None
        return _Equation(target, right.function, update.path)

    def _look_into(
        self, symbol: Definition, whole: ast.Apply, unit: Unit, name: Symbol, depth: int
    ) -> _Found | None:
        """Return what a definition's body begins with, in terms of the arguments."""
        if symbol.body is None or symbol.nested or symbol.recursive or symbol in self.ev.constants:
            return None
        if not depth or any(one.arity for one in symbol.parameters):
            return None
        given = dict(zip(symbol.parameters, whole.arguments, strict=True))
        own = [one for one, argument in given.items() if self._names(argument, unit, name)]
        if len(own) != 1 or not _is_name(given[own[0]], name):
            return None
        found = self.look(symbol.body, Unit(symbol.module), own[0], depth - 1)
        if found is None:
            return None

        def apply_to_arguments(part: Expression) -> Expression:
            used = self.ev.analysis.of(part, symbol.module).free
            parameters = tuple(one for one in symbol.parameters if one in used)
            made = replace(symbol, parameters=parameters, body=part)
            return ast.Apply(made, tuple(given[one] for one in parameters), place=whole.place)

        before, equation = [apply_to_arguments(one) for one in found.before], found.equation
        if equation is not None:
            path = tuple(map(apply_to_arguments, equation.path))
            equation = replace(equation, function=apply_to_arguments(equation.function), path=path)
        found = _Found(before, equation)
        return found if self._are_about_state(found, unit) else None

    def _are_about_state(self, found: _Found, unit: Unit) -> bool:
        """True if the arguments have not made any part one about a step."""
        equation = found.equation
        parts = [] if equation is None else [equation.function, *equation.path]
        return all(self._is_about_state(one, unit) for one in (*found.before, *parts))

    def _is_about_state(self, whole: Expression, unit: Unit) -> bool:
        facts = self.ev.analysis.of(whole, unit.module)
        return facts.level <= STATE and not facts.changing and not facts.enabled

    def _names(self, whole: Expression, unit: Unit, name: Symbol) -> bool:
        return name in self.ev.analysis.of(whole, unit.module).free


def _is_name(whole: Expression, name: Symbol) -> bool:
    return isinstance(whole, ast.Apply) and whole.operator is name and not whole.arguments


class _Narrowing:
    """A loop whose values are known from the next state, if that is known."""

    def __init__(
        self,
        ev: Evaluator,
        unit: Unit,
        name: Symbol,
        before: list[Expression],
        equation: _Equation,
        kind: type,
    ) -> None:
        self.ev, self.unit, self.kind, self.equation = ev, unit, kind, equation
        self.slot, self.before = unit.slot(name), before
        self.naming = [name in ev.analysis.of(one, unit.module).free for one in before]
        self.compiled: tuple[list[tuple[Truth, bool]], Evaluate, list[Evaluate]] | None = None

    def narrow(self, e: Frame, row: Iterable[Value]) -> Iterable[Value]:
        """Return the members of a row that may be taken, in their order."""
        known = self.ev.next[self.equation.target]
        if known is UNSET:
            return row
        members = list(row)
        if len(members) < _FEWEST:
            return members
        e = extend_frame(e, self.unit)
        e[self.slot] = members[0]
        try:
            item = self._find(e, known)
        except (Undefined, NoValue, RecursionError):
            return members
        self.ev.read_next[0] = True
        if item is DIFFERENT:
            return ()
        return [one for one in members if one == item] if type(item) is self.kind else members

    def _find(self, e: Frame, known: Value) -> Any:
        """Return the item of the known value at the path. DIFFERENT if no member makes the body true, and
        UNSET if each may."""
        if self.compiled is None:
            self.compiled = self._compile()
        tests, function, path = self.compiled
        for test, is_naming in tests:
            if not test(e) and not is_naming:
                return DIFFERENT
        place = self.equation.function.place
        return find_item(self.ev, place, function(e), [one(e) for one in path], known)

    def _compile(self) -> tuple[list[tuple[Truth, bool]], Evaluate, list[Evaluate]]:
        ev, unit, equation = self.ev, self.unit, self.equation
        tests = [
            (ev.truth(one, unit), is_naming) for one, is_naming in zip(self.before, self.naming, strict=True)
        ]
        return tests, ev.value(equation.function, unit), [ev.value(one, unit) for one in equation.path]
