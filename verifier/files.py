"""Files: read as text, written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from verifier.errors import UsageError, nearest

_MOST_OF_THE_NAME = 40
"""Characters of a file's name in that of its draft: no name has more than 255 bytes."""
_MOST_BYTES = 1 << 30
"""Of a file that is read as a whole."""
_CANNOT_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM)
"""The errors of a folder that cannot be forced to the disk, or not be opened for that."""
_KINDS = {
    ".tla": "a TLA+ module",
    ".cfg": "a configuration of TLC",
    ".py": "a Python file",
    ".toml": "a TOML file",
    ".html": "an HTML page",
    ".md": "a Markdown page",
    ".xml": "an XML file",
}
"""Files that are named by mistake where JSON is read."""
_DESCRIPTORS = ("/proc/", "/dev/fd/", "/dev/std")


def reason_of(error: OSError) -> str:
    """Return the system's reason for refusing."""
    words = error.strerror or str(error)
    return words[:1].lower() + words[1:]


def guess_meant_file(path: Path, *endings: str) -> Path | None:
    """Guess which file was meant by a path without a file: the one in its folder with one of these endings
    whose name is nearest, if it is near."""
    try:
        if path.exists():
            return None
        files = {file.stem: file for file in _files_in(path.parent) if file.suffix in endings}
    except OSError:
        return None
    near = path.stem if path.stem in files else nearest(path.stem, files)
    return None if near is None else files[near]


def _files_in(folder: Path) -> list[Path]:
    """The entries of a folder that lead to a file, in order; a link to nothing is no hint."""
    return [file for file in sorted(folder.iterdir()) if file.exists()]


def did_you_mean(path: Path, *endings: str) -> str:
    """A hint for a file that is not there: ``; did you mean b/Lock.tla?``, or nothing."""
    guess = guess_meant_file(path, *endings)
    return "" if guess is None else f"; did you mean {guess}?"


def bytes_of(path: Path) -> bytes:
    """The content of a regular file, or of what standard input or another descriptor of the process leads to.

    Anything else may never end, or never begin. Raises OSError, also for what is too large for a file that is
    read as a whole.
    """
    status = path.stat()
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode) or _is_descriptor(path)):
        raise OSError(errno.EINVAL, "it is not a regular file, but a pipe, a socket or a device")
    large = OSError(errno.EFBIG, f"it has more than {_MOST_BYTES >> 20} MiB")
    if status.st_size > _MOST_BYTES:
        raise large
    with path.open("rb") as file:
        content = file.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise large
    return content


def text_of(path: Path, encoding: str = "utf-8") -> str:
    """Read a file as text, each end of a line as Python has it. Raises OSError, or UnicodeDecodeError."""
    return bytes_of(path).decode(encoding).replace("\r\n", "\n").replace("\r", "\n")


def explain_no_json(file: Path, error: ValueError) -> str:
    """Return the reason why a file is no JSON, as in ``it is a TLA+ module, not JSON``."""
    kind = _KINDS.get(file.suffix.lower())
    return f"it is not JSON: {error}" if kind is None else f"it is {kind}, not JSON"


def read_text(file: Path) -> str:
    """The text of a file. Raises UsageError, which names it, if it cannot be read as text."""
    try:
        return text_of(file)
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {reason_of(error)}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{file}: not JSON: it is not UTF-8 text") from None


def replace_file(path: Path, content: str | bytes) -> None:
    """Writes a file so that it holds either what it did or all of the content, also after a loss of power.

    The content, text as UTF-8, goes to a file of its own in the same folder, is forced to the disk, and then
    gets the name. Permissions stay. A symbolic link stays one, and what it leads to is replaced. What is no
    file that can be replaced, as a pipe or ``/dev/stdout``, is written to. Raises OSError; then the old file
    is whole.
    """
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    if is_stream(path):
        _write_through(path, data)
        return
    target = Path(os.path.realpath(path))
    before = _status(target)
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    draft = _draft_of(target)
    try:
        _write_draft(draft, data, before)
        draft.replace(target)
    except BaseException:  # also where the user interrupts
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def check_replaceable(path: Path) -> None:
    """Raises OSError if a file could not be written there; leaves what is there as it is."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a directory")
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    if not is_stream(path):
        probe = _draft_of(Path(os.path.realpath(path)))
        os.close(os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        probe.unlink()


def is_stream(path: Path) -> bool:
    """True if what is there is no file that can be replaced: a pipe, a device, a process's descriptor."""
    status = _status(path)
    return status is not None and (not stat.S_ISREG(status.st_mode) or _is_descriptor(path))


def same_file(one: Path, other: Path) -> bool:
    """True if two paths lead to one file, also by links; a stream may be written by many."""
    if is_stream(one) or is_stream(other):
        return False
    with suppress(OSError):  # one of them is not there yet
        if os.path.samefile(one, other):
            return True
    return os.path.realpath(one) == os.path.realpath(other)


def _status(path: Path) -> os.stat_result | None:
    """The status of a path, links followed; None if nothing is there."""
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _is_descriptor(path: Path) -> bool:
    """True if a path goes by a descriptor of a process: whoever replaced its file would write elsewhere."""
    here = path
    while True:
        here = Path(os.path.realpath(here.parent), here.name)
        if str(here).startswith(_DESCRIPTORS):
            return True
        if not here.is_symlink():
            return False
        here = here.parent / here.readlink()


def _draft_of(target: Path) -> Path:
    return target.with_name(f".{target.name[:_MOST_OF_THE_NAME]}.{os.urandom(6).hex()}.tmp")


def _write_draft(draft: Path, data: bytes, before: os.stat_result | None) -> None:
    mode = 0o666 if before is None else 0o600  # nobody reads what was private meanwhile
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as file:
        if before is not None:
            with suppress(PermissionError):  # only the system's administrator gives files away
                os.fchown(descriptor, before.st_uid, before.st_gid)
            os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
        file.write(data)
        file.flush()
        os.fsync(descriptor)


def _write_through(path: Path, data: bytes) -> None:
    # Appended: where a descriptor is a file, what was printed there before stays.
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND), "wb") as file:
        file.write(data)


def _sync_folder(folder: Path) -> None:
    """Makes a new name last. Where a file system cannot, the name is there all the same."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise
