"""The interpreter of a module: the evaluator of its expressions, and the walker of its actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from verifier.tla import ast, forms, functions, logic
from verifier.tla.actions import Walker
from verifier.tla.ast import Symbol
from verifier.tla.calls import application_source, predicate_source
from verifier.tla.evaluator import Compilers, Evaluator
from verifier.tla.forms import if_source
from verifier.tla.lets import let_source
from verifier.tla.order import Order
from verifier.tla.value_types import Value

if TYPE_CHECKING:
    from verifier.tla.formula_counts import FormulaCounts

COMPILERS = Compilers(
    values={**forms.FORMS, **functions.FORMS},
    formulas=logic.FORMS,
    parts={ast.If: if_source, ast.Let: let_source},
    application=application_source,
    predicate=predicate_source,
)
"""The compilers of all forms of expressions."""


class Interpreter(Evaluator):
    """Evaluates the expressions of a module, and walks over its actions."""

    def __init__(
        self,
        variables: list[ast.Variable],
        resolve: Callable[[Symbol, str], Symbol | None],
        constants: dict[Symbol, Value],
        order: Order,
    ) -> None:
        super().__init__(COMPILERS, variables, resolve, constants, order)
        self.actions: Walker = Walker(self)

    def count_formulas(self, counts: FormulaCounts) -> None:
        """Count formulas from now on. Formulas that are compiled already are compiled again."""
        self.counts = counts
        self.actions = Walker(self)
        self._begin_compiling()

    def beside(self, variables: list[ast.Variable]) -> Interpreter:
        """Return an evaluator with other variables and all else the same."""
        made = Interpreter(variables, self.resolve, self.constants, self.order)
        made.registers, made.answers, made.printed = self.registers, self.answers, self.printed
        made.model_values, made.origins, made.seed = self.model_values, self.origins, self.seed
        return made
