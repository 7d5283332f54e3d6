"""Tuples, variants, partial functions and listed values: what authors meet, counts, and files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify, wrong
from tests.support.models import build
from tests.support.naive import Naive
from verifier.encodings.concrete import FrozenMap, Tagged, show
from verifier.encodings.layout import Layout
from verifier.encodings.sorts import (
    Boolean,
    IndexSet,
    Listed,
    Option,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    SortError,
    Tuple,
    Variant,
    join,
)
from verifier.errors import UsageError
from verifier.specs.protocol import define
from verifier.specs.registry import load
from verifier.system.declared_symmetry import check_symmetry
from verifier.trust.itf_values import ValueReader, as_json

NODES = IndexSet("node", 2)
MESSAGE = Variant(vote=Record(voter=NODES, epoch=Range(0, 1)), stop=None, asked=Option(NODES))
SORTS: tuple[Sort, ...] = (
    Tuple(),
    Tuple(NODES, Option(Range(0, 1))),
    MESSAGE,
    PartialFunction(NODES, Range(0, 1)),
    PartialFunction(Range(0, 1), Option(Boolean())),
    PartialFunction(MESSAGE, Tuple()),
    Listed(10000, 0, 1),
    Listed("a", (True, 1), {"n": frozenset({1, 2})}, Tagged("x", (1,))),
    Set(Tuple(NODES, Boolean())),
    Sequence(Variant(one=NODES, other=None), 2),
    Option(Variant(one=NODES)),
    Record(at=PartialFunction(NODES, NODES)),
)
EVERY_SORT = pytest.mark.parametrize("sort", SORTS, ids=str)


@EVERY_SORT
def test_values_are_as_many_as_the_size_and_each_belongs_and_is_shown_differently(sort: Sort) -> None:
    values = list(sort.values())
    assert len(values) == len(set(values)) == len(set(map(show, values))) == sort.size
    assert all(map(sort.contains, values))
    assert sort.contains(sort.default)
    assert sort.lacking is None
    assert join(sort, sort) == sort


@EVERY_SORT
def test_bits_and_files_hold_every_value(sort: Sort) -> None:
    layout = Layout({"x": sort})
    codes = set()
    for value in sort.values():
        bits = layout.encode_state({"x": value})
        assert layout.decode_state(bits) == {"x": value}
        codes.add(tuple(bits))
        written = json.loads(json.dumps(as_json(sort, value)))
        read = ValueReader(0, "x").value(sort, written)
        assert (read, show(read)) == (value, show(value))
    assert len(codes) == sort.size


@pytest.mark.parametrize("tag", [["vote"], {"vote": 1}, None, 1, "other"])
def test_a_file_with_another_tag_is_refused(tag: object) -> None:
    with pytest.raises(UsageError, match="with one of vote, stop, asked"):
        ValueReader(0, "x").value(MESSAGE, {"tag": tag, "value": {"#tup": []}})


def test_listed_values_take_the_logarithm_of_their_number() -> None:
    assert len(Layout({"x": Listed(*range(0, 1000, 10))}).bits) == 7
    assert len(Layout({"x": Listed(5)}).bits) == 0


@pytest.mark.parametrize(
    ("left", "right", "joined"),
    [
        (Listed(0, 1, 100), Range(0, 1), Listed(0, 1, 100)),
        (Listed(0, 1, 100), Range(1, 2), Listed(0, 1, 2, 100)),
        (Listed(1, 3), Range(0, 5), Range(0, 5)),
        (Listed(0, 5000), Range(1, 2000), Range(0, 5000)),
        (Listed("b"), Listed("a", "b"), Listed("a", "b")),
        (Tuple(Range(0, 1)), Tuple(Range(2, 3)), Tuple(Range(0, 3))),
        (Variant(a=Range(0, 1)), Variant(a=Range(3, 3)), Variant(a=Range(0, 3))),
        (
            PartialFunction(Range(0, 1), Range(0, 1)),
            PartialFunction(Range(2, 2), Range(5, 5)),
            PartialFunction(Range(0, 2), Range(0, 5)),
        ),
    ],
    ids=str,
)
def test_joined_sorts_hold_the_values_of_both(left: Sort, right: Sort, joined: Sort) -> None:
    assert join(left, right) == join(right, left) == joined


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Tuple(Range(0, 1)), Tuple(Range(0, 1), Range(0, 1))),
        (Variant(a=None), Variant(b=None)),
        (Listed("a"), Range(0, 1)),
        (Listed("a"), Listed(1)),
    ],
)
def test_sorts_of_other_shapes_do_not_join(left: Sort, right: Sort) -> None:
    with pytest.raises(SortError, match="do not go together"):
        join(left, right)


def test_equal_partial_functions_have_the_same_pairs_whatever_their_sorts() -> None:
    one = PartialFunction(Range(0, 1), Range(0, 1))
    assert FrozenMap({0: 1}) in set(one.values())
    assert next(iter(one.values())) == one.default == FrozenMap()


_SPEC = """
from verifier import *

