"""The flow of data: a value depends on no variable that its flow does not name."""

from __future__ import annotations

import re

import pytest

from tests.support.examples import kip320_first_try
from tests.support.two_recoveries import two_recoveries
from verifier.encodings.printing import text
from verifier.encodings.terms import Operator
from verifier.specs.protocol import define
from verifier.specs.registry import load as load_protocol
from verifier.system.model import Model, build
from verifier.trust.concrete_reading import ConcreteReading
from verifier.trust.flow import flows
from verifier.trust.itf import load
from verifier.trust.trace import Trace

_IN_PARTS = (Operator.FUNCTION, Operator.FUNCTION_UPDATE)
"""Their flows are those of parts."""


def first_try() -> tuple[Model, Trace]:
    row = kip320_first_try()
    assert row.trace is not None
    model = build(define(load_protocol("kip320-first-try")()))
    return model, load(row.trace, model)


@pytest.mark.parametrize("make", [first_try, pytest.param(two_recoveries, marks=pytest.mark.thorough)])
def test_what_a_flow_does_not_name_does_not_matter(make: object) -> None:
    assert callable(make)
    model, trace = make()
    compared = 0
    for state, taken in zip(trace.states, trace.actions, strict=False):
        (action,) = (one for one in model.definition.actions if one.name == taken.name)
        bindings = {p.symbol: taken.parameters[p.symbol.name] for p in action.parameters}
        named = {one.target: one.reads for one in flows(model.definition, state, taken)}
        for target, value in action.then:
            reads = named.get(text(target, bindings))
            if reads is None or value.operator in _IN_PARTS:
                continue
            needed = {re.split(r"[\[.]", path, maxsplit=1)[0] for path in reads}
            for name in state.keys() - needed:
                others = [other[name] for other in trace.states if other[name] != state[name]]
                for other in others[:1]:
                    changed = ConcreteReading({**state, name: other})
                    assert changed.value(value, bindings) == ConcreteReading(state).value(value, bindings)
                    compared += 1
    assert compared > 40


def test_a_flow_names_what_decides_the_value() -> None:
    model, trace = two_recoveries()

    def list_reads(step: int, target: str) -> tuple[str, ...]:
        found = flows(model.definition, trace.states[step - 1], trace.actions[step - 1])
        return next(one.reads for one in found if one.target == target)

    # A maximum is its greatest argument; a parameter is what it is compared with, or what it looks up.
    assert list_reads(26, "clients[c3].lac") == ("fence_responses[c3][b1].lac",)
    assert list_reads(27, "clients[c3].curr_read_entry") == ("clients[c3].lap",)
    assert list_reads(29, "clients[c3].last_recoverable_entry") == ("clients[c3].curr_read_entry",)
    assert list_reads(23, "b_lac[b1]") == ("add_requests[c2][2][1][b1]",)
    assert "clients[c2].lac" in list_reads(22, "add_requests[c2][2][1][b1]")
