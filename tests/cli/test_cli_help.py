"""Help, versions, silence, hints after errors, and completion."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import CHAIN, ROOT, TOYS, verify, wrong
from verifier.cli.help_groups import GROUPS
from verifier.cli.main import cli
from verifier.runs.engine import engine_named
from verifier.runs.option import list_declared
from verifier.runs.table import ENGINES
from verifier.solvers.solver_names import BACKENDS

UNASKED = ("LeaderInIsr", "LeaderInIsrOnceElected", "EpochsNeverFall")
"""Properties of kip320 that are not checked by default."""
HEAVY = ("z3", "pysat", "cvc5", "bitwuzla", "pyspark", "pandas", "numpy", "scipy")


def completions(words: str, word: str, folder: Path = ROOT) -> list[str]:
    """Return bash's completions of the last word, given the words before."""
    done = subprocess.run(
        [sys.executable, "-c", "from verifier.cli.entry import main; main()"],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "_VERIFY_COMPLETE": "bash_complete",
            "COMP_WORDS": f"verify {words} {word}",
            "COMP_CWORD": str(len(words.split()) + 1),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return [line.partition(",")[2] for line in done.stdout.splitlines() if line]


@pytest.mark.parametrize("name", cli.list_commands(None))  # type: ignore[arg-type]
def test_every_command_has_both_forms_of_help(name: str) -> None:
    shown = [verify(name, "-h"), verify(name, "--help"), verify("help", name)]
    assert [done.exit_code for done in shown] == [0, 0, 0]
    assert shown[0].stdout == shown[1].stdout == shown[2].stdout
    assert shown[0].stdout.startswith(f"Usage: verify {name} ")


@pytest.mark.parametrize("name", [*cli.list_commands(None), ""])  # type: ignore[arg-type]
def test_help_fits_into_a_terminal_of_80_columns(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = verify(*name.split(), "-h").stdout
    assert "Usage: verify" in shown
    assert [line for line in shown.splitlines() if len(line) > 80] == []


def test_help_without_a_command_is_that_of_verify() -> None:
    assert verify("help").stdout == verify("-h").stdout == verify("--help").stdout
    assert "unknown command 'bcm'" in wrong("help", "bcm")
    assert "did you mean 'bmc'" in wrong("help", "bcm")


def test_versions_are_shown_without_loading_a_solver() -> None:
    code = (
        "import sys\nfrom verifier.cli.main import cli\n"
        "try: cli(['--version'])\nfinally: "
        f"assert not set(sys.modules) & set({HEAVY!r}), set(sys.modules) & set({HEAVY!r})"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("verify")
    assert lines[1] == f"Python {sys.version.split()[0]}"
    assert [line.split()[0] for line in lines[2:]] == list(BACKENDS)
    assert all(re.search(r" \d+\.\d+", line) for line in lines[2:])


def test_a_solver_that_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BACKENDS, "cvc5", type(BACKENDS["cvc5"])("no", "No", "no-such-package"))
    assert "cvc5 is not installed" in verify("--version").stdout.splitlines()


@pytest.mark.parametrize("arguments", [("--quiet", "bmc", CHAIN), ("bmc", CHAIN, "--quiet")])
def test_quiet_leaves_progress_and_notes_out(arguments: tuple[str, ...], tmp_path: Path) -> None:
    more = ("--depth", "3", "--trace-out", str(tmp_path / "t.json"))
    done = verify(*arguments, *more)
    assert done.stderr == ""
    assert done.stdout.splitlines()[1:2] == verify("bmc", CHAIN, *more).stdout.splitlines()[1:2]


def test_quiet_does_not_silence_errors() -> None:
    assert "--solver z4 is not allowed" in wrong("--quiet", "bmc", CHAIN, "--solver", "z4")


@pytest.mark.parametrize(
    "arguments", [("--log", "info", "bmc", CHAIN), ("--verbose", "bmc", CHAIN), ("bmc", CHAIN, "--verbose")]
)
def test_verbose_is_short_for_a_level(arguments: tuple[str, ...]) -> None:
    code = f"from verifier.cli.main import main; import sys; sys.argv[1:] = {list(arguments)!r}; main()"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert re.search(r"\d ms verifier\.\S+: ", done.stderr)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("bmc", "--sovler", "z3"), "; try verify bmc --help"),
        (("bmc", "kip320", "kip279"), "; try verify bmc --help"),
        (("bmc", "--depth"), "; try verify bmc --help"),
        (("replay",), "; try verify replay --help"),
        (("--quite", "list"), "; try verify --help"),
    ],
)
def test_a_wrong_command_line_says_where_to_look(arguments: tuple[str, ...], hint: str) -> None:
    assert wrong(*arguments).endswith(hint)


@pytest.mark.parametrize(
    "arguments",
    [("bmc", "--spec", "nothing.py"), ("bmc", CHAIN, "--set", "top=0"), ("bmc", CHAIN, "--depth", "x")],
)
def test_other_errors_say_themselves_what_is_allowed(arguments: tuple[str, ...]) -> None:
    assert "; try verify" not in wrong(*arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ("bmc", CHAIN, "--depth", "9" * 999),
        ("bmc", CHAIN, "--solver", "z" * 999),
        ("bmc", CHAIN, "--property", "P" * 999),
        ("bmc", CHAIN, "--set", "top=" + "x" * 999),
        ("bmc", CHAIN, "--set", "top " * 999),
        ("bmc", f"--{'x' * 999}"),
        ("bmc", CHAIN, "x" * 999),
        ("b" * 999,),
    ],
)
def test_long_values_are_cut_in_the_middle(arguments: tuple[str, ...]) -> None:
    said = wrong(*arguments)
    assert len(said) < 400
    assert "…" in said


