"""Wrong input: one line that names the value and what is allowed, exit code 2, no traceback."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.command_line import CHAIN, ROOT, TOYS, verify, wrong
from verifier.cli.parameters import DURATION, SIZE
from verifier.errors import UsageError

WRONG: list[tuple[tuple[str, ...], str]] = [
    (("bcm",), "unknown command 'bcm' .*did you mean 'bmc'"),
    (("nonsense",), r"unknown command 'nonsense' \([^)]*\)$"),
    (("check", "kip320", "b.py"), "check takes one SPEC; b.py is too much; try verify check --help"),
    (("list", "foo"), "list takes no argument; foo is too much; try verify list --help"),
    (("bmc",), "no spec is named"),
    (("bmc", "--spec", "kip32"), "unknown spec 'kip32' .*did you mean 'kip320'"),
    (("bmc", "--spec", "nothing.py"), "cannot read the spec file nothing.py"),
    (("bmc", "--spec", TOYS), "several protocols"),
    (
        ("bmc", "--spec", CHAIN, "--property", "NeverTip"),
        "unknown property 'NeverTip' .*did you mean 'NeverTop'",
    ),
    (("bmc", "--spec", CHAIN, "--set", "tob=3"), "unknown constant 'tob' .*did you mean 'top'"),
    (("bmc", "--spec", CHAIN, "--set", "top=0"), "top=0 is not allowed: top is an integer, at least 1"),
    (("bmc", "--spec", CHAIN, "--set", "top=2.5"), "top=2.5 is not allowed: top is an integer, at least 1"),
    (("bmc", "--spec", CHAIN, "--set", "top"), "--set top is not allowed: it takes NAME=VALUE"),
    (("bmc", "--spec", CHAIN, "--set", "top=1", "--set", "top=2"), "--set gives top two values, 1 and 2"),
    (("bmc", "--spec", CHAIN, "--solver", "z4"), "--solver z4 .* it takes z3, .* or .*did you mean 'z3'"),
    (("bmc", "--spec", CHAIN, "--steps", "seriel"), "--steps seriel is not allowed: .*did you mean 'serial'"),
    (("bmc", "--spec", CHAIN, "--format", "jsn"), "--format jsn is not allowed: .*did you mean 'json'"),
    (("bmc", "--spec", CHAIN, "--by", "magic"), "--by magic .* it takes auto, interpreter or translation"),
    (("bmc", "--spec", CHAIN, "--depth", "-1"), "--depth -1 is not allowed: it takes an integer, at least 0"),
    (("bmc", "--spec", CHAIN, "--depth", "ten"), "--depth ten is not allowed"),
    (("bmc", "--spec", CHAIN, "--seed", "-1"), "--seed -1 is not allowed"),
    (("bmc", "--spec", CHAIN, "--timeout", "5x"), "--timeout 5x is not allowed: it takes .*90s, 2m, 1h"),
    (("bmc", "--spec", CHAIN, "--timeout", "9" * 400), "is not allowed: it takes .*90s, 2m, 1h"),
    (("bmc", "--spec", CHAIN, "--timeout", "999999999h"), "--timeout 999999999h is not allowed: .*a billion"),
    (("bmc", "--spec", CHAIN, "--memory", f"{'9' * 400}GB"), "is not allowed: it takes .*512MiB"),
    (("bmc", "--spec", CHAIN, "--memory", "lots"), "--memory lots is not allowed: it takes .*512MiB"),
    (
        ("bmc", "--spec", CHAIN, "--shortest", "--steps", "parallel"),
        "--shortest does not go with --steps parallel",
    ),
    (
        ("bmc", "--spec", CHAIN, "--trace-out", "/nowhere/t.json"),
        "--trace-out /nowhere/t.json cannot be written",
    ),
    (
        ("bmc", "--spec", CHAIN, "--trace-out", str(ROOT)),
        "--trace-out .* cannot be written: it is a directory",
    ),
    (
        ("bmc", "--spec", CHAIN, "--dump-smt2", "/nowhere/q.smt2"),
        "--dump-smt2 /nowhere/q.smt2 cannot be written",
    ),
    (("bmc", "--spec", CHAIN, "--expect", "violted"), "unknown verdict to expect 'violted' .*'violated'"),
    (
        ("bmc", "--spec", CHAIN, "--expect", "Never=holds"),
        "--expect: unknown property or action 'Never'",
    ),
    (
        ("bmc", "--spec", CHAIN, "--expect", "holds", "--expect", "violated"),
        "another --expect is about the same",
    ),
    (
        ("bmc", CHAIN, "--sovler", "z3"),
        "bmc has no option --sovler; did you mean --solver\\?; try verify bmc",
    ),
    (("bmc", CHAIN, "--dept", "3"), "bmc has no option --dept; did you mean --depth\\?; try verify bmc"),
    (
        ("check", CHAIN, "--depth", "3"),
        "check has no option --depth: bmc, explore, .* and sweep have it; try",
    ),
    (
        ("check", CHAIN, "--dpeth", "3"),
        "check has no option --dpeth; bmc, explore, .* and sweep have --depth",
    ),
    (("list", "--junit"), "list has no option --junit: ci has it; try verify list"),
    (("check", CHAIN, "--quux"), "check has no option --quux; try verify check --help"),
    (("--vers",), "verify has no option --vers; did you mean --version"),
    (("show", "kip320", "--spec", "kip279"), "two specs are named"),
    (("replay", "/nowhere/t.json"), "/nowhere/t.json: cannot be read: no such file"),
    (("replay", TOYS), "it is a Python file, not JSON; a trace is expected, as --trace-out writes it"),
    (("report", TOYS), "it is a Python file, not JSON; a run .* is expected"),
    (("certify", TOYS), "cannot be read as a certificate: it is a Python file, not JSON"),
    (("check", ".."), "\\.\\. is a folder: name a file in it, as in \\.\\./M.tla"),
]


@pytest.mark.parametrize(("arguments", "words"), WRONG, ids=[" ".join(a[-2:])[-40:] for a, _ in WRONG])
def test_wrong_input_is_one_line(arguments: tuple[str, ...], words: str) -> None:
    assert re.search(words, wrong(*arguments))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("    x = 1 / 0\n", "line 4: ZeroDivisionError"),
        (
            "    def state(self): return State(x=Rnage(0, 1))\n    def init(self, s): return s.x == 0\n",
            "line 4: the name 'Rnage' is not known; did you mean 'Range'?",
        ),
        (
            """    def state(self): return State()
    def init(self, s): return True
    @action()
    def rest(self, s): return Step([s.y == 0], {})
