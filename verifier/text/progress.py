"""Texts about a running engine: lines that stay, and one that is written over."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from verifier.printable import say_count

if TYPE_CHECKING:
    from verifier.engines import bmc, explore, induction, prove, simulate
    from verifier.parametric.results import Open, Shown

_LEAST_SECONDS_OF_RATE = 2.0


class Pace:
    """The pace of lines that are shown now and then."""

    def __init__(self, least: float, most: float) -> None:
        """``least``, ``most``: the seconds before the first line, and at most between two. Each pause is as
        long as all before it."""
        self._began = self._last = time.monotonic()
        self._least, self._most = least, most

    def is_due(self) -> bool:
        """Return True, and begin to wait again, if the time for another line has come."""
        now = time.monotonic()
        pause = min(max(self._last - self._began, self._least), self._most)
        due = now - self._last >= pause
        if due:
            self._last = now
        return due


class ProgressText:
    """The text of an engine's news: lines that stay, and the current work on one line.

    This one shows the latest news in its own words, and keeps none.
    """

    def __init__(self, line: str = "starting") -> None:
        self._began = time.monotonic()
        self._line = line

    def take(self, news: Any) -> str:
        """Take news, and return its text on one line."""
        return str(news)

    def hear(self, news: Any) -> Iterator[str]:
        """Take a piece of news; yield the lines that stay."""
        self._line = self.take(news)
        yield from ()

    def now(self) -> str:
        """Return the current work, on one line."""
        return self._line

    def end(self) -> Iterator[str]:
        """Yield the lines that are left when the run has ended."""
        yield from ()


class DepthsText(ProgressText):
    """News of bounded model checking: depths closed, violations found."""

    def __init__(self, *, of_loops: bool = False) -> None:
        """``of_loops``: the depths count the states of executions that end in a loop."""
        super().__init__()
        self._closed: dict[str, int] = {}
        self._of_loops = of_loops

    def hear(self, news: bmc.Progress) -> Iterator[str]:
        """Keep violations and witnesses."""
        if news.steps is not None:
            yield violation_line(news)
        elif news.depth or not self._of_loops:  # a loop has a state
            self._closed[news.search] = news.depth

    def now(self) -> str:
        """The depth that each search closed."""
        closed = ", ".join(
            f"{search} search: {say_no_lasso(depth)}"
            if self._of_loops
            else f"{search} search closed depth {depth}"
            for search, depth in self._closed.items()
        )
        elapsed = time.monotonic() - self._began
        return f"{elapsed:.0f} s: {closed or 'searching'}"


def say_no_lasso(states: int) -> str:
    """Say that a search for executions that end in a loop closed a depth, which counts states."""
    return f"no lasso of at most {say_count(states, 'state')}"


def violation_line(news: bmc.Progress) -> str:
    """``violation with 12 actions found (serial, 3.2 s): StrongIsr``."""
    what = "witness" if news.reached else "violation"
    where = ", beyond the depth" if news.beyond else ""
    actions = "action" if news.steps == 1 else "actions"
    words = f"{what} with {news.steps} {actions} found{where}"
    return f"{words} ({news.search}, {news.seconds:.1f} s): {', '.join(news.properties)}"


class ProversText(ProgressText):
    """News of the provers."""

    def __init__(self, *, of_loops: bool = False) -> None:
        """``of_loops``: they search for executions that end in a loop."""
        super().__init__()
        self._of_loops = of_loops
        self._latest: dict[str, prove.Progress] = {}
        self._asked = 0
        self._open = set[tuple[str, str]]()
        """The actions and claims of open obligations, each said once."""

    def hear(self, news: prove.Progress | Shown | Open) -> Iterator[str]:
        """Keep what was proved or violated, and obligations that are open."""
        from verifier.parametric.results import Open, Shown

        if isinstance(news, Shown | Open):
            yield from self._obligation(news)
        elif news.note:
            yield prover_line(news)
        else:
            self._latest[news.prover] = news

    def _obligation(self, news: Shown | Open) -> Iterator[str]:
        """Show open obligations of a proof for all constants; they stay. Several properties may need one."""
        from verifier.parametric.results import Open, place_of, say_obligation

        self._asked += 1
        if not isinstance(news, Open):
            return
        at, claim, _ = place_of(news.name)
        if (at, claim) not in self._open:
            self._open.add((at, claim))
            yield f"not proved so far ({news.reason}): that {say_obligation(at, claim)}"

    def now(self) -> str:
        """The current work of each prover."""
        if self._asked:
            return f"{self._asked} obligation{'s'[: self._asked != 1]} checked so far"
        lines = (prover_line(news, of_loops=self._of_loops) for news in self._latest.values())
        return "; ".join(lines) or "proving"


def prover_line(news: prove.Progress, *, of_loops: bool = False) -> str:
    """``ic3: frame 7, 499 clauses, 104 obligations (3.2 s)``. ``of_loops``: one action of the depth closed
    starts the loop, and is none of the spec's."""
    if news.note:
        what = f"{news.property_name}: {news.note}"
    elif news.clauses is not None:
        obligations = say_count(news.obligations or 0, "obligation")
        what = f"frame {news.depth}, {say_count(news.clauses, 'clause')}, {obligations}"
    elif of_loops:
        states = (news.depth or 0) - 1
        what = say_no_lasso(states) if states > 0 else "searching"
    else:
        what = f"depth {news.depth} closed"
    return f"{news.prover}: {what} ({news.seconds:.1f} s)"


