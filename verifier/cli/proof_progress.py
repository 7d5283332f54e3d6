"""Progress of proofs on standard error: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.cli.live import LiveReporter
from verifier.cli.output import say
from verifier.printable import printable

if TYPE_CHECKING:
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


class ProofReporter(LiveReporter):
    """Shows the progress of the provers."""

    def __init__(self) -> None:
        super().__init__()
        self._latest: dict[str, Progress] = {}

    def __call__(self, news: Progress) -> None:
        """Takes a piece of news."""
        if not self._terminal:
            say(proof_line(news), err=True)
            return
        live = self._started()
        if news.note:
            live.console.print(printable(proof_line(news)))
        else:
            self._latest[news.prover] = news

    def _line(self) -> Text:
        from rich.text import Text

        return Text("; ".join(map(proof_line, self._latest.values())) or "proving", "dim")
