"""Without the extra ``sweep`` installed, what needs it says what to install; the rest works."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import CHAIN, ROOT

WITHOUT = """
import sys
for name in sys.argv.pop(1).split(","):
    sys.modules[name] = None  # importing it fails as if it were not there
from verifier.cli.main import main
main()
"""


def without(packages: str, *arguments: str) -> tuple[int, str, str]:
    """The exit code, output and last line of errors of the command line in a process without the packages."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, packages, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, (done.stderr.splitlines() or [""])[-1]


@pytest.mark.parametrize(
    ("packages", "needed"),
    [
        ("pyarrow", "pyarrow"),
        ("pyspark", "pyspark"),
        ("filelock", "filelock"),
        ("pyspark,pyarrow,filelock", "pyspark, pyarrow and filelock"),
    ],
)
def test_a_sweep_says_what_to_install(packages: str, needed: str, tmp_path: Path) -> None:
    code, said, line = without(packages, "sweep", "--spec", CHAIN, "--out", str(tmp_path / "rows"))
    what = f"verify sweep needs {needed}: pip install 'protoverify[sweep]' brings what is missing"
    assert (code, said, line) == (2, "", f"verify: {what}")
    assert not (tmp_path / "rows").exists()


@pytest.mark.parametrize("package", ["pyarrow", "filelock"])
def test_a_report_of_rows_says_what_to_install(package: str, tmp_path: Path) -> None:
    code, said, line = without(package, "report", str(tmp_path))
    what = f"the report of {tmp_path}, a sweep's folder, needs {package}: pip install 'protoverify[sweep]' "
    assert (code, said, line) == (2, "", f"verify: {what}brings what is missing")


@pytest.mark.thorough
def test_the_rest_does_without(tmp_path: Path) -> None:
    packages, run = "pyspark,pyarrow,filelock", tmp_path / "run.json"
    code, said, _ = without(packages, "bmc", "--spec", CHAIN, "--depth", "2", "--format", "json")
    assert code == 10
    run.write_text(said)
    assert without(packages, "report", str(run))[0] == 0
    assert without(packages, "sweep", "--help")[0] == 0
    manifest = tmp_path / "verify.toml"
    manifest.write_text("")
    assert "pyarrow" not in without(packages, "ci", str(manifest))[2]
    assert without(packages, "report", str(tmp_path / "none"))[2].startswith("verify: ")
