"""The evaluation of formulas of a step while some names range over intervals of integers.

The state and the next state are known. The result is a truth value, or that it is not the same everywhere. A
part that names no interval is evaluated by the interpreter itself. Where a part may have no value, or no rule
says what it may be, ``Unsure`` is raised. So a result says also that no value of the names leads to an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import is_
from typing import TYPE_CHECKING, Any, TypeAlias

from verifier.tla import ast
from verifier.tla.approximation import (
    Approximate,
    Exactly,
    Fields,
    Items,
    Listed,
    OneMore,
    OneOf,
    Part,
    Unsure,
    Within,
    interval,
    join_approximations,
    may_equal,
)  # fmt: skip
from verifier.tla.ast import Builtin, Definition, Expression, Symbol
from verifier.tla.facts import STATE
from verifier.tla.frames import PLAIN, SETTLED, Evaluate, Undefined, Unit, force_delayed
from verifier.tla.value_types import FALSE, TRUE, Fn, NoValue, Value
from verifier.tla.values import pairs_of

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator

_LARGEST = 2**31 - 1
_DEEPEST = 40
_MOST_RECORDS = 10_000
_Truth: TypeAlias = bool | None
"""None: it may be TRUE or FALSE."""
_Compiled: TypeAlias = tuple[Unit, list[tuple[Symbol, int]], Evaluate]
"""The unit of an expression, its names with their slots, and its compiled form."""
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


class Scope:
    """The values of names, in a scope and those around it."""

    __slots__ = ("around", "names")

    def __init__(self, names: dict[Symbol, Approximate], around: Scope | None = None) -> None:
        self.names, self.around = names, around

    def find(self, symbol: Symbol) -> Approximate | None:
        """Return the value of a name; None for an unknown one."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.names.get(symbol)
            if found is not None:
                return found
            scope = scope.around
        return None


