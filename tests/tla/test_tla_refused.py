"""Text that is refused when it is read or compiled, each time that it is asked about."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from tests.support.command_line import wrong
from tests.support.tla_modules import write_module
from verifier.tla.primitives import union
from verifier.tla.value_types import ModelValue, NoValue
from verifier.tla.values import has_key, is_subset, set_of


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


DOUBLE = """EXTENDS Naturals
VARIABLE x
Op(a) == a'
Op2 == x' + 1
Init == x = 0
"""


@pytest.mark.parametrize(
    ("action", "place"),
    [
        ("x' = Op2'", "7:17"),
        ("x' = 0 /\\ Op2' > 0", "7:22"),
        ("x' = 0 /\\ (x = 0 => x'' = 1)", "7:31"),
        ("\\E k \\in 1..2 : x' = 0 /\\ x'' = 1", "7:37"),
    ],
)
@pytest.mark.parametrize("command", ["explore", "simulate"])
def test_a_prime_below_a_prime_is_refused(command: str, action: str, place: str, folder: Path) -> None:
    write_module(folder, f"{DOUBLE}Next == {action}\n")
    Path("M.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    assert f"M.tla:{place}: a prime stands below another one" in wrong(command, "M.tla")


@pytest.mark.parametrize("command", ["explore", "simulate"])
def test_what_an_operator_primes_cannot_be_primed(command: str, folder: Path) -> None:
    write_module(folder, f"{DOUBLE}Next == x' = 1 /\\ Op(x') > 0\n")
    Path("M.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    words = "M.tla:7:23: Op, for a, takes at most what is about one state, and this is about two states"
    assert words in wrong(command, "M.tla")


def test_at_outside_of_except_is_refused(folder: Path) -> None:
    write_module(
        folder, "VARIABLE x\nInit == x = 0\nNext == x' = [[k \\in {1} |-> 1] EXCEPT ![1] = @][1] + @\n"
    )
    Path("M.cfg").write_text("INIT Init\nNEXT Next\n")
    assert wrong("explore", "M.tla").endswith("M.tla:4:55: @ has a meaning only in what EXCEPT assigns")


def test_an_escape_that_strings_do_not_have_is_refused(folder: Path) -> None:
    write_module(folder, 'VARIABLE x\nInit == x = "a\\\\\\"\\t"\nNext == x\' = "\\q"\n')
    Path("M.cfg").write_text("INIT Init\nNEXT Next\n")
    assert wrong("explore", "M.tla").endswith("M.tla:4:14: \\q is nothing in a string: for \\ say \\\\")


def test_the_value_of_an_option_is_no_configuration(folder: Path) -> None:
    write_module(folder, "CONSTANT Node\nVARIABLE x\nInit == x = 0\nNext == x' = x\n")
    Path("M.cfg").write_text("INIT Init\nNEXT Next\nCONSTANT Node = {n1}\n")
    said = wrong("explore", "M.tla", "--set", "Node={n1, n2")
    assert said.endswith("constant Node={n1, n2: the value ends too early: a comma or } is expected")


def test_a_configuration_is_no_specification(folder: Path) -> None:
    assert "as in M.tla --config M.cfg" in wrong("explore", "M.cfg")


def test_unions_of_several_kinds_are_refused_in_any_order() -> None:
    """The first member of a set changes from run to run, and with the members."""
    for number in range(20):
        model = ModelValue(f"m{number}")
        for pair in permutations((frozenset((number, model)), frozenset(("a", model)))):
            with pytest.raises(NoValue, match="different kinds"):
                union(*pair)
            with pytest.raises(NoValue, match="different kinds"):
                is_subset(*(each - {model} for each in pair))
        with pytest.raises(NoValue, match="different kinds"):
            set_of((number, model, "a"))
        with pytest.raises(NoValue, match="different kinds"):
            has_key("a", {model: 1, number: 2})
