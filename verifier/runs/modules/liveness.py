"""Temporal properties of a module, decided by the interpreter: fair loops in the graph of all states.

So a module is decided that cannot be translated, as in TLC. A lasso is judged (``replaying``) by evaluating
the formulas on this one execution.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import psutil

from verifier.engines.choices import LiveEngine
from verifier.engines.exploration_progress import Progress
from verifier.engines.fair_loops import explain_no_loop, explain_no_loop_within
from verifier.engines.proofs import ProveOutcome
from verifier.errors import UsageError
from verifier.processes.limits import Interrupted
from verifier.runs.live import LiveOptions
from verifier.runs.modules.constraint_bounds import is_constrained
from verifier.runs.modules.endless import name_all_growing
from verifier.runs.modules.exploring import check_begins, list_enabled_actions
from verifier.runs.modules.fair_loops import Loops, Ring
from verifier.runs.modules.growth import Growth
from verifier.runs.modules.loading import temporal_named
from verifier.runs.modules.module_question import BudgetExceeded, ModuleQuestion, run_within_limits
from verifier.runs.modules.policy import POLICY
from verifier.runs.modules.undefined_places import locate_undefined_value, whereabouts
from verifier.runs.news import Known
from verifier.runs.options import INTERPRETER
from verifier.runs.question import Answer, conclude
from verifier.runs.semantics import name_semantics
from verifier.runs.unbounded import explain_loops_of_view
from verifier.specs.temporal import NO_FAIRNESS
from verifier.tla.checks import list_evaluated_formulas
from verifier.tla.explorer import Explorer
from verifier.tla.frames import UNSET, Undefined
from verifier.tla.lasso import Lasso
from verifier.tla.specification import Specification
from verifier.tla.splitting import Safety
from verifier.tla.state_graph import Graph, Recorder
from verifier.tla.unfolding import Fair, Several, Unfolded, negation, split_fairness, unfold_formula
from verifier.trust.trace import ActionTaken, Loop, Trace
from verifier.verdict import ENDED_FIRST, Verdict, VerdictKind

if TYPE_CHECKING:
    from verifier.outcomes.run import Run

_EXPLORES = (LiveEngine.AUTO, LiveEngine.EXPLICIT)


def explores(options: LiveOptions) -> bool:
    """True if the options ask for exploration or leave the choice open."""
    return options.engine in _EXPLORES and options.explore and options.solver is None


def check_explores(options: LiveOptions) -> None:
    """Raise UsageError if the options ask for another way."""
    if not explores(options):
        words = f"--engine {options.engine}" if options.engine not in _EXPLORES else "--no-explore, --solver"
        raise UsageError(f"--by interpreter explores all states, so it does not go with {words}")


def check_liveness(asked: ModuleQuestion, until: float | None = None) -> Run | None:
    """Run the interpreter; None if it is not done ``until`` that processor time of this process. Raises
    UsageError for an expression without a value."""
    search, verdicts, reason = _Live(asked), list[Verdict](), ""
    try:
        search, verdicts = run_within_limits(asked, partial(_search_early, asked, search), until)
        left = search.leave_out(verdicts)
        if verdicts and asked.question.options.first:
            reason, left = ENDED_FIRST, []
        if left and search.loops is None:
            run_within_limits(asked, search.explore, until)
        for name in left:
            verdicts.append(run_within_limits(asked, partial(search.decide_verdict, name), until))
            if asked.question.options.first and verdicts[-1].kind is VerdictKind.VIOLATED:
                reason = ENDED_FIRST
                break
        if search.undefined and all(verdict.property_name in search.undefined for verdict in verdicts):
            raise UsageError(next(iter(search.undefined.values())))
    except BudgetExceeded:
        return None
    except Interrupted as stop:
        reason = str(stop)
    except Undefined as error:
        reason = f"{error}{search.whereabouts()}"
        if all(verdict.trace is None for verdict in verdicts):
            raise UsageError(reason) from None  # the violations found stand
    return search.run(verdicts, reason)


def _search_early(asked: ModuleQuestion, search: _Live) -> tuple[_Live, list[Verdict]]:
    """Return the search that goes on, and the properties that loops among the first states violate. Raises
    BudgetExceeded, Interrupted."""
    early = _search_first_states(asked)
    if early is None:
        return search, []
    verdicts = early.find_violations()
    if early.explorer.result.complete or len(verdicts) == len(search.names):
        return early, verdicts
    search.traces |= early.traces
    if verdicts:
        told = early.run(verdicts, "")
        asked.listen(Known(replace(told, outcome=replace(told.outcome, verdicts=tuple(verdicts)))))
    return search, verdicts


def _search_first_states(asked: ModuleQuestion) -> _Live | None:
    """Return the search of the first states and loops; None if it cannot be repeated. A loop among them is a
    loop of the whole graph, which may take long. Raises BudgetExceeded, Interrupted."""
    spec, options = asked.module.specification, asked.question.options
    analysis = spec.evaluator.analysis
    formulas = [*list_evaluated_formulas(spec), *spec.fairness]
    if options.max_states is not None or any(analysis.of(one.body, one.module).changing for one in formulas):
        return None
    search = _Live(asked, POLICY.states_before_loops)
    try:
        search.explore()
    except Undefined:  # the search of all states tells it
        return None
    return search


class _Live:
    """Decides the properties of a question, one after the other, in one graph."""

    def __init__(self, asked: ModuleQuestion, first_states: int | None = None) -> None:
        """``first_states``: look only at so many."""
        self.asked, self.options, self._first_states = asked, asked.question.options, first_states
        self.names = asked.question.properties
        self.spec = replace(asked.module.specification, symmetry=[], view=None)
        self.began = self.told = time.monotonic()
        self.explorer = Explorer(
            self.spec,
            properties=(),
            keep_going=True,
            max_states=self.options.max_states if first_states is None else first_states,
            enforce=self._tell,
        )
        self.recorder = Recorder(self.explorer)
        self.growth = Growth([variable.name for variable in self.spec.variables])
        self.is_bounded = False
        """True if what grew was found to have a bound in the CONSTRAINT."""
        self.traces: dict[str, Mapping[str, Any]] = {}
        self.loops: Loops | None = None
        self.undefined: dict[str, str] = {}
        """For each property that has no value in some step: the reason."""

    def _tell(self, explorer: Explorer) -> None:
        self._end_if_view_hides_growth(explorer)
        now = time.monotonic()
        if now - self.told > POLICY.quiet_seconds:
            self.told = now
            waiting = explorer.count - explorer.current - 1
            self.asked.listen(Progress(explorer.level, explorer.count, waiting, now - self.began))

    def _end_if_view_hides_growth(self, explorer: Explorer) -> None:
        """Raise Interrupted if states have no end and the module has a VIEW, as if its author knew."""
        view, limited = self.asked.module.specification.view, self.options.max_states is not None
        if view is None or limited or self.is_bounded:
            return
        growing = self.growth.look(explorer)
        if growing and explorer.count > POLICY.states_of_hidden_growth:
            growing = name_all_growing(self.spec, growing) if is_constrained(self.spec) else growing
            self.is_bounded = not growing
            if growing:
                raise Interrupted(explain_loops_of_view(growing))

    def whereabouts(self) -> str:
        """Return the place where an expression had no value."""
        if self.loops is None:
            return locate_undefined_value(self.explorer)
        state = tuple(self.spec.evaluator.now)
        return "" if UNSET in state else whereabouts(self.spec, state, None)

    def explore(self) -> None:
        """Find all states, or the first ones. Raises Undefined, Interrupted, BudgetExceeded."""
        self.explorer.assume()
        try:
            self.explorer.explore()
        except Interrupted:
            self.asked.question.limits.check_time()
            if self._first_states is None or self.explorer.count < self._first_states:
                raise
        check_begins(self.spec, self.explorer.result)
        graph: Graph = self.recorder.graph(self.explorer, self.asked.question.limits.check_time)
        self.loops = Loops(graph)

    def leave_out(self, verdicts: Sequence[Verdict]) -> list[str]:
        """Return the properties without these verdicts."""
        known = {verdict.property_name for verdict in verdicts}
        return [name for name in self.names if name not in known]

    def find_violations(self) -> list[Verdict]:
        """Return the properties that loops violate, or the first one if that is asked. Other properties stay
        open. Raises Interrupted."""
        found = list[Verdict]()
        for name in self.names:
            if found and self.options.first:
                break
            with suppress(Undefined):
                ring, conditions, seconds = self._find_ring(name)
                if ring is not None:
                    verdict = self._conclude_violated(name, ring, conditions, seconds)
                    found += [verdict] if verdict.kind is VerdictKind.VIOLATED else []
        return found

    def _find_ring(self, name: str) -> tuple[Ring | None, tuple[Fair, ...], float]:
        """Return a fair loop that violates a property, the fairness conditions, and the seconds."""
        assert self.loops is not None
        began, evaluator = time.monotonic(), self.spec.evaluator
        conditions, others = self._fairness
        safety = _property(self.spec, name)
        claim = Several(True, tuple(unfold_formula(evaluator, one) for one in safety.parts))
        ring = self.loops.find(Several(True, (*conditions, *others, negation(claim))))
        return ring, conditions, time.monotonic() - began

    @cached_property
    def _fairness(self) -> tuple[tuple[Fair, ...], tuple[Unfolded, ...]]:
        """Return the required fairness conditions, and the other assumptions on executions."""
        formulas = () if self.options.fairness == NO_FAIRNESS else self.spec.fairness
        return split_fairness(self.spec.evaluator, formulas)

    @cached_property
    def _has_fair_loop(self) -> bool:
        """True if there is a loop with the required fairness, whatever properties say. Raises Interrupted."""
        assert self.loops is not None
        conditions, others = self._fairness
        return self.loops.find(Several(True, (*conditions, *others))) is not None

    def decide_verdict(self, name: str) -> Verdict:
        """Return the verdict on a property. It is inconclusive if the property has no value: others may have
        one. Raises Interrupted, BudgetExceeded and UsageError."""
        try:
            return self.verdict(name)
        except Undefined as error:
            self.undefined[name] = f"{error}{self.whereabouts()}"
            return Verdict(name, VerdictKind.INCONCLUSIVE, None, 0.0, self.undefined[name])

    def verdict(self, name: str) -> Verdict:
        """Return the verdict on a property. Raises Undefined, Interrupted, BudgetExceeded and UsageError."""
        assert self.loops is not None
        ring, conditions, seconds = self._find_ring(name)
        count, spec = len(self.loops.graph.states), self.spec
        if ring is None:
            if spec.constraints or spec.action_constraints:
                reason = explain_no_loop_within(count, is_vacuous=not self._has_fair_loop)
                return Verdict(name, VerdictKind.HOLDS, count, seconds, reason, found_by=INTERPRETER)
            words = explain_no_loop(count)
            depth = self.explorer.result.depth
            return Verdict(name, VerdictKind.PROVED, depth, seconds, words, found_by=INTERPRETER)
        return self._conclude_violated(name, ring, conditions, seconds)

    def _conclude_violated(
        self, name: str, ring: Ring, conditions: Sequence[Fair], seconds: float
    ) -> Verdict:
        """Return the verdict from an execution, which is judged."""
        from verifier.runs.modules.traces import as_aliased, as_file, module_trace, with_loop
        from verifier.runs.modules.verdicts import replay_verdict

        assert self.loops is not None
        spec, definition = self.spec, self.asked.question.definition
        states = [self.loops.graph.states[number] for number in ring.states]
        stutters = ring.start == len(states) - 1
        actions = list(self.explorer.walks.actions(states))
        trace, closing = module_trace(spec, definition, name, states, actions), None
        if not stutters:
            last = [states[-1], states[ring.start]]
            taken = list(self.explorer.walks.actions(last))
            (closing,) = module_trace(spec, definition, name, last, taken).actions
        lasso = Lasso(spec.evaluator, states, ring.start)
        met = tuple((one.label, self._reason(one, lasso, trace, closing)) for one in conditions)
        trace = replace(trace, loop=Loop(ring.start, closing, self.options.fairness, met))
        file = with_loop(as_file(spec, definition, trace, states), spec, trace, states)
        self.traces[name] = file
        trace = as_aliased(spec, trace, file, states)
        verdict = Verdict(name, VerdictKind.VIOLATED, trace.steps, seconds, trace=trace, found_by=INTERPRETER)
        return replay_verdict(_judging(spec), verdict, states)

    def _reason(self, one: Fair, lasso: Lasso, trace: Trace, closing: ActionTaken | None) -> str:
        """Return the reason why the loop meets a condition."""
        actions = [*trace.actions, *([] if closing is None else [closing])]
        taken = lasso.truths(one.step) if closing is not None else []
        for place in range(lasso.start, len(taken)):
            if taken[place]:
                return f"taken in the loop, by {actions[place]} from state {place}"
        enabled = lasso.truths(one.enabled)
        free = [place for place in range(lasso.start, len(enabled)) if not enabled[place]]
        if len(free) == len(enabled) - lasso.start:
            return "enabled in no state of the loop"
        return f"not enabled in state {free[0]}" if free else "not met"  # the judge will find it

    def run(self, verdicts: Sequence[Verdict], ended: str) -> Run:
        """Return the run. ``ended``: the reason why it ended before all is decided."""
        question, result = self.asked.question, self.explorer.result
        left = self.leave_out(verdicts)
        verdicts = [*verdicts, *(Verdict(n, VerdictKind.INCONCLUSIVE, None, 0.0, ended) for n in left)]
        enabled, never = list_enabled_actions(result, self.asked.module.definition)
        count = self.explorer.count
        statistics = {
            "peak_memory_bytes": int(psutil.Process().memory_info().rss),
            "distinct_states": count,
            "generated_states": result.generated,
            "depth": max(result.depth, 0),
            "complete": result.complete,
            "properties": {name: {"distinct_states": count} for name in self.names},
        }
        outcome = ProveOutcome(
            tuple(verdicts), tuple(sorted(never)) if result.complete else (), statistics, enabled
        )
        made = conclude(question, Answer(None, 0.0, outcome), self.asked.engine.name)
        return name_semantics(INTERPRETER, replace(made, traces=self.traces))


def _property(spec: Specification, name: str) -> Safety:
    known = {one: safety for one, safety in spec.properties.items() if safety.liveness}
    return known.get(name) or temporal_named(spec, name, list(known))


def _judging(spec: Specification) -> Specification:
    """Return the specification for judging an execution. A constraint that mentions the search, as by TLCGet,
    is left out: only the search knows it, and has followed each step."""
    analysis = spec.evaluator.analysis

    def speaks_of_search(formulas: Sequence[Any]) -> bool:
        return any(analysis.of(one.body, one.module).changing for one in formulas)

    constraints = [] if speaks_of_search(spec.constraints) else spec.constraints
    of_steps = [] if speaks_of_search(spec.action_constraints) else spec.action_constraints
    return replace(spec, constraints=constraints, action_constraints=of_steps)
