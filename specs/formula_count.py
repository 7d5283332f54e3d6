"""The count of a formula in an exploration."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FormulaCount:
    """The number of times that a formula of a guard or a property was evaluated, and was true."""

    formula: str
    """Its text, cut if it is long."""
    place: str
    """``M.tla:12:5``, or the file and line of an action or a property in Python."""
    evaluated: int
    true: int
    owner: str = ""
    """The action or property that has it, if this is known."""
