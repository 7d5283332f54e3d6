"""The events that columns leave to the interpreter. Who only catches them loads no NumPy."""

from __future__ import annotations

from verifier.tla.frames import Undefined
from verifier.tla.symmetry import Asymmetric
from verifier.tla.value_types import NoValue


class Unsuited(Exception):
    """Raised for a specification that columns cannot explore, so that the interpreter does."""


FOUND_AGAIN = (Undefined, NoValue, RecursionError, Unsuited, Asymmetric)
"""Errors that the interpreter may not meet, because parts of expressions are evaluated before they are
needed."""


class Unusual(Exception):
    """Raised for an event that the interpreter must find again and report."""


class Met(Unusual):
    """Raised when a property without a violation so far is violated."""