class Approximation:
    """Evaluates formulas for one evaluator."""

    def __init__(self, ev: Evaluator) -> None:
        self.ev = ev
        self._compiled: dict[tuple[Expression, str], _Compiled] = {}
        self._symbols: dict[tuple[Symbol, str], Symbol] = {}
        self._records: dict[Any, tuple[list[Value], Fields]] = {}
        self._depth = 0
        self._plain = SETTLED if ev.computes_later else PLAIN

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        self._depth += 1
        try:
            if self._depth > _DEEPEST:
                raise Unsure
            yield
        finally:
            self._depth -= 1

    # -- truths

    def truth(self, whole: Expression, module: str, scope: Scope) -> _Truth:
        """Return the truth value of a formula."""
        known = self._evaluate_known(whole, module, scope)
        if known is not None:
            return _truth_of(known)
        match whole:
            case ast.Junction():
                return self._junction(whole, module, scope)
            case ast.If():
                taken = self.truth(whole.condition, module, scope)
                if taken is not None:
                    return self.truth(whole.then if taken else whole.otherwise, module, scope)
                then, otherwise = (
                    self.truth(part, module, self._refine(whole.condition, module, scope, holds))
                    for part, holds in ((whole.then, True), (whole.otherwise, False))
                )
                return then if then is otherwise else None
            case ast.Let():
                return self.truth(whole.body, module, scope)
            case ast.Apply():
                return self._apply(whole, module, scope)
        raise Unsure

    def _junction(self, whole: ast.Junction, module: str, scope: Scope) -> _Truth:
        """Return the value of a conjunction or disjunction. The parts after one that may decide are evaluated
        as if it did not."""
        found: _Truth = whole.conjunction
        for item in whole.items:
            one = self.truth(item, module, scope)
            if one is not whole.conjunction and one is not None:
                return one
            if one is None:
                found = None
                scope = self._refine(item, module, scope, whole.conjunction)
        return found

    def _apply(self, whole: ast.Apply, module: str, scope: Scope) -> _Truth:
        symbol = self._resolve(whole.operator, module)
        if isinstance(symbol, Definition):
            body, inside, own = self._enter(symbol, whole, module, scope)
            with self._deeper():
                return self.truth(body, inside, own)
        if not isinstance(symbol, Builtin):
            raise Unsure
        match symbol.name:
            case "~":
                one = self.truth(whole.arguments[0], module, scope)
                return None if one is None else not one
            case "<" | ">" | "<=" | ">=":
                return self._compare(symbol.name, whole, module, scope)
            case "=" | "#":
                one = self._equal(*(self.value(part, module, scope) for part in whole.arguments))
                return None if one is None else one is (symbol.name == "=")
        raise Unsure

    def _compare(self, sign: str, whole: ast.Apply, module: str, scope: Scope) -> _Truth:
        one, other = (interval(self.value(part, module, scope)) for part in whole.arguments)
        if sign in (">", ">="):
            one, other, sign = other, one, _MIRRORED[sign]
        strict = sign == "<"
        if one.high < other.low or (not strict and one.high == other.low):
            return True
        if one.low > other.high or (strict and one.low == other.high):
            return False
        return None

    @staticmethod
    def _equal(one: Approximate, other: Approximate) -> _Truth:
        if isinstance(other, Exactly):
            one, other = other, one
        if isinstance(one, Exactly):
            possible = may_equal(one.value, other)
            return None if possible and not isinstance(other, Exactly) else possible
        first, second = interval(one), interval(other)
        return False if first.high < second.low or second.high < first.low else None

    def _refine(self, whole: Expression, module: str, scope: Scope, holds: bool) -> Scope:
        """Return the scope in which a condition is known: intervals of names that it compares."""
        match whole:
            case ast.Junction() if whole.conjunction is holds:
                for item in whole.items:
                    scope = self._refine(item, module, scope, holds)
            case ast.Apply(operator=Builtin(name="<" | ">" | "<=" | ">=" as sign)):
                one, other = whole.arguments
                for name, bound, way in ((one, other, sign), (other, one, _MIRRORED[sign])):
                    scope = self._narrow(name, bound, way, module, scope, holds)
        return scope

    def _narrow(
        self, name: Expression, bound: Expression, sign: str, module: str, scope: Scope, holds: bool
    ) -> Scope:
        if not isinstance(name, ast.Apply) or name.arguments:
            return scope
        own, limit = self.value(name, module, scope), interval(self.value(bound, module, scope))
        if not isinstance(own, Within):
            return scope
        if not holds:
            sign = {"<": ">=", ">": "<=", "<=": ">", ">=": "<"}[sign]
        low, high = own.low, own.high
        if sign in ("<", "<="):
            high = min(high, limit.high - (sign == "<"))
        else:
            low = max(low, limit.low + (sign == ">"))
        # An empty interval: no value of the names leads here.
        return Scope({name.operator: Within(low, high)}, scope) if low <= high else scope

    # -- values

    def value(self, whole: Expression, module: str, scope: Scope) -> Approximate:
        """Return what the value of an expression may be."""
        if type(whole) is ast.Apply and not whole.arguments:
            named = scope.find(whole.operator)
            if named is not None:
                return named
        known = self._evaluate_known(whole, module, scope)
        if known is not None:
            return Exactly(known)
        match whole:
            case ast.Tuple():
                return Items(tuple(self.value(item, module, scope) for item in whole.items))
            case ast.SetOf():
                return Listed(tuple(self.value(item, module, scope) for item in whole.items))
            case ast.Record():
                return self._record(whole, module, scope)
            case ast.FunctionApply():
                return _look_up(
                    self.value(whole.function, module, scope), self.value(whole.argument, module, scope)
                )
            case ast.If():
                return self._if(whole, module, scope)
            case ast.Let():
                return self.value(whole.body, module, scope)
            case ast.Apply():
                return self._application(whole, module, scope)
        raise Unsure

    def _record(self, whole: ast.Record, module: str, scope: Scope) -> Approximate:
        """Return a record. A step leaves most variables unchanged, so the last one is often right."""
        facts, now = self.ev.analysis.of(whole, module), self.ev.now
        key = (whole, tuple((symbol, scope.find(symbol)) for symbol in facts.free))
        objects = [now[self.ev.index[variable]] for variable in facts.reads]
        try:
            known = self._records.get(key) if facts.level <= STATE else None
        except TypeError:  # a name stands for a record, which has no hash
            known, key = None, (whole, ())
        if known is not None and all(map(is_, known[0], objects)):
            return known[1]
        found = Fields({name: self.value(one, module, scope) for name, one in whole.fields})
        if facts.level <= STATE and len(key[1]) == len(facts.free):
            if len(self._records) > _MOST_RECORDS:
                self._records.clear()
            self._records[key] = objects, found
        return found

    def _if(self, whole: ast.If, module: str, scope: Scope) -> Approximate:
        taken = self.truth(whole.condition, module, scope)
        if taken is not None:
            return self.value(whole.then if taken else whole.otherwise, module, scope)
        return join_approximations(
            self.value(whole.then, module, self._refine(whole.condition, module, scope, True)),
            self.value(whole.otherwise, module, self._refine(whole.condition, module, scope, False)),
        )

    def _application(self, whole: ast.Apply, module: str, scope: Scope) -> Approximate:
        symbol = self._resolve(whole.operator, module)
        if isinstance(symbol, Definition):
            body, inside, own = self._enter(symbol, whole, module, scope)
            with self._deeper():
                made = self.value(body, inside, own)
            if symbol.nested and not symbol.parameters:
                scope.names[symbol] = made  # it is the same in this scope, and no narrower in those inside
            return made
        if isinstance(symbol, ast.Bound | ast.Parameter):
            found = scope.find(symbol)
            if found is None or whole.arguments:
                raise Unsure
            return found
        if not isinstance(symbol, Builtin):
            raise Unsure
        return _apply_builtin(symbol.name, [self.value(one, module, scope) for one in whole.arguments])

    def _enter(
        self, symbol: Definition, whole: ast.Apply, module: str, scope: Scope
    ) -> tuple[Expression, str, Scope]:
        """Return the body of a definition, its module, and the scope of the body."""
        if symbol.body is None or symbol.recursive or symbol in self.ev.constants:
            raise Unsure
        if any(one.arity for one in symbol.parameters):
            raise Unsure
        given: dict[Symbol, Approximate] = {
            name: self.value(part, module, scope)
            for name, part in zip(symbol.parameters, whole.arguments, strict=True)
        }
        return symbol.body, symbol.module, Scope(given, scope if symbol.nested else None)

    # -- what is known

    def _evaluate_known(self, whole: Expression, module: str, scope: Scope) -> Value | None:
        """Return the value of an expression that names no interval; None for another one."""
        compiled = self._compiled.get((whole, module)) or self._compile(whole, module)
        unit, slots, evaluate = compiled
        frame = unit.frame()
        for number, (symbol, slot) in enumerate(slots):
            found = scope.find(symbol)
            if type(found) is not Exactly:
                if number:  # it is asked for first the next time
                    slots[0], slots[number] = slots[number], slots[0]
                return None
            frame[slot] = found.value
        try:
            value = evaluate(frame)
            return value if type(value) in self._plain else force_delayed(value)
        except (Undefined, NoValue, RecursionError):
            raise Unsure from None

    def _compile(self, whole: Expression, module: str) -> _Compiled:
        facts, unit = self.ev.analysis.of(whole, module), Unit(module)
        if facts.changing or facts.enabled:
            raise Unsure
        slots = [(symbol, unit.slot(symbol)) for symbol in facts.free]
        found = self._compiled[whole, module] = unit, slots, self.ev.value(whole, unit)
        return found

    def _resolve(self, symbol: Symbol, module: str) -> Symbol:
        found = self._symbols.get((symbol, module))
        if found is None:
            found = self._symbols[symbol, module] = self.ev.resolve(symbol, module) or symbol
        return found


