"""The reason why a module cannot be explored by columns."""

from __future__ import annotations

from collections.abc import Iterable

from verifier.tla.columns.unsuited import FOUND_AGAIN
from verifier.tla.explorer import Explorer
from verifier.tla.specification import Specification


def explain_unsuitability(specification: Specification, properties: Iterable[str]) -> str:
    """Return the reason why columns cannot explore a specification; empty if they can."""
    from verifier.tla.columns.search import Search

    try:
        Search(Explorer(specification, properties=tuple(properties)))
    except FOUND_AGAIN as reason:
        return str(reason) or type(reason).__name__
    return ""
