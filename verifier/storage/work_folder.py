"""The folder of an exploration that goes on in files: who has it, and what of it is whole.

    FOLDER/manifest.json   the last level that is whole: counts, and each block with its size and checksum
    FOLDER/states/         blocks
    FOLDER/lock            held by the process that explores
    FOLDER/runs.json       how the names begin of blocks that explorations wrote here
    FOLDER/spark.log       what Spark says, if it is used

A level is whole once a manifest names it. Blocks that no manifest names were left by an exploration that
ended in the middle of a level. They are removed if their names begin as this process, or one that is listed,
has them begin. Whatever else there is, whatever its name, is of someone else: it stays, and a folder with it
is refused, as is one in which a link stands where a file or a folder of ours should be.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from verifier.errors import UsageError
from verifier.files import reason_of, replace_file, text_of
from verifier.json_shape import read_json
from verifier.storage.blocks import Block, Damaged, Shelf

MANIFEST, STATES, LOCK, SPARK_LOG, RUNS = "manifest.json", "states", "lock", "spark.log", "runs.json"
_FORMAT = 3
_REMOVING = 4
"""Threads that remove files."""
_OF_RUNS = re.compile(r"[0-9a-f]{16}-")
"""The prefix of the names of a run's blocks (``WorkFolder.run``)."""
_OF_THE_SYSTEM = ".nfs"
"""The prefix of the names of files that were removed on a network's disk while a process has them open."""
_OF_DRAFTS = tuple(f".{name}." for name in (MANIFEST, RUNS))
"""The prefixes of the names of unfinished manifests and lists."""


class Checkpoint(Protocol):
    """The data from which an exploration continues."""

    @property
    def blocks(self) -> Mapping[str, Block]:
        """Return the files that are needed, by name."""
        ...

    def as_object(self) -> Mapping[str, Any]:
        """Return the content of the manifest."""
        ...


CheckpointT = TypeVar("CheckpointT", bound=Checkpoint)


