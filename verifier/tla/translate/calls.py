"""Names, and operators with arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from verifier.encodings.terms import Term
from verifier.tla import ast
from verifier.tla.ast import Builtin, Definition, Expression
from verifier.tla.facts import ACTION
from verifier.tla.translate.contexts import Around, Context, Thunk
from verifier.tla.translate.evaluating import DEEPEST, Evaluation
from verifier.tla.translate.nesting import changed_arguments, follows_from_arguments, reached, some_are_equal
from verifier.tla.translate.recursion import Fold, fold_of
from verifier.tla.translate.symbolic import Known, Nothing, Sym, Table, Untranslated
from verifier.tla.translate.symbolic import Operator as Op
from verifier.tla.translate.terms import variable
from verifier.tla.translate.value_kinds import SET

_MOST_UNROLLED = 1_000
"""A recursive operator calls itself so often within one call of it."""
_MOST_TABLED = 16
"""What a recursive operator asks of others is computed for each of so many arguments."""


class Calls(Evaluation):
    """Translates names and operators."""

    def _apply(self, whole: ast.Apply, context: Context) -> Sym:
        symbol = self.evaluator.resolve(whole.operator, context.module) or whole.operator
        if symbol in self.evaluator.constants and not whole.arguments:
            return Known(self.evaluator.constants[symbol])
        match symbol:
            case ast.Variable():
                return self._variable(symbol, context)
            case ast.Bound():
                return self.named(symbol, context)
            case ast.Parameter():
                if symbol.arity:
                    operator = context.env[symbol]
                    return operator.call(*(self.value(a, context) for a in whole.arguments))  # type: ignore[no-any-return]
                return self.named(symbol, context)
            case Definition():
                return self.call(symbol, whole, context)
            case Builtin():
                return self._builtin(symbol, whole, context)
        raise Untranslated(whole.place, f"the constant {symbol.name} has no value")

    def named(self, symbol: ast.Symbol, context: Context) -> Sym:
        """What a bound name, a parameter, or a definition of a LET stands for."""
        found = context.env.get(symbol)
        if found is None:
            raise Untranslated(None, f"{symbol.name} is not known here")
        return found.force(context.primed) if isinstance(found, Thunk) else found

    def _variable(self, symbol: ast.Variable, context: Context) -> Sym:
        if not context.primed:
            return self.own[symbol] if symbol in self.own else variable(self.variables[symbol])
        if self.assigned is None:
            return variable(self.successor[symbol])
        found = self.assigned.get(symbol)
        if found is None:
            self.unassigned.add(symbol.name)
            return Nothing(f"{symbol.name} has no value in the next state yet")
        return found

    def call(self, symbol: Definition, whole: ast.Apply, context: Context) -> Sym:
        """A defined operator, by its body."""
        if symbol.nested and not symbol.parameters:
            return self.named(symbol, context)
        plain = not symbol.parameters and not context.primed
        if plain and symbol in self.defined:
            return self.defined[symbol]
        if whole in context.folding:
            return context.folding[whole]
        fold = self._fold_of(symbol)
        if fold is not None:
            return self._folded(fold, self.entered(symbol, whole, context))
        depth = self.depths.get(symbol, 0)
        self._check_calls(symbol, whole, depth)
        if depth >= DEEPEST or (depth and self._never_ends(symbol, context)):
            return Nothing(f"{symbol.name} calls itself deeper than {min(depth, DEEPEST)} times")
        inner = self.entered(symbol, whole, context)
        tabled = None if depth else self._tabled_call(symbol, context, inner)
        if tabled is not None:
            return tabled
        self.depths[symbol] = depth + 1
        try:
            assert symbol.body is not None
            found = self.value(symbol.body, inner)
        finally:
            self.depths[symbol] = depth
        if plain and self.evaluator.analysis.of(whole, context.module).level < ACTION:
            self.defined[symbol] = found
        return found

    def _never_ends(self, symbol: Definition, context: Context) -> bool:
        """Whether a call has no value because some of those that it stands within have the same arguments."""
        assert symbol.body is not None
        calls = context.calls.get(symbol, ())
        facts = self.evaluator.analysis.of(symbol.body, symbol.module)
        return follows_from_arguments(symbol, facts) and some_are_equal(calls, self.names, DEEPEST)

    def _tabled_call(self, symbol: Definition, context: Context, inner: Context) -> Sym | None:
        """A call, within an operator that calls itself, with an argument that is another one each time: the
        value for each value of the argument serves for all of these calls. None if there is no such argument,
        or not one of few values."""
        assert symbol.body is not None
        changed = changed_arguments(context)
        found = [one for one in symbol.parameters if any(inner.env[one] is given for given in changed)]
        if len(found) != 1 or found[0] not in self.evaluator.strictness.of(symbol):
            return None
        facts = self.evaluator.analysis.of(symbol.body, symbol.module)
        if not follows_from_arguments(symbol, facts) or context.primed or self.own:
            return None
        if symbol not in self.reached:
            self.reached[symbol] = reached(symbol, self.evaluator.resolve)
        if not self.reached[symbol].isdisjoint(context.calls):  # then each value may take all levels again
            return None
        given = inner.env[found[0]]
        argument = given.force(False) if isinstance(given, Thunk) else given
        if not isinstance(argument, Term) or argument.sort.size > _MOST_TABLED:
            return None
        rows: dict[Any, Sym] = {}
        for value in argument.sort.values():
            known = Known(self.names.decode(value, argument.sort))
            item = self._tabled_for(symbol, found[0], known, inner)
            if not isinstance(item, Nothing):
                rows[known.value] = item
        return self.strict(self._from_table(Table(rows), argument), argument)

    def _tabled_for(self, symbol: Definition, parameter: ast.Parameter, known: Known, inner: Context) -> Sym:
        """What an operator is where a parameter is known."""
        env = {**inner.env, parameter: known}
        others = (inner.env[one] for one in symbol.parameters if one is not parameter)
        key = (symbol, self.kept_narrow, known.value, *others)
        if key not in self.tabled:
            assert symbol.body is not None
            self.tabled[key] = self.value(symbol.body, replace(inner, env=env))
        return self.tabled[key]

    def _check_calls(self, symbol: Definition, whole: ast.Apply, depth: int) -> None:
        """Raises Untranslated where an operator calls itself too often."""
        self.repeated[symbol] = self.repeated.get(symbol, 0) + 1 if depth else 0
        if self.repeated[symbol] > _MOST_UNROLLED:
            words = f"{symbol.name} calls itself too often to be unrolled: more than {_MOST_UNROLLED} times"
            raise Untranslated(whole.place, words)

    def _fold_of(self, symbol: Definition) -> Fold | None:
        if symbol not in self.folds:
            self.folds[symbol] = fold_of(symbol)
        return self.folds[symbol]

    def _folded(self, fold: Fold, context: Context) -> Sym:
        """A recursive operator that takes one member of a set after the other."""
        of = self.expected(self.named(fold.set, context), SET)
        if isinstance(of, Nothing):
            return of
        found = self.value(fold.empty, context)
        for case in reversed(self.in_order(of)):
            folding = dict(context.folding)
            folding.update(dict.fromkeys(fold.calls, found))
            folding[fold.item] = case.item
            step = self.value(fold.step, replace(context, folding=folding))
            found = self.if_(case.condition, step, found)
        return self.strict(found, of)

    def entered(self, symbol: Definition, whole: ast.Apply, context: Context) -> Context:
        """The context of a definition's body."""
        given = tuple(
            self.argument(parameter, argument, context)
            for parameter, argument in zip(symbol.parameters, whole.arguments, strict=True)
        )
        calls = {**context.calls, symbol: (*context.calls.get(symbol, ()), given)}
        return replace(_inside(symbol, given, context), calls=calls)

    def argument(self, parameter: ast.Parameter, argument: Expression, context: Context) -> Any:
        """An argument: an operator, or something to translate when it is needed."""
        return self.operator(argument, context) if parameter.arity else self.waiting(argument, context)

    def waiting(self, argument: Expression, context: Context) -> Any:
        """Something to translate when it is needed."""
        if isinstance(argument, ast.Apply) and not argument.arguments:
            symbol = self.evaluator.resolve(argument.operator, context.module) or argument.operator
            if isinstance(symbol, ast.Bound | ast.Parameter) and symbol in context.env:
                return context.env[symbol]
        return Thunk(self, argument, context)

    def operator(self, whole: Expression, context: Context) -> Op:
        """An operator that is an argument."""
        if isinstance(whole, ast.Lambda):
            lambda_ = whole

            def entered(given: Sequence[Any]) -> tuple[Expression, Context]:
                return lambda_.body, context.bound(dict(zip(lambda_.parameters, given, strict=True)))

            return Op(lambda *given: self.value(*entered(given)), len(lambda_.parameters), entered)
        assert isinstance(whole, ast.OperatorArgument)
        symbol = self.evaluator.resolve(whole.operator, context.module) or whole.operator
        if isinstance(symbol, ast.Parameter):
            found: Op = context.env[symbol]
            return found
        if isinstance(symbol, Definition):
            body, count = symbol.body, len(symbol.parameters)
            assert body is not None
            return Op(
                lambda *given: self._call_with(symbol, given, context),
                count,
                lambda given: (body, _inside(symbol, given, context)),
            )
        if isinstance(symbol, Builtin):
            return Op(lambda *given: self.builtin(symbol.name, list(given), whole))
        raise Untranslated(whole.place, f"the operator {symbol.name} has no value")

    def _call_with(self, symbol: Definition, given: tuple[Sym, ...], context: Context) -> Sym:
        assert symbol.body is not None
        depth = self.depths.get(symbol, 0)
        if depth >= DEEPEST:
            return Nothing(f"{symbol.name} calls itself deeper than {DEEPEST} times")
        self.depths[symbol] = depth + 1
        try:
            return self.value(symbol.body, _inside(symbol, given, context))
        finally:
            self.depths[symbol] = depth

    def _builtin(self, symbol: Builtin, whole: ast.Apply, context: Context) -> Sym:
        if symbol.name == "=>":
            return self.implies(
                self.value(whole.arguments[0], context), lambda: self.value(whole.arguments[1], context)
            )
        given: list[Sym] = []
        for argument in whole.arguments:
            if isinstance(argument, ast.OperatorArgument | ast.Lambda):
                given.append(self.operator(argument, context))
                continue
            found = self.value(argument, context)
            if isinstance(found, Nothing):
                return found
            given.append(found)
        return self.builtin(symbol.name, given, whole)

    def let(self, whole: ast.Let, context: Context) -> Context:
        """The context of what stands below a LET."""
        inner = context.bound({})
        for definition in whole.definitions:
            if definition in context.folding:
                inner.env[definition] = context.folding[definition]
                continue
            if definition.parameters:
                inner.env[definition] = Around(context.at)
            elif definition.body is not None:
                inner.env[definition] = Thunk(self, definition.body, inner)
        return inner


def _inside(symbol: Definition, given: Sequence[Any], context: Context) -> Context:
    """The context of a definition's body, where its parameters are these. What a LET defines sees what stands
    around it."""
    parameters: dict[ast.Symbol, Any] = dict(zip(symbol.parameters, given, strict=True))
    if symbol.nested:
        around = context.env.get(symbol)
        at = around.at if isinstance(around, Around) else context.at
        return replace(context.bound(parameters), at=at)
    return Context(parameters, symbol.module, context.primed)


__all__ = ["Calls"]
