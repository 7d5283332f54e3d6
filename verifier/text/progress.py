"""Texts about a running engine: lines that stay, and one that is written over."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from verifier.engines import bmc, explore, induction, prove, simulate
    from verifier.parametric.results import Open, Shown

_SECONDS_BETWEEN_LINES, _SECONDS_BETWEEN_SUMMARIES = 5.0, 10.0


class ProgressText:
    """The text of an engine's news. This one shows each as it says itself."""

    def hear(self, news: Any, *, live: bool) -> Iterator[str]:
        """Takes a piece of news; gives the lines that stay. ``live``: there is a line that ``now`` fills."""
        if not live:
            yield str(news)

    def now(self) -> str:
        """The current work, on one line."""
        return "working"

    def end(self) -> Iterator[str]:
        """The lines that are left when the run has ended."""
        yield from ()


class NowAndThen(ProgressText):
    """News of long work, told so often that only some of it is shown.

    The latest fills the live line; without a live line, a line stays every few seconds.
    """

    def __init__(self, line: str = "starting") -> None:
        self._began = self._last = time.monotonic()
        self._line = line

    def take(self, news: Any) -> str:
        """Take news, and return its text on one line."""
        raise NotImplementedError

    def hear(self, news: Any, *, live: bool) -> Iterator[str]:
        """Takes a piece of news."""
        self._line = self.take(news)
        now = time.monotonic()
        if not live and now - self._last >= _SECONDS_BETWEEN_SUMMARIES:
            self._last = now
            yield self._line

    def now(self) -> str:
        """The latest news."""
        return f"{self._line} (Ctrl-C keeps what is done)"


class DepthsText(ProgressText):
    """News of bounded model checking: depths closed, violations found."""

    def __init__(self) -> None:
        self._closed: dict[str, int] = {}
        self._began = time.monotonic()

    def hear(self, news: bmc.Progress, *, live: bool) -> Iterator[str]:
        """Show closed depths; they stay if there is no live line."""
        if news.steps is None:
            self._closed[news.search] = news.depth
        if news.steps is not None or not live:
            yield depth_line(news)

    def now(self) -> str:
        """The depth that each search closed."""
        closed = ", ".join(f"{search} search closed depth {depth}" for search, depth in self._closed.items())
        elapsed = time.monotonic() - self._began
        return f"{elapsed:.0f} s: {closed or 'searching'} (Ctrl-C keeps what is known)"


def depth_line(news: bmc.Progress) -> str:
    """``depth 7 closed (serial, 3.2 s): TypeOk, WeakIsr``."""
    names = ", ".join(news.properties)
    if news.steps is not None:
        found = "witness" if news.reached else "violation"
        where = ", beyond the depth" if news.beyond else ""
        actions = "action" if news.steps == 1 else "actions"
        found = f"{found} with {news.steps} {actions} found{where}"
        return f"{found} ({news.search}, {news.seconds:.1f} s): {names}"
    return f"depth {news.depth} closed ({news.search}, {news.seconds:.1f} s): {names}"


class ProversText(ProgressText):
    """News of the provers."""

    def __init__(self) -> None:
        self._latest: dict[str, prove.Progress] = {}
        self._asked = 0

    def hear(self, news: prove.Progress | Shown | Open, *, live: bool) -> Iterator[str]:
        """Show frames and depths; they stay if there is no live line."""
        from verifier.parametric.results import Open, Shown

        if isinstance(news, Shown | Open):
            yield from self._obligation(news)
        elif news.note or not live:
            yield prover_line(news)
        else:
            self._latest[news.prover] = news

    def _obligation(self, news: Shown | Open) -> Iterator[str]:
        """Show open obligations of a proof for all constants; they stay."""
        from verifier.parametric.results import Open

        self._asked += 1
        if isinstance(news, Open):
            yield f"{news.name} is open: {news.reason}"

    def now(self) -> str:
        """The current work of each prover."""
        if self._asked:
            return f"{self._asked} obligations asked"
        return "; ".join(map(prover_line, self._latest.values())) or "proving"


