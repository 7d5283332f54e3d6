"""The folder of rows: whole files only, the newest row counts, one writer at a time."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.support.command_line import CHAIN, ROOT, verify, wrong
from tests.support.sweeping import identify_row, jobs_of
from verifier.errors import UsageError
from verifier.outcomes.row import Row
from verifier.sweep.execution import error_row
from verifier.sweep.store import (
    ROWS,
    WITHOUT_CHECKSUMS,
    Full,
    Store,
    count_rows,
    read_asked,
    read_recorded,
    read_rows,
    table_of,
)
from verifier.verdict import VerdictKind


def rows(count: int) -> list[Row]:
    """Rows that differ in their keys, with something in every column."""
    (job,) = jobs_of(specs=(CHAIN,), properties=("NeverTop",))
    full = replace(
        error_row(job, "run", "why"),
        depth=3,
        steps=2,
        fewest=True,
        peak_memory=2**40,
        trace={"#meta": {}, "vars": ["a"], "states": [{"a": "ä"}]},
        proof={"clauses": 3},
        drawing={"lanes": [], "messages": []},
        statistics={"x": None},
    )
    return [identify_row(replace(full, constants={"top": number})) for number in range(count)]


def test_rows_come_back_as_they_were(tmp_path: Path) -> None:
    written = [*rows(2), replace(rows(3)[2], depth=None, trace=None, proof=None, fewest=None, drawing=None)]
    with Store(tmp_path) as store:
        for row in written:
            store.add([row], row.job_id)
    assert read_rows(tmp_path) == written


def test_the_newest_row_of_a_key_counts_before_and_after_files_become_one(tmp_path: Path) -> None:
    old, new = (replace(rows(1)[0], reason=reason) for reason in ("old", "new"))
    with Store(tmp_path) as store:
        store.add([old, *rows(2)[1:]], "job")
        store.add([new], "job")
        assert {row.reason for row in read_rows(tmp_path)} == {"new", "why"}
        store.compact()
        assert len(list((tmp_path / ROWS).iterdir())) == 1
        assert {row.reason for row in read_rows(tmp_path)} == {"new", "why"}
        store.add([old], "job")
    assert {row.reason for row in read_rows(tmp_path)} == {"old", "why"}


@pytest.mark.thorough
def test_many_files_become_one_by_themselves(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        for row in rows(300):
            store.add([row], row.job_id)
    assert len(list((tmp_path / ROWS).iterdir())) < 100
    assert len(read_rows(tmp_path)) == 300


def test_what_a_killed_writer_left_is_neither_read_nor_kept(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.add(rows(1), "job")
    half = tmp_path / ROWS / ".1.parquet.0123456789ab.tmp"
    half.write_bytes(b"PAR1 and no more")
    assert len(read_rows(tmp_path)) == 1
    with Store(tmp_path) as store:
        assert not half.exists()
        store.add(rows(2)[1:], "job")
    assert len(read_rows(tmp_path)) == 2


def test_a_folder_has_one_writer(tmp_path: Path) -> None:
    with Store(tmp_path), pytest.raises(UsageError, match=rf"another sweep .*process {os.getpid()} on"):
        Store(tmp_path).__enter__()
    with Store(tmp_path):
        pass


def test_the_lock_of_a_killed_writer_is_free(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from verifier.sweep.store import Store\n"
        "Store(Path(sys.argv[1])).__enter__(); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, check=False)
    assert done.returncode < 0
    with Store(tmp_path):
        pass


@pytest.mark.thorough
def test_a_full_disk_loses_nothing_that_was_written(tmp_path: Path) -> None:
    """A limit on the size of files fails writes in the same places as a full disk."""
    code = (
        "import resource, sys; from pathlib import Path; from dataclasses import replace\n"
        "from tests.sweep.test_sweep_store import rows; from verifier.sweep.store import Full, Store\n"
        "with Store(Path(sys.argv[1])) as store:\n"
        "    store.add(rows(1), 'job')\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))\n"
        "    try:\n"
        "        store.add(rows(500), 'job')\n"
        "    except Full as full:\n"
        "        print(full)\n"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", code, str(tmp_path)],  # no bytecode that is cut short
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "rows cannot be written" in done.stdout, done.stderr
    assert len(read_rows(tmp_path)) == 1
    assert not list((tmp_path / ROWS).glob("*.tmp"))


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(UsageError, match="cannot be written"):
        Store(file).__enter__()
    with pytest.raises(UsageError, match="not the folder of a sweep"):
        read_rows(tmp_path)


def test_a_file_of_something_else_is_named(tmp_path: Path) -> None:
    with Store(tmp_path):
        (tmp_path / ROWS / "other.parquet").write_bytes(b"something else")
    with pytest.raises(UsageError, match=r"other\.parquet holds no rows"):
        read_rows(tmp_path)


def test_full_is_said_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(_: int) -> None:
        raise OSError(28, "No space left on device")

    with Store(tmp_path) as store:
        monkeypatch.setattr(os, "fsync", no_room)
        with pytest.raises(Full, match="no space left on device"):
            store.add(rows(1), "job")
    assert read_rows(tmp_path) == []


def damage_folder(folder: Path) -> tuple[list[Row], Path]:
    """A folder with two files of rows, one of which is cut off, and what it had."""
    two = rows(2)
    with Store(folder) as store:
        store.describe({"jobs": [row.job_id for row in two]})
        for row in two:
            store.add([row], row.job_id)
    file = sorted((folder / ROWS).iterdir())[1]
    file.write_bytes(file.read_bytes()[:-20])
    return two, file


def test_a_damaged_file_is_named_with_how_to_go_on(tmp_path: Path) -> None:
    _, file = damage_folder(tmp_path)
    how = f"verify sweep ... --out {tmp_path} --repair sets it aside and runs its jobs again"
    said = wrong("report", str(tmp_path))
    assert said.startswith(f"verify: {file} holds no rows of a sweep: ")
    assert said.endswith(how)
    assert "Traceback" not in said


def test_a_repair_sets_aside_what_holds_no_rows(tmp_path: Path) -> None:
    two, file = damage_folder(tmp_path)
    with Store(tmp_path) as store:
        (said,) = store.repair()
        assert said.startswith(f"{file} holds no rows of a sweep: ")
        assert store.repair() == []
        assert read_rows(tmp_path) == two[:1]
        store.add(two[1:], two[1].job_id)
        store.compact()
    assert read_rows(tmp_path) == two
    assert [kept.name for kept in (tmp_path / "damaged").iterdir()] == [f"rows-{file.name}"]


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("trace", "{", "Expecting property name"),
        ("verdict", "PERHAPS", "'PERHAPS' is not a valid VerdictKind"),
        ("constants", "[1]", "constants should be an object"),
        ("constants", None, "constants should be an object, it is null"),
        ("seconds", None, "seconds should be a number, it is null"),
        ("exit_code", 64, "has the exit code 64, which there is not"),
        ("property_name", "S", "has another key than follows from what it says was asked"),
        ("constants", '{"top": 1}', "has another key than follows from what it says was asked"),
    ],
)
def test_rows_that_are_none_are_damage_too(
    column: str, value: str | None, words: str, tmp_path: Path
) -> None:
    with Store(tmp_path) as store:
        store.add(rows(1), "job")
        (file,) = (tmp_path / ROWS).iterdir()
        (values,) = pq.ParquetFile(file).read().to_pylist()
        pq.write_table(count_rows(table_of([{**values, column: value}])), file)
        with pytest.raises(UsageError, match=re.escape(str(file))) as refused:
            read_rows(tmp_path)
        assert words in str(refused.value)
        assert len(store.repair()) == 1
        assert read_rows(tmp_path) == []


def test_a_depth_beyond_what_was_asked_for_is_damage(tmp_path: Path) -> None:
    deep = identify_row(replace(rows(1)[0], verdict=VerdictKind.HOLDS, options={"depth": 10}, depth=26))
    with Store(tmp_path) as store:
        store.add([deep], "job")
    with pytest.raises(UsageError, match="claims depth 26 where depth 10 was asked for"):
        read_rows(tmp_path)


def silent_changes(folder: Path, flips: int, seed: int) -> list[str]:
    """Flips single bits of a file of rows and of ``sweep.json``; the flips after which something else is read
    than was written, and nothing is said. Anything raised but a UsageError is raised."""
    original, other = folder / "original", folder / "changed"
    with Store(original) as store:
        store.describe({"jobs": [row.job_id for row in rows(3)]})
        store.add(rows(3), "job")
    files = [next((original / ROWS).iterdir()), original / "sweep.json"]
    written = (read_recorded(original), read_asked(original))
    shutil.copytree(original, other)
    rng, silent = random.Random(seed), []
    for number in range(flips):
        file = files[number % 10 == 0]
        changed, content = other / file.relative_to(original), bytearray(file.read_bytes())
        place, bit = rng.randrange(len(content)), rng.randrange(8)
        content[place] ^= 1 << bit
        changed.write_bytes(content)
        try:
            if (read_recorded(other), read_asked(other)) != written:
                silent.append(f"bit {bit} of byte {place} of {file.name}")
        except UsageError:
            pass
        changed.write_bytes(file.read_bytes())
    return silent


@pytest.mark.thorough
def test_no_flipped_bit_changes_a_row_in_silence(tmp_path: Path) -> None:
    assert silent_changes(tmp_path, 500, seed=41) == []


@pytest.mark.thorough
def test_no_flipped_bit_of_many_changes_a_row_in_silence(tmp_path: Path) -> None:
    assert silent_changes(tmp_path, 100_000, seed=1) == []


def without_checksums(folder: Path) -> None:
    """Makes the files of a folder what earlier versions wrote."""
    for file in (folder / ROWS).iterdir():
        table = pq.ParquetFile(file).read().select(WITHOUT_CHECKSUMS.names)
        pq.write_table(table.cast(WITHOUT_CHECKSUMS), file)
    asked = json.loads((folder / "sweep.json").read_text())
    del asked["checksum"]
    (folder / "sweep.json").write_text(json.dumps(asked))


def test_rows_of_earlier_versions_are_read_and_said_to_be_unchecked(tmp_path: Path) -> None:
    three = rows(3)
    with Store(tmp_path) as store:
        store.describe({"jobs": [row.job_id for row in three]})
        for row in three[:2]:
            store.add([row], row.job_id)
    without_checksums(tmp_path)
    with Store(tmp_path) as store:
        store.add(three[2:], "job")
        store.compact()
        assert len(list((tmp_path / ROWS).iterdir())) == 2
    assert [one.is_checked for one in read_recorded(tmp_path)] == [False, False, True]
    assert read_rows(tmp_path) == three
    done = verify("report", str(tmp_path), "--format", "json")
    assert "2 rows have no checksums, since an earlier version wrote them" in done.stdout


@pytest.mark.parametrize(
    "name", ["rows", "parts", "damaged", "lock", "lock.holder", "sweep.json", "spark.log"]
)
def test_links_in_a_folder_are_not_followed(name: str, tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "sweep", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir() if name in ("rows", "parts", "damaged") else elsewhere.write_text("mine")
    (folder / name).symlink_to(elsewhere)
    with pytest.raises(UsageError, match=f"{name} in it is a link, which is not followed"):
        Store(folder).__enter__()
    assert [file.name for file in folder.iterdir()] == [name]
    assert elsewhere.is_dir() or elsewhere.read_text() == "mine"


def test_files_of_others_are_never_removed(tmp_path: Path) -> None:
    two = rows(2)
    with Store(tmp_path) as store:
        store.add(two[:1], "job")
    (file,) = (tmp_path / ROWS).iterdir()
    mine = [tmp_path / ".notes.tmp", tmp_path / ROWS / "notes.tmp", tmp_path / ROWS / "copy.parquet"]
    for other in mine:
        other.write_bytes(file.read_bytes())
    with Store(tmp_path) as store:
        store.add(two[1:], "job")
        store.compact()
    assert all(other.exists() for other in mine)
    assert sorted(read_rows(tmp_path), key=lambda row: str(row.constants)) == two
