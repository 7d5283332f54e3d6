"""Temporal formulas expanded to formulas of states and steps: names are entered, quantifiers expanded.

Only connectives, ``[]`` and ``<>`` remain. Constant parts are decided on the way. So ``m # n => F(m, n)``
does not need ``F`` if m equals n.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeAlias

from verifier.tla import ast
from verifier.tla.ast import Builtin, Definition, Expression, Symbol
from verifier.tla.evaluator import Evaluator
from verifier.tla.facts import CONSTANT, STATE
from verifier.tla.fairness import meaning_of
from verifier.tla.frames import Undefined
from verifier.tla.order import text
from verifier.tla.said_parts import name_action, span
from verifier.tla.splitting import Formula
from verifier.tla.text import text_at
from verifier.tla.value_types import Value
from verifier.tla.values import members

Bindings: TypeAlias = tuple[tuple[str, str], ...]
"""The quantified names around a formula, with their values as text."""


class Texts:
    """For expressions with others put for names: the expression that the text has in their place."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, Any]] = {}  # with the expression, so that no other gets its number

    def note(self, made: Any, whole: Any) -> Any:
        """Note that an expression was made of another, and return it."""
        self._known[id(made)] = (made, self.of(whole))
        return made

    def of(self, whole: Any) -> Any:
        """Return the expression in the text."""
        return self._known.get(id(whole), (None, whole))[1]


@dataclass(frozen=True, eq=False)
class Leaf:
    """A formula of a state, or ``[A]_v`` or ``<<A>>_v`` of a step."""

    body: Expression
    module: str
    stuttering: bool | None = None
    """For a step: True if a stuttering step satisfies it. None: the formula is about a state."""
    bound: Bindings = ()


@dataclass(frozen=True)
class Fair:
    """A fairness condition."""

    strong: bool
    enabled: Leaf
    """The formula that its step is possible."""
    step: Leaf
    label: str
    """Its name."""
    said: str = ""
    """Its text."""
    step_said: str = ""
    """The text of its step: ``<<A>>_v``."""

    @property
    def meaning(self) -> Unfolded:
        """Return the formula that defines the condition."""
        impossible: Unfolded = Not(self.enabled)
        lazy: Unfolded = Eventually(Always(impossible)) if self.strong else Always(Eventually(impossible))
        return Several(False, (lazy, Always(Eventually(self.step))))


@dataclass(frozen=True)
class Several:
    """A conjunction or a disjunction."""

    conjunction: bool
    parts: tuple[Unfolded, ...]


@dataclass(frozen=True)
class Not:
    """A negation."""

    part: Unfolded


@dataclass(frozen=True)
class Always:
    """``[]F``"""

    part: Unfolded


@dataclass(frozen=True)
class Eventually:
    """``<>F``"""

    part: Unfolded


Unfolded: TypeAlias = Leaf | Fair | Several | Not | Always | Eventually
TRUE, FALSE = Several(True, ()), Several(False, ())
_Lets: TypeAlias = tuple[tuple[Definition, ...], ...]
"""The definitions of the LETs around a formula, the outermost first."""


@dataclass(frozen=True)
class _Place:
    """The place of a formula: its module, and the names around it."""

    module: str
    lets: _Lets = ()
    bound: Bindings = ()


def unfold_formula(evaluator: Evaluator, formula: Formula, texts: Texts | None = None) -> Unfolded:
    """Return the formula, expanded. ``texts``: notes what the text has. Raises Undefined, with the place, if
    it is not temporal."""
    return _Unfolding(evaluator, texts).of(formula.body, _Place(formula.module))


def split_fairness(
    evaluator: Evaluator, formulas: Sequence[Formula]
) -> tuple[tuple[Fair, ...], tuple[Unfolded, ...]]:
    """Return the fairness conditions in a conjunction of formulas, one for each value of a quantified name,
    and the other assumptions on executions. Raises Undefined."""
    conditions: list[Fair] = []
    others: list[Unfolded] = []
    waiting = [unfold_formula(evaluator, formula) for formula in formulas]
    while waiting:
        match waiting.pop(0):
            case Fair() as one:
                conditions.append(one)
            case Several(conjunction=True, parts=parts):
                waiting = [*parts, *waiting]
            case one:
                others.append(one)
    return tuple(conditions), tuple(others)


