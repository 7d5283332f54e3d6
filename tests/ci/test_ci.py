"""``verify ci`` and ``verify matrix``: what is written, grouped and interrupted; what is shipped."""

from __future__ import annotations

import json
import re
import shlex
import signal
import tomllib
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import yaml
from junitparser import JUnitXml
from lxml import etree

from tests.support.ci_project import LOCK_HASH, MANIFEST, Project, new_project
from tests.support.command_line import ROOT, start_verify, verify
from tests.support.reporting import JUNIT_SCHEMA
from verifier.ci.check import compare
from verifier.ci.checking import CellsProgress
from verifier.ci.manifest import Expected, read_manifest
from verifier.report.manifest import CellsText
from verifier.specs.built_in import BUILT_IN
from verifier.specs.expectations import expectations
from verifier.verdict import VerdictKind

SHIPPED = ROOT / ".ci" / "verify.toml"
WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"
GROUPS = 4
"""As many as the workflow asks for."""
FAST_CELLS = "kafka-async-isr-bmc,kip320-states,bookkeeper-states,pulsar-compaction-bmc,rabbit-sac-induct"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return new_project(tmp_path)


# What is written


def test_junit_has_a_case_for_each_check(project: Project, tmp_path: Path) -> None:
    project.edit("verify.toml", "steps = 5", "steps = 6")
    project.edit("verify.toml", 'id = "lock"', 'id = "lock"\ntimeout = "1ms"')
    target = tmp_path / "results.xml"
    code, _ = project.check("--cell", "lock,lock-broken", "--cell", "sac", "--junit", str(target))
    assert code == 10
    etree.XMLSchema(etree.parse(str(JUNIT_SCHEMA))).assertValid(etree.parse(str(target)))
    found: Any = JUnitXml.fromfile(str(target))
    assert [suite.name for suite in found] == ["lock", "lock-broken", "sac"]
    assert (found.tests, found.failures, found.errors) == (12, 1, 3)
    (failure,) = [case.result[0] for suite in found for case in suite if case.is_failure]
    assert failure.message == "VIOLATED in 5 steps; expected VIOLATED in 6 steps"
    assert "  5  Write(client=" in failure.text
    command = "verify bmc {} --property no_lost_write --shortest --depth 8"
    assert failure.text.startswith(
        f"To see the execution, run: {command.format(project.folder / 'broken.py')}\n"
    )
    cases = [case for suite in found if suite.name == "sac" for case in suite]
    (timed,) = [case.name for case in cases if case.time > 0]
    words = f"; same run as {timed}, which shows the time"
    told = {case.name for case in cases if words in (case.system_out or "")}
    assert told == {case.name for case in cases} - {timed, "spec_hash", "distinct_states"}


def test_json_says_the_same(project: Project) -> None:
    project.edit("verify.toml", "steps = 5", "steps = 6")
    done = verify("ci", str(project.manifest), "--format", "json", "--cell", "lock-broken")
    found = json.loads(done.stdout)
    assert done.exit_code == found["exit_code"] == 10
    (cell,) = found["cells"]
    assert (cell["cell"], cell["spec"], cell["engine"]) == ("lock-broken", "broken.py", "bmc")
    (surprise,) = [check for check in cell["checks"] if check["surprise"]]
    assert (surprise["subject"], surprise["found"]) == ("no_lost_write", "VIOLATED in 5 steps")
    assert len(surprise["trace"]["states"]) == 6
    words = shlex.split(surprise["command"])
    assert words[0] == "verify"
    shown = verify(*words[1:])
    assert (shown.exit_code, "no_lost_write: VIOLATED in 5 steps" in shown.stdout) == (10, True)


