r"""A weaker Next, which speaks of some variables only: each step of Next is a step of it, as far as these go.

A conjunct that reads another variable is left out, and so is a set over which nothing that remains ranges. A
formula only gets weaker by this, since it stands below conjunctions, disjunctions and ``\E``, which are
monotone. Anything else that reads another variable is left out as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from verifier.tla import action_forms as forms
from verifier.tla import ast
from verifier.tla.ast import Definition, Expression, Variable
from verifier.tla.interpreter import Interpreter
from verifier.tla.scope import LANGUAGE
from verifier.tla.specification import Specification
from verifier.tla.splitting import Formula


def weaken_next(spec: Specification, kept: Iterable[Variable], most_names: int) -> Formula | None:
    r"""Return Next without what it says of variables that are not kept; None if nothing is left, or if some
    of it remains. A ``\E`` over more names than ``most_names`` is left out, too: it takes long."""
    assert spec.next is not None
    body, weakening = spec.next.body, _Weakening(spec.evaluator, frozenset(kept), most_names)
    made = weakening.weaken(body.action if isinstance(body, ast.Step) else body, spec.next.module)
    if made is None:
        return None
    # A configuration may put an operator for a name, and so read more than the weaker text.
    return Formula(made, spec.next.module) if weakening.may_stay(made, spec.next.module) else None


class _Weakening:
    def __init__(self, evaluator: Interpreter, kept: frozenset[Variable], most_names: int) -> None:
        self.evaluator, self.kept, self.most_names = evaluator, kept, most_names
        self.definitions: dict[Definition, Definition | None] = {}
        """The weaker form of each definition; None if it says nothing."""

    def may_stay(self, whole: Expression, module: str) -> bool:
        """True if an expression depends on kept variables only."""
        facts = self.evaluator.analysis.of(whole, module)
        return facts.reads <= self.kept and not facts.changing and not facts.enabled

    def weaken(self, whole: Expression, module: str) -> Expression | None:
        """Return a formula that each step satisfies which satisfies this one; None for TRUE."""
        if self.may_stay(whole, module):
            return whole
        match forms.action_form(self.evaluator, whole, module):
            case forms.Conjunction(items):
                return _join(whole, filter(None, (self.weaken(item, module) for item in items)))
            case forms.Disjunction(items):
                return self._weaken_branches(whole, items, module)
            case forms.Choice(quantifier):
                return self._weaken_choice(quantifier, module)
            case forms.Condition(condition, then, otherwise):
                return self._weaken_condition(whole, condition, then, otherwise, module)
            case forms.Binding(let):
                body = self.weaken(let.body, module)
                return None if body is None else replace(let, body=body)
            case forms.Stay(body):
                kept = [item for item in self._list_items(body, module) if self.may_stay(item, module)]
                return _join(whole, [ast.Unchanged(item, place=whole.place) for item in kept])
            case forms.Call(definition, call):
                return self._weaken_call(definition, call, module)
        return None

    def _weaken_branches(
        self, whole: Expression, items: tuple[Expression, ...], module: str
    ) -> Expression | None:
        branches = [self.weaken(item, module) for item in items]
        known = tuple(branch for branch in branches if branch is not None)
        return ast.Junction(False, known, place=whole.place) if len(known) == len(branches) else None

    def _weaken_choice(self, whole: ast.Quantifier, module: str) -> Expression | None:
        body = self.weaken(whole.body, module)
        if body is None:
            return None
        used = self.evaluator.analysis.of(body, module).free
        bindings = tuple(one for one in whole.bindings if used & set(one.names))
        many = sum(len(one.names) for one in bindings) > self.most_names
        if many or not all(self.may_stay(one.domain, module) for one in bindings):
            return None
        return replace(whole, bindings=bindings, body=body) if bindings else body

    def _weaken_condition(
        self,
        whole: Expression,
        condition: Expression,
        then: Expression,
        other: Expression | None,
        module: str,
    ) -> Expression | None:
        truth = ast.Apply(LANGUAGE["TRUE"], place=whole.place)
        branches = [self.weaken(then, module), None if other is None else self.weaken(other, module)]
        if branches == [None, None]:
            return None
        one, two = (truth if branch is None else branch for branch in branches)
        if self.may_stay(condition, module):
            return ast.If(condition, one, two, place=whole.place)
        return ast.Junction(False, (one, two), place=whole.place)

    def _list_items(self, body: Expression, module: str) -> list[Expression]:
        """Return the parts of a tuple of variables, also of one with a name."""
        if isinstance(body, ast.Tuple):
            return [part for item in body.items for part in self._list_items(item, module)]
        if isinstance(body, ast.Apply) and not body.arguments:
            symbol = self.evaluator.resolve(body.operator, module) or body.operator
            if isinstance(symbol, Definition) and isinstance(symbol.body, ast.Tuple):
                return self._list_items(symbol.body, symbol.module)
        return [body]

    def _weaken_call(self, symbol: Definition, whole: ast.Apply, module: str) -> Expression | None:
        if symbol.recursive or symbol.nested or any(one.arity for one in symbol.parameters):
            return None
        if symbol not in self.definitions:
            self.definitions[symbol] = None
            assert symbol.body is not None
            body = self.weaken(symbol.body, symbol.module)
            # No configuration puts anything for the weaker definition: it has no home, and a name of its own.
            name = f"{symbol.name}, weaker"
            self.definitions[symbol] = (
                None if body is None else replace(symbol, name=name, home=None, plain={}, body=body)
            )
        made = self.definitions[symbol]
        if made is None:
            return None
        assert made.body is not None
        used = self.evaluator.analysis.of(made.body, made.module).free
        pairs = zip(made.parameters, whole.arguments, strict=True)
        given = [(name, argument) for name, argument in pairs if name in used]
        if not all(self.may_stay(argument, module) for _, argument in given):
            return None
        names, arguments = tuple(name for name, _ in given), tuple(argument for _, argument in given)
        return ast.Apply(replace(made, parameters=names), arguments, place=whole.place)


def _join(whole: Expression, items: Iterable[Expression]) -> Expression | None:
    parts = tuple(items)
    return ast.Junction(True, parts, place=whole.place) if parts else None
