"""The continuation of a search in temporary files, before memory is full."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from verifier.tla.coding import Coding
from verifier.tla.exploration_result import State
from verifier.tla.files.stored_states import MOST_BYTES, MOST_VALUES, StoredStates
from verifier.tla.known_states import KnownStates
from verifier.tla.value_types import ModelValue

if TYPE_CHECKING:
    from verifier.tla.search_state import SearchState


def move_to_files(search: SearchState, states: Iterable[tuple[State, int]] | None = None) -> StoredStates:
    """Return the states of a search in files. ``states``: each with the number of its predecessor, by default
    those that the search knows."""
    models, now = search.evaluator.model_values, list(search.evaluator.now)
    coding = Coding(lambda name: models.setdefault(name, ModelValue(name)), MOST_VALUES, MOST_BYTES)
    stored = StoredStates(len(search.names), search.view, coding)
    stored.extend(_list_known(search.known) if states is None else states, search.evaluator.now)
    search.evaluator.now[:] = now
    return stored


def _list_known(known: KnownStates) -> Iterator[tuple[State, int]]:
    for number, parent in enumerate(known.parents):
        yield known.states[number], parent
