"""Counts, division, subsequences and steps in proofs for all constants: what is true is proved, what is false
at some constants is not."""

from __future__ import annotations

import json
from itertools import permutations, product
from typing import Any

import pytest

from tests.support.command_line import verify
from verifier import (
    IndexSetConstant,
    IntegerConstant,
    Option,
    Protocol,
    Range,
    Sequence,
    Set,
    State,
    Step,
    action,
    count,
    filtered,
    forall,
    invariant,
    lemma,
    step_invariant,
)
from verifier.parametric.certificate import Misfit, check, dump
from verifier.parametric.counting import Counting, bounds, common, difference, extremes
from verifier.parametric.dividing import euclid
from verifier.parametric.first_order_values import Elements
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import BOOL, INT, Bound, Node
from verifier.parametric.protocol_readings import read_for_all
from verifier.parametric.proving import Attempt, Proofs, prove
from verifier.parametric.subsequences import order, pigeonholes
from verifier.processes.limits import Limits


def attempt_proof(kind: type[Protocol], name: str) -> Attempt:
    return prove(Proofs.of(read_for_all(kind, {})), name, Limits(120).begin())


class Turnstile(Protocol, camel_case=True):
    """Visitors enter and leave; a counter says how many are inside."""

    visitors = IndexSetConstant(2, kind="visitor")

    def state(self) -> State:
        return State(inside=Set(self.visitors), number=Range(0, self.visitors.size))

    def init(self, s: Any) -> Any:
        return s.inside.is_empty & (s.number == 0)

    @action(visitor="visitors")
    def enter(self, s: Any, visitor: Any) -> Step:
        more = {s.inside: s.inside.add(visitor), s.number: s.number + 1}
        return Step(when=[~s.inside.contains(visitor)], then=more)

    @action(visitor="visitors")
    def leave(self, s: Any, visitor: Any) -> Step:
        fewer = {s.inside: s.inside.remove(visitor), s.number: s.number - 1}
        return Step(when=[s.inside.contains(visitor)], then=fewer)

    @invariant
    def counted(self, s: Any) -> Any:
        return s.number == count(s.inside.contains(v) for v in self.visitors)

    @invariant
    def one_is_outside(self, s: Any) -> Any:
        return s.number < self.visitors.size

    @step_invariant
    def one_at_a_time(self, s: Any, after: Any) -> Any:
        return (after.number == s.number + 1) | (s.number == after.number + 1)

    @step_invariant
    def only_more(self, s: Any, after: Any) -> Any:
        return after.number > s.number


class Unguarded(Turnstile):
    """Who is inside can enter again."""

    @action(visitor="visitors")
    def enter(self, s: Any, visitor: Any) -> Step:
        return Step(then={s.inside: s.inside.add(visitor), s.number: s.number + 1})


class Queue(Protocol, camel_case=True):
    """Clients wait in line, each once, and give up."""

    clients = IndexSetConstant(2, kind="client")

    def state(self) -> State:
        return State(line=Sequence(self.clients, self.clients.size), last=Option(self.clients))

    def init(self, s: Any) -> Any:
        return s.line.is_empty & s.last.is_none

    @action(client="clients")
    def wait(self, s: Any, client: Any) -> Step:
        return Step(when=[~s.line.contains(client)], then={s.line: s.line.append(client), s.last: client})

    @action(client="clients")
    def give_up(self, s: Any, client: Any) -> Step:
        return Step(then={s.line: filtered(c for c in s.line if c != client)})

    @lemma
    def once(self, s: Any) -> Any:
        places = Range(0, self.clients.size - 1)
        return forall(s.line[i] != s.line[j] for i in places for j in places if (i < j) & (j < s.line.length))

    @invariant
    def short(self, s: Any) -> Any:
        return s.line.length <= self.clients.size

    @invariant
    def shorter(self, s: Any) -> Any:
        return s.line.length < self.clients.size


class Impatient(Queue):
    """Clients stand in line more than once."""

    @action(client="clients")
    def wait(self, s: Any, client: Any) -> Step:
        return Step(then={s.line: s.line.append(client)})


