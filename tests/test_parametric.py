"""The reading for all constants: every step at small constants is one of it; proofs fail for mutants."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.explicit import initial_states
from tests.finite_structures import Structure, facts
from tests.weakened import without
from verifier.parametric.errors import NotParametric
from verifier.parametric.loading import read_for_all, read_traced
from verifier.parametric.proving import Attempt, listed, obligations_of, prove
from verifier.parametric.system import ParametricSystem
from verifier.processes.limits import Limits
from verifier.specs.constants import IndexSetConstant, constants_of
from verifier.specs.protocol import Protocol, define
from verifier.specs.registry import load
from verifier.system.model import Model, build
from verifier.trust.replay import Replayer
from verifier.trust.trace import ActionTaken

State = dict[str, Any]
Transition = tuple[State, ActionTaken, State]


def random_transitions(model: Model, count: int, rng: random.Random) -> list[Transition]:
    """Steps on random walks from an initial state."""
    replayer, system = Replayer(model), model.system
    decode = model.layout.decode_state
    found: list[Transition] = []
    width = len(system.bits)
    initial = [[bool(number >> place & 1) for place in range(width)] for number in initial_states(model)]
    state, steps = rng.choice(initial), 0
    while len(found) < count:
        instances = list(system.instances)
        rng.shuffle(instances)
        for instance in instances:
            inputs = [rng.random() < 0.5 for _ in instance.inputs]
            after = replayer.successor(state, instance, inputs)
            if after is not None:
                found.append((dict(decode(state)), replayer.taken(instance, inputs), dict(decode(after))))
                state, steps = after, steps + 1
                break
        else:
            steps = 99
        if steps > 15:
            state, steps = rng.choice(initial), 0
    return found


class Reading:
    """A protocol's parametric reading, for tests of concrete steps."""

    def __init__(self, kind: type[Protocol], constants: dict[str, Any]) -> None:
        self.reading = read_traced(kind, constants)
        names = tuple(lemma.name for lemma in self.reading.definition.lemmas)
        self.system = ParametricSystem(self.reading.definition, names)
        self.model = build(define(kind(constants)))
        protocol = kind(constants)
        sets = (
            getattr(protocol, name)
            for name, constant in constants_of(kind).items()
            if isinstance(constant, IndexSetConstant)
        )
        self.elements = {one.name: list(one.elements) for one in sets}

    def structure(self, state: State, action: ActionTaken | None, rng: random.Random) -> Structure:
        """A structure that is this state, and the action's parameters, and random elsewhere."""
        definition, known = self.model.definition, dict[Any, Any]()
        for name, value in self.reading.constants.items():
            known[name, ()] = value
        for symbol in definition.variables:
            known |= dict(facts(symbol.sort, symbol.name, state[symbol.name]))
        for own in definition.actions if action is not None else ():
            if action is not None and own.name == action.name:
                for parameter in own.parameters:
                    name, sort = parameter.symbol.name, parameter.symbol.sort
                    known |= dict(facts(sort, f"{name}?", action.parameters[name]))
        return Structure(self.system, self.elements, known, rng)

    def is_step(self, before: State, action: ActionTaken, after: State, rng: random.Random) -> bool:
        """Whether the reading has this step."""
        step = next(one for one in self.system.steps if one.name == action.name)
        structure = self.structure(before, action, rng)
        for symbol in self.model.definition.variables:
            structure.known |= dict(facts(symbol.sort, f"{symbol.name}'", after[symbol.name]))
        if not structure.value(step.guard):
            return False
        values = self.system.values
        return all(
            structure.value(
                values.equal(symbol.sort, value, values.symbolic(symbol.sort, f"{symbol.name}'"))
            )
            for symbol, value in step.successor.items()
        )


SMALL = {
    "kip320": {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2},
    "kip101": {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2},
}


@pytest.mark.parametrize("spec", SMALL)
def test_steps_at_small_constants_are_steps_of_the_reading(spec: str) -> None:
    rng = random.Random(1)
    reading = Reading(load(spec), SMALL[spec])
    seen = set()
    for before, action, after in random_transitions(reading.model, 60, rng):
        assert reading.is_step(before, action, after, rng), (action, before, after)
        seen.add(action.name)
    assert len(seen) > 5
