"""Static facts about an expression: its level, and the bound names that it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from verifier.tla import ast
from verifier.tla.ast import Bound, Definition, Expression, Parameter, Symbol

CONSTANT, STATE, ACTION, TEMPORAL = range(4)
"""Levels: constant, of a state, of a step, of an execution."""

_PRINTING = {"Print", "PrintT"}
_RANDOM = _PRINTING | {
    "RandomElement", "RandomSubset", "RandomSubsetSet", "RandomSetOfSubsets", "TestRandomSetOfSubsets",
    "JavaTime",
}  # fmt: skip
"""Operators that may have another value each time, or that have a side effect."""
_OF_THE_SEARCH = {
    "TLCGet", "TLCSet", "TLCGetOrDefault", "TLCGetAndSet", "Trace", "CounterExample", "PickSuccessor",
    "IOExec", "CSVWrite", "JsonSerialize", "ndJsonSerialize", "Serialize",
}  # fmt: skip
"""Operators that depend on the search. TLC treats them as formulas of a state."""


@dataclass(frozen=True)
class Facts:
    """The facts of an expression."""

    level: int
    free: frozenset[Symbol]
    """The bound names, parameters and definitions of a LET around it that it needs."""
    changing: bool = False
    """True if it may have another value each time, or has a side effect."""
    drawn: bool = False
    """True if it needs a definition without parameters that has a random value. It is drawn once for a run,
    and another run draws another value."""
    reads: frozenset[ast.Variable] = frozenset()
    """The variables whose values it may need."""
    costly: bool = False
    """True if it enumerates a set, builds a set that others enumerate, or is recursive."""
    enabled: bool = False
    """True if it contains ENABLED. Names around it may then refer to the next state."""
    weighing: frozenset[Symbol] = frozenset()
    """For a definition: the parameters that it needs outside ENABLED, and those that it does not need. Their
    levels count. ``Can(A) == ENABLED A`` is about one state for every A."""

    def join(self, other: Facts) -> Facts:
        """Return the facts of an expression that has both as parts."""
        return Facts(
            max(self.level, other.level),
            self.free | other.free,
            self.changing or other.changing,
            self.drawn or other.drawn,
            self.reads | other.reads,
            self.costly or other.costly,
            self.enabled or other.enabled,
            self.weighing | other.weighing,
        )

    @property
    def fixed(self) -> bool:
        """True if it has one value in every context."""
        return self.level == CONSTANT and not self.free and not self.changing


_NOTHING: frozenset[Symbol] = frozenset()
_LISTING = {"TLCEval", "SelectSeq"}
"""Operators whose value is listed. A constant with one is computed once, so its use costs nothing."""
_GOES_THROUGH_SETS = (
    ast.Quantifier, ast.Choose, ast.Filter, ast.Image, ast.Function, ast.FunctionSet, ast.RecordSet,
)  # fmt: skip


def subexpressions(whole: Expression) -> tuple[list[Expression], list[Symbol]]:  # noqa: C901 -- one case each
    """Return the direct subexpressions of an expression, and the names that it binds in them."""
    match whole:
        case ast.Apply() | ast.OperatorArgument():
            return list(whole.arguments) if isinstance(whole, ast.Apply) else [], []
        case ast.Lambda():
            return [whole.body], list(whole.parameters)
        case ast.Junction() | ast.SetOf() | ast.Tuple() | ast.Product() | ast.Temporal():
            return list(whole.items), []
        case ast.If():
            return [whole.condition, whole.then, whole.otherwise], []
        case ast.Case():
            parts = [part for arm in whole.arms for part in arm]
            return [*parts, whole.other] if whole.other is not None else parts, []
        case ast.Quantifier() | ast.Image() | ast.Function():
            names: list[Symbol] = [name for binding in whole.bindings for name in binding.names]
            if isinstance(whole, ast.Function) and whole.itself is not None:
                names.append(whole.itself)
            return [*(binding.domain for binding in whole.bindings), whole.body], names
        case ast.Choose() | ast.Filter():
            return [whole.binding.domain, whole.body], list(whole.binding.names)
        case ast.Unbounded():
            return [whole.body], list(whole.names)
        case ast.FunctionSet():
            return [whole.domain, whole.range], []
        case ast.Record() | ast.RecordSet():
            return [value for _, value in whole.fields], []
        case ast.Except():
            updates = whole.updates
            paths = [part for update in updates for part in update.path]
            return [whole.function, *paths, *(update.value for update in updates)], []
        case ast.FunctionApply():
            return [whole.function, whole.argument], []
        case ast.Enabled():
            return [whole.body, *(value for _, value in whole.own)], []
        case ast.Prime() | ast.Unchanged():
            return [whole.body], []
        case ast.Step():
            return [whole.action, whole.subscript], []
        case ast.Fairness():
            return [whole.subscript, whole.action], []
    return [], []


class Analysis:
    """Computes the facts of expressions, each once."""

    def __init__(self, resolve: Callable[[Symbol, str], Symbol | None]) -> None:
        self.resolve = resolve
        self.expressions: dict[tuple[Expression, str], Facts] = {}
        self.definitions: dict[Definition, Facts] = {}
        self.drawn: dict[Definition, bool] = {}
        """For changing definitions that are evaluated once: True if they do more than print."""
        self.active: list[Definition] = []
        """The definitions whose analysis is in progress."""
        self.again: set[Definition] = set()
        """The active definitions that are recursive."""
        self.passing: set[Definition] = set()
        """The active definitions that depend on an unfinished one."""

    def of(self, whole: Expression, module: str) -> Facts:
        """Return the facts of an expression in the text of a module."""
        key = (whole, module)
        facts = self.expressions.get(key)
        if facts is None:
            facts = self.expressions[key] = self._find_facts(whole, module)
        return facts

    def of_definition(self, definition: Definition) -> Facts:
        """Return the facts of a definition's body, without its parameters. The facts of a recursive
        definition are iterated to a fixed point. Facts of other definitions that depend on an intermediate
        result are not kept."""
        facts = self.definitions.get(definition)
        if definition in self.active:
            self.again.add(definition)
            self.passing |= set(self.active[self.active.index(definition) + 1 :])
        if facts is not None:
            return facts
        self.definitions[definition] = Facts(CONSTANT, _NOTHING)
        self.active.append(definition)
        while True:
            assert definition.body is not None
            body = self._find_facts(definition.body, definition.module)
            facts = replace(
                body,
                free=body.free.difference(definition.parameters),
                weighing=body.weighing.union(set(definition.parameters) - body.free),
                costly=body.costly or definition in self.again,
            )
            done = definition not in self.again or facts == self.definitions[definition]
            self.definitions[definition] = facts
            if done:
                break
            self.expressions.clear()
        self.active.pop()
        self.again.discard(definition)
        if definition in self.passing:
            self.passing.discard(definition)
            self.expressions.clear()
            del self.definitions[definition]
        return facts

    def _find_facts(self, whole: Expression, module: str) -> Facts:
        if isinstance(whole, ast.Let):
            return self._let(whole, module)
        parts, names = subexpressions(whole)
        facts = Facts(CONSTANT, _NOTHING, costly=isinstance(whole, _GOES_THROUGH_SETS))
        for number, part in enumerate(parts):
            own = self.of(part, module)
            if self._is_only_enabled(whole, number, module):
                own = replace(own, level=min(own.level, STATE), weighing=_NOTHING)
            facts = facts.join(own)
        level, free = facts.level, set(facts.free)
        if isinstance(whole, ast.Apply | ast.OperatorArgument):
            facts = facts.join(self._symbol(whole.operator, module))
            level, free = facts.level, set(facts.free)
        elif isinstance(whole, ast.Prime | ast.Unchanged | ast.Step):
            # The argument of a parameter may contain a variable.
            speaks = level > CONSTANT or any(isinstance(name, Parameter | Definition) for name in free)
            level = max(level, ACTION) if speaks else level
        elif isinstance(whole, ast.Enabled):
            given = {variable for variable, _ in whole.own}
            level = STATE
            # In an instance with substituted variables, an argument has no variables of its own.
            weighing = facts.weighing if whole.own else _NOTHING
            facts = replace(facts, enabled=True, reads=facts.reads - given, weighing=weighing)
        elif isinstance(whole, ast.Temporal | ast.Fairness):
            level = TEMPORAL
        elif isinstance(whole, ast.At):
            free.add(AT)
        elif isinstance(whole, ast.Except):
            free.discard(AT)
            free |= self._outer_at(whole, module)
        return replace(facts, level=level, free=frozenset(free).difference(names))

    def has_one_value(self, definition: Definition) -> bool:
        """True if the interpreter evaluates a definition once for a whole run, random ones included."""
        if definition.parameters or definition.nested or definition.body is None:
            return False
        facts = self.of_definition(definition)
        return facts.level == CONSTANT and not facts.free

    def _is_listed_once(self, definition: Definition, facts: Facts) -> bool:
        """True if the value of a definition is a listed one, which is computed once."""
        body = definition.body
        if facts.changing or not self.has_one_value(definition) or not isinstance(body, ast.Apply):
            return False
        symbol = self.resolve(body.operator, definition.module) or body.operator
        return isinstance(symbol, ast.Builtin) and symbol.name in _LISTING

    def _is_drawn(self, definition: Definition) -> bool:
        """True if a changing definition that is evaluated once does more than print."""
        known = self.drawn.get(definition)
        if known is None:
            assert definition.body is not None
            known = answers_differently(definition.body, definition.module, self.resolve)
            self.drawn[definition] = known
        return known

    def _is_only_enabled(self, whole: Expression, number: int, module: str) -> bool:
        """True if an operator needs its argument only below ENABLED."""
        if not isinstance(whole, ast.Apply):
            return False
        symbol = self.resolve(whole.operator, module) or whole.operator
        if not isinstance(symbol, Definition) or symbol.body is None or number >= len(symbol.parameters):
            return False
        return symbol.parameters[number] not in self.of_definition(symbol).weighing

    def _outer_at(self, whole: ast.Except, module: str) -> set[Symbol]:
        outer = [whole.function, *(part for update in whole.updates for part in update.path)]
        return {AT} if any(AT in self.of(part, module).free for part in outer) else set()

    def _let(self, whole: ast.Let, module: str) -> Facts:
        facts = self.of(whole.body, module)
        free = set(facts.free)
        for definition in (*whole.definitions, *reversed(whole.definitions)):
            if definition in free:
                free |= self.of_definition(definition).free
        return replace(facts, free=frozenset(free).difference(whole.definitions))

    def _symbol(self, symbol: Symbol, module: str) -> Facts:
        if isinstance(symbol, ast.Variable):
            return Facts(STATE, _NOTHING, reads=frozenset((symbol,)))
        if isinstance(symbol, Bound | Parameter):
            return Facts(CONSTANT, frozenset((symbol,)), weighing=frozenset((symbol,)))
        other = self.resolve(symbol, module)
        if other is not None:
            return self._symbol(other, module) if other is not symbol else Facts(CONSTANT, _NOTHING)
        if isinstance(symbol, Definition):
            facts = self.of_definition(symbol)
            if facts.changing and self.has_one_value(symbol):  # TLC computes it once, too
                facts = replace(facts, changing=False, drawn=self._is_drawn(symbol))
            if facts.costly and self._is_listed_once(symbol, facts):
                return replace(facts, costly=False)
            return replace(facts, free=facts.free | {symbol}) if symbol.nested else facts
        if isinstance(symbol, ast.Builtin):
            searching = symbol.name in _OF_THE_SEARCH
            level, changing = STATE if searching else CONSTANT, searching or symbol.name in _RANDOM
            level = ACTION if symbol.name == "\\cdot" else level
            return Facts(level, _NOTHING, changing=changing, costly=any(symbol.takes))
        return Facts(CONSTANT, _NOTHING)


def answers_differently(
    whole: Expression,
    module: str,
    resolve: Callable[[Symbol, str], Symbol | None],
    has_one_value: Callable[[Definition], bool] = lambda _: False,
) -> bool:
    """True if an expression may have another value each time in the same state. ``has_one_value``: a
    definition has the same value throughout the run, whatever its body says."""
    waiting, seen = [(whole, module)], set[Definition]()
    while waiting:
        part, module = waiting.pop()
        parts = subexpressions(part)[0]
        if isinstance(part, ast.Let):
            parts = [part.body]
        waiting += [(one, module) for one in parts]
        symbol = getattr(part, "operator", None)
        symbol = symbol and (resolve(symbol, module) or symbol)
        if isinstance(symbol, ast.Builtin) and symbol.name in (_RANDOM | _OF_THE_SEARCH) - _PRINTING:
            return True
        if not isinstance(symbol, Definition) or has_one_value(symbol):
            continue
        if symbol.body is not None and symbol not in seen:
            seen.add(symbol)
            waiting.append((symbol.body, symbol.module))
    return False


AT = Bound("@")
"""The symbol for @ among the free names of an expression."""