class Shares(Protocol, camel_case=True):
    """So many goods for each, and what remains."""

    goods = IntegerConstant(7)
    heads = IntegerConstant(2, minimum=1)

    def state(self) -> State:
        return State(x=Range(0, self.goods), head=Range(1, self.heads))

    def init(self, s: Any) -> Any:
        return (s.x == 0) & (s.head == 1)

    @action(head="head")
    def change(self, s: Any, head: Any) -> Step:
        return Step(then={s.x: self.goods - 3 * (s.x // 3), s.head: head})

    @property
    def head(self) -> Range:
        return Range(1, self.heads)

    @invariant
    def linear(self, s: Any) -> Any:
        return (s.x == 3 * (s.x // 3) + s.x % 3) & (s.x % 3 <= 2)

    @invariant
    def at_most_all(self, s: Any) -> Any:
        return (s.x // s.head <= s.x) & (s.x % s.head < s.head)

    @invariant
    def halved(self, s: Any) -> Any:
        return (s.x // s.head < s.x) | (s.x == 0)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "name", "proved"),
    [
        (Turnstile, "Counted", True),
        (Turnstile, "TypeInvariant", False),  # nothing says that the number is a count
        (Turnstile, "OneIsOutside", False),
        (Turnstile, "OneAtATime", True),
        (Turnstile, "OnlyMore", False),
        (Unguarded, "Counted", False),
        (Queue, "Short", True),
        (Queue, "TypeInvariant", True),
        pytest.param(Queue, "Shorter", False, marks=pytest.mark.slow),
        pytest.param(Impatient, "Short", False, marks=pytest.mark.slow),
        (Shares, "Linear", True),
        (Shares, "AtMostAll", True),
        (Shares, "Halved", False),
    ],
)
def test_what_is_proved(kind: type[Protocol], name: str, proved: bool) -> None:
    assert attempt_proof(kind, name).proved is proved


# The facts are true of all finite sets


def truth(node: Node, values: dict[Node, Any], domain: list[int]) -> Any:
    """The value of a formula over a finite domain."""
    if node in values:
        return values[node]
    parts = [] if isinstance(node.data, Bound) else [truth(arg, values, domain) for arg in node.args]
    match node.kind:
        case "true" | "false":
            return node.kind == "true"
        case "not":
            return not parts[0]
        case "and":
            return all(parts)
        case "or":
            return any(parts)
        case "=":
            return parts[0] == parts[1]
        case "<=":
            return parts[0] <= parts[1]
        case "ite":
            return parts[1] if parts[0] else parts[2]
        case "sum":
            factors, constant = node.data
            return constant + sum(f * part for f, part in zip(factors, parts, strict=True))
        case "app":
            return values[node.data].get(tuple(parts), 7)
    bound = node.data.variables
    every = (
        truth(node.args[0], {**values, **dict(zip(bound, chosen, strict=True))}, domain)
        for chosen in product(domain, repeat=len(bound))
    )
    return all(every) if node.kind == "forall" else any(every)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_facts_of_counts_are_true_of_all_sets(size: int) -> None:
    logic = Logic()
    element = logic.variable("sort thing")
    counts = [
        Counting((), (element,), logic.true, logic.app(name, BOOL, (element,)), logic.integer(size))
        for name in ("one", "other")
    ]
    numbers = [logic.app(f"count {name}", INT) for name in ("one", "other")]
    pairs = permutations((0, 1))
    said = [difference(logic, (counts[i], counts[j]), (numbers[i], numbers[j])) for i, j in pairs]
    for counting, number in zip(counts, numbers, strict=True):
        said += [*bounds(logic, counting, number), *extremes(logic, counting, number)]
    domain = list(range(size))
    wrong = set()
    for one, other in product(product((False, True), repeat=size), repeat=2):
        found = {"one": one, "other": other}
        sets = {name: dict(zip(product(domain), items, strict=True)) for name, items in found.items()}
        for a, b in product(range(size + 1), repeat=2):
            values: Any = {**sets, "count one": {(): a}, "count other": {(): b}}
            holds = all(truth(node, values, domain) for node in said)
            if (a, b) == (sum(one), sum(other)):
                assert holds, (one, other)
            elif not holds:
                wrong.add((one, other, a, b))
    assert wrong  # the facts say something


@pytest.mark.parametrize("size", [1, 2, 3])
def test_sets_that_are_more_than_a_whole_meet(size: int) -> None:
    """The axiom is true of all sets. With a bound that is off by one, it is false for sets that do not
    meet."""
    logic = Logic()
    element = logic.variable("sort thing")
    words = ("one", "other", "whole")
    counts = [
        Counting((), (element,), logic.true, logic.app(name, BOOL, (element,)), logic.integer(size))
        for name in words
    ]
    numbers = [logic.app(f"count {name}", INT) for name in words]
    in_whole = logic.conj(common(logic, counts, numbers))
    in_all = logic.conj(common(logic, counts[:2], numbers[:2]))
    domain = list(range(size))
    for sets in product(product((False, True), repeat=size), repeat=3):
        found = zip(words, sets, strict=True)
        values: Any = {name: dict(zip(product(domain), items, strict=True)) for name, items in found}
        values |= {f"count {name}": {(): sum(items)} for name, items in zip(words, sets, strict=True)}
        assert truth(in_whole, values, domain), sets
        assert truth(in_all, values, domain), sets
        one, other, whole = sets
        apart = not any(a and b for a, b in zip(one, other, strict=True))
        if apart:
            values["count one"] = {(): size + 1 - sum(other)}
            assert not truth(in_all, values, domain)
        if apart and all(c or not (a or b) for a, b, c in zip(one, other, whole, strict=True)):
            values["count one"] = {(): sum(whole) + 1 - sum(other)}
            assert not truth(in_whole, values, domain)


def test_numbers_are_more_than_any_index_set() -> None:
    """Of counted integers nothing is said of all there are."""
    logic = Logic()
    number = logic.variable(INT)
    counting = Counting((), (number,), logic.true, logic.app("set", BOOL, (number,)), logic.integer(2))
    assert list(common(logic, [counting, counting], [logic.app("count", INT)] * 2)) == []


@pytest.mark.parametrize("items", list(product((0, 1), repeat=3)) + [(), (0,), (1, 1)])
def test_facts_of_places_are_true_of_all_sequences(items: tuple[int, ...]) -> None:
    """Of lengths of sequences of three elements, and of the places of what is filtered."""
    logic = Logic()
    length = logic.app("length", INT)
    place = logic.variable(INT)
    fits = logic.conj((logic.less_equal(logic.integer(0), place), logic.less(place, length)))
    kept = logic.conj((fits, logic.app("kept", BOOL, (place,))))
    end = logic.app("end", INT)
    said = [*order(logic, length, end, ("from", "at"), kept, place)]
    chosen = [number for number, item in enumerate(items) if item]
    domain = list(range(-1, 4))
    values: Any = {
        "length": {(): len(items)},
        "kept": {(n,): n in chosen for n in domain},
        "end": {(): len(chosen)},
        "from": {(n,): chosen[n] if 0 <= n < len(chosen) else 7 for n in domain},
        "at": {(n,): chosen.index(n) if n in chosen else 7 for n in domain},
        "item": {(n,): items[n] if 0 <= n < len(items) else 7 for n in domain},
    }
    said += pigeonholes(logic, Elements("item", INT, logic.integer(2)), length)
    assert all(truth(node, values, domain) for node in said)


def test_facts_of_quotients_are_true() -> None:
    logic = Logic()
    names = ("dividend", "divisor", "quotient", "remainder")
    said = logic.conj(euclid(logic, *(logic.app(name, INT) for name in names)))
    for dividend, divisor in product(range(-9, 10), range(1, 6)):
        numbers = (dividend, divisor, dividend // divisor, dividend % divisor)
        values: Any = {name: {(): number} for name, number in zip(names, numbers, strict=True)}
        values["a product"] = {(a, b): a * b for a, b in product(range(-9, 10), repeat=2)}
        assert truth(said, values, []), numbers
        values["remainder"] = {(): dividend % divisor + 1}
        assert not truth(said, values, [])


def test_no_state_keeps_what_speaks_of_steps() -> None:
    reading = read_for_all(Turnstile, {})
    content: Any = json.loads(dump(reading, Attempt("OneAtATime", kept=True)))
    with pytest.raises(Misfit, match="actions keep none"):
        check(reading, content, Limits(60).begin())


def test_what_is_open_is_shown_as_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.engines.small_violations.find_violations", lambda *_, **__: {})
    spec = f"{__file__}:Turnstile"
    asked = ("prove", "--spec", spec, "--property", "OnlyMore", "--all-constants")
    done = verify(*asked)
    assert done.exit_code == 12
    assert "turnstile with all constants: OnlyMore for all depths" in done.stderr
    assert "OnlyMore: counterexample to induction" in done.stdout
    assert "some state (may be unreachable)" in done.stdout
    assert "initially" not in done.stdout
    assert "fewest" not in done.stdout
