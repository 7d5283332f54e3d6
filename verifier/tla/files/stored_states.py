"""The states of a search in temporary files, because memory is too small for them.

Memory has an index of the states and of their values, and the number of each predecessor: about 30 bytes for
a state. Values are kept as bytes (``coding``). A state is found by its row, or by the bytes of its view, and
is always compared as a whole.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from struct import Struct
from typing import overload

from verifier.processes.limits import Interrupted
from verifier.tla.coding import Code, Coding, Uncodable
from verifier.tla.exploration_result import State
from verifier.tla.files.byte_table import ByteTable
from verifier.tla.known_states import Key, KnownStates, Row
from verifier.tla.value_types import Value

MOST_VALUES = 20_000
MOST_BYTES = 4 << 20
"""The limits of values that are kept in memory, and of their bytes in files."""


class StoredStates(KnownStates):
    """Numbered states in files."""

    def __init__(self, variables: int, view: Callable[[], Value] | None, coding: Coding) -> None:
        super().__init__(view, None)
        self.coding, self._row_struct = coding, Struct(f"<{variables}I")
        self._rows = ByteTable(self._row_struct.size)
        self._codes = ByteTable()
        """The values."""
        self._views = None if view is None else ByteTable()
        self._bytes = 0
        self._made: dict[int, Value] = {}
        """Some values, by their numbers."""
        self._own_numbers: dict[Value, int] = {}
        """The numbers of some values."""
        self.states: Sequence[State] = _StatesInFiles(self)
        self.parents = array("i")  # type: ignore[assignment]

    @property
    def size(self) -> int:
        """Return the bytes in files."""
        return sum(table.size for table in (self._rows, self._codes, self._views) if table is not None)

    # -- values

    def _encode_value(self, value: Value) -> Code:
        try:
            return self.coding.encode(value)
        except Uncodable as reason:
            raise Interrupted(f"no file can keep {reason}") from None

    def _keep(self, value: Value, number: int, code: Code) -> None:
        self._bytes += len(code)
        if len(self._made) >= MOST_VALUES or self._bytes > MOST_BYTES:
            self._made.clear()
            self._own_numbers.clear()
            self._bytes = len(code)
        self._made[number] = value
        self._own_numbers[value] = number

    def _number_or_none(self, value: Value) -> int | None:
        number = self._own_numbers.get(value)
        if number is None:
            code = self._encode_value(value)
            number = self._codes.find(code)
            if number is not None:
                self._keep(value, number, code)
        return number

    @property
    def value_count(self) -> int:
        """Return the number of values."""
        return len(self._codes)

    def value(self, number: int) -> Value:
        """Return the value with a number."""
        value = self._made.get(number)
        if value is None:
            code = self._codes.read(number)
            value = self.coding.decode(code)
            self._keep(value, number, code)
        return value

    def number(self, value: Value) -> int:
        """Return the number of a value. A new one gets the next number."""
        number = self._number_or_none(value)
        if number is None:
            code = self._encode_value(value)
            number = self._codes.add(code)
            self._keep(value, number, code)
        return number

    def encode(self, number: int, coding: Coding) -> Code:
        """Return the bytes of the value with a number."""
        return self._codes.read(number)

    # -- states

    def row(self, state: State) -> Row | None:
        """Return the row of a state; None if a value occurs in no kept state."""
        row = tuple(map(self._number_or_none, state))
        return None if None in row else row  # type: ignore[return-value]

    def with_row(self, row: Row | None) -> int | None:
        """Return the number of the state with a row; None for a new one."""
        return None if row is None else self._rows.find(self._row_struct.pack(*row))

    def find(self, state: State) -> tuple[Key, int | None]:
        """Return the key of a state, and its number or None. The state is set in the evaluator."""
        if self.view is None:
            return super().find(state)
        assert self._views is not None
        key = self._encode_value(self.view())
        return key, self._views.find(key)

    def add(self, state: State, parent: int, key: Key) -> int:
        """Add a state that ``find`` or ``row`` did not find, under its key. Return its number."""
        if self._views is not None:
            self._views.add(key)
        self.parents.append(parent)
        return self._rows.add(self._row_struct.pack(*map(self.number, state)))

    def extend(self, states: Iterable[tuple[State, int]], now: list[Value]) -> None:
        """Add new states, each with the number of its predecessor. ``now``: the state that is set in the
        evaluator."""
        for state, parent in states:
            now[:] = state
            self.add(state, parent, None if self.view is None else self._encode_value(self.view()))

    def list_rows(self, first: int, end: int) -> list[Row]:
        """Return the rows of some states."""
        return [self.read_row(number) for number in range(first, end)]

    def read_row(self, number: int) -> Row:
        """Return the row of a state."""
        return self._row_struct.unpack(self._rows.read(number))

    def __len__(self) -> int:
        return len(self._rows)


class _StatesInFiles(Sequence[State]):
    """The states in files. Each is made when somebody asks for it."""

    def __init__(self, known: StoredStates) -> None:
        self._known = known

    def __len__(self) -> int:
        return len(self._known)

    @overload
    def __getitem__(self, which: int) -> State: ...

    @overload
    def __getitem__(self, which: slice) -> list[State]: ...

    def __getitem__(self, which: int | slice) -> State | list[State]:
        known = self._known
        if isinstance(which, slice):
            return [self[number] for number in range(*which.indices(len(self)))]
        number = which + len(self) if which < 0 else which
        if not 0 <= number < len(self):
            raise IndexError(which)
        return tuple(map(known.value, known.read_row(number)))
