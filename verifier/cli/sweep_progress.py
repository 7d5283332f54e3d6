"""Progress of a sweep: jobs done, verdicts, the slowest running, time left."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from verifier.text.progress import NowAndThen

if TYPE_CHECKING:
    from verifier.sweep.sweep import News


class SweepText(NowAndThen):
    """News of a sweep."""

    def __init__(self) -> None:
        super().__init__()
        self._verdicts: Counter[str] = Counter()

    def take(self, news: News) -> str:
        """How many jobs are done, with which verdicts, and how long the rest may take."""
        self._verdicts.update(row.verdict.value for row in news.ended)
        parts = [f"{news.done} of {news.total} jobs"]
        parts += [f"{count} {verdict}" for verdict, count in sorted(self._verdicts.items())]
        if news.running:
            job, seconds = max(news.running, key=lambda pair: pair[1])
            parts.append(f"longest running {job.label} ({seconds:.0f} s)")
        if news.cost_done > 0:
            left = (time.monotonic() - self._began) * news.cost_left / news.cost_done
            parts.append(f"about {left:.0f} s left")
        return ", ".join(parts)