class Post(Protocol, camel_case=True):
    \"\"\"Nodes are asked, and answer.\"\"\"
    nodes = IndexSetConstant(2, kind="node")

    @property
    def message(self):
        return Variant(ping=Record(to=self.nodes), pong=self.nodes, stop=None)

    def state(self):
        return State(
            messages=PartialFunction(self.message, Range(0, 1)),
            last=Tuple(Option(self.nodes), Listed(0, 7, 10000)),
        )

    def init(self, s):
        return s.messages.is_empty & (s.last == (None, 0))

    @action(n="nodes")
    def send(self, s, n):
        ping = self.message.ping(to=n)
        return Step(when=[~s.messages.contains(ping)], then={s.messages[ping]: 1, s.last[0]: n})

    @action(m=free("message"))
    def answer(self, s, m):
        return Step(
            when=[s.messages.contains(m), m.is_ping, s.messages[m] == 1],
            then={
                s.messages: s.messages.updated(m, 0).updated(self.message.pong(m.ping.to), 1),
                s.last[1]: if_(s.last[1] < 7, 7, 10000),
            },
        )

    @action(n="nodes")
    def forget(self, s, n):
        pong = self.message.pong(n)
        return Step(when=[s.messages.contains(pong)], then={s.messages: s.messages.without(pong)})

    @invariant()
    def pinged_first(self, s):
        return forall(
            s.messages.domain, lambda m: m.is_pong.implies(s.messages[self.message.ping(to=m.pong)] == 0)
        )

    @invariant()
    def no_two_answers(self, s):
        return s.last[1] + 1 <= 8

    @invariant()
    def never_stops(self, s):
        return ~s.messages.contains(self.message.stop())
