"""Mistakes in a protocol are told in its author's words: where, what was written, and what to write."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import verify, wrong

VOTE = '''"""A vote."""
from verifier import *


class Vote(Protocol, camel_case=True):
    """Nodes vote for a leader."""

    name = "vote"
    nodes = IndexSetConstant(3)
    Role = Enum("role", ("follower", "leader"))

    @property
    def Message(self):
        return Record(kind=Enum("kind", ("ask", "grant")), to=self.nodes)

    def state(self):
        return State(role=Function(self.nodes, self.Role), sent=Set(self.Message), votes=Range(0, 3))

    def init(self, s):
        return [forall(s.role[n] == "follower" for n in self.nodes), s.sent.is_empty, s.votes == 0]

    @action(n="nodes")
    def ask(self, s, n):
        return Step(
            when=[s.role[n] == "follower"],
            then={s.sent: s.sent.add(dict(kind="ask", to=n))},
        )

    @action(n="nodes")
    def win(self, s, n):
        return Step(  # win
            when=[s.votes > 1],
            then={s.role[n]: "leader"},
        )

    @invariant
    def few(self, s):
        return s.votes <= 3
'''
ADD, WIN, ROLE = 's.sent.add(dict(kind="ask", to=n))', "when=[s.votes > 1]", '[s.role[n] == "follower"]'
MISTAKES = [
    # what is written instead of what, a part of the line that is named, what was written, what to write
    (
        'Enum("role", ("follower", "leader"))',
        'Enum("follower", "leader")',
        "Role = ",
        "Enum('follower', 'leader')",
        "write Enum('name', ('follower', 'leader'))",
    ),
    (ADD, 'self.Message(knd="ask", to=n)', "knd", "has no field 'knd'", "did you mean 'kind'?"),
    (ROLE, "[n in s.sent]", "n in s.sent", "n in s.sent is decided by Python", "write s.sent.contains(n)"),
    (
        ADD,
        's.sent | {dict(kind="ask", to=n)}',
        "| {dict",
        '{dict(kind="ask", to=n)}: ',
        "write s.x.add(dict(…))",
    ),
    (WIN, "when=self.nodes.count > 1", "nodes.count > 1", "True whatever the state", "constantly(True)"),
    ("return Step(  # win", "Step(", "def win", "returns nothing", "write return Step("),
    ('{s.role[n]: "leader"}', '{"role": "leader"}', "return Step(  # win", "assigns 'role'", "write s.role"),
    (
        "return s.votes <= 3",
        'return all_of(*[s.role[n] == "leader" for n in self.nodes])',
        "all_of",
        "the loop for n in self.nodes",
        "write forall(self.nodes, lambda n: …)",
    ),
    ("s.votes > 1", "2 ** s.votes > 3", "2 **", "2 ** s.votes", "integers have + - * // %"),
    (ROLE, '[s.role[n] == "leadr"]', "leadr", "'leadr' is not a value of role", "did you mean 'leader'?"),
    (ROLE, "[s.role[n] == self.Role.LEDAER]", "LEDAER", ".LEDAER", "did you mean 'leader'?"),
    (
        VOTE[VOTE.index("    def init") : VOTE.index("    @action")],
        "",
        "class Vote",
        "vote has no init",
        "define init(self, s)",
    ),
    (
        '{s.role[n]: "leader"}',
        '{s.role[n]: if_(s.votes == 0, "follower", "leader")}',
        "{s.role[n]: if_",
        "if_(…, 'follower', 'leader'): the sort of the values is not known",
        "literal(s.x.sort, 'follower')",
    ),
    (
        '{s.role[n]: "leader"}',
        "{s.role[n]: if_(s.votes == 0, None, 1)}",
        "{s.role[n]: if_",
        "if_(…, None, 1)",
        "literal(s.x.sort, None)",
    ),
    (WIN, "when=votes > 1", "when=votes", "the name 'votes' is not known", "did you mean 's.votes'?"),
    (WIN, 'when=s.role[node] == "leader"', "s.role[node]", "'node' is not known", "mean 'self.nodes'?"),
    (WIN, 'when=s.role[nodes] == "leader"', "s.role[nodes]", "'nodes' is not known", "mean 'self.nodes'?"),
    (WIN, "when=fewer(s)", "when=fewer", "the name 'fewer' is not known", "did you mean 'self.few'?"),
    (WIN, "when=foral(self.nodes)", "when=foral", "the name 'foral' is not known", "did you mean 'forall'?"),
    (WIN, "when=s.sent.contains", "when=s.sent", "is a function, not a formula", "call it, as in"),
    (WIN, "when=self.few", "when=self.few", "is a function, not a formula", "call it, as in"),
    (WIN, "when=max(s.votes, 1) > 1", "when=max", "has no truth value", "`minimum(a, b)` for `min(a, b)`"),
    ("votes=Range(0, 3)", "votes=5", "votes=5", "not 5", "as Range(0, 3)"),
]


@pytest.mark.parametrize(("part", "instead", "line", "written", "write"), MISTAKES)
def test_a_mistake_is_told_in_the_authors_words(
    tmp_path: Path, part: str, instead: str, line: str, written: str, write: str
) -> None:
    assert VOTE.count(part) == 1
    file = tmp_path / "vote.py"
    file.write_text(VOTE.replace(part, instead))
    number = next(n for n, row in enumerate(file.read_text().splitlines(), 1) if line in row)
    said = wrong("show", str(file))
    assert said.startswith(f"verify: {file}, line {number}: ")
    assert written in said
    assert write in said


@pytest.mark.parametrize(
    ("part", "instead"),
    [
        ("", ""),
        (ADD, 's.sent.add(self.Message(kind="ask", to=n))'),
        (ADD, 's.sent | {self.Message(kind="ask", to=n)}'),
        (WIN, "when=s.votes > 1"),
        (f"{WIN},\n", ""),
        ('s.role[n]: "leader"', 's.role[n]: if_(s.votes == 0, literal(self.Role, "follower"), "leader")'),
    ],
)
def test_what_works(tmp_path: Path, part: str, instead: str) -> None:
    file = tmp_path / "vote.py"
    file.write_text(VOTE.replace(part, instead, 1))
    assert verify("bmc", "--spec", str(file), "--depth", "1").exit_code == 0


def test_an_option_in_place_of_its_value_is_told_as_such(tmp_path: Path) -> None:
    file = tmp_path / "vote.py"
    text = VOTE.replace("votes=Range(0, 3))", "votes=Range(0, 3), chosen=Option(self.nodes))")
    text = text.replace("s.votes == 0]", "s.votes == 0, s.chosen.is_none]")
    file.write_text(text.replace(WIN, 'when=[s.role[s.chosen] == "leader"]'))
    assert "do not go together: .value is the value of an option" in wrong("show", str(file))


def test_a_parameter_and_a_constant_may_both_be_meant(tmp_path: Path) -> None:
    file = tmp_path / "vote.py"
    text = VOTE.replace(
        '@action(n="nodes")\n    def win(self, s, n)',
        '@action(node="nodes")\n    def win(self, s, node)',
    )
    file.write_text(text.replace("s.role[n]: \"leader\"", "s.role[nodes]: \"leader\""))
    assert "the name 'nodes' is not known; did you mean 'self.nodes' or 'node'?" in wrong("show", str(file))


def test_a_word_of_another_tool_is_translated(tmp_path: Path) -> None:
    file = tmp_path / "vote.py"
    file.write_text(VOTE + "\n    @liveness\n    def soon(self, s):\n        return eventually(s.x)\n")
    assert "the name 'liveness' is not known: write @temporal" in wrong("show", str(file))
