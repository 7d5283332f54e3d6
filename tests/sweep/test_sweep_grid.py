"""Grids: what is wrong in them is refused before anything starts, with the number of jobs."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.command_line import CHAIN, ROOT, wrong
from tests.support.sweeping import jobs_of
from verifier.specs.definition import PropertyKind
from verifier.specs.protocol import define
from verifier.specs.registry import load
from verifier.sweep.expansion import expand, expensive_first
from verifier.sweep.grid import Grid, axes_of, read_grids

SMALL = ("sweep", "--spec", "kip320")


@pytest.fixture(autouse=True)
def no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whatever gets as far as Spark says so, and not what these tests wait for."""
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("sweep",), "names no spec"),
        (("sweep", "--spec", "kip32"), "did you mean 'kip320'?"),
        ((*SMALL, "--grid", "replica=2..3"), "did you mean 'replicas'?"),
        ((*SMALL, "--grid", "replicas=4..2"), "did you mean 2..4?"),
        ((*SMALL, "--grid", "replicas="), "has no values"),
        ((*SMALL, "--grid", "replicas"), "takes NAME=VALUES"),
        ((*SMALL, "--grid", "replicas=2", "--grid", "replicas=3"), "gives replicas twice"),
        ((*SMALL, "--grid", "replicas=1..3"), "replicas=1 of kip320 is not allowed"),
        ((*SMALL, "--grid", "replicas=two"), "replicas=two of kip320 is not allowed"),
        ((*SMALL, "--grid", "replicas=2", "--set", "replicas=3"), "--grid and --set both give replicas"),
        ((*SMALL, "--set", "replica=2"), "did you mean 'replicas'?"),
        ((*SMALL, "--set", "replicas=1"), "replicas=1 of kip320 is not allowed"),
        ((*SMALL, "--property", "StrongISR"), "did you mean 'StrongIsr'?"),
        ((*SMALL, "--engine", "bmcc"), "check, bmc, explore, prove, induct, live); did you mean 'bmc'?"),
        ((*SMALL, "--engine", "simulate"), "allowed: check, bmc, explore, prove, induct"),
        ((*SMALL, "--engine", "prove", "--depth", "4"), "unknown option of prove 'depth'"),
        ((*SMALL, "--option", "step=serial"), "did you mean 'steps'?"),
        ((*SMALL, "--option", "steps=serially"), "did you mean 'serial'?"),
        ((*SMALL, "--option", "seed=abc"), "seed = abc is not allowed: it takes an integer, at least 0"),
        ((*SMALL, "--option", "shortest=yes"), "shortest = yes is not allowed: it takes true or false"),
        ((*SMALL, "--option", "steps"), "--option steps is not allowed"),
        ((*SMALL, "--split", "0"), "--split 0 is not allowed"),
        ((*SMALL, "--engine", "prove", "--split", "4"), "split = 4 is for the engine bmc"),
        ((*SMALL, "--split", "4", "--option", "shortest=true"), "split does not go with"),
        ((*SMALL, "--timeout", "0"), "--timeout 0 is not allowed"),
        ((*SMALL, "--rerun", "verdict=inconclusiv"), "did you mean 'inconclusive'?"),
        ((*SMALL, "--rerun", "result=error"), "unknown field for --rerun"),
        ((*SMALL, "--expect", "hold"), "did you mean 'holds'?"),
        ((*SMALL, "--archive", "none.tar.gz"), "no such file"),
        (("sweep", "none.toml"), "cannot read the grid file none.toml"),
    ],
)
def test_a_mistake_is_one_line(arguments: tuple[str, ...], words: str) -> None:
    assert words in wrong(*arguments)


def test_a_billion_jobs_are_counted_and_not_written_out() -> None:
    began = time.monotonic()
    axes = ("max_records=1..1000", "log_size=1..1000", "max_leader_epoch=1..500", "replicas=2..3")
    said = wrong(*SMALL, "--property", "WeakIsr", *(part for axis in axes for part in ("--grid", axis)))
    assert "1,000,000,000 jobs" in said
    assert "100,000" in said
    assert time.monotonic() - began < 5


def test_a_range_longer_than_a_machine_word_is_counted() -> None:
    assert "999,999,999,999,999,999 jobs" in wrong(
        *SMALL, "--property", "WeakIsr", "--grid", f"max_records=1..{10**18 - 1}"
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "has no [[grid]] table"),
        ("[grid]\nspecs = ['kip320']", "with two brackets"),
        ("[[grids]]", "did you mean 'grid'?"),
        ("[[grid]]\nspec = 'kip320'", "did you mean 'specs'?"),
        ("[[grid]]\nspecs = []", "specs is empty"),
        ("[[grid]]\nspecs = ['kip320']\nconstants = 3", "are tables"),
        ("[[grid]]\nspecs = ['kip320']\nconstants = { replicas = [] }", "has no values"),
        ("[[grid]]\nspecs = ['kip320']\nconstants = { replicas = [2.5] }", "is not allowed"),
        ("[[grid]]\nspecs = ['kip320']\ndepth = -1", "an integer, at least 0"),
        ("[[grid]]\nspecs = ['kip320']\nsplit = 0", "an integer, at least 1"),
        ("[[grid]]\nspecs = ['kip320']\ntimeout = 'soon'", "90s"),
        (
            "[[grid]]\nspecs = ['kip320']\nengines = ['induct']\noptions = { lemmas = ['Comitted'] }",
            "did you mean 'Committed'?",
        ),
        ("[[grid]\n", "is not TOML"),
    ],
)
def test_a_mistake_in_a_file_is_one_line(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "grid.toml").write_text(content, encoding="utf-8")
    assert words in wrong("sweep", "grid.toml")


