"""An upper bound of the number of entries of a log that any execution explains, by symmetry.

The members of constant sets get other names, if the module never tells them apart (``renamable``). Then a
permutation of names maps executions to executions. So of the states at a place in the log, one of each class
is enough: its image under a permutation (``canonical``). An eleventh key for ten keys is found so, where all
ways to choose ten keys and their values are too many. A loop takes few of the names (``twin_loops``).

The condition, as for other bounds: each step goes on by one entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from verifier.conform.canonical import Canonical
from verifier.conform.renamable import Renamed, rename_constants, tells_apart
from verifier.conform.twin_loops import TwinDraw, count_nested
from verifier.errors import UsageError
from verifier.runs.modules.loading import TlaLoaded
from verifier.tla.exploration_result import State
from verifier.tla.explorer import Explorer
from verifier.tla.frames import Undefined
from verifier.tla.log_index import find_log_index
from verifier.tla.specification import Specification, without_traces
from verifier.tla.translate.sampling import Stepper
from verifier.tla.value_types import NoValue

_MOST_IMAGES, _WIDEST = 3_000, 400
"""The limits of successors that are renamed, and of states at one place in the log."""
_MOST_INITIAL = 1_000
_BETWEEN_CHECKS = 64

Reload = Callable[[Mapping[str, str]], TlaLoaded]
"""Loads the module again, with other constants."""


def find_orbit_bound(spec: Specification, reload: Reload, check_limits: Callable[[], None]) -> int | None:
    """Return a number of entries that no execution exceeds; None if it may explain the whole log, or if the
    module may tell members apart."""
    renamed = rename_constants(spec)
    if renamed is None:
        return None
    try:
        other = reload(renamed.settings).specification
        with without_traces(other):
            return _bound(other, renamed, check_limits)
    except (Undefined, NoValue, UsageError, RecursionError):  # new names do not suit, or the log ends so
        return None


def _bound(spec: Specification, renamed: Renamed, check_limits: Callable[[], None]) -> int | None:
    if tells_apart(spec, renamed) is not None:
        return None
    names = spec.evaluator.model_values
    canonical = Canonical([[names[name] for name in row] for row in renamed.groups])
    # Without constraints there are more executions, so the bound stays one.
    draw = TwinDraw(count_nested(spec, canonical.groups))
    spec.evaluator.draw = draw
    plain = replace(spec, constraints=[], action_constraints=[], symmetry=[], view=None)
    explorer = Explorer(plain, properties=(), max_states=_MOST_INITIAL, max_depth=0, by_columns=False)
    explorer.explore()
    index = find_log_index(spec, explorer.states)
    if index is None or len(explorer.states) == _MOST_INITIAL:
        return None
    level = {canonical.rename(state) for state in explorer.states}
    stepper, count, place = Stepper(plain), 0, 1
    while level:
        if place > len(index.log) or len(level) > _WIDEST or any(index.of(one) != place for one in level):
            return None
        after = set[State]()
        stepper.arrive(place - 1)
        for state in level:
            draw.twins = canonical.find_twins(state)
            for successor in set(stepper.successors(state)):
                count += 1
                if count > _MOST_IMAGES:
                    return None
                if count % _BETWEEN_CHECKS == 0:
                    check_limits()
                after.add(canonical.rename(successor))
        level, place = after, place + 1
    return place - 2
