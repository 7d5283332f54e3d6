"""``import verifier``: what docs/api.md says, and that it agrees with the command line."""

from __future__ import annotations

import inspect
import json
import logging
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import verifier
from tests.support.command_line import CHAIN, LOCK, ROOT, verify
from tests.support.toys import Chain
from verifier.encodings.concrete import FrozenMap
from verifier.runs.engine import engine_named
from verifier.runs.option import list_declared
from verifier.runs.table import ENGINES

PAGE = ROOT / "docs" / "api.md"
_CHANGES = (
    "seconds",
    "run_id",
    "started_at",
    "building_seconds",
    "peak_memory_bytes",
    "states_per_second",
    "steps_per_second",
)
"""Statistics that differ between two runs of one question."""


@pytest.mark.thorough
def test_the_page_runs_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) >= 4
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "StrongIsr  VIOLATED in 12 steps" in done.stdout
    assert "ControllerElectLeader(leader=r1)" in done.stdout
    checked = verify("certify", str(tmp_path / "strong_isr.json"))
    assert (checked.exit_code, "PROVED" in checked.stdout) == (0, True)


def test_every_name_is_there_once_and_has_words() -> None:
    for name in verifier.__all__:
        found = getattr(verifier, name)
        assert inspect.getdoc(found), name
    assert len(set(verifier.__all__)) == len(verifier.__all__)
    assert set(verifier.__all__) <= set(dir(verifier))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        verifier.nothing  # noqa: B018


def test_names_for_type_checkers_are_the_names_there_are() -> None:
    text = (ROOT / "verifier" / "__init__.py").read_text()
    assert re.findall(r"^    from [\w.]+ import (\w+) as \1$", text, re.M) == list(
        dict.fromkeys(re.findall(r"^    from [\w.]+ import (\w+) as", text, re.M))
    )
    assert set(re.findall(r"^    from [\w.]+ import (\w+) as", text, re.M)) == set(verifier.__all__)


