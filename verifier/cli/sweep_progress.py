"""Progress of a sweep on standard error: jobs done, verdicts, the slowest running, time left."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from verifier.cli.live import LiveReporter
from verifier.cli.output import say

if TYPE_CHECKING:
    from rich.text import Text

    from verifier.sweep.sweep import News

_SECONDS_BETWEEN_LINES = 10.0


class SweepReporter(LiveReporter):
    """Shows progress as it is told. Use as a context, around the sweep."""

    def __init__(self) -> None:
        super().__init__()
        self._verdicts: Counter[str] = Counter()
        self._began = self._last = time.monotonic()
        self._news: News | None = None
        self.ended = 0
        """Jobs that have ended."""

    def __call__(self, news: News) -> None:
        """Takes a piece of news."""
        self._news = news
        self.ended = news.done
        self._verdicts.update(row.verdict.value for row in news.ended)
        now = time.monotonic()
        if self._terminal:
            self._started()
        elif now - self._last >= _SECONDS_BETWEEN_LINES:
            self._last = now
            say(self._words(), err=True)

    def _line(self) -> Text:
        from rich.text import Text

        return Text(f"{self._words()} (Ctrl-C keeps what is done)")

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
