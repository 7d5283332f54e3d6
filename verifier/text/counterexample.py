"""A counterexample as a table: numbered actions, the changes of each step, and a column per lane."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from verifier.encodings.concrete import Concrete
from verifier.encodings.sorts import Function, Listed, PartialFunction, Sort
from verifier.specs.definition import Definition
from verifier.text.changes import Entry, changes, contents
from verifier.text.columns import GAP, cell, compact_lines, one_line, side_by_side, widths, wrap
from verifier.text.notation import notation_of
from verifier.text.written import render_written_trace
from verifier.trust.trace import Trace

_MARGIN = 4
"""The width of the column for the number of a step."""
_MOST_LANES = 8
_SHARED = "shared"
_NARROW, _ROOMY = 20, 28
"""The least widths of columns: of lanes without a shared column beside them, and with one."""


@dataclass(frozen=True)
class _Step:
    """The part of the table for one state: the action before the state, and the entries."""

    number: int
    title: str
    entries: tuple[Entry, ...]
    changed: frozenset[str] | None = None
    """The paths of the changed places, if whole states are shown."""


@dataclass(frozen=True)
class _Columns:
    """The lanes that have a column, and their widths. ``None`` stands for places that belong to no lane."""

    lanes: tuple[Concrete | None, ...]
    widths: tuple[int, ...]
    kind: str = ""
    """The word for a lane."""

    @property
    def titles(self) -> list[str]:
        """The title of each column."""
        return [_lane_title(lane, self.kind) for lane in self.lanes]


def render_trace(
    definition: Definition, trace: Trace, width: int, *, full: bool = False, start: str = "initially"
) -> list[Text]:
    """The lines of a trace, of at most ``width`` characters. ``start`` is the title of the first state."""
    if trace.shown:
        return list(render_written_trace(trace, width, full=full))
    presentation = definition.presentation
    lanes = presentation.lanes or lanes_of_module(definition, trace)
    steps = list(_steps(definition, trace, lanes, full, start))
    columns = _columns(steps, list(lanes.values()) if lanes else [], presentation.lane_kind, width - _MARGIN)
    lines = _heading(columns)
    for step in steps:
        lines += _title(step, width)
        lines += _body(step, columns, width - _MARGIN)
    return lines


def lanes_of_module(definition: Definition, trace: Trace) -> Sort | None:
    """The lanes of a TLA+ module, which says none itself: the model values that most variables are functions
    of."""
    if not definition.presentation.config:
        return None
    sorts = [symbol.sort for symbol in trace.variables or definition.variables]
    domains = Counter(
        sort.domain
        for sort in sorts
        if isinstance(sort, Function | PartialFunction)
        and isinstance(sort.domain, Listed)
        and sort.domain.bounds is None
        and 1 < sort.domain.size <= _MOST_LANES
    )
    return domains.most_common(1)[0][0] if domains else None


def _steps(
    definition: Definition, trace: Trace, lanes: Sort | None, full: bool, title: str
) -> Iterator[_Step]:
    variables = trace.variables or definition.variables
    notation = notation_of(trace)
    start = contents(variables, trace.states[0], lanes, brief=not full, notation=notation)
    yield _Step(0, title, tuple(start), frozenset() if full else None)
    for number, action in enumerate(trace.actions, 1):
        before, after = trace.states[number - 1], trace.states[number]
        if full:
            entries = contents(variables, after, lanes, brief=False, notation=notation)
            old = set(contents(variables, before, lanes, brief=False, notation=notation))
            changed = frozenset(entry.path for entry in entries if entry not in old)
            yield _Step(number, str(action), tuple(entries), changed)
        else:
            first = definition.presentation.first_index
            entries = changes(variables, before, after, lanes, first, notation)
            yield _Step(number, str(action), tuple(entries or [Entry(None, "nothing changes", ())]))


def _columns(steps: Sequence[_Step], lanes: Sequence[Concrete], kind: str, available: int) -> _Columns:
    """The columns: lanes with the rest beside them or, if that gets too narrow, above them; or none."""
    entries = [entry for step in steps if step.number for entry in step.entries]
    first = [entry for step in steps if not step.number for entry in step.entries]
    if any(entry.lane is not None for entry in entries):
        whole = any(step.changed is not None for step in steps)
        for candidates, narrowest in (((None, *lanes), _ROOMY), (tuple(lanes), _NARROW)):
            natural = [
                max(_natural_width(lane, kind, entries), min(_natural_width(lane, kind, first), narrowest))
                for lane in candidates
            ]
            chosen = widths(natural, available, narrowest)
            if chosen is not None and not (whole and None in candidates):
                return _Columns(candidates, tuple(chosen), kind)
    return _Columns((), ())


def _natural_width(lane: Concrete | None, kind: str, entries: Sequence[Entry]) -> int:
    title = _lane_title(lane, kind)
    return max([len(title), *(len(one_line(entry)) for entry in entries if entry.lane == lane)])


def _lane_title(lane: Concrete | None, kind: str) -> str:
    return _SHARED if lane is None else f"{kind} {lane}".strip()


def _heading(columns: _Columns) -> list[Text]:
    if not columns.lanes:
        return []
    rule = GAP.replace(" ", "─").replace("│", "┼").join("─" * width for width in columns.widths)
    (titled,) = side_by_side(
        [wrap(title, width)[:1] for title, width in zip(columns.titles, columns.widths, strict=True)],
        columns.widths,
    )
    return [Text(" " * _MARGIN + titled, "bold"), Text("─" * _MARGIN + rule, "dim")]


def _title(step: _Step, width: int) -> list[Text]:
    result = []
    for index, line in enumerate(wrap(step.title, width - _MARGIN, subsequent_indent="  ")):
        margin = f"{step.number:>{_MARGIN - 2}}  " if index == 0 else " " * _MARGIN
        text = Text(margin, "bold")
        text.append(line, "bold cyan" if step.number else "bold")
        result.append(text)
    return result


def _body(step: _Step, columns: _Columns, width: int) -> list[Text]:
    # There are many initial values, and most are alike. So they get the whole width.
    beside = tuple(lane for lane in columns.lanes if lane is not None or step.number > 0)
    above = [entry for entry in step.entries if entry.lane not in beside]
    below = [entry for entry in step.entries if entry.lane in beside]
    if step.changed is None and (columns.lanes or step.number == 0):
        lines = compact_lines(above, width)
    else:
        lines = _mark_changes(step, above, width)
    cells = [
        _mark_changes(step, [entry for entry in below if entry.lane == lane], column)
        for lane, column in zip(columns.lanes, columns.widths, strict=True)
    ]
    lines += side_by_side(cells, columns.widths)
    return [_style(" " * _MARGIN + line) for line in lines]


def _mark_changes(step: _Step, entries: Sequence[Entry], width: int) -> list[str]:
    """The lines of entries, one below the other. In a whole state, a changed entry has a star."""
    if step.changed is None:
        return cell(entries, width)
    lines = []
    for entry in entries:
        star = "* " if entry.path in step.changed else "  "
        first, *rest = cell([entry], width - len(star))
        lines += [star + first, *("  " + line for line in rest)]
    return lines


def _style(line: str) -> Text:
    text = Text(line)
    text.highlight_regex(r"(→|: \+|: appended) (?:(?! {3}| │| − |, ).)+", "green")
    text.highlight_regex(r"\* \S+", "bold")
    text.highlight_regex(r"[│→]", "dim")
    return text
