"""TLA+ modules through every command that takes a spec."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_cli_help import completions
from tests.support.command_line import ROOT, verify, wrong
from tests.support.tla_modules import write_module
from verifier.json_shape import read_json
from verifier.outcomes.row import check_run
from verifier.processes.limits import INTERRUPTED, Interrupted
from verifier.runs.modules import refining
from verifier.sweep.execution import run_job
from verifier.sweep.expansion import expand
from verifier.sweep.grid import Grid, axes_of, axis, read_grids
from verifier.tla.specification import Specification
from verifier.tla.translate import translation
from verifier.tla.translate.sampling import Sample, sample
from verifier.tla.translate.scouting import Scout
from verifier.verdict import VerdictKind

LOCK = str(ROOT / "docs" / "examples" / "FencedLock.tla")
COUNTER = """EXTENDS Naturals
CONSTANTS N, Clerk
VARIABLES x, who
vars == <<x, who>>
Init == x = 0 /\\ who = CHOOSE c \\in Clerk : TRUE
Up(c) == x < N /\\ x' = x + 1 /\\ who' = c
Next == \\E c \\in Clerk : Up(c)
Spec == Init /\\ [][Next]_vars
Low == x <= N
Small == x < 3
"""
CONFIG = "SPECIFICATION Spec\nCONSTANTS N = 5\n Clerk = {a, b}\nINVARIANTS Low\nCHECK_DEADLOCK FALSE\n"


@pytest.fixture
def counter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "M.cfg").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    return write_module(tmp_path, COUNTER)


def _object(*words: str, code: int = 0) -> dict[str, Any]:
    result = verify(*words, "--format", "json")
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        (["bmc", "--depth", "4"], "HOLDS"),
        (["explore"], "HOLDS"),
        (["prove"], "PROVED"),
        (["induct"], "PROVED"),
        (["simulate", "--walks", "50"], "INCONCLUSIVE"),
    ],
)
def test_every_engine_gives_the_object_that_it_gives_of_python_protocols(
    words: list[str], verdict: str, counter: Path
) -> None:
    run = _object(*words, "--spec", "M.tla", code=12 if verdict == "INCONCLUSIVE" else 0)
    check_run(run)
    assert {result["property"]: result["verdict"] for result in run["results"]} == {"Low": verdict}
    assert (run["spec"], run["constants"]) == ("M", {"N": 5, "Clerk": "{a, b}"})
    assert run["options"]["properties"] in (["Low"], [])
    assert (run["statistics"]["module"], run["statistics"]["config"]) == ("M.tla", "M.cfg")


def test_a_counterexample_has_the_values_of_the_module_and_is_replayed_by_the_interpreter(
    counter: Path,
) -> None:
    run = _object("bmc", "M.tla", "--property", "Small", "--trace-out", "t.itf.json", code=10)
    (result,) = run["results"]
    assert (result["verdict"], result["steps"]) == ("VIOLATED", 3)
    assert result["trace"]["#meta"].pop("checksum")  # test_altered_traces.py tells of it
    assert result["trace"] == read_json(Path("t.itf.json").read_text())
    assert [state["x"] for state in result["trace"]["states"]] == [0, 1, 2, 3]
    assert result["trace"]["states"][3]["#meta"]["action"] == "Up"
    assert result["trace"]["#meta"]["module"] == "M.tla"
    replayed = verify("replay", "t.itf.json", "--spec", "M.tla", "--show")
    assert replayed.exit_code == 0
    assert "1  Up(c=a)\n    x: 0 → 1\n" in replayed.stdout
    assert "    x: 2 → 3\n" in replayed.stdout
    assert "3 actions, Small fails in the last state" in replayed.stdout


def test_a_trace_of_another_constant_is_replayed_at_it(counter: Path) -> None:
    _object("bmc", "M.tla", "--set", "N=7", "--property", "Small", "--trace-out", "t.itf.json", code=10)
    replayed = verify("replay", "t.itf.json", "--spec", "M.tla")
    assert replayed.exit_code == 0
    assert "warning" not in replayed.stderr


def _change(place: Sequence[Any], value: Any) -> None:
    data = read_json(Path("t.itf.json").read_text())
    part = data
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    Path("t.itf.json").write_text(json.dumps(data))


@pytest.mark.parametrize(
    ("place", "value", "expected"),
    [
        (("states", 0, "x"), 1, "step 0: there is no such initial state"),
        (("states", 2, "x"), 3, "step 2: no step of Next leads from the state before to this one"),
        (("states", 2, "who"), "c", "step 2: no step of Next"),
        (("states", 2, "y"), 1, "unknown variable in state 2 'y'"),
        (("states", 2), 1, "state 2 is not a JSON object"),
        (("states", 2, "#meta"), {}, "state 2 does not name the action"),
        (("states", 2, "#meta", "action"), "Turn", "step 2: the step is one of Up, not of Turn"),
        (("#meta", "property"), "Low", "Low holds in the last state"),
        (("#meta", "property"), "Lov", "did you mean 'Low'?"),
    ],
)
def test_a_changed_trace_is_not_believed(
    place: Sequence[Any], value: Any, expected: str, counter: Path
) -> None:
    _object("bmc", "M.tla", "--property", "Small", "--trace-out", "t.itf.json", code=10)
    _change(place, value)
    assert expected in wrong("replay", "t.itf.json", "--spec", "M.tla")


def test_a_file_from_a_stranger_loads_no_module(counter: Path) -> None:
    _object("bmc", "M.tla", "--property", "Small", "--trace-out", "t.itf.json", code=10)
    _change(("#meta", "spec"), "M.tla")
    assert "not built in: name its file with --spec" in wrong("replay", "t.itf.json")
    assert "--config is for TLA+ modules" in wrong("replay", "t.itf.json", "--config", "M.cfg")


def test_a_report_shows_the_counterexample(counter: Path) -> None:
    run = verify("bmc", "M.tla", "--property", "Small", "--trace-out", "t.itf.json", "--format", "json")
    Path("run.json").write_text(run.stdout)
    text = verify("report", "run.json").stdout
    assert "verify bmc M.tla --config M.cfg --set N=5" in text
    assert "x: 2 → 3" in text
    assert verify("report", "run.json", "--html", "run.html").exit_code == 0
    explored = verify("explore", "M.tla", "--by", "interpreter", "--keep-going", "--format", "json")
    Path("explored.json").write_text(explored.stdout)
    assert verify("report", "explored.json", "--html", "explored.html").exit_code == 0
    page = Path("explored.html").read_text()
    assert "Taken: the number of steps of the action." in page
    assert "Enabled: the states" not in page  # no column counts them
    assert "x: 2 → 3" in verify("report", "t.itf.json", "--spec", "M.tla").stdout


def _few(specification: Specification, **others: object) -> Sample:
    found = sample(specification)
    return Sample(found.states[:3], found.initial, found.all_initial, complete=False)


def test_a_proof_is_checked_again_at_sorts_that_were_widened(
    counter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translation, "sample", _few)
    monkeypatch.setattr(Scout, "widen", lambda *_: None)
    words = ("--property", "Low", "--certificate", "p.json")
    result = verify("prove", "M.tla", *words)
    assert result.exit_code == 0, result.output
    assert ": starting again with x widened from" in result.stderr
    content = read_json(Path("p.json").read_text())
    assert content["beyond"]
    checked = verify("certify", "p.json", "--spec", "M.tla")
    assert checked.exit_code == 0, checked.output
    assert checked.stdout.startswith("Low  PROVED")
    assert "not built in" in wrong("certify", "p.json")
    counter.write_text(counter.read_text().replace("x < 3", "x < 4"))
    assert "another version of M" in wrong("certify", "p.json", "--spec", "M.tla")


def test_lemmas_are_operators_of_a_module_that_extends_the_first(counter: Path) -> None:
    steps = "(x < 3 /\\ x' = x + 1 /\\ y' = y + 1) \\/ (x = 3 /\\ x' = 0 /\\ y' = 0)"
    write_module(
        counter.parent, f"EXTENDS Naturals\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\nNext == {steps}"
    )
    write_module(counter.parent, "EXTENDS M\nAux == x = y\nTwo == x = 2 => y = 2\n", "Lemmas")
    Path("M.cfg").write_text("INIT Init\nNEXT Next\n")
    words = ("Lemmas.tla", "--config", "M.cfg", "--property", "Two")
    assert _object("induct", *words, code=11)["results"][0]["verdict"] == "NOT_INDUCTIVE"
    run = _object("induct", *words, "--lemma", "Aux", "--certificate", "p.json")
    assert "Aux" in run["proofs"][0]["lemmas"]
    checked = verify("certify", "p.json", "--spec", "Lemmas.tla", "--config", "M.cfg")
    assert checked.exit_code == 0, checked.output
    assert "unknown lemma 'Axu'" in wrong("prove", *words, "--lemma", "Axu")


@pytest.mark.parametrize("form", ["smt2", "vmt", "btor2", "aiger"])
def test_a_module_is_exported(form: str, counter: Path) -> None:
    result = verify("export", "M.tla", "--property", "Small", "--format", form, "--out", "m.out")
    assert result.exit_code == 0, result.output
    assert Path("m.out").stat().st_size > 100


def test_a_sweep_has_a_job_for_each_value_and_leaves_out_what_is_assumed_not_to_be(counter: Path) -> None:
    counter.write_text(counter.read_text().replace("VARIABLES", "ASSUME N < 6\nVARIABLES"))
    sets = axis("Clerk", ["{a}", "{a, b}"], "here")
    for spec, given in (("M.tla", {"N": "4", "Clerk": "{a, b}"}), ("kip320", {"replicas": "2"})):
        jobs = expand([Grid((spec,), axes=axes_of([], given), depth=3)]).jobs
        known = {name: value if name == "Clerk" else int(value) for name, value in given.items()}
        assert jobs
        assert all(known.items() <= dict(job.constants).items() for job in jobs)
    grid = Grid(("M.tla",), axes=(*axes_of(["N=3..7"]), sets), engines=("bmc", "prove"), depth=3)
    expansion = expand([grid])
    assert {(job.constants["N"], job.constants["Clerk"]) for job in expansion.jobs} == {
        (n, clerk) for n in (3, 4, 5) for clerk in ("{a}", "{a, b}")
    }
    assert [left.combinations for left in expansion.left_out] == [4]
    job = next(job for job in expansion.jobs if job.engine == "prove")
    assert {Path(file).name for file in job.files} == {"M.tla", "M.cfg"}
    (row,) = run_job(job, "r")
    assert (row.job_id, row.verdict, row.spec_hash) == (job.job_id, VerdictKind.PROVED, job.spec_hash)


def test_a_grid_file_names_a_configuration(counter: Path) -> None:
    Path("Other.cfg").write_text(CONFIG.replace("Low", "Small"))
    grid = '[[grid]]\nspecs = ["M.tla"]\nconfig = "Other.cfg"\nconstants = { N = "2..3" }\n'
    Path("g.toml").write_text(grid)
    rows = [run_job(job, "r")[0] for job in expand(read_grids(Path("g.toml"))).jobs]
    assert [(row.property_name, row.verdict.value) for row in rows] == [
        ("Small", "HOLDS"),
        ("Small", "VIOLATED"),
    ]
    assert [state["x"] for state in (rows[1].trace or {})["states"]] == [0, 1, 2, 3]


def test_a_hash_does_not_depend_on_where_the_files_are(counter: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir()
    shutil.copy("M.tla", other)
    Path(other / "N.cfg").write_text(f"\n{CONFIG}".replace("{a, b}", "{b, a}").replace("INVARIANTS Low", ""))
    hashes = [
        _object("show", "M.tla")["spec_hash"],
        _object("show", "M.tla", "--set", "N=5")["spec_hash"],
        _object("show", str(other / "M.tla"), "--config", str(other / "N.cfg"))["spec_hash"],
    ]
    assert len(set(hashes)) == 1
    Path(other / "N.cfg").write_text(f"{CONFIG}CONSTRAINT Small\n")
    changed = _object("show", "M.tla", "--config", str(other / "N.cfg"))["spec_hash"]
    assert changed != hashes[0]


@pytest.mark.thorough
@pytest.mark.parametrize("engine", ["bmc", "explore"])
def test_a_manifest_misses_a_temporal_property_that_no_cell_of_live_covers(
    engine: str, counter: Path
) -> None:
    """Also where the states of the same property are checked; what can be recorded is, the rest is said."""
    body = Path("M.tla").read_text().replace("====", "Ends == [](x >= 0) /\\ <>(x = N)\n====")
    Path("M.tla").write_text(body)
    Path("M.cfg").write_text(Path("M.cfg").read_text() + "PROPERTY Ends\n")
    cell = f'[[cell]]\nid = "m"\nspec = "M.tla"\nengine = "{engine}"\n'
    Path("verify.toml").write_text(cell)
    words = "no cell expects a verdict on Ends, a temporal property of M.tla"
    done = verify("ci", "verify.toml", "--update")
    assert done.exit_code == 14
    assert f"not covered  {words}" in done.stdout
    for command in (["ci"], ["matrix"]):
        done = verify(*command, "verify.toml")
        assert done.exit_code == 14
        assert f"FAIL  manifest: {words}" in done.stdout + done.stderr
    text = Path("verify.toml").read_text()
    Path("verify.toml").write_text(text + cell.replace('"m"', '"live"').replace(engine, "live"))
    assert verify("ci", "verify.toml", "--update", "--cell", "live").exit_code == 0
    done = verify("ci", "verify.toml")
    assert done.exit_code == 0, done.stdout


def test_a_manifest_checks_and_records_a_module(counter: Path) -> None:
    Path("verify.toml").write_text(
        '[[cell]]\nid = "m"\nspec = "M.tla"\nconfig = "M.cfg"\nengine = "explore"\nconstants = { N = 4 }\n'
    )
    assert verify("ci", "verify.toml").exit_code == 14
    assert verify("ci", "verify.toml", "--update").exit_code == 0
    text = Path("verify.toml").read_text()
    assert 'Low = { verdict = "holds", depth = 4 }' in text
    assert "distinct_states = 9" in text
    assert verify("ci", "verify.toml").exit_code == 0
    Path("verify.toml").write_text(text.replace("N = 4", "N = 3"))
    assert "its hash is" in verify("ci", "verify.toml").stdout
    Path("verify.toml").write_text('[[cell]]\nid = "k"\nspec = "kip320"\nconfig = "M.cfg"\n')
    assert "are for TLA+ modules" in wrong("ci", "verify.toml")
    Path("verify.toml").write_text(text.replace("N = 4", 'Clerk = ["a"]'))
    said = verify("ci", "verify.toml").stdout
    assert """constant Clerk=['a'] is not a value of a TLA+ constant: write a set in quotes""" in said
    assert 'as in Clerk = "{a, b}"' in said


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["bmc", "N.tla"], "the module cannot be read"),
        (["bmc", "M.tla", "--config", "X.cfg"], "the configuration cannot be read"),
        (["bmc", "M.tla", "--property", "Smal"], "did you mean 'Small'?"),
        (["bmc", "M.tla", "--property", "Next"], "Next is about more than one state"),
        (["prove", "M.tla", "--set", "M=1"], "unknown constant of M 'M'"),
        (["live", "M.tla"], "names no temporal PROPERTY"),
        (["live", "M.tla", "--property", "Low"], "is about single states and steps, not whole executions"),
        (["live", "M.tla", "--property", "Spec"], "prove check it if it stands under PROPERTY"),
        (["bmc", "M.tla", "--expect", "Upp=enabled"], "did you mean 'Up'?"),
        (["show", "kip320", "--library", "."], "--library is for TLA+ modules, and kip320 is not one"),
        (["sweep", "--spec", "M.tla", "--split", "4"], "split is not for TLA+ modules"),
        (["sweep", "--spec", "M.tla", "--grid", "K=1..2"], "unknown constant of M 'K'"),
        (["export", "M.tla"], "no format is named"),
        (["certify", "M.cfg", "--spec", "M.tla"], "cannot be read as a certificate"),
    ],
)
def test_wrong_usage_is_one_line(words: list[str], expected: str, counter: Path) -> None:
    assert expected in wrong(*words)


def test_a_module_without_a_configuration_says_where_one_is_sought(counter: Path) -> None:
    Path("M.cfg").unlink()
    words = "there is no configuration M.cfg: write it, or name another with --config FILE"
    assert words in wrong("bmc", "M.tla")
    Path("M1.cfg").write_text("INIT Init\n")
    assert "did you mean M1.cfg?" in wrong("bmc", "M.tla")
    Path("M1.tla").write_text("---- MODULE M1 ----\n====\n")  # then the configuration is that module's
    assert "did you mean" not in wrong("bmc", "M.tla")


def test_shells_complete_names_of_a_module(counter: Path) -> None:
    named = completions("bmc --spec M.tla --property", "", counter.parent)
    assert named[:2] == ["all", "Low"]
    assert {"Small", "Init"} < set(named)
    assert set(completions("bmc --spec M.tla --set", "", counter.parent)) == {"N=", "Clerk="}
    assert "M.tla" in completions("prove --spec", "", counter.parent)


def test_the_example_has_the_verdicts_that_the_documents_say() -> None:
    run = _object("bmc", LOCK, "--set", "Fencing=FALSE", "--property", "InOrder", "--shortest", code=10)
    assert run["results"][0]["steps"] == 5
    proved = _object("prove", LOCK, "--property", "InOrder", "--property", "OneEach")
    assert {result["verdict"] for result in proved["results"]} == {"PROVED"}
    assert _object("live", LOCK)["results"][0]["verdict"] == "PROVED"


def _endless(*_: object, **how: object) -> None:
    while True:
        time.sleep(0.01)


@pytest.mark.parametrize("engine", [["bmc", "--steps", "serial"], ["prove"]])
def test_the_first_look_at_states_ends_with_the_time(
    engine: list[str], counter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifier.runs.modules.refining.translate_module", _endless)
    asked = verify(*engine, "M.tla", "--timeout", "0.5")
    assert asked.exit_code == 12
    assert "timeout of 0.5 s" in asked.stdout


def test_the_first_look_at_states_ends_with_the_memory(
    counter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifier.runs.modules.refining.translate_module", _endless)
    asked = verify("bmc", "M.tla", "--steps", "serial", "--memory", "1MiB", "--timeout", "20")
    assert asked.exit_code == 12
    assert "memory limit of 1 MiB" in asked.stdout


def test_an_end_while_sorts_are_widened_keeps_what_is_violated(
    counter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the user and by a limit: what follows a state may take long."""
    write_module(counter.parent, f"{COUNTER}Early == x < 1\n")
    monkeypatch.setattr(translation, "sample", _few)
    monkeypatch.setattr(Scout, "widen", lambda *_: None)
    for stop, reason in ((KeyboardInterrupt(), INTERRUPTED), (Interrupted("time is over"), "time is over")):

        def widen(*_: object, stop: BaseException = stop) -> str:
            raise stop

        monkeypatch.setattr(refining, "widen_after", widen)
        words = ("bmc", "M.tla", "--steps", "serial", "--depth", "4", "--property", "Early")
        found = _object(*words, "--property", "Low", code=10)["results"]
        assert [(one["verdict"], one["reason"]) for one in found] == [
            ("VIOLATED", None),
            ("INCONCLUSIVE", reason),
        ]


