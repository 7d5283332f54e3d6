"""The modules that a command loads before it begins, and the end of its process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import ROOT
from tests.support.counter_logs import write_counter
from verifier.solvers.solver_names import BACKENDS
from verifier.version import find_version, read_version

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


_FENCED = str(ROOT / "docs" / "examples" / "FencedLock.tla")
_LARGE = ("z3", "pyspark", "pandas", "jinja2", "networkx", "hypothesis", "email", "importlib.metadata")
_NEVER = (*_LARGE, "numpy.ma")
"""Packages and modules that take 5 to 500 ms to load, and that no small answer needs."""
_PROVERS = ("verifier.engines.ic3", "verifier.engines.prove")
_ENGINES = (*_PROVERS, "verifier.engines.bmc", "verifier.explicit")
_TRANSLATION = ("verifier.tla.translate.definition", "verifier.runs.validation.verdicts")
_MODULES = ("numpy", "pysat", *_ENGINES, *_TRANSLATION)
_RESULTS = ("verifier.outcomes.content", "verifier.outcomes.row", "verifier.trust.itf")
"""The writers of JSON, which text on a terminal does not need."""
_NOT_BESIDE_EXPLORE = ("verifier.engines.bmc", "verifier.engines.level_search", "verifier.clauses.unrolling")
_PLAIN = ("hashlib", "secrets")
_BEGIN = """
import sys
from verifier.cli.entry import main
try:
    main()
except SystemExit as end:
    assert end.code in (None, 0, 12), end.code
print(*sys.modules)
"""


@pytest.mark.parametrize(
    ("words", "without"),
    [
        (["explore", _FENCED], _MODULES),
        (["check", _FENCED], (*_MODULES, "verifier.trust.itf")),
        (
            ["bmc", "rabbit-sac"],
            (*_PLAIN, "numpy", "pysat", *_PROVERS, "verifier.explicit", *_TRANSLATION, *_RESULTS),
        ),
        (["explore", "rabbit-sac"], ("pysat", *_PROVERS, *_NOT_BESIDE_EXPLORE, *_TRANSLATION, *_RESULTS)),
        (["show", "kip320"], ("numpy", "pysat", "verifier.tla", *_ENGINES)),
        (["list"], (*_PLAIN, "numpy", "pysat", "rich", "verifier.system", "verifier.tla", *_ENGINES)),
    ],
    ids=lambda words: " ".join(words[:1]),
)
def test_a_command_loads_only_what_it_needs(words: list[str], without: tuple[str, ...]) -> None:
    """Of the process that answers; its children load the engines that they run.

    An exploration leaves temporal properties open, with code 12."""
    assert _loaded(words) & {*_NEVER, *without} == set()


def test_judging_a_log_loads_no_solver(tmp_path: Path) -> None:
    write_counter(tmp_path)
    log = tmp_path / "run.ndjson"
    log.write_text('{"event": "Inc"}\n{"event": "Dec"}\n')
    files = ["--spec", str(tmp_path / "Counter.tla"), "--map", str(tmp_path / "map.toml")]
    assert not _loaded(["conform", str(log), *files]) & {*_NEVER, "pysat", "verifier.engines.bmc"}


def _loaded(words: list[str]) -> set[str]:
    """The modules that a command has loaded at its end."""
    ran = subprocess.run([sys.executable, "-c", _BEGIN, *words], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return {*ran.stdout.splitlines()[-1].split()}


@pytest.mark.parametrize("package", ["protoverify", *sorted({one.package for one in BACKENDS.values()})])
def test_versions_are_those_of_the_metadata(package: str) -> None:
    assert find_version(package) == read_version(package) is not None


def test_the_nearest_installation_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders are searched in the order in which Python imports. The name of a checkout has no version."""
    near, far = tmp_path / "near", tmp_path / "far"
    for folder, version in ((near, "2.0"), (far, "1.0")):
        info = folder / f"some_thing-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: some-thing\nVersion: {version}\n")
    monkeypatch.setattr(sys, "path", [str(near), str(far), *sys.path])
    assert find_version("some-thing") == read_version("some-thing") == "2.0"
    checkout = near / "some_thing.egg-info"
    checkout.mkdir()
    (checkout / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: some-thing\nVersion: 3.0\n")
    assert find_version("some-thing") == read_version("some-thing")
    assert find_version("some") is None
