"""Protocols with nothing to start from, each for a reason of its own."""

from __future__ import annotations

from typing import Any

from verifier.encodings.sorts import Range
from verifier.specs.protocol import (
    IntegerConstant,
    Protocol,
    State,
    Step,
    action,
    invariant,
    lemma,
    reachable,
)


class Counting(Protocol, camel_case=True):
    """It has an initial state."""

    most = IntegerConstant(3)

    def state(self) -> State:
        return State(x=Range(0, 3), y=Range(0, 3))

    def init(self, s: Any) -> Any:
        return (s.x == 0) & (s.y == s.x)

    @action()
    def up(self, s: Any) -> Step:
        return Step(when=[s.x < self.most], then={s.x: s.x + 1})

    @invariant()
    def nonsense(self, s: Any) -> Any:
        return s.x != s.x

    @reachable(default=False)
    def top(self, s: Any) -> Any:
        return s.x == 3

    @lemma()
    def never(self, s: Any) -> Any:
        return s.x > s.x


class InitContradicts(Counting):
    """Init contradicts itself."""

    def init(self, s: Any) -> Any:
        return (s.x == 0) & (s.y > s.x) & (s.y == 0)


class ConstraintContradicts(Counting):
    """No state satisfies the constraint."""

    def constraint(self, s: Any) -> Any:
        return (s.x < s.y) & (s.y < s.x)


class ConstraintExcludes(Counting):
    """The constraint holds, but in no initial state."""

    def constraint(self, s: Any) -> Any:
        return s.y > s.x


class NoValue(Counting):
    """A variable has no value to take."""

    def state(self) -> State:
        return State(x=Range(0, 3), y=Range(1, 0))


class Sometimes(Counting):
    """True if there is an initial state depends on a constant."""

    def init(self, s: Any) -> Any:
        return (s.x == 2) & (s.x < self.most) & (s.y == 0)


class Assuming(Counting):
    """No constants will do."""

    def assumptions(self) -> list[tuple[bool, str]]:
        return [(self.most > 100, "most > 100")]