def test_a_choice_that_no_constant_names_is_shown_by_the_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    body = "EXTENDS Integers\nVARIABLES x, y\nInit == x \\in 0..1 /\\ y = 0\n"
    write_module(tmp_path, f"{body}Next == x' = 1 - x /\\ y' \\in {{y, (y + 1) % 3}}\nInv == y < 2\n")
    Path("M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\n")
    done = verify("bmc", "M.tla", "--steps", "serial", "--depth", "4")
    assert done.exit_code == 10, done.output
    steps = r" 1  Next\(\)\n    x: . → .\n    y: 0 → 1\n 2  Next\(\)\n    x: . → .\n    y: 1 → 2\n"
    assert re.search(steps, done.stdout)


@pytest.mark.parametrize("words", [["explore"], ["bmc", "--solver", "cadical"], ["prove", "--no-explore"]])
def test_a_label_that_is_called_as_a_process_is_quoted(words: list[str], tmp_path: Path) -> None:
    """PlusCal's labels are strings, and c1 is a common name of both."""
    body = r"""CONSTANT P
VARIABLES last, pc
Init == last = "c1" /\ pc = [p \in P |-> "start"]
c1(p) == pc[p] = "start" /\ pc' = [pc EXCEPT ![p] = "c1"] /\ last' = p
Next == \E p \in P : c1(p)
Inv == \E p \in P : pc[p] # "c1"
"""
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nCONSTANT P = {c1}\nINVARIANT Inv")
    result = verify(*words, str(write_module(tmp_path, body)))
    assert result.exit_code == 10
    assert 'last: "c1" → c1' in result.stdout
    assert 'pc[c1]: "start" → "c1"' in result.stdout


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["explore", "--max-states", "2"], "--max-states"),
        (["explore", "--timeout", "0.001"], "--timeout"),
        (["prove", "--no-explore", "--timeout", "0.001"], "--timeout"),
        (["bmc", "--solver", "cadical", "--timeout", "0.001"], "--timeout"),
        (["explore", "--memory", "1MiB"], "--memory"),
    ],
)
def test_what_a_limit_left_open_names_the_limit(words: list[str], option: str, counter: Path) -> None:
    result = verify(*words, "--set", "N=300", str(counter))
    assert result.exit_code == 12, result.output
    said = " ".join(result.stdout.split())
    advice = rf"A greater {option}, or smaller constants \(--set\), may decide more\."
    bounded = rf"If constants bound \w+, a greater {option} or smaller constants \(--set\) may decide more\."
    assert re.search(f"{advice}|{bounded}", said)


