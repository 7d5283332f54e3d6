"""``results/modules-for-all.md``: modules of others, proved for all constants with their own lemmas.

    python -m results.generators.modules_for_all EXAMPLES UPSTREAM [NAME …] [--seconds 600]

EXAMPLES: ``specifications`` of a checkout of tlaplus/Examples. UPSTREAM: a folder with checkouts of
hachikuji/kafka-specification and will62794/endive. Each module is extended by what stands in ``CASES``, and
nothing of it is changed. Each cell is a whole command in a process of its own. With names, other rows of an
earlier run stay.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from results.generators.all_small_constants import explore_at_all
from results.generators.endive import describe_assumed, made_on, prove
from tests.support.measuring import run_to_end, verify

_PAGE = Path(__file__).resolve().parents[1] / "modules-for-all.md"
_ROWS = _PAGE.with_suffix(".json")
_ENDIVE = "endive/benchmarks"
_UPSTREAM = ("kafka-specification", _ENDIVE)
_TWO_PHASE = "INIT TPInit\nNEXT TPNext\nCONSTANT RM = {r1, r2, r3}\n"
_VOTING = (
    "INIT Init\nNEXT Next\nCONSTANTS\nAcceptor = {a1, a2, a3}\nValue = {v1, v2}\n"
    "Quorum = {{a1, a2}, {a1, a3}, {a2, a3}}\nMaxBallot = 2\nBallot <- Ballots\n"
)
_BALLOTS = "CONSTANT MaxBallot\nBallots == 0..MaxBallot\n"
_AGREEMENT = r"""Agreement == \A b, c \in Ballot, v, w \in Value : ChosenAt(b, v) /\ ChosenAt(c, w) => v = w
Safe == \A a \in Acceptor, b, c \in Ballot, v \in Value, Q \in Quorum :
          VotedFor(a, b, v) /\ c < b => \E d \in Q : VotedFor(d, c, v) \/ CannotVoteAt(d, c)
"""
_KAFKA_TYPES = r"""TypeOK ==
  /\ replicaLog \in [Replicas ->
       [endOffset : 0..LogSize, records : [0..(LogSize - 1) -> LogRecords \union {Nil}]]]
  /\ replicaState \in [Replicas -> ReplicaState]
  /\ nextRecordId \in 0..MaxRecords /\ nextLeaderEpoch \in 0..(MaxLeaderEpoch + 1)
  /\ leaderAndIsrRequests \subseteq QuorumState /\ quorumState \in QuorumState
"""
_KAFKA_LEMMAS = (Path(__file__).parent / "kip320_lemmas.tla").read_text()
_LEMMA_NAMES = (
    "RequestsAreBegun", "EpochsHaveRequests", "EpochsAreBegun", "OneRequest", "QuorumIsLast",
    "EpochFromRequest", "LeaderCameFirst", "LeadersAreMembers", "LocalIsrHasLeader", "TrueLeaderAgrees",
    "QuorumUntouched", "StaleIsrCovers", "UnledOnlyShrinks", "LaggardWasMember", "HighWatermarkInLog",
    "RecordsArePast", "FollowerHasPrefix", "FollowerAhead", "LogMatching", "Committed",
)  # fmt: skip
_MONGO = (
    "INIT Init\nNEXT Next\nCONSTANTS\nServer = {n1, n2, n3, n4}\nSecondary = Secondary\nPrimary = Primary\n"
    "Nil = Nil\nInitTerm = 0\nMaxTerm = 3\nMaxLogLen = 0\nMaxConfigVersion = 3\n"
)
_MONGO_LEMMAS = r"""Overlaps == \A i, j \in Server :
  QuorumsOverlap(config[i], config[j]) \/ ConfigDisabled(i) \/ ConfigDisabled(j)
OneConfig == \A i, j \in Server : config[i] = config[j] \/ IsNewerConfig(i, j) \/ IsNewerConfig(j, i)
PrimaryIsNewest == \A i, j \in Server :
  configTerm[i] = configTerm[j] /\ state[i] = Primary => ~IsNewerConfig(j, i)
TermsAreKnown == \A i, j \in Server : \A Q \in Quorums(config[j]) :
  \E n \in Q : currentTerm[n] >= configTerm[i] \/ ConfigDisabled(j)
PrimaryHasTerm == \A i \in Server : state[i] = Primary => configTerm[i] = currentTerm[i]
"""
_FEW_TERMS = r"""FewTerms == \A s \in Server : currentTerm[s] <= InitTerm + 2 /\ configVersion[s] <= 2
"""
_SWITCH_LEMMAS = r"""FromElsewhere == \A ps, pd, s, d \in Node :
  <<ps, pd, s, d>> \in pending /\ ps # s => <<ps, s, ps>> \in table