@pytest.mark.parametrize(
    ("words", "word", "offered"),
    [
        ("", "ex", {"explore", "export"}),
        ("", "--ver", {"--version", "--verbose"}),
        ("help", "b", {"bmc"}),
        ("bmc", "--so", {"--solver"}),
        ("bmc", "kip320", {"kip320", "kip320-first-try"}),
        ("bmc --spec", "kip1", {"kip101"}),
        ("bmc --spec", "tests/support/to", {"tests/support/toys.py", "tests/support/toy_engine.py"}),
        ("bmc --spec", "docs/tut", {"docs/tutorial/"}),
        ("bmc --solver", "c", {"cadical", "cvc5"}),
        ("bmc --steps", "", {"auto", "parallel", "serial"}),
        ("bmc --format", "j", {"json"}),
        ("bmc --spec kip320 --property", "", {"all", "TypeOk", "WeakIsr", "StrongIsr", *UNASKED}),
        ("bmc kip320 --property", "S", {"StrongIsr"}),
        ("export --spec kip320 --format", "a", {"aiger"}),
        ("bmc --spec kip320 --set", "max", {"max_records=", "max_leader_epoch="}),
        (f"bmc --spec {TOYS}:Chain --property", "N", {"NeverTop", "NotAtStart"}),
        ("bmc --spec nothing.py --property", "", set()),
        ("bmc --property", "", set()),
    ],
)
def test_completion(words: str, word: str, offered: set[str]) -> None:
    assert set(completions(words, word)) == offered


def test_the_documented_shells_have_a_script() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    shells = re.findall(r"_VERIFY_COMPLETE=(\w+)_source verify", page)
    assert shells == ["bash", "zsh", "fish"]
    code = (
        "from click.shell_completion import get_completion_class as c; "
        f"assert all('_VERIFY_COMPLETE' in c(s).source_template % dict(complete_func='f', complete_var="
        f"'_VERIFY_COMPLETE', prog_name='verify') for s in {shells!r})"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_options_of_engines_stand_in_groups(engine: str) -> None:
    shown = verify(engine, "--help").stdout
    titles = re.findall(r"^(What to check|How|Limits|Output|Options):$", shown, re.M)
    assert titles == ["What to check", "How", "Limits", "Output"]
    known = [option.flag for option in list_declared(engine_named(engine).options).values()]
    for flag in [*known, "SPEC", "--set", "--format", "--expect", "--help"]:
        assert len(re.findall(rf"^  (?:-h, )?{flag}\b(?!-)", shown, re.M)) == 1, flag
    what, _, rest = shown.partition("\nHow:\n")
    assert "--property" in what
    assert "--timeout" in rest.partition("\nLimits:\n")[2].partition("\nOutput:\n")[0]


def test_each_flag_of_a_group_is_an_option_of_some_command() -> None:
    flags = {flag for flags in GROUPS.values() for flag in flags}
    shown = "".join(verify(name, "--help").stdout for name in cli.list_commands(None))  # type: ignore[arg-type]
    assert not [flag for flag in flags if f"{flag} " not in shown and f"{flag}\n" not in shown]


def test_a_former_name_of_an_option_is_accepted_and_not_shown() -> None:
    asked = ("explore", "rabbit-sac", "--set", "queues=1", "--set", "apps=1")
    former, current = (verify(*asked, flag, "2", "--format", "json") for flag in ("--max-depth", "--depth"))
    levels = [json.loads(one.stdout)["statistics"]["levels"] for one in (former, current)]
    assert levels[0] == levels[1]
    assert len(levels[0]) == 3
    assert "--max-depth" not in verify("explore", "--help").output


@pytest.mark.parametrize("name", ["bmc", "check", "explore", "prove", "show", "tests"])
def test_a_spec_has_one_name_in_the_help_and_the_former_one_is_accepted(name: str) -> None:
    shown = verify(name, "--help").stdout
    assert "--spec" not in shown
    assert re.search(r"^  SPEC +A built-in protocol", shown, re.MULTILINE)
    assert "no spec is named: give NAME, FILE.py or FILE.tla" in wrong(name)
    assert "did you mean 'kip320'" in wrong(name, "--spec", "kip32")


@pytest.mark.parametrize("name", ["bmc", "explore", "simulate", "show", "export"])
def test_only_commands_that_prove_show_lemmas(name: str) -> None:
    assert "--lemma NAME" not in verify(name, "--help").stdout
    assert "only prove and induct accept --lemma" in wrong(name, "kip320", "--lemma", "Committed")


def test_the_help_offers_a_protocols_lemmas_where_they_can_be_chosen() -> None:
    def read_help(name: str) -> str:
        rest = verify(name, "--help").stdout.partition("--lemma NAME")[2]
        return " ".join(rest.partition("How:")[0].split())

    assert read_help("check") == read_help("live") != ""
    assert read_help("induct") == read_help("prove")
    assert "Python protocols" not in read_help("check")
    assert "Python protocols" in read_help("prove")
    assert "only prove and induct accept --lemma" in wrong("live", "rabbit-sac", "--lemma", "NoSuch")
