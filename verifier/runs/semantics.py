"""The semantics that answers a question about a TLA+ module: the interpreter, or the translation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from verifier.errors import UsageError
from verifier.runs.options import AUTO

if TYPE_CHECKING:
    from verifier.outcomes.run import Run


def name_semantics_asked(options: Any) -> str:
    """Return the semantics that options ask for."""
    return str(getattr(options, "by", AUTO))


def check_no_semantics(options: Any, name: str) -> None:
    """Raise UsageError if options choose a semantics for a protocol that is no TLA+ module."""
    by = name_semantics_asked(options)
    if by != AUTO:
        raise UsageError(f"--by {by} is for TLA+ modules: {name} is a Python protocol")


def name_semantics(semantics: str, run: Run) -> Run:
    """Record in a run which semantics answered, unless it is recorded already."""
    statistics = {"semantics": semantics, **run.outcome.statistics}
    return replace(run, outcome=replace(run.outcome, statistics=statistics))
