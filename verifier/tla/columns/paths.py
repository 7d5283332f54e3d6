"""Parts of expressions that are columns of their own: ``counter[i]``, ``msg.term``, a name of a LET.

An expression that reads only ``counter[i]`` has one value for it, however many values ``counter`` has. So the
path is evaluated first, by a leaf of its own, and is the key of the expression. The same is done for parts of
a path: ``ledger[block.previous]`` is keyed by ``ledger`` and ``block.previous``, if these names read more.
The interpreter might not have evaluated a path. If the path has no value, or none that is listed, the whole
expression is evaluated as it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable
from dataclasses import replace
from typing import Any

from verifier.tla import ast
from verifier.tla.ast import Bound, Definition, Expression, Symbol
from verifier.tla.columns.batches import ColumnReference
from verifier.tla.columns.environments import Columns, Environment, Given
from verifier.tla.evaluator import Evaluator
from verifier.tla.facts import ACTION

Key = Hashable
"""The identity of a path: two paths with one key have one value."""
Rewrite = Callable[[Expression], Expression]


class Paths:
    """Replaces the paths in expressions by names of columns."""

    def __init__(
        self, columns: Columns, derived: Callable[[Expression, Environment], ColumnReference]
    ) -> None:
        """``derived`` makes the column of a path."""
        self.core: Evaluator = columns.core
        self.columns, self.derived = columns, derived
        self.made: dict[Key, ColumnReference] = {}
        self.names: list[Bound] = []
        """Names for paths. The first path of an expression has the first name, so that frames stay short."""

    def shorten(self, whole: Expression, around: Environment) -> tuple[Expression, Environment]:
        """Return an expression with names for its paths, if it then reads less; else the given one. A path
        itself gets names for the paths that are parts of it."""
        body, inner = self._unfold(whole, around)
        paths: dict[Key, Expression] = {}
        self._in_parts(body, inner, paths, None)
        if not paths:
            return whole, around
        rest = set(self.columns.read(*self._resolve_name(body, inner, paths, paths), False))
        spared = {
            key: path for key, path in paths.items() if not set(self.columns.read(path, inner, False)) <= rest
        }
        return self._resolve_name(body, inner, spared, paths) if spared else (whole, around)

    def _unfold(self, whole: Expression, around: Environment) -> tuple[Expression, Environment]:
        """Return the expression that a name of a path stands for."""
        while isinstance(whole, ast.Apply) and not whole.arguments:
            symbol = self.core.resolve(whole.operator, around.unit.module) or whole.operator
            stands = around.names.get(symbol)
            if not isinstance(stands, Given) or self._path(whole, around) is None:
                break
            body, inner = stands.expression, stands.around or around
            if self._path(body, inner) is None:
                break
            whole, around = body, inner
        return whole, around

    def _resolve_name(
        self, whole: Expression, around: Environment, wanted: Container[Key], paths: dict[Key, Expression]
    ) -> tuple[Expression, Environment]:
        names: dict[Key, Bound] = {}
        inner: dict[Symbol, ColumnReference | Given] = {}
        for key, path in paths.items():
            if key in wanted:
                if len(self.names) == len(names):
                    self.names.append(Bound(f"path {len(names)}"))
                names[key] = self.names[len(names)]
                of = self.made.get(key)
                if of is None:
                    of = self.made[key] = self.derived(path, around)
                inner[names[key]] = of
        return self._in_parts(whole, around, {}, names), around.having(inner)

    def _in_parts(
        self,
        whole: Expression,
        around: Environment,
        paths: dict[Key, Expression],
        names: dict[Key, Bound] | None,
    ) -> Expression:
        """Return an expression with names for paths that are parts of it. The paths are added to
        ``paths``."""

        def of(part: Expression) -> Expression:
            return self._rewrite(part, around, paths, names)

        def within(path: Expression) -> Expression:
            if not isinstance(path, ast.FunctionApply):
                return path
            if isinstance(path.argument, ast.Number | ast.String):  # another column would not save much
                return replace(path, function=within(path.function))
            return _rebuild(path, of)

        return of(whole) if self._path(whole, around) is None else within(whole)

    def _rewrite(
        self,
        whole: Expression,
        around: Environment,
        paths: dict[Key, Expression],
        names: dict[Key, Bound] | None,
    ) -> Expression:
        """Return an expression with names for paths, itself included. The paths are added to ``paths``."""
        key = self._path(whole, around)
        if key is not None:
            if names is not None and key in names:
                return ast.Apply(names[key], place=whole.place)
            paths[key] = whole
            return whole

        def of(part: Expression) -> Expression:
            return self._rewrite(part, around, paths, names)

        if isinstance(whole, ast.Apply) and not self._keeps(whole.operator, around):
            return whole
        return _rebuild(whole, of)

    def _keeps(self, operator: Symbol, around: Environment) -> bool:
        """True if an operator never puts its arguments below a prime."""
        symbol = self.core.resolve(operator, around.unit.module) or operator
        if isinstance(symbol, Definition) and symbol not in self.core.constants:
            return self.core.analysis.of_definition(symbol).level < ACTION
        return isinstance(symbol, ast.Builtin)

    def _path(self, whole: Expression, around: Environment) -> Key | None:
        """Return the key of a path that is neither a variable nor a bound name; None for other
        expressions."""
        if not isinstance(whole, ast.Apply | ast.FunctionApply | ast.Prime):
            return None
        key = self._key(whole, around)
        return None if isinstance(key, ColumnReference | ast.Variable | str | int) else key

    def _key(self, whole: Expression, around: Environment) -> Any:
        """Return the key of a path, or None. A path is a name, a part of a path, or a path in the next
        state."""
        match whole:
            case ast.Number() | ast.String():
                return whole.value
            case ast.FunctionApply():
                function, argument = self._key(whole.function, around), self._key(whole.argument, around)
                return None if function is None or argument is None else (function, argument)
            case ast.Prime():
                body = self._key(whole.body, around)
                return None if body is None or isinstance(body, ast.Variable) else ("'", body, "'")
            case ast.Apply() if not whole.arguments:
                return self._name(
                    self.core.resolve(whole.operator, around.unit.module) or whole.operator, around
                )
        return None

    def _name(self, symbol: Symbol, around: Environment) -> Any:
        if isinstance(symbol, ast.Variable):
            return symbol
        stands = around.names.get(symbol)
        if stands is not None:
            if getattr(symbol, "arity", 0):
                return None
            return self._find_key(stands, around) if isinstance(stands, Given) else stands
        if isinstance(symbol, Definition) and not symbol.nested and symbol not in self.core.constants:
            facts = self.core.analysis.of_definition(symbol)
            plain = not (symbol.parameters or facts.changing or facts.enabled or facts.level >= ACTION)
            # The interpreter tests {x \in S : P} for one member, and S may have very many.
            return symbol if plain and facts.reads and not isinstance(symbol.body, ast.Filter) else None
        return None

    def _find_key(self, stands: Given, around: Environment) -> Any:
        """Return the key of a name that stands for an expression: that of the expression if it is a path."""
        whole, inner = stands.expression, stands.around or around
        if not self.columns.read(whole, inner, False):
            return None
        body = self._key(whole, inner)
        return stands if body is None else body


def _rebuild(whole: Expression, of: Rewrite) -> Expression:
    """Return an expression with its parts replaced. Parts below a prime stay as they are."""
    match whole:
        case ast.Apply():
            return replace(whole, arguments=tuple(map(of, whole.arguments))) if whole.arguments else whole
        case ast.Junction() | ast.SetOf() | ast.Tuple() | ast.Product():
            return replace(whole, items=tuple(map(of, whole.items)))
        case ast.If():
            condition, then, otherwise = map(of, (whole.condition, whole.then, whole.otherwise))
            return replace(whole, condition=condition, then=then, otherwise=otherwise)
        case ast.Case():
            arms = tuple((of(guard), of(value)) for guard, value in whole.arms)
            return replace(whole, arms=arms, other=None if whole.other is None else of(whole.other))
        case ast.Record():
            return replace(whole, fields=tuple((name, of(value)) for name, value in whole.fields))
        case ast.FunctionApply():
            return replace(whole, function=of(whole.function), argument=of(whole.argument))
        case ast.Except():
            updates = tuple(
                replace(update, path=tuple(map(of, update.path)), value=of(update.value))
                for update in whole.updates
            )
            return replace(whole, function=of(whole.function), updates=updates)
        case ast.Quantifier() | ast.Image() | ast.Function():
            bindings = tuple(replace(binding, domain=of(binding.domain)) for binding in whole.bindings)
            return replace(whole, bindings=bindings, body=of(whole.body))
        case ast.Choose() | ast.Filter():
            binding = replace(whole.binding, domain=of(whole.binding.domain))
            return replace(whole, binding=binding, body=of(whole.body))
    return whole
