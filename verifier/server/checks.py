"""Engines asked by a session: each run in a process of its own, which can be cancelled.

The process inherits the memory of the session, so that nothing is loaded again. The session then imports
what the run needed, for the next one.
"""

from __future__ import annotations

import io
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from verifier.errors import UsageError
from verifier.outcomes.content import as_object
from verifier.outcomes.run import Run
from verifier.printable import printable, printable_text
from verifier.processes.children import ChildEnded, Children, Message
from verifier.processes.interrupts import INTERRUPTED, is_interrupt, terminable
from verifier.processes.limits import Interrupted, Limits
from verifier.runs.asking import answer_question, make_question
from verifier.runs.engine import Engine
from verifier.runs.loaded import Loaded
from verifier.runs.news import Known, Remark
from verifier.runs.question import Question
from verifier.runs.told import ToldVerdicts
from verifier.server.calls import Call
from verifier.server.problems import Problem, Refused, explain_failure
from verifier.server.turns import Turns
from verifier.specs.definition import DefinitionError
from verifier.text.progress import Pace
from verifier.verdict import LEFT_TO_LIVE, VerdictKind

WIDTH = 100
"""The width of texts for clients."""
_PATIENCE_SECONDS = 5.0
"""After a cancellation, the time until a process is killed that says nothing."""
_POLL_SECONDS, _NEWS_SECONDS = 0.1, 0.5
_PROCESS = "check"
_OF_SEARCHES = ("verifier.engines.explore",)
"""Modules that the processes of a run import, which do not tell the session of them."""
_KEPT_VERDICTS = frozenset(VerdictKind) - {VerdictKind.INCONCLUSIVE, VerdictKind.ERROR}


class RunFailed(Exception):
    """Raised if the process of a run ends without an answer."""


def prepare_question(
    engine: Engine[Any], loaded: Loaded, properties: tuple[str, ...], given: Mapping[str, Any]
) -> Question[Any]:
    """Return a question with the options of the command. Raises UsageError for what cannot be asked."""
    parsed = engine.parse_options(given)
    return make_question(engine, loaded, engine.options_of({**parsed, "properties": properties}))


def run_question(
    engine: Engine[Any], question: Question[Any], call: Call, starting: Turns
) -> tuple[dict[str, Any], str]:
    """Run an engine until it is done, out of time, or cancelled. Returns the run as a JSON object, and as the
    text that the command prints.

    ``starting`` is held while the process is started: it begins with the memory as it is then. Raises
    RunFailed.
    """

    content, text, modules = run_apart(lambda report: _answer(engine, question, report), call, starting)
    with starting:
        _import_known(modules)
    return content, text


def run_apart(work: Callable[[Callable[[Any], None]], None], call: Call, starting: Turns) -> Any:
    """Do work in a process of its own, and return its last report. Reports ``("progress", words)`` are told.

    Raises Refused for what cannot be asked, RunFailed if there is no report for another reason, and
    Interrupted if the client cancels.
    """

    def report_all(report: Callable[[Any], None], _: Connection) -> None:
        _report(work, report)

    children = Children(Limits(), nested=True)
    told: list[Any] = []
    failures: list[str] = []
    with children:
        with starting:
            children.start(_PROCESS, report_all)
        given_up: float | None = None
        while children.running:
            if call.cancelled.is_set() and given_up is None:
                given_up = time.monotonic() + _PATIENCE_SECONDS
                children.interrupt(_PROCESS)
            if given_up is not None and time.monotonic() > given_up:
                raise Interrupted("cancelled; the run did not say what it knew")
            for event in children.poll(_POLL_SECONDS):
                match event:
                    case Message(content=("progress", words)):
                        call.tell(words)
                    case Message(content=Problem() as problem):
                        raise Refused(problem)
                    case Message():
                        told.append(event.content)
                    case ChildEnded() if event.failure is not None:
                        failures.append(event.failure)
    if not told:
        if call.cancelled.is_set():
            raise Interrupted("cancelled before anything was known")
        raise RunFailed(failures[0] if failures else "the process of the run ended without an answer")
    return told[-1]


def _report(work: Callable[[Callable[[Any], None]], None], report: Callable[[Any], None]) -> None:
    """Do work in this process, which an interrupt ends, and report why it cannot be done."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        work(report)
    except (UsageError, DefinitionError) as error:
        report(explain_failure(error))


def _answer(engine: Engine[Any], question: Question[Any], report: Callable[[Any], None]) -> None:
    """Answer a question in this process, and report progress and the answer. SIGINT ends it with what is
    known."""
    progress, told, pace = engine.progress(), ToldVerdicts(question), Pace(_NEWS_SECONDS, _NEWS_SECONDS)
    before = set(sys.modules)

    def listen(news: Any) -> None:
        if isinstance(news, Remark | Known):
            report(("progress", printable(news.words)))
            return
        for line in filter(None, progress.hear(news)):
            report(("progress", printable(line)))
        if pace.is_due() and (now := progress.now()):
            report(("progress", printable(now)))

    run: Run | None = None
    try:
        with terminable():
            run = answer_question(engine, question, told.listening(listen))
    except BaseException as error:  # noqa: BLE001 -- an interrupt may come where no engine expects it
        if run is None:
            run = _conclude(engine, told, error)
    text = render_text(engine, run)
    modules = [name for name in sys.modules if name not in before and name.startswith("verifier.")]
    report((as_object(run), text, modules))


def _conclude(engine: Engine[Any], told: ToldVerdicts, error: BaseException) -> Run:
    """Return the run that ended with an exception. Raises the exception if it is no interrupt."""
    if isinstance(error, Interrupted):
        return told.run_without_answer(engine, str(error))
    if is_interrupt(error):
        return told.run_without_answer(engine, INTERRUPTED)
    raise error


def render_text(engine: Engine[Any], run: Run) -> str:
    """Return the text that the command prints of a run."""
    from rich.console import Console

    kept = io.StringIO()
    target = Console(file=kept, width=WIDTH, highlight=False, markup=False, emoji=False)
    for line in engine.render(run, WIDTH, full=False):
        target.print(line, soft_wrap=True)
    return printable_text(kept.getvalue())


def _import_known(modules: list[str]) -> None:
    """Import the modules that a run needed. One that cannot be imported here is left to the runs."""
    for name in (*modules, *_OF_SEARCHES):
        with suppress(Exception):
            import_module(name)


def is_final(content: Mapping[str, Any]) -> bool:
    """True if the same question has the same answer again: no verdict is open, and none an error."""
    results = content["results"]
    return bool(results) and all(
        one["verdict"] in _KEPT_VERDICTS or one["reason"] == LEFT_TO_LIVE for one in results
    )
