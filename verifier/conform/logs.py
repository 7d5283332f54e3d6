"""Logs: the events of a file, each with its line. Files are ndjson, JSON arrays, CSV, or ITF."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verifier.errors import UsageError
from verifier.files import read_text, text_of

_MARK = "\ufeff"
"""The byte order mark, with which some programs begin a file."""
NO_TEXT = "no JSON: it is not UTF-8 text"


class LogError(UsageError):
    """A log that cannot be judged: the file, the line, and why."""

    def __init__(self, log: Path, line: int, words: str, column: int | None = None, text: str = "") -> None:
        place = f"{log}:{line}" if column is None else f"{log}:{line}:{column}"
        super().__init__(f"{place}: {words}")
        self.log, self.line, self.words, self.text = log, line, words, text


@dataclass(frozen=True)
class Event:
    """An event of a log."""

    line: int
    text: str
    fields: Mapping[str, Any]
    """The values of the event, as JSON has them."""


def lines_with_numbers(log: Path) -> list[tuple[int, str]]:
    """Return the lines of a file that are not empty, each with its number."""
    return [(number, line) for number, line in enumerate(_read_whole(log).split("\n"), 1) if line.strip()]


def _read_whole(log: Path) -> str:
    """Return the text of a log. Raises LogError with the line that is no text."""
    try:
        return text_of(log).removeprefix(_MARK)
    except UnicodeDecodeError as error:
        raise LogError(log, error.object.count(b"\n", 0, error.start) + 1, NO_TEXT) from None
    except OSError:
        return read_text(log)  # raises an error that names the file


def read_log(log: Path) -> list[Event]:
    """Return the events of a log. Raises UsageError with file and line if it has another form."""
    whole = _read_whole(log)
    if log.suffix == ".csv":
        return _read_table(log, whole)
    if whole.lstrip()[:1] == "[":
        return _read_array(log, whole)
    if log.name.endswith(".itf.json"):
        return _read_itf(log, whole)
    return list(read_lines(log, whole.splitlines(keepends=True)))


def read_lines(log: Path, lines: Iterable[str]) -> Iterator[Event]:
    """Yield the events of lines as they come. Raises LogError for a line that is none."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            text = (line.removeprefix(_MARK) if number == 1 else line).rstrip("\r\n")
            if not text.isascii() and not _is_text(text):
                raise LogError(log, number, NO_TEXT)
            yield _event(log, number, text, _parse(log, number, text, whole=not line.endswith(text)))


def _is_text(line: str) -> bool:
    """True if a line of standard input has no bytes that are no text."""
    return not any("\udc80" <= letter <= "\udcff" for letter in line)


def _parse(log: Path, number: int, text: str, *, whole: bool = True) -> Any:
    """Return a text as JSON. ``whole``: it is not the end of a file that may still be written."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = number + error.lineno - 1
        words = f"no JSON: {error.msg}"
        if not whole:
            words += ". The last line has no end: the log was cut off there, or is still being written"
        raise LogError(log, line, words, error.colno, text.split("\n")[error.lineno - 1]) from None
    except RecursionError:
        raise LogError(log, number, "is nested too deeply") from None


def _event(log: Path, number: int, text: str, value: Any) -> Event:
    if not isinstance(value, dict):
        words = "an event must be an object with fields, {…}, and this is not one"
        raise LogError(log, number, words, text=text)
    return Event(number, text, value)


def _read_itf(log: Path, whole: str) -> list[Event]:
    """Return the states of an execution in ITF, each with the line on which it begins."""
    content = _parse(log, 1, whole)
    if not isinstance(content, dict) or not isinstance(content.get("states"), list):
        raise LogError(log, 1, "no ITF: an object with a list of states is expected")
    events, place = list[Event](), re.search(r'"states"\s*:\s*', whole)
    array = whole[: place.end() if place else 0]
    for event in _read_array(log, whole, len(array)):
        fields = {name: plain_itf(value) for name, value in event.fields.items() if not name.startswith("#")}
        events.append(Event(event.line, event.text, fields))
    return events


def plain_itf(value: Any) -> Any:
    """Return a value of ITF as JSON has it: sets and tuples as arrays, functions as objects. A function whose
    keys are no words and numbers stays ``#map``, a list of pairs."""
    match value:
        case {"#bigint": digits}:
            return int(digits)
        case {"#tup": items} | {"#set": items}:
            return [plain_itf(item) for item in items]
        case {"#map": pairs}:
            plain = [(plain_itf(key), plain_itf(item)) for key, item in pairs]
            if all(isinstance(key, str | int) for key, _ in plain):
                return {str(key): item for key, item in plain}
            return {"#map": plain}
        case dict():
            return {name: plain_itf(item) for name, item in value.items()}
        case list():
            return [plain_itf(item) for item in value]
    return value


def _read_array(log: Path, whole: str, begin: int = 0) -> list[Event]:
    """Return the objects of an array, each with the line on which it begins."""
    _parse(log, 1, whole)
    decoder, events, place = json.JSONDecoder(), list[Event](), whole.index("[", begin) + 1
    line, counted = 1, 0
    while True:
        while whole[place] in " \t\r\n,":
            place += 1
        if whole[place] == "]":
            return events
        value, end = decoder.raw_decode(whole, place)
        line, counted = line + whole.count("\n", counted, place), place
        events.append(_event(log, line, " ".join(whole[place:end].split()), value))
        place = end


def _read_table(log: Path, whole: str) -> list[Event]:
    """Return the rows of a table. Integers are numbers, and an empty cell is no field."""
    rows = csv.reader(io.StringIO(whole, newline=""))
    events, names, line = list[Event](), list[str](), 1
    texts = whole.split("\n")
    try:
        for row in rows:
            begins, line = line, rows.line_num + 1
            if not names:
                names = row
            elif len(row) > len(names):
                words = f"{len(row)} cells, and the first line names {len(names)} columns"
                raise LogError(log, begins, words)
            elif row:
                cells = {name: _cell(cell) for name, cell in zip(names, row, strict=False) if cell}
                events.append(Event(begins, texts[begins - 1].rstrip("\r"), cells))
    except csv.Error as error:
        raise LogError(log, rows.line_num, f"no CSV: {error}") from None
    return events


def _cell(cell: str) -> Any:
    digits = cell.removeprefix("-")
    return int(cell) if digits.isascii() and digits.isdigit() and len(digits) < 20 else cell
