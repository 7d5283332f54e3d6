"""The addresses of verdicts in a page: words that say what a verdict is about, and that any browser takes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from verifier.outcomes.row import Row
from verifier.report.report import varying_constants

_TAKEN = re.compile(
    r"(?:overview|main|list|find|found|theme|missing|copied|graph|rows|packed)(?:-.*)?|(?:title|trace|itf|verdict)-\d+"
)
"""Names of the page's own elements."""
_LONGEST = 80


def addresses(rows: Sequence[Row]) -> list[str]:
    """Return the address of each row. It is the property. If that is ambiguous, the protocol, the varying
    constants, the engine and the solver are added; last of all a number."""
    parts: list[Callable[[Sequence[int]], list[str]]] = [
        lambda alike: [rows[number].claim for number in alike],
        lambda alike: [rows[number].spec for number in alike],
        lambda alike: _differing_constants([rows[number] for number in alike]),
        lambda alike: [rows[number].engine for number in alike],
        lambda alike: [rows[number].solver for number in alike],
    ]
    addresses = ["" for _ in rows]
    for number, part in enumerate(parts):
        column = of_alike(addresses, part)
        if number and len(set(column)) <= 1:
            continue
        counts = Counter(addresses)
        addresses = [
            _join(name, word) if not name or counts[name] > 1 else name
            for name, word in zip(addresses, column, strict=True)
        ]
    return _apart(addresses)


def of_alike(names: Sequence[str], facts: Callable[[Sequence[int]], list[str]]) -> list[str]:
    """Return a fact for each row, made of the numbers of all rows that have the same name so far."""
    groups: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        groups.setdefault(name, []).append(number)
    addresses = ["" for _ in names]
    for numbers in groups.values():
        for number, fact in zip(numbers, facts(numbers), strict=True):
            addresses[number] = fact
    return addresses


def _differing_constants(rows: Sequence[Row]) -> list[str]:
    """Return for each row the constants in which these rows differ."""
    names = varying_constants(rows)
    return [
        ",".join(f"{name}={row.constants[name]}" for name in names if name in row.constants) for row in rows
    ]


def _join(name: str, word: str) -> str:
    return ".".join(part for part in (name, _safe(word)) if part)


def _safe(words: str) -> str:
    """Keep only characters that mean nothing in an address."""
    return re.sub(r"[^A-Za-z0-9_.=,+-]+", "-", words).strip("-")[:_LONGEST]


def _apart(names: Sequence[str]) -> list[str]:
    """The names, with numbers where several are the same or the page has one of its own."""
    counts, used, distinct = Counter(names), set[str](), list[str]()
    for name in names:
        own = name if name and counts[name] == 1 and name not in used and not _TAKEN.fullmatch(name) else ""
        number = 1
        while not own or own in used:
            own = f"{name or 'verdict'}.{number}"
            number += 1
        used.add(own)
        distinct.append(own)
    return distinct
