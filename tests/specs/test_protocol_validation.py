"""A protocol's functions, run again in states, agree with its formulas; where Python decided, they do not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import FrameType, SimpleNamespace
from typing import Any

import pytest

from tests.support.command_line import verify
from tests.support.random_protocols import random_protocol
from tests.support.sampling import some_of
from verifier.encodings.python_use import GUARD
from verifier.encodings.random_values import draw_value
from verifier.encodings.sorts import Bag, Range, Record, SortError
from verifier.runs.building import build_model
from verifier.runs.loading import load
from verifier.runs.protocol_comparison import Differs
from verifier.runs.protocol_validation import Validation
from verifier.runs.validation.agreement import Agreement
from verifier.specs import protocol as protocols
from verifier.specs.built_in import BUILT_IN
from verifier.specs.definition import DefinitionError
from verifier.specs.reading.keys import Keys

pytestmark = pytest.mark.validation

HEAD = """
import functools
from verifier import *

FOLLOWS = {0: 1, 1: 2, 2: 0}
CRITICAL = {0, 1}

@functools.lru_cache
def following(x):
    return (x == 2) | (x == 1)

def weight(k):
    return FOLLOWS.get(k, 0)

class Tried(Protocol, camel_case=True):
    nodes = IndexSetConstant(2)
    def state(self):
        return State(x=Range(0, 2), y=Range(0, 2), n=Range(0, 4), f=Function(self.nodes, Range(0, 2)))
    @property
    def numbers(self):
        return Range(0, 2)
"""

DECIDED = {
    "a lookup": "@action\ndef go(self, s): return Step(then={s.n: FOLLOWS.get(s.x, 0)})",
    "a lookup of a parameter": "@action(k='numbers')\ndef go(self, s, k): return Step(then={s.n: weight(k)})",
    "a lookup of a free parameter": (
        "@action(k=free('numbers'))\ndef go(self, s, k): return Step(then={s.n: weight(k)})"
    ),
    "a lookup in a lambda": (
        "@action\ndef go(self, s): return Step(then={s.n: sum_of(self.nodes, lambda n: weight(s.f[n]))})"
    ),
    "a lookup in a guard": (
        "@action\ndef go(self, s): return Step(when=[s.y == 1] if FOLLOWS.get(s.x) else [], then={s.n: 1})"
    ),
    "the length of a set": "@action\ndef go(self, s): return Step(then={s.n: len({s.x, s.y})})",
    "a disjoint set": (
        "@action\ndef go(self, s): return Step(when=constantly(CRITICAL.isdisjoint({s.x})), then={s.n: 1})"
    ),
    "equal dictionaries": "@invariant\ndef apart(self, s): return constantly({s.x: 1} != {s.y: 1})",
    "equal frozen sets": (
        "@invariant\ndef apart(self, s): return constantly(frozenset([s.x]) != frozenset([s.y]))"
    ),
    "a text": "@action\ndef go(self, s): return Step(then={s.n: int(f'{s.x}' == '2')})",
    "a comparison of texts": "@invariant\ndef apart(self, s): return constantly(str(s.x) != str(s.y))",
    "a lookup in init": (
        "def init(self, s): return [s.x == 1, s.y == FOLLOWS.get(s.x, 0), s.n == 0, arbitrary(s.f)]"
    ),
    "a lookup in a lemma": "@lemma\ndef known(self, s): return s.n >= FOLLOWS.get(s.x, 0)",
    "a lookup in a constraint": "def constraint(self, s): return s.n <= FOLLOWS.get(s.x, 4)",
    "a lookup in a step invariant": (
        "@step_invariant\ndef grows(self, s, after): return after.n >= FOLLOWS.get(after.x, 0)"
    ),
}
MORE = (
    "@action\ndef more(self, s): return Step(when=s.n < 4, then={s.n: s.n + 1})\n"
    "@invariant\ndef fine(self, s): return s.n <= 4"
)
INIT = """    def init(self, s):
        return [arbitrary(s.x, s.y, s.f), s.n == 0]
"""


def _file(folder: Path, member: str) -> Path:
    path = folder / "tried.py"
    body = "".join(f"    {line}\n" for line in (member + "\n" + MORE).splitlines())
    path.write_text(HEAD + ("" if "def init" in member else INIT) + body, encoding="utf-8")
    return path


class _Careless(Keys):
    """Notes what is hashed, and lets all of it pass, as Python does."""

    def hash_expression(self, value: Any, frame: FrameType) -> int:
        try:
            return super().hash_expression(value, frame)
        except SortError:
            return id(value)

    def show_expression(self, value: Any, frame: FrameType) -> None:
        pass


@contextmanager
def _careless(protocol: Any) -> Iterator[Keys]:
    """Reads a protocol without refusing what Python decides in it."""
    keys = _Careless()
    token = GUARD.set(keys)
    try:
        yield keys
    finally:
        GUARD.reset(token)


def _compare(path: str, seconds: float = 20.0, **constants: Any) -> Agreement:
    return _compare_loaded(load(path, constants), seconds)


def _compare_loaded(loaded: Any, seconds: float) -> Agreement:
    asked = [prop.name for prop in loaded.definition.properties]
    question: Any = SimpleNamespace(loaded=loaded, properties=asked)
    return Validation(question, build_model(loaded.definition), True).run(seconds, {})


@pytest.mark.parametrize("name", DECIDED)
def test_what_python_decides_is_seen_by_validation_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = _file(tmp_path, DECIDED[name])
    with pytest.raises(DefinitionError):
        load(str(path), {})
    monkeypatch.setattr(protocols, "reading", _careless)
    with pytest.raises(Differs, match=r"the formulas do not agree with the protocol on .*tried\.py, line"):
        _compare(str(path))


RARE = """from verifier import *

