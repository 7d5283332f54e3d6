"""Claims that are false at some constants are not proved for all of them, however the formula is written.

Each protocol violates its invariant ``Inv`` at the constants in ``fails``.
"""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from tests.support.sampling import some_of
from verifier import (
    Function,
    IndexSetConstant,
    IntegerConstant,
    Listed,
    PartialFunction,
    Protocol,
    Range,
    Sequence,
    Set,
    State,
    Step,
    Tuple,
    action,
    arbitrary,
    count,
    exists,
    filtered,
    forall,
    image,
    invariant,
    lemma,
    load,
)
from verifier.errors import UsageError
from verifier.parametric.errors import NotParametric
from verifier.parametric.protocol_readings import read_for_all
from verifier.parametric.proving import Proofs, prove
from verifier.processes.limits import Limits


class Chosen(Protocol, camel_case=True):
    """Some numbers and elements are chosen."""

    n = IntegerConstant(2, minimum=0)
    readers = IndexSetConstant(2)
    writers = IndexSetConstant(2)
    numbers = property(lambda self: Range(0, self.n))
    fails: ClassVar[dict[str, int]] = {"readers": 1, "writers": 2}

    def state(self) -> State:
        return State(a=Set(self.numbers), p=Set(self.readers))

    def init(self, s: Any) -> Any:
        return [arbitrary(s.a), s.p.is_empty]

    @action(r="readers")
    def choose(self, s: Any, r: Any) -> Step:
        return Step(then={s.p: s.p.add(r)})


class CountsOfTwoSorts(Chosen):
    """A formula that does not speak of the element is counted as often as there are elements."""

    @invariant
    def inv(self, s: Any) -> Any:
        return count(s.p.is_empty for _ in self.readers) == count(s.p.is_empty for _ in self.writers)


class CountsOfPairs(Chosen):
    pairs = property(lambda self: Tuple(self.readers, self.readers))
    more = property(lambda self: Tuple(self.readers, self.writers, self.writers))

    @invariant
    def inv(self, s: Any) -> Any:
        pairs = count(self.pairs, lambda t: s.p.contains(t[0]))
        return pairs == count(self.more, lambda t: s.p.contains(t[0]))


# The bounds of an expression's sort depend on constants otherwise than by sums and products


class SizeOfAUnion(Chosen):
    fails: ClassVar[dict[str, int]] = {"n": 4, "readers": 1}

    @invariant
    def inv(self, s: Any) -> Any:
        return (s.a | {0, 1, 2, 3}).cardinality <= 4


class ElementsOfAUnion(Chosen):
    """It fails at constants that are far from the ones where readings are compared."""

    fails: ClassVar[dict[str, int]] = {"n": 31, "readers": 1}

    def init(self, s: Any) -> Any:
        return [forall(i == self.n for i in s.a), s.p.is_empty]

    @invariant
    def inv(self, s: Any) -> Any:
        return forall(i <= 30 for i in s.a | {30})


