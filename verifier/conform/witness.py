"""The search for one execution of a trace module that comes to the end of its log.

Where little is logged, many states agree with a log. Each level keeps some of them, and some of their
successors, drawn at random, the same in every run. An execution that is found is checked; none found says
nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from verifier.conform.bounds import find_bound
from verifier.tla.answers import answers
from verifier.tla.exploration_result import State
from verifier.tla.explorer import Explorer
from verifier.tla.frames import UNSET
from verifier.tla.log_index import LogIndex
from verifier.tla.specification import Specification, without_traces
from verifier.tla.translate.sampling import Stepper

SEARCHES = ((8, 2), (8, 0), (64, 2), (64, 0), (512, 0))
"""For each search, one after the other: the number of states that a level keeps, and the number of members
that a loop takes; 0 for all."""
_MOST_NAMES = (1, 9)
"""The most names of a choice in the weaker Next that bounds the log, after the first searches."""
_LONGEST = 4
"""The most steps for each entry of the log."""


def find_witness(
    spec: Specification,
    index: LogIndex,
    initial: list[State],
    reach: Callable[[int, bool], None],
    check_limits: Callable[[], None],
    find_last_bound: Callable[[], int | None] = lambda: None,
    *,
    draws: bool = True,
) -> list[State] | None:
    """Return an execution to the end of the log, or as far as any execution can come; None if neither was
    found. Call ``reach`` for each level: with the number of entries that some execution agrees with, and
    False if a step that was met does not go on by one entry.
    ``find_last_bound`` returns a number of entries that no execution exceeds, if other bounds do not decide.
    ``draws``: states have so many successors that some are drawn."""
    bound: int | None = None
    searches = [one for one in SEARCHES if draws or not one[1]]
    for number, (width, most) in enumerate(searches):
        spec.evaluator.draw.chance = Random(0)
        with without_traces(spec):
            execution = _search(Stepper(spec), index, initial, width, most, reach)
        explained = index.of(execution[-1]) - 1
        if explained == len(index.log):
            return execution
        if number < len(_MOST_NAMES):
            better = find_bound(spec, index, initial, _MOST_NAMES[number], check_limits)
        else:
            better = find_last_bound() if number == len(_MOST_NAMES) else None
        bound = better if better is not None else bound
        if explained == bound:
            return execution
    return None


def _search(
    stepper: Stepper,
    index: LogIndex,
    initial: list[State],
    width: int,
    most: int,
    reach: Callable[[int, bool], None],
) -> list[State]:
    """Return an execution that explains as much of the log as any that was met."""
    chance, levels = Random(0), list[dict[State, State | None]]()
    level: dict[State, State | None] = dict.fromkeys(initial)
    is_even = True
    for depth in range(_LONGEST * len(index.log) + 1):
        kept = chance.sample(list(level), width) if len(level) > width else list(level)
        if not kept:
            break
        levels.append({state: level[state] for state in kept})
        last = max(kept, key=index.of)
        reach(index.of(last) - 1, is_even)
        if index.of(last) > len(index.log):
            return _path(levels, last)
        stepper.arrive(depth)
        level = {}
        for state in kept:
            if stepper.within(state):
                for after in stepper.draw_successors(state, most):
                    if after not in level and stepper.goes_on(state, after):
                        level[after] = state
                        is_even = is_even and index.of(after) == index.of(state) + 1
    number = max(range(len(levels)), key=lambda place: max(map(index.of, levels[place])))
    return _path(levels[: number + 1], max(levels[number], key=index.of))


def _path(levels: list[dict[State, State | None]], last: State) -> list[State]:
    states, state = [last], levels[-1][last]
    for level in reversed(levels[:-1]):
        if state is None:
            break
        states.append(state)
        state = level[state]
    return states[::-1]


def check_witness(explorer: Explorer, path: list[State]) -> list[str]:
    """Return the names of the properties that an execution violates."""
    evaluator, violated = explorer.evaluator, dict[str, None]()
    evaluator.answers = answers(explorer)  # the search for the execution had its own
    for place, state in enumerate(path):
        explorer.level, explorer.ahead = place, 0
        evaluator.now[:], evaluator.next[:] = state, [UNSET] * len(state)
        tests = [*explorer.invariants, *(explorer.initially if place == 0 else [])]
        violated.update({name: None for name, test in tests if not test()})
        if place + 1 < len(path):
            evaluator.next[:] = path[place + 1]
            violated.update({name: None for name, test in explorer.steps if not test()})
    explorer.level, explorer.ahead, explorer.end = len(path) - 1, 0, explorer.count
    return list(violated)
