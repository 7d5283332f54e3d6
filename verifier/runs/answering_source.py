"""The source of a definition that prepares questions itself, and answers them when it suffices."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from verifier.outcomes.run import Run
    from verifier.runs.engine import Engine, Listen
    from verifier.runs.loaded import Loaded
    from verifier.runs.question import Question
    from verifier.system.model import Model


class AnsweringSource(ABC):
    """A source (``loaded.Source``) that stands between a question and the engine."""

    @abstractmethod
    def prepare(self, engine: Engine[Any], loaded: Loaded, options: Any) -> Question[Any]:
        """Return the question, with its names checked. Raises UsageError for one that cannot be asked."""

    @abstractmethod
    def answer(
        self, engine: Engine[Any], question: Question[Any], listen: Listen, built: Callable[[Model], None]
    ) -> Run:
        """Run the engine, at a definition that suffices."""


def answering_source(loaded: Loaded) -> AnsweringSource | None:
    """Return the source of a definition that is only made for a question; None if the definition is
    complete."""
    source = loaded.source
    assert source is None or isinstance(source, AnsweringSource)
    return source
