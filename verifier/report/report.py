"""The data of every kind of report, and short texts for verdicts."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from verifier.encodings.concrete import show
from verifier.outcomes.row import FILE, LEMMAS, LIBRARIES, TRACE_FILE, Row
from verifier.printable import json_text
from verifier.report.known import find_known_answer
from verifier.runs.engine import engine_named
from verifier.runs.modules.loading import setting
from verifier.runs.option import list_declared
from verifier.runs.table import is_engine
from verifier.specs.built_in import BUILT_IN
from verifier.specs.titles import deadlock_title
from verifier.verdict import VerdictKind

_FILE_OF_ANOTHER = "FILE.py"


@dataclass(frozen=True)
class CellAnswer:
    """The answer on a property in a cell of a manifest, or its expectation."""

    subject: str
    verdict: VerdictKind | None
    """None for a subject that is no property."""
    words: str
    surprise: str | None = None
    """Why it is not as expected."""
    row: int | None = None
    """Its place among the rows of the report."""


@dataclass(frozen=True)
class CellLine:
    """A cell of a manifest."""

    name: str
    spec: str
    constants: str
    engine: str
    answers: tuple[CellAnswer, ...]
    seconds: float | None
    share: float
    """Its time as a number from 0 to 1, on a logarithmic scale."""
    job: int | None
    """The job of a CI matrix that runs it."""

    @property
    def is_as_expected(self) -> bool:
        """True if nothing surprises."""
        return all(answer.surprise is None for answer in self.answers)


@dataclass(frozen=True)
class Report:
    """The verdicts of one report."""

    title: str
    rows: Sequence[Row]
    notes: tuple[str, ...] = ()
    """Remarks on the whole report, one line each."""
    graph: Mapping[str, Any] | None = None
    """The states and steps to draw (``verifier.text.state_graph.as_data``)."""
    cells: Sequence[CellLine] = ()
    """The cells of a manifest (``verifier.report.cells``)."""
    sources: tuple[str, ...] = ()
    """For each row the file that says it; empty if this run itself found or replayed it."""

    def source_of(self, number: int) -> str:
        """Return the file that says a row."""
        return self.sources[number] if self.sources else ""


def join_reports(reports: Sequence[Report], title: str | None = None) -> Report:
    """One report of several. Its title names all of them, unless there is one."""
    rows = [row for report in reports for row in report.rows]
    notes = tuple(dict.fromkeys(note for report in reports for note in report.notes))
    sources = tuple(report.source_of(number) for report in reports for number in range(len(report.rows)))
    return Report(title or " and ".join(report.title for report in reports), rows, notes, sources=sources)


def verdict_words(row: Row) -> str:
    """The row's verdict in words."""
    return row.words


def tally(rows: Sequence[Row]) -> Mapping[VerdictKind, int]:
    """The number of verdicts of each kind, the worst kind first."""
    counts = {kind: sum(row.verdict is kind for row in rows) for kind in reversed(VerdictKind)}
    return {kind: count for kind, count in counts.items() if count}


def varying_constants(rows: Sequence[Row]) -> list[str]:
    """The constants whose values differ between rows, and those that only some of the rows have."""
    names = dict.fromkeys(name for row in rows for name in row.constants)
    return [name for name in names if len({repr(row.constants.get(name)) for row in rows}) > 1]


def version_columns(rows: Sequence[Row]) -> Mapping[str, Sequence[str]]:
    """Return for each row the spec's hash, and for each row the version of this program.

    Each is there only if it differs between rows of the same spec and constants.
    """
    kinds = {
        "spec hash": [row.spec_hash for row in rows],
        "verify": [row.tool_version for row in rows],
    }
    places = [(row.spec, repr(sorted(row.constants.items()))) for row in rows]
    return {
        name: values
        for name, values in kinds.items()
        if len(set(zip(places, values, strict=True))) > len(set(places))
    }


def file_of(row: Row) -> str:
    """The name of the module's or protocol's file, without its folder; empty if it is built in."""
    return str(row.statistics.get("module") or row.statistics.get(FILE, ""))


def command_of(row: Row) -> str:
    """The command that asks the row's question again."""
    spec = row.spec if row.spec in BUILT_IN else _FILE_OF_ANOTHER
    if not is_engine(row.engine):
        return shlex.join(["verify", row.engine, str(row.statistics.get(TRACE_FILE, "TRACE.itf.json"))])
    engine = engine_named(row.engine)
    named = file_of(row) or spec
    words = ["verify", engine.name, *(["--spec"] if named.startswith("-") else []), named]
    words += ["--config", row.statistics["config"]] if row.statistics.get("config") else []
    known = list_declared(engine.options)
    own = {one.flag for one in known.values()}  # the lemmas of verify induct are an option of the engine
    words += [word for one in row.options.get("chosen_lemmas") or () for word in ("--lemma", one)]
    for flag, key in (("--library", LIBRARIES), ("--lemma", LEMMAS)):
        words += [word for one in row.statistics.get(key) or () if flag not in own for word in (flag, one)]
    for name, value in row.constants.items():
        said = setting(name, value) if "module" in row.statistics else show(value)
        words += [] if said is None else ["--set", f"{name}={said}"]
    is_stuck = row.property_name == deadlock_title(row.statistics)
    words += ["--deadlock"] if is_stuck else ["--property", row.property_name]
    for name, value in row.options.items():
        if name in known and name != "deadlock" and value != known[name].default:
            words += known[name].words(value)
    return shlex.join(map(str, words))  # the file of a run may have other options than text


def as_json(report: Report) -> str:
    """The report as JSON text."""
    return f"{json_text(as_object(report))}\n"


def as_object(report: Report) -> dict[str, Any]:
    """The report as a JSON object. Its rows have their stored form."""
    return {
        "title": report.title,
        "notes": list(report.notes),
        "verdicts": {kind.value: count for kind, count in tally(report.rows).items()},
        "rows": [
            {
                **asdict(row),
                "command": command_of(row),
                "known": None if (known_answer := find_known_answer(row)) is None else asdict(known_answer),
            }
            for row in report.rows
        ],
    }
