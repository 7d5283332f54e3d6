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
    kept = _perform(replayer, initial, firings, prop)
    assert kept is not None
    position = len(kept) - 1
    while position >= 0:
        shorter = _perform(replayer, initial, kept[:position] + kept[position + 1 :], prop)
        if shorter is None:
            position -= 1
        else:
            kept = shorter
            position = len(kept) - 1
    return kept


def condense(
    replayer: Replayer, initial: Bits, firings: Sequence[tuple[Instance, Bits]], prop: str
) -> Firings:
    """An execution that still ends in the violation, in few replays: for executions of hundreds of actions.

    It leaves out stretches, each with all later actions that are not enabled without them. Stretches become
    shorter down to a single action. The result may be shortened further.
    """
    kept = _perform(replayer, initial, firings, prop, skipping=True)
    assert kept is not None
    size = len(kept) // 2
    while size:
        end = len(kept)
        while end > 0:
            less = kept[: max(0, end - size)] + kept[end:]
            shorter = _perform(replayer, initial, less, prop, skipping=True)
            if shorter is not None and len(shorter) < len(kept):
                kept = shorter
            end = min(end - size, len(kept))
        size //= 2
    return kept


def _perform(
    replayer: Replayer,
    initial: Bits,
    firings: Sequence[tuple[Instance, Bits]],
    prop: str,
    *,
    skipping: bool = False,
) -> Firings | None:
    """The firings up to the first violation, without loops; None if no violation is reached. ``skipping``:
    those that are not enabled are left out. Otherwise there must be none."""
    state, path = list(initial), Firings()
    place = {tuple(state): 0}
    if replayer.violates(state, prop):
        return path
    for instance, inputs in firings:
        following = replayer.successor(state, instance, inputs)
        if following is None:
            if skipping:
                continue
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
