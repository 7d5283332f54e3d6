"""The states that a search keeps, and the test whether it knows a state.

States share most of their values. A value gets a number when it is in a kept state, and a state is looked up
by its row, the numbers of its values. Equal values have equal numbers, so states are equal if their rows are.

With a view, two states are the same if their views are equal. With symmetry, two states are the same if a
permutation maps one to the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from verifier.tla.exploration_result import State
from verifier.tla.value_types import Value

if TYPE_CHECKING:
    from verifier.tla.coding import Code, Coding
    from verifier.tla.orbits import Orbits

Row: TypeAlias = tuple[int, ...]
Key: TypeAlias = Any
"""The key of a state: its row, its view, or with symmetry the state itself."""


class KnownStates:
    """Numbered states, each with the number of its predecessor."""

    def __init__(self, view: Callable[[], Value] | None, orbits: Orbits | None) -> None:
        """``view`` returns the view of the state that is set in the evaluator."""
        self.view, self.orbits = view, orbits
        self._listed: list[State] = []
        self.states: Sequence[State] = self._listed
        self.parents: list[int] = []
        self._by_key: dict[Key, int] = {}
        self._numbers: dict[Value, int] = {}
        self._values: list[Value] = []

    @property
    def size(self) -> int:
        """Return the bytes in files."""
        return 0

    @property
    def by_row(self) -> bool:
        """True if states are looked up by their rows."""
        return self.view is None and self.orbits is None

    def row(self, state: State) -> Row | None:
        """Return the row of a state; None if a value occurs in no kept state."""
        row = tuple(map(self._numbers.get, state))
        return None if None in row else row  # type: ignore[return-value]

    def with_row(self, row: Row | None) -> int | None:
        """Return the number of the state with a row, if states are looked up by rows; None for a new one."""
        return None if row is None else self._by_key.get(row)

    def find(self, state: State) -> tuple[Key, int | None]:
        """Return the key of a state, and its number or None. The state is set in the evaluator."""
        if self.by_row:
            row = self.row(state)
            return row, self.with_row(row)
        key = state if self.view is None else self.view()
        known = self._by_key.get(key)
        return key, self.orbits.find(key) if known is None and self.orbits is not None else known

    def add(self, state: State, parent: int, key: Key) -> int:
        """Add a state that ``find`` or ``row`` did not find, under its key. Return its number."""
        number, numbers, values = len(self.states), self._numbers, self._values
        row = []
        for value in state:
            own = numbers.setdefault(value, len(values))
            if own == len(values):
                values.append(value)
            row.append(own)
        self._by_key[tuple(row) if self.by_row else key] = number
        if self.orbits is not None:
            self.orbits.add(key)
        self._listed.append(tuple([values[own] for own in row]))
        self.parents.append(parent)
        return number

    def append(self, state: State) -> int:
        """Add a state without a key, so that it is not found. Return its number."""
        self._listed.append(state)
        self.parents.append(-1)
        return len(self._listed) - 1

    @property
    def value_count(self) -> int:
        """Return the number of values."""
        return len(self._values)

    def value(self, number: int) -> Value:
        """Return the value with a number."""
        return self._values[number]

    def number(self, value: Value) -> int:
        """Return the number of a value. A new one gets the next number."""
        own = self._numbers.setdefault(value, len(self._values))
        if own == len(self._values):
            self._values.append(value)
        return own

    def extend(self, states: Iterable[tuple[State, int]], now: list[Value]) -> None:
        """Add new states, each with the number of its predecessor. ``now``: the state that is set in the
        evaluator."""
        for state, parent in states:
            now[:] = state
            self.add(state, parent, state if self.view is None else self.view())

    def list_rows(self, first: int, end: int) -> list[Row]:
        """Return the rows of some states."""
        numbers = self._numbers.__getitem__
        return [tuple(map(numbers, state)) for state in self._listed[first:end]]

    def encode(self, number: int, coding: Coding) -> Code:
        """Return the bytes of the value with a number. Raises Uncodable."""
        return coding.encode(self._values[number])

    def path(self, number: int) -> list[State]:
        """Return the states on the way to a state, including it."""
        path = []
        while number >= 0:
            path.append(self.states[number])
            number = self.parents[number]
        return path[::-1]
