"""Temporal formulas of infinite executions: states in a row, after the last of which an earlier one follows.

What a formula says is worked out by the meaning of TLA+ alone, for every place of the execution at once. So
it judges what other parts of the program find.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from verifier.tla import ast
from verifier.tla.ast import Builtin, Definition, Expression, Symbol
from verifier.tla.evaluator import Evaluator
from verifier.tla.facts import CONSTANT, STATE
from verifier.tla.fairness import meaning_of
from verifier.tla.found import State
from verifier.tla.frames import Undefined
from verifier.tla.splitting import Formula
from verifier.tla.values import Value, members

Truths = list[bool]
"""Of each place, whether a formula is true of the execution from there on."""


@dataclass(frozen=True)
class Lasso:
    """An execution. After the last state comes the one of the number ``start``."""

    evaluator: Evaluator
    states: Sequence[State]
    start: int

    def holds(self, formula: Formula) -> bool:
        """Whether a temporal formula is true of the execution. Raises Undefined."""
        return self._truths(formula.body, formula.module)[0]

    def _after(self, place: int) -> int:
        return place + 1 if place + 1 < len(self.states) else self.start

    def _from(self, place: int) -> range:
        """All places that are reached from one, itself among them."""
        return range(min(place, self.start), len(self.states))

    def _truths(self, whole: Expression, module: str) -> Truths:
        level = self.evaluator.analysis.of(whole, module).level
        if level <= STATE:
            return self._each(whole, module)
        match whole:
            case ast.Step():
                return self._each(whole, module)
            case ast.Junction():
                rows = [self._truths(item, module) for item in whole.items]
                return self._joined(rows, conjunction=whole.conjunction)
            case ast.Quantifier():
                bodies = self._instances(whole, module)
                rows = [self._truths(body, module) for body in bodies]
                return self._joined(rows, conjunction=whole.universal)
            case ast.Temporal():
                return self._temporal(whole, module)
            case ast.Fairness():
                return self._truths(meaning_of(whole), module)
            case ast.If():
                branches = (whole.condition, whole.then, whole.otherwise)
                met, then, other = (self._truths(part, module) for part in branches)
                return [then[place] if met[place] else other[place] for place in range(len(met))]
            case ast.Apply():
                return self._applied(whole, module)
            case ast.Let() if not any(d.parameters for d in whole.definitions):
                put: dict[Symbol, Expression] = {}
                for one in whole.definitions:
                    if one.body is not None:
                        put[one] = _put(one.body, put)
                return self._truths(_put(whole.body, put), module)
        raise Undefined(whole.place, "a temporal formula of this kind cannot be evaluated")

    def _each(self, whole: Expression, module: str) -> Truths:
        """Of a formula about a state, or about a state and the next one."""
        test = self.evaluator.compiled_truth(whole, module)
        found = []
        for place, state in enumerate(self.states):
            self.evaluator.now[:] = state
            self.evaluator.next[:] = self.states[self._after(place)]
            found.append(test())
        return found

    def _joined(self, rows: Sequence[Truths], *, conjunction: bool) -> Truths:
        join: Callable[[Iterator[bool]], bool] = all if conjunction else any
        return [join(row[place] for row in rows) for place in range(len(self.states))]

    def _temporal(self, whole: ast.Temporal, module: str) -> Truths:
        rows = [self._truths(item, module) for item in whole.items]
        places = range(len(self.states))
        match whole.kind:
            case "[]":
                return [all(rows[0][later] for later in self._from(place)) for place in places]
            case "<>":
                return [any(rows[0][later] for later in self._from(place)) for place in places]
            case "~>":
                comes = [any(rows[1][later] for later in self._from(place)) for place in places]
                met = [not rows[0][place] or comes[place] for place in places]
                return [all(met[later] for later in self._from(place)) for place in places]
        raise Undefined(whole.place, f"{whole.kind} cannot be evaluated")

    def _applied(self, whole: ast.Apply, module: str) -> Truths:
        symbol = self.evaluator.resolve(whole.operator, module) or whole.operator
        if isinstance(symbol, Builtin):
            rows = [self._truths(item, module) for item in whole.arguments]
            places = range(len(self.states))
            match symbol.name:
                case "~":
                    return [not rows[0][place] for place in places]
                case "=>":
                    return [not rows[0][place] or rows[1][place] for place in places]
                case "<=>" | "\\equiv":
                    return [rows[0][place] is rows[1][place] for place in places]
        if isinstance(symbol, Definition) and symbol.body is not None:
            put = dict(zip(symbol.parameters, whole.arguments, strict=True))
            return self._truths(_put(symbol.body, put), symbol.module)
        raise Undefined(whole.place, f"{symbol.name} of temporal formulas cannot be evaluated")

    def _instances(self, whole: ast.Quantifier, module: str) -> Iterator[Expression]:
        """The body for all values of the bound names."""
        choices: list[dict[Symbol, Expression]] = [{}]
        for binding in whole.bindings:
            if self.evaluator.analysis.of(binding.domain, module).level > CONSTANT:
                raise Undefined(binding.domain.place, "a set that is the same in all states is expected")
            items = list(members(self.evaluator.compiled(binding.domain, module)()))
            for names in [binding.names] if binding.is_tuple else [(name,) for name in binding.names]:
                rows = [dict(self._bound(names, item, binding)) for item in items]
                choices = [{**choice, **row} for choice in choices for row in rows]
        for choice in choices:
            yield _put(whole.body, choice)

    def _bound(
        self, names: tuple[ast.Bound, ...], item: Value, binding: ast.Binding
    ) -> Iterator[tuple[Symbol, Expression]]:
        """What the names stand for where a member of their set is this one."""
        parts = item if binding.is_tuple else (item,)
        if not isinstance(parts, tuple) or len(parts) != len(names):
            raise Undefined(binding.domain.place, f"tuples of {len(names)} are expected")
        for name, part in zip(names, parts, strict=True):
            yield name, self._constant(name.name, part, binding.domain)

    def _constant(self, name: str, value: Value, whole: Expression) -> Expression:
        """An expression that has this value."""
        symbol = ast.Constant(name, 0, whole.place)
        self.evaluator.constants[symbol] = value
        return ast.Apply(symbol, place=whole.place)


def _put(whole: Any, put: Mapping[Any, Expression]) -> Any:
    """An expression with others for some names."""
    if not put:
        return whole
    if isinstance(whole, ast.Apply) and not whole.arguments and whole.operator in put:
        return put[whole.operator]
    if isinstance(whole, tuple):
        return tuple(_put(item, put) for item in whole)
    if not is_dataclass(whole) or isinstance(whole, Symbol | type):
        return whole
    changed = {}
    for one in fields(whole):
        old = getattr(whole, one.name)
        if one.name != "place" and (new := _put(old, put)) is not old:
            changed[one.name] = new
    return replace(whole, **changed) if changed else whole
