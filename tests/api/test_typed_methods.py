"""The engines as methods have types: editors complete their options, and mypy checks them."""

from __future__ import annotations

import re
from pathlib import Path

from mypy import api

from tests.support.command_line import ROOT, run_generator
from verifier.runs.table import ENGINES

SCRIPT = """\
from verifier import Result, load

spec = load("kip101")
found: Result = spec.bmc("StrongIsr", depth=12, steps="parallel", timeout="2m", memory=10_000_000)
counted = spec.explore(depth=3, deadlock=True, timeout=1.5)
print(found["StrongIsr"].steps, counted.statistics["distinct_states"])
"""
MISTAKES = {
    "an option": ("depth=12", "dept=12", 'did you mean "depth"'),
    "a type": ("depth=12", 'depth="12"', 'expected "int | None"'),
    "a choice": ('"parallel"', '"sideways"', "expected \"Literal['auto', 'parallel', 'serial']\""),
    "a switch": ("deadlock=True", 'deadlock="yes"', 'expected "bool"'),
    "a property": ('bmc("StrongIsr"', "bmc(3", 'expected "str"'),
    "an engine": ("spec.explore", "spec.explor", '"Specification" has no attribute "explor"'),
    "a result": (".steps", ".stepps", 'has no attribute "stepps"'),
}
"""A piece of the script, what is written instead of it, and what mypy says of that."""


def test_the_stub_is_what_the_engines_declare() -> None:
    written = ROOT / "verifier" / "api" / "engine_methods.pyi"
    stub = run_generator("engine_methods")
    assert written.read_text(encoding="utf-8") == stub, "make docs"
    assert re.findall(r"^    def (\w+)\(", stub, re.M) == list(ENGINES)


def test_mypy_checks_the_options_of_engines(tmp_path: Path) -> None:
    (tmp_path / "right.py").write_text(SCRIPT)
    for number, (piece, mistake, _) in enumerate(MISTAKES.values()):
        assert piece in SCRIPT
        (tmp_path / f"wrong{number}.py").write_text(SCRIPT.replace(piece, mistake, 1))
    found, trouble, _ = api.run(
        [
            # As `make lint` runs it, so that what mypy then found of the package is not found again.
            *("--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache")),
            *("--no-error-summary", *map(str, sorted(tmp_path.glob("*.py")))),
        ]
    )
    assert not trouble
    said: dict[str, str] = {}
    for line in found.splitlines():
        place, error, words = line.partition(": error: ")
        if error:
            said.setdefault(Path(place).name.partition(":")[0], words)
    assert "right.py" not in said
    for number, (_, _, expected) in enumerate(MISTAKES.values()):
        assert expected in said.get(f"wrong{number}.py", ""), (number, said)
