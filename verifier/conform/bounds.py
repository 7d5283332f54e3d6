"""Upper bounds of the number of entries of a log that any execution explains.

Next is made weaker, so that it speaks of the log's place and of one other variable. Where even its steps do
not come to the end of the log, no step of the module does. The values of one variable are far fewer than the
states that agree with the log.

The condition: each step of the weaker Next goes on by one entry. Then the length of an execution, of which a
postcondition may speak, is the number of entries that it explains.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from verifier.tla.exploration_result import State
from verifier.tla.explorer import Explorer
from verifier.tla.frames import UNSET, Undefined, force_delayed
from verifier.tla.log_index import LogIndex
from verifier.tla.retracing import Walk
from verifier.tla.specification import Specification, without_traces
from verifier.tla.value_types import NoValue, Value
from verifier.tla.weakening import weaken_next

_MOST_STATES, _WIDEST = 60_000, 1_000
"""The limits of states for each variable, and of states at one place in the log."""
_BETWEEN_CHECKS = 64


def find_bound(
    spec: Specification,
    index: LogIndex,
    initial: Sequence[State],
    most_names: int,
    check_limits: Callable[[], None],
) -> int | None:
    """Return a number of entries that no execution exceeds; None if it may explain the whole log. For
    ``most_names``, see ``weaken_next``: more take longer, and give better bounds."""
    bounds = []
    with without_traces(spec):
        for number in range(len(spec.variables)):
            if number != index.number:
                found = _find_with(spec, index, number, initial, most_names, check_limits)
                bounds += [] if found is None else [found]
    return min(bounds, default=None)


def _find_with(
    spec: Specification,
    index: LogIndex,
    number: int,
    initial: Sequence[State],
    most_names: int,
    check_limits: Callable[[], None],
) -> int | None:
    """Return the bound by the place in the log and one more variable."""
    kept = [spec.variables[place] for place in (index.number, number)]
    weaker = weaken_next(spec, kept, most_names)
    if weaker is None:
        return None
    explorer = Explorer(spec, properties=(), keep_going=True, by_columns=False)
    steps = _WeakSteps(explorer.walks.over(weaker, primed=False), explorer, index, number)
    begin = {(index.of(state), state[number]): state for state in initial}
    try:
        return _explore(steps, index, begin, check_limits)
    except (Undefined, NoValue, RecursionError):  # by a value that a conjunct would have kept out
        return None


def _explore(
    steps: _WeakSteps,
    index: LogIndex,
    begin: dict[tuple[int, Value], State],
    check_limits: Callable[[], None],
) -> int | None:
    level, count, place = begin, 0, 1
    if any(start != 1 for start, _ in begin):
        return None
    while level:
        after: dict[tuple[int, Value], State] = {}
        if place > len(index.log):
            return None
        for state in level.values():
            count += 1
            if count % _BETWEEN_CHECKS == 0:
                check_limits()
            for pair in steps.list(state):
                if index.find_place(pair[0]) != place + 1:
                    return None
                if pair not in after:
                    after[pair] = steps.put(state, pair)
        if count > _MOST_STATES or len(after) > _WIDEST:
            return None
        level, place = after, place + 1
    return place - 2


@dataclass(frozen=True)
class _WeakSteps:
    walk: Walk
    explorer: Explorer
    index: LogIndex
    number: int
    """The number of the variable that is not the place in the log."""

    def list(self, state: State) -> set[tuple[int, Value]]:
        """Return the values of both variables after each step. Raises Undefined if one has none."""
        evaluator, found = self.explorer.evaluator, set[tuple[int, Value]]()
        evaluator.now[:], evaluator.next[:] = state, [UNSET] * len(state)

        def take() -> None:
            pair = evaluator.next[self.index.number], evaluator.next[self.number]
            if pair[0] is UNSET or pair[1] is UNSET:
                raise NoValue("nothing says what the variable is after the step")
            found.add((force_delayed(pair[0]), force_delayed(pair[1])))

        self.walk(take)
        return found

    def put(self, state: State, pair: tuple[int, Value]) -> State:
        """Return a state with other values of both variables."""
        made = [*state]
        made[self.index.number], made[self.number] = pair
        return tuple(made)
