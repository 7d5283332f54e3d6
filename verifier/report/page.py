"""Reports as one HTML file that opens from disk, with the counterexample explorer.

The file contains everything: the rendered templates of ``html/`` (jinja2 escapes all text), the style sheet,
the scripts, and the executions as JSON. The scripts read an execution when its page is opened.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from verifier.encodings.concrete import show_constants
from verifier.outcomes.row import ASKED, DOCUMENTED, Row
from verifier.printable import json_text, printable, printable_text
from verifier.report.addresses import addresses
from verifier.report.claims import claim_of, finder_of, is_complete, verdict_of
from verifier.report.diagram import Diagram, DiagramStep, diagram_of
from verifier.report.known import CHECKER, Known, known
from verifier.report.loops import closed, loop_lines
from verifier.report.matrix import grids
from verifier.report.report import Report, command_of, tally, version_columns
from verifier.report.tables import failure_lines
from verifier.verdict import VerdictKind

_MOST_WITH_ITF = 4
"""Up to so many executions are in a page as ITF too, to be copied."""
_LONGEST_ITF = 500_000
_SCRIPTS = ("trace", "diagram", "lanes", "variables", "detail", "copying", "explorer", "address", "page")
"""The scripts, in the order in which they use each other."""

MARKS: Mapping[VerdictKind, str] = {
    VerdictKind.PROVED: "■",
    VerdictKind.HOLDS: "✓",
    VerdictKind.REACHED: "◎",
    VerdictKind.VIOLATED: "✗",
    VerdictKind.NOT_INDUCTIVE: "△",
    VerdictKind.INCONCLUSIVE: "?",
    VerdictKind.ERROR: "!",
}
"""A sign for each verdict beside its colour."""


@dataclass(frozen=True)
class _Verdict:
    """The parts of a row that the template shows."""

    address: str
    row: Row
    words: str
    mark: str
    claim: str
    finder: str
    """Who found a proof, and how."""
    asked: Mapping[str, str] | None
    """The property's kind, formula and documentation."""
    command: str
    facts: tuple[tuple[str, str], ...]
    failing: tuple[str, ...]
    where: str
    """The last state, or the last step, in words."""
    loop: tuple[str, ...]
    """How an infinite execution goes on."""
    trace: Markup | None
    itf: Markup | None
    """The execution as a file has it, to be copied."""
    steps: Sequence[DiagramStep]
    """The execution, for who has no scripts."""
    paths: Sequence[str]
    """The places that its changes speak of."""
    first: Sequence[tuple[str, str]]
    """The places of the first state with their values."""
    table: tuple[tuple[str, ...], ...]
    """For a proof: a line of actions, then a line for each lemma with the result for each action."""
    levels: tuple[tuple[int, int, float], ...]
    """For an exploration: the depth and states of each level, and the share of the largest level."""
    known: Known | None
    """The answer of an independent checker."""
    is_complete: bool
    """Whether every reachable state was looked at."""
    searches: tuple[tuple[str, str], ...]
    """The searches that took part, each with its figures."""


def as_html(report: Report) -> str:
    """The report as an HTML document that needs no other file."""
    template = _environment().get_template("report.html.jinja")
    plots = _plots(report.rows) if len(report.rows) > 1 else []
    style = _style([rules for _, _, rules in plots])
    scripts = [_element("\n".join(_text_of(f"{name}.js") for name in _SCRIPTS))]
    names = addresses(report.rows)
    with_itf = sum(row.trace is not None for row in report.rows) <= _MOST_WITH_ITF
    verdicts = [_verdict(name, row, with_itf) for name, row in zip(names, report.rows, strict=True)]
    return template.render(
        report=report,
        tally=tally(report.rows),
        marks=MARKS,
        verdicts=verdicts,
        versions=version_columns(report.rows),
        checker=CHECKER if any(verdict.known for verdict in verdicts) else None,
        start=_start(report.rows, names),
        grids=grids(report.rows) if len(report.rows) > 1 else [],
        plots=[(title, svg) for title, svg, _ in plots],
        policy=_policy([style], scripts),
        style=style,
        scripts=scripts,
    )