def test_a_violation_comes_before_the_changed_hash(project: Project) -> None:
    """Who records the new hash would record the violation, too."""
    project.edit(
        "lock.py", "[token.is_some, s.stored.is_none | (token.value >= s.stored.value)]", "[token.is_some]"
    )
    done = verify("ci", str(project.manifest), "--cell", "lock")
    words = [line.strip() for line in done.stdout.splitlines()]
    assert words[0] == "FAIL  lock: no_lost_write: VIOLATED in 5 steps; expected HOLDS(8)"
    asked = (
        f"verify bmc {project.folder / 'lock.py'} --set clients=2 --set last_token=2 --property no_lost_write"
    )
    assert words[1] == f"To see the execution, run: {asked} --shortest --depth 8"
    assert words[2].startswith("FAIL  lock: spec_hash: ")
    assert words[2].endswith(
        "First review the failures of this cell: verify ci --update would expect them from then on"
    )
    done = verify("ci", str(project.manifest), "--cell", "lock", "--update")
    assert f"expected from now on\n        To see the execution, run: {asked}" in done.stdout


@pytest.mark.parametrize("cell", ["bounded", "sized"])
def test_the_command_of_a_failure_in_a_module_shows_it(cell: str, tmp_path: Path) -> None:
    """The cell names a configuration and constants."""
    (tmp_path / "own folder").mkdir()
    module = "---- MODULE M ----\nEXTENDS Integers\nCONSTANTS N, S, B\nVARIABLE x\nInit == x = 0\n"
    module += "Next == x < N /\\ B /\\ x' = x + 1\nLow == x < 2\n====\n"
    (tmp_path / "own folder" / "M.tla").write_text(module)
    config = "INIT Init\nNEXT Next\nINVARIANT Low\nCONSTANTS N = 3 S = {a} B = FALSE\n"
    (tmp_path / "own folder" / "Other.cfg").write_text(config)
    engine = {"bounded": 'depth = 5\noptions = { steps = "serial" }', "sized": 'engine = "explore"'}[cell]
    (tmp_path / "verify.toml").write_text(
        f'[[cell]]\nid = "{cell}"\nspec = "own folder/M.tla"\nconfig = "own folder/Other.cfg"\n{engine}\n'
        'constants = { S = "{a, b}", B = true }\n[cell.expect]\nLow = "holds"\nNoDeadlock = "holds"\n'
    )
    found = json.loads(verify("ci", str(tmp_path / "verify.toml"), "--format", "json").stdout)
    checks = found["cells"][0]["checks"]
    commands = {check["subject"]: check["command"] for check in checks if check["command"]}
    assert commands.keys() == {"Low", "NoDeadlock"}
    for name, command in commands.items():
        shown = verify(*shlex.split(command)[1:])
        assert shown.exit_code == (10 if name == "Low" else 13)
        assert f"{name}: VIOLATED in {2 if name == 'Low' else 3} steps" in shown.stdout


def test_an_uncovered_property_is_not_called_unrecorded(project: Project) -> None:
    live = "---- MODULE L ----\nVARIABLE x\nInit == x = 0\nNext == x' = 1 - x\nSoon == <>(x = 1)\n====\n"
    (project.folder / "L.tla").write_text(live.replace("VARIABLE", "EXTENDS Integers\nVARIABLE"))
    (project.folder / "L.cfg").write_text("INIT Init\nNEXT Next\nPROPERTY Soon\n")
    project.manifest.write_text('[[cell]]\nid = "l"\nspec = "L.tla"\ndepth = 2\n', encoding="utf-8")
    done = verify("ci", str(project.manifest), "--update")
    assert done.exit_code == 14
    lines = done.stdout.splitlines()
    assert lines[0].startswith(
        "not covered  no cell expects a verdict on Soon, a temporal property of L.tla. Add a cell"
    )
    assert lines[-1].startswith(
        f"recorded 1 of 1 cell in {project.manifest}: review what changed. 1 property is covered by"
    )


