"""Facts about sums: true of drawn functions, and no false claim about a sum is proved with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from random import Random
from typing import Any

import pytest

from tests.support.parametric_readings import attempt_proof
from verifier import (
    Function,
    IndexSetConstant,
    IntegerConstant,
    Protocol,
    Range,
    State,
    Step,
    action,
    arbitrary,
    forall,
    if_,
    invariant,
    lemma,
    load,
    sum_of,
    updated,
)
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import INT, Node
from verifier.parametric.protocol_readings import read_for_all
from verifier.parametric.proving import Proofs, prove
from verifier.parametric.summing import say_difference, say_difference_at, say_signs, say_single, say_union
from verifier.parametric.term_reader import Summing
from verifier.processes.limits import Limits

DOMAIN = range(4)
Tables = dict[str, dict[tuple[int, ...], int]]
LOGIC = Logic()


def _evaluate(node: Node, tables: Tables, values: dict[Node, int]) -> Any:
    """The value of a node whose integers are those of the domain."""

    def of(one: Node) -> Any:
        return _evaluate(one, tables, values)

    match node.kind:
        case "true" | "false":
            return node.kind == "true"
        case "not":
            return not of(node.args[0])
        case "and":
            return all(map(of, node.args))
        case "or":
            return any(map(of, node.args))
        case "=":
            return of(node.args[0]) == of(node.args[1])
        case "<=":
            return of(node.args[0]) <= of(node.args[1])
        case "ite":
            return of(node.args[1] if of(node.args[0]) else node.args[2])
        case "app":
            return tables[node.data][tuple(map(of, node.args))]
        case "var":
            return values[node]
        case "sum":
            factors, constant = node.data
            return constant + sum(f * of(one) for f, one in zip(factors, node.args, strict=True))
    every = product(DOMAIN, repeat=len(node.data.variables))
    each = (
        _evaluate(node.args[0], tables, {**values, **dict(zip(node.data.variables, one, strict=True))})
        for one in every
    )
    return all(each) if node.kind == "forall" else any(each)


def _changed(name: str, one: Node, points: Sequence[Node]) -> Node:
    """A function that has other values at some points."""
    value = LOGIC.app(name, INT, (one,))
    for number, point in enumerate(points):
        value = LOGIC.ite(LOGIC.equal(one, point), LOGIC.plus(LOGIC.integer(number - 1), value), value)
    return value


def _sum(name: str, low: Node, high: Node, points: Sequence[Node] = ()) -> Summing:
    """The sum of a function over a range, which may be empty."""
    one = LOGIC.variable(INT)
    inside = LOGIC.conj((LOGIC.less_equal(low, one), LOGIC.less_equal(one, high)))
    summand = LOGIC.ite(inside, _changed(name, one, points), LOGIC.integer(0))
    return Summing((low, high), (one,), summand)


def _say_all(summing: Sequence[Summing], numbers: Sequence[Node]) -> Iterator[Node]:
    for one, number in zip(summing, numbers, strict=True):
        yield from say_signs(LOGIC, one, number)
        yield say_single(LOGIC, one, number)
    for pair in product(range(len(numbers)), repeat=2):
        both = [summing[place] for place in pair], [numbers[place] for place in pair]
        yield say_difference(LOGIC, *both)
        yield from say_difference_at(LOGIC, *both)
    for places in product(range(len(numbers)), repeat=3):
        yield say_union(LOGIC, [summing[place] for place in places], [numbers[place] for place in places])


def _draw(chance: Random) -> Tables:
    """Functions that are alike: often of one sign, often changed at one value alone."""
    least, most = chance.choice(((-2, 2), (0, 2), (-2, 0), (0, 0)))
    first: dict[tuple[int, ...], int] = {(x,): chance.randint(least, most) for x in DOMAIN}
    second = dict(first)
    for _ in range(chance.choice((0, 1, 1, 2))):
        second[chance.choice(DOMAIN),] = chance.randint(least, most)
    return {"f": first, "g": second, **{f"p{n}": {(): chance.choice(DOMAIN)} for n in range(3)}}


@pytest.mark.parametrize("seed", range(6))
def test_facts_are_true_of_sums(seed: int) -> None:
    chance, said, is_strong = Random(seed), 0, False
    for _ in range(60):
        tables = _draw(chance)
        summing, numbers = [], []
        for place in range(3):
            name = chance.choice("fg")
            low, high = (LOGIC.integer(chance.randint(-1, 4)) for _ in range(2))  # reversed, too
            ends = [low, high]
            points = [LOGIC.app(f"p{chance.randint(0, 2)}", INT) for _ in range(chance.randint(0, 3))]
            summing.append(_sum(name, low, high, points))
            symbol = f"total {place}"
            numbers.append(LOGIC.app(symbol, INT, ends))
            first, last = (_evaluate(end, tables, {}) for end in ends)
            summand, (variable,) = summing[-1].summand, summing[-1].variables
            total = sum(_evaluate(summand, tables, {variable: x}) for x in DOMAIN)
            plain = sum(tables[name][x,] for x in DOMAIN if first <= x <= last)
            assert points or total == plain
            tables[symbol] = {(first, last): total}
        facts = list(_say_all(summing, numbers))
        assert all(_evaluate(fact, tables, {}) for fact in facts)
        said += len(facts)
        for number in numbers:  # the facts do say something: another sum contradicts one
            ((at, total),) = tables[number.data].items()
            wrong = {**tables, number.data: {at: total + 1}}
            is_strong |= not all(_evaluate(fact, wrong, {}) for fact in facts)
    assert said > 1000
    assert is_strong


class Counted(Protocol, camel_case=True):
    """Messages in flight: those sent less those received."""

    nodes = IndexSetConstant(2)
    most = IntegerConstant(2)
    places = property(lambda self: Range(0, self.most))

    def state(self) -> State:
        several = Range(0, 2 * self.most + 2)
        return State(sent=Function(self.nodes, self.places), got=Function(self.nodes, self.places), n=several)

    def init(self, s: Any) -> Any:
        return [forall((s.sent[n] == 0) & (s.got[n] == 0) for n in self.nodes), s.n == 0]

    @action(n="nodes")
    def send(self, s: Any, n: Any) -> Step:
        return Step(
            when=[s.sent[n] < self.most, s.n < self.most], then={s.sent[n]: s.sent[n] + 1, s.n: s.n + 1}
        )

    @action(n="nodes", m="nodes")
    def receive(self, s: Any, n: Any, m: Any) -> Step:
        return Step(when=[s.n > 0, s.got[n] < self.most], then={s.got[n]: s.got[n] + 1, s.n: s.n - 1})

    @lemma
    def balanced(self, s: Any) -> Any:
        return s.n == sum_of(s.sent[n] for n in self.nodes) - sum_of(s.got[n] for n in self.nodes)

    @invariant
    def none_left(self, s: Any) -> Any:
        """If nothing was sent, nothing was received."""
        return forall(s.sent[n] == 0 for n in self.nodes).implies(forall(s.got[n] == 0 for n in self.nodes))


class Lost(Counted):
    @action(n="nodes", m="nodes")
    def receive(self, s: Any, n: Any, m: Any) -> Step:
        return Step(when=[s.n > 0, s.got[n] < self.most], then={s.got[n]: s.got[n] + 1})


class Doubled(Counted):
    @action(n="nodes", m="nodes")
    def receive(self, s: Any, n: Any, m: Any) -> Step:
        more = {s.got[n]: s.got[n] + 1, s.got[m]: s.got[m] + 1, s.n: s.n - 1}
        return Step(when=[s.n > 0, s.got[n] < self.most, s.got[m] < self.most, n != m], then=more)


class Moved(Counted):
    """One step changes two summands: their sum is as it was."""

    @action(n="nodes", m="nodes")
    def move(self, s: Any, n: Any, m: Any) -> Step:
        changed = updated(updated(s.sent, n, s.sent[n] - 1), m, s.sent[m] + 1)
        return Step(when=[n != m, s.sent[n] > 0, s.sent[m] < self.most], then={s.sent: changed})


class MovedToItself(Moved):
    @action(n="nodes", m="nodes")
    def move(self, s: Any, n: Any, m: Any) -> Step:
        changed = updated(updated(s.sent, n, s.sent[n] - 1), m, s.sent[m] + 1)
        return Step(when=[s.sent[n] > 0, s.sent[m] < self.most], then={s.sent: changed})


class Sums(Protocol, camel_case=True):
    """Claims about the sums of one function."""

    nodes = IndexSetConstant(2)
    n = IntegerConstant(2)

    def state(self) -> State:
        return State(f=Function(self.nodes, Range(-2, 2)), g=Function(Range(0, self.n), Range(-2, 2)))

    def init(self, s: Any) -> Any:
        return [arbitrary(s.f), arbitrary(s.g)]

    @action(x="nodes")
    def change(self, s: Any, x: Any) -> Step:
        return Step(when=[s.f[x] < 2], then={s.f[x]: s.f[x] + 1})


TRUE: dict[str, Callable[[Any, Any], Any]] = {
    "of nothing": lambda p, s: sum_of(s.f[x] for x in p.nodes if s.f[x] > 2) == 0,
    "of a range that is reversed": lambda p, s: (
        sum_of(s.g[i] for i in Range(0, p.n) if (i > 1) & (i < 1)) == 0
    ),
    "of positives": lambda p, s: sum_of(s.f[x] for x in p.nodes if s.f[x] > 0) >= 0,
    "of one": lambda p, s: forall(
        sum_of(s.g[i] for i in Range(0, p.n) if i == k) == s.g[k] for k in Range(0, p.n)
    ),
    "split": lambda p, s: (
        sum_of(s.f[x] for x in p.nodes)
        == sum_of(s.f[x] for x in p.nodes if s.f[x] > 0) + sum_of(s.f[x] for x in p.nodes if s.f[x] <= 0)
    ),
    "by cases": lambda p, s: (
        sum_of(s.f[x] for x in p.nodes if s.f[x] > 0) == sum_of(if_(s.f[x] > 0, s.f[x], 0) for x in p.nodes)
    ),
}
FALSE: dict[str, Callable[[Any, Any], Any]] = {
    "of all": lambda p, s: sum_of(s.f[x] for x in p.nodes) >= 0,
    "of some": lambda p, s: sum_of(s.f[x] for x in p.nodes if s.f[x] > 0) == 0,
    "of one of them": lambda p, s: forall(
        sum_of(s.g[i] for i in Range(0, p.n) if i <= k) == s.g[k] for k in Range(0, p.n)
    ),
    "split, with one twice": lambda p, s: (
        sum_of(s.f[x] for x in p.nodes)
        == sum_of(s.f[x] for x in p.nodes if s.f[x] >= 0) + sum_of(s.f[x] for x in p.nodes if s.f[x] <= 1)
    ),
    "of two functions": lambda p, s: sum_of(s.f[x] for x in p.nodes) == sum_of(s.g[i] for i in Range(0, p.n)),
    "bounded by a number": lambda p, s: sum_of(s.f[x] for x in p.nodes) <= 4,
    "of ones": lambda p, s: sum_of(1 for x in p.nodes) <= 2,
    "of as many ones": lambda p, s: sum_of(1 for x in p.nodes) == sum_of(1 for i in Range(0, p.n)),
}
"""They are false at some constants, some with three nodes only."""


def _claiming(said: Callable[[Any, Any], Any]) -> type[Protocol]:
    class Claiming(Sums):
        @invariant
        def claim(self, s: Any) -> Any:
            return said(self, s)

    return Claiming


def _is_proved_soon(kind: type[Protocol], name: str) -> bool:
    return prove(Proofs.of(read_for_all(kind, {})), name, Limits(20).begin()).proved


@pytest.mark.parametrize("what", TRUE)
def test_what_is_true_of_sums_is_proved(what: str) -> None:
    assert attempt_proof(_claiming(TRUE[what]), "Claim").proved


@pytest.mark.parametrize("what", FALSE)
def test_what_is_false_of_sums_is_not_proved(what: str) -> None:
    made = _claiming(FALSE[what])
    assert not _is_proved_soon(made, "Claim")
    assert load(made, nodes=3, n=1).bmc("Claim", depth=1)["Claim"].trace is not None


@pytest.mark.parametrize("kind", [Counted, Moved])
def test_a_lemma_about_sums_is_proved(kind: type[Protocol]) -> None:
    assert attempt_proof(kind, "NoneLeft").proved


@pytest.mark.parametrize("kind", [Lost, Doubled, MovedToItself])
def test_a_step_that_breaks_the_sum_is_not_proved(kind: type[Protocol]) -> None:
    assert not _is_proved_soon(kind, "NoneLeft")
