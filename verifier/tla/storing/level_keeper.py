"""The keeping of complete levels in a folder, and the continuation of a search from there.

A level is kept soon after it is complete, but not so often that keeping takes long. At the end of a search,
whatever ends it, the last complete level is kept.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from verifier.errors import UsageError
from verifier.files import reason_of
from verifier.printable import say_count
from verifier.processes.limits import Interrupted
from verifier.storage.blocks import Damaged
from verifier.storage.work_folder import WorkFolder
from verifier.tla.coding import Coding, Uncodable
from verifier.tla.exploration_result import State, Violation
from verifier.tla.known_states import KnownStates
from verifier.tla.storing.checkpoints import Snapshot, StoredSearch, list_counts
from verifier.tla.storing.state_files import Source, StateFiles, Translation
from verifier.tla.value_types import ModelValue, Value

if TYPE_CHECKING:
    from verifier.tla.explorer import Explorer

_LEAST_SECONDS = 0.5
"""The least time between two levels that are kept."""
_TIMES_THE_COST = 10.0
"""The time between two levels that are kept, as a multiple of the time for keeping the last one."""


_RESTORED_AT_ONCE = 10_000
"""The number of states between two checks of the limits."""


class LevelKeeper:
    """Keeps the levels of one search in a folder."""

    def __init__(
        self, folder: WorkFolder[StoredSearch], models: dict[str, ModelValue], *, resume: bool
    ) -> None:
        """``models``: the model values of the search. ``resume``: it continues from the folder."""
        self.folder, self._resume = folder, resume
        self._coding = Coding(lambda name: models.setdefault(name, ModelValue(name)))
        self._latest: Snapshot | None = None
        """The last complete level, if it is not kept yet."""
        self._kept_at, self._cost = time.monotonic(), 0.0
        self.resumed: Snapshot | None = None
        """The level from which the search continued."""
        self.bytes = 0
        """The bytes in files."""
        self._restart()

    @property
    def generated_before(self) -> int:
        """Return the number of states that were generated before the search continued."""
        return 0 if self.resumed is None else self.resumed.counts["generated"]

    def _restart(self) -> None:
        self._files = StateFiles(self.folder.shelf, self.folder.run, self._coding)
        self._forget_numbers()

    def _forget_numbers(self) -> None:
        self._known: tuple[KnownStates, Translation] | None = None
        self._columns: tuple[Any, list[Translation]] | None = None

    def forget(self) -> None:
        """Forget the search, which starts again."""
        self._latest = None
        self._restart()

    # -- keeping

    def reach(self, search: Explorer, first: int, end: int) -> None:
        """Note that all levels before the one of these states are complete. Raises Interrupted if they cannot
        be kept."""
        try:
            self._latest = self._take_snapshot(search, first, end)
        except Uncodable as reason:
            raise Interrupted(f"--work cannot keep {reason}") from None
        since = time.monotonic() - self._kept_at
        if since > max(_LEAST_SECONDS, _TIMES_THE_COST * self._cost):
            self._keep(search)

    def close(self, search: Explorer) -> None:
        """Keep the last complete level at the end of the search. Raises Interrupted if that is not
        possible."""
        if self._latest is not None and search.count >= self._latest.end:
            self._keep(search)

    def _keep(self, search: Explorer) -> None:
        began, snapshot = time.monotonic(), self._latest
        assert snapshot is not None
        self._latest = None
        try:
            first = self._files.state_count
            if snapshot.end > first:
                self._files.append(self._list_states(search, first, snapshot.end))
            self.bytes = self.folder.keep(StoredSearch(snapshot, tuple(self._files.parts)))
        except Uncodable as reason:
            raise Interrupted(f"--work cannot keep {reason}") from None
        except OSError as error:
            raise Interrupted(f"{error.filename or self.folder.path}: {reason_of(error)}") from error
        except BaseException:  # an interrupt: the level is kept at the end
            self._latest = snapshot
            self._forget_numbers()
            raise
        self._kept_at = time.monotonic()
        self._cost = self._kept_at - began

    def _list_states(self, search: Explorer, first: int, end: int) -> Source:
        columns = search.columns.search
        if columns is not None:
            if self._columns is None or self._columns[0] is not columns:
                encode = self._coding.encode
                translations = [
                    Translation(lambda number, values=own.values: encode(values[number]))  # type: ignore[misc]
                    for own in columns.columns.numbers
                ]
                self._columns = columns, translations
            return Source(*columns.read(first, end), self._columns[1])
        known = search.known
        if self._known is None or self._known[0] is not known:
            self._known = known, Translation(lambda number: known.encode(number, self._coding))
        rows = np.array(known.list_rows(first, end), np.int64)
        return Source(
            list(rows.T),
            np.array(known.parents[first:end], np.int64),
            [self._known[1]] * len(rows.T),
        )

    def _take_snapshot(self, search: Explorer, first: int, end: int) -> Snapshot:
        result, evaluator = search.result, search.evaluator
        violations = tuple(
            (name, search.violations.depths[name], tuple(map(self._encode_state, one.states)))
            for name, one in result.violations.items()
        )
        registers = tuple((self._encode(n), self._encode(v)) for n, v in evaluator.registers.items())
        workers = 0.0 if search.workers is None else search.workers.cpu_seconds
        return Snapshot(
            level=len(result.levels),
            first=first,
            end=end,
            counts=list_counts(result),
            levels=tuple(result.levels),
            taken=dict(result.taken),
            violations=violations,
            registers=registers,
            printed=tuple(evaluator.printed),
            symmetric=search.known.orbits is not None,
            asymmetric=search.asymmetric,
            speed=search.columns.speed,
            cpu_seconds=time.process_time() - search.columns.began + workers,
        )

    def _encode(self, value: Value) -> str:
        return self._coding.encode(value).decode()

    def _encode_state(self, state: State) -> tuple[str, ...]:
        return tuple(map(self._encode, state))

    # -- continuing

    def restore(self, search: Explorer) -> tuple[int, int] | None:
        """Give a search the states and counts of the folder. Return the first state of the level to be
        expanded, and its end; None if the search begins at the initial states. Raises UsageError for a folder
        that cannot be used."""
        last = self.folder.last() if self._resume else None
        self._resume = False
        if last is None:
            return None
        snapshot = last.snapshot
        if search.max_depth is not None and snapshot.depth > search.max_depth:
            words = f"{self.folder.path} is at depth {snapshot.depth}, and counts what is there"
            raise UsageError(f"{words}: --depth {search.max_depth} is too small to go on with it")
        if snapshot.asymmetric is not None and search.known.orbits is not None:
            search.leave_symmetry(snapshot.asymmetric)
        if snapshot.symmetric != (search.known.orbits is not None):
            raise UsageError(f"{self.folder.path} holds another exploration: of another symmetry")
        self._files.parts = list(last.parts)
        try:
            states = self._files.read_states(len(search.names))
            while some := list(islice(states, _RESTORED_AT_ONCE)):
                search.known.extend(some, search.evaluator.now)
                search.enforce_limits()
                search.use_files()
            self._restore_findings(search, snapshot)
        except (OSError, Damaged, ValueError, KeyError, TypeError, IndexError) as error:
            raise UsageError(f"{self.folder.path} cannot be continued: {error}") from None
        if len(search.known.states) != snapshot.end:
            raise UsageError(f"{self.folder.path} cannot be continued: states are there twice")
        self.resumed = snapshot
        self.bytes = sum(block.size for block in last.blocks.values())
        if search.max_states is not None and snapshot.end > search.max_states:
            raise Interrupted(f"more than {say_count(search.max_states, 'state')}")
        return snapshot.first, snapshot.end

    def _restore_findings(self, search: Explorer, snapshot: Snapshot) -> None:
        result, evaluator = search.result, search.evaluator
        for name, count in snapshot.counts.items():
            setattr(result, name, count)
        result.levels, result.taken = list(snapshot.levels), dict(snapshot.taken)
        for name, depth, states in snapshot.violations:
            result.violations[name] = Violation(name, list(map(self._decode_state, states)), [])
            search.violations.depths[name] = depth
        evaluator.registers.clear()
        evaluator.registers.update((self._decode(n), self._decode(v)) for n, v in snapshot.registers)
        evaluator.printed[:] = snapshot.printed
        search.level, search.current = snapshot.level, snapshot.first - 1
        search.columns.speed = snapshot.speed
        search.columns.began -= snapshot.cpu_seconds
        if snapshot.end == snapshot.first:
            search.level, result.complete = snapshot.level - 1, True

    def _decode(self, code: str) -> Value:
        return self._coding.decode(code.encode())

    def _decode_state(self, state: Sequence[str]) -> State:
        return tuple(map(self._decode, state))
