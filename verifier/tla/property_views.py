r"""The views of a state that an invariant has: which of its parts are true of which members of its sets.

An invariant ``\A n \in Node : P(n)`` has a view for each node, by the parts of ``P``. Nodes that it sees
alike have the same view, so that it does not matter which one is the leader. Searches for violations begin
again in states with rare views. Numbers are seen by their order. A view orders states and decides no verdict,
so parts without a value are seen as such, and only the first members of large sets are looked at.

Source: Korel 1990, doi:10.1109/32.57624, guides tests of programs by such distances of branches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, product
from typing import TYPE_CHECKING, TypeAlias

from verifier.tla import ast
from verifier.tla.arguments import argument_sources, frame_source, unit_of
from verifier.tla.ast import Builtin, Definition, Expression
from verifier.tla.facts import STATE
from verifier.tla.frames import Evaluate, Frame, Undefined, Unit
from verifier.tla.lets import extend_frame, let_lines
from verifier.tla.loops import compile_setter
from verifier.tla.splitting import Formula
from verifier.tla.value_types import ModelValue, NoValue, Value
from verifier.tla.values import members

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator

View: TypeAlias = Callable[[Frame], int]
"""Computes a number for each kind of frame."""
Views: TypeAlias = Callable[[Frame], Iterable[int]]
"""Computes the numbers of all views of a frame."""
_NO_VALUE = -1
_MOST_MEMBERS = 64
"""The most members of a set that are looked at one by one."""
_DEEPEST = 24
"""The nesting of definitions that are taken apart."""
_MOST_DIFFERENCE = 1
"""The difference of numbers from which on it is not told how large it is."""
_RELATIONS = frozenset(("<", "<=", "=<", "\\leq", ">", ">=", "\\geq", "=", "#", "/="))
_NAMES = frozenset((str, ModelValue))
_CONNECTIVES = frozenset(("~", "\\lnot", "\\neg", "=>", "<=>", "\\equiv", "/\\", "\\/", "\\land", "\\lor"))


def views_by(evaluator: Evaluator, formula: Formula) -> Callable[[], frozenset[int]] | None:
    """Return what computes the views of the state that is set; None if the formula is not about one state
    alone, or may have another value in the same state."""
    facts = evaluator.analysis.of(formula.body, formula.module)
    if facts.level > STATE or facts.changing or facts.enabled:
        return None
    unit = Unit(formula.module)
    views = _Views(evaluator).each(formula.body, unit, 0)

    def see() -> frozenset[int]:
        try:
            return frozenset(views(unit.frame()))
        except (Undefined, NoValue, RecursionError):
            return frozenset((_NO_VALUE,))

    return see


class _Views:
    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator

    def each(self, whole: Expression, unit: Unit, depth: int) -> Views:
        """Return the views by the parts of a formula that must all be true, and for all members of sets."""
        match whole:
            case ast.Junction() if whole.conjunction:
                return _number([self.each(item, unit, depth) for item in whole.items])
            case ast.Quantifier() if whole.universal:
                inner = self.each(whole.body, unit, depth)
                members_of = self._members(whole.bindings, unit)
                return lambda e: {view for own in members_of(e) for view in inner(own)}
            case ast.Let():
                put, views = self._put(whole, unit), self.each(whole.body, unit, depth)
                return lambda e: views(put(extend_frame(e[:], unit)))
            case ast.Apply(operator=Builtin(name="=>"), arguments=(left, right)):
                first, views = self.of(left, unit, depth), self.each(right, unit, depth)
                return lambda e: _behind(first(e), _views_or_none(views, e))
            case ast.Apply():
                symbol = self.evaluator.resolve(whole.operator, unit.module) or whole.operator
                inside = self._inside(symbol, whole, unit, depth) if isinstance(symbol, Definition) else None
                if inside is not None:
                    body, target, enter = inside
                    views = self.each(body, target, depth + 1)
                    return lambda e: views(enter(e))
        view = self.of(whole, unit, depth)
        return lambda e: (view(e),)

    def of(self, whole: Expression, unit: Unit, depth: int) -> View:
        """Return the view by a formula."""
        match whole:
            case ast.Junction():
                return _join([self.of(item, unit, depth) for item in whole.items])
            case ast.Quantifier():
                return self._kinds(whole.bindings, self.of(whole.body, unit, depth), unit)
            case ast.If():
                parts = (whole.condition, whole.then, whole.otherwise)
                return _join([self.of(one, unit, depth) for one in parts])
            case ast.Let():
                put, view = self._put(whole, unit), self.of(whole.body, unit, depth)
                return _without_errors(lambda e: view(put(extend_frame(e[:], unit))))
            case ast.Apply():
                return self._application(whole, unit, depth)
        return self._truth(whole, unit)

    def _truth(self, whole: Expression, unit: Unit) -> View:
        holds = self.evaluator.truth(whole, unit)
        return _without_errors(lambda e: int(holds(extend_frame(e, unit))))

    def _application(self, whole: ast.Apply, unit: Unit, depth: int) -> View:
        symbol = self.evaluator.resolve(whole.operator, unit.module) or whole.operator
        if isinstance(symbol, Definition):
            inside = self._inside(symbol, whole, unit, depth)
            if inside is None:
                return self._truth(whole, unit)
            body, target, enter = inside
            view = self.of(body, target, depth + 1)
            return _without_errors(lambda e: view(enter(e)))
        if isinstance(symbol, Builtin) and symbol.name in _CONNECTIVES:
            return _join([self.of(one, unit, depth) for one in whole.arguments])
        if isinstance(symbol, Builtin) and symbol.name in _RELATIONS:
            return self._comparison(whole, unit, depth)
        return self._truth(whole, unit)

    # -- comparisons

    def _comparison(self, whole: ast.Apply, unit: Unit, depth: int) -> View:
        left, right = whole.arguments
        for one, other in ((left, right), (right, left)):
            if isinstance(other, ast.SetOf) and not other.items:
                return self._candidates(one, unit, depth)
        first, second = self.evaluator.value(left, unit), self.evaluator.value(right, unit)
        holds, numbers = self._truth(whole, unit), dict[tuple[Value, Value], int]()

        def view(e: Frame) -> int:
            extend_frame(e, unit)
            one, other = first(e), second(e)
            if type(one) in _NAMES and type(other) in _NAMES:
                return numbers.setdefault((one, other), len(numbers))
            if type(one) is not int or type(other) is not int:
                return holds(e)
            return max(-_MOST_DIFFERENCE, min(one - other, _MOST_DIFFERENCE))

        return _without_errors(view)

    def _candidates(self, whole: Expression, unit: Unit, depth: int) -> View:
        """Return the view by whether a set is empty: of one with a property, by that of its candidates."""
        if isinstance(whole, ast.Apply):
            symbol = self.evaluator.resolve(whole.operator, unit.module) or whole.operator
            inside = self._inside(symbol, whole, unit, depth) if isinstance(symbol, Definition) else None
            if inside is not None:
                body, target, enter = inside
                view = self._candidates(body, target, depth + 1)
                return _without_errors(lambda e: view(enter(e)))
        if isinstance(whole, ast.Filter):
            return self._kinds([whole.binding], self.of(whole.body, unit, depth), unit)
        evaluate = self.evaluator.value(whole, unit)
        return _without_errors(lambda e: int(any(True for _ in members(evaluate(extend_frame(e, unit))))))

    # -- names

    def _put(self, whole: ast.Let, unit: Unit) -> Evaluate:
        """Return what puts the definitions of a LET into a frame. They wait: one that has no value, and is
        not needed, must not hide the rest."""
        lines, emit = let_lines(self.evaluator, whole, unit, False, walked=True), self.evaluator.emit
        return emit.function(emit.statements([*lines, "return e"]))

    def _kinds(self, bindings: Sequence[ast.Binding], inner: View, unit: Unit) -> View:
        """Return the view by which kinds of members there are. It does not matter how many are alike."""
        members_of = self._members(bindings, unit)
        return _without_errors(lambda e: hash(tuple(sorted({inner(own) for own in members_of(e)}))))

    def _members(self, bindings: Sequence[ast.Binding], unit: Unit) -> Callable[[Frame], Iterator[Frame]]:
        """Return what yields frames with the first members of sets."""
        domains = [self.evaluator.value(binding.domain, unit) for binding in bindings]
        put = [compile_setter(self.evaluator, binding, unit) for binding in bindings]
        walk = self.evaluator.order.walk

        def yield_frames(e: Frame) -> Iterator[Frame]:
            extend_frame(e, unit)
            rows = [list(islice(walk(domain(e)), _MOST_MEMBERS)) for domain in domains]
            for items in islice(product(*rows), _MOST_MEMBERS):
                own = e[:]
                for place, item in zip(put, items, strict=True):
                    place(own, item)
                yield own

        return yield_frames

    def _inside(
        self, symbol: Definition, whole: ast.Apply, unit: Unit, depth: int
    ) -> tuple[Expression, Unit, Evaluate] | None:
        """Return the body of a definition, its unit, and what makes its frame; None if it stays whole."""
        ev = self.evaluator
        higher = any(parameter.arity for parameter in symbol.parameters)
        if symbol.body is None or symbol.recursive or higher or symbol in ev.constants or depth > _DEEPEST:
            return None
        if symbol.nested:
            return None if symbol.parameters else (symbol.body, unit, lambda e: e)
        target = unit_of(ev, symbol)
        arguments = argument_sources(ev, symbol, whole, unit, primed=False)
        make = ev.emit.function(frame_source(ev, target, arguments))
        return symbol.body, target, lambda e: extend_frame(make(extend_frame(e, unit)), target)


def _without_errors(view: View) -> View:
    def guarded(e: Frame) -> int:
        try:
            return view(e)
        except (Undefined, NoValue, RecursionError):
            return _NO_VALUE

    return guarded


def _join(views: Sequence[View]) -> View:
    return lambda e: hash(tuple([view(e) for view in views]))


def _number(parts: Sequence[Views]) -> Views:
    """Return the views by several parts, which differ from part to part."""
    if len(parts) == 1:
        return parts[0]
    return lambda e: {
        hash((number, view)) for number, part in enumerate(parts) for view in _views_or_none(part, e)
    }


def _behind(premise: int, views: Iterable[int]) -> set[int]:
    return {hash((premise, view)) for view in views}


def _views_or_none(views: Views, e: Frame) -> Iterable[int]:
    try:
        return views(e)
    except (Undefined, NoValue, RecursionError):
        return (_NO_VALUE,)
