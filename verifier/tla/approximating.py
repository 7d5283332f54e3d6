"""The evaluation of formulas of a step while some names range over intervals of integers.

The state and the next state are known. The result is a truth value, or that it is not the same everywhere. A
part that names no interval is evaluated by the interpreter itself. Where a part may have no value, or no rule
says what it may be, ``Unsure`` is raised. So a result says also that no value of the names leads to an error.
"""

from __future__ import annotations

from collections.abc import Callable
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
from verifier.tla.approximation_scopes import Known, Scope
from verifier.tla.ast import Builtin, Definition, Expression, Symbol
from verifier.tla.facts import STATE
from verifier.tla.frames import PLAIN, SETTLED, UNSET, Evaluate, Undefined, Unit, force_delayed
from verifier.tla.part_reads import PartRead, Read, find_part_reads
from verifier.tla.value_types import FALSE, TRUE, Boolean, Fn, ModelValue, NoValue, Value
from verifier.tla.values import pairs_of

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator

_LARGEST = 2**31 - 1
_DEEPEST = 40
_MOST_ROOTS = 128
"""The most combinations of the values around a quantifier for which results are kept."""
ApproximateTruth: TypeAlias = bool | None
"""None: it may be TRUE or FALSE."""
_Compiled: TypeAlias = tuple[Unit, list[tuple[Symbol, int]], Evaluate]
"""The unit of an expression, its names with their slots, and its compiled form."""
_SMALL = frozenset((int, str, Boolean, ModelValue))
"""The types of values that are compared at once."""
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


