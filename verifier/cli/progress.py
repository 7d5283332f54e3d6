"""Progress on standard error: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

import click

from verifier.cli.output import console

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

    from verifier.engines.bmc import Progress


def progress_line(news: Progress) -> str:
    """``depth 7 closed (serial, 3.2 s): TypeOk, WeakIsr``."""
    names = ", ".join(news.properties)
    if news.steps is not None:
        found = "witness" if news.reached else "violation"
        return f"{found} with {news.steps} actions found ({news.search}, {news.seconds:.1f} s): {names}"
    return f"depth {news.depth} closed ({news.search}, {news.seconds:.1f} s): {names}"


class Reporter:
    """Shows progress as it is told. Use as a context, around the search."""

    def __init__(self) -> None:
        self._live: Live | None = None
        self._terminal = sys.stderr.isatty()
        self._closed: dict[str, int] = {}
        self._began = time.monotonic()

    def __enter__(self) -> Reporter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, news: Progress) -> None:
        """Takes a piece of news."""
        if not self._terminal:
            click.echo(progress_line(news), err=True)
            return
        if news.steps is None:
            self._closed[news.search] = news.depth
        if self._live is None:
            self._start()
        assert self._live is not None
        if news.steps is not None:
            self._live.console.print(progress_line(news))

    def _start(self) -> None:
        # Not before the first news: the line is redrawn by a thread, and the searches are forked before.
        from rich.live import Live

        self._live = Live(
            get_renderable=self._line, console=console(stderr=True), transient=True, refresh_per_second=4
        )
        self._live.start()

    def _line(self) -> Text:
        from rich.text import Text

        closed = ", ".join(f"{search} search closed depth {depth}" for search, depth in self._closed.items())
        elapsed = time.monotonic() - self._began
        return Text(f"{elapsed:.0f} s: {closed or 'searching'} (Ctrl-C keeps what is known)", "dim")
