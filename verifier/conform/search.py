"""The search for executions that agree with a log: all states that agree with it so far, event by event."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from verifier.conform.logs import Event, read_log
from verifier.conform.machine import Fits, Machine, Parameters, State
from verifier.conform.mapping import MISSING, OPTIONAL, Mapped, Rule, Target, check_fields, value_of
from verifier.conform.outcome import Conformance, LogVerdict, Obstacle, PathState
from verifier.processes.limits import Interrupted

MOST_STATES = 20_000
"""The limit of states that agree with a log so far."""
_MOST_SHOWN, _MOST_EXPLAINED, _MOST_OBSTACLES = 3, 20, 8


class _TooMany(Exception):
    """Raised if too many states agree with a log."""


@dataclass(frozen=True, slots=True)
class _Reached:
    """An execution to a state: the step to it, and the execution before."""

    state: State
    before: _Reached | None = None
    action: str = ""
    parameters: Parameters = field(default_factory=dict)
    line: int | None = None


_Frontier: TypeAlias = dict[State, _Reached]
"""The states that agree with the log so far, each with one execution to it."""


@dataclass
class Search:
    """Judges logs by a machine and a mapping."""

    machine: Machine
    mapping: Mapped
    most: int = MOST_STATES
    tick: Callable[[], None] = field(default=lambda: None)
    """A callback for each event. It may raise Interrupted."""

    def judge(self, log: Path) -> LogVerdict:
        """Return the verdict on a log. Raises UsageError if the log and the mapping do not fit together."""
        began, events = time.monotonic(), read_log(log)
        rules = [(event, self.mapping.rule_of(log, event, self.machine.actions)) for event in events]
        check_fields(log, self.mapping, ((event, rule) for event, rule in rules if rule is not None))
        frontier: _Frontier = {state: _Reached(state) for state in self.machine.initial()}
        for number, (event, rule) in enumerate(rules):
            before = frontier
            try:
                self.tick()
                if rule is None:
                    continue
                before = self._with_silent(frontier)
                after = self._after(before, event, rule)
            except (_TooMany, Interrupted) as stop:
                words = str(stop) or "the limit of time or memory"
                made = self._made(log, Conformance.UNDECIDED, events, number, frontier, words)
                return replace(made, seconds=time.monotonic() - began)
            if not after:
                words = f"no step is {rule.action} as the log has it"
                made = self._made(log, Conformance.REJECTED, events, number, before, words)
                obstacles = self._obstacles(list(before), event, rule)
                return replace(made, obstacles=obstacles, seconds=time.monotonic() - began)
            frontier = after
        return LogVerdict(
            str(log), Conformance.ACCEPTED, len(events), len(events),
            frontier=len(frontier), seconds=time.monotonic() - began,
        )  # fmt: skip

    def _made(
        self,
        log: Path,
        verdict: Conformance,
        events: list[Event],
        number: int,
        frontier: _Frontier,
        reason: str,
    ) -> LogVerdict:
        event, states = events[number], list(frontier)
        path = tuple(self._path(frontier[states[0]])) if states else ()
        return LogVerdict(
            str(log), verdict, len(events), number, event.line, event.text, reason,
            tuple(map(self._shown, states[:_MOST_SHOWN])), len(states), path=path,
            events=tuple((one.line, one.text) for one in events),
        )  # fmt: skip

    def _shown(self, state: State) -> tuple[tuple[str, str], ...]:
        machine = self.machine
        return tuple((name, machine.show(machine.value(state, name))) for name in machine.variables)

    def _path(self, last: _Reached) -> Iterator[PathState]:
        """Yield the states of an execution, the initial one first."""
        path: list[_Reached] = []
        one: _Reached | None = last
        while one is not None:
            path.append(one)
            one = one.before
        for one in reversed(path):
            title = self._title(one.action, one.parameters)
            yield PathState(one.line, title, self._shown(one.state))

    def _title(self, action: str, given: Parameters) -> str:
        shown = ", ".join(f"{name}={self.machine.show(value)}" for name, value in given.items())
        return f"{action}({shown})" if shown else action

    # -- steps

    def _with_silent(self, frontier: _Frontier) -> _Frontier:
        """Return the states after at most the allowed number of silent steps."""
        known, level = dict(frontier), frontier
        for _ in range(self.mapping.most_silent):
            fresh: _Frontier = {}
            for state, reached in level.items():
                for action in self.mapping.silent:
                    for given, after in self.machine.steps(state, action, lambda _: True):
                        if after not in known and after not in fresh:
                            fresh[after] = _Reached(after, reached, action, given)
                self._check(len(known) + len(fresh))
            known |= fresh
            level = fresh
        return known

    def _after(self, states: _Frontier, event: Event, rule: Rule) -> _Frontier:
        found: _Frontier = {}
        fits = self._fits_of(event, rule)
        for state, reached in states.items():
            if any(self._differs(state, target, event, path) for target, path in rule.before):
                continue
            for given, after in self.machine.steps(state, rule.action, fits):
                if after in found:
                    continue
                if not any(self._differs(after, target, event, path) for target, path in rule.after):
                    found[after] = _Reached(after, reached, rule.action, given, event.line)
            self._check(len(found))
        return found

    def _check(self, count: int) -> None:
        self.tick()
        if count > self.most:
            raise _TooMany(f"more than {self.most:,} states agree with the log so far")

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

    def _obstacles(self, states: list[State], event: Event, rule: Rule) -> tuple[Obstacle, ...]:
        """Return why no step fits, the nearest first."""
        found: list[Obstacle] = []
        fits = self._fits_of(event, rule)
        for state in states[:_MOST_EXPLAINED]:
            wrong = self._mismatch(state, rule.before, event, "before", rule.action)
            steps = list(self.machine.steps(state, rule.action, fits))
            if wrong is not None:
                found.append(wrong)
            for given, after in steps if wrong is None else ():
                title = self._title(rule.action, given)
                one = self._mismatch(after, rule.after, event, "after", title, possible=True)
                found += [one] if one is not None else []
            if not steps:
                found += self.machine.blocked(state, rule.action, fits)
        found.sort(key=lambda one: (not one.possible, -one.passed))
        return tuple(dict.fromkeys(found))[:_MOST_OBSTACLES]

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
            words = f"is {own} {when} the step, and the log's {name} is {written!r}"
            return Obstacle(action, 0, target.written, "", (), words, possible)
        return None
