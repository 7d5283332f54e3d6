"""The cells of a manifest as jobs of a CI matrix, in groups that take about the same time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from verifier.ci.manifest import Cell

MOST_GROUPS = 256
"""The most jobs that GitHub Actions starts from a matrix."""


@dataclass
class _Group:
    cells: list[Cell] = field(default_factory=list)
    seconds: float = 0.0


def matrix(cells: Sequence[Cell], groups: int) -> dict[str, Any]:
    """Return ``{"include": [...]}`` with at most this number of entries, for ``fromJSON``. Each entry names
    its cells in ``cell``, joined by commas, as ``verify ci --cell`` takes them. The longest cells come first,
    each to the group with the least work: at most 4/3 of the best distribution (Graham 1969). A cell of
    unknown length counts as the mean of the others."""
    known = [cell.seconds for cell in cells if cell.seconds is not None]
    mean = sum(known) / len(known) if known else 1.0
    weights = {cell.id: mean if cell.seconds is None else cell.seconds for cell in cells}
    made = [_Group() for _ in range(min(groups, len(cells)))]
    for cell in sorted(cells, key=lambda cell: -weights[cell.id]):
        least = min(made, key=lambda group: (group.seconds, len(group.cells)))
        least.cells.append(cell)
        least.seconds += weights[cell.id]
    return {"include": [_entry(number, group) for number, group in enumerate(made, 1)]}


def _entry(number: int, group: _Group) -> dict[str, Any]:
    return {
        "group": number,
        "cell": ",".join(cell.id for cell in group.cells),
        "spec": ",".join(dict.fromkeys(cell.spec for cell in group.cells)),
        "engine": ",".join(dict.fromkeys(cell.engine for cell in group.cells)),
        "seconds": round(group.seconds, 1),
    }
