"""The sharing and the omissions of a lowering change no formula."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest

from tests.support import paxos
from verifier.encodings.alike_terms import Shapes
from verifier.encodings.bits import TRUE
from verifier.encodings.definedness import Definedness
from verifier.encodings.expressions import literal, wrap
from verifier.encodings.layout import Layout
from verifier.encodings.lowering import Lowering
from verifier.encodings.quantifiers import comprehension, count, exists, forall
from verifier.encodings.sorts import Boolean, Enum, Function, IndexSet, Option, Range, Record, Set, Sort
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.errors import UsageError
from verifier.specs.protocol import Protocol, define
from verifier.specs.registry import load
from verifier.system.model import build

NODES = IndexSet("node", 2)
MESSAGE = Record(kind=Enum("kind", ("ask", "tell")), node=NODES, number=Range(0, 2))


def variable(sort: Sort, name: str = "x") -> Any:
    return wrap(Term(Operator.VARIABLE, sort, (), Symbol(name, sort)))


SENT = variable(Set(MESSAGE), "sent")
TABLE = variable(Function(Range(0, 1), Option(NODES)), "table")


def test_terms_that_differ_in_names_are_alike() -> None:
    shapes = Shapes()
    one, other = (comprehension(SENT, lambda m: m.kind == "ask").term for _ in range(2))
    assert one is not other
    assert shapes.of(one).number == shapes.of(other).number
    assert shapes.of(one).reads == ((SENT.term.data, ()),)


def test_a_part_of_a_record_is_alike_to_a_variable_of_its_sort() -> None:
    shapes, message, number = Shapes(), variable(MESSAGE, "m"), variable(Range(0, 2), "n")
    part, whole = shapes.of((message.number < 2).term), shapes.of((number < 2).term)
    assert part.number == whole.number
    assert part.reads == ((message.term.data, ("number",)),)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda x, y: x < y, lambda x, y: x < x),
        (lambda x, y: x < 1, lambda x, y: x < 2),
        (lambda x, y: x + y < 2, lambda x, y: (x < 2) & (y < 2)),
        (
            lambda x, y: forall(Range(0, 1), lambda a: exists(Range(0, 1), lambda b: a < b)),
            lambda x, y: forall(Range(0, 1), lambda a: exists(Range(0, 1), lambda b: b < a)),
        ),
        (
            lambda x, y: forall(Range(0, 1), lambda a: a < x),
            lambda x, y: forall(Range(0, 2), lambda a: a < x),
        ),
        (
            lambda x, y: forall(MESSAGE, lambda m: m.number < x),
            lambda x, y: forall(Range(0, 2), lambda n: n < x),
        ),
    ],
)
def test_terms_of_another_meaning_are_not_alike(one: Any, other: Any) -> None:
    shapes, x, y = Shapes(), variable(Range(0, 2), "x"), variable(Range(0, 2), "y")
    first, second = shapes.of(one(x, y).term), shapes.of(other(x, y).term)
    assert (first.number, first.reads) != (second.number, second.reads)


def test_literals_that_python_takes_for_equal_are_not_alike() -> None:
    shapes = Shapes()
    numbers = {
        shapes.of(literal(sort, 1).term).number for sort in (Range(0, 1), Range(0, 2), Enum("e", (1, 2)))
    }
    assert len(numbers | {shapes.of(literal(Boolean(), True).term).number}) == 4


def lowering() -> Lowering:
    layout = Layout({"sent": SENT.sort, "table": TABLE.sort})
    return Lowering({value.term.data: layout.lowered[value.term.data.name] for value in (SENT, TABLE)})


GUARDED = [
    (
        forall(SENT, lambda m: m.number < 2),
        forall(MESSAGE, lambda m: ~SENT.contains(m) | (m.number < 2)),
    ),
    (
        exists(comprehension(SENT, lambda m: m.kind == "ask"), lambda m: m.number == 1),
        exists(MESSAGE, lambda m: (m.number == 1) & (m.kind == "ask") & SENT.contains(m)),
    ),
    (
        count(comprehension(SENT, lambda m: m.kind == "ask"), lambda m: m.number < 2) >= 2,
        count(MESSAGE, lambda m: (m.number < 2) & SENT.contains(m) & (m.kind == "ask")) >= 2,
    ),
]
"""Formulas over a set, and the same without a set that is asked for first."""


@pytest.mark.parametrize(("guarded", "plain"), GUARDED)
def test_members_alone_give_the_formula_of_all_values(guarded: Any, plain: Any) -> None:
    assert lowering().formula(guarded.term) is lowering().formula(plain.term)


def test_a_set_that_may_have_no_value_is_read_although_it_has_no_members() -> None:
    """The value of an option that is none is read before its membership is asked."""
    owners = variable(Option(Set(NODES)), "owners")
    layout = Layout({"owners": owners.sort})
    lowered = Lowering({owners.term.data: layout.lowered["owners"]})
    formula = forall(owners.value, lambda n: n == n)
    assert Definedness(lowered).of(formula.term) is lowered.formula(owners.is_some.term)


def test_what_constants_decide_is_decided_for_reads_too() -> None:
    """For a key outside the domain, a constant says so before it is read."""
    inside = forall(Range(0, 3), lambda n: (n < 2).implies(TABLE[n].is_none))
    outside = forall(Range(0, 3), lambda n: (n < 3).implies(TABLE[n].is_none))
    read = Definedness(lowering())
    assert read.of(inside.term) is TRUE
    assert read.of(outside.term) is not TRUE


SMALL_PAXOS = {"acceptors": 2, "ballots": 2, "values": 2}
PROTOCOLS: Mapping[str, Callable[[], Protocol]] = {
    **{name: load(name) for name in ("kip320", "bookkeeper", "rabbit-sac-restart")},
    "Paxos": partial(paxos.Paxos, SMALL_PAXOS),
    "PaxosUnion": partial(paxos.PaxosUnion, SMALL_PAXOS),
}


@pytest.mark.parametrize("name", PROTOCOLS)
def test_sharing_changes_no_formula(name: str) -> None:
    """One lowering for all formulas makes of each what a lowering of its own makes."""
    definition = define(PROTOCOLS[name]())
    symbols = (*definition.variables, *definition.successor)
    layout = Layout({symbol.name: symbol.sort for symbol in symbols})
    variables = {symbol: layout.lowered[symbol.name] for symbol in symbols}
    shared = Lowering(variables)
    formulas = [prop.formula for prop in definition.properties] + [x.formula for x in definition.lemmas]
    assert formulas
    for formula in formulas:
        alone = Lowering(variables)
        assert shared.formula(formula) is alone.formula(formula)
        assert Definedness(shared).of(formula) is Definedness(alone).of(formula)


def test_what_reads_no_further_variable_is_lowered_once() -> None:
    further = variable(Range(0, 2), "n")
    layout = Layout({"n": further.sort})
    outer = lowering()
    inner = outer.extend({further.term.data: layout.lowered["n"]})
    alone, both = GUARDED[0][0], forall(SENT, lambda m: m.number < further)
    assert inner.reading(alone.term) is outer.reading(alone.term)
    assert inner.lower(alone.term, {}) is outer.lower(alone.term, {})
    assert inner.reading(both.term).results is not outer.reading(alone.term).results


def test_values_of_a_sort_are_the_same_objects() -> None:
    assert all(one is other for one, other in zip(MESSAGE.each(), MESSAGE.each(), strict=True))
    assert list(MESSAGE.each()) == list(MESSAGE.values())
    many = Set(Range(1, 400))
    assert many.default == frozenset()  # and none of the others is made
    with pytest.raises(UsageError, match=r"all values of Set\(1..400\)"):
        many.each()


@pytest.mark.parametrize("style", [paxos.Paxos, paxos.PaxosVariant, paxos.PaxosUnion])
def test_paxos_is_built_in_few_steps(style: type[paxos.Paxos]) -> None:
    """Each tick is a term lowered or a value of a bound variable, so no machine changes their number."""
    ticks = 0

    def tick() -> None:
        nonlocal ticks
        ticks += 1

    model = build(define(style({"acceptors": 3, "ballots": 2, "values": 2})), tick)
    assert len(model.system.instances) == 24
    assert ticks < 20_000
