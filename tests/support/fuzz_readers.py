"""Files as mistakes and strangers make them, read: ``python -m tests.support.fuzz_readers 2000``.

Each kind of file that verify reads is made once as it should be, and then changed in many ways. Whatever is
in a file, a command ends in time, its exit code is not that of an internal error, and it runs none of the
file's code.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.support.clock import OutOfTime, at_most
from tests.support.command_line import FAST, LOCK, verify
from tests.support.mutations import as_json, as_toml, change_text, change_value, mutants
from verifier.ci.manifest import read_manifest
from verifier.errors import UsageError
from verifier.report.formats import FORMATS
from verifier.specs.protocol import DefinitionError
from verifier.sweep.expansion import expand
from verifier.sweep.grid import read_grids
from verifier.sweep.store import WITHOUT_CHECKSUMS, Store, count_rows, table_of
from verifier.trust import certificate as certificates

SECONDS = 20
"""The time after which a reader counts as hanging."""
_BOTH = ("--property", "NotAllAsk", "--property", "FirstNeverHolds")
_RABBIT = ("--spec", "rabbit-sac", "--set", "queues=2", "--set", "apps=2")
_TINY = ("replicas=2", "log_size=1", "max_records=1", "max_leader_epoch=1")
_KAFKA = ("--spec", "kafka-truncate-hw", *(word for setting in _TINY for word in ("--set", setting)))
_TRAP = "import pathlib\npathlib.Path({!r}).touch()\nfrom tests.support.toys import Chain as Trap\n"
_OBJECTS = ("constants", "options", "trace", "proof", "statistics", "drawing")
"""Columns of rows that hold JSON."""


@dataclass(frozen=True)
class Kind:
    """A kind of file: its changes, and its reader, with the exit code and the output."""

    allowed: tuple[int, ...]
    files: Callable[[random.Random, int, tuple[str, ...]], Iterator[Any]]
    read: Callable[[Any, Path, str], tuple[int, str]]


def check(kind: Kind, count: int, seed: int, folder: Path) -> tuple[Counter[int], list[str]]:
    """Return the number of each exit code, and the failures, with the file that shows each."""
    marker, trap = folder / "was-run", folder / "trap.py"
    trap.write_text(_TRAP.format(str(marker)))
    rng, codes, faults = random.Random(seed), Counter[int](), []
    formats = cycle(FORMATS)
    for number, file in enumerate(kind.files(rng, count, (str(trap), f"{trap}:Trap"))):
        try:
            with at_most(SECONDS):
                code, said = kind.read(file, folder, next(formats))
        except OutOfTime:
            code, said = -1, "hangs"
        codes[code] += 1
        if code not in kind.allowed or "Traceback" in said or marker.exists():
            kept = folder / f"fault-{seed}-{number}"
            kept.write_bytes(file if isinstance(file, bytes) else repr(file).encode("utf-8", "surrogatepass"))
            ran = "its code was run; " if marker.exists() else ""
            marker.unlink(missing_ok=True)
            faults.append(f"{kept}: {ran}exit code {code}: {said[:300]}")
    return codes, faults


# What reads


def _read_by_command(*words: str) -> Callable[[bytes, Path, str], tuple[int, str]]:
    def read(file: bytes, folder: Path, output_format: str) -> tuple[int, str]:
        path = folder / "file.json"
        path.write_bytes(file)
        return _run(*(word.format(path=path, format=output_format) for word in words))

    return read


def _run(*words: str) -> tuple[int, str]:
    done = verify(*words)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return 1, f"{type(done.exception).__name__}: {done.exception}"
    said = done.stderr
    line = done.exit_code != 2 or said.splitlines()[-1].startswith("verify: ")
    return done.exit_code, said if line else f"Traceback? {said}"


def _read_by_call(function: Callable[[Path], Any]) -> Callable[[bytes, Path, str], tuple[int, str]]:
    def read(file: bytes, folder: Path, _: str) -> tuple[int, str]:
        path = folder / "file.toml"
        path.write_bytes(file)
        try:
            function(path)
        except (UsageError, DefinitionError) as error:
            return 2, str(error)
        except Exception as error:  # noqa: BLE001 -- what is looked for
            return 1, f"{type(error).__name__}: {error}"
        return 0, ""

    return read


def _report_folder(file: Any, folder: Path, output_format: str) -> tuple[int, str]:
    asked, *tables = file
    sweep = folder / "sweep"
    (sweep / "rows").mkdir(parents=True, exist_ok=True)
    for old in (sweep / "rows").iterdir():
        old.unlink()
    (sweep / "sweep.json").write_bytes(asked)
    for number, table in enumerate(tables):
        (sweep / "rows" / f"{number}.parquet").write_bytes(table)
    return _run("report", str(sweep), "--format", output_format)


# Files as they should be


@cache
def _runs() -> tuple[Any, ...]:
    """Return the outputs of commands: a violation, an exploration, walks, a proof by IC3, one by lemmas."""
    asked: list[tuple[str, ...]] = [
        ("bmc", "--spec", LOCK, "--depth", "4", *_BOTH, *FAST),
        ("explore", *_RABBIT, "--depth", "4"),
        ("simulate", *_RABBIT, "--depth", "6", "--walks", "20"),
        ("prove", *_RABBIT, "--property", "TypeOK"),
        ("bmc", *_KAFKA, "--property", "StrongIsr", "--depth", "9", "--expect", "violated", *FAST),
        ("induct", "--spec", "exactly-once-atomic", "--property", "AtMostOneStateChange"),
    ]
    return tuple(json.loads(verify(*words, "--format", "json").stdout) for words in asked)


@cache
def _trace() -> Any:
    return next(result["trace"] for result in _runs()[4]["results"] if result["trace"])


@cache
def _certificate() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "proof.json"
        assert verify("prove", *_RABBIT, "--property", "TypeOK", "--certificate", str(path)).exit_code == 0
        return json.loads(path.read_text())


@cache
def _folder() -> tuple[Any, list[dict[str, Any]]]:
    """Return the recorded question of a sweep's folder, and its rows."""
    from verifier.outcomes.row import rows_of

    rows = [row for run in _runs() for row in rows_of(run)]
    with tempfile.TemporaryDirectory() as name, Store(Path(name)) as store:
        store.add(rows, "job")
        (file,) = (Path(name) / "rows").iterdir()
        flat = pq.ParquetFile(file).read().select(WITHOUT_CHECKSUMS.names).to_pylist()
    return {"jobs": [row.job_id for row in rows], "left_out": [], "master": "local[*]", "grid": None}, flat


