"""The reason why a state has no step: for each way through Next, the first conjunct that no step satisfies.

A formula is walked up to one of its conjuncts, and then up to the next one. The first conjunct after which
nothing is left is the reason. The interpreter's own walk decides each time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeAlias

from verifier.tla import ast
from verifier.tla.ast import Bound, Builtin, Definition, Expression, Parameter
from verifier.tla.errors import Place
from verifier.tla.exploration_result import State
from verifier.tla.frames import UNSET, Undefined
from verifier.tla.order import text
from verifier.tla.said_parts import span
from verifier.tla.scope import LANGUAGE
from verifier.tla.specification import Specification, without_traces
from verifier.tla.splitting import Formula
from verifier.tla.text import text_at
from verifier.tla.value_types import NoValue
from verifier.tla.values import materialize
from verifier.tla.walking import Walks

_LONGEST, _LONGEST_VALUE = 300, 160
_Around: TypeAlias = Callable[[Expression], Expression]
"""Puts an expression into the place of a part of the formula."""
_PRINT = Builtin("PrintT", 1, "TLC")
_MOST = 200
"""The most ways through Next that are looked at."""
_MOST_TOLD = 8
"""The nearest ways, of which the values of both sides of a comparison are told."""
_COMPARISONS = frozenset(("=", "#", "/=", "<", ">", "<=", ">=", "=<", "\\in", "\\notin", "\\subseteq"))


@dataclass(frozen=True)
class Blocked:
    """A way through a formula, up to the conjunct that no step satisfies."""

    action: str
    """The definitions on the way, the outermost first."""
    passed: int
    """The number of conjuncts before it that some step satisfies."""
    place: Place
    formula: str
    bound: tuple[tuple[str, str], ...]
    """The values of the names around it, on the first way that comes so far."""
    reads: tuple[tuple[str, str], ...]
    """The variables that it reads, with their values in the state."""
    error: str = ""
    """The reason why it has no value, if it is not false."""
    is_ruled_out: bool = False
    """True if it is an action that is allowed with none of its arguments."""


class _Enough(Exception):
    """Raised to end a walk."""


@dataclass(frozen=True)
class _Part:
    """A part of the formula, and how it stands there."""

    whole: Expression
    module: str
    around: _Around
    names: tuple[Parameter | Bound, ...] = ()
    """The names that its text can mention. Those around a definition are not in the definition's frame."""
    path: tuple[str, ...] = ()
    passed: int = 0
    within: tuple[Definition, ...] = ()


def find_blocked(
    spec: Specification, formula: Formula, state: State, allows: Callable[[], bool] = lambda: True
) -> list[Blocked]:
    """Return why no step from a state satisfies a formula, for each way through it. The way that passes most
    conjuncts is the first. ``allows`` is asked in the middle of a step, and may rule it out."""
    body = formula.body.action if isinstance(formula.body, ast.Step) else formula.body
    search = _Search(spec, state, formula.module, allows)
    with without_traces(spec):
        search.look(_Part(body, formula.module, lambda hole: hole))
    ways = sorted(search.blocked, key=lambda one: -one[0].passed)
    with without_traces(spec):
        told = [replace(one, bound=(*one.bound, *search.find_sides(part))) for one, part in ways[:_MOST_TOLD]]
    return [*told, *(one for one, _ in ways[_MOST_TOLD:])]


