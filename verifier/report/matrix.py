"""Verdicts in grids: for each property the varying constants are rows and columns."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeAlias, TypeVar

from verifier.encodings.concrete import show
from verifier.outcomes.row import Row
from verifier.printable import join_words, printable
from verifier.report.claims import is_complete
from verifier.report.report import varying_constants
from verifier.verdict import VerdictKind

Item = TypeVar("Item")

_ENGINE, _SOLVER = "engine", "solver"
_INTEGER = re.compile(r"-?[0-9]{1,18}")
_FEWEST_CELLS = 3
"""The least average number of cells of grids by two constants. Below it, there is a line for each choice of
constants instead."""


_MOST_APART, _FEW = 40, 12
"""The limits of rows that have a cell each: in all, and of one protocol."""
_MOST_VALUES = 6
"""The limit of values that a sentence names."""
_MOST_IN_CELL = 3
"""The limit of verdicts in a cell. Beyond it, the cell shows the worst, and their number."""
_Jobs: TypeAlias = Sequence[tuple[int, Row]]


@dataclass(frozen=True)
class Cell:
    """The verdicts at one place of a grid, as indices into the report's rows, and their time."""

    jobs: tuple[int, ...]
    seconds: float
    share: float
    """The time as a number from 0 to 1, on a logarithmic scale from the fastest to the slowest row."""
    more: int = 0
    """The number of further verdicts that are like these or better."""
    query: Mapping[str, str] = field(default_factory=dict)
    """The facets of the list with which it shows all of them."""
    extent: str = ""
    """Of several verdicts how far all of them go: ``all``, a depth, or the least and the greatest depth; of
    some that hold in all states and others that do not, the number of each."""
    labels: tuple[str, ...] = ()
    """Of several verdicts that are shown, what tells each from the others."""


@dataclass(frozen=True)
class Grid:
    """A heat map. ``across`` and ``down`` name the axes."""

    caption: str
    across: str
    down: tuple[str, ...]
    columns: tuple[str, ...]
    lines: tuple[tuple[tuple[str, ...], tuple[Cell | None, ...]], ...]
    """The values of the axis ``down``, each with the cells of its line."""
    engines: bool = False
    """True if cells have jobs of several engines."""


@dataclass(frozen=True)
class Drawn(Generic[Item]):
    """The grids of a protocol, and the facts that are stated once instead of being drawn."""

    drawn: Sequence[Item]
    said: Sequence[str] = ()


def grids(rows: Sequence[Row]) -> list[tuple[str, Drawn[Grid]]]:
    """The grids of each protocol.

    The axes are the two constants that change most verdicts, if the rows fill such grids. Otherwise there is
    one grid with a line for each choice of constants. Where there are many rows, constants that change no
    verdict share a cell.
    """
    scale = _Scale(rows)
    grids = []
    for spec in dict.fromkeys(row.spec for row in rows):
        jobs = [(number, row) for number, row in enumerate(rows) if row.spec == spec]
        names, said = varying_constants([row for _, row in jobs]), list[str]()
        changes = {name: _changes(jobs, names, name) for name in names}
        names.sort(key=lambda name: -changes[name])
        is_large = len(rows) > _MOST_APART and len(jobs) > _FEW
        if is_large:
            without = _without(jobs, names, changes) if len(names) > 2 else []
            names = [name for name in names if name not in without]
            words = [*([_say_constants(jobs, without)] if without else []), *_agreeing(jobs)]
            said = [" ".join(words)] if words else []
        made = (
            _by_constants(jobs, names, scale, by_changes=is_large) if names else [_by_property(jobs, scale)]
        )
        if len(made) > 1 and _cells(made) < _FEWEST_CELLS * len(made):
            made = [_by_choice(jobs, names, scale)]
        grids.append((spec, Drawn(made, said)))
    return grids


def _changes(jobs: _Jobs, names: Sequence[str], name: str) -> int:
    """Count the groups of rows that differ in this constant alone and have several verdicts."""
    kinds: dict[tuple[str, ...], set[str]] = {}
    others = [other for other in names if other != name]
    for _, row in jobs:
        place = (row.claim, row.engine, row.solver, *(_value(row, other) for other in others))
        kinds.setdefault(place, set()).add(row.verdict.value)
    return sum(len(verdicts) > 1 for verdicts in kinds.values())


def _without(jobs: _Jobs, names: Sequence[str], changes: Mapping[str, int]) -> list[str]:
    """The constants on which no verdict depends: the others tell what each verdict is."""
    left, names_left = list(names), list[str]()
    for name in names:
        others = [other for other in left if other != name]
        if not changes[name] and _tell(jobs, others):
            left, names_left = others, [*names_left, name]
    return names_left


