"""Logs: the events of a file, each with its line. Files are ndjson, JSON arrays, or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verifier.errors import UsageError
from verifier.files import read_text


@dataclass(frozen=True)
class Event:
    """An event of a log."""

    line: int
    text: str
    fields: Mapping[str, Any]
    """The values of the event, as JSON has them."""


def lines_with_numbers(log: Path) -> list[tuple[int, str]]:
    """Return the lines of a file that are not empty, each with its number."""
    return [(number, line) for number, line in enumerate(read_text(log).split("\n"), 1) if line.strip()]


def read_log(log: Path) -> list[Event]:
    """Return the events of a log. Raises UsageError with file and line if it has another form."""
    whole = read_text(log)
    if log.suffix == ".csv":
        return _read_table(log, whole)
    if whole.lstrip()[:1] == "[":
        return _read_array(log, whole)
    return [_event(log, number, line, _parse(log, number, line)) for number, line in lines_with_numbers(log)]


def _parse(log: Path, number: int, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"{log}:{number + error.lineno - 1}:{error.colno}: no JSON: {error.msg}") from None
    except RecursionError:
        raise UsageError(f"{log}:{number}: is nested too deeply") from None


def _event(log: Path, number: int, text: str, value: Any) -> Event:
    if not isinstance(value, dict):
        raise UsageError(f"{log}:{number}: an event is an object with fields, {{…}}, and this is none")
    return Event(number, text, value)


def _read_array(log: Path, whole: str) -> list[Event]:
    """Return the objects of an array, each with the line on which it begins."""
    _parse(log, 1, whole)
    decoder, found, place = json.JSONDecoder(), list[Event](), whole.index("[") + 1
    line, counted = 1, 0
    while True:
        while whole[place] in " \t\r\n,":
            place += 1
        if whole[place] == "]":
            return found
        value, end = decoder.raw_decode(whole, place)
        line, counted = line + whole.count("\n", counted, place), place
        found.append(_event(log, line, " ".join(whole[place:end].split()), value))
        place = end


def _read_table(log: Path, whole: str) -> list[Event]:
    """Return the rows of a table. Integers are numbers, and an empty cell is no field."""
    rows = csv.reader(io.StringIO(whole, newline=""))
    found, names, line = list[Event](), list[str](), 1
    texts = whole.split("\n")
    try:
        for row in rows:
            begins, line = line, rows.line_num + 1
            if not names:
                names = row
            elif len(row) > len(names):
                words = f"{len(row)} cells, and the first line names {len(names)} columns"
                raise UsageError(f"{log}:{begins}: {words}")
            elif row:
                cells = {name: _cell(cell) for name, cell in zip(names, row, strict=False) if cell}
                found.append(Event(begins, texts[begins - 1].rstrip("\r"), cells))
    except csv.Error as error:
        raise UsageError(f"{log}:{rows.line_num}: no CSV: {error}") from None
    return found


def _cell(cell: str) -> Any:
    digits = cell.removeprefix("-")
    return int(cell) if digits.isascii() and digits.isdigit() and len(digits) < 20 else cell
