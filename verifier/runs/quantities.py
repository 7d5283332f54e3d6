"""Durations and amounts of memory, as people write them."""

from __future__ import annotations

import re

DURATION = "a positive number of seconds up to a billion, or one with a unit as in 90s, 2m, 1h"
SIZE = "a positive number with a unit, as in 512MiB or 2GiB (kB, MB, GB, KiB, MiB, GiB, TiB)"
"""The allowed sizes, in words."""

_NUMBER = r"[0-9]{1,9}(?:\.[0-9]{1,9})?|\.[0-9]{1,9}"
_MOST_SECONDS = 1e9
"""The most seconds: some clocks accept at most ten times that."""

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_BYTES = {"b": 1}
_BYTES |= {f"{letter}b": 1000 ** (power + 1) for power, letter in enumerate("kmgt")}
_BYTES |= {f"{letter}ib": 1024 ** (power + 1) for power, letter in enumerate("kmgt")}


def parse_duration(word: str) -> float:
    """Return the seconds. Raises ValueError."""
    match = re.fullmatch(rf"({_NUMBER})(ms|s|m|h)?", word)
    if match is None or float(match[1]) == 0:
        raise ValueError(word)
    seconds = float(match[1]) * _SECONDS[match[2] or "s"]
    if seconds > _MOST_SECONDS:
        raise ValueError(word)
    return seconds


def size_word(count: int) -> str:
    """Return an amount of memory as ``parse_size`` reads it, in the largest unit that needs no fraction."""
    units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)]
    for unit, size in units:
        if count % size == 0 and count // size < 10**9:
            return f"{count // size}{unit}"
    return f"{count / 10**6:.6f}MB"


def parse_size(word: str) -> int:
    """Return the bytes. Raises ValueError."""
    match = re.fullmatch(rf"({_NUMBER}) ?([kmgt]?i?b)", word.lower())
    if match is None or match[2] not in _BYTES or float(match[1]) == 0:
        raise ValueError(word)
    return int(float(match[1]) * _BYTES[match[2]])
