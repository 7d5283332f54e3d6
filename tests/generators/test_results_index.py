"""The index of `results/`: its page is made again from a template, which must name all that stands there."""

from __future__ import annotations

import re

from tests.support.command_line import ROOT

_RESULTS = ROOT / "results"


def test_the_template_of_the_index_names_every_page() -> None:
    """`make results` would else take away what was added to the page by hand."""
    template = (_RESULTS / "generators" / "standard_results.md.jinja").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| \[([\w.-]+)\]", template, re.MULTILINE))
    pages = {path.name for path in _RESULTS.glob("*.md")} - {"README.md"}
    assert pages <= named
    assert all((_RESULTS / name).is_file() for name in named)


def test_the_page_has_the_index_of_the_template() -> None:
    template, page = (
        path.read_text(encoding="utf-8").split("\n## ")[0]
        for path in (_RESULTS / "generators" / "standard_results.md.jinja", _RESULTS / "README.md")
    )
    assert template == page
