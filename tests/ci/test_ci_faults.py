"""``verify ci``: green where all is as expected, red with a line that says why for every seeded fault."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.ci_project import BROKEN_HASH, LOCK_HASH, Project, new_project
from tests.support.command_line import verify
from tests.support.sampling import some_of
from verifier.ci.check import after_running, compare
from verifier.ci.manifest import Expected, read_manifest
from verifier.ci.work import CellRun, Facts, Refusal
from verifier.processes import limits
from verifier.processes.pool import TaskResult
from verifier.verdict import VerdictKind


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return new_project(tmp_path)


def test_all_is_as_expected(project: Project) -> None:
    # However slow the machine is, --quiet tells no progress.
    done = verify("--quiet", "ci", str(project.manifest), "--jobs", "2")
    assert (done.exit_code, done.stderr) == (0, "")
    verdicts = "TypeInvariant HOLDS(8), no_lost_write HOLDS(8), later_write REACHED in 4 steps"
    assert f"ok    lock: {verdicts}" in done.stdout
    assert re.search(r"^5 cells, 16 checks: all as expected, in [0-9.]+ s$", done.stdout, re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    """A file of the project in which ``old`` becomes ``new``, and what ``verify ci`` says then."""

    what: str
    old: str
    new: str
    exit_code: int
    lines: tuple[str, ...]
    """The rest of each line after FAIL; a regular expression."""
    file: str = "verify.toml"


OTHER_HASH = LOCK_HASH[::-1]
CHANGED = r"spec_hash: the spec or its constants changed: its hash is \w{16}, and the expectations were made"
FAULTS = [
    Fault(
        "a guard dropped",
        "when=[token.is_some, s.stored.is_none | (token.value >= s.stored.value)]",
        "when=[token.is_some]",
        10,
        (
            r"lock: no_lost_write: VIOLATED in 5 steps; expected HOLDS\(8\)$",
            f"lock: {CHANGED} for {LOCK_HASH}",
        ),
        "lock.py",
    ),
    Fault(
        "a property deleted",
        "    @invariant()\n    def no_lost_write",
        "    def no_lost_write",
        14,
        (
            r"lock: no_lost_write: HOLDS\(8\) is expected, but the spec has no such property",
            f"lock: {CHANGED}",
        ),
        "lock.py",
    ),
    Fault(
        "a temporal property expected of explore",
        'DeadlockPerfect = "holds"',
        'DeadlockPerfect = "holds"\nLiveness = "holds"',
        14,
        ("sac: Liveness: HOLDS is expected, but Liveness is a temporal property: verify live checks it$",),
    ),
    Fault(
        "an invariant expected of live",
        'engine = "induct"',
        'engine = "live"',
        14,
        ("sac-induct: DeadlockBalanced: PROVED is expected, but DeadlockBalanced is about single states",),
    ),
    Fault(
        "what must be reached is not",
        "s.stored.is_some & (s.stored.value > 0)",
        "s.stored.is_none & s.newest.is_some",
        12,
        (
            "lock: later_write: nothing was decided: INCONCLUSIVE.*; expected REACHED in 4 steps$",
            f"lock: {CHANGED}",
        ),
        "lock.py",
    ),
    Fault(
        "a spec that raises",
        "class LeaseLock(Protocol):",
        "raise RuntimeError('boom\\nbang')\nclass LeaseLock(Protocol):",
        2,
        (r"lock: spec: .*lock\.py, line \d+: RuntimeError: boom bang$",),
        "lock.py",
    ),
    Fault(
        "a spec that dies",
        "class LeaseLock(Protocol):",
        "import os\nos.kill(os.getpid(), 9)\nclass LeaseLock(Protocol):",
        2,
        ("lock: spec: the spec could not be loaded: killed by signal 9$",),
        "lock.py",
    ),
    Fault(
        "violated expected of what holds",
        'no_lost_write = { verdict = "holds", depth = 8 }',
        'no_lost_write = "violated"',
        14,
        (r"lock: no_lost_write: HOLDS\(8\); expected VIOLATED$",),
    ),
    Fault(
        "holds expected of what is violated",
        '{ verdict = "violated", steps = 5 }',
        '"holds"',
        10,
        ("lock-broken: no_lost_write: VIOLATED in 5 steps; expected HOLDS$",),
    ),
    Fault(
        "proved expected of what holds to a depth",
        'TypeInvariant = "holds"',
        'TypeInvariant = "proved"',
        14,
        (r"lock-broken: TypeInvariant: HOLDS\(8\); expected PROVED$",),
    ),
    Fault(
        "a longer counterexample expected",
        "steps = 5",
        "steps = 6",
        10,
        ("lock-broken: no_lost_write: VIOLATED in 5 steps; expected VIOLATED in 6 steps$",),
    ),
    Fault(
        "a shorter witness expected",
        "steps = 4",
        "steps = 3",
        14,
        ("lock: later_write: REACHED in 4 steps; expected REACHED in 3 steps$",),
    ),
    Fault(
        "more depth expected",
        'no_lost_write = { verdict = "holds", depth = 8 }',
        'no_lost_write = { verdict = "holds", depth = 9 }',
        14,
        (r"lock: no_lost_write: HOLDS\(8\); expected HOLDS\(9\)$",),
    ),
    Fault(
        "other states counted",
        "distinct_states = 181",
        "distinct_states = 180",
        14,
        ("sac: distinct_states: 181 distinct states; expected 180$",),
    ),
    Fault(
        "a row missing",
        'DeadlockPerfect = "holds"\n',
        "",
        14,
        ("manifest: no cell expects a verdict on DeadlockPerfect, which is a property",),
    ),
    Fault(
        "another hash recorded",
        LOCK_HASH,
        OTHER_HASH,
        14,
        (f"lock: {CHANGED} for {OTHER_HASH}. Review the change, then run verify ci --update$",),
    ),
    Fault(
        "no hash recorded",
        f'spec_hash = "{LOCK_HASH}"  # reviewed\n',
        "",
        14,
        (rf"lock: spec_hash: no spec hash is recorded; the current one is {LOCK_HASH}; verify ci --update",),
    ),
    Fault("constants changed", "last_token = 2", "last_token = 3", 14, (f"lock: {CHANGED} for {LOCK_HASH}",)),
    Fault(
        "a constant that is not there",
        "last_token = 2",
        "last_tokens = 2",
        2,
        (r"lock: spec: unknown constant 'last_tokens' \(allowed: .*\); did you mean 'last_token'\?$",),
    ),
    Fault(
        "no time to decide",
        'id = "lock-broken"',
        'id = "lock-broken"\ntimeout = "1ms"',
        12,
        (
            r"lock-broken: TypeInvariant: nothing was decided: .*timeout of 0.001 s.*; expected HOLDS$",
            "lock-broken: no_lost_write: nothing was decided: .*; expected VIOLATED in 5 steps$",
        ),
    ),
    Fault(
        "a lemma left out",
        'engine = "induct"',
        'engine = "induct"\noptions = { lemmas = ["IdsLast"] }',
        11,
        ("sac-induct: DeadlockBalanced: NOT_INDUCTIVE.*; expected PROVED$",),
    ),
    Fault(
        "a lemma that is not there",
        'engine = "induct"',
        'engine = "induct"\noptions = { lemmas = ["IdsFirst"] }',
        2,
        (r"sac-induct: run: unknown lemma.*'IdsFirst'.*; did you mean 'IdsLast'\?$",),
    ),
]


@pytest.mark.parametrize("fault", some_of(FAULTS, every=8), ids=lambda fault: fault.what)
def test_a_fault_is_found(project: Project, fault: Fault) -> None:
    project.edit(fault.file, fault.old, fault.new)
    code, lines = project.check()
    assert code == fault.exit_code
    assert len(lines) == len(fault.lines), lines
    for line, expected in zip(lines, fault.lines, strict=True):
        assert re.match(f"FAIL  {expected}", line), line


def test_a_spec_that_hangs_is_killed(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "GRACE_SECONDS", 0.0)
    project.edit("verify.toml", 'id = "lock-broken"', 'id = "lock-broken"\ntimeout = "1s"')
    project.edit("broken.py", "class LeaseLock(Protocol):", "while True: pass\nclass LeaseLock(Protocol):")
    code, lines = project.check()
    assert (code, lines) == (
        2,
        ["FAIL  lock-broken: spec: the spec could not be loaded: timeout of 1 s: killed"],
    )


def test_memory_that_does_not_suffice_decides_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "GRACE_MEMORY", 0)
    greedy = "eaten = bytearray(2**30)\nimport time; time.sleep(9)\nclass LeaseLock(Protocol):"
    project.edit("verify.toml", 'id = "lock-broken"', 'id = "lock-broken"\nmemory = "600MiB"')
    project.edit("broken.py", "class LeaseLock(Protocol):", greedy)
    code, lines = project.check("--cell", "lock-broken")
    assert (code, lines) == (
        2,
        ["FAIL  lock-broken: spec: the spec could not be loaded: memory limit of 600 MiB: killed"],
    )


# Runs that end without an answer: the spec loads, and when its cell runs it is loaded once more.

AGAIN = """
import os, time
from pathlib import Path
before = Path(__file__ + ".before")
if before.exists():
    {}
