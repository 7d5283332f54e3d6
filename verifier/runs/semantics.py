"""Which semantics answers a question about a TLA+ module: the interpreter, or the module's translation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from verifier.errors import UsageError
from verifier.runs.options import AUTO

if TYPE_CHECKING:
    from verifier.outcomes.run import Run

def semantics_asked(options: Any) -> str:
    """The semantics that options ask for."""
    return str(getattr(options, "by", AUTO))


def check_no_semantics(options: Any, name: str) -> None:
    """Raises UsageError where options of a protocol that is no TLA+ module say which semantics answers."""
    by = semantics_asked(options)
    if by != AUTO:
        raise UsageError(f"--by {by} is for TLA+ modules: {name} is a Python protocol")


def answered_by(semantics: str, run: Run) -> Run:
    """The run, which says which semantics answered, unless it says so already."""
    statistics = {"semantics": semantics, **run.outcome.statistics}
    return replace(run, outcome=replace(run.outcome, statistics=statistics))
