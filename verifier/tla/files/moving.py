"""The continuation of a search in temporary files, before memory is full."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from verifier.tla.coding import Coding
from verifier.tla.exploration_result import State
from verifier.tla.files.stored_states import MOST_VALUES, StoredStates
from verifier.tla.known_states import KnownStates
from verifier.tla.value_types import ModelValue

if TYPE_CHECKING:
    from verifier.tla.columns.search import Search
    from verifier.tla.search_state import SearchState

_AT_ONCE = 1 << 12


def move_to_files(search: SearchState, columns: Search | None) -> StoredStates:
    """Return the states of a search in files. ``columns`` has them, if there are columns."""
    models, now = search.evaluator.model_values, list(search.evaluator.now)
    coding = Coding(lambda name: models.setdefault(name, ModelValue(name)), MOST_VALUES)
    stored = StoredStates(len(search.names), search.view, coding)
    states = _list_known(search.known) if columns is None else _list_columns(columns)
    stored.extend(states, search.evaluator.now)
    search.evaluator.now[:] = now
    return stored


def _list_known(known: KnownStates) -> Iterator[tuple[State, int]]:
    for number, parent in enumerate(known.parents):
        yield known.states[number], parent


def _list_columns(columns: Search) -> Iterator[tuple[State, int]]:
    for first in range(0, len(columns), _AT_ONCE):
        which = slice(first, first + _AT_ONCE)
        yield from zip(columns.some(which), columns.parents[which].tolist(), strict=True)
