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
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pyarrow as pa

from results.generators.measuring import Ended, ended, verify
from verifier.engines import work_folder
from verifier.errors import UsageError
from verifier.sweep import store
from verifier.version import tool_version

TABLE = Path(__file__).resolve().parents[1] / "folders.md"
_SECONDS = 400.0
_SILENT = "changed in silence"
_TEXT = """# Folders that were changed, and folders of others

Run ``python -m results.generators.folder_trials --flips {flips} --seed {seed}``. Made {made}, verify
{version}, Python {python}, pyarrow {arrow}, {cores} cores.

## Flipped bits

A sweep of {rows} rows, {size:,} bytes. One bit at a time is flipped, in a file of rows or in ``sweep.json``,
and the folder is read: {flips:,} flips in {seconds:.0f} s.

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
_EXPLORE = ("explore", "kip320", "--set", "replicas=2", "--max-depth", "4", "--work")
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


def flipped(folder: Path, flips: int, seed: int) -> Counter[str]:
    """What came of so many flips of single bits in the files of a sweep, each by itself."""
    files = [*sorted((folder / store.ROWS).iterdir()), folder / store.ASKED]
    contents = {file: file.read_bytes() for file in files}
    written = (store.read_recorded(folder), store.read_asked(folder))
    rng, found = Random(seed), Counter[str]()
    for _ in range(flips):
        file = rng.choice(files)
        content = bytearray(contents[file])
        place = rng.randrange(len(content))
        content[place] ^= 1 << rng.randrange(8)
        file.write_bytes(content)
        try:
            same = (store.read_recorded(folder), store.read_asked(folder)) == written
            found["read as before" if same else _SILENT] += 1
        except UsageError:
            found["refused, with the file named"] += 1
        except Exception as error:  # noqa: BLE001 -- each is an internal error to the user
            found[f"another error: {type(error).__name__}"] += 1
        file.write_bytes(contents[file])
    return found


@dataclass(frozen=True)
class Trial:
    """A command whose folder has something of someone else."""

    command: str
    there: str
    expected: str
    done: Ended
    same: bool
    """Whether what is someone else's is as it was."""

    @property
    def is_right(self) -> bool:
        """Whether it came as expected."""
        fine = self.same and "Traceback" not in self.done.error and "internal error" not in self.done.error
        return fine and (self.done.code == 2 if self.expected == "refused" else self.done.code in (0, 2, 10))


def hostile(command: str, words: tuple[str, ...]) -> Iterator[Trial]:
    """Each trial of a command."""
    for name in _LINKED[command]:
        for kind in ("file", "folder", "nothing"):
            with tempfile.TemporaryDirectory() as made:
                elsewhere, folder = Path(made) / "elsewhere", Path(made) / "out"
                folder.mkdir()
                elsewhere.mkdir()
                target = _target(elsewhere, kind)
                (folder / name).symlink_to(target)
                before = _seen(elsewhere)
                done = _ran(*words, str(folder))
                same = _seen(elsewhere) == before and (folder / name).is_symlink()
                yield Trial(command, f"{name}: a link to {_SAID[kind]}", "refused", done, same)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "out"
        for name in _USERS[command]:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("mine\n", encoding="utf-8")
        done = _ran(*words, str(folder))
        for name in _USERS[command]:
            same = (folder / name).is_file() and (folder / name).read_text(encoding="utf-8") == "mine\n"
            yield Trial(command, f"{name}: a file of the user", "kept", done, same)


_SAID = {"file": "a file", "folder": "a folder with a file", "nothing": "nothing"}


def _target(elsewhere: Path, kind: str) -> Path:
    (elsewhere / "inner").mkdir()
    (elsewhere / "inner" / "20261124.parquet").write_text("theirs\n", encoding="utf-8")
    (elsewhere / "theirs").write_text("theirs\n", encoding="utf-8")
    return elsewhere / {"file": "theirs", "folder": "inner", "nothing": "absent"}[kind]


def _seen(folder: Path) -> dict[str, str]:
    """Each file below a folder, by its content."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        for path in sorted(folder.rglob("*"))
    }


def _ran(*words: str) -> Ended:
    done = ended(verify(*words), limit=_SECONDS)
    assert done is not None, words
    return done


def main() -> None:
    """Makes the trials and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flips", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "sweep"
        _ran(*_SWEEP, str(folder))
        size = sum(file.stat().st_size for file in (*(folder / store.ROWS).iterdir(), folder / store.ASKED))
        rows = len(store.read_rows(folder))
        found = flipped(folder, given.flips, given.seed)
        shutil.rmtree(folder)
    seconds = time.monotonic() - began
    trials = [*hostile("sweep", _SWEEP), *hostile("explore", _EXPLORE)]
    text = _TEXT.format(
        flips=given.flips,
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
