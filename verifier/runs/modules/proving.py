"""Proofs by the interpreter, for modules that translate slowly or not at all.

Every reachable state is explored, and explored again in another way.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import psutil

from verifier.engines.choices import EngineChoice
from verifier.engines.proofs import ProveOutcome
from verifier.engines.search_by_exploring import NAME as EXPLORING
from verifier.engines.state_space import Explored, explore_twice
from verifier.errors import UsageError
from verifier.processes.limits import Interrupted
from verifier.runs.modules.bounded_checking import interpreter_properties
from verifier.runs.modules.checkpoints import covers_violations, replay_violations
from verifier.runs.modules.exploring import list_enabled_actions
from verifier.runs.modules.growth import growing_ahead
from verifier.runs.modules.module_question import BudgetExceeded, ModuleQuestion, run_within_limits
from verifier.runs.modules.policy import POLICY
from verifier.runs.modules.translating import with_operators
from verifier.runs.modules.undefined_places import locate_undefined_value
from verifier.runs.modules.verdicts import SettledVerdicts, temporal_verdicts
from verifier.runs.news import Known, Remark
from verifier.runs.options import INTERPRETER
from verifier.runs.prove import describe_exploration
from verifier.runs.prove_options import ProveOptions
from verifier.runs.question import Answer, conclude
from verifier.runs.semantics import name_semantics
from verifier.runs.unbounded import explain_no_end
from verifier.tla.explorer import Explorer
from verifier.tla.frames import Undefined
from verifier.tla.specification import Specification, without_traces
from verifier.tla.translate.sampling import Stepper
from verifier.verdict import ENDED_FIRST, Verdict, VerdictKind

if TYPE_CHECKING:
    from verifier.outcomes.run import Run


def may_explore(asked: ModuleQuestion) -> bool:
    """True if exploration may answer: the options choose no prover, and no invariant is asked for."""
    options = asked.question.options
    if not isinstance(options, ProveOptions) or options.all_constants:
        return False
    return options.explore and options.engine == EngineChoice.AUTO and options.solver is None


def prove_by_exploring(asked: ModuleQuestion, seconds: float = POLICY.interpreter_seconds) -> Run | None:
    """Return the run, if the interpreter explores every state twice: by columns and one by one; else None.
    Each time it may take this number of processor seconds. States are kept whole and compared by all
    variables, so none is taken for another. Raises Interrupted."""
    spec = with_operators(asked.module, asked.question.properties)
    names = interpreter_properties(spec, asked.question.properties)
    if names is None:
        return None
    plain, began = replace(spec, symmetry=[], view=None), time.monotonic()
    space = _InterpretedStates(asked, plain, names, seconds)
    explorer = space.explorer
    try:
        result = explore_twice(space)
        explorer.name_actions()
    except Interrupted as stop:
        return _end_run(asked, plain, explorer, stop, time.monotonic() - began)
    except (BudgetExceeded, Undefined):
        return None
    if not isinstance(result, Explored) or not covers_violations(explorer, asked.question.properties):
        return None
    settled = replay_violations(explorer, plain, asked, result.seconds)
    asked.listen(Remark(f"the interpreter looked at each of the {result.states:,} reachable states, twice"))
    return _make_run(asked, plain, explorer, settled, result)


class _InterpretedStates:
    """The states of a module, by the interpreter: first by columns, then one after the other."""

    def __init__(
        self, asked: ModuleQuestion, spec: Specification, names: tuple[str, ...], seconds: float
    ) -> None:
        self._asked, self._spec, self._names, self._seconds = asked, spec, names, seconds
        self._ends_first = asked.question.options.first
        self.explorer = Explorer(spec, properties=names, keep_going=True, first=self._ends_first)

    def explore(self) -> Explored:
        """Explore all states by columns. Raises BudgetExceeded, Undefined, and Interrupted, also after the
        first violation, if the run ends there."""
        outcome = self._explore_within_limits(self.explorer)
        if self._ends_first and self.explorer.result.violations:
            raise Interrupted(ENDED_FIRST)
        return outcome

    def explore_again(self) -> Explored:
        """Explore all states one after the other. Raises BudgetExceeded, Undefined or Interrupted."""
        return self._explore_within_limits(
            Explorer(self._spec, properties=self._names, keep_going=True, by_columns=False)
        )

    def _explore_within_limits(self, explorer: Explorer) -> Explored:
        began = time.monotonic()
        _explore(self._asked, explorer, self._seconds)
        return _describe_exploration(explorer, self._names, time.monotonic() - began)


def _explore(asked: ModuleQuestion, explorer: Explorer, seconds: float) -> None:
    """Explore all states. Raises BudgetExceeded, Undefined or Interrupted."""

    def explore() -> None:
        explorer.assume()
        explorer.explore()

    run_within_limits(asked, explore, time.process_time() + seconds)


def _end_run(
    asked: ModuleQuestion, spec: Specification, explorer: Explorer, stop: Interrupted, seconds: float
) -> Run:
    """Return the run if a limit or the user ends it: violations are known. Raises Interrupted if there are
    none."""
    if not explorer.result.violations or not covers_violations(explorer, asked.question.properties):
        raise stop
    explorer.name_actions()
    settled = replay_violations(explorer, spec, asked, seconds)
    return _report_so_far(asked, spec, explorer, settled, str(stop), seconds)


def _report_so_far(
    asked: ModuleQuestion,
    spec: Specification,
    explorer: Explorer,
    settled: SettledVerdicts,
    reason: str,
    seconds: float,
) -> Run:
    """Return the run with the settled verdicts; the others are open."""
    closed = explorer.result.closed if explorer.result.closed >= 0 else None
    left = {
        name: Verdict(name, VerdictKind.INCONCLUSIVE, closed, seconds, reason)
        for name in asked.question.properties
        if name not in settled.verdicts
    }
    explored = Explored((), explorer.count, max(explorer.result.depth, 0), (), (), seconds)
    return _make_run(asked, spec, explorer, replace(settled, verdicts={**settled.verdicts, **left}), explored)


def look_ahead(asked: ModuleQuestion) -> Run | SettledVerdicts:
    """Report violations in states near the initial ones at once, and what has no value there. A prover may
    take long for the other properties, and forever if a variable is unbounded. Returns the run, if it ends
    there. Raises Interrupted, and UsageError for what has no value before any violation."""
    options, names = asked.question.options, asked.question.properties
    spec = with_operators(asked.module, names)
    own = interpreter_properties(spec, names)
    if own is None:
        return SettledVerdicts()
    plain, began = replace(spec, symmetry=[], view=None), time.monotonic()
    explorer = Explorer(plain, properties=own, keep_going=True, enforce=_look_no_further, by_columns=False)
    try:
        with suppress(BudgetExceeded):
            _explore(asked, explorer, POLICY.seconds_ahead)
        explorer.name_actions()
        result = explorer.result
        if result.complete or not result.violations or not covers_violations(explorer, names):
            return SettledVerdicts()
        seconds = time.monotonic() - began
        settled = replay_violations(explorer, plain, asked, seconds)
        told = _report_so_far(asked, plain, explorer, settled, "", seconds)
        known = tuple(one for one in told.outcome.verdicts if one.property_name in settled.verdicts)
        asked.listen(Known(replace(told, outcome=replace(told.outcome, verdicts=known))))
        reason = ENDED_FIRST if options.first else _explain_growth(asked, explorer, plain)
    except Undefined as error:
        # Provers that see no end may never come to this state.
        reason = f"{error}{locate_undefined_value(explorer)}"
        if not explorer.result.violations:
            raise UsageError(reason) from None
        explorer.name_actions()
        settled = replay_violations(explorer, plain, asked, time.monotonic() - began)
    if reason or settled.verdicts.keys() >= {*names}:
        return _report_so_far(asked, plain, explorer, settled, reason, time.monotonic() - began)
    return settled


def _look_no_further(explorer: Explorer) -> None:
    if explorer.count > POLICY.states_ahead:
        raise BudgetExceeded


def _explain_growth(asked: ModuleQuestion, explorer: Explorer, spec: Specification) -> str:
    """Return the reason why no end is in sight; empty if there is none, or if the run must continue."""
    options = asked.question.options
    if options.keep_going:  # the search would be useless
        return ""
    states, names = explorer.states, [one.name for one in spec.variables]
    until = time.process_time() + POLICY.seconds_ahead
    near = states[: sum(explorer.result.levels[: POLICY.levels_ahead])]
    stepper, initial = Stepper(spec), states[: explorer.result.initial]
    with without_traces(spec):
        growing = run_within_limits(asked, lambda: growing_ahead(stepper, names, initial, near, until))
    return explain_no_end(options, explorer.result.violations, growing)


def _describe_exploration(explorer: Explorer, names: tuple[str, ...], seconds: float) -> Explored:
    """Return the result of a complete exploration."""
    result = explorer.result
    holds = tuple(name for name in names if name not in result.violations)
    depth, levels = max(result.depth, 0), tuple(result.levels)
    return Explored(holds, explorer.count, depth, (), (), seconds, levels=levels)


def _make_run(
    asked: ModuleQuestion,
    spec: Specification,
    explorer: Explorer,
    settled: SettledVerdicts,
    explored: Explored,
) -> Run:
    question, seconds = asked.question, explored.seconds
    verdicts = [
        settled.verdicts.get(name) or Verdict(name, VerdictKind.PROVED, None, seconds, found_by=EXPLORING)
        for name in question.properties
    ]
    verdicts += temporal_verdicts(spec, asked.named)
    enabled, never = list_enabled_actions(explorer.result, asked.module.definition)
    figures = {"states": explored.states, "depth": explored.depth, "seconds": round(explored.seconds, 3)}
    statistics = {
        "provers": {name: {EXPLORING: figures} for name in question.properties},
        "peak_memory_bytes": int(psutil.Process().memory_info().rss),
    }
    outcome = ProveOutcome(tuple(verdicts), tuple(sorted(never)), statistics, enabled)
    proofs = tuple(
        describe_exploration(name, explored) for name in question.properties if name not in settled.verdicts
    )
    made = conclude(question, Answer(None, 0.0, outcome), asked.engine.name, proofs=proofs)
    return name_semantics(INTERPRETER, replace(made, traces=settled.traces))