_GRID = {
    "grid": [
        {
            "specs": ["rabbit-sac", "rabbit-sac-restart"],
            "properties": ["TypeOK"],
            "engines": ["bmc", "explore"],
            "constants": {"queues": "2..3", "apps": [1, 2]},
            "depth": 3,
            "timeout": "60s",
            "memory": "2GiB",
            "options": {"steps": "serial"},
        },
        {"specs": "kip320", "engines": ["bmc"], "constants": {"replicas": 2, "log_size": "1,2"}, "split": 4},
    ]
}
_MANIFEST = {
    "defaults": {"engine": "bmc", "timeout": "2m", "memory": "2GiB"},
    "cell": [
        {
            "id": "one",
            "spec": "kip101",
            "constants": {"replicas": 2},
            "depth": 12,
            "options": {"steps": "serial"},
            "spec_hash": "bc4e23aff18f610c",
            "seconds": 1.5,
            "expect": {
                "TypeOK": {"verdict": "holds", "depth": 12},
                "WeakIsr": {"verdict": "violated", "steps": 11},
            },
        },
        {
            "id": "two",
            "spec": "rabbit-sac",
            "engine": "explore",
            "distinct_states": 9,
            "expect": {"TypeOK": "holds"},
        },
    ],
}


# Changed files


def _run_files(rng: random.Random, count: int, traps: tuple[str, ...]) -> Iterator[bytes]:
    runs = _runs()
    for number in range(count):
        yield from mutants(rng, runs[number % len(runs)], 1, as_json, traps)