class SizeOfQuotients(Chosen):
    fails: ClassVar[dict[str, int]] = {"n": 4, "readers": 1}

    @invariant
    def inv(self, s: Any) -> Any:
        return image(i // 2 for i in s.a).cardinality <= 2


class SizesOfAnEmptyRange(Chosen):
    last = IntegerConstant(2)
    fails: ClassVar[dict[str, int]] = {"n": 3, "last": 0, "readers": 1}

    @invariant
    def inv(self, s: Any) -> Any:
        sizes = image(count(i >= 0 for i in Range(self.n, self.last)) for _ in self.readers)
        return forall(i == self.last - self.n + 1 for i in sizes)


class UnionWithListed(Chosen):
    n = IntegerConstant(60, minimum=0)
    fails: ClassVar[dict[str, int]] = {"n": 1, "readers": 1}
    listed = property(lambda self: Set(Listed(0, 30)))

    def state(self) -> State:
        return State(a=Set(self.numbers), p=Set(self.readers), z=self.listed)

    def init(self, s: Any) -> Any:
        return [s.a.is_empty, s.p.is_empty, arbitrary(s.z)]

    @invariant
    def inv(self, s: Any) -> Any:
        return forall(i <= self.n for i in s.a | s.z)


# Python's code


class TypeIsAsked(Chosen):
    """It fails at constants that are near the ones at which the protocol is read."""

    fails: ClassVar[dict[str, int]] = {"n": 4, "readers": 1}

    @invariant
    def inv(self, s: Any) -> Any:
        most = 2 if type(self.n) is int and self.n == 4 else self.n
        return forall(i <= most for i in s.a)


# Symbols and axioms


class VariableCalledProduct(Protocol, camel_case=True):
    """The product of an unknown divisor and its quotient is no state variable."""

    n = IntegerConstant(2, minimum=1)
    numbers = property(lambda self: Range(0, self.n))
    fails: ClassVar[dict[str, int]] = {"n": 1}

    def state(self) -> State:
        table = Function(self.numbers, Function(self.numbers, self.numbers))
        return State(product=table, x=self.numbers, y=self.numbers)

    def init(self, s: Any) -> Any:
        return [arbitrary(s.product), s.x == 0, s.y == 1]

    @action
    def stay(self, s: Any) -> Step:
        return Step(then={s.x: 0})

    @lemma
    def fixed(self, s: Any) -> Any:
        return (s.x == 0) & (s.y == 1)

    @invariant
    def inv(self, s: Any) -> Any:
        return (s.x // s.y == 0).implies(s.product[1][0] == 0)


class PartInTheWrongOrder(Protocol, camel_case=True):
    """Of what is between two places there is no subsequence unless the first is at most the second."""

    n = IntegerConstant(2, minimum=1)
    numbers = property(lambda self: Range(0, self.n))
    fails: ClassVar[dict[str, int]] = {"n": 1}

    def state(self) -> State:
        return State(q=Sequence(self.numbers, self.n), a=self.numbers)

    def init(self, s: Any) -> Any:
        return [s.q.is_empty, s.a == 0]

    @action(i="numbers")
    def up(self, s: Any, i: Any) -> Step:
        positive = filtered(e for e in s.q.between(i, s.q.length) if e > 0)
        return Step(when=(i > s.q.length) | (positive.length <= self.n), then={s.a: i})

    @invariant
    def inv(self, s: Any) -> Any:
        return s.a <= s.q.length


# What a protocol assumes


class OneOfTwoIsSmall(Protocol, camel_case=True):
    """Python asks for the second only if the first is not so."""

    n = IntegerConstant(2, minimum=1)
    m = IntegerConstant(2, minimum=1)
    numbers = property(lambda self: Range(0, self.n))
    fails: ClassVar[dict[str, int]] = {"n": 5, "m": 1}

    def assumptions(self) -> list[tuple[bool, str]]:
        return [(self.n <= 4 or self.m <= 4, "one is small")]

    def state(self) -> State:
        return State(x=self.numbers)

    def init(self, s: Any) -> Any:
        return arbitrary(s.x)

    @action
    def stay(self, s: Any) -> Step:
        return Step(then={s.x: 0})

    @invariant
    def inv(self, s: Any) -> Any:
        return s.x <= 4


class TheSmallerIsSmall(OneOfTwoIsSmall):
    def assumptions(self) -> list[tuple[bool, str]]:
        return [(min(self.n, self.m) <= 4, "one is small")]


class SmallUnlessTheOtherIs(OneOfTwoIsSmall):
    def assumptions(self) -> list[tuple[bool, str]]:
        return [(self.n <= 4, "n <= 4")] if self.m > 1 else []


class BothAreSmall(OneOfTwoIsSmall):
    def assumptions(self) -> list[tuple[bool, str]]:
        return [(1 <= self.m <= self.n and not self.n > 4, "both are small")]


class KeysAreAdded(Protocol, camel_case=True):
    """The value at a new key of a partial function is not read where the key is added."""

    n = IntegerConstant(2, minimum=1)
    numbers = property(lambda self: Range(0, self.n))

    def state(self) -> State:
        return State(g=PartialFunction(self.numbers, self.numbers))

    def init(self, s: Any) -> Any:
        return s.g.is_empty

    @action(i="numbers")
    def put(self, s: Any, i: Any) -> Step:
        return Step(then={s.g[i]: i})

    @invariant
    def inv(self, s: Any) -> Any:
        return forall(s.g[i] == i for i in s.g.domain)


class Divided(Protocol, camel_case=True):
    """At the default constants every quotient has a value. At others some have none, and are not read."""

    low = IntegerConstant(1, minimum=0)
    n = IntegerConstant(2, minimum=0)
    divisors = property(lambda self: Range(self.low, self.n + self.low))

    def state(self) -> State:
        return State(x=Range(0, self.n), y=self.divisors)

    def init(self, s: Any) -> Any:
        return arbitrary(s.x, s.y)

    @action(i="divisors")
    def change(self, s: Any, i: Any) -> Step:
        return Step(then={s.y: i})

    @invariant
    def inv(self, s: Any) -> Any:
        return (s.y == 0) | (s.x // s.y <= s.x)


class DividedByZero(Divided):
    @invariant
    def inv(self, s: Any) -> Any:
        return s.x // s.y <= s.x


def is_proved_for_all(kind: type[Protocol]) -> bool:
    """True if the invariant is proved with nothing assumed but what is declared."""
    try:
        reading = read_for_all(kind, {})
        return not reading.beyond_declared and prove(Proofs.of(reading), "Inv", Limits(60).begin()).proved
    except NotParametric:
        return False


FALSE = [
    CountsOfTwoSorts,
    CountsOfPairs,
    SizeOfAUnion,
    ElementsOfAUnion,
    SizeOfQuotients,
    SizesOfAnEmptyRange,
    UnionWithListed,
    TypeIsAsked,
    VariableCalledProduct,
    TheSmallerIsSmall,
    OneOfTwoIsSmall,
    PartInTheWrongOrder,  # the solvers need ten seconds to give up
    SmallUnlessTheOtherIs,
]


@pytest.mark.parametrize("kind", some_of(FALSE, every=3), ids=lambda kind: kind.__name__)
def test_what_is_false_at_some_constants_is_not_proved(kind: Any) -> None:
    assert load(kind, **kind.fails).bmc(depth=1)["Inv"].trace is not None
    assert not is_proved_for_all(kind)


def test_what_has_no_value_at_some_constants_is_read_at_none() -> None:
    assert is_proved_for_all(Divided)
    assert not is_proved_for_all(DividedByZero)
    assert load(DividedByZero, low=0).bmc(depth=1)["UndefinedRead"].trace is not None


def test_what_the_assumptions_require_is_declared() -> None:
    assert is_proved_for_all(BothAreSmall)
    words = [one.words for one in read_for_all(BothAreSmall, {}).assumptions]
    assert words == ["n >= 1", "m >= 1", "m <= n", "n <= 4"]


def test_a_key_that_is_added_is_not_read() -> None:
    assert is_proved_for_all(KeysAreAdded)


class NothingIsInitial(OneOfTwoIsSmall):
    def init(self, s: Any) -> Any:
        return [s.x < 1, exists((i < s.x) & (i > 0) for i in self.numbers)]


class NothingCanHappen(OneOfTwoIsSmall):
    def constraint(self, s: Any) -> Any:
        return s.x > self.n


@pytest.mark.parametrize("kind", [NothingIsInitial, NothingCanHappen])
def test_a_protocol_without_an_initial_state_is_refused(kind: type[Protocol]) -> None:
    with pytest.raises(UsageError, match="no state satisfies init and the constraint"):
        Proofs.of(read_for_all(kind, {}))
