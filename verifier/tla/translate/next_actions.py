"""The actions in Next: guards and assignments for each way in which Next can be true.

Source: Kukovec, Tran and Konnov 2018, doi:10.1007/978-3-319-91271-4_7.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace

from verifier.encodings.terms import Term
from verifier.tla import action_forms as forms
from verifier.tla import ast
from verifier.tla.action_forms import action_form
from verifier.tla.ast import Definition, Expression
from verifier.tla.facts import ACTION
from verifier.tla.frames import Unit
from verifier.tla.translate.assigned_variables import assigns, find_bound_item, target, variables
from verifier.tla.translate.binders import bind_cases, names_of
from verifier.tla.translate.branches import Branch, Parameter, merge_sides
from verifier.tla.translate.calls import delay, enter, enter_let
from verifier.tla.translate.cases import Case
from verifier.tla.translate.connectives import and_, not_, or_, truth_of
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.determined import find_determined_value, find_equated
from verifier.tla.translate.evaluating import DEEPEST, constant_value
from verifier.tla.translate.guards import all_ways
from verifier.tla.translate.making import equals
from verifier.tla.translate.spreading import exists
from verifier.tla.translate.step_assignments import Assigning
from verifier.tla.translate.symbolic import NO, YES, Known, Nothing, Sym, Untranslated
from verifier.tla.translate.symbolic import Operator as Op
from verifier.tla.translate.thunks import Thunk
from verifier.tla.translate.translator import Translator


class Steps(Assigning):
    """Finds the branches of an action."""

    def __init__(self, translator: Translator, *, each_way: bool = False) -> None:
        """``each_way``: each way in which a guard can be true is a branch, as TLC counts them."""
        super().__init__(translator, each_way=each_way)
        translator.forms[ast.Enabled] = lambda _, whole, c: self.translate_enabled(whole, c)

    def walk(self, whole: Expression, c: Context, branch: Branch, *, top: bool = False) -> Iterator[Branch]:
        """Yield all branches of a formula that continue the given branch."""
        if branch.dead:
            yield branch
            return
        try:
            yield from self._walk(whole, c, branch, top)
        except Untranslated as error:
            if error.place is None:
                error.place = whole.place
            raise

    def _walk(self, whole: Expression, c: Context, branch: Branch, top: bool) -> Iterator[Branch]:
        if not self._acts(whole, c) and not (self.each_way and self._has_ways(whole, c)):
            yield from self._guard(whole, c, branch)
            return
        form = action_form(self.t.evaluator, whole, c.module)
        match form:
            case forms.Conjunction(items):
                yield from self._in_turn(items, c, branch, top and len(items) == 1)
            case forms.Disjunction(items):
                for item in items:
                    yield from self.walk(item, c, branch, top=top)
            case forms.Choice(quantifier):
                yield from self._exists(quantifier, c, branch, top)
            case forms.Each(quantifier):
                yield from self._every(quantifier, c, branch)
            case forms.Condition():
                yield from self._condition(form, c, branch, top)
            case forms.Cases(case):
                yield from self._case(case, c, branch)
            case forms.Binding(let):
                yield from self.walk(let.body, enter_let(self.t, let, c), branch, top=top)
            case _:
                yield from self._walk_part(form, whole, c, branch, top)

    def _walk_part(
        self, form: forms.ActionForm, whole: Expression, c: Context, branch: Branch, top: bool
    ) -> Iterator[Branch]:
        match form:
            case forms.Stay(body):
                yield from self._assign_unchanged(body, c, branch)
            case forms.Boxed(step):
                yield from self._step(step, c, branch)
            case forms.Assignment():
                yield from self._assign_or_test(form, whole, c, branch)
            case forms.Call(definition, call):
                yield from self._call(definition, call, c, branch, top)
            case forms.Argument(parameter, call):
                yield from self._argument(parameter, call, c, branch)
            case _:
                yield from self._guard(whole, c, branch)

    def _step(self, whole: ast.Step, c: Context, branch: Branch) -> Iterator[Branch]:
        if whole.stuttering:
            yield from self.walk(whole.action, c, branch, top=True)
            yield from self._assign_unchanged(whole.subscript, c, branch)
            return
        for made in self.walk(whole.action, c, branch, top=True):
            if made.dead:
                yield made
                continue
            self.t.assigned = made.assigned
            here = self.t.value(whole.subscript, c)
            there = self.t.value(whole.subscript, replace(c, primed=True))
            yield from self._add_guard(not_(self.t, equals(self.t, here, there)), made)

    def _has_ways(self, whole: Expression, c: Context) -> bool:
        """True if TLC tries the ways in which a formula can be true."""
        return self.t.evaluator.actions.branches(whole, Unit(c.module), False)

    def _acts(self, whole: Expression, c: Context) -> bool:
        """True if a formula mentions the next state."""
        facts = self.t.evaluator.analysis.of(whole, c.module)
        if facts.level >= ACTION:
            return True
        given = [c.env.get(symbol) for symbol in facts.free]
        if any(map(self._symbol_acts, given)):
            return True
        # A parameter that stands for a variable may be assigned: ``q' = e``.
        evaluator = self.t.evaluator
        if any(isinstance(g, Thunk) and variables(evaluator, g.body, g.context) is not None for g in given):
            return self._has_ways(whole, c)
        return False

    def _symbol_acts(self, meaning: object) -> bool:
        if isinstance(meaning, Thunk):
            return self._acts(meaning.body, meaning.context)
        if isinstance(meaning, Op) and meaning.entered is not None:
            return self._acts(*meaning.entered([None] * meaning.count))
        return False

    def translate_enabled(self, whole: ast.Enabled, c: Context) -> Sym:
        """Translate ``ENABLED A``: one of the ways to take A is possible."""
        if c.primed:
            return Nothing("ENABLED of the next state is not supported")
        kept, count = self.t.assigned, self.count
        self.t.own |= {variable: self.t.value(value, c) for variable, value in whole.own}
        try:
            ways: list[Sym] = []
            for branch in self.walk(whole.body, c, Branch()):
                possible = and_(self.t, branch.guards)
                for _, item, symbol in reversed(branch.parameters):
                    if symbol is not None:
                        possible = exists(self.t, Case(YES, item, symbol), possible)
                ways.append(possible)
            return or_(self.t, ways)
        finally:
            self.t.assigned, self.count = kept, count

    # -- guards

    def _guard(self, whole: Expression, c: Context, branch: Branch) -> Iterator[Branch]:
        self.t.assigned = branch.assigned
        test = truth_of(self.t, self.t.value(whole, c))
        if self._has_ways(whole, c):
            if self.each_way and not isinstance(test, Known) and not assigns(self.t.evaluator, whole, c):
                self.t.uncounted = self.t.uncounted or whole.place
            test = self.t.after(all_ways(self.t, whole, c), test)
        yield from self._add_guard(test, branch)

    def _follows(self, whole: Expression, c: Context, branch: Branch, top: bool) -> Iterator[Branch]:
        """Yield the branches of a conjunct after another one. As in TLC, it is only a test if all variables
        have values."""
        settled = len(branch.assigned) == len(self.t.variables)
        if not settled or branch.dead or assigns(self.t.evaluator, whole, c):
            yield from self.walk(whole, c, branch, top=top)
            return
        self.t.assigned = branch.assigned
        yield from self._add_guard(truth_of(self.t, self.t.value(whole, c)), branch)

    # -- connectives

    def _in_turn(
        self, items: tuple[Expression, ...], c: Context, branch: Branch, top: bool
    ) -> Iterator[Branch]:
        if not items:
            yield branch
            return
        made = list(self.walk(items[0], c, branch, top=top))
        for item in items[1:]:
            made = [one for before in made for one in self._follows(item, c, before, top)]
        yield from made

    def _exists(self, whole: ast.Quantifier, c: Context, branch: Branch, top: bool) -> Iterator[Branch]:
        if not self.each_way:
            bound = {name for binding in whole.bindings if not binding.is_tuple for name in binding.names}
            names = find_equated(self.t.evaluator, whole.body, bound, c.module)
            if names:
                branches = self._determine_branches(whole, c, branch, top, names)
                if branches is not None:
                    yield from branches
                    return
        yield from self._of_each(whole, c, branch, top)

    def _determine_branches(
        self, whole: ast.Quantifier, c: Context, branch: Branch, top: bool, names: set[ast.Symbol]
    ) -> list[Branch] | None:
        """Return the branches, if the guards of all of them determine the values of these names; else None.
        Then no engine tries these values one by one."""
        count, own = self.count, len(branch.parameters)
        try:
            branches = list(self._of_each(whole, c, branch, top, names))
        except Untranslated:
            branches = []
        for one in branches:
            guards = [guard for guard in one.guards if isinstance(guard, Term)]
            symbols = (symbol for _, _, symbol in one.parameters[own:] if symbol is not None)
            if not one.dead and any(find_determined_value(guards, symbol) is None for symbol in symbols):
                branches = []
                break
        self.count = self.count if branches else count
        return branches or None

    def _of_each(
        self,
        whole: ast.Quantifier,
        c: Context,
        branch: Branch,
        top: bool,
        names: Container[ast.Symbol] = (),
    ) -> Iterator[Branch]:
        """Yield the branches for each member. For ``names``, one case stands for all values."""
        self.t.assigned = branch.assigned
        once = whole.place if self.each_way else None
        read, rows = bind_cases(self.t, whole.bindings, c, once=once, freely=True, as_one=names)
        if read is not YES:
            yield from self._add_guard(and_(self.t, [read, NO]), branch)
        for cases, inner in rows:
            self._count(whole)
            made = replace(
                branch, parameters=(*branch.parameters, *_name_parameters(whole.bindings, cases, inner))
            )
            for one in self._guard_all(cases, made):
                yield from self.walk(whole.body, inner, one, top=top)

    def _every(self, whole: ast.Quantifier, c: Context, branch: Branch) -> Iterator[Branch]:
        """Yield the branches of a conjunction over all members of a set that are all known."""
        self.t.assigned = branch.assigned
        read, ways = bind_cases(self.t, whole.bindings, c)
        rows = list(ways)
        if read is not YES or any(case.condition is not YES for cases, _ in rows for case in cases):
            yield from self._guard(whole, c, branch)
            return

        def at(number: int, made: Branch) -> Iterator[Branch]:
            if number == len(rows) or made.dead:
                yield made
                return
            walk = self._follows if number else self.walk
            for one in walk(whole.body, rows[number][1], made, top=False):
                yield from at(number + 1, one)

        yield from at(0, branch)

    def _condition(self, form: forms.Condition, c: Context, branch: Branch, top: bool) -> Iterator[Branch]:
        self.t.assigned = branch.assigned
        decides, otherwise = truth_of(self.t, self.t.value(form.condition, c)), form.otherwise
        top = top and otherwise is not None  # an implication names no action

        def then(made: Branch) -> Iterator[Branch]:
            return self.walk(form.then, c, made, top=top)

        def other(made: Branch) -> Iterator[Branch]:
            return iter((made,)) if otherwise is None else self.walk(otherwise, c, made, top=top)

        if isinstance(decides, Known):
            yield from then(branch) if decides.value.truth else other(branch)
        elif isinstance(decides, Nothing) and otherwise is not None:
            yield from self._add_guard(decides, branch)
        else:
            yield from self._either(decides, then, other, branch)

    def _either(self, decides: Sym, then: object, otherwise: object, branch: Branch) -> Iterator[Branch]:
        bare = replace(branch, guards=())
        sides = [list(side(bare)) for side in (then, otherwise)]  # type: ignore[operator]
        merged = merge_sides(self.t, decides, sides, branch)
        if merged is not None:
            yield merged
            return
        for guard, side in zip((decides, not_(self.t, decides)), sides, strict=True):
            for made in side:
                yield replace(made, guards=(*branch.guards, guard, *made.guards))

    def _case(self, whole: ast.Case, c: Context, branch: Branch) -> Iterator[Branch]:
        arms = whole.arms

        def at(number: int, made: Branch) -> Iterator[Branch]:
            if number == len(arms):
                if whole.other is not None:
                    yield from self.walk(whole.other, c, made)
                else:
                    yield from self._add_guard(Nothing(whole.missing), made)
                return
            self.t.assigned = made.assigned
            decides = truth_of(self.t, self.t.value(arms[number][0], c))
            if isinstance(decides, Known):
                yield from (
                    self.walk(arms[number][1], c, made) if decides.value.truth else at(number + 1, made)
                )
                return
            if isinstance(decides, Nothing):
                yield from self._add_guard(decides, made)
                return
            yield from self._either(
                decides, lambda b: self.walk(arms[number][1], c, b), lambda b: at(number + 1, b), made
            )

        yield from at(0, branch)

    # -- operators

    def _argument(
        self, symbol: ast.Parameter, whole: ast.Apply, c: Context, branch: Branch
    ) -> Iterator[Branch]:
        stands = c.env.get(symbol)
        if isinstance(stands, Thunk):
            yield from self.walk(stands.body, stands.context, branch)
        elif isinstance(stands, Op) and stands.entered is not None:
            body, inner = stands.entered([delay(self.t, one, c) for one in whole.arguments])
            # The calls above are kept: an endless recursion is detected by them.
            yield from self.walk(body, replace(inner, calls=c.calls), branch)
        else:
            yield from self._guard(whole, c, branch)

    def _call(
        self, symbol: Definition, whole: ast.Apply, c: Context, branch: Branch, top: bool
    ) -> Iterator[Branch]:
        if symbol.nested and not symbol.parameters:
            meaning = c.env[symbol]
            yield from self.walk(meaning.body, meaning.context, branch, top=top)
            return
        assert symbol.body is not None
        if len(c.calls.get(symbol, ())) >= DEEPEST:
            raise Untranslated(whole.place, f"{symbol.name} calls itself deeper than {DEEPEST} times")
        made = replace(branch, name=symbol.shown) if top else branch
        if top and symbol.parameters:
            made = self._with_arguments(symbol, whole, c, made)
        yield from self.walk(symbol.body, enter(self.t, symbol, whole, c), made, top=top)

    def _with_arguments(self, symbol: Definition, whole: ast.Apply, c: Context, branch: Branch) -> Branch:
        """Add the arguments of an action to its name, unless they are bound names above it."""
        extra = []
        have = {id(item) for _, item, _ in branch.parameters}
        for parameter, argument in zip(symbol.parameters, whole.arguments, strict=True):
            if parameter.arity or self._acts(argument, c):
                continue
            value = constant_value(self.t, argument, c)
            if isinstance(value, Known) and id(find_bound_item(argument, c)) not in have:
                extra.append((parameter.name, value, None))
        return replace(branch, parameters=(*branch.parameters, *extra))

    # -- assignments

    def _assign_or_test(
        self, form: forms.Assignment, whole: Expression, c: Context, branch: Branch
    ) -> Iterator[Branch]:
        assigned = target(self.t.evaluator, form.left, c)
        if assigned is None:
            yield from self._guard(whole, c, branch)
        else:
            yield from self._assign("=" if form.is_equation else "\\in", assigned, form.right, c, branch)


def _name_parameters(
    bindings: tuple[ast.Binding, ...], cases: list[Case], inner: Context
) -> Iterator[Parameter]:
    """Yield the values of bound names as parameters of an action. A tuple of names yields its parts."""
    for (binding, name), case in zip(names_of(bindings), cases, strict=True):
        parts = [] if name is not None else [(one.name, inner.env[one], None) for one in binding.names]
        if parts and all(isinstance(item, Known) for _, item, _ in parts):
            yield from parts
        else:
            yield (name or binding.names[0]).name, case.item, case.symbol
