"""Difficulties of users with their own TLA+ modules, through the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.command_line import verify, wrong
from tests.support.tla_modules import write_module

BODY = """EXTENDS Naturals
CONSTANT Top
VARIABLE x
Init == x = [term |-> 0, sort |-> "a", updated |-> FALSE, last_ |-> 0]
Next == x.term < Top /\\ x' = [x EXCEPT !.term = @ + 1, !.last_ = x.term]
Spec == Init /\\ [][Next]_x
StrongIsr == x.term >= x.last_
Low == x.term < 2
Often == []<>(x.term = 0)
"""
CONFIG = "SPECIFICATION Spec\nCONSTANT Top = 2\nINVARIANT StrongIsr\nCHECK_DEADLOCK FALSE\n"


@pytest.fixture
def module(tmp_path: Path) -> Path:
    (tmp_path / "Kip320.cfg").write_text(CONFIG)
    return write_module(tmp_path, BODY, "Kip320")


def test_fields_have_the_names_of_the_module(module: Path) -> None:
    asked = (str(module), "--property", "Low", "--depth", "3", "--steps", "serial")
    done = verify("bmc", *asked)
    assert (done.exit_code, "term" in done.stdout, "last_" in done.stdout) == (10, True, True)
    shown = verify("show", str(module)).stdout
    assert "Record(term: 0..2, sort: Listed(a), updated: BOOLEAN, last_: 0..1)" in " ".join(shown.split())
    page = module.with_suffix(".html")
    found = verify("bmc", *asked, "--format", "json", "--html", str(page)).stdout
    for text in (done.stdout, shown, found, page.read_text()):
        assert not any(name in text for name in ("term_", "sort_", "updated_", "last__"))
    assert json.loads(found)["results"][0]["trace"]["states"][2]["x"]["term"] == 2


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("--spec", "Kip32.tla"), "Kip32.tla: the module cannot be read: .*; did you mean .*Kip320.tla"),
        (("--spec", "Kip32"), "unknown spec .*did you mean 'kip320' or Kip320.tla"),
        (("--spec", "Kip320.tla", "--config", "Kip320.cgf"), "cannot be read: .*did you mean .*Kip320.cfg"),
        (("--spec", "Kip320.tla", "--property", "StrongIsrr"), "did you mean 'StrongIsr'"),
        (("--spec", "Kip320.tla", "--lemma", "StrongIr"), "unknown lemma .*did you mean 'StrongIsr'"),
        (("--spec", "Kip320.tla", "--set", "Topp=3"), "unknown constant .*did you mean 'Top'"),
    ],
)
def test_a_misspelt_name_gets_the_nearest(
    words: tuple[str, ...], meant: str, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(module.parent)
    line = wrong("prove", *words)
    assert re.search(meant, line), line


def test_a_word_that_names_a_file_beside_means_it(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(module.parent)
    assert wrong("bmc", "--spec", "Kip320").endswith("did you mean Kip320.tla?")
    assert "did you mean 'kip320' or Kip320.tla?" in wrong("bmc", "--spec", "kip32")
    module.with_suffix(".cfg").rename("Kip32.cfg")
    line = wrong("bmc", "Kip320.tla")
    assert "no configuration Kip320.cfg: write it, or name another with --config FILE" in line
    assert line.endswith("did you mean Kip32.cfg?")
    module.rename("Elsewhere.tla")
    assert "did you mean 'kip320'?; a protocol of your own" in wrong("bmc", "--spec", "Kip320")


@pytest.mark.parametrize("engine", ["explore", "bmc", "prove"])
def test_what_only_live_decides_is_said_with_the_command(engine: str, module: Path) -> None:
    config = module.with_name("Live.cfg")
    config.write_text(f"{CONFIG}PROPERTY Often\n")
    done = verify(engine, str(module), "--config", str(config))
    words = " ".join(done.stdout.split())
    assert done.exit_code == 12
    assert f"verify live {module} --config {config} --property Often" in words
    assert "To avoid exit code 12, name the other properties with --property" in words
    assert verify(engine, str(module), "--config", str(config), "--property", "StrongIsr").exit_code == 0
    config.write_text(f"{CONFIG.replace('INVARIANT StrongIsr', '')}PROPERTY Often\n")
    alone = verify(engine, str(module), "--config", str(config))
    assert (alone.exit_code, "To avoid exit code" in alone.stdout) == (12, False)
    done = verify("live", str(module), "--config", str(config), "--property", "Often")
    assert done.exit_code == 10


@pytest.mark.thorough
def test_bounded_sequences_that_the_state_decides(tmp_path: Path) -> None:
    path = write_module(
        tmp_path,
        """EXTENDS Integers, SequencesExt