def _tell(jobs: _Jobs, names: Sequence[str]) -> bool:
    """True if rows with the same values of these constants have the same verdict."""
    kinds: dict[tuple[str, ...], str] = {}
    for _, row in jobs:
        place = (row.claim, row.engine, row.solver, *(_value(row, name) for name in names))
        if kinds.setdefault(place, row.verdict.value) != row.verdict.value:
            return False
    return True


def _say_constants(jobs: _Jobs, without: Sequence[str]) -> str:
    """The constants that change no verdict, each with its values."""
    words = [f"{name} ({_shorten(_values(jobs, name))})" for name in without]
    same = f"The verdict is the same for each value of {join_words(words)}"
    return f"{same}. A cell has the jobs of all these values."


def _shorten(values: Sequence[str]) -> str:
    """The values; of many numbers without a gap the first and the last, of many others how many more."""
    if len(values) <= _MOST_VALUES:
        return ", ".join(values)
    numbers = [int(value) for value in values if _INTEGER.fullmatch(value)]
    if len(numbers) == len(values) == numbers[-1] - numbers[0] + 1:
        return f"{values[0]}..{values[-1]}"
    return f"{', '.join(values[:_MOST_VALUES])} and {len(values) - _MOST_VALUES} more"


def _agreeing(jobs: _Jobs) -> list[str]:
    """Say that several engines answer the same wherever more than one decides."""
    decided = [row for _, row in jobs if row.verdict is not VerdictKind.INCONCLUSIVE]
    kinds, asked = dict[tuple[str, str], set[str]](), dict[tuple[str, str], set[str]]()
    for row in decided:
        kinds.setdefault((row.claim, str(row.constants)), set()).add(row.verdict.value)
        asked.setdefault((row.claim, str(row.constants)), set()).add(row.engine)
    engines = list(dict.fromkeys(row.engine for row in decided))
    are_compared = any(len(by) > 1 for by in asked.values())
    if not are_compared or any(len(verdicts) > 1 for verdicts in kinds.values()):
        return []
    where = "" if len(decided) == len(jobs) else " where they decide"
    return [f"{join_words(engines)} give the same answers{where}; depths and times differ."]


class _Scale:
    def __init__(self, rows: Sequence[Row]) -> None:
        times = [math.log10(max(row.seconds, 0.001)) for row in rows] or [0.0]
        self._least, self._range = min(times), max(times) - min(times) or 1.0

    def cell(self, jobs: Sequence[tuple[int, Row]], *, names_engines: bool = False) -> Cell | None:
        """The cell of some verdicts; None if there are none. ``names_engines``: the grid names them."""
        if not jobs:
            return None
        seconds = max(row.seconds for _, row in jobs)
        share = (math.log10(max(seconds, 0.001)) - self._least) / self._range
        shown, extent = [number for number, _ in jobs], ""
        if len(jobs) > _MOST_IN_CELL:
            kinds = list(VerdictKind)
            shown = [max(jobs, key=lambda job: (kinds.index(job[1].verdict), job[1].seconds))[0]]
            extent = _extent([row for _, row in jobs])
        labels = () if len(shown) == 1 else _label([row for _, row in jobs], names_engines=names_engines)
        return Cell(tuple(shown), seconds, round(share, 3), len(jobs) - len(shown), {}, extent, labels)


def _label(rows: Sequence[Row], *, names_engines: bool) -> tuple[str, ...]:
    """Return for each row of a cell the values that the others of the cell do not have."""
    special = ["property", *([] if names_engines else [_ENGINE]), _SOLVER]
    told = [name for name in special if len({_value(row, name) for row in rows}) > 1]
    engines, found_by = {row.engine for row in rows}, {(row.engine, row.solver) for row in rows}
    if _ENGINE in told and len(found_by) == len(engines):
        told = [name for name in told if name != _SOLVER]
    varying = varying_constants(rows)
    said = [[_value(row, name) for name in told] for row in rows]
    chosen = [[f"{name}={_value(row, name)}" for name in varying] for row in rows]
    return tuple(", ".join([*one, *other]) for one, other in zip(said, chosen, strict=True))


def _extent(rows: Sequence[Row]) -> str:
    """Say in short how far these go, if all of them hold, or in how many steps all are violated.

    Of some that hold up to a depth and others in all states it has the number of each.
    """
    whole = [row for row in rows if row.verdict is VerdictKind.HOLDS and is_complete(row)]
    if len(whole) == len(rows):
        return "all"
    if whole:
        rest = [row for row in rows if not (row.verdict is VerdictKind.HOLDS and is_complete(row))]
        depths = _extent(rest) if all(row.verdict is VerdictKind.HOLDS for row in rest) else ""
        return f"{depths} ×{len(rest)}, all ×{len(whole)}" if depths else ""
    extents = [row.depth if row.verdict is VerdictKind.HOLDS else row.steps for row in rows]
    numbers = sorted({number for number in extents if number is not None})
    if len({row.verdict for row in rows}) > 1 or None in extents or not numbers:
        return ""
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}–{numbers[-1]}"


