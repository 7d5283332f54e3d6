"""Verdicts laid out over the constants that vary."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tests.support.examples import kip320_first_try
from tests.support.reporting import like
from verifier.outcomes.row import Row
from verifier.report.matrix import Grid, grids
from verifier.report.report import Report, tally
from verifier.verdict import VerdictKind

if TYPE_CHECKING:
    from verifier.report.plots import Plot


def plots(rows: Sequence[Row]) -> list[Plot]:
    """The plots of times. Matplotlib takes 48 MiB, which each process that other tests fork would copy."""
    from verifier.report.plots import plots as draw

    return draw(rows)


def over(**changes: list[int]) -> list[Row]:
    """Rows over a grid of constants."""
    row = kip320_first_try()
    return [
        like(
            row,
            constants={**row.constants, **dict(zip(changes, values, strict=True))},
            verdict=VerdictKind.HOLDS,
            depth=sum(values),
            seconds=float(sum(values)),
        )
        for values in itertools.product(*changes.values())
    ]


def draw_grids(rows: Sequence[Row]) -> Sequence[Grid]:
    """The grids of the only protocol."""
    ((_, found),) = grids(rows)
    return found.drawn


def test_two_constants_make_one_grid_with_every_row_once() -> None:
    rows = over(replicas=[10, 2, 3], log_size=[1, 2])
    ((spec, found),) = grids(rows)
    (grid,) = found.drawn
    assert spec == "kip320-first-try"
    assert (grid.across, grid.down) == ("replicas", ("log_size",))
    assert grid.columns == ("2", "3", "10")
    cells = [cell for _, line in grid.lines for cell in line]
    assert all(cell is not None and len(cell.jobs) == 1 for cell in cells)
    assert sorted(job for cell in cells if cell for job in cell.jobs) == list(range(6))
    for (name,), line in grid.lines:
        for column, cell in zip(grid.columns, line, strict=True):
            assert cell is not None
            shown = rows[cell.jobs[0]].constants
            assert (str(shown["log_size"]), str(shown["replicas"])) == (name, column)


def test_times_are_shares_of_the_slowest_on_a_logarithmic_scale() -> None:
    rows = [like(kip320_first_try(), seconds=s, property_name=f"P{s}") for s in (0.1, 1.0, 10.0)]
    (grid,) = draw_grids(rows)
    shares = [cell.share for _, line in grid.lines for cell in line if cell]
    assert shares == [0.0, 0.5, 1.0]


def test_more_constants_properties_and_engines_stand_apart() -> None:
    rows = over(replicas=[2, 3], log_size=[1, 2], max_records=[1, 2])
    rows += [like(row, property_name="WeakIsr") for row in rows]
    rows += [like(row, engine="explore", solver="") for row in rows]
    found = draw_grids(rows)
    assert len(found) == 8
    assert len({grid.caption for grid in found}) == 8
    jobs = [job for grid in found for _, line in grid.lines for cell in line if cell for job in cell.jobs]
    assert sorted(jobs) == list(range(len(rows)))


def test_cells_of_a_grid_that_was_not_run_are_empty() -> None:
    rows = over(replicas=[2, 3], log_size=[1, 2])[:3]
    (grid,) = draw_grids(rows)
    assert [cell is None for _, line in grid.lines for cell in line].count(True) == 1


def test_constants_that_vary_together_get_a_line_for_each_choice() -> None:
    (row,) = over(replicas=[2])
    choices = [(2, 1, 1), (3, 2, 2), (10, 3, 3)]
    names = ("replicas", "log_size", "max_records")
    rows = [like(row, constants={**row.constants, **dict(zip(names, c, strict=True))}) for c in choices]
    (grid,) = draw_grids([rows[2], *rows[:2]])
    assert grid.columns == ("StrongIsr",)
    assert grid.down == names
    assert [line for line, _ in grid.lines] == [("2", "1", "1"), ("3", "2", "2"), ("10", "3", "3")]
    assert [cell.jobs for _, (cell,) in grid.lines if cell] == [(1,), (2,), (0,)]


def test_no_line_of_times_joins_two_protocols() -> None:
    (two, three) = (like(row, seconds=2.0) for row in over(replicas=[2, 3]))
    at = {size: like(two, constants={**two.constants, "replicas": size}) for size in (4, 5)}
    others = [like(row, spec="another", seconds=9.0) for row in at.values()]
    (plot,) = (one for one in plots([two, three, *others]) if one.title == "Time against replicas")
    lines = [path.count("L") for path in re.findall(r' d="([^"]*)"', plot.svg) if "M" in path]
    assert max(lines) >= 1
    joined = [path for path in re.findall(r' d="(M[^"z]*)"', plot.svg) if path.count("L") == 3]
    assert joined == []  # a line through all four places


def test_no_two_parts_of_plots_have_one_name() -> None:
    rows = [like(row, seconds=2.0) for row in over(replicas=[2, 3], log_size=[1, 2]) * 100]
    found = [name for plot in plots(rows) for name in re.findall(r' id="([^"]*)"', plot.svg)]
    assert len(rows) > 300  # from here on there are bands
    assert len(found) == len(set(found))


def test_times_are_plotted_against_what_varies() -> None:
    rows = [like(row, seconds=2.0) for row in over(replicas=[2, 3], log_size=[1, 2])]
    found = plots(rows)
    assert [plot.title for plot in found] == [f"Time against {x}" for x in ("depth", "replicas", "log_size")]
    for plot in found:
        assert any("var(--series-0)" in declarations for declarations in plot.styles.values())
        assert "<script" not in plot.svg
        assert "style=" not in plot.svg
    assert plots(rows[:1]) == []
    assert plots([like(row, seconds=0.9) for row in rows]) == []  # times that do not matter


def test_the_tally_has_the_worst_first() -> None:
    row = kip320_first_try()
    kinds = (VerdictKind.HOLDS, VerdictKind.ERROR, VerdictKind.HOLDS, VerdictKind.VIOLATED)
    report = Report("t", [like(row, verdict=kind) for kind in kinds])
    assert list(tally(report.rows).items()) == [
        (VerdictKind.ERROR, 1),
        (VerdictKind.VIOLATED, 1),
        (VerdictKind.HOLDS, 2),
    ]