def test_an_update_changes_what_was_found_and_nothing_else(project: Project) -> None:
    wrong_now = (
        MANIFEST.replace(LOCK_HASH, "0" * 16)
        .replace("steps = 5", "steps = 6")
        .replace("= 181", "= 180")
        .replace('DeadlockPerfect = "holds"\n', 'Gone = "holds"\n')
    )
    project.manifest.write_text(wrong_now, encoding="utf-8")
    assert project.check()[0] == 10
    done = verify("ci", str(project.manifest), "--update")
    assert done.exit_code == 0
    assert "Gone: the spec has no property of that name, or explore does not check it\n" in done.stdout
    assert done.stdout.endswith(f"recorded 5 of 5 cells in {project.manifest}: review what changed\n")
    after = project.manifest.read_text(encoding="utf-8")
    for kept in (
        "# reviewed",
        "# What the store promises.",
        "# Known to be broken, and it must be found to be.",
    ):
        assert kept in after
    assert "Gone" not in after
    assert {f'spec_hash = "{LOCK_HASH}"  # reviewed', "distinct_states = 181"} <= set(after.splitlines())
    assert tomllib.loads(after)["cell"][1]["expect"]["no_lost_write"] == {"verdict": "violated", "steps": 5}
    assert project.check() == (0, [])
    # What no cell covered is covered by the spec's first one now; a second update changes nothing.
    assert tomllib.loads(after)["cell"][2]["expect"]["DeadlockPerfect"] == {"verdict": "holds", "depth": 8}
    done = verify("ci", str(project.manifest), "--update")
    assert done.exit_code == 0
    assert "review" not in done.stdout
    assert done.stdout.endswith(f"recorded 5 of 5 cells in {project.manifest}: no expectation changed\n")
    again = project.manifest.read_text(encoding="utf-8")
    assert _without_seconds(again) == _without_seconds(after)


COUNTER = (
    "---- MODULE Counter ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\n"
    "Count == x < 3 /\\ x' = x + 1\nReset == x > 5 /\\ x' = 0\nNext == Count \\/ Reset\n"
    "Few == x < 4\nSpec == Init /\\ [][Next]_x\n====\n"
)


@pytest.mark.parametrize("engine", ["", 'engine = "explore"\n', 'engine = "prove"\n', "depth = 4\n"])
def test_a_cell_expects_that_an_action_is_enabled(engine: str, tmp_path: Path) -> None:
    (tmp_path / "Counter.tla").write_text(COUNTER, encoding="utf-8")
    (tmp_path / "Counter.cfg").write_text("SPECIFICATION Spec\nINVARIANT Few\nCHECK_DEADLOCK FALSE\n")
    manifest = tmp_path / "verify.toml"
    manifest.write_text(
        f'[[cell]]\nid = "counter"\nspec = "Counter.tla"\n{engine}'
        '[cell.expect]\nCount = "enabled"\nReset = { verdict = "enabled" }\n',
        encoding="utf-8",
    )
    assert verify("ci", str(manifest), "--update").exit_code == 0
    expect = tomllib.loads(manifest.read_text(encoding="utf-8"))["cell"][0]["expect"]
    assert (expect["Count"], expect["Reset"]) == ("enabled", {"verdict": "enabled"})
    assert expect["Few"]["verdict"] in ("holds", "proved")
    done = verify("ci", str(manifest))
    assert done.exit_code == 14
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAIL")]
    assert failed == ["FAIL  counter: Reset: never enabled; expected enabled (a guard too strong?)"]
    _edit(manifest, 'Reset = { verdict = "enabled" }', 'Rest = "enabled"')
    done = verify("ci", str(manifest))
    assert done.exit_code == 14
    assert "Rest: enabled is expected, but the spec has no such action (allowed: " in done.stdout
    _edit(manifest, 'Rest = "enabled"\n', "")
    assert verify("ci", str(manifest)).exit_code == 0


def _edit(manifest: Path, old: str, new: str) -> None:
    text = manifest.read_text(encoding="utf-8")
    assert old in text
    manifest.write_text(text.replace(old, new), encoding="utf-8")


