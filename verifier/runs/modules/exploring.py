"""Runs on TLA+ files: a module with its configuration, explored by the interpreter."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from verifier.engines.exploration_progress import Progress
from verifier.engines.outcome import Outcome
from verifier.errors import UsageError
from verifier.outcomes.expectations import exit_code, parse_expectations
from verifier.outcomes.labeled_graph import LabeledExploration, LabeledGraph
from verifier.outcomes.run import Run, origin
from verifier.processes.limits import INTERRUPTED, Interrupted, Limits
from verifier.processes.watching import Watched
from verifier.runs.engine import Listen
from verifier.runs.explore_options import ExploreOptions
from verifier.runs.modules.asked_properties import prepare_properties
from verifier.runs.modules.counting import count_formulas
from verifier.runs.modules.endless import explain_growth, name_all_growing
from verifier.runs.modules.exploration_figures import describe_exploration
from verifier.runs.modules.growth import Growth
from verifier.runs.modules.kept_exploration import describe_files, open_keeper
from verifier.runs.modules.loading import (
    TlaDefinition,
    TlaLoaded,
    evaluate_or_refuse,
    no_initial_state,
)
from verifier.runs.modules.memory_watch import MemoryWatch
from verifier.runs.modules.policy import POLICY
from verifier.runs.modules.sharing import Sharing, share
from verifier.runs.modules.undefined_places import locate_undefined_value
from verifier.runs.news import Known, Remark
from verifier.runs.option import record_options
from verifier.runs.options import check_ends
from verifier.runs.unbounded import explain_no_end
from verifier.tla.begun import Begun
from verifier.tla.exploration_result import ExplorationResult
from verifier.tla.explorer import ENDED_BY_MODULE, Explorer
from verifier.tla.formula_counts import FormulaCounts
from verifier.tla.frames import Undefined
from verifier.tla.order import text
from verifier.tla.specification import Specification
from verifier.tla.splitting import Formula
from verifier.verdict import (
    COMPLETE,
    ENDED_FIRST,
    FOUND_ALL,
    LEFT_TO_LIVE,
    NEVER_REACHED,
    ONE_OF_EACH_VIEW,
    POSTCONDITION_FALSE,
    Verdict,
    VerdictKind,
)

if TYPE_CHECKING:
    from verifier.tla.state_graph import ActionRecorder
    from verifier.tla.storing.level_keeper import LevelKeeper
    from verifier.tla.workers.level_choice import ByWorkers

PERIOD = 60.0
"""The seconds between two evaluations of _PERIODIC, as in TLC."""


def explore(
    loaded: TlaLoaded,
    options: ExploreOptions,
    listen: Listen = lambda _: None,
    begun: Begun | None = None,
) -> Run:
    """Explore, and return a run. ``begun``: continue another search, if it found the same states. Raises
    UsageError for an expression without a value."""
    if options.symmetry:
        raise UsageError("--symmetry is not allowed for a TLA+ file: its configuration says SYMMETRY")
    check_ends(options)
    loaded, properties, checked = prepare_properties(loaded, options)
    named = [action.name for action in loaded.definition.actions]
    expectations = parse_expectations(options.expect, properties, named, loaded.definition.titles.no_deadlock)
    limits = Limits(options.timeout, options.memory, loaded.began)

    def make_run(outcome: Outcome, traces: dict[str, dict[str, Any]]) -> Run:
        return Run(
            engine="explore",
            definition=loaded.definition,
            model=None,
            options={"properties": list(properties), **record_options(options)},
            depth=outcome.statistics.get("depth", 0),
            solvers=(),
            outcome=outcome,
            seconds=time.monotonic() - loaded.began,
            building_seconds=search.started - loaded.began,
            exit_code=exit_code(outcome.verdicts, expectations, outcome.enabled),
            expected=options.expect,
            missing=expectations.never_enabled(outcome.enabled),
            origin=origin(),
            traces=traces,
        )

    with open_keeper(loaded, options, properties) as keeper, share(loaded, options, checked) as sharing:
        search = _Search(loaded, options, properties, limits, listen, begun)
        search.checked, search.keeper, search.sharing = checked, keeper, sharing
        search.known = lambda verdict, trace: listen(
            Known(make_run(Outcome((verdict,), (), {}), {verdict.property_name: trace}))
        )
        return make_run(search.outcome(), search.traces)


def list_enabled_actions(
    result: ExplorationResult, definition: TlaDefinition
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the actions that some explored state enables. The others follow, if a whole level was
    explored."""
    taken = (*result.taken, *sorted(result.at_the_end))
    enabled = tuple(dict.fromkeys(name.partition("(")[0] for name in taken))
    others = tuple(action.name for action in definition.actions if action.name not in enabled)
    return enabled, others if result.closed >= 0 else ()


