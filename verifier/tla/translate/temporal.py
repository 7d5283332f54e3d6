"""Fairness and temporal properties, as data of the liveness engines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from verifier.encodings.terms import Term
from verifier.specs.definition import Definition
from verifier.specs.temporal import TemporalFormula, TemporalOperator, TemporalProperty
from verifier.tla import ast
from verifier.tla.ast import Builtin, Expression
from verifier.tla.ast import Definition as Operator
from verifier.tla.facts import STATE, TEMPORAL
from verifier.tla.fairness import meaning_of
from verifier.tla.order import text
from verifier.tla.splitting import Formula
from verifier.tla.translate.binders import bind, names_of
from verifier.tla.translate.calls import enter, enter_let
from verifier.tla.translate.connectives import formula_of, not_, truth_of
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.definition import Maker
from verifier.tla.translate.fair_steps import FairSteps, TemporalParts
from verifier.tla.translate.symbolic import NO, YES, Known, Untranslated
from verifier.tla.translate.thunks import Thunk
from verifier.tla.value_types import Value
from verifier.tla.values import is_infinite, is_set, members

_AGAIN_AND_AGAIN = (TemporalOperator.ALWAYS_EVENTUALLY, TemporalOperator.EVENTUALLY_ALWAYS)


class Temporal:
    """Translates temporal formulas, with the translator of a definition."""

    def __init__(self, maker: Maker, definition: Definition) -> None:
        self.maker, self.t = maker, maker.t
        self.evaluator = maker.spec.evaluator
        self.parts = TemporalParts()
        self.fair_steps = FairSteps(maker, definition, self.parts)

    # -- fairness

    def specification(self) -> TemporalParts:
        """Translate the fairness and the other temporal formulas of the specification. Raises
        Untranslated."""
        for formula in self.maker.spec.fairness:
            self._condition(formula.body, Context({}, formula.module), ())
        return self.parts

    def _condition(self, whole: Expression, c: Context, bound: tuple[str, ...]) -> None:
        match whole:
            case ast.Fairness():
                fair = self.fair_steps.condition(whole, c, bound)
                if fair is not None:
                    self.parts.fairness.append(fair)
                else:
                    self.parts.assumed.append(self.formula(meaning_of(whole), c))
            case ast.Junction() if whole.conjunction:
                for item in whole.items:
                    self._condition(item, c, bound)
            case ast.Quantifier() if whole.universal:
                for shown, inner in self._bind(whole, c):
                    self._condition(whole.body, inner, (*bound, *shown))
            case ast.Let():
                self._condition(whole.body, enter_let(self.t, whole, c), bound)
            case ast.If() if (decided := self._decide(whole.condition, c)) is not None:
                self._condition(whole.then if decided else whole.otherwise, c, bound)
            case ast.Apply() if (entered := self._enter(whole, c)) is not None:
                self._condition(*entered, bound)
            case ast.Apply(operator=Builtin(name="=>")) if self._decide(whole.arguments[0], c) is True:
                self._condition(whole.arguments[1], c, bound)
            case _ if self._decide(whole, c) is True:
                pass
            case _:
                self.parts.assumed.append(self.formula(whole, c))

    def _translate_fairness(self, whole: ast.Fairness, c: Context) -> TemporalFormula:
        """Translate a fairness condition of a property. If its action is none of the specification's, the
        result is the formula that defines the condition."""
        take_back, shown = self.fair_steps.mark(), dict(self.parts.open)
        fair = self.fair_steps.condition(whole, c, ())
        if fair is not None and self.parts.open == shown:
            return TemporalFormula(TemporalOperator.FAIR, condition=fair)
        take_back()
        return self.formula(meaning_of(whole), c)

    # -- formulas

    def properties(self, named: dict[str, Sequence[Formula]]) -> list[TemporalProperty]:
        """Translate temporal properties of an execution of the specification. Raises Untranslated."""
        assumed = [~one for one in self.parts.assumed]
        properties = []
        for name, formulas in named.items():
            parts = [self.formula(one.body, Context({}, one.module)) for one in formulas]
            claim = _join(TemporalOperator.OR, [*assumed, _join(TemporalOperator.AND, parts)])
            properties.append(TemporalProperty(name, claim, True, ""))
        return properties

    def formula(self, whole: Expression, c: Context) -> TemporalFormula:
        """Translate a temporal formula. Raises Untranslated."""
        try:
            return self._formula(whole, c)
        except Untranslated as error:
            error.place = error.place or whole.place
            raise

    def _formula(self, whole: Expression, c: Context) -> TemporalFormula:
        if self._level(whole, c) <= STATE:
            return self._initially(whole, c)
        match whole:
            case ast.Junction():
                return self._several([(item, c) for item in whole.items], whole.conjunction)
            case ast.Quantifier():
                return self._several(
                    [(whole.body, inner) for _, inner in self._bind(whole, c)], whole.universal
                )
            case ast.If():
                parts = [self.formula(item, c) for item in (whole.condition, whole.then, whole.otherwise)]
                return _join(TemporalOperator.OR, [parts[0] & parts[1], ~parts[0] & parts[2]])
            case ast.Let():
                return self.formula(whole.body, enter_let(self.t, whole, c))
            case ast.Temporal(kind="[]"):
                return self._always(whole.items[0], c)
            case ast.Temporal(kind="<>"):
                return ~self._always(whole.items[0], c, negated=True)
            case ast.Temporal(kind="~>"):
                return self._leads_to(whole.items[0], whole.items[1], c)
            case ast.Fairness():
                return self._translate_fairness(whole, c)
            case ast.Apply():
                return self._translate_call(whole, c)
        raise Untranslated(whole.place, "of temporal formulas only [], <>, ~>, WF and SF are translated")

    def _several(self, items: list[tuple[Expression, Context]], conjunction: bool) -> TemporalFormula:
        """Return the conjunction or disjunction of formulas, without those that are known not to matter."""
        parts = [self.formula(*item) for item in items if self._decide(*item) is not conjunction]
        if not parts:
            return TemporalFormula(TemporalOperator.NOW, (formula_of(self.t, YES if conjunction else NO),))
        return _join(TemporalOperator.AND if conjunction else TemporalOperator.OR, parts)

    def _decide(self, whole: Expression, c: Context) -> bool | None:
        """Return True if a formula holds of every execution, False if of none, and None if it depends. Only
        parts that are the same in all states count, as in ``m # n => F`` for equal m and n."""
        match whole:
            case ast.Apply(operator=Builtin(name="=>"), arguments=(premise, claim)):
                supposed = self._decide(premise, c)
                return self._decide(claim, c) if supposed else None if supposed is None else True
        if self._level(whole, c) > STATE:
            return None
        truth = truth_of(self.t, self.t.value(whole, c))
        return truth.value.truth if isinstance(truth, Known) else None

    def _translate_call(self, whole: ast.Apply, c: Context) -> TemporalFormula:
        entered = self._enter(whole, c)
        if entered is not None:
            return self.formula(*entered)
        symbol = whole.operator
        if isinstance(symbol, Builtin) and symbol.name in ("~", "=>", "<=>"):
            if symbol.name == "=>" and self._decide(whole.arguments[0], c) is True:
                return self.formula(whole.arguments[1], c)
            parts = [self.formula(item, c) for item in whole.arguments]
            if symbol.name == "~":
                return ~parts[0]
            there = parts[0].implies(parts[1])
            return there if symbol.name == "=>" else there & parts[1].implies(parts[0])
        raise Untranslated(whole.place, f"{symbol.name} of temporal formulas is not translated")

    def _initially(self, whole: Expression, c: Context) -> TemporalFormula:
        return TemporalFormula(TemporalOperator.NOW, (self._state(whole, c),))

    def _state(self, whole: Expression, c: Context, *, negated: bool = False) -> Term:
        truth = truth_of(self.t, self.t.value(whole, c))
        return formula_of(self.t, not_(self.t, truth) if negated else truth)

    def _always(self, whole: Expression, c: Context, *, negated: bool = False) -> TemporalFormula:
        """``[]F``, or ``[]~F``."""
        if self._level(whole, c) <= STATE:
            term = self._state(whole, c, negated=not negated)
            return ~TemporalFormula(TemporalOperator.EVENTUALLY, (term,))
        match whole:
            case ast.Apply() if (entered := self._enter(whole, c)) is not None:
                return self._always(*entered, negated=negated)
            case ast.Step():
                return ~_about(TemporalOperator.EVENTUALLY, self._step(whole, c, negated=not negated))
            case ast.Temporal(kind="[]" | "<>"):
                return self._translate_repeated(whole, c, negated=negated)
            case ast.Junction() if whole.conjunction is not negated:
                parts = [self._always(item, c, negated=negated) for item in whole.items]
                return _join(TemporalOperator.AND, parts)
            case ast.Quantifier() if whole.universal is not negated:
                bound = self._bind(whole, c)
                parts = [self._always(whole.body, inner, negated=negated) for _, inner in bound]
                return _join(TemporalOperator.AND, parts)
            case ast.Apply(operator=Builtin(name="~")):
                return self._always(whole.arguments[0], c, negated=not negated)
            case ast.Apply(operator=Builtin(name="=>")):
                first, then = whole.arguments
                if negated:
                    return self._always(first, c) & self._always(then, c, negated=True)
                return self._leads_to(first, then, c, now=True)
        formula = self.formula(whole, c)
        said = ~formula if negated else formula
        return said if _is_of_all_ends(formula) else _about(TemporalOperator.ALWAYS, said)

    def _step(self, whole: ast.Step, c: Context, *, negated: bool) -> TemporalFormula:
        """Translate ``<<A>>_v``, or the negation of ``[A]_v``: a formula about a step that changes v."""
        if whole.stuttering is not negated:
            raise Untranslated(whole.place, "[A]_v stands below [], and <<A>>_v below <>")
        self.t.assigned = None  # names of the next state may be read
        try:
            truth = truth_of(self.t, self.t.value(whole, c))
            term = formula_of(self.t, not_(self.t, truth) if negated else truth)
        finally:
            self.t.assigned = {}
        return TemporalFormula(TemporalOperator.STEP, (term,))

    def _translate_repeated(self, whole: ast.Temporal, c: Context, *, negated: bool) -> TemporalFormula:
        """Translate ``[][]F`` or ``[]<>F``, with F negated if ``negated``."""
        inner, c = self._resolve(whole.items[0], c)
        if (whole.kind == "[]") is not negated:
            return self._always(inner, c, negated=negated)
        if self._level(inner, c) <= STATE:
            term = self._state(inner, c, negated=negated)
            return TemporalFormula(TemporalOperator.ALWAYS_EVENTUALLY, (term,))
        if isinstance(inner, ast.Step):
            return _about(TemporalOperator.ALWAYS_EVENTUALLY, self._step(inner, c, negated=negated))
        result = self._always(inner, c) if whole.kind == "[]" else ~self._always(inner, c, negated=True)
        if _is_of_all_ends(result):
            return ~result if negated else result
        part = self.formula(inner, c)
        return _about(TemporalOperator.ALWAYS_EVENTUALLY, ~part if negated else part)

    def _leads_to(
        self, first: Expression, then: Expression, c: Context, *, now: bool = False
    ) -> TemporalFormula:
        """Translate ``F ~> G``, or with ``now`` ``[](F => G)``."""
        if now:
            target = self._below("<>", then, c)
            after = self._below("[]", then, c)
            if after is not None and self._level(first, c) <= STATE and self._level(*after) <= STATE:
                terms = (self._state(first, c), self._state(*after))
                return TemporalFormula(TemporalOperator.EVER_AFTER, terms)
            if target is None:
                formula = self.formula(then, c)
                if not _is_of_all_ends(formula):
                    return _about(TemporalOperator.ALWAYS, self.formula(first, c).implies(formula))
                return self._happens(first, c).implies(formula)
            then, inner = target
        else:
            inner = c
        if self._level(first, c) <= STATE and self._level(then, inner) <= STATE:
            terms = (self._state(first, c), self._state(then, inner))
            return TemporalFormula(TemporalOperator.LEADS_TO, terms)
        if self._level(then, inner) <= STATE:
            cause = self.formula(first, c)
            if _is_of_all_ends(cause):
                term = self._state(then, inner)
                return cause.implies(TemporalFormula(TemporalOperator.ALWAYS_EVENTUALLY, (term,)))
        else:
            formula = ~self._always(then, inner, negated=True)
            if _is_of_all_ends(formula):
                return self._happens(first, c).implies(formula)
        return _about(TemporalOperator.LEADS_TO, self.formula(first, c), self.formula(then, inner))

    def _happens(self, whole: Expression, c: Context) -> TemporalFormula:
        """``<>F``"""
        return ~self._always(whole, c, negated=True)

    def _resolve(self, whole: Expression, c: Context) -> tuple[Expression, Context]:
        """Return the formula that a name stands for, with its context."""
        while isinstance(whole, ast.Apply) and (entered := self._enter(whole, c)) is not None:
            whole, c = entered
        return whole, c

    def _below(self, kind: str, whole: Expression, c: Context) -> tuple[Expression, Context] | None:
        """Return the formula below ``[]`` or ``<>``; None if the formula is not of that kind."""
        match whole:
            case ast.Temporal() if whole.kind == kind:
                return whole.items[0], c
            case ast.Apply() if (entered := self._enter(whole, c)) is not None:
                return self._below(kind, *entered)
        return None

    # -- names

    def _level(self, whole: Expression, c: Context) -> int:
        """Return the level of a formula, including the expressions that its names stand for."""
        facts = self.evaluator.analysis.of(whole, c.module)
        level = facts.level
        for symbol in facts.free:
            thunk = c.env.get(symbol)
            if isinstance(thunk, Thunk):
                level = max(level, self._level(thunk.body, thunk.context))
        return min(level, TEMPORAL)

    def _enter(self, whole: ast.Apply, c: Context) -> tuple[Expression, Context] | None:
        """Return the body of a call with its context; None if it has no body."""
        symbol = self.evaluator.resolve(whole.operator, c.module) or whole.operator
        thunk = c.env.get(symbol)
        if isinstance(thunk, Thunk):
            return thunk.body, thunk.context
        if not isinstance(symbol, Operator) or symbol.body is None or symbol in self.evaluator.constants:
            return None
        return symbol.body, enter(self.t, symbol, whole, c)

    def _bind(self, whole: ast.Quantifier, c: Context) -> Iterator[tuple[tuple[str, ...], Context]]:
        """Return the context for each combination of values of the bound names. Their sets must be known."""
        rows: list[tuple[tuple[str, ...], Context]] = [((), c)]
        for binding, name in names_of(whole.bindings):
            items = self._members(binding.domain, c)
            entered = [
                (shown, bind(self.t, binding, name, Known(item), inner))
                for shown, inner in rows
                for item in items
            ]
            rows = [((*shown, *self._show_binding(binding, inner)), inner) for shown, inner in entered]
        yield from rows

    def _show_binding(self, binding: ast.Binding, c: Context) -> Iterator[str]:
        """Yield the values of bound names, as text."""
        for name in binding.names:
            item = c.env[name]
            if not isinstance(item, Known):
                raise Untranslated(binding.domain.place, f"tuples of {len(binding.names)} are expected")
            yield f"{name.name} = {text(item.value, self.evaluator.order)}"

    def _members(self, domain: Expression, c: Context) -> list[Value]:
        value = self.t.value(domain, c)
        if not isinstance(value, Known) or not is_set(value.value) or is_infinite(value.value):
            words = "a quantifier of a temporal formula goes over a finite set that is the same in all states"
            raise Untranslated(domain.place, words)
        return list(self.evaluator.order.sort(frozenset(members(value.value))))


def _join(operator: TemporalOperator, parts: Sequence[TemporalFormula]) -> TemporalFormula:
    if len(parts) == 1:
        return parts[0]
    return TemporalFormula(operator, parts=tuple(parts))


def _about(operator: TemporalOperator, *parts: TemporalFormula) -> TemporalFormula:
    return TemporalFormula(operator, parts=parts)


def _is_of_all_ends(formula: TemporalFormula) -> bool:
    """True if a formula holds of an execution exactly if it holds of each of its suffixes."""
    if formula.operator in _AGAIN_AND_AGAIN:
        return True
    return not formula.terms and all(map(_is_of_all_ends, formula.parts))
