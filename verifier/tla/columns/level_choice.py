"""The choice of levels that are expanded by columns: large ones, if that pays and nothing unusual happens."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from verifier.tla.columns.unsuited import FOUND_AGAIN, Met, Unusual

if TYPE_CHECKING:
    from verifier.tla.columns.search import Search
    from verifier.tla.exploration_result import State
    from verifier.tla.search_state import SearchState

_LOG = logging.getLogger(__name__)
_LARGE = 400
"""The smallest level for columns: smaller levels are faster one state after the other."""
_TRIED_SECONDS = 0.2
"""The time for which columns are tried, whatever they cost. Models for which they pay are faster by
then. SlidingPuzzles, for which they do not, lost 0.3 s more."""
_TRIED_BESIDE_OTHERS = 2.0
"""The time for which they are tried if other machines could go on: these need some seconds to start."""


class ByColumns:
    """Expands states by columns where possible, and leaves the rest to the interpreter."""

    def __init__(
        self,
        explorer: SearchState,
        share: Callable[[Search, int, int], int] | None = None,
        rival: float = 1.0,
    ) -> None:
        """``share`` has other processes expand states. It returns the first one that is left. ``rival``: the
        speed without columns, as a multiple of that of one process."""
        self.explorer, self._share, self._rival = explorer, share, rival
        self.search: Search | None = None
        self.left = False
        """True if the interpreter continues to the end."""
        self.violated: int | None = None
        """The number of violated properties when columns were left because of one more."""
        self.speed: float | None = None
        """The number of states that one process generates in a second by the interpreter."""
        self.began = time.process_time()

    @property
    def count(self) -> int:
        """Return the number of known states."""
        return len(self.explorer.known.states) if self.search is None else len(self.search)

    @property
    def in_orbits(self) -> int | None:
        """Return the number of states in the orbits of the known states; None without symmetry."""
        orbits = self.explorer.known.orbits
        if orbits is None:
            return None
        return orbits.size if self.search is None else self.search.in_orbits

    def expand(self, first: int, end: int) -> int:
        """Expand states of a level, as far as possible and useful. Return the first state that is left."""
        if self.search is None and not self.left and end - first >= _LARGE:
            self._begin()
        explorer, at = self.explorer, first
        met: int | None = None
        """The state before which a property is violated."""
        while at < end and (search := self._watch_limits()) is not None:
            if self._share is not None and met is None:
                at = self._share(search, at, end)
                if at == end:
                    break
            until = search.until(at, end if met is None else at + max((met - at) // 2, 1))
            try:
                search.expand(at, until)
            except Met as reason:
                if until - at > 1:  # the interpreter must look at one of these states
                    met = until
                    continue
                _LOG.info("the interpreter looks at one state: %s", reason)
                self.leave()
                self.left, self.violated = False, len(explorer.result.violations)
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

    def _watch_limits(self) -> Search | None:
        """Return the search, after the limits are checked. That check may have left columns."""
        if self.search is not None:
            self.explorer.enforce_limits()
            self.search.fit_rows()
            self.explorer.use_files()
        return self.search

    def _begin(self) -> None:
        explorer = self.explorer
        if len(explorer.result.violations) == self.violated:
            return  # the state at which columns were left is still to come
        if self.speed is None:
            spent = time.process_time() - self.began + explorer.workers_cpu_seconds
            self.speed = explorer.result.generated / max(spent, 1e-3)
        self.left = True
        if not explorer.by_columns:
            return
        from verifier.tla.columns.search import Search  # small explorations need no NumPy

        explorer.leave_workers()
        try:
            self.search = Search(explorer)
        except FOUND_AGAIN as reason:
            _LOG.info("not by columns: %s", reason)

    def some(self, count: int) -> Sequence[State]:
        """Return about this number of known states, from all levels."""
        step = self.count // count + 1
        if self.search is None:
            return self.explorer.known.states[::step]
        return [state for state, _ in self.search.iterate(step)]

    def actions(self, first: int, end: int) -> set[str] | None:
        """Return the actions of the steps from these states. None if the interpreter must find them."""
        if self.search is None:
            return None
        try:
            return self.search.actions(first, end)
        except Unusual:
            return None

    def all_hold(self, states: list[State]) -> bool | None:
        """True if all invariants hold of many states. None if the interpreter must decide."""
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
        tried = _TRIED_SECONDS if self._rival <= 1.0 else _TRIED_BESIDE_OTHERS
        least = (self.speed or 0.0) * self._rival
        return search.seconds < tried or search.generated > least * search.seconds

    def end(self) -> None:
        """Use columns no more, and forget their states."""
        self.search, self.left = None, True

    def leave(self) -> None:
        """Continue with the interpreter."""
        if self.search is not None and self.search.old is not None:
            self.explorer.use_files(leave=True)
        if self.search is not None:
            search, self.search = self.search, None
            known = self.explorer.known
            known.extend(search.copy_rows(len(known.states)), self.explorer.evaluator.now)
