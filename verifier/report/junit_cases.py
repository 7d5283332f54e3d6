"""Test cases as JUnit XML, for servers that show test results.

The format is that of Jenkins' xUnit plugin. The tests contain its schema, junit-10.xsd.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from junitparser import Error, Failure, JUnitXml, TestCase, TestSuite

from verifier.printable import printable_text
from verifier.verdict import ExitCode, VerdictKind

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOTHING_KNOWN = (ExitCode.INCONCLUSIVE, ExitCode.INTERNAL_ERROR, ExitCode.WRONG_USAGE)
"""Exit codes that do not judge the protocol. They are errors, because a skipped test is easily overlooked."""


@dataclass(frozen=True)
class Case:
    """One test. It passes if its exit code is 0."""

    name: str
    seconds: float
    exit_code: int
    message: str = ""
    """The reason on one line, if the test does not pass."""
    verdict: VerdictKind | None = None
    """The verdict, which is the type of a failure; None if there is none."""
    details: str | None = None
    """The reason in full."""
    output: str | None = None


def suite(name: str, cases: Iterable[Case], *, timestamp: str | None = None, host: str | None = None) -> Any:
    """A suite of the cases. The timestamp is in ISO 8601 without a zone."""
    made: Any = TestSuite(_clean(name))
    for case in cases:
        made.add_testcase(_case(case, name))
    if timestamp is not None and host is not None:
        made.timestamp, made.hostname = _clean(timestamp), _clean(host)
    return made


def _case(case: Case, suite_name: str) -> TestCase:
    made: Any = TestCase(_clean(case.name), classname=_clean(suite_name), time=round(case.seconds, 3))
    if case.exit_code != 0:
        kind = Error if case.exit_code in _NOTHING_KNOWN else Failure
        result: Any = kind(_clean(case.message), None if case.verdict is None else case.verdict.value)
        result.text = _clean(case.message if case.details is None else case.details)
        made.result = [result]
    if case.output is not None:
        made.system_out = _clean(case.output)
    return made


def document(title: str, suites: Sequence[Any]) -> str:
    """The XML document."""
    made: Any = JUnitXml(_clean(title))
    for one in suites:
        made.add_testsuite(one)
    made.update_statistics()
    root = ElementTree.fromstring(made.tostring())
    root.attrib.pop("skipped", None)  # the schema allows it only on suites
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _clean(text: str) -> str:
    """The printable text, without the characters that XML forbids."""
    return _NOT_IN_XML.sub("�", printable_text(text))
