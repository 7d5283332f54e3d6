"""A module of a new user: what each command says of it agrees with what the others say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify

_TWO_PC = r"""---- MODULE TwoPC ----
EXTENDS Naturals, FiniteSets
CONSTANTS RM, Quorum
VARIABLES rm, tm, msgs
vars == <<rm, tm, msgs>>
TypeOK == /\ rm \in [RM -> {"working", "prepared", "committed", "aborted"}]
          /\ tm \in {"init", "committed", "aborted"}
          /\ msgs \subseteq ([type : {"yes"}, from : RM] \cup [type : {"commit", "abort"}])
Init == rm = [r \in RM |-> "working"] /\ tm = "init" /\ msgs = {}
Yes(r) == [type |-> "yes", from |-> r]
Prepare(r) == /\ rm[r] = "working"
              /\ rm' = [rm EXCEPT ![r] = "prepared"]
              /\ msgs' = msgs \cup {Yes(r)}
              /\ UNCHANGED tm
Refuse(r) == rm[r] = "working" /\ rm' = [rm EXCEPT ![r] = "aborted"] /\ UNCHANGED <<tm, msgs>>
Voted == {r \in RM : Yes(r) \in msgs}
Commit == /\ tm = "init" /\ Cardinality(Voted) >= Quorum
          /\ tm' = "committed" /\ msgs' = msgs \cup {[type |-> "commit"]} /\ UNCHANGED rm
Abort == /\ tm = "init"
         /\ tm' = "aborted" /\ msgs' = msgs \cup {[type |-> "abort"]} /\ UNCHANGED rm
LearnCommit(r) == /\ [type |-> "commit"] \in msgs /\ rm[r] \in {"working", "prepared"}
                  /\ rm' = [rm EXCEPT ![r] = "committed"] /\ UNCHANGED <<tm, msgs>>
LearnAbort(r) == /\ [type |-> "abort"] \in msgs /\ rm[r] \in {"working", "prepared"}
                 /\ rm' = [rm EXCEPT ![r] = "aborted"] /\ UNCHANGED <<tm, msgs>>