def _start(rows: Sequence[Row], names: Sequence[str]) -> str:
    """The page that opens first: the first execution, or the overview if protocols or constants differ."""
    first = next((name for name, row in zip(names, rows, strict=True) if row.trace is not None), None)
    same = all((row.spec, row.constants) == (rows[0].spec, rows[0].constants) for row in rows)
    return "overview" if first is None or not same else first


def _policy(styles: Sequence[Markup], scripts: Sequence[Markup]) -> str:
    """The Content-Security-Policy of the page. It allows these styles and scripts, by their hashes.

    The browser neither runs nor fetches anything else in the page, whether an element or an attribute.
    """

    def hashes(elements: Sequence[Markup]) -> str:
        digests = (hashlib.sha256(element.encode()).digest() for element in elements)
        return " ".join(f"'sha256-{b64encode(digest).decode()}'" for digest in digests)

    return "; ".join(
        [
            "default-src 'none'",
            f"style-src {hashes(styles)}",
            f"script-src {hashes(scripts)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _style(plots: Sequence[Mapping[str, str]]) -> Markup:
    """The style sheet, with classes for shares and plots, because the policy forbids style attributes."""
    rules = [f".{_share(number / 100)} {{ --share: {number / 100:g}; }}" for number in range(101)]
    rules += [f".plots .{name} {{ {style} }}" for of_plot in plots for name, style in of_plot.items()]
    return _element("\n".join([_text_of("style.css"), *dict.fromkeys(rules)]))


def _share(share: float) -> str:
    """The class of an element that fills this share of its place, from 0 to 1."""
    return f"share-{round(100 * min(max(share, 0), 1))}"


def _text_of(name: str) -> str:
    return (resources.files("verifier.report") / "html" / name).read_text(encoding="utf-8")


def _element(text: str) -> Markup:
    """The exact content of a style or script element, because the policy has its hash."""
    return Markup(f"\n{text}\n")


def _plots(rows: Sequence[Row]) -> list[tuple[str, Markup, Mapping[str, str]]]:
    from verifier.report.plots import plots  # imports Matplotlib, which is slow

    return [(plot.title, Markup(plot.svg), plot.styles) for plot in plots(rows)]


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("verifier.report", "html"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["breakable"] = _breakable
    made.filters["share"] = _share
    return made


def _shown(value: Any) -> Any:
    """The text in printable form. Markup stays as it is."""
    return printable_text(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _breakable(name: str) -> Markup:
    """A name with possible line breaks before its words, as in NoDivergence|Between|Client."""
    return Markup("<wbr>").join(re.split(r"(?<=[a-z])(?=[A-Z])|(?<=_)", printable(name)))


def _verdict(address: str, row: Row, with_itf: bool) -> _Verdict:
    diagram = None if row.trace is None else diagram_of(closed(row.trace), row.drawing)
    return _Verdict(
        address=address,
        row=row,
        words=verdict_of(row),
        mark=MARKS[row.verdict],
        claim=claim_of(row),
        finder=finder_of(row),
        asked=row.statistics.get(ASKED),
        command=command_of(row),
        facts=tuple(_facts(row)),
        failing=() if diagram is None else tuple(failure_lines(diagram)),
        where="" if diagram is None else _where(diagram),
        loop=() if row.trace is None else tuple(loop_lines(row.trace)),
        trace=None if diagram is None else embedded(_compact(row, diagram)),
        itf=_itf(row) if with_itf else None,
        steps=() if diagram is None else diagram.steps,
        paths=() if diagram is None else [place.path for place in diagram.places],
        first=() if diagram is None else diagram.first_state,
        table=_obligations(row),
        levels=_levels(row),
        known=known(row),
        is_complete=row.verdict is VerdictKind.HOLDS and is_complete(row),
        searches=tuple(_searches(row)),
    )


def _facts(row: Row) -> list[tuple[str, str]]:
    memory = "" if row.peak_memory is None else f"{row.peak_memory / 2**20:.0f} MiB"
    options = {name: value for name, value in row.options.items() if value not in (None, [], ())}
    facts = [
        ("constants", row.shown_constants),
        ("spec hash", row.spec_hash),
        ("engine", row.engine),
        ("options", show_constants({k: _plain(v) for k, v in options.items()})),
        ("solver", f"{row.solver} {row.solver_version}".strip()),
        ("verify", row.tool_version),
        ("time", f"{row.seconds:.1f} s"),
        ("peak memory", memory),
        ("depth", "" if row.depth is None else str(row.depth)),
        ("run", f"{row.run_id} on {row.host}"),
        ("started", _time(row.started_at)),
        ("job", row.job_id),
    ]
    return [(name, value) for name, value in facts if value]


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _time(started_at: str) -> str:
    try:
        return datetime.fromisoformat(started_at).strftime("%Y-%m-%d %H:%M:%S UTC")
    except ValueError:
        return started_at


def _searches(row: Row) -> list[tuple[str, str]]:
    provers = row.statistics.get("provers") or {}
    parts = row.statistics.get("searches") or provers.get(row.property_name) or {}
    return [(name, show_constants(figures)) for name, figures in parts.items()]


def _levels(row: Row) -> tuple[tuple[int, int, float], ...]:
    counts = row.statistics.get("levels") or []
    most = max(counts, default=1) or 1
    return tuple((depth, count, round(count / most, 4)) for depth, count in enumerate(counts))


def _obligations(row: Row) -> tuple[tuple[str, ...], ...]:
    found: Sequence[Mapping[str, Any]] = (row.proof or {}).get("obligations") or ()
    places = sorted(dict.fromkeys(item["at"] for item in found), key=lambda place: place == "safety")
    formulas = list(dict.fromkeys(item["formula"] for item in found))
    cells = {(item["formula"], item["at"]): item for item in found}
    lines = [(formula, *(_obligation(cells.get((formula, at))) for at in places)) for formula in formulas]
    return (("", *places), *lines) if found else ()


def _obligation(item: Mapping[str, Any] | None) -> str:
    if item is None:
        return "·"
    if item["holds"] is None:
        return "?"
    return f"{item['seconds']:.3f}" if item["holds"] else "✗"


def _where(diagram: Diagram) -> str:
    last = len(diagram.steps) - 1
    return f"In step {last}, {diagram.steps[-1]}" if diagram.about_step else "In the last state"


def _compact(row: Row, diagram: Diagram) -> dict[str, Any]:
    """The diagram as JSON, in a compact form: each state is the changes from the state before it.

    A long value is the list of what opens it, its members, and what closes it.
    """
    return {
        "property": _failing_name(row),
        "start": "from a state" if row.verdict is VerdictKind.NOT_INDUCTIVE else "initially",
        "about_step": diagram.about_step,
        "loop": None if row.trace is None else row.trace.get("loop"),
        "tla": diagram.is_tla,
        "does": row.statistics.get(DOCUMENTED, {}),
        "participants": diagram.has_participants,
        "lanes": [[lane.name, lane.kind, lane.element] for lane in diagram.lanes],
        "places": [[place.path, place.lane, int(place.message), place.key] for place in diagram.places],
        "first": [
            parts or value for value, parts in zip(diagram.start, diagram.start_parts, strict=True)
        ],
        "steps": [
            [
                step.action,
                step.parameters,
                step.lane,
                [[c.place, c.parts or c.after, *([c.delta] if c.delta else [])] for c in step.changes],
            ]
            for step in diagram.steps
        ],
        "arrows": [
            [a.sender, a.receiver, a.sent, a.received, int(a.lost), int(a.directed), a.label]
            for a in diagram.arrows
        ],
        "failing": [
            [part.formula, part.witnesses, [[one.path, one.value, one.places] for one in part.where]]
            for part in diagram.failing
        ],
    }


def _itf(row: Row) -> Markup | None:
    """The execution as ITF; None if that is large."""
    text = None if row.trace is None else embedded(row.trace)
    return None if text is None or len(text) > _LONGEST_ITF else text


def _failing_name(row: Row) -> str:
    """What fails at the end: a lemma that a proof assumes may fail in the place of the property."""
    failing = (row.trace or {}).get("#meta", {}).get("property")
    return row.claim if failing in (None, row.property_name) else str(failing)


def embedded(data: Any) -> Markup:
    """JSON for a script element. Nothing in it can end the element or begin another."""
    text = json_text(data, None, (",", ":"))
    for character in ("<", ">", "&"):
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)
