"""The conjuncts of guards in TLA+ actions that alone keep a step from a state.

Next is walked with the negation of a conjunct in its place: each step of that needs nothing but the conjunct.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from verifier.conform.machine import Part
from verifier.tla import ast
from verifier.tla.ast import Definition, Expression
from verifier.tla.facts import STATE
from verifier.tla.found import State
from verifier.tla.frames import UNSET, Undefined
from verifier.tla.retracing import Walk
from verifier.tla.said_parts import span
from verifier.tla.scope import LANGUAGE
from verifier.tla.specification import Specification, without_traces
from verifier.tla.splitting import Formula
from verifier.tla.text import text_at
from verifier.tla.value_types import NoValue
from verifier.tla.walking import Walks

_LONGEST = 120
_Around: TypeAlias = Callable[[Expression], Expression]


@dataclass(frozen=True)
class _Place:
    """A part of Next, and how it stands there."""

    whole: Expression
    module: str
    around: _Around
    action: str = "Next"
    is_conjunct: bool = False
    has_choices: bool = False
    """True if names are bound around it, so that there are several ways to it."""
    within: tuple[Definition, ...] = ()


@dataclass(frozen=True)
class _Conjunct:
    part: Part
    walk: Walk
    """The walk over Next in which it is false, and all else true."""
    has_choices: bool


@dataclass
class NearFailures:
    """The conjuncts of a module's guards."""

    spec: Specification
    unknown: set[Part] = field(default_factory=set)
    """Conjuncts of which some state does not say all: what stands after them has no value there."""
    _known: dict[str, list[_Conjunct]] | None = None

    def of(self, action: str) -> list[Part]:
        """Return the conjuncts of an action's guard."""
        return [one.part for one in self._conjuncts().get(action, ())]

    def near(self, state: State, action: str) -> Iterator[tuple[Part, list[State]]]:
        """Yield the conjuncts that alone are false in a state, with the states to which steps without them
        lead."""
        for one in self._conjuncts().get(action, ()):
            with without_traces(self.spec):
                found = self._steps_without(one, state)
            if found is not None:
                yield one.part, list(dict.fromkeys(found))

    def _steps_without(self, one: _Conjunct, state: State) -> list[State] | None:
        """Return the states to which steps lead that lack a conjunct alone; None if there is no step."""
        evaluator, found, steps = self.spec.evaluator, list[State](), 0

        def arrive() -> None:
            nonlocal steps
            steps += 1
            made = tuple(evaluator.next)
            if UNSET not in made:
                found.append(self._walks.capture("a step without a conjunct"))

        evaluator.now[:], evaluator.next[:] = state, [UNSET] * len(state)
        evaluator.actions.action = None
        try:
            one.walk(arrive)
        except (Undefined, NoValue):
            if one.has_choices:
                self.unknown.add(one.part)
        return found if steps else None

    def _conjuncts(self) -> dict[str, list[_Conjunct]]:
        if self._known is None:
            self._walks, self._known = Walks(self.spec), {}
            assert self.spec.next is not None
            body, self._module = self.spec.next.body, self.spec.next.module
            body = body.action if isinstance(body, ast.Step) else body
            for one in self._parts(_Place(body, self._module, lambda hole: hole)):
                self._known.setdefault(one.part.action, []).append(one)
        return self._known

    def _parts(self, place: _Place) -> Iterator[_Conjunct]:
        """Yield the conjuncts of guards in a part of Next."""
        whole = place.whole
        level = self.spec.evaluator.analysis.of(whole, place.module).level
        match whole:
            case ast.Junction() if whole.conjunction and len(whole.items) > 1:
                for number, item in enumerate(whole.items):
                    inner = self._into(place, item, _item_of(whole, number))
                    yield from self._parts(replace(inner, is_conjunct=True))
            case _ if place.is_conjunct and level <= STATE:
                yield self._made(place)
            case ast.Junction():
                for item in whole.items:
                    yield from self._parts(replace(place, whole=item))
            case ast.Quantifier() if not whole.universal:
                inner = self._into(place, whole.body, lambda hole: replace(whole, body=hole))
                yield from self._parts(replace(inner, has_choices=True))
            case ast.Let():
                yield from self._parts(self._into(place, whole.body, lambda hole: replace(whole, body=hole)))
            case ast.If():
                then = self._into(place, whole.then, lambda hole: replace(whole, then=hole))
                other = self._into(place, whole.otherwise, lambda hole: replace(whole, otherwise=hole))
                yield from (one for part in (then, other) for one in self._parts(part))
            case ast.Apply():
                yield from self._open(whole, place)

    def _into(self, place: _Place, whole: Expression, inner: _Around) -> _Place:
        return replace(place, whole=whole, around=lambda hole: place.around(inner(hole)))

    def _open(self, whole: ast.Apply, place: _Place) -> Iterator[_Conjunct]:
        symbol = self.spec.evaluator.resolve(whole.operator, place.module) or whole.operator
        if not isinstance(symbol, Definition) or symbol.body is None or symbol.recursive:
            return
        if symbol in place.within or any(one.arity for one in symbol.parameters):
            return
        own = symbol

        def opened(hole: Expression) -> Expression:
            return place.around(replace(whole, operator=replace(own, body=hole)))

        yield from self._parts(
            replace(
                place, whole=symbol.body, module=symbol.module, around=opened,
                action=place.action if place.is_conjunct else symbol.shown, within=(*place.within, symbol),
            )
        )  # fmt: skip

    def _made(self, place: _Place) -> _Conjunct:
        where = span(place.whole)
        words = text_at(where)
        words = words if len(words) <= _LONGEST else f"{words[:_LONGEST]} …"
        negated = ast.Apply(LANGUAGE["~"], (place.whole,), place=place.whole.place)
        walk = self._walks.over(Formula(place.around(negated), self._module), primed=False)
        return _Conjunct(Part(place.action, words, str(where)), walk, place.has_choices)


def _item_of(whole: ast.Junction, number: int) -> _Around:
    """Return how an item stands in a junction."""
    before, after = whole.items[:number], whole.items[number + 1 :]
    return lambda hole: replace(whole, items=(*before, hole, *after))
