"""``results/tla-mutants.md``: original texts, broken in one place each, by ``verify bmc`` and by TLC.

Run ``python -m results.generators.tla_mutants SHARED TLC [--only WORD]``. SHARED is the folder that has the
texts under ``upstream`` and ``examples``; they are copied, changed in one place, and searched by both with
small constants.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from results.generators.measuring import Ended, run_to_end, verify

_TABLE = Path(__file__).resolve().parents[1] / "tla-mutants.md"
_KIP320 = (
    "SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\nINVARIANTS WeakIsr StrongIsr\n"
    "CONSTANTS Replicas = {r1, r2}\n LogSize = 2\n MaxRecords = 2\n MaxLeaderEpoch = 2\n"
)
_MUTEX = (
    "SPECIFICATION Spec\nCONSTRAINT ClockConstraint\nINVARIANTS Mutex\nCHECK_DEADLOCK FALSE\n"
    "CONSTANTS N = 2\n MaxNat = 5\n maxClock = 4\n Nat <- NatOverride\n"
)
_RAFT_WORDS = (
    "Follower Candidate Leader Nil RequestVoteRequest RequestVoteResponse AppendEntriesRequest "
    "AppendEntriesResponse EqualTerm LessOrEqualTerm"
)
_KRAFT_WORDS = (
    "Follower Candidate Leader Unattached Voted IllegalState Nil RequestVoteRequest RequestVoteResponse "
    "BeginQuorumRequest BeginQuorumResponse EndQuorumRequest FetchRequest FetchResponse Ok NotOk Diverging "
    "FencedLeaderEpoch NotLeader UnknownLeader AnyEpoch EqualEpoch"
)


def _raft_config(words: str, invariants: str) -> str:
    own = "\n ".join(f"{word} = {word}" for word in words.split())
    return (
        f"INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nINVARIANTS {invariants}\n"
        f"CONSTANTS Server = {{n1, n2}}\n Value = {{v1}}\n MaxElections = 2\n MaxRestarts = 0\n {own}\n"
    )


@dataclass(frozen=True)
class Mutant:
    """One change of a text, and the steps of TLC's counterexample."""

    what: str
    folder: str
    module: str
    config: str
    file: str
    old: str
    new: str
    steps: int
    takes_long: bool = False
    """True if building it takes more than some seconds."""

    @property
    def name(self) -> str:
        """The module and the change."""
        return f"{self.module}: {self.what}"

    def write(self, shared: Path, folder: Path) -> Path:
        """Copies the texts, changed, with the configuration ``Own.cfg``; the file of the module."""
        shutil.copytree(shared / self.folder, folder)
        text = (folder / self.file).read_text()
        if text.count(self.old) != 1:
            raise ValueError(f"{self.file} has {self.old!r} {text.count(self.old)} times")
        (folder / self.file).write_text(text.replace(self.old, self.new))
        (folder / "Own.cfg").write_text(self.config)
        return folder / f"{self.module}.tla"


def _kip320(what: str, file: str, old: str, new: str, steps: int) -> Mutant:
    return Mutant(what, "upstream/kafka-specification", "Kip320", _KIP320, file, old, new, steps)


def _mutex(what: str, old: str, new: str, steps: int) -> Mutant:
    folder = "examples/lamport_mutex"
    return Mutant(what, folder, "MCLamportMutex", _MUTEX, "LamportMutex.tla", old, new, steps)


_SPECIFICATIONS = "upstream/raft-tlaplus/specifications"
_RAFT = _raft_config(_RAFT_WORDS, "LeaderHasAllAckedValues NoLogDivergence CommittedEntriesReachMajority")
_KRAFT = _raft_config(
    _KRAFT_WORDS,
    "LeaderHasAllAckedValues NoLogDivergence NeverTwoLeadersInSameEpoch NoIllegalState "
    "CommittedEntriesReachMajority",
)


def _raft(what: str, old: str, new: str, steps: int) -> Mutant:
    folder = f"{_SPECIFICATIONS}/standard-raft"
    return Mutant(what, folder, "Raft", _RAFT, "Raft.tla", old, new, steps, takes_long=True)


def _kraft(what: str, old: str, new: str, steps: int) -> Mutant:
    folder = f"{_SPECIFICATIONS}/pull-raft"
    return Mutant(what, folder, "KRaft", _KRAFT, "KRaft.tla", old, new, steps, takes_long=True)


