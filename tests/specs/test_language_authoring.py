"""Quantifiers take generators, bound methods and partial functions; record sorts make records."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from verifier import (
    Boolean,
    Function,
    IndexSet,
    Range,
    Record,
    Sequence,
    Set,
    SortError,
    State,
    any_of,
    choose,
    comprehension,
    count,
    exists,
    filtered,
    forall,
    function,
    image,
)
from verifier.encodings.printing import text
from verifier.specs.targets import same_term

N: Any = IndexSet("node", 3)
MESSAGE = Record(x=Range(0, 3), to=N)
s: Any = State(
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
    (lambda: forall(N, (s.b for n in N)), "a generator names its domains itself"),  # type: ignore[call-overload]
    (lambda: forall(_several()), "written in its parentheses"),
    (lambda: forall(N, of.same), "a parameter for each domain, here 1: it has n, m"),  # type: ignore[arg-type]
    (lambda: forall(N, functools.partial(of.same, s.b, s.b)), "here 1: it has none"),
    (lambda: count(b for b in Boolean()), "could mean each b or each true one"),
    (lambda: comprehension(s.f[n] for n in N), "comprehension(n for n in … if …), or image(…)"),
    (lambda: choose(of.up(n) for n in N), "choose(n for n in … if …)"),
    (lambda: image(a == b for a in N for b in N), "image(…) has one for"),
    (lambda: function(s.f[n] for n in N if of.up(n)), "a function has a value for each key"),
    (lambda: function(s.f[n] for n in s.up), "all values of a sort as its keys"),
    (lambda: filtered(n for n in s.up if s.b), "filtered(…) goes over a sequence"),
    (lambda: forall((a == b for b in N) for a in N), "a generator is not a formula"),  # type: ignore[misc]
    (lambda: any_of(of.up(n) for n in N), "write exists(… for n in self.nodes)"),  # type: ignore[arg-type]
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
