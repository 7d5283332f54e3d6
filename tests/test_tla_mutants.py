"""Original texts, broken in one place each: bounded model checking finds it in as many steps as TLC."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.command_line import verify

_SHARED = Path(__file__).resolve().parents[2] / "shared" / "tla"
_KIP320 = (
    "SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\nINVARIANTS WeakIsr StrongIsr\n"
    "CONSTANTS Replicas = {r1, r2}, LogSize = 2, MaxRecords = 2, MaxLeaderEpoch = 2\n"
)
_MUTEX = (
    "SPECIFICATION Spec\nCONSTRAINT ClockConstraint\nINVARIANTS Mutex\nCHECK_DEADLOCK FALSE\n"
    "CONSTANTS N = 2\n MaxNat = 5\n maxClock = 4\n Nat <- NatOverride\n"
)


@dataclass(frozen=True)
class Mutant:
    """One change of a text, and the steps of TLC's counterexample."""

    folder: str
    module: str
    config: str
    file: str
    old: str
    new: str
    steps: int


def _kip320(file: str, old: str, new: str, steps: int) -> Mutant:
    return Mutant("upstream/kafka-specification", "Kip320", _KIP320, file, old, new, steps)


def _mutex(old: str, new: str, steps: int) -> Mutant:
    folder = "examples/lamport_mutex"
    return Mutant(folder, "MCLamportMutex", _MUTEX, "LamportMutex.tla", old, new, steps)


_GROWS = "           /\\ HasFollowerReachedHighWatermark(leader, follower)\n           /\\ Has"
MUTANTS = {
    "the high watermark passes what followers have": _kip320(
        "Kip320.tla", "              /\\ ReplicaLog!HasOffset(follower, leaderHw)\n", "", 5
    ),
    "who lacks records joins the ISR": _kip320("Kip320.tla", _GROWS, "           /\\ Has", 7),
    "a leader of the past changes the ISR": _kip320(
        "KafkaReplication.tla", "    /\\ IsTrueLeader(leader)\n    /\\ quorumState.leader = leader\n", "", 7
    ),
    "one acknowledgement is enough": _mutex("ack[p] = Proc", "ack[p] # {}", 4),
    "who is first does not matter": _mutex("  /\\ \\A q \\in Proc \\ {p} : beats(p,q)\n", "", 8),
    "nobody gives way in a tie": _mutex(" /\\ p < q\n", "\n", 8),
}


@pytest.mark.thorough
@pytest.mark.skipif(not _SHARED.is_dir(), reason="the original texts are not here")
@pytest.mark.parametrize("name", MUTANTS)
def test_a_broken_text_is_found_to_be_broken(name: str, tmp_path: Path) -> None:
    mutant = MUTANTS[name]
    folder = tmp_path / "texts"
    shutil.copytree(_SHARED / mutant.folder, folder)
    text = (folder / mutant.file).read_text()
    assert text.count(mutant.old) == 1
    (folder / mutant.file).write_text(text.replace(mutant.old, mutant.new))
    (folder / "Own.cfg").write_text(mutant.config)
    spec, trace = str(folder / f"{mutant.module}.tla"), str(tmp_path / "t.itf.json")
    words = ("--spec", spec, "--config", str(folder / "Own.cfg"))
    done = verify("bmc", *words, "--depth", "9", "--shortest", "--trace-out", trace, "--format", "json")
    assert done.exit_code == 10, done.output
    violated = [r for r in json.loads(done.stdout)["results"] if r["verdict"] == "VIOLATED"]
    assert min(result["steps"] for result in violated) == mutant.steps
    assert verify("replay", trace, *words).exit_code == 0
