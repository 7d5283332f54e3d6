"""A counterexample at small constants, explained by the module's own text.

A proof for all constants reads a module as a protocol. Its counterexamples are executions of the protocol at
chosen constants, whose formulas have numbers in place of the constants.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from verifier.encodings.concrete import show
from verifier.encodings.plain_terms import plain
from verifier.errors import UsageError
from verifier.runs.modules.fixed_constants import SpecifyAt
from verifier.runs.modules.traces import make_failing_part
from verifier.specs.definition import Definition
from verifier.tla.explaining import false_parts
from verifier.tla.first_order.constants import classify
from verifier.tla.first_order.protocol_classes import ModuleProtocol, formula_of, operator_of
from verifier.tla.first_order.values import Translator
from verifier.trust.trace import FailingPart, Trace

_NAME = re.compile(r"[A-Za-z]\w*")


def explain_at_sizes(
    protocol: ModuleProtocol, specify_at: SpecifyAt, definition: Definition, trace: Trace
) -> Trace:
    """Return the trace of a protocol at constants, with the parts of the module's property that are false at
    its end; the trace itself if the module has no such parts."""
    if protocol.constants.families or trace.violates not in protocol.claims:
        return trace
    sorts = protocol.reading(protocol.kind(dict(definition.constants))).sorts
    names = {name: [show(one) for one in sorts.members[name].values()] for name in protocol.constants.sets}
    settings = {name: str(size) for name, size in definition.constants.items()}
    settings |= {name: f"{{{', '.join(elements)}}}" for name, elements in names.items()}
    try:
        specification = specify_at(settings)
        values = Translator(classify(specification, protocol.constants), sorts)
    except UsageError:  # an element has the name of an operator
        return trace
    last = trace.states[-1]
    kinds = protocol.kinds.items()
    state = tuple(values.decode(plain(last[variable.name]), kind) for variable, kind in kinds)
    formula = formula_of(specification, operator_of(str(trace.violates)))
    parts = map(make_failing_part, false_parts(specification, [formula], state))
    numbers = {name: value for name, value in definition.constants.items() if name not in names}
    return replace(trace, failing=tuple(_add_constants(part, numbers) for part in parts))


def _add_constants(part: FailingPart, numbers: Mapping[str, Any]) -> FailingPart:
    """Return a part with the values of the constants that its text names."""
    text = part.formula.split(": ", 1)[-1]
    named = [name for name in dict.fromkeys(_NAME.findall(text)) if name in numbers]
    known = {name for name, _ in part.where}
    more = tuple((name, show(numbers[name])) for name in named if name not in known)
    return replace(part, where=(*part.where, *more))