def test_options_of_the_command_line_do_not_contradict_a_file(tmp_path: Path) -> None:
    (tmp_path / "grid.toml").write_text("[[grid]]\nspecs = ['kip320']", encoding="utf-8")
    assert "--property does not go with grid.toml" in wrong("sweep", "grid.toml", "--property", "WeakIsr")
    assert "--grid does not go with grid.toml" in wrong("sweep", "grid.toml", "--grid", "replicas=2")
    assert "--set does not go with grid.toml" in wrong("sweep", "grid.toml", "--set", "replicas=2")


def test_every_combination_is_a_job_once(tmp_path: Path) -> None:
    file = tmp_path / "grid.toml"
    file.write_text(
        """
        [[grid]]
        specs = ["kip279", "kip320"]
        properties = ["WeakIsr", "StrongIsr"]
        engines = ["bmc", "prove"]
        constants = { replicas = "2..3", log_size = [1, 2], max_records = "1,2" }
        depth = 7
        timeout = "2m"

        [[grid]]
        specs = ["kip320"]
        properties = ["WeakIsr"]
        constants = { replicas = 2, log_size = 1, max_records = 1 }
        depth = 7
        """,
        encoding="utf-8",
    )
    expansion = expand(read_grids(file))
    assert len(expansion.jobs) == 2 * 2 * 2 * 2 * 2 * 2
    assert len({job.job_id for job in expansion.jobs}) == len(expansion.jobs)
    asked = {(job.spec, job.engine, job.property_name, job.constants["replicas"]) for job in expansion.jobs}
    assert len(asked) == 16
    assert {job.recorded["depth"] for job in expansion.jobs if job.engine == "bmc"} == {7}
    assert {job.timeout for job in expansion.jobs} == {120.0}


def test_a_property_has_either_name() -> None:
    """As everywhere else; the jobs are the same."""
    named = [jobs_of(specs=("kip320",), properties=(name,), depth=3) for name in ("WeakIsr", "weak_isr")]
    assert named[0] == named[1]
    assert [job.property_name for job in named[0]] == ["WeakIsr"]


def test_induction_is_not_asked_for_what_must_be_reachable() -> None:
    spec = str(ROOT / "docs" / "tutorial" / "fenced_lock.py")
    jobs = expand([Grid(specs=(spec,), properties=("all",), engines=("bmc", "induct"))]).jobs
    reachable = {prop.name for prop in define(load(spec)()).properties if prop.kind is PropertyKind.REACHABLE}
    assert reachable
    asked = {(job.engine, job.property_name) for job in jobs}
    assert {name for engine, name in asked if engine == "bmc" and ("induct", name) not in asked} == reachable
    named = ("--property", min(reachable), "--engine", "induct")
    assert "induction proves what always holds" in wrong("sweep", "--spec", spec, *named)


def test_what_assumptions_reject_is_left_out_and_counted(tmp_path: Path) -> None:
    spec = tmp_path / "spec.py"
    spec.write_text(
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from tests.support.toys import Chain as Base\n"
        "from verifier.specs.protocol import IntegerConstant\n"
        "class Chain(Base):\n"
        "    one = IntegerConstant(1)\n"
        "    two = IntegerConstant(1)\n"
        "    def assumptions(self):\n"
        "        return [(self.one <= self.two, 'one <= two')]\n",
        encoding="utf-8",
    )
    grid = Grid(specs=(f"{spec}:Chain",), axes=axes_of(["one=1..3", "two=1..3"]), depth=1)
    expansion = expand([grid])
    assert len({job.spec_hash for job in expansion.jobs}) == 6
    (left_out,) = expansion.left_out
    assert (left_out.combinations, left_out.assumption) == (3, "one <= two")
    refused = wrong("sweep", "--spec", f"{spec}:Chain", "--grid", "one=2,3", "--grid", "two=1")
    assert "none of the" in refused
    assert "one <= two" in refused


def test_expensive_jobs_come_first_and_known_seconds_count_more() -> None:
    jobs = expand([Grid(specs=("kip320",), properties=("WeakIsr",), axes=axes_of(["replicas=2..4"]))]).jobs
    assert [job.constants["replicas"] for job in expensive_first(jobs, {})] == [4, 3, 2]
    by_size = {job.constants["replicas"]: job for job in jobs}
    known = {by_size[2].job_id: 100.0, by_size[3].job_id: 1.0}
    assert [job.constants["replicas"] for job in expensive_first(jobs, known)].index(3) == 2


def test_java_is_looked_for_before_anything_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = wrong("sweep", "--spec", CHAIN, "--out", str(tmp_path / "run"))
    assert "does not run" in said
    old = tmp_path / "bin" / "java"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n", encoding="utf-8")
    old.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    said = wrong("sweep", "--spec", CHAIN, "--out", str(tmp_path / "run"))
    assert "Java 11" in said
    assert "openjdk-17-jre-headless" in said
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert "there is none" in wrong("sweep", "--spec", CHAIN, "--out", str(tmp_path / "run"))
    assert not (tmp_path / "run").exists()


def test_light_commands_do_not_import_spark() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from verifier.cli.main import cli\n"
        "assert CliRunner().invoke(cli, ['sweep', '--help']).exit_code == 0\n"
        "assert CliRunner().invoke(cli, ['list']).exit_code == 0\n"
        "heavy = {'pyspark', 'pyarrow', 'pandas', 'z3'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
