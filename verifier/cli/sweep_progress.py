"""Progress of a sweep: jobs done, verdicts, the slowest running, time left."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from verifier.text.progress import ProgressText

if TYPE_CHECKING:
    from verifier.sweep.sweep import News

_LEAST_SHARE, _LEAST_DONE = 0.1, 3
"""Before so much is done the rest is not estimated: what jobs cost is guessed, the costly ones come first."""


class SweepText(ProgressText):
    """News of a sweep."""

    def __init__(self) -> None:
        super().__init__()
        self._verdicts: Counter[str] = Counter()
        self._first: float | None = None
        """When the first news came: by then Spark has started."""
        self._most_workers = 0

    def take(self, news: News) -> str:
        """Return the number of jobs done, with their verdicts, and the estimated time for the rest."""
        self._first = self._first or time.monotonic()
        self._verdicts.update(row.verdict.value for row in news.ended)
        parts = [f"{news.done} of {news.total} jobs"]
        parts += [f"{count} {verdict}" for verdict, count in sorted(self._verdicts.items())]
        parts += self._describe_lost_workers(news.workers)
        if news.running:
            job, seconds = max(news.running, key=lambda pair: pair[1])
            parts.append(f"longest running {job.label} ({seconds:.0f} s)")
        share = news.cost_done / max(news.cost_done + news.cost_left, 1e-9)
        if share >= _LEAST_SHARE and news.done >= _LEAST_DONE and news.workers != 0:
            left = (time.monotonic() - self._first) * news.cost_left / news.cost_done
            parts.append(f"about {left:.0f} s left")
        return ", ".join(parts)

    def _describe_lost_workers(self, workers: int | None) -> list[str]:
        """The message about workers of a cluster that are gone."""
        if workers is None:
            return []
        self._most_workers = max(self._most_workers, workers)
        if workers == 0:
            return ["no worker is there: waiting for one"]
        lost = self._most_workers - workers
        return [f"{lost} of {self._most_workers} workers lost"] if lost else []
