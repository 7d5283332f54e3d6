"""The constants at which a sweep finds violations, in sentences: ``where replicas is 3 or 4``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from verifier.encodings.concrete import show
from verifier.outcomes.row import Row
from verifier.printable import join_words, printable, say_count
from verifier.report.report import varying_constants
from verifier.verdict import VerdictKind

_BAD = (VerdictKind.ERROR, VerdictKind.VIOLATED, VerdictKind.NOT_INDUCTIVE)
"""The verdicts that are told, the worst first."""
_MOST = 6
"""The limit of sentences."""
_MANY = 4
"""From so many consecutive numbers on, only the first and the last are named."""


@dataclass(frozen=True)
class Finding:
    """The rows of one protocol and property that have one bad verdict."""

    kind: VerdictKind
    spec: str
    claim: str
    words: str
    """Their number, and their constants."""
    query: Mapping[str, str]
    """The facets of the list that show them."""


def findings(rows: Sequence[Row]) -> tuple[list[Finding], int]:
    """Return what is bad, the worst first, and the number of findings left out."""
    questions: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        questions.setdefault((row.spec, row.claim), []).append(row)
    specs = len({row.spec for row in rows})
    findings = []
    for kind in _BAD:
        for (spec, claim), asked in questions.items():
            bad = [row for row in asked if row.verdict is kind]
            if bad:
                asks = {"property": claim, **({"spec": spec} if specs > 1 else {})}
                query = {"verdict": kind.value, **{name: printable(value) for name, value in asks.items()}}
                words = _how_many(asked, bad)
                findings.append(Finding(kind, spec, claim, words, query))
    return findings[:_MOST], len(findings[_MOST:])


def _how_many(asked: Sequence[Row], bad: Sequence[Row]) -> str:
    if len(bad) < len(asked):
        return f" in {len(bad):,} of {say_count(len(asked), 'job')}{_where(asked, bad)}"
    return f" in all {len(bad):,} jobs" if len(bad) > 1 else ""


def _where(asked: Sequence[Row], bad: Sequence[Row]) -> str:
    """Say at which constants; if that is no choice of values for each constant, name the least of them."""
    names = varying_constants(asked)
    if not names:
        return ""
    decided = [row for row in asked if row.verdict is not VerdictKind.INCONCLUSIVE]
    values = {name: {repr(row.constants.get(name)) for row in bad} for name in names}
    inside = [row for row in decided if all(repr(row.constants.get(n)) in values[n] for n in names)]
    told = [n for n in names if len(values[n]) < len({repr(row.constants.get(n)) for row in decided})]
    if {row.verdict for row in inside} == {bad[0].verdict} and told:
        where = " and ".join(f"{n} is {_values(bad, n)}" for n in told)
        return f", exactly where {where}{'' if len(decided) == len(asked) else ' (of those decided)'}"
    least = min(bad, key=lambda row: [_order(row.constants.get(name)) for name in names])
    shown = ", ".join(f"{name}={show(least.constants[name])}" for name in names)
    return f"; smallest failing constants: {shown}"


def _order(value: object) -> tuple[int, str]:
    return (value, "") if isinstance(value, int) else (0, str(value))


def _values(rows: Sequence[Row], name: str) -> str:
    values = sorted({row.constants.get(name) for row in rows}, key=_order)
    first, last = values[0], values[-1]
    if isinstance(first, int) and isinstance(last, int) and last - first + 1 == len(values) >= _MANY:
        return f"{first}..{last}"
    return join_words([show(value) for value in values], "or")
