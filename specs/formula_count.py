"""The count of a formula in states that were looked at, and what counts say about properties."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any


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


@dataclass(frozen=True)
class VacuousProperty:
    """A property with a premise that was evaluated, and was never true."""

    property: str
    premise: str
    place: str
    evaluated: int


@dataclass(frozen=True)
class SourceText:
    """Lines of a source text, as they were when formulas were counted."""

    file: str
    first_line: int
    text: str


def list_vacuous(
    counts: Iterable[tuple[FormulaCount, Collection[str]]],
) -> Iterator[VacuousProperty]:
    """Yield the vacuous properties. Each count has the properties of which its formula is a premise."""
    for count, names in counts:
        if count.evaluated and not count.true:
            for name in names:
                yield VacuousProperty(name, count.formula, count.place, count.evaluated)


def as_statistics(
    counts: Iterable[FormulaCount], vacuous: Iterable[VacuousProperty], sources: Sequence[SourceText]
) -> dict[str, Any]:
    """Return the figures of a run that counted formulas."""
    return {
        "coverage": [asdict(one) for one in counts],
        "vacuous": [asdict(one) for one in vacuous],
        "sources": [asdict(one) for one in sources],
    }
