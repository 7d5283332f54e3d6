"""Many logs: each judged by itself, in this process or in several."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from verifier.conform.functions import load_function
from verifier.conform.logs import LogError, read_lines, read_log
from verifier.conform.machine import Machine
from verifier.conform.mapping import (
    Mapped,
    constants_of,
    mapping_of_states,
    merge_logs,
    read_mapping,
    read_mapping_file,
)
from verifier.conform.outcome import Conformance, LogVerdict
from verifier.conform.search import MOST_STATES, Search
from verifier.conform.standard_input import STANDARD_INPUT, as_file, read_input
from verifier.errors import UsageError
from verifier.files import read_text
from verifier.processes.children import Work
from verifier.processes.interrupts import INTERRUPTED, describe_stop, hold_interrupts, is_stop_asked
from verifier.processes.limits import Interrupted, Limits
from verifier.processes.pool import Task, TaskResult, run_tasks
from verifier.processes.watching import Watched
from verifier.runs.loaded import TLA, Loaded, ReadingOptions

if TYPE_CHECKING:
    from verifier.cluster.session import SparkSettings

ITF = ".itf.json"
_NO_EVENTS = "the log has no events, so this shows nothing"
Judge: TypeAlias = Callable[[Path], LogVerdict]
_Judging: TypeAlias = tuple[Judge, Sequence[Path]]
"""The function, and the logs: several files may be one."""
Tell: TypeAlias = Callable[[LogVerdict], None]
"""Hears of each verdict as it comes."""


@dataclass(frozen=True)
class LogQuestion:
    """A question about logs: the specification, and how it is compared with them."""

    spec: str
    mapping: Path | Mapping[str, Any] | None = None
    """A file in TOML or Python, or the content of one."""
    variable: str | None = None
    """The environment variable through which a module gets its log."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    reading: ReadingOptions = field(default_factory=ReadingOptions)
    max_states: int | None = None
    timeout: float | None = None
    covers: bool = False
    """True if accepted logs say what they cover."""


def load_machine(question: LogQuestion, constants: Mapping[str, Any] | None = None) -> Machine:
    """Load a specification for the search over logs. ``constants``: those of a mapping."""
    settings, reading = {**(constants or {}), **question.settings}, question.reading
    if question.spec.endswith(TLA):
        from verifier.conform.modules import ModuleMachine
        from verifier.runs.modules.loading import load as load_module

        return ModuleMachine(load_module(question.spec, settings, reading.config, reading.libraries))
    from verifier.conform.protocols import ProtocolMachine
    from verifier.runs.loading import load

    return ProtocolMachine(load(question.spec, settings).definition)


def make_judge(question: LogQuestion, logs: Sequence[Path]) -> _Judging:
    """Return the function that judges a log, and the logs. Raises UsageError for a question that cannot be
    asked."""
    if question.mapping is not None:
        if question.variable is not None:
            raise UsageError("--env is for a module that reads its log, and --map for one that does not")
        content, name = _content(question.mapping)
        machine = load_machine(question, constants_of(content, name))
        return _judge_by_mapping(machine, content, name, logs, question)
    if _are_executions(logs):
        return _judge_executions(load_machine(question), question), logs
    return _judge_by_module(question), logs


def make_machine(loaded: Loaded) -> Machine:
    """Return a specification that is loaded, for steps from any state."""
    if loaded.source is None:
        from verifier.conform.protocols import ProtocolMachine

        return ProtocolMachine(loaded.definition)
    from verifier.conform.modules import ModuleMachine
    from verifier.runs.modules.source import TlaSource

    assert isinstance(loaded.source, TlaSource)
    return ModuleMachine(loaded.source.module)


def judge_logs_with(
    loaded: Loaded,
    question: LogQuestion,
    logs: Sequence[Path],
    jobs: int = 1,
    spark: SparkSettings | None = None,
) -> list[LogVerdict]:
    """Return the verdict on each log, of a specification that is loaded. Executors of Spark load it again
    from the question, and so does a module that reads its log. Raises UsageError."""
    mapping = question.mapping
    if mapping is not None:
        content, name = _content(mapping)
        if "constants" in content:
            raise UsageError(f"{name}: constants are given to load, and not in the mapping")
    reads_itself = mapping is None and not _are_executions(logs)
    if spark is not None or reads_itself:
        return judge_logs(question, logs, jobs, spark=spark)
    machine = make_machine(loaded)
    if mapping is None:
        judge = _judge_executions(machine, question)
    else:
        judge, logs = _judge_by_mapping(machine, content, name, logs, question)
    return _judge_all(judge, logs, question.timeout, jobs, lambda _: None)


def _are_executions(logs: Sequence[Path]) -> bool:
    return bool(logs) and all(log.name.endswith(ITF) for log in logs)


def _judge_executions(machine: Machine, question: LogQuestion) -> Judge:
    mapped = mapping_of_states(machine.variables)
    return _make_search(machine, mapped, question).judge


