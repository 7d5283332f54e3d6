"""The conjuncts of guards in TLA+ actions that alone keep a step from a state.

Next is walked with the negation of a conjunct in its place: each step of that needs nothing but the conjunct.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from verifier.conform.coverage import Part
from verifier.conform.next_places import NextPlace, make_part, place_of_next
from verifier.tla import ast
from verifier.tla.exploration_result import State
from verifier.tla.facts import STATE
from verifier.tla.frames import UNSET, Undefined
from verifier.tla.retracing import Walk
from verifier.tla.scope import LANGUAGE
from verifier.tla.specification import Specification, without_traces
from verifier.tla.splitting import Formula
from verifier.tla.value_types import NoValue
from verifier.tla.walking import Walks


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
                states = self._steps_without(one, state)
            if states is not None:
                yield one.part, list(dict.fromkeys(states))

    def _steps_without(self, one: _Conjunct, state: State) -> list[State] | None:
        """Return the states to which steps lead that lack a conjunct alone; None if there is no step."""
        evaluator, states, steps = self.spec.evaluator, list[State](), 0

        def arrive() -> None:
            nonlocal steps
            steps += 1
            made = tuple(evaluator.next)
            if UNSET not in made:
                states.append(self._walks.capture("a step without a conjunct"))

        evaluator.now[:], evaluator.next[:] = state, [UNSET] * len(state)
        evaluator.actions.action = None
        try:
            one.walk(arrive)
        except (Undefined, NoValue):
            if one.has_choices:
                self.unknown.add(one.part)
        return states if steps else None

    def _conjuncts(self) -> dict[str, list[_Conjunct]]:
        if self._known is None:
            self._walks, self._known = Walks(self.spec), {}
            self._next = place_of_next(self.spec)
            for one in self._parts(self._next):
                self._known.setdefault(one.part.action, []).append(one)
        return self._known

    def _parts(self, place: NextPlace) -> Iterator[_Conjunct]:
        """Yield the conjuncts of guards in a part of Next."""
        whole = place.whole
        level = self.spec.evaluator.analysis.of(whole, place.module).level
        match whole:
            case ast.Junction() if whole.conjunction and len(whole.items) > 1:
                for number in range(len(whole.items)):
                    yield from self._parts(replace(place.enter_item(whole, number), is_conjunct=True))
            case _ if place.is_conjunct and level <= STATE:
                yield self._make_conjunct(place)
            case ast.Junction():
                for item in whole.items:
                    yield from self._parts(replace(place, whole=item))
            case ast.Quantifier() if not whole.universal:
                yield from self._parts(replace(place.enter_body(whole), has_choices=True))
            case ast.Let():
                yield from self._parts(place.enter_body(whole))
            case ast.If():
                then = place.enter(whole.then, lambda hole: replace(whole, then=hole))
                other = place.enter(whole.otherwise, lambda hole: replace(whole, otherwise=hole))
                yield from (one for part in (then, other) for one in self._parts(part))
            case ast.Apply():
                yield from self._open(whole, place)

    def _open(self, whole: ast.Apply, place: NextPlace) -> Iterator[_Conjunct]:
        opened = place.open_call(whole, self.spec.evaluator)
        if opened is not None:
            action = place.action if place.is_conjunct else opened.within[-1].shown
            yield from self._parts(replace(opened, action=action))

    def _make_conjunct(self, place: NextPlace) -> _Conjunct:
        negated = ast.Apply(LANGUAGE["~"], (place.whole,), place=place.whole.place)
        walk = self._walks.over(Formula(place.around(negated), self._next.module), primed=False)
        return _Conjunct(make_part(place.action, place.whole), walk, place.has_choices)
