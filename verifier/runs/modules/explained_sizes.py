"""A counterexample at small constants, explained by the module's own text.

A proof for all constants reads a module as a protocol. Its counterexamples are executions of the protocol at
chosen constants, whose formulas have numbers in place of the constants.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from verifier.encodings.concrete import show
from verifier.encodings.open_integers import LARGEST
from verifier.encodings.plain_terms import plain
from verifier.errors import UsageError
from verifier.printable import say_count
from verifier.runs.modules.constrained_violations import (
    find_within_constraints,
    is_within_constraints,
    name_constraints,
)
from verifier.runs.modules.loading import TlaLoaded, with_invariants
from verifier.runs.modules.traces import make_failing_part, report_violation
from verifier.runs.modules.verdicts import replay_verdict
from verifier.specs.definition import Definition
from verifier.tla.explaining import false_parts
from verifier.tla.exploration_result import Violation
from verifier.tla.explorer import Explorer
from verifier.tla.first_order.constants import classify
from verifier.tla.first_order.protocol_classes import ModuleProtocol, formula_of, operator_of
from verifier.tla.first_order.values import Translator
from verifier.tla.frames import Undefined
from verifier.tla.specification import Specification, without_traces
from verifier.trust.trace import FailingPart, Trace
from verifier.verdict import ALL_CONSTANTS, Verdict, VerdictKind

LoadAt = Callable[[Mapping[str, str]], TlaLoaded]
"""Loads the module with other constants, which are given as texts."""
_NAME = re.compile(r"[A-Za-z]\w*")


def explain_at_sizes(
    protocol: ModuleProtocol, load_at: LoadAt, definition: Definition, trace: Trace
) -> Trace:
    """Return the trace of a protocol at constants, with the parts of the module's property that are false at
    its end; the trace itself if the module has no such parts."""
    at_sizes = _read_at_sizes(protocol, load_at, definition, trace)
    if at_sizes is None:
        return trace
    specification, state = at_sizes.specification, at_sizes.decode(trace.states[-1])
    formula = formula_of(specification, operator_of(str(trace.violates)))
    parts = map(make_failing_part, false_parts(specification, [formula], state))
    return replace(trace, failing=_add_constants(protocol, definition, parts))


def retell_at_sizes(
    protocol: ModuleProtocol,
    load_at: LoadAt,
    definition: Definition,
    verdict: Verdict,
) -> tuple[Verdict, Mapping[str, Any]] | None:
    """Return a violation by the protocol at constants as one of the module's own executions, replayed by the
    interpreter, and its file; None if the module has no such text. An execution that is none of the module
    makes the verdict an ERROR."""
    trace, name = verdict.trace, verdict.property_name
    at_sizes = None if trace is None else _read_at_sizes(protocol, load_at, definition, trace)
    constraints = name_constraints(protocol.specification)
    if trace is not None and at_sizes is None and constraints:
        return _leave_open(verdict, f"nothing says if {constraints} allows it"), {}
    if trace is None or at_sizes is None:
        return None
    own = formula_of(at_sizes.specification, operator_of(name))
    spec = with_invariants(at_sizes.specification, {name: own})
    states = [at_sizes.decode(state) for state in trace.states]
    with without_traces(spec), suppress(Undefined):
        actions = list(Explorer(spec, properties=(name,)).walks.actions(states))
        violation: Violation | None = Violation(name, states, actions)
        if constraints and not is_within_constraints(spec, states):
            violation = find_within_constraints(spec, name)
            if violation is None:
                beyond = f"{constraints} does not allow it, and no other was found at these constants"
                return _leave_open(verdict, beyond), {}
            states, verdict = violation.states, replace(verdict, fewest=False)
        assert violation is not None
        told, file = report_violation(spec, at_sizes.loaded.definition, violation, verdict.seconds)
        if told.trace is not None:
            failing = _add_constants(protocol, definition, told.trace.failing)
            told = replace(told, trace=replace(told.trace, failing=failing))
        told = replace(told, reason=verdict.reason, fewest=verdict.fewest, found_by=verdict.found_by)
        return replay_verdict(spec, told, states), file
    reason = f"this is no execution of the module, {verdict.reason}"
    return replace(verdict, kind=VerdictKind.ERROR, reason=reason), {}


def _leave_open(verdict: Verdict, why: str) -> Verdict:
    """Return the verdict where an execution may be none that the configuration asks about."""
    assert verdict.trace is not None
    steps = say_count(verdict.trace.steps, "step")
    reason = f"{verdict.reason}, an execution of {steps} violates it, but {why}"
    open_ = replace(verdict, kind=VerdictKind.INCONCLUSIVE, reason=reason, trace=None)
    return replace(open_, fewest=False, depth=None, found_by=ALL_CONSTANTS)


@dataclass(frozen=True)
class _AtSizes:
    """A module at the constants of a protocol's execution."""

    loaded: TlaLoaded
    values: Translator
    kinds: Mapping[Any, Any]
    """The kind of each variable."""

    @property
    def specification(self) -> Specification:
        """Return the specification."""
        return self.loaded.specification

    def decode(self, state: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the module's state for a state of the protocol."""
        return tuple(
            self.values.decode(plain(state[variable.name]), kind) for variable, kind in self.kinds.items()
        )


def _read_at_sizes(
    protocol: ModuleProtocol, load_at: LoadAt, definition: Definition, trace: Trace
) -> _AtSizes | None:
    if protocol.constants.families or trace.violates not in protocol.claims:
        return None
    sorts = protocol.reading(protocol.kind(dict(definition.constants))).sorts
    names = {name: [show(one) for one in sorts.members[name].values()] for name in protocol.constants.sets}
    settings = {name: str(size) for name, size in definition.constants.items() if name != LARGEST}
    settings |= {name: f"{{{', '.join(elements)}}}" for name, elements in names.items()}
    try:
        loaded = load_at(settings)
        values = Translator(classify(loaded.specification, protocol.constants), sorts)
    except UsageError:  # an element has the name of an operator
        return None
    return _AtSizes(loaded, values, protocol.kinds)


def _add_constants(
    protocol: ModuleProtocol, definition: Definition, parts: Iterable[FailingPart]
) -> tuple[FailingPart, ...]:
    """Return parts with the values of the constants that their texts name."""
    sets = protocol.constants.sets
    numbers = {name: value for name, value in definition.constants.items() if name not in sets}
    return tuple(_add_numbers(part, numbers) for part in parts)


def _add_numbers(part: FailingPart, numbers: Mapping[str, Any]) -> FailingPart:
    text = part.formula.split(": ", 1)[-1]
    named = [name for name in dict.fromkeys(_NAME.findall(text)) if name in numbers]
    known = {name for name, _ in part.where}
    more = tuple((name, show(numbers[name])) for name in named if name not in known)
    return replace(part, where=(*part.where, *more))
