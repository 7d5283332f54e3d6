"""The update of a manifest with results; comments and layout stay as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import InlineTable, Table

from verifier.ci.check import EXPECT, SPEC_HASH, CellResult, limits_of, verdict_line
from verifier.ci.manifest import Cell
from verifier.files import bytes_of, replace_file
from verifier.outcomes.row import Row
from verifier.runs.engine import engine_named
from verifier.specs.names import own_name
from verifier.verdict import ExitCode, VerdictKind

_UNDECIDED = (VerdictKind.INCONCLUSIVE, VerdictKind.ERROR)
_NOTICED_FACTOR, _NOTICED_SECONDS = 2.0, 1.0
"""Seconds are only rewritten if they changed by this much, so that a review is not flooded."""


@dataclass(frozen=True)
class Updated:
    """The changes to the cells of a manifest."""

    left: tuple[NotRecorded, ...]
    """The cells that were not changed."""
    removed: Mapping[str, tuple[str, ...]]
    """For each cell: the removed expectations of properties that no longer exist."""
    bad: Mapping[str, tuple[Row, ...]]
    """For each changed cell: its new verdicts that are no success."""
    limited: Mapping[str, str]
    """For each changed cell with constraints: the words that say within which its verdicts are."""
    changed: tuple[str, ...]
    """The recorded cells of which more than the seconds changed."""


@dataclass(frozen=True)
class NotRecorded:
    """A cell that was not changed, and the reason, on one line."""

    cell: str
    reason: str
    exit_code: int


def explain_omission(checked: CellResult) -> NotRecorded | None:
    """Return the reason why nothing of a cell can be recorded; None if it can be."""
    if checked.ran is None:
        # What an update would record is no reason.
        causes = [one for one in checked.surprises if one.subject not in (SPEC_HASH, EXPECT)]
        words = "; ".join(one.surprise for one in causes or checked.surprises if one.surprise is not None)
        if not checked.cell.expected:
            words += ". The properties that the cell checks can be listed below [cell.expect]"
        code = ExitCode.worst(check.exit_code for check in checked.surprises)
        return NotRecorded(checked.cell.id, words, code)
    open_rows = [row for row in checked.ran.rows if row.verdict in _UNDECIDED]
    if open_rows:
        by_words: dict[str, list[str]] = {}
        for row in open_rows:
            by_words.setdefault(verdict_line(row), []).append(row.property_name)
        words = "; ".join(f"{', '.join(names)}: {verdict}" for verdict, names in by_words.items())
        code = ExitCode.worst(row.verdict.exit_code for row in open_rows)
        many = len(checked.ran.rows)
        what = f"{len(open_rows)} of {many} properties are open"
        what = what if len(open_rows) < many else "nothing was decided"
        return NotRecorded(checked.cell.id, f"{what}: {words}", code)
    return None


@dataclass(frozen=True)
class CellChanges:
    """The changes to one cell of a manifest, beside its seconds."""

    removed: tuple[str, ...]
    """The properties without an expectation now, since they no longer exist."""
    expected: tuple[str, ...]
    """The properties with another expectation."""
    other: bool
    """True if the spec hash or the number of states changed."""

    def __bool__(self) -> bool:
        """True if there is a change."""
        return bool(self.removed or self.expected or self.other)


def update_manifest(text: str, cells: Sequence[CellResult]) -> tuple[str, dict[str, CellChanges]]:
    """Return the manifest's text with the results of these cells, and the changes by cell. All these cells
    must be recordable."""
    document: Any = tomlkit.parse(text)
    tables = {str(table["id"]): table for table in document["cell"]}
    changes = {checked.cell.id: _record(tables[checked.cell.id], checked) for checked in cells}
    return tomlkit.dumps(document), changes


def write_updated(path: Path, cells: Sequence[CellResult]) -> Updated:
    """Rewrite the file. Raises OSError."""
    left = {checked.cell.id: reason for checked in cells if (reason := explain_omission(checked)) is not None}
    before = bytes_of(path).decode()  # the line ends stay as they are
    after, changes = update_manifest(before, [checked for checked in cells if checked.cell.id not in left])
    if after != before:
        replace_file(path, after)
    rows = {one.cell.id: one.ran.rows for one in cells if one.ran is not None and one.cell.id not in left}
    bad = {
        cell: surprising
        for cell, own in rows.items()
        if (surprising := tuple(row for row in own if _is_bad_news(row, changes[cell])))
    }
    changed = tuple(cell for cell, own in changes.items() if own)
    limits = {cell: next(filter(None, map(limits_of, rows[cell])), "") for cell in changed}
    limited = {cell: words for cell, words in limits.items() if words}
    removed = {cell: own.removed for cell, own in changes.items() if own.removed}
    return Updated(tuple(left.values()), removed, bad, limited, changed)


def _is_bad_news(row: Row, changes: CellChanges) -> bool:
    """True if a verdict is no success, and was not expected."""
    return bool(row.verdict.exit_code) and row.property_name in changes.expected


def _record(table: Table, checked: CellResult) -> CellChanges:
    """Write the results of a cell. Return the changes."""
    assert checked.ran is not None
    rows, cell, states = checked.ran.rows, checked.cell, checked.ran.distinct_states
    trivia = _cut_off(table)
    other = table.get("spec_hash") != rows[0].spec_hash
    if other:
        table["spec_hash"] = rows[0].spec_hash
    if states is not None and states != cell.distinct_states:
        table["distinct_states"], other = states, True
    if _noticeable(cell.seconds, checked.seconds):
        table["seconds"] = max(round(checked.seconds, 1), 0.1)
    if "expect" not in table:
        table["expect"] = tomlkit.table()
    expect: Any = table["expect"]
    trivia += _cut_off(expect)
    known, removed, expected = {row.property_name for row in rows}, [], []
    for name in list(expect):
        if name not in known and own_name(name, checked.cell.enabled) not in checked.cell.enabled:
            del expect[name]
            if own_name(name, known) not in known:
                removed.append(name)
    for row in rows:
        expectation = _expectation(row, cell)
        old = expect.get(row.property_name)
        if (old if isinstance(old, dict) else {"verdict": old}) != expectation:
            expect[row.property_name] = _inline(expectation)
            expected.append(row.property_name)
    (expect if isinstance(expect, Table) else table).value.body.extend(trivia)
    return CellChanges(tuple(removed), tuple(expected), other)


def _cut_off(table: Any) -> list[Any]:
    """Remove the blank lines and comments from the end of a table: they belong to the next table."""
    removed: list[Any] = []
    if isinstance(table, Table):
        body = table.value.body
        while body and body[-1][0] is None:
            removed.insert(0, body.pop())
    return removed


def _noticeable(old: float | None, new: float) -> bool:
    if old is None:
        return True
    low, high = sorted((old, new))
    return high > low * _NOTICED_FACTOR and high - low > _NOTICED_SECONDS


def _expectation(row: Row, cell: Cell) -> dict[str, Any]:
    expectation: dict[str, Any] = {"verdict": row.verdict.value.lower()}
    engine = engine_named(cell.engine)
    has_fewest = engine.finds_fewest(cell.options) or engine.may_find_fewest
    if row.verdict is VerdictKind.HOLDS:
        expectation["depth"] = row.depth
    elif row.steps is not None and row.fewest and has_fewest:
        expectation["steps"] = row.steps
    return {key: value for key, value in expectation.items() if value is not None}


def _inline(entries: dict[str, Any]) -> InlineTable:
    words = ", ".join(f"{key} = {tomlkit.item(value).as_string()}" for key, value in entries.items())
    table = tomlkit.parse(f"found = {{ {words} }}\n")["found"]
    assert isinstance(table, InlineTable)
    return table
