"""Mistakes in a protocol: one line in the words of this tool, with the file, the line and what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import verify, wrong
from tests.support.mistaken_protocols import CLASS, MISTAKES, NAME, SPEC, Change


def mistaken(folder: Path, *changes: Change) -> str:
    """The file of a protocol with mistakes."""
    text = SPEC
    for part, instead in changes:
        assert text.count(part) == 1, part
        text = text.replace(part, instead)
    path = folder / "lock.py"
    path.write_text(text)
    return str(path)


def line_of(file: str, part: str) -> int:
    """The first line of a file with the part."""
    return next(n for n, line in enumerate(Path(file).read_text().splitlines(), 1) if part in line)


@pytest.mark.parametrize(
    ("changes", "part", "words"),
    MISTAKES,
    ids=[f"{n}-{words[:30]}" for n, (_, _, words) in enumerate(MISTAKES)],
)
def test_a_mistake_is_one_line_with_its_place(
    tmp_path: Path, changes: tuple[Change, ...], part: str, words: str
) -> None:
    file = mistaken(tmp_path, *changes)
    said = wrong("bmc", "--spec", file, "--depth", "2")
    assert said.startswith(f"verify: {file}, line {line_of(file, part)}: ")
    assert words in said
    assert "object at 0x" not in said


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (((CLASS, "class Lock"),), "no class in it derives from Protocol; write class Lock(Protocol)"),
        (((CLASS, "class Other:\n    pass\n\nclass Lock"),), "write class Lock(Protocol) if that is meant"),
        ((("from verifier import *", "from verifier import Protocl"),), "did you mean 'Protocol'?"),
    ],
)
def test_a_file_without_a_protocol(tmp_path: Path, changes: tuple[Change, ...], words: str) -> None:
    assert words in wrong("show", mistaken(tmp_path, *changes))


@pytest.mark.parametrize(
    "changes",
    [
        (),
        ((NAME, ""),),  # the name is then made from the class's
        (("@action()", "@action"), ("@invariant()", "@invariant")),
        (("@invariant()", "@reachable"),),
        (("@invariant()", "@deadlock_invariant"),),
        (("@invariant()", "@type_invariant"),),
        (("@invariant()", "@lemma"), (CLASS, "class Lock(Protocol)")),
    ],
)
def test_what_is_no_mistake(tmp_path: Path, changes: tuple[Change, ...]) -> None:
    assert verify("show", mistaken(tmp_path, *changes)).exit_code == 0
    assert "lock" in verify("show", mistaken(tmp_path, *changes)).stdout


def test_marks_with_and_without_parentheses_mean_the_same(tmp_path: Path) -> None:
    bare = (("@action()", "@action"), ("@invariant()", "@invariant"))
    shown = [verify("bmc", mistaken(tmp_path, *changes), "--format", "json").stdout for changes in ((), bare)]
    hashes = [text.partition('"spec_hash": ')[2][:20] for text in shown]
    assert hashes[0] == hashes[1] != ""


_RELEASE, _PROPERTY = "@action()\n    def release", "@invariant()\n    def holder_waits_no_more"


@pytest.mark.parametrize("name", ["next", "fairness", "constraint", "drawing"])
@pytest.mark.parametrize("old", [_RELEASE, _PROPERTY])
def test_a_name_with_a_meaning_of_its_own_is_no_action_and_no_property(
    tmp_path: Path, old: str, name: str
) -> None:
    """An invariant called constraint would also bound the states that are explored."""
    mark = old.partition("def ")[0]
    said = wrong("show", mistaken(tmp_path, (old, f"{mark}def {name}")))
    assert f"cannot be called {name}: in each protocol that name has a meaning of its own" in said


@pytest.mark.parametrize(
    ("raised", "words"),
    [
        ("AttributeError('no such thing')", "AttributeError: no such thing"),
        ("SystemExit(3)", "SystemExit: 3"),
    ],
)
def test_an_error_of_a_helper_is_shown_as_it_is(tmp_path: Path, raised: str, words: str) -> None:
    helper = f"@property\n    def helper(self):\n        raise {raised}\n\n    {_PROPERTY}"
    use = ("when=[s.holder != None]", "when=[s.holder != None, s.count < self.helper]")
    file = mistaken(tmp_path, (_PROPERTY, helper), use)
    assert wrong("show", file) == f"verify: {file}, line {line_of(file, 'raise')}: {words}"


def test_formulas_may_be_nested_deeply(tmp_path: Path) -> None:
    """As a loop of Python nests them."""
    loop = "for n in range(150): deep = ~(deep & (s.count != n + 5)) | (s.count == n + 9)"
    body = f"deep = s.count == 0\n        {loop}\n        return ~deep | deep"
    deep = f"@invariant()\n    def deep(self, s):\n        {body}\n\n    {_PROPERTY}"
    done = verify("explore", mistaken(tmp_path, (_PROPERTY, deep)), "--property", "deep")
    assert done.exit_code == 0, done.stderr
    assert "HOLDS" in done.stdout
