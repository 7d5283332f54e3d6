"""The check of a manifest, or its update: survey the specs, run the cells, compare."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from verifier.ci.check import (
    CellResult,
    Check,
    after_running,
    before_running,
    find_only_violated,
    find_uncovered,
    not_run,
    order_checks,
    to_run,
)
from verifier.ci.manifest import Cell, Expected
from verifier.ci.work import CellRun, Facts, Refusal, run, survey
from verifier.processes.pool import Watch
from verifier.specs.names import own_name
from verifier.verdict import ExitCode, VerdictKind


@dataclass(frozen=True)
class Outcome:
    """The outcome of a manifest, or of some of its cells."""

    cells: tuple[CellResult, ...]
    """The results in the order of the manifest."""
    uncovered: tuple[Check, ...]
    """The checks of properties of which no cell expects anything."""
    seconds: float
    interrupted: bool
    warnings: tuple[str, ...] = ()
    """Sentences about what is as expected, but may not be as meant."""

    @property
    def exit_code(self) -> int:
        """Return zero if all is as expected, else the worst code."""
        checks = [check for checked in self.cells for check in checked.checks]
        return ExitCode.worst(check.exit_code for check in (*checks, *self.uncovered))


@dataclass(frozen=True)
class CellsProgress:
    """The progress of a manifest. It is reported several times a second."""

    phase: str
    """The current phase, in a word or two."""
    done: int
    total: int
    running: tuple[str, ...]
    """The cells that are running."""


Listen = Callable[[CellResult], None]


def check_cells(
    cells: Sequence[Cell],
    *,
    everything: bool,
    at_once: int,
    anew: bool = False,
    listen: Listen = lambda _: None,
    watch: Callable[[CellsProgress], None] = lambda _: None,
) -> Outcome:
    """Run the cells, several at once, the longest first, until all are done or interrupted. ``everything``:
    these are all cells of a manifest, so an uncovered property is a surprise. To record expectations,
    uncovered properties are checked too, and those that are gone are not."""
    began, ran, missing = time.monotonic(), dict[str, CellResult](), list[Check]()
    known: Mapping[str, Facts | Refusal] = {}
    interrupted = False
    try:
        surveyed: dict[str, None] = {}

        def watch_survey(running: Sequence[str]) -> None:
            surveyed.update(dict.fromkeys(running))
            done = len(surveyed) - len(running)
            watch(CellsProgress("loading specs", done, len(cells), tuple(running)))

        def watch_cells(running: Sequence[str]) -> None:
            watch(CellsProgress("checking", len(ran), len(cells), tuple(running)))

        known = survey(cells, at_once, watch_survey)
        cells = [_with_own_names(cell, known[cell.id]) for cell in cells]
        surprises = list(find_uncovered(cells, known, recording=anew)) if everything else []
        if anew:
            missing += [check for first, _, check in surprises if first is None]
            cells = [_ask_again(cell, known[cell.id], surprises) for cell in cells]
        else:
            missing += [check for _, _, check in surprises]
        for checked in _run(cells, known, at_once, watch_cells):
            ran[checked.cell.id] = checked
            listen(checked)
    except KeyboardInterrupt:
        interrupted = True
    ordered = tuple(ran.get(cell.id) or CellResult(cell, (not_run(),), 0.0, begun=False) for cell in cells)
    warnings: tuple[str, ...] = ()
    if everything and len(known) == len(cells):
        warnings = tuple(find_only_violated(list(map(_as_found, ordered)) if anew else cells, known))
    return Outcome(ordered, tuple(missing), time.monotonic() - began, interrupted, warnings)


def _run(
    cells: Sequence[Cell], known: Mapping[str, Facts | Refusal], at_once: int, watch: Watch
) -> Iterator[CellResult]:
    waiting: dict[str, tuple[Cell, Facts, list[Check]]] = {}
    for cell in cells:
        facts = known[cell.id]
        before = before_running(cell, facts)
        if isinstance(facts, Facts) and to_run(cell, facts):
            waiting[cell.id] = (cell, facts, before)
        else:
            yield CellResult(cell, order_checks(before, ()), 0.0)
    longest = sorted(waiting.values(), key=lambda item: -(item[0].seconds or 0.0))
    for done in run([(cell, to_run(cell, facts)) for cell, facts, _ in longest], at_once, watch):
        cell, facts, before = waiting[done.name]
        report = done.reported[0] if done.reported else None
        yield CellResult(
            cell,
            order_checks(before, after_running(cell, facts, done)),
            done.seconds,
            report if isinstance(report, CellRun) else None,
        )


def _with_own_names(cell: Cell, facts: Facts | Refusal) -> Cell:
    """Return the cell with the spec's own names of the expected properties."""
    if isinstance(facts, Refusal):
        return cell
    names = [own_name(item.property_name, facts.properties) for item in cell.expected]
    named = zip(cell.expected, names, strict=True)
    expected = tuple(replace(item, property_name=name) for item, name in named)
    enabled = tuple(own_name(name, facts.actions) for name in cell.enabled)
    return replace(cell, expected=expected, enabled=enabled)


def _as_found(checked: CellResult) -> Cell:
    """Return the cell with the verdicts that were found as its expectations."""
    rows = () if checked.ran is None else checked.ran.rows
    return replace(checked.cell, expected=tuple(Expected(row.property_name, row.verdict) for row in rows))


def _ask_again(
    cell: Cell, facts: Facts | Refusal, uncovered_names: Sequence[tuple[Cell | None, str, Check]]
) -> Cell:
    """Return the cell with the properties to record; their verdicts do not matter."""
    if isinstance(facts, Refusal):
        return cell
    names = list(to_run(cell, facts)) if cell.expected else list(facts.by_default)
    names += [name for first, name, _ in uncovered_names if first is cell and name not in names]
    return replace(cell, expected=tuple(Expected(name, VerdictKind.HOLDS) for name in names))
