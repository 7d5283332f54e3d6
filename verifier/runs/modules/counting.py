"""Counts of formulas in a search by the interpreter."""

from __future__ import annotations

from collections.abc import Collection

from verifier.runs.modules.loading import TlaLoaded
from verifier.tla.formula_counts import FormulaCounts
from verifier.tla.premises import list_premises
from verifier.tla.specification import Specification


def count_formulas(loaded: TlaLoaded, spec: Specification, asked: Collection[str]) -> FormulaCounts:
    """Count the formulas of a module's files from now on, and the premises of the asked properties."""
    counts = FormulaCounts([str(file) for file in loaded.files], list_premises(spec, asked))
    spec.evaluator.count_formulas(counts)
    return counts
