"""Reports as JUnit XML. A test passes if its verdict is good or if ``--expect`` named it."""

from __future__ import annotations

from verifier.outcomes.row import Row
from verifier.report.junit_cases import Case, document, suite
from verifier.report.report import Report, command_of, verdict_words, version_columns
from verifier.report.tables import trace_text
from verifier.verdict import ExitCode


def as_junit(report: Report) -> str:
    """The report as XML: a suite for each protocol, a test case for each verdict."""
    suites = []
    versions = version_columns(report.rows)
    about = [" ".join(values) for values in zip(*versions.values(), strict=True)]
    told = {id(row): words for row, words in zip(report.rows, about, strict=False)}
    for spec in dict.fromkeys(row.spec for row in report.rows):
        rows = [row for row in report.rows if row.spec == spec]
        first = rows[0]
        suites.append(
            suite(
                spec,
                [_case(row, told.get(id(row))) for row in rows],
                timestamp=first.started_at[:19],
                host=first.host,
            )
        )
    if not report.rows:
        code = ExitCode.INTERNAL_ERROR
        suites.append(suite("verify", [Case("verdicts", 0.0, code, "no verdict: nothing was decided")]))
    return document(report.title, suites)


def _case(row: Row, version: str | None) -> Case:
    """``version`` distinguishes the row from others with the same name."""
    words = verdict_words(row)
    about = f"spec hash {row.spec_hash}, version {row.tool_version}"
    return Case(
        name=f"{row.claim} [{row.engine}: {row.shown_constants}]" + (f" {version}" if version else ""),
        seconds=row.seconds,
        exit_code=row.exit_code,
        message=f"{words}, but more was expected" if row.exit_code == ExitCode.NOT_AS_EXPECTED else words,
        verdict=row.verdict,
        details=None if row.trace is None else trace_text(row),
        output=f"{command_of(row)}\n{words}\n{about}",
    )
