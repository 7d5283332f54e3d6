"""Protocols that are not well formed are refused, with the place and what to write instead."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify, wrong
from verifier.encodings.quantifiers import arbitrary, constantly
from verifier.encodings.sorts import Enum, Range, Record, SortError
from verifier.encodings.terms import Operator
from verifier.specs.built_in import BUILT_IN
from verifier.specs.definition import Definition
from verifier.specs.protocol import DefinitionError, State, define
from verifier.specs.registry import load

HEAD = """
from verifier.encodings.quantifiers import all_of, arbitrary, constantly, exists, forall
from verifier.encodings.sorts import Boolean, Function, Option, Range, Record, Sequence, Set
from verifier.specs.protocol import *

class Base(Protocol, camel_case=True):
    nodes = IndexSetConstant(2, kind="node")
    fencing = BooleanConstant(True)

    def state(self):
        pair = Record(low=Range(0, 3), high=Range(0, 3))
        return State(
            x=Range(0, 3),
            holder=Option(self.nodes),
            f=Function(self.nodes, Range(0, 1)),
            pair=pair,
            one=Range(1, 1),
        )

    def init(self, s):
        return (s.x == 0) & s.holder.is_none & arbitrary(s.f, s.pair)

    @action()
    def up(self, s):
        return Step(when=[s.x < 3], then={s.x: s.x + 1})

