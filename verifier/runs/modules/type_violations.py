"""Executions that violate a module's type invariant, which the comparison with its protocol meets.

No proof for all constants is possible then. The interpreter finds the shortest execution at those constants.
It also decides the asked properties that are violated there.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from verifier.processes.limits import Limits
from verifier.runs.loaded import TypeInvariantViolated
from verifier.runs.modules.bounded_checking import interpreter_properties
from verifier.runs.modules.brief_exploration import explore_briefly
from verifier.runs.modules.constrained_violations import name_constraints
from verifier.runs.modules.loading import with_invariants
from verifier.runs.modules.traces import report_violation
from verifier.runs.modules.verdicts import replay_verdict
from verifier.specs.definition import Definition
from verifier.tla.first_order.protocol_classes import formula_of
from verifier.tla.specification import Specification, without_traces
from verifier.verdict import Verdict, VerdictKind

_SECONDS = 20.0
"""The limit of the exploration. The comparison meets the violation among few states."""


class LeavesSorts(Exception):
    """Raised for a reachable state or step that the type invariant does not allow."""

    def __init__(self, words: str, specification: Specification, constants: str) -> None:
        super().__init__(words)
        self.specification, self.constants = specification, constants


def find_violations(
    met: LeavesSorts,
    type_invariant: str,
    properties: Sequence[str],
    definition: Definition,
    limits: Limits,
) -> TypeInvariantViolated:
    """Return the replayed violations of the type invariant and of the properties, at the constants where the
    comparison met one. The properties without a violation there stay open."""
    began, spec = time.monotonic(), met.specification
    own = {name: formula_of(spec, name) for name in (type_invariant, *properties) if _is_operator(spec, name)}
    spec = with_invariants(spec, own)
    names = tuple(dict.fromkeys([type_invariant, *properties]))
    if interpreter_properties(spec, names) is None:
        names = (type_invariant,)
    seconds = limits.share(2).seconds_left or _SECONDS
    with without_traces(spec):
        explorer = explore_briefly(spec, names, min(_SECONDS, seconds), keep_going=True)
    verdicts, traces = list[Verdict](), dict[str, Mapping[str, Any]]()
    for name, violation in explorer.result.violations.items():
        verdict, traces[name] = report_violation(spec, definition, violation, time.monotonic() - began)
        verdict = replay_verdict(spec, verdict, violation.states)
        if verdict.kind is VerdictKind.VIOLATED:
            verdict = replace(verdict, reason=f"with {met.constants}")
        verdicts.append(verdict)
    said = str(met)
    if (constraints := name_constraints(spec)) and type_invariant not in explorer.result.violations:
        said = f"{said}. That is not found within {constraints}, but a proof ignores {constraints}"
    return TypeInvariantViolated(said, type_invariant, met.constants, tuple(verdicts), traces)


def _is_operator(spec: Specification, name: str) -> bool:
    """True for an operator of the module that the configuration does not name."""
    return name in spec.module.names and name not in spec.properties and name not in spec.invariants