def _truth_of(value: Value) -> bool:
    if value is not TRUE and value is not FALSE:
        raise Unsure
    return value is TRUE


def _look_up(function: Approximate, argument: Approximate) -> Approximate:
    """Return the value of a function at an argument that is in its domain in any case."""
    match function, argument:
        case Items(items), Exactly(int() as place) if 0 < place <= len(items):
            return items[place - 1]
        case Fields(fields), Exactly(str() as name) if name in fields:
            return fields[name]
        case Exactly(tuple() as items), Within(low, high) if 0 < low <= high <= len(items):
            return OneOf(items[low - 1 : high])
        case OneOf(values), Exactly(key) if all(type(one) is Fn and key in one for one in values):
            return OneOf(tuple(one[key] for one in values))
    raise Unsure


def _apply_builtin(name: str, given: list[Approximate]) -> Approximate:
    """Return the value of a built-in operator."""
    match name, given:
        case "+" | "-", [first, second]:
            one, other = interval(first), interval(second)
            if name == "-":
                other = Within(-other.high, -other.low)
            low, high = one.low + other.low, one.high + other.high
            if low < -_LARGEST or high > _LARGEST:
                raise Unsure
            return Within(low, high)
        case "Min" | "Max", [Listed(items)] if items:
            choose: Callable[..., int] = min if name == "Min" else max
            parts = list(map(interval, items))
            return Within(choose(one.low for one in parts), choose(one.high for one in parts))
        case "SubSeq", [Exactly(tuple() as of), first, second]:
            one, other = interval(first), interval(second)
            # With the first place in 1..n+1 and the last one at most n, it always has a value.
            if one.low < 1 or other.high > len(of):
                raise Unsure
            shortest, longest = other.low - one.high + 1, other.high - one.low + 1
            return Part(of[one.low - 1 : max(other.high, 0)], max(0, shortest), max(0, longest))
        case "SetToBag", [Listed((Fields() as record,))]:
            return OneMore({}, record)
        case "(+)", [Exactly(bag), OneMore(empty, record)] if not empty:
            try:
                counts = pairs_of(bag)
            except NoValue:
                raise Unsure from None
            records = all(type(item) is Fn for item in counts)
            if not records or not all(type(count) is int for count in counts.values()):
                raise Unsure
            return OneMore(counts, record)
    raise Unsure
