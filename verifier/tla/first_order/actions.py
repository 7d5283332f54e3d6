r"""Actions: each branch of Next as parameters, guard lines and assignments.

A disjunction and ``\E`` make branches and parameters where an assignment stands below them. A formula of one
state is a guard, with its quantifiers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from verifier.encodings.terms import Symbol
from verifier.encodings.values import BooleanValue
from verifier.tla import ast
from verifier.tla.action_forms import (
    Argument,
    Assignment,
    Binding,
    Boxed,
    Call,
    Cases,
    Choice,
    Composition,
    Condition,
    Conjunction,
    Disjunction,
    Each,
    Guard,
    Stay,
    action_form,
)
from verifier.tla.facts import STATE
from verifier.tla.first_order.kinds import Kind
from verifier.tla.first_order.reading import Reading
from verifier.tla.first_order.scopes import Delayed, Scope, Unread
from verifier.tla.first_order.typed import ALWAYS, Typed, variable_of


@dataclass(frozen=True)
class Chosen:
    """A parameter of a branch."""

    name: str
    kind: Kind
    symbol: Symbol


@dataclass(frozen=True)
class Branch:
    """A way to take a step, as far as it was walked."""

    name: str = ""
    parameters: tuple[Chosen, ...] = ()
    lines: tuple[BooleanValue, ...] = ()
    after: Mapping[ast.Variable, Typed] = field(default_factory=dict)
    at: ast.Expression | None = None
    """The last assignment."""

    def with_line(self, line: BooleanValue) -> Branch:
        """Return the branch with a guard line more."""
        return self if line is ALWAYS else replace(self, lines=(*self.lines, line))


class Walker:
    """Walks the formula of steps of a module."""

    def __init__(self, reading: Reading, kinds: Mapping[ast.Variable, Kind]) -> None:
        self.reading, self.variables = reading, kinds
        self._evaluator = reading.specification.evaluator

    def branches(self, now: Mapping[ast.Variable, Typed]) -> list[Branch]:
        """Return the branches of Next. Raises Unread."""
        step = self.reading.specification.next
        assert step is not None
        body = step.body.action if isinstance(step.body, ast.Step) else step.body
        if isinstance(step.body, ast.Step):
            self._require_all(step.body.subscript, Scope(step.module, now))
        branches = list(self._walk(body, Scope(step.module, now), Branch()))
        for branch in branches:
            lacking = [one.name for one in self.variables if one not in branch.after]
            if lacking:
                place = (branch.at or body).place
                raise Unread(place, f"a branch of {branch.name or 'Next'} does not assign {lacking[0]}'")
        return branches

    def _require_all(self, subscript: ast.Expression, scope: Scope) -> None:
        """Refuse ``[Next]_x`` in which some variables may change without a step of Next."""
        said = set(self._variables_in(subscript, scope))
        lacking = [one.name for one in self.variables if one not in said]
        if lacking:
            words = f"[Next]_… lets {lacking[0]} change while the variables of its subscript stay"
            raise Unread(subscript.place, f"{words}: name all variables there")

    def _walk(  # noqa: C901 -- one case each
        self, whole: ast.Expression, scope: Scope, branch: Branch
    ) -> Iterator[Branch]:
        scope = replace(scope, after=branch.after)
        symbol = getattr(whole, "operator", None)
        if not isinstance(symbol, ast.Parameter) and (
            self._evaluator.analysis.of(whole, scope.module).level <= STATE
            and not self._has_parameters(whole, scope)
        ):
            yield branch.with_line(self.reading.formula(whole, scope))
            return
        form = action_form(self._evaluator, whole, scope.module)
        match form:
            case Conjunction(items):
                yield from self._all(items, scope, branch)
            case Disjunction(items):
                for item in items:
                    yield from self._walk(item, scope, branch)
            case Choice(quantifier):
                yield from self._choose(quantifier, scope, branch)
            case Condition(condition, then, otherwise):
                yield from self._decide(condition, then, otherwise, scope, branch)
            case Binding(let):
                yield from self._walk(let.body, self.reading.enter_let(let, scope), branch)
            case Stay(body):
                yield from self._stay(body, scope, branch)
            case Assignment():
                yield from self._assign(form, scope, branch)
            case Call(definition, call):
                self.reading.resolve(call.operator, scope, call.place)
                body, inner = self.reading.enter(definition, call, scope)
                name = branch.name or (definition.name if definition is not self._next() else "")
                yield from self._walk(body, inner, replace(branch, name=name))
            case Argument(parameter, call):
                meaning = scope.values.get(parameter)
                if not isinstance(meaning, Delayed) or call.arguments:
                    raise Unread(whole.place, f"{parameter.name} is an operator that is an argument")
                yield from self._walk(meaning.whole, scope.resume_argument(meaning), branch)
            case Guard() | Each():  # a primed variable without a value in this branch is refused
                yield branch.with_line(self.reading.formula(whole, scope))
            case Cases():
                raise Unread(whole.place, "CASE is not supported in an action: write IF, or a disjunction")
            case Boxed() | Composition():
                raise Unread(whole.place, "[A]_v, <<A>>_v and A \\cdot B are not supported in an action")

    def _next(self) -> ast.Definition | None:
        """Return the definition of Next, whose name says nothing of an action."""
        step = self.reading.specification.next
        assert step is not None
        body = step.body.action if isinstance(step.body, ast.Step) else step.body
        symbol = getattr(body, "operator", None)
        return symbol if isinstance(symbol, ast.Definition) else None

    def _has_parameters(self, whole: ast.Expression, scope: Scope) -> bool:
        """True if a formula mentions parameters, which may stand for formulas with primes."""
        free = self._evaluator.analysis.of(whole, scope.module).free
        waiting = [one for one in free if isinstance(one, ast.Parameter)]
        for one in waiting:
            meaning = scope.values.get(one)
            if isinstance(meaning, Delayed) and self._is_action(meaning):
                return True
        return False

    def _is_action(self, meaning: Delayed) -> bool:
        facts = self._evaluator.analysis.of(meaning.whole, meaning.scope.module)
        if facts.level > STATE:
            return True
        others = (meaning.scope.values.get(one) for one in facts.free if isinstance(one, ast.Parameter))
        return any(isinstance(one, Delayed) and self._is_action(one) for one in others)

    def _all(self, items: tuple[ast.Expression, ...], scope: Scope, branch: Branch) -> Iterator[Branch]:
        if not items:
            yield branch
            return
        for one in self._walk(items[0], scope, branch):
            yield from self._all(items[1:], scope, one)

    def _choose(self, whole: ast.Quantifier, scope: Scope, branch: Branch) -> Iterator[Branch]:
        inner = scope
        for binding in whole.bindings:
            names = [None] if binding.is_tuple else list(binding.names)
            for bound in names:
                one = replace(binding, names=binding.names if bound is None else (bound,))
                own = self._free_name(bound.name if bound is not None else "item", branch)
                made, bound_scope = self.reading.bind(one, replace(scope, after=branch.after), own)
                symbol, within, value = made[0]
                chosen = Chosen(own, value.kind, symbol)
                branch = replace(branch, parameters=(*branch.parameters, chosen)).with_line(within)
                inner = replace(inner, values={**inner.values, **bound_scope.values})
        yield from self._walk(whole.body, inner, branch)

    @staticmethod
    def _free_name(name: str, branch: Branch) -> str:
        """Return a name that no other parameter of the branch has."""
        known, number = {one.name for one in branch.parameters}, 2
        is_free = name.isidentifier() and not name.startswith("_") and name not in ("protocol", "self", "s")
        plain = name if is_free else "p"
        free = plain
        while free in known:
            free, number = f"{plain}_{number}", number + 1
        return free

    def _decide(
        self,
        condition: ast.Expression,
        then: ast.Expression,
        otherwise: ast.Expression | None,
        scope: Scope,
        branch: Branch,
    ) -> Iterator[Branch]:
        said = self.reading.formula(condition, scope)
        yield from self._walk(then, scope, branch.with_line(said))
        if otherwise is None:
            yield branch.with_line(~said)
        else:
            yield from self._walk(otherwise, scope, branch.with_line(~said))

    def _stay(self, body: ast.Expression, scope: Scope, branch: Branch) -> Iterator[Branch]:
        after, lines = dict(branch.after), list(branch.lines)
        for variable in self._variables_in(body, scope):
            now = scope.now[variable]
            if variable in after:
                if after[variable] is not now:
                    lines.append(after[variable].value == now.value)
            else:
                after[variable] = now
        yield replace(branch, after=after, lines=tuple(lines), at=body)

    def _variables_in(self, body: ast.Expression, scope: Scope) -> Iterator[ast.Variable]:
        match body:
            case ast.Tuple(items=items):
                for item in items:
                    yield from self._variables_in(item, scope)
                return
            case ast.Apply(operator=ast.Variable() as variable):
                yield variable
                return
            case ast.Apply(operator=ast.Definition() as definition):
                meant = self.reading.resolve(definition, scope, body.place)
                assert isinstance(meant, ast.Definition)
                yield from self._variables_in(*self.reading.enter(meant, body, scope))
                return
        raise Unread(body.place, "UNCHANGED of what is not a variable or tuple of variables")

    def _assign(self, form: Assignment, scope: Scope, branch: Branch) -> Iterator[Branch]:
        variable = self._find_assigned(form.left, scope)
        if variable is None or variable in branch.after:
            yield branch.with_line(self.reading.formula(form.whole, scope))
            return
        kind = self.variables[variable]
        if form.is_equation:
            value = self.reading.read_assigned(form.right, scope, kind)
            after = {**branch.after, variable: value}
            yield replace(branch, after=after, at=form.whole)
            return
        members = self.reading.collection(form.right, scope, kind)
        own = self._free_name(f"{variable.name}_next", branch)
        element = self.reading.find_element_kind(members, form.right.place)
        symbol = Symbol(own, element.sort(self.reading.sorts))
        chosen = Typed(element, variable_of(symbol))
        fitting = self.reading.assign(chosen, kind, form.right.place)
        with_choice = replace(
            branch, parameters=(*branch.parameters, Chosen(own, element, symbol)), at=form.whole
        )
        yield replace(with_choice.with_line(members.has(chosen)), after={**branch.after, variable: fitting})

    def _find_assigned(self, left: ast.Expression, scope: Scope) -> ast.Variable | None:
        """Return the variable whose next value an equation gives; None if its left side is another one."""
        if isinstance(left, ast.Prime) and isinstance(left.body, ast.Apply):
            symbol = left.body.operator
            if isinstance(symbol, ast.Parameter) and isinstance(meaning := scope.values.get(symbol), Delayed):
                return self._find_assigned(ast.Prime(meaning.whole, place=left.place), meaning.scope)
            return symbol if isinstance(symbol, ast.Variable) else None
        return None