Learn(r) == LearnCommit(r) \/ LearnAbort(r)
Done == tm # "init" /\ (\A r \in RM : rm[r] \in {"committed", "aborted"}) /\ UNCHANGED vars
Next == Commit \/ Abort \/ Done \/ \E r \in RM : Prepare(r) \/ Refuse(r) \/ Learn(r)
Fair == WF_vars(Commit \/ Abort) /\ \A r \in RM : WF_vars(Learn(r))
Spec == Init /\ [][Next]_vars /\ Fair
Consistent == \A a, b \in RM : ~(rm[a] = "committed" /\ rm[b] = "aborted")
Stable == [][\A r \in RM : rm[r] = "committed" => rm'[r] = "committed"]_vars
Decides == <>(\A r \in RM : rm[r] \in {"committed", "aborted"})
CommitSpreads == \A r \in RM : (tm = "committed") ~> (rm[r] = "committed")
====
"""
_CONFIG = """SPECIFICATION Spec
CONSTANTS RM = {r1, r2, r3}
          Quorum = 2
INVARIANTS TypeOK Consistent
PROPERTIES Stable Decides CommitSpreads
"""
_QUEUE = r"""---- MODULE Queue ----
EXTENDS Naturals, Sequences
VARIABLES sent, got, q
Init == sent = 0 /\ got = 0 /\ q = <<>>
Send == sent' = sent + 1 /\ q' = Append(q, sent + 1) /\ UNCHANGED got
Recv == q # <<>> /\ got' = Head(q) /\ q' = Tail(q) /\ UNCHANGED sent
Next == Send \/ Recv
Small == got < 3
Safe == got <= sent
====
"""
_ONLY_LIVE = """[[cell]]
id = "live-only"
spec = "TwoPC.tla"
engine = "live"
"""


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "TwoPC.tla"
    path.write_text(_TWO_PC, encoding="utf-8")
    path.with_suffix(".cfg").write_text(_CONFIG, encoding="utf-8")
    return path


@pytest.fixture
def queue(tmp_path: Path) -> Path:
    path = tmp_path / "Queue.tla"
    path.write_text(_QUEUE, encoding="utf-8")
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANTS Safe Small\n", encoding="utf-8")
    return path


def test_cells_must_cover_all_that_check_decides(module: Path) -> None:
    manifest = module.with_name("verify.toml")
    manifest.write_text(_ONLY_LIVE, encoding="utf-8")
    done = verify("ci", str(manifest), "--update")
    assert done.exit_code == 14, done.output
    done = verify("ci", str(manifest))
    assert done.exit_code == 14
    for name in ("TypeOK", "Consistent", "Stable", "NoDeadlock"):
        words = f"no cell expects a verdict on {name}, which is a property of TwoPC.tla. Add a cell"
        assert f"FAIL  manifest: {words} that check decides" in done.stdout
    assert "no cell expects a verdict on Decides" not in done.stdout


def test_a_replay_counts_the_conditions_that_live_meets(module: Path) -> None:
    trace = module.with_name("trace.itf.json")
    asked = ("--property", "CommitSpreads", "--engine", "explicit", "--trace-out", str(trace))
    done = verify("live", str(module), *asked)
    assert done.exit_code == 10
    met = done.stdout.partition("Why the loop is fair:\n")[2].splitlines()
    count = sum(line.startswith("  WF of ") for line in met)
    assert count == 4
    done = verify("replay", str(trace), "--spec", str(module))
    assert f"which is fair (spec: {count} conditions)" in done.stdout


def test_an_exploration_to_a_depth_says_so_at_once(module: Path) -> None:
    done = verify("explore", str(module), "--depth", "2")
    assert "Stable, NoDeadlock in the states within 2 actions\n" in done.stderr
    assert "every reachable state\n" not in done.stderr


@pytest.mark.parametrize("limit", [("--max-states", "3000"), ()])
def test_all_variables_that_grow_are_named(queue: Path, limit: tuple[str, ...]) -> None:
    done = verify("explore", str(queue), "--deadlock", *limit)
    assert "sent, got and q seem unbounded" in " ".join(done.stdout.split())
    assert "(--set)" not in done.stdout  # there is no constant


def test_a_complete_run_explains_holds_only_if_something_holds(queue: Path) -> None:
    queue.with_suffix(".cfg").write_text(
        "INIT Init\nNEXT Next\nINVARIANTS Small\nCONSTRAINT Bound\nCHECK_DEADLOCK FALSE\n", encoding="utf-8"
    )
    queue.write_text(_QUEUE.replace("====", "Bound == sent < 5\n===="), encoding="utf-8")
    done = verify("explore", str(queue), "--keep-going")
    assert done.exit_code == 10
    assert "Complete: every" in done.stdout
    assert "So HOLDS" not in done.stdout


def test_a_violation_for_all_constants_is_an_execution_of_the_module(tmp_path: Path) -> None:
    (tmp_path / "TwoPC.tla").write_text(_TWO_PC)
    config = tmp_path / "TwoPC.cfg"
    config.write_text(_CONFIG)
    asked = (str(tmp_path / "TwoPC.tla"), "--all-constants", "--property", "Consistent", "--format", "json")
    (said,) = json.loads(verify("prove", *asked).stdout)["results"]
    assert (said["verdict"], said["steps"]) == ("VIOLATED", 4)
    trace, text = said["trace"], json.dumps(said["trace"])
    assert "LearnCommit" in text
    assert trace["#meta"]["constants"] == {"RM": "{R1, R2}", "Quorum": 1}
    assert all("from" not in one or one["type"] == "yes" for one in _list_messages(trace["states"][-1]))
    (tmp_path / "t.itf.json").write_text(text)
    file = str(tmp_path / "t.itf.json")
    replayed = verify("replay", file, "--spec", asked[0], "--set", "RM={R1, R2}", "--set", "Quorum=1")
    assert "Consistent fails in the last state" in replayed.stdout


def _list_messages(state: dict[str, Any]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = state["msgs"]["#set"]
    assert messages
    return messages