"""


@pytest.fixture
def post(tmp_path: Path) -> str:
    path = tmp_path / "post.py"
    path.write_text(_SPEC)
    return str(path)


def test_a_protocol_is_explored_as_counted_by_hand(post: str, tmp_path: Path) -> None:
    """A node is not asked, is asked, has answered, or its answer is forgotten; who was asked last is known.

    That is 1 state where no node was asked, 2 * 3 where one was, 3 * 3 * 2 where both were.
    """
    trace = str(tmp_path / "trace.itf.json")
    done = verify("explore", "--spec", post, "--keep-going", "--trace-out", trace, "--format", "json")
    found = json.loads(done.stdout)
    verdicts = {result["property"]: result["verdict"] for result in found["results"]}
    assert verdicts["NoTwoAnswers"] == "VIOLATED"
    assert verdicts["PingedFirst"] == verdicts["NeverStops"] == verdicts["TypeInvariant"]
    naive = Naive(define(load(post)())).explore()
    assert found["statistics"]["distinct_states"] == naive.states == 1 + 6 + 18
    replayed = verify("replay", trace, "--spec", post)
    assert replayed.exit_code == 0, replayed.stderr


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "m.is_ping",
            "m.is_pingg",
            "the variant has no tag 'pingg' (allowed: ping, pong, stop); did you mean 'ping'?",
        ),
        ("self.message.ping(to=n)", "self.message.pin(to=n)", "the variant has no tag 'pin' (allowed: ping,"),
        ("self.message.ping(to=n)", "self.message.ping(n, 1)", "the tag 'ping' is given its fields by name"),
        ("message.stop()", "message.stop(1)", "the tag 'stop' is given nothing, not 1"),
        ("s.last[0]: n", "s.last[2]: n", "the tuple has 2 items, counted from 0, so none at 2"),
        ("s.last[0]: n", "s.last[n]: n", "an item of a tuple is at a fixed place, as in t[0], not at"),
        (
            "s.messages[ping]: 1",
            "s.messages[n]: 1",
            "and of Variant(ping: Record(to: node(2)), pong: node(2), stop)",
        ),
        ("s.messages[ping]: 1", "s.messages[3]: 1", "3 is not a value of Variant("),
        ("without(pong)", "without('n1')", "'n1' is not a value of Variant("),
        ("stop=None", "values=None", "a Variant cannot have the tag 'values': its expressions use that name"),
        ("stop=None", "each=None", "a Variant cannot have the tag 'each': its expressions use that name"),
        ("Listed(0, 7, 10000)", "Listed(0, 7, 7)", "a Listed sort needs distinct values, got 0, 7, 7"),
        ("Listed(0, 7, 10000)", "Listed(True, 7)", "a Listed sort cannot have the value True: use Boolean()"),
        ("Listed(0, 7, 10000)", "bool", "item 1 of a Tuple is a sort, as Range(0, 3), not Python's bool"),
    ],
)
def test_mistakes_are_named_with_their_line(post: str, old: str, new: str, words: str) -> None:
    text = Path(post).read_text()
    assert old in text
    Path(post).write_text(text.replace(old, new, 1))
    said = wrong("explore", "--spec", post)
    assert words in said
    assert f"verify: {post}, line " in said
    assert "\n" not in said.strip()


def test_elements_that_listed_values_name_are_no_longer_interchangeable(tmp_path: Path) -> None:
    path = tmp_path / "named.py"
    path.write_text(
        "from verifier import *\n"
        "class Named(Protocol, camel_case=True):\n"
        "    nodes = IndexSetConstant(3, kind='node')\n"
        "    def state(self):\n"
        "        first = self.nodes.elements[0]\n"
        "        return State(x=Listed((first, 1), ('none', 0)), y=Set(self.nodes))\n"
        "    def init(self, s):\n"
        "        return (s.x == ('none', 0)) & s.y.is_empty\n"
        "    @action(n='nodes')\n"
        "    def put(self, s, n):\n"
        "        return Step(when=[], then={s.y: s.y.add(n)})\n"
        "    @invariant()\n"
        "    def fine(self, s):\n"
        "        return s.x == ('none', 0)\n"
    )
    definition = define(load(str(path))())
    (symmetry,) = check_symmetry(definition)
    assert [show(element) for element in symmetry.movable] == ["n2", "n3"]
    assert build(load(str(path))()).system.symmetries == (symmetry,)


def test_a_place_below_an_absent_key_cannot_be_assigned(tmp_path: Path) -> None:
    path = tmp_path / "below.py"
    path.write_text(
        "from verifier import *\n"
        "class Below(Protocol, camel_case=True):\n"
        "    def state(self):\n"
        "        return State(f=PartialFunction(Range(0, 1), Record(a=Range(0, 1))))\n"
        "    def init(self, s):\n"
        "        return s.f.is_empty\n"
        "    @action()\n"
        "    def put(self, s):\n"
        "        return Step(when=[], then={s.f[0].a: 1})\n"
        "    @invariant()\n"
        "    def fine(self, s):\n"
        "        return s.f.is_empty\n"
    )
    done: Any = verify("explore", "--spec", str(path))
    assert "TypeInvariant   VIOLATED in 0 steps" in done.stdout
    assert Naive(define(load(str(path))())).explore().steps == {"TypeInvariant": 0}
