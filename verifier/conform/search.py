"""The search for executions that agree with a log: all states that agree with it so far, event by event."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from verifier.conform.coverage import Coverage
from verifier.conform.covering import cover_steps
from verifier.conform.functions import ask_function
from verifier.conform.logs import Event, read_log
from verifier.conform.machine import Fits, Machine, Parameters, State, TooManyInitial
from verifier.conform.mapping import ANY, MISSING, OPTIONAL, Mapped, Rule, Target, check_fields, value_of
from verifier.conform.outcome import RULED_OUT, Conformance, LogVerdict, Obstacle, PathState
from verifier.errors import UsageError
from verifier.processes.limits import Interrupted

MOST_STATES = 20_000
"""The limit of states that agree with a log so far."""
_MOST_SHOWN, _MOST_EXPLAINED, _MOST_OBSTACLES, _MOST_MISFITS = 3, 20, 8, 200


class TooMany(Exception):
    """Raised if too many states agree with a log."""


@dataclass(frozen=True, slots=True)
class Reached:
    """An execution to a state: the step to it, and the execution before."""

    state: State
    before: Reached | None = None
    action: str = ""
    parameters: Parameters = field(default_factory=dict)
    line: int | None = None


Frontier: TypeAlias = dict[State, Reached]
"""The states that agree with the log so far, each with one execution to it."""


@dataclass
class Search:
    """Judges logs by a machine and a mapping."""

    machine: Machine
    mapping: Mapped
    most: int = MOST_STATES
    tick: Callable[[], None] = field(default=lambda: None)
    """A callback for each event. It may raise Interrupted."""
    covers: bool = False
    """True if the verdict on an accepted log has its coverage."""
    _has_exploded: bool = False
    """True if too many states agree with the last log."""
    _admits: Callable[[State], bool] | None = None
    """The test of states that are looked at; None for all."""
    _skipped: list[int] = field(default_factory=list)
    """The lines of the events that the mapping ignores."""

    def judge(self, log: Path) -> LogVerdict:
        """Return the verdict on a log. Raises UsageError if the log and the mapping do not fit together."""
        return self.judge_list(log, read_log(log))

    def judge_list(self, log: Path, events: list[Event]) -> LogVerdict:
        """Return the verdict on the events of a log, all of which are known."""
        began = time.monotonic()
        rules = [self._meaning_of(log, event) for event in events]
        check_fields(log, self.mapping, ((event, rule) for event, rule in rules if rule is not None))
        verdict = self.judge_events(log, events)
        if self._has_exploded:
            verdict = self._judge_exploded(log, events) or verdict
        whole = tuple((one.line, one.text) for one in events)
        events_of = whole if verdict.verdict is not Conformance.ACCEPTED else ()
        skipped = tuple(event.line for event, rule in rules if rule is None)
        seconds = time.monotonic() - began
        return replace(verdict, lines=len(events), events=events_of, skipped=skipped, seconds=seconds)

    def judge_events(self, log: Path, events: Iterable[Event]) -> LogVerdict:
        """Return the verdict on events as they come: an event that is not explained is the last one read.

        Invariants are judged on complete matches: a state from which the log does not go on was never there.
        """
        self._admits, self._has_exploded = None, False
        self._skipped.clear()
        verdict = self._judge_events(log, events)
        return replace(verdict, skipped=tuple(self._skipped))

    def _judge_events(self, log: Path, events: Iterable[Event]) -> LogVerdict:
        seen = list[Event]()
        verdict, frontier = self._search(log, events, seen)
        if verdict.verdict is not Conformance.ACCEPTED or not frontier:
            return verdict
        last = next(iter(frontier.values()))
        violated = self._find_violation(last)
        if violated is None:
            return replace(verdict, coverage=self._measure_coverage(last, log, seen) if self.covers else None)
        self._admits = lambda state: all(self.machine.holds(state, name) for name in self._invariants)
        again, left = self._search(log, seen, [])
        if again.verdict is not Conformance.REJECTED:
            covers = self.covers and left
            last = next(iter(left.values()), last)
            return replace(again, coverage=self._measure_coverage(last, log, seen) if covers else None)
        made = self._violating(log, seen, *violated)
        return replace(made, seconds=verdict.seconds + again.seconds)

    def _violating(self, log: Path, seen: list[Event], reached: Reached, names: list[str]) -> LogVerdict:
        """Return the verdict on a log each execution of which violates an invariant."""
        number = next((i for i, event in enumerate(seen) if event.line == reached.line), 0)
        words = f"false in each execution that agrees with the log: {', '.join(names)}"
        made = self._make_verdict(
            log, Conformance.REJECTED, seen[: number + 1], {reached.state: reached}, words
        )
        why = tuple(one for name in names for one in self.machine.explain_invariant(reached.state, name))
        return replace(made, lines=len(seen), explained=len(seen), violated=tuple(names), obstacles=why)

    def _judge_exploded(self, log: Path, events: list[Event]) -> LogVerdict | None:
        """Return the verdict on a log with which too many states agree; None if there is no other way."""
        return None

    def _measure_coverage(self, last: Reached, log: Path, seen: list[Event]) -> Coverage:
        """Return the coverage of an execution."""
        steps, one = [], last
        while one.before is not None:
            steps.append((one.before.state, one.action, one.parameters))
            one = one.before
        made = cover_steps(self.machine, steps)
        for event in seen if self.mapping.read is None else ():
            rule = self.mapping.rule_of(log, event, self.machine.actions, self.machine.variables)
            read = {path.removesuffix(OPTIONAL).split(".")[0] for path in rule.fields()} if rule else set()
            fields = set(event.fields) - read - {self.mapping.event}
            name = self.mapping.name_of(log, event) if self.mapping.event else "the states"
            if rule is not None:
                made.unread[name] = made.unread.get(name, set()) | fields
        return made

    @property
    def _invariants(self) -> tuple[str, ...]:
        named = self.mapping.invariants
        return self.machine.invariants if named is None else named

    def _find_violation(self, last: Reached) -> tuple[Reached, list[str]] | None:
        """Return the first state of an execution that violates invariants, and which."""
        violation, one = None, last if self._invariants else None
        while one is not None:
            names = [name for name in self._invariants if not self.machine.holds(one.state, name)]
            violation, one = (one, names) if names else violation, one.before
        return violation

    def _search(self, log: Path, events: Iterable[Event], seen: list[Event]) -> tuple[LogVerdict, Frontier]:
        """Return the verdict without invariants, and the states at the end. Events are added to ``seen``."""
        began = time.monotonic()
        try:
            initial = filter(self._is_admitted, self.machine.initial(self.most))
        except TooManyInitial as error:
            self._has_exploded = True
            return LogVerdict(str(log), Conformance.UNDECIDED, 0, 0, reason=str(error)), {}
        frontier: Frontier = {state: Reached(state) for state in initial}

        def make_timed_verdict(verdict: Conformance, states: Frontier, words: str) -> LogVerdict:
            made = self._make_verdict(log, verdict, seen, states, words)
            return replace(made, seconds=time.monotonic() - began)

        for event in events:
            seen.append(event)
            before, first = frontier, self._is_initial(seen)
            try:
                self.tick()
                meant, rule = self._meaning_of(log, event)
                if rule is None:
                    if self._admits is None:  # a second search sees these again
                        self._skipped.append(event.line)
                    continue
                before = frontier if first else self._with_silent(frontier)
                after = self._at_first(before, meant) if first else self._after(before, meant, rule)
            except (TooMany, Interrupted) as stop:
                self._has_exploded = isinstance(stop, TooMany)
                words = str(stop) or "the limit of time or memory"
                return make_timed_verdict(Conformance.UNDECIDED, frontier, words), frontier
            if not after:
                obstacles = self._obstacles(list(before), meant, rule, initial=first)
                words = "no initial state matches this line" if first else refusal(rule)
                return replace(
                    make_timed_verdict(Conformance.REJECTED, before, words), obstacles=obstacles
                ), before
            frontier = after
        early = self.mapping.ends_early(log, seen)
        if early:
            made = make_timed_verdict(Conformance.REJECTED, frontier, early)
            return replace(made, explained=len(seen), line=None, text=""), frontier
        seconds = time.monotonic() - began
        accepted = LogVerdict(str(log), Conformance.ACCEPTED, len(seen), len(seen), seconds=seconds)
        return replace(accepted, frontier=len(frontier)), frontier

    def _is_admitted(self, state: State) -> bool:
        return self._admits is None or self._admits(state)

    def _meaning_of(self, log: Path, event: Event) -> tuple[Event, Rule | None]:
        """Return an event with the rule that reads its fields; None for one that is ignored."""
        machine, read = self.machine, self.mapping.read
        if read is not None:
            return ask_function(read, log, event, machine.actions, list(machine.variables))
        return event, self.mapping.rule_of(log, event, machine.actions, machine.variables)

    def _is_initial(self, seen: list[Event]) -> bool:
        """True if the last event is the initial state."""
        return self.mapping.event is None and len(seen) == 1

    def _at_first(self, frontier: Frontier, event: Event) -> Frontier:
        return {
            state: replace(reached, line=event.line)
            for state, reached in frontier.items()
            if not any(self._differs(state, target, event, path) for target, path in self.mapping.state)
        }

    def _make_verdict(
        self,
        log: Path,
        verdict: Conformance,
        seen: list[Event],
        frontier: Frontier,
        reason: str,
    ) -> LogVerdict:
        """Return a verdict at the last of the events that were read."""
        event, states = seen[-1] if seen else Event(0, "", {}), list(frontier)
        path = tuple(self._path(frontier[states[0]])) if states else ()
        return LogVerdict(
            str(log), verdict, len(seen), len(seen) - 1, event.line, event.text, reason,
            tuple(map(self._show, states[:_MOST_SHOWN])), len(states), path=path,
            events=tuple((one.line, one.text) for one in seen),
        )  # fmt: skip

    def _show(self, state: State) -> tuple[tuple[str, str], ...]:
        machine = self.machine
        return tuple((name, machine.show(machine.value(state, name))) for name in machine.variables)

    def _path(self, last: Reached) -> Iterator[PathState]:
        """Yield the states of an execution, the initial one first."""
        path: list[Reached] = []
        one: Reached | None = last
        while one is not None:
            path.append(one)
            one = one.before
        for one in reversed(path):
            title = self._title(one.action, one.parameters)
            yield PathState(one.line, title, self._show(one.state))

    def _title(self, action: str, given: Parameters) -> str:
        shown = ", ".join(f"{name}={self.machine.show(value)}" for name, value in given.items())
        return f"{action}({shown})" if shown else action

    # -- steps

    def _with_silent(self, frontier: Frontier) -> Frontier:
        """Return the states after at most the allowed number of silent steps."""
        known, level = dict(frontier), frontier
        for _ in range(self.mapping.most_silent):
            fresh: Frontier = {}
            for state, reached in level.items():
                for action in self.mapping.silent:
                    for given, after in self.machine.steps(state, action, lambda _: True):
                        if after not in known and after not in fresh and self._is_admitted(after):
                            fresh[after] = Reached(after, reached, action, given)
                self._check(len(known) + len(fresh))
            known |= fresh
            level = fresh
        return known

    def _after(self, states: Frontier, event: Event, rule: Rule) -> Frontier:
        frontier: Frontier = {}
        fits = self._fits_of(event, rule)
        for state, reached in states.items():
            if any(self._differs(state, target, event, path) for target, path in rule.before):
                continue
            for action, given, after in self._steps(state, rule.action, fits):
                if after in frontier or not self._is_admitted(after):
                    continue
                if not any(self._differs(after, target, event, path) for target, path in rule.after):
                    frontier[after] = Reached(after, reached, action, given, event.line)
            self._check(len(frontier))
        return frontier

    def _steps(self, state: State, action: str, fits: Fits) -> Iterator[tuple[str, Parameters, State]]:
        """Yield the steps of an action, or of all."""
        for one in self.machine.actions if action == ANY else (action,):
            for given, after in self.machine.steps(state, one, fits):
                yield one, given, after

    def _check(self, count: int) -> None:
        self.tick()
        if count > self.most:
            words = f"more than {self.most:,} states agree with the log so far"
            raise TooMany(f"{words}: raise --max-states, or log more of the state")

    def _fits_of(self, event: Event, rule: Rule) -> Fits:
        """Return the test whether parameters have the values of an event, as far as it has any."""
        written = {name: value_of(event, path) for name, path in rule.parameters.items()}
        asked = {name: value for name, value in written.items() if value is not MISSING}

        def fits(given: Parameters) -> bool:
            return all(self.machine.agrees(given[name], asked[name]) for name in asked if name in given)

        return fits

    def _differs(self, state: State, target: Target, event: Event, path: str) -> bool:
        """True if a state has another value than the event says."""
        written = value_of(event, path)
        if written is MISSING or any(value_of(event, key) is MISSING for key in target.keys):
            return False
        try:
            return not self.machine.agrees(self._part(state, target, event), written)
        except KeyError:
            return True

    def _part(self, state: State, target: Target, event: Event) -> object:
        value = self.machine.value(state, target.variable)
        for key in target.keys:
            value = self.machine.part(value, value_of(event, key))
        return value

    # -- reasons

    def _obstacles(
        self, states: list[State], event: Event, rule: Rule, *, initial: bool
    ) -> tuple[Obstacle, ...]:
        """Return why no step fits, the nearest first."""
        obstacles: list[Obstacle] = []
        fits = self._fits_of(event, rule)
        for state in states[:_MOST_EXPLAINED]:
            wrong = self._mismatch(state, rule.before, event, "before", rule.action)
            if initial:
                wrong = self._mismatch(state, rule.after, event, "in", "Init")
            if wrong is not None or initial:
                obstacles += [wrong] if wrong is not None else []
                continue
            for action in self.machine.actions if rule.action == ANY else (rule.action,):
                steps = list(self.machine.steps(state, action, fits))
                for given, after in steps:
                    title = self._title(action, given)
                    one = self._mismatch(after, rule.after, event, "after", title, possible=True)
                    obstacles += [one] if one is not None else []
                if not steps:
                    found = self.machine.explain_obstacles(state, action, fits)
                    if all(one.words == RULED_OUT for one in found):
                        obstacles += self._list_misfits(state, action, event, rule)
                    obstacles += found
        obstacles.sort(key=lambda one: (not one.possible, -one.passed))
        return tuple(dict.fromkeys(obstacles))[:_MOST_OBSTACLES]

    def _list_misfits(self, state: State, action: str, event: Event, rule: Rule) -> list[Obstacle]:
        """Return parameters of possible steps that have other values than the event says, those of the
        nearest steps first."""
        misfits = list[list[Obstacle]]()
        with suppress(UsageError):  # too many parameters to try
            for given, _ in islice(self.machine.steps(state, action, lambda _: True), _MOST_MISFITS):
                title, others = self._title(action, given), list[Obstacle]()
                for name, path in rule.parameters.items():
                    written = value_of(event, path)
                    if (
                        written is not MISSING
                        and name in given
                        and not self.machine.agrees(given[name], written)
                    ):
                        own, from_log = self.machine.show(given[name]), path.removesuffix(OPTIONAL)
                        words = f"is {own} in the step, and the log's {from_log} is {written!r}"
                        others.append(Obstacle(title, 0, name, "", (), words, possible=True))
                misfits.append(others)
        return [others[0] for others in sorted(filter(None, misfits), key=len)]

    def _mismatch(
        self,
        state: State,
        parts: tuple[tuple[Target, str], ...],
        event: Event,
        when: str,
        action: str,
        *,
        possible: bool = False,
    ) -> Obstacle | None:
        """Return the first value that a state has and the event contradicts."""
        for target, path in parts:
            if not self._differs(state, target, event, path):
                continue
            try:
                own = self.machine.show(self._part(state, target, event))
            except KeyError:
                own = "without a value"
            name, written = path.removesuffix(OPTIONAL), value_of(event, path)
            place = "the initial state" if when == "in" else "the step"
            words = f"is {own} {when} {place}, and the log's {name} is {written!r}"
            return Obstacle(action, 0, target.written, "", (), words, possible)
        return None


def refusal(rule: Rule) -> str:
    return "no step leads to it" if rule.action == ANY else f"no {rule.action} step matches this line"
