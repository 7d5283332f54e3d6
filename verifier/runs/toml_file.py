"""TOML files of grids and manifests: errors name each wrong key with its place and the allowed values."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from verifier.errors import UsageError, cut, make_unknown_name_error, nearest
from verifier.files import text_of
from verifier.json_shape import MOST_DIGITS
from verifier.runs.loaded import ReadingOptions

T = TypeVar("T")
_HEADING = re.compile(r"^[ \t]*\[\[?[ \t]*([\w-]+)", re.MULTILINE)


def read_toml(path: Path, what: str, tables: Iterable[str], listed: str = "") -> Mapping[str, Any]:
    """Return the content of a file, which is called ``what``, with no other tables than these. ``listed``:
    the one that is written ``[[so]]``. Raises UsageError if it cannot be read, is no TOML, or has other
    tables."""
    text = ""
    try:
        text = text_of(path)
        content = tomllib.loads(text)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"cannot read the {what} {path}: {reason}") from error
    except RecursionError:
        raise UsageError(f"{path} is not TOML that can be meant: values are nested too deep") from None
    except ValueError as error:
        if listed and str(error).startswith(f"Cannot declare ('{listed}',) twice"):
            raise UsageError(f"{path}: {_say_brackets(listed)}") from None
        _check_headings(text, tables, path)
        # errors of the grammar, of UTF-8, and of integers with thousands of digits
        raise UsageError(f"{path} is not TOML: {error}") from error
    _check_numbers(content, "", path)
    check_keys(content, tables, path, "table")
    return content


def _check_headings(text: str, tables: Iterable[str], path: Path) -> None:
    """Raise UsageError for the heading of a table in unreadable TOML that resembles an allowed one."""
    allowed = list(tables)
    for name in _HEADING.findall(text):
        if name not in allowed and nearest(name, allowed):
            raise UsageError(f"{path}: {make_unknown_name_error('table', name, allowed)}")


def _say_brackets(key: str) -> str:
    return f"a {key} is written as a table [[{key}]], with two brackets"


def _check_numbers(value: Any, place: str, path: Path) -> None:
    """Raise UsageError for an integer with too many digits."""
    match value:
        case dict():
            for name, item in value.items():
                _check_numbers(item, f"{place}.{name}" if place else name, path)
        case list():
            for index, item in enumerate(value):
                _check_numbers(item, f"{place}[{index}]", path)
        case int() if abs(value) >= 10**MOST_DIGITS:
            raise UsageError(f"{path}: {place} is an integer with more than {MOST_DIGITS} digits")


def check_keys(table: Mapping[str, Any], known: Iterable[str], place: str | Path, kind: str = "key") -> None:
    """Raise UsageError for an unknown key."""
    allowed = list(known)
    for name in table:
        if name not in allowed:
            raise UsageError(f"{place}: {make_unknown_name_error(kind, name, allowed)}")


def list_of_tables(content: Mapping[str, Any], key: str, path: Path, purpose: str) -> list[dict[str, Any]]:
    """Return the tables ``[[key]]``. Raises UsageError if the syntax differs, or there is none."""
    tables = content.get(key, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise UsageError(f"{path}: {_say_brackets(key)}")
    if not tables:
        raise UsageError(f"{path} has no [[{key}]] table, so there is nothing to {purpose}")
    return tables


def whole(table: Mapping[str, Any], key: str, place: str, least: int = 0) -> int | None:
    """Return an integer, or None if it is missing. Raises UsageError for another value, or one below the
    least."""
    value = table.get(key)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
        wrong = f"{key} = {_as_toml(value)}"
        raise UsageError(f"{place}: {wrong} is not allowed: it takes an integer, at least {least}")
    return value


def _as_toml(value: Any) -> str:
    """Return a value in the syntax of the file: a number in quotes is a word."""
    return cut(json.dumps(value, ensure_ascii=False) if isinstance(value, bool | str) else value)


def quantity(
    table: Mapping[str, Any], key: str, default: T, parse: Callable[[str], T], allowed: str, place: str
) -> T:
    """Return a duration or size. Raises UsageError if it cannot be parsed."""
    if key not in table:
        return default
    try:
        return parse(str(table[key]))
    except ValueError:
        raise UsageError(f"{place}: {key} = {table[key]} is not allowed: it takes {allowed}") from None


def reading_in(table: Mapping[str, Any], place: str) -> ReadingOptions:
    """Return the options for TLA+ modules: ``config``, ``library`` and ``lemmas``. Raises UsageError."""
    config = table.get("config")
    if not isinstance(config, str | None):
        raise UsageError(f"{place}: config is the file of a configuration, as in config = 'Small.cfg'")
    libraries = tuple(map(Path, names_in(table, "library", place)))
    return ReadingOptions(Path(config) if config else None, libraries, names_in(table, "lemmas", place))


def names_in(table: Mapping[str, Any], key: str, place: str) -> tuple[str, ...]:
    """Return a list of names, or one name. Raises UsageError."""
    value = table.get(key, [])
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise UsageError(f"{place}: {key} is a list of names, as in {key} = ['...']")
    if key in table and not names:
        raise UsageError(f"{place}: {key} is empty, so there is nothing to do")
    return tuple(dict.fromkeys(names))
