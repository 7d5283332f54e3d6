"""Verdicts on logs as lines of text: a table, and for each rejected log the reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from verifier.conform.covering import join_coverage
from verifier.conform.outcome import Conformance, LogVerdict, Obstacle
from verifier.printable import say_count

_LONGEST = 240


def render_verdicts(verdicts: Sequence[LogVerdict], *, covers: bool = False) -> Iterator[str]:
    """Yield the lines of a report: the reasons first, then the table. ``covers``: coverage was asked for."""
    for one in verdicts:
        if one.verdict is not Conformance.ACCEPTED or one.reason:
            yield from _render_reason(one)
            yield ""
    width = max(len("log"), *(len(one.log) for one in verdicts))
    yield f"{'log':<{width}}  {'verdict':<9}  {'explained':>11}  seconds"
    for one in verdicts:
        known = one.verdict is not Conformance.ERROR and one.lines
        explained = "/".join(map(str, count_explained(one))) if known else ""
        yield f"{one.log:<{width}}  {one.verdict:<9}  {explained:>11}  {one.seconds:7.1f}"
    coverage = join_coverage(verdicts)
    if coverage is not None:
        yield ""
        yield from coverage.render(sum(one.coverage is not None for one in verdicts))
    elif covers:
        yield ""
        yield "coverage: no log is accepted, so there is none"


def count_explained(one: LogVerdict) -> tuple[int, int]:
    """Return how many events are explained, of how many. Events that the mapping ignores do not count."""
    skipped = sum(one.line is None or line < one.line for line in one.skipped)
    return one.explained - skipped, one.lines - len(one.skipped)


def tell_explained(one: LogVerdict) -> str:
    """Say how many events are explained: "3 of 4 events are explained, 1 is ignored"."""
    explained, lines = count_explained(one)
    verb = "is" if 1 in (explained, lines) else "are"
    events = f"{explained:,} of {say_count(lines, 'event')} {verb} explained"
    if explained == lines and lines > 1:
        events = f"all {lines:,} events are explained"
    ignored = len(one.skipped)
    return f"{events}, {ignored:,} {'is' if ignored == 1 else 'are'} ignored" if ignored else events


def _render_reason(one: LogVerdict) -> Iterator[str]:
    place = one.log if one.line is None else f"{one.log}:{one.line}"
    yield f"{place}: {one.verdict}: {one.reason}"
    if one.text:
        yield f"  {_cut(one.text)}"
    if one.verdict is Conformance.ERROR or not one.lines:
        return
    if one.violated:
        yield f"  {tell_explained(one)}; the state after line {one.line} is:"
        yield from (f"    {name} = {_cut(value)}" for state in one.states for name, value in state)
        for part in one.obstacles:
            yield f"  {part.action} is false there:"
            yield from _render_formula(part)
        return
    yield f"  {tell_explained(one)}"
    if one.states:
        count = "1 state agrees" if one.frontier == 1 else f"{one.frontier} states agree"
        more = f"; {len(one.states)} of them" if one.frontier > len(one.states) else ""
        if one.by_solver:
            count, more = "a solver found a state that agrees", ""
        yield f"  {count} with them{more}:"
        for number, state in enumerate(one.states):
            if number:
                yield "    --"
            yield from (f"    {name} = {_cut(value)}" for name, value in state)
    if one.obstacles:
        yield "  why no step fits, the nearest first:"
        for obstacle in one.obstacles:
            yield from _render_obstacle(obstacle)


def _render_obstacle(one: Obstacle) -> Iterator[str]:
    held = "1 conjunct holds" if one.passed == 1 else f"{one.passed} conjuncts hold"
    held = "the step is possible" if one.possible else held
    yield f"    {one.action} ({held}):"
    yield from _render_formula(one)


def _render_formula(one: Obstacle) -> Iterator[str]:
    place = f"  ({one.place})" if one.place else ""
    yield f"      {_cut(one.formula)}   {one.words or 'is false'}{place}"
    for name, value in one.values:
        yield f"        {name} = {_cut(value)}"


def _cut(words: str) -> str:
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]} …"
