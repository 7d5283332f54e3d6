"""The state of a breadth-first search: the question, the states that it knows, and the place where it is.

Columns, TLCGet and a search that continues another one read it. ``explorer`` runs the search.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from verifier.tla.checks import checks
from verifier.tla.exploration_result import ExplorationResult, State, Taken
from verifier.tla.known_states import KnownStates
from verifier.tla.possible import Possible
from verifier.tla.retracing import Walk
from verifier.tla.specification import Specification
from verifier.tla.violations import Violations
from verifier.tla.walking import Walks

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class SearchState(ABC):
    """A search of a specification's states, and what is known of them."""

    def __init__(
        self,
        specification: Specification,
        properties: tuple[str, ...],
        max_states: int | None,
        max_depth: int | None,
        *,
        by_columns: bool,
    ) -> None:
        self.specification, self.evaluator = specification, specification.evaluator
        self.properties, self.max_states, self.max_depth = properties, max_states, max_depth
        self.by_columns = by_columns
        """True if large levels may be expanded by columns. The result is the same."""
        self.follow: Callable[[int, int], None] | None = None
        """A callback for each step that the search takes, with the numbers of its states."""
        self.follow_action: Callable[[int, int, Taken], None] | None = None
        """A callback like this one, also with the action. It needs ``by_columns=False``."""
        self._actions: list[Taken] = []
        """The actions to the successors of the expanded state, if they are reported."""
        self.follow_columns: Callable[[npt.NDArray[np.int64], npt.NDArray[np.int64]], None] | None = None
        """A callback for the steps that are expanded by columns, with the numbers of their states."""
        checked = checks(specification, set(properties))
        self.invariants, self.initially, self.steps = checked.invariants, checked.initially, checked.steps
        self.constraints, self.action_constraints = checked.constraints, checked.action_constraints
        self.always_alike, self.view = checked.always_alike, checked.view
        self.possible = Possible(specification, checked) if specification.possible else None
        self.deadlock = specification.titles.no_deadlock
        self.looks_for_deadlocks = self.deadlock in properties
        self.memory: int | None = None
        """The limit of memory in bytes, if there is one."""
        self.used = self.peak = 0
        """The bytes in use when the limits were last checked, and the most of them until then."""
        self.crowded = self.full = False
        """``crowded``: states should go to files. ``full``: all of them, whatever that costs."""
        self.begin()
        self.walks = Walks(specification)
        self.names = self.walks.names
        self.began = time.monotonic()

    def begin(self) -> None:
        """Start, or start again, with no known states."""
        self.in_files = False
        """True if the states are in files."""
        self.result = ExplorationResult()
        self.known = KnownStates(self.view, None)
        self.level = self.end = 0
        """The level that is expanded, and the number of states up to its end."""
        self.ahead = 0
        """The levels between the expanded state and the state that is evaluated. It is 0 for a step and 1 for
        formulas about its successor."""
        self.current, self.walking = -1, False
        self.violations = Violations(self.known, self.result)

    def allows_step(self, state: State, made: State, number: int) -> bool:
        """True if the action constraints allow a step. The properties of the step are checked too."""
        self.evaluator.now[:], self.evaluator.next[:] = state, made
        self.ahead = 0
        within = all(test() for test in self.action_constraints)
        self.violations.check(made, -1, number, self.steps, of_step=True)
        self.ahead = 1
        return within

    @property
    @abstractmethod
    def count(self) -> int:
        """Return the number of known states."""

    @property
    @abstractmethod
    def states(self) -> Sequence[State]:
        """Return the known states, in the order in which they were found."""

    @abstractmethod
    def expand_state(self, number: int, walk: Walk) -> None:
        """Find the successors of a state."""

    @abstractmethod
    def become_copy(self) -> None:
        """Let this copy of a search watch no limits: its original does."""

    @property
    @abstractmethod
    def workers_cpu_seconds(self) -> float:
        """Return the processor time of other processes that expanded states."""

    @abstractmethod
    def leave_workers(self) -> None:
        """Continue with this process alone."""

    @abstractmethod
    def use_files(self, *, leave: bool = False) -> None:
        """Move states to files if memory is nearly full, and if that is possible. ``leave``: leave columns of
        which a part is in a file."""

    @abstractmethod
    def enforce_limits(self) -> None:
        """Raise Interrupted if a limit is reached."""
