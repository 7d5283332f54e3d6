"""Expressions translated to terms, by their form."""

from __future__ import annotations

from dataclasses import replace

from verifier.encodings.terms import Symbol
from verifier.tla import ast
from verifier.tla.evaluator import Evaluator
from verifier.tla.translate.coding import Names
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.function_forms import FunctionForms
from verifier.tla.translate.making import set_of
from verifier.tla.translate.symbolic import (
    NO,
    YES,
    Functions,
    Known,
    Nothing,
    Products,
    Records,
    Sym,
)


class Translator(FunctionForms):
    """Translates the expressions of one module."""

    def __init__(
        self,
        evaluator: Evaluator,
        names: Names,
        variables: dict[ast.Variable, Symbol],
        successor: dict[ast.Variable, Symbol],
    ) -> None:
        super().__init__(evaluator, names, variables, successor)
        self.forms = {
            ast.Number: lambda e, c: Known(e.value),
            ast.String: lambda e, c: Known(e.value),
            ast.Apply: self._apply,
            ast.Junction: self._junction,
            ast.If: self._if,
            ast.Case: self._case,
            ast.Let: lambda e, c: self.value(e.body, self.let(e, c)),
            ast.Quantifier: self._quantifier,
            ast.Choose: self._choose,
            ast.SetOf: lambda e, c: self._set_of([self.value(i, c) for i in e.items]),
            ast.Filter: self._filter,
            ast.Image: self._image,
            ast.Function: self._function,
            ast.FunctionSet: lambda e, c: self._strict(
                Functions, self.set_value(e.domain, c), self.set_value(e.range, c)
            ),
            ast.Record: lambda e, c: self._tabled({n: self.value(v, c) for n, v in e.fields}),
            ast.RecordSet: self._record_set,
            ast.Tuple: lambda e, c: self._tabled({n: self.value(v, c) for n, v in enumerate(e.items, 1)}),
            ast.Product: lambda e, c: self._strict(
                lambda *items: Products(items), *(self.set_value(i, c) for i in e.items)
            ),
            ast.At: lambda e, c: c.at if c.at is not None else Nothing("@ stands outside of EXCEPT"),
            ast.Except: self._except,
            ast.FunctionApply: self._applied_to,
            ast.Prime: lambda e, c: self.value(e.body, replace(c, primed=True)),
            ast.Unchanged: lambda e, c: self.equal(
                self.value(e.body, c), self.value(e.body, replace(c, primed=True))
            ),
            ast.Step: self._step,
        }

    def _record_set(self, whole: ast.RecordSet, context: Context) -> Sym:
        names = [name for name, _ in whole.fields]
        images = [self.set_value(value, context) for _, value in whole.fields]
        return self._strict(lambda *found: Records(dict(zip(names, found, strict=True))), *images)

    # -- logic

    def _junction(self, whole: ast.Junction, context: Context) -> Sym:
        parts = (self.value(item, context) for item in whole.items)
        return self.and_(parts) if whole.conjunction else self.or_(parts)

    def _if(self, whole: ast.If, context: Context) -> Sym:
        condition = self.truth(self.value(whole.condition, context))
        if isinstance(condition, Nothing):
            return condition
        if isinstance(condition, Known):
            return self.value(whole.then if condition.value.truth else whole.otherwise, context)
        return self.if_(condition, self.value(whole.then, context), self.value(whole.otherwise, context))

    def _case(self, whole: ast.Case, context: Context) -> Sym:
        found: Sym = Nothing(whole.missing)
        if whole.other is not None:
            found = self.value(whole.other, context)
        for guard, value in reversed(whole.arms):
            condition = self.value(guard, context)
            found = (
                found
                if self.truth(condition) is NO
                else self.if_(condition, self.value(value, context), found)
            )
        return found

    def _step(self, whole: ast.Step, context: Context) -> Sym:
        unchanged = self.equal(
            self.value(whole.subscript, context), self.value(whole.subscript, replace(context, primed=True))
        )
        action = (self.value(whole.action, context),)
        if whole.stuttering:
            return self.or_([unchanged, *action])
        return self.and_([self.not_(unchanged), *action])

    # -- sets

    def _set_of(self, items: list[Sym]) -> Sym:
        for item in items:
            if isinstance(item, Nothing):
                return item
        return self.of_one_kind(set_of([(YES, item) for item in items]))


__all__ = ["Translator"]
