"""A line on standard error that is redrawn while work goes on: what reporters of progress share."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING

from verifier.cli.output import console

if TYPE_CHECKING:
    from typing import Self

    from rich.live import Live
    from rich.text import Text


class LiveReporter:
    """Shows progress as it is told. Use as a context, around the work."""

    def __init__(self) -> None:
        self._live: Live | None = None
        self._terminal = sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def _started(self) -> Live:
        """The live line. Not to be asked for before the first news: a thread redraws it, and the work
        is forked before."""
        if self._live is None:
            from rich.live import Live

            self._live = Live(
                get_renderable=self._line, console=console(stderr=True), transient=True, refresh_per_second=4
            )
            self._live.start()
        return self._live

    def _line(self) -> Text:
        """What the line says now."""
        raise NotImplementedError
