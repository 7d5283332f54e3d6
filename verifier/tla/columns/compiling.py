"""Formulas as walks, truths and leaves: split into parts as long as a part reads fewer columns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from verifier.tla import action_forms as forms
from verifier.tla import ast
from verifier.tla.action_forms import action_form
from verifier.tla.ast import Builtin, Definition, Expression, Symbol
from verifier.tla.columns.assigned_variable import target
from verifier.tla.columns.batches import ColumnReference
from verifier.tla.columns.environments import Columns, Environment, Given
from verifier.tla.columns.formula_parts import Parts
from verifier.tla.columns.leaves import Members
from verifier.tla.columns.lookups import make_lookup_walk
from verifier.tla.columns.numbers import Numbers
from verifier.tla.columns.truths import Chosen, Joined, Kept, Negated, Quantified, Truth, Unchanged
from verifier.tla.columns.unsuited import Unsuited
from verifier.tla.columns.walks import (
    Actions,
    Assign,
    AssignSome,
    Branches,
    Either,
    Every,
    Guard,
    Impossible,
    Keep,
    Sequenced,
    Settled,
    Walk,
)
from verifier.tla.interpreter import Interpreter
from verifier.tla.loops import domain_source

_DEEPEST = 40


class Compiler(Parts):
    """Splits formulas into parts."""

    def __init__(self, columns: Columns, evaluator: Interpreter) -> None:
        super().__init__(columns, evaluator)
        self.walker, self.actions, self.depth = evaluator.actions, Actions(), 0

    # -- truths

    def truth(self, whole: Expression, around: Environment) -> Truth:
        """Compile a formula, split into parts if these read less than the whole."""
        if len(self.columns.read(whole, around, False)) < 2:
            return self.test(whole, around)
        self.depth += 1
        try:
            made = self._parts(whole, around) if self.depth < _DEEPEST else None
        finally:
            self.depth -= 1
        return self.test(whole, around) if made is None else made

    def _parts(self, whole: Expression, around: Environment) -> Truth | None:
        match whole:
            case ast.Junction():
                return Joined(whole.conjunction, [self.truth(item, around) for item in whole.items])
            case ast.If():
                parts = (whole.condition, whole.then, whole.otherwise)
                return Chosen(*(self.truth(part, around) for part in parts))
            case ast.Let():
                return self.truth(whole.body, self.let(whole, around))
            case ast.Quantifier() if len(whole.bindings) == 1:
                members, names, inner = self.bind_names(whole.bindings[0], around)
                return Quantified(whole.universal, members, names, self.truth(whole.body, inner))
            case ast.Unchanged():
                return self.compile_unchanged(whole.body, around)
            case ast.Step():
                same = self.compile_unchanged(whole.subscript, around)
                action = self.truth(whole.action, around)
                if whole.stuttering:
                    return Joined(False, [action, same])
                return Joined(True, [Negated(same), action])
            case ast.Apply():
                return self._application(whole, around)
        return None

    def _application(self, whole: ast.Apply, around: Environment) -> Truth | None:
        symbol = self.symbol(whole.operator, around)
        if isinstance(symbol, Definition) and symbol not in self.evaluator.constants:
            assert symbol.body is not None
            return self.truth(symbol.body, self.enter(symbol, whole.arguments, around))
        if isinstance(symbol, ast.Parameter) and not symbol.arity:
            stands = around.names.get(symbol)
            if isinstance(stands, Given) and stands.around is not None:
                return self.truth(stands.expression, stands.around)
        if isinstance(symbol, Builtin) and symbol.module == "" and symbol.name in ("~", "=>"):
            first, *others = (self.truth(part, around) for part in whole.arguments)
            return Joined(False, [Negated(first), *others]) if others else Negated(first)
        return None

    def compile_unchanged(self, body: Expression, around: Environment) -> Truth:
        """Compile ``UNCHANGED e``, where the next state is known."""
        indices = self.walker.variables_of(body, around.unit)
        if indices is not None:
            pairs = [Kept(self.columns.now[index], self.columns.next[index]) for index in indices]
            return Joined(True, pairs)
        if isinstance(body, ast.Tuple):
            return Joined(True, [self.compile_unchanged(item, around) for item in body.items])
        if isinstance(body, ast.Apply) and not body.arguments:
            symbol = self.symbol(body.operator, around)
            if isinstance(symbol, Definition) and not symbol.nested and isinstance(symbol.body, ast.Tuple):
                return self.compile_unchanged(symbol.body, self.enter(symbol, (), around))
        numbers = Numbers()
        here, there = (self.make_whole_leaf(body, around, numbers, primed=primed) for primed in (False, True))
        return Unchanged(here, there)

    # -- walks

    def walk(self, whole: Expression, around: Environment, *, top: bool = False) -> Walk:
        """Compile the walk over a formula."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Unsuited(f"{whole.place}: an action that calls itself, or is very deep")
        try:
            return self._walk(whole, around, top)
        finally:
            self.depth -= 1

    def _walk(self, whole: Expression, around: Environment, top: bool) -> Walk:
        form = action_form(self.evaluator, whole, around.unit.module)
        match form:
            case forms.Conjunction(items):
                return self._conjunction(items, around, top)
            case forms.Disjunction(items):
                return Branches([self.walk(item, around, top=top) for item in items])
            case forms.Choice(quantifier):
                return self._exists(quantifier, around, top)
            case forms.Each(quantifier) if self.walker.branches(whole, around.unit, False):
                return self._every(quantifier, around)
            case forms.Condition():
                return self._condition(form, around, top)
            case forms.Cases(case):
                return self._case(case, around)
            case forms.Binding(let):
                return self.walk(let.body, self.let(let, around), top=top)
        return self._walk_part(form, whole, around, top)

    def _walk_part(self, form: forms.ActionForm, whole: Expression, around: Environment, top: bool) -> Walk:
        match form:
            case forms.Stay(body):
                return self._keep(body, around)
            case forms.Assignment():
                return self._assign(form, whole, around)
            case forms.Call(definition, call):
                return self._call(definition, call, around, top)
            case forms.Argument(parameter, call):
                return self._parameter(parameter, call, around)
            case forms.Composition():
                return Guard(self.truth(whole, around))
        if self.walker.branches(whole, around.unit, False) and not self._applies_bound(whole, around):
            raise Unsuited(f"{whole.place}: a formula of a kind that columns do not walk")
        return Guard(self.truth(whole, around))

    def _applies_bound(self, whole: Expression, around: Environment) -> bool:
        """True if a formula is a part of the value of a bound name, which is no recursive function."""
        if not isinstance(whole, ast.FunctionApply) or not isinstance(whole.function, ast.Apply):
            return False
        return isinstance(around.names.get(whole.function.operator), ColumnReference)

    def _exists(self, whole: ast.Quantifier, around: Environment, top: bool) -> Walk:
        sets, inner = [], around
        for binding in whole.bindings:
            members, names, own = self.bind_names(binding, around)
            sets.append((members, names))
            inner = inner.having(own.names)
        return make_lookup_walk(sets, self.walk(whole.body, inner, top=top))

    def _every(self, whole: ast.Quantifier, around: Environment) -> Walk:
        if len(whole.bindings) > 1 or len(whole.bindings[0].names) > 1:
            raise Unsuited(f"{whole.place}: a formula of a kind that columns do not walk")
        members, names, inner = self.bind_names(whole.bindings[0], around)
        return Every(members, names, *self._first_and_later(whole.body, inner))

    def _first_and_later(self, whole: Expression, around: Environment) -> tuple[Walk, Walk]:
        """Compile a formula twice: where it stands first, and where it follows others."""
        walk = self.walk(whole, around)
        if self.walker.assigns(whole, around.unit, False):
            return walk, walk
        return walk, Settled(walk, self.truth(whole, around), self.columns.next)

    def _case(self, whole: ast.Case, around: Environment) -> Walk:
        words = "no case of a CASE is true"
        made = self.walk(whole.other, around) if whole.other is not None else Impossible(words)
        for guard, value in reversed(whole.arms):
            made = Either(self.truth(guard, around), self.walk(value, around), made)
        return made

    def _conjunction(self, items: Sequence[Expression], around: Environment, top: bool) -> Walk:
        made: list[Walk] = []
        rest = list(items)
        while rest:
            tests = list(takewhile(lambda item: not self.walker.branches(item, around.unit, False), rest))
            if tests:
                made += [Guard(self.truth(item, around)) for item in tests]
                rest = rest[len(tests) :]
                continue
            first, *rest = rest
            if made:
                made.append(self._first_and_later(first, around)[1])
            else:
                made.append(self.walk(first, around, top=top and not rest))
        return made[0] if len(made) == 1 else Sequenced(made)

    def _keep(self, body: Expression, around: Environment) -> Walk:
        indices = self.walker.variables_of(body, around.unit)
        if indices is not None:
            return Keep([(self.columns.now[index], self.columns.next[index]) for index in indices])
        if isinstance(body, ast.Tuple):
            return Sequenced([self._keep(item, around) for item in body.items])
        stands = around.names.get(body.operator) if isinstance(body, ast.Apply) else None
        if isinstance(stands, Given):
            return self._keep(stands.expression, stands.around or around)
        equal = ast.Apply(Builtin("=", 2), (ast.Prime(body, place=body.place), body), place=body.place)
        return self.walk(equal, around)

    def _condition(self, form: forms.Condition, around: Environment, top: bool) -> Walk:
        condition, otherwise = self.truth(form.condition, around), form.otherwise
        if otherwise is None:
            return Either(condition, self.walk(form.then, around), Sequenced(()))
        then, other = (self.walk(side, around, top=top) for side in (form.then, otherwise))
        return Either(condition, then, other)

    def _call(self, symbol: Definition, whole: ast.Apply, around: Environment, top: bool) -> Walk:
        if not top and not self.walker.branches(whole, around.unit, False):
            return Guard(self.truth(whole, around))
        assert symbol.body is not None
        body = self.walk(symbol.body, self.enter(symbol, whole.arguments, around), top=top)
        return self.actions.make_named(symbol, body) if top else body

    def _assign(self, form: forms.Assignment, whole: Expression, around: Environment) -> Walk:
        index = target(self.evaluator, form.left, around)
        if index is None:
            return Guard(self.truth(whole, around))
        of, right = self.columns.next[index], form.right
        if form.is_equation:
            return Assign(of, self.make_whole_leaf(right, around, of.numbers))
        source = domain_source(self.evaluator, right, around.unit, False, ordered=True)
        make = self.evaluator.emit.function(source)
        members = Members(self.columns, right, around, make, [of.numbers], lambda item: (item,))
        self._count_leaf(members)
        return AssignSome(of, members, self.test(whole, around))

    def _parameter(self, symbol: ast.Parameter, whole: ast.Apply, around: Environment) -> Walk:
        stands = around.names.get(symbol)
        if isinstance(stands, ColumnReference):
            return Guard(self.truth(whole, around))
        if stands is None or stands.around is None:
            raise Unsuited(f"{whole.place}: a parameter that columns do not walk")
        outer = stands.around
        if not symbol.arity:
            return self.walk(stands.expression, outer)
        if isinstance(stands.expression, ast.Lambda):
            code = stands.expression
            names: dict[Symbol, ColumnReference | Given] = {
                parameter: self.find_given(argument, around, parameter.arity)
                for parameter, argument in zip(code.parameters, whole.arguments, strict=True)
            }
            return self.walk(code.body, outer.having(names))
        assert isinstance(stands.expression, ast.OperatorArgument)
        operator = self.symbol(stands.expression.operator, outer)
        if not isinstance(operator, Definition) or operator.nested or operator.body is None:
            raise Unsuited(f"{whole.place}: an operator that columns do not walk")
        return self.walk(operator.body, self.enter(operator, whole.arguments, around))
