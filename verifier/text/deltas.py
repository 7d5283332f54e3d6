"""Differences between two values with members: ``+ gained, − lost``, or appended and dropped items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from verifier.encodings.concrete import Concrete, Element, FrozenMap, show
from verifier.text.notation import Show

LOST = "−"
_SHORT = 24


def is_brief(old: str, new: str) -> bool:
    """True if both values, as text, are short enough to be shown whole beside each other."""
    return max(len(old), len(new)) <= _SHORT


def delta(old: Concrete, new: Concrete, show: Show = show) -> str:
    """Return the difference of a set, map or sequence from an older one; empty if it is no shorter than the
    values."""
    match old, new:
        case frozenset(), frozenset():
            return _join(map(show, _order(new - old)), map(show, _order(old - new)))
        case tuple(), tuple():
            return _of_sequences(old, new, show)
        case FrozenMap(), FrozenMap() if set(old) != set(new):
            return of_maps(old, new, show)
    return ""


def of_maps(old: FrozenMap, new: FrozenMap, show: Show = show) -> str:
    """The keys gained and lost, and the changed values of others."""
    gained = (f"{show(key)}: {show(new[key])}" for key in new if key not in old)
    lost = (show(key) for key in old if key not in new)
    changed = [f"{show(k)}: {show(old[k])} → {show(new[k])}" for k in new if k in old and old[k] != new[k]]
    return ", ".join([part for part in (_join(gained, lost), *changed) if part])


def of_bags(old: FrozenMap, new: FrozenMap, show: Show = show) -> str:
    """The copies gained and lost."""

    def copies(of: Counter[Any]) -> Iterable[str]:
        return (show(item) if of[item] == 1 else f"{of[item]} × {show(item)}" for item in _order(of))

    was, now = Counter(dict(old)), Counter(dict(new))
    return _join(copies(now - was), copies(was - now))


def _of_sequences(old: tuple[Any, ...], new: tuple[Any, ...], show: Show) -> str:
    longer = len(new) > len(old)
    if longer and new[: len(old)] == old:
        return f"appended {_list(new[len(old) :], show)}"
    if longer or len(old) == len(new):
        return ""
    if not new:
        return f"dropped {_list(old, show)}"
    dropped = len(old) - len(new)
    is_beginning, is_end = old[: len(new)] == new, old[dropped:] == new
    if is_beginning and is_end:  # which ones were dropped does not follow from the values
        equal = all(item == old[0] for item in old)
        return f"dropped {dropped} of {len(old)} copies of {show(old[0])}" if equal else ""
    if is_beginning:
        return f"dropped {_list(old[len(new) :], show)} from the end"
    return f"dropped {_list(old[:dropped], show)} from the front" if is_end else ""


def _join(gained: Iterable[str], lost: Iterable[str]) -> str:
    return ", ".join([*(f"+ {item}" for item in gained), *(f"{LOST} {item}" for item in lost)])


def _list(items: Iterable[Any], show: Show) -> str:
    return ", ".join(map(show, items))


def _order(items: Iterable[Any]) -> list[Any]:
    return sorted(items, key=_place)


def _place(item: Concrete) -> tuple[int, int, str]:
    match item:
        case int():
            return 0, item, ""
        case Element():
            return 1, item.number, item.kind
    return 2, 0, show(item)
