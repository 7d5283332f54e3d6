"""Shortening: leaves out actions that a counterexample does not need, and replays the result."""

from __future__ import annotations

from collections.abc import Sequence

from verifier.system.transition_system import Instance
from verifier.trust.replay import Bits, Replayer

Firings = list[tuple[Instance, Bits]]


def shorten(
    replayer: Replayer, initial: Bits, firings: Sequence[tuple[Instance, Bits]], prop: str
) -> Firings:
    """An execution that still ends in the violation and is not longer than ``firings``.

    It ends at the first violating state, has no loops, and needs each of its actions.
    """
    kept = _direct(replayer, initial, list(firings), prop)
    assert kept is not None
    position = len(kept) - 1
    while position >= 0:
        shorter = _direct(replayer, initial, kept[:position] + kept[position + 1 :], prop)
        if shorter is None:
            position -= 1
        else:
            kept = shorter
            position = len(kept) - 1
    return kept


def _direct(replayer: Replayer, initial: Bits, firings: Firings, prop: str) -> Firings | None:
    """The firings up to the first violation, without loops; None if no violation is reached."""
    state = list(initial)
    path: Firings = []
    place = {tuple(state): 0}
    if replayer.violates(state, prop):
        return path
    for instance, inputs in firings:
        following = replayer.successor(state, instance, inputs)
        if following is None:
            return None
        state = following
        path.append((instance, inputs))
        back = place.get(tuple(state))
        if back is not None:
            path = path[:back]
            place = {seen: index for seen, index in place.items() if index <= back}
        place[tuple(state)] = len(path)
        if replayer.violates(state, prop):
            return path
    return None


def condense(
    replayer: Replayer, initial: Bits, firings: Sequence[tuple[Instance, Bits]], prop: str
) -> Firings:
    """An execution that still ends in the violation, in few replays: for executions of hundreds of actions.

    It leaves out stretches, each with all later actions that are not enabled without them. Stretches become
    shorter down to a single action. The result may be shortened further.
    """
    kept = _skipping(replayer, initial, firings, prop)
    assert kept is not None
    size = len(kept) // 2
    while size:
        end = len(kept)
        while end > 0:
            shorter = _skipping(replayer, initial, kept[: max(0, end - size)] + kept[end:], prop)
            if shorter is not None and len(shorter) < len(kept):
                kept = shorter
            end = min(end - size, len(kept))
        size //= 2
    return kept


def _skipping(
    replayer: Replayer, initial: Bits, firings: Sequence[tuple[Instance, Bits]], prop: str
) -> Firings | None:
    """The firings that are enabled one after the other, up to the first violation, without loops; None if no
    violation is reached."""
    state, path = list(initial), Firings()
    place = {tuple(state): 0}
    for instance, inputs in firings:
        if replayer.violates(state, prop):
            return path
        following = replayer.successor(state, instance, inputs)
        if following is None:
            continue
        state = following
        path.append((instance, inputs))
        back = place.get(tuple(state))
        if back is not None:
            path = path[:back]
            place = {seen: index for seen, index in place.items() if index <= back}
        place[tuple(state)] = len(path)
    return path if replayer.violates(state, prop) else None
