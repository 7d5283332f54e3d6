"""What came out of a sweep, asked of its rows in SQL."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from verifier.sweep.store import ROWS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MOST_SLOWEST = 5
_MOST_UNDECIDED = 10

_NEWEST = """
    SELECT * FROM (
        SELECT rows.*, row_number() OVER (PARTITION BY job_id ORDER BY recorded_at DESC) AS age FROM rows
    ) JOIN (SELECT explode(jobs) AS asked FROM asked) ON asked_for = asked WHERE age = 1
"""
_COUNTS = """
    SELECT spec, property_name, engine, verdict, count(*) AS jobs, min(depth) AS depth,
           min(steps) AS fewest_steps, max(steps) AS most_steps, sum(seconds) AS seconds
    FROM newest GROUP BY spec, property_name, engine, verdict ORDER BY spec, property_name, engine, verdict
"""
_SLOWEST = f"""
    SELECT spec, property_name, engine, constants, verdict, depth, seconds, reason
    FROM newest ORDER BY seconds DESC, job_id LIMIT {_MOST_SLOWEST}
"""
_UNDECIDED = f"""
    SELECT spec, property_name, engine, constants, verdict, depth, seconds, reason
    FROM newest WHERE verdict IN ('ERROR', 'INCONCLUSIVE')
    ORDER BY verdict, seconds DESC, job_id LIMIT {_MOST_UNDECIDED}
"""


@dataclass(frozen=True)
class Count:
    """How many jobs of one spec, property and engine ended with a verdict."""

    spec: str
    property_name: str
    engine: str
    verdict: str
    jobs: int
    depth: int | None
    """The least depth closed or searched."""
    fewest_steps: int | None
    most_steps: int | None
    """Of the counterexamples or witnesses."""
    seconds: float
    """Of all these jobs."""


@dataclass(frozen=True)
class Line:
    """One job and its verdict."""

    spec: str
    property_name: str
    engine: str
    constants: str
    """As JSON."""
    verdict: str
    depth: int | None
    seconds: float
    reason: str | None


@dataclass(frozen=True)
class Summary:
    """What came out of the jobs that were asked for last."""

    counts: tuple[Count, ...]
    slowest: tuple[Line, ...]
    undecided: tuple[Line, ...]
    """Of the jobs with an error or without a decision the first few."""

    @property
    def seconds(self) -> float:
        """Of all jobs together."""
        return sum(count.seconds for count in self.counts)

    @property
    def verdicts(self) -> Collection[tuple[str, str]]:
        """Each property with each verdict that it got."""
        return {(count.property_name, count.verdict) for count in self.counts}


def summarise(session: SparkSession, folder: Path) -> Summary:
    """The summary of the rows of the jobs that ``sweep.json`` names."""
    if not any((folder / ROWS).glob("*.parquet")):
        return Summary((), (), ())
    session.read.parquet(str(folder / ROWS)).createOrReplaceTempView("rows")
    session.read.json(str(folder / "sweep.json"), multiLine=True).createOrReplaceTempView("asked")
    newest = session.sql(_NEWEST).cache()
    newest.createOrReplaceTempView("newest")

    def asked(query: str) -> list[dict[str, object]]:
        return [row.asDict() for row in session.sql(query).collect()]

    found = Summary(
        counts=tuple(Count(**row) for row in asked(_COUNTS)),  # type: ignore[arg-type]
        slowest=tuple(Line(**row) for row in asked(_SLOWEST)),  # type: ignore[arg-type]
        undecided=tuple(Line(**row) for row in asked(_UNDECIDED)),  # type: ignore[arg-type]
    )
    newest.unpersist()
    return found