def test_an_update_of_a_check_records_the_fewest_steps(tmp_path: Path) -> None:
    (tmp_path / "Bounded.tla").write_text(BOUNDED, encoding="utf-8")
    (tmp_path / "Bounded.cfg").write_text(BOUNDED_CONFIG, encoding="utf-8")
    manifest = tmp_path / "verify.toml"
    manifest.write_text('[[cell]]\nid = "bounded"\nspec = "Bounded.tla"\n', encoding="utf-8")
    done = verify("ci", str(manifest), "--update")
    assert "review  bounded: Never VIOLATED in 2 steps: expected from now on\n" in done.stdout
    (cell,) = tomllib.loads(manifest.read_text(encoding="utf-8"))["cell"]
    assert cell["expect"]["Never"] == {"verdict": "violated", "steps": 2}
    assert verify("ci", str(manifest)).exit_code == 0
    changed = manifest.read_text(encoding="utf-8").replace("steps = 2", "steps = 3")
    manifest.write_text(changed, encoding="utf-8")
    done = verify("ci", str(manifest))
    assert done.exit_code == 10
    assert "Never: VIOLATED in 2 steps; expected VIOLATED in 3 steps" in done.stdout
    done = verify("ci", str(manifest), "--update")
    assert "review  bounded: Never VIOLATED in 2 steps: expected from now on\n" in done.stdout
    assert done.stdout.endswith("review what changed\n")


@pytest.mark.parametrize(
    ("steps", "fewest", "differs"),
    [(5, True, False), (5, False, False), (6, False, False), (4, False, True), (6, True, True)],
)
def test_a_check_may_not_know_the_fewest_steps(steps: int, fewest: bool, differs: bool) -> None:
    item = Expected("P", VerdictKind.VIOLATED, steps=5)
    row = Mock(verdict=VerdictKind.VIOLATED, steps=steps, fewest=fewest, depth=None, reason=None)
    row.property_name, row.statistics, row.words = "P", {}, f"VIOLATED in {steps} steps"
    check = compare(item, row, finds_fewest=False)
    assert (check.surprise is not None) == differs
    assert (compare(item, row).surprise is not None) == (differs or not fewest)


BOUNDED = """---- MODULE Bounded ----
EXTENDS Naturals
VARIABLE sent
Init == sent = 0
Next == sent' = sent + 1
Below == sent < 9
Never == sent /= 2
Bound == sent < 5
====
"""
BOUNDED_CONFIG = "INIT Init\nNEXT Next\nINVARIANTS Below Never\nCONSTRAINT Bound\n"


def test_a_constraint_and_violations_are_told(tmp_path: Path) -> None:
    """A violation is an execution, which needs no limits."""
    (tmp_path / "Bounded.tla").write_text(BOUNDED, encoding="utf-8")
    (tmp_path / "Bounded.cfg").write_text(BOUNDED_CONFIG, encoding="utf-8")
    manifest, target = tmp_path / "verify.toml", tmp_path / "results.xml"
    manifest.write_text(
        '[[cell]]\nid = "bounded"\nspec = "Bounded.tla"\nengine = "explore"\n', encoding="utf-8"
    )
    done = verify("ci", str(manifest), "--update")
    assert "review  bounded: Never VIOLATED in 2 steps: expected from now on\n" in done.stdout
    words = "within the constraint Bound"
    assert f"review  bounded: its verdicts are about executions {words} only\n" in done.stdout
    done = verify("ci", str(manifest), "--junit", str(target))
    assert re.search(rf"^ok .*Never VIOLATED in 2 steps.*, {words}, in ", done.stdout, re.MULTILINE)
    found: Any = JUnitXml.fromfile(str(target))
    told = {case.name: case.system_out for suite in found for case in suite}
    assert told["Below"].endswith(words)
    assert words not in told["Never"]


def test_running_cells_are_no_done_ones() -> None:
    words = CellsText().take(CellsProgress("checking", 0, 2, ("one", "two")))
    assert words.endswith("checking, 0 of 2 done; running: one, two")


def test_a_manifest_may_name_properties_as_tla_does(project: Project) -> None:
    """An update writes their own names, and loses none of them."""
    project.manifest.write_text(MANIFEST.replace("no_lost_write", "NoLostWrite"), encoding="utf-8")
    cells = ("--cell", "lock,lock-broken")
    assert project.check(*cells)[0] == 0
    done = verify("ci", str(project.manifest), "--update", *cells)
    assert (done.exit_code, "removed" in done.stdout) == (0, False)
    assert _without_seconds(project.manifest.read_text(encoding="utf-8")).count("no_lost_write") == (
        MANIFEST.count("no_lost_write")
    )


