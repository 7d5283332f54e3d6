"""Reasons that name variables which seem to grow forever: their words, and what they say."""

from __future__ import annotations

import re
from collections.abc import Iterable

from verifier.printable import join_words
from verifier.verdict import Verdict

_STOPPED, _KEEP_GOING = "stopped because ", " (--keep-going continues)"
_BETWEEN = "; "
_UNBOUNDED = re.compile(
    rf"(?:^|{_BETWEEN})(?:{_STOPPED})?([^;]+ seems? unbounded)(?:{re.escape(_KEEP_GOING)})?$"
)
_LEAST_DEPTH = 20


def seems_unbounded(names: Iterable[str]) -> str:
    """Return the message about variables that grow."""
    listed = list(names)
    return f"{join_words(listed)} seem{'s'[: len(listed) == 1]} unbounded"


def explain_stop(names: Iterable[str]) -> str:
    """Return the reason why a run ends after a violation, if variables grow."""
    return f"{_STOPPED}{seems_unbounded(names)}{_KEEP_GOING}"


def add_growth(reason: str, names: Iterable[str]) -> str:
    """Return the reason why a run ended, with the variables that grow until then."""
    listed = list(names)
    return f"{reason}{_BETWEEN}{seems_unbounded(listed)}" if reason and listed else reason


def find_unbounded(reason: str | None) -> str:
    """Return what a reason says about variables that grow; empty if it says nothing about them, or advises
    for loops of a VIEW."""
    match = _UNBOUNDED.search(reason or "")
    return match.group(1) if match else ""


def list_unbounded(reason: str | None) -> str:
    """Return the variables of a reason, as ``now, until and belief``; empty if it says nothing about them."""
    return re.sub(r" seems? unbounded$", "", find_unbounded(reason))


def choose_depth(verdicts: Iterable[Verdict]) -> int:
    """Return a depth to which properties of a module without an end can be decided.

    If a limit ended the run, the closed depth takes all of its time. Otherwise the run may go deeper.
    """
    open_ones = [one for one in verdicts if find_unbounded(one.reason)]
    closed = min((one.depth or 0 for one in open_ones), default=0)
    if closed and any(not has_ended_without_end(one.reason) for one in open_ones):
        return closed
    return max(2 * closed, _LEAST_DEPTH)


def has_ended_without_end(reason: str | None) -> bool:
    """True if an engine ended by this rule, judged by its reason for open properties."""
    return reason is not None and reason.endswith(_KEEP_GOING)
