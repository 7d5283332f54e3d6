"""The formulas that must be walked, because they may assign or be true in several ways."""

from __future__ import annotations

from verifier.tla import ast
from verifier.tla.arguments import unit_of
from verifier.tla.assignments import Assignments, Continue, Walk
from verifier.tla.ast import Builtin, Definition, Expression
from verifier.tla.frames import Frame, Unit
from verifier.tla.functions import no_value_at
from verifier.tla.lets import stretched
from verifier.tla.relations import assignment
from verifier.tla.values import LazyFunction, is_member


class Branching(Assignments):
    """Distinguishes formulas that are walked from those that are only tested."""

    def branches(
        self, whole: Expression, unit: Unit, primed: bool, seen: tuple[Definition, ...] = ()
    ) -> bool:
        """True if a formula must be walked: it may assign, or be true in several ways."""
        match whole:
            case ast.Junction():
                return not whole.conjunction or any(self.branches(i, unit, primed, seen) for i in whole.items)
            case ast.Quantifier():
                return not whole.universal or self.branches(whole.body, unit, primed, seen)
            case ast.If() | ast.Case() | ast.Let():
                if isinstance(whole, ast.If):
                    parts = [whole.then, whole.otherwise]
                elif isinstance(whole, ast.Let):
                    parts = [whole.body]
                else:
                    parts = [value for _, value in whole.arms] + ([whole.other] if whole.other else [])
                return any(self.branches(part, unit, primed, seen) for part in parts)
            case ast.Unchanged() | ast.Step():
                return True
            case ast.FunctionApply():
                return _is_recursive_function(whole.function)
            case ast.Apply():
                return self._application_branches(whole, unit, primed, seen)
        return False

    def _application_branches(
        self, whole: ast.Apply, unit: Unit, primed: bool, seen: tuple[Definition, ...]
    ) -> bool:
        symbol = self.evaluator.resolve(whole.operator, unit.module) or whole.operator
        if isinstance(symbol, Builtin):
            if assignment(symbol, whole) is not None:
                return self.target(whole.arguments[0], unit, primed) is not None
            if symbol.name == "\\cdot":
                return True
            return symbol.name == "=>" and self.branches(whole.arguments[1], unit, primed, seen)
        if isinstance(symbol, ast.Parameter):
            return True
        if not isinstance(symbol, Definition) or symbol in seen or symbol in self.evaluator.constants:
            return isinstance(symbol, Definition) and symbol in seen
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

        def walked(e: Frame, follow: Continue) -> None:
            found = applied(e)
            if type(found) is not LazyFunction or found.entered is None:
                if test(e):
                    follow()
                return
            argument = given(e)
            if not is_member(argument, found.domain):
                no_value_at(self.evaluator, whole, found, argument)
            body, target, inner = found.entered(found, argument)
            self.of_waiting(body, target, primed)(stretched(inner, target), follow)

        return walked


def _is_recursive_function(whole: Expression) -> bool:
    """True if an expression may be a recursive function."""
    if not isinstance(whole, ast.Apply) or whole.arguments:
        return False
    symbol = whole.operator
    if isinstance(symbol, Definition):
        return isinstance(symbol.body, ast.Function) and symbol.body.itself is not None
    return isinstance(symbol, ast.Bound)
