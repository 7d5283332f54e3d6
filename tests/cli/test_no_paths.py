"""Words that no file can be called by, and names with characters that formats treat in their own way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.command_line import CHAIN, LOCK, verify, wrong
from tests.support.reporting import every_verdict
from tests.support.sampling import some_of
from verifier.report.formats import FORMATS, render
from verifier.report.plots import plots
from verifier.report.report import Report

LONG = "x" * 300
NO_PATHS = [
    (LONG, "file name too long"),
    (f"{'d' * 200}/" * 30, "file name too long"),
    ("a\0b", "it has a character that none can have"),
    ("a\ud800b", "it has a character that none can have"),
]
COMMANDS = [
    ("report", "{}"),
    ("replay", "{}"),
    ("certify", "{}"),
    ("ci", "{}"),
    ("matrix", "{}"),
    ("sweep", "{}"),
    ("sweep", "--spec", CHAIN, "--out", "{}"),
    ("sweep", "--spec", CHAIN, "--archive", "{}"),
    ("sweep", "--spec", CHAIN, "--spark-log", "{}"),
    ("bmc", "--spec", CHAIN, "--html", "{}"),
    ("bmc", "--spec", CHAIN, "--trace-out", "{}"),
    ("prove", "--spec", CHAIN, "--certificate", "{}"),
    ("export", CHAIN, "--format", "vmt", "--out", "{}"),
    ("show", "{}.py"),
    ("bmc", "--spec", "{}.py:Class"),
]


@pytest.mark.parametrize(("word", "words"), NO_PATHS, ids=["name", "path", "nul", "surrogate"])
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_what_is_no_path_is_refused(command: tuple[str, ...], word: str, words: str) -> None:
    said = wrong(*(part.format(word) for part in command))
    assert said.endswith(f"is not a path: {words}")
    assert len(said) < 250


def test_a_file_in_the_longest_folder_that_there_is_is_written(tmp_path: Path) -> None:
    target = tmp_path / ("y" * 250)
    words = ("--property", "TypeInvariant", "--depth", "1")
    done = verify("bmc", "--spec", LOCK, *words, "--html", str(target))
    assert done.exit_code == 0, done.stderr
    assert target.is_file()


@pytest.mark.parametrize(
    "word",
    some_of(["$x^{$", "$", "a$b$c", r"\$", r"$\bad{$", "_x", "%s{0}", "a/b", "\ud800", "²"], every=4),
)
def test_names_are_shown_as_they_are(word: str) -> None:
    rows = []
    for number, row in enumerate(every_verdict()):
        constants = {word: number, "k": f"{word}{number % 2}"}
        rows.append(replace(row, depth=number, solver=word, constants=constants, seconds=2.0))
    for name in FORMATS:
        assert render(Report(word, rows), name)
    assert word.replace("\ud800", r"\ud800") in plots(rows)[0].svg


def test_times_that_no_run_takes_are_drawn(recwarn: pytest.WarningsRecorder) -> None:
    times = (1e300, 0.0, -1.0, 1e-300)
    rows = [replace(row, depth=n, seconds=times[n % 4]) for n, row in enumerate(every_verdict())]
    assert plots(rows)
    assert not [str(warning.message) for warning in recwarn]


@pytest.mark.parametrize("output_format", ["smt2", "vmt", "btor2"])
def test_a_word_that_is_no_unicode_is_exported(output_format: str, tmp_path: Path) -> None:
    spec = tmp_path / "odd.py"
    spec.write_text(
        "from verifier import *\n"
        "class Odd(Protocol, camel_case=True):\n"
        "    word = Enum('word', ('a\\ud800', 'plain'))\n"
        "    def state(self):\n"
        "        return State(w=self.word)\n"
        "    def init(self, s):\n"
        "        return s.w == 'plain'\n"
        "    @action(n='word')\n"
        "    def say(self, s, n):\n"
        "        return Step(when=[], then={s.w: n})\n"
        "    @invariant()\n"
        "    def fine(self, s):\n"
        "        return s.w == 'plain'\n"
    )
    done = verify("export", "--spec", str(spec), "--format", output_format)
    assert done.exit_code == 0, done.stderr
