"""Progress of an exploration on standard error: one line that is written over, or a line now and then."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING

import click

from verifier.printable import printable

if TYPE_CHECKING:
    from verifier.engines.explore import Progress

_ERASED = "\r\x1b[K"
_SECONDS_BETWEEN_LINES = 5.0


class StatesReporter:
    """Shows progress as it is told. Use as a context, around the exploration."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._last: Progress | None = None

    def __enter__(self) -> StatesReporter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._terminal:
            click.echo(_ERASED, err=True, nl=False)

    def __call__(self, news: Progress) -> None:
        """Takes a piece of news."""
        if news.violated is not None:
            before = _ERASED if self._terminal else ""
            what = "reached" if news.reached else "violated"
            click.echo(f"{before}{printable(news.violated)} is {what} at depth {news.depth}", err=True)
        elif self._terminal:
            click.echo(f"{_ERASED}{self._line(news)} (Ctrl-C keeps what is known)", err=True, nl=False)
            self._last = news
        elif news.seconds - (self._last.seconds if self._last else 0.0) >= _SECONDS_BETWEEN_LINES:
            click.echo(self._line(news), err=True)
            self._last = news

    def _line(self, news: Progress) -> str:
        states, seconds = (self._last.states, self._last.seconds) if self._last else (0, 0.0)
        rate = (news.states - states) / max(news.seconds - seconds, 1e-3)
        return (
            f"{news.seconds:.0f} s: depth {news.depth}, {news.states:,} states, "
            f"{news.frontier:,} to look at, {rate:,.0f} states per second"
        )
