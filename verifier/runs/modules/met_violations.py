"""Violations that the comparison of a module with its protocol meets in a reached state.

The search at small constants tries a few choices of these. The comparison tries others, and it knows the
value of each property in each reached state. So it meets violations that the search misses, also of
properties without a reading for all constants. The interpreter then finds the shortest execution there.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from verifier.processes.limits import Limits
from verifier.runs.modules.brief_exploration import explore_briefly
from verifier.runs.modules.constant_choices import Choice
from verifier.runs.modules.loading import with_invariants
from verifier.runs.modules.traces import report_violation
from verifier.runs.modules.verdicts import replay_verdict
from verifier.specs.definition import Definition
from verifier.tla.first_order.constants import Constants
from verifier.tla.first_order.protocol_classes import formula_of
from verifier.tla.specification import Specification, without_traces
from verifier.verdict import Verdict, VerdictKind

_SECONDS = 10.0
"""The limit of the exploration. The comparison meets the violation among few states."""
_SHARE = 4
"""The part of the remaining time that it may take."""


@dataclass(frozen=True)
class Met:
    """A violation in a reached state: the module at constants, and these in words."""

    specification: Specification
    constants: str
    size: int
    """The sum of the constants: smaller ones are easier to read."""


def meet(known: Met | None, specification: Specification, choice: Choice, sets: Constants) -> Met:
    """Return the violation at the smaller constants. ``sets``: the constants of the module."""
    shared = choice.is_own and share_elements(sets)
    constants = f"{choice.shown}, and the shared elements of the configuration" if shared else choice.shown
    met = Met(specification, constants, sum(choice.sizes.values()))
    return met if known is None or met.size < known.size else known


def share_elements(constants: Constants) -> bool:
    """True if sets of the configuration share elements. Those of other choices do not."""
    plain = [set(values) for name, values in constants.sets.items() if name not in constants.families]
    return bool(plain) and len(set.union(*plain)) < sum(map(len, plain))


def tell_violation(
    name: str, met: Met, definition: Definition, limits: Limits
) -> tuple[Verdict, Mapping[str, Any]] | None:
    """Return the replayed violation of a property with its file. None if a short search finds none: the
    comparison ignores the CONSTRAINT of a configuration."""
    began, left = time.monotonic(), limits.begin().seconds_left
    seconds = _SECONDS if left is None else min(_SECONDS, left / _SHARE)
    own = {name: formula_of(met.specification, name)}
    spec = replace(with_invariants(met.specification, own), symmetry=[], view=None)
    with without_traces(spec):
        violation = explore_briefly(spec, (name,), seconds).result.violations.get(name)
        if violation is None:
            return None
        verdict, file = report_violation(spec, definition, violation, time.monotonic() - began)
        verdict = replay_verdict(spec, verdict, violation.states)
    if verdict.kind is not VerdictKind.VIOLATED:
        return None
    return replace(verdict, reason=f"with {met.constants}"), file
