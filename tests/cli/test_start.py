"""The modules that a command loads before it begins, and the end of its process."""

from __future__ import annotations

import subprocess
import sys

_SHOW = """
import sys
sys.argv = ["verify", "show", "kip320"]
{before}
from verifier.cli.entry import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
{after}
print("done")
"""


def _run_to_end(before: str, after: str) -> str:
    """The last line of a process that shows a protocol."""
    script = _SHOW.format(before=before, after=after)
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()[-1]


def test_what_asks_no_solver_does_not_load_z3() -> None:
    """pysmt would load it, for numbers that no protocol has. Who wants it later gets it."""
    after = 'assert "z3" not in sys.modules\nimport z3\nassert z3.Bool("b") is not None'
    assert _run_to_end("", after) == "done"


def test_z3_that_is_loaded_already_stays() -> None:
    assert _run_to_end("import z3", 'assert sys.modules["z3"] is z3') == "done"


def test_nothing_is_loaded_before_an_interrupt_is_answered() -> None:
    """An interrupt of modules loaded before ``main`` would show Python's own traceback."""
    script = "import sys; before = {*sys.modules}; import verifier.cli.entry; print(*{*sys.modules} - before)"
    # Without what the environment loads by itself.
    ran = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True, check=True)
    assert {*ran.stdout.split()} <= {"verifier", "verifier.cli", "verifier.cli.entry", "__future__", "types"}


def test_package_metadata_are_not_read_without_need() -> None:
    assert _run_to_end("", 'assert "importlib.metadata" not in sys.modules') == "done"
