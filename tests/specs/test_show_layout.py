"""The descriptions of protocols and of modules have one layout."""

from __future__ import annotations

from pathlib import Path

from tests.support.command_line import verify
from tests.support.tla_modules import write_module

_PROTOCOL = '''from verifier import Protocol, Range, State, Step, action, invariant


class DoorKeeper(Protocol):
    def state(self):
        return State(count=Range(0, 3))

    def init(self, s):
        return s.count == 0

    @action
    def push(self, s):
        return Step(when=[s.count < 3], then={s.count: s.count + 1})

    @invariant
    def few(self, s):
        return s.count < 9
'''


def test_a_protocol_without_a_docstring_has_one_empty_line_below_its_name(tmp_path: Path) -> None:
    (tmp_path / "door.py").write_text(_PROTOCOL)
    lines = verify("show", str(tmp_path / "door.py")).stdout.splitlines()
    assert lines[0].startswith("door-keeper  (")
    assert lines[1] == ""
    assert lines[2] == "Constants"


def test_a_module_has_the_headings_of_a_protocol(tmp_path: Path) -> None:
    body = "CONSTANT C\nVARIABLE x\nInit == x = C\nNext == x' = x\nInv == x = C"
    module = write_module(tmp_path, body)
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\nCONSTANT C = 3")
    lines = verify("show", str(module)).stdout.splitlines()
    assert lines[0].startswith("M  (")
    titles = [line for line in lines[1:] if line and not line.startswith(" ")]
    assert all(title[0].isupper() for title in titles), titles
    assert {"Constants", "Actions", "Invariants"} <= {*titles}
