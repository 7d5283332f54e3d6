"""A sort with very many values is refused by their number, before they are listed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify, wrong
from verifier.encodings.compound_values import tuple_of
from verifier.encodings.concrete import FrozenMap
from verifier.encodings.counting import MANY, MOST_LISTED
from verifier.encodings.expressions import all_values, literal, set_of, wrap
from verifier.encodings.layout import Layout
from verifier.encodings.lowering import Lowering
from verifier.encodings.quantifiers import count, exists, forall, function, image
from verifier.encodings.sorts import (
    Bag,
    Enum,
    Function,
    IndexSet,
    Option,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
    Variant,
)
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.errors import UsageError

BITS = Function(Range(0, 39), Range(0, 1))
"""Its variables take 80 bits."""
HUGE = (
    Range(0, MANY),
    IndexSet("node", MANY),
    BITS,
    Set(BITS),
    Set(Set(BITS)),
    Bag(BITS, 2),
    Sequence(Range(0, 9), 10**9),
    Option(BITS),
    Record(a=BITS, b=Range(0, 1)),
    Tuple(BITS, Range(0, 1)),
    Variant(a=BITS, b=None),
    Function(BITS, Range(0, 1)),
    PartialFunction(BITS, Range(0, 1)),
)


def variable(sort: Sort) -> Any:
    return wrap(Term(Operator.VARIABLE, sort, (), Symbol("x", sort)))


@pytest.mark.parametrize("sort", HUGE, ids=str)
def test_a_huge_sort_is_counted_and_not_listed(sort: Sort) -> None:
    assert sort.size == MANY
    with pytest.raises(UsageError, match=r"goes through all values of .*more than 1,000,000,000,000"):
        sort.each()


@pytest.mark.parametrize("sort", [sort for sort in HUGE if not isinstance(sort, Function)], ids=str)
def test_its_default_is_there_all_the_same(sort: Sort) -> None:
    assert sort.contains(sort.default)


def test_what_is_refused_is_more_than_the_limit() -> None:
    assert sum(1 for _ in Range(1, MOST_LISTED).each()) == MOST_LISTED
    with pytest.raises(UsageError, match=r"0\.\.1000000, which has about 1,000,001; more than 1,000,000 "):
        Range(0, MOST_LISTED).each()


@pytest.mark.parametrize(
    "made",
    [
        lambda x: set_of(x.sort, x),
        lambda x: set_of(x.sort, x).contains(x),
        lambda x: all_values(x.sort),
        lambda x: forall(x.sort, lambda y: x == y),
        lambda x: exists(x.sort, lambda y: x == y),
        lambda x: count(x.sort, lambda y: x == y),
        lambda x: image(Range(0, 1), lambda y: x),
        lambda x: function(x.sort, lambda y: y == x),
        lambda x: literal(Set(x.sort), frozenset()).contains(x),
        lambda x: set_of(Option(x.sort), tuple_of(x, x)[0]),
    ],
)
def test_a_term_about_all_of_it_is_refused_at_once(made: Callable[[Any], Any]) -> None:
    began = time.process_time()
    x = variable(BITS)
    lowered = Layout({"x": BITS}).lowered["x"]
    with pytest.raises(UsageError, match=r"goes through all values of .*0\.\.39"):
        Lowering({x.term.data: lowered}).lower(made(x).term, {})
    assert time.process_time() - began < 5


def test_what_is_not_known_to_have_a_value_is_refused_too() -> None:
    """A set that may have no value would list every element without one."""
    sort = Function(Range(0, 1), Option(Range(0, 1)))
    x = variable(sort)
    wide = literal(BITS, FrozenMap(dict.fromkeys(range(40), 0)))
    item = wide.updated(0, x[0].value)
    with pytest.raises(UsageError, match="goes through all values of "):
        Lowering({x.term.data: Layout({"x": sort}).lowered["x"]}).lower(set_of(BITS, item).term, {})


def test_few_values_of_a_huge_sort_can_be_in_a_set() -> None:
    kind = Enum("colour", ("red", "green"))
    sort = Record(colour=kind, bits=BITS)
    zeros = FrozenMap(dict.fromkeys(range(40), 0))
    colour = variable(kind)
    chosen = set_of(sort, sort(colour=colour, bits=zeros))
    lowered = Lowering({colour.term.data: Layout({"x": kind}).lowered["x"]}).lower(chosen.term, {})
    assert [value["colour"] for value in lowered] == ["red", "green"]


_SPEC = """
from verifier import *

class Wide(Protocol, camel_case=True):
    nodes = IndexSetConstant(40, kind="node")

    def state(self):
        return State(up=Function(self.nodes, Boolean()))

    def init(self, s):
        return forall(~s.up[n] for n in self.nodes)

    @action(node="nodes")
    def start(self, s, node):
        return Step(when=[~s.up[node]], then={s.up[node]: True})

    @invariant()
    def fine(self, s):
        return ~set_of(Function(self.nodes, Boolean()), s.up).is_empty
"""


@pytest.mark.parametrize("command", ["bmc", "explore"])
def test_the_command_line_says_it_in_one_line(command: str, tmp_path: Path) -> None:
    path = tmp_path / "wide.py"
    path.write_text(_SPEC)
    said = wrong(command, "--spec", str(path))
    assert said.endswith(
        "something goes through all values of [node(40) → BOOLEAN], which has more than 1,000,000,000,000; "
        "more than 1,000,000 are taken for a mistake: give its parts smaller sorts"
    )
    assert verify(command, "--spec", str(path), "--set", "nodes=2", "--property", "Fine").exit_code == 0
