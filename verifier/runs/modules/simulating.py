"""Random executions of a module by the interpreter: their violations, lengths and actions.

As for a translated module (``engines/simulate``), each step is chosen uniformly among the ways to take one. A
step property is violated if any step from a reached state violates it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from verifier.engines.outcome import Outcome
from verifier.engines.simulate import UP_TO_VIOLATION, Progress
from verifier.errors import UsageError
from verifier.printable import say_count
from verifier.processes.limits import Interrupted
from verifier.runs.modules.counting import count_formulas
from verifier.runs.modules.exploring import check_begins, make_no_initial_state_error
from verifier.runs.modules.guiding import Guide
from verifier.runs.modules.loading import split_properties
from verifier.runs.modules.module_question import BudgetExceeded, ModuleQuestion, run_within_limits
from verifier.runs.modules.policy import POLICY
from verifier.runs.modules.shortening import Shortener
from verifier.runs.modules.traces import report_violation
from verifier.runs.modules.translating import with_operators
from verifier.runs.modules.undefined_places import whereabouts
from verifier.runs.modules.verdicts import replay_verdict, temporal_verdicts
from verifier.runs.modules.walked_states import Look, WalkedStates
from verifier.runs.options import INTERPRETER
from verifier.runs.question import Answer, conclude
from verifier.runs.semantics import name_semantics
from verifier.runs.simulate import ENGINE, SimulateOptions
from verifier.tla.exploration_result import State, Violation
from verifier.tla.frames import UNSET, Undefined
from verifier.tla.next_parts import Part, parts_of_next
from verifier.tla.property_views import views_by
from verifier.verdict import ENDED_FIRST, Verdict, VerdictKind

if TYPE_CHECKING:
    from verifier.outcomes.run import Run


def check_walks(options: SimulateOptions) -> None:
    """Raise UsageError for counts that the interpreter does not have."""
    if options.histogram:
        by = "--coverage" if options.coverage else "--by interpreter"
        raise UsageError(f"--histogram is not allowed with {by}: it is about the translation")


def simulate_module(asked: ModuleQuestion, until: float | None = None) -> Run | None:
    """Run the interpreter; None if it is not done ``until`` that processor time of this process. Raises
    UsageError for an expression without a value."""
    walks, reason = _Walks(asked), ""
    try:
        run_within_limits(asked, walks.run, until)
    except BudgetExceeded:
        return None
    except Interrupted as stop:
        reason = str(stop)
    except Undefined as error:
        reason = f"{error}{walks.whereabouts()}"
        if not walks.verdicts:
            raise UsageError(reason) from None
    return walks.conclude(reason)


class _ByPart:
    """Computes the steps from a state by parts of Next."""

    def __init__(self, walks: _Walks, state: State) -> None:
        self._walks, self._state = walks, state
        self.enabled = False
        """True if one of these parts has a step."""

    def __call__(self, number: int) -> list[tuple[State, str]]:
        """Return the ways to take a step by a part."""
        steps = self._walks.take_part(self._state, number)
        self.enabled = self.enabled or bool(steps)
        return steps


class _Walks:
    def __init__(self, asked: ModuleQuestion) -> None:
        self.asked, self.options = asked, asked.question.options
        named, titles = asked.module.specification.module.names, asked.module.definition.titles
        beside = (titles.sorts, *(() if "none" in named else ("none",)))
        self.names = tuple(name for name in asked.question.properties if name not in beside)
        spec = with_operators(asked.module, self.names)
        self.spec = replace(spec, symmetry=[], view=None)
        own = split_properties(self.spec)
        self.counts = count_formulas(asked.module, own, self.names) if self.options.coverage else None
        self.states = WalkedStates(own, self.names, keeps=not self.options.coverage)
        self.stepper = self.states.stepper
        self.explorer, self.evaluator = self.stepper.explorer, own.evaluator
        self.began = self.told = time.monotonic()
        self.chance = Random(self.options.seed)
        self.verdicts: dict[str, Verdict] = {}
        self.traces: dict[str, dict[str, Any]] = {}
        self.path: list[State] = []
        self.ended = self.steps = self.deadlocks = self.cut = 0
        self.violating, self.enabled, self.taken = Counter[str](), Counter[str](), Counter[str]()
        self.lengths = Counter[int]()
        self.parts: list[Part] = []
        self.guide: Guide | None = None
        self.views: dict[str, Callable[[], frozenset[int]]] = {}
        self.counted = {name: Counter[int]() for name in self.options.count_action}

    def run(self) -> None:
        """Walk. Raises Undefined, Interrupted and UsageError."""
        self.explorer.assume()
        initial = self._initial()
        if self.options.guided:
            self.parts = parts_of_next(self.spec)
            labels = [(part.name, part.place) for part in self.parts]
            self.guide = Guide(self.chance, initial, labels, self._views)
            self.views = {
                name: see
                for name, formula in self.spec.invariants.items()
                if name in self.names and (see := views_by(self.evaluator, formula)) is not None
            }
        while self.ended < self.options.walks and (self.guide is None or self.open):
            if self.guide is None:
                self._walk([self.chance.choice(initial)])
            else:
                self._walk_guided(self.guide, self.guide.begin())
            self.ended += 1
            if self.options.first and self.verdicts:
                raise Interrupted(ENDED_FIRST)
            now = time.monotonic()
            if now - self.told > POLICY.quiet_seconds:
                self.told = now
                self.asked.listen(Progress(self.ended, now - self.began))

    def _initial(self) -> list[State]:
        """Return the initial states. All of them may begin an execution; those outside the constraint also
        end it."""
        explorer = self.explorer
        within, explorer.constraints = explorer.constraints, []
        try:
            explorer._initial()
        finally:
            explorer.constraints = within
        check_begins(self.spec, explorer.result)
        states = list(explorer.states)
        with self._pause_counts():
            if not any(self._look(state, first=True).within for state in states):
                raise make_no_initial_state_error(self.spec)
        return states

    @property
    def open(self) -> list[str]:
        """Return the properties that are not violated so far."""
        return [name for name in self.names if name not in self.verdicts]

    def _walk(self, path: list[State]) -> None:
        taken, self.path, state = Counter[str](), path, path[-1]
        while True:
            depth = len(self.path) - 1
            at_end = depth >= self.options.depth
            look = self._look(state, first=not depth)
            self.enabled.update({action for _, action in look.following})
            self.deadlocks += look.within and not look.following
            if self._record_violations(look, at_end) or not look.within:
                break
            self.cut += bool(look.following) and at_end
            if at_end or not look.following:
                break
            before, (state, action) = state, self.chance.choice(look.following)
            self.path.append(state)
            taken[action] += 1
            if not self.stepper.goes_on(before, state):
                self._record_violations(self._look(state, first=False), at_end=True)
                break
        self._count(taken)

    def _walk_guided(self, guide: Guide, path: list[State]) -> None:
        """Walk on. Of most states, only the successors by some parts of Next are computed."""
        taken, self.path, state = Counter[str](), path, path[-1]
        most = guide.limit(len(path) - 1, self.options.depth)
        while True:
            depth = len(self.path) - 1
            violates, within = self._test(state, first=not depth)
            if self._record([(name, self.path) for name in violates]) or not within:
                break
            if depth >= most:
                self.cut += 1
                break
            parts = _ByPart(self, state)
            step = guide.step(state, parts, self._goes_on)
            if step is None:
                self._note_deadlock(stuck=not parts.enabled)
                break
            guide.arrive(state, depth)
            before, (state, action) = state, step
            self.path.append(state)
            taken[action] += 1
            if not self.stepper.goes_on(before, state):
                self._record([(name, self.path) for name in self._test(state, first=False)[0]])
                break
        guide.end(self.path)
        self._count(taken)

    def _note_deadlock(self, *, stuck: bool) -> None:
        """Note the end of a guided walk, unless a step leads back to the same state."""
        self.deadlocks += stuck
        if stuck and self.spec.titles.no_deadlock in self.names:
            self._record([(self.spec.titles.no_deadlock, self.path)])

    def _pause_counts(self) -> AbstractContextManager[None]:
        """Count no formula meanwhile: this is no state that an execution visits."""
        return nullcontext() if self.counts is None else self.counts.pause()

    def _count(self, taken: Counter[str]) -> None:
        """Count a walk that has ended."""
        self.steps += taken.total()
        self.taken += taken
        self.lengths[len(self.path) - 1] += 1
        for name, counter in self.counted.items():
            counter[taken[name]] += 1

    # -- states

    def _look(self, state: State, *, first: bool) -> Look:
        return self.states.look(state, len(self.path) - 1, first=first)

    def _test(self, state: State, *, first: bool) -> tuple[tuple[str, ...], bool]:
        return self.states.test(state, len(self.path) - 1, first=first)

    def _views(self, state: State) -> list[tuple[str, int]]:
        """Return the views of a state that open invariants have."""
        self.evaluator.now[:] = state
        open_views = [(name, see) for name, see in self.views.items() if name not in self.verdicts]
        return [(name, view) for name, see in open_views for view in sorted(see())]

    def _goes_on(self, state: State) -> bool:
        """True if steps may begin in a state, or if it violates a property."""
        violates, within = self._test(state, first=False)
        return within or bool(violates)

    def take_part(self, state: State, number: int) -> list[tuple[State, str]]:
        """Return the ways to take a step by a part of Next from the path's last state."""
        ways = self.stepper.ways_by(self.parts[number], state)
        self.enabled.update({action for _, action in ways})
        if len(self.path) <= self.options.depth:
            breaking = self.states.find_breaking(state, ways)
            self._record([(name, [*self.path, other]) for name, other in breaking.items()])
        return ways

    def whereabouts(self) -> str:
        """Return the place of an undefined value."""
        state = tuple(self.evaluator.now)
        if UNSET in state:
            return ""
        way = [*self.path, *([state] if self.path and state != self.path[-1] else [])]
        return whereabouts(self.spec, state, self.explorer.walks.titles(way))

    # -- violations

    def _record_violations(self, look: Look, at_end: bool) -> bool:
        """Record the violations of a state. Return True if they end the execution."""
        violations = [(name, self.path) for name in look.violates]
        if not at_end:  # the step would exceed the limit
            violations += [(name, [*self.path, other]) for name, other in look.breaking.items()]
        if look.within and not look.following and self.spec.titles.no_deadlock in self.names:
            violations.append((self.spec.titles.no_deadlock, self.path))
        return self._record(violations)

    def _record(self, violations: Sequence[tuple[str, list[State]]]) -> bool:
        new = any(name not in self.verdicts for name, _ in violations)
        for name, states in violations:
            self.violating[name] += 1
            if name not in self.verdicts:
                self._note(name, states)
        # What is beyond a known violation would stay unseen, so guided walks go on there.
        return new if self.guide is not None else bool(violations)

    def _note(self, name: str, states: Sequence[State]) -> None:
        if self.guide is not None:
            states = self._shorten(name, states)
        else:
            of_step = states is not self.path
            states = [*_straight(states[:-1]), states[-1]] if of_step else _straight(states)
        seconds = time.monotonic() - self.began
        with self._pause_counts():
            actions = list(self.explorer.walks.actions(states))
            violation = Violation(name, list(states), actions)
            verdict, self.traces[name] = report_violation(
                self.spec, self.asked.question.definition, violation, seconds
            )
            verdict = replace(verdict, fewest=False, found_by=ENGINE.name)
            self.verdicts[name] = replay_verdict(self.spec, verdict, states)
        self.asked.listen(Progress(self.ended, seconds, name))

    def _shorten(self, name: str, states: Sequence[State]) -> list[State]:
        """Return a shorter execution to such a violation. Guided walks are long."""
        breaks = states is not self.path

        def violates(state: State) -> bool:
            look = self._look(state, first=False)
            if name == self.spec.titles.no_deadlock:
                return look.within and not look.following
            return name in look.breaking if breaks else name in look.violates

        path = _straight(states[:-1] if breaks else states)
        if violates(path[-1]):  # else it is one of an initial state
            path = Shortener(self.stepper.take_steps, violates).shorten(path)
        return [*path, self._look(path[-1], first=False).breaking[name]] if breaks else path

    # -- the end

    def conclude(self, reason: str) -> Run:
        """Return the run."""
        seconds = time.monotonic() - self.began
        words = f"no violation in {self.ended:,} random executions{UP_TO_VIOLATION if self.verdicts else ''}"
        if self.guide is not None:
            actions = f"{say_count(self.steps, 'action')}, at most {self.guide.deepest} in a row"
            words = f"no violation in {self.ended:,} guided walks ({actions})"
        why = f"{reason}; {words}" if reason else words
        verdicts = [
            self.verdicts.get(name) or Verdict(name, VerdictKind.INCONCLUSIVE, None, seconds, why)
            for name in self.names
        ]
        verdicts += temporal_verdicts(self.spec, self.asked.named)
        names = [action.name for action in self.asked.module.definition.actions]
        never = tuple(name for name in names if not self.enabled[name])
        enabled = tuple(name for name in self.enabled if self.enabled[name])
        outcome = Outcome(tuple(verdicts), never, self._statistics(names, seconds), enabled)
        question = self.asked.question
        made = conclude(question, Answer(None, 0.0, outcome), ENGINE.name, depth=self.options.depth)
        return name_semantics(INTERPRETER, replace(made, traces=self.traces))

    def _statistics(self, names: Sequence[str], seconds: float) -> dict[str, Any]:
        guide = self.guide

        def counts(counter: Counter[int]) -> dict[str, int]:
            return {str(value): counter[value] for value in sorted(counter)}

        return {
            "walks": self.ended,
            "steps": self.steps,
            "steps_per_second": round(self.steps / seconds) if seconds else None,
            "walks_at_deadlock": self.deadlocks,
            "walks_cut_at_depth": self.cut,
            "walks_violating": {name: self.violating[name] for name in self.names},
            "walks_reaching": {},
            "actions": {n: {"enabled": self.enabled[n], "taken": self.taken[n]} for n in names},
            "lengths": counts(self.lengths) if guide is None else {},
            "action_counts": {name: counts(counter) for name, counter in self.counted.items()},
            "histograms": {},
            **({"restarts": guide.restarts, "deepest": guide.deepest} if guide is not None else {}),
            **({} if self.counts is None else self.counts.as_statistics()),
        }


def _straight(states: Sequence[State]) -> list[State]:
    """Return an execution to the same state without cycles."""
    last = {state: place for place, state in enumerate(states)}
    straight, place = list[State](), 0
    while place < len(states):
        place = last[states[place]]
        straight.append(states[place])
        place += 1
    return straight
