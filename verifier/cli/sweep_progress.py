"""Progress of a sweep: jobs done, verdicts, the slowest running, time left."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from verifier.printable import say_count
from verifier.text.progress import ProgressText

if TYPE_CHECKING:
    from verifier.sweep.sweep import News

_LEAST_SHARE, _LEAST_DONE = 0.05, 3
"""The rest is not estimated before this share and number of jobs are done.

The estimate: the jobs left take as long as those done, with as many side by side. Guessed costs told far too
little, because a short job takes mainly the time of its process. Costly jobs come first, so that the estimate
is rather too high."""


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
        parts = [f"{news.done} of {say_count(news.total, 'job')}"]
        parts += [f"{count} {verdict}" for verdict, count in sorted(self._verdicts.items())]
        parts += self._describe_lost_workers(news.workers)
        if news.running:
            job, seconds = max(news.running, key=lambda pair: pair[1])
            parts.append(f"longest running {job.label} ({seconds:.0f} s)")
        left = news.total - news.done
        if left and news.done >= max(_LEAST_DONE, _LEAST_SHARE * news.total) and news.workers != 0:
            seconds = (time.monotonic() - self._first) * left / news.done
            parts.append(f"about {seconds:.0f} s left")
        return ", ".join(parts)

    def _describe_lost_workers(self, workers: int | None) -> list[str]:
        """The message about workers of a cluster that are gone."""
        if workers is None:
            return []
        self._most_workers = max(self._most_workers, workers)
        if workers == 0:
            return ["no worker is there: waiting for one"]
        lost = self._most_workers - workers
        return [f"{lost} of {say_count(self._most_workers, 'worker')} lost"] if lost else []
