"""Readings for all constants, compared with concrete steps, and proofs from them."""

from __future__ import annotations

import random
from typing import Any

from tests.support.command_line import ROOT
from tests.support.explicit import initial_states
from tests.support.finite_structures import Structure, facts, members, set_names
from verifier.parametric.protocol_readings import read_for_all, read_traced
from verifier.parametric.proving import Attempt, Proofs, prove
from verifier.parametric.symbolic import symbolic
from verifier.parametric.system import ParametricSystem
from verifier.processes.limits import Limits
from verifier.specs.constants import IndexSetConstant, constants_of
from verifier.specs.protocol import Protocol, define
from verifier.specs.registry import load
from verifier.system.model import Model, build
from verifier.trust.replay import Replayer
from verifier.trust.trace import ActionTaken

ConcreteState = dict[str, Any]
Transition = tuple[ConcreteState, ActionTaken, ConcreteState]


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
                found.append(
                    (dict(decode(state)), replayer.name_action(instance, inputs), dict(decode(after)))
                )
                state, steps = after, steps + 1
                break
        else:
            steps = 99
        if steps > 15:
            state, steps = rng.choice(initial), 0
    return found


class CheckedReading:
    """A protocol's parametric reading, for tests of concrete steps."""

    def __init__(self, kind: type[Protocol], constants: dict[str, Any]) -> None:
        self.reading = read_traced(kind, constants)
        self.system = ParametricSystem(self.reading.definition)
        self.model = build(define(kind(constants)))
        protocol = kind(constants)
        sets = (
            getattr(protocol, name)
            for name, constant in constants_of(kind).items()
            if isinstance(constant, IndexSetConstant)
        )
        self.elements = {one.name: list(one.elements) for one in sets}

    def structure(self, state: ConcreteState, taken: ActionTaken, rng: random.Random) -> Structure:
        """A structure that is this state, and the action's parameters, and random elsewhere."""
        definition, known = self.model.definition, dict[Any, Any]()
        for name, value in self.reading.constants.items():
            known[f"constant {name}", ()] = value
        for symbol in definition.variables:
            known |= dict(facts(symbol.sort, symbol.name, state[symbol.name]))
        own = next(one for one in definition.actions if one.name == taken.name)
        for name, sort in own.sorts.items():
            known |= dict(facts(sort, f"{name}?", taken.parameters[name]))
        both = ((symbol.sort, symbol.name + prime) for symbol in definition.variables for prime in ("", "'"))
        sets = frozenset(name for one in both for name in set_names(*one))
        most = max(6, *(members(symbol.sort) for symbol in definition.variables))
        return Structure(self.system, self.elements, known, rng, most=most, sets=sets)

    def is_step(
        self, before: ConcreteState, taken: ActionTaken, after: ConcreteState, rng: random.Random
    ) -> bool:
        """True if the reading has this step."""
        step = next(one for one in self.system.steps if one.name == taken.name)
        structure = self.structure(before, taken, rng)
        for symbol in self.model.definition.variables:
            structure.known |= dict(facts(symbol.sort, f"{symbol.name}'", after[symbol.name]))
        if not structure.value(step.guard):
            return False
        values = self.system.values
        return all(
            structure.value(
                values.equal(symbol.sort, value, symbolic(values, symbol.sort, f"{symbol.name}'"))
            )
            for symbol, value in step.successor.items()
        )


SMALL: dict[str, dict[str, Any]] = {
    "bookkeeper": {"bookies": 2, "write_quorum": 1, "ack_quorum": 1, "ensemble_choice": "any"},
    "bookkeeper-4-13": {"bookies": 2, "write_quorum": 1, "ack_quorum": 1, "ensemble_choice": "any"},
    "exactly-once": {"message_count": 1, "dup_count": 2},
    "exactly-once-atomic": {"max_queue": 2, "max_retry": 1},
    "kip320": {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2},
    "kip101": {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2},
}


def attempt_proof(kind: type[Protocol], name: str, **constants: Any) -> Attempt:
    return prove(Proofs.of(read_for_all(kind, constants)), name, Limits(300).begin())


def ticket_lock() -> type[Protocol]:
    return load(str(ROOT / "docs" / "tutorial" / "ticket_lock.py"))
