"""Engines against the naive reading on random protocols, and the naive reading against Python by hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.support.naive import Naive
from tests.support.naive_comparisons import disagreements, subject_of
from tests.support.naive_differential import EVERY_SLOW
from tests.support.random_plans import plan_of
from tests.support.sampling import rest_slow
from verifier.encodings.expressions import literal, wrap
from verifier.encodings.plain_terms import Reader, Undefined
from verifier.encodings.quantifiers import choose, exists, filtered, forall, if_, image
from verifier.encodings.sorts import Bag, Boolean, Function, Option, Range, Sequence, Set, Sort
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.specs.definition import PropertyKind
from verifier.specs.protocol import (
    Protocol,
    State,
    Step,
    action,
    deadlock_invariant,
    define,
    invariant,
    reachable,
)

_OF_A_TEST = 5
GROUPS = range(0, 300, _OF_A_TEST)
"""The first seed of each group."""
_QUICK, _THOROUGH = 1, 1


@pytest.mark.thorough
@pytest.mark.parametrize("first", [*GROUPS[:_QUICK], *rest_slow(GROUPS[_QUICK:], _THOROUGH)])
def test_engines_say_what_the_naive_reading_says(first: int) -> None:
    found = []
    for seed in range(first, first + _OF_A_TEST):
        subject = subject_of(seed)
        found += [f"seed {seed}: {line}" for line in disagreements(subject, seed % EVERY_SLOW == 0)]
    assert not found, "\n".join(found)


@pytest.mark.slow
def test_the_random_protocols_are_worth_checking() -> None:
    subjects = [subject_of(seed) for seed in range(40)]
    least = [steps for subject in subjects for steps in subject.truth.steps.values()]
    assert len(subjects) >= 20
    assert sum(steps >= 3 for steps in least) >= 30
    assert any(subject.truth.complete for subject in subjects)
    kinds = Counter(prop.kind for s in subjects for prop in s.model.definition.properties)
    assert set(kinds) >= set(PropertyKind)


def test_the_plans_have_what_is_to_be_compared() -> None:
    plans = [plan_of(f"{seed}.0") for seed in range(300)]
    assert Counter(len(plan.kinds) for plan in plans).keys() == {1, 2, 3}
    assert {count for plan in plans for count, _ in plan.kinds.values()} == {1, 2, 3, 4}
    held = Counter(
        type(sort).__name__ for plan in plans for parameters in plan.actions for _, sort, _ in parameters
    )
    for name in ("IndexSet", "Option", "Record", "Function", "Set", "Sequence", "Bag", "Enum", "Range"):
        assert held[name] >= 5, held
    assert sum(is_free for plan in plans for parameters in plan.actions for *_, is_free in parameters) >= 10
    assert sum(plan.constraint for plan in plans) >= 20
    assert sum("bags as parameters" in plan.features for plan in plans) >= 20
    assert sum("kinds with one first letter" in plan.features for plan in plans) >= 20


# The naive reading itself: what is fixed of terms without value


def _symbol(name: str, sort: Sort) -> tuple[Symbol, Any]:
    symbol = Symbol(name, sort)
    return symbol, wrap(Term(Operator.VARIABLE, sort, (), symbol))


LOG, log = _symbol("log", Sequence(Range(0, 3), 2))
HOLDER, holder = _symbol("holder", Option(Range(0, 3)))
LEVEL, level = _symbol("level", Function(Range(0, 1), Range(0, 3)))
MEMBERS, members = _symbol("members", Set(Range(0, 3)))
COPIES, copies = _symbol("copies", Bag(Range(0, 3), 2))
EMPTY: dict[Symbol, Any] = {LOG: (), HOLDER: None, LEVEL: {0: 1, 1: 2}, MEMBERS: frozenset(), COPIES: {}}
FALSE, TRUE = literal(Boolean(), False), literal(Boolean(), True)
WITHOUT = log[0] == 0


@pytest.mark.parametrize(
    "formula",
    [
        log[0] == 0,
        ~(log[0] == 0),
        log[holder.value] == 0,
        holder.value == 1,
        level[members.cardinality + 2] == 0,
        level.updated(2 + members.cardinality, 1)[0] == 1,
        members.minimum < 2,
        members.maximum < 2,
        choose(members, lambda m: m == m) == 0,
        TRUE & WITHOUT,
        WITHOUT & FALSE,
        FALSE | WITHOUT,
        WITHOUT | TRUE,
        TRUE.implies(WITHOUT),
        WITHOUT.implies(TRUE),
        if_(TRUE, log[0], 1) == 1,
        if_(WITHOUT, 0, 1) == 1,
        exists(Range(0, 1), lambda k: (k == 0) | (log[0] == 0)),
        forall(Range(0, 1), lambda k: (k == 1) & (log[0] == 0)),
        (holder.is_some == TRUE) == WITHOUT,
    ],
)
def test_what_has_no_value(formula: Any) -> None:
    with pytest.raises(Undefined):
        Reader()(formula.term)(dict(EMPTY))


@pytest.mark.parametrize(
    "formula",
    [
        ~(FALSE & WITHOUT),
        TRUE | WITHOUT,
        FALSE.implies(WITHOUT),
        if_(FALSE, log[0], 1) == 1,
        holder.is_none | (holder.value == 1),
        forall(members, lambda m: log[m] == m),
        ~exists(members, lambda m: log[m] == m),
        image(members, lambda m: log[m]).is_empty,
        log.truncate(members.cardinality - 2) == log,
        filtered(log, lambda x: x == 1) == log,
        copies.remove(1) == copies,
        copies.add(1).add(1).copies(1) == 2,
        ~members.contains(members.cardinality + 7),
        level.updated(1, 3) == level.updated(0, 0).updated(1, 3).updated(0, 1),
    ],
)
def test_what_is_true_though_much_has_no_value(formula: Any) -> None:
    assert Reader()(formula.term)(dict(EMPTY)) is True


class _Edges(Protocol, camel_case=True):
    """Counts to two, where it may go on to what it must not."""

    def state(self) -> State:
        return State(x=Range(0, 3), log=Sequence(Range(0, 3), 1))

    def init(self, s: Any) -> Any:
        return (s.x == 0) & s.log.is_empty

    def constraint(self, s: Any) -> Any:
        return s.x < 3

    @action()
    def up(self, s: Any) -> Step:
        return Step([s.x < 2], {s.x: s.x + 1})

    @action()
    def read(self, s: Any) -> Step:
        return Step([s.x == 1, s.log[0] == 0], {s.x: 3})

    @action()
    def leave(self, s: Any) -> Step:
        return Step([s.x == 2], {s.x: s.x + 2})

    @invariant()
    def low(self, s: Any) -> Any:
        return (s.x < 2) | (s.log[0] == 0)

    @deadlock_invariant()
    def never_stuck(self, s: Any) -> Any:
        return s.x != s.x

    @reachable()
    def two(self, s: Any) -> Any:
        return s.x == 2


def test_the_naive_exploration_reports_what_leaves_and_what_has_no_value() -> None:
    found = Naive(define(_Edges())).explore()
    assert found.steps == {"UndefinedRead": 1, "Two": 2, "TypeInvariant": 2}
    assert (found.states, found.deadlocks, found.closed, found.complete) == (3, 0, 2, True)
