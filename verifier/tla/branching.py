"""The formulas that must be walked, because they may assign or be true in several ways."""

from __future__ import annotations

from verifier.tla import action_forms as forms
from verifier.tla import ast
from verifier.tla.arguments import unit_of
from verifier.tla.assignments import Assignments
from verifier.tla.ast import Definition, Expression
from verifier.tla.evaluator import Continue, Walk
from verifier.tla.frames import Frame, Unit
from verifier.tla.functions import no_value_at
from verifier.tla.lets import extend_frame
from verifier.tla.values import LazyFunction, is_member


class Branching(Assignments):
    """Distinguishes formulas that are walked from those that are only tested."""

    def branches(
        self, whole: Expression, unit: Unit, primed: bool, seen: tuple[Definition, ...] = ()
    ) -> bool:
        """True if a formula must be walked: it may assign, or be true in several ways."""
        match self.form_of(whole, unit):
            case forms.Conjunction(items):
                return any(self.branches(item, unit, primed, seen) for item in items)
            case (
                forms.Disjunction()
                | forms.Choice()
                | forms.Stay()
                | forms.Boxed()
                | forms.Argument()
                | forms.Composition()
            ):
                return True
            case forms.Each(quantifier):
                return self.branches(quantifier.body, unit, primed, seen)
            case forms.Condition(_, then, otherwise):
                sides = [then] if otherwise is None else [then, otherwise]
                return any(self.branches(side, unit, primed, seen) for side in sides)
            case forms.Cases(case):
                arms = [value for _, value in case.arms] + ([case.other] if case.other else [])
                return any(self.branches(arm, unit, primed, seen) for arm in arms)
            case forms.Binding(let):
                return self.branches(let.body, unit, primed, seen)
            case forms.Assignment(left=left):
                return self.target(left, unit, primed) is not None
            case forms.Call(definition):
                return self._call_branches(definition, unit, primed, seen)
            case forms.Guard(ast.FunctionApply(function=function)):
                return _is_recursive_function(function)
        return False

    def _call_branches(
        self, symbol: Definition, unit: Unit, primed: bool, seen: tuple[Definition, ...]
    ) -> bool:
        if symbol in seen:
            return True
        assert symbol.body is not None
        if (
            not symbol.nested
            and not symbol.parameters
            and self.evaluator.analysis.of_definition(symbol).fixed
        ):
            return False  # TLC evaluates it before the walk
        inner = unit if symbol.nested else unit_of(self.evaluator, symbol)
        return self.branches(symbol.body, inner, primed, (*seen, symbol))

    def function_apply(self, whole: ast.FunctionApply, unit: Unit, primed: bool) -> Walk:
        """Return the walker of a recursive function of truths. Its body is walked like that of an
        operator."""
        applied = self.evaluator.value(whole.function, unit, primed)
        given = self.evaluator.value(whole.argument, unit, primed)
        test = self.evaluator.truth(whole, unit, primed)

        def walk_application(e: Frame, follow: Continue) -> None:
            value = applied(e)
            if type(value) is not LazyFunction or value.entered is None:
                if test(e):
                    follow()
                return
            argument = given(e)
            if not is_member(argument, value.domain):
                no_value_at(self.evaluator, whole, value, argument)
            body, target, inner = value.entered(value, argument)
            self.of_waiting(body, target, primed)(extend_frame(inner, target), follow)

        return walk_application


def _is_recursive_function(whole: Expression) -> bool:
    """True if an expression may be a recursive function."""
    if not isinstance(whole, ast.Apply) or whole.arguments:
        return False
    symbol = whole.operator
    if isinstance(symbol, Definition):
        return isinstance(symbol.body, ast.Function) and symbol.body.itself is not None
    return isinstance(symbol, ast.Bound)
