"""Reports of a sweep's folder show what is current, say what they leave out, and tell versions apart."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import CHAIN, verify, wrong
from tests.support.examples import run_rows
from tests.support.sweeping import identify_row
from verifier.outcomes.row import Row
from verifier.report.report import version_columns
from verifier.sweep.current import sort_by_standing
from verifier.sweep.store import Store


def row(spec: str, size: int, version: str, name: str = "Safe", **more: Any) -> Row:
    """A row of a version of a spec; its hash depends on the constants, as always."""
    (found,) = run_rows("explore", "--spec", CHAIN, "--property", "StartsLow")
    base = replace(found, property_name=name, spec=spec, constants={"size": size})
    made = replace(base, spec_hash=f"{version}-at-{size}", trace=None, **more)
    return identify_row(replace(made, options={**made.options, "seed": spec}))


def folder_of(folder: Path, rows: Sequence[Row], asked: Sequence[Row]) -> str:
    with Store(folder / "sweep") as store:
        for item in rows:
            store.add([item], item.job_id)
        store.describe({"jobs": [item.job_id for item in asked]})
    return str(folder / "sweep")


def report_folder(folder: str, *more: str) -> tuple[set[tuple[str, str]], list[str]]:
    """Specs with hashes, and notes."""
    done = verify("report", folder, "--format", "json", *more)
    assert done.exit_code == 0, done.output
    content = json.loads(done.stdout)
    return {(item["spec"], item["spec_hash"]) for item in content["rows"]}, content["notes"]


OLD, NEW = row("lock", 1, "old"), row("lock", 1, "new")
ELSEWHERE = row("lock", 2, "old")
OTHER_OLD, OTHER_NEW = row("queue", 1, "old"), row("queue", 1, "new")


def test_the_current_version_is_shown_and_the_rest_is_counted(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, [OLD, ELSEWHERE, NEW], [NEW])
    rows, (note,) = report_folder(folder)
    assert rows == {("lock", "new-at-1")}
    assert note == (
        "2 rows are left out, since not current (--older shows them): 1 of other versions of a spec or of "
        "verify (lock) and 1 at constants that the last sweep did not ask about (lock)."
    )
    rows, (note,) = report_folder(folder, "--older")
    assert rows == {("lock", "new-at-1"), ("lock", "old-at-1"), ("lock", "old-at-2")}
    assert note.startswith("2 rows are not current: ")


def test_what_was_asked_last_counts_not_what_was_recorded_last(tmp_path: Path) -> None:
    """A change that was taken back: its rows are younger, and nothing was to be run again."""
    assert report_folder(folder_of(tmp_path, [OLD, NEW], [OLD]))[0] == {("lock", "old-at-1")}


def test_specs_that_the_last_sweep_left_alone_are_shown_in_their_newest_version(tmp_path: Path) -> None:
    rows, notes = report_folder(folder_of(tmp_path, [OTHER_OLD, OTHER_NEW, NEW], [NEW]))
    assert rows == {("lock", "new-at-1"), ("queue", "new-at-1")}
    assert "1 row is left out" in notes[0]


def test_other_properties_of_the_same_version_are_current() -> None:
    other = row("lock", 1, "new", "Alive")
    assert sort_by_standing([OLD, other, NEW], {NEW.job_id}).current == (other, NEW)


def test_rows_of_another_version_of_verify_are_not_current() -> None:
    later = row("lock", 1, "new", tool_version="99")
    found = sort_by_standing([NEW, later], {later.job_id})
    assert (found.current, found.superseded) == ((later,), (NEW,))
    assert version_columns([NEW, later]) == {"verify": [NEW.tool_version, "99"]}


def test_constants_alone_make_no_version(tmp_path: Path) -> None:
    rows = [row("lock", size, "new") for size in (1, 2, 3)]
    assert version_columns(rows) == {}
    assert report_folder(folder_of(tmp_path, rows, rows)) == ({(r.spec, r.spec_hash) for r in rows}, [])


def test_without_word_of_what_was_asked_the_newest_is_shown(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, [OLD, NEW], [])
    assert report_folder(folder)[0] == {("lock", "new-at-1")}
    Path(folder, "sweep.json").unlink()
    assert report_folder(folder)[0] == {("lock", "new-at-1")}
    Path(folder, "sweep.json").write_text('{"jobs": 3}')
    assert "sweep.json does not say what was asked" in wrong("report", folder)


@pytest.mark.parametrize("form", ["text", "markdown", "junit", "html"])
def test_hashes_are_shown_where_they_differ(form: str, tmp_path: Path) -> None:
    folder = folder_of(tmp_path, [OLD, NEW], [NEW])
    both = verify("report", folder, "--format", form, "--older")
    said = both.stdout.replace("\\", "")
    assert "old-at-1" in said
    assert "new-at-1" in said
    assert "1 row is not current" in (both.stderr if form == "junit" else said)
    one = verify("report", folder, "--format", form)
    assert "1 row is left out" in (one.stderr if form == "junit" else one.stdout)
    assert "old-at-1" not in one.stdout
    if form in ("text", "markdown"):
        assert "spec hash" in said
        assert "spec hash" not in one.stdout


def test_older_rows_are_those_of_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text("{}")
    assert "--older is for the folder of a sweep" in wrong("report", str(path), "--older")