def _without_seconds(manifest: str) -> str:
    """The clock of a busy machine is no part of what is compared."""
    return re.sub(r"^seconds = .*$", "", manifest, flags=re.MULTILINE)


def test_an_action_that_is_never_enabled_is_a_warning(tmp_path: Path) -> None:
    actions = "Up == x > 0 /\\ x' = x + 1\nStay == x' = x\nNext == Up \\/ Stay"
    text = f"VARIABLE x\nInit == x = 0\n{actions}\nInv == x = 0"
    (tmp_path / "Dead.tla").write_text(f"---- MODULE Dead ----\nEXTENDS Naturals\n{text}\n====\n")
    (tmp_path / "Dead.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\n")
    manifest = tmp_path / "verify.toml"
    manifest.write_text('[[cell]]\nid = "dead"\nspec = "Dead.tla"\n')
    assert verify("ci", str(manifest), "--update").exit_code == 0
    done = verify("ci", str(manifest))
    assert done.exit_code == 0
    assert "warn  dead: never enabled: Up (a guard too strong?)" in done.output
    content = json.loads(verify("ci", str(manifest), "--format", "json").stdout)
    assert content["cells"][0]["never_enabled"] == ["Up"]
    # A bounded search may just not have come to the action.
    manifest.write_text('[[cell]]\nid = "dead"\nspec = "Dead.tla"\ndepth = 1\n')
    assert verify("ci", str(manifest), "--update").exit_code == 0
    assert "warn" not in verify("ci", str(manifest)).output


MODULE_UP = """---- MODULE Up ----
EXTENDS Naturals
CONSTANT Most
ASSUME Most \\in Nat
VARIABLE x
Init == x = 0
Next == x < Most /\\ x' = x + 1
Spec == Init /\\ [][Next]_x /\\ WF_x(Next)
TypeOK == x \\in 0..Most
Ends == <>(x = Most)
====
"""


_FENCED = """---- MODULE F ----
EXTENDS Naturals
CONSTANT Fence
VARIABLE x
Init == x = 0
Next == x' = IF x < 3 /\\ (x < 2 \\/ ~Fence) THEN x + 1 ELSE x
Small == x < 3
Low == x < 9
====
"""


def test_a_property_that_only_a_broken_variant_names_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "F.tla").write_text(_FENCED)
    (tmp_path / "F.cfg").write_text(
        "CONSTANT Fence = TRUE\nINIT Init\nNEXT Next\nINVARIANTS Small Low\nCHECK_DEADLOCK FALSE\n"
    )
    manifest = tmp_path / "verify.toml"
    cell = '[[cell]]\nid = "%s"\nspec = "F.tla"\nconstants = { Fence = %s }\n'
    good, broken = cell % ("good", "true"), cell % ("broken", "false")
    manifest.write_text(f'{good}[cell.expect]\nLow = "proved"\n{broken}')
    warning = "Small is violated in broken, and good expects no verdict on it"
    assert f"warn  {warning}" in verify("ci", str(manifest), "--update").stdout
    done = verify("ci", str(manifest))
    assert (done.exit_code, f"warn  manifest: {warning}" in done.stdout) == (0, True), done.output
    assert json.loads(verify("ci", str(manifest), "--format", "json").stdout)["warnings"] == [warning]
    manifest.write_text(f"{good}{broken}")
    assert "warn" not in verify("ci", str(manifest), "--update").stdout
    assert "warn" not in verify("ci", str(manifest)).stdout