_GROWS = "           /\\ HasFollowerReachedHighWatermark(leader, follower)\n           /\\ Has"
_HALF = ("Cardinality(i) * 2 > Cardinality(Server)", "Cardinality(i) * 2 >= Cardinality(Server)")
_ONE_VOTE = (
    "/\\ \\/ state0.state = Unattached\n"
    "                           \\/ /\\ state0.state = Voted\n"
    "                              /\\ votedFor[i] = j\n"
    "                        /\\ logOk"
)
MUTANTS = (
    _kip320(
        "the high watermark passes what followers have",
        "Kip320.tla", "              /\\ ReplicaLog!HasOffset(follower, leaderHw)\n", "", 5,
    ),
    _kip320("who lacks records joins the ISR", "Kip320.tla", _GROWS, "           /\\ Has", 7),
    _kip320(
        "a leader of the past changes the ISR",
        "KafkaReplication.tla",
        "    /\\ IsTrueLeader(leader)\n    /\\ quorumState.leader = leader\n", "", 7,
    ),
    _mutex("one acknowledgement is enough", "ack[p] = Proc", "ack[p] # {}", 4),
    _mutex("who is first does not matter", "  /\\ \\A q \\in Proc \\ {p} : beats(p,q)\n", "", 8),
    _mutex("nobody gives way in a tie", " /\\ p < q\n", "\n", 8),
    _raft("half of the servers are a quorum", *_HALF, 4),
    _raft("a leader commits alone", "Agree(index) \\in Quorum", "Agree(index) # {}", 7),
    _raft(
        "a leader takes a heartbeat's answer for an entry's",
        "matchIndex' = [matchIndex EXCEPT ![i][j] = m.mmatchIndex]",
        "matchIndex' = [matchIndex EXCEPT ![i][j] = nextIndex[i][j]]", 10,
    ),
    _kraft("half of the servers are a quorum", *_HALF, 4),
    _kraft("a server votes twice in an epoch", _ONE_VOTE, "logOk", 8),
    _kraft("a leader commits alone", "Agree(offset) \\in Quorum", "Agree(offset) # {}", 8),
)  # fmt: skip


@dataclass(frozen=True)
class Found:
    """The result of one of the two tools."""

    violated: str
    steps: int | None
    cpu: float

    def __str__(self) -> str:
        return f"{self.violated} in {self.steps} steps" if self.steps is not None else self.violated


def by_bmc(module: Path, depth: int, *more: str) -> Found:
    """The shortest violation that ``verify bmc`` finds."""
    words = ["bmc", "--spec", str(module), "--config", str(module.with_name("Own.cfg")), "--shortest"]
    words += ["--depth", str(depth), "--format", "json", *more]
    done = _run(verify(*words))
    if not done.output.startswith("{"):
        return Found(done.last_error, None, done.cpu)
    rows = [row for row in json.loads(done.output)["results"] if row["verdict"] == "VIOLATED"]
    if not rows:
        return Found("no violation", None, done.cpu)
    least = min(rows, key=lambda row: int(row["steps"]))
    return Found(least["property"], least["steps"], done.cpu)


def by_tlc(module: Path, tlc: Path) -> Found:
    """The violation that TLC finds with one worker."""
    folder = str(module.parent / "states")
    words = [str(tlc), "-workers", "1", "-noGenerateSpecTE", "-metadir", folder]
    done = _run([*words, "-config", "Own.cfg", module.name], module.parent)
    violated = re.search(r"Invariant (\w+) is violated", done.output)
    states = re.findall(r"^State (\d+):", done.output, re.MULTILINE)
    if violated is None or not states:
        errors = [line for line in done.output.splitlines() if line.startswith("Error")]
        return Found((errors or ["no violation"])[0], None, done.cpu)
    return Found(violated[1], int(states[-1]) - 1, done.cpu)


def _run(command: Sequence[str], folder: Path | None = None) -> Ended:
    done = run_to_end(command, folder=folder)
    assert done is not None
    return done


def rows(shared: Path, tlc: Path, only: str) -> Iterator[list[str]]:
    """The cells of each mutant."""
    for mutant in MUTANTS:
        if only not in mutant.name:
            continue
        with tempfile.TemporaryDirectory() as temporary:
            module = mutant.write(shared, Path(temporary) / "texts")
            theirs = by_tlc(module, tlc)
            own = by_bmc(module, mutant.steps)
        agrees = own.steps is not None and own.steps == theirs.steps == mutant.steps
        shown = str(own) if str(own) != str(theirs) else "the same"
        seconds = [f"{theirs.cpu:.1f}", f"{own.cpu:.1f}"]
        yield [mutant.module, mutant.what, str(theirs), shown, *seconds, "yes" if agrees else "**no**"]


def table(cells: Sequence[Sequence[str]]) -> str:
    """The rows as Markdown."""
    about = (
        "Original texts, each changed in one place (`results/generators/tla_mutants.py` has them). "
        "`python -m results.generators.tla_mutants SHARED TLC` makes this table: what TLC finds with one "
        "worker, and `verify bmc --spec MODULE --config Own.cfg --shortest --depth N`, N being TLC's steps. "
        "Seconds of CPU, whole commands."
    )
    lines = [
        "# Broken TLA+ texts",
        "",
        about,
        f"{sum(row[-1] == 'yes' for row in cells)} of {len(cells)} are found in as many steps.",
        "",
        "| specification | change | TLC | bmc | TLC s | bmc s | agrees |",
        "|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in cells), ""])


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shared", type=Path)
    parser.add_argument("tlc", type=Path)
    parser.add_argument(
        "--only", default="", help="part of the name of a module or change; the table is only shown"
    )
    given = parser.parse_args()
    found = []
    for row in rows(given.shared, given.tlc, given.only):
        found.append(row)
        print(row, flush=True)
    if given.only:
        print(table(found))
    else:
        _TABLE.write_text(table(found))


if __name__ == "__main__":
    main()
