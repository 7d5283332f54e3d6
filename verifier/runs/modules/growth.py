"""Variables whose values grow from level to level, so that a search has no end in sight (``unbounded``)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from heapq import nlargest
from random import Random

from verifier.processes.limits import Interrupted, Limits
from verifier.processes.watching import within
from verifier.runs.modules.constraint_bounds import find_bounded, is_constrained
from verifier.runs.modules.policy import POLICY
from verifier.tla.exploration_result import State
from verifier.tla.explorer import Explorer
from verifier.tla.frames import Undefined
from verifier.tla.specification import Specification, without_traces
from verifier.tla.translate.sampling import Stepper
from verifier.tla.value_types import Fn, Value

_STRIDE = 8
"""The distance of the measured states, if there are many."""


@dataclass
class Growth:
    """The size of each variable's values, level by level."""

    names: Sequence[str]
    levels: list[dict[str, int]] = field(default_factory=list)
    """The largest sizes so far, for each explored level."""
    sample: int = POLICY.growth_sample
    """The number of values that are measured at each level."""
    _last: int = -1
    _measured: int = 0
    """The number of states that were measured. Others are left: narrow levels add few states."""

    def look(self, explorer: Explorer) -> list[str]:
        """Measure the known values, once for each level. Return the variables that seem unbounded."""
        if explorer.level <= self._last:
            return []
        self._last = explorer.level
        before = self.levels[-1] if self.levels else {}
        values = _values(explorer, self.names, self._measured, self.sample)
        self._measured = explorer.count
        known = dict[tuple[Value, int], int]()
        now = {name: _largest(own, known) for name, own in values.items()}
        self.levels.append({name: max(size, before.get(name, 0)) for name, size in now.items()})
        return self.list_growing()

    def list_growing(self) -> list[str]:
        """Return the variables that seem unbounded, of the levels that were measured."""
        return [name for name in self.names if self.grows(name)]

    def grows(self, name: str) -> bool:
        """True if a variable grew, and recently."""
        sizes = [sizes[name] for sizes in self.levels[-POLICY.growth_levels :]]
        late = sizes[-1 - POLICY.growth_levels // POLICY.growths * 2 :]
        return len(sizes) == POLICY.growth_levels and len(set(sizes)) > POLICY.growths and late[0] < late[-1]


def growing_ahead(
    stepper: Stepper, names: Sequence[str], initial: Sequence[State], near: Sequence[State], until: float
) -> list[str]:
    """Return the variables that seem unbounded along steps that let them grow. ``near``: some of the first
    states. ``until``: the processor time of this process after which no step is taken. Variables that a
    CONSTRAINT bounds are none of them, nor those that grow only beside these. Raises Undefined."""
    growing = list[_Ahead]()
    for place in range(len(names)):
        for sign in (1, -1):  # falling numbers are checked too
            ahead = _Ahead(stepper, place, sign, names)
            if ahead.largest(near) > ahead.largest(initial):
                ahead.follow(near, until)
                growing += [ahead] if ahead.grows((place, sign)) else []
    if is_constrained(stepper.explorer.specification):
        growing = _drop_bounded(stepper, growing)
    return [*dict.fromkeys(names[ahead.place] for ahead in growing)]


def _drop_bounded(stepper: Stepper, growing: Sequence[_Ahead]) -> list[_Ahead]:
    """Return those without a bound by the constraints, whose growth needs no variable with one."""
    free = list[_Ahead]()
    for preferred in (-1, 1):  # a variable may grow both ways, and have one bound
        chosen = {one.place: one for one in sorted(growing, key=lambda one: one.sign * preferred)}
        states = [state for one in chosen.values() for state in one.last]
        bounded = find_bounded(stepper, {place: one.sign for place, one in chosen.items()}, states)
        beside = [(place, chosen[place].sign) for place in bounded]
        free += [
            one
            for one in chosen.values()
            if one.place not in bounded and one not in free and not any(map(one.grows, beside))
        ]
    return [one for one in growing if one in free]


@dataclass(eq=False)
class _Ahead:
    """Steps from the states in which a variable is largest, or in which its numbers are least."""

    stepper: Stepper
    place: int
    sign: int
    names: Sequence[str]
    last: list[State] = field(default_factory=list)
    """The last states within the constraints that were kept."""
    sizes: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    """For each variable, and each sign of numbers, the largest size so far, step by step."""

    def grows(self, which: tuple[int, int]) -> bool:
        """True if a variable grew on the way, and recently."""
        growth = Growth([name := self.names[which[0]]])
        growth.levels += ({name: size} for size in self.sizes.get(which, ()))
        return growth.grows(name)

    def size(self, state: State) -> int:
        """Return the size of the variable."""
        return measure_size(state[self.place], POLICY.growth_depth, self.sign)

    def largest(self, states: Iterable[State]) -> int:
        """Return the largest size of the variable in some states."""
        return max(map(self.size, states), default=0)

    def follow(self, near: Iterable[State], until: float) -> None:
        """Take steps, and measure."""
        chance, own = Random(0), (self.place, self.sign)
        measured = [own]
        if is_constrained(self.stepper.explorer.specification):
            measured = [(place, sign) for place in range(len(self.names)) for sign in (1, -1)]

        def best(states: Iterable[State]) -> list[State]:
            ranked = [(self.size(state), chance.random(), state) for state in states]
            return [state for *_, state in nlargest(POLICY.growth_states, ranked, key=lambda one: one[:2])]

        beside = best(near)
        for _ in range(POLICY.growth_steps):
            if not beside or time.process_time() >= until:
                return
            self.last = [state for state in beside if self.stepper.within(state)] or self.last
            beside = best(dict.fromkeys(one for state in beside for one in self._following(state)))
            for place, sign in measured:
                size = max((measure_size(one[place], POLICY.growth_depth, sign) for one in beside), default=0)
                known = self.sizes.setdefault((place, sign), [])
                known.append(max([*known[-1:], size]))
            recent = self.sizes[own][-POLICY.growth_levels :]
            if len(recent) == POLICY.growth_levels and len(set(recent)) == 1:
                return

    def _following(self, state: State) -> list[State]:
        stepper = self.stepper
        following = stepper.successors(state) if stepper.within(state) else []
        return [one for one in dict.fromkeys(following) if stepper.goes_on(state, one)]


def _values(explorer: Explorer, names: Sequence[str], first: int, most: int) -> Mapping[str, Iterable[Value]]:
    """Return values of the variables in the states from one on; of some states, if these are many."""
    search = explorer.columns.search
    if search is not None:  # it lists the values of each variable
        return {
            name: [*numbers.values][-most:]
            for name, numbers in zip(names, search.columns.numbers, strict=True)
        }
    states = explorer.known.states
    first = max(first, len(states) - most * _STRIDE)
    some = states[first:] if len(states) - first <= most else states[first::_STRIDE]
    return {name: [state[place] for state in some] for place, name in enumerate(names)}


def _largest(values: Iterable[Value], known: dict[tuple[Value, int], int]) -> int:
    return max((measure_size(value, POLICY.growth_depth, known=known) for value in values), default=0)


def measure_size(
    value: Value, left: int, sign: int = 0, known: dict[tuple[Value, int], int] | None = None
) -> int:
    """Return the greatest number in a value, or count of its elements. ``sign``: of negative or positive
    numbers. ``known``: sizes of sets, which values share."""
    if type(value) is int:
        return max(sign * value, 0) if sign else abs(value)
    parts: Iterable[Value] = ()
    if isinstance(value, tuple | frozenset):
        parts = value
    elif isinstance(value, Fn):
        parts = value.values()
    else:
        return 0
    if not left:
        return len(value)
    key = (value, left) if known is not None and isinstance(value, frozenset) else None
    size = known.get(key) if known is not None and key is not None else None
    if size is None:
        size = max([len(value), *(measure_size(part, left - 1, sign, known) for part in parts)])
        if known is not None and key is not None:
            known[key] = size
    return size


def find_growing(specification: Specification, seconds: float) -> list[str]:
    """Return the variables that seem unbounded along executions from the initial states; none if that takes
    more than these seconds, or if an expression has no value."""
    spec = replace(specification, symmetry=[], view=None)
    names = [variable.name for variable in spec.variables]
    until = time.process_time() + seconds

    def look() -> list[str]:
        most, deepest = POLICY.states_ahead, POLICY.levels_ahead
        explorer = Explorer(
            spec, properties=(), keep_going=True, max_states=most, max_depth=deepest, by_columns=False
        )
        with suppress(Interrupted):  # it has enough states
            explorer.explore()
        initial = explorer.states[: explorer.result.initial]
        with without_traces(spec):
            return growing_ahead(Stepper(spec), names, initial, explorer.states, until)

    try:
        return within(Limits(seconds).begin(), look)
    except (Interrupted, Undefined):
        return []
