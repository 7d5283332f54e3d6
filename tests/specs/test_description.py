"""``verify show``: enumerations, bits, instances, and what is large."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.command_line import verify, wrong
from tests.support.models import build
from verifier.report.description import describe, is_quickly_built
from verifier.report.protocol import render_description
from verifier.specs.protocol import define
from verifier.specs.registry import load
from verifier.system.size import bits_of, instance_count


def test_a_description_says_what_the_state_and_the_instances_consist_of() -> None:
    model = build(load("bookkeeper")())
    about = describe(model.definition, model)
    assert sum(variable["bits"] for variable in about["variables"]) == about["encoding"]["bits"]
    assert sum(action["instances"] for action in about["actions"]) == about["encoding"]["instances"]
    assert all(enum["members"] for enum in about["enumerations"])
    for width in (80, 120):
        lines = [getattr(line, "plain", str(line)) for line in render_description(about, width)]
        assert all(len(line) <= width for line in lines)
        assert any(enum["members"][0] in line for enum in about["enumerations"] for line in lines)


def test_a_protocol_without_fairness_says_so(tmp_path: Path) -> None:
    """Its temporal properties fail in executions that stop at once."""
    path = tmp_path / "fair.py"
    body = """from verifier import *
class Fair(Protocol):
    def state(self): return State(x=Range(0, 1))
    def init(self, s): return s.x == 0
    @action()
    def go(self, s): return Step(then={s.x: 1 - s.x})
    @temporal
    def soon(self, s): return eventually(s.x == 1)
"""
    path.write_text(body)
    assert "Fairness\n  none\n    Executions may stop anywhere." in verify("show", str(path)).stdout
    assert "No fairness is demanded, so every loop counts." in verify("live", str(path)).stdout
    fair = "    def fairness(self): return [weak()]\n"
    path.write_text(body + fair)
    assert "Executions may stop" not in verify("show", str(path)).stdout
    said = verify("live", str(path), "--fairness", "spec").stdout
    assert "\nlive, fairness spec" in said
    assert re.search(r"^soon PROVED: no fair loop among \d states violates it\.$", said, re.MULTILINE)


@pytest.mark.parametrize("name", ["exactly-once", "rabbit-sac"])
def test_a_description_fits_into_a_terminal(name: str) -> None:
    definition = define(load(name)())
    lines = [getattr(line, "plain", str(line)) for line in render_description(describe(definition, None), 80)]
    assert max(map(len, lines)) <= 80


def test_a_large_protocol_is_described_without_being_built() -> None:
    definition = define(load("kip320")({"replicas": 60, "max_records": 40, "log_size": 40}))
    assert not is_quickly_built(definition)
    about = describe(definition, None)
    assert about["encoding"]["estimated"]
    assert about["encoding"]["bits"] == sum(variable["bits"] for variable in about["variables"])
    lines = [getattr(line, "plain", str(line)) for line in render_description(about, 80)]
    assert all(len(line) <= 80 for line in lines)
    assert any(line.startswith("  most bits") and " log: " in line for line in lines)


def test_an_estimate_is_about_what_is_built() -> None:
    for name in ("kip320", "bookkeeper", "rabbit-sac"):
        model = build(load(name)())
        estimate = sum(bits_of(symbol.sort) for symbol in model.definition.variables)
        assert len(model.system.bits) <= estimate <= 3 * len(model.system.bits), name
        assert len(model.system.instances) <= instance_count(model.definition), name


def test_the_command_shows_large_protocols_too() -> None:
    large = ("--set", "replicas=60", "--set", "max_records=40", "--set", "log_size=40")
    done = verify("show", "kip320", *large)
    assert done.exit_code == 0, done.output
    assert "not built" in done.stdout
    done = verify("show", "kip320", *large, "--format", "json")
    content = json.loads(done.stdout)
    assert content["encoding"]["estimated"] is True
    assert content["symmetry"]
    assert [item["name"] for item in content["largest"]["bits"]] == ["log"]
    assert "is not allowed" in wrong("show", "kip320", "--set", "replicas=1")
