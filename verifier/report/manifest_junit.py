"""A checked manifest as JUnit XML: a test case passes where what was found is what was expected."""

from __future__ import annotations

import re
from typing import Any

from junitparser import Error, Failure, JUnitXml, TestCase, TestSuite

from verifier.ci.check import Check, Checked
from verifier.ci.checking import Outcome
from verifier.report.tables import trace_text
from verifier.verdict import EXIT_CODES, VerdictKind

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOTHING_KNOWN = (EXIT_CODES[VerdictKind.INCONCLUSIVE], EXIT_CODES[VerdictKind.ERROR], 2)
"""Exit codes of checks that say nothing of the protocol: errors, not failures."""


def as_junit(outcome: Outcome) -> str:
    """The XML document: a suite for each cell, a case for each check."""
    document: Any = JUnitXml("verify ci")
    for checked in outcome.cells:
        document.add_testsuite(_suite(checked.cell.id, checked.checks, _seconds(checked)))
    if outcome.uncovered:
        document.add_testsuite(_suite("manifest", outcome.uncovered, 0.0))
    document.update_statistics()
    content: bytes = document.tostring()
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{content.decode()}\n'


def _seconds(checked: Checked) -> float:
    """Of one of the cell's checks: they were made together, so that the sum is the time of the cell."""
    return checked.seconds / len(checked.checks)


def _suite(name: str, checks: tuple[Check, ...], seconds: float) -> TestSuite:
    suite = TestSuite(name)
    for check in checks:
        case: Any = TestCase(_clean(check.subject), classname=name, time=round(seconds, 3))
        if check.surprise is not None:
            kind = Error if check.exit_code in _NOTHING_KNOWN else Failure
            result: Any = kind(_clean(check.surprise))
            if check.row is not None and check.row.trace is not None:
                result.text = _clean(trace_text(check.row))
            case.result = [result]
        if check.found is not None:
            case.system_out = _clean(f"expected {check.expected}, found {check.found}")
        suite.add_testcase(case)
    return suite


def _clean(text: str) -> str:
    """Without the characters that XML cannot have."""
    return _NOT_IN_XML.sub("�", text)
