"""A session gives the verdicts that the command line gives."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.command_line import ROOT, verify
from verifier.ci.manifest import Cell, read_manifest
from verifier.outcomes.content import as_object
from verifier.runs.asking import execute
from verifier.runs.engine import engine_named
from verifier.server.calls import Call
from verifier.server.session import Session
from verifier.server.table import REQUESTS
from verifier.specs.built_in import BUILT_IN

DEPTH = 3
FIELDS = ("property", "verdict", "depth", "steps")


def ask_session(spec: str, **given: Any) -> list[tuple[Any, ...]]:
    """Return the verdicts of a session."""
    session = Session()
    REQUESTS["load"].run(session, Call(), {"spec": spec})
    found = REQUESTS["check"].run(session, Call(), given)
    return [tuple(one[field] for field in FIELDS) for one in found["results"]]


def ask_command(*words: str) -> list[tuple[Any, ...]]:
    """Return the verdicts of the command line."""
    found = json.loads(verify(*words, "--format", "json").stdout)
    return [tuple(one[field] for field in FIELDS) for one in found["results"]]


@pytest.mark.parametrize("spec", ["kip101", "docs/examples/FencedLock.tla", "docs/examples/voting.py"])
def test_verdicts_are_those_of_the_command(spec: str) -> None:
    found = ask_session(spec, engine="bmc", depth=DEPTH)
    assert found == ask_command("bmc", spec, "--depth", str(DEPTH))
    assert len(found) > 0


@pytest.mark.slow
@pytest.mark.parametrize("cell", read_manifest(ROOT / ".ci" / "verify.toml").cells, ids=lambda cell: cell.id)
def test_verdicts_of_every_cell_of_the_manifest_are_those_of_the_command(cell: Cell) -> None:
    """The number of steps is compared only if it is the fewest: else it is chance."""
    names = [one.property_name for one in cell.expected]
    session = Session()
    REQUESTS["load"].run(session, Call(), {"spec": cell.place, "constants": dict(cell.constants)})
    asked = {"engine": cell.engine, "properties": names, "options": dict(cell.options)}
    answered = REQUESTS["check"].run(session, Call(), asked)
    engine = engine_named(cell.engine)
    options = engine.options_of({**engine.parse_options(cell.options), "properties": names})
    run = execute(cell.engine, cell.load(), options)
    assert view_verdicts(answered["results"]) == view_verdicts(as_object(run)["results"])
    assert set(names) <= {one["property"] for one in answered["results"]}


def view_verdicts(results: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Return what must be the same in two runs."""
    return [
        (one["property"], one["verdict"], one["fewest"], one["steps"] if one["fewest"] else None)
        for one in results
    ]


@pytest.mark.slow
@pytest.mark.parametrize("spec", BUILT_IN)
def test_verdicts_of_every_built_in_protocol_are_those_of_the_command(spec: str) -> None:
    found = ask_session(spec, engine="bmc", depth=DEPTH, properties=["all"])
    assert found == ask_command("bmc", spec, "--depth", str(DEPTH), "--property", "all")
    assert len(found) > 0