class _Unfolding:
    def __init__(self, evaluator: Evaluator, texts: Texts | None = None) -> None:
        self.evaluator = evaluator
        self.texts = Texts() if texts is None else texts

    def of(self, whole: Expression, at: _Place) -> Unfolded:
        level = self._level(whole, at)
        if level <= CONSTANT:
            test = self.evaluator.compile_truth(self._let(whole, at), at.module)
            return TRUE if test() else FALSE
        if level <= STATE:
            return Leaf(self._let(whole, at), at.module, bound=at.bound)
        match whole:
            case ast.Step():
                return Leaf(self._let(whole, at), at.module, whole.stuttering, at.bound)
            case ast.Junction():
                return self._several(whole.items, at, conjunction=whole.conjunction)
            case ast.Quantifier():
                return self._unfold_quantifier(whole, at)
            case ast.Temporal():
                return self._temporal(whole, at)
            case ast.Fairness():
                return self._fair(whole, at)
            case ast.If():
                return self._either(whole, at)
            case ast.Apply():
                return self._unfold_call(whole, at)
            case ast.Let():
                return self.of(whole.body, replace(at, lets=(*at.lets, whole.definitions)))
        raise Undefined(whole.place, "of temporal formulas only [], <>, ~>, WF and SF are evaluated")

    def _level(self, whole: Expression, at: _Place) -> int:
        return self.evaluator.analysis.of(whole, at.module).level

    def _let(self, whole: Expression, at: _Place) -> Expression:
        """Return a formula with the definitions around it that it needs."""
        for definitions in reversed(at.lets):
            if self.evaluator.analysis.of(whole, at.module).free.intersection(definitions):
                made = ast.Let(definitions, whole, place=whole.place)
                whole = self.texts.note(made, whole)
        return whole

    def _several(self, items: Sequence[Expression], at: _Place, *, conjunction: bool) -> Unfolded:
        """Return the conjunction or disjunction of formulas. They are expanded only until one decides."""
        states: list[Unfolded] = []
        for item in items:
            part = self.of(item, at)
            if part == (FALSE if conjunction else TRUE):
                return part
            states.append(part)
        return _join_formulas(conjunction, states)

    def _unfold_quantifier(self, whole: ast.Quantifier, at: _Place) -> Unfolded:
        each = self._each(whole, at)
        parts = [self.of(body, replace(at, bound=(*at.bound, *shown))) for shown, body in each]
        return _join_formulas(whole.universal, parts)

    def _temporal(self, whole: ast.Temporal, at: _Place) -> Unfolded:
        parts = [self.of(item, at) for item in whole.items]
        match whole.kind:
            case "[]":
                return Always(parts[0])
            case "<>":
                return Eventually(parts[0])
            case "~>":
                return Always(_join_formulas(False, [negation(parts[0]), Eventually(parts[1])]))
        raise Undefined(whole.place, f"{whole.kind} cannot be evaluated")

    def _fair(self, whole: ast.Fairness, at: _Place) -> Fair:
        action, subscript = self._let(whole.action, at), self._let(whole.subscript, at)
        meant = meaning_of(replace(whole, action=action, subscript=subscript))
        assert isinstance(meant, ast.Junction)
        enabled, step = _parts_of_meaning(meant)
        name = name_action(self.texts.of(whole.action))
        with_ = f" with {', '.join(f'{n} = {value}' for n, value in at.bound)}" if at.bound else ""
        label = f"{'SF' if whole.strong else 'WF'} of {name}{with_}"
        said, step_said = self._say_fairness(whole)
        enabled_leaf, step_leaf = Leaf(enabled, at.module, bound=at.bound), Leaf(step, at.module, False)
        return Fair(whole.strong, enabled_leaf, step_leaf, label, said, step_said)

    def _say_fairness(self, whole: ast.Fairness) -> tuple[str, str]:
        """Return the text of a fairness condition and of its step, as the module has them."""
        action, subscript = (text_at(span(self.texts.of(one))) for one in (whole.action, whole.subscript))
        kind = "SF" if whole.strong else "WF"
        return f"{kind}_{subscript}({action})", f"<<{action}>>_{subscript}"

    def _either(self, whole: ast.If, at: _Place) -> Unfolded:
        condition = self.of(whole.condition, at)
        if condition in (TRUE, FALSE):
            return self.of(whole.then if condition == TRUE else whole.otherwise, at)
        then, otherwise = self.of(whole.then, at), self.of(whole.otherwise, at)
        first, second = (
            _join_formulas(True, [condition, then]),
            _join_formulas(True, [negation(condition), otherwise]),
        )
        return _join_formulas(False, [first, second])

    def _unfold_call(self, whole: ast.Apply, at: _Place) -> Unfolded:
        symbol = self.evaluator.resolve(whole.operator, at.module) or whole.operator
        if isinstance(symbol, Builtin):
            match symbol.name:
                case "~":
                    return negation(self.of(whole.arguments[0], at))
                case "=>":
                    return self._unfold_implication(whole, at)
                case "<=>" | "\\equiv":
                    one, other = (self.of(item, at) for item in whole.arguments)
                    there = _join_formulas(False, [negation(one), other])
                    return _join_formulas(True, [there, _join_formulas(False, [one, negation(other)])])
        if isinstance(symbol, Definition) and symbol.body is not None:
            given = (self._let(argument, at) for argument in whole.arguments)
            arguments = dict(zip(symbol.parameters, given, strict=True))
            lets = at.lets if symbol.nested else ()
            place = _Place(symbol.module, lets, (*at.bound, *self._find_named_values(arguments, at.bound)))
            return self.of(put(symbol.body, arguments, self.texts), place)
        raise Undefined(whole.place, f"{symbol.name} of temporal formulas cannot be evaluated")

    def _find_named_values(
        self, arguments: Mapping[ast.Parameter, Expression], bound: Bindings
    ) -> Iterator[tuple[str, str]]:
        """Yield parameters that are values of quantified names, with these values as text."""
        for parameter, given in arguments.items():
            if isinstance(given, ast.Apply) and isinstance(given.operator, ast.Constant):
                value = self.evaluator.constants.get(given.operator)
                shown = "" if value is None or given.operator.arity else text(value, self.evaluator.order)
                if (given.operator.name, shown) in bound:
                    yield parameter.name, shown

    def _unfold_implication(self, whole: ast.Apply, at: _Place) -> Unfolded:
        premise = self.of(whole.arguments[0], at)
        if premise == FALSE:
            return TRUE
        return _join_formulas(False, [negation(premise), self.of(whole.arguments[1], at)])

    def _each(self, whole: ast.Quantifier, at: _Place) -> Iterator[tuple[Bindings, Expression]]:
        """Yield the body for all values of the bound names, with these values as text."""
        choices: list[tuple[Bindings, dict[Symbol, Expression]]] = [((), {})]
        for binding in whole.bindings:
            domain = self._let(binding.domain, at)
            if self.evaluator.analysis.of(domain, at.module).level > CONSTANT:
                words = "a quantifier of a temporal formula goes over a finite set"
                raise Undefined(binding.domain.place, f"{words} that is the same in all states")
            values = members(self.evaluator.compile_value(domain, at.module)())
            items = self.evaluator.order.sort(frozenset(values))
            for names in [binding.names] if binding.is_tuple else [(name,) for name in binding.names]:
                rows = [self._bind_names(names, item, binding) for item in items]
                choices = [((*t, *u), {**c, **r}) for t, c in choices for u, r in rows]
        for shown, choice in choices:
            yield shown, put(whole.body, choice, self.texts)

    def _bind_names(
        self, names: tuple[ast.Bound, ...], item: Value, binding: ast.Binding
    ) -> tuple[Bindings, dict[Symbol, Expression]]:
        """Return the values of names for a member of their set."""
        parts = item if binding.is_tuple else (item,)
        if not isinstance(parts, tuple) or len(parts) != len(names):
            raise Undefined(binding.domain.place, f"tuples of {len(names)} are expected")
        shown, values = list[tuple[str, str]](), dict[Symbol, Expression]()
        for name, part in zip(names, parts, strict=True):
            shown.append((name.name, text(part, self.evaluator.order)))
            values[name] = self._constant(name.name, part, binding.domain)
        return tuple(shown), values

    def _constant(self, name: str, value: Value, whole: Expression) -> Expression:
        """Return an expression with this value."""
        symbol = ast.Constant(name, 0, whole.place)
        self.evaluator.constants[symbol] = value
        return ast.Apply(symbol, place=whole.place)


