"""Protocols that hide from a reading for all constants what their constants do.

Each violates its invariant ``Inv`` at the constants in ``fails``, and holds it at the default ones. So no
proof for all constants may show it without saying what else it assumes.
"""

from __future__ import annotations

from typing import Any, ClassVar

from verifier import (
    Boolean,
    Enum,
    Function,
    IndexSetConstant,
    IntegerConstant,
    Option,
    PartialFunction,
    Protocol,
    Range,
    Set,
    State,
    Step,
    action,
    any_of,
    arbitrary,
    exists,
    forall,
    invariant,
    lemma,
    partial_function,
)


class Counter(Protocol):
    """A counter that stays 0 here, and should stay so in subclasses."""

    n = IntegerConstant(3, minimum=1)
    nodes = IndexSetConstant(2)
    fails: ClassVar[dict[str, int]] = {"n": 7}

    @property
    def numbers(self) -> Any:
        return Range(0, self.n)

    def state(self) -> State:
        return State(x=self.numbers)

    def init(self, s: Any) -> Any:
        return s.x == 0

    def next_value(self) -> Any:
        """What the counter becomes."""
        return 0

    @action
    def step(self, s: Any) -> Step:
        return Step(when=s.x == 0, then={s.x: self.next_value()})

    @invariant
    def inv(self, s: Any) -> Any:
        return s.x == 0


# A constant to the left of a comparison


class LeftOfAnInequality(Counter):
    fails: ClassVar[dict[str, int]] = {}

    @action
    def step(self, s: Any) -> Step:
        return Step(when=s.x < self.n, then={s.x: s.x + 1})

    @invariant
    def inv(self, s: Any) -> Any:
        return self.n != s.x


class LeftInADisjunction(LeftOfAnInequality):
    @invariant
    def inv(self, s: Any) -> Any:
        return exists(any_of(s.x != s.x, self.n != s.x) for _ in self.nodes)


class LeftInAGuard(LeftOfAnInequality):
    @action
    def step(self, s: Any) -> Step:
        return Step(when=[self.n > s.x, self.n != s.x], then={s.x: self.n})


# Names that mean something else


class VariableWithTheNameOfAConstant(Protocol):
    n = IntegerConstant(3, minimum=1)
    fails: ClassVar[dict[str, int]] = {}

    def state(self) -> State:
        return State(n=Range(0, self.n), x=Range(0, 1))

    def init(self, s: Any) -> Any:
        return [s.n == 0, s.x == 1]

    @action
    def step(self, s: Any) -> Step:
        return Step(when=s.x == 0, then={s.x: 0})

    @invariant
    def inv(self, s: Any) -> Any:
        return s.x == 0


class VariableWithTheNameOfABoundOne(Protocol):
    n = IntegerConstant(3, minimum=1)
    fails: ClassVar[dict[str, int]] = {}

    @property
    def slots(self) -> Any:
        return Range(0, self.n)

    def state(self) -> State:
        return State(v0=Range(0, self.n + 1), f=Function(self.slots, Range(0, 1)))

    def init(self, s: Any) -> Any:
        return [s.v0 == 0, forall(s.f[i] == 0 for i in self.slots)]

    @action
    def step(self, s: Any) -> Step:
        return Step(when=s.v0 <= self.n, then={s.v0: s.v0 + 1, s.f[s.v0]: 1})

    @lemma
    def rest(self, s: Any) -> Any:
        return forall((s.v0 <= i).implies(s.f[i] == 0) for i in self.slots)

    @invariant
    def inv(self, s: Any) -> Any:
        return forall(s.f[i] == 0 for i in self.slots)


class ElementsCalledBool(Protocol):
    nodes = IndexSetConstant(2, kind="Bool")
    fails: ClassVar[dict[str, int]] = {"nodes": 3}

    def state(self) -> State:
        return State(last=self.nodes)

    def init(self, s: Any) -> Any:
        return arbitrary(s.last)

    @action(n="nodes")
    def step(self, s: Any, n: Any) -> Step:
        return Step(then={s.last: n})

    @invariant
    def inv(self, s: Any) -> Any:
        nodes = self.nodes
        return forall((a == b) | (b == c) | (a == c) for a in nodes for b in nodes for c in nodes)


class ElementsCalledInt(ElementsCalledBool):
    nodes = IndexSetConstant(2, kind="Int")
    fails: ClassVar[dict[str, int]] = {"nodes": 1}

    @invariant
    def inv(self, s: Any) -> Any:
        return exists(a != b for a in self.nodes for b in self.nodes)


# What is no formula


class MembersOfAConstant(Protocol):
    n = IntegerConstant(3, minimum=3)
    fails: ClassVar[dict[str, int]] = {"n": 4}

    @property
    def phases(self) -> Any:
        return Enum("phase", tuple(f"w{i}" for i in range(self.n)))

    def state(self) -> State:
        return State(x=self.phases)

    def init(self, s: Any) -> Any:
        return s.x == "w0"

    @action(p="phases")
    def step(self, s: Any, p: Any) -> Step:
        return Step(then={s.x: p})

    @invariant
    def inv(self, s: Any) -> Any:
        return (s.x == "w0") | (s.x == "w1") | (s.x == "w2")


class PartialFunctionOfASort(Protocol):
    n = IntegerConstant(3, minimum=1)
    fails: ClassVar[dict[str, int]] = {}

    def state(self) -> State:
        return State(g=PartialFunction(Range(0, self.n), Range(0, 1)))

    def init(self, s: Any) -> Any:
        return s.g == partial_function(Range(0, self.n - 1), lambda _: 0)

    @action
    def step(self, s: Any) -> Step:
        return Step(then={s.g: s.g})

    @invariant
    def inv(self, s: Any) -> Any:
        return s.g.contains(self.n)


class UndefinedAssignment(Protocol):
    """An assignment has no value: PROVED would exclude that, too."""

    nodes = IndexSetConstant(3)
    fails: ClassVar[dict[str, int]] = {}

    def state(self) -> State:
        return State(o=Option(self.nodes), x=self.nodes, y=Boolean(), z=Set(self.nodes))

    def init(self, s: Any) -> Any:
        return [s.o == None, arbitrary(s.x), s.y, s.z.is_empty]  # noqa: E711 -- of an expression

    @action
    def step(self, s: Any) -> Step:
        return Step(then={s.x: s.o.value})

    @invariant
    def inv(self, s: Any) -> Any:
        return s.y


class UndefinedGuard(UndefinedAssignment):
    @action
    def step(self, s: Any) -> Step:
        return Step(when=s.o.value != s.x, then={s.x: s.x})
