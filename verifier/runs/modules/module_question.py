"""A question about a module, and the limits of work on it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from verifier.outcomes.expectations import Expectations
from verifier.processes.limits import INTERRUPTED, Interrupted
from verifier.processes.watching import within
from verifier.runs.modules.loading import TlaDefinition, TlaLoaded
from verifier.runs.news import Remark

if TYPE_CHECKING:
    from verifier.runs.engine import Engine, Listen
    from verifier.runs.question import Question
    from verifier.system.model import Model
    from verifier.tla.symmetry import Symmetry
T = TypeVar("T")
_LOG = logging.getLogger(__name__)


class BudgetExceeded(Exception):
    """Raised if building a translation takes too long, or is not worthwhile, with the reason in words."""


@dataclass(frozen=True)
class BuildBudget:
    """The limits of building, in processor seconds of this process."""

    seconds: float
    """The limit of a round, that is, until sorts are widened."""
    last: float
    """The time after which no round begins."""
    translating: float = 1.0
    """The share of a round in which the module must be translated."""

    def until(self) -> tuple[float, float]:
        """Return the deadlines of a round that begins now: for translation, and for the rest. Raises
        BudgetExceeded."""
        now = time.process_time()
        if now > self.last:
            raise BudgetExceeded
        return now + self.translating * self.seconds, now + self.seconds


@dataclass(frozen=True)
class ModuleQuestion:
    """A question about a module."""

    engine: Engine[Any]
    module: TlaLoaded
    question: Question[Any]
    named: tuple[str, ...]
    """The properties that the user named."""
    listen: Listen
    built: Callable[[Model], None]
    translated: Callable[[TlaDefinition], None] = lambda made: None
    """A callback with a translation before anything is built from it. It may raise BudgetExceeded."""
    patience: BuildBudget | None = None
    """The limits of building."""
    symmetry: Symmetry | None = None
    """The permutations under which one state of each orbit is explored, while they are checked."""

    def asking(self, properties: tuple[str, ...]) -> ModuleQuestion:
        """Return the question about some of its properties, without expectations."""
        options = replace(self.question.options, properties=properties, expect=())
        question = replace(self.question, options=options, properties=properties, expectations=Expectations())
        return replace(self, question=question)

    def say(self, words: str) -> None:
        """Report a decision, such as the choice of the semantics and its reason."""
        _LOG.info("%s: %s", self.engine.name, words)
        self.listen(Remark(words))


def run_within_limits(asked: ModuleQuestion, work: Callable[[], T], until: float | None = None) -> T:
    """Return the result of work that does not check limits itself. Raises Interrupted at the limits or by the
    user. ``until``: the processor time of this process at which BudgetExceeded is raised."""
    asked.question.limits.check_time()
    try:
        return within(asked.question.limits, work, until)
    except KeyboardInterrupt:
        raise Interrupted(INTERRUPTED) from None
    except Interrupted:
        if until is not None and time.process_time() > until:
            raise BudgetExceeded from None
        raise
