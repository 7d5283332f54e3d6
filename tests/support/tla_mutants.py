"""Original TLA+ texts, each changed in one place so that an invariant fails."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

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
