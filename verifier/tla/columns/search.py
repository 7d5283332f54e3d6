"""Levels of a search by columns: the interpreter's successors, in its order, all at once.

Unusual events are left to the interpreter, from the states before them on: an error, a violated property, a
deadlock, a limit of states. So the interpreter makes every report of a search.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from verifier.tla import ast
from verifier.tla.ast import Expression, Step
from verifier.tla.columns.batches import UNSET_NUMBER, Batch, ColumnReference
from verifier.tla.columns.classes import ClassesOfStates
from verifier.tla.columns.compiling import Compiler
from verifier.tla.columns.environments import Columns, Environment
from verifier.tla.columns.leaves import Valued
from verifier.tla.columns.numbers import Classes, Column, Numbers, Packed
from verifier.tla.columns.steps import Checks, Steps
from verifier.tla.columns.truths import Truth
from verifier.tla.columns.unsuited import FOUND_AGAIN, Met, Unsuited, Unusual
from verifier.tla.files.column_file import ColumnFile
from verifier.tla.frames import Unit
from verifier.tla.splitting import Formula

if TYPE_CHECKING:
    from verifier.tla.exploration_result import State
    from verifier.tla.search_state import SearchState

_FIRST_ROWS, _MOST_ROWS = 1 << 10, 1 << 18
"""The number of rows that are made at a time, at first and at most."""
_SHARE_FOR_ROWS, _LARGER = 0.2, 1.2
"""The share of the memory for rows that are made at a time, and the growth of their number from which on the
memory that they take is measured again."""
_READ_AT_ONCE, _KEYS_AT_ONCE = 1 << 12, 1 << 16
_SHARE_MOVED = 0.25
"""The share of the states in memory from which on moving them to a file is worthwhile."""


class Search:
    """The states of a search as columns, and its steps. Raises Unsuited."""

    def __init__(self, explorer: SearchState) -> None:
        spec, evaluator = explorer.specification, explorer.evaluator
        orbits = explorer.known.orbits
        if not explorer.always_alike or spec.next is None:
            raise Unsuited("constraints that may change by themselves")
        if orbits is not None and spec.view is not None:
            raise Unsuited("a VIEW with SYMMETRY")
        self.explorer, self.evaluator = explorer, evaluator
        self.columns = Columns(evaluator, spec.variables)
        self.compiler = Compiler(self.columns, evaluator)
        asked = set(explorer.properties) - explorer.result.violations.keys()
        self.checks, self.looks_for_deadlocks = self._checks(asked), explorer.deadlock in asked
        body = spec.next.body
        action = body.action if isinstance(body, Step) else body
        self.walk = self.compiler.walk(action, Environment(Unit(spec.next.module)), top=True)
        self.view: Sequence[ColumnReference | Valued] = self.columns.now
        if spec.view is not None:
            self.view = self._view(spec.view.body, Environment(Unit(spec.view.module)))
        self.packed = Packed([one.numbers for one in self.view])
        self.states = self._columns(explorer.known.states)
        self.parents = np.array(explorer.known.parents, np.int64)
        self.later: list[tuple[Column, ...]] = []
        """Columns of further states, and their predecessors."""
        self.most_rows = _MOST_ROWS
        self.rows = self.largest_rows = 0
        """The number of rows that were made last, and most of them."""
        self.used = explorer.used
        self.old: ColumnFile | None = None
        """The first states, if they are in a file. The columns have the states after them."""
        self.classes = None if orbits is None else ClassesOfStates(orbits, self.columns.numbers)
        self._compute_keys()
        self.rows_per_state = self.most_per_state = 4.0
        self.seconds, self.generated, self.seconds_per_state = 0.0, 0, 0.0
        """The processor time and the rows so far, and the time for each of the last states."""

    def _checks(self, asked: set[str]) -> Checks:
        spec = self.explorer.specification
        parts = [one for name, one in spec.properties.items() if name in asked]
        invariants = [one for name, one in spec.invariants.items() if name in asked]

        def truths(formulas: Sequence[Formula]) -> list[Truth]:
            return [self.compiler.truth(one.body, Environment(Unit(one.module))) for one in formulas]

        return Checks(
            truths([*invariants, *(one for part in parts for one in part.always)]),
            truths([one for part in parts for one in part.steps]),
            truths(spec.constraints),
            truths(spec.action_constraints),
        )

    def _view(self, whole: Expression, around: Environment) -> list[ColumnReference | Valued]:
        """Return the columns that identify states: those of the parts of a view that is a tuple."""
        indices = self.compiler.walker.variables_of(whole, around.unit)
        if indices is not None:
            return [self.columns.now[index] for index in indices]
        if isinstance(whole, ast.Tuple):
            return [one for item in whole.items for one in self._view(item, around)]
        return [self.compiler.make_whole_leaf(whole, around, Numbers())]

    def _columns(self, states: Sequence[State]) -> list[Column]:
        return [
            np.array([numbers.of(state[place]) for state in states], np.int64)
            for place, numbers in enumerate(self.columns.numbers)
        ]

    def __len__(self) -> int:
        return self.base + len(self.parents)

    @property
    def base(self) -> int:
        """Return the number of states in a file."""
        return 0 if self.old is None else len(self.old)

    def read(self, first: int, end: int) -> tuple[list[Column], Column]:
        """Return the columns of some states, and their predecessors."""
        base = self.base
        if first >= base:
            return [column[first - base : end - base] for column in self.states], self.parents[
                first - base : end - base
            ]
        assert self.old is not None
        *columns, parents = self.old.read(first, min(end, base))
        if end > base:
            more = [column[: end - base] for column in (*self.states, self.parents)]
            *columns, parents = map(np.concatenate, zip((*columns, parents), more, strict=True))
        return columns, parents

    def iterate(self, step: int = 1) -> Iterator[tuple[State, int]]:
        """Yield every nth state, with the number of its predecessor."""
        for first in range(0, len(self), _READ_AT_ONCE * step):
            columns, parents = self.read(first, min(first + _READ_AT_ONCE * step, len(self)))
            yield from zip(self._states_of(columns, step), parents[::step].tolist(), strict=True)

    def copy_rows(self, known: int) -> list[tuple[State, int]]:
        """Return the states after the first ones, each with the number of its predecessor."""
        columns, parents = self.read(known, len(self))
        return list(zip(self._states_of(columns), parents.tolist(), strict=True))

    def _states_of(self, columns: Sequence[Column], step: int = 1) -> list[State]:
        values = [numbers.values for numbers in self.columns.numbers]
        made = [
            [own[number] for number in column[::step].tolist()]
            for own, column in zip(values, columns, strict=True)
        ]
        return list(zip(*made, strict=True))

    def move_to_file(self, end: int) -> bool:
        """Move the states before one to a file, if these are many of those in memory. Return True if so. No
        state before ``end`` is expanded any more."""
        moved = end - self.base
        if moved < 1 or moved < _SHARE_MOVED * len(self.parents):
            return False
        if self.old is None:
            self.old = ColumnFile(len(self.states) + 1)
        self.old.append([column[:moved] for column in (*self.states, self.parents)])
        self.states = [column[moved:].copy() for column in self.states]
        self.parents = self.parents[moved:].copy()
        return True

    @property
    def in_orbits(self) -> int:
        """Return the number of states in the orbits of the known states."""
        if self.classes is None:
            return len(self)
        return sum(self.classes.sizes[number] for number in self.known.keys.tolist())

    # -- keys

    def _keys(self, states: Batch) -> Column:
        columns = self._columns_of_view(states)
        if self.packed.outgrown():
            self._compute_keys()
        return self._pack(columns, len(states))

    def _pack(self, columns: Sequence[Column], count: int) -> Column:
        keys = self.packed.keys(columns, count)
        return keys if self.classes is None else self.classes.of(keys, columns)

    def _compute_keys(self) -> None:
        """Compute keys for all known states."""
        self.settle()
        if any(isinstance(one, Valued) for one in self.view):  # first all their values get numbers
            for _ in self._list_view():
                pass
        self.packed.outgrown()
        if self.classes is not None:
            self.classes.forget()
        self.known = Classes()
        for columns, count in self._list_view():
            self.known.find(self._pack(columns, count))

    def _list_view(self) -> Iterator[tuple[list[Column], int]]:
        """Yield the columns of the view for all known states, part by part, and the number of states."""
        at_once = len(self) if self.old is None else _KEYS_AT_ONCE
        for first in range(0, len(self), max(at_once, 1)):
            columns, parents = self.read(first, min(first + at_once, len(self)))
            states = Batch(columns, np.arange(len(parents)))
            yield self._columns_of_view(states), len(parents)

    def _columns_of_view(self, states: Batch) -> list[Column]:
        return [one.of(states) if isinstance(one, Valued) else states.column(one) for one in self.view]

    # -- steps

    def expand(self, first: int, until: int) -> None:
        """Expand states. Raises Unusual, and then nothing has changed."""
        began, before = time.process_time(), self.explorer.result.generated
        try:
            self._expand(first, until)
        except FOUND_AGAIN as error:
            raise Unusual(str(error)) from None
        made = self.explorer.result.generated - before
        self.rows, self.rows_per_state = made, max(made / (until - first), 1.0)
        self.most_per_state = max(self.most_per_state, self.rows_per_state)
        spent = time.process_time() - began
        self.seconds, self.generated = self.seconds + spent, self.generated + made
        self.seconds_per_state = spent / (until - first)

    def until(self, first: int, most: int) -> int:
        """Return the end of the states from one on that make a good number of rows."""
        rows = min(max(self.generated, _FIRST_ROWS), self.most_rows)
        scarce = self.most_rows < _MOST_ROWS
        return min(most, first + max(int(rows / (self.most_per_state if scarce else self.rows_per_state)), 1))

    def forget_keys(self) -> None:
        """Free the memory of keys. The states can still be read, but none can be expanded any more."""
        self.known, self.packed = Classes(), Packed([one.numbers for one in self.view])

    def fit_rows(self) -> None:
        """Limit the number of rows by the memory that the last ones took, if they were more than ever."""
        explorer, before = self.explorer, self.used
        self.used = explorer.used
        if explorer.memory is None or self.rows <= _LARGER * self.largest_rows:
            return
        size = (explorer.peak - before) / self.rows
        self.largest_rows = self.rows
        if size > 0:
            most = int(_SHARE_FOR_ROWS * explorer.memory / size)
            self.most_rows = min(max(most, _FIRST_ROWS), _MOST_ROWS)

    def actions(self, first: int, most: int) -> set[str]:
        """Return the actions of the steps from the states from one on. Raises Unusual."""
        actions = set[str]()
        while first < most:
            until = self.until(first, most)
            try:
                rows, _, _ = self._take_steps(self.batch(first, until))
            except FOUND_AGAIN as error:
                raise Unusual(str(error)) from None
            actions |= {self._action(number) for number in np.unique(self._marks(rows)).tolist()}
            first = until
        return actions

    def all_hold(self, states: Sequence[State]) -> bool:
        """True if all invariants hold of states. Raises Unusual."""
        try:
            self._check(Batch(self._columns(states), np.arange(len(states))), np.arange(len(states)))
        except Met:
            return False
        except FOUND_AGAIN as error:
            raise Unusual(str(error)) from None
        return True

    def _take_steps(self, states: Batch) -> tuple[Batch, list[Column], int]:
        """Return the steps from states, their successors, and the number of states without a step."""
        rows = self.walk.rows(states)
        made = [rows.column(of) for of in self.columns.next]
        if any((column == UNSET_NUMBER).any() for column in made):
            raise Unusual("a variable has no value")
        if not len(states):
            return rows, made, 0
        first = int(states.parents[0])
        steps = np.bincount(rows.parents - first, minlength=len(states))
        return rows, made, int((steps == 0).sum())

    def batch(self, first: int, until: int) -> Batch:
        """Return some states in memory, for ``find_steps``."""
        return Batch(self.states, np.arange(first, until) - self.base)

    def find_steps(self, states: Batch) -> Steps:
        """Find and check the steps from states that follow each other. Nothing changes but the numbers of
        values. Raises Unusual, and what ``FOUND_AGAIN`` has."""
        rows, made, deadlocks = self._take_steps(states)
        if deadlocks and self.looks_for_deadlocks:
            raise Met("a deadlock")
        if any(not step.true(rows).all() for step in self.checks.steps):
            raise Met("a property of steps is violated")
        within = np.ones(len(rows), np.bool_)
        for allowed in self.checks.action_constraints:
            within &= allowed.true(rows)
        new, keys, beyond = self._new(made, within)
        return Steps(rows, made, within, new, keys, beyond, deadlocks)

    def _expand(self, first: int, until: int) -> None:
        explorer, found = self.explorer, self.find_steps(self.batch(first, until))
        new, rows, keys = found.new, found.rows, found.keys
        if explorer.max_states is not None and len(self) + len(new) > explorer.max_states:
            raise Unusual("the last state")
        self.known.add(keys[new])
        if explorer.follow_columns is not None:
            numbers = self.known.find_numbers(keys[found.within])
            explorer.follow_columns(rows.parents[found.within] + self.base, numbers)
        self.count_steps(found)
        explorer.result.distinct += len(new)
        self.append([column[new] for column in found.made], rows.parents[new] + self.base)
        self.settle()

    def find_new(self, columns: Sequence[Column], count: int) -> Column:
        """Find the new ones of states, each once, and note that they are known."""
        keys = self._keys(Batch(columns, np.arange(count)))
        new = _firsts(keys, np.flatnonzero(self.known.find_numbers(keys) < 0))
        self.known.add(keys[new])
        return new

    def keep_only(self, columns: list[Column]) -> None:
        """Forget all states but these. Known keys remain, and those of these states are added."""
        count = len(columns[0])
        self.states, self.parents, self.old = columns, np.full(count, -1), None
        self.known.find(self._keys(Batch(columns, np.arange(count))))

    def append(self, columns: Sequence[Column], parents: Column) -> None:
        """Append states, which are not read before ``settle``."""
        self.later.append((*columns, parents))

    def settle(self) -> None:
        """Put appended states to the others, all at once: the columns of all states are long."""
        if self.later:
            every = [(*self.states, self.parents), *self.later]
            *self.states, self.parents = map(np.concatenate, zip(*every, strict=True))
            self.later = []

    def _new(self, made: Sequence[Column], within: np.typing.NDArray[np.bool_]) -> tuple[Column, Column, int]:
        """Return the rows of new states, each once, the keys of all rows, and the number of states outside
        constraints, which ``within`` leaves out afterwards."""
        everything = Batch(made, np.arange(len(within)))
        keys = self._keys(everything)
        known = self.known.find_numbers(keys) >= 0
        self._check(everything, _firsts(keys, np.flatnonzero(~within)))
        if self.checks.constraints:
            # Rows with one key are one state, unless there is a view, which may merge states.
            asked = np.flatnonzero(within)
            if self.explorer.view is None:
                asked = _firsts(keys, np.flatnonzero(within & ~known))
            held = np.ones(len(asked), np.bool_)
            for test in self.checks.constraints:
                held[held] = test.true(everything.take(asked[held]))
            outside = asked[~held]
            self._check(everything, outside)
            if self.explorer.view is None:
                within &= ~np.isin(keys, keys[outside])
            else:
                within[outside] = False
        beyond = int((~within).sum())
        new = _firsts(keys, np.flatnonzero(within & ~known))
        self._check(everything, new)
        return new, keys, beyond

    def _check(self, states: Batch, rows: Column) -> None:
        """Raise Met if a state violates an invariant."""
        here = states.take(rows)
        if len(rows) and any(not test.true(here).all() for test in self.checks.invariants):
            raise Met("an invariant is violated")

    def count_steps(self, found: Steps) -> None:
        """Count steps in the result of the search."""
        result, rows = self.explorer.result, found.rows
        result.generated += len(rows)
        result.deadlocks += found.deadlocks
        result.beyond += found.beyond
        taken, firsts, counts = np.unique(self._marks(rows), return_index=True, return_counts=True)
        for place in np.argsort(firsts).tolist():
            name = self._action(int(taken[place]))
            result.taken[name] = result.taken.get(name, 0) + int(counts[place])

    def _marks(self, rows: Batch) -> Column:
        """Return the action of each step."""
        return rows.column(self.compiler.actions.mark)

    def _action(self, mark: int) -> str:
        return self.compiler.actions.definitions[mark].shown if mark != UNSET_NUMBER else "Next"


def _firsts(keys: Column, rows: Column) -> Column:
    """Return the first of the rows with equal keys, in order."""
    _, firsts = np.unique(keys[rows], return_index=True)
    return rows[np.sort(firsts)]
