"""Reasons that say that an expression of a module has no value in a reachable state."""

from __future__ import annotations

_AFTER_STEPS = " (after "
_IN_STATE = " (in the state "


def remove_state(words: str) -> str:
    """Return the words of an error without the state, which takes many lines and is shown only once."""
    return words.partition(_AFTER_STEPS)[0].partition(_IN_STATE)[0]


def tells_of_state(reason: str) -> bool:
    """True if a reason is the error of an expression without a value: it ends with the state."""
    return _IN_STATE in reason or (_AFTER_STEPS in reason and "in the state " in reason)
