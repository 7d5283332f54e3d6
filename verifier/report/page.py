"""Reports as one HTML file that opens from disk, with the counterexample explorer.

The file contains everything: the rendered templates of ``html/`` (jinja2 escapes all text), the style sheet,
the scripts, and the executions as JSON. The scripts read an execution when its page is opened.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup

from verifier.encodings.concrete import show_constants
from verifier.outcomes.row import Row
from verifier.report.addresses import addresses
from verifier.report.claims import holding, scopes, summary_of
from verifier.report.covered import cover_texts, find_covering
from verifier.report.document import environment, policy_of, script_of, style_of
from verifier.report.known import CHECKER
from verifier.report.labels import labels_of
from verifier.report.matrix import Drawn, grids
from verifier.report.report import Report, tally, varying_constants, version_columns
from verifier.report.verdict_list import columns_of, make_list, pack, pack_pages
from verifier.report.verdict_page import MARKS, VerdictPage, embed, itf_of, verdict_page
from verifier.report.wherever import findings
from verifier.specs.titles import deadlock_title
from verifier.verdict import VerdictKind

_OF_TRACES = (
    "trace",
    "diagram",
    "lanes",
    "variables",
    "whole",
    "watch",
    "beside",
    "detail",
    "legend",
    "copying",
    "explorer",
)
_SCRIPTS = (*_OF_TRACES, "graph", "address", "list", "page")
"""The scripts, in the order in which they use each other."""
_MOST_WITH_ITF = 4
"""The limit of executions that are in a page as ITF too, to be copied; more are packed together."""
_MOST_ANSWERS = 30
"""The limit of verdicts of one protocol that are listed one by one."""
_MOST_BESIDE = 12
"""The limit of verdicts of one protocol that have links to each other."""
_MOST_READY = 100
"""The limit of verdicts whose pages are ready. Beyond it, pages are packed, and made when they are opened."""

_MEANINGS = {
    VerdictKind.NOT_INDUCTIVE: "is not kept by a step",
    VerdictKind.INCONCLUSIVE: "is open",
    VerdictKind.ERROR: "is an error",
}
"""The meanings of marks without a number of steps."""


def as_html(report: Report) -> str:
    """The report as an HTML document that needs no other file."""
    names = addresses(report.rows)
    several = len(report.rows) != 1 or bool(report.cells)
    with_itf = sum(row.trace is not None for row in report.rows) <= _MOST_WITH_ITF
    verdicts = [
        verdict_page(name, label, row, with_itf=with_itf, source=report.source_of(number))
        for number, (name, label, row) in enumerate(zip(names, labels_of(report), report.rows, strict=True))
    ]
    ready = len(verdicts) <= _MOST_READY
    sections = list(_sections(report, verdicts, ready=ready, are_packed=not with_itf))
    is_one = several and not report.cells and _is_one_question(report.rows, _MOST_ANSWERS)
    plots = _plots(report.rows) if several and not is_one and not report.cells else []
    style = style_of([rules for _, _, rules in plots])
    scripts = [script_of(["early"]), script_of(_SCRIPTS)]
    columns = columns_of(report.rows) if several else []
    is_drawn = several and not is_one and not report.cells
    drawn = _draw_grids(report, verdicts) if is_drawn else []
    return (
        environment()
        .get_template("report.html.jinja")
        .render(
            report=report,
            tally=tally(report.rows),
            scopes=scopes(report.rows),
            summary=summary_of(report.rows) if report.rows else "",
            holding=holding(report.rows) if several else "",
            stuck=_count_stuck(report),
            asked_deadlock=any(row.property_name == deadlock_title(row.statistics) for row in report.rows),
            several=several,
            marks=MARKS,
            verdicts=verdicts,
            sections=sections if ready else [],
            packed=None if ready else pack_pages(list(map(str, sections))),
            itfs=None if with_itf else pack([itf_of(row) for row in report.rows if row.trace is not None]),
            columns=columns,
            rows=embed(make_list(columns, verdicts, MARKS)) if several else "",
            checker=_checker(verdicts),
            same=_same(report.rows) if several else "",
            start=_start(report, names),
            graph=None if report.graph is None else embed(report.graph),
            answers=_worst_first(verdicts) if is_one else [],
            legend=list(_explain_marks(verdicts)),
            findings=findings(report.rows) if is_drawn else ([], 0),
            grids=drawn,
            has_gaps=any('<td class="none">' in one for _, found in drawn for one in found.drawn),
            plots=[(title, svg) for title, svg, _ in plots],
            policy=policy_of([style], scripts),
            style=style,
            scripts=scripts,
        )
    )


def _count_stuck(report: Report) -> int:
    """The number of states of a drawn graph from which no step leads on."""
    if report.graph is None:
        return 0
    return len(report.graph["states"]) - len({edge[0] for edge in report.graph["edges"]})


def _checker(verdicts: Sequence[VerdictPage]) -> str | None:
    return CHECKER if any(verdict.known for verdict in verdicts) else None


def _explain_marks(verdicts: Sequence[VerdictPage]) -> Iterator[tuple[str, str]]:
    """Yield the marks in the cells of the grids, and what each means. Others are not explained."""
    kinds = {verdict.row.verdict for verdict in verdicts}
    closed = any(not one.is_complete for one in verdicts if one.row.verdict is VerdictKind.HOLDS)
    for kind in VerdictKind:
        if kind not in kinds:
            continue
        mark = MARKS[kind]
        match kind:
            case VerdictKind.HOLDS:
                if closed:
                    yield f"{mark} 12", "holds up to 12 steps"
                if any(verdict.is_complete for verdict in verdicts):
                    yield f"{mark} all", "holds in all states"
            case VerdictKind.VIOLATED:
                yield f"{mark} 11", "is violated after 11 steps"
            case VerdictKind.REACHED:
                yield f"{mark} 11", "is reached after 11 steps"
            case VerdictKind.PROVED:
                yield mark, "is proved for all depths"
            case _:
                yield mark, _MEANINGS[kind]


def _same(rows: Sequence[Row]) -> str:
    """The constants that all rows have with the same values."""
    names = set(varying_constants(rows))
    first = rows[0].constants if rows else {}
    return show_constants({name: value for name, value in first.items() if name not in names})


def _sections(
    report: Report, verdicts: Sequence[VerdictPage], *, ready: bool, are_packed: bool
) -> Iterator[Markup]:
    """The pages of the verdicts. ``ready``: they are in the document, also for who has no scripts.

    ``are_packed``: executions as ITF are packed together.
    """
    template = environment().get_template("verdict.html.jinja")
    beside = [None, *(verdict.address for verdict in verdicts), None]
    checker = _checker(verdicts)
    is_alone = len(verdicts) == 1 and not report.cells
    others = verdicts if not is_alone and _is_one_question(report.rows, _MOST_BESIDE) else ()
    executions, covering = -1, find_covering(report.rows)
    for number, verdict in enumerate(verdicts):
        executions += verdict.trace is not None
        yield Markup(
            template.render(
                report=report,
                verdict=verdict,
                row=verdict.row,
                number=number + 1,
                execution=executions if are_packed else None,
                before=beside[number],
                after=beside[number + 2],
                others=others,
                alone=is_alone,
                checker=checker,
                ready=ready,
                covered=cover_texts(verdict.row) if covering.get(number) == number else [],
                covered_at=verdicts[covering[number]] if covering.get(number, number) != number else None,
            )
        )


def _draw_grids(report: Report, verdicts: Sequence[VerdictPage]) -> list[tuple[str, Drawn[Markup]]]:
    """The grids of each protocol, drawn."""
    template = environment().get_template("grid.html.jinja")
    about = {"verdicts": verdicts, "versions": version_columns(report.rows), "checker": _checker(verdicts)}
    return [
        (spec, Drawn([Markup(template.render(grid=grid, **about)) for grid in drawing.drawn], drawing.said))
        for spec, drawing in grids(report.rows)
    ]


def _worst_first(verdicts: Sequence[VerdictPage]) -> list[VerdictPage]:
    return sorted(verdicts, key=lambda verdict: -list(VerdictKind).index(verdict.row.verdict))


def _is_one_question(rows: Sequence[Row], most: int) -> bool:
    """True if a few rows are about one protocol at the same constants, each about something else."""
    places = {(row.spec, row.engine, repr(sorted(row.constants.items()))) for row in rows}
    return len(places) == 1 and len({row.claim for row in rows}) == len(rows) <= most


def _start(report: Report, names: Sequence[str]) -> str:
    """The page that opens first: the first execution, or the overview if protocols or constants differ."""
    rows = report.rows
    if report.graph is not None or report.cells:
        return "overview" if report.cells else "graph"
    first = next((name for name, row in zip(names, rows, strict=True) if row.trace is not None), None)
    same = all((row.spec, row.constants) == (rows[0].spec, rows[0].constants) for row in rows)
    return "overview" if first is None or not same else first


def _plots(rows: Sequence[Row]) -> list[tuple[str, Markup, Mapping[str, str]]]:
    from verifier.report.plots import plots  # imports Matplotlib, which is slow

    return [(plot.title, Markup(plot.svg), plot.styles) for plot in plots(rows)]
