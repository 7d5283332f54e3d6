"""docs/language.md and docs/patterns.md: complete, current, and every example runs."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import verifier
from results.generators.language_page import (
    CLASSES,
    Row,
    bits_of,
    declare_sample,
    find_public,
    has_value,
    page,
    sections,
    term_of,
)
from tests.support import paxos
from tests.support.command_line import ROOT
from verifier.specs.protocol import Protocol, define
from verifier.system.model import build
from verifier.system.size import bits_of as estimated_bits

OPERATORS = {
    f"__{name}__"
    for name in ("eq", "ne", "lt", "le", "gt", "ge", "add", "sub", "mul", "floordiv", "mod", "truediv", "pow")
    + ("neg", "and", "or", "xor", "invert", "getitem", "call")
}
PAGES = ("language.md", "patterns.md")


def _rows(*kinds: str) -> list[Row]:
    return [row for section in sections() if section.kind in kinds for row in section.row]


def _list_names() -> set[str]:
    return {name for section in sections() for row in section.row for name in row.names}


def test_the_page_is_current() -> None:
    assert (ROOT / "docs" / "language.md").read_text(encoding="utf-8") == page(), "run make docs"


def test_every_public_name_is_in_it() -> None:
    assert set(verifier.__all__) - _list_names() == set()
    for name in _list_names():
        find_public(name)


@pytest.mark.parametrize("kind", [*CLASSES.values(), Protocol], ids=lambda kind: kind.__name__)
def test_every_public_method_is_in_it(kind: type) -> None:
    own = {f"{kind.__name__}.{name}" for name in vars(kind) if name[0] != "_" or name in OPERATORS}
    assert own - _list_names() == set()


@pytest.mark.parametrize("row", _rows("expression"), ids=lambda row: row.written)
def test_examples_have_a_value(row: Row) -> None:
    assert row.example, f"{row.written} has no example"
    assert has_value(row.example)
    assert bool(row.undefined) == bool(row.outside)
    if row.outside:
        assert not has_value(row.outside)


def test_operators_that_can_be_undefined_say_where() -> None:
    for row in _rows("expression"):
        parts = [name for name in row.names if "." in name or name[0].islower()]
        words = " ".join(inspect.getdoc(find_public(name)) or "" for name in parts)
        assert ("undefined" in words) <= bool(row.undefined), row.written


@pytest.mark.parametrize("row", _rows("sort"), ids=lambda row: row.written)
def test_examples_of_sorts_have_the_bits_that_are_estimated(row: Row) -> None:
    sort = term_of(f"literal(Set({row.example}), set())").sort.parts()[0]
    assert abs(bits_of(row.example) - estimated_bits(sort)) <= 4


@pytest.mark.parametrize("row", [row for row in _rows("class") if row.example], ids=lambda row: row.written)
def test_statements_of_a_class_are_a_protocol(row: Row) -> None:
    assert define(declare_sample(row.example)).actions


@pytest.mark.parametrize("style", [paxos.Paxos, paxos.PaxosVariant, paxos.PaxosUnion])
def test_the_bits_of_paxos_are_those_of_the_page(style: type[paxos.Paxos]) -> None:
    bits = len(build(define(style({"acceptors": 3, "ballots": 2, "values": 2}))).system.bits)
    words = {"Paxos": "a set for each type", "PaxosVariant": "a variant", "PaxosUnion": "one record"}
    page = (ROOT / "docs" / "patterns.md").read_text(encoding="utf-8")
    (row,) = [
        line for line in page.partition("| 3, 3, 2 |")[0].splitlines() if f"{words[style.__name__]} |" in line
    ]
    assert f"| {bits} |" in row


@pytest.mark.parametrize("name", PAGES)
def test_the_blocks_of_the_page_run_from_top_to_bottom(name: str, tmp_path: Path) -> None:
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    script = tmp_path / "page.py"
    script.write_text("\n".join(re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    docs = ROOT / "docs"
    for target in re.findall(r"\]\(([^)\s]+)\)", (docs / name).read_text(encoding="utf-8")):
        if target.startswith("http"):
            continue
        file, _, anchor = target.partition("#")
        path = docs / (file or name)
        assert path.exists(), target
        if anchor:
            titles = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.M)
            anchors = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
            assert anchor in anchors, target
