"""Where the rows of a sweep are kept: a folder of small Parquet files that only grows.

A batch of rows is written to a file of its own, forced to the disk, and only then given its name: a
file that has its name is whole. Whoever reads takes of several rows with one key the newest. Files
become one when there are many; their rows may for a moment be there twice, which readers do not mind.

    FOLDER/rows/*.parquet     the rows
    FOLDER/parts/*.parquet    rows of parts of jobs, which say nothing of the whole job
    FOLDER/sweep.json         what was asked last
    FOLDER/lock               held by the process that writes
    FOLDER/spark.log
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from verifier.errors import UsageError
from verifier.files import reason_of, replace_file
from verifier.outcomes.row import Row
from verifier.verdict import VerdictKind

ROWS, PARTS = "rows", "parts"
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
SCHEMA = pa.schema(
    [(field.name, _TYPES.get(field.name, pa.string())) for field in fields(Row)]
    + [("asked_for", pa.string()), ("recorded_at", pa.int64())]
)
"""The columns: those of a Row; the key of the job that gave it, which of a type invariant that is violated
need not be its own; and when it was recorded (nanoseconds; the newest row of a key counts)."""


class Full(Exception):
    """Rows could not be written; the text says why. What was written before is whole."""


class Store:
    """The folder of one sweep, for the process that writes it. Use as a context: it holds the lock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = FileLock(str(folder / "lock"))
        self._last = 0
        self._files: dict[str, list[Path]] = {}

    def __enter__(self) -> Store:
        try:
            for name in (ROWS, PARTS):
                (self.folder / name).mkdir(parents=True, exist_ok=True)
            self._lock.acquire(timeout=0)
        except Timeout:
            holder = _words(self.folder / "lock.holder")
            raise UsageError(
                f"another sweep is writing to {self.folder} ({holder}): wait for it, or give --out another"
            ) from None
        except OSError as error:
            raise UsageError(f"--out {self.folder} cannot be written: {reason_of(error)}") from None
        try:
            replace_file(
                self.folder / "lock.holder", f"process {os.getpid()} on {platform.node()}\n".encode()
            )
            for leftover in self.folder.glob(".*.tmp"):
                leftover.unlink()
            for name in (ROWS, PARTS):
                self._clean(name)
        except OSError as error:
            self._lock.release()
            raise UsageError(f"--out {self.folder} cannot be written: {reason_of(error)}") from None
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def _clean(self, name: str) -> None:
        """Removes what a writer that was killed left half written."""
        for leftover in (self.folder / name).glob("*.tmp"):
            leftover.unlink()
        self._files[name] = sorted((self.folder / name).glob("*.parquet"))

    def describe(self, asked: Mapping[str, Any]) -> None:
        """Writes what was asked. Raises Full."""
        text = json.dumps(asked, ensure_ascii=False, indent=2) + "\n"
        try:
            replace_file(self.folder / "sweep.json", text.encode())
        except OSError as error:
            raise Full(f"{self.folder / 'sweep.json'} cannot be written: {reason_of(error)}") from error

    def add(self, rows: Sequence[Row], asked_for: str, name: str = ROWS) -> None:
        """Writes the rows of a job, for good when it returns. Raises Full; then none of them is there."""
        if not rows:
            return
        self._last = max(self._last + 1, time.time_ns())
        table = pa.Table.from_pylist([_flat(row, asked_for, self._last) for row in rows], schema=SCHEMA)
        self._files[name].append(self._written(table, name))
        if len(self._files[name]) > _MOST_FILES:
            self.compact(name)

    def compact(self, name: str = ROWS) -> None:
        """Makes one file of all. Where that fails, nothing is lost: the many remain."""
        old = self._files[name]
        if len(old) < 2:
            return
        try:
            merged = self._written(_newest(_read(old)), name)
        except Full:
            return
        self._files[name] = [merged]
        for file in old:
            file.unlink(missing_ok=True)

    def _written(self, table: pa.Table, name: str) -> Path:
        self._last = max(self._last + 1, time.time_ns())
        target = self.folder / name / f"{self._last}.parquet"
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd")
        try:
            replace_file(target, sink.getvalue().to_pybytes())
        except OSError as error:
            raise Full(f"rows cannot be written to {target.parent}: {reason_of(error)}") from error
        return target


def read_rows(folder: Path, name: str = ROWS) -> list[Row]:
    """The rows of a folder, of each key the newest, in the order recorded.

    Raises UsageError if there is no such folder, or a file in it is no Parquet file of rows.
    """
    if not (folder / name).is_dir():
        raise UsageError(f"{folder} is not the folder of a sweep: it has no {name}/")
    while True:
        try:
            table = _newest(_read(sorted((folder / name).glob("*.parquet"))))
            return [_row(values) for values in table.to_pylist()]
        except FileNotFoundError:
            continue  # a writer has made one file of many meanwhile


def read_asked(folder: Path) -> frozenset[str]:
    """The keys of the jobs that the last sweep into a folder asked for; none if that is not known there.

    Raises UsageError if the file that says it was damaged.
    """
    file = folder / "sweep.json"
    try:
        jobs = json.loads(file.read_text(encoding="utf-8"))["jobs"]
        return frozenset(map(str, jobs))
    except FileNotFoundError:
        return frozenset()
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(f"{file} does not say what was asked: {type(error).__name__} {error}") from error


def _read(files: Iterable[Path]) -> pa.Table:
    tables = []
    for file in files:
        try:
            tables.append(pq.ParquetFile(file).read().cast(SCHEMA))
        except FileNotFoundError:
            raise
        except (pa.ArrowException, ValueError, OSError) as error:
            raise UsageError(f"{file} holds no rows of a sweep: {' '.join(str(error).split())}") from error
    return pa.concat_tables(tables) if tables else SCHEMA.empty_table()


def _newest(table: pa.Table) -> pa.Table:
    ordered = table.sort_by([("recorded_at", "ascending")])
    last = {key: index for index, key in enumerate(ordered.column("job_id").to_pylist())}
    return ordered.take(pa.array(sorted(last.values()), pa.int64()))


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
            known[name] = json.loads(known[name])
    known["verdict"] = VerdictKind(known["verdict"])
    return Row(**known)


def _words(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return "its process is not known"
