"""The operators on integers, sequences and sets together with the other sorts and with generators."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.operator_rows import Row, at, check_on_all_values, cut, positive, put, read
from verifier.encodings.compound_values import tuple_of
from verifier.encodings.concrete import FrozenMap, Tagged
from verifier.encodings.expressions import wrap
from verifier.encodings.quantifiers import comprehension, mapped, maximum, sum_of, union_of, updated
from verifier.encodings.sorts import (
    Boolean,
    Function,
    Listed,
    Option,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    SortError,
    Tuple,
    Variant,
)
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.specs.steps import Step

BIT = Range(0, 1)
FEW = Listed(-3, 0, 2, 9)
FAR = Listed(0, 1, 10_000)
PAIR = Tuple(BIT, BIT)
MESSAGE = Variant(term=BIT, sort=None)
LOG = Sequence(MESSAGE, 2)
PLACE = Range(-1, 3)
MAP = PartialFunction(BIT, BIT)
pair, message, bit = PAIR, MESSAGE, BIT  # ruff turns comparisons of constants round

ROWS: list[Row] = [
    ("listed x * y", (FEW, FEW), lambda x, y: x * y, lambda x, y: x * y),
    ("listed x // y", (FEW, FEW), lambda x, y: x // y, lambda x, y: x // positive(y)),
    ("listed x % y", (FEW, FEW), lambda x, y: x % y, lambda x, y: x % positive(y)),
    ("x // listed", (PLACE, Listed(2, 50)), lambda x, y: x // y, lambda x, y: x // y),
    ("listed values far apart", (FAR, FAR), lambda x, y: x * y == 10_000, lambda x, y: x * y == 10_000),
    ("-listed", (FEW,), lambda x: -x, lambda x: -x),
    ("maximum of listed", (FEW, PLACE, FEW), maximum, max),
    ("sum of listed", (Sequence(FEW, 3),), lambda q: q.sum, sum),
    ("sum over listed", (Set(FEW),), lambda s: sum_of(s, lambda x: x), sum),
    ("listed index", (Sequence(BIT, 3), FEW), lambda q, i: q.updated(i, 1), lambda q, i: put(q, i, 1)),
    ("between listed", (LOG, Listed(0, 2), FEW), lambda q, a, b: q.between(a, b), cut),
    ("listed elements", (Sequence(FEW, 2),), lambda q: q.prepend(7).elements, lambda q: frozenset({7, *q})),
    ("listed tuples", (Sequence(Listed((0, 1), (1, 0)), 2),), lambda q: q.reversed, lambda q: q[::-1]),
    ("between of variants", (LOG, PLACE, PLACE), lambda q, a, b: q.between(a, b), cut),
    ("updated of variants", (LOG, PLACE, MESSAGE), lambda q, i, m: q.updated(i, m), put),
    ("updated", (LOG,), lambda q: q.updated(0, MESSAGE.term(1)), lambda q: put(q, 0, Tagged("term", 1))),
    ("reversed variants", (LOG,), lambda q: q.reversed, lambda q: q[::-1]),
    ("tail of variants", (LOG,), lambda q: q.tail, lambda q: cut(q, 1, len(q))),
    ("elements of variants", (LOG,), lambda q: q.elements, frozenset),
    ("contains a variant", (LOG, MESSAGE), lambda q, m: q.contains(m), lambda q, m: m in q),
    (
        "payloads of variants",
        (LOG,),
        lambda q: mapped(q, lambda m: m.term),
        lambda q: tuple(read(m.payload if m.tag == "term" else None) for m in q),
    ),
    (
        "payloads where there are some",
        (LOG,),
        lambda q: mapped(m.term for m in q if m.is_term),
        lambda q: tuple(m.payload for m in q if m.tag == "term"),
    ),
    (
        "mapped to tuples",
        (LOG,),
        lambda q: mapped(tuple_of(m, 1) for m in q),
        lambda q: tuple((m, 1) for m in q),
    ),
    (
        "tags named like attributes",
        (MESSAGE,),
        lambda m: m.is_sort | (m.is_term & (m.term == 1)),
        lambda m: m.tag == "sort" or m.payload == 1,
    ),
    ("its payload", (MESSAGE,), lambda m: m.term, lambda m: read(m.payload if m.tag == "term" else None)),
    ("such variants compared", (MESSAGE, MESSAGE), lambda m, n: m == n, lambda m, n: m == n),
    (
        "such fields in a generator",
        (Set(Record(term=BIT, sort=BIT)),),
        lambda s: comprehension(r for r in s if r.term == r.sort),
        lambda s: frozenset(r for r in s if r["term"] == r["sort"]),
    ),
    ("all tuples", (Set(PAIR),), lambda s: s == pair, lambda s: len(s) == 4),
    ("no more than all variants", (Set(MESSAGE),), lambda s: message > s, lambda s: len(s) < 3),
    ("variants left", (Set(MESSAGE),), lambda s: message - s, lambda s: frozenset(message.values()) - s),
    ("all keys", (MAP,), lambda f: f.domain == bit, lambda f: len(f) == 2),
    ("keys left", (MAP,), lambda f: bit - f.domain, lambda f: frozenset({0, 1} - set(f))),
    ("sum over keys", (MAP,), lambda f: sum_of(f[k] for k in f.domain), lambda f: sum(f.values())),
    (
        "sum over keys that may be missing",
        (MAP,),
        lambda f: sum_of(BIT, lambda k: f[k]),
        lambda f: sum(read(f.get(k)) for k in (0, 1)),
    ),
    (
        "union over keys",
        (PartialFunction(BIT, Set(BIT)),),
        lambda f: union_of(f[k] for k in f.domain),
        lambda f: frozenset().union(*f.values()),
    ),
    ("partial functions", (Sequence(MAP, 2), PLACE, MAP), updated, put),
    ("the first one's keys", (Sequence(MAP, 2),), lambda q: q.head.domain, lambda q: frozenset(at(q, 0))),
    ("a key more", (MAP, BIT, BIT), updated, lambda f, k, v: FrozenMap({**f, k: v}.items())),
    ("an item of a tuple", (PAIR, BIT), lambda t, x: updated(t, 1, x), lambda t, x: (t[0], x)),
    (
        "mapped with an if",
        (Sequence(PLACE, 2),),
        lambda q: mapped(2 // x for x in q if x > 0),
        lambda q: tuple(2 // x for x in q if x > 0),
    ),
    (
        "sum with an if",
        (Set(PLACE), Option(BIT)),
        lambda s, y: sum_of(6 // x + y.value for x in s if x > 0),
        lambda s, y: sum(6 // x + read(y) for x in s if x > 0),
    ),
    (
        "sum over a sort with an if",
        (Function(BIT, Boolean()),),
        lambda f: sum_of(k + 2 for k in bit if f[k]),
        lambda f: sum(k + 2 for k in f if f[k]),
    ),
    ("sum", (Function(BIT, FEW),), lambda f: sum_of(f[k] for k in bit), lambda f: sum(f.values())),
    (
        "union with an if",
        (Function(BIT, Option(Set(BIT))),),
        lambda f: union_of(f[k].value for k in bit if f[k].is_some),
        lambda f: frozenset().union(*(s for s in f.values() if s is not None)),
    ),
    ("union", (Set(Set(BIT)),), lambda s: union_of(t for t in s), lambda s: frozenset().union(*s)),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_on_all_values(row: Row) -> None:
    check_on_all_values(row)


def variable(name: str, sort: Any) -> Any:
    return wrap(Term(Operator.VARIABLE, sort, (), Symbol(name, sort)))


def test_the_cost_counts_the_values_that_are_listed() -> None:
    assert (variable("x", FAR) * variable("y", FAR)).sort == Range(0, 100_000_000)
    with pytest.raises(SortError, match=r"\* of these integers has about 100,020,001 cases"):
        variable("x", Range(0, 10_000)) * variable("y", Range(0, 10_000))


def test_steps_with_fields_named_like_attributes_join() -> None:
    entry = variable("entry", Record(term=BIT, sort=BIT))
    other = variable("other", BIT)
    assert len((Step(then={entry: entry}) & Step(then={other: 0})).then) == 2
    with pytest.raises(SortError, match=r"assign the same: one entry.term to be"):
        Step(then={entry.term: 0}) & Step(then={entry: entry})


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (lambda s, q: mapped(x for x in s), "mapped(…) goes over a sequence, not over a value of Set(0..1)"),
        (lambda s, q: sum_of(x for x in q), "a quantifier goes over a sort or a set, not over a value"),
        (lambda s, q: sum_of(x + y for x in s for y in s), "the generator of sum_of(…) has one for"),
        (lambda s, q: union_of(x for x in s), "the function of union_of gives sets, not a value of 0..1"),
        (lambda s, q: union_of(q), "a quantifier goes over a sort or a set, not over a value of Sequence"),
    ],
)
def test_what_cannot_be_meant_is_refused(write: Any, words: str) -> None:
    with pytest.raises(SortError) as error:
        write(variable("s", Set(BIT)), variable("q", Sequence(BIT, 2)))
    assert words in str(error.value)
