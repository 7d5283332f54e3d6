"""Warnings about a module at the constants of its configuration and of the command."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from verifier.errors import nearest
from verifier.printable import join_words
from verifier.tla import ast
from verifier.tla.checks import list_evaluated_formulas
from verifier.tla.config import Assignment, Config
from verifier.tla.specification import Specification


def warn_of_numbers(config: Config, given: Mapping[str, Assignment], named: Container[str]) -> list[str]:
    """Return warnings for sets of a configuration in whose place ``--set`` names a number."""
    warnings = []
    for name, one in given.items():
        own = config.constants.get((None, name))
        is_number = isinstance(one.value, int) and not isinstance(one.value, bool)
        if name in named and own is not None and isinstance(own.value, frozenset) and is_number:
            words = f"warning: {name}={one.value} is a number, and {name} is a set in {config.file}"
            warnings.append(f"{words}. A set has its elements in braces: --set {name}='{{a, b, c}}'")
    return warnings


def warn_of_definitions(module: ast.Module, named: Iterable[str]) -> list[str]:
    """Return warnings for definitions that ``--set`` replaces, as a configuration may: it may be a slip."""
    warnings, constants = [], [constant.name for constant in module.constants]
    for name in named:
        definition = module.names[name]
        if isinstance(definition, ast.Definition):
            near = nearest(name, constants)
            words = (
                f"warning: {name} is no constant: --set {name} replaces its definition ({definition.place})"
            )
            warnings.append(f"{words}{f'. Did you mean {near}?' if near else ''}")
    return warnings


def warn_of_random_values(specification: Specification) -> list[str]:
    """Return a warning if definitions have random values: another run may have other verdicts."""
    analysis = specification.evaluator.analysis
    for formula in list_evaluated_formulas(specification):
        analysis.of(formula.body, formula.module)
    drawn = sorted({one.shown for one, is_drawn in analysis.drawn.items() if is_drawn})
    if not drawn:
        return []
    words = f"warning: {join_words(drawn)} {'have random values' if drawn[1:] else 'has a random value'}"
    return [f"{words}, drawn anew in each run: the verdicts are about the value of this run"]
