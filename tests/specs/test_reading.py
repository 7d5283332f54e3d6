"""Decisions of Python while a protocol is read are refused; Python's own work is not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.command_line import verify
from verifier.specs.built_in import BUILT_IN
from verifier.specs.protocol import DefinitionError, define
from verifier.specs.registry import load

HEAD = """
import functools
from dataclasses import dataclass
from typing import NamedTuple
from verifier.encodings.quantifiers import all_of, arbitrary, constantly, exists, forall
from verifier.encodings.sorts import Function, Option, Range, Set
from verifier.encodings.values import IntegerValue
from verifier.specs.protocol import *

def given(x):
    return x is not None

def logged(method):
    @functools.wraps(method)
    def wrapper(*arguments, **named):
        return method(*arguments, **named)
    return wrapper

@dataclass(frozen=True)
class Pair:
    a: object
    b: object

class Triple(NamedTuple):
    a: object
    b: object

class Base(Protocol, camel_case=True):
    nodes = IndexSetConstant(2, kind="node")
    limit = None

    def state(self):
        return State(
            holder=Option(self.nodes),
            x=Range(0, 3),
            f=Function(self.nodes, Range(0, 1)),
            asked=Set(self.nodes),
        )

    def init(self, s):
        return (s.holder == None) & (s.x == 0) & s.asked.is_empty & forall(self.nodes, lambda n: s.f[n] == 0)

    @action()
    def up(self, s):
        return Step(when=[s.x < 3], then={s.x: s.x + 1})

