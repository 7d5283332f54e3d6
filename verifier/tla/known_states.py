"""The states that a search keeps, and whether it knows another one.

States share most of their values. A value has a number once it is in a state that is kept, and a state is
looked up by its row, the numbers of its values. Equal values have one number and others have others, so that
states are equal where their rows are.

With a view, states are one where their views are equal; with symmetry, where permutations turn them into
each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from verifier.tla.found import State
from verifier.tla.orbits import Orbits
from verifier.tla.values import Value

Row: TypeAlias = tuple[int, ...]
Key: TypeAlias = Any
"""What a state is looked up by: its row, or its view, or with symmetry the state."""


class KnownStates:
    """States, each with a number and the number of the state that it was found from."""

    def __init__(self, view: Callable[[], Value] | None, orbits: Orbits | None) -> None:
        """``view`` gives the view of the state that is set in the evaluator."""
        self.view, self.orbits = view, orbits
        self.states: list[State] = []
        self.parents: list[int] = []
        self._by_key: dict[Key, int] = {}
        self._numbers: dict[Value, int] = {}
        self._values: list[Value] = []

    @property
    def by_row(self) -> bool:
        """Whether states are looked up by their rows."""
        return self.view is None and self.orbits is None

    def row(self, state: State) -> Row | None:
        """The row of a state; None if it has a value that no state has that is kept."""
        found = tuple(map(self._numbers.get, state))
        return None if None in found else found  # type: ignore[return-value]

    def with_row(self, row: Row | None) -> int | None:
        """The number of the state with a row, where states are looked up by these."""
        return None if row is None else self._by_key.get(row)

    def find(self, state: State) -> tuple[Key, int | None]:
        """What a state is looked up by, and its number. The state is set in the evaluator."""
        if self.by_row:
            row = self.row(state)
            return row, self.with_row(row)
        key = state if self.view is None else self.view()
        known = self._by_key.get(key)
        return key, self.orbits.find(key) if known is None and self.orbits is not None else known

    def add(self, state: State, parent: int, key: Key) -> int:
        """Adds a state that ``find`` or ``row`` did not find, with what it is looked up by; its number."""
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
        self.states.append(tuple([values[own] for own in row]))
        self.parents.append(parent)
        return number

    def extend(self, states: Iterable[tuple[State, int]], now: list[Value]) -> None:
        """Adds states that are not known, each with the number of the one it was found from. ``now`` is the
        state that is set in the evaluator."""
        for state, parent in states:
            now[:] = state
            self.add(state, parent, state if self.view is None else self.view())

    def path(self, number: int) -> list[State]:
        """The states on the way to one, with itself."""
        found = []
        while number >= 0:
            found.append(self.states[number])
            number = self.parents[number]
        return found[::-1]
