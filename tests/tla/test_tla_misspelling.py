"""Modules with a misspelled operator, or with ``=`` for ``==``: the error names it, and what is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import wrong
from tests.support.tla_modules import write_module

BEFORE = "EXTENDS Naturals\nVARIABLE x\nS == {1}\nInit == x = 0\nNext == x' = x\n"
AFTER = "\nQ == x > 3\n"
EQUALS = "syntax error: unexpected `=`; a definition is written with =="


@pytest.mark.parametrize(
    ("definition", "words"),
    [
        (r"P == \A w \im S : w > 0", r":7:11: unknown operator \im; did you mean \in?"),
        (r"P == x \im S", r":7:8: unknown operator \im; did you mean \in?"),
        (r"P == \E w \notinn S : w > 0", r":7:11: unknown operator \notinn; did you mean \notin?"),
        (r"P == S \subsetequ S /\ )", "syntax error: this ) closes no bracket"),
        (r"P == S \subsetequ S S", r":7:8: unknown operator \subsetequ; did you mean \subseteq?"),
        ("P ==\n  /\\ x > 1\n  /\\ x \\qqqq 3", r":9:8: unknown operator \qqqq"),
        ("Crash(n) = x > n", f":7:10: {EQUALS}"),
        ("Crash = x > 1", f":7:7: {EQUALS}"),
        ("f[n \\in S] = n", f":7:12: {EQUALS}"),
    ],
)
def test_the_error_names_the_misspelled_word(tmp_path: Path, definition: str, words: str) -> None:
    module = write_module(tmp_path, BEFORE + definition + AFTER)
    assert words in wrong("check", str(module))


def test_the_first_definition_needs_two_signs(tmp_path: Path) -> None:
    assert f":2:10: {EQUALS}" in wrong("check", str(write_module(tmp_path, "Crash(n) = n > 1\n")))


@pytest.mark.parametrize(
    ("definition", "words"),
    [
        ("P == {1, 2} \\s 3 4\ns == 3", "syntax error"),  # a difference of sets, then a number too many
        ('P == "\\im" x', "syntax error"),
        ("P == \\b101 + \\hff x", "syntax error"),
        ("P == x >\nx = 2 3", "syntax error"),
    ],
)
def test_other_errors_keep_their_words(tmp_path: Path, definition: str, words: str) -> None:
    said = wrong("check", str(write_module(tmp_path, BEFORE + definition + AFTER)))
    assert "unknown operator" not in said
    assert EQUALS not in said
    assert words in said or "is missing here" in said
