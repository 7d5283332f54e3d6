"""A portfolio of engines on one spec: each in a process of its own, until all properties are decided."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from verifier.engines.choices import StepsChoice
from verifier.errors import UsageError
from verifier.outcomes.checked import is_decided
from verifier.outcomes.run import Run
from verifier.outcomes.unbounded import has_ended_without_end
from verifier.outcomes.undefined_values import remove_state
from verifier.printable import join_words
from verifier.processes.children import ChildEnded, Children, Message
from verifier.processes.cores import cores
from verifier.processes.interrupts import is_hurried
from verifier.processes.limits import INTERRUPTED, Interrupted
from verifier.processes.memory_shares import MemoryShares
from verifier.runs.building import build_model
from verifier.runs.check_children import Built, News, Refusal, SoFar, make_work
from verifier.runs.check_merge import (
    EngineReport,
    combine_reports,
    conclude_check,
    keep_told_executions,
    merge,
)
from verifier.runs.check_plan import BMC, EXPLORE, LIVE, PROVE, WALKS, Plan, plan, sub_options
from verifier.runs.check_reports import describe_effort, needs_memory
from verifier.runs.check_time import has_time
from verifier.runs.engine import Listen, engine_named
from verifier.runs.news import Known, Remark
from verifier.runs.options import AUTO, INTERPRETER, TRANSLATION
from verifier.runs.question import Question
from verifier.runs.unbounded import is_about_loops_of_view
from verifier.system.deadlock import with_deadlock
from verifier.verdict import ENDED_FIRST, VerdictKind

if TYPE_CHECKING:
    from verifier.system.model import Model

_PROVERS_WAIT = 2.0
"""Seconds of exploration before the provers start. Most models of users are explored by then, and each prover
takes a core."""
_TRANSLATION_WAITS = 10.0
"""Seconds in which the interpreter alone searches for loops of a module. It has completed most graphs by
then. For graphs with many states, the translation is faster."""
_TRANSLATED = f"{LIVE}, translated"
_GIVES_WAY = 15
"""The lower priority of provers and translations. An exploration that ends decides more, and it ends sooner
if nothing takes its core."""
_YOUNG_SECONDS = 30.0
"""The time after which exploration has no priority any more: it may have no end."""
_WALKS_FIRST_SECONDS, _WALKS_GIVE_WAY = 15.0, 10
"""The time after which guided walks of a hunt have a lower priority than its bounded searches, and by how
much. Walks find most of what they find at once. Searches need a whole core for what is deep and rare."""
_EXPLORED_FIRST_SECONDS = 5.0
"""The time after which exploration gives way in a hunt. A small spec is explored by then, and nothing is left
to hunt."""
_TRANSLATION_GIVES_WAY = 5
"""The lower priority of a hunt by the translation of a module: the interpreter walks while it is made."""
_LEAST_HUNTERS = 2
_STRIDE = 4
"""The parallel steps between two questions of every other bounded search of a hunt. The others ask after each
step: they find shallow violations sooner, and these deep ones."""
_HUNTED_DEPTH = 10_000
"""The limit of actions of an execution: a hunt is only limited by its time."""
_MOST_WALKS, _WALKED = 1_000_000_000, 200
"""The number of guided walks, and the most actions of one."""
_TRANSLATED_WALKS = f"{WALKS}, translated"
_POLL_SECONDS = 0.2
_LAST_WORDS_SECONDS = 5.0
"""The time for an engine to report its results after an interrupt."""


@dataclass
class Portfolio:
    """The engines of a check, and their reports."""

    question: Question[Any]
    plan: Plan
    listen: Listen
    reports: dict[str, EngineReport] = field(default_factory=dict)
    so_far: dict[str, EngineReport] = field(default_factory=dict)
    """The final verdicts of engines that have not reported, and may never come to that."""
    refusals: dict[str, str] = field(default_factory=dict)
    ended: str = ""
    """The limit, the interrupt or the violation that ended the check; empty if none did."""
    _began: float = field(default_factory=time.monotonic)
    _seeds: dict[str, int] = field(default_factory=dict)
    """The seed of each bounded search of a hunt."""
    _walkers: list[str] = field(default_factory=list)
    """The guided walks of a hunt by the interpreter, besides the first."""
    _hunted: bool = False
    """True once the bounded searches of a hunt were started, or walks in their place."""
    _told: dict[str, VerdictKind] = field(default_factory=dict)
    """The verdicts that were told."""
    _decided: dict[str, float] = field(default_factory=dict)
    """The seconds of the check after which each property was decided."""
    _given: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)
    """The engine and the options of each child."""
    _starved: set[str] = field(default_factory=set)
    """The children that ended for lack of memory."""
    _translated: bool = False
    """True if the translation was asked about temporal properties besides the interpreter."""
    _equal: bool = False
    """True once exploration has no priority over the provers any more."""
    _explored_first: bool = False
    """True once exploration gives way in a hunt."""
    _walked_first: bool = False
    """True once the guided walks of a hunt give way to its bounded searches."""

    def __post_init__(self) -> None:
        # An engine ends by itself at the limits, and reports what it closed. This is for one that hangs.
        self.children = Children(replace(self.question.limits, with_grace=True), nested=True)
        self.memory = MemoryShares(self.question.options.memory)

    def run(self) -> None:
        """Run the engines until all is decided, nothing is left to run, or a limit or interrupt occurs."""
        source = self.question.loaded.source
        for words in source.warnings if source is not None else ():
            self.listen(Remark(words))
        if source is not None:
            # Children share what is loaded before they are forked, and each child of a module needs this.
            import verifier.runs.modules.strategy  # noqa: F401

        with self.children:
            try:
                self._start_first()
                while not self.ended and self._goes_on:
                    self._start_provers_in_time()
                    self._start_translation_in_time()
                    self._end_priority_in_time()
                    self._restart_starved()
                    self._hear(_POLL_SECONDS)
                    self._end_superfluous()
                    self.ended = self._enough
            except Interrupted as limit:
                self.ended = str(limit)
            except KeyboardInterrupt:
                self.ended = INTERRUPTED
            if self.ended and self.ended in (INTERRUPTED, self._enough):
                self._hear_last_words()

    @property
    def _goes_on(self) -> bool:
        return bool(self.children.running or self._may_prove or self._may_translate or self._starved)

    # -- start of engines

    def _start_first(self) -> None:
        if self.plan.explores:
            properties, given = self.plan.plan_exploration(self.question)
            self._start(EXPLORE, properties, **given)
        if self.plan.temporal:
            own = {"by": INTERPRETER} if self._chooses_semantics else {}
            self._start(LIVE, self.plan.temporal, **own)
        if self.question.options.find_bugs and self.plan.safety:
            self._walk_guided()

    def _walk_guided(self) -> None:
        """Start guided walks and, unless a module must be translated first, bounded searches. The interpreter
        of a module begins at once and supports the whole language; its translation walks faster, and a solver
        looks ahead. Bounded searches wait for the first translation: each makes its own, and a large module
        may be refused after half a minute."""
        if not self._chooses_semantics:
            self._walk(WALKS, self.question.options.seed)
            self._walk_instead() if self.question.options.by == INTERPRETER else self._hunt_all()
            return
        self._walk(WALKS, self.question.options.seed, by=INTERPRETER)
        self._walk(_TRANSLATED_WALKS, self.question.options.seed, by=TRANSLATION)

    def _walk(self, name: str, seed: int, **by: Any) -> None:
        given = {"walks": _MOST_WALKS, "depth": _WALKED, "guided": True, "seed": seed, **by}
        self._start(WALKS, tuple(self._open_safety), name, **given)

    def _hunt_all(self) -> None:
        """Start the bounded searches of a hunt, once."""
        seeds = [] if self._hunted else range(self._hunters)
        self._hunted = True
        for number in seeds:
            self._hunt(self.question.options.seed + number)

    def _walk_instead(self) -> None:
        """Start walks by the interpreter in the place of bounded searches: there is no translation."""
        seeds = [] if self._hunted else range(1, self._hunters)
        self._hunted = True
        for number in seeds:
            seed = self.question.options.seed + number
            self._walkers.append(f"{WALKS}, seed {seed}")
            self._walk(self._walkers[-1], seed, by=INTERPRETER)

    @property
    def _hunters(self) -> int:
        """Return the number of bounded searches that run side by side."""
        return max(_LEAST_HUNTERS, cores()) if self.question.options.find_bugs else 0

    def _hunt(self, seed: int) -> None:
        """Start a search by parallel steps for open properties. It ends at the first violation and then
        starts again, so that no other search waits for it."""
        name = f"{BMC}, seed {seed}"
        self._seeds[name] = seed
        given = {"steps": StepsChoice.PARALLEL.value, "depth": _HUNTED_DEPTH, "first": True, "seed": seed}
        given["stride"] = _STRIDE if (seed - self.question.options.seed) % 2 else 1
        if self.question.loaded.source is not None:
            given["by"] = TRANSLATION
        self._start(BMC, self._open_safety, name, **given)

    @property
    def _chooses_semantics(self) -> bool:
        """True if the spec is a module and no semantics is asked for."""
        question, options = self.question, self.question.options
        return question.loaded.source is not None and options.by == AUTO and bool(options.explore)

    @property
    def _open_safety(self) -> list[str]:
        verdicts = merge(self.plan, self.reports)
        return [name for name in self.plan.safety if not is_decided(verdicts.get(name))]

    @property
    def _may_prove(self) -> bool:
        started = PROVE in self.reports or PROVE in self.refusals or PROVE in self.children.running
        asks = not self.question.options.find_bugs and not self.plan.by_view
        may_start = not started and asks and has_time(self.question.limits)
        return may_start and bool(self.plan.safety) and bool(self._open_safety)

    def _start_provers_in_time(self) -> None:
        waited = time.monotonic() - self._began > _PROVERS_WAIT
        if self._may_prove and (waited or EXPLORE not in self.children.running):
            explores = self.question.options.explore and EXPLORE not in self.children.running
            self._start(PROVE, tuple(self._open_safety), explore=explores)

    def _end_priority_in_time(self) -> None:
        """Lower the priority of exploration to that of the provers once it is no longer young. In a hunt, do
        so sooner; then lower that of the walks below that of the bounded searches."""
        if not self._equal and time.monotonic() - self._began > _YOUNG_SECONDS:
            self._equal = True
            for name in (EXPLORE, LIVE):
                self.children.give_way(name, _GIVES_WAY)
        if not self.question.options.find_bugs:
            return
        if not self._explored_first and time.monotonic() - self._began > _EXPLORED_FIRST_SECONDS:
            self._explored_first = True
            self.children.give_way(EXPLORE, _GIVES_WAY)
        if not self._walked_first and time.monotonic() - self._began > _WALKS_FIRST_SECONDS:
            self._walked_first = True
            for name in (WALKS, _TRANSLATED_WALKS):
                self.children.give_way(name, _WALKS_GIVE_WAY)

    @property
    def _open_temporal(self) -> list[str]:
        verdicts = merge(Plan((), self.plan.temporal), self.reports)
        return [name for name in self.plan.temporal if not is_decided(verdicts.get(name))]

    @property
    def _may_translate(self) -> bool:
        """True if the translation may decide properties that the interpreter has not decided yet."""
        report = self.reports.get(LIVE)
        reasons = [one.reason for one in report.outcome.verdicts] if report is not None else []
        if any(map(is_about_loops_of_view, reasons)) or not has_time(self.question.limits):
            return False
        return self._chooses_semantics and not self._translated and bool(self._open_temporal)

    def _start_translation_in_time(self) -> None:
        waited = time.monotonic() - self._began > _TRANSLATION_WAITS
        if self._may_translate and (waited or LIVE not in self.children.running):
            self._translated = True
            self._start(LIVE, self._open_temporal, _TRANSLATED, by=TRANSLATION)

    def _start(self, engine: str, properties: Sequence[str], name: str = "", **given: Any) -> None:
        parts = self.plan.explores + (1 + self._hunters + self._chooses_semantics) * bool(self.plan.safety)
        parts += (1 + self._chooses_semantics) * bool(self.plan.temporal)
        name = name or engine
        self._given[name] = engine, given
        self._start_with(name, properties, self.memory.give(name, 1 / parts))

    def _start_with(self, name: str, properties: Sequence[str], memory: int | None) -> None:
        engine, given = self._given[name]
        own = sub_options(self.question, engine, properties, memory=memory, **given)
        work = make_work(self.question, engine_named(engine), own, name, self._give_way(name))
        self.children.start(name, work)

    def _restart_starved(self) -> None:
        """Start engines that lacked memory again, once others have ended and left theirs."""
        for name in sorted(self._starved - set(self.children.running)):
            engine, _ = self._given[name]
            properties = self._open_temporal if engine == LIVE else self._open_safety
            memory = self.memory.give_more(name, self.children.running)
            if memory is not None and properties and has_time(self.question.limits):
                self.listen(Remark(f"{name}: starting again with {memory / 2**20:,.0f} MiB of memory"))
                self._start_with(name, properties, memory)
            elif self.children.running and properties:
                continue  # others may still leave theirs
            self._starved.discard(name)

    def _give_way(self, name: str) -> int:
        """Return how much lower the priority of an engine is from its beginning."""
        if not self.question.options.find_bugs:
            return _GIVES_WAY if name in (PROVE, _TRANSLATED) else 0
        walks = name == WALKS or name in self._walkers
        return 0 if walks or self.question.loaded.source is None else _TRANSLATION_GIVES_WAY

    # -- reports of engines

    def _hear(self, seconds: float) -> None:
        for event in self.children.poll(seconds):
            match event:
                case Message(name, EngineReport() as report):
                    self._take(name, report)
                    self._tell()
                case Message(_, Built(name)):
                    if name == _TRANSLATED_WALKS:
                        self._hunt_all()
                case Message(_, SoFar(report)):
                    self.so_far[report.engine] = combine_reports(self.so_far.get(report.engine), report)
                    self._tell()
                case Message(name, Refusal() as refusal):
                    if refusal.of_spec:
                        raise UsageError(refusal.reason)
                    self.refusals[name] = refusal.reason
                    self._replace_translation(name)
                    names = self.plan.temporal if name in (LIVE, _TRANSLATED) else self.plan.safety
                    words = f"The engine {name} cannot decide {join_words(names, 'or')}"
                    self.listen(Remark(f"{words}: {remove_state(refusal.reason)}"))
                case Message(_, News() | Remark() as news):
                    self.listen(news)
                case ChildEnded(name, failure):
                    self.listen(News.end_of(name))
                    if failure is not None:
                        self.refusals[name] = f"its process failed: {failure}"
                        self._replace_translation(name)

    def _replace_translation(self, name: str) -> None:
        """Let the interpreter walk on another core if a module has no translation to be searched."""
        if name == _TRANSLATED_WALKS and self._open_safety and has_time(self.question.limits):
            self._walk_instead()

    def _take(self, name: str, report: EngineReport) -> None:
        """Take a report. A search that found one violation continues with the open properties."""
        before = self._open_safety
        effort = describe_effort(report.engine, report.outcome)
        if effort and self.question.options.find_bugs:
            report = replace(report, efforts={name: effort})
        report = keep_told_executions(self.so_far.get(report.engine), report)
        self.reports[report.engine] = combine_reports(self.reports.get(report.engine), report)
        if needs_memory(report.outcome.verdicts) and name not in self._seeds:
            self._starved.add(name)
        goes_on = 0 < len(self._open_safety) < len(before) and not self.question.options.first
        if name in self._seeds and goes_on:
            self.children.kill(name)
            self._hunt(self._seeds[name])

    @property
    def known(self) -> dict[str, EngineReport]:
        """Return what each engine reported. Of one that has not, the verdicts that are final."""
        return {**self.so_far, **self.reports}

    def _tell(self) -> None:
        """Tell the verdicts that are newly decided: the check may be ended by force at any time."""
        run = conclude_check(self.question, self.plan, self.known, self.refusals, self.ended)
        decided = {one.property_name: one for one in run.outcome.verdicts if is_decided(one)}
        new = tuple(one for name, one in decided.items() if self._told.get(name) is not one.kind)
        self._told |= {one.property_name: one.kind for one in new}
        self._decided |= {one.property_name: time.monotonic() - self._began for one in new}
        if new:
            self.listen(Known(replace(run, outcome=replace(run.outcome, verdicts=new))))

    def time_verdicts(self, run: Run) -> Run:
        """Return the run with the seconds of the check after which each verdict was known: an engine counts
        its own alone."""
        elapsed = time.monotonic() - self._began
        timed = (
            replace(one, seconds=self._decided.get(one.property_name, elapsed))
            for one in run.outcome.verdicts
        )
        return replace(run, outcome=replace(run.outcome, verdicts=tuple(timed)))

    def _hear_last_words(self) -> None:
        """Let the engines report once they are interrupted, unless the user asks a second time."""
        until = time.monotonic() + _LAST_WORDS_SECONDS
        self.children.limits = replace(self.children.limits, after_interrupt=True)
        for name in self.children.running:
            self.children.interrupt(name)
        try:
            while self.children.running and time.monotonic() < until and not is_hurried():
                self._hear(_POLL_SECONDS)
        except (Interrupted, KeyboardInterrupt):
            return

    @property
    def _enough(self) -> str:
        """Return the reason why the results of an engine end the check; empty if it continues."""
        verdicts = [verdict for report in self.reports.values() for verdict in report.outcome.verdicts]
        if self.question.options.first and any(one.kind is VerdictKind.VIOLATED for one in verdicts):
            return ENDED_FIRST
        return next((one.reason or "" for one in verdicts if has_ended_without_end(one.reason)), "")

    def _end_superfluous(self) -> None:
        """End the engines whose properties are decided."""
        if self.plan.safety and not self._open_safety:
            self._kill(PROVE, WALKS, _TRANSLATED_WALKS, *self._walkers, *self._seeds)
            if not (self.plan.postconditions or self.plan.coverage):
                self._kill(EXPLORE)
        if self.plan.temporal and not self._open_temporal:
            self._kill(LIVE, _TRANSLATED)

    def _kill(self, *names: str) -> None:
        for name in names:
            if name in self.children.running:
                self.children.kill(name)


def run(question: Question[Any], listen: Listen, built: Callable[[Model], None]) -> Run:
    """Run a check. Raises UsageError if an expression of a module has no value."""
    portfolio = Portfolio(question, plan(question), listen)
    if question.ended is None:
        try:
            portfolio.run()
        except KeyboardInterrupt:  # between its parts; what it heard stays
            portfolio.ended = INTERRUPTED
    if set(portfolio.refusals) and not portfolio.known and not portfolio.ended:
        raise UsageError(next(iter(portfolio.refusals.values())))
    done = conclude_check(question, portfolio.plan, portfolio.known, portfolio.refusals, portfolio.ended)
    done = portfolio.time_verdicts(done)
    if question.loaded.source is not None and not question.options.find_bugs:
        with suppress(KeyboardInterrupt):  # the verdicts stand
            done = question.loaded.source.name_growing_variables(done)  # engines may have had no time for it
    if question.loaded.source is not None or all(verdict.trace is None for verdict in done.outcome.verdicts):
        return done
    try:
        model = build_model(question.definition)  # explains the executions
        return replace(done, model=with_deadlock(model) if question.deadlock else model)
    except KeyboardInterrupt:  # the verdicts stand, and their executions are written
        return done
