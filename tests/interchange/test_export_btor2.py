"""BTOR2: Patronus reads the files, and its bounded model checking comes to the known verdicts."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.engines.test_ic3 import SMALL
from tests.engines.test_random_systems import NAMES, RandomProtocol
from tests.support.explicit import explore
from tests.support.exporting import KNOWN, ManyStarts, model_of, name_case, starting_steps
from tests.support.models import build
from tests.support.toys import Lottery
from verifier.interchange.exporting import Format, export
from verifier.specs.protocol import Protocol
from verifier.specs.registry import load
from verifier.system.model import Model

patronus = pytest.importorskip("pypatronus")
DEEPEST = 8


@pytest.fixture(autouse=True)
def _z3_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patronus runs Z3 as a command, which comes with its package."""
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    if shutil.which("z3") is None:
        pytest.skip("there is no command z3")


def _shortest(model: Model, name: str, deepest: int) -> int | None:
    """The fewest steps to a bad state that Patronus finds, those that only start aside."""
    exported = export(model, (name,), Format.BTOR2)
    starting = starting_steps(exported)
    system = patronus.parse_btor2_str(exported.content.decode())
    answer = patronus.bmc("z3", system, deepest + starting)
    if str(answer) == "unsat":
        return None
    assert str(answer) == "sat"
    return len(answer) - 1 - starting  # it counts states


@pytest.mark.parametrize("case", KNOWN, ids=name_case)
def test_patronus_finds_the_known_verdict(case: Any) -> None:
    protocol, name, length = case
    assert _shortest(model_of(protocol), name, DEEPEST) == length


@pytest.mark.parametrize("rules", range(10))
def test_patronus_agrees_with_exploration_of_random_systems(rules: int) -> None:
    model = build(RandomProtocol({"rules": rules}))
    steps = explore(model).steps
    for name in NAMES:
        expected = steps.get(name, DEEPEST + 1)
        assert _shortest(model, name, DEEPEST) == (expected if expected <= DEEPEST else None)


def test_patronus_agrees_on_a_built_in_protocol() -> None:
    model = build(load("kafka-truncate-hw")(SMALL))
    assert _shortest(model, "WeakIsr", 7) is None
    assert _shortest(model, "WeakIsr", 12) == 8


@pytest.mark.parametrize("protocol", [Lottery(), ManyStarts()], ids=lambda p: p.spec_name())
def test_the_map_names_the_lines(protocol: Protocol) -> None:
    model = build(protocol)
    exported = export(model, [prop.name for prop in model.system.properties], Format.BTOR2)
    text, names = exported.content.decode(), exported.names
    lines = {line.split()[0]: line.split()[1:] for line in text.splitlines() if not line.startswith(";")}
    assert [int(number) for number in lines] == list(range(1, len(lines) + 1))
    for prop in names["properties"]:
        assert lines[str(prop["node"])][0] == "bad"
        assert lines[str(prop["node"])][-1] == prop["property"]
    for field in names["state"]:
        for index, place in enumerate(field["bits"]):
            assert lines[str(place["node"])] == ["state", "1", place["symbol"]]
            expected = (f"{field['variable']}#{index}", field["variable"].replace(" ", "_"))
            assert place["symbol"] in expected
    for entry in names["instances"]:
        assert lines[str(entry["taken"]["node"])] == ["input", "1", f"take_{entry['instance']}"]
        assert all(lines[str(p["node"])][0] == "input" for f in entry["free"] for p in f["bits"])