class StatesText(ProgressText):
    """News of an exploration: violations, and now and then how far it is."""

    def __init__(self) -> None:
        super().__init__("exploring")
        self._last: explore.Progress | None = None

    def hear(self, news: explore.Progress) -> Iterator[str]:
        """Keep violations and witnesses; the others give the figures."""
        if news.violated is not None:
            yield f"{news.violated} is {'reached' if news.reached else 'violated'} at depth {news.depth}"
        last = self._last
        if last is not None and (news.states < last.states or news.seconds < last.seconds):
            self._last = None  # another search began
        if news.states:  # the very first news comes before any state
            self._line = self._figures(news)
        if news.seconds - (self._last.seconds if self._last else 0.0) >= _LEAST_SECONDS_OF_RATE:
            self._last = news

    def _figures(self, news: explore.Progress) -> str:
        states, seconds = (self._last.states, self._last.seconds) if self._last else (0, 0.0)
        if news.states == states:  # between two levels
            states, seconds = 0, 0.0
        rate = (news.states - states) / max(news.seconds - seconds, 1e-3)
        written = "" if news.written is None else f", {news.written / 2**20:,.0f} MiB in files"
        means = "" if news.means is None else f", by {news.means}"
        return (
            f"{news.seconds:.0f} s: depth {news.depth}, {news.states:,} state{'s'[: news.states != 1]}, "
            f"{news.frontier:,} still to visit{written}, {rate:,.0f} states per second{means}"
        )


class WalksText(ProgressText):
    """News of a simulation: violations, and the number of executions that have ended."""

    def __init__(self) -> None:
        super().__init__("walking")

    def hear(self, news: simulate.Progress) -> Iterator[str]:
        """Violations stay."""
        if news.violated is not None:
            yield f"{news.violated} is {'reached' if news.reached else 'violated'}"
        self._line = f"{news.seconds:.0f} s: {say_count(news.walks, 'execution')}"


class ObligationsText(ProgressText):
    """News of an inductive check: the obligations that fail, the lemmas that fall, and a count at the end."""

    def __init__(self) -> None:
        super().__init__("asking")
        self._property = ""
        self._count, self._seconds = 0, 0.0

    def hear(self, news: induction.PropertyProgress) -> Iterator[str]:
        """The obligations of a property are counted; what fails stays."""
        from verifier.engines.induction_outcome import LeftOut

        item = news.progress.news
        if news.property_name != self._property:
            yield from self.end()
            self._property = news.property_name
        if isinstance(item, LeftOut):
            why = "not needed" if item.fell_at is None else f"falls at {item.fell_at}"
            yield self._of_property(f"{item.formula} is left out: {why}")
            return
        self._count += 1
        self._seconds += item.seconds
        at = item.instance or item.kind.value
        counted = say_count(self._count, "obligation")
        self._line = f"{news.progress.seconds:.0f} s: {counted} asked, now of {at}: {item.formula}"
        if not item.holds:
            what = "is undecided" if item.holds is None else "fails"
            yield self._of_property(f"{item.formula} {what} at {at}")

    def end(self) -> Iterator[str]:
        """The count of the property."""
        if self._count:
            yield self._of_property(f"{say_count(self._count, 'obligation')} asked ({self._seconds:.2f} s)")
        self._count, self._seconds = 0, 0.0

    def _of_property(self, words: str) -> str:
        return f"{self._property}: {words}"
