"""Which levels of a search are expanded by columns: large ones, where that pays, while nothing is unusual."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from verifier.tla.columns.search import FOUND_AGAIN, Met, Search, Unusual

if TYPE_CHECKING:
    from verifier.tla.explorer import Explorer
    from verifier.tla.found import State

_LOG = logging.getLogger(__name__)
_LARGE = 400
"""Before a level is as large, states are expanded faster one after the other."""
_TRIED_SECONDS = 0.5
"""So long are columns tried, whatever it costs."""


class ByColumns:
    """Expands what may be expanded by columns, and leaves the rest to the interpreter."""

    def __init__(self, explorer: Explorer) -> None:
        self.explorer = explorer
        self.search: Search | None = None
        self.left = False
        """Whether the interpreter goes on to the end."""
        self.violated: int | None = None
        """How many properties were violated when it was left for one more."""
        self.speed: float | None = None
        """How many states the interpreter generates in a second."""
        self.began = time.process_time()

    @property
    def count(self) -> int:
        """How many states are known."""
        return len(self.explorer.known.states) if self.search is None else len(self.search)

    def expanded(self, first: int, end: int) -> int:
        """Expands states of a level, as far as that may be done and pays; the first that is left."""
        if self.search is None and not self.left and end - first >= _LARGE:
            self._begin()
        explorer, at = self.explorer, first
        met: int | None = None
        """A property is violated at a state before this one."""
        while at < end and (search := self._watched()) is not None:
            until = search.until(at, end if met is None else at + max((met - at) // 2, 1))
            try:
                search.expand(at, until)
            except Met as reason:
                if until - at > 1:  # by one of these, at which the interpreter is to look
                    met = until
                    continue
                _LOG.info("the interpreter looks at one state: %s", reason)
                self.leave()
                self.left, self.violated = False, len(explorer.found.violations)
                break
            except Unusual as reason:
                _LOG.info("no longer by columns: %s", reason)
                self.leave()
                break
            at = until
            explorer.current = at - 1
            if not self._pays(search):
                _LOG.info("no longer by columns: it is slower")
                self.leave()
        return at

    def _watched(self) -> Search | None:
        """The search, once limits were looked at: who does may have asked for the states themselves."""
        if self.search is not None:
            self.explorer.enforce(self.explorer)
        return self.search

    def _begin(self) -> None:
        explorer = self.explorer
        if len(explorer.found.violations) == self.violated:
            return  # the state at which it was left is still to come
        if self.speed is None:
            spent = max(time.process_time() - self.began, 1e-3)
            self.speed = explorer.found.generated / spent
        self.left = True
        if not explorer.by_columns:
            return
        try:
            self.search = Search(explorer)
        except FOUND_AGAIN as reason:
            _LOG.info("not by columns: %s", reason)

    def some(self, count: int) -> list[State]:
        """Up to about so many of the states that are known, from all levels."""
        which = slice(None, None, self.count // count + 1)
        return self.explorer.known.states[which] if self.search is None else self.search.some(which)

    def actions(self, first: int, end: int) -> set[str] | None:
        """The actions of the steps from these states, all of which are evaluated; None where the interpreter
        has to say it."""
        if self.search is None:
            return None
        try:
            return self.search.actions(first, end)
        except Unusual:
            return None

    def all_hold(self, states: list[State]) -> bool | None:
        """Whether all invariants hold of many states; None where the interpreter has to say it."""
        if len(states) < _LARGE:
            return None
        self._begin()
        try:
            return None if self.search is None else self.search.all_hold(states)
        except Unusual as reason:
            _LOG.info("no longer by columns: %s", reason)
            self.leave()
            return None

    def _pays(self, search: Search) -> bool:
        return search.seconds < _TRIED_SECONDS or search.generated > (self.speed or 0.0) * search.seconds

    def leave(self) -> None:
        """Goes on with the interpreter."""
        if self.search is not None:
            search, self.search = self.search, None
            known = self.explorer.known
            known.extend(search.poured(len(known.states)), self.explorer.evaluator.now)
