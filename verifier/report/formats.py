"""The formats of reports. A new one is a function from a report to text, and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifier.report.report import Report

FORMATS: Mapping[str, tuple[str, str, tuple[str, ...]]] = MappingProxyType(
    {
        "text": ("verifier.report.tables", "as_text", (".txt",)),
        "markdown": ("verifier.report.tables", "as_markdown", (".md",)),
        "json": ("verifier.report.report", "as_json", (".json",)),
        "junit": ("verifier.report.junit", "as_junit", (".xml",)),
        "html": ("verifier.report.page", "as_html", (".html", ".htm")),
    }
)
"""The module and function of each format, which are loaded when they are needed, and its file endings."""


def format_of(path: Path | None) -> str:
    """The format that a file's ending means; text if it means none."""
    ending = "" if path is None else path.suffix.lower()
    return next((name for name, (_, _, endings) in FORMATS.items() if ending in endings), "text")


def render(report: Report, name: str) -> str:
    """The report in a format."""
    module, function, _ = FORMATS[name]
    text: str = getattr(import_module(module), function)(report)
    return text
