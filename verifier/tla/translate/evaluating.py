"""What has the same value in all states is evaluated by the interpreter; the rest is translated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verifier.encodings.terms import Symbol
from verifier.tla import ast
from verifier.tla.ast import Definition, Expression
from verifier.tla.evaluator import Evaluator
from verifier.tla.facts import CONSTANT
from verifier.tla.frames import Code, Undefined, Unit, Waiting
from verifier.tla.translate.builtins import Builtins
from verifier.tla.translate.coding import Names
from verifier.tla.translate.contexts import Context, Thunk
from verifier.tla.translate.making import known_table
from verifier.tla.translate.recursion import Fold
from verifier.tla.translate.symbolic import Known, Nothing, Sym, Table, Untranslated
from verifier.tla.values import NoValue, Value

DEEPEST = 40
"""Recursion goes no deeper where the state decides when it ends."""


class Evaluation(Builtins):
    """Evaluates or translates expressions."""

    def __init__(
        self,
        evaluator: Evaluator,
        names: Names,
        variables: dict[ast.Variable, Symbol],
        successor: dict[ast.Variable, Symbol],
    ) -> None:
        super().__init__(names)
        self.evaluator = evaluator
        self.variables, self.successor = variables, successor
        self.assigned: dict[ast.Variable, Sym] | None = None
        """What variables are in the next state; None: the symbols of the state after a step."""
        self.unassigned: set[str] = set()
        """The variables that were read in the next state before they had a value there."""
        self.own: dict[ast.Variable, Sym] = {}
        """What the variables are of what stands below ENABLED in an instance."""
        self.depths: dict[Definition, int] = {}
        self.repeated: dict[Definition, int] = {}
        """How often operators called themselves within a call of them."""
        self.folds: dict[Definition, Fold | None] = {}
        self.defined: dict[Definition, Sym] = {}
        self.tabled: dict[tuple[Any, ...], Sym] = {}
        """What calls within recursive operators stand for, by operator and arguments."""
        self.reached: dict[Definition, frozenset[Definition]] = {}
        self.compiled: dict[tuple[Expression, str], tuple[Unit, Any]] = {}
        self.known: dict[tuple[Expression, str], Sym] = {}
        self.forms: dict[type, Callable[[Any, Context], Sym]] = {}
        self.noted: Callable[[Expression, Context, Sym], None] = lambda whole, context, found: None
        """Is told of each expression what it is translated to, unless it is the same in all states."""

    def value(self, whole: Expression, context: Context) -> Sym:
        """What an expression is translated to."""
        form = self.forms.get(type(whole))
        if not isinstance(whole, ast.Number | ast.String):
            found = self._constant(whole, context)
            if found is not None:
                return found
        if form is None:
            raise Untranslated(whole.place, f"{type(whole).__name__.upper()} is not translated")
        try:
            found = form(whole, context)
            self.noted(whole, context, found)
            return found
        except Untranslated as error:
            if error.place is None:
                error.place = whole.place
            raise
        except NoValue as error:
            return Nothing(str(error))
        except RecursionError:
            raise Untranslated(whole.place, "an operator calls itself too deep") from None

    def set_value(self, whole: Expression, context: Context) -> Sym:
        """The same of what must be a set; it has no value where it is none."""
        return self.expected(self.value(whole, context), "set")

    def assigned_value(self, whole: Expression, context: Context) -> Sym:
        """What an expression is translated to that a variable is to have."""
        self.kept_narrow = self.keeps_sorts
        try:
            return self.value(whole, context)
        finally:
            self.kept_narrow = False

    def _constant(self, whole: Expression, context: Context) -> Sym | None:
        """The value of an expression that does not depend on the state; None if it does."""
        facts = self.evaluator.analysis.of(whole, context.module)
        if facts.level != CONSTANT or facts.changing:
            return None
        key = (whole, context.module)
        if not facts.free:
            if key not in self.known:
                self.known[key] = self._evaluated(whole, context, {})
            return self.known[key]
        bound: dict[ast.Symbol, Any] = {}
        for symbol in facts.free:
            found = self._peek(symbol, context)
            if found is None:
                return None
            bound[symbol] = found.value
        return self._evaluated(whole, context, bound)

    def _peek(self, symbol: ast.Symbol, context: Context) -> Known | None:
        found = context.env.get(symbol)
        if isinstance(found, Thunk):
            if found.found is None:
                facts = self.evaluator.analysis.of(found.body, found.context.module)
                if facts.level != CONSTANT or any(self._peek(s, found.context) is None for s in facts.free):
                    return None
            found = found.force(False)
        return found if isinstance(found, Known) else None

    def _evaluated(self, whole: Expression, context: Context, bound: dict[ast.Symbol, Any]) -> Sym:
        key = (whole, context.module)
        if key not in self.compiled:
            unit = Unit(context.module)
            self.compiled[key] = unit, self.evaluator.value(whole, unit)
        unit, evaluate = self.compiled[key]
        for symbol in bound:
            unit.slot(symbol)
        frame = unit.frame()
        for symbol, value in bound.items():
            frame[unit.slot(symbol)] = (
                _waiting(whole, unit, value) if isinstance(symbol, Definition) else value
            )
        try:
            return Known(evaluate(frame))
        except Undefined as error:
            return Nothing(str(error))
        except NoValue as error:
            return Nothing(str(error))

    def _strict(self, make: Callable[..., Sym], *parts: Sym) -> Sym:
        for part in parts:
            if isinstance(part, Nothing):
                return part
        return make(*parts)

    def _tabled(self, rows: dict[Any, Sym]) -> Sym:
        for item in rows.values():
            if isinstance(item, Nothing):
                return item
        return known_table(Table(rows))


def _waiting(whole: Expression, unit: Unit, value: Value) -> Waiting:
    """A definition of a LET whose value is known."""
    return Waiting(Code(whole, unit, True, lambda *_: lambda _: value, False, True, [False]), [])


__all__ = ["DEEPEST", "Evaluation"]
