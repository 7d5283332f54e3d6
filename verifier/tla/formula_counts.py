"""Counts of the formulas of a module: how often each was evaluated, and how often it was true.

A conjunction and a disjunction are counted by their items, the call of a definition by its body. A formula
with the same value in all states is not counted, nor one of a standard module. TLC's ``-coverage`` counts a
formula more often where it evaluates it again, for each call of a definition or for fairness.

Source: in tlaplus/tlaplus, ``tlc2.tool.coverage.OpApplNodeWrapper``.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator

from verifier.specs.formula_count import FormulaCount
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

    def __init__(self, files: Container[str]) -> None:
        """``files``: those whose formulas are counted."""
        self._files = files
        self._cells: dict[Expression, list[int]] = {}
        """For each formula, how often it was false and how often it was true."""

    def add_counter(self, whole: Expression, source: Source, emit: Emitter) -> Source:
        """Return the source of a formula with a counter around it."""
        if whole.place.file not in self._files or isinstance(whole, ast.Junction) or _is_call(whole):
            return source
        cell = self._cells.setdefault(whole, [0, 0])
        return f"{emit.bind(_make_counter(cell))}({source})"

    def list_counts(self) -> Iterator[FormulaCount]:
        """Yield the counts in the order of the text."""
        by_place: dict[tuple[str, int, int, str], list[int]] = {}
        for whole, (false, true) in self._cells.items():
            where = span(whole)
            key = (where.file, where.line, where.column, text_at(where))
            total = by_place.setdefault(key, [0, 0])
            total[_FALSE] += false
            total[_TRUE] += true
        for (file, line, column, words), (false, true) in sorted(by_place.items()):
            shown = words if len(words) <= _LONGEST else f"{words[:_LONGEST]} …"
            yield FormulaCount(shown, f"{file}:{line}:{column}", false + true, true)


def _is_call(whole: Expression) -> bool:
    """True if a formula is the body of a definition, which is counted there."""
    return isinstance(whole, ast.Apply) and isinstance(whole.operator, ast.Definition)


def _make_counter(cell: list[int]) -> Callable[[bool], bool]:
    def count(held: bool) -> bool:
        cell[held] += 1
        return held

    return count