class Mine(Base):
"""
LINES = HEAD.count("\n")


def write(folder: Path, body: str) -> str:
    path = folder / "mine.py"
    path.write_text(HEAD + body + "\n")
    return f"{path}:Mine"


def read(folder: Path, body: str) -> Definition:
    return define(load(write(folder, body))())


def refuse(folder: Path, body: str) -> str:
    with pytest.raises(DefinitionError) as error:
        read(folder, body)
    return str(error.value).replace(f"{folder}/", "")


def member(mark: str, name: str, body: str = "return s.x <= 3", parameters: str = "") -> str:
    return f"    @{mark}\n    def {name}(self, s{parameters}):\n        {body}\n"


def step(then: str, when: str = "s.x == 0") -> str:
    return member('action(a="nodes", b="nodes")', "go", f"return Step(when=[{when}], then={then})", ", a, b")


GO = f"mine.py, line {LINES + 2}: action go: "


@pytest.mark.parametrize(
    ("body", "what", "value"),
    [
        (member("invariant()", "p", "return True"), "property P", True),
        (member("invariant()", "p", "return self.fencing"), "property P", True),
        (member("reachable()", "p", "return False"), "property P", False),
        (member("type_invariant()", "p", "return True"), "property P", True),
        (member("deadlock_invariant()", "p", "return not self.fencing"), "property P", False),
        (member("lemma()", "p", "return self.nodes.size == 2"), "lemma P", True),
        (step("{}", when="s.x == 0, self.fencing"), "a guard line of go", True),
        ("    #\n    def init(self, s):\n        return self.fencing", "init", True),
        ("    #\n    def constraint(self, s):\n        return self.fencing", "the constraint", True),
    ],
)
def test_a_plain_bool_is_refused(tmp_path: Path, body: str, what: str, value: bool) -> None:
    said = refuse(tmp_path, body)
    line = LINES + (3 if "guard" in what else 2)
    assert said.startswith(f"mine.py, line {line}: {what} is decided while Python reads the protocol")
    assert f"it is {value} whatever the state" in said
    assert f"write constantly({value})" in said


def test_bools_that_are_said_to_be_constant_or_are_operands_are_fine(tmp_path: Path) -> None:
    body = member("invariant()", "p", "return constantly(self.fencing)") + step(
        "{}", when="constantly(not self.fencing), (s.x == 0) | self.fencing, s.x <= 3"
    )
    definition = read(tmp_path, body)
    go = next(action for action in definition.actions if action.name == "Go")
    assert (go.when[0].operator, go.when[0].data) == (Operator.LITERAL, False)
    assert next(prop for prop in definition.properties if prop.name == "P").formula.data is True


def test_constantly_and_arbitrary_take_what_they_need() -> None:
    s: Any = State(x=Range(0, 2))
    x = s.x
    assert arbitrary(x).term.free == {x.term.data}
    with pytest.raises(SortError, match="constantly needs True or False"):
        constantly(x)
    with pytest.raises(
        SortError, match=r"arbitrary needs variables of the state, as in arbitrary\(s\.x\), not 3"
    ):
        arbitrary(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("then", "words"),
    [
        ("{s.x: 1, s.holder: None, s.x: 2}", "then assigns x twice"),
        ("{s.f[a]: 1, s.x: 2, s.f[a]: 0}", "then assigns f[a] twice"),
        ("{**{s.x: 1, s.f[a]: 1}, **{s.f[a]: 0}}", "then assigns f[a] twice"),
        ("{s.pair.low: 1, **{s.pair.low: 2}}", "then assigns pair.low twice"),
        ("{s.f[s.holder.value]: 1, **{s.f[s.holder.value]: 0}}", "twice"),
        ("{s.f[a]: 1, s.f: s.f}", "then assigns f[a] and f, of which one is a part of the other"),
        ("{s.pair: s.pair, s.pair.low: 1}", "then assigns pair and pair.low, of which one is a part"),
        ("{'x': 1}", "then assigns 'x', which is no state variable: write s.x"),
        ("{3: 1}", "then assigns 3, which is no state variable"),
        ("{a: b}", "an action assigns state variables"),
        ("[s.x]", "then is a dictionary"),
    ],
)
def test_targets_that_overlap_are_refused(tmp_path: Path, then: str, words: str) -> None:
    said = refuse(tmp_path, step(then))
    assert words in said
    in_step = "no state variable" in words or "is a dictionary" in words  # which the Step itself refuses
    assert said.startswith(f"mine.py, line {LINES + 3}: " if in_step else GO)


@pytest.mark.parametrize(
    "then",
    ["{s.f[a]: 1, s.f[b]: 0}", "{s.pair.low: 1, s.pair.high: 2}", "{s.x: 1, s.f[a]: s.x - 0, s.holder: a}"],
)
def test_targets_that_only_may_coincide_are_fine(tmp_path: Path, then: str) -> None:
    go = next(action for action in read(tmp_path, step(then)).actions if action.name == "Go")
    assert len(go.then) == then.count(": ")


def test_an_action_returns_a_step(tmp_path: Path) -> None:
    body = member("action()", "go", "Step(when=[s.x == 0], then={})")
    assert "action go returns nothing, not a Step" in refuse(tmp_path, body)
    assert "a guard line of go is not a formula" in refuse(
        tmp_path, member("action()", "go", "return Step(s.x, {})")
    )


def test_init_speaks_of_every_variable(tmp_path: Path) -> None:
    begin = f"mine.py, line {LINES + 1}: init does not mention s.f, s.pair: give a value, or "
    end = " if any value is meant"
    said = refuse(tmp_path, "    def init(self, s):\n        return (s.x == 0) & s.holder.is_none")
    assert said == f"{begin}write (…) & arbitrary(s.f, s.pair){end}"
    said = refuse(tmp_path, "    def init(self, s):\n        return [s.x == 0, s.holder.is_none]")
    assert said == f"{begin}add arbitrary(s.f, s.pair) to the list{end}"


def test_arbitrary_means_every_value(tmp_path: Path) -> None:
    body = "    def init(self, s):\n        return (s.x == 0) & arbitrary(s.holder, s.f, s.pair)\n" + member(
        "reachable()", "met", "return (s.holder != None) & (s.pair.high == 3)"
    )
    done = verify("explore", "--spec", write(tmp_path, body), "--property", "Met", "--format", "json")
    assert done.exit_code == 0
    assert re.search(r'"initial_states": 192\b', done.stdout)  # 3 holders, 4 functions, 16 pairs


@pytest.mark.parametrize("entry", ["self.nodes", "(self.nodes.size, 'x')", "(True,)", "(True, 1)"])
def test_assumptions_are_bools_with_words(tmp_path: Path, entry: str) -> None:
    said = refuse(tmp_path, f"    def assumptions(self):\n        return [{entry}]")
    assert said.startswith(
        f"mine.py, line {LINES + 1}: an assumption of mine is True or False, and its words"
    )


def two(first: str, second: str) -> str:
    return rf"{first} \(mine\.py, line {LINES + 2}\) and the {second} \(mine\.py, line {LINES + 5}\)"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            member("invariant()", "no_two") + member("invariant()", "noTwo"),
            two("property no_two", "property noTwo"),
        ),
        (member("invariant()", "no_two") + member("lemma()", "noTwo"), two("property no_two", "lemma noTwo")),
        (member("lemma()", "no_two") + member("lemma()", "noTwo"), two("lemma no_two", "lemma noTwo")),
        (
            member("reachable()", "no_two") + member("invariant(name='NoTwo')", "other"),
            two("property no_two", "property other"),
        ),
        (member("type_invariant()", "p") + member("type_invariant()", "q"), two("property p", "property q")),
        (
            member("action()", "Up", "return Step([], {})"),
            r"action up \(mine\.py, line 24\) and the action Up",
        ),
        (member("invariant()", "type_invariant"), "mark it with @type_invariant"),
        (member("lemma()", "type_invariant"), "mark it with @type_invariant"),
        (member("invariant()", "no_deadlock"), "title NoDeadlock, which stands for freedom from deadlock"),
        (member("lemma()", "typed"), "the title Typed, which stands for"),
        (member("reachable()", "undefinedRead"), "the title UndefinedRead, which stands for"),
        (member("lemma(name='clause 1')", "p"), "the title 'clause 1'; a title is a letter and then"),
        (member("lemma(name='known 3')", "p"), "the title 'known 3'; a title is a letter and then"),
        (member("invariant(name='')", "p"), "the title ''; a title is a letter"),
        (member("invariant()", "_"), "the title ''; a title is a letter"),
        (member("invariant(name='1st')", "p"), "the title '1st'; a title is a letter"),
        ("    next = ('up', 'up')", "next names an action twice: up, up"),
        (
            "    other = IndexSetConstant(2, kind='node')",
            "constants nodes and other both have elements of kind 'node'",
        ),
        ("    node = IndexSetConstant(2)", "constants nodes and node both have elements of kind 'node'"),
        ("    def state(self): return State(**{'x#0': Range(0, 1)})", "cannot be called 'x#0'"),
        ("    def state(self): return State(symbols=Range(0, 1))", "cannot be called 'symbols'"),
        ("    def state(self): return State(x=3)", r"x needs a sort, as Range\(0, 3\), not 3"),
        (
            member("action(**{'a b': 'nodes'})", "go", "return Step([], {})", ", **k"),
            "cannot be called 'a b'",
        ),
    ],
)
def test_names_that_collide_or_are_none_are_refused(tmp_path: Path, body: str, words: str) -> None:
    assert re.search(words, refuse(tmp_path, body))


def test_names_that_are_fine(tmp_path: Path) -> None:
    body = (
        member("type_invariant()", "type_invariant")
        + member("invariant(name='At-least.1_x')", "p")
        + member("action()", "up", "return Step([s.x < 2], {s.x: s.x + 1})")  # the base's, written again
        + member("invariant()", "up")
        + "    leaders = IndexSetConstant(2)\n"
    ).replace("def up(self, s):\n        return s.x <= 3", "def Up(self, s):\n        return s.x <= 3")
    definition = read(tmp_path, body)
    assert [prop.name for prop in definition.properties] == ["TypeInvariant", "At-least.1_x", "Up"]
    assert [action.name for action in definition.actions] == ["Up"]
    protocol: Any = load(f"{tmp_path}/mine.py:Mine")()
    assert protocol.leaders.name == "leader"


@pytest.mark.parametrize("members", [(1, "a"), ("a", ""), (True, False), ("a", "a"), (), (None,)])
def test_members_of_an_enumeration(members: tuple[str, ...]) -> None:
    with pytest.raises(SortError, match="enumeration level needs"):
        Enum("level", members)


def test_fields_are_names() -> None:
    with pytest.raises(SortError, match="cannot have a field 'a b': its name is not a Python identifier"):
        Record(**{"a b": Range(0, 1)})


@pytest.mark.parametrize("command", ["bmc", "explore", "prove", "induct", "show"])
def test_every_command_refuses_it(tmp_path: Path, command: str) -> None:
    spec = write(tmp_path, member("invariant()", "no_two") + member("invariant()", "noTwo"))
    said = wrong(command, spec) if command == "show" else wrong(command, "--spec", spec)
    assert "have one title, NoTwo" in said


def test_the_built_in_protocols_are_well_formed() -> None:
    for name in BUILT_IN:
        definition = define(load(name)())
        assert set(definition.variables) == definition.init.free


@pytest.mark.parametrize(
    "twice",
    [
        member("invariant()", "small") + member("invariant()", "small"),
        member("action()", "up2", "return Step([s.x < 2], {s.x: s.x + 1})") + member("lemma()", "up2"),
        "    small = IntegerConstant(2)\n" + member("invariant()", "small"),
    ],
)
def test_what_python_would_drop_is_refused(tmp_path: Path, twice: str) -> None:
    """Of two definitions of a name in a class Python keeps the last: the first would never be checked."""
    spec = write(tmp_path, twice)
    said = wrong("bmc", "--spec", spec)
    assert re.search(r"line \d+: Mine already has (small|up2) \(.*, line \d+\), which this would", said)


def test_setters_and_methods_of_other_classes_are_no_second_definition(tmp_path: Path) -> None:
    read(
        tmp_path,
        "    @property\n    def p(self): return 1\n    @p.setter\n    def p(self, v): pass\n"
        + member("action()", "up", "return Step([s.x < 2], {s.x: s.x + 1})"),
    )