def negation(part: Unfolded) -> Unfolded:
    """Return the negation of a formula."""
    match part:
        case Not():
            return part.part
        case Several(parts=()):
            return Several(not part.conjunction, ())
    return Not(part)


def _join_formulas(conjunction: bool, parts: Sequence[Unfolded]) -> Unfolded:
    """Return the conjunction or disjunction of formulas, without neutral ones."""
    neutral, decides = (TRUE, FALSE) if conjunction else (FALSE, TRUE)
    left = tuple(part for part in parts if part != neutral)
    if decides in left:
        return decides
    return left[0] if len(left) == 1 else Several(conjunction, left)


def _parts_of_meaning(meant: ast.Junction) -> tuple[Expression, Expression]:
    """Return ``ENABLED <<A>>_v`` and ``<<A>>_v`` from the formula that defines fairness."""
    lazy, taken = meant.items
    while isinstance(lazy, ast.Temporal):
        (lazy,) = lazy.items
    while isinstance(taken, ast.Temporal):
        (taken,) = taken.items
    assert isinstance(lazy, ast.Apply)
    return lazy.arguments[0], taken


def put(whole: Any, given: Mapping[Any, Any], texts: Texts | None = None) -> Any:
    """Return an expression with others substituted for names. An operator is substituted for a name with
    arguments. ``texts`` notes what the text has in the place of what is made."""
    if not given:
        return whole
    made = _put(whole, given, texts)
    is_new = texts is not None and made is not whole and is_dataclass(made) and not _is_named(whole, given)
    return texts.note(made, whole) if texts is not None and is_new else made


