"""`results/README.md`: what stands in that folder, and the standard sweep in short, beside what TLC found."""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib import metadata
from pathlib import Path

from jinja2 import StrictUndefined, Template
from tabulate import tabulate

from verifier.encodings.concrete import show_constants
from verifier.outcomes.row import Row
from verifier.report.known import CHECKER, Known, find_known_answer
from verifier.report.report import tally, verdict_words
from verifier.specs.registry import load
from verifier.sweep.store import read_rows
from verifier.verdict import VerdictKind
from verifier.version import tool_version

_TEMPLATE = Path(__file__).with_suffix(".md.jinja")


def main() -> None:
    """Prints the page; ends with 1 if a row contradicts TLC, is an error, or nothing can be compared."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder of the sweep")
    rows = read_rows(parser.parse_args().folder)
    compared = [(row, found) for row in rows if (found := find_known_answer(row)) is not None]
    print(_page(rows, compared))
    wrong = sum(found.agrees is False for _, found in compared)
    failed = sum(row.verdict is VerdictKind.ERROR for row in rows)
    if wrong or failed or not compared:
        sys.exit(f"of {len(compared)} rows beside {CHECKER}'s, {wrong} disagree; {failed} rows are errors")


def _page(rows: Sequence[Row], compared: Sequence[tuple[Row, Known]]) -> str:
    template = Template(_TEMPLATE.read_text(encoding="utf-8"), undefined=StrictUndefined)
    agreement = Counter(found.mark for _, found in compared)
    page: str = template.render(
        date=datetime.date.today(),
        versions=f"{os.cpu_count()} cores, verify {tool_version()}, Python {platform.python_version()}, "
        f"pyspark {metadata.version('pyspark')}",
        rows=len(rows),
        tally=", ".join(f"{count} {kind}" for kind, count in tally(rows).items()),
        sweep=_table(_lines(rows)),
        checker=CHECKER,
        agreement=", ".join(f"{word}: {count}" for word, count in agreement.items()),
        comparison=_table(_comparison(compared)),
    )
    return page


def _table(lines: Iterable[dict[str, object]]) -> str:
    return tabulate(list(lines), headers="keys", tablefmt="github", disable_numparse=True)


def _lines(rows: Iterable[Row]) -> Iterator[dict[str, object]]:
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.spec, row.property_name, row.engine), []).append(row)
    for (spec, name, engine), group in sorted(groups.items()):
        longest = max(group, key=lambda row: row.seconds)
        yield {
            "spec": spec,
            "property": name,
            "engine": engine,
            "constants": len({show_constants(row.constants) for row in group}),
            "verdicts": ", ".join(f"{count} {kind}" for kind, count in tally(group).items()),
            "longest": f"{_show_chosen(longest)}: {verdict_words(longest)}",
            "its seconds": f"{longest.seconds:.1f}",
            "all seconds": f"{sum(row.seconds for row in group):.1f}",
        }


def _show_chosen(row: Row) -> str:
    """The constants that are not the protocol's defaults."""
    defaults = load(row.spec)({}).constants
    chosen = {name: value for name, value in row.constants.items() if defaults[name] != value}
    return show_constants(chosen) or "defaults"


def _comparison(compared: Iterable[tuple[Row, Known]]) -> Iterator[dict[str, object]]:
    for row, found in compared:
        yield {
            "spec": row.spec,
            "constants": _show_chosen(row),
            "property": row.property_name,
            "engine": row.engine,
            "here": verdict_words(row),
            CHECKER: found.words,
            "": found.mark,
        }


if __name__ == "__main__":
    main()
