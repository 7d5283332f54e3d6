"""Modules with VIEW and SYMMETRY: counts are TLC's, by all means of exploration; no command claims more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify

CLOCKS = r"""---- MODULE Clocks ----
EXTENDS Naturals, FiniteSets, TLC
CONSTANT P
VARIABLES at, n
Init == at = [p \in P |-> 0] /\ n = 0
Next == \E p \in P : /\ at' = [at EXCEPT ![p] = (@ + 1) % 6]
                     /\ n' = IF n < 3 THEN n + 1 ELSE 0
View == <<at>>
Same == Permutations(P)
====
"""
COUNTS = {"": (1297, 432), "VIEW View": (649, 216), "SYMMETRY Same": (337, 112)}
COUNTS["VIEW View\nSYMMETRY Same"] = (169, 56)
"""TLC's counts: states generated, distinct states."""
HIDING = r"""---- MODULE Hiding ----
EXTENDS Naturals
VARIABLES x, n
Next == x' = (x + 1) % 4 /\ n' = IF n < 9 THEN n + 1 ELSE 0
View == <<x>>
Small == n < 6
Live == []<>(x = 0)
Spec == x = 0 /\ n = 0 /\ [][Next]_<<x, n>> /\ WF_<<x, n>>(Next)
====
"""
"""The view hides a violation of Small: of TLC, too, which finds four states and no error."""


def _write(folder: Path, text: str, config: str) -> Path:
    path = folder / f"{text.split()[2]}.tla"
    path.write_text(text)
    path.with_suffix(".cfg").write_text(config)
    return path


@pytest.mark.parametrize("means", ["", "--workers 2", "--memory 6GiB", "--by translation --workers 2"])
@pytest.mark.parametrize("config", COUNTS)
def test_the_counts_are_the_same_by_all_means(config: str, means: str, tmp_path: Path) -> None:
    asked = f"INIT Init\nNEXT Next\nCONSTANT P = {{a, b, c}}\nCHECK_DEADLOCK FALSE\n{config}\n"
    path = _write(tmp_path, CLOCKS, asked)
    done = verify("explore", str(path), *means.split(), "--format", "json")
    if "VIEW" in config and "translation" in means:
        assert (done.exit_code, "a VIEW is not translated" in done.stderr) == (2, True)
        return
    figures = json.loads(done.stdout)["statistics"]
    assert (figures["generated_states"], figures["distinct_states"]) == COUNTS[config]
    assert figures["complete"]


@pytest.mark.parametrize("config", COUNTS)
def test_a_search_in_a_folder_counts_the_same(config: str, tmp_path: Path) -> None:
    asked = f"INIT Init\nNEXT Next\nCONSTANT P = {{a, b, c}}\nCHECK_DEADLOCK FALSE\n{config}\n"
    path = _write(tmp_path, CLOCKS, asked)
    for means in (["--depth", "2"], ["--resume"]):
        done = verify("explore", str(path), "--work", str(tmp_path / "work"), *means, "--format", "json")
    figures = json.loads(done.stdout)["statistics"]
    assert (figures["generated_states"], figures["distinct_states"]) == COUNTS[config]
    assert figures["complete"]


ASKED = "SPECIFICATION Spec\nINVARIANT Small\nPROPERTY Live\nVIEW View\n"
UP_TO = "complete up to the VIEW: one state of each of its values was checked"


def _rows(tmp_path: Path, command: str) -> tuple[int, dict[str, Any]]:
    path = _write(tmp_path, HIDING, ASKED)
    done = verify(*command.split(), str(path), "--format", "json")
    return done.exit_code, {row["property"]: row for row in json.loads(done.stdout)["results"]}


@pytest.mark.parametrize("command", ["explore", "check"])
def test_exploration_by_a_view_proves_nothing(command: str, tmp_path: Path) -> None:
    _, rows = _rows(tmp_path, command)
    for name in ("Small", "NoDeadlock"):
        assert (rows[name]["verdict"], rows[name]["reason"]) == ("HOLDS", UP_TO)
    assert rows["Live"]["verdict"] == ("PROVED" if command == "check" else "INCONCLUSIVE")


@pytest.mark.parametrize("command", ["bmc --depth 8", "prove", "simulate --seed 1", "check --no-explore"])
def test_other_engines_tell_hidden_states_apart(command: str, tmp_path: Path) -> None:
    code, rows = _rows(tmp_path, command)
    assert (code, rows["Small"]["verdict"], rows["Small"]["steps"]) == (10, "VIOLATED", 6)


def test_the_text_does_not_say_that_every_state_was_checked(tmp_path: Path) -> None:
    done = verify("explore", str(_write(tmp_path, HIDING, ASKED)))
    assert "Complete up to the VIEW: of states with equal views, only one was checked." in done.stdout
    assert "every reachable state was checked" not in done.stdout
    page = tmp_path / "page.html"
    verify("explore", str(tmp_path / "Hiding.tla"), "--html", str(page))
    assert "HOLDS, complete up to the VIEW: 4 states" in page.read_text()


GROWING = r"""---- MODULE Growing ----
EXTENDS Naturals
CONSTANT Most
VARIABLES x, n, m
Next == /\ x' = (x + 1) % 4
        /\ \/ n < Most /\ n' = n + 1 /\ m' = m
           \/ m < Most /\ m' = m + 1 /\ n' = n
           \/ n = Most /\ m = Most /\ n' = n /\ m' = m
View == <<x>>
Live == []<>(x = 0)
Spec == x = 0 /\ n = 0 /\ m = 0 /\ [][Next]_<<x, n, m>> /\ WF_<<x, n, m>>(Next)
====
"""
"""Two counters that the view hides. TLC judges the loop of its four values."""


@pytest.mark.parametrize(("most", "verdict"), [("40", "PROVED"), ("1000000", "INCONCLUSIVE")])
def test_a_loop_is_not_sought_among_states_without_end_that_a_view_hides(
    most: str, verdict: str, tmp_path: Path
) -> None:
    config = f"SPECIFICATION Spec\nCONSTANT Most = {most}\nVIEW View\nPROPERTY Live\nCHECK_DEADLOCK FALSE\n"
    path = _write(tmp_path, GROWING, config)
    done = verify("check", str(path), "--timeout", "60s", "--format", "json")
    (result,) = json.loads(done.stdout)["results"]
    assert result["verdict"] == verdict
    if verdict == "INCONCLUSIVE":
        assert "seem unbounded" in result["reason"]
        assert "a loop of the VIEW, as TLC finds, need not be an execution" in result["reason"]
        assert json.loads(done.stdout)["seconds"] < 30


def test_the_next_command_explores_on_beyond_hidden_growth(tmp_path: Path) -> None:
    config = "SPECIFICATION Spec\nCONSTANT Most = 1000000\nVIEW View\nPROPERTY Live\nCHECK_DEADLOCK FALSE\n"
    done = verify("check", str(_write(tmp_path, GROWING, config)), "--timeout", "60s")
    assert "--property Live --max-states 1000000" in " ".join(done.stdout.split())
