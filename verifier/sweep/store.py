"""The store of a sweep's rows: a folder of small Parquet files that only grows.

A batch of rows is written to a file of its own, forced to the disk, and only then given its name: a
file that has its name is whole. Whoever reads takes of several rows with one key the newest. Files
become one when there are many; their rows may for a moment be there twice, which readers do not mind.

Each row has a checksum of all its columns, and each file says how many rows it has, so that nothing that a
disk changed is read as a verdict. Earlier versions wrote neither: their rows are read if what they say can
be (``check_claim``), and are counted as unchecked. Files with and without checksums never become one.

    FOLDER/rows/*.parquet     the rows
    FOLDER/parts/*.parquet    rows of parts of jobs, which say nothing of the whole job
    FOLDER/damaged/           files of these that hold no rows, set aside by a repair
    FOLDER/sweep.json         what was asked last
    FOLDER/lock               held by the process that writes
    FOLDER/lock.holder        says which process that is, or was last
    FOLDER/spark.log

A folder may come from elsewhere: where a link stands in the place of one of these, nothing is written. Only
files whose names are those that are given here are ever removed.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from verifier.errors import UsageError
from verifier.files import reason_of, replace_file, text_of
from verifier.json_shape import check_shape, read_json
from verifier.outcomes.row import Row, check_claim, check_row
from verifier.verdict import VerdictKind

ROWS, PARTS, DAMAGED = "rows", "parts", "damaged"
LOCK, HOLDER, ASKED, SPARK_LOG = "lock", "lock.holder", "sweep.json", "spark.log"
_WRITTEN = (ROWS, PARTS, DAMAGED, LOCK, HOLDER, ASKED, SPARK_LOG)
_OF_ROWS = re.compile(r"[0-9]+\.parquet")
_OF_DRAFTS = re.compile(r"\.([0-9]+\.parquet|lock\.holder|sweep\.json)\.[0-9a-f]{12}\.tmp")
"""Names of files that were not ended (``verifier.files``)."""
_MOST_FILES = 256
_OBJECTS = ("constants", "options", "trace", "proof", "statistics", "drawing")
"""Columns that hold JSON."""

_TYPES = {
    "depth": pa.int64(),
    "seconds": pa.float64(),
    "peak_memory": pa.int64(),
    "steps": pa.int64(),
    "fewest": pa.bool_(),
    "exit_code": pa.int64(),
}
WITHOUT_CHECKSUMS = pa.schema(
    [(field.name, _TYPES.get(field.name, pa.string())) for field in fields(Row)]
    + [("asked_for", pa.string()), ("recorded_at", pa.int64())]
)
"""The columns: those of a Row; the key of the job that gave it, which of a type invariant that is violated
need not be its own; and when it was recorded (nanoseconds; the newest row of a key counts)."""
CHECKSUM = "checksum"
SCHEMA = WITHOUT_CHECKSUMS.append(pa.field(CHECKSUM, pa.string()))
"""These columns and their checksum: the second version of the columns."""
_COUNT = b"verify.rows"
"""The key under which a file records its number of rows."""


class _SweepFile(TypedDict):
    """The contents of ``sweep.json``."""

    jobs: list[str]
    checksum: NotRequired[str]


class Full(Exception):
    """Rows could not be written; the text says why. What was written before is whole."""


class Damaged(Exception):
    """A file holds no rows; the text names it and says why."""


class Store:
    """The folder of one sweep, for the process that writes it. Use as a context: it holds the lock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = FileLock(str(folder / LOCK))
        self._last = 0
        self._files: dict[str, list[Path]] = {}

    def __enter__(self) -> Store:
        refuse_links(self.folder)
        try:
            for name in (ROWS, PARTS):
                (self.folder / name).mkdir(parents=True, exist_ok=True)
            self._lock.acquire(timeout=0)
        except Timeout:
            holder = _words(self.folder / HOLDER)
            raise UsageError(
                f"another sweep is writing to {self.folder} ({holder}): wait for it, or give --out another"
            ) from None
        except OSError as error:
            raise UsageError(f"--out {self.folder} cannot be written: {reason_of(error)}") from None
        try:
            replace_file(self.folder / HOLDER, f"process {os.getpid()} on {platform.node()}\n".encode())
            _remove_drafts(self.folder)
            for name in (ROWS, PARTS):
                _remove_drafts(self.folder / name)
                self._files[name] = _files(self.folder, name)
        except OSError as error:
            self._lock.release()
            raise UsageError(f"--out {self.folder} cannot be written: {reason_of(error)}") from None
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def repair(self) -> list[str]:
        """Sets aside the files that hold no rows, so that their jobs count as missing; says which, and why.

        Raises UsageError if they cannot be moved.
        """
        said = []
        for file in [file for name in (ROWS, PARTS) for file in _files(self.folder, name)]:
            try:
                _read_recorded(file)
            except Damaged as damaged:
                said.append(str(damaged))
                self._set_aside(file)
        return said

    def _set_aside(self, file: Path) -> None:
        target = self.folder / DAMAGED / f"{file.parent.name}-{file.name}"
        try:
            target.parent.mkdir(exist_ok=True)
            file.rename(target)
        except OSError as error:
            raise UsageError(f"{file} cannot be moved to {target}: {reason_of(error)}") from None
        self._files[file.parent.name].remove(file)

    def describe(self, asked: Mapping[str, Any]) -> None:
        """Write the question. Raises Full."""
        checked = {**asked, CHECKSUM: checksum_of(asked)}
        text = json.dumps(checked, ensure_ascii=False, indent=2) + "\n"
        try:
            replace_file(self.folder / ASKED, text.encode())
        except OSError as error:
            raise Full(f"{self.folder / 'sweep.json'} cannot be written: {reason_of(error)}") from error

    def add(self, rows: Sequence[Row], asked_for: str, name: str = ROWS) -> None:
        """Writes the rows of a job, for good when it returns. Raises Full; then none of them is there."""
        if not rows:
            return
        self._last = max(self._last + 1, time.time_ns())
        table = table_of([_flat(row, asked_for, self._last) for row in rows])
        self._files[name].append(self._write(table, name))
        if len(self._files[name]) > _MOST_FILES:
            self.compact(name)

    def compact(self, name: str = ROWS) -> None:
        """Makes one file of all, and one of those without checksums. Where that fails, or a file is damaged,
        nothing is lost: the many remain."""
        try:
            own = [file for file in self._files[name] if _OF_ROWS.fullmatch(file.name)]
            tables = {file: _table(file) for file in own}
            for file in tables:
                _read_recorded(file)
        except Damaged:
            return
        for checked in (True, False):
            old = [file for file, table in tables.items() if (table.schema.names == SCHEMA.names) is checked]
            if len(old) < 2:
                continue
            try:
                merged = self._write(_newest([tables[file] for file in old]), name)
            except Full:
                return
            self._files[name] = [merged, *(file for file in self._files[name] if file not in old)]
            for file in old:
                file.unlink(missing_ok=True)

    def _write(self, table: pa.Table, name: str) -> Path:
        self._last = max(self._last + 1, time.time_ns())
        target = self.folder / name / f"{self._last}.parquet"
        sink = pa.BufferOutputStream()
        whole = count_rows(table) if CHECKSUM in table.schema.names else table
        pq.write_table(whole, sink, compression="zstd")
        try:
            replace_file(target, sink.getvalue().to_pybytes())
        except OSError as error:
            raise Full(f"rows cannot be written to {target.parent}: {reason_of(error)}") from error
        return target


