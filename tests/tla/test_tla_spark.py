"""Modules on Spark: what another machine reads, and explorations on real clusters."""

from __future__ import annotations

import json
import pickle
import shutil
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.child_processes import list_children
from tests.support.clusters import Standalone, standalone
from tests.support.columns import QUIET
from tests.support.command_line import verify
from tests.support.tasks_elsewhere import send_all_levels
from tests.support.tla_modules import all_found, write_module
from verifier.cluster.session import Session, SparkSettings
from verifier.outcomes.run import Run
from verifier.runs.explore_options import ExploreOptions
from verifier.runs.modules.asked_properties import prepare_properties
from verifier.runs.modules.exploring import explore
from verifier.runs.modules.loading import TlaLoaded, load
from verifier.runs.modules.packed_module import PackedModule, explain_this_machine, pack
from verifier.runs.modules.spark_runner import SparkRunner
from verifier.runs.news import Remark
from verifier.tla.coding import Coding
from verifier.tla.columns import level_choice as columns
from verifier.tla.explorer import Explorer
from verifier.tla.value_types import ModelValue
from verifier.tla.workers.messages import Task
from verifier.verdict import VerdictKind

CLUSTER = "local-cluster[2,1,1024]"
QUEUE = (
    "EXTENDS Other, Sequences, FiniteSets\nCONSTANTS S, None\nVARIABLES q, n\n"
    "Init == q = <<>> /\\ n = [s \\in S |-> 0]\n"
    "Send(s) == Len(q) < 4 /\\ q' = Append(q, s) /\\ n' = [n EXCEPT ![s] = Turn(@)]\n"
    "Take == q # <<>> /\\ q' = Tail(q) /\\ UNCHANGED n\n"
    "Swap == Len(q) = 2 /\\ q' = <<CHOOSE s \\in S : s # q[1], q[2]>> /\\ UNCHANGED n\n"
    "Next == Take \\/ Swap \\/ \\E s \\in S : Send(s)\n"
    "Inv == Cardinality({s \\in S : n[s] = 0}) > 0 \\/ Len(q) < 4\nFew == Len(q) < 4\n"
)
GIVEN = {"S": "{b, a, c}"}
OTHER = "EXTENDS Naturals\nTurn(k) == (k + 1) % 3\n"


def read(folder: Path, config: str = "INVARIANT Inv\n") -> TlaLoaded:
    """Load a module whose library and configuration stand elsewhere, at constants of the command line."""
    (folder / "library").mkdir(exist_ok=True)
    (folder / "configurations").mkdir(exist_ok=True)
    write_module(folder / "library", OTHER, "Other")
    path, configuration = write_module(folder, QUEUE), folder / "configurations" / "Three.cfg"
    configuration.write_text(f"{QUIET}\nCONSTANTS S = {{a}}\nNone = None\n{config}")
    return load(str(path), GIVEN, configuration, [folder / "library"])


def prepare(loaded: TlaLoaded, **options: Any) -> tuple[TlaLoaded, tuple[str, ...], PackedModule]:
    """Return a module with its properties, and what another machine gets."""
    asked = ExploreOptions(master=CLUSTER, **options)
    loaded, _, checked = prepare_properties(loaded, asked)
    packed: PackedModule = pickle.loads(pickle.dumps(pack(loaded, asked, checked)))
    return loaded, checked, packed


def find(loaded: TlaLoaded, checked: Sequence[str], **options: Any) -> tuple[Any, ...]:
    """Return all that a search finds."""
    spec = loaded.specification
    explorer = Explorer(spec, properties=tuple(checked), by_columns=False, **options)
    return all_found(explorer)[0]


def test_another_machine_reads_the_same_module(tmp_path: Path) -> None:
    """Its folders are gone there."""
    loaded, checked, packed = prepare(read(tmp_path))
    shutil.rmtree(tmp_path)
    task = Task(0, 0, [(0, 1)], (), [], _first_codes(loaded))
    found = packed.answer(task)
    assert not isinstance(found, str)
    assert (found.expanded, found.generated, len(found.rows)) == (1, 3, 3)
    explorer = Explorer(loaded.specification, properties=checked, max_depth=1)
    explorer.explore()
    assert list(found.taken.items()) == list(explorer.result.taken.items())


def _first_codes(loaded: TlaLoaded) -> list[tuple[int, bytes]]:
    explorer = Explorer(loaded.specification, properties=())
    explorer.explore_initial()
    coding = Coding(ModelValue)
    return [(place, coding.encode(value)) for place, value in enumerate(explorer.states[0])]


def test_a_module_with_another_meaning_is_not_expanded(tmp_path: Path) -> None:
    loaded, _, packed = prepare(read(tmp_path))
    task = Task(0, 0, [(0, 1)], (), [], _first_codes(loaded))
    files = dict(packed.files)
    files["1/Other.tla"] = files["1/Other.tla"].replace(b"% 3", b"% 4")
    for wrong in (
        replace(packed, files=files, key="one"),
        replace(packed, checked=(), key="two"),
        replace(packed, version="0.0", key="three"),
    ):
        assert "cannot be read again" in str(wrong.answer(task))
    assert not isinstance(packed.answer(task), str)


@pytest.mark.parametrize("word", ["IOEnv", "JsonDeserialize"])
def test_what_depends_on_the_machine_stays_here(word: str, tmp_path: Path) -> None:
    loaded, _, packed = prepare(read(tmp_path))
    assert not explain_this_machine(packed)
    text = loaded.path.read_text().replace("====", f"Unused == {word}\n====")
    changed = replace(packed, files={**packed.files, "0/M.tla": text.encode()})
    assert explain_this_machine(changed) == f"{word} depends on the machine"


