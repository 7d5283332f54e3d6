"""The head of a page about a deadlock: what each action waits for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.examples import run_rows
from tests.support.modules_for_pages import find_violation
from verifier.outcomes.row import Row
from verifier.report.telling import Told, tell
from verifier.report.trace_diagram import diagram_of

LOCKS = """---- MODULE Locks ----
CONSTANT Thread
VARIABLES owner, pc
Init == owner = [l \\in {"A", "B"} |-> "free"] /\\ pc = [t \\in Thread |-> "idle"]
Take(t, l) == /\\ owner[l] = "free"
              /\\ pc[t] \\in {"idle", "one"}
              /\\ owner' = [owner EXCEPT ![l] = t]
              /\\ pc' = [pc EXCEPT ![t] = IF @ = "idle" THEN "one" ELSE "both"]
Release(t) == /\\ UNCHANGED owner
              /\\ LET need == "both" IN pc[t] = need
              /\\ pc' = [pc EXCEPT ![t] = "idle"]
Next == \\E t \\in Thread : (\\E l \\in {"A", "B"} : Take(t, l)) \\/ Release(t)
Spec == Init /\\ [][Next]_<<owner, pc>>
====
"""
LOCKS_CONFIG = 'CONSTANT Thread = {"t1", "t2"}\nSPECIFICATION Spec\nCHECK_DEADLOCK TRUE\n'


def tell_row(row: Row) -> Told:
    assert row.trace is not None
    found = tell(row, diagram_of(row.trace, row.drawing))
    assert found is not None
    return found


def test_each_action_of_a_module_says_what_it_waits_for(tmp_path: Path) -> None:
    found = tell_row(find_violation(tmp_path, "Locks", LOCKS, LOCKS_CONFIG))
    assert found.head == 'After step 2, Take(t="t2", l="B"), no action is enabled: a deadlock.'
    assert found.lines[:3] == (
        'Take(t="t1", l="A") waits for owner[l] = "free": owner["A"] is "t1".',
        'Take(t="t1", l="B") waits for owner[l] = "free": owner["B"] is "t2".',
        'Release(t="t1") waits for pc[t] = need: pc["t1"] is "one".',
    )
    assert len([line for line in found.lines if " waits for " in line]) == 6


def test_each_action_of_a_protocol_says_what_it_waits_for() -> None:
    spec = "docs/tutorial/ticket_lock.py"
    rows = run_rows("explore", "--spec", spec, "--deadlock", "--set", "clients=2", "--set", "last_ticket=0")
    found = tell_row(rows[-1])
    assert "no action is enabled: a deadlock" in found.head
    assert sum(" waits for " in line for line in found.lines) == 6
    assert "Enter(client=c1) waits for ticket[c1] = served: ticket[c1] is –." in found.lines


def test_an_empty_set_is_what_an_action_waits_for(tmp_path: Path) -> None:
    text = """---- MODULE Mail ----
VARIABLES msgs
Init == msgs = {1}
Receive(m) == msgs' = msgs \\ {m}
Next == \\E m \\in msgs : Receive(m)
====
"""
    row = find_violation(tmp_path, "Mail", text, "INIT Init\nNEXT Next\nCHECK_DEADLOCK TRUE\n")
    assert tell_row(row).lines[0] == "Next waits for some m \\in msgs: msgs = {}."


@pytest.mark.parametrize("guard", ["n < 1 /\\ n' = n + 1", "n' = n + 1 /\\ n < 1"])
def test_what_is_not_closed_by_the_state_is_not_told(tmp_path: Path, guard: str) -> None:
    text = f"""---- MODULE Mixed ----
EXTENDS Naturals
VARIABLE n
Init == n = 0
Count == {guard}
Other == n > 0 /\\ n' \\in {{}}
Next == Count \\/ Other
====
"""
    row = find_violation(tmp_path, "Mixed", text, "INIT Init\nNEXT Next\nCHECK_DEADLOCK TRUE\n")
    found = tell_row(row)
    lines = [line for line in found.lines if "waits" in line]
    assert lines == ["Count waits for n < 1: n is 1."]