def _traces(rng: random.Random, count: int, traps: tuple[str, ...]) -> Iterator[bytes]:
    return mutants(rng, _trace(), count, as_json, traps)


def _certificates(rng: random.Random, count: int, traps: tuple[str, ...]) -> Iterator[bytes]:
    """Yield changed certificates. Most are sealed: their digest is that of their content."""
    for file in mutants(rng, _certificate(), count, as_json, traps):
        try:
            content = json.loads(file)
            sealed = rng.random() < 0.9 and json.dumps({**content, "digest": certificates.digest_of(content)})
        except (ValueError, TypeError, RecursionError):
            sealed = False
        yield sealed.encode() if sealed else file


def _tomls(data: Any) -> Callable[[random.Random, int, tuple[str, ...]], Iterator[bytes]]:
    return lambda rng, count, traps: mutants(rng, data, count, as_toml)


def _folders(rng: random.Random, count: int, traps: tuple[str, ...]) -> Iterator[Any]:
    asked, rows = _folder()
    for _ in range(count):
        described, changes = as_json(asked).encode(), [dict(row) for row in rng.sample(rows, 4)]
        if rng.random() < 0.2:
            (described,) = mutants(rng, asked, 1, as_json)
        for row in changes[: rng.choice((0, 1, 1, 2))]:
            _change_row(rng, row)
        table = _parquet(changes)
        if rng.random() < 0.1:
            table = rng.choice((change_text(rng, table.decode("latin-1")), table[: rng.randrange(999)]))
        yield described, table, _parquet(rng.sample(rows, 2))


def _change_row(rng: random.Random, row: dict[str, Any]) -> None:
    name = rng.choice([*_OBJECTS, *_OBJECTS, *row])
    if name in _OBJECTS and row[name] is not None:
        row[name] = as_json(change_value(rng, json.loads(row[name]) or {"": 1}))
        row[name] = row[name].encode("utf-8", "replace").decode()
    elif pa.types.is_string(WITHOUT_CHECKSUMS.field(name).type):
        words = ("", "{}", "[]", "VIOLATED", "kip320", "x" * 9999, "\x00", "$^{", "1e999", "²")
        row[name] = rng.choice((None, *words))
    elif pa.types.is_boolean(WITHOUT_CHECKSUMS.field(name).type):
        row[name] = rng.choice((None, True))
    else:
        row[name] = rng.choice((None, 0, -1, 2**40))


def _parquet(rows: list[dict[str, Any]]) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(count_rows(table_of(rows)), sink)
    written: bytes = sink.getvalue().to_pybytes()
    return written


KINDS = {
    "report": Kind((0, 2), _run_files, _read_by_command("report", "{path}", "--format", "{format}")),
    "report of a trace": Kind((0, 2), _traces, _read_by_command("report", "{path}", "--format", "{format}")),
    "report of a sweep": Kind((0, 2), _folders, _report_folder),
    "replay": Kind((0, 2), _traces, _read_by_command("replay", "{path}", "--full")),
    "certify": Kind((0, 2, 10, 11, 12, 13), _certificates, _read_by_command("certify", "{path}")),
    "grid": Kind((0, 2), _tomls(_GRID), _read_by_call(lambda path: expand(read_grids(path)))),
    "manifest": Kind((0, 2), _tomls(_MANIFEST), _read_by_call(read_manifest)),
}


def main(count: int, *chosen: str) -> int:
    """Prints what came of each kind; 1 if something went wrong."""
    wrong = 0
    for name in chosen or KINDS:
        folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
        codes, faults = check(KINDS[name], count, seed=1, folder=folder)
        wrong += len(faults)
        found = ", ".join(f"{number} with exit code {code}" for code, number in sorted(codes.items()))
        print(f"{name}: {count} files, {found}; {len(faults)} faults")
        print("".join(f"  {fault}\n" for fault in faults), end="", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), *sys.argv[2:]))
