"""``results/folders.md``: folders with flipped bits, with links, and with files of the user in them.

Run ``python -m results.generators.folder_trials --flips 100000``. The rows of a small sweep get one flipped
bit at a time, and are read again. Then sweeps and explorations are told to write where links and files of
others stand, and each of these is compared with what it was.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pyarrow as pa

from tests.support.measuring import Ended, run_to_end, verify
from verifier.errors import UsageError
from verifier.storage import work_folder
from verifier.sweep import store
from verifier.version import tool_version

TABLE = Path(__file__).resolve().parents[1] / "folders.md"
_SECONDS = 400.0
_SILENT = "changed in silence"
_TEXT = """# Folders that were changed, and folders of others

Run ``python -m results.generators.folder_trials --flips {flips} --seed {seed} --at-once {at_once}``.
Made {made}, verify {version}, Python {python}, pyarrow {arrow}, {cores} cores.

## Flipped bits

A sweep of {rows} rows, {size:,} bytes. One bit at a time is flipped, in a file of rows or in ``sweep.json``,
and the file is read: {flips:,} flips in {seconds:.0f} s, beside the trials below.

| what came of it | flips |
|---|---|
{found}
## Links and files of others

``verify sweep --out`` and ``verify explore --work`` write to a folder with a link where a file or folder of
theirs should be, or with a file whose name is like theirs. What is someone else's must be as before, and a
link must be refused. {trials} trials, {wrong} wrong.

| command | what stands there | expected | code | as before | |
|---|---|---|---|---|---|
"""
_SWEEP = (
    "sweep",
    "--spec",
    "kip320",
    "--grid",
    "replicas=2",
    "--grid",
    "log_size=1,2",
    "--depth",
    "3",
    "--out",
)
_EXPLORE = ("explore", "kip320", "--set", "replicas=2", "--depth", "4", "--work")
_LINKED = {
    "sweep": (store.ROWS, store.PARTS, store.DAMAGED, store.LOCK, store.HOLDER, store.ASKED, store.SPARK_LOG),
    "explore": (
        work_folder.STATES,
        work_folder.MANIFEST,
        work_folder.RUNS,
        work_folder.LOCK,
        work_folder.SPARK_LOG,
    ),
}
_USERS = {
    "sweep": (
        "rows/20261124-results.parquet",
        "rows/.notes.parquet.tmp",
        "rows/results.csv",
        "parts/.123.txt",
        "damaged/mine",
        "lock.holder.old",
        ".sweep.json.mine.tmp",
    ),
    "explore": (
        "states/20261124-results.csv",
        "states/0123456789abcdef.notes",
        ".manifest.json.mine",
        "mine",
    ),
}
"""Files of the user whose names are like those that these commands give."""


def count_flips(folder: Path, flips: int, seed: int) -> Counter[str]:
    """Count the outcomes of flips of single bits in the files of a sweep, each by itself. Only the changed
    file is read again, as the store reads it. Values that equal the written ones are not checked again."""
    files = [*sorted((folder / store.ROWS).iterdir()), folder / store.ASKED]
    contents = {file: file.read_bytes() for file in files}
    written = {file: _values(file) for file in files}
    rng, found = Random(seed), Counter[str]()
    for _ in range(flips):
        file = rng.choice(files)
        content = bytearray(contents[file])
        place = rng.randrange(len(content))
        content[place] ^= 1 << rng.randrange(8)
        file.write_bytes(content)
        try:
            if _is(file, written[file]):
                found["read as before"] += 1
            else:
                _read(file)
                found[_SILENT] += 1
        except (UsageError, store.Damaged):
            found["refused, with the file named"] += 1
        except Exception as error:  # noqa: BLE001 -- each is an internal error to the user
            found[f"another error: {type(error).__name__}"] += 1
        file.write_bytes(contents[file])
    return found


def _is(file: Path, written: object) -> bool:
    try:
        return _values(file) == written
    except Exception:  # noqa: BLE001 -- what the store makes of it is asked next
        return False


def _values(file: Path) -> object:
    if file.name == store.ASKED:
        return store.read_asked(file.parent)
    table = store._table(file)
    return table.schema.names, table.to_pylist()


def _read(file: Path) -> None:
    if file.name == store.ASKED:
        store.read_asked(file.parent)
    else:
        store._read_recorded(file)


def _count_flips_apart(folder: Path, flips: int, seed: int) -> Counter[str]:
    """Count the outcomes of flips, as `flipped` does, in a copy of the folder, for several processes at
    once."""
    with tempfile.TemporaryDirectory() as made:
        return count_flips(shutil.copytree(folder, Path(made) / "copy"), flips, seed)


@dataclass(frozen=True)
class Trial:
    """A command whose folder has something of someone else."""

    command: str
    there: str
    expected: str
    done: Ended
    same: bool
    """True if the files of others are unchanged."""

    @property
    def is_right(self) -> bool:
        """True if it came as expected."""
        fine = self.same and "Traceback" not in self.done.error and "internal error" not in self.done.error
        return fine and (self.done.code == 2 if self.expected == "refused" else self.done.code in (0, 2, 10))


def try_link(command: str, words: tuple[str, ...], name: str, kind: str) -> Trial:
    """A command whose folder has a link where a file or folder of its own should be."""
    with tempfile.TemporaryDirectory() as made:
        elsewhere, folder = Path(made) / "elsewhere", Path(made) / "out"
        folder.mkdir()
        elsewhere.mkdir()
        (folder / name).symlink_to(_target(elsewhere, kind))
        before = _digest_files(elsewhere)
        done = _ran(*words, str(folder))
        same = _digest_files(elsewhere) == before and (folder / name).is_symlink()
        return Trial(command, f"{name}: a link to {_SAID[kind]}", "refused", done, same)


def of_user(command: str, words: tuple[str, ...]) -> Iterator[Trial]:
    """A command whose folder has files of the user."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "out"
        for name in _USERS[command]:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("mine\n", encoding="utf-8")
        done = _ran(*words, str(folder))
        for name in _USERS[command]:
            same = (folder / name).is_file() and (folder / name).read_text(encoding="utf-8") == "mine\n"
            yield Trial(command, f"{name}: a file of the user", "kept", done, same)


