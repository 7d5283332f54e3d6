"""Why the last state of a counterexample, or its last step, violates its property, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from rich.text import Text

from verifier.specs.definition import PropertyKind
from verifier.specs.titles import NO_DEADLOCK
from verifier.system.model import Model
from verifier.text.columns import wrap
from verifier.trust.explain import breaches, reasons
from verifier.trust.trace import FailingPart, Trace


def failing_part(model: Model, trace: Trace) -> list[str]:
    """The parts that fail in the last state: formulas with witnesses, or actions that would leave a sort."""
    failures = reasons(model, trace)
    if failures:
        return [line for reason in failures for line in _part(reason.part)]
    return breaches(model, trace)


def render_failure(
    model: Model | None,
    trace: Trace,
    width: int,
    no_deadlock: str = NO_DEADLOCK,
    called: Mapping[str, str] = MappingProxyType({}),
) -> list[Text]:
    """The failing part under a line that names the property and the state. ``no_deadlock``: what freedom from
    deadlock is called. ``called``: other names of properties."""
    where = "the initial state" if trace.steps == 0 else f"state {trace.steps}"
    if trace.fails_in_step or (model is not None and model.system.about_steps(str(trace.violates))):
        where = f"step {trace.steps}, {trace.actions[-1]}"
    stuck = ", in which no action is enabled" if _speaks_of_deadlocks(model, trace, no_deadlock) else ""
    failing = [line for part in trace.failing for line in _part(part)]
    if not failing and model is not None:
        failing = failing_part(model, trace)
    name = called.get(str(trace.violates), trace.violates)
    lines = [Text(f"{name} fails in {where}{stuck}{':' if failing else ''}", "bold red")]
    for line in failing:
        indent = len(line) - len(line.lstrip()) + 2
        prefix, hanging = " " * indent, " " * (indent + 2)
        lines += map(Text, wrap(line.strip(), width, initial_indent=prefix, subsequent_indent=hanging))
    return lines


def short_failure(model: Model, trace: Trace) -> str:
    """The failing part on one line."""
    reasons_given = [str(reason) for reason in reasons(model, trace)] or breaches(model, trace)
    return "; ".join(reasons_given) or "no action is enabled"


def _speaks_of_deadlocks(model: Model | None, trace: Trace, no_deadlock: str) -> bool:
    properties = () if model is None else model.definition.properties
    kinds = {prop.name: prop.kind for prop in properties}
    is_stated = kinds.get(str(trace.violates)) is PropertyKind.DEADLOCK_INVARIANT
    return is_stated or trace.violates == no_deadlock


def _part(part: FailingPart) -> Iterator[str]:
    return say_false(part.formula, part.witnesses, part.where)


def say_false(
    formula: str, witnesses: Iterable[tuple[str, object]], values: Iterable[tuple[str, object]]
) -> Iterator[str]:
    """Yield the lines on a false formula: for which elements, and at which values that it mentions."""
    at = ", ".join(f"{name} = {value}" for name, value in witnesses)
    where = ", ".join(f"{name} = {value}" for name, value in values)
    indent = "  " if at else ""
    if at:
        yield f"for {at}:"
    yield f"{indent}{formula} is false"
    if where:
        yield f"{indent}where {where}"
