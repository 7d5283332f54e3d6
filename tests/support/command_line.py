"""Helpers for the tests of the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner, Result

from verifier.cli.main import cli

ROOT = Path(__file__).resolve().parents[2]
TOYS = str(ROOT / "tests" / "support" / "toys.py")
CHAIN, LOCK = f"{TOYS}:Chain", f"{TOYS}:LockServer"
FAST = ("--solver", "cadical")
ENDLESS = ("bmc", "--spec", LOCK, "--property", "HolderWaitsNoMore", "--depth", "20000", *FAST)


def verify(*arguments: str) -> Result:
    """Runs the command line in this process."""
    return CliRunner().invoke(cli, arguments)


def run_generator(name: str, *arguments: str) -> str:
    """Return what a module of results/generators prints, run as a command."""
    command = [sys.executable, "-m", f"results.generators.{name}", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def run_with_hash_seed(seed: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own, in which Python's hashes begin with a seed."""
    command = [sys.executable, "-c", "from verifier.cli.entry import main; main()", *arguments]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


SPARK_AT_ONCE = "from verifier.engines import task_cluster; task_cluster.LONG = 0; "
"""Code with which an exploration on local[2] starts Spark at the first large level."""


def start_verify(*arguments: str, first: str = "") -> subprocess.Popen[str]:
    """The command line in a process of its own, which runs other code first."""
    code = f"{first}from verifier.cli.entry import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wrong(*arguments: str) -> str:
    """The one line with which wrong usage is turned down."""
    done = verify(*arguments)
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    line = done.stderr.splitlines()[-1]
    assert line.startswith("verify: ")
    return line
