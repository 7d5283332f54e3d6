"""Sorts that are none, or have no values: one line names the place, and the constants that make it so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import verify, wrong
from verifier.encodings.sorts import Bag, Function, IndexSet, Option, Range, Record, Sequence, Set, Sort

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