@dataclass(frozen=True)
class Recorded:
    """A row, the key of the job that gave it (of a type invariant not its own), and when."""

    row: Row
    asked_for: str
    recorded_at: int
    is_checked: bool = True
    """True if the row has a checksum: those of earlier versions have none."""


def read_rows(folder: Path, name: str = ROWS) -> list[Row]:
    """The rows of a folder, of each key the newest, in the order recorded. Raises as ``read_recorded``."""
    return [recorded.row for recorded in read_recorded(folder, name)]


def read_recorded(folder: Path, name: str = ROWS) -> list[Recorded]:
    """The rows of a folder, of each key the newest, in the order recorded.

    Raises UsageError if there is no such folder, or a file in it is no Parquet file of rows.
    """
    if not (folder / name).is_dir():
        raise UsageError(f"{folder} is not the folder of a sweep: it has no {name}/")
    while True:
        try:
            records = [one for file in _files(folder, name) for one in _read_recorded(file)]
        except FileNotFoundError:
            continue  # a writer has made one file of many meanwhile
        except Damaged as damaged:
            how = f"verify sweep ... --out {folder} --repair sets it aside and runs its jobs again"
            raise UsageError(f"{damaged}; {how}") from None
        newest: dict[str, Recorded] = {}
        for one in sorted(records, key=lambda one: one.recorded_at):
            newest.pop(one.row.job_id, None)
            newest[one.row.job_id] = one
        return list(newest.values())


def describe_unchecked(rows: Sequence[Recorded]) -> str | None:
    """Says how many rows have no checksum, if some have none."""
    count = sum(not row.is_checked for row in rows)
    if not count:
        return None
    what = "1 row has no checksum, since" if count == 1 else f"{count} rows have no checksums, since"
    return f"{what} an earlier version wrote them: a change of them would not be noticed."