class WorkFolder(Generic[CheckpointT]):
    """The folder, for the process that explores. Use as a context: it holds the lock. A temporary folder goes
    away in the end."""

    def __init__(
        self,
        path: Path | None,
        question: Mapping[str, Any],
        read: Callable[[Mapping[str, Any]], CheckpointT],
        *,
        resume: bool,
    ) -> None:
        """``read`` reads a checkpoint from a manifest. It raises ValueError, KeyError, TypeError or
        IndexError for other data. Raises UsageError if the folder cannot be used, or has foreign content."""
        self._temporary, self._read = path is None, read
        self._question = question
        self._lock = -1
        self.run = f"{os.urandom(8).hex()}-"
        """Begins the names of the blocks that this process writes."""
        self._runs: tuple[str, ...] = ()
        try:
            self.path = Path(tempfile.mkdtemp(prefix="verify-explore-")) if path is None else path.absolute()
            self._begin(new=not resume)
            self._lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._runs = (*_runs_of(self.path), self.run)
        except BlockingIOError:
            self._unlock()
            words = f"another exploration works in {path}"
            raise UsageError(f"{words}: wait for it, or name another folder") from None
        except OSError as error:
            self._unlock()
            raise UsageError(f"--work {path} cannot be used: {reason_of(error)}") from None
        self.shelf = Shelf(self.path / STATES, lasting=not self._temporary)
        if not resume and (self.path / MANIFEST).exists():
            self._unlock()
            words = f"{path} holds an exploration: --resume continues it"
            raise UsageError(f"{words}; for another one name another folder, or remove it")
        try:
            if not self._temporary:
                replace_file(self.path / RUNS, json.dumps(self._runs))
        except OSError as error:
            self._unlock()
            raise UsageError(f"--work {path} cannot be used: {reason_of(error)}") from None

    def _begin(self, *, new: bool) -> None:
        """Make missing files and folders. Raises UsageError if the folder has foreign files."""
        if new:
            self.path.mkdir(parents=True, exist_ok=True)
        mine = (MANIFEST, STATES, LOCK, SPARK_LOG, RUNS)
        names = sorted(os.listdir(self.path))
        self._refuse_links([name for name in names if name in mine])
        others = [name for name in names if name not in mine and not name.startswith(_OF_DRAFTS)]
        if not others:
            (self.path / STATES).mkdir(exist_ok=True)
            known = self._recognise_blocks()
            inside = [f"{STATES}/{name}" for name in sorted(os.listdir(self.path / STATES))]
            self._refuse_links(inside)
            others = [name for name in inside if not known(os.path.basename(name))]
        if others:
            words = f"--work {self.path} is not allowed: it has other files ({others[0]})"
            raise UsageError(f"{words}; name a folder that is empty or not there")

    def _refuse_links(self, names: Iterable[str]) -> None:
        """Raise UsageError if one of the names in the folder is a link."""
        for name in names:
            if (self.path / name).is_symlink():
                words = f"--work {self.path} is not allowed: {name} in it is a link, which is not followed"
                raise UsageError(f"{words}; name a folder that is empty or not there")

    def __enter__(self) -> WorkFolder[CheckpointT]:
        return self

    def __exit__(self, *_: object) -> None:
        if self._temporary:
            with suppress(OSError):
                self._remove_others(())
            shutil.rmtree(self.path, ignore_errors=True)
        self._unlock()

    def _unlock(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def keep(self, checkpoint: CheckpointT) -> int:
        """Makes a checkpoint last, and removes the files that it does not need; returns the bytes of the
        others. Raises OSError; then the checkpoint before is still there."""
        blocks = checkpoint.blocks
        if not self._temporary:
            content = {"format": _FORMAT, "question": dict(self._question), **checkpoint.as_object()}
            checked = {"checksum": _checksum(content), **content}
            replace_file(self.path / MANIFEST, json.dumps(checked, ensure_ascii=False))
        self._remove_others(blocks)
        return sum(block.size for block in blocks.values())

    def _remove_others(self, names: Iterable[str]) -> None:
        """Remove blocks of other runs by several threads: one GiB takes the system half a second, during
        which nothing else runs. No thread is left when processes are forked again."""
        kept, begun = set(names), _beginnings(self._runs)
        with ThreadPoolExecutor(_REMOVING) as removing:
            for entry in os.scandir(self.shelf.folder):
                if entry.name not in kept and entry.name.startswith(begun):
                    removing.submit(_remove, entry.path)

    def last(self) -> CheckpointT | None:
        """The last checkpoint, each of its files checked; None if there is none yet.

        Raises UsageError if it is of another exploration, or files are damaged.
        """
        path = self.path / MANIFEST
        try:
            content = _read_manifest(path)
            self._check_question(content["question"])
            checkpoint = self._read(content)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {reason_of(error)}") from None
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise UsageError(f"{path} is not a manifest of an exploration: {error}") from None
        try:
            for block in checkpoint.blocks.values():
                self.shelf.check(block)
        except (OSError, Damaged) as error:
            raise UsageError(f"{self.path} cannot be gone on with: {error}") from None
        self._remove_others(checkpoint.blocks)
        return checkpoint

    def _recognise_blocks(self) -> Callable[[str], bool]:
        """Tells by its name whether a file is a block that an exploration in the folder wrote."""
        listed, begun = self._list_blocks(), (*_beginnings(_runs_of(self.path)), _OF_THE_SYSTEM)
        return lambda name: name in listed or name.startswith(begun)

    def _list_blocks(self) -> frozenset[str]:
        """The blocks that the manifest lists; none if there is no such manifest."""
        try:
            return frozenset(self._read(_read_manifest(self.path / MANIFEST)).blocks)
        except (OSError, ValueError, KeyError, TypeError, IndexError):
            return frozenset()

    def _check_question(self, asked: Mapping[str, Any]) -> None:
        now = json.loads(json.dumps(self._question))
        different = [name for name in now if asked.get(name) != now[name]] or [*asked.keys() - now.keys()]
        if different:
            names = ", ".join(name.replace("_", " ") for name in different)
            words = f"{self.path} holds another exploration: of another {names}"
            raise UsageError(f"{words}; ask as before, or name another folder")


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


def _runs_of(folder: Path) -> tuple[str, ...]:
    """Return the prefixes of the names of blocks that explorations wrote in the folder; none if it does not
    list them."""
    try:
        said = read_json(text_of(folder / RUNS))
    except (OSError, ValueError):
        return ()
    runs = said if isinstance(said, list) else []
    return tuple(run for run in runs if isinstance(run, str) and _OF_RUNS.fullmatch(run))


def _beginnings(runs: Iterable[str]) -> tuple[str, ...]:
    """Return the prefixes of the names of the blocks of runs, and of their drafts."""
    return tuple(f"{dot}{run}" for run in runs for dot in ("", "."))


def _checksum(content: Mapping[str, Any]) -> int:
    """Return the checksum of a manifest: a digit that a disk changed would be an unnoticed wrong count."""
    return zlib.crc32(json.dumps(content).encode())


def _read_manifest(path: Path) -> dict[str, Any]:
    """Read a manifest. Raises OSError, and ValueError, KeyError or TypeError for other data."""
    content: dict[str, Any] = read_json(text_of(path))
    if content["format"] != _FORMAT:
        raise ValueError(f"its format is {content['format']} and not {_FORMAT}")
    if content["checksum"] != _checksum({name: part for name, part in content.items() if name != "checksum"}):
        raise ValueError("it is damaged")
    return content
