"""Protocols are written with generators, lists of conjuncts, joined steps and calls of marked methods."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from verifier import (
    Boolean,
    DefinitionError,
    Function,
    IndexSet,
    IndexSetConstant,
    Protocol,
    Range,
    Record,
    Sequence,
    Set,
    SortError,
    State,
    Step,
    action,
    any_of,
    arbitrary,
    choose,
    comprehension,
    count,
    deadlock_invariant,
    exists,
    filtered,
    forall,
    function,
    image,
    invariant,
    lemma,
    reachable,
    type_invariant,
)
from verifier.encodings.printing import text
from verifier.encodings.values import BooleanValue
from verifier.specs.hashing import spec_hash
from verifier.specs.protocol import define
from verifier.specs.targets import same_term

N = IndexSet("node", 3)
MESSAGE = Record(x=Range(0, 3), to=N)
s = State(
    up=Set(N),
    msgs=Set(MESSAGE),
    f=Function(N, Range(0, 3)),
    log=Sequence(Range(0, 3), 2),
    b=Boolean(),
    groups=Set(Set(N)),
)


class Of:
    """Something with methods, as a protocol is."""

    def up(self, n: Any) -> Any:
        return s.up.contains(n)

    def same(self, n: Any, m: Any) -> Any:
        return n == m


of = Of()

SAME: list[tuple[Any, Any]] = [
    (forall(of.up(n) for n in N), forall(N, lambda n: s.up.contains(n))),  # noqa: PLW0108
    (forall(N, of.up), forall(N, lambda n: s.up.contains(n))),  # noqa: PLW0108
    (forall(N, N, of.same), forall(N, N, lambda n, m: n == m)),
    (
        exists(N, lambda k: forall(N, functools.partial(of.same, k))),
        exists(N, lambda k: forall(N, lambda m: k == m)),
    ),
    (exists(m.x == 1 for m in s.msgs), exists(s.msgs, lambda m: m.x == 1)),
    (forall(a == b for a in N for b in s.up), forall(N, s.up, lambda a, b: a == b)),
    (
        forall(a == b for a in N if of.up(a) for b in N if a != b),
        forall(N, lambda a: of.up(a).implies(forall(N, lambda b: (a != b).implies(a == b)))),
    ),
    (
        exists(a == b for a in s.up if s.f[a] == 1 for b in N if a != b),
        exists(s.up, lambda a: (s.f[a] == 1) & exists(N, lambda b: (a != b) & (a == b))),
    ),
    (
        forall(exists(a == b for b in N if b != a) for a in N if exists(c != a for c in s.up)),
        forall(N, lambda a: exists(s.up, lambda c: c != a).implies(exists(N, lambda b: (b != a) & (a == b)))),
    ),
    (count(of.up(n) for n in N), count(N, of.up)),
    (count(n for n in N if of.up(n)), count(N, of.up)),
    (count(of.up(n) for n in N if s.f[n] == 1), count(N, lambda n: (s.f[n] == 1) & of.up(n))),
    (choose(n for n in N if of.up(n)), choose(N, of.up)),
    (comprehension(n for n in s.up if s.f[n] == 1), comprehension(s.up, lambda n: s.f[n] == 1)),
    (image(s.f[n] for n in s.up), image(s.up, lambda n: s.f[n])),
    (function(s.f[n] + 1 for n in N), function(N, lambda n: s.f[n] + 1)),
    (filtered(e for e in s.log if e > 1), filtered(s.log, lambda e: e > 1)),
    (forall(s.f[n] == k for n in N for k in [s.f[n]]), forall(N, lambda n: s.f[n] == s.f[n])),
]


@pytest.mark.parametrize(("one", "other"), SAME, ids=[text(other.term) for _, other in SAME])
def test_a_generator_means_what_a_function_means(one: Any, other: Any) -> None:
    assert same_term(one.term, other.term), (text(one.term), text(other.term))
    assert text(one.term) == text(other.term)  # the names of the bound variables, too


def test_a_filtered_image() -> None:
    made = image(s.f[n] for n in N if of.up(n))
    assert text(made.term) == "{f[n] : n ∈ node(3), (n ∈ up)}"


ONE_FORMULA = "at most one if, with one formula"
BY_PYTHON = "decided while Python reads the protocol, whatever the variable"
NO_ELEMENTS = "has no elements while the protocol is being read"
NO_DOMAIN = "each for of a quantifier's generator goes over a sort or a set"

REFUSED: list[tuple[Callable[[], Any], str]] = [
    # Python decides more than one formula, or the opposite of one.
    (lambda: forall(of.up(n) for n in N if of.up(n) and s.b), ONE_FORMULA),
    (lambda: forall(of.up(n) for n in N if of.up(n) or s.b), ONE_FORMULA),
    (lambda: forall(of.up(n) for n in N if not of.up(n)), ONE_FORMULA),
    (lambda: forall(a == b for a in N for b in N if not s.b), ONE_FORMULA),
    (lambda: forall(a == b for a in N if not of.up(a) for b in N), ONE_FORMULA),
    (lambda: forall(of.up(n) for n in N if not (of.up(n) and s.b)), ONE_FORMULA),
    (lambda: forall(of.up(n) for n in N if not (of.up(n) or s.b)), ONE_FORMULA),
    (lambda: forall(of.up(n) for n in N if of.up(n) if s.b), ONE_FORMULA),
    (lambda: forall(of.up(n) for n in N if 0 < s.f[n] < 3), ONE_FORMULA),
    (lambda: forall(of.up(n) for n in N if (s.b if of.up(n) else ~s.b)), ONE_FORMULA),
    (lambda: forall(of.up(n) for n in N if (s.f[n], 1) != (1, 2)), ONE_FORMULA),
    (lambda: forall(of.up(n) for n in N if (s.f[n], 1) < (1, 2)), ONE_FORMULA),
    (lambda: forall(of.up(n) for n in N if (s.f[n] in (1, 2))), ONE_FORMULA),
    (lambda: forall((of.up(n) and s.b) for n in N), ONE_FORMULA),
    (lambda: forall((of.up(n) or s.b) for n in N), ONE_FORMULA),
    (lambda: forall((not of.up(n)) for n in N), ONE_FORMULA),
    (lambda: forall((s.b if of.up(n) else ~s.b) for n in N), ONE_FORMULA),
    (lambda: forall((s.b and of.up(n)) for n in N if of.up(n)), ONE_FORMULA),
    (lambda: exists(s.b for n in N if all([of.up(n), s.b])), ONE_FORMULA),
    (lambda: exists(s.b for n in N if any([of.up(n), s.b])), ONE_FORMULA),
    # Python decides without a formula, or of something else.
    (lambda: forall(of.up(n) for n in N if [of.up]), BY_PYTHON),
    (lambda: forall(of.up(n) for n in N if [of.up(n)]), BY_PYTHON),
    (lambda: forall(of.up(n) for n in N if N.count == 3), BY_PYTHON),
    (lambda: forall(of.up(n) for n in N if N.count == 4), BY_PYTHON),
    (lambda: forall(of.up(n) for n in N if s.f[n]), "needs a formula, not a value of 0..3"),
    (lambda: forall(of.up(n) for n in N if (lambda: bool(of.up(n)))()), "a formula has no truth value"),
    # Loops that are none of the generator itself.
    (lambda: forall(a == b for a, b in zip(N, N, strict=True)), NO_ELEMENTS),
    (lambda: forall(s.f[n] == i for i, n in enumerate(N)), NO_ELEMENTS),
    (lambda: forall(a == c for a in N for b, c in zip(N, N, strict=True)), NO_ELEMENTS),
    (lambda: forall(a == b for a in N for b in list(N)), NO_ELEMENTS),
    (lambda: forall(a == b for a in N for b in iter(N)), NO_ELEMENTS),
    (lambda: forall(any_of(*[a == b for b in N]) for a in N), NO_ELEMENTS),
    (lambda: forall(all(a == b for b in N) for a in N), NO_ELEMENTS),
    (lambda: forall(a == next(iter(N)) for a in N), NO_ELEMENTS),
    (lambda: forall(a == max(N) for a in N), NO_ELEMENTS),
    (lambda: forall(a == b for a, b in s.groups), NO_ELEMENTS),
    (lambda: all(of.up(n) for n in N), NO_ELEMENTS),
    (lambda: [of.up(n) for n in s.up], NO_ELEMENTS),
    (lambda: list(s.log), NO_ELEMENTS),
    (lambda: forall(s.f[n] == k for n in N for k in (1, 2)), NO_DOMAIN),
    (lambda: forall(s.f[n] == k for k in (1, 2) for n in N), NO_DOMAIN),
    (lambda: forall(s.b for k in (1,)), NO_DOMAIN),
    (lambda: forall(e > 1 for e in s.log), "goes over a sort or a set, not over a value of Sequence"),
    # What a quantifier makes of its generator.
    (lambda: forall(N, (s.b for n in N)), "a generator names its domains itself"),
    (lambda: forall(_several()), "written in its parentheses"),
    (lambda: forall(N, of.same), "a parameter for each domain, here 1: it has n, m"),
    (lambda: forall(N, functools.partial(of.same, s.b, s.b)), "here 1: it has none"),
    (lambda: count(b for b in Boolean()), "could mean each b or each true one"),
    (lambda: comprehension(s.f[n] for n in N), "comprehension(n for n in … if …), or image(…)"),
    (lambda: choose(of.up(n) for n in N), "choose(n for n in … if …)"),
    (lambda: image(a == b for a in N for b in N), "image(…) has one for"),
    (lambda: function(s.f[n] for n in N if of.up(n)), "a function has a value for each key"),
    (lambda: function(s.f[n] for n in s.up), "all values of a sort as its keys"),
    (lambda: filtered(n for n in s.up if s.b), "filtered(…) goes over a sequence"),
    (lambda: forall((a == b for b in N) for a in N), "a generator is no formula"),
    (lambda: any_of(of.up(n) for n in N), "write exists(… for n in self.nodes)"),
]


def _several() -> Any:
    for n in N:
        yield of.up(n)


@pytest.mark.parametrize(("written", "words"), REFUSED)
def test_what_no_generator_can_mean_is_refused(written: Callable[[], Any], words: str) -> None:
    with pytest.raises(SortError) as refused:
        written()
    assert words in str(refused.value)


def test_a_generator_is_read_once() -> None:
    written = (of.up(n) for n in N)
    assert text(forall(written).term) == "∀ n ∈ node(3): (n ∈ up)"
    with pytest.raises(SortError, match="a generator is read once"):
        forall(written)


def test_an_iterator_is_no_loop_of_two_generators() -> None:
    one = iter(N)
    with pytest.raises(SortError, match="has no elements"):
        forall(a == b for a in one for b in one)
    other = iter(N)
    with pytest.raises(SortError, match="has no elements"):
        forall(a == c for a in other for b, c in zip(other, N, strict=False))


def test_a_generator_of_many_instructions() -> None:
    """Its jumps are too far for one instruction."""
    body, condition = " | ".join(["(n == m)"] * 150), " & ".join(["(n != m)"] * 150)
    one = eval(f"forall(({body}) for n in N for m in N if {condition})")
    other = eval(f"forall(N, N, lambda n, m: ({condition}).implies({body}))")
    assert same_term(one.term, other.term)


def test_the_truth_of_a_formula_is_asked_nowhere_else() -> None:
    with pytest.raises(SortError, match="a formula has no truth value"):
        bool(s.b)


def test_a_record_sort_makes_records() -> None:
    made = MESSAGE(x=1, to="n2")
    assert text(made.term) == "(x 1, to n2)"
    assert text((s.msgs | {MESSAGE(x=1, to="n2")}).term) == "msgs ∪ {(x 1, to n2)}"
    with pytest.raises(SortError, match="the record has no field 'y'"):
        MESSAGE(y=1, to="n2")
    with pytest.raises(SortError, match=r"to of .* missing"):
        MESSAGE(x=1)


class Plain(Protocol):
    """Nodes vote, as it was written before."""

    name = "vote"
    nodes = IndexSetConstant(3)

    def state(self) -> State:
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
    """The same with joined steps, lone formulas and calls."""

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
    assert "test_language_authoring.py, line " in str(refused.value)


def test_a_member_without_its_own_name_is_called() -> None:
    class Two(Plain):
        @invariant(name="Total")
        def total(self, s: Any) -> Any:
            return self.counted(s) & ~self.closed_late(s)

    assert "Total" in [item.name for item in define(Two()).properties]
