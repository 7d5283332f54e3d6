"""The definitions and parts of guards on the ways of a module's Next that the steps of an execution take.

A part is judged by Next itself, in which all disjuncts beside that part are left out: the interpreter looks
for the step in what remains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from verifier.conform.coverage import Coverage, Part
from verifier.conform.next_places import NextPlace, make_part, place_of_next
from verifier.tla import ast
from verifier.tla.ast import Expression
from verifier.tla.exploration_result import State
from verifier.tla.facts import ACTION
from verifier.tla.frames import Undefined
from verifier.tla.retracing import Walk, action_between
from verifier.tla.scope import LANGUAGE
from verifier.tla.specification import Specification, without_traces
from verifier.tla.splitting import Formula
from verifier.tla.value_types import NoValue
from verifier.tla.walking import Walks


@dataclass
class _Way:
    """A definition that is opened on the way, or a part that steps may take or not."""

    action: str
    """The definition, if it is one."""
    part: Part | None
    """The part that is counted. A disjunct that only names a definition is none."""
    walk: Walk | None
    """The walk over Next in which this part is the only way. None: each step around it takes it."""
    make_below: Callable[[], Iterable[_Way]]
    known: list[_Way] | None = None

    @property
    def below(self) -> list[_Way]:
        """Return the ways inside it."""
        if self.known is None:
            self.known = list(self.make_below())
        return self.known


class TraceParts:
    """The ways through the Next of a module."""

    def __init__(self, spec: Specification) -> None:
        self.spec, self.evaluator, self.walks = spec, spec.evaluator, Walks(spec)
        self.next = place_of_next(spec)
        self.ways = list(self._ways(self.next))

    def cover(self, path: Sequence[State], arrive: Callable[[int], None]) -> Coverage:
        """Return the coverage of an execution. ``arrive`` is told the place of each state in it. Raises
        Undefined."""
        coverage = self._empty()
        with without_traces(self.spec):
            for place, (one, other) in enumerate(pairwise(path)):
                arrive(place)
                actions, parts = set[str](), set[Part]()
                self._follow(self.ways, one, other, actions, parts)
                for name in actions:
                    coverage.actions[name] += 1
                for part in parts:
                    coverage.parts[part] += 1
        return coverage

    def _empty(self) -> Coverage:
        actions, parts = Counter[str](), Counter[Part]()
        waiting = list(self.ways)
        while waiting:
            way = waiting.pop(0)
            if way.action:
                actions[way.action] = 0
            if way.part is not None:
                parts[way.part] = 0
            waiting = [*way.below, *waiting]
        return Coverage(dict(actions), dict(parts))

    def _follow(
        self, ways: Iterable[_Way], one: State, other: State, actions: set[str], parts: set[Part]
    ) -> None:
        """Add what a step takes of some ways."""
        for way in ways:
            if way.walk is not None and not self._takes(way.walk, one, other):
                continue
            if way.action:
                actions.add(way.action)
            if way.part is not None:
                parts.add(way.part)
            self._follow(way.below, one, other, actions, parts)

    def _takes(self, walk: Walk, one: State, other: State) -> bool:
        """True if a step is possible in what a walk is over. A way without a value is none."""
        try:
            return action_between(self.evaluator, walk, one, other) is not None
        except (Undefined, NoValue):
            return False

    def _ways(self, place: NextPlace) -> Iterator[_Way]:
        """Yield the outermost ways in a part of Next."""
        whole = place.whole
        match whole:
            case ast.Junction() if whole.conjunction or len(whole.items) == 1:
                for number in range(len(whole.items)):
                    yield from self._ways(place.enter_item(whole, number))
            case ast.Junction():
                for item in whole.items:
                    yield from self._disjunct(replace(place, whole=item))
            case ast.Quantifier() if not whole.universal:
                yield from self._ways(place.enter_body(whole))
            case ast.Let():
                yield from self._ways(place.enter_body(whole))
            case ast.If():
                yield from self._branches(whole, place)
            case ast.Apply():
                yield from self._open(whole, place)

    def _disjunct(self, place: NextPlace) -> Iterator[_Way]:
        """Yield a disjunct, with the ways in it."""
        way, inner = self._make_way(place, place.whole, "", lambda: self._ways(place)), place.whole
        while isinstance(inner, ast.Quantifier) and not inner.universal:
            inner = inner.body
        if isinstance(inner, ast.Apply) and any(one.action for one in way.below):
            way.part = None
        yield way

    def _branches(self, whole: ast.If, place: NextPlace) -> Iterator[_Way]:
        false = ast.Apply(LANGUAGE["FALSE"], place=whole.place)
        then = place.enter(whole.then, lambda hole: replace(whole, then=hole, otherwise=false))
        other = place.enter(whole.otherwise, lambda hole: replace(whole, then=false, otherwise=hole))
        yield self._make_way(then, whole.condition, " is true", lambda: self._ways(then))
        yield self._make_way(other, whole.condition, " is false", lambda: self._ways(other))

    def _make_way(
        self, place: NextPlace, told: Expression, words: str, below: Callable[[], Iterable[_Way]]
    ) -> _Way:
        walk = self.walks.over(Formula(place.around(place.whole), self.next.module), primed=False)
        return _Way("", make_part(place.action, told, words), walk, below)

    def _open(self, whole: ast.Apply, place: NextPlace) -> Iterator[_Way]:
        opened = place.open_call(whole, self.evaluator)
        if opened is None:
            return
        if self.evaluator.analysis.of(whole, place.module).level < ACTION:
            yield from self._ways(opened)
            return
        name = opened.within[-1].shown
        inner = replace(opened, action=name)
        if place.whole is self.next.whole:
            yield from self._ways(inner)
        else:
            yield _Way(name, None, None, lambda: self._ways(inner))
