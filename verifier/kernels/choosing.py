"""The choice of the library for searches that are long enough. Short ones do not load what builds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifier.kernels.library import Library

MANY, VERY_MANY = 50_000, 1_000_000
"""The numbers of states from which the library is worth its start: if it is kept, and if it must be compiled
first, which takes as long as some hundred thousand states."""


def library_for(known: int) -> Library | None:
    """The library, if there is one, for a search that knows this number of states and goes on; None if it
    would not pay."""
    if known < MANY:
        return None
    from verifier.kernels.building import is_kept, load_library

    return load_library() if known >= VERY_MANY or is_kept() else None
