"""AIGER: Berkeley's ABC reads the files and comes to the same verdicts; the map says what its inputs mean."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.engines.test_random_systems import NAMES, RandomProtocol
from tests.support.explicit import explore
from tests.support.exporting import (
    KNOWN,
    ManyStarts,
    abc,
    aiger_file,
    model_of,
    name_case,
    needs_abc,
    starting_steps,
    values_of,
)
from tests.support.models import build
from tests.support.toys import Chain, LockServer, Lottery, Matchmaker
from verifier.encodings.concrete import show
from verifier.interchange.exporting import Exported, Format, export
from verifier.specs.protocol import Protocol
from verifier.specs.registry import load
from verifier.system.model import Model
from verifier.trust.replay import Replayer

SMALL = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
LARGER = {"replicas": 3, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}
PULSAR = {"message_sent_limit": 2, "compaction_times_limit": 2, "max_crash_times": 1, "retain_null_key": True}


def _replay(model: Model, exported: Exported, name: str, rows: tuple[tuple[bool, ...], ...]) -> int:
    """Replays inputs as the map reads them, up to the violation; the number of actions."""
    bits, replayer, names = len(model.system.bits), Replayer(model), exported.names
    inputs = list(rows[:-1])  # the last row belongs to the bad state itself
    if names["started"] is not None:
        row = inputs.pop(0)
        flat = [place for field in names["initial_state"] for place in field["bits"]]
        initial = [row[place["input"]] for place in flat]
    else:
        flat = [place for field in names["state"] for place in field["bits"]]
        initial = [place["literal"] % 2 == 1 for place in flat]
    assert len(initial) == bits
    firings, state = [], initial
    for row in inputs:
        for instance, entry in zip(model.system.instances, names["instances"], strict=True):
            assert entry["instance"] == instance.label
            free = [row[place["input"]] for field in entry["free"] for place in field["bits"]]
            after = replayer.successor(state, instance, free) if row[entry["taken"]["input"]] else None
            if after is not None:
                firings.append((instance, free))
                state = after
                break
    replayer.execute(initial, firings, name)
    return len(firings)


@needs_abc
@pytest.mark.parametrize("case", KNOWN, ids=name_case)
def test_abc_knows_the_toys(case: Any, tmp_path: Path) -> None:
    protocol, name, length = case
    model = model_of(protocol)
    exported = aiger_file(model, (name,), tmp_path / "toy.aig")
    if length is None:
        assert abc(tmp_path / "toy.aig", "pdr").proved
    else:
        found = abc(tmp_path / "toy.aig", "bmc3 -F 20")
        assert found.frame == length + starting_steps(exported)
        assert _replay(model, exported, name, found.inputs) == length
        found = abc(tmp_path / "toy.aig", "pdr")
        assert not found.proved
        assert _replay(model, exported, name, found.inputs) >= length


@needs_abc
@pytest.mark.parametrize("rules", range(30))
def test_abc_agrees_with_exploration_of_random_systems(rules: int, tmp_path: Path) -> None:
    model = build(RandomProtocol({"rules": rules}))
    steps = explore(model).steps
    for name in NAMES:
        exported = aiger_file(model, (name,), tmp_path / f"{name}.aig")
        if name in steps:
            found = abc(tmp_path / f"{name}.aig", "bmc3 -F 100")
            assert found.frame == steps[name] + starting_steps(exported)
            assert _replay(model, exported, name, found.inputs) == steps[name]
        else:
            assert abc(tmp_path / f"{name}.aig", "pdr").proved


@needs_abc
@pytest.mark.parametrize(
    ("spec", "constants", "name", "length"),
    [
        ("kafka-truncate-hw", SMALL, "WeakIsr", 8),
        ("kafka-truncate-hw", SMALL, "StrongIsr", 9),
        ("kip320-first-try", {**LARGER, "log_size": 1, "max_records": 1}, "LeaderInIsr", 0),
        pytest.param("kip101", {**LARGER, "replicas": 2}, "StrongIsr", 11, marks=pytest.mark.slow),
        pytest.param("kip101", LARGER, "StrongIsr", 10, marks=pytest.mark.slow),
        ("kip101", SMALL, "StrongIsr", None),
        ("kip320", SMALL, "StrongIsr", None),
        ("kafka-async-isr", {}, "ValidHighWatermark", None),
        ("pulsar-compaction", PULSAR, "CompactionHorizonCorrectness", None),
        ("pulsar-compaction", PULSAR, "DuplicateNullKeyMessage", 4),
        ("rabbit-sac", {"queues": 2, "apps": 2}, "DeadlockBalanced", None),
        ("exactly-once", {"message_count": 1, "dup_count": 1}, "AtMostOneOutputMsg", None),
    ],
)
def test_abc_agrees_on_built_in_protocols(
    spec: str, constants: dict[str, Any], name: str, length: int | None, tmp_path: Path
) -> None:
    model = build(load(spec)(constants))
    exported = aiger_file(model, (name,), tmp_path / "spec.aig")
    if length is None:
        assert abc(tmp_path / "spec.aig", "pdr").proved
    else:
        found = abc(tmp_path / "spec.aig", "bmc3 -F 30")
        assert found.frame == length + starting_steps(exported)
        assert _replay(model, exported, name, found.inputs) == length


@needs_abc
@pytest.mark.slow
def test_abc_finds_the_violation_of_the_first_try(tmp_path: Path) -> None:
    """By pdr, which need not find the shortest: that there are 12 actions is beyond its bounded search."""
    model = build(load("kip320-first-try")(LARGER))
    exported = aiger_file(model, ("StrongIsr",), tmp_path / "spec.aig")
    found = abc(tmp_path / "spec.aig", "pdr")
    assert found.frame is not None
    assert 12 <= _replay(model, exported, "StrongIsr", found.inputs) <= found.frame


@needs_abc
def test_each_property_is_an_output(tmp_path: Path) -> None:
    aiger_file(build(Chain()), ("StartsLow", "NeverTop"), tmp_path / "chain.aig")
    said = abc(tmp_path / "chain.aig", "print_io; bmc3 -F 9").said
    assert "0=StartsLow 1=NeverTop" in said
    assert "Output 1 of miter" in said


# The readable form, by a reader written here from the format's description.


class _Ascii:
    def __init__(self, text: str) -> None:
        lines = text.split("\n")
        kind, *counts = lines[0].split()
        assert kind == "aag"
        _, inputs, latches, outputs, gates = map(int, counts)
        rows = [[int(word) for word in line.split()] for line in lines[1 : 1 + sum(map(int, counts[1:]))]]
        self.inputs = [row[0] for row in rows[:inputs]]
        self.latches = rows[inputs : inputs + latches]
        self.outputs = [row[0] for row in rows[inputs + latches :][:outputs]]
        self.gates = rows[inputs + latches + outputs :]
        assert len(self.gates) == gates
        assert all(gate[0] > gate[1] >= gate[2] for gate in self.gates)
        self.names = {line.split(" ", 1)[0]: line.split(" ", 1)[1] for line in self._symbols(lines)}

    def _symbols(self, lines: list[str]) -> list[str]:
        first = 1 + len(self.inputs) + len(self.latches) + len(self.outputs) + len(self.gates)
        return lines[first : lines.index("c")]

    def step(self, inputs: list[bool], latches: list[bool]) -> tuple[list[bool], list[bool]]:
        """The outputs, and the latches of the next state."""
        values = {0: False}
        values |= dict(zip(self.inputs, inputs, strict=True))
        values |= {row[0]: on for row, on in zip(self.latches, latches, strict=True)}

        def literal(number: int) -> bool:
            return values[number & ~1] ^ bool(number & 1)

        for gate, one, other in self.gates:
            values[gate] = literal(one) and literal(other)
        return [literal(output) for output in self.outputs], [literal(row[1]) for row in self.latches]


@pytest.mark.parametrize(
    "protocol",
    [LockServer(), Lottery(), Matchmaker(), ManyStarts(), load("kip320")(SMALL)],
    ids=lambda p: p.spec_name(),
)
def test_the_circuit_steps_as_the_protocol(protocol: Protocol) -> None:
    """Random steps from the beginning on: next states, bad states, and what the map says of both."""
    model, rng = build(protocol), random.Random(7)
    chosen = [prop.name for prop in model.system.properties]
    exported = export(model, chosen, Format.AIGER, readable=True)
    circuit, names = _Ascii(exported.content.decode()), exported.names
    replayer, fields = Replayer(model), [leaf.name for leaf in model.system.leaves]
    latches, state, moved = [False] * len(circuit.latches), None, 0
    if names["started"] is None:
        state = [latches[p["latch"]] ^ bool(p["literal"] & 1) for f in names["state"] for p in f["bits"]]
    for _ in range(400):
        row = [rng.random() < 0.5 for _ in circuit.inputs]
        for entry in names["instances"]:
            row[entry["taken"]["input"]] = rng.random() < 2 / len(names["instances"])
        outputs, following = circuit.step(row, latches)
        if state is None:
            assert not any(outputs)
            start = [row[p["input"]] for field in names["initial_state"] for p in field["bits"]]
            state = start if replayer.is_initial(start) else None
            assert following[names["started"]["latch"]] == (state is not None)
        else:
            assert [chosen[i] for i, bad in enumerate(outputs) if bad] == replayer.find_violated(state)
            for instance, entry in zip(model.system.instances, names["instances"], strict=True):
                free = [row[p["input"]] for field in entry["free"] for p in field["bits"]]
                after = replayer.successor(state, instance, free) if row[entry["taken"]["input"]] else None
                if after is not None:
                    moved += after != state
                    state = after
                    break
        latches = following
        if state is not None:
            read = values_of(
                names["state"], lambda p, held=latches: held[p["latch"]] ^ bool(p["literal"] & 1)
            )
            assert read == dict(zip(fields, _values(model, state), strict=True))
    assert moved > 1


def _values(model: Model, state: list[bool]) -> list[str]:
    values, position = [], 0
    for leaf in model.system.leaves:
        values.append(show(leaf.decode(state[position : position + len(leaf.bits)])))
        position += len(leaf.bits)
    return values


def test_symbols_are_the_protocols_names() -> None:
    exported = export(build(load("kip320")(SMALL)), ("StrongIsr",), Format.AIGER, readable=True)
    names = _Ascii(exported.content.decode()).names
    assert names["o0"] == "StrongIsr"
    assert "take LeaderWrite(r1)" in names.values()
    for entry in exported.names["instances"]:
        assert names[f"i{entry['taken']['input']}"] == f"take {entry['instance']}"
    for field in exported.names["state"]:
        for place in field["bits"]:
            negated = "not " if place["literal"] % 2 else ""
            assert names[f"l{place['latch']}"].startswith(f"{negated}{field['variable']}")