CONSTANT V
VARIABLE log
Init == log = <<>>
Next == \\/ \\E s \\in BoundedSeq(V, 3 - Len(log)) : log' = log \\o s
        \\/ Len(log) = 3 /\\ log' = <<>>
Short == Len(log) <= 3
In == log \\in BoundedSeq(V, Len(log))
Out == log \\in BoundedSeq(V, Len(log) - 1)
""",
    )
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nCONSTANT V = {1, 2}\nINVARIANTS Short In\n")
    counts = {}
    for engine, more in (("explore", ()), ("prove", ("--no-explore",)), ("bmc", ("--steps", "serial"))):
        done = verify(engine, str(path), *more, "--format", "json")
        assert done.exit_code == 0, done.output
        counts[engine] = json.loads(done.stdout)
    assert counts["explore"]["statistics"]["distinct_states"] == 15
    done = json.loads(
        verify("bmc", str(path), "--property", "Out", "--steps", "serial", "--format", "json").stdout
    )
    assert (done["results"][0]["verdict"], done["results"][0]["steps"]) == ("VIOLATED", 0)


def test_an_action_without_effect_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "forgetful.py"
    path.write_text(
        """from verifier import Protocol, Range, State, Step, action, invariant


class Forgetful(Protocol, camel_case=True):
    \"\"\"Somebody forgot an assignment.\"\"\"

    def state(self):
        return State(count=Range(0, 2), limit=Range(0, 2))

    def init(self, s):
        return (s.count == 0) & (s.limit == 2)

    @action()
    def count_up(self, s):
        return Step(when=[s.count < s.limit], then={s.count: s.count + 1})

    @action()
    def forget(self, s):
        return Step(when=[s.count == s.limit])

    @invariant()
    def within(self, s):
        return s.count <= s.limit
"""
    )
    done = verify("show", str(path))
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    (forget,) = (line for line in lines if line.startswith("  Forget("))
    (count_up,) = (line for line in lines if line.startswith("  CountUp("))
    (limit,) = (line for line in lines if line.startswith("  limit "))
    (count,) = (line for line in lines if line.startswith("  count "))
    assert "changes nothing" in forget
    assert "changes nothing" not in count_up
    assert "never changes" in limit
    assert "never changes" not in count
    actions = json.loads(verify("show", str(path), "--format", "json").stdout)["actions"]
    assert [action["changes"] for action in actions] == [True, False]


def test_what_is_set_and_printed_while_sorts_are_guessed_is_forgotten(tmp_path: Path) -> None:
    """A register that counted the same steps twice made an invariant false that TLC finds true."""
    body = """EXTENDS Naturals, TLC, TLCExt
VARIABLE x
ASSUME PrintT("once")
Init == x = 0
Next == x < 3 /\\ x' = x + 1 /\\ PrintT(x) /\\ TLCSet(1, TLCGetOrDefault(1, 0) + 1)
Inv == x > 1 => TLCGet(1) < 4
"""
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\nCHECK_DEADLOCK FALSE\n")
    done = verify("explore", str(write_module(tmp_path, body)), "--format", "json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["statistics"]["printed"] == ['"once"', "0", "1", "2"]


@pytest.mark.thorough
def test_who_has_chosen_no_sorts_is_not_asked_for_smaller_ones(tmp_path: Path) -> None:
    body = """EXTENDS Naturals
VARIABLE s
Init == s = {}
Next == s' \\in {{[a |-> n, b |-> 1]} : n \\in 1..1000}
TypeOK == s \\in SUBSET [a : 1..4000, b : 1..4000]
Grown == s = {}
"""
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT TypeOK Grown\nCHECK_DEADLOCK FALSE\n")
    module = str(write_module(tmp_path, body))
    said = wrong("bmc", module, "--steps", "serial")
    assert said.endswith("taken for a mistake: verify explore looks at every state by the interpreter")
    assert verify("explore", module).exit_code == 10