def _wait_for_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no search go on until Spark has started, nor by columns."""
    is_ready = SparkRunner.is_ready

    def wait(runner: SparkRunner) -> bool:
        while not is_ready(runner):
            time.sleep(0.1)
        return True

    monkeypatch.setattr(SparkRunner, "is_ready", wait)
    monkeypatch.setattr(columns, "_LARGE", 1 << 60)


def _explore(loaded: TlaLoaded, said: list[str]) -> Run:
    options = ExploreOptions(master=CLUSTER)
    return explore(loaded, options, lambda news: said.append(news.words) if type(news) is Remark else None)


def test_a_spark_that_does_not_start_keeps_what_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(session: Session) -> None:
        raise RuntimeError("there is no Java today")

    send_all_levels(monkeypatch)
    monkeypatch.setattr(Session, "_start", fail)
    _wait_for_spark(monkeypatch)
    said: list[str] = []
    run = _explore(read(tmp_path), said)
    (verdict,) = run.outcome.verdicts
    assert verdict.kind is VerdictKind.INCONCLUSIVE
    assert "Spark did not start: RuntimeError: there is no Java today" in str(verdict.reason)
    assert run.outcome.statistics["distinct_states"] > 0
    assert f"Spark ({CLUSTER}) starts after" in said[0]


@pytest.mark.parametrize(
    ("config", "reason"),
    [("SYMMETRY Sym\n", "the configuration has SYMMETRY"), ("", "JsonDeserialize depends on the machine")],
)
def test_one_process_explores_what_spark_cannot(config: str, reason: str, tmp_path: Path) -> None:
    loaded = read(tmp_path)
    body = QUEUE.replace("EXTENDS Other", "EXTENDS Other, TLC") + "Sym == Permutations(S)\n"
    path = write_module(tmp_path, body if config else f"{QUEUE}\\* JsonDeserialize\n")
    configuration = loaded.files[-1]
    configuration.write_text(f"{configuration.read_text()}{config}")
    said: list[str] = []
    run = _explore(load(str(path), GIVEN, configuration, [tmp_path / "library"]), said)
    assert said == [f"one process explores: {reason}"]
    assert reason in run.outcome.statistics["without_spark"]
    assert run.outcome.statistics["distinct_states"] > 10


# -- clusters

needs_java = pytest.mark.skipif(shutil.which("java") is None, reason="needs Java")


@pytest.mark.slow
@needs_java
def test_a_cluster_finds_the_same_though_a_worker_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The counterexample, all counts, and the order of states. Its processes have other hashes of strings."""
    send_all_levels(monkeypatch, 20)
    _wait_for_spark(monkeypatch)
    killed: list[int] = []

    def kill(cluster: Standalone, explorer: Explorer) -> None:
        workers = explorer.workers
        if not killed and explorer.count > 500 and workers is not None and workers.pool is not None:
            cluster.kill("one")
            killed.append(explorer.count)

    loaded, checked, packed = prepare(read(tmp_path), keep_going=True)
    one = find(loaded, checked, keep_going=True)
    again = prepare(read(tmp_path), keep_going=True)[0]
    with standalone(tmp_path / "cluster") as cluster:
        settings = SparkSettings(cluster.url, tmp_path / "spark.log")
        with SparkRunner(settings, packed) as runner:
            other = find(
                again, checked, keep_going=True, runner=runner, enforce=lambda search: kill(cluster, search)
            )
    assert killed
    assert other == one
    assert one[3]


@pytest.mark.slow
@needs_java
def test_a_spark_that_ends_keeps_what_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    send_all_levels(monkeypatch, 20)
    _wait_for_spark(monkeypatch)
    loaded, checked, packed = prepare(read(tmp_path), keep_going=True)
    one = find(loaded, checked, keep_going=True)
    again = prepare(read(tmp_path), keep_going=True)[0]
    with SparkRunner(SparkSettings(CLUSTER, tmp_path / "spark.log"), packed) as runner:

        def end(explorer: Explorer) -> None:
            if explorer.count > 500:
                runner._session.kill_java()

        other = find(again, checked, keep_going=True, runner=runner, enforce=end)
    assert other[0].startswith("Spark ended: ")
    count = other[1][0]
    assert 500 < count < one[1][0]
    assert other[5][0] == one[5][0][:count]
    assert not [one for one in recwarn if "Spark" in str(one.message)]
    assert not list_children()


@pytest.mark.slow
@needs_java
def test_the_command_says_that_spark_explored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With files of levels, which one command begins and the next one continues."""
    loaded = read(tmp_path, "INVARIANT Few\n")
    send_all_levels(monkeypatch, 200)
    command = ["explore", str(loaded.path), "--config", str(loaded.files[-1]), "--set", "S={b, a, c}"]
    command += ["--library", str(tmp_path / "library"), "--by", "interpreter", "--format", "json"]
    command += ["--keep-going"]
    one = json.loads(verify(*command).stdout)
    _wait_for_spark(monkeypatch)
    kept = ["--master", CLUSTER, "--work", str(tmp_path / "states")]
    begun = verify(*command, *kept, "--depth", "4")
    assert "Spark expands states from level 0 on" in begun.stderr
    two = json.loads(verify(*command, *kept, "--resume").stdout)
    assert two["statistics"]["resumed_at_level"] == 4
    assert two["statistics"]["explored_by"][-1]["name"] == "Spark"
    same = ("distinct_states", "generated_states", "levels", "actions", "complete")
    assert [one["statistics"][name] for name in same] == [two["statistics"][name] for name in same]
