"""Sorts that are none, or have no values: one line names the place, and the constants that make it so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify, wrong
from tests.support.models import build
from tests.support.naive import Naive
from verifier.encodings.quantifiers import all_of, exists, if_
from verifier.encodings.sorts import (
    Bag,
    Boolean,
    Function,
    IndexSet,
    Option,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    Variant,
)
from verifier.engines.explore import Request, explore
from verifier.specs.protocol import (
    IndexSetConstant,
    IntegerConstant,
    Protocol,
    State,
    Step,
    action,
    invariant,
)

_SPEC = """
from verifier import *

class Bad(Protocol, camel_case=True):
    nodes = IndexSetConstant(2, kind="node")
    k = IntegerConstant(0, minimum=-5)
    deep = BooleanConstant(True)
    domain = Range(3, 0)

    def state(self):
        return State(x=Range(0, 3), y={sort})

    def init(self, s):
        return (s.x == 0) & arbitrary(s.y)

    @action({parameter})
    def up(self, s, **given):
        return Step(when=[s.x < 3], then={{s.x: s.x + 1}})

    @invariant()
    def fine(self, s):
        return s.x >= 0
"""
EMPTY = Range(3, 0)


def spec(folder: Path, sort: str = "Range(0, 1)", parameter: str = "") -> str:
    path = folder / "bad.py"
    path.write_text(_SPEC.format(sort=sort, parameter=parameter))
    return str(path)


@pytest.mark.parametrize("command", ["bmc", "explore", "simulate", "prove", "induct", "show", "export"])
@pytest.mark.parametrize(
    ("sort", "words"),
    [
        ("Range(3, self.k)", "3..0 is empty (k=0)"),
        ("Function(self.nodes, Range(3, self.k))", "3..0 is empty (k=0)"),
        ("Range(3, self.k if self.deep else 5)", "3..0 is empty (k=0, deep=true)"),
        ("Record(a=Option(Range(0, 1)), b=Range(1, 0))", "1..0 is empty (whatever the constants)"),
        ("Sequence(Range(0, 1), self.k - 1)", "Sequence(0..1, up to -1) is empty (k=0)"),
        ("IndexSet('other', self.k)", "other(0) is empty (k=0)"),
    ],
)
def test_the_constants_are_named(command: str, sort: str, words: str, tmp_path: Path) -> None:
    file = spec(tmp_path, sort)
    said = wrong(command, "--spec", file, *(("--format", "vmt") if command == "export" else ()))
    assert said == f"verify: {file}, line 10: the state variable y cannot have a value: {words}"


@pytest.mark.parametrize(
    ("sort", "words"),
    [
        ("Range('a', 3)", "the lower bound of a Range is an integer, not 'a'"),
        ("Range(0, 2.5)", "the upper bound of a Range is an integer, not 2.5"),
        ("Sequence(Range(0, 1), 'a')", "the capacity of a Sequence is an integer, not 'a'"),
        ("Sequence(3, 1)", "the element of a Sequence is a sort, as Range(0, 3), not 3"),
        ("Set(3)", "the element of a Set is a sort"),
        ("Bag(Range(0, 1), 'x')", "the maximum of a Bag is an integer, not 'x'"),
        ("Bag(3, 1)", "the element of a Bag is a sort"),
        ("Function(3, Range(0, 1))", "the domain of a Function is a sort"),
        ("Function(self.nodes, 3)", "the range of a Function is a sort"),
        ("Option(3)", "what an Option holds is a sort"),
        ("Record(a=3)", "the field a of a Record is a sort"),
        ("Enum('e', 3)", "an Enum has a name and a tuple of members"),
        ("Enum(3, ('a',))", "an Enum has a name and a tuple of members"),
        ("Enum(type('Phase', (Members,), {'IDLE': 'idle'}))", "Enum(Phase) needs a subclass of"),
        ("Enum(type('Phase', (), {}))", "Enum(Phase) needs a subclass of Members"),
        ("IndexSet(3, 3)", "the name of an index set is a word, as 'replica', not 3"),
        ("IndexSet('n', 2.0)", "the number of elements of an index set is an integer, not 2.0"),
    ],
)
def test_what_is_no_sort_is_named_with_its_line(sort: str, words: str, tmp_path: Path) -> None:
    file = spec(tmp_path, sort)
    assert f"{file}, line 11: {words}" in wrong("bmc", "--spec", file)


def test_a_parameter_that_the_engine_chooses_needs_a_value(tmp_path: Path) -> None:
    said = wrong("bmc", "--spec", spec(tmp_path, parameter="p=free('domain')"))
    assert "the parameter p of Up cannot have a value: 3..0 is empty (whatever the constants)" in said


def test_a_parameter_without_values_makes_no_instances(tmp_path: Path) -> None:
    done = verify("explore", "--spec", spec(tmp_path, parameter="p='domain'"))
    assert done.exit_code == 0, done.stderr
    assert "distinct states    2" in done.stdout


@pytest.mark.parametrize(
    ("sort", "lacking"),
    [
        (Set(EMPTY), None),
        (Option(EMPTY), None),
        (Bag(EMPTY, 2), None),
        (Sequence(EMPTY, 0), None),
        (Function(EMPTY, EMPTY), None),
        (Sequence(EMPTY, 1), EMPTY),
        (Record(a=Range(0, 1), b=Function(Range(0, 1), EMPTY)), EMPTY),
        (Bag(Range(0, 1), -1), Bag(Range(0, 1), -1)),
        (IndexSet("node", 0), IndexSet("node", 0)),
    ],
)
def test_what_lacks_values_is_the_part_that_needs_them(sort: Sort, lacking: Sort | None) -> None:
    assert sort.lacking == lacking


class WithoutNodes(Protocol):
    """Messages, options, sequences and partial functions that hold a node, while there may be none."""

    nodes = IndexSetConstant(0, kind="node", minimum=0)
    last = IntegerConstant(-1, minimum=-1)

    @property
    def message(self) -> Variant:
        part = Record(x=Range(0, self.last), y=Boolean())
        return Variant(ask=self.nodes, stop=None, flag=Boolean(), part=part)

    @property
    def option(self) -> Option[Any]:
        return Option(Record(node=self.nodes, on=Boolean()))

    @property
    def queue(self) -> Sequence[Any]:
        return Sequence(Record(x=Range(0, self.last)), 2)

    @property
    def partial(self) -> PartialFunction[Any, Any]:
        return PartialFunction(Boolean(), self.nodes)

    def state(self) -> State:
        return State(
            sent=Set(self.message),
            options=Set(self.option),
            queues=Set(self.queue),
            partials=Set(self.partial),
            phase=Range(0, 3),
        )

    def init(self, s: Any) -> Any:
        empty = all_of(*(held == set() for held in (s.sent, s.options, s.queues, s.partials)))
        return empty & (s.phase == 0)

    @action(node="nodes")
    def ask(self, s: Any, node: Any) -> Step:
        return Step(then={s.sent: s.sent.add(self.message.ask(node))})

    @action(option="option")
    def send(self, s: Any, option: Any) -> Step:
        message = if_(option.is_none, self.message.stop(), self.message.flag(True))
        return Step(
            when=s.phase == 0,
            then={
                s.sent: s.sent.add(message),
                s.options: s.options.add(option),
                s.phase: if_(message.is_stop, 1, 2),
            },
        )

    @action(queue="queue", partial="partial")
    def keep(self, s: Any, queue: Any, partial: Any) -> Step:
        return Step(
            when=s.phase > 0,
            then={
                s.queues: s.queues.add(queue.truncate(1).reversed).add([]),
                s.partials: s.partials.add(partial.without(True)),
            },
        )

    @action(message="message")
    def take(self, s: Any, message: Any) -> Step:
        after = if_(message.is_stop, 3, if_(message.is_part, 0, s.phase))
        return Step(when=s.sent.contains(message), then={s.sent: s.sent.remove(message), s.phase: after})

    @invariant()
    def never_asked(self, s: Any) -> Any:
        return ~exists(m.is_ask for m in self.message if s.sent.contains(m))

    @invariant()
    def nothing_kept(self, s: Any) -> Any:
        return s.queues.is_empty & s.partials.is_empty

    @invariant()
    def options_are_none(self, s: Any) -> Any:
        return s.options <= {None}


@pytest.mark.parametrize("nodes", [0, 1])
@pytest.mark.parametrize("last", [-1, 0])
def test_a_part_without_values_is_never_held(nodes: int, last: int) -> None:
    """The other parts have their values, as the naive reading says."""
    model = build(WithoutNodes({"nodes": nodes, "last": last}))
    truth = Naive(model.definition).explore()
    names = tuple(prop.name for prop in model.system.properties)
    found = explore(model, Request(names, symmetry=False, keep_going=True))
    assert found.statistics["distinct_states"] == truth.states
    least = {v.property_name: v.trace.steps for v in found.verdicts if v.trace is not None}
    assert least == truth.steps
    assert ("never_asked" in least) == (nodes > 0)