@pytest.mark.thorough
def test_an_update_for_all_constants_records_invariants(tmp_path: Path) -> None:
    """The configuration asks for more, which is not proved for all constants."""
    (tmp_path / "Up.tla").write_text(MODULE_UP)
    config = "SPECIFICATION Spec\nCONSTANT Most = 2\nINVARIANT TypeOK\nPROPERTY Ends\n"
    (tmp_path / "Up.cfg").write_text(config)
    manifest = tmp_path / "verify.toml"
    options = 'engine = "prove"\noptions = { all_constants = true }'
    manifest.write_text(f'[[cell]]\nid = "up"\nspec = "Up.tla"\n{options}\n')
    done = verify("ci", str(manifest), "--update")
    assert "recorded 1 of 1 cell" in done.output
    assert tomllib.loads(manifest.read_text())["cell"][0]["expect"] == {"TypeOK": {"verdict": "proved"}}
    assert verify("ci", str(manifest), "--cell", "up").exit_code == 0


@pytest.mark.slow
def test_an_update_counts_the_states_of_a_cell_that_looks_at_all(project: Project) -> None:
    """A cell that stops before the end, and one of another engine, get no number."""
    project.edit("verify.toml", "distinct_states = 181\n", "")
    cell = '[[cell]]\nid = "{}"\nspec = "lock.py"\nengine = "{}"\n{}\n'
    added = cell.format("shallow", "explore", "depth = 2") + cell.format("bounded", "bmc", "depth = 2")
    with project.manifest.open("a", encoding="utf-8") as file:
        file.write(f"\n{added}")
    assert verify("ci", str(project.manifest), "--update").exit_code == 0
    cells = {each["id"]: each for each in tomllib.loads(project.manifest.read_text())["cell"]}
    assert {name for name, each in cells.items() if "distinct_states" in each} == {"sac"}
    assert cells["sac"]["distinct_states"] == 181
    assert project.check() == (0, [])
    project.edit("verify.toml", "distinct_states = 181", "distinct_states = 182")
    code, lines = project.check("--cell", "sac")
    assert (code, lines) == (14, ["FAIL  sac: distinct_states: 181 distinct states; expected 182"])
    assert verify("ci", str(project.manifest), "--update").exit_code == 0
    assert project.check() == (0, [])


def test_a_new_manifest_is_filled_in(project: Project) -> None:
    """Three lines for each cell suffice, as the documentation says."""
    project.manifest.write_text(
        '[[cell]]\nid = "one"\nspec = "lock.py"\n\n# Two.\n[[cell]]\nid = "two"\nspec = "broken.py"\n'
    )
    code, lines = project.check()
    assert code == 14
    assert [re.sub(r"; the current one is \w+", "", line) for line in lines] == [
        "FAIL  one: expect: the cell expects no verdict; verify ci --update records the verdicts",
        "FAIL  one: spec_hash: no spec hash is recorded; verify ci --update records it",
        "FAIL  two: expect: the cell expects no verdict; verify ci --update records the verdicts",
        "FAIL  two: spec_hash: no spec hash is recorded; verify ci --update records it",
    ]
    assert verify("ci", str(project.manifest), "--update").exit_code == 0
    assert project.check() == (0, [])
    filled = tomllib.loads(project.manifest.read_text(encoding="utf-8"))["cell"]
    assert filled[0]["expect"]["no_lost_write"] == {"verdict": "proved"}
    assert filled[1]["expect"]["no_lost_write"]["verdict"] == "violated"
    assert project.manifest.read_text(encoding="utf-8").count("\n# Two.\n[[cell]]\n") == 1


def test_what_is_undecided_is_not_recorded(project: Project) -> None:
    project.edit("verify.toml", 'id = "lock"', 'id = "lock"\ntimeout = "1ms"')
    project.edit("sac.py", "class RabbitSac(", "raise ValueError('no')\nclass RabbitSac(")
    before = project.manifest.read_text(encoding="utf-8")
    done = verify("ci", str(project.manifest), "--update", "--cell", "lock,sac")
    assert done.exit_code == 2
    names = "TypeInvariant, no_lost_write, later_write"
    assert f"not recorded  lock: nothing was decided: {names}: INCONCLUSIVE(timeout" in done.stdout
    assert re.search(r"^not recorded  sac: .*ValueError: no$", done.stdout, re.MULTILINE)
    assert project.manifest.read_text(encoding="utf-8") == before


