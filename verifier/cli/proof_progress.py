"""Progress of proofs on standard error: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING

import click

from verifier.cli.output import console

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

    from verifier.engines.prove import Progress


def proof_line(news: Progress) -> str:
    """``ic3: frame 7, 499 clauses, 104 obligations (3.2 s)``."""
    if news.note:
        what = f"{news.property_name}: {news.note}"
    elif news.clauses is not None:
        what = f"frame {news.depth}, {news.clauses} clauses, {news.obligations} obligations"
    else:
        what = f"depth {news.depth} closed"
    return f"{news.prover}: {what} ({news.seconds:.1f} s)"


class ProofReporter:
    """Shows progress as it is told. Use as a context, around the search."""

    def __init__(self) -> None:
        self._live: Live | None = None
        self._terminal = sys.stderr.isatty()
        self._latest: dict[str, Progress] = {}

    def __enter__(self) -> ProofReporter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, news: Progress) -> None:
        """Takes a piece of news."""
        if not self._terminal:
            click.echo(proof_line(news), err=True)
            return
        if self._live is None:
            self._start()
        assert self._live is not None
        if news.note:
            self._live.console.print(proof_line(news))
        else:
            self._latest[news.prover] = news

    def _start(self) -> None:
        # Not before the first news: the line is redrawn by a thread, and the provers are forked before.
        from rich.live import Live

        self._live = Live(
            get_renderable=self._line, console=console(stderr=True), transient=True, refresh_per_second=4
        )
        self._live.start()

    def _line(self) -> Text:
        from rich.text import Text

        return Text("; ".join(map(proof_line, self._latest.values())) or "proving", "dim")
