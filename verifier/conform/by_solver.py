"""The search over logs that asks a solver where too many states agree with a log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from verifier.conform.coding import Coding, NotSymbolic, ProtocolCoding
from verifier.conform.logs import Event
from verifier.conform.machine import Machine
from verifier.conform.mapping import MISSING, Rule, Target, value_of
from verifier.conform.outcome import Conformance, LogVerdict
from verifier.conform.protocols import ProtocolMachine
from verifier.conform.search import MOST_STATES, Frontier, Reached, Search, TooMany, refusal
from verifier.conform.symbolic import Followed, Observed, SymbolicSearch
from verifier.processes.limits import Interrupted
from verifier.trust.replay import ReplayFailure

_MOST_WIDENINGS = 40
"""The most times that the sorts of a module are widened for a log."""


@dataclass
class SolverSearch(Search):
    """Judges logs. Each execution that the solver finds is taken again, step by step."""

    _coding: Coding | None = None
    _made_solver: SymbolicSearch | None = None

    def _judge_exploded(self, log: Path, events: list[Event]) -> LogVerdict | None:
        """Return the verdict on a log with which too many states agree; None if a solver cannot find it."""
        most, self.most = self.most, max(self.most, MOST_STATES)  # one execution is taken again
        try:
            verdict = self._judge_by_solver(log, events)
        except (NotSymbolic, TooMany, Interrupted):
            return None
        except ReplayFailure:
            if self._coding is None or self._coding.names_each_parameter:
                raise
            return None  # a parameter that only the interpreter knows is not what the log says
        finally:
            self.most = most
        return replace(verdict, by_solver=True)

    def _judge_by_solver(self, log: Path, events: list[Event]) -> LogVerdict:
        """Return the verdict on a log. Raises NotSymbolic for what the search by solver has no rule for."""
        self._admits = None
        seen, observed = list[Event](), list[Observed]()
        for event in events:
            seen.append(event)
            meant, rule = self._meaning_of(log, event)
            if rule is not None:
                observed.append(self._observe(meant, rule, is_first=self._is_initial(seen)))

        execution = self._follow(observed, ())
        if execution is None or execution.explained < len(observed):
            return self._make_refusal(log, events, observed, execution)
        last = self._replay(execution, observed)
        early = self.mapping.ends_early(log, events)
        if early:
            made = self._make_verdict(log, Conformance.REJECTED, events, {last.state: last}, early)
            return replace(made, explained=len(events), line=None, text="")
        violated = self._find_violation(last)
        if violated is not None:
            again = self._follow(observed, self._invariants)
            if again is None or again.explained < len(observed):
                return self._violating(log, events, *violated)
            last = self._replay(again, observed)
            if self._find_violation(last) is not None:
                raise ReplayFailure(len(events), "the solver's execution violates an invariant")
        covered = self._measure_coverage(last, log, events) if self.covers else None
        accepted = LogVerdict(str(log), Conformance.ACCEPTED, len(events), len(events), frontier=1)
        return replace(accepted, coverage=covered)

    def _follow(self, observed: Sequence[Observed], invariants: Sequence[str]) -> Followed | None:
        """Return the longest prefix that an execution explains; None if no initial state agrees with the log.

        The sorts of a module are guessed. If no execution goes on, the sorts are widened by each state from
        which a step that the log allows may leave them. Raises NotSymbolic if they become no wider."""
        hidden, most = self.mapping.silent, self.mapping.most_silent
        for _ in range(_MOST_WIDENINGS):
            coding, search = self._solver()
            execution = search.follow(observed, hidden, most, invariants, self.tick)
            if execution is not None and execution.explained == len(observed):
                return execution
            reached = observed[: (execution.explained if execution is not None else 0) + 1]
            state = search.find_leaving(reached, hidden, most, invariants, self.tick)
            if state is None:
                return execution
            self._made_solver = None
            if not coding.widen(state):
                break
        raise NotSymbolic

    def _solver(self) -> tuple[Coding, SymbolicSearch]:
        """Return the search by solver, made once for all logs and the sorts so far."""
        if self._coding is None:
            self._coding = make_coding(self.machine)
        if self._made_solver is None:
            self._made_solver = SymbolicSearch(self.machine, self._coding)
        return self._coding, self._made_solver

    def _observe(self, event: Event, rule: Rule, *, is_first: bool) -> Observed:
        """Return what an event says of the states around its step."""

        def select_given(parts: Iterable[tuple[Target, str]]) -> list[tuple[Target, list[object], object]]:
            given = [
                (target, [value_of(event, key) for key in target.keys], value_of(event, path))
                for target, path in parts
            ]
            return [one for one in given if one[2] is not MISSING and MISSING not in one[1]]

        after = self.mapping.state if is_first else rule.after
        before = () if is_first else rule.before
        names = frozenset(
            name for name, path in rule.parameters.items() if value_of(event, path) is not MISSING
        )
        fits = self._fits_of(event, rule)
        return Observed(event, rule, fits, select_given(before), select_given(after), names, is_first)

    def _replay(self, execution: Followed, observed: Sequence[Observed]) -> Reached:
        """Return an execution of the solver, each step of which this search takes, too. Raises ReplayFailure
        if it does not agree with the log."""
        meant = {id(one.event): one for one in observed}
        first = [one.event.line for one in observed if one.is_first]
        reached = Reached(execution.initial, line=first[0] if first else None)
        for number, step in enumerate(execution.steps, 1):
            frontier = {reached.state: reached}
            if step.event is not None:
                after = self._after(frontier, step.event, meant[id(step.event)].rule)
            else:
                after = self._with_silent(frontier)
            if step.after not in after:
                raise ReplayFailure(number, f"{step.action} does not lead to the state that the solver says")
            reached = after[step.after]
        return reached

    def _make_refusal(
        self, log: Path, events: list[Event], observed: Sequence[Observed], execution: Followed | None
    ) -> LogVerdict:
        """Return the verdict on a log that no execution explains further than the solver's one."""
        number = 0 if execution is None else execution.explained
        one = observed[number]
        place = next(i for i, event in enumerate(events) if event.line == one.event.line)
        last = None if execution is None else self._replay(execution, observed)
        states: Frontier = {} if last is None else self._with_silent({last.state: last})
        words = "no initial state matches this line" if one.is_first else refusal(one.rule)
        made = self._make_verdict(log, Conformance.REJECTED, events[: place + 1], states, words)
        obstacles = self._obstacles(list(states), one.event, one.rule, initial=one.is_first)
        return replace(made, obstacles=obstacles)


def make_coding(machine: Machine) -> Coding:
    """Return the coding of a machine. Raises NotSymbolic if it has none."""
    if isinstance(machine, ProtocolMachine):
        return ProtocolCoding(machine)
    from verifier.conform.module_coding import ModuleCoding
    from verifier.conform.modules import ModuleMachine

    assert isinstance(machine, ModuleMachine)
    return ModuleCoding(machine)