def test_one_open_property_leaves_the_cell_as_it_is(project: Project) -> None:
    """Its spec hash stands for all its expectations."""
    few = 'engine = "explore"\noptions = { max_states = 60 }'
    project.edit("verify.toml", 'id = "lock-broken"', f'id = "lock-broken"\n{few}')
    before = project.manifest.read_text(encoding="utf-8")
    done = verify("ci", str(project.manifest), "--update", "--cell", "lock-broken")
    assert re.search("not recorded  lock-broken: [1-9] of [2-9] properties are open: ", done.stdout)
    assert "no_lost_write: " not in done.stdout
    assert done.exit_code == 12
    assert project.manifest.read_text(encoding="utf-8") == before


# The matrix


def include(*arguments: str) -> list[dict[str, Any]]:
    done = verify("matrix", *arguments)
    assert done.exit_code == 0
    found: list[dict[str, Any]] = json.loads(done.stdout)["include"]
    return found


@cache
def list_shipped_groups() -> list[dict[str, Any]]:
    """The matrix of what is shipped, which reads every protocol in it, made once for several tests."""
    return include(str(SHIPPED), "--groups", str(GROUPS))


@pytest.mark.slow
def test_the_matrix_has_every_cell_once(project: Project) -> None:
    entries = include(str(project.manifest))
    assert {entry["cell"] for entry in entries} == {"lock", "lock-broken", "sac", "sac-induct", "sac-live"}
    assert [entry["group"] for entry in entries] == [1, 2, 3, 4, 5]
    shipped = [cell.id for cell in read_manifest(SHIPPED).cells]
    for groups in (3, 256):
        entries = include(str(SHIPPED), "--groups", str(groups))
        assert len(entries) == min(groups, len(shipped))
        assert sorted(name for entry in entries for name in entry["cell"].split(",")) == sorted(shipped)


@pytest.mark.thorough
def test_groups_are_balanced() -> None:
    cells = read_manifest(SHIPPED).cells
    total, longest = sum(cell.seconds or 0 for cell in cells), max(cell.seconds or 0 for cell in cells)
    seconds = [entry["seconds"] for entry in list_shipped_groups()]
    assert max(seconds) <= 4 / 3 * max(total / GROUPS, longest) + 0.1
    assert sum(seconds) == pytest.approx(total, abs=0.5)


def test_an_entry_runs_as_cells(project: Project) -> None:
    for entry in include(str(project.manifest), "--groups", "2"):
        assert project.check("--cell", entry["cell"]) == (0, [])


def test_the_matrix_looks_for_what_no_job_would_notice(project: Project) -> None:
    project.edit("verify.toml", 'DeadlockPerfect = "holds"\n', "")
    assert project.check("--cell", "sac") == (0, [])
    page = project.manifest.with_name("page.html")
    done = verify("matrix", str(project.manifest), "--html", str(page))
    assert (done.exit_code, done.stdout) == (14, "")
    assert f"{page} is not written" in done.stderr
    assert not page.exists()
    assert "no cell expects a verdict on DeadlockPerfect, which is a property" in done.stderr


# Interrupts


def test_an_interrupt_keeps_what_is_done(project: Project, tmp_path: Path) -> None:
    project.edit("verify.toml", 'id = "lock"', 'id = "lock"\nengine = "bmc"\noptions = { steps = "serial" }')
    project.edit(
        "verify.toml", "clients = 2, last_token = 2 }\ndepth = 8", "clients = 6, last_token = 9 }\ndepth = 99"
    )
    target = tmp_path / "results.xml"
    process = start_verify("ci", str(project.manifest), "--jobs", "2", "--junit", str(target))
    assert process.stdout is not None
    first = [process.stdout.readline() for _ in range(3)]
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=30)
    assert sorted(line[:12].split(":")[0] for line in first) == ["ok    lock-b", "ok    sac", "ok    sac-in"]
    assert process.returncode == 12
    assert "FAIL  lock: run: nothing was decided: interrupted\n" in rest
    assert "; interrupted, in " in rest
    assert "Traceback" not in errors
    found: Any = JUnitXml.fromfile(str(target))
    assert [suite.name for suite in found] == ["lock", "lock-broken", "sac", "sac-induct", "sac-live"]


