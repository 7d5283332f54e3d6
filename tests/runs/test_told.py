"""A verdict that was told as final stands, however the run ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.support.command_line import verify
from tests.support.signals import UNBOUNDED, UNBOUNDED_CONFIG
from verifier.engines import bmc
from verifier.engines.exploration_progress import Progress
from verifier.processes.limits import Interrupted
from verifier.runs.asking import answer_question, make_question
from verifier.runs.engine import engine_named
from verifier.runs.loading import load
from verifier.runs.modules import refining
from verifier.runs.news import Known, Remark
from verifier.runs.told import ToldVerdicts
from verifier.verdict import VerdictKind


@pytest.mark.thorough
def test_a_violation_stands_where_time_ends_after_sorts_were_widened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "Unbounded.tla"
    path.write_text(UNBOUNDED)
    path.with_suffix(".cfg").write_text(UNBOUNDED_CONFIG)

    def end(*_: Any) -> NoReturn:
        raise Interrupted("timeout of 1 s")

    monkeypatch.setattr(refining, "widen_after", end)
    done = verify("explore", str(path), "--by", "translation", "--keep-going", "--format", "json")
    results = {result["property"]: result for result in json.loads(done.stdout)["results"]}
    assert done.exit_code == 10
    assert results["TypeOK"]["verdict"] == "VIOLATED"
    assert len(results["TypeOK"]["trace"]["states"]) == 2
    assert results["Less"]["reason"] == "timeout of 1 s"


def test_exploration_of_a_translation_tells_a_violation_at_once_and_once(tmp_path: Path) -> None:
    path = tmp_path / "Unbounded.tla"
    path.write_text(UNBOUNDED)
    path.with_suffix(".cfg").write_text(UNBOUNDED_CONFIG)
    engine, news = engine_named("explore"), list[Any]()
    options = engine.options_for([], {"by": "translation", "keep_going": True, "max_states": 3000})
    run = answer_question(engine, make_question(engine, load(str(path), {}), options), news.append)
    known = [one for one in news if isinstance(one, Known)]
    told = [verdict for one in known for verdict in one.run.outcome.verdicts]
    assert sorted(verdict.property_name for verdict in told) == ["TypeOK"]
    assert all(one.run.traces[verdict.property_name] for one in known for verdict in one.run.outcome.verdicts)
    progress = [one for one in news if isinstance(one, Progress)]
    assert progress[-1].states > 100
    assert news.index(known[0]) < news.index(progress[-1])
    violated = {one.property_name for one in run.outcome.verdicts if one.kind is VerdictKind.VIOLATED}
    assert violated == {"TypeOK"}


def test_an_interrupt_anywhere_keeps_the_depths_that_stay_closed(tmp_path: Path) -> None:
    path = tmp_path / "Unbounded.tla"
    path.write_text(UNBOUNDED)
    path.with_suffix(".cfg").write_text(UNBOUNDED_CONFIG)
    engine = engine_named("bmc")
    told = ToldVerdicts(make_question(engine, load(str(path), {}), engine.options_for([], {"depth": 8})))
    hear = told.listening(lambda _: None)
    hear(Remark("wider sorts", {"TypeOK": 3, "Less": 5}))
    hear(bmc.Progress("parallel", ("TypeOK", "Less"), 7, 1.0))  # by a search whose sorts may be too narrow
    depths = {
        one.property_name: one.depth
        for one in told.run_without_answer(engine, "interrupted").outcome.verdicts
    }
    assert (depths["TypeOK"], depths["Less"]) == (3, 5)
