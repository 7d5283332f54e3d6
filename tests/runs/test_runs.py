"""Runs by name of engine, and the keys of what was asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.support.command_line import CHAIN, ROOT, run_generator
from verifier.outcomes.content import as_object
from verifier.outcomes.row import rows_of
from verifier.runs.asking import execute
from verifier.runs.engine import engine_named
from verifier.runs.loading import load
from verifier.runs.table import ENGINES

SPECS = {"live": "rabbit-sac"}
"""Of engines that ask for what the chain does not have."""
OPTIONS: dict[str, dict[str, Any]] = {
    "check": {},
    "bmc": {"depth": 1, "solver": "cadical"},
    "explore": {"depth": 1},
    "induct": {},
    "live": {"engine": "explicit"},
    "prove": {"engine": "ic3"},
    "simulate": {"walks": 3, "depth": 2},
}


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_asked_is_known_before_the_run(engine: str) -> None:
    found = engine_named(engine)
    question = found.prepare(load(SPECS.get(engine, CHAIN), {}), found.options_of(OPTIONS[engine]))
    content = as_object(found.run(question))
    assert content["engine"] == found.name == engine
    assert content["options"] == {"properties": list(question.properties), **question.recorded}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_run_that_ended_before_its_engine_began_is_shown(engine: str) -> None:
    """Its figures are of its translation alone: those of the engine are absent."""
    found = engine_named(engine)
    question = found.prepare(load(SPECS.get(engine, CHAIN), {}), found.options_of(OPTIONS[engine]))
    run = found.run(replace(question, ended="timeout of 1 s"))
    run = replace(run, outcome=replace(run.outcome, statistics={"validation": {"states": 2, "steps": 3}}))
    assert found.render(run, 80, full=False)


def _job_id(**given: Any) -> str:
    options = engine_named("bmc").options_of({"depth": 1, **given})
    content = as_object(execute("bmc", load(CHAIN, {}), options))
    return rows_of(content)[0].job_id


def test_the_key_is_of_the_question_and_not_of_limits() -> None:
    cadical = _job_id(solver="cadical")
    assert cadical == _job_id(solver="cadical", timeout=50.0, memory=10**10)
    assert cadical != _job_id(solver="z3")
    assert cadical != _job_id(solver="cadical", depth=2)


def test_the_page_of_engines_says_what_they_declare() -> None:
    written = (ROOT / "docs" / "engines.md").read_text(encoding="utf-8")
    assert written == run_generator("engines_page"), "run make docs"
