"""The style check refuses openings of docstrings and private words, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.style import Fault, Style, comments, docstrings, files, prose
from tests.support.command_line import ROOT

STYLE = Style(["What", "Whether", "The same"], {"anew": "again"}, {"old": 2, "old/newer": 0})
OPENING = "a docstring begins with a verb or a noun, not with "


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('"""What solves."""\n', OPENING + "'What'"),
        ('class A:\n    x: int\n    """Whether it is."""\n', OPENING + "'Whether'"),
        ('def f():\n    """``The same`` as g."""\n', OPENING + "'The same'"),
        ('async def f():\n    """\n    What it gives.\n    """\n', OPENING + "'What'"),
        ('def f():\n    """Return it.\n\n    It is made anew.\n    """\n', "instead of 'anew' write 'again'"),
        ("x = 1  # Anew.\n", "instead of 'anew' write 'again'"),
    ],
)
def test_a_fault_is_found(text: str, words: str) -> None:
    assert [fault.words for fault in STYLE.faults("a.py", text)] == [words]


@pytest.mark.parametrize(
    "text",
    [
        '"""The solver."""\n',
        '"""Whatever comes."""\n',
        '"""Return it. What it is is said elsewhere."""\n',
        'x = "What is this?"\n',
        'def f(anew):\n    """Return it."""\n    return f"anew {anew}"\n',
    ],
)
def test_other_texts_pass(text: str) -> None:
    assert STYLE.faults("a.py", text) == []


def test_pages_are_checked_without_their_code() -> None:
    page = "Made anew.\n\n```python\nanew = 1\n```\n\nAgain, anew.\n"
    assert [fault.line for fault in STYLE.faults("a.md", page)] == [1, 7]
    assert len(list(prose(page))) == len(page.splitlines())


def test_a_place_is_the_line() -> None:
    text = '"""Reads."""\n\n\ndef f():\n    """Return.\n\n    Made anew.\n    """\n'
    assert [line for line, _ in docstrings(text)] == [1, 5]
    assert (7, "    Made anew.") in list(comments(text))
    assert [str(fault) for fault in STYLE.faults("b.py", text)] == [
        "b.py:7: instead of 'anew' write 'again'"
    ]


def test_an_unfinished_folder_may_have_so_many() -> None:
    fault = Fault("old/a.py", 1, "words")
    assert STYLE.select_remaining([fault, fault]) == []
    assert STYLE.select_remaining([fault] * 3) == [fault] * 3
    inner = Fault("old/newer/a.py", 1, "words")
    assert STYLE.select_remaining([fault, inner]) == [inner]
    other = Fault("oldest/a.py", 1, "words")
    assert STYLE.select_remaining([other]) == [other]


def test_the_rules_are_those_of_the_file() -> None:
    style = Style.read(ROOT / "tests" / "style.toml")
    assert {"What", "Whether", "The same"} <= set(style.openings)
    assert all((ROOT / folder).is_dir() and most > 0 for folder, most in style.unfinished.items())
    paths = {path.relative_to(ROOT).as_posix() for path in files()}
    assert {"README.md", "docs/tla.md", "encodings/terms.py", "tests/style.py"} <= paths
    assert not [path for path in paths if path.startswith(("verifier/encodings", "verifier/specs"))]


def test_a_small_repository_is_read(tmp_path: Path) -> None:
    (tmp_path / "style.toml").write_text('openings = ["What"]\n[words]\n"anew" = "again"\n[unfinished]\n')
    style = Style.read(tmp_path / "style.toml")
    assert style.faults("a.py", '"""What."""\n')
    assert not style.faults("a.py", '"""Whether."""\n')