def check_begins(spec: Specification, result: ExplorationResult) -> None:
    """Raise UsageError if all was explored and no execution begins: every claim would hold."""
    if spec.next is None or result.initial:
        return
    if not result.generated:
        raise no_initial_state(spec)
    raise make_no_initial_state_error(spec)


def make_no_initial_state_error(spec: Specification) -> UsageError:
    """Return the error for a constraint that no initial state satisfies."""
    words = "the constraint excludes every initial state, so that nothing can happen: let it admit one"
    return UsageError(f"{spec.module.name}: {words}")


class _Search:
    def __init__(
        self,
        loaded: TlaLoaded,
        options: ExploreOptions,
        properties: tuple[str, ...],
        limits: Limits,
        listen: Listen,
        begun: Begun | None,
    ) -> None:
        self.loaded, self.options, self.properties = loaded, options, properties
        self.limits, self.listen, self.begun = limits, listen, begun
        self.spec = loaded.specification
        self.looked = time.monotonic()
        """The time of the last evaluation of _PERIODIC."""
        self.started, self.started_cpu = time.monotonic(), time.process_time()
        self.told, self.said, self.told_in_full = 0.0, set[str](), set[str]()
        self.known: Callable[[Verdict, dict[str, Any]], None] = lambda verdict, trace: None
        """A callback for violations with their executions, as they are found."""
        names = [variable.name for variable in self.spec.variables]
        self.growth = Growth(names)
        self.late_growth = Growth(names, sample=POLICY.late_growth_sample)
        self.is_bounded = False
        """True if what grew was found to have a bound in the CONSTRAINT."""
        self.memory = MemoryWatch(limits.memory, listen)
        self.reason = ""
        self.traces: dict[str, dict[str, Any]] = {}
        self.counts: FormulaCounts | None = None
        self.coverage: dict[str, Any] = {}
        self.workers: ByWorkers | None = None
        self.keeper: LevelKeeper | None = None
        """Keeps the levels in files, if that is asked for."""
        self.checked: tuple[str, ...] = ()
        """The properties that are checked in each state and step."""
        self.sharing = Sharing()

    def outcome(self) -> Outcome:
        if self.options.coverage:
            self.counts = count_formulas(self.loaded, self.spec, self.checked)
        explorer = Explorer(
            self.spec,
            properties=self.checked,
            keep_going=self.options.keep_going,
            first=self.options.first,
            max_states=self.options.max_states,
            max_depth=self.options.depth,
            enforce=self._enforce,
            by_columns=not (self.options.graph or self.options.coverage),
            begun=None if self.options.graph or self.keeper is not None else self.begun,
            keeper=self.keeper,
            workers=self.sharing.workers,
            runner=self.sharing.runner,
        )
        self.workers = explorer.workers
        for words in self.sharing.say_who_begins(self.workers):
            self.listen(Remark(words))
        recorder = _record_actions(explorer) if self.options.graph else None
        self._run(lambda: self._watch(explorer))
        if self.keeper is not None:
            self._run(partial(self.keeper.close, explorer))
        if idle := self._explain_idle_workers(explorer):
            self.listen(Remark(f"one process explored: {idle}"))
        if self.counts is not None:  # before formulas are evaluated again for executions
            self.coverage = self.counts.as_statistics()
        is_bounded = self.options.depth is not None
        self.reason = explain_growth(self.spec, self.reason, self.late_growth, is_bounded=is_bounded)
        if explorer.continued is not None:
            self.started -= explorer.continued.seconds
            self.started_cpu -= explorer.continued.cpu_seconds
        if explorer.result.complete and not explorer.result.violations:
            check_begins(self.spec, explorer.result)
        evaluate_or_refuse(explorer.name_actions)
        verdicts = tuple(self._verdict(explorer, name) for name in self.properties)
        verdicts += tuple(self._postcondition(explorer, *one) for one in self.spec.postconditions.items())
        verdicts += tuple(self._possible(explorer, name) for name in self.spec.possible)
        enabled, never = list_enabled_actions(explorer.result, self.loaded.definition)
        graph = None if recorder is None else _label_graph(explorer, recorder)
        return LabeledExploration(
            verdicts, never, self.coverage | self._figures(explorer, never), enabled, graph
        )

    def _watch(self, explorer: Explorer) -> None:
        with Watched(self._check_limits):
            evaluate_or_refuse(lambda: self._explore(explorer))

    def _run(self, work: Callable[[], None]) -> None:
        """Do work. If it ends early, remember the first reason."""
        reason = ""
        try:
            work()
        except Interrupted as stop:
            reason = str(stop)
        except KeyboardInterrupt:
            reason = INTERRUPTED
        except MemoryError:
            reason = "out of memory"
        self.reason = self.reason or reason

    def _explain_idle_workers(self, explorer: Explorer) -> str:
        """Return the reason why workers that were asked for did nothing; empty if they did, or could not."""
        workers = explorer.workers
        if not self.sharing.asked or workers is None or workers.why_alone or workers.first_level is not None:
            return ""
        columns = explorer.columns.search is not None
        if columns and self.sharing.runner is not None:
            return "array operations explored the large levels"
        return "the exploration by columns was short" if columns else "the exploration was short"

    def _figures(self, explorer: Explorer, never: Sequence[str]) -> dict[str, Any]:
        seconds, cpu_seconds = time.monotonic() - self.started, time.process_time() - self.started_cpu
        figures = describe_exploration(explorer, never, seconds, cpu_seconds)
        figures |= describe_files(explorer, self.keeper)
        figures |= self.sharing.describe(self.workers, self._explain_idle_workers(explorer))
        return figures | {"peak_memory_bytes": self.memory.measure_peak()}

    def _postcondition(self, explorer: Explorer, name: str, formula: Formula) -> Verdict:
        """Return the verdict on a formula that TLC evaluates once, when all states were explored or the
        module ended the search."""
        seconds, depth = time.monotonic() - self.started, max(explorer.result.depth, 0)
        if not (explorer.result.complete or self.reason == ENDED_BY_MODULE):
            words = "the postcondition is evaluated when all states were looked at"
            return Verdict(name, VerdictKind.INCONCLUSIVE, depth, seconds, words)
        try:
            held = evaluate_or_refuse(self.spec.evaluator.compile_truth(formula.body, formula.module))
        except UsageError as error:  # the results of the search stand
            return Verdict(name, VerdictKind.INCONCLUSIVE, depth, seconds, str(error))
        if held:
            reason = COMPLETE if explorer.result.complete else ENDED_BY_MODULE
            return Verdict(name, VerdictKind.HOLDS, depth, seconds, reason)
        return Verdict(name, VerdictKind.VIOLATED, depth, seconds, POSTCONDITION_FALSE)

    def _possible(self, explorer: Explorer, name: str) -> Verdict:
        """Return the verdict whether a state or a step satisfied a formula of _POSSIBLE."""
        assert explorer.possible is not None
        seconds, depth = time.monotonic() - self.started, max(explorer.result.depth, 0)
        count = explorer.possible.counts.get(name, 0)
        if count:
            words = "once" if count == 1 else f"{count} times"
            return Verdict(name, VerdictKind.REACHED, depth, seconds, f"true {words}")
        if explorer.result.complete:
            return Verdict(name, VerdictKind.VIOLATED, depth, seconds, NEVER_REACHED)
        return Verdict(name, VerdictKind.INCONCLUSIVE, depth, seconds, self.reason or FOUND_ALL)

    def _explore(self, explorer: Explorer) -> None:
        try:
            explorer.assume()
            explorer.explore()
        except Undefined as error:
            error.state = locate_undefined_value(explorer)
            if not explorer.result.violations:
                raise
            self.reason = str(error)  # earlier violations stand

    def _check_limits(self) -> None:
        self.limits.check_time()
        self.memory.check(0 if self.workers is None else self.workers.memory)

    def _enforce(self, explorer: Explorer) -> None:
        self._check_limits()
        self.memory.advise(explorer, keeps_all=self.options.graph)
        for words in self.sharing.say_who_continues(self.workers):
            self.listen(Remark(words))
        now, result = time.monotonic(), explorer.result
        new = (name for name in result.violations if name not in self.said)
        for name in sorted(new, key=lambda name: len(result.violations[name].states)):
            self.said.add(name)
            self.listen(self._progress(explorer, name))
        if not explorer.walking:
            self._after_violations(explorer)
            self._look_periodically(now)
            if now - self.started > POLICY.seconds_before_growth:
                self.late_growth.look(explorer)
        if now - self.told > POLICY.quiet_seconds:
            self.told = now
            self.listen(self._progress(explorer))

    def _look_periodically(self, now: float) -> None:
        """Evaluate _PERIODIC once a minute. Raises Interrupted if it is false, which also ends TLC."""
        formula = self.spec.periodic
        if formula is None or now - self.looked < PERIOD:
            return
        self.looked = now
        if not self.spec.evaluator.compile_truth(formula.body, formula.module)():
            raise Interrupted(f"_PERIODIC is false ({formula.body.place})")

    def _after_violations(self, explorer: Explorer) -> None:
        """Report violations in full. End a search for others that has no bound in sight."""
        from verifier.runs.modules.traces import report_violation

        violations, options = explorer.result.violations, self.options
        for name in violations.keys() - self.told_in_full:
            self.told_in_full.add(name)
            with suppress(Undefined):
                actions = list(explorer.walks.actions(violations[name].states))
                one = replace(violations[name], actions=actions)
                self.known(
                    *report_violation(self.spec, self.loaded.definition, one, time.monotonic() - self.started)
                )
        bounded = options.depth is not None or options.max_states is not None
        if violations and not options.keep_going and not bounded:
            growing = self.growth.look(explorer)
            if explain_no_end(options, violations, growing) and not self.is_bounded:
                stop = explain_no_end(options, violations, name_all_growing(self.spec, growing))
                self.is_bounded = not stop
                if stop:
                    raise Interrupted(stop)

    def _progress(self, explorer: Explorer, violated: str | None = None) -> Progress:
        frontier = explorer.count - explorer.current - 1
        seconds, depth = time.monotonic() - self.started, explorer.level
        if violated is not None:  # violated by a successor of the current state
            depth = len(explorer.result.violations[violated].states) - 1
        return Progress(depth, explorer.count, frontier, seconds, violated)

    def _verdict(self, explorer: Explorer, name: str) -> Verdict:
        from verifier.runs.modules.traces import report_violation

        result, seconds = explorer.result, time.monotonic() - self.started
        violation = result.violations.get(name)
        if violation is not None:
            verdict, self.traces[name] = report_violation(
                self.spec, self.loaded.definition, violation, seconds
            )
            return verdict
        depth = result.closed if result.closed >= 0 else None
        if name in self.spec.properties and self.spec.properties[name].liveness:
            return Verdict(name, VerdictKind.INCONCLUSIVE, depth, seconds, LEFT_TO_LIVE)
        if result.complete:
            reason = COMPLETE if self.spec.view is None else ONE_OF_EACH_VIEW
            return Verdict(name, VerdictKind.HOLDS, max(result.depth, 0), seconds, reason)
        if self.options.depth is not None and result.closed >= self.options.depth:
            return Verdict(name, VerdictKind.HOLDS, depth, seconds)
        reason = self.reason or (ENDED_FIRST if self.options.first else FOUND_ALL)
        return Verdict(name, VerdictKind.INCONCLUSIVE, depth, seconds, reason)


def _record_actions(explorer: Explorer) -> ActionRecorder:
    from verifier.tla.state_graph import ActionRecorder

    return ActionRecorder(explorer)


def _label_graph(explorer: Explorer, recorder: ActionRecorder) -> LabeledGraph:
    """Return the explored states and steps as text. An execution whose states are not all in the graph, since
    a constraint excludes one, is left out."""
    order = explorer.evaluator.order
    states = [tuple(text(value, order) for value in state) for state in explorer.states]
    ways: dict[str, list[int]] = {}
    for name, violation in explorer.result.violations.items():
        numbers = [explorer.known.find(state)[1] for state in violation.states]
        if None not in numbers:
            ways[name] = [number for number in numbers if number is not None]
    variables = tuple(explorer.names)
    return LabeledGraph(variables, states, explorer.result.initial, recorder.steps, tla=True, ways=ways)