# What is shipped


@pytest.mark.thorough
def test_the_shipped_manifest_covers_every_family() -> None:
    specs = {cell.spec for cell in read_manifest(SHIPPED).cells}
    assert specs >= set(BUILT_IN)
    assert sorted(name for entry in list_shipped_groups() for name in entry["cell"].split(",")) == sorted(
        cell.id for cell in read_manifest(SHIPPED).cells
    )
    kinds = {item.verdict for cell in read_manifest(SHIPPED).cells for item in cell.expected}
    assert kinds >= {VerdictKind.HOLDS, VerdictKind.PROVED, VerdictKind.VIOLATED, VerdictKind.REACHED}


def test_the_shipped_manifest_expects_what_the_independent_checker_found() -> None:
    compared = 0
    for cell in read_manifest(SHIPPED).cells:
        mine = {item.property_name: item for item in cell.expected}
        for known in expectations(cell.spec):
            if dict(known.constants) != dict(cell.constants) or known.property_name not in mine:
                continue
            item = mine[known.property_name]
            compared += 1
            good = item.verdict in (VerdictKind.HOLDS, VerdictKind.PROVED)
            assert good == (known.verdict == "holds"), (cell.id, known)
            assert good or item.steps == known.steps, (cell.id, known)
            if cell.distinct_states is not None and known.distinct_states is not None:
                assert cell.distinct_states == known.distinct_states, (cell.id, known)
    assert compared >= 60


def test_fast_cells_of_the_shipped_manifest_are_green() -> None:
    done = verify("ci", str(SHIPPED), "--cell", FAST_CELLS)
    assert done.exit_code == 0, done.output


@pytest.mark.slow
def test_the_shipped_manifest_is_green() -> None:
    done = verify("ci", str(SHIPPED))
    assert done.exit_code == 0, done.output


@pytest.mark.thorough
def test_the_workflow_runs_the_matrix() -> None:
    jobs = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]
    plan, cells = jobs["plan"], jobs["expectations"]
    (planned,) = [step for step in plan["steps"] if step.get("id") == "matrix"]
    assert f"verify matrix .ci/verify.toml --groups {GROUPS}" in planned["run"]
    entries = list_shipped_groups()
    assert plan["outputs"]["matrix"] == "${{ steps.matrix.outputs.matrix }}"
    assert cells["needs"] == "plan"
    assert cells["strategy"]["matrix"] == "${{ fromJSON(needs.plan.outputs.matrix) }}"
    assert cells["strategy"]["fail-fast"] is False
    text = json.dumps(cells)
    used = set(re.findall(r"\$\{\{ matrix\.(\w+) \}\}", text))
    assert used
    assert all(used <= set(entry) for entry in entries)
    assert any('verify ci .ci/verify.toml --cell "$CELL"' in step.get("run", "") for step in cells["steps"])
    (upload,) = [step for step in cells["steps"] if "upload-artifact" in step.get("uses", "")]
    assert upload["if"] == "always()"


# What is documented


def blocks(language: str) -> list[str]:
    text = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_the_documented_start_works(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    start, everything, *_ = blocks("toml")
    project.manifest.write_text(start, encoding="utf-8")
    assert verify("ci", str(project.manifest), "--update").exit_code == 0
    assert project.check() == (0, [])
    after = project.manifest.read_text(encoding="utf-8")
    added = re.findall(r"^\+(\S.*)$", blocks("console")[0], re.MULTILINE)
    assert len(added) == 10
    for line in added:
        assert re.sub(r"seconds = .*", "seconds", line) in after
    project.manifest.write_text(everything, encoding="utf-8")
    (cell,) = read_manifest(project.manifest).cells
    assert (cell.timeout, cell.memory, cell.options["steps"]) == (30.0, 2**30, "serial")


def test_the_documented_jobs_are_yaml() -> None:
    single, spread = (yaml.safe_load(block)["jobs"] for block in blocks("yaml"))
    assert set(single) == {"verify"}
    assert spread["verify"]["needs"] == "plan"
