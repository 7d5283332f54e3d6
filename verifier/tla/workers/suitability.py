"""The reason why a search has one process, though more are asked for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from verifier.tla.checks import list_evaluated_formulas

if TYPE_CHECKING:
    from verifier.tla.search_state import SearchState


def explain_one_process(search: SearchState, *, elsewhere: bool = False) -> str:
    """Return the reason; empty if there is none. ``elsewhere``: the other processes are no copies of this
    one."""
    spec, evaluator = search.specification, search.evaluator
    if not elsewhere and not hasattr(os, "fork"):
        return "this system has no fork"
    if elsewhere and spec.symmetry:  # nobody would notice there that permutations change more than names
        return "the configuration has SYMMETRY"
    if evaluator.counts is not None:
        return "the evaluations of formulas are counted"
    if spec.possible:
        return "_POSSIBLE is counted in the order of the search"
    if spec.view is not None and spec.symmetry:
        return "the configuration has a VIEW and SYMMETRY"
    formulas = list_evaluated_formulas(spec, set(search.properties))
    formulas += [] if spec.view is None else [spec.view]
    for formula in formulas:
        if evaluator.analysis.of(formula.body, formula.module).changing:
            words = "a formula prints or writes, or its value depends on the search, the clock or chance"
            return f"{words} ({formula.body.place})"
        if elsewhere and evaluator.analysis.of(formula.body, formula.module).drawn:
            words = "a definition has a random value, and each process there would draw another"
            return f"{words} ({formula.body.place})"
    return ""