def _make_search(machine: Machine, mapped: Mapped, question: LogQuestion) -> Search:
    """Return the search over logs: of a protocol, the one that can ask a solver."""
    most = question.max_states or MOST_STATES
    if not machine.is_symbolic:
        return Search(machine, mapped, most, covers=question.covers)
    from verifier.conform.by_solver import SolverSearch

    return SolverSearch(machine, mapped, most, covers=question.covers)


def _judge_by_mapping(
    machine: Machine,
    content: Mapping[str, Any],
    name: str,
    logs: Sequence[Path],
    question: LogQuestion,
) -> _Judging:
    mapped = read_mapping(content, name, machine.actions, machine.variables, machine.invariants)
    search = _make_search(machine, mapped, question)
    if mapped.clock is None:
        return _judge_by_search(search), logs
    clock = mapped.clock
    together = Path(", ".join(map(str, logs)))

    def judge(log: Path) -> LogVerdict:
        return search.judge_list(log, merge_logs([(one, read_log(one)) for one in logs], clock))

    return judge, [together]


def _content(mapping: Path | Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """Return the content of a mapping, and its name for errors."""
    if isinstance(mapping, Path):
        return load_function(mapping) if mapping.suffix == ".py" else read_mapping_file(mapping), str(mapping)
    return mapping, "the mapping"


def _judge_by_search(search: Search) -> Judge:
    def judge(log: Path) -> LogVerdict:
        if log == STANDARD_INPUT:
            return search.judge_events(log, read_lines(log, read_input()))
        return search.judge(log)

    return judge


def _judge_by_module(question: LogQuestion) -> Judge:
    from verifier.conform.log_variables import choose_variable
    from verifier.conform.trace_modules import TraceModule

    if not question.spec.endswith(TLA):
        words = "Give a mapping with --map FILE; --draft proposes one"
        raise UsageError(f"{question.spec} does not read its log itself. {words}")
    reading = question.reading
    name = choose_variable(Path(question.spec), reading.libraries, question.variable)
    module = TraceModule(
        question.spec, name, question.settings, reading.config, reading.libraries,
        question.max_states, question.covers,
    )  # fmt: skip

    def judge(log: Path) -> LogVerdict:
        with as_file(log) as file:
            try:
                return replace(module.judge(file), log=str(log))
            except LogError as error:
                raise LogError(log, error.line, error.words, text=error.text) from None

    return judge


def judge_logs(
    question: LogQuestion,
    logs: Sequence[Path],
    jobs: int = 1,
    tell: Tell = lambda _: None,
    spark: SparkSettings | None = None,
) -> list[LogVerdict]:
    """Return the verdict on each log. ``jobs``: the number of processes. ``spark``: judge several logs on
    Spark instead. Raises UsageError for a question that cannot be asked, or if Spark fails. A log that cannot
    be judged has a verdict too."""
    try:
        judge, one_by_one = make_judge(question, logs)
    except UsageError:
        _name_missing(logs)
        raise
    if spark is None or len(one_by_one) < 2:
        return _judge_all(judge, one_by_one, question.timeout, jobs, tell)
    from verifier.conform.on_spark import judge_on_spark

    if STANDARD_INPUT in logs:
        raise UsageError("the log - is standard input, which Spark does not read: judge it without --master")
    part = partial(_judge_part, _with_whole_paths(question))
    verdicts = judge_on_spark(part, [log.resolve() for log in logs], spark)
    named = ((number, replace(verdict, log=str(logs[number]))) for number, verdict in verdicts)
    return _keep_verdicts(logs, named, tell)


def _name_missing(logs: Sequence[Path]) -> None:
    """Raise UsageError for a log that cannot be read, if there is one."""
    for log in logs:
        if log != STANDARD_INPUT:
            read_text(log)


def _with_whole_paths(question: LogQuestion) -> LogQuestion:
    """Return the question for a process that is started in another folder."""
    here = Path.cwd()
    spec = str(here / question.spec) if Path(question.spec).is_file() else question.spec
    mapping = question.mapping
    mapping = here / mapping if isinstance(mapping, Path) else mapping
    return replace(question, spec=spec, mapping=mapping, reading=question.reading.beside(here))


def _judge_part(question: LogQuestion, logs: Sequence[tuple[int, Path]]) -> list[tuple[int, LogVerdict]]:
    """Judge some logs in a process that has not read the specification."""
    judge, _ = make_judge(question, [log for _, log in logs])
    return [(number, _judge(judge, log, question.timeout, alone=False)) for number, log in logs]


def _judge_all(
    judge: Judge, logs: Sequence[Path], timeout: float | None, jobs: int, tell: Tell
) -> list[LogVerdict]:
    several = jobs > 1 and len(logs) > 1
    verdicts = (
        _judge_in_processes(judge, logs, timeout, jobs) if several else _judge_here(judge, logs, timeout)
    )
    return _keep_verdicts(logs, verdicts, tell)


def _keep_verdicts(
    logs: Sequence[Path], verdicts: Iterator[tuple[int, LogVerdict]], tell: Tell
) -> list[LogVerdict]:
    """Return the verdict on each log, with its number. Those that the user's signal leaves out are
    undecided."""
    kept: list[LogVerdict | None] = [None for _ in logs]
    try:
        for number, verdict in verdicts:
            if verdict.reason == INTERRUPTED:  # by a process that was ended by this one
                verdict = replace(verdict, reason=describe_stop())  # noqa: PLW2901
            kept[number] = verdict
            tell(verdict)
    except KeyboardInterrupt:
        if not is_stop_asked():
            raise
    words = describe_stop()
    return [one or _make_undecided_verdict(log, words) for one, log in zip(kept, logs, strict=True)]


def _judge_here(
    judge: Judge, logs: Sequence[Path], timeout: float | None
) -> Iterator[tuple[int, LogVerdict]]:
    for number, log in enumerate(logs):
        yield number, _judge(judge, log, timeout, alone=len(logs) == 1)


def _judge_in_processes(
    judge: Judge, logs: Sequence[Path], timeout: float | None, jobs: int
) -> Iterator[tuple[int, LogVerdict]]:
    """Judge each log in a process of its own, some at a time. Yield the verdicts as they come."""
    works = [_work(judge, log, timeout) for log in logs]
    tasks = [Task(str(number), work, Limits()) for number, work in enumerate(works)]
    for done in run_tasks(tasks, jobs):
        number = int(done.name)
        yield number, next(iter(done.reported), None) or _make_unreported_verdict(logs[number], done)


def _make_unreported_verdict(log: Path, done: TaskResult) -> LogVerdict:
    """Return the verdict on a log whose process ended without one."""
    if done.failure:
        return LogVerdict(str(log), Conformance.ERROR, 0, 0, reason=done.failure, seconds=done.seconds)
    return replace(_make_undecided_verdict(log, done.limit or "its process ended"), seconds=done.seconds)


def _work(judge: Judge, log: Path, timeout: float | None) -> Work:
    def work(report: Callable[[LogVerdict], None], _: Connection) -> None:
        report(_judge(judge, log, timeout, alone=False))

    return work


def _judge(judge: Judge, log: Path, timeout: float | None, *, alone: bool) -> LogVerdict:
    """Return the verdict on a log. If it is ``alone``, an error that is not about the log is raised."""
    began = time.monotonic()
    try:
        verdict = _judge_within(judge, log, Limits(timeout).begin())
        nothing = verdict.verdict is Conformance.ACCEPTED and not verdict.lines
        return replace(verdict, reason=_NO_EVENTS) if nothing else verdict
    except LogError as error:
        line, text = error.line, error.text
        words = error.words if error.log == log else str(error)  # of one of the files that are merged
    except UsageError as error:
        if alone:
            raise
        line, text, words = None, "", str(error).removeprefix(f"{log}: ")
    seconds = time.monotonic() - began
    return LogVerdict(str(log), Conformance.ERROR, 0, 0, line, text, words, seconds=seconds)


def _judge_within(judge: Judge, log: Path, limits: Limits) -> LogVerdict:
    """Judge a log until the time is over, or the user asks to stop; then it is undecided.

    A signal is held back, so that the search ends by its limits and says how far it came. Standard input is
    read for an unknown time, in which only the signal itself is heard: it is the end of that log.
    """
    watched, began = Watched(limits.check_time), time.monotonic()
    if is_stop_asked():
        return _make_undecided_verdict(log, describe_stop())
    verdict = None
    try:
        with nullcontext() if log == STANDARD_INPUT else hold_interrupts(), watched:
            verdict = judge(log)
    except (KeyboardInterrupt, Interrupted) as stop:  # the latter while the log is read
        if isinstance(stop, KeyboardInterrupt) and not is_stop_asked():
            raise
    if verdict is None:  # the log or the specification was still being read
        verdict = replace(_make_undecided_verdict(log, describe_stop()), seconds=time.monotonic() - began)
    if verdict.verdict is Conformance.UNDECIDED and (watched.reason or is_stop_asked()):
        return replace(verdict, reason=_describe_end(watched.reason))
    if verdict.verdict is Conformance.ACCEPTED and is_stop_asked():
        return replace(verdict, verdict=Conformance.UNDECIDED, reason=describe_stop())
    return verdict


def _describe_end(reason: str) -> str:
    """Return which limit or signal ended the search, and how a limit is raised. The search has no other limit
    of time than the user's."""
    if is_stop_asked() and not reason.startswith("timeout"):
        return describe_stop()
    return f"{reason}: raise --timeout" if reason.startswith("timeout") else reason


def _make_undecided_verdict(log: Path, reason: str) -> LogVerdict:
    return LogVerdict(str(log), Conformance.UNDECIDED, 0, 0, reason=reason)