def hostile(command: str, words: tuple[str, ...], at_once: int) -> list[Trial]:
    """All trials of a command."""
    with ThreadPoolExecutor(at_once) as pool:
        asked = [(name, kind) for name in _LINKED[command] for kind in _SAID]
        found = [pool.submit(try_link, command, words, name, kind) for name, kind in asked]
        users = pool.submit(lambda: [*of_user(command, words)])
        return [*(one.result() for one in found), *users.result()]


_SAID = {"file": "a file", "folder": "a folder with a file", "nothing": "nothing"}


def _target(elsewhere: Path, kind: str) -> Path:
    (elsewhere / "inner").mkdir()
    (elsewhere / "inner" / "20261124.parquet").write_text("theirs\n", encoding="utf-8")
    (elsewhere / "theirs").write_text("theirs\n", encoding="utf-8")
    return elsewhere / {"file": "theirs", "folder": "inner", "nothing": "absent"}[kind]


def _digest_files(folder: Path) -> dict[str, str]:
    """Return a digest of the content of each file below a folder."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        for path in sorted(folder.rglob("*"))
    }


def _ran(*words: str) -> Ended:
    done = run_to_end(verify(*words), limit=_SECONDS)
    assert done is not None, words
    return done


def main() -> None:
    """Makes the trials and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flips", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=4)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "sweep"
        _ran(*_SWEEP, str(folder))
        size = sum(file.stat().st_size for file in (*(folder / store.ROWS).iterdir(), folder / store.ASKED))
        rows = len(store.read_rows(folder))
        began = time.monotonic()
        with ProcessPoolExecutor(given.at_once) as pool:
            share, seeds = given.flips // given.at_once, range(given.seed, given.seed + given.at_once)
            parts = [pool.submit(_count_flips_apart, folder, share, seed) for seed in seeds]
            trials = [*hostile("sweep", _SWEEP, given.at_once), *hostile("explore", _EXPLORE, given.at_once)]
            found = sum((part.result() for part in parts), Counter[str]())
    seconds = time.monotonic() - began
    text = _TEXT.format(
        flips=found.total(),
        at_once=given.at_once,
        seed=given.seed,
        made=f"{datetime.now(UTC):%Y-%m-%d}",
        version=tool_version(),
        python=platform.python_version(),
        arrow=pa.__version__,
        cores=os.cpu_count(),
        rows=rows,
        size=size,
        seconds=seconds,
        found="".join(f"| {what} | {count:,} |\n" for what, count in sorted({_SILENT: 0, **found}.items())),
        trials=len(trials),
        wrong=sum(not one.is_right for one in trials),
    )
    TABLE.write_text(text + "".join(map(_line, trials)), encoding="utf-8")


def _line(trial: Trial) -> str:
    right = "right" if trial.is_right else f"WRONG: {trial.done.last_error[:120]}"
    same = "yes" if trial.same else "no"
    return f"| {trial.command} | {trial.there} | {trial.expected} | {trial.done.code} | {same} | {right} |\n"


if __name__ == "__main__":
    main()
