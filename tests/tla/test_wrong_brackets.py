"""A bracket without a counterpart is named with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import wrong
from tests.support.tla_modules import write_module

_BEGIN = "EXTENDS Integers\nVARIABLE x\n"
_END = "\nNext == x' = x\nInv == x >= 0"

TEXTS = {
    "a function": ("Init == x = [[p \\in {1} |-> 1]", "4:13: syntax error: this [ is not closed"),
    "a sum": ("Init == x = (1 + 2", "4:13: syntax error: this ( is not closed"),
    "a set in a tuple": ("Init == x = <<{1>>", "4:15: syntax error: this { is not closed"),
    "a tuple in a set": ("Init == x = {<<1}", "4:14: syntax error: this << is not closed"),
    "too many": ("Init == x = (1))", "4:16: syntax error: this ) closes no bracket"),
    "behind brackets in a string and a comment": (
        'Init == /\\ x = 0 \\* [\n        /\\ "(" = "[" (* { *)\n        /\\ x \\in {0',
        "6:18: syntax error: this { is not closed",
    ),
}


@pytest.mark.parametrize("case", TEXTS)
def test_a_wrong_bracket_is_named(tmp_path: Path, case: str) -> None:
    text, message = TEXTS[case]
    module = write_module(tmp_path, _BEGIN + text + _END)
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv")
    assert f"M.tla:{message}" in wrong("check", str(module)), case


def test_text_around_a_module_has_no_brackets(tmp_path: Path) -> None:
    module = write_module(tmp_path, f"{_BEGIN}Init = x = 0{_END}")
    module.write_text(f"A note (of mine\n{module.read_text()}and another ]\n")
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv")
    assert "5:6: syntax error: unexpected `=`; a definition is written with ==" in wrong("check", str(module))


@pytest.mark.parametrize("unfinished", ["Init == x = ", "Init == x = 0 /\\", "Init == x = 0 +\n\n"])
def test_an_unfinished_definition_is_named_by_the_next_one(tmp_path: Path, unfinished: str) -> None:
    module = tmp_path / "M.tla"
    begin = "---- MODULE M ----\nEXTENDS Naturals\nVARIABLE x"
    module.write_text(f"{begin}\n{unfinished}\nNext(a) == x' = x\n====\n")
    line = 5 + unfinished.count("\n")
    said = wrong("check", str(module))
    assert f"{line}:1: syntax error: the text before the definition of Next is incomplete" in said
