"""The engines of a check in child processes: their work, and what they report meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from verifier.errors import TooLargeError, UsageError
from verifier.processes.children import Work
from verifier.processes.interrupts import Interrupts
from verifier.runs.asking import answer_question
from verifier.runs.check_merge import EngineReport
from verifier.runs.check_plan import EXPLORE, sub_question
from verifier.runs.check_reports import make_report, with_own_sorts
from verifier.runs.engine import Engine
from verifier.runs.news import Known, Remark
from verifier.runs.question import Question
from verifier.specs.protocol import DefinitionError
from verifier.text.progress import Pace

if TYPE_CHECKING:
    from verifier.system.model import Model

_SECONDS_BETWEEN_NEWS = 0.5


@dataclass(frozen=True)
class News:
    """A line of progress of one engine."""

    engine: str
    line: str
    stays: bool = True
    """False if the next line of the engine takes its place."""

    def __str__(self) -> str:
        return f"{self.engine}: {self.line}"

    @classmethod
    def end_of(cls, engine: str) -> News:
        """Return the news that an engine has ended: its line goes."""
        return cls(engine, "", stays=False)


@dataclass(frozen=True)
class SoFar:
    """The final verdicts of an engine that goes on."""

    report: EngineReport


@dataclass(frozen=True)
class Refusal:
    """The refusal of an engine, with the reason in words."""

    engine: str
    reason: str
    of_spec: bool
    """True if the spec is wrong. Otherwise the engine is only unsuitable for it."""


@dataclass(frozen=True)
class Built:
    """The news that an engine has built what it searches: of a module, that it is translated."""

    engine: str


def make_work(
    question: Question[Any], engine: Engine[Any], options: Any, name: str, gives_way: int
) -> Work:
    """Return the work of a child process that asks one engine and reports the result. ``gives_way``: how much
    lower its priority is."""

    def work(report: Callable[[Any], None], _: Connection) -> None:
        Interrupts().install()  # the parent forwards its interrupts
        progress, source = engine.progress(), question.loaded.source
        told = set[str]()
        pace = Pace(_SECONDS_BETWEEN_NEWS, _SECONDS_BETWEEN_NEWS)
        if gives_way:
            os.nice(gives_way)

        def listen(news: Any) -> None:
            if isinstance(news, Remark | Known):
                if source is not None and news.words in source.warnings:
                    return  # the parent has reported it
                if not isinstance(news, Known) or news.names - told:  # the engine itself has told the others
                    report(Remark(f"{name}: {news.words}"))
                if isinstance(news, Known):
                    report(SoFar(make_report(news.run if source is None else with_own_sorts(news.run))))
                return
            violated = getattr(news, "violated", None) or ""
            # An engine that begins again with wider sorts finds the same violation again.
            for line in progress.hear(news) if not violated or violated not in told else ():
                report(News(name, line))
            told.add(violated)
            if pace.is_due():
                report(News(name, progress.now(), stays=False))

        def tell_built(_: Model) -> None:
            report(Built(name))

        try:
            run = answer_question(engine, sub_question(question, engine.name, options), listen, tell_built)
            report(make_report(run if question.loaded.source is None else with_own_sorts(run)))
        except (UsageError, DefinitionError) as error:
            from verifier.explicit.initial import TooManyInitialStates
            from verifier.runs.modules.translating import NotTranslated

            # Exploration supports the whole language, so only its errors are errors of the spec.
            limited = isinstance(error, TooLargeError | TooManyInitialStates | NotTranslated)
            report(Refusal(name, str(error), name == EXPLORE and not limited))

    return work
