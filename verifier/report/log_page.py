"""The page of logs: the lines of each beside the states of an execution, and why no step fits a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from verifier.conform.coverage import Part
from verifier.conform.covering import join_coverage
from verifier.conform.outcome import Conformance, LogVerdict, Obstacle
from verifier.conform.rendering import tell_explained
from verifier.report.document import environment, policy_of, script_of, style_of

_SCRIPTS = ("trace", "copying", "address", "page")
_MOST_ROWS, _MOST_AFTER = 400, 5
_LONGEST, _LONGEST_VALUE, _BEFORE_CHANGE = 160, 60, 20
_MARKS = {
    Conformance.ACCEPTED: "✓",
    Conformance.REJECTED: "✗",
    Conformance.UNDECIDED: "?",
    Conformance.ERROR: "!",
}
_COLOURS = {
    Conformance.ACCEPTED: "HOLDS",
    Conformance.REJECTED: "VIOLATED",
    Conformance.UNDECIDED: "INCONCLUSIVE",
    Conformance.ERROR: "ERROR",
}
"""The verdicts on properties whose colours they have."""
_OPENED = (Conformance.REJECTED, Conformance.ERROR, Conformance.UNDECIDED)
"""The verdicts at which a page of several logs opens, in this order."""


@dataclass(frozen=True)
class Cell:
    """The value of a variable in a state."""

    text: str
    whole: str
    is_changed: bool
    is_wrong: bool
    """True if the nearest candidate for the next step fails because of it."""
    blamed: tuple[str, ...] = ()
    """The parts of it that the candidate reads, with their values."""


@dataclass(frozen=True)
class LogRow:
    """A line of the log, the step that explains it, and the state after the step."""

    line: int | None
    text: str
    action: str
    cells: tuple[Cell, ...]
    is_skipped: bool = False
    """True of a line that the mapping ignores."""


@dataclass(frozen=True)
class LogSection:
    """All that is shown of a log."""

    address: str
    verdict: LogVerdict
    mark: str
    colour: str
    words: str
    head: str
    lines: tuple[str, ...]
    variables: tuple[str, ...]
    rows: tuple[LogRow, ...]
    left_out: int
    """The number of states before the first row."""
    after: tuple[tuple[int, str], ...]
    """The first events after the one that fails, at which nobody looked."""

    @property
    def has_values(self) -> bool:
        """True if some candidate has values or a place."""
        return any(one.values or one.place for one in self.verdict.obstacles)


def logs_as_html(spec: str, command: str, verdicts: Sequence[LogVerdict]) -> str:
    """The verdicts on logs as an HTML document that needs no other file."""
    sections = [_section(spec, f"log-{number}", one) for number, one in enumerate(verdicts, 1)]
    sections.sort(key=lambda one: list(Conformance).index(one.verdict.verdict) == 0)
    counts = [(kind, sum(one.verdict is kind for one in verdicts)) for kind in Conformance]
    style, scripts = style_of([]), [script_of(["early"]), script_of(_SCRIPTS)]
    return (
        environment()
        .get_template("logs.html.jinja")
        .render(
            title=f"verify conform: {spec}",
            spec=spec,
            command=command,
            tally=[(_MARKS[kind], _COLOURS[kind], count, kind.value) for kind, count in counts if count],
            sections=sections,
            place_of=place_of,
            start=_start(sections),
            coverage=join_coverage(verdicts),
            covering=sum(one.coverage is not None for one in verdicts),
            policy=policy_of([style], scripts),
            style=style,
            scripts=scripts,
        )
    )


def _start(sections: Sequence[LogSection]) -> str:
    """The page that opens first: the first log that is rejected, or else that is not accepted."""
    first = [one for kind in _OPENED for one in sections if one.verdict.verdict is kind]
    return first[0].address if first else "overview" if len(sections) > 1 else sections[0].address


def _section(spec: str, address: str, one: LogVerdict) -> LogSection:
    head, lines = _tell_fault(spec, one)
    variables = tuple(name for name, _ in one.path[-1].state) if one.path else ()
    rows = list(_rows(one, variables))
    after = [(line, text) for line, text in one.events if one.line is not None and line > one.line]
    return LogSection(
        address=address,
        verdict=one,
        mark=_MARKS[one.verdict],
        colour=_COLOURS[one.verdict],
        words=_words(one),
        head=head,
        lines=tuple(lines),
        variables=variables,
        rows=tuple(rows[-_MOST_ROWS:]),
        left_out=max(0, len(rows) - _MOST_ROWS),
        after=tuple(after[:_MOST_AFTER]),
    )


def _words(one: LogVerdict) -> str:
    if one.verdict is Conformance.ACCEPTED:
        return f"ACCEPTED, complete: {tell_explained(one)}"
    where = "" if one.line is None else f" at line {one.line}"
    if one.violated:
        return f"{one.verdict}: {', '.join(one.violated)} false after line {one.line}"
    if one.verdict is Conformance.ERROR:
        return f"ERROR{where}: the log cannot be judged"
    return f"{one.verdict}{where}: {tell_explained(one)}"


def _tell_fault(spec: str, one: LogVerdict) -> tuple[str, list[str]]:
    """Say in a sentence what is wrong with the log, and below it why the nearest step does not fit."""
    if one.verdict is Conformance.ACCEPTED:
        count = f" {one.frontier:,} states agree with its end." if one.frontier > 1 else ""
        return f"An execution of {spec} agrees with the whole log.{count}", []
    if one.verdict is Conformance.ERROR:
        place = "" if one.line is None else f"Line {one.line}: "
        return f"The log cannot be judged. {place}{one.reason}.", [one.text] if one.text else []
    where = "The end of the log" if one.line is None else f"Line {one.line}"
    if one.verdict is Conformance.UNDECIDED:
        return f"{where}: nobody knows whether an execution agrees with more of the log.", [one.reason]
    if one.violated:
        names = f"{', '.join(one.violated)} {'is' if len(one.violated) == 1 else 'are'}"
        head = f"After line {one.line} {names} false, in each execution that agrees with the log."
        return head, [_tell_false(part) for part in one.obstacles]
    head = f"No step of {spec} explains line {one.line}." if one.line else f"{where} is not as {spec} has it."
    nearest = [_nearest(one.obstacles[0])] if one.obstacles else []
    return head, [*nearest, f"The log is rejected: {one.reason}."]


def _nearest(one: Obstacle) -> str:
    """Say of the nearest candidate what it lacks."""
    place = f" ({place_of(one)})" if one.place else ""
    if one.possible:
        return f"{one.action} is possible, but {_cut(one.formula)} {one.words}."
    values = ", ".join(f"{name} = {_cut(value)}" for name, value in one.values)
    held = f" after {one.passed} conjuncts that hold" if one.passed > 1 else ""
    where = f", where {values}" if values else ""
    return f"Nearest is {one.action}{held}: {_cut(one.formula)} {one.words or 'is false'}{where}{place}."


def _tell_false(one: Obstacle) -> str:
    """Say which part of an invariant is false, and where."""
    values = ", ".join(f"{name} = {_cut(value)}" for name, value in one.values)
    place = f" ({place_of(one)})" if one.place else ""
    return f"{_cut(one.formula, _LONGEST)} is false{f', where {values}' if values else ''}{place}."


def place_of(one: Obstacle | Part) -> str:
    """The place of a formula, without the folders of its file."""
    return one.place.rpartition("/")[2]


def _rows(one: LogVerdict, variables: Sequence[str]) -> Iterator[LogRow]:
    texts, blamed = dict(one.events), _find_blamed(one, variables)
    before: Mapping[str, str] = {}
    done = 0
    for number, step in enumerate(one.path):
        state, is_last = dict(step.state), number == len(one.path) - 1
        cells = tuple(
            _cell(
                state.get(name, ""),
                before.get(name, "") if number else None,
                blamed.get(name) if is_last else None,
            )
            for name in variables
        )
        text = "" if step.line is None else texts.get(step.line, "")
        reached = step.line or 0
        yield from _skip(one, texts, done, reached)
        yield LogRow(step.line, _cut(text, _LONGEST), step.action or "initially", cells)
        before, done = state, max(done, reached)
    yield from _skip(one, texts, done, one.line or 0)


def _skip(one: LogVerdict, texts: Mapping[int, str], done: int, until: int) -> Iterator[LogRow]:
    """Yield the ignored lines between two lines."""
    for line in one.skipped:
        if done < line < until:
            yield LogRow(line, _cut(texts.get(line, ""), _LONGEST), "", (), is_skipped=True)


def _cell(value: str, before: str | None, blamed: tuple[str, ...] | None) -> Cell:
    """The cell of a value. A long one is cut around its change, and stands below its parts at fault."""
    is_changed = before is not None and value != before
    text = _around_change(before, value) if is_changed and before is not None else _cut(value)
    is_part = blamed is not None and all(not one.endswith(f" = {value}") for one in blamed)
    return Cell(text, value, is_changed, blamed is not None, blamed if blamed and is_part else ())


def _find_blamed(one: LogVerdict, variables: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The variables of the nearest candidate's first false conjunct, with the parts that it reads of each."""
    if not one.obstacles:
        return {}
    nearest = one.obstacles[0]
    blamed: dict[str, tuple[str, ...]] = {
        name: () for name in variables if name in re.findall(r"\w+", nearest.formula)
    }
    for path, value in nearest.values:
        name = re.split(r"[\[.]", path, maxsplit=1)[0]
        if name in variables:
            blamed[name] = (*blamed.get(name, ()), f"{path} = {_cut(value)}")
    return blamed


def _around_change(before: str, value: str) -> str:
    """A value; of a long one the part that differs from the value before, and some of what is around it."""
    if len(value) <= _LONGEST_VALUE:
        return value
    same = next(
        (n for n, (old, new) in enumerate(zip(before, value, strict=False)) if old != new), len(before)
    )
    start = value.rfind(" ", 0, max(0, same - _BEFORE_CHANGE)) + 1
    if start + _LONGEST_VALUE >= len(value):
        start = value.find(" ", len(value) - _LONGEST_VALUE) + 1
    return f"{'…' if start else ''}{_cut(value[start:])}"


def _cut(words: str, most: int = _LONGEST_VALUE) -> str:
    """A long text in short."""
    return words if len(words) <= most else f"{words[: most - 1]}…"