class Approximation:
    """Evaluates formulas for one evaluator."""

    def __init__(self, ev: Evaluator) -> None:
        self.ev = ev
        self._compiled: dict[tuple[Expression, str], _Compiled] = {}
        self._symbols: dict[tuple[Symbol, str], Symbol] = {}
        self._reads: dict[tuple[Expression, str], tuple[PartRead, ...] | None] = {}
        self._roots: dict[tuple[Value, ...], Scope] = {}
        self.step = self.depth = 0
        self.plain = SETTLED if ev.computes_later else PLAIN

    def begin(self, names: dict[Symbol, Approximate]) -> Scope:
        """Begin with another step. Return the scope of the names around the formula, which has what is known
        of it since an earlier step."""
        self.step += 1
        key = tuple([one.value for one in names.values() if type(one) is Exactly])
        if len(key) < len(names) or not all(type(value) in _SMALL for value in key):
            return Scope(names)
        scope = self._roots.get(key)
        if scope is None:
            if len(self._roots) >= _MOST_ROOTS:
                self._roots.clear()
            scope = self._roots[key] = Scope(names)
        return scope

    def reads(self, whole: Expression, module: str, scope: Scope) -> list[Read] | None:
        """Return the parts of variables that an expression of one state reads; None for another one."""
        place = whole, module
        if place not in self._reads:
            facts = self.ev.analysis.of(whole, module)
            one_state = facts.level <= STATE and not (facts.changing or facts.enabled)
            self._reads[place] = find_part_reads(self.ev, whole, module) if one_state else None
        parts = self._reads[place]
        return None if parts is None else [(one, self._argument(name, scope)) for one, name in parts]

    def _argument(self, name: Symbol | None, scope: Scope) -> Any:
        """Return the value of a name of a part; ``UNSET`` if it is not known."""
        value = None if name is None else scope.find(name)
        return value.value if type(value) is Exactly and type(value.value) in _SMALL else UNSET

    def _keep(self, whole: Expression, module: str, scope: Scope, result: object) -> Known:
        """Return a result of an expression, to be kept."""
        return Known(self.step, self.reads(whole, module, scope), self.ev.now, result)

    # -- truths

    def truth(self, whole: Expression, module: str, scope: Scope) -> ApproximateTruth:
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
                    self.truth(part, module, self.refine(whole.condition, module, scope, holds))
                    for part, holds in ((whole.then, True), (whole.otherwise, False))
                )
                return then if then is otherwise else None
            case ast.Let():
                return self.truth(whole.body, module, scope)
            case ast.Apply():
                return self._apply(whole, module, scope)
        raise Unsure

    def _junction(self, whole: ast.Junction, module: str, scope: Scope) -> ApproximateTruth:
        """Return the value of a conjunction or disjunction. The parts after one that may decide are evaluated
        as if it did not."""
        truth: ApproximateTruth = whole.conjunction
        for item in whole.items:
            one = self.truth(item, module, scope)
            if one is not whole.conjunction and one is not None:
                return one
            if one is None:
                truth = None
                scope = self.refine(item, module, scope, whole.conjunction)
        return truth

    def _apply(self, whole: ast.Apply, module: str, scope: Scope) -> ApproximateTruth:
        symbol = self.resolve(whole.operator, module)
        if isinstance(symbol, Definition):
            body, inside, own = self.enter(symbol, whole, module, scope)
            try:
                return self.truth(body, inside, own)
            finally:
                self.depth -= 1
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

    def _compare(self, sign: str, whole: ast.Apply, module: str, scope: Scope) -> ApproximateTruth:
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
    def _equal(one: Approximate, other: Approximate) -> ApproximateTruth:
        if isinstance(other, Exactly):
            one, other = other, one
        if isinstance(one, Exactly):
            possible = may_equal(one.value, other)
            return None if possible and not isinstance(other, Exactly) else possible
        first, second = interval(one), interval(other)
        return False if first.high < second.low or second.high < first.low else None

    def refine(self, whole: Expression, module: str, scope: Scope, holds: bool) -> Scope:
        """Return the scope in which a condition is known: intervals of names that it compares."""
        match whole:
            case ast.Junction() if whole.conjunction is holds:
                for item in whole.items:
                    scope = self.refine(item, module, scope, holds)
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
        key = name.operator, low, high
        return scope.part(key, {name.operator: Within(low, high)}) if low <= high else scope

    # -- values

    def value(self, whole: Expression, module: str, scope: Scope) -> Approximate:
        """Return what the value of an expression may be."""
        if type(whole) is ast.Apply and not whole.arguments:
            named = self._find(whole.operator, scope)
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

    def _find(self, symbol: Symbol, scope: Scope) -> Approximate | None:
        """Return the value of a name, or of a definition of a LET that was needed before; else None."""
        if not isinstance(symbol, Definition):
            return scope.find(symbol)
        inner: Scope | None = scope
        while inner is not None:
            if symbol in inner.names:  # a condition bounds it
                return inner.names[symbol]
            kept = inner.values.get(symbol)
            if kept is not None and kept.holds(self.step, self.ev.now):
                result: Approximate = kept.result
                return result
            inner = inner.around
        return None

    def _record(self, whole: ast.Record, module: str, scope: Scope) -> Approximate:
        """Return a record. A step leaves most variables unchanged, so the last one is often right."""
        kept = scope.values.get(whole)
        if kept is not None and kept.holds(self.step, self.ev.now):
            known: Approximate = kept.result
            return known
        fields = Fields({name: self.value(one, module, scope) for name, one in whole.fields})
        scope.values[whole] = self._keep(whole, module, scope, fields)
        return fields

    def _if(self, whole: ast.If, module: str, scope: Scope) -> Approximate:
        taken = self.truth(whole.condition, module, scope)
        if taken is not None:
            return self.value(whole.then if taken else whole.otherwise, module, scope)
        return join_approximations(
            self.value(whole.then, module, self.refine(whole.condition, module, scope, True)),
            self.value(whole.otherwise, module, self.refine(whole.condition, module, scope, False)),
        )

    def _application(self, whole: ast.Apply, module: str, scope: Scope) -> Approximate:
        symbol = self.resolve(whole.operator, module)
        if isinstance(symbol, Definition):
            body, inside, own = self.enter(symbol, whole, module, scope)
            try:
                made = self.value(body, inside, own)
            finally:
                self.depth -= 1
            if symbol.nested and not symbol.parameters:
                # It is the same in this scope, and no narrower in those inside.
                scope.values[symbol] = self._keep(whole, module, scope, made)
            return made
        if isinstance(symbol, ast.Bound | ast.Parameter):
            value = scope.find(symbol)
            if value is None or whole.arguments:
                raise Unsure
            return value
        if not isinstance(symbol, Builtin):
            raise Unsure
        return _apply_builtin(symbol.name, [self.value(one, module, scope) for one in whole.arguments])

    def enter(
        self, symbol: Definition, whole: ast.Apply, module: str, scope: Scope
    ) -> tuple[Expression, str, Scope]:
        """Return the body of a definition, its module, and the scope of the body. The caller leaves it: the
        depth of definitions is one more."""
        if symbol.body is None or symbol.recursive or symbol in self.ev.constants:
            raise Unsure
        if any(one.arity for one in symbol.parameters):
            raise Unsure
        given: dict[Symbol, Approximate] = {
            name: self.value(part, module, scope)
            for name, part in zip(symbol.parameters, whole.arguments, strict=True)
        }
        if self.depth >= _DEEPEST:
            raise Unsure
        self.depth += 1
        return symbol.body, symbol.module, Scope(given, scope if symbol.nested else None)

    # -- what is known

    def _evaluate_known(self, whole: Expression, module: str, scope: Scope) -> Value | None:
        """Return the value of an expression that names no interval; None for another one."""
        unit, slots, evaluate = self._compiled.get((whole, module)) or self._compile(whole, module)
        frame = unit.frame()
        for number, (symbol, slot) in enumerate(slots):
            known = self._find(symbol, scope)
            if type(known) is not Exactly:
                if number:  # it is asked for first the next time
                    slots[0], slots[number] = slots[number], slots[0]
                return None
            frame[slot] = known.value
        try:
            value = evaluate(frame)
            return value if type(value) in self.plain else force_delayed(value)
        except (Undefined, NoValue, RecursionError):
            raise Unsure from None

    def _compile(self, whole: Expression, module: str) -> _Compiled:
        facts, unit = self.ev.analysis.of(whole, module), Unit(module)
        if facts.changing or facts.enabled:
            raise Unsure
        slots = [(symbol, unit.slot(symbol)) for symbol in facts.free]
        compiled = self._compiled[whole, module] = unit, slots, self.ev.value(whole, unit)
        return compiled

    def resolve(self, symbol: Symbol, module: str) -> Symbol:
        resolved = self._symbols.get((symbol, module))
        if resolved is None:
            resolved = self._symbols[symbol, module] = self.ev.resolve(symbol, module) or symbol
        return resolved


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
