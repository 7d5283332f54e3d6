"""Operators on all values of small sorts, against plain Python, and where they have no value.

Each row of ``ROWS`` says how a protocol writes the operator and what Python makes of it. It is asked of every
combination of values at once: the result that the lowering gives, whether ``Definedness`` finds a read of what
has no value, and what the naive reading of terms says.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

import verifier
from tests.naive_terms import Reader, Undefined, plain
from verifier.encodings.bits import FALSE, TRUE
from verifier.encodings.concrete import FrozenMap
from verifier.encodings.definedness import Definedness
from verifier.encodings.evaluator import Evaluator
from verifier.encodings.layout import Layout
from verifier.encodings.lowered import equal, outside
from verifier.encodings.lowering import Lowering
from verifier.encodings.printing import text
from verifier.encodings.quantifiers import (
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
from verifier.encodings.values import literal, record, sort_of, term_of, wrap

SMALL = Range(-2, 3)
BIT = Range(0, 1)
LOG = Sequence(Range(-1, 1), 3)
PAIRS = Sequence(Record(term=BIT, flag=Boolean()), 2)
NAMES = Sequence(Option(Enum("colour", ("red", "green"))), 2)
PLACE = Range(-1, 4)
NODES = IndexSet("node", 3)
ENTRY = Record(term=Range(0, 2), sort=BIT, updated=Boolean())


def read(value: Any) -> Any:
    """Raises LookupError if there is no value."""
    if value is None:
        raise LookupError
    return value


def positive(divisor: int) -> int:
    return divisor if divisor > 0 else int(read(None))


def cut(items: tuple[Any, ...], first: int, end: int) -> tuple[Any, ...]:
    return items[first:end] if 0 <= first <= end <= len(items) else tuple(read(None))


def at(items: tuple[Any, ...], index: int) -> Any:
    return items[index] if 0 <= index < len(items) else read(None)


def put(items: tuple[Any, ...], index: int, item: Any) -> tuple[Any, ...]:
    at(items, index)
    return (*items[:index], item, *items[index + 1 :])


Row = tuple[str, tuple[Sort, ...], Callable[..., Any], Callable[..., Any]]

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
    ("mapped to a field", (PAIRS,), lambda q: mapped(q, lambda p: p.term), lambda q: tuple(p["term"] for p in q)),
    ("mapped to sets", (LOG, Set(BIT)), lambda q, s: mapped(q, lambda x: s), lambda q, s: (s,) * len(q)),
    ("mapped to formulas", (LOG,), lambda q: mapped(q, lambda x: x > 0), lambda q: tuple(x > 0 for x in q)),
    (
        "mapped to sequences",
        (Sequence(BIT, 2), Sequence(BIT, 1)),
        lambda q, r: mapped(q, lambda x: r.append(x)),
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
    ("s > t", (Set(BIT), Set(NODES)), lambda s, t: t > t, lambda s, t: False),
    ("s >= t", (Set(SMALL), Set(BIT)), lambda s, t: s >= t, lambda s, t: s >= t),
    ("sort == s", (Set(NODES),), lambda s: NODES == s, lambda s: len(s) == 3),
    ("s != sort", (Set(NODES),), lambda s: s != NODES, lambda s: len(s) != 3),
    ("sort <= s", (Set(NODES),), lambda s: NODES <= s, lambda s: len(s) == 3),
    ("s < sort", (Set(NODES),), lambda s: s < NODES, lambda s: len(s) < 3),
    ("sort > s", (Set(NODES),), lambda s: NODES > s, lambda s: len(s) < 3),
    ("s >= Python's set", (Set(BIT),), lambda s: s >= {0}, lambda s: 0 in s),
    ("Python's set < s", (Set(BIT),), lambda s: {0} < s, lambda s: len(s) == 2),
    ("s - sort", (Set(SMALL),), lambda s: s - BIT, lambda s: s - {0, 1}),
    ("sort - s", (Set(SMALL),), lambda s: BIT - s, lambda s: frozenset({0, 1}) - s),
    ("Python's set - s", (Set(BIT),), lambda s: {0, 1} - s, lambda s: frozenset({0, 1}) - s),
    ("sort & s", (Set(SMALL),), lambda s: BIT & s, lambda s: s & {0, 1}),
    ("sort | s", (Set(SMALL),), lambda s: BIT | s, lambda s: s | {0, 1}),
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
    _, sorts, build, oracle = row
    symbols = [Symbol(f"x{place}", sort) for place, sort in enumerate(sorts)]
    term = term_of(build(*(wrap(Term(Operator.VARIABLE, s.sort, (), s)) for s in symbols)))
    assert text(term)
    states = list(product(*(list(sort.values()) for sort in sorts)))
    expected = [_value(oracle, state) for state in states]
    layout = Layout({symbol.name: symbol.sort for symbol in symbols} | {"expected": term.sort})
    lowering = Lowering({symbol: layout.lowered[symbol.name] for symbol in symbols})
    lowered = lowering.lower(term, {})
    outputs = [
        Definedness(lowering).of(term),
        outside(term.sort, lowered),
        equal(lowered, layout.lowered["expected"]),
        lowering.formula(term) if isinstance(term.sort, Boolean) else TRUE,
    ]
    evaluate, read_naively = Evaluator(layout.bits, outputs), Reader()(term)
    for state, value in zip(states, expected, strict=True):
        naive = _value(lambda: read_naively(dict(zip(symbols, map(plain, state), strict=True))), ())
        names = {symbol.name: item for symbol, item in zip(symbols, state, strict=True)}
        if value is _NO_VALUE:
            assert naive is _NO_VALUE
            bits = layout.encode_state({**names, "expected": term.sort.default})
            is_defined, is_outside, _, holds = evaluate.single(bits)
            assert not is_defined
            assert is_outside or (isinstance(term.sort, Boolean) and not holds)
            continue
        assert naive == plain(value), state
        if term.sort.size <= 5000:
            assert term.sort.contains(value), (state, value)
        bits = layout.encode_state({**names, "expected": value})
        is_defined, is_outside, is_equal, _ = evaluate.single(bits)
        assert (is_defined, is_outside, is_equal) == (True, False, True), (state, value)


_NO_VALUE = object()


def _value(compute: Callable[..., Any], state: tuple[Any, ...]) -> Any:
    try:
        value = compute(*state)
    except (LookupError, Undefined):
        return _NO_VALUE
    return frozenset(value) if isinstance(value, set) else value