""",
            "line 7: unknown state variable 'y'",
        ),
        ("    def state(self): return State()\n    def init(self, s): return True\n", "has no action"),
    ],
)
def test_mistakes_in_a_protocol_of_ones_own(tmp_path: Path, body: str, words: str) -> None:
    spec = tmp_path / "mine.py"
    spec.write_text(f"from verifier.specs.protocol import *\n\nclass Mine(Protocol):\n{body}")
    assert words in wrong("bmc", "--spec", str(spec))


def test_contradictory_assumptions(tmp_path: Path) -> None:
    spec = tmp_path / "mine.py"
    spec.write_text(
        "from tests.support.toys import Chain\n\nclass Bounded(Chain):\n"
        "    def assumptions(self):\n        return [(self.top < 5, 'top < 5')]\n"
    )
    assert "bounded assumes top < 5; got top=7" in wrong("bmc", "--spec", str(spec), "--set", "top=7")


def test_an_internal_error_is_one_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr("verifier.runs.loading.load", fail)
    done = verify("show", "kip320")
    assert done.exit_code == 1
    assert done.stderr.startswith("verify: internal error, please report it: RuntimeError: two lines")
    assert "Traceback" not in done.stderr
    monkeypatch.setenv("VERIFY_DEBUG", "1")
    assert "Traceback" in verify("show", "kip320").stderr


@pytest.mark.parametrize(
    ("word", "seconds"), [("90", 90), ("1.5", 1.5), ("90s", 90), ("2m", 120), ("1h", 3600), ("500ms", 0.5)]
)
def test_durations(word: str, seconds: float) -> None:
    assert DURATION.convert(word, None, None) == seconds


@pytest.mark.parametrize(
    ("word", "size"), [("512MiB", 512 * 2**20), ("2GiB", 2**31), ("1.5kB", 1500), ("2gb", 2 * 10**9)]
)
def test_sizes(word: str, size: int) -> None:
    assert SIZE.convert(word, None, None) == size


@pytest.mark.parametrize("word", ["", "0", "-1", "nan", "inf", "1d", "1e3", "s"])
def test_what_is_no_duration(word: str) -> None:
    with pytest.raises(UsageError, match="is not allowed"):
        DURATION.convert(word, None, None)
