"""Parameters that a protocol leaves open: whether free or expanded, only the time may differ."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import ROOT, verify
from tests.support.random_protocols import random_protocol
from tests.support.sampling import first_of
from verifier.engines.bmc import Request as Bounded
from verifier.engines.bmc import check as bmc
from verifier.engines.choices import EngineChoice, StepsChoice
from verifier.engines.explore import Request, explore
from verifier.engines.prove import Request as Proving
from verifier.engines.prove import check as prove
from verifier.processes.limits import Limits
from verifier.runs.building import build_model
from verifier.specs.definition import Definition
from verifier.specs.protocol import define
from verifier.trust.certify import check as check_certificate
from verifier.trust.replay import Replayer

ELECTION = str(ROOT / "docs" / "tutorial" / "election.py")
SMALL = ("--set", "servers=3", "--set", "last_term=2", "--set", "longest=1")


def _leave_open(seed: int) -> Definition:
    """A random protocol that leaves all its parameters open."""
    definition = define(random_protocol(seed)[1])
    actions = (
        replace(a, parameters=tuple(replace(p, free=False, left_open=True) for p in a.parameters))
        for a in definition.actions
    )
    return replace(definition, actions=tuple(actions))


@pytest.mark.parametrize("seed", first_of(range(6), 2))
def test_both_readings_have_the_same_states_and_steps(seed: int) -> None:
    definition = _leave_open(seed)
    models = [build_model(definition, free=free) for free in (False, True)]
    names = tuple(prop.name for prop in definition.properties)
    one, other = (explore(model, Request(names, keep_going=True)) for model in models)
    for figure in ("distinct_states", "generated_states", "depth", "initial_states", "deadlocks", "levels"):
        assert one.statistics.get(figure) == other.statistics.get(figure), figure
    assert one.statistics["actions"] == other.statistics["actions"]
    assert [(v.property_name, v.kind, v.steps) for v in one.verdicts] == [
        (v.property_name, v.kind, v.steps) for v in other.verdicts
    ]
    assert models[0].definition.spec_hash == models[1].definition.spec_hash == definition.spec_hash
    for verdict in (*one.verdicts, *other.verdicts):
        if verdict.trace is not None:
            for model in models:
                Replayer(model).check(verdict.trace)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_each_reading_accepts_what_the_other_one_finds(seed: int) -> None:
    definition = _leave_open(seed)
    expanded, free = (build_model(definition, free=reading) for reading in (False, True))
    names = tuple(prop.name for prop in definition.properties)
    for model, other in ((expanded, free), (free, expanded)):
        for proof in prove(model, Proving(names, EngineChoice.IC3, limits=Limits(60))).proofs:
            assert not check_certificate(other, proof.certificate, "z3").failed
        for steps in (StepsChoice.SERIAL, StepsChoice.PARALLEL):
            request = Bounded(names, 5, steps=steps, solver="cadical")
            for verdict in bmc(model, request).verdicts:
                if verdict.trace is not None:
                    Replayer(other).check(verdict.trace)


def test_the_mark_is_part_of_the_hash_and_the_reading_is_not() -> None:
    definition = _leave_open(1)
    expanded = replace(
        definition,
        actions=tuple(
            replace(a, parameters=tuple(replace(p, left_open=False) for p in a.parameters))
            for a in definition.actions
        ),
    )
    assert expanded.spec_hash != definition.spec_hash
    assert definition.read(free=True).spec_hash == definition.read(free=False).spec_hash


def test_what_would_make_too_many_instances_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    definition = _leave_open(1)
    expanded = build_model(definition)
    monkeypatch.setattr("verifier.runs.building.MOST_INSTANCES", len(expanded.system.instances) - 1)
    model = build_model(definition)
    assert any(instance.inputs for instance in model.system.instances)
    assert not any(instance.inputs for instance in expanded.system.instances)


# The command


def _json(*arguments: str) -> Any:
    done = verify(*arguments, "--format", "json")
    assert done.exit_code in (0, 10), done.output
    return json.loads(done.stdout)


def test_each_engine_has_its_reading_and_says_so() -> None:
    asked = ("--spec", ELECTION, *SMALL, "--property", "one_leader")
    bounded = _json("bmc", *asked, "--depth", "3", "--solver", "cadical")
    explored = _json("explore", *asked)
    names = ("Elect.votes", "Replicate.followers")
    assert bounded["statistics"]["parameters"] == dict.fromkeys(names, "free")
    assert explored["statistics"]["parameters"] == dict.fromkeys(names, "expanded")
    assert bounded["statistics"]["instances"] < explored["statistics"]["instances"]
    assert bounded["spec_hash"] == explored["spec_hash"]


def test_a_trace_found_with_free_parameters_is_like_any_other(tmp_path: Path) -> None:
    """A group that is no majority elects a second leader."""
    broken = tmp_path / "broken.py"
    text = Path(ELECTION).read_text(encoding="utf-8")
    assert text.count("votes.cardinality > self.servers.size // 2,") == 1
    broken.write_text(text.replace("votes.cardinality > self.servers.size // 2,", ""), encoding="utf-8")
    asked = ("--spec", str(broken), *SMALL, "--property", "one_leader")
    found = {}
    for engine, options in (("bmc", ("--shortest", "--solver", "cadical")), ("explore", ())):
        file = tmp_path / f"{engine}.itf.json"
        (result,) = (
            each for each in _json(engine, *asked, *options)["results"] if each["property"] == "one_leader"
        )
        file.write_text(json.dumps(result["trace"]), encoding="utf-8")
        assert verify("replay", str(file), "--spec", str(broken)).exit_code in (0, 10)
        taken = [state["#meta"]["parameters"] for state in result["trace"]["states"][1:]]
        assert all(next(iter(each)) in ("candidate", "leader") for each in taken)
        found[engine] = (result["steps"], [set(each) for each in taken])
    assert found["bmc"] == found["explore"]


def test_show_says_what_is_left_open() -> None:
    done = verify("show", "--spec", ELECTION)
    assert done.exit_code == 0, done.output
    assert "free or expanded" in " ".join(done.stdout.split())
    (elect, *_) = _json("show", "--spec", ELECTION)["actions"]
    assert [p["left_open"] for p in elect["parameters"]] == [False, True]
