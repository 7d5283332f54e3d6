"""Small TLA+ modules whose counterexamples show each kind of page."""

from __future__ import annotations

from pathlib import Path

from tests.support.examples import run_rows
from verifier.outcomes.row import Row

COMMIT = """---- MODULE Commit ----
EXTENDS Naturals, FiniteSets
CONSTANTS RM, Quorum
VARIABLES rmState, msgs, round, done
vars == <<rmState, msgs, round, done>>
Init == /\\ rmState = [r \\in RM |-> "working"]
        /\\ msgs = {}
        /\\ round = [n \\in 0..1 |-> 0]
        /\\ done = FALSE
\\* A manager is ready, and says so.
Prepare(r) == /\\ rmState[r] = "working"
              /\\ rmState' = [rmState EXCEPT ![r] = "prepared"]
              /\\ msgs' = msgs \\cup {[type |-> "Prepared", rm |-> r]}
              /\\ UNCHANGED <<round, done>>
Commit(r, Q, n) == /\\ \\A q \\in Q : [type |-> "Prepared", rm |-> q] \\in msgs
                   /\\ rmState' = [rmState EXCEPT ![r] = "committed"]
                   /\\ round' = [round EXCEPT ![n] = 1]
                   /\\ done' = TRUE
                   /\\ UNCHANGED msgs
Next == \\/ \\E r \\in RM : Prepare(r)
        \\/ \\E r \\in RM, Q \\in Quorum, n \\in 0..1 : Commit(r, Q, n)
Spec == Init /\\ [][Next]_vars
NobodyCommits == \\A r \\in RM : rmState[r] # "committed"
====
"""
COMMIT_CONFIG = """CONSTANTS RM = {r1, r2}  Quorum = {{r1, r2}}
SPECIFICATION Spec
INVARIANT NobodyCommits
CHECK_DEADLOCK FALSE
"""

JUGS = """---- MODULE Jugs ----
EXTENDS Naturals
VARIABLES big, small
Init == big = 0 /\\ small = 0
FillBig == big' = 5 /\\ small' = small
Pour == /\\ big > 0
        /\\ small' = IF big + small > 3 THEN 3 ELSE big + small
        /\\ big' = big - (small' - small)
Next == FillBig \\/ Pour
NeverTwo == big # 2
====
"""
JUGS_CONFIG = "INIT Init\nNEXT Next\nINVARIANT NeverTwo\n"


def find_violation(folder: Path, name: str, text: str, config: str) -> Row:
    """The first violation of a module, written into a folder."""
    module = folder / f"{name}.tla"
    module.write_text(text, encoding="utf-8")
    module.with_suffix(".cfg").write_text(config, encoding="utf-8")
    rows = run_rows("explore", "--spec", str(module), "--config", str(module.with_suffix(".cfg")))
    return next(row for row in rows if row.trace is not None)


def commit(folder: Path) -> Row:
    """Managers commit: participants, records, quorums and rounds."""
    return find_violation(folder, "Commit", COMMIT, COMMIT_CONFIG)


def jugs(folder: Path) -> Row:
    """Return a run on two numbers, without participants."""
    return find_violation(folder, "Jugs", JUGS, JUGS_CONFIG)
