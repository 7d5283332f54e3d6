"""Logs that a TLA+ module reads itself, as modules do that validate traces with TLC.

An environment variable has the path of the log. Properties, postcondition and constraints decide as in TLC.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from verifier.conform.logs import lines_with_numbers, read_log
from verifier.conform.orbit_bounds import Reload, find_orbit_bound
from verifier.conform.outcome import Conformance, LogVerdict, PathState, as_obstacle
from verifier.conform.trace_parts import TraceParts
from verifier.conform.witness import check_witness, find_witness
from verifier.errors import UsageError
from verifier.printable import say_count
from verifier.processes.limits import Interrupted
from verifier.runs.modules.loading import TlaLoaded, checkable, evaluate_or_refuse, load
from verifier.tla.answers import answers
from verifier.tla.blocked import Blocked, find_blocked
from verifier.tla.expanded import AfterExpansion, find_lasting
from verifier.tla.exploration_result import State
from verifier.tla.explorer import ENDED_BY_MODULE, Explorer
from verifier.tla.frames import Undefined
from verifier.tla.log_index import LogIndex, find_log_index
from verifier.tla.order import text
from verifier.tla.value_types import Fn

_MOST_SHOWN, _MOST_OBSTACLES = 3, 8
_MOST_WAITING = 20
"""The states that wait before one execution is looked for, instead of all."""
_MANY_SUCCESSORS = 12
"""The successors for each state beyond which the search for one execution draws some of them."""
_WIDE = "many states agree with the log"
Enforce = Callable[[Explorer], None]


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


@dataclass(frozen=True)
class TraceModule:
    """A module that reads its log."""

    spec: str
    variable: str
    settings: Mapping[str, str]
    config: Path | None
    libraries: Sequence[Path]
    max_states: int | None = None
    covers: bool = False
    """True if the verdict on an accepted log has its coverage."""

    def judge(self, log: Path, enforce: Enforce = lambda _: None) -> LogVerdict:
        """Return the verdict on a log. Raises UsageError, also if the module has nothing that decides."""
        began = time.monotonic()
        lines = lines_with_numbers(log)
        with _environment(self.variable, str(log.resolve())):
            try:
                module = self._load({})
                judgement = _Judgement(module, log, lines, self.max_states, enforce, began)
                judgement.reload = self._load
                judgement.covers = self.covers
                return judgement.verdict()
            except UsageError:
                read_log(log)  # raises an error with the line if the log itself is the reason
                raise

    def _load(self, settings: Mapping[str, str]) -> TlaLoaded:
        """Load the module, with other constants on top of the settings."""
        return load(self.spec, {**self.settings, **settings}, self.config, self.libraries)


class _Judgement:
    reload: Reload
    """Loads the module again, with other constants."""

    def __init__(
        self,
        module: TlaLoaded,
        log: Path,
        lines: list[tuple[int, str]],
        max_states: int | None,
        enforce: Enforce,
        began: float,
    ) -> None:
        self.module, self.spec, self.covers = module, module.specification, False
        self.log, self.lines, self.began = log, lines, began
        spec = self.spec
        names = [*spec.invariants, *(name for name in spec.properties if checkable(spec, name))]
        if module.definition.checks_deadlock:
            names.append(spec.titles.no_deadlock)
        self.explorer = Explorer(
            spec, properties=tuple(names), max_states=max_states, enforce=enforce, by_columns=False
        )
        lasting, self.left = [], list[str]()
        for name, safety in spec.properties.items():
            parts = find_lasting(spec, name) if safety.liveness else []
            if parts is None:
                self.left.append(name)
            lasting += parts or []
        self.after = AfterExpansion(self.explorer, lasting)
        self.enforce, self.may_be_wide = enforce, bool(lasting or self.left)
        if not self.may_be_wide:
            self.explorer.after = self._check_width
        self.reached = 0
        """The number of entries that an execution drawn at random agrees with."""
        self.is_even = True
        """True if each step that was met goes on by one entry: then the depth is the number of entries."""
        self.decides = bool(spec.postconditions or lasting)

    def _check_width(self, _: int) -> None:
        if not self.may_be_wide and self.explorer.count - self.explorer.current > _MOST_WAITING:
            raise Interrupted(_WIDE)

    def verdict(self) -> LogVerdict:
        """Explore, and return the verdict."""
        if self.spec.next is None:
            raise UsageError(f"{self.spec.module.name} has no Next, so that no log has an execution")
        ended = ""
        try:
            evaluate_or_refuse(self._explore)
        except UsageError as error:
            raise UsageError(f"{error}{self._say_place()}") from None
        except Interrupted as stop:
            ended = str(stop)
        explorer = self.explorer
        index = find_log_index(self.spec, self._initial())
        if ended == _WIDE:
            return (index and self._by_witness(index)) or self._whole().verdict()
        failed = [*explorer.result.violations, *self.after.find_violated()]
        whole = explorer.result.complete or ended == ENDED_BY_MODULE
        if whole:
            failed += [name for name, formula in self.spec.postconditions.items() if not self._true(name)]
        if failed:
            return self._make_rejected_verdict(failed, index)
        if not whole:
            return self._make_ended_verdict(index, ended or "the limit of time or memory")
        if self.left:
            words = f"only verify live can decide {', '.join(self.left)}"
            return self._make_verdict(Conformance.UNDECIDED, self._depth(index), words)
        if self.decides:
            return self._make_accepted_verdict(self._ends(index))
        if index is None:
            words = "no POSTCONDITION and no property says what a whole log is, and no variable is its place"
            raise UsageError(f"{self.spec.module.name}: {words}")
        if self._depth(index) == len(index.log):
            return self._make_accepted_verdict(self._ends(index))
        return self._make_rejected_verdict([], index)

    def _say_place(self) -> str:
        """Return the line of the log at which the search is, as the end of a sentence; empty for none."""
        states, number = self.explorer.states, self.explorer.current
        index = find_log_index(self.spec, self._initial())
        if index is None or not 0 <= number < len(states) or index.of(states[number]) < 1:
            return ""
        line, _ = self._line(index, index.of(states[number]) - 1)
        return "" if line is None else f", at line {line} of the log"

    def _by_witness(self, index: LogIndex) -> LogVerdict | None:
        """Return the verdict if one execution is enough; None if there may be none."""
        try:
            limits = self.explorer.enforce_limits
            draws = self.explorer.result.generated > _MANY_SUCCESSORS * (self.explorer.current + 1)
            find_last = partial(find_orbit_bound, self.spec, self.reload, limits)
            search = partial(find_witness, self.spec, index, self._initial(), self._reach, limits, find_last)
            path = evaluate_or_refuse(lambda: search(draws=draws))
        except Interrupted as stop:
            return self._make_ended_verdict(index, str(stop))
        if path is None:
            return None
        failed = evaluate_or_refuse(lambda: check_witness(self.explorer, path))
        if index.of(path[-1]) <= len(index.log):
            return None if failed else self._reject_longest(path, index)
        is_known = self.is_even or not self.spec.postconditions
        is_met = is_known and not failed and self._find_unmet(len(path)) == []
        return self._make_accepted_verdict(path) if is_met else None

    def _reject_longest(self, path: list[State], index: LogIndex) -> LogVerdict | None:
        """Return the verdict on a log of which no execution explains more than this one. None if it may be
        accepted, or if a postcondition asks more of the search than its depth."""
        failed = self._find_unmet(len(path))
        is_known = failed or (failed == [] and not self.spec.postconditions)
        return self._reject(failed or [], index, path, path[-1:], with_obstacles=True) if is_known else None

    def _find_unmet(self, diameter: int) -> list[str] | None:
        """Return the postconditions that a search of this depth does not meet; None if they ask for more of
        the search than its depth."""
        evaluator = self.spec.evaluator
        evaluator.registers.clear()
        evaluator.answers = {"stats": lambda: Fn({"diameter": diameter}), "diameter": lambda: diameter}
        try:
            return [name for name in self.spec.postconditions if not self._true(name)]
        except UsageError:
            return None
        finally:
            evaluator.answers = answers(self.explorer)

    def _reach(self, explained: int, is_even: bool) -> None:
        self.reached = max(self.reached, explained)
        self.is_even = self.is_even and is_even

    def _make_ended_verdict(self, index: LogIndex | None, ended: str) -> LogVerdict:
        """Return the verdict of a search that a limit ended."""
        if self.reached:
            drawn = "drawn at random agrees with more than the first"
            ended = f"{ended}; no execution {drawn} {self.reached:,} of {say_count(len(self.lines), 'event')}"
        return self._make_verdict(Conformance.UNDECIDED, max(self._depth(index), self.reached), ended)

    def _ends(self, index: LogIndex | None) -> list[State]:
        """Return an execution that explains most of the log."""
        deepest = self._deepest(index, self._depth(index))
        return self._path_to(deepest[0]) if deepest else []

    def _make_accepted_verdict(self, path: list[State]) -> LogVerdict:
        """Return the verdict on a log that an execution explains."""
        made = self._make_verdict(Conformance.ACCEPTED, len(self.lines), "")
        if not self.covers:
            return made

        def arrive(place: int) -> None:
            self.explorer.level, self.explorer.ahead = place, 0

        parts = TraceParts(self.spec)
        return replace(made, coverage=evaluate_or_refuse(lambda: parts.cover(path, arrive)))

    def _whole(self) -> _Judgement:
        """Return the same search without the limit of states that wait."""
        module = replace(self.module, specification=self.spec)
        self.spec.evaluator.registers.clear()
        again = _Judgement(module, self.log, self.lines, self.explorer.max_states, self.enforce, self.began)
        again.may_be_wide, again.covers, again.reached = True, self.covers, self.reached
        again.reload = self.reload
        return again

    def _initial(self) -> list[State]:
        known = self.explorer.known
        return [state for state, parent in zip(known.states, known.parents, strict=True) if parent < 0]

    def _explore(self) -> None:
        self.explorer.assume()
        self.explorer.explore()

    def _true(self, name: str) -> bool:
        formula = self.spec.postconditions[name]
        test = self.spec.evaluator.compile_truth(formula.body, formula.module)
        return evaluate_or_refuse(test)

    def _depth(self, index: LogIndex | None) -> int:
        """Return the number of entries that some execution agrees with."""
        if index is None:
            return max(self.explorer.result.depth, 0)
        return max((index.of(state) for state in self.explorer.states), default=1) - 1

    def _make_verdict(self, verdict: Conformance, explained: int, reason: str) -> LogVerdict:
        seconds = time.monotonic() - self.began
        return LogVerdict(str(self.log), verdict, len(self.lines), explained, reason=reason, seconds=seconds)

    def _say_failed(self, names: Sequence[str]) -> str:
        """Say which postconditions are false and which properties are violated, or that no step fits."""
        ends = {name: f"the postcondition {name} is false" for name in self.spec.postconditions}
        parts = [ends.get(name, f"{name} is violated") for name in names]
        return "; ".join(parts) or "no step continues the execution"

    def _make_rejected_verdict(self, failed: Sequence[str], index: LogIndex | None) -> LogVerdict:
        explorer = self.explorer
        by_states = [name for name in failed if name in explorer.result.violations]
        if by_states:
            path = explorer.result.violations[by_states[0]].states
            return self._reject(failed, index, path, path[-1:], with_obstacles=False)
        deepest = self._deepest(index, self._depth(index))
        explorer.current = deepest[0] if deepest else -1
        path, states = self._path_to(explorer.current), [explorer.states[number] for number in deepest]
        return self._reject(failed, index, path, states, with_obstacles=True)

    def _reject(
        self,
        failed: Sequence[str],
        index: LogIndex | None,
        path: list[State],
        states: list[State],
        *,
        with_obstacles: bool,
    ) -> LogVerdict:
        """Return the verdict on a log that is rejected after some states. The path leads to the first one."""
        reason, steps = self._say_failed(failed), max(len(path) - 1, 0)
        explained = index.of(path[-1]) - 1 if path and index is not None else steps
        line, written = self._line(index, explained)
        obstacles: list[Blocked] = []
        assert self.spec.next is not None
        for state in states[:1] if with_obstacles else ():
            self.explorer.level, self.explorer.ahead = steps, 0
            try:
                obstacles = find_blocked(self.spec, self.spec.next, state)
            except (Undefined, UsageError):
                obstacles = []
        names = self.explorer.names
        shown = [tuple(zip(names, row, strict=True)) for row in self._texts(states[:_MOST_SHOWN])]
        return LogVerdict(
            str(self.log), Conformance.REJECTED, len(self.lines), explained, line, written, reason,
            tuple(shown), len(states), tuple(map(as_obstacle, obstacles[:_MOST_OBSTACLES])),
            tuple(self._path(path, index)), tuple(self.lines), time.monotonic() - self.began,
        )  # fmt: skip

    def _path_to(self, number: int) -> list[State]:
        """Return the states of an execution to a state."""
        known, states = self.explorer.known, list[State]()
        while number >= 0:
            states.append(known.states[number])
            number = known.parents[number]
        return states[::-1]

    def _path(self, path: list[State], index: LogIndex | None) -> Iterator[PathState]:
        """Yield the states of an execution, each with the line that the step before it explains."""
        places = range(len(self.lines)) if index is None else index.places(self.log, len(self.lines))
        titles, before = ["", *self.explorer.walks.titles(path)], 0
        for number, row in enumerate(self._texts(path)):
            place = index.of(path[number]) - 1 if index is not None else number
            explains = number > 0 and before < place <= len(places)
            line = self.lines[places[place - 1]][0] if explains else None
            yield PathState(line, titles[number], tuple(zip(self.explorer.names, row, strict=True)))
            before = max(before, place)

    def _texts(self, states: Sequence[State]) -> Iterator[list[str]]:
        """Yield the texts of the values of each state. Successive states share most of their values."""
        known, order = dict[int, str](), self.spec.evaluator.order
        for state in states:
            for value in state:
                if id(value) not in known:
                    known[id(value)] = text(value, order)
            yield [known[id(value)] for value in state]

    def _deepest(self, index: LogIndex | None, explained: int) -> Sequence[int]:
        """Return the numbers of the states after the explained entries."""
        states = self.explorer.states
        if index is not None:
            return [number for number, state in enumerate(states) if index.of(state) == explained + 1]
        levels = self.explorer.result.levels
        return range(len(states) - levels[-1], len(states)) if levels else []

    def _line(self, index: LogIndex | None, explained: int) -> tuple[int | None, str]:
        """Return the line of the file after the explained entries, and its text."""
        place = explained
        if index is not None:
            places = index.places(self.log, len(self.lines))
            if explained >= len(places):
                return None, ""
            place = places[explained]
        return self.lines[place] if place < len(self.lines) else (None, "")
