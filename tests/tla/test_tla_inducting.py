"""Induction on modules: its table and its counterexamples have the module's own words."""

from __future__ import annotations

from pathlib import Path

from tests.support.command_line import verify
from tests.support.tla_modules import write_module

_LOCKS = """EXTENDS Naturals, FiniteSets
CONSTANT Proc
VARIABLES lock, pc
Init == lock = "none" /\\ pc = [p \\in Proc |-> "idle"]
Take(p) == pc[p] = "idle" /\\ lock = "none" /\\ lock' = p /\\ pc' = [pc EXCEPT ![p] = "in"]
Give(p) == pc[p] = "in" /\\ lock' = "none" /\\ pc' = [pc EXCEPT ![p] = "idle"]
Next == \\E p \\in Proc : Take(p) \\/ Give(p)
Mutex == Cardinality({p \\in Proc : pc[p] = "in"}) <= 1"""


def test_an_induction_on_a_module_says_its_instances_and_its_text(tmp_path: Path) -> None:
    module = write_module(tmp_path, _LOCKS)
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nCONSTANT Proc = {p1, p2}\nINVARIANT Mutex")
    done = verify("induct", str(module))
    assert done.exit_code == 11, done.output
    lines = [line.split() for line in done.stdout.splitlines()]
    for number, name in enumerate(("Take(p1)", "Give(p1)", "Take(p2)", "Give(p2)"), 1):
        assert [str(number), name] in lines
    (heads,) = (line for line in lines if line[:2] == ["init", "1"])
    (row,) = (line for line in lines if line[:1] == ["Mutex"] and len(line) == len(heads) + 1)
    assert [cell == "fails" for cell in row[2:6]] == [True, False, True, False]
    assert 'M.tla:9: Cardinality({p \\in Proc : pc[p] = "in"}) <= 1 is false' in done.stdout
    assert 'where pc = (p1 :> "in" @@ p2 :> "in")' in done.stdout
