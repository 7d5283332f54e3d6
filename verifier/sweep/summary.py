"""The summary of a sweep, counted from its rows."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from verifier.outcomes.row import Row
from verifier.verdict import VerdictKind

_MOST_SLOWEST = 5
_MOST_UNDECIDED = 10
_UNDECIDED = (VerdictKind.ERROR, VerdictKind.INCONCLUSIVE)


@dataclass(frozen=True)
class Count:
    """The number of jobs of one spec, claim and engine with a verdict."""

    spec: str
    property_name: str
    claim: str
    """The claim as in rows."""
    engine: str
    verdict: str
    jobs: int
    depth: int | None
    """The least depth closed or searched."""
    fewest_steps: int | None
    most_steps: int | None
    """The most steps of the counterexamples or witnesses."""
    seconds: float
    """The seconds of all these jobs."""


@dataclass(frozen=True)
class Line:
    """One job and its verdict."""

    spec: str
    claim: str
    engine: str
    constants: str
    """The constants as JSON."""
    verdict: str
    depth: int | None
    seconds: float
    reason: str | None


@dataclass(frozen=True)
class Summary:
    """The outcome of the jobs that were asked for last."""

    counts: tuple[Count, ...]
    slowest: tuple[Line, ...]
    undecided: tuple[Line, ...]
    """The first few jobs with an error or without a decision."""

    @property
    def seconds(self) -> float:
        """Return the seconds of all jobs together."""
        return sum(count.seconds for count in self.counts)

    @property
    def verdicts(self) -> Collection[tuple[str, str]]:
        """Return each property with each of its verdicts."""
        return {(count.property_name, count.verdict) for count in self.counts}


def summarise(rows: Iterable[Row]) -> Summary:
    """The summary of these rows, each of which has a key of its own."""
    slowest = sorted(rows, key=lambda row: (-row.seconds, row.job_id))
    groups: dict[tuple[str, str, str, str, str], list[Row]] = {}
    for row in slowest:
        key = (row.spec, row.property_name, row.claim, row.engine, row.verdict.value)
        groups.setdefault(key, []).append(row)
    undecided = [row for kind in _UNDECIDED for row in slowest if row.verdict is kind]
    return Summary(
        counts=tuple(_count(key, groups[key]) for key in sorted(groups)),
        slowest=tuple(map(_line, slowest[:_MOST_SLOWEST])),
        undecided=tuple(map(_line, undecided[:_MOST_UNDECIDED])),
    )


def _count(key: tuple[str, str, str, str, str], rows: Sequence[Row]) -> Count:
    depths = [row.depth for row in rows if row.depth is not None]
    steps = [row.steps for row in rows if row.steps is not None]
    return Count(
        *key,
        jobs=len(rows),
        depth=min(depths, default=None),
        fewest_steps=min(steps, default=None),
        most_steps=max(steps, default=None),
        seconds=sum(row.seconds for row in rows),
    )


def _line(row: Row) -> Line:
    constants = json.dumps(dict(row.constants), ensure_ascii=False, sort_keys=True)
    where = (row.spec, row.claim, row.engine, constants)
    return Line(*where, row.verdict.value, row.depth, row.seconds, row.reason)
