"""The text of a place is that of the file as it is now, though a file is prepared once for many places."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.tla import text as texts
from verifier.tla.errors import Place
from verifier.tla.text import text_at

MODULE = "---- MODULE M ----\nVARIABLE x\nInit == x = 1 (* one *)\nNext == x' = x\n====\n"


def _place(path: Path, line: int, column: int, end: int) -> Place:
    return Place(str(path), line, column, (line, end))


def test_a_file_is_prepared_once_for_many_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "M.tla"
    path.write_text(MODULE)
    calls = []
    original = texts.without_comments

    def count(text: str, file: str) -> str:
        calls.append(file)
        return original(text, file)

    monkeypatch.setattr(texts, "without_comments", count)
    assert [text_at(_place(path, 3, 9, 14)) for _ in range(20)] == ["x = 1"] * 20
    assert text_at(_place(path, 4, 9, 15)) == "x' = x"
    assert len(calls) <= 1


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "M.tla"
    path.write_text(MODULE)
    assert text_at(_place(path, 3, 9, 14)) == "x = 1"
    path.write_text(MODULE.replace("x = 1", "x = 2"))
    assert text_at(_place(path, 3, 9, 14)) == "x = 2"
