"""Progress on standard error: lines that stay, and on a terminal one that is redrawn during the work."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

from verifier.cli.output import console, is_quiet, note
from verifier.printable import printable
from verifier.runs.news import Known, Remark
from verifier.text.progress import Pace, ProgressText

if TYPE_CHECKING:
    from typing import Self

    from rich.live import Live
    from rich.text import Text

    from verifier.outcomes.run import Run

_SECONDS_UNTIL_SHOWN = 1.0
"""Known verdicts are printed before the result only if that takes longer."""
_FIRST_SECONDS, _MOST_SECONDS = 1.0, 10.0
"""In a file or a pipe, the current work is a line after one second, and later one every ten seconds."""


class Reporter:
    """Shows progress as it is told. Use as a context, around the work."""

    def __init__(
        self,
        text: ProgressText,
        *,
        threaded: bool = True,
        show: Callable[[Run], None] = lambda _: None,
    ) -> None:
        """``threaded``: a thread redraws the live line. Otherwise it is redrawn with each piece of news: for
        work that forks while it is shown. ``show`` prints what is known, where the work goes on for long."""
        self._show = show
        self._known: list[tuple[float, Known]] = []
        self._text = text
        self._threaded = threaded
        self._live: Live | None = None
        self._terminal = sys.stderr.isatty() and not is_quiet()
        self._pace = Pace(_FIRST_SECONDS, _MOST_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None
        for line in self._text.end():
            self._keep(line)

    def __call__(self, news: Any) -> None:
        """Takes a piece of news."""
        if isinstance(news, Known):
            self._known.append((time.monotonic(), news))
            return
        self._show_known()
        of_engine = not isinstance(news, Remark)
        lines = list(self._text.hear(news)) if of_engine else [news.words]
        if self._terminal and self._live is None and of_engine:
            self._start()
        for line in lines:
            self._keep(line)
        if not self._terminal and of_engine and self._pace.is_due() and (now := self._text.now()):
            self._keep(now)
        if self._live is not None and not self._threaded:
            self._live.refresh()

    def _show_known(self) -> None:
        """Show what is violated, for whoever stops this process by force."""
        while self._known and time.monotonic() - self._known[0][0] > _SECONDS_UNTIL_SHOWN:
            with self.pause():
                self._show(self._known.pop(0)[1].run)

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Takes the live line away while something else is printed."""
        if self._live is not None:
            self._live.stop()
            self._live = None
        yield

    def _keep(self, line: str) -> None:
        if self._live is None:
            note(line)
        else:
            self._live.console.print(printable(line))

    def _start(self) -> None:
        """Starts the live line. Not before the first news: a thread redraws it, and the work is forked
        before."""
        from rich.live import Live

        self._live = Live(
            get_renderable=self._line,
            console=console(stderr=True),
            transient=True,
            refresh_per_second=4,
            auto_refresh=self._threaded,
            redirect_stdout=False,
        )
        self._live.start()

    def _line(self) -> Text:
        from rich.text import Text

        words = f"{self._text.now() or 'starting'} (Ctrl-C keeps what is known)"
        return Text(printable(words), "dim", no_wrap=True, overflow="ellipsis")
