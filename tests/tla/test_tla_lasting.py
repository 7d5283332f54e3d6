"""Temporal properties by the interpreter and by the translation, beside TLC's verdicts.

``results/tla-lasting.json`` has what TLC said of each, asked by ``results/generators/tla_lasting.py``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify
from tests.support.lasting_modules import MODULES, TABLE, rows

_TLC = json.loads(TABLE.read_text())
_SAYS = {"PROVED": "holds", "HOLDS": "holds", "VIOLATED": "violated"}


def _ask_table(name: str, fairness: str) -> dict[str, str]:
    """TLC's verdicts on the properties of a module under fairness."""
    own = [row for row in _TLC if (row["module"], row["fairness"]) == (name, fairness)]
    return {row["property"]: row["tlc"] for row in own}


def _cases(*, translated: bool) -> list[tuple[str, str]]:
    return [(n, f) for n, one in MODULES.items() for f in one.fairness if one.translated or not translated]


def _live(folder: Path, name: str, fairness: str, *words: str) -> dict[str, Any]:
    small = MODULES[name]
    (folder / "M.tla").write_text(small.text())
    (folder / "M.cfg").write_text(f"SPECIFICATION Spec{fairness}\nCHECK_DEADLOCK FALSE\n{small.config}")
    asked = [word for claim in small.properties for word in ("--property", claim)]
    result = verify("live", str(folder / "M.tla"), *asked, *words, "--format", "json")
    assert result.exit_code in (0, 10), result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def _verdicts(run: dict[str, Any]) -> dict[str, str]:
    return {one["property"]: _SAYS[one["verdict"]] for one in run["results"]}


def test_tlc_was_asked_everything() -> None:
    assert [(row["module"], row["fairness"], row["property"]) for row in _TLC] == list(rows())
    assert {row["tlc"] for row in _TLC} == {"holds", "violated"}
    assert len(_TLC) >= 100


@pytest.mark.parametrize(("name", "fairness"), _cases(translated=False))
def test_the_interpreter_says_what_tlc_says(tmp_path: Path, name: str, fairness: str) -> None:
    run = _live(tmp_path, name, fairness, "--by", "interpreter")
    assert _verdicts(run) == _ask_table(name, fairness)
    assert run["statistics"]["semantics"] == "interpreter"
    for one in run["results"]:  # each violation is one that was judged
        assert (one["trace"] is not None) is (one["verdict"] == "VIOLATED")


@pytest.mark.parametrize(("name", "fairness"), _cases(translated=True))
def test_the_translation_says_what_tlc_says(tmp_path: Path, name: str, fairness: str) -> None:
    run = _live(tmp_path, name, fairness, "--by", "translation", "--engine", "explicit")
    assert _verdicts(run) == _ask_table(name, fairness)
    assert run["statistics"]["semantics"] == "translation"