def _by_property(jobs: _Jobs, scale: _Scale) -> Grid:
    return _grid(jobs, "", "property", _ENGINE, scale)


def _cells(made: Sequence[Grid]) -> int:
    return sum(cell is not None for grid in made for _, cells in grid.lines for cell in cells)


def _by_choice(jobs: _Jobs, names: Sequence[str], scale: _Scale) -> Grid:
    """A line for each choice of constants, a column for each property."""
    lines: dict[tuple[str, ...], dict[str, list[tuple[int, Row]]]] = {}
    for number, row in jobs:
        chosen = tuple(_value(row, name) for name in names)
        lines.setdefault(chosen, {}).setdefault(row.claim, []).append((number, row))
    columns = sorted({name for cells in lines.values() for name in cells})
    engines = len({row.engine for _, row in jobs}) > 1

    def cell(chosen: tuple[str, ...], column: str) -> Cell | None:
        rows = lines[chosen].get(column, [])
        made = scale.cell(rows, names_engines=engines)
        if made is None or not made.more:
            return made
        own = {"property": column, "spec": rows[0][1].spec, **dict(zip(names, chosen, strict=True))}
        return replace(made, query={printable(name): printable(value) for name, value in own.items()})

    return Grid(
        caption="",
        across="property",
        down=tuple(names),
        columns=tuple(columns),
        lines=tuple(
            (chosen, tuple(cell(chosen, column) for column in columns))
            for chosen in sorted(lines, key=lambda values: [_order(value) for value in values])
        ),
        engines=engines,
    )


def _by_constants(jobs: _Jobs, names: Sequence[str], scale: _Scale, *, by_changes: bool) -> list[Grid]:
    """A grid per property, engine and solver, and per choice of all constants but the two that vary most."""
    numbers = {name: len({_value(row, name) for _, row in jobs}) for name in names}
    axes = sorted(names[:2] if by_changes else names, key=lambda name: -numbers[name])[:2]
    across, down = axes[0], axes[1] if len(axes) > 1 else "property"
    apart = [name for name in names if name not in axes]
    # Several engines get a grid each; so do several solvers, unless each engine has one solver.
    engines, solvers = ({_value(row, name) for _, row in jobs} for name in (_ENGINE, _SOLVER))
    told = len({(row.engine, row.solver) for _, row in jobs}) == len(engines)
    apart = [*([_SOLVER] if len(solvers) > 1 and not told else []), *apart]
    apart = [*([_ENGINE] if len(engines) > 1 else []), *apart]
    if down != "property":
        apart.insert(0, "property")
    facets: dict[tuple[str, ...], list[tuple[int, Row]]] = {}
    for number, row in jobs:
        facets.setdefault(tuple(_value(row, name) for name in apart), []).append((number, row))
    ordered = sorted(facets.items(), key=lambda facet: [_order(value) for value in facet[0]])
    ordered.sort(key=lambda facet: -max(_badness(row) for _, row in facet[1]))  # what fails stands first
    return [_grid(part, _caption(apart, key), down, across, scale) for key, part in ordered]


def _badness(row: Row) -> int:
    return list(VerdictKind).index(row.verdict)


def _caption(names: Sequence[str], values: Sequence[str]) -> str:
    words = [
        value if name in ("property", _ENGINE, _SOLVER) else f"{name}={value}"
        for name, value in zip(names, values, strict=True)
    ]
    return ", ".join(word for word in words if word)


def _grid(jobs: _Jobs, caption: str, down: str, across: str, scale: _Scale) -> Grid:
    columns, at = _values(jobs, across), dict[tuple[str, str], list[tuple[int, Row]]]()
    for number, row in jobs:
        at.setdefault((_value(row, down), _value(row, across)), []).append((number, row))

    def cell(line: str, column: str) -> Cell | None:
        rows = at.get((line, column), [])
        made = scale.cell(rows)
        if made is None or not made.more:
            return made
        row = rows[0][1]
        own = {"property": row.claim, "spec": row.spec, _ENGINE: row.engine, down: line, across: column}
        return replace(made, query={printable(name): printable(value) for name, value in own.items()})

    lines = [((line,), tuple(cell(line, column) for column in columns)) for line in _values(jobs, down)]
    return Grid(caption, across, (down,), tuple(columns), tuple(lines))


def _value(row: Row, name: str) -> str:
    special: Mapping[str, str] = {"property": row.claim, _ENGINE: row.engine, _SOLVER: row.solver}
    return special[name] if name in special else show(row.constants.get(name))


def _values(jobs: _Jobs, name: str) -> list[str]:
    """The values in order; properties keep the order of the rows."""
    values = list(dict.fromkeys(_value(row, name) for _, row in jobs))
    return values if name == "property" else sorted(values, key=_order)


def _order(value: str) -> tuple[int, str]:
    """A key that sorts numbers by size and puts words after them."""
    return (int(value), "") if _INTEGER.fullmatch(value) else (0, value)
