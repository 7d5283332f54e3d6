"""The search for executions that agree with a log: all states that agree with it so far, event by event."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from verifier.conform.logs import Event, read_log
from verifier.conform.machine import Fits, Machine, Parameters, State
from verifier.conform.mapping import MISSING, OPTIONAL, Mapped, Rule, Target, check_fields, value_of
from verifier.conform.outcome import Conformance, LogVerdict, Obstacle
from verifier.processes.limits import Interrupted

MOST_STATES = 20_000
"""The limit of states that agree with a log so far."""
_MOST_SHOWN, _MOST_EXPLAINED, _MOST_OBSTACLES = 3, 20, 8


class _TooMany(Exception):
    """Raised if too many states agree with a log."""


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
        frontier = list(dict.fromkeys(self.machine.initial()))
        for number, (event, rule) in enumerate(rules):
            try:
                self.tick()
                if rule is None:
                    continue
                before = self._with_silent(frontier)
                after = self._after(before, event, rule)
            except (_TooMany, Interrupted) as stop:
                words = str(stop) or "the limit of time or memory"
                return self._made(log, Conformance.UNDECIDED, rules, number, frontier, words, began)
            if not after:
                obstacles = self._obstacles(before, event, rule)
                words = f"no step is {rule.action} as the log has it"
                return self._made(log, Conformance.REJECTED, rules, number, before, words, began, obstacles)
            frontier = after
        return LogVerdict(
            str(log), Conformance.ACCEPTED, len(events), len(events),
            frontier=len(frontier), seconds=time.monotonic() - began,
        )  # fmt: skip

    def _made(
        self,
        log: Path,
        verdict: Conformance,
        rules: list[tuple[Event, Rule | None]],
        number: int,
        states: list[State],
        reason: str,
        began: float,
        obstacles: tuple[Obstacle, ...] = (),
    ) -> LogVerdict:
        event, machine = rules[number][0], self.machine
        shown = tuple(
            tuple((name, machine.show(machine.value(state, name))) for name in machine.variables)
            for state in states[:_MOST_SHOWN]
        )
        seconds = time.monotonic() - began
        return LogVerdict(
            str(log), verdict, len(rules), number, event.line, event.text, reason, shown, len(states),
            obstacles, seconds,
        )  # fmt: skip

    # -- steps

    def _with_silent(self, frontier: list[State]) -> list[State]:
        """Return the states after at most the allowed number of silent steps."""
        known, level = dict.fromkeys(frontier), frontier
        for _ in range(self.mapping.most_silent):
            fresh: dict[State, None] = {}
            for state in level:
                for action in self.mapping.silent:
                    for _, after in self.machine.steps(state, action, lambda _: True):
                        if after not in known:
                            fresh[after] = None
                self._check(len(known) + len(fresh))
            known |= fresh
            level = list(fresh)
        return list(known)

    def _after(self, states: list[State], event: Event, rule: Rule) -> list[State]:
        found: dict[State, None] = {}
        fits = self._fits_of(event, rule)
        for state in states:
            if any(self._differs(state, target, event, path) for target, path in rule.before):
                continue
            for _, after in self.machine.steps(state, rule.action, fits):
                if not any(self._differs(after, target, event, path) for target, path in rule.after):
                    found[after] = None
            self._check(len(found))
        return list(found)

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
                shown = ", ".join(f"{name}={self.machine.show(value)}" for name, value in given.items())
                title = f"{rule.action}({shown})" if shown else rule.action
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
