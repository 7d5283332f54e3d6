"""Operators on all values of small sorts, against plain Python, and where they have no value.

Each row of ``ROWS`` says how a protocol writes the operator and what Python makes of it. For every
combination of values, three answers are compared with that: the result of the lowering, whether
``Definedness`` finds a read of what has no value, and what the naive reading of terms says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.operator_rows import Row, at, check_on_all_values, cut, positive, put, read
from verifier.api.specification import load
from verifier.encodings.concrete import FrozenMap
from verifier.encodings.expressions import record, sort_of, term_of, wrap
from verifier.encodings.printing import LONGEST, text
from verifier.encodings.quantifiers import (
    filtered,
    if_,
    image,
    mapped,
    maximum,
    minimum,
    sum_of,
    union_of,
    updated,
)
from verifier.encodings.sorts import (
    Boolean,
    Enum,
    Function,
    IndexSet,
    Option,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    SortError,
)
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.specs.constants import IndexSetConstant
from verifier.specs.members import action, invariant, reachable
from verifier.specs.protocol import Protocol, define
from verifier.specs.state import State
from verifier.specs.steps import Step
from verifier.system.declared_symmetry import check_symmetry

SMALL = Range(-2, 3)
BIT = Range(0, 1)
LOG = Sequence(Range(-1, 1), 3)
PAIRS = Sequence(Record(term=BIT, flag=Boolean()), 2)
NAMES = Sequence(Option(Enum("colour", ("red", "green"))), 2)
PLACE = Range(-1, 4)
NODES = IndexSet("node", 3)
nodes, bit = NODES, BIT  # ruff turns comparisons of constants round
ENTRY = Record(term=Range(0, 2), sort=BIT, updated=Boolean())


ROWS: list[Row] = [
    ("x * y", (SMALL, SMALL), lambda x, y: x * y, lambda x, y: x * y),
    ("3 * x", (SMALL,), lambda x: 3 * x, lambda x: 3 * x),
    ("x // y", (SMALL, SMALL), lambda x, y: x // y, lambda x, y: x // positive(y)),
    ("x % y", (SMALL, SMALL), lambda x, y: x % y, lambda x, y: x % positive(y)),
    ("x // 2", (SMALL,), lambda x: x // 2, lambda x: x // 2),
    ("x % 3", (SMALL,), lambda x: x % 3, lambda x: x % 3),
    ("5 // x", (SMALL,), lambda x: 5 // x, lambda x: 5 // positive(x)),
    ("5 % x", (SMALL,), lambda x: 5 % x, lambda x: 5 % positive(x)),
    ("x // y never", (SMALL, Range(-2, 0)), lambda x, y: x // y, lambda x, y: read(None)),
    ("x % y never", (SMALL, Range(-2, 0)), lambda x, y: x % y, lambda x, y: read(None)),
    ("-x", (SMALL,), lambda x: -x, lambda x: -x),
    ("minimum", (SMALL, SMALL, SMALL), minimum, min),
    ("maximum", (SMALL, SMALL, SMALL), maximum, max),
    ("value // 2", (Option(SMALL),), lambda o: o.value // 2, lambda o: read(o) // 2),
    ("value * 2", (Option(SMALL), SMALL), lambda o, x: o.value * x, lambda o, x: read(o) * x),
    ("if // else", (SMALL,), lambda x: if_(x > 0, 6 // x, -1), lambda x: 6 // x if x > 0 else -1),
    ("head", (LOG,), lambda q: q.head, lambda q: at(q, 0)),
    ("tail", (LOG,), lambda q: q.tail, lambda q: cut(q, 1, len(q))),
    ("tail of pairs", (PAIRS,), lambda q: q.tail, lambda q: cut(q, 1, len(q))),
    ("tail of no capacity", (Sequence(BIT, 0),), lambda q: q.tail, lambda q: read(None)),
    ("between", (LOG, PLACE, PLACE), lambda q, a, b: q.between(a, b), cut),
    ("between 1 and 2", (NAMES,), lambda q: q.between(1, 2), lambda q: cut(q, 1, 2)),
    (
        "between 0 and the length",
        (LOG,),
        lambda q: q.between(0, q.length) == q,
        lambda q: True,
    ),
    ("length of a tail", (LOG,), lambda q: q.tail.length, lambda q: len(cut(q, 1, len(q)))),
    ("reversed", (LOG,), lambda q: q.reversed, lambda q: q[::-1]),
    ("reversed names", (NAMES,), lambda q: q.reversed, lambda q: q[::-1]),
    ("sum", (LOG,), lambda q: q.sum, sum),
    ("elements", (LOG,), lambda q: q.elements, frozenset),
    ("elements of names", (NAMES,), lambda q: q.elements, frozenset),
    ("contains", (LOG, SMALL), lambda q, x: q.contains(x), lambda q, x: x in q),
    ("does not contain", (NAMES,), lambda q: ~q.contains(None), lambda q: None not in q),
    ("prepend", (LOG, SMALL), lambda q, x: q.prepend(x), lambda q, x: (x, *q)),
    ("prepend a name", (NAMES,), lambda q: q.prepend("red"), lambda q: ("red", *q)),
    ("updated sequence", (LOG, PLACE, SMALL), lambda q, i, x: q.updated(i, x), put),
    ("updated by the function", (LOG, PLACE, BIT), updated, put),
    ("updated of pairs", (PAIRS,), lambda q: q.updated(1, q[0]), lambda q: put(q, 1, at(q, 0))),
    ("mapped", (LOG, BIT), lambda q, y: mapped(q, lambda x: x + y), lambda q, y: tuple(x + y for x in q)),
    (
        "mapped to what may be missing",
        (Sequence(BIT, 2), BIT),
        lambda q, y: mapped(q, lambda x: 1 // (x + y)),
        lambda q, y: tuple(1 // positive(x + y) for x in q),
    ),
    (
        "mapped pairs",
        (PAIRS,),
        lambda q: mapped(q, lambda p: p.updated(term=1)),
        lambda q: tuple(p.updated("term", 1) for p in q),
    ),
    (
        "mapped to a field",
        (PAIRS,),
        lambda q: mapped(q, lambda p: p.term),
        lambda q: tuple(p["term"] for p in q),
    ),
    ("mapped to sets", (LOG, Set(BIT)), lambda q, s: mapped(q, lambda x: s), lambda q, s: (s,) * len(q)),
    ("mapped to formulas", (LOG,), lambda q: mapped(q, lambda x: x > 0), lambda q: tuple(x > 0 for x in q)),
    (
        "mapped to sequences",
        (Sequence(BIT, 2), Sequence(BIT, 1)),
        lambda q, r: mapped(q, r.append),
        lambda q, r: tuple((*r, x) for x in q),
    ),
    (
        "sum over a sort",
        (Function(NODES, Range(-1, 1)),),
        lambda f: sum_of(NODES, lambda n: f[n]),
        lambda f: sum(f.values()),
    ),
    (
        "sum over a set",
        (Set(SMALL),),
        lambda s: sum_of(s, lambda x: x * x),
        lambda s: sum(x * x for x in s),
    ),
    (
        "sum over a set of what may be missing",
        (Set(BIT), BIT),
        lambda s, y: sum_of(s, lambda x: 2 // (x + y)),
        lambda s, y: sum(2 // positive(x + y) for x in s),
    ),
    ("sum over nothing", (BIT,), lambda y: sum_of(Range(1, 0), lambda x: x + y), lambda y: 0),
    ("union of sets", (Set(Set(BIT)),), union_of, lambda s: frozenset().union(*s)),
    (
        "union over a sort",
        (Function(BIT, Set(BIT)),),
        lambda f: union_of(BIT, lambda x: f[x]),
        lambda f: frozenset().union(*f.values()),
    ),
    (
        "union over a set of what may be missing",
        (Set(BIT), Function(BIT, Option(Set(BIT)))),
        lambda s, f: union_of(s, lambda x: f[x].value),
        lambda s, f: frozenset().union(*[read(f[x]) for x in s]),
    ),
    ("s < t", (Set(SMALL), Set(BIT)), lambda s, t: s < t, lambda s, t: s < t),
    ("s > t", (Set(SMALL), Set(BIT)), lambda s, t: s > t, lambda s, t: s > t),
    ("s >= t", (Set(SMALL), Set(BIT)), lambda s, t: s >= t, lambda s, t: s >= t),
    ("sort == s", (Set(NODES),), lambda s: nodes == s, lambda s: len(s) == 3),
    ("s != sort", (Set(NODES),), lambda s: s != nodes, lambda s: len(s) != 3),
    ("sort <= s", (Set(NODES),), lambda s: nodes <= s, lambda s: len(s) == 3),
    ("sort < s", (Set(NODES),), lambda s: nodes < s, lambda s: False),
    ("s < sort", (Set(NODES),), lambda s: s < nodes, lambda s: len(s) < 3),
    ("s <= sort", (Set(NODES),), lambda s: s <= nodes, lambda s: True),
    ("sort > s", (Set(NODES),), lambda s: nodes > s, lambda s: len(s) < 3),
    ("s >= Python's set", (Set(BIT),), lambda s: s >= {0}, lambda s: 0 in s),
    ("Python's set < s", (Set(BIT),), lambda s: {0} < s, lambda s: len(s) == 2),
    ("s - sort", (Set(SMALL),), lambda s: s - bit, lambda s: s - {0, 1}),
    ("sort - s", (Set(SMALL),), lambda s: bit - s, lambda s: frozenset({0, 1}) - s),
    ("Python's set - s", (Set(BIT),), lambda s: {0, 1} - s, lambda s: frozenset({0, 1}) - s),
    ("sort & s", (Set(SMALL),), lambda s: bit & s, lambda s: s & {0, 1}),
    ("sort | s", (Set(SMALL),), lambda s: bit | s, lambda s: s | {0, 1}),
    ("if sort", (Set(BIT), Boolean()), lambda s, b: if_(b, s, BIT), lambda s, b: s if b else {0, 1}),
    (
        "fields named like attributes",
        (ENTRY,),
        lambda r: (r.term == 2) & (r.sort == 1) & r.updated,
        lambda r: r["term"] == 2 and r["sort"] == 1 and r["updated"],
    ),
    (
        "such a record updated",
        (ENTRY, BIT),
        lambda r, y: updated(r, term=y, updated=True),
        lambda r, y: r.updated("term", y).updated("updated", True),
    ),
    (
        "such a record made",
        (BIT,),
        lambda y: record(ENTRY, term=y, sort=y, updated=False),
        lambda y: FrozenMap([("term", y), ("sort", y), ("updated", False)]),
    ),
    ("such records compared", (ENTRY, ENTRY), lambda r, t: r == t, lambda r, t: r == t),
    ("such a record in a set", (Set(Record(term=BIT)),), lambda s: s.contains({"term": 1}), lambda s: any(
        r["term"] for r in s
    )),
    ("such a record or none", (ENTRY,), lambda r: if_(r.updated, r, r).term, lambda r: r["term"]),
    (
        "image of such records",
        (Set(Record(term=BIT)),),
        lambda s: image(s, lambda r: r),
        lambda s: s,
    ),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_on_all_values(row: Row) -> None:
    check_on_all_values(row)


# What cannot be meant


def variable(name: str, sort: Sort) -> Any:
    return wrap(Term(Operator.VARIABLE, sort, (), Symbol(name, sort)))


x, q, s, r = variable("x", SMALL), variable("q", LOG), variable("s", Set(NODES)), variable("r", ENTRY)
node, names = variable("node", NODES), variable("names", NAMES)


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (lambda: x * "a", "an integer is needed here, not 'a'"),
        (lambda: "a" * x, "an integer is needed here, not 'a'"),
        (lambda: x // 0, "// and % need a positive divisor, and 0 is not positive"),
        (lambda: x % -2, "// and % need a positive divisor, and -2 is not positive"),
        (lambda: x * node, "an integer is needed here, not a value of node(3)"),
        (lambda: q[0:1], "[ ] of a sequence takes one index: write .between(first, end) for a part of it"),
        (lambda: q.between(0, node), "an integer is needed here, not a value of node(3)"),
        (lambda: q.updated(0, "a"), "'a' is not a value of -1..1"),
        (lambda: q.prepend(node), "values of node(3) and of -1..1 do not go together"),
        (lambda: names.sum, "sum is for sequences of integers, not of Option(colour)"),
        (lambda: mapped(s, lambda e: e), "mapped(…) goes over a sequence, not over a value of Set("),
        (lambda: filtered(s, lambda e: True), "filtered(…) goes over a sequence, not over a value"),
        (lambda: mapped([1], lambda e: e), "mapped(…) goes over a sequence, not over [1]"),  # type: ignore[call-overload]
        (lambda: sum_of(NODES, lambda n: n), "an integer is needed here, not a value of node(3)"),  # type: ignore[arg-type,return-value]
        (lambda: union_of(s), "union_of needs a set of sets, or a function that gives sets"),
        (lambda: union_of(NODES, lambda n: n), "the function of union_of gives sets, not a value"),  # type: ignore[arg-type,return-value]
        (lambda: minimum(x), "minimum(…) takes two or more integers; of a set s.x there is s.x.minimum"),
        (maximum, "maximum(…) takes two or more integers"),
        (lambda: s == BIT, "values of 0..1 and of node(3) do not go together"),
        (lambda: s - 3, "3 is not a value of Set(node(3))"),
        (lambda: s <= node, "a value of node(3) is an element, not several: write .contains(…)"),
        (lambda: updated(r, trem=1), "the record has no field 'trem'"),
        (lambda: updated(s, 1, 2), "updated takes a record and its new fields"),
        (lambda: updated(q, 1), "updated takes a record and its new fields"),  # type: ignore[call-overload]
        (
            lambda: variable("big", Range(0, 2000)) * variable("big", Range(0, 2000)),
            "* of these integers has about 4,004,001 cases, and more than 1,000,000 are taken for a mistake",
        ),
        (
            lambda: variable("long", Sequence(Range(0, 500), 20)).sum,
            "a sum of these integers has about 100,210,020 cases",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused_in_a_line(write: Callable[[], Any], words: str) -> None:
    with pytest.raises(SortError) as error:
        write()
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_field_is_named_with_those_there_are() -> None:
    with pytest.raises(AttributeError, match=r"no field 'trem' .*did you mean 'term'"):
        _ = r.trem


def test_an_attribute_hidden_by_a_field_has_a_function() -> None:
    assert sort_of(r) == ENTRY
    assert term_of(r).operator is Operator.VARIABLE
    assert sort_of(r.term) == Range(0, 2)
    assert sort_of(updated(r, term=3).term) == Range(0, 3)
    plain_record = variable("p", Record(a=BIT))
    assert plain_record.sort == Record(a=BIT)
    assert text(term_of(plain_record.updated(a=1))) == text(term_of(updated(plain_record, a=1)))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (x * 2, "x * 2"),
        ((x // 2) % 3 == 1, "((x // 2) % 3) = 1"),
        (-x, "0 - x"),
        (minimum(x, 1, 2), "min(x, 1, 2)"),
        (q.tail, "between(q, 1, length(q))"),
        (q.reversed.head, "reversed(q)[0]"),
        (q.prepend(0), "⟨0⟩ ∘ q"),
        (q.updated(0, 1), "[q except 0 ↦ 1]"),
        (q.contains(1), "1 ∈ q"),
        (~q.contains(1), "(1 ∉ q)"),
        (q.elements.cardinality, "cardinality(elements(q))"),
        (q.sum, "sum(q)"),
        (mapped(q, lambda e: e + 1), "map(q, e: (e + 1))"),
        (
            sum_of(NODES, lambda n: if_(s.contains(n), 1, 0)),
            "sum {(if (n ∈ s) then 1 else 0) : n ∈ node(3)}",
        ),
        (sum_of(s, lambda n: 2), "sum {2 : n ∈ node(3), (n ∈ s)}"),
        (nodes <= s, "node(3) ⊆ s"),
        (s < NODES, "(s ⊆ node(3)) ∧ (s ≠ node(3))"),
        (s == NODES, "s = node(3)"),
        (union_of(NODES, lambda n: s), "⋃ {s : n ∈ node(3)}"),
    ],
)
def test_a_person_can_read_it(value: Any, shown: str) -> None:
    assert text(term_of(value)) == shown


def test_shared_parts_are_printed_once_and_long_texts_are_cut() -> None:
    shared = term_of(x == 0)
    for _ in range(60):
        shared = Term(Operator.EQUAL, shared.sort, (shared, shared))
    shown = text(shared)
    assert shown.startswith("(" * 60 + "x = 0) = (x = 0)) = ((x = 0)")
    assert shown.endswith(" …")
    assert LONGEST < len(shown) < LONGEST + 10


class _Votes(Protocol, camel_case=True):
    """Nodes vote once; everyone's votes are compared with the set of all nodes."""

    name = "votes"
    nodes = IndexSetConstant(3)

    def state(self) -> State:
        return State(voted=Set(self.nodes), log=Sequence(self.nodes, 3), left=Range(0, 3))

    def init(self, s: Any) -> Any:
        return s.voted.is_empty & s.log.is_empty & (s.left == 3)

    @action(n="nodes")
    def vote(self, s: Any, n: Any) -> Step:
        return Step(
            [~s.voted.contains(n)],
            {
                s.voted: s.voted.add(n),
                s.log: s.log.prepend(n),
                s.left: (self.nodes - s.voted).cardinality - 1,
            },
        )

    @invariant()
    def consistent(self, s: Any) -> Any:
        return (
            (s.log.elements == s.voted)
            & (s.log.reversed.elements == s.voted)
            & (s.left == sum_of(self.nodes, lambda n: if_(s.log.contains(n), 0, 1)))
            & (s.voted <= self.nodes)
        )

    @reachable()
    def all_voted(self, s: Any) -> Any:
        return self.nodes == s.voted


def test_a_sort_as_a_set_keeps_the_symmetry() -> None:
    (symmetry,) = check_symmetry(define(_Votes()))
    assert not symmetry.pinned
    for reduced in (True, False):
        found = load(_Votes).explore("Consistent", "AllVoted", symmetry=reduced)
        assert found["Consistent"].ok
        execution = found["AllVoted"].trace
        assert execution is not None
        assert execution.steps == 3