class Mine(Base):
"""
LINES = HEAD.count("\n")


def read(folder: Path, body: str) -> None:
    """Reads the protocol Mine with this body."""
    path = folder / "mine.py"
    path.write_text(HEAD + body + "\n")
    define(load(f"{path}:Mine")())


def claim(formula: str) -> str:
    """The body with one invariant, in its third line."""
    return invariant(f"return {formula}")


def invariant(*lines: str) -> str:
    """The body with one invariant of these lines, from its third line on."""
    return "    @invariant()\n    def p(self, s):\n" + "\n".join(f"        {line}" for line in lines)


SILENT = {
    "invariant": (claim("s.holder is not None"), 3, "write s.holder != None"),
    "operand": (claim("(s.holder is None) | (s.x == 0)"), 3, "write s.holder == None"),
    "lambda": (claim("forall(self.nodes, lambda n: (s.holder is n) | (s.x == 0))"), 3, "s.holder == n"),
    "list comprehension": (claim("all_of(*[h is None for h in (s.holder,)])"), 3, "h == None"),
    "generator": (claim("all_of(*(h is None for h in (s.holder,)))"), 3, "h == None"),
    "named in passing": (claim("((h := s.holder) is not None) & (s.x == 0)"), 3, "(h := s.holder) != None"),
    "two values": (claim("forall(self.nodes, lambda n: (s.f[n] is s.x) | (s.x == 0))"), 3, "s.f[n] == s.x"),
    "conditional": (claim("(s.x == 0) if s.holder is not None else (s.x == 1)"), 3, "s.holder != None"),
    "partial": (claim("(s.x == 0) | functools.partial(given, s.holder)()"), 11 - LINES, "x != None"),
    "helper": (claim("given(s.holder) | (s.x == 0)"), 11 - LINES, "x != None"),
    "in a tuple": (claim("(s.holder in (s.holder, s.x)) & (s.x == 0)"), 3, "((s.holder == s.holder) | "),
    "in a Python set": (claim("(s.holder in {s.x}) | (s.x == 0)"), 3, "((s.holder == s.x))"),
    "not in": (claim("(s.x not in {s.holder}) | (s.x == 0)"), 3, "~((s.x == s.holder))"),
    "in a set": (claim("forall(self.nodes, lambda n: n in s.asked)"), 3, "s.asked.contains(n)"),
    "sets compared": (claim("(s.x == 0) | ({s.x} == {s.f[n] for n in ()})"), 3, "set_of(…) for one of"),
    "sets within": (claim("(s.x == 0) | ({s.x, 1} <= frozenset({0, 1}))"), 3, "set_of(…) for one of"),
    "difference of sets": (claim("(s.asked == {s.holder.value} - {'n1'}) | (s.x == 0)"), 3, "set_of(…)"),
    "a set made less": (invariant("a = {s.x}", "a -= {s.x + 1}", "return s.x == 0"), 4, "a -= {s.x + 1} is"),
    "sets by name": (invariant("a = {s.x}", "return (s.x == 0) | ((a & {0}) == {0})"), 4, "a & {0} is"),
    "result of a method": (
        "    def get(self, s):\n        return s.holder\n" + claim("(self.get(s) is None) | (s.x == 0)"),
        5,
        "self.get(s) == None",
    ),
    "kept in self": (
        "    def keep(self, s):\n        self.kept = s\n        return s.x == 0\n"
        + claim("self.keep(s) | (self.kept.holder is None)"),
        6,
        "self.kept.holder == None",
    ),
    "property": (
        "    @property\n    def free(self):\n        return self.kept.holder is None\n"
        "    def keep(self, s):\n        self.kept = s\n        return s.x == 0\n"
        + claim("self.keep(s) | self.free"),
        3,
        "self.kept.holder == None",
    ),
    "decorated": (
        "    @invariant()\n    @logged\n    def p(self, s):\n        return (s.x == 0) | (s.holder is None)",
        4,
        "s.holder == None",
    ),
    "nested function": (
        invariant("def free(h):", "    return (h is None) & (s.x == 0)", "return free(s.holder)"),
        4,
        "h == None",
    ),
    "assigned again": (
        invariant("h = s.holder", "found = h is not None", "h = 3", "return found | (s.x == 0)"),
        4,
        "h != None",
    ),
    "if": (
        invariant("if s.holder is None:", "    return s.x == 0", "return s.x <= 3"),
        3,
        "s.holder == None",
    ),
    "match none": (
        invariant("match s.holder:", "    case None:", "        return s.x == 0", "return s.x <= 3"),
        4,
        "if_(…) with ==",
    ),
    "match class": (
        invariant("match s.x:", "    case int():", "        return s.x == 0", "return s.x <= 3"),
        4,
        "if_(…) with ==",
    ),
    "match in a tuple": (
        invariant(
            "match (s.holder, s.x):", "    case (None, _):", "        return s.x == 0", "return s.x <= 3"
        ),
        4,
        "if_(…) with ==",
    ),
    "optional argument that is an option": (
        "    def at(self, s, who=None):\n        return (s.x == 0) if who is None else (s.holder == who)\n"
        + claim("self.at(s, s.holder)"),
        2,
        "who == None",
    ),
    "guard": (
        "    @action()\n    def q(self, s):\n        return Step(when=[s.holder is not None], then={})",
        3,
        "s.holder != None",
    ),
    "assigned value": (
        "    @action()\n    def q(self, s):\n        return Step([], {s.x: 1 if s.holder is None else 2})",
        3,
        "s.holder == None",
    ),
    "init": (
        "    def init(self, s):\n        return (s.holder is None) & super().init(s)",
        2,
        "s.holder == None",
    ),
    "constraint": ("    def constraint(self, s):\n        return s.holder is None", 2, "s.holder == None"),
}


@pytest.mark.parametrize("name", SILENT)
def test_what_python_decides_on_values_is_refused(tmp_path: Path, name: str) -> None:
    body, line, instead = SILENT[name]
    with pytest.raises(DefinitionError) as refused:
        read(tmp_path, body)
    said = str(refused.value)
    assert said.startswith(f"{tmp_path}/mine.py, line {LINES + line}: ")
    assert "decided by Python while it reads the protocol" in said
    assert instead in said


@pytest.mark.parametrize(
    "formula",
    [
        "s.holder == None and s.x == 0",
        "s.holder == None or s.x == 0",
        "not s.holder.is_none",
        "0 <= s.x <= 3",
        "(s.x == 1) if s.x == 0 else (s.x == 2)",
        "max(s.x, 1) == 1",
    ],
)
def test_truth_of_a_formula_is_refused_with_its_place(tmp_path: Path, formula: str) -> None:
    with pytest.raises(DefinitionError, match=rf"mine.py, line {LINES + 3}: a formula has no truth value"):
        read(tmp_path, claim(formula))


FINE = {
    "constant that is None": claim("(s.x <= 3) if self.limit is None else (s.x == 1)"),
    "as an operand": claim("(s.x <= 3) | (self.limit is not None)"),
    "said to be constant": claim("constantly(self.limit is None)"),
    "numbers": claim("(s.x <= 3) & (self.nodes.size in (1, 2))"),
    "class of a value": claim("(s.x <= 3) & (isinstance(s.x, IntegerValue) is True)"),
    "sort of a value": claim("(s.x <= 3) & (s.x.sort is not None) & (s.holder.sort is not self.nodes)"),
    "names of variables": claim(
        "all_of(*(getattr(s, v.name) <= 3 for v in s.symbols if v.name in ('x', 'y')))"
    ),
    "equality with None": claim("(s.holder == None) | (s.holder != None)"),
    "helper at something else": claim("(s.x <= 3) & given(self.limit) | (s.x <= 3)"),
    "keys of a dictionary": (
        invariant(
            "parts = {'a': s.x}", "return (parts['a'] <= 3) & ('a' in parts) & (parts.get('b') is None)"
        )
    ),
    "argument left out": (
        "    def at(self, s, who=None):\n        return (s.x <= 3) if who is None else (s.x == who)\n"
        + claim("self.at(s) | self.at(s, s.x)")
    ),
    "match on a constant": (
        invariant("match self.nodes.size:", "    case 2:", "        return s.x <= 3", "return s.x == 1")
    ),
    "sets without values": claim("(s.x <= 3) & ({1, 2} - {1} == {2}) & ({3, 4}.__len__() == 2)"),
    "sets beside values": claim("(s.asked - {'n1'} == ({'n1'} & s.asked)) | (s.asked == {'n1'} | {'n2'})"),
    "values in data classes": claim("Pair(s.x, 1).a <= Triple(s.x, 4).b"),
    "not run": "    def never(self, s):\n        return s.holder is None",
}


@pytest.mark.parametrize("name", FINE)
def test_what_is_pythons_business_is_let_pass(tmp_path: Path, name: str) -> None:
    read(tmp_path, FINE[name])


def test_modules_beside_the_protocol_are_watched(tmp_path: Path) -> None:
    (tmp_path / "helper_of_reading.py").write_text("def free(h):\n    return h is None\n")
    inside = "    @invariant()\n    def p(self, s):\n        from helper_of_reading import free\n"
    sys.path.insert(0, str(tmp_path))
    try:
        with pytest.raises(DefinitionError, match=r"helper_of_reading\.py, line 2: h is None is decided"):
            read(tmp_path, inside + "        return (s.x == 0) | free(s.holder)")
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("helper_of_reading", None)


WITHOUT_TEXT = {
    "is": "return (s.holder is not None) | (s.x == 0)",
    "comprehension": "return all_of(s.x == 0, *[h is None for h in (s.holder,)])",
    "in": "return (s.holder in (1, s.holder)) & (s.x == 1)",
    "if": "\n  if s.holder is None: return s.x == 0\n  return s.x == 1",
    "match": "\n  match s.holder:\n    case None: return s.x == 0\n  return s.x == 1",
}


@pytest.mark.parametrize("name", WITHOUT_TEXT)
def test_code_without_source_text_is_read_as_bytecode(tmp_path: Path, name: str) -> None:
    method = f"@invariant()\ndef p(self, s): {WITHOUT_TEXT[name]}"
    with pytest.raises(DefinitionError, match=r"<string>, line \d: .* has is, in or match on a value"):
        read(tmp_path, f"    exec({method!r})")


def test_harmless_code_without_source_text_is_let_pass(tmp_path: Path) -> None:
    formula = (
        "(s.x <= 3) if self.limit is None and s.x.sort is not None else s.x == self.nodes.size in (1, 2)"
    )
    method = f"@invariant()\ndef p(self, s): return {formula}"
    read(tmp_path, f"    exec({method!r})")


def test_a_tracer_that_was_there_is_there_again(tmp_path: Path) -> None:
    def tracer(*_: object) -> None:
        return None

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        read(tmp_path, FINE["numbers"])
        with pytest.raises(DefinitionError):
            read(tmp_path, SILENT["invariant"][0])
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)


def test_the_built_in_protocols_are_read() -> None:
    for name in BUILT_IN:
        assert define(load(name)()).actions


@pytest.mark.parametrize(
    "command",
    [
        ("bmc", "--depth", "3"),
        ("explore",),
        ("prove", "--property", "P"),
        ("induct", "--property", "P"),
        ("simulate",),
    ],
    ids=lambda command: str(command[0]),
)
def test_every_command_refuses_it_in_one_line(tmp_path: Path, command: tuple[str, ...]) -> None:
    path = tmp_path / "mine.py"
    path.write_text(HEAD + claim("s.holder is not None") + "\n")
    done = verify(command[0], "--spec", f"{path}:Mine", *command[1:])
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-1].startswith(f"verify: {path}, line {LINES + 3}: s.holder is not None")