before.touch()
class LeaseLock(Protocol):"""
ENDS = [
    ("while True: pass", 12, "nothing was decided: timeout of 4 s: killed"),
    ("os.kill(os.getpid(), 9)", 1, "it crashed: killed by signal 9"),
    ("os._exit(3)", 1, "it crashed: ended with code 3"),
    ("os._exit(0)", 1, "it crashed: it reported nothing"),
    ("eaten = bytearray(2**30); time.sleep(9)", 12, "nothing was decided: memory limit of 600 MiB: killed"),
    ("raise KeyError('x')", 2, r".*broken\.py, line \d+: KeyError: 'x'"),
]


@pytest.mark.parametrize(
    ("ending", "code", "words"), some_of(ENDS, every=3), ids=[ending for ending, _, _ in ENDS]
)
def test_a_run_that_ends_badly_is_a_surprise(
    project: Project, monkeypatch: pytest.MonkeyPatch, ending: str, code: int, words: str
) -> None:
    monkeypatch.setattr(limits, "GRACE_SECONDS", 0.0)
    monkeypatch.setattr(limits, "GRACE_MEMORY", 0)
    tight = 'id = "lock-broken"\ntimeout = "4s"\nmemory = "600MiB"'
    project.edit("verify.toml", 'id = "lock-broken"', tight)
    project.edit("broken.py", "\nclass LeaseLock(Protocol):", AGAIN.format(ending))
    found, lines = project.check()
    assert found == code
    assert len(lines) == 1
    assert re.fullmatch(f"FAIL  lock-broken: run: {words}", lines[0])


# What no project brings about.


def run_to_end(project: Project, **how: object) -> list[tuple[str, str | None, int]]:
    (cell,) = read_manifest(project.manifest).choose_cells(["lock-broken"])
    names = tuple(item.property_name for item in cell.expected)
    facts = Facts(
        BROKEN_HASH, names, (), {}, names, names, (), decides_temporal=False, no_deadlock="NoDeadlock"
    )
    state: dict[str, object] = {"reported": (), "limit": None, "failure": None}
    done = TaskResult("lock-broken", seconds=1.0, **{**state, **how})  # type: ignore[arg-type]
    return [(c.subject, c.surprise, c.exit_code) for c in after_running(cell, facts, done)]


def test_an_end_without_an_answer_is_a_surprise(project: Project) -> None:
    killed = run_to_end(project, limit="memory limit of 100 MiB")
    assert killed == [("run", "nothing was decided: memory limit of 100 MiB", 12)]
    crashed = run_to_end(project, failure="killed by signal 11")
    assert crashed == [("run", "it crashed: killed by signal 11", 1)]
    assert run_to_end(project) == [("run", "it crashed: it reported nothing", 1)]
    refused = run_to_end(project, reported=(Refusal("no such thing"),))
    assert refused == [("run", "no such thing", 2)]
    silent = run_to_end(project, reported=(CellRun((), None),))
    assert [(subject, why, code) for subject, why, code in silent] == [
        ("TypeInvariant", "the run gave no verdict", 14),
        ("no_lost_write", "the run gave no verdict", 14),
    ]


def test_a_missing_row_is_no_success() -> None:
    check = compare(Expected("P", VerdictKind.HOLDS), None)
    assert check.surprise is not None
    assert check.exit_code == 14
