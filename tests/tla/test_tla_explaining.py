"""The part of a property that is false, in the words of the module."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import write_module
from verifier.json_shape import read_json

BODY = """EXTENDS Integers, Sequences
VARIABLES x, q
Init == x = 0 /\\ q = <<>>
Next == x < 5 /\\ x' = x + 1 /\\ q' = Append(q, x)
Far(n) == \\/ x < 1
          \\/ \\A i \\in 1..Len(q), j \\in {7} : (* a comment *) q[i] # n \\/ j < 7
Rise(n) == n' # n /\\ n' # 3
"""


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("Inv == x < 3", "M.tla:9: x < 3 is false\n  where x = 3\n"),
        ("Inv == /\\ x >= 0\n       /\\ x # 3 \\* two lines", "M.tla:10: x # 3 is false\n  where x = 3"),
        ("Inv == Far(2)", "for n = 2, i = 3, j = 7:\n    M.tla:7: q[i] # n \\/ j < 7 is false\n"),
        ("Inv == x > 2 => LET y == x - 1 IN IF x = 0 THEN FALSE ELSE y # 2", "M.tla:9: y # 2 is false\n"),
        ("Inv == \\E k \\in {x} :\n  k < 3", "M.tla:9: \\E k \\in {x} : k < 3 is false\n  where x = 3\n"),
        ("Inv == ~(\\E k \\in {x} : (k > 2))", "for k = 3:\n    M.tla:9: ~(k > 2) is false\n"),
        ("Inv == TRUE /\\ ( (x + 1) * 2 < 8)", "M.tla:9: (x + 1) * 2 < 8 is false\n"),
        ("Inv == ~ENABLED (x=3 /\\ x' = 4)", "M.tla:9: ~ENABLED (x=3 /\\ x' = 4) is false\n  where x = 3"),
        ("Up == [][x' < 3]_x", "M.tla:9: x' < 3 is false\n  where x' = 3\n"),
        ("Up == [][x = 2 => UNCHANGED x]_q", "M.tla:9: UNCHANGED x is false\n  where x = 2, x' = 3"),
        # What an argument is below a prime is its value in the next state.
        ("Up == [][Rise(x)]_x", "for n = 2, n' = 3:\n    M.tla:8: n' # 3 is false\n"),
        ("Up == [][LET R(n) == Rise(n) IN R(x)]_x", "for n = 2, n' = 3:\n    M.tla:8: n' # 3 is false\n"),
    ],
)
@pytest.mark.parametrize("how", [["explore"], ["bmc", "--depth", "4"], ["bmc", "--depth=4", "--solver=z3"]])
def test_the_smallest_part_that_is_false(
    formula: str, said: str, how: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the interpreter, and of the execution that a search of the translated module found."""
    monkeypatch.chdir(tmp_path)
    name = formula.split()[0]
    kind = "PROPERTY" if name == "Up" else "INVARIANT"
    write_module(tmp_path, BODY + formula)
    Path("M.cfg").write_text(f"INIT Init\nNEXT Next\n{kind} {name}\nCHECK_DEADLOCK FALSE\n")
    done = verify(*how, "M.tla", "--trace-out", "t.json")
    where = "step 3, Next()" if name == "Up" else "state 3"
    assert f"{name} fails in {where}:\n" in done.stdout
    assert f"\n  {said}" in done.stdout or f"\n{said}" in done.stdout
    about = read_json(Path("t.json").read_text())["#meta"]
    (part,) = about["failing"]
    assert part["formula"] in said
    assert about["about_step"] == (name == "Up")
    shown = verify("replay", "t.json", "--spec", "M.tla")
    assert shown.exit_code == 0


INNER = """EXTENDS Integers
VARIABLES x, y, z
Small == (x) - y < 3
Grows == x' - z' # 2
"""
OUTER = """EXTENDS Integers
VARIABLES a, z
Init == a = 0 /\\ z = 0
Next == a' = a + 1 /\\ z' = z
Sub(k) == INSTANCE Inner WITH x <- (a) + (k), y <- z
Inv == Sub(1)!Small
Up == [][Sub(1)!Grows]_a
"""


@pytest.mark.thorough
@pytest.mark.parametrize("how", [["explore"], ["bmc", "--depth=4", "--solver=z3"]])
def test_what_an_instance_puts_for_names_stands_beside_them(
    how: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_module(tmp_path, INNER, "Inner")
    write_module(tmp_path, OUTER)
    Path("M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\nPROPERTY Up\nCHECK_DEADLOCK FALSE\n")
    said = verify(*how, "M.tla").stdout
    assert "Inner.tla:4: (x) - y < 3 is false\n    where x = (a) + (k) = 3, y = z = 0\n" in said
    assert "Inner.tla:5: x' - z' # 2 is false\n    where z' = 0, x' = ((a) + (k))' = 2\n" in said


def test_an_execution_has_a_column_for_each_model_value(tmp_path: Path) -> None:
    """Of those that most variables are functions of."""
    path = tmp_path / "Nodes.tla"
    path.write_text(
        "---- MODULE Nodes ----\nEXTENDS Integers\nCONSTANTS Node, Item\nVARIABLES up, term, kept, now\n"
        "Init == /\\ up = [n \\in Node |-> FALSE] /\\ term = [n \\in Node |-> 0]\n"
        "        /\\ kept = [i \\in Item |-> 0] /\\ now = 0\n"
        "Start(n) == /\\ up' = [up EXCEPT ![n] = TRUE] /\\ term' = [term EXCEPT ![n] = now + 1]\n"
        "            /\\ now' = now + 1 /\\ UNCHANGED kept\n"
        "Keep(i) == kept' = [kept EXCEPT ![i] = 1] /\\ UNCHANGED <<up, term, now>>\n"
        "Next == (\\E n \\in Node : ~up[n] /\\ Start(n)) \\/ (\\E i \\in Item : kept[i] = 0 /\\ Keep(i))\n"
        "Never == \\E n \\in Node : ~up[n]\n====\n"
    )
    path.with_suffix(".cfg").write_text(
        "INIT Init NEXT Next\nCONSTANTS Node = {n1, n2} Item = {i1, i2, i3}\nINVARIANT Never\n"
    )
    for words in (("explore",), ("bmc", "--depth", "4", "--by", "translation"), ("check",)):
        lines = verify(words[0], str(path), *words[1:]).stdout.splitlines()
        assert any([cell.strip() for cell in line.split("│")] == ["shared", "n1", "n2"] for line in lines)
        first = next(line for line in lines if "up[n1]: FALSE → TRUE" in line)
        assert first.split("│")[0].strip().startswith("now: ")
