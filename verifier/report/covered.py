"""Source texts with the counts of their formulas, as a page shows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verifier.outcomes.row import Row


@dataclass(frozen=True)
class Counted:
    """A formula with its counts, as texts."""

    evaluated: str
    true: str
    formula: str
    is_never_true: bool
    indent: str = ""
    """The space before it, so that it stands below its place in the line."""


@dataclass(frozen=True)
class CoveredLine:
    """A line of a source text. Its pieces say what is never true."""

    number: int
    pieces: tuple[tuple[str, bool], ...]
    only: Counted | None
    """The count of its formula, if it has one."""
    several: tuple[Counted, ...]
    """The counts of its formulas, if it has several; they are shown below it."""


@dataclass(frozen=True)
class CoveredText:
    """A source text: the lines of a module, or of a method."""

    title: str
    lines: tuple[CoveredLine, ...]
    others: tuple[Counted, ...]
    """The counts of formulas that have no place within the lines, as those of a method."""


def cover_texts(row: Row) -> list[CoveredText]:
    """Return the source texts of a run with the counts of their formulas; none if it did not count."""
    sources = row.statistics.get("sources") or []
    return [_cover_text(source, row.statistics.get("coverage") or []) for source in sources]


def find_covering(rows: Sequence[Row]) -> Mapping[int, int]:
    """Return, for each row of a run that counted, the number of the row whose page shows it."""
    first: dict[tuple[str, str, str], int] = {}
    return {
        number: first.setdefault((row.run_id, row.spec, row.shown_constants), number)
        for number, row in enumerate(rows)
        if row.statistics.get("sources")
    }


def _cover_text(source: Mapping[str, Any], counts: Sequence[Mapping[str, Any]]) -> CoveredText:
    file, first = str(source["file"]), int(source["first_line"])
    by_line: dict[int, list[tuple[int, Mapping[str, Any]]]] = {}
    others, owners = list[Counted](), dict[str, None]()
    for count in counts:
        name, line, column = _split_place(str(count["place"]))
        if name != file:
            continue
        if column is not None:
            by_line.setdefault(line, []).append((column, count))
        elif line == first:
            others.append(_view(count))
            owners[str(count["owner"])] = None
    lines = tuple(
        _cover_line(number, text, by_line.get(number, []))
        for number, text in enumerate(str(source["text"]).rstrip("\n").split("\n"), first)
    )
    where = Path(file).name if not owners else f"{', '.join(owners)} ({Path(file).name}, line {first})"
    return CoveredText(where, lines, tuple(others))


def _split_place(place: str) -> tuple[str, int, int | None]:
    """Return file, line and column. A place in Python has no column."""
    file, comma, line = place.rpartition(", line ")
    if comma:
        return file, int(line), None
    file, _, rest = place.partition(".tla:")
    line, _, column = rest.partition(":")
    return f"{file}.tla", int(line or 0), int(column or 0)


def _view(count: Mapping[str, Any], column: int = 1) -> Counted:
    evaluated, true = (f"{count[name]:,}" for name in ("evaluated", "true"))
    return Counted(evaluated, true, str(count["formula"]), not count["true"], " " * (column - 1))


def _cover_line(number: int, text: str, counts: list[tuple[int, Mapping[str, Any]]]) -> CoveredLine:
    ordered = sorted(counts, key=lambda item: item[0])
    pieces, views = tuple(_divide_line(text, ordered)), tuple(_view(count, at) for at, count in ordered)
    return CoveredLine(number, pieces, views[0] if len(views) == 1 else None, views if len(views) > 1 else ())


def _divide_line(text: str, counts: Sequence[tuple[int, Mapping[str, Any]]]) -> Iterator[tuple[str, bool]]:
    """Yield the pieces of a line, and whether they are never true. A formula that goes on in other lines
    reaches to the end of this one."""
    never = [False] * len(text)
    for column, count in counts:
        if not count["true"]:
            begin, formula = column - 1, str(count["formula"])
            end = begin + len(formula) if text[begin:].startswith(formula) else len(text)
            never[begin:end] = [True] * len(never[begin:end])
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or never[place] != never[start]:
            yield text[start:place], never[start]
            start = place
