"""The states of a search by several processes, kept by one of them.

Each value has a number, as in ``known_states``. A value that another process found is kept as bytes
(``coding``), and is made when somebody asks for it. So a state is its row, the numbers of its values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from verifier.tla.coding import Code, Coding, Uncodable
from verifier.tla.exploration_result import State
from verifier.tla.known_states import Key, KnownStates, Row
from verifier.tla.value_types import Value

_NOT_MADE = None
"""The mark of a value that is kept as bytes. It is no value."""


class SharedStates(KnownStates):
    """Numbered states, as rows."""

    def __init__(self, known: KnownStates, coding: Coding) -> None:
        """``known``: the states so far. All processes know the numbers of their values."""
        super().__init__(known.view, known.orbits)
        self.coding, self.parents = coding, known.parents
        self._numbers, self._values = dict(known._numbers), list(known._values)
        self.rows = [tuple(map(self._numbers.__getitem__, state)) for state in known.states]
        self.common = len(self._values)
        """The number of values that all processes knew at first."""
        self.uncodable = ""
        """The reason why a value has no bytes, if there is one."""
        self._by_code: dict[Code, int] = {}
        self._codes: list[Code] = []
        self._by_key = known._by_key
        if self.view is not None:  # views have numbers, too
            self._by_key = {self.number(view): state for view, state in known._by_key.items()}
        self.states = StatesOfRows(self)

    # -- values

    def value(self, number: int) -> Value:
        """Return the value with a number."""
        value = self._values[number]
        if value is _NOT_MADE:
            value = self._values[number] = self.coding.decode(self._codes[number - self.common])
            self._numbers[value] = number
        return value

    def code(self, number: int) -> Code:
        """Return the bytes of a value that not all processes knew at first."""
        return self._codes[number - self.common]

    def number(self, value: Value) -> int:
        """Return the number of a value. A new one gets the next number."""
        number = self._number_or_none(value)
        if number is None:
            try:
                number = self.number_of_code(self.coding.encode(value))
            except Uncodable as reason:
                self.uncodable = str(reason)
                number = self._append(b"")
            self._values[number] = value
            self._numbers[value] = number
        return number

    def _number_or_none(self, value: Value) -> int | None:
        number = self._numbers.get(value)
        if number is not None:
            return number
        try:
            return self._by_code.get(self.coding.encode(value))
        except Uncodable:
            return None

    def list_codes(self) -> None:
        """Find the bytes of the values that all knew at first, so that ``number_of_code`` knows them. Others
        may have found these values by themselves."""
        try:
            for number in range(self.common):
                self._by_code[self.coding.encode(self._values[number])] = number
        except Uncodable as reason:
            self.uncodable = str(reason)

    def number_of_code(self, code: Code) -> int:
        """Return the number of the value with these bytes. Either no process knew it at first, or
        ``list_codes`` was called."""
        number = self._by_code.get(code)
        if number is None:
            number = self._by_code[code] = self._append(code)
        return number

    def _append(self, code: Code) -> int:
        self._values.append(_NOT_MADE)
        self._codes.append(code)
        return len(self._values) - 1

    def encode(self, number: int, coding: Coding) -> Code:
        """Return the bytes of the value with a number. Raises Uncodable."""
        if self.uncodable:
            raise Uncodable(self.uncodable)
        return super().encode(number, coding) if number < self.common else self.code(number)

    # -- states

    def list_rows(self, first: int, end: int) -> list[Row]:
        """Return the rows of some states."""
        return self.rows[first:end]

    def state(self, row: Row) -> State:
        """Return the state of a row."""
        return tuple([self.value(number) for number in row])

    def row(self, state: State) -> Row | None:
        """Return the row of a state; None if a value occurs in no kept state."""
        row = tuple(map(self._number_or_none, state))
        return None if None in row else row  # type: ignore[return-value]

    def find(self, state: State) -> tuple[Key, int | None]:
        """Return the key of a state, and its number or None. The state is set in the evaluator."""
        if self.view is None:
            return super().find(state)
        key = self.number(self.view())
        return key, self._by_key.get(key)

    def add(self, state: State, parent: int, key: Key) -> int:
        """Add a state that ``find`` or ``row`` did not find, under its key. Return its number."""
        return self.add_row(tuple(map(self.number, state)), parent, key)

    def find_row(self, row: Row, view: int) -> tuple[Key, int | None]:
        """Return the key of a row, and its number or None. ``view``: the number of its view, if any."""
        if self.view is not None:
            return view, self._by_key.get(view)
        if self.orbits is not None:
            state = self.state(row)
            known = self._by_key.get(state)
            return state, self.orbits.find(state) if known is None else known
        return row, self._by_key.get(row)

    def merge(self, rows: Sequence[Row], parents: Sequence[int], views: Sequence[int]) -> int:
        """Add the rows that are not known. Return their number."""
        before = len(self.rows)
        for place, (row, parent) in enumerate(zip(rows, parents, strict=True)):
            key, number = self.find_row(row, views[place] if views else -1)
            if number is None:
                self.add_row(row, parent, key)
        return len(self.rows) - before

    def add_row(self, row: Row, parent: int, key: Key) -> int:
        """Add a row that is not known, under its key. Return its number."""
        number = len(self.rows)
        self._by_key[row if self.by_row else key] = number
        if self.orbits is not None:
            self.orbits.add(key)
        self.rows.append(row)
        self.parents.append(parent)
        return number

    def as_known(self) -> KnownStates:
        """Return the same states with all their values."""
        known = KnownStates(self.view, self.orbits)
        known.states = known._listed = list(self.states)
        known.parents = self.parents
        known._values = list(map(self.value, range(len(self._values))))
        known._numbers = {value: number for number, value in enumerate(known._values)}
        known._by_key = self._by_key
        if self.view is not None:
            known._by_key = {known._values[view]: state for view, state in self._by_key.items()}
        return known


class StatesOfRows(Sequence[State]):
    """The states of rows. Each is made when somebody asks for it."""

    def __init__(self, known: SharedStates) -> None:
        self.known = known

    def __len__(self) -> int:
        return len(self.known.rows)

    @overload
    def __getitem__(self, which: int) -> State: ...

    @overload
    def __getitem__(self, which: slice) -> list[State]: ...

    def __getitem__(self, which: int | slice) -> State | list[State]:
        rows, state = self.known.rows, self.known.state
        return [state(row) for row in rows[which]] if isinstance(which, slice) else state(rows[which])