def test_importing_is_light() -> None:
    code = (
        "import sys, verifier\n"
        "verifier.Protocol\n"
        "heavy = {'z3', 'rich', 'pyspark', 'pandas', 'cvc5', 'pysat', 'numpy'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def _comparable(value: Any) -> Any:
    match value:
        case dict():
            return {k: _comparable(v) for k, v in value.items() if k not in _CHANGES and "seconds" not in k}
        case list():
            return [_comparable(item) for item in value]
    return value


@pytest.mark.parametrize(
    ("engine", "words", "options"),
    [
        ("bmc", ("--depth", "2", "--steps", "serial"), {"depth": 2, "steps": "serial"}),
        ("explore", ("--depth", "2", "--deadlock"), {"depth": 2, "deadlock": True}),
        ("simulate", ("--walks", "5", "--seed", "3"), {"walks": 5, "seed": 3}),
        ("prove", ("--engine", "kind", "--no-explore"), {"engine": "kind"}),
        ("induct", ("--solver", "z3"), {"solver": "z3"}),
    ],
)
def test_json_is_that_of_the_command(engine: str, words: tuple[str, ...], options: dict[str, Any]) -> None:
    asked = ("--spec", CHAIN, "--set", "top=3", "--property", "StartsLow", "--format", "json")
    done = verify(engine, *asked, *words)
    specification = verifier.load(CHAIN, top=3)
    result = getattr(specification, engine)("StartsLow", **options)
    assert _comparable(json.loads(result.to_json())) == _comparable(json.loads(done.stdout))
    assert result.exit_code == done.exit_code
    assert result.engine == engine


@pytest.mark.parametrize("engine", ENGINES)
def test_methods_show_the_options_that_are_declared(engine: str) -> None:
    method = getattr(verifier.load(CHAIN), engine)
    names = list(inspect.signature(method).parameters)
    assert names[0] == "properties"
    assert set(names) == set(list_declared(engine_named(engine).options))
    assert "verify" in (inspect.getdoc(method) or "")


def test_a_class_a_name_and_a_file_are_loaded() -> None:
    assert verifier.load(Chain, top=2).constants == {**verifier.load(CHAIN, top=2).constants}
    assert repr(verifier.load("kip101", replicas=2)).startswith("verifier.load('kip101', replicas=2, ")
    with pytest.raises(verifier.UsageError, match="did you mean 'kip101'"):
        verifier.load("kip102")
    with pytest.raises(verifier.UsageError, match="unknown constant 'tops'"):
        verifier.load(Chain, tops=2)


def test_wrong_options_name_what_is_allowed() -> None:
    chain = verifier.load(CHAIN)
    with pytest.raises(verifier.UsageError, match="did you mean 'depth'"):
        chain.run("bmc", dept=3)
    with pytest.raises(verifier.UsageError, match=r"depth = -1 .* it takes an integer, at least 0"):
        chain.bmc(depth=-1)
    with pytest.raises(verifier.UsageError, match="unknown property 'NeverTopp'"):
        chain.bmc("NeverTopp")
    with pytest.raises(verifier.UsageError, match="unknown property of this result 'X'"):
        chain.bmc("StartsLow", depth=1)["X"]
    with pytest.raises(verifier.UsageError, match="unknown engine 'bmcc'"):
        chain.run("bmcc")


def test_every_engine_runs_in_a_thread_and_keeps_its_time() -> None:
    found: list[Any] = []

    def work() -> None:
        lock = verifier.load(LOCK)
        others = (engine for engine in ENGINES if engine != "live")
        found.extend(lock.run(engine, "HolderWaitsNoMore", timeout="30s") for engine in others)
        rabbit = verifier.load("rabbit-sac", queues=1, apps=1)
        found.append(rabbit.live("Liveness", engine="l2s", timeout="30s"))
        found.append(lock.bmc("HolderWaitsNoMore", depth=20_000, steps="serial", timeout=0.3))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    *ran, late = found
    assert sorted(result.engine for result in ran) == sorted(ENGINES)
    (result,) = (item for item in late if item.name == "HolderWaitsNoMore")
    assert (result.verdict, result.reason) == ("INCONCLUSIVE", "timeout of 0.3 s")


def test_a_notebook_shows_the_explorer_in_a_frame() -> None:
    result = verifier.load(CHAIN).bmc("NeverTop", depth=4)
    shown = result._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts" srcdoc="')
    assert shown.count('"') == 6  # the page has none of its own: they are escaped
    assert "NeverTop" in shown
    assert str(result) == repr(result) == "\n".join(map(str, result.results))


def test_values_are_pythons_own() -> None:
    trace = verifier.load("kip320-first-try").bmc("StrongIsr", depth=4, steps="parallel")["StrongIsr"].trace
    assert trace is None or trace.states[0]["quorum"]["isr"] == frozenset({"r1", "r2", "r3"})
    pulsar = verifier.load("rabbit-sac", queues=2, apps=2).explore(depth=1)
    assert pulsar.ok or pulsar.exit_code
    lock = verifier.load(LOCK).explore("HolderWaitsNoMore", expect="holds")
    assert lock.ok


def test_logging_is_silent_unless_heard(caplog: pytest.LogCaptureFixture, capfd: Any) -> None:
    verifier.load(CHAIN).bmc("StartsLow", depth=1)
    assert capfd.readouterr() == ("", "")
    with caplog.at_level(logging.INFO, logger="verifier"):
        verifier.load(CHAIN).bmc("StartsLow", depth=1)
    assert any("StartsLow: HOLDS" in record.getMessage() for record in caplog.records)
    done = verify("--log", "info", "bmc", "--spec", CHAIN, "--depth", "1")
    assert done.exit_code == 0


def test_a_tla_module_is_loaded_with_its_configuration_and_has_its_own_values(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "Steps.tla").write_text("---- MODULE Steps ----\nLater(q) == <<q>>\n====\n")
    path = tmp_path / "Bag.tla"
    path.write_text(
        "---- MODULE Bag ----\nEXTENDS Integers, Steps\nCONSTANTS Top, Who\nVARIABLES x, m\n"
        "Init == x = 0 /\\ m = [w \\in Who |-> <<>>]\n"
        "Put(w) == m' = [m EXCEPT ![w] = Later({[n |-> x, t |-> TRUE]})]\n"
        "Next == x < Top /\\ x' = x + 1 /\\ \\E w \\in Who : Put(w)\n"
        "Low == x < 1\nBelow == x \\in 0..Top\n====\n"
    )
    config = tmp_path / "Small.cfg"
    config.write_text("INIT Init NEXT Next CONSTANTS Top = 9 Who = {a} INVARIANT Low CHECK_DEADLOCK FALSE")
    module = verifier.load(path, config=config, library=[tmp_path / "more"], lemmas=["Below"], Top=2)
    assert module.constants["Top"] == 2
    for found in (module.explore("Low"), module.bmc("Low", shortest=True)):
        low = found["Low"]
        assert (low.verdict, low.steps) == ("VIOLATED", 1)
        assert low.trace is not None
        one = {"x": 1, "m": {"a": (frozenset({FrozenMap({"n": 0, "t": True})}),)}}
        assert dict(low.trace[-1]) == one
    assert module.induct("Below").ok
    with pytest.raises(verifier.UsageError, match=r"are for TLA\+ modules"):
        verifier.load(CHAIN, config=config)
    with pytest.raises(verifier.UsageError, match=r"did you mean .*Small\.cfg"):
        verifier.load(path, config=tmp_path / "Smal.cfg", library=[tmp_path / "more"])
