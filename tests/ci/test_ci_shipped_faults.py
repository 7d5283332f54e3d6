"""Faults seeded into the shipped manifest and the shipped protocols: each is red, with lines that say why."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.command_line import ROOT, verify
from tests.support.mutants import mutant_protocol, mutants
from tests.support.sampling import some_of
from verifier.runs import protocol_loading
from verifier.specs.protocol import Protocol
from verifier.specs.registry import load as load_class

SHIPPED = ROOT / ".ci" / "verify.toml"
RECORDED = {
    cell["id"]: str(cell["spec_hash"]) for cell in tomllib.loads(SHIPPED.read_text(encoding="utf-8"))["cell"]
}
"""The spec hash of each cell."""


@dataclass(frozen=True)
class Fault:
    """In one cell of the shipped manifest ``old`` becomes ``new``; each line matches one of ``lines``."""

    cell: str
    old: str
    new: str
    exit_code: int
    lines: tuple[str, ...]


HASH = r"spec_hash: the spec or its constants changed: its hash is \w{16}, and the expectations were made for"
FAULTS = [
    Fault(
        "kip320-states",
        'StrongIsr = { verdict = "holds", depth = 21 }',
        'StrongIsr = "violated"',
        14,
        (r"StrongIsr: HOLDS\(21\); expected VIOLATED$",),
    ),
    Fault(
        "kip101-states",
        'WeakIsr = { verdict = "violated", steps = 11 }',
        'WeakIsr = "holds"',
        10,
        ("WeakIsr: VIOLATED in 11 steps; expected HOLDS$",),
    ),
    Fault(
        "pulsar-compaction-bmc",
        "steps = 9",
        "steps = 8",
        10,
        ("CompactedLedgerLeak: VIOLATED in 9 steps; expected VIOLATED in 8 steps$",),
    ),
    Fault("kip279-states", RECORDED["kip279-states"], "c5d56333d078d5dd", 14, (HASH,)),
    Fault(
        "rabbit-sac-states",
        "apps = 3",
        "apps = 2",
        14,
        (HASH, r"\w+: HOLDS\(8\); expected HOLDS\(11\)$", "distinct_states: 181 .*; expected 6280$"),
    ),
    Fault(
        "bookkeeper-states",
        "distinct_states = 253",
        "distinct_states = 254",
        14,
        ("distinct_states: 253 distinct states; expected 254$",),
    ),
    Fault(
        "exactly-once-states",
        "spec_hash",
        'timeout = "5ms"\nspec_hash',
        12,
        (r"\w+: nothing was decided: .*timeout of 0.005 s", "distinct_states: not all states were looked at"),
    ),
    Fault(
        "kip320-induct",
        'engine = "induct"',
        'engine = "explore"\ndepth = 1',
        14,
        (r"\w+: HOLDS\(1\); expected PROVED$",),
    ),
    Fault(
        "rabbit-sac-induct",
        "TypeOK",
        "TypeOk",
        14,
        (r"TypeOk: PROVED .* the spec has no such property \(allowed: [^:]*\); did you mean 'TypeOK'",),
    ),
    Fault(
        "tutorial-lease-lock",
        "depth = 8\nspec",
        "depth = 3\nspec",
        12,
        (
            r"TypeInvariant: HOLDS\(3\); expected HOLDS\(8\)$",
            r"no_lost_write: HOLDS\(3\); expected VIOLATED in 5 steps$",
            "later_write: nothing was decided: INCONCLUSIVE.*; expected REACHED in 4 steps$",
        ),
    ),
]


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    """A copy of the shipped one; the files that it names are found from there."""
    copy = tmp_path / ".ci" / "verify.toml"
    copy.parent.mkdir()
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    copy.write_text(SHIPPED.read_text(encoding="utf-8"), encoding="utf-8")
    return copy


def edit(manifest: Path, cell: str, old: str, new: str) -> None:
    text = manifest.read_text(encoding="utf-8")
    before, start, rest = text.partition(f'id = "{cell}"\n')
    block, end, after = rest.partition("[[cell]]")
    assert block.count(old) == 1
    manifest.write_text(f"{before}{start}{block.replace(old, new)}{end}{after}", encoding="utf-8")


def check(manifest: Path, cell: str) -> tuple[int, list[str]]:
    done = verify("ci", str(manifest), "--cell", cell)
    return done.exit_code, [line for line in done.stdout.splitlines() if line.startswith("FAIL")]


def assert_said(found: list[str], cell: str, patterns: tuple[str, ...]) -> None:
    expected = [re.compile(f"FAIL  {cell}: {pattern}") for pattern in patterns]
    assert found
    for line in found:
        assert any(pattern.match(line) for pattern in expected), line
    for pattern in expected:
        assert any(pattern.match(line) for line in found), pattern


@pytest.mark.parametrize(
    "fault", some_of(FAULTS, every=4), ids=lambda fault: f"{fault.cell}-{fault.new.split(' ')[0]}"
)
def test_a_fault_in_the_manifest_is_found(manifest: Path, fault: Fault) -> None:
    edit(manifest, fault.cell, fault.old, fault.new)
    code, lines = check(manifest, fault.cell)
    assert_said(lines, fault.cell, fault.lines)
    assert code == fault.exit_code


@pytest.mark.thorough
def test_a_missing_row_is_found(manifest: Path) -> None:
    row = 'DeadlockPerfect = { verdict = "holds", depth = 15 }\n'
    edit(manifest, "rabbit-sac-restart-states", row, "")
    done = verify("matrix", str(manifest))
    assert done.exit_code == 14
    words = "manifest: no cell expects a verdict on DeadlockPerfect, which is a property"
    assert f"FAIL  {words}" in done.stderr


REACHED = "self.has_high_watermark_reached_current_epoch(s, leader)"
EPOCH = "self.is_following_leader_epoch(s, leader, follower)"
MUTANTS = [
    # a guard of KIP-320 dropped, the fewest steps to lose committed data then, and the states there are
    ("fenced_leader_expand_isr", REACHED, {"StrongIsr": 11}, 42451),
    ("fenced_leader_expand_isr", EPOCH, {"WeakIsr": 10, "StrongIsr": 10}, 44248),
    ("fenced_follower_fetch", EPOCH, {"WeakIsr": 7, "StrongIsr": 7}, 143332),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("action", "guard", "violated", "states"), some_of(MUTANTS, every=4))
def test_a_guard_dropped_from_a_protocol_is_found(
    manifest: Path,
    monkeypatch: pytest.MonkeyPatch,
    action: str,
    guard: str,
    violated: dict[str, int],
    states: int,
) -> None:
    (mutant,) = [mutant for mutant in mutants() if mutant.name == f"kip320.{action}: without {guard}"]

    def load_mutant(spec: str) -> type[Protocol]:
        return mutant_protocol(spec, mutant) if spec == "kip320" else load_class(spec)

    monkeypatch.setattr(protocol_loading, "load_class", load_mutant)
    cell = "kip320-states"
    code, lines = check(manifest, cell)
    assert code == 10
    assert re.match(f"FAIL  {cell}: {HASH} {RECORDED[cell]}", lines[0])
    for name, steps in violated.items():
        assert f"FAIL  {cell}: {name}: VIOLATED in {steps} steps; expected HOLDS(21)" in lines
    assert lines[-1] == f"FAIL  {cell}: distinct_states: {states} distinct states; expected 39619"
    # Also where somebody recorded the new hash without a look at the verdicts.
    found = re.search(r"its hash is (\w{16})", lines[0])
    assert found is not None
    edit(manifest, cell, RECORDED[cell], found[1])
    assert check(manifest, cell) == (10, lines[1:])