class Rare(Protocol, camel_case=True):
    def state(self): return State(x=Range(0, 60))
    def init(self, s): return [s.x == 0]
    @action
    def up(self, s): return Step(when=[s.x < 60], then={s.x: {59: 0}.get(s.x, s.x + 1)})
    @invariant
    def small(self, s): return s.x < 60
    @reachable
    def end(self, s): return s.x == 60
"""


@pytest.mark.parametrize("command", [["explore"], ["bmc", "--depth", "60", "--steps", "serial"]])
def test_a_counterexample_is_compared_in_its_own_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    """Walks do not come to the one state in which the formulas differ, which both executions pass."""
    path = tmp_path / "rare.py"
    path.write_text(RARE, encoding="utf-8")
    monkeypatch.setattr(protocols, "reading", _careless)
    asked = ("--spec", str(path), "--property", "Small", "--property", "End")
    run = verify(*command, *asked, "--format", "json")
    verdicts = {one["property"]: one for one in json.loads(run.stdout)["results"]}
    assert run.exit_code == 1
    assert {one["verdict"] for name, one in verdicts.items() if name in ("Small", "End")} == {"ERROR"}
    assert "x after Up()" in verdicts["Small"]["reason"]
    assert verdicts["Small"]["trace"] is None


@pytest.mark.parametrize("command", [["explore"], ["bmc", "--depth", "2"], ["prove"], ["induct"]])
def test_a_difference_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    path = _file(tmp_path, DECIDED["a lookup"])
    monkeypatch.setattr(protocols, "reading", _careless)
    run = verify(*command, "--spec", str(path), "--property", "Fine", "--format", "json")
    (result,) = json.loads(run.stdout)["results"]
    assert run.exit_code == 1
    assert result["verdict"] == "ERROR"
    assert "n after Go()" in result["reason"]
    assert result["certificate"] is None


@pytest.mark.parametrize("spec", some_of(BUILT_IN, every=4))
def test_built_in_protocols_agree(spec: str) -> None:
    found = _compare(spec, 3.0)
    assert found.states > 5
    assert found.undefined == 0


def test_the_verdict_says_how_far_they_agree(tmp_path: Path) -> None:
    path = _file(tmp_path, "@lemma\ndef least(self, s): return s.n >= 0")
    run = verify("explore", "--spec", str(path), "--format", "json")
    counts = json.loads(run.stdout)["statistics"]["validation"]
    assert {"states", "steps", "undefined", "seed", "seconds"} <= set(counts)
    assert counts["states"] > 10
    assert counts["steps"] > 10
    again = json.loads(verify("explore", "--spec", str(path), "--format", "json").stdout)
    assert again["statistics"]["validation"]["states"] == counts["states"]
    text = verify("explore", "--spec", str(path)).stdout
    assert f"The translation agrees with the protocol on {counts['states']} states" in text


LATER = [pytest.param(range(first, first + 10), marks=pytest.mark.thorough) for first in range(10, 100, 10)]


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 10), marks=pytest.mark.thorough), *LATER])
def test_random_protocols_agree(seeds: range) -> None:
    for seed in seeds:
        _, protocol = random_protocol(seed)
        definition, targets = protocols.read(protocol)
        loaded = SimpleNamespace(protocol=protocol, targets=targets, definition=definition)
        found = _compare_loaded(loaded, 2.0)
        assert found.states > 3


@pytest.mark.parametrize("sort", [Bag(Range(0, 2), 2), Bag(Record(a=Range(0, 9), b=Range(0, 9)), 3)])
def test_bags_of_many_values_are_drawn(sort: Bag[Any]) -> None:
    chance = Random(1)
    drawn = [draw_value(sort, chance) for _ in range(50)]
    assert all(map(sort.contains, drawn))
    assert len(set(drawn)) > 10


def test_a_claim_beside_a_bag_of_many_values_is_compared(tmp_path: Path) -> None:
    path = tmp_path / "bagged.py"
    path.write_text(
        "from verifier import *\n\nclass Bagged(Protocol, camel_case=True):\n"
        "    def state(self): return State(net=Bag(Record(a=Range(1, 3), b=Range(1, 3)), 2))\n"
        "    def init(self, s): return [s.net == {}]\n"
        "    @action\n"
        "    def send(self, s): return Step(when=[s.net == {}], then={s.net: s.net.add({'a': 1, 'b': 2})})\n"
        "    @invariant\n"
        "    def few(self, s): return s.net.copies({'a': 1, 'b': 3}) == 0\n",
        encoding="utf-8",
    )
    run = json.loads(verify("explore", "--spec", str(path), "--property", "Few", "--format", "json").stdout)
    assert run["results"][0]["verdict"] == "HOLDS"
    assert run["statistics"]["validation"]["states"] > 2
