"""Breadth-first exploration by the interpreter, with TLC's counts.

States outside a constraint are checked, but neither counted nor expanded. With a view, states of equal views
are one state. With symmetry, states that a permutation maps to each other are one state.

Source: Yu, Manolios and Lamport 1999, doi:10.1007/3-540-48153-2_6; in tlaplus/tlaplus,
``tlc2.tool.ModelChecker``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from verifier.processes.limits import Interrupted
from verifier.tla.answers import answers
from verifier.tla.assuming import compile_assumptions
from verifier.tla.begun import BETWEEN_CHECKS, Begun, alike, goes_on
from verifier.tla.columns.level_choice import ByColumns
from verifier.tla.errors import TlaError
from verifier.tla.expanding import ExpandingSearch
from verifier.tla.exploration_result import State
from verifier.tla.extensions import EXIT
from verifier.tla.frames import UNSET
from verifier.tla.permuting import find_permutations
from verifier.tla.retracing import Walk
from verifier.tla.specification import Specification
from verifier.tla.symmetry import Asymmetric, Symmetry

if TYPE_CHECKING:
    from verifier.tla.workers.level_choice import ByWorkers
    from verifier.tla.workers.task_pool import TaskRunner

ENDED_BY_MODULE = 'the module ended the search: TLCSet("exit", TRUE)'
"""Why a search has an end before all states are explored."""


class Keeper(Protocol):
    """Keeps complete levels in files (``storing``)."""

    @property
    def generated_before(self) -> int:
        """Return the number of states that were generated before the search continued."""
        ...

    def forget(self) -> None:
        """Forget the search, which starts again."""
        ...

    def reach(self, search: Explorer, first: int, end: int) -> None:
        """Note that all levels before the one of these states are complete."""
        ...

    def restore(self, search: Explorer) -> tuple[int, int] | None:
        """Give a search its states. Return the first state of a level, and its end; None to begin."""
        ...


class Explorer(ExpandingSearch):
    """Explores a specification."""

    def __init__(
        self,
        specification: Specification,
        *,
        properties: tuple[str, ...],
        keep_going: bool = False,
        first: bool = False,
        max_states: int | None = None,
        max_depth: int | None = None,
        enforce: Callable[[Explorer], None] = lambda explorer: None,
        by_columns: bool = True,
        begun: Begun | None = None,
        workers: int = 1,
        runner: TaskRunner | None = None,
        keeper: Keeper | None = None,
    ) -> None:
        """``workers``: the number of processes that share large levels. ``runner``: in their place, what runs
        tasks elsewhere. ``keeper`` keeps levels in files."""
        self.keep_going, self.first, self.enforce = keep_going, first, enforce
        """``first``: the search ends once all states as deep as a violation are checked."""
        self.begun = begun
        """A search to continue, if it found the same states."""
        self.continued: Begun | None = None
        """That search, if it was continued."""
        self.after: Callable[[int], None] | None = None
        """A callback for each state once its successors are known. It needs ``by_columns=False``."""
        self.asymmetric: str | None = None
        """The reason why the permutations of the configuration are not used."""
        self._permuted = False
        self.workers: ByWorkers | None = None
        self.keeper = keeper
        super().__init__(specification, properties, max_states, max_depth, by_columns=by_columns)
        if workers > 1 or runner is not None:
            from verifier.tla.workers.level_choice import ByWorkers  # few searches have several processes

            self.workers = ByWorkers(self, workers, runner)
            self.columns = self._make_columns()
        self.evaluator.answers = answers(self)

    def begin(self) -> None:
        """Start, or start again, with no known states."""
        if self.workers is not None:
            self.workers.close()
        if self.keeper is not None:
            self.keeper.forget()
        super().begin()
        self.columns = self._make_columns()

    def _make_columns(self) -> ByColumns:
        workers = self.workers
        return ByColumns(self) if workers is None else ByColumns(self, workers.expand_columns, workers.rival)

    def enforce_limits(self) -> None:
        """Raise Interrupted if a limit is reached."""
        self.enforce(self)

    def use_files(self, *, leave: bool = False) -> None:
        """Move states to files if memory is nearly full. Columns only move the states that are expanded, as
        long as that helps. Then one process continues, state by state. With symmetry, orbits need the states
        in memory. ``leave``: leave columns of which a part is in a file."""
        if not (self.crowded or leave) or self.in_files or self.known.orbits is not None:
            return
        columns = self.columns.search
        if columns is not None and not leave and (columns.move_to_file(self.current + 1) or not self.full):
            return
        from verifier.tla.files.moving import move_to_files  # few searches need files

        if columns is not None:
            columns.forget_keys()
        stored = move_to_files(self, None if columns is None else columns.iterate())
        self.columns.end()
        if self.workers is not None:
            self.workers.end()
        self.known = self.violations.known = stored
        self.in_files, self.by_columns = True, False

    # -- symmetry

    def permute(self) -> Symmetry | None:
        """Use the permutations of the configuration, if the formulas do not distinguish permuted values. This
        comes before all evaluation, since kept values must be checked for symmetry."""
        if not self._permuted:
            self._permute()
        return self.evaluator.symmetry if self.known.orbits is not None else None

    def _permute(self) -> None:
        self._permuted = True
        if not self.specification.symmetry:  # the checks of another search continue
            return
        self.evaluator.symmetry = None
        symmetry, self.asymmetric = find_permutations(self.specification, set(self.properties))
        if symmetry is not None:
            from verifier.tla.orbits import Orbits  # few modules have symmetry, and NumPy takes long to load

            self.evaluator.symmetry, self.known.orbits = symmetry, Orbits(symmetry.renamings)

    def _without_symmetry(self, reason: Asymmetric) -> None:
        """Start again without permutations. Raises Asymmetric if the permutations belong to another search.
        That search uses them for more than this one."""
        if not self.specification.symmetry:
            raise reason
        self.leave_symmetry(str(reason))

    def leave_symmetry(self, reason: str) -> None:
        """Start again without permutations, for a reason in words."""
        self.asymmetric, self.evaluator.symmetry = reason, None
        self.begin()

    # -- assumptions

    def assume(self) -> None:
        """Evaluate the ASSUMEs, before anything else. Raises TlaError for one that is false."""
        self.permute()
        self.ahead = -1  # before the initial states, the level is 0
        for assumption, test in compile_assumptions(self.specification):
            try:
                held = test()
            except Asymmetric as reason:
                self._without_symmetry(reason)
                held = test()
            if not held:
                name = f" {assumption.name}" if assumption.name else ""
                raise TlaError(assumption.body.place, f"the assumption{name} is false at these constants")

    # -- the search

    def explore(self) -> None:
        """Explore until all states are seen, all properties are decided, or a limit is reached. The search
        starts again without permutations if they turn out to change more than names."""
        self.permute()
        try:
            try:
                self._explore()
            except Asymmetric as reason:
                self._without_symmetry(reason)
                self._explore()
        finally:
            if self.workers is not None:
                self.workers.close()

    def explore_initial(self) -> None:
        """Find the initial states only."""
        self._initial()

    def _explore(self) -> None:
        if self.specification.next is None:
            self.result.complete, self.result.closed = True, 0
            return
        first, number, end = self._start_of_search()
        walk, result = self.walks.over(self.specification.next, primed=False), self.result
        while not result.complete and self._enters(first, end, walk):
            if not self._expands(number, end, walk):
                result.waiting = self.count - self.current - 1
                return
            result.closed = self.level
            if self.count == end:
                result.complete = True
                self._reach(end, end)
                break
            if self.first and self.violations.is_reached(self.level):
                self.violations.forget_deeper(self.level)
                break
            first, number, end, self.level = end, end, self.count, self.level + 1
            self._reach(first, end)
        result.waiting = self.count - self.current - 1

    def _reach(self, first: int, end: int) -> None:
        """Keep the states before a level, if that is asked for."""
        if self.keeper is not None:
            self.keeper.reach(self, first, end)

    def _start_of_search(self) -> tuple[int, int, int]:
        """Return the first state of a level, its first state that is not expanded, and its end."""
        if self.keeper is not None and (place := self.keeper.restore(self)) is not None:
            return place[0], *place
        begun, self.begun = self.begun, None
        if begun is not None and alike(self, begun):
            if goes_on(self, self.columns, begun):
                self.continued = begun
                return begun.first, begun.number, begun.end
            self.begin()
        self._initial()
        self._leave()
        self._reach(0, self.count)
        return 0, 0, self.count

    def _enters(self, first: int, end: int, walk: Walk) -> bool:
        """Count the states of a level. Return True if they must be expanded."""
        result, self.end = self.result, end
        if end > first:
            result.depth = self.level
            result.levels.append(end - first)
        if self._is_decided():
            return False
        if self.level == self.max_depth:
            result.complete = False
            if self.looks_for_deadlocks:
                self.look_for_deadlocks(range(first, end), walk)
            result.closed = self.level
            return False
        return True

    def _expands(self, number: int, end: int, walk: Walk) -> bool:
        """Expand the states of a level, from one on. Return True if the search continues."""
        while (number := self._expand_several(number, end, walk)) < end:
            self.current = number
            self.expand_state(number, walk)
            if self.after is not None:
                self.after(number)
            self._leave()
            if self._is_decided():
                return False
            self.use_files()
            number += 1
        return True

    def _expand_several(self, number: int, end: int, walk: Walk) -> int:
        """Expand states at once, by columns or workers. Return the first one that is left."""
        number = self.columns.expand(number, end)
        if self.workers is None or number == end:
            return number
        return self.workers.expand(number, end, walk, self.columns.began)

    def become_copy(self) -> None:
        """Let this copy of a search watch no limits: its original does."""
        self.enforce, self.max_states = (lambda _: None), None

    @property
    def workers_cpu_seconds(self) -> float:
        """Return the processor time of other processes that expanded states."""
        return 0.0 if self.workers is None else self.workers.cpu_seconds

    def leave_workers(self) -> None:
        """Continue with this process alone."""
        if self.workers is not None:
            self.workers.leave()

    @property
    def count(self) -> int:
        """Return the number of known states."""
        return self.columns.count

    @property
    def in_orbits(self) -> int | None:
        """Return the number of states in the orbits of the known states; None without symmetry."""
        return self.columns.in_orbits

    @property
    def states(self) -> Sequence[State]:
        """Return the known states, in the order in which they were found."""
        self.columns.leave()
        return self.known.states

    def _leave(self) -> None:
        """End the search if the module asks for it, as TLC does: after a state is checked."""
        if EXIT in self.evaluator.registers:
            raise Interrupted(ENDED_BY_MODULE)

    def _is_decided(self) -> bool:
        if not self.result.violations or self.keep_going or self.first:
            return False
        return bool(self.properties) and self.result.violations.keys() >= set(self.properties)

    def _initial(self) -> None:
        result, now, following = self.result, self.evaluator.now, self.evaluator.next

        def add() -> None:
            if result.generated % BETWEEN_CHECKS == 0:
                self.enforce_limits()
            self.ahead = 0
            state = self.walks.capture("Init")
            assigned = following[:]
            now[:] = state
            following[:] = [UNSET] * len(following)
            result.generated += 1
            if self.possible is not None:
                self.possible.initially()
            within = all(test() for test in self.constraints)
            key, known = self.known.find(state) if within else (None, None)
            if known is None:
                number = self.add_state(state, -1, key) if within else -1
                self.violations.check(state, number, -1, self.initially)
                self.violations.check(state, number, -1, self.invariants)
            result.beyond += not within
            result.initial = len(self.states)
            now[:], following[:] = [UNSET] * len(now), assigned
            self.ahead = -1

        self.ahead, self.walking = -1, True
        self.walks.walk_initial(add)
        self.ahead, self.walking = 0, False

    def name_actions(self) -> None:
        """Find the actions between the states of the violations."""
        if self.specification.next is not None:
            for violation in self.result.violations.values():
                violation.actions += self.walks.actions(violation.states)