class _Search:
    def __init__(self, spec: Specification, state: State, module: str, allows: Callable[[], bool]) -> None:
        self.allows = allows
        self.spec, self.evaluator, self.state, self.module = spec, spec.evaluator, state, module
        self.walks = Walks(spec)
        self.blocked: list[tuple[Blocked, _Part]] = []

    def passes(self, whole: Expression) -> bool:
        """True if some way satisfies a formula. Raises Undefined."""

        def leave() -> None:
            if self.allows():
                raise _Enough

        self.evaluator.now[:] = self.state
        self.evaluator.next[:] = [UNSET] * len(self.state)
        self.evaluator.actions.action = None
        try:
            self.walks.over(Formula(whole, self.module), primed=False)(leave)
        except _Enough:
            return True
        return False

    def look(self, part: _Part) -> None:
        """Descend into a part that no step satisfies."""
        if len(self.blocked) >= _MOST:
            return
        try:
            self._descend(part)
        except (Undefined, NoValue) as error:
            self._tell(part, str(error))

    def _descend(self, part: _Part) -> None:
        whole, around = part.whole, part.around
        match whole:
            case ast.Junction() if whole.conjunction:
                self._conjunction(whole, part)
            case ast.Junction():
                for item in whole.items:
                    self.look(replace(part, whole=item))
            case ast.Quantifier() if not whole.universal:
                names = tuple(name for binding in whole.bindings for name in binding.names)
                true = ast.Apply(LANGUAGE["TRUE"], place=whole.place)
                if not self.passes(around(replace(whole, body=true))):
                    self._tell(part)
                    return
                below: _Around = lambda hole: around(replace(whole, body=hole))  # noqa: E731
                self.look(replace(part, whole=whole.body, around=below, names=(*part.names, *names)))
            case ast.If():
                taken = self.passes(around(whole.condition))
                inside: _Around = lambda hole: around(  # noqa: E731
                    replace(whole, then=hole) if taken else replace(whole, otherwise=hole)
                )
                self.look(replace(part, whole=whole.then if taken else whole.otherwise, around=inside))
            case ast.Let():
                within: _Around = lambda hole: around(replace(whole, body=hole))  # noqa: E731
                self.look(replace(part, whole=whole.body, around=within))
            case ast.Apply():
                self._open(whole, part)
            case _:
                self._tell(part)

    def _conjunction(self, whole: ast.Junction, part: _Part) -> None:
        passed = part.passed
        for number, item in enumerate(whole.items):
            before = whole.items[:number]

            def among(hole: Expression, before: Sequence[Expression] = before) -> Expression:
                return part.around(replace(whole, items=(*before, hole)))

            inner = replace(part, whole=item, around=among, passed=passed)
            try:
                passes = self.passes(among(item))
            except (Undefined, NoValue):
                passes = False
            if not passes:
                self.look(inner)
                return
            passed += self._weight(item, part.module, part.within)

    def _open(self, whole: ast.Apply, part: _Part) -> None:
        symbol = self._definition(whole, part.module)
        if symbol is None or symbol.body is None or symbol in part.within:
            self._tell(part)
            return
        own = symbol

        def open_part(hole: Expression) -> Expression:
            return part.around(replace(whole, operator=replace(own, body=hole)))

        if not self.passes(open_part(ast.Apply(LANGUAGE["TRUE"], place=whole.place))):
            self._tell(part, is_ruled_out=True)
            return
        around = part.names if symbol.nested else ()
        inner = replace(
            part, whole=symbol.body, module=symbol.module, around=open_part,
            names=(*around, *symbol.parameters), path=(*part.path, symbol.shown),
            within=(*part.within, symbol),
        )  # fmt: skip
        self.look(inner)

    def _definition(self, whole: ast.Apply, module: str) -> Definition | None:
        """Return the definition that is applied; None if it is not opened."""
        symbol = self.evaluator.resolve(whole.operator, module) or whole.operator
        if not isinstance(symbol, Definition) or symbol.body is None or symbol.recursive:
            return None
        return None if any(one.arity for one in symbol.parameters) else symbol

    def _weight(self, whole: Expression, module: str, within: tuple[Definition, ...]) -> int:
        """Return the number of conjuncts of a formula."""
        match whole:
            case ast.Junction() if whole.conjunction:
                return sum(self._weight(item, module, within) for item in whole.items)
            case ast.Quantifier() if not whole.universal:
                return self._weight(whole.body, module, within)
            case ast.Apply():
                symbol = self._definition(whole, module)
                if symbol is not None and symbol.body is not None and symbol not in within:
                    return self._weight(symbol.body, symbol.module, (*within, symbol))
        return 1

    def _tell(self, part: _Part, error: str = "", *, is_ruled_out: bool = False) -> None:
        place = span(part.whole)
        facts = self.evaluator.analysis.of(part.whole, part.module)
        order, index = self.evaluator.order, self.evaluator.index
        read = sorted(index[one] for one in facts.reads if one in index and not is_ruled_out)
        names = [variable.name for variable in self.spec.variables]
        reads = tuple((names[i], _cut(text(materialize(self.state[i]), order))) for i in read)
        formula = text_at(place)
        formula = formula if len(formula) <= _LONGEST else f"{formula[:_LONGEST]} …"
        action = " / ".join(part.path) or "Next"
        action = f"{action} / {formula.partition('(')[0]}" if is_ruled_out else action
        bound = self._find_bound_values(part) if not is_ruled_out else ()
        way = Blocked(action, part.passed, place, formula, bound, reads, error, is_ruled_out)
        self.blocked.append((way, part))

    def _find_bound_values(self, part: _Part) -> tuple[tuple[str, str], ...]:
        """Return the values of the names around a part, where the conjuncts before it hold."""
        shown = dict[str, str]()
        for name in part.names:
            value = self._find_value(ast.Apply(name, place=part.whole.place), part)
            if value is not None:
                shown[name.name] = value
        return tuple(shown.items())

    def find_sides(self, part: _Part) -> tuple[tuple[str, str], ...]:
        """Return the values of both sides of a comparison, where the conjuncts before it hold. Names and
        literals tell their values themselves."""
        match part.whole:
            case ast.Apply(operator=Builtin(name=name), arguments=(_, _)) if name in _COMPARISONS:
                sides = part.whole.arguments
            case _:
                return ()
        shown = dict[str, str]()
        for side in sides:
            plain = isinstance(side, ast.Number | ast.String)
            if isinstance(side, ast.Apply):
                plain = isinstance(side.operator, Bound | Parameter | ast.Variable)
            value = None if plain else self._find_value(side, part)
            if value is not None:
                shown[text_at(span(side))] = value
        return tuple((words, value) for words, value in shown.items() if words != value)

    def _find_value(self, whole: Expression, part: _Part) -> str | None:
        """Return the value of an expression at the place of a part, on the first way that comes so far."""
        printed = self.evaluator.printed
        before = len(printed)
        hole = ast.Apply(_PRINT, (whole,), place=part.whole.place)
        with suppress(Undefined, NoValue, KeyError):
            if self.passes(part.around(hole)) and len(printed) > before:
                return _cut(printed[-1])
        return None


def _cut(words: str) -> str:
    return words if len(words) <= _LONGEST_VALUE else f"{words[:_LONGEST_VALUE]} …"
