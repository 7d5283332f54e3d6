"""Steps are joined, conjuncts are lists, and marked methods are called by others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from verifier import (
    Boolean,
    DefinitionError,
    IndexSetConstant,
    Protocol,
    Range,
    Set,
    State,
    Step,
    action,
    arbitrary,
    choose,
    deadlock_invariant,
    forall,
    invariant,
    lemma,
    reachable,
    step_invariant,
    type_invariant,
)
from verifier.encodings.printing import text
from verifier.encodings.values import BooleanValue
from verifier.specs.hashing import spec_hash
from verifier.specs.protocol import define


class Plain(Protocol, camel_case=True):
    """Nodes vote, as it was written before."""

    name = "vote"
    nodes = IndexSetConstant(3)

    def state(self) -> Any:
        return State(voted=Set(self.nodes), votes=Range(0, 3), open=Boolean())

    def init(self, s: Any) -> Any:
        return s.voted.is_empty & (s.votes == 0) & s.open

    @action(n="nodes")
    def vote(self, s: Any, n: Any) -> Step:
        return Step(
            when=[s.open, ~s.voted.contains(n), s.votes < 3],
            then={s.voted: s.voted.add(n), s.votes: s.votes + 1},
        )

    @action
    def close(self, s: Any) -> Step:
        return Step(when=[s.votes > 1], then={s.open: False})

    @invariant
    def counted(self, s: Any) -> Any:
        return s.votes == s.voted.cardinality

    @invariant
    def closed_late(self, s: Any) -> Any:
        return s.open | (s.votes > 1)

    @lemma
    def both(self, s: Any) -> Any:
        return (s.votes == s.voted.cardinality) & (s.open | (s.votes > 1))


class Short(Plain):
    """The protocol with joined steps, single formulas and calls."""

    name = "vote"

    def opened(self, s: Any) -> Step:
        return Step(when=s.open)

    @action(n="nodes")
    def vote(self, s: Any, n: Any) -> Step:
        joins = Step(when=[[~s.voted.contains(n)], (s.votes < 3,)], then={s.voted: s.voted.add(n)})
        return self.opened(s) & joins & Step(then={s.votes: s.votes + 1})

    @action()
    def close(self, s: Any) -> Step:
        return Step(when=s.votes > 1, then={s.open: False})

    @invariant
    def closed_late(self, s: Any) -> Any:
        return [s.open | (s.votes > 1)]

    @lemma
    def both(self, s: Any) -> Any:
        return self.counted(s), [self.closed_late(s)]


class Called(Plain):
    """An action that is part of another one."""

    @action(n="nodes")
    def vote_and_close(self, s: Any, n: Any) -> Step:
        return self.vote(s, n=n) & Step(when=self.counted(s), then={s.open: False})

    @reachable
    def over(self, s: Any) -> Any:
        return [~s.open, self.counted(s), self.both(s)]

    @type_invariant
    def well_typed(self, s: Any) -> Any:
        return forall(s.voted.contains(n) for n in s.voted)

    @deadlock_invariant
    def ends(self, s: Any) -> Any:
        return [~s.open, []]

    def constraint(self, s: Any) -> Any:
        return [s.votes < 3, s.votes >= 0]


def test_lists_steps_and_calls_mean_the_same() -> None:
    assert spec_hash(define(Plain())) == spec_hash(define(Short()))


def test_a_call_gives_the_step_or_the_formula() -> None:
    definition = define(Called())
    joined = next(item for item in definition.actions if item.name == "VoteAndClose")
    assert [text(line) for line in joined.when] == [
        "open",
        "(n ∉ voted)",
        "votes < 3",
        "votes = cardinality(voted)",
    ]
    assert [text(target) for target, _ in joined.then] == ["voted", "votes", "open"]
    over = next(item for item in definition.properties if item.name == "Over")
    assert text(over.formula).startswith("¬open ∧ (votes = cardinality(voted)) ∧ (")
    assert definition.constraint is not None
    assert text(definition.constraint) == "(votes < 3) ∧ (0 ≤ votes)"


def test_calls_have_types() -> None:
    """mypy checks it: a property or lemma gives a formula, an action a step."""
    protocol = Called()
    state = protocol.state()
    formulas: list[BooleanValue] = [protocol.counted(state), ~protocol.both(state), protocol.over(state)]
    step: Step = protocol.close(state) & protocol.vote(state, n=choose(protocol.nodes, state.voted.contains))
    assert all(isinstance(formula, BooleanValue) for formula in formulas)
    assert len(step.when) == 4


def test_the_init_can_be_a_list(tmp_path: Path) -> None:
    class Listed(Plain):
        def init(self, s: Any) -> Any:
            return [s.voted.is_empty, [s.votes == 0, s.open], arbitrary(s.open)]

    assert text(define(Listed()).init).startswith("(voted = {}) ∧ (votes = 0) ∧ open")


def _with(mark: Any, method: Callable[[Any, Any], Any]) -> type[Plain]:
    return type("Changed", (Plain,), {"changed": mark(method)})


@pytest.mark.parametrize(
    ("protocol", "words"),
    [
        (_with(invariant, (lambda self, s: [])), "property Changed is an empty list"),
        (
            _with(invariant, (lambda self, s: [s.open, True])),
            "property Changed is decided while Python reads",
        ),
        (_with(invariant, (lambda self, s: [s.open, None])), "property Changed is None, not a formula"),
        (
            _with(invariant, (lambda self, s: (s.open for _ in self.nodes))),
            "property Changed is a generator, not a formula",
        ),
        (
            _with(action, (lambda self, s: self.close(s) & Step(then={s.open: True}))),
            "one open to be False, the other open to be True",
        ),
        (
            _with(action, (lambda self, s: self.close(s) & s.open)),
            "& joins a step with a step, not with open",
        ),
        (
            _with(action, (lambda self, s: self.close(s) and Step(when=s.open))),
            "a step has no truth value: & joins steps",
        ),
        (
            _with(invariant, (lambda self, s: s.open | Range(0, 3).contains(s.votes))),
            "contains of a sort (0..3) is decided while Python reads the protocol",
        ),
        (
            _with(invariant, (lambda self, s: forall(~self.nodes.contains(n) & s.open for n in s.voted))),
            "write exists(v == n for v in …) over the sort",
        ),
        (
            _with(action, (lambda self, s: Step(when=[(s.open for _ in self.nodes)]))),
            "a guard line of changed is a generator",
        ),
        (_with(action, (lambda self, s: [self.close(s)])), "action changed returns [Step("),
    ],
)
def test_what_is_neither_formula_nor_step_is_refused(protocol: type[Plain], words: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        define(protocol())
    assert words in str(refused.value)
    assert "test_language_steps.py, line " in str(refused.value)


def test_a_member_without_its_own_name_is_called() -> None:
    class Two(Plain):
        @invariant(name="Total")
        def total(self, s: Any) -> Any:
            return self.counted(s) & ~self.closed_late(s)

    assert "Total" in [item.name for item in define(Two()).properties]


def _make_keeping(keep: Any, mark: Any, use: Callable[[Any, Any], Any]) -> type[Plain]:
    class Keeping(Plain):
        def __init__(self) -> None:
            super().__init__()
            self.kept: list[Any] = []

        keeping = keep
        using = mark(use)

    return Keeping


@pytest.mark.parametrize(
    ("protocol", "words"),
    [
        (
            _with(invariant, (lambda self, s: forall((m := n) == n for n in self.nodes) & (m == m))),
            "property Changed has the variable n outside",
        ),
        (
            _make_keeping(
                action(n="nodes")(lambda self, s, n: self.kept.append(n) or Step(when=s.open)),
                action,
                (lambda self, s: Step(then={s.voted: s.voted.add(self.kept[0])})),
            ),
            "action Using has the variable n outside",
        ),
        (
            _make_keeping(
                step_invariant(lambda self, s, after: self.kept.append(after) or s.open),
                invariant,
                (lambda self, s: self.kept[0].open),
            ),
            "property Using has the variable open' outside",
        ),
    ],
)
def test_a_variable_that_was_kept_is_refused_where_it_means_nothing(
    protocol: type[Plain], words: str
) -> None:
    with pytest.raises(DefinitionError) as refused:
        define(protocol())
    assert words in str(refused.value)
