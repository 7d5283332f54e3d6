"""Why the last state of a counterexample violates its property, in words."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from pysmt.shortcuts import Bool
from rich.text import Text

from verifier.encodings.concrete import show
from verifier.explain import ConcreteReading, Reason
from verifier.model import Leaving, Model
from verifier.specs.definition import Property, PropertyKind
from verifier.trace import Trace


def failing_part(model: Model, trace: Trace) -> list[str]:
    """What fails in the last state: formulas with their witnesses, or actions that would leave a sort."""
    prop = _property(model, trace)
    reading = ConcreteReading(trace.states[-1])
    if not reading.holds(prop.formula, {}):
        return [line for reason in reading.failures(prop.formula) for line in _reason(reason)]
    return [_leaving(leaving) for leaving in _leaving_in_last_state(model, trace)]


def render_failure(model: Model, trace: Trace, width: int) -> list[Text]:
    """The failing part under a line that names the property and the state."""
    prop = _property(model, trace)
    where = "the initial state" if trace.steps == 0 else f"state {trace.steps}"
    stuck = ", in which no action is enabled" if prop.kind is PropertyKind.DEADLOCK_INVARIANT else ""
    lines = [Text(f"{prop.name} fails in {where}{stuck}:", "bold red")]
    for line in failing_part(model, trace):
        indent = len(line) - len(line.lstrip()) + 2
        prefix, hanging = " " * indent, " " * (indent + 2)
        wrapped = textwrap.wrap(
            line.strip(), width, initial_indent=prefix, subsequent_indent=hanging, break_on_hyphens=False
        )
        lines += [Text(part) for part in wrapped]
    return lines


def short_failure(model: Model, trace: Trace) -> str:
    """The failing part on one line."""
    prop = _property(model, trace)
    reading = ConcreteReading(trace.states[-1])
    if not reading.holds(prop.formula, {}):
        return "; ".join(str(reason) for reason in reading.failures(prop.formula))
    return "; ".join(_leaving(leaving) for leaving in _leaving_in_last_state(model, trace))


def _property(model: Model, trace: Trace) -> Property:
    return next(prop for prop in model.definition.properties if prop.name == trace.violates)


def _reason(reason: Reason) -> Iterator[str]:
    """One reason: the witnesses, the false part, the values it speaks of."""
    at = ", ".join(f"{name} = {show(value)}" for name, value in reason.witnesses)
    where = ", ".join(f"{name} = {show(value)}" for name, value in reason.values)
    indent = "  " if at else ""
    if at:
        yield f"for {at}:"
    yield f"{indent}{reason.formula} is false"
    if where:
        yield f"{indent}where {where}"


def _leaving(leaving: Leaving) -> str:
    return f"{leaving.instance} is enabled and would give {leaving.target} a value outside {leaving.sort}"


def _leaving_in_last_state(model: Model, trace: Trace) -> list[Leaving]:
    bits = model.layout.encode_state(trace.states[-1])
    known = dict(zip(model.system.bits, bits, strict=True))
    return [leaving for leaving in model.leaving if not _excluded(leaving, known)]


def _excluded(leaving: Leaving, known: dict[object, bool]) -> bool:
    """Whether the state alone shows that the assignment stays within its sort."""
    fixed = {symbol: Bool(known[symbol]) for symbol in leaving.when.get_free_variables() if symbol in known}
    return bool(leaving.when.substitute(fixed).simplify().is_false())
