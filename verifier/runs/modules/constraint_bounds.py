"""Variables that a CONSTRAINT bounds, however far the bound is: greater values make it false.

TLC checks a state that violates a CONSTRAINT, and does not expand it. So a variable with such a bound has
finitely many values, although it grows for many steps before it comes to the bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from verifier.runs.modules.policy import POLICY
from verifier.tla.exploration_result import State
from verifier.tla.frames import Undefined
from verifier.tla.specification import Specification
from verifier.tla.translate.sampling import Stepper
from verifier.tla.value_types import Fn, NoValue, Value

_FAR, _MANY = 1_000_000, 1_000
"""The distance of enlarged numbers, and the count of elements in enlarged sequences and sets."""


def is_constrained(spec: Specification) -> bool:
    """True if the configuration has a CONSTRAINT or an ACTION_CONSTRAINT."""
    return bool(spec.constraints or spec.action_constraints)


def find_bounded(stepper: Stepper, growing: Mapping[int, int], states: Sequence[State]) -> list[int]:
    """Return the variables, by place, that the constraints bound among growing ones. ``growing``: for each
    one, 1 if its numbers rise and -1 if they fall. ``states``: some in which they are large."""
    places = [*growing]

    def may_grow(some: Sequence[int]) -> bool:
        return any(_allows(stepper, state, {place: growing[place] for place in some}) for state in states)

    if may_grow(places):
        return []
    culprits = [one for one in places if may_grow([other for other in places if other != one])]
    return culprits or [one for one in places if not may_grow([one])] or places


def _allows(stepper: Stepper, state: State, growing: Mapping[int, int]) -> bool:
    """True if the constraints hold in a state, and hold still with much greater values."""
    values = list(state)
    for place, sign in growing.items():
        values[place] = enlarge(state[place], sign)
        if values[place] == state[place]:
            return False
    larger = tuple(values)
    try:
        if not (stepper.within(state) and stepper.within(larger)):
            return False
        return not stepper.goes_on(state, state) or stepper.goes_on(larger, larger)
    except (Undefined, NoValue):
        return False


def enlarge(value: Value, sign: int, more: int = 0, left: int = POLICY.growth_depth) -> Value:
    """Return a value with far greater numbers, longer sequences and larger sets. ``sign``: -1 if numbers
    fall. Different values of ``more`` give different values. ``left``: the nesting that is enlarged."""
    if type(value) is int:
        return value + sign * (_FAR + more)
    if not left:
        return value
    if isinstance(value, tuple):
        parts = [enlarge(part, sign, more, left - 1) for part in value]
        return tuple(parts[number % len(parts)] for number in range(_MANY + more)) if parts else value
    if isinstance(value, frozenset):
        first = min(value, key=repr, default=None)  # the same in every run
        return value | {enlarge(first, sign, number, left - 1) for number in range(_MANY) if value}
    if isinstance(value, Fn):
        return Fn({key: enlarge(part, sign, more, left - 1) for key, part in value.items()})
    return value
