"""Protocols that hide from a reading for all constants what their constants do.

Each violates its invariant ``Inv`` at the constants in ``fails``, and holds it at the default ones. So no
proof for all constants may show it without saying what else it assumes.
"""

from __future__ import annotations

import math
from functools import cache, cached_property
from typing import Any, ClassVar

from verifier import (
    Boolean,
    Enum,
    Function,
    IndexSet,
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
    literal,
    partial_function,
)
from verifier.errors import UsageError


class Counter(Protocol, camel_case=True):
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
        """Return the counter's next value."""
        return 0

    @action
    def step(self, s: Any) -> Step:
        return Step(when=s.x == 0, then={s.x: self.next_value()})

    @invariant
    def inv(self, s: Any) -> Any:
        return s.x == 0


# Code of Python that needs the constant as a plain integer


class MadeAnInteger(Counter):
    def next_value(self) -> Any:
        return self.n if int(self.n) == 7 else 0


class LookedUpInASet(Counter):
    def next_value(self) -> Any:
        return 1 if self.n in {4, 7} else 0


class LookedUpInADictionary(Counter):
    def next_value(self) -> Any:
        return {7: 1}.get(self.n, 0)


class ComparedInAList(Counter):
    def next_value(self) -> Any:
        return 1 if self.n in [4, 7] else 0


class AnIndex(Counter):
    def next_value(self) -> Any:
        return [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0][self.n]


class ASlice(Counter):
    def next_value(self) -> Any:
        return 1 if [0, 0, 0, 0, 0, 0, 0][self.n :] == [] else 0


class ALoop(Counter):
    def next_value(self) -> Any:
        return 1 if 6 in range(self.n) else 0


class MadeText(Counter):
    def next_value(self) -> Any:
        return 1 if f"{self.n}" == "7" else 0


class MadeTextInASort(Counter):
    def next_value(self) -> Any:
        return 1 if str(self.numbers) == "0..7" else 0


class MadeTextInAFormula(Counter):
    def next_value(self) -> Any:
        return 1 if "7" in str(literal(self.numbers, self.n)) else 0


class ARoot(Counter):
    def next_value(self) -> Any:
        return 1 if math.sqrt(self.n) >= 2.5 else 0


class WithoutItsSign(Counter):
    def next_value(self) -> Any:
        return 1 if abs(self.n - 7) < 1 else 0


class AskedForItsType(Counter):
    def next_value(self) -> Any:
        number: Any = self.n
        return 1 if isinstance(number, int) and number == 7 else 0


class ErrorsAreCaught(Counter):
    def next_value(self) -> Any:
        try:
            return 1 if 6 in range(self.n) else 0
        except UsageError:
            return 0


class ComparedWithAFraction(Counter):
    def next_value(self) -> Any:
        return 1 if self.n == 7.0 else 0


class Matched(Counter):
    def next_value(self) -> Any:
        match self.n:
            case 7:
                return 1
        return 0


class Chained(Counter):
    def next_value(self) -> Any:
        return 1 if 6 < self.n < 8 else 0


class TheGreater(Counter):
    def next_value(self) -> Any:
        return max(0, min(self.n - 6, 1))


class Sorted(Counter):
    def next_value(self) -> Any:
        return 1 if sorted([self.n, 6])[0] == 6 else 0


@cache
def is_big(number: Any) -> bool:
    return bool(number > 6)


class Remembered(Counter):
    def next_value(self) -> Any:
        return 1 if is_big(self.n) else 0


class RememberedBefore(Counter):
    @cached_property
    def big(self) -> Any:
        return self.n > 6

    def assumptions(self) -> list[tuple[bool, str]]:
        return [(self.big or not self.big, "nothing")]

    def next_value(self) -> Any:
        return 1 if self.big else 0


class PartOf(Counter):
    @property
    def big(self) -> Any:
        return self.n > 6


class MadeOfAPart(Counter):
    def next_value(self) -> Any:
        return 1 if PartOf({"n": self.n}).big else 0


class CountedAtItsMaximum(Counter):
    n = IntegerConstant(3, minimum=1, maximum=3)
    fails: ClassVar[dict[str, int]] = {"n": 2}

    def next_value(self) -> Any:
        return sum(range(self.n)) - 3


# What sorts say of constants


class SizeOfARange(Counter):
    fails: ClassVar[dict[str, int]] = {"n": 8}

    @invariant
    def inv(self, s: Any) -> Any:
        return s.x + Range(self.n, 6).size + self.n == 7


class ElementsOfASort(Counter):
    fails: ClassVar[dict[str, int]] = {"nodes": 3}

    def next_value(self) -> Any:
        return 1 if len(self.nodes.elements) == 3 else 0


class CountOfASort(ElementsOfASort):
    def next_value(self) -> Any:
        return 1 if self.nodes.count == 3 else 0


class BoundOfASort(Counter):
    def next_value(self) -> Any:
        return 1 if self.numbers.high in {7} else 0


class ValuesOfASort(Counter):
    def next_value(self) -> Any:
        return 1 if sum(self.numbers.values()) == 28 else 0


class ValueInASort(Counter):
    def next_value(self) -> Any:
        return 1 if self.numbers.contains(7) else 0


class ComparedSorts(Counter):
    def next_value(self) -> Any:
        return 1 if self.numbers == Range(0, 7) else 0


class SortsAsKeys(Counter):
    def next_value(self) -> Any:
        return 1 if self.numbers in {Range(0, 7)} else 0


class SortOfAnExpression(Counter):
    @action
    def step(self, s: Any) -> Step:
        return Step(when=s.x == 0, then={s.x: 1 if hash(vars(s.x.sort)["high"]) == 7 else 0})


class EmptyIndexSet(Protocol, camel_case=True):
    n = IntegerConstant(3, minimum=1)
    fails: ClassVar[dict[str, int]] = {"n": 1}

    @property
    def slots(self) -> Any:
        return IndexSet("slot", self.n - 1)

    def state(self) -> State:
        return State(x=Boolean())

    def init(self, s: Any) -> Any:
        return s.x == exists(a == a for a in self.slots)

    @action
    def step(self, s: Any) -> Step:
        return Step(when=s.x, then={s.x: True})

    @invariant
    def inv(self, s: Any) -> Any:
        return s.x


class DeclaredEmpty(EmptyIndexSet):
    slots = IndexSetConstant(2, kind="slot", minimum=0)
    fails: ClassVar[dict[str, int]] = {"slots": 0}


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


class VariableWithTheNameOfAConstant(Protocol, camel_case=True):
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


class VariableWithTheNameOfABoundOne(Protocol, camel_case=True):
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


class ElementsCalledBool(Protocol, camel_case=True):
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


class MembersOfAConstant(Protocol, camel_case=True):
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


class PartialFunctionOfASort(Protocol, camel_case=True):
    n = IntegerConstant(3, minimum=1)
    fails: ClassVar[dict[str, int]] = {}

    def state(self) -> State:
        return State(g=PartialFunction(Range(0, self.n), Range(0, 1)), x=Range(0, 1))

    def init(self, s: Any) -> Any:
        return (s.x == 0) & (s.g == partial_function(Range(0, self.n - 1), lambda _: s.x))

    @action
    def step(self, s: Any) -> Step:
        return Step(then={s.g: s.g})

    @invariant
    def inv(self, s: Any) -> Any:
        return s.g.contains(self.n)


class UndefinedAssignment(Protocol, camel_case=True):
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
