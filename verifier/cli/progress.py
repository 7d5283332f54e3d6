"""Progress on standard error: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from verifier.cli.live import LiveReporter
from verifier.cli.output import say
from verifier.printable import printable

if TYPE_CHECKING:
    from rich.text import Text

    from verifier.engines.bmc import Progress


def progress_line(news: Progress) -> str:
    """``depth 7 closed (serial, 3.2 s): TypeOk, WeakIsr``."""
    names = ", ".join(news.properties)
    if news.steps is not None:
        found = "witness" if news.reached else "violation"
        return f"{found} with {news.steps} actions found ({news.search}, {news.seconds:.1f} s): {names}"
    return f"depth {news.depth} closed ({news.search}, {news.seconds:.1f} s): {names}"


class Reporter(LiveReporter):
    """Shows the progress of a search."""

    def __init__(self) -> None:
        super().__init__()
        self._closed: dict[str, int] = {}
        self._began = time.monotonic()

    def __call__(self, news: Progress) -> None:
        """Takes a piece of news."""
        if not self._terminal:
            say(progress_line(news), err=True)
            return
        if news.steps is None:
            self._closed[news.search] = news.depth
        live = self._started()
        if news.steps is not None:
            live.console.print(printable(progress_line(news)))

    def _line(self) -> Text:
        from rich.text import Text

        closed = ", ".join(f"{search} search closed depth {depth}" for search, depth in self._closed.items())
        elapsed = time.monotonic() - self._began
        return Text(f"{elapsed:.0f} s: {closed or 'searching'} (Ctrl-C keeps what is known)", "dim")
