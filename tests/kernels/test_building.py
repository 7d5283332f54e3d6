"""The library is compiled once, kept in a private folder, and done without where anything is wrong."""

from __future__ import annotations

import logging
import os
import subprocess
import threading
import time
from pathlib import Path

import pytest

from tests.support.level_search import build_small, everything
from verifier.engines.explore import explore
from verifier.kernels import building, choosing
from verifier.kernels.library import Library


@pytest.fixture
def folder(tmp_path: Path, own_cache: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "verify" / "kernels"


def _load() -> Library | None:
    building.load_library.cache_clear()
    return building.load_library()


def _build(folder: Path) -> Path:
    if _load() is None:
        pytest.skip("no C compiler")
    (kept,) = folder.glob("*.so")
    return kept


def _refused(caplog: pytest.LogCaptureFixture, words: str) -> None:
    """There is no library, and one line of the log says why."""
    caplog.clear()
    caplog.set_level(logging.INFO)
    assert _load() is None
    (line,) = caplog.messages
    assert line.startswith("no compiled kernels: ")
    assert words in line
    assert "\n" not in line


def test_it_is_compiled_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = _build(folder)
    assert building.is_kept()
    assert folder.stat().st_mode & 0o777 == 0o700

    def fail(*_: object) -> Path:
        raise AssertionError("compiled again")

    monkeypatch.setattr(building, "_compile", fail)
    assert _load() is not None
    assert [kept] == list(folder.glob("*.so"))


@pytest.mark.parametrize("content", [b"", b"\x7fELF no library", None])
def test_a_damaged_library_is_made_again(
    content: bytes | None, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kept = _build(folder)
    whole = kept.read_bytes()
    kept.unlink()  # it is loaded: the file itself stays as it was
    kept.write_bytes(whole[: len(whole) // 2] if content is None else content)
    kept.chmod(0o700)
    caplog.set_level(logging.INFO)
    assert _load() is not None
    (line,) = caplog.messages
    assert "is damaged, and made again" in line
    assert (folder / kept.name).read_bytes() == whole


def test_a_library_of_others_is_not_loaded(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    kept = _build(folder)
    kept.chmod(0o777)
    caplog.set_level(logging.INFO)
    assert _load() is not None
    assert "made again" in caplog.text
    assert not (folder / kept.name).stat().st_mode & 0o022


def test_a_link_is_not_loaded(folder: Path, tmp_path: Path) -> None:
    kept = _build(folder)
    elsewhere = tmp_path / "elsewhere.so"
    kept.rename(elsewhere)
    kept.symlink_to(elsewhere)
    assert _load() is not None
    assert not (folder / kept.name).is_symlink()


def test_a_folder_that_others_may_write_to_is_refused(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    _build(folder)
    folder.chmod(0o777)
    _refused(caplog, "others may write to")


def test_a_folder_that_is_a_link_is_refused(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder.parent.mkdir()
    (tmp_path / "other").mkdir()
    folder.symlink_to(tmp_path / "other")
    _refused(caplog, "others may write to")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_made_is_refused(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tmp_path.chmod(0o500)
    _refused(caplog, "permission denied")


@pytest.mark.parametrize("named", ["", "no-such-compiler"])
def test_without_a_compiler_there_is_none(
    named: str, folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("CC", named)
    _refused(caplog, "no C compiler")
    monkeypatch.delenv("CC")
    monkeypatch.setenv("PATH", str(folder))
    _refused(caplog, "no C compiler")


def _compiler(folder: Path, text: str) -> str:
    script = folder / "compiler"
    script.write_text(f"#!/bin/sh\n{text}\n")
    script.chmod(0o700)
    return str(script)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("exit 1", "does not understand the flags"),
        ('case "$*" in *-dM*) echo macros;; *) echo "too hard" >&2; exit 1;; esac', "too hard"),
        ('case "$*" in *-dM*) echo macros;; *) exit 0;; esac', "cannot be loaded"),
        ("sleep 5", "takes more than"),
    ],
)
def test_a_compiler_that_fails_is_done_without(
    text: str,
    words: str,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(building, "_LONGEST", 0.5)
    monkeypatch.setenv("CC", _compiler(tmp_path, text))
    _refused(caplog, words)
    assert not list(folder.glob(".draft*"))


def test_exploration_goes_on_without(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(choosing, "MANY", 0)
    monkeypatch.setattr(choosing, "VERY_MANY", 0)
    monkeypatch.setenv("CC", _compiler(tmp_path, "exit 1"))
    caplog.set_level(logging.INFO)
    model = build_small("kafka-truncate-hw")
    assert explore(model, everything(model)).statistics["complete"]
    (line,) = [line for line in caplog.messages if "kernels" in line]
    assert line.startswith("no compiled kernels: ")


def test_nothing_is_compiled_before_it_pays(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(choosing, "MANY", 0)
    model = build_small("kafka-truncate-hw")
    caplog.set_level(logging.INFO)
    explore(model, everything(model))
    assert not folder.exists()
    assert "kernels" not in caplog.text


@pytest.mark.parametrize("sources", [building.SOURCES, building.QUERY_SOURCES], ids=["kernel", "queries"])
def test_the_source_has_no_warnings(sources: tuple[Path, ...], tmp_path: Path) -> None:
    try:
        command = building._find_compiler()
    except building.NoLibrary:
        pytest.skip("no C compiler")
    flags = ["-Wall", "-Wextra", "-Werror", "-o", str(tmp_path / "kernel.so")]
    source = tmp_path / "whole.c"
    source.write_bytes(building.read_sources(sources))
    subprocess.run([*command, *building._FLAGS, *flags, str(source)], check=True)


def test_the_queries_do_not_count_as_the_library(folder: Path) -> None:
    """A search that would not wait for the compiler asks whether the library is kept."""
    building.load_queries.cache_clear()
    if building.load_queries() is None:
        pytest.skip("no C compiler")
    assert list(folder.glob("*.so"))
    assert not building.is_kept()
    _build_beside(folder)
    assert building.is_kept()


def _build_beside(folder: Path) -> None:
    before = set(folder.glob("*.so"))
    assert _load() is not None
    assert set(folder.glob("*.so")) > before


def test_only_one_process_compiles(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others wait, and find what it made."""
    kept = _build(folder)
    whole = kept.read_bytes()
    kept.unlink()

    def fail(*_: object) -> Path:
        raise AssertionError("compiled again")

    monkeypatch.setattr(building, "_compile", fail)
    with building._alone(folder):
        found: list[bool] = []
        waiting = [threading.Thread(target=lambda: found.append(bool(building._load()))) for _ in range(2)]
        for thread in waiting:
            thread.start()
        time.sleep(0.3)
        assert not list(folder.glob("*.so"))
        assert not list(folder.glob(".draft*"))
        kept.write_bytes(whole)
        kept.chmod(0o700)
    for thread in waiting:
        thread.join()
    assert found == [True, True]
