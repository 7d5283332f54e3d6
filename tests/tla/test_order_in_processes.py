"""Every process gives model values the same order, wherever their names are written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.command_line import run_with_hash_seed
from verifier.errors import UsageError
from verifier.runs.modules.loading import load
from verifier.tla.config import parse_config, parse_value
from verifier.tla.constants import Constants
from verifier.tla.loading import read_module
from verifier.tla.order import Order
from verifier.tla.value_types import Fn, ModelValue

MODULE = r"""---- MODULE Marks ----
EXTENDS TLC
CONSTANTS Nodes, Tags, None
VARIABLES holder, seen
Init == holder \in Nodes /\ seen = {}
Pass == \E n \in Nodes : /\ n \notin seen
                         /\ holder' = n
                         /\ seen' = seen \cup {n}
Forget == seen = Nodes /\ seen' = {} /\ UNCHANGED holder
Next == Pass \/ Forget
Known == holder \in Nodes /\ seen \subseteq Nodes
Chosen == holder = (CHOOSE n \in Nodes : TRUE) => Tags # {}
Few == seen # Nodes
===="""
CONFIG = """CONSTANTS Nodes = {n1, n2}
Tags = {t1}
None = None
INIT Init
NEXT Next
INVARIANTS Known Chosen Few
"""
GIVEN = ("--set", "Nodes={zeta, beta, alpha, gamma}", "--set", "Tags={omega, beta, None}")


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """The module with its configuration."""
    path = tmp_path / "Marks.tla"
    path.write_text(MODULE)
    path.with_suffix(".cfg").write_text(CONFIG)
    return path


def test_each_process_shows_values_in_the_order_of_the_text(module: Path) -> None:
    shown = {run_with_hash_seed(seed, "show", str(module), *GIVEN).stdout for seed in ("0", "1", "2")}
    assert len(shown) == 1
    text = shown.pop()
    assert "Nodes = {zeta, beta, alpha, gamma}" in text
    assert "Tags = {beta, omega, None}" in text


def test_what_one_process_finds_another_checks(module: Path, tmp_path: Path) -> None:
    trace, certificate = str(tmp_path / "trace.itf.json"), str(tmp_path / "certificate.json")
    asked = ("--property", "Few", "--by", "translation", "--trace-out", trace)
    assert run_with_hash_seed("1", "bmc", str(module), *GIVEN, "--depth", "4", *asked).returncode == 10
    proof = ("--property", "Known", "--certificate", certificate)
    assert run_with_hash_seed("2", "prove", str(module), *GIVEN, *proof).returncode == 0
    for seed in ("3",):
        done = run_with_hash_seed(seed, "replay", trace, "--spec", str(module))
        assert (done.returncode, done.stderr) == (0, "")
        assert run_with_hash_seed(seed, "certify", certificate, "--spec", str(module)).returncode == 0


def test_each_process_explores_in_the_same_order(module: Path) -> None:
    found = []
    for seed in ("1", "2", "3"):
        done = run_with_hash_seed(seed, "explore", str(module), *GIVEN, "--format", "json")
        content = json.loads(done.stdout)
        found.append([content["constants"], [one["trace"] for one in content["results"]]])
    assert found[0] == found[1] == found[2]


def test_values_of_set_stand_where_the_configuration_has_its_own(module: Path) -> None:
    read = read_module(module)[0]
    config = parse_config(CONFIG, "Marks.cfg")
    settings = {
        name: replace(parse_value(text, name), name=name)
        for name, text in {"Tags": "{x, n2}", "Nodes": '{"y", x}'}.items()
    }
    assert Constants(read, config, settings).words == ("y", "x", "x", "n2", "None")
    assert Constants(read, config, {}).words == ("n1", "n2", "t1", "None")
    bare = parse_config("INIT Init\nNEXT Next\nCONSTANT None = None", "Marks.cfg")
    assert Constants(read, bare, settings).words == ("None", "y", "x", "x", "n2")


def test_the_values_of_the_configuration_and_of_set_have_one_order(module: Path) -> None:
    given = load(str(module), {"Nodes": "{c, b, a}", "Tags": "{a, d, c}"}).definition.constants
    module.with_suffix(".cfg").write_text(
        CONFIG.replace("{n1, n2}", "{c, b, a}").replace("{t1}", "{a, d, c}")
    )
    assert load(str(module), {}).definition.constants == given
    assert given == {"Nodes": "{c, b, a}", "Tags": "{c, a, d}"}
    with pytest.raises(UsageError, match="Nodez"):
        load(str(module), {"Nodez": "{c}"})


def test_words_of_no_text_are_ordered_by_their_letters() -> None:
    """The moment of the first comparison, which hashes decide, does not matter."""
    for names in (["p", "m", "q"], ["q", "p", "m"]):
        order = Order(["b", "a"])
        values = [ModelValue(name) for name in [*names, "a", "b"]]
        assert [one.name for one in order.sort(values)] == ["b", "a", "m", "p", "q"]
        assert order.sort(names) == ["m", "p", "q"]
        assert [order.compare(one, other) for one, other in (("q", "p"), ("b", "p"), ("p", "p"))] == [
            1,
            -1,
            0,
        ]
        rows = [(name, name) for name in names] + [("a", "a")]
        assert order.sort(rows) == [("a", "a"), ("m", "m"), ("p", "p"), ("q", "q")]
        mixed = [Fn({name: 1}) for name in [*names, "a"]]
        assert [next(iter(one)) for one in order.sort(mixed)] == ["a", "m", "p", "q"]
        order.meet("m")  # a file has it after it was compared: sorted lists are kept
        order.meet("z")
        assert order.sort(["p", "m", "z", "y"]) == ["z", "m", "p", "y"]
