"""The library, compiled once and kept in a folder of the user.

Its name has the hash of all that it is made of (source, flags, and what the compiler says of itself and of
the machine) and the hash of its content. A file whose content is another is not loaded, but made again. The
folder must belong to the user, and no one else may write there: what is loaded runs with the user's rights.
"""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import logging
import os
import shlex
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from verifier.files import reason_of
from verifier.kernels.query_functions import QueryFunctions

if TYPE_CHECKING:
    from verifier.kernels.library import Library

T = TypeVar("T")

_LOG = logging.getLogger(__name__)
SOURCES = tuple(Path(__file__).with_name(name) for name in ("kernel.c", "tasks.c", "classes.c"))
"""Parts of one program, in their order."""
QUERY_SOURCES = tuple(Path(__file__).with_name(name) for name in ("clauses.c", "orbits.c", "queries.c"))
"""The parts of another program, which IC3 uses."""
_QUERIES = "queries-"
"""The beginning of the names of its files."""
_FLAGS = ("-O3", "-march=native", "-std=gnu11", "-fPIC", "-shared", "-x", "c")
_COMPILERS = ("cc", "gcc", "clang")
_LOCK = ".lock"
_LONGEST = 30
"""Seconds that the compiler may take."""


class NoLibrary(Exception):
    """There is no library, for a reason in words."""


def is_kept() -> bool:
    """True if a library is compiled already, as far as one can say without asking the compiler."""
    with suppress(OSError):
        return any(not file.name.startswith(_QUERIES) for file in _folder().glob("*.so"))
    return False


@cache
def load_library() -> Library | None:
    """Return the library, which is compiled where it is not kept; None where there can be none. The log says
    why."""
    return _load_or_log(_load)


def _load() -> Library:
    """Raises NoLibrary or OSError."""
    from verifier.kernels.library import VERSION, Library  # NumPy, which queries do without

    library, kept = _build(SOURCES, "", Library)
    if library.version != VERSION:
        raise NoLibrary(f"{kept} is of another version")
    return library


@cache
def load_queries() -> QueryFunctions | None:
    """Return the functions for IC3's queries, as ``load_library`` returns those for explorations."""
    return _load_or_log(lambda: _build(QUERY_SOURCES, _QUERIES, QueryFunctions)[0])


def _load_or_log(load: Callable[[], T]) -> T | None:
    try:
        return load()
    except NoLibrary as reason:
        _LOG.info("no compiled kernels: %s", reason)
    except OSError as error:
        _LOG.info("no compiled kernels: %s: %s", error.filename or _folder(), reason_of(error))
    return None


def _build(sources: Iterable[Path], prefix: str, functions: Callable[[ctypes.CDLL], T]) -> tuple[T, Path]:
    """Raises NoLibrary or OSError."""
    compiler, source = _find_compiler(), read_sources(sources)
    key = prefix + hashlib.sha256(repr((source, _FLAGS, _ask(compiler))).encode()).hexdigest()[:32]
    folder = _private_folder()
    kept = _find(folder, key)
    if kept is None:
        with _alone(folder):  # other processes wait, and find it then
            kept = _find(folder, key) or _compile(compiler, folder, key, source)
    try:
        return functions(ctypes.CDLL(str(kept))), kept
    except (OSError, AttributeError) as error:
        raise NoLibrary(f"{kept} cannot be loaded: {error}") from error


def read_sources(sources: Iterable[Path]) -> bytes:
    """Return the text of a program."""
    return b"".join(source.read_bytes() for source in sources)


def _find_compiler() -> list[str]:
    """The words that start the compiler. ``CC`` names it; where that is empty there is none."""
    named = os.environ.get("CC")
    words = shlex.split(named) if named is not None else []
    if named is None:
        words = [name for name in _COMPILERS if shutil.which(name)][:1]
    if not words or shutil.which(words[0]) is None:
        raise NoLibrary("no C compiler")
    return words


def _run(command: list[str], text: bytes) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(command, input=text, capture_output=True, timeout=_LONGEST, check=False)
    except subprocess.TimeoutExpired as error:
        raise NoLibrary(f"{command[0]} takes more than {_LONGEST} s") from error


def _ask(compiler: list[str]) -> bytes:
    """Return the compiler's macros: they tell its version, and the machine for which it compiles."""
    asked = _run([*compiler, *_FLAGS, "-dM", "-E", "-"], b"")
    if asked.returncode or not asked.stdout:
        raise NoLibrary(f"{compiler[0]} does not understand the flags")
    return asked.stdout


def _folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "verify" / "kernels"


def _private_folder() -> Path:
    folder = _folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or not _is_private(status):
        raise NoLibrary(f"others may write to {folder}")
    return folder


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Only one process at a time compiles. The lock ends with its process."""
    file = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


def _is_private(status: os.stat_result) -> bool:
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _find(folder: Path, key: str) -> Path | None:
    """The kept library, if its content is what was compiled. What is not is removed."""
    found = None
    for file in sorted(folder.glob(f"{key}-*.so")):
        status = file.lstat()
        if stat.S_ISREG(status.st_mode) and _is_private(status) and file == _named(folder, key, file):
            found = file
        else:
            _LOG.info("%s is damaged, and made again", file)
            file.unlink(missing_ok=True)
    return found


def _named(folder: Path, key: str, content: Path) -> Path:
    return folder / f"{key}-{hashlib.sha256(content.read_bytes()).hexdigest()[:32]}.so"


def _compile(compiler: list[str], folder: Path, key: str, source: bytes) -> Path:
    number, name = tempfile.mkstemp(prefix=".draft-", suffix=".so", dir=folder)
    os.close(number)
    draft = Path(name)
    try:
        done = _run([*compiler, *_FLAGS, "-o", name, "-"], source)
        if done.returncode:
            lines = done.stderr.decode(errors="replace").splitlines() or ["it fails"]
            raise NoLibrary(f"{compiler[0]}: {lines[0]}")
        draft.chmod(0o700)
        kept = _named(folder, key, draft)
        draft.replace(kept)
    finally:
        draft.unlink(missing_ok=True)
    return kept
