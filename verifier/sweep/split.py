"""A job split into parts of its search, and the combination of their outcomes.

Each part takes serial steps. If the job leaves the kind of steps open, one more search takes parallel steps
over all executions: it finds violations fast. A violation in any of them is one of the whole. A depth is
closed if it is closed in every part, or in the search over all executions. Parts differ in cost: one whose
time is over is split again, and closes the depths that both of its halves close.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from verifier.engines.search_parts import Part, choose, common_invariants, halves
from verifier.outcomes.row import Row, job_id
from verifier.processes.limits import Limits
from verifier.runs.building import build_model
from verifier.runs.engine import engine_named
from verifier.runs.loading import load
from verifier.sweep.expansion import record_options
from verifier.sweep.job import Job
from verifier.verdict import VerdictKind

_FOUND = (VerdictKind.VIOLATED, VerdictKind.REACHED)
_TIMEOUT = "timeout"
_MOST_HALVINGS = 2
"""The limit of times that a part, and a half of it, is split again."""


def parts_of(job: Job, most: int | None = None, needless: Callable[[], bool] = lambda: False) -> list[Job]:
    """The jobs that the job is split into. None if its state has no bits to tell executions apart by.

    Parts repeat some of each other's work, so there are no more than ``most``, rounded up to a power of two.
    One whose time is over is split again. Once they are ``needless``, they are chosen without care.
    """
    wanted = job.parts if most is None else min(job.parts, 1 << (most - 1).bit_length())
    loaded = load(job.spec, job.constants, reading=job.reading)
    model = build_model(loaded.definition, Limits(job.timeout, job.memory))
    if wanted < 2:
        return []
    guesses = common_invariants(model)
    choices = choose(model.system, job.property_name, job.recorded["depth"], wanted, guesses, needless)
    if not choices:
        return []
    whole = [] if job.recorded["steps"] == "serial" else [_part(job, {"steps": "parallel"})]
    parts = [Part(index, choices) for index in range(2 ** len(choices))]
    return whole + [_part(job, {"steps": "serial", "part": part, "guesses": guesses}) for part in parts]


def halves_of(job: Job, part: Job) -> list[Job]:
    """The halves of a part of the job; none if it is not to be split again."""
    own = part.options.get("part")
    if own is None or 2 ** len(own.choices) >= job.parts * 2**_MOST_HALVINGS:
        return []
    loaded = load(job.spec, job.constants, reading=job.reading)
    model = build_model(loaded.definition, Limits(job.timeout, job.memory))
    guesses = part.options["guesses"]
    halved = halves(model.system, job.property_name, job.recorded["depth"], own, guesses)
    return [_part(job, {"steps": "serial", "part": half, "guesses": guesses}) for half in halved]


def _part(job: Job, changed: dict[str, Any]) -> Job:
    options = {**job.options, **changed}
    loaded = load(job.spec, job.constants, reading=job.reading)
    recorded = record_options(engine_named(job.engine), loaded, options, job.property_name)
    return replace(job, job_id=_key(job, job.property_name, recorded), options=options, recorded=recorded,
                   parts=1, part_of=job.job_id)  # fmt: skip


def _key(job: Job, property_name: str, recorded: Any) -> str:
    return job_id(job.spec_hash, job.constants, property_name, job.engine, recorded, job.tool_version)


@dataclass
class Split:
    """A job and the known results of its parts."""

    job: Job
    parts: Sequence[Job]
    rows: dict[str, list[Row]] = field(default_factory=dict)
    """By the key of the part."""
    halves: dict[str, list[Job]] = field(default_factory=dict)
    """The halves of the parts that were split again, by the key of the part."""

    @property
    def all_parts(self) -> list[Job]:
        """The parts and the halves of parts."""
        return [*self.parts, *(half for both in self.halves.values() for half in both)]

    @property
    def open(self) -> list[Job]:
        """The parts without rows."""
        return [part for part in self.all_parts if part.job_id not in self.rows]

    def is_out_of_time(self, part: Job) -> bool:
        """True if the part was left undecided because its time was over."""
        row = self._row(part)
        return row is not None and row.verdict is VerdictKind.INCONCLUSIVE and _TIMEOUT in (row.reason or "")

    def outcome(self) -> list[Row] | None:
        """The rows of the whole job, or None while it depends on parts that are open."""
        own = [row for part in self.all_parts if (row := self._row(part)) is not None]
        violations = [row for row in own if row.verdict in _FOUND]
        over_all = [row for row in own if "part" not in row.options]
        if not violations and not (over_all and _is_closed(over_all[0], self.job)) and self.open:
            return None
        joined = [row for part in self.parts if (row := self._join(part)) is not None]
        verdict = violations[0] if violations else self._not_found(joined, over_all)
        others = {
            row.property_name: row
            for rows in self.rows.values()
            for row in rows
            if row.property_name != self.job.property_name
        }
        return [self._whole(row, own) for row in (verdict, *others.values())]

    def _row(self, part: Job) -> Row | None:
        return next((row for row in self.rows.get(part.job_id, ()) if row.job_id == part.job_id), None)

    def _join(self, part: Job) -> Row | None:
        """Join the verdict on a part with those on its halves: the depth that it closed, or both of them."""
        own = self._row(part)
        both = [self._join(half) for half in self.halves.get(part.job_id, ())]
        if own is None or not both:
            return own
        known = [row for row in both if row is not None]
        if len(known) < len(both):
            return own
        least = min(known, key=lambda row: (_is_closed(row, self.job), _depth(row)))
        deepest = max(_depth(row) for row in (own, least))
        return replace(least, depth=None if deepest < 0 else deepest)

    def _not_found(self, own: Sequence[Row], over_all: Sequence[Row]) -> Row:
        if over_all and _is_closed(over_all[0], self.job):
            return over_all[0]
        failed = [row for row in own if row.verdict is VerdictKind.ERROR]
        if failed:
            return failed[0]
        parts = [row for row in own if "part" in row.options]
        depths = [_depth(row) for row in parts]
        closed = max([min(depths), *(_depth(row) for row in over_all)])
        least = parts[depths.index(min(depths))]
        depth = None if closed < 0 else closed
        if all(_is_closed(row, self.job) for row in parts):
            return replace(least, depth=depth)
        undecided = next(row for row in parts if not _is_closed(row, self.job))
        return replace(undecided, depth=depth)

    def _whole(self, row: Row, own: Sequence[Row]) -> Row:
        """The row as one of the whole job."""
        never = [set(other.statistics.get("never_enabled", ())) for other in own]
        return replace(
            row,
            job_id=_key(self.job, row.property_name, self.job.recorded),
            options=self.job.recorded,
            seconds=round(sum(other.seconds for other in own), 3),
            peak_memory=max((other.peak_memory or 0 for other in own), default=None),
            fewest=False if row.verdict in _FOUND else row.fewest,
            exit_code=row.verdict.exit_code,
            statistics={
                **row.statistics,
                "never_enabled": sorted(set.intersection(*never)) if never else [],
                "parts": [_describe(other) for other in own],
            },
        )


def decides(row: Row, job: Job) -> bool:
    """True if the job, or the part that the row is of, need not be searched any more."""
    return row.verdict not in (VerdictKind.INCONCLUSIVE, VerdictKind.ERROR) or _is_closed(row, job)


def _is_closed(row: Row, job: Job) -> bool:
    """True if nothing was found to the depth asked for; of a reachable property that is no decision."""
    return row.verdict in (VerdictKind.HOLDS, VerdictKind.INCONCLUSIVE) and row.depth == job.recorded["depth"]


def _depth(row: Row) -> int:
    """The depth that is closed; -1 where none is."""
    return -1 if row.depth is None else row.depth


def _describe(row: Row) -> dict[str, Any]:
    part = row.options.get("part")
    return {
        "part": None if part is None else part["index"],
        "verdict": row.verdict.value,
        "depth": row.depth,
        "seconds": row.seconds,
        "host": row.host,
    }
