"""Progress of an inductive check on standard error: a live line on a terminal, else a line per action."""

from __future__ import annotations

import sys
from types import TracebackType

import click

from verifier.engines.induction import LeftOut, Progress
from verifier.printable import printable


class ObligationsReporter:
    """Shows progress as it is told. Use as a context, around the checks."""

    def __init__(self) -> None:
        self._property = ""
        self._terminal = sys.stderr.isatty()
        self._part: str | None = None
        self._count, self._seconds = 0, 0.0

    def __enter__(self) -> ObligationsReporter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._flush()

    def __call__(self, property_name: str, progress: Progress) -> None:
        """Takes a piece of news of a property."""
        news = progress.news
        if property_name != self._property:
            self._flush()
            self._property = property_name
        if isinstance(news, LeftOut):
            why = "not needed" if news.fell_at is None else f"falls at {news.fell_at}"
            self._line(f"{news.formula} is left out: {why}")
            return
        part = news.action or news.kind.value
        if part != self._part:
            self._flush()
            self._part = part
        self._count += 1
        self._seconds += news.seconds
        if not news.holds:
            what = "is undecided" if news.holds is None else "fails"
            self._line(f"{news.formula} {what} at {news.instance or news.kind.value}")
        elif self._terminal:
            at = news.instance or news.kind.value
            words = printable(f"{progress.seconds:.0f} s: {at}, {news.formula}")
            click.echo(f"\r\033[K{words}", err=True, nl=False)

    def _line(self, words: str) -> None:
        click.echo(("\r\033[K" if self._terminal else "") + printable(f"{self._property}: {words}"), err=True)

    def _flush(self) -> None:
        if self._count:
            noun = "obligation" if self._count == 1 else "obligations"
            self._line(f"{self._part}: {self._count} {noun} asked ({self._seconds:.2f} s)")
        self._part, self._count, self._seconds = None, 0, 0.0
