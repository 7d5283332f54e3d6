"""Progress of a sweep: jobs done, verdicts, the slowest running, time left."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from verifier.text.progress import ProgressText

if TYPE_CHECKING:
    from verifier.sweep.sweep import News

_SECONDS_BETWEEN_LINES = 10.0


class SweepText(ProgressText):
    """News of a sweep."""

    def __init__(self) -> None:
        self._verdicts: Counter[str] = Counter()
        self._began = self._last = time.monotonic()
        self._news: News | None = None
        self.ended = 0
        """Jobs that have ended."""

    def hear(self, news: News, *, live: bool) -> Iterator[str]:
        """Where there is no live line, how far it is, now and then."""
        self._news = news
        self.ended = news.done
        self._verdicts.update(row.verdict.value for row in news.ended)
        now = time.monotonic()
        if not live and now - self._last >= _SECONDS_BETWEEN_LINES:
            self._last = now
            yield self._words()

    def now(self) -> str:
        """How far it is."""
        return f"{self._words()} (Ctrl-C keeps what is done)"

    def _words(self) -> str:
        news = self._news
        if news is None:
            return "starting"
        parts = [f"{news.done} of {news.total} jobs"]
        parts += [f"{count} {verdict}" for verdict, count in sorted(self._verdicts.items())]
        if news.running:
            job, seconds = max(news.running, key=lambda pair: pair[1])
            parts.append(f"longest running {job.label} ({seconds:.0f} s)")
        if news.cost_done > 0:
            left = (time.monotonic() - self._began) * news.cost_left / news.cost_done
            parts.append(f"about {left:.0f} s left")
        return ", ".join(parts)
