"""The list of a page: columns of values, which the browser sorts and filters; and packed pages."""

from __future__ import annotations

import re
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from verifier.encodings.concrete import show
from verifier.outcomes.row import Row
from verifier.printable import json_text, printable
from verifier.report.claims import verdict_of
from verifier.report.known import CHECKER, find_known_answer
from verifier.report.report import varying_constants, version_columns
from verifier.report.verdict_page import VerdictPage
from verifier.verdict import VerdictKind

_DIGITS = re.compile("([0-9](?:,?[0-9])*)")


@dataclass(frozen=True)
class Column:
    """A column of the list: its different values, and which of them each row has."""

    name: str
    values: tuple[str, ...]
    codes: tuple[int, ...]
    is_number: bool = False
    is_facet: bool = True
    """True if rows are chosen by its values; else only by words."""

    @classmethod
    def of_words(cls, name: str, words: Sequence[str], **about: Any) -> Column:
        """The column with these words in its rows."""
        shown = [printable(word) for word in words]
        values = sorted(set(shown), key=_order)
        places = {value: number for number, value in enumerate(values)}
        return cls(printable(name), tuple(values), tuple(places[w] for w in shown), **about)

    def of(self, row: int) -> str:
        """Return the value of a row."""
        return self.values[self.codes[row]]


def columns_of(rows: Sequence[Row]) -> list[Column]:
    """The columns of the list. What all rows have has none, but for verdict, property, spec and time."""
    known_answers = [find_known_answer(row) for row in rows]
    answers = ["" if one is None else f"{one.mark}: {one.words}" for one in known_answers]
    columns = [
        Column.of_words("verdict", [row.verdict.value for row in rows]),
        Column.of_words("how far", [_how_far(row) for row in rows], is_facet=False),
        Column.of_words("property", [row.claim for row in rows]),
        Column.of_words("spec", [row.spec for row in rows]),
        *(
            Column.of_words(name, [show(r.constants[name]) if name in r.constants else "" for r in rows])
            for name in varying_constants(rows)
        ),
        Column.of_words("engine", [row.engine for row in rows]),
        Column.of_words("solver", [row.solver for row in rows]),
        Column.of_words("seconds", [f"{row.seconds:.1f}" for row in rows], is_number=True, is_facet=False),
        *(Column.of_words(name, list(values)) for name, values in version_columns(rows).items()),
        *([Column.of_words(CHECKER, answers)] if any(known_answers) else []),
    ]
    always = ("verdict", "property", "spec", "seconds")
    return [column for column in columns if len(column.values) > 1 or column.name in always]


def _how_far(row: Row) -> str:
    """The verdict without its kind, which stands beside it."""
    words = verdict_of(row).removeprefix(row.verdict.value)
    return words.strip(" ,:") if not words.startswith("(") else words[1:-1]


def _order(value: str) -> tuple[int, float, list[tuple[int, str]], str]:
    """A key that sorts numbers by size and puts words after them, those also by the numbers in them."""
    try:
        return (0, float(value), [], value)
    except ValueError:
        parts = _DIGITS.split(value)  # text and numbers take turns
        plain = [(0, part) if place % 2 == 0 else _size(part) for place, part in enumerate(parts)]
        return (1, 0.0, plain, value)


def _size(digits: str) -> tuple[int, str]:
    """A key that sorts whole numbers of any length by size."""
    plain = digits.replace(",", "").lstrip("0")
    return (len(plain), plain)


def make_list(
    columns: Sequence[Column], verdicts: Sequence[VerdictPage], marks: Mapping[VerdictKind, str]
) -> dict[str, Any]:
    """The list as JSON."""
    return {
        "addresses": [verdict.address for verdict in verdicts],
        "marks": {kind.value: mark for kind, mark in marks.items()},
        "columns": [
            {
                "name": column.name,
                "values": column.values,
                "codes": column.codes,
                "number": column.is_number,
                "facet": column.is_facet,
            }
            for column in columns
        ],
    }


SAME = 0
"""The place of a line that is the same in the page before."""


def pack_pages(pages: Sequence[str]) -> Markup:
    """Many pages, packed line by line: a list for each number of a line, with an item for each page.

    An item is the line, or SAME, or None where a page has fewer lines. Real rows differ in a few lines of
    each page, which the window of a compression by pages does not see.
    """
    lines = [page.split("\n") for page in pages]
    columns: list[list[str | int | None]] = []
    for place in range(max(map(len, lines), default=0)):
        own = [page[place] if place < len(page) else None for page in lines]
        before = [object(), *own]
        columns.append([SAME if one == last else one for one, last in zip(own, before, strict=False)])
    return pack(columns)


def pack(texts: Sequence[Any]) -> Markup:
    """Many pages or executions, which are much alike, as a short text: JSON, compressed, in base 64."""
    text = json_text(texts, None, (",", ":"))
    return Markup(b64encode(zlib.compress(text.encode("utf-8", "surrogatepass"), 9)).decode())
