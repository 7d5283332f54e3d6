"""Counts of the formulas of a module: how often each was evaluated, and how often it was true.

A conjunction and a disjunction are counted by their items, the call of a definition by its body. The premise
of a property is counted as a whole, too. A formula with the same value in all states is not counted, nor one
of a standard module. TLC's ``-coverage`` counts a
formula more often where it evaluates it again, for each call of a definition or for fairness.

Source: in tlaplus/tlaplus, ``tlc2.tool.coverage.OpApplNodeWrapper``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from verifier.files import bytes_of
from verifier.specs.formula_count import FormulaCount, SourceText, as_statistics, list_vacuous
from verifier.tla import ast
from verifier.tla.ast import Expression
from verifier.tla.emitting import Emitter, Source
from verifier.tla.said_parts import span
from verifier.tla.text import text_at

_LONGEST = 100
"""The characters of a formula that its text shows."""
_FALSE, _TRUE = 0, 1


class FormulaCounts:
    """Counts formulas as they are evaluated. An evaluator that has it compiles them with counters."""

    def __init__(
        self,
        files: Collection[str],
        premises: Mapping[Expression, tuple[str, ...]] = MappingProxyType({}),
    ) -> None:
        """``files``: those whose formulas are counted. ``premises``: the premises of properties."""
        self._files = files
        self._premises = premises
        self._cells: dict[Expression, list[int]] = {}
        """For each formula, how often it was false and how often it was true."""

    def add_counter(self, whole: Expression, source: Source, emit: Emitter) -> Source:
        """Return the source of a formula with a counter around it."""
        is_counted_by_parts = isinstance(whole, ast.Junction) or _is_call(whole)
        if whole.place.file not in self._files or (is_counted_by_parts and whole not in self._premises):
            return source
        cell = self._cells.setdefault(whole, [0, 0])
        return f"{emit.bind(_make_counter(cell))}({source})"

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Leave out what is evaluated meanwhile, such as an execution that is explained."""
        before = {whole: tuple(cell) for whole, cell in self._cells.items()}
        try:
            yield
        finally:
            for whole, cell in self._cells.items():
                cell[:] = before.get(whole, (0, 0))

    def list_counts(self) -> Iterator[FormulaCount]:
        """Yield the counts in the order of the text."""
        return (count for count, _ in self._list_with_properties())

    def as_statistics(self) -> dict[str, Any]:
        """Return the counts, the vacuous properties and the texts, as figures of a run."""
        counts = list(self._list_with_properties())
        counted = {count.place.rsplit(":", 2)[0] for count, _ in counts}
        texts = [SourceText(file, 1, _read_text(file)) for file in self._files if file in counted]
        return as_statistics((count for count, _ in counts), list_vacuous(counts), texts)

    def _list_with_properties(self) -> Iterator[tuple[FormulaCount, tuple[str, ...]]]:
        by_place: dict[tuple[str, int, int, str], list[int]] = {}
        owners: dict[tuple[str, int, int, str], dict[str, None]] = {}
        for whole, (false, true) in self._cells.items():
            where = span(whole)
            key = (where.file, where.line, where.column, text_at(where))
            total = by_place.setdefault(key, [0, 0])
            total[_FALSE] += false
            total[_TRUE] += true
            owners.setdefault(key, {}).update(dict.fromkeys(self._premises.get(whole, ())))
        for key, (false, true) in sorted(by_place.items()):
            file, line, column, words = key
            shown = words if len(words) <= _LONGEST else f"{words[:_LONGEST]} …"
            names = tuple(owners[key])
            place = f"{file}:{line}:{column}"
            yield FormulaCount(shown, place, false + true, true, ", ".join(names)), names


def _read_text(file: str) -> str:
    return bytes_of(Path(file)).decode(errors="replace")


def _is_call(whole: Expression) -> bool:
    """True if a formula is the body of a definition, which is counted there."""
    return isinstance(whole, ast.Apply) and isinstance(whole.operator, ast.Definition)


def _make_counter(cell: list[int]) -> Callable[[bool], bool]:
    def count(held: bool) -> bool:
        cell[held] += 1
        return held

    return count
