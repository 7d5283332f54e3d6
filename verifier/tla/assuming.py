"""The ASSUMEs of a module."""

from __future__ import annotations

from collections.abc import Iterator

from verifier.tla.ast import Assumption
from verifier.tla.checks import Test
from verifier.tla.errors import TlaError
from verifier.tla.specification import Specification


def compile_assumptions(specification: Specification) -> Iterator[tuple[Assumption, Test]]:
    """Yield the assumptions, each with its test. Raises TlaError for one that reads a variable."""
    evaluator, module = specification.evaluator, specification.module
    for assumption in module.assumptions:
        if evaluator.analysis.of(assumption.body, module.name).reads:
            words = "an assumption is about constants only, and this one reads a variable"
            raise TlaError(assumption.body.place, words)
        yield assumption, evaluator.compile_truth(assumption.body, module.name)
