"""Labels of verdicts within a report: the property, and what else tells one verdict from another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from verifier.encodings.concrete import show_constants
from verifier.outcomes.row import Row
from verifier.report.addresses import of_alike
from verifier.report.report import Report, varying_constants


def labels_of(report: Report) -> list[str]:
    """Return a label for each row. It has no more than is needed so that no two are alike."""
    rows = report.rows
    labels = [row.claim for row in rows]
    for make in _facts(report):
        counts = Counter(labels)
        if len(counts) == len(rows):
            break
        facts = of_alike(labels, make)
        if len(set(facts)) > 1:
            labels = [
                f"{label} · {fact}" if fact and counts[label] > 1 else label
                for label, fact in zip(labels, facts, strict=True)
            ]
    return _number(labels)


def _facts(report: Report) -> list[Callable[[Sequence[int]], list[str]]]:
    """Return what may tell rows apart that have the same label so far, the most telling first."""
    rows = report.rows
    return [
        lambda alike: [rows[number].spec for number in alike],
        lambda alike: _constants([rows[number] for number in alike]),
        lambda alike: [rows[number].engine for number in alike],
        lambda alike: [report.source_of(number) for number in alike],
        lambda alike: _options([rows[number] for number in alike]),
        lambda alike: [rows[number].run_id for number in alike],
    ]


def _constants(rows: Sequence[Row]) -> list[str]:
    """Return for each row the constants in which these rows differ."""
    names = varying_constants(rows)
    return [show_constants({k: v for k, v in row.constants.items() if k in names}) for row in rows]


def _options(rows: Sequence[Row]) -> list[str]:
    """Return for each row the options that others have with other values."""
    names = dict.fromkeys(name for row in rows for name in row.options)
    varying = [name for name in names if len({repr(row.options.get(name)) for row in rows}) > 1]
    return [", ".join(f"{name}={row.options.get(name)}" for name in varying) for row in rows]


def _number(labels: Sequence[str]) -> list[str]:
    """Number the labels that are alike."""
    counts, seen = Counter(labels), Counter[str]()
    numbered = []
    for label in labels:
        seen[label] += 1
        numbered.append(f"{label} ({seen[label]})" if counts[label] > 1 else label)
    return numbered
