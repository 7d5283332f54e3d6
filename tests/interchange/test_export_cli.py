"""``verify export`` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import CHAIN, LOCK, TOYS, verify, wrong

FORMATS = ("smt2", "vmt", "btor2", "aiger")
SUFFIXES = {"smt2": "smt2", "vmt": "vmt", "btor2": "btor2", "aiger": "aag"}


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_is_what_standard_output_gets(form: str, tmp_path: Path) -> None:
    out = tmp_path / f"chain.{SUFFIXES[form]}"
    asked = ("export", "--spec", CHAIN, "--property", "NeverTop", "--format", form)
    printed, written = verify(*asked), verify(*asked, "--out", str(out))
    assert printed.exit_code == written.exit_code == 0
    assert written.stdout == ""
    assert out.read_text(encoding="utf-8") == printed.stdout
    assert "chain with top=2: NeverTop" in written.stderr
    for part in ("chain with top=2 (spec hash", "NeverTop (invariant) violated", "x: 0=00 1=10 2=11"):
        assert part in printed.stdout


def test_aiger_is_binary_unless_the_name_says_otherwise(tmp_path: Path) -> None:
    for name, start in (("c.aig", b"aig "), ("c.aag", b"aag "), ("c", b"aig ")):
        out = tmp_path / name
        assert verify("export", CHAIN, "--format", "aiger", "--out", str(out)).exit_code == 0
        assert out.read_bytes().startswith(start)


@pytest.mark.parametrize("form", FORMATS)
def test_the_map_names_bits_values_actions_and_properties(form: str, tmp_path: Path) -> None:
    path = tmp_path / "map.json"
    assert verify("export", LOCK, "--format", form, "--map", str(path)).exit_code == 0
    names = json.loads(path.read_text(encoding="utf-8"))
    assert names["format"] == form
    assert names["constants"] == {"clients": 3}
    default = ["HolderWaitsNoMore", "NotAllAsk", "TypeInvariant"]
    assert [prop["property"] for prop in names["properties"]] == default
    holder = next(field for field in names["state"] if field["variable"] == "holder")
    assert len(holder["bits"]) == 4
    assert holder["values"] == {"–": "1000", "c1": "0100", "c2": "0010", "c3": "0001"}
    grant = next(entry for entry in names["instances"] if entry["instance"] == "Grant(c2)")
    assert (grant["action"], grant["parameters"]) == ("Grant", {"client": "c2"})
    assert grant["taken"]


def test_a_bad_state_of_a_reachable_property_is_one_that_is_reached(tmp_path: Path) -> None:
    path = tmp_path / "map.json"
    corridor = f"{TOYS}:Corridor"
    asked = ("--property", "AtFour", "--property", "NeverOdd", "--map", str(path))
    done = verify("export", corridor, "--format", "btor2", *asked)
    assert "; Bad: AtFour (reachable) reached; NeverOdd (invariant) violated\n" in done.stdout
    properties = json.loads(path.read_text(encoding="utf-8"))["properties"]
    assert [prop["bad"] for prop in properties] == ["reached", "violated"]


def test_freedom_from_deadlock_is_a_property_too() -> None:
    done = verify("export", CHAIN, "--property", "StuckOnlyAtTop", "--deadlock", "--format", "aiger")
    assert done.exit_code == 0
    assert "\no0 StuckOnlyAtTop\no1 NoDeadlock\n" in done.stdout


def test_all_properties_of_a_protocol_can_be_asked_for() -> None:
    done = verify("export", f"{TOYS}:Corridor", "--property", "all", "--format", "vmt")
    assert [f":invar-property {index}" in done.stdout for index in range(7)] == [True] * 6 + [False]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((CHAIN,), "no format is named: give --format NAME (smt2, vmt, btor2, aiger)"),
        ((CHAIN, "--format", "aig"), "--format aig is not allowed: it takes smt2, vmt, btor2 or aiger; did"),
        ((CHAIN, "--format", "vmt", "--property", "NeverTpo"), "did you mean 'NeverTop'?"),
        ((CHAIN, "--format", "vmt", "--set", "top=0"), "top"),
        (("--format", "vmt"), "no spec is named"),
        ((CHAIN, "--format", "vmt", "--out", "no/such/folder/x"), "--out no/such/folder/x cannot be written"),
        ((CHAIN, "--format", "vmt", "--map", "no/such/folder/x"), "--map no/such/folder/x cannot be written"),
        ((CHAIN, "--format", "vmt", "--map", "x", "--out", "./x"), "--map x and --out x are one file"),
    ],
)
def test_wrong_input_is_said_in_one_line(
    arguments: tuple[str, ...], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert words in wrong("export", *arguments)
    assert list(tmp_path.iterdir()) == []