def read_asked(folder: Path) -> frozenset[str]:
    """The keys of the jobs that the last sweep into a folder asked for; none if that is not known there.

    Raises UsageError if the file that says it was damaged.
    """
    file = folder / ASKED
    try:
        asked = read_json(text_of(file))
        check_shape(asked, _SweepFile, "")
        said = asked.pop(CHECKSUM, None)  # earlier versions wrote none
        if said not in (None, checksum_of(asked)):
            raise ValueError("it was changed: its checksum is another")
        return frozenset(asked["jobs"])
    except FileNotFoundError:
        return frozenset()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {reason_of(error)}") from None
    except (UsageError, ValueError) as error:
        raise UsageError(f"{file} does not say what was asked: {error}") from None


def refuse_links(folder: Path) -> None:
    """Raise UsageError if a link is in a place where a sweep writes: its target belongs to someone else."""
    for name in _WRITTEN:
        if (folder / name).is_symlink():
            words = f"{name} in it is a link, which is not followed"
            raise UsageError(f"--out {folder} is not allowed: {words}; remove it, or name another folder")


def _remove_drafts(folder: Path) -> None:
    """Removes what a writer that was killed left half written."""
    for entry in folder.iterdir():
        if _OF_DRAFTS.fullmatch(entry.name):
            entry.unlink()


def _files(folder: Path, name: str) -> list[Path]:
    return sorted((folder / name).glob("*.parquet"))


def _read_recorded(file: Path) -> list[Recorded]:
    """All rows of a file. Raises Damaged."""
    table = _table(file)
    is_checked = table.schema.names == SCHEMA.names
    recorded = []
    try:
        for values in table.to_pylist():
            said = values.pop(CHECKSUM, None)
            if is_checked and said != checksum_of(values):
                raise ValueError(f"the row of job {values['job_id']} was changed: its checksum is another")
            row = _row(values)
            place = f"the row of job {row.job_id}"
            check_row(row, place)
            check_claim(row, place)
            recorded.append(Recorded(row, values["asked_for"], values["recorded_at"] or 0, is_checked))
    except _NO_ROWS as error:
        raise _make_damaged_error(file, error) from error
    return recorded


def _table(file: Path) -> pa.Table:
    try:
        table = pq.ParquetFile(file).read()
        checked = CHECKSUM in table.schema.names or _COUNT in (table.schema.metadata or {})
        if checked and int((table.schema.metadata or {}).get(_COUNT, -1)) != table.num_rows:
            raise ValueError(f"it has {table.num_rows} rows, and says otherwise")
        return table.cast(SCHEMA if checked else WITHOUT_CHECKSUMS)
    except FileNotFoundError:
        raise
    except (*_NO_ROWS, OSError) as error:
        raise _make_damaged_error(file, error) from error


_NO_ROWS = (UsageError, pa.ArrowException, ValueError, TypeError, LookupError, ArithmeticError, MemoryError)
"""The exceptions of a changed file of rows: a UnicodeDecodeError, say, is a ValueError."""


def _make_damaged_error(file: Path, error: Exception) -> Damaged:
    return Damaged(f"{file} holds no rows of a sweep: {' '.join(str(error).split())}")


def _newest(tables: Sequence[pa.Table]) -> pa.Table:
    ordered = pa.concat_tables(tables).sort_by([("recorded_at", "ascending")])
    last = {key: index for index, key in enumerate(ordered.column("job_id").to_pylist())}
    return ordered.take(pa.array(sorted(last.values()), pa.int64()))


def table_of(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Rows as columns, each with its checksum."""
    table = pa.Table.from_pylist(list(rows), schema=WITHOUT_CHECKSUMS)
    checksums = [checksum_of(values) for values in table.to_pylist()]  # as they are read: 1 as 1.0
    return table.append_column(CHECKSUM, pa.array(checksums, pa.string()))


def count_rows(table: pa.Table) -> pa.Table:
    """The table, which says how many rows it has."""
    return table.replace_schema_metadata({_COUNT: str(table.num_rows)})


def checksum_of(values: Mapping[str, Any]) -> str:
    """The checksum of named values, which are plain; in any order. Sixteen hexadecimal digits."""
    text = json.dumps(values, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _flat(row: Row, asked_for: str, recorded_at: int) -> dict[str, Any]:
    values = asdict(row)
    for name in _OBJECTS:
        if values[name] is not None:
            values[name] = json.dumps(values[name], ensure_ascii=False, sort_keys=True)
    return {**values, "verdict": row.verdict.value, "asked_for": asked_for, "recorded_at": recorded_at}


def _row(values: Mapping[str, Any]) -> Row:
    known = {field.name: values[field.name] for field in fields(Row)}
    for name in _OBJECTS:
        if known[name] is not None:
            known[name] = read_json(known[name])
    known["verdict"] = VerdictKind(known["verdict"])
    return Row(**known)


def _words(path: Path) -> str:
    try:
        return text_of(path).strip()
    except OSError:
        return "its process is not known"
