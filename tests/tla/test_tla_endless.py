"""Advice about modules whose states have no end, and explorations that go on when all is decided."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import write_module
from verifier.engines.proofs import Progress
from verifier.text.live import LiveText

_COUNTER = """EXTENDS Naturals
VARIABLES n, on
Init == n = 0 /\\ on = FALSE
Up == n' = n + 1 /\\ on' = ~on
Next == Up
Spec == Init /\\ [][Next]_<<n, on>> /\\ WF_<<n, on>>(Next)
Small == n < 0
Later == [](n = 3 => <>on)"""


def _write_counter(folder: Path) -> str:
    module = write_module(folder, _COUNTER)
    (folder / "M.cfg").write_text("SPECIFICATION Spec\nPROPERTY Later")
    return str(module)


def test_live_names_the_variable_without_a_bound(tmp_path: Path) -> None:
    done = verify("live", _write_counter(tmp_path), "--timeout", "2s")
    said = " ".join(done.stdout.split())
    assert done.exit_code == 12, done.output
    assert "; n seems unbounded" in said
    assert "since n seems unbounded. Bound it in the module (docs/tla.md, " in said
    assert said.count("A greater --timeout") == 0
    command = said.partition("20 states, run: ")[2]
    assert command.startswith("verify live ")
    assert "--property Later --engine bmc --depth 20" in command


def test_check_advises_a_bound_for_temporal_properties(tmp_path: Path) -> None:
    module = _write_counter(tmp_path)
    (tmp_path / "M.cfg").write_text("SPECIFICATION Spec\nPROPERTY Later\nINVARIANT Natural")
    Path(module).write_text(Path(module).read_text().replace("Small ==", "Natural == n >= 0\nSmall =="))
    done = verify("check", module, "--timeout", "6s")
    said = " ".join(done.stdout.split())
    assert done.exit_code == 12, done.output
    assert re.search(r"Later INCONCLUSIVE [0-9.]+ timeout of 6 s[^;]*; n seems unbounded", said)
    assert "Later may stay open, whatever the time, since n seems unbounded." in said
    assert "Later is open. To continue" not in said


def test_the_progress_of_live_counts_states_as_its_verdict() -> None:
    """One action of the model starts the loop. It is none of the spec's."""
    text = LiveText()
    assert [*text.hear(Progress("bmc", "Later", 10.3, depth=10))] == []
    assert text.now() == "bmc: no lasso of at most 9 states (10.3 s)"


def test_coverage_goes_on_when_all_is_decided(tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x < 40 /\\ x' = x + 1\nLow == x < 3"
    module = str(write_module(tmp_path, body))
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Low\nCHECK_DEADLOCK FALSE")
    made = json.loads(verify("check", module, "--coverage", "--format", "json").stdout)
    assert made["statistics"]["distinct_states"] == 41
    assert made["statistics"]["waiting_states"] == 0
    counts = {one["formula"]: one["evaluated"] for one in made["statistics"]["coverage"]}
    assert counts["x < 40"] == 41
    printed = verify("check", module, "--coverage").stdout
    assert "Exploration ended" not in printed
    assert "Formulas were counted" not in printed


@pytest.mark.parametrize("words", [("live",), ("bmc", "--depth", "2")])
def test_a_translated_property_keeps_the_comment_above_it(words: tuple[str, ...], tmp_path: Path) -> None:
    text = _COUNTER.replace("Later ==", "\\* It counts.\nEven == n >= 0\n\\* It goes on.\nLater ==")
    module = write_module(tmp_path, text.replace("n + 1", "1 - n"))
    (tmp_path / "M.cfg").write_text("SPECIFICATION Spec\nINVARIANT Even\nPROPERTY Later")
    asked = json.loads(verify(*words, str(module), "--by", "translation", "--format", "json").stdout)["asked"]
    told = {name: one["description"] for name, one in asked.items()}
    comments = {"Later": "It goes on."} if words[0] == "live" else {"Even": "It counts."}
    assert told.items() >= comments.items()


def test_prove_does_not_advise_more_time_where_a_variable_grows(tmp_path: Path) -> None:
    """No time suffices. With constants, they may bound the variable."""
    body = "VARIABLES n, sum\nInit == n = 0 /\\ sum = 0\nNever == sum # 5\n"
    body += "Next == n' = n + 1 /\\ sum' = sum + n"
    module = write_module(tmp_path, f"EXTENDS Naturals\n{body}")
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Never")
    words = ("prove", str(module), "--engine", "kind", "--timeout", "3s")
    said = " ".join(verify(*words).stdout.split())
    assert "; n and sum seem unbounded" in said
    assert "greater --timeout" not in said
    module.write_text(module.read_text().replace("VARIABLES", "CONSTANT C\nVARIABLES"))
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Never\nCONSTANT C = 3")
    said = " ".join(verify(*words).stdout.split())
    assert "If constants bound n and sum, a greater --timeout or smaller constants (--set) may" in said
