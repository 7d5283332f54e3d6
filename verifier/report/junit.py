"""Reports as JUnit XML, for the servers that show test results.

The format is that of Jenkins' xUnit plugin (its schema junit-10.xsd, which the tests keep). A test
passes only where something was decided and it is good: VIOLATED and NOT_INDUCTIVE are failures;
INCONCLUSIVE and ERROR are errors, for a skipped test would look like no test at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from verifier.report.report import Report, command_of, constants_words, verdict_words
from verifier.report.tables import trace_text
from verifier.runs.row import Row
from verifier.verdict import VerdictKind

_PASSED = (VerdictKind.HOLDS, VerdictKind.PROVED, VerdictKind.REACHED)
_FAILED = (VerdictKind.VIOLATED, VerdictKind.NOT_INDUCTIVE)
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_junit(report: Report) -> str:
    """The report as XML: a suite for each protocol, a test case for each verdict."""
    root = ET.Element("testsuites", {"name": _clean(report.title), **_counts(report.rows)})
    for spec in dict.fromkeys(row.spec for row in report.rows):
        rows = [row for row in report.rows if row.spec == spec]
        first = rows[0]
        suite = ET.SubElement(root, "testsuite", {"name": _clean(spec), **_counts(rows), "skipped": "0"})
        suite.set("timestamp", first.started_at[:19])
        suite.set("hostname", _clean(first.host))
        for row in rows:
            _case(suite, row)
    if not report.rows:
        suite = ET.SubElement(root, "testsuite", name="verify", tests="1", failures="0", errors="1")
        case = ET.SubElement(suite, "testcase", name="verdicts", classname="verify")
        ET.SubElement(case, "error", type="ERROR", message="no verdict: nothing was decided")
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _case(suite: ET.Element, row: Row) -> None:
    name = f"{row.property_name} [{row.engine}: {constants_words(row.constants)}]"
    case = ET.SubElement(
        suite, "testcase", name=_clean(name), classname=_clean(row.spec), time=_seconds(row.seconds)
    )
    if row.verdict not in _PASSED:
        kind = "failure" if row.verdict in _FAILED else "error"
        words = _clean(verdict_words(row))
        outcome = ET.SubElement(case, kind, type=row.verdict.value, message=words)
        outcome.text = _clean(trace_text(row)) if row.trace is not None else words
    output = ET.SubElement(case, "system-out")
    output.text = _clean(
        f"{command_of(row)}\n{verdict_words(row)}\nspec hash {row.spec_hash}, version {row.tool_version}"
    )


def _counts(rows: Sequence[Row]) -> dict[str, str]:
    failed = sum(row.verdict in _FAILED for row in rows)
    passed = sum(row.verdict in _PASSED for row in rows)
    return {
        "tests": str(len(rows)),
        "failures": str(failed),
        "errors": str(len(rows) - failed - passed),
        "time": _seconds(sum(row.seconds for row in rows)),
    }


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"


def _clean(text: str) -> str:
    """Text without the characters that XML cannot hold."""
    return _NOT_IN_XML.sub("�", text)