ToSource == \A t, x, y \in Node : <<t, x, y>> \in table /\ t # y /\ x # y => <<t, y, t>> \in table
"""
_EWD = "INIT Init\nNEXT Next\nCONSTANT N = 3\n"
_FEW_MESSAGES = r"""FewMessages ==
  \A i \in Node : counter[i] \in -1..1 /\ pending[i] <= 1 /\ token.q \in -2..2
"""
_KAFKA = (
    "SPECIFICATION Spec\nCONSTANTS\nReplicas = {r1, r2}\nLogSize = 1\nMaxRecords = 1\nMaxLeaderEpoch = 1\n"
)


@dataclass(frozen=True)
class Case:
    """A module that is extended, and the question about it."""

    folder: str
    module: str
    claim: str
    lemmas: tuple[str, ...]
    config: str
    more: str = ""
    """The definitions of the module that extends it."""
    guard: tuple[str, str] = ("", "")
    """The module and the guard that the mutant lacks: the first conjunct that is written so."""
    bound: str = ""
    """The constraint of the exploration, if there are infinitely many states."""


CASES: Mapping[str, Case] = {
    "TwoPhase": Case(
        "transaction_commit", "TwoPhase_proof", "Consistent", ("Inv",), _TWO_PHASE,
        "Consistent == TC!TCConsistent\n", ("TwoPhase", '[type |-> "Prepared", rm |-> rm] \\in msgs'),
    ),
    "Voting": Case(
        "Paxos", "Voting", "Inv", ("VotesSafe", "OneValuePerBallot"), _VOTING, _BALLOTS,
        ("Voting", "\\E Q \\in Quorum : ShowsSafeAt(Q, b, v)"),
    ),
    "Voting, agreement": Case(
        "Paxos", "Voting", "Agreement", ("Safe", "OneValuePerBallot"), _VOTING, _BALLOTS + _AGREEMENT,
        ("Voting", "\\E Q \\in Quorum : ShowsSafeAt(Q, b, v)"),
    ),
    "EWD998": Case(
        "ewd998", "EWD998", "TerminationDetection", ("Inv",), _EWD, _FEW_MESSAGES,
        ("EWD998", "~ active[i]"), "FewMessages",
    ),
    "EWD998, invariant": Case(
        "ewd998", "EWD998", "Inv", (), _EWD, _FEW_MESSAGES, ("EWD998", "~ active[i]"), "FewMessages",
    ),
    "Kip320": Case(
        "kafka-specification", "Kip320", "StrongIsr", (), _KAFKA, _KAFKA_TYPES
    ),
    "Kip320, lemmas": Case(
        "kafka-specification", "Kip320", "StrongIsr", _LEMMA_NAMES, _KAFKA, _KAFKA_LEMMAS,
        ("Kip320", "replicaState[leader].leaderEpoch = leaderAndIsrRequest.leaderEpoch"),
    ),
    "MongoLoglessDynamicRaft": Case(
        _ENDIVE, "MongoLoglessDynamicRaft", "Safety",
        ("Overlaps", "OneConfig", "PrimaryIsNewest", "TermsAreKnown", "PrimaryHasTerm"), _MONGO,
        _MONGO_LEMMAS + _FEW_TERMS,
        ("MongoLoglessDynamicRaft", "QuorumsOverlap(config[i], newConfig)"), "FewTerms",
    ),
    "learning_switch": Case(
        _ENDIVE, "learning_switch", "Safety", ("FromElsewhere", "ToSource"),
        "INIT Init\nNEXT Next\nCONSTANT Node = {n1, n2, n3, n4}\n", _SWITCH_LEMMAS,
        ("learning_switch", "<<ps,pd,sw0,sw1>> \\in pending"),
    ),
}  # fmt: skip
"""The questions by name. Kip320's lemmas translate those of our Python protocol. Those of
MongoLoglessDynamicRaft say what endive's inductive invariant says, those of learning_switch what comments of
the module say."""


@dataclass
class Row:
    """The results of one question."""

    name: str
    module: str
    claim: str
    lemmas: str
    verdict: str
    obligations: str
    cpu: float
    seconds: float
    checked: str
    mutant: str = "not run"
    explored: str = "not run"
    assumed: str = "not run"

    def cells(self) -> list[str]:
        """Return the line of the table."""
        times = (f"{self.cpu:.0f}", f"{self.seconds:.0f}")
        return [
            self.module, self.claim, self.lemmas, self.verdict, self.obligations, *times, self.checked,
            self.mutant, self.explored, self.assumed,
        ]  # fmt: skip


def measure(name: str, case: Case, source: Path, seconds: float) -> Row:
    """Return the row of a question."""
    with tempfile.TemporaryDirectory() as made:
        folder, own = Path(made), f"All{case.module}"
        for file in source.glob("*.tla"):
            shutil.copy(file, folder)
        text = f"---- MODULE {own} ----\nEXTENDS {case.module}\n{case.more}====\n"
        (folder / f"{own}.tla").write_text(text)
        (folder / f"{own}.cfg").write_text(f"{case.config}INVARIANT {case.claim}\nCHECK_DEADLOCK FALSE\n")
        certificate = folder / "proof.json"
        words = [word for lemma in case.lemmas for word in ("--lemma", lemma)]
        verdict, content, used = prove(folder, own, seconds, *words, "--certificate", str(certificate))
        checked = obligations = mutant = explored = ""
        if verdict == "PROVED":
            obligations = str(len(content["proofs"][0]["obligations"]))
            checked = _check(folder, own, certificate, max(300, seconds))
            explored = _explore(folder, own, case)
            mutant = _prove_mutant(folder, own, case, seconds, words)
        cpu, wall = (0.0, 0.0) if used is None else (used.cpu, used.wall)
        lemmas = ", ".join(case.lemmas) or "none"
        measured = (verdict, obligations, cpu, wall, checked, mutant, explored, describe_assumed(content))
        return Row(name, case.module, case.claim, lemmas, *measured)


def _explore(folder: Path, own: str, case: Case) -> str:
    """Return the extent of the exploration at small constants, which may have a constraint."""
    if not case.bound:
        return str(explore_at_all(folder / f"{own}.tla", case.claim))
    with tempfile.TemporaryDirectory() as made:
        shutil.copytree(folder, made, dirs_exist_ok=True)
        config = Path(made) / f"{own}.cfg"
        config.write_text(f"{config.read_text()}CONSTRAINT {case.bound}\n")
        return f"{explore_at_all(config.with_suffix('.tla'), case.claim)}, within {case.bound}"


def _check(folder: Path, own: str, certificate: Path, seconds: float) -> str:
    """Return whether cvc5 confirms the certificate in a fresh process."""
    done = run_to_end(
        verify("certify", str(certificate), "--spec", f"{own}.tla"), limit=seconds, folder=folder
    )
    if done is None:
        return "not in time"
    return "yes" if done.code == 0 else "**no**"


def _prove_mutant(folder: Path, own: str, case: Case, seconds: float, words: Sequence[str]) -> str:
    """Return the verdict of the module without a guard."""
    module, guard = case.guard
    file = folder / f"{module}.tla"
    text = file.read_text() if module else ""
    if not guard or f"/\\ {guard}" not in text:
        return "none"
    file.write_text(text.replace(f"/\\ {guard}", "/\\ TRUE", 1))
    verdict, _, _ = prove(folder, own, seconds, *words)
    return f"**{verdict}**" if verdict == "PROVED" else verdict


def page(rows: Sequence[Row], seconds: float) -> str:
    """Return the page."""
    headers = (
        "module", "claim", "lemmas", "answer", "obligations", "CPU s", "s", "by cvc5", "mutant", "explored",
        "assumed, not declared",
    )  # fmt: skip
    lines = [
        "# Modules of others, proved for all constants",
        "",
        "`python -m results.generators.modules_for_all EXAMPLES UPSTREAM` makes this page, of modules of",
        "tlaplus/Examples, hachikuji/kafka-specification and will62794/endive. The command",
        "`verify prove M.tla --all-constants --lemma L`",
        f"has at most {seconds:.0f} s each.",
        "Many other programs ran meanwhile, so that the clock says little. No module is changed: another one",
        "extends it. A module that is not read is refused with the place of what has no reading.",
        "",
        "A mutant lacks a guard. The column `explored` is a naive check at small constants. Each proof is",
        "for all constants that satisfy the ASSUMEs of the module and the assumptions of the last column,",
        "which the module does not declare (`beyond_declared` in JSON, where `constants` is then `assumed`).",
        "",
        made_on(),
        "",
        f"| {' | '.join(headers)} |",
        f"|{'---|' * len(headers)}",
        *(f"| {' | '.join(row.cells())} |" for row in rows),
        "",
    ]
    for row in rows:
        case = CASES[row.name]
        config = f"{case.config}INVARIANT {case.claim}"
        lines += [f"{row.name} has this configuration:", "", "```", config, "```", ""]
        if case.more:
            lines += ["and these definitions:", "", "```", case.more.rstrip(), "```", ""]
    return "\n".join(lines)


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", type=Path)
    parser.add_argument("upstream", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=float, default=600)
    given = parser.parse_args()
    rows = {}
    if given.names and _ROWS.exists():
        rows = {one["name"]: Row(**one) for one in json.loads(_ROWS.read_text())}
    for name in given.names or CASES:
        case = CASES[name]
        above = given.upstream if case.folder in _UPSTREAM else given.examples
        rows[name] = measure(name, case, above / case.folder, given.seconds)
        print(" | ".join(rows[name].cells()), flush=True)
        inside = [rows[one] for one in CASES if one in rows]
        _ROWS.write_text(json.dumps([asdict(one) for one in inside], indent=1) + "\n")
        _PAGE.write_text(page(inside, given.seconds))


if __name__ == "__main__":
    main()
