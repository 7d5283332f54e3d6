"""A watched specification is checked again when its files change, and only where the change matters."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command_line import ROOT, start_verify, verify
from verifier.errors import UsageError
from verifier.runs.loaded import ReadingOptions
from verifier.runs.loading import load
from verifier.server.calls import Call
from verifier.server.meanings import hash_meanings
from verifier.server.watching import Watched
from verifier.tla.errors import TlaError

ALL = ("TypeOK", "OneEach", "InOrder", "Released", "NoDeadlock")
BOUND = ("given \\in 0..Leases", "given \\in 0..Leases + 1")


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    """A copy of the fenced lock."""
    for suffix in (".tla", ".cfg"):
        shutil.copy(ROOT / "docs" / "examples" / f"FencedLock{suffix}", tmp_path)
    return tmp_path / "FencedLock.tla"


def replace_text(file: Path, old: str, new: str) -> None:
    """Replace a part of a file, with another time."""
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("(* A lock", "(* This lock", ()),
        ("OneEach ==", "Another == 3\nOneEach ==", ()),
        ("last' >= last", "last' > last", ("InOrder",)),
        (*BOUND, ("TypeOK",)),
        ("c, d \\in Client", "d, c \\in Client", ("OneEach",)),
        ("lease[c] > 0 ~>", "lease[c] > 1 ~>", ("Released",)),
        ("Init == free = TRUE", "Init == free = FALSE", ALL),
        ("free /\\ given < Leases", "free /\\ given < 2", ALL),
        ("WF_vars(Release(c))", "SF_vars(Release(c))", ALL),
        ("Fencing => lease", "~Fencing \\/ lease", ALL),
        ("vars == <<free, given,", "vars == <<given, free,", ALL),
        ("EXTENDS Naturals", "EXTENDS Integers", ALL),
    ],
)
def test_a_meaning_covers_what_a_property_needs(
    lock: Path, old: str, new: str, changed: tuple[str, ...]
) -> None:
    before = hash_meanings(load(str(lock), {}), ALL)
    replace_text(lock, old, new)
    after = hash_meanings(load(str(lock), {}), ALL)
    assert tuple(name for name in ALL if before[name] != after[name]) == changed


def test_a_meaning_covers_constants_and_the_definitions_of_definitions(tmp_path: Path) -> None:
    file = tmp_path / "M.tla"
    file.write_text(
        "---- MODULE M ----\nEXTENDS Naturals, Base\nCONSTANTS Top, Least(_)\nVARIABLE n\nInit == n = 0\n"
        "Next == n < Top /\\ n' = n + 1\nSmall(x) == x < 1\nOne == 1\nBound == 9\nUp(x) == x <= Bound\n"
        "P == Small(n) => n = 0\nQ == Up(n)\nR == Least(n)\nS == n <= Limit\n====\n",
        encoding="utf-8",
    )
    base = tmp_path / "Base.tla"
    base.write_text("---- MODULE Base ----\nLimit == 7\n====\n", encoding="utf-8")
    file.with_suffix(".cfg").write_text(
        "INIT Init NEXT Next INVARIANTS P Q R S\nCONSTANTS Top = 2 Least <- Small\nCHECK_DEADLOCK FALSE",
        encoding="utf-8",
    )
    names = ("P", "Q", "R", "S")

    def meanings() -> dict[str, str]:
        return hash_meanings(load(str(file), {}), names)

    def changed(old: str, new: str, of: Path = file) -> list[str]:
        before = meanings()
        replace_text(of, old, new)
        after = meanings()
        return [name for name in names if before[name] != after[name]]

    assert changed("Bound == 9", "Bound == 8") == ["Q"]
    assert changed("One == 1", "One == 2") == []
    assert changed("Small(x) == x < 1", "Small(x) == x < 2") == list(names)  # a constant stands for it
    assert changed("Top = 2", "Top = 3", file.with_suffix(".cfg")) == list(names)
    assert changed("Limit == 7", "Limit == 6", base) == list(names)


def test_a_meaning_of_a_python_protocol_covers_its_behaviour() -> None:
    names = ("WeakIsr", "StrongIsr", "UndefinedRead")
    one, other = (hash_meanings(load(spec, {}), names) for spec in ("kip101", "kip279"))
    assert one == hash_meanings(load("kip101", {}), names)
    assert len(set(one.values())) == 3
    assert all(one[name] != other[name] for name in names)
    larger = hash_meanings(load("kip101", {"replicas": 2}), names)
    assert all(one[name] != larger[name] for name in names)


def watch(file: Path, engine: str = "check") -> Watched:
    """Return a watched module."""
    return Watched(str(file), {}, ReadingOptions(), engine, (), {})


def test_only_what_changed_is_checked_again(lock: Path) -> None:
    watched = watch(lock)
    first = watched.look(Call())
    assert (first.kept, first.changes, first.exit_code) == ((), (), 0)
    assert not watched.changed()
    replace_text(lock, "last' >= last", "last' > last")
    assert watched.changed() == [lock]
    second = watched.look(Call())
    assert second.kept == ("TypeOK", "OneEach", "Released")
    assert second.changes == ("InOrder: PROVED → VIOLATED in 1 step",)
    assert second.exit_code == 10
    replace_text(lock, "last' > last", "last' >= last")
    replace_text(lock, "free /\\ given < Leases", "free /\\ given < Leases - 1")
    third = watched.look(Call())
    assert (third.kept, third.exit_code) == ((), 0)
    assert third.changes == ("InOrder: VIOLATED in 1 step → PROVED",)
    replace_text(lock, "given < Leases - 1", "given < Leases")
    assert "states: 44 → 112" in watched.look(Call()).changes


def test_a_wrong_text_is_watched_on(lock: Path) -> None:
    watched = watch(lock, "explore")
    watched.look(Call())
    replace_text(lock, "free' = FALSE", "fre' = FALSE")
    with pytest.raises(TlaError, match="unknown operator fre"):
        watched.look(Call())
    assert not watched.changed()
    replace_text(lock, "fre' = FALSE", "free' = FALSE")
    assert watched.changed() == [lock]
    assert set(watched.look(Call()).kept) == {"TypeOK", "OneEach", "InOrder"}


def test_a_configuration_is_watched(lock: Path) -> None:
    watched = watch(lock, "explore")
    watched.look(Call())
    replace_text(lock.with_suffix(".cfg"), "OneEach", "")
    assert watched.changed() == [lock.with_suffix(".cfg")]
    again = watched.look(Call())
    assert "OneEach" not in again.results
    assert again.changes == ("OneEach: no longer checked",)


def test_what_a_protocol_imports_from_its_folder_is_watched(tmp_path: Path) -> None:
    helper, file = tmp_path / "watched_helper.py", tmp_path / "counter.py"
    helper.write_text("MOST = 2\n", encoding="utf-8")
    file.write_text(
        "from verifier import Protocol, Range, State, Step, action, invariant\n"
        "from watched_helper import MOST\n\n\n"
        "class Counter(Protocol):\n"
        "    def state(self):\n        return State(n=Range(0, 5))\n\n"
        "    def init(self, s):\n        return s.n == 0\n\n"
        "    @action()\n    def up(self, s):\n        return Step(when=[s.n < MOST], then={s.n: s.n + 1})\n\n"
        "    @invariant()\n    def low(self, s):\n        return s.n < 3\n",
        encoding="utf-8",
    )
    watched = watch(file, "explore")
    assert watched.look(Call()).exit_code == 0
    helper.write_text("MOST = 4  # more\n", encoding="utf-8")
    assert watched.changed() == [helper]
    assert "VIOLATED in 3 steps" in " ".join(watched.look(Call()).changes)


def test_a_file_that_is_not_there_is_no_text(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        watch(tmp_path / "Nothing.tla").look(Call())


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.thorough
def test_the_command_says_what_changed(lock: Path, tmp_path: Path) -> None:
    output = tmp_path / "output"
    with output.open("w") as target:
        process = start_verify("watch", str(lock), "--engine", "explore")
        try:
            assert process.stdout is not None
            for line in process.stdout:
                target.write(line)
                if "s in all" in line:
                    break
            replace_text(lock, "last' >= last", "last' > last")
            lines = []
            for line in process.stdout:
                lines.append(line.strip())
                if "→ VIOLATED" in line:
                    break
            assert f"{lock} changed" in lines[1]
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 10
        finally:
            process.kill()


def test_a_built_in_protocol_has_no_file_to_watch() -> None:
    done = verify("watch", "kip101")
    assert done.exit_code == 2
    assert "no file to watch" in done.stderr