@pytest.mark.usefixtures("counter")
def test_what_no_limit_left_open_names_none() -> None:
    result = verify("simulate", "M.tla", "--walks", "5")
    assert result.exit_code == 12
    assert "may decide more" not in result.stdout


def test_show_leaves_out_the_middle_of_a_long_sort(tmp_path: Path) -> None:
    """Messages are listed one by one."""
    body = """EXTENDS Naturals
VARIABLES sent
Message == [from : 1..40, to : 1..40, at : 0..400]
Init == sent = {}
Next == \\E n \\in 1..40 : sent' = {[from |-> n, to |-> 41 - n, at |-> 10 * n]}
"""
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next")
    module = str(write_module(tmp_path, body))
    whole = json.loads(verify("show", module, "--format", "json").stdout)["sorts"]["sent"]
    shown = " ".join(verify("show", module).stdout.split())
    assert len(whole) > 1000
    assert whole not in shown
    assert f" … {whole[-60:]}" in shown


def test_a_number_for_a_set_of_the_configuration_is_warned_of(tmp_path: Path) -> None:
    module = tmp_path / "Few.tla"
    text = "CONSTANT S\nVARIABLE x\nInit == x \\in S\nNext == x' = x\n"
    module.write_text(f"---- MODULE Few ----\n{text}====\n")
    module.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nCONSTANT S = {a, b}\n")
    warning = "warning: S=3 is a number, and S is a set in "
    refused = verify("explore", str(module), "--set", "S=3")
    assert refused.exit_code == 2
    assert warning in refused.stderr
    assert "--set S='{a, b, c}'" in refused.stderr
    assert warning not in verify("explore", str(module), "--set", "S={c}").stderr


def test_a_definition_that_an_option_replaces_is_warned_of(tmp_path: Path) -> None:
    module = tmp_path / "Few.tla"
    text = "CONSTANT Items\nItem == 1..Items\nVARIABLE x\nInit == x \\in Item\nNext == x' = x\n"
    module.write_text(f"---- MODULE Few ----\nEXTENDS Naturals\n{text}====\n")
    module.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nCONSTANT Items = 2\n")
    found = verify("explore", str(module), "--set", "Item={7}")
    assert found.exit_code == 0
    words = "warning: Item is no constant: --set Item replaces its definition"
    assert words in (said := " ".join(found.stderr.split()))
    assert "Few.tla:4:1). Did you mean Items?" in said
    assert "is no constant" not in verify("explore", str(module), "--set", "Items=3").stderr