def prover_line(news: prove.Progress) -> str:
    """``ic3: frame 7, 499 clauses, 104 obligations (3.2 s)``."""
    if news.note:
        what = f"{news.property_name}: {news.note}"
    elif news.clauses is not None:
        what = f"frame {news.depth}, {news.clauses} clauses, {news.obligations} obligations"
    else:
        what = f"depth {news.depth} closed"
    return f"{news.prover}: {what} ({news.seconds:.1f} s)"


class StatesText(ProgressText):
    """News of an exploration: violations, and now and then how far it is."""

    def __init__(self) -> None:
        self._last: explore.Progress | None = None
        self._line = "exploring"

    def hear(self, news: explore.Progress, *, live: bool) -> Iterator[str]:
        """Show violations, which stay; without a live line, also figures every few seconds."""
        if news.violated is not None:
            yield f"{news.violated} is {'reached' if news.reached else 'violated'} at depth {news.depth}"
            return
        self._line = self._figures(news)
        if live:
            self._last = news
        elif news.seconds - (self._last.seconds if self._last else 0.0) >= _SECONDS_BETWEEN_LINES:
            self._last = news
            yield self._line

    def now(self) -> str:
        """The latest figures."""
        return f"{self._line} (Ctrl-C keeps what is known)"

    def _figures(self, news: explore.Progress) -> str:
        states, seconds = (self._last.states, self._last.seconds) if self._last else (0, 0.0)
        if news.states == states:  # between two levels
            states, seconds = 0, 0.0
        rate = (news.states - states) / max(news.seconds - seconds, 1e-3)
        written = "" if news.written is None else f", {news.written / 2**20:,.0f} MiB in files"
        means = "" if news.means is None else f", by {news.means}"
        return (
            f"{news.seconds:.0f} s: depth {news.depth}, {news.states:,} states, "
            f"{news.frontier:,} to look at{written}, {rate:,.0f} states per second{means}"
        )


class WalksText(ProgressText):
    """News of a simulation: violations."""

    def __init__(self) -> None:
        self._line = "walking"

    def hear(self, news: simulate.Progress, *, live: bool) -> Iterator[str]:
        """Violations stay."""
        if news.violated is not None:
            yield f"{news.violated} is {'reached' if news.reached else 'violated'}"
        self._line = f"{news.seconds:.0f} s: {news.walks:,} executions (Ctrl-C keeps what is known)"

    def now(self) -> str:
        """Return the number of executions that have ended."""
        return self._line


class ObligationsText(ProgressText):
    """News of an inductive check: a line for each action, and for each lemma that falls."""

    def __init__(self) -> None:
        self._property = ""
        self._part: str | None = None
        self._count, self._seconds = 0, 0.0
        self._line = "asking"

    def hear(self, news: induction.PropertyProgress, *, live: bool) -> Iterator[str]:
        """The obligations of one action are counted; what fails stays."""
        from verifier.engines.induction_outcome import LeftOut

        item = news.progress.news
        if news.property_name != self._property:
            yield from self.end()
            self._property = news.property_name
        if isinstance(item, LeftOut):
            why = "not needed" if item.fell_at is None else f"falls at {item.fell_at}"
            yield self._of_property(f"{item.formula} is left out: {why}")
            return
        part = item.action or item.kind.value
        if part != self._part:
            yield from self.end()
            self._part = part
        self._count += 1
        self._seconds += item.seconds
        at = item.instance or item.kind.value
        self._line = f"{news.progress.seconds:.0f} s: {at}, {item.formula}"
        if not item.holds:
            what = "is undecided" if item.holds is None else "fails"
            yield self._of_property(f"{item.formula} {what} at {at}")

    def now(self) -> str:
        """The latest obligation."""
        return self._line

    def end(self) -> Iterator[str]:
        """The count of the last action."""
        if self._count:
            noun = "obligation" if self._count == 1 else "obligations"
            yield self._of_property(f"{self._part}: {self._count} {noun} asked ({self._seconds:.2f} s)")
        self._part, self._count, self._seconds = None, 0, 0.0

    def _of_property(self, words: str) -> str:
        return f"{self._property}: {words}"