def _is_named(whole: Any, given: Mapping[Any, Any]) -> bool:
    """True if an expression is a name that stands for another."""
    return isinstance(whole, ast.Apply | ast.OperatorArgument) and whole.operator in given


def _put(whole: Any, given: Mapping[Any, Any], texts: Texts | None) -> Any:
    match whole:
        case ast.Apply() if whole.operator in given:
            return _apply_substitute(given[whole.operator], put(whole.arguments, given, texts), whole)
        case ast.OperatorArgument() if whole.operator in given:
            new = given[whole.operator]
            return replace(whole, operator=new) if isinstance(new, Definition) else new
        case ast.Let():
            fresh = {one: replace(one, body=None) for one in whole.definitions}
            given = {**given, **fresh}
            for old, new in fresh.items():
                new.body = put(old.body, given, texts)
            return replace(whole, definitions=tuple(fresh.values()), body=put(whole.body, given, texts))
        case tuple():
            return tuple(put(item, given, texts) for item in whole)
    if not is_dataclass(whole) or isinstance(whole, Symbol | type):
        return whole
    changed = {}
    for one in fields(whole):
        old = getattr(whole, one.name)
        if one.name != "place" and (new := put(old, given, texts)) is not old:
            changed[one.name] = new
    return replace(whole, **changed) if changed else whole


def _apply_substitute(new: Any, arguments: tuple[Any, ...], whole: ast.Apply) -> Any:
    """Apply the substitute of a name to the arguments of the name."""
    match new:
        case Definition():
            return replace(whole, operator=new, arguments=arguments)
        case ast.OperatorArgument() if arguments:
            return replace(whole, operator=new.operator, arguments=arguments)
        case ast.Lambda() if arguments:
            return put(new.body, dict(zip(new.parameters, arguments, strict=True)))
    return new
