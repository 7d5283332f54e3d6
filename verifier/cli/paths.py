"""Files that a command is told to read and to write: none is written that is read, or written twice.

Options and arguments that name files have one of the types here. Each says at once what it names, and is
compared with all that was named before; what only becomes known later, as the specs that a manifest names, is
said by ``reads`` and ``writes``.
"""

from __future__ import annotations

import errno
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from verifier.cli.completion import files, specs
from verifier.errors import UsageError
from verifier.files import reason_of, same_file
from verifier.specs.built_in import BUILT_IN

_KEY = "verifier.cli.paths"
_LONGEST = 80
"""The limit of characters that an error shows of a word that is no path."""
_OF_A_SWEEP = ("rows", "parts", "damaged", "sweep.json", "lock", "lock.holder")
"""Files in a sweep's folder that nothing else may overwrite."""


@dataclass(frozen=True)
class _Use:
    """A file that is read or written, and as what: an option, an argument, or words."""

    what: str
    path: Path
    written: bool


class FileToRead(click.ParamType[Path]):
    """A file or a sweep's folder that the command reads."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path. Raises UsageError if it is written as well."""
        path = _path(_name(param), value)
        reads(_name(param), path)
        return path

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Any file."""
        return files(incomplete)


class LogToRead(FileToRead):
    """A file that the command reads, or ``-`` for standard input."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path. Raises UsageError if it is written as well."""
        return Path(value) if str(value) == "-" else super().convert(value, param, ctx)


class FileToWrite(click.ParamType[Path]):
    """A file or a sweep's folder that the command writes."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path. Raises UsageError if something else is read from there, or written to it."""
        path = _path(_name(param), value)
        writes(_name(param), path)
        return path

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Any file."""
        return files(incomplete)


class FolderToRead(click.ParamType[Path]):
    """A folder with files that the command may read."""

    name = "folder"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path. Raises UsageError if there is no such folder."""
        path = _path(_name(param), value)
        try:
            if path.is_dir():
                return path
        except OSError as error:
            raise UsageError(f"{_name(param)} {path} cannot be read: {reason_of(error)}") from None
        raise UsageError(f"{_name(param)} {path} is not a folder")


class SpecName(click.ParamType[str]):
    """A built-in protocol, or a file, which is read."""

    name = "spec"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name as it was given. Raises UsageError if its file is written as well."""
        reads_spec(_name(param), str(value))
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Built-in names and Python files."""
        return specs(incomplete)


def reads(what: str, path: Path) -> None:
    """Notes that a file is read. Raises UsageError if it is one that is written."""
    _note(_Use(what, path, written=False))


def writes(what: str, path: Path) -> None:
    """Notes that a file is written. Raises UsageError if it is read, or written as something else."""
    _note(_Use(what, path, written=True))


def reads_spec(what: str, spec: str) -> None:
    """Notes that a spec is read, if it is a file."""
    if spec not in BUILT_IN:
        path, colon, _ = spec.rpartition(":")
        reads(what, _path(what, path if colon and path.endswith(".py") else spec))


def check_no_code(option: str, path: Path) -> None:
    """Raises UsageError if a file that is to be written is code that is running, as a module of a spec."""
    if not path.is_file():
        return
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and same_file(Path(file), path):
            raise UsageError(f"{option} {path} would overwrite {file}, whose code is run: name another file")


def _path(what: str, word: Any) -> Path:
    """The path that a word is. Raises UsageError if no file can be called so, whether there is one or not."""
    path = Path(word)
    try:
        path.lstat()
    except ValueError:  # a NUL, or what is no text of the system's
        raise UsageError(
            f"{what} {_shorten(path)} is not a path: it has a character that none can have"
        ) from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise UsageError(f"{what} {_shorten(path)} is not a path: {reason_of(error)}") from None
    return path


def _shorten(path: Path) -> str:
    text = str(path)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _name(param: click.Parameter | None) -> str:
    if param is None:
        return "the file"
    return param.opts[0] if isinstance(param, click.Option) else (param.metavar or param.opts[0]).strip("[]")


def _note(use: _Use) -> None:
    context = click.get_current_context(silent=True)
    if context is None or context.resilient_parsing:
        return
    uses: list[_Use] = context.meta.setdefault(_KEY, [])
    for other in uses:
        if (use.written or other.written) and use.what != other.what and _overlap(use.path, other.path):
            raise _clash(*sorted((other, use), key=lambda one: not one.written))
    uses.append(use)


def _clash(one: _Use, other: _Use) -> UsageError:
    """``one`` is written."""
    if other.written:
        words = f"{one.what} {one.path} and {other.what} {other.path} are one file"
        return UsageError(f"{words}: each needs a file of its own")
    return UsageError(
        f"{one.what} {one.path} would overwrite {other.path}, which is read ({other.what}): name another file"
    )


def _overlap(one: Path, other: Path) -> bool:
    try:
        return same_file(one, other) or _within(one, other) or _within(other, one)
    except OSError:
        return False  # whoever opens it says what is wrong with it


def _within(file: Path, folder: Path) -> bool:
    """True if a file is part of what a sweep keeps in its folder."""
    if not folder.is_dir():
        return False
    place = Path(os.path.realpath(file))
    kept = [Path(os.path.realpath(folder / name)) for name in _OF_A_SWEEP]
    return any(place == part or part in place.parents for part in kept)
