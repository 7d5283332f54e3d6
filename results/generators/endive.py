"""``results/endive.md``: protocols of will62794/endive proved for all constants, from their modules.

    python -m results.generators.endive ENDIVE [NAME …] [--seconds 240] [--assumed]

ENDIVE: a checkout of that repository. Each cell is a whole command in a process of its own. The modules are
unchanged. Their configurations are made of ``NAME.config.json``, without ``CONSTRAINT``: a proof is of all
executions. The lemmas by hand are those of ``NAME_IndProofs.tla``, without its proofs, in a module that
extends the protocol. The page is written after each row. With names, rows of an earlier run stay.
With ``--assumed``, only the proofs with lemmas by hand run, and only the column of assumptions is measured.
A proved property is explored at all small constants, by ``all_small_constants``.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from results.generators.all_small_constants import explore_at_all
from tests.support.measuring import Ended, run_to_end, verify
from verifier.parametric.deciding import CHECKER, FINDER
from verifier.solvers import solver_version

_PAGE = Path(__file__).resolve().parents[1] / "endive.md"
_ROWS = _PAGE.with_suffix(".json")
_ASKED_SECONDS = 120
_GRACE = 60.0
"""The seconds after its time in which a command must end."""
_HEADERS = (
    "protocol", "property", "lemmas by hand", "CPU s", "without a lemma", "CPU s", "s", "lemmas found",
    "by cvc5", "mutant", "explored", "assumed, not declared",
)  # fmt: skip
GUARDS: Mapping[str, str] = {
    "Simple": 'pc[self] = "b"',
    "TCommit": "canCommit",
    "TwoPhase": '[type |-> "Prepared", rm |-> rm] \\in msgs',
    "client_server_ae": "<<n,r>> \\in request_sent",
    "client_server_db_ae": "<<n,p>> \\in response_sent",
    "consensus_epr": "Q \\subseteq votes[n]",
    "consensus_forall": "\\A v \\in voting_quorum : <<i,v>> \\in votes",
    "consensus_wo_decide": "\\A v \\in voting_quorum : votes[<<i,v>>]",
    "firewall": "internal[src]",
    "learning_switch": "<<ps,pd,sw0,sw1>> \\in pending",
    "lockserv": "server_holds_lock",
    "lockserv_automaton": "holds_lock[n]",
    "lockserver": "semaphore[s] = TRUE",
    "majorityset_leader_election": "vs \\in Majority",
    "naive_consensus": "\\A x \\in Value : <<n,x>> \\notin vote",
    "peterson": "(flag[other] = FALSE) \\/ (turn = self)",
    "quorum_leader_election": "voted[i] = Nil",
    "sharded_kv": "table[n_old][k] = v",
    "sharded_kv_no_lost_keys": "\\A k \\in Key : \\E n \\in Node : k \\in owner[n]",
    "simple_decentralized_lock": "src \\in has_lock",
    "simple_election": "DidNotPromise(a)",
    "toy_consensus": "vote[i] = Nil",
    "toy_consensus_epr": "n \\notin voted",
    "toy_consensus_forall": "~voted[i]",
    "two_phase_commit": "n \\notin vote_yes",
}
"""The guard of each protocol that its mutant lacks: the first line that consists of it. That of
sharded_kv_no_lost_keys is a line of Init."""
_OTHER_MUTANTS = {
    "Consensus": (r"/\\ chosen = \{\}\s*/\\ \\E (.*) = \{v\}", r"\\E \1 = chosen \\cup {v}"),
    "SimpleRegular": (r"x' = \[x EXCEPT !\[self\] = \{1\}\]", "x' = x"),
}
"""Other changes, of patterns, where no guard alone makes the property false: Consensus adds values, and a2 of
SimpleRegular does not write."""


@dataclass
class Row:
    """The results of one protocol."""

    name: str
    property_name: str
    by_hand: str
    by_hand_cpu: float
    alone: str
    alone_cpu: float
    alone_seconds: float
    lemmas: str
    checked: str
    mutant: str
    explored: str
    assumed: str = ""
    """The assumptions of the proof on the constants that the module does not declare."""

    def cells(self) -> list[str]:
        """Return the line of the table."""
        times = (f"{self.by_hand_cpu:.0f}", f"{self.alone_cpu:.0f}", f"{self.alone_seconds:.0f}")
        return [
            self.name, self.property_name, self.by_hand, times[0], self.alone, *times[1:], self.lemmas,
            self.checked, self.mutant, self.explored, self.assumed,
        ]  # fmt: skip


def prepare(benchmarks: Path, name: str, folder: Path) -> str:
    """Copy all modules, and write the configuration of one. Return its property."""
    for module in benchmarks.glob("*.tla"):
        shutil.copy(module, folder)
    said = json.loads((benchmarks / f"{name}.config.json").read_text())
    given = said["constants"]
    constants = given if isinstance(given, str) else "\n".join(given)
    config = f"INIT Init\nNEXT Next\nINVARIANT {said['safety']}\n{constants}\nCHECK_DEADLOCK FALSE\n"
    (folder / f"{name}.cfg").write_text(config)
    return str(said["safety"])


def write_lemmas(benchmarks: Path, name: str, folder: Path) -> list[str] | None:
    """Write a module of the protocol with its lemmas by hand. Return their names; None if there are none."""
    proofs = benchmarks / f"{name}_IndProofs.tla"
    if not proofs.exists():
        return None
    text = proofs.read_text(errors="replace")
    lemmas = re.findall(r"^(Inv\w+_def) == (.*)$", text, re.MULTILINE)
    lines = [f"{lemma} == {formula}" for lemma, formula in lemmas]
    lines = [f"---- MODULE {name}_own ----", f"EXTENDS {name}", *lines, "===="]
    (folder / f"{name}_own.tla").write_text("\n".join(lines))
    shutil.copy(folder / f"{name}.cfg", folder / f"{name}_own.cfg")
    inductive = re.search(r"^IndAuto ==\n((?:\s+/\\ .*\n)*)", text, re.MULTILINE)
    used = [] if inductive is None else re.findall(r"/\\ (\w+)", inductive.group(1))
    return [lemma for lemma, _ in lemmas if lemma in used]


def prove(folder: Path, module: str, seconds: float, *words: str) -> tuple[str, dict[str, Any], Ended | None]:
    """Run one proof. Return the verdict in words, its JSON and its costs."""
    command = verify("prove", f"{module}.tla", "--all-constants", "--timeout", f"{seconds:.0f}s", *words)
    done = run_to_end([*command, "--format", "json"], limit=seconds + _GRACE, folder=folder)
    if done is None:
        return "not in time", {}, None
    try:
        content = json.loads(done.output)
    except ValueError:
        return f"not read: {done.last_error.replace(f'{folder}/', '')}"[:150].replace("|", "\\|"), {}, done
    verdict = str(content["results"][0]["verdict"])
    if verdict == "INCONCLUSIVE" and str(content["results"][0]["reason"]).startswith("timeout"):
        verdict = "not in time"
    return verdict, content, done


def describe_assumed(content: Mapping[str, Any]) -> str:
    """Return what a proof assumes of the constants and the module does not declare. Empty if there is no
    proof."""
    if not any(one["verdict"] == "PROVED" for one in content.get("results", ())):
        return ""
    return "; ".join(content["beyond_declared"]).replace("|", "\\|") or "nothing"


def check(folder: Path, name: str, content: Mapping[str, Any], certificate: Path) -> str:
    """Return whether cvc5 confirms the certificate in a fresh process."""
    texts = content["statistics"].get("suggested", {})
    module = next((text for found in texts.values() for text in found), "")
    spec = f"{name}.tla"
    if module:
        spec = f"{name}_lemmas.tla"
        (folder / spec).write_text(module)
    words = ("certify", str(certificate), "--spec", spec, "--config", f"{name}.cfg")
    done = run_to_end(verify(*words), limit=300, folder=folder)
    return "yes" if done is not None and done.code == 0 else "**no**"


def drop_guard(folder: Path, name: str) -> bool:
    """Write the mutant in place of the module. Return False if there is none."""
    guard = GUARDS.get(name)
    pattern, other = _OTHER_MUTANTS.get(name, ("", ""))
    if guard is not None:
        pattern, other = rf"/\\ {re.escape(guard)}[ \t]*$", r"/\\ TRUE"
    file = folder / f"{name}.tla"
    text = file.read_text(errors="replace")
    made = re.sub(pattern, other, text, count=1, flags=re.MULTILINE) if pattern else text
    file.write_text(made)
    return made != text


def measure(benchmarks: Path, name: str, seconds: float) -> Row:
    """Return the row of a protocol."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        claim = prepare(benchmarks, name, folder)
        lemmas = write_lemmas(benchmarks, name, folder)
        hand, cost, by_hand = "no lemmas", None, dict[str, Any]()
        if lemmas is not None:
            words = [word for lemma in lemmas for word in ("--lemma", lemma)]
            hand, by_hand, cost = prove(folder, f"{name}_own", seconds, *words)
        certificate = folder / "proof.json"
        alone, content, used = prove(folder, name, seconds, "--suggest", "--certificate", str(certificate))
        checked = mutant = found = explored = ""
        if "PROVED" in (hand, alone):
            explored = str(explore_at_all(folder / f"{name}.tla", claim))
        if alone == "PROVED":
            checked = check(folder, name, content, certificate)
            found = str(sum(1 for one in content["proofs"][0]["lemmas"] if one.startswith("suggested_")))
            mutant = "none"
            if drop_guard(folder, name):
                mutant, _, _ = prove(folder, name, seconds / 2, "--suggest")
                mutant = f"**{mutant}**" if mutant == "PROVED" else mutant
        hand_cpu = 0.0 if cost is None else cost.cpu
        cpu, wall = (0.0, 0.0) if used is None else (used.cpu, used.wall)
        assumed = describe_assumed(content) or describe_assumed(by_hand)
        return Row(name, claim, hand, hand_cpu, alone, cpu, wall, found, checked, mutant, explored, assumed)


def measure_assumed(benchmarks: Path, row: Row, seconds: float) -> Row:
    """Return a row with the assumptions of the proof with lemmas by hand."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        prepare(benchmarks, row.name, folder)
        lemmas = write_lemmas(benchmarks, row.name, folder)
        words = [word for lemma in lemmas or () for word in ("--lemma", lemma)]
        hand, content, _ = prove(
            folder, f"{row.name}_own" if lemmas is not None else row.name, seconds, *words
        )
        return replace(
            row, by_hand=hand if lemmas is not None else row.by_hand, assumed=describe_assumed(content)
        )


def made_on() -> str:
    """Return the date, the versions and the machine of a page of proofs for all constants."""
    solvers = ", ".join(f"{one} {solver_version(one)}" for one in (FINDER, CHECKER))
    on = f"{datetime.date.today()}, Python {platform.python_version()}, {solvers}, {os.cpu_count()} cores"
    return f"Made on {on}."


def page(rows: Sequence[Row], seconds: float, lacking: Sequence[str] = ()) -> str:
    """Return the page. ``lacking``: the protocols that were not measured."""
    hand = sum(row.by_hand == "PROVED" for row in rows)
    alone = [row for row in rows if row.alone == "PROVED"]
    quick = sum(row.alone_cpu <= _ASKED_SECONDS for row in alone)
    mutants = [row for row in alone if row.mutant not in ("none", "**PROVED**")]
    lines = [
        "# Protocols of endive, proved for all constants",
        "",
        "`python -m results.generators.endive ENDIVE` makes this table of the modules in a checkout of",
        "`will62794/endive`. `verify prove M.tla --all-constants` proves a property for any number of nodes,",
        "values and messages. The modules are unchanged. The lemmas by hand are those of `M_IndProofs.tla`;",
        f"without them, `--suggest` finds lemmas. A proof has {seconds:.0f} s, one of a mutant half of it.",
        "CPU seconds are of all processes. Many other programs ran meanwhile, so that the clock says little.",
        "",
        f"{hand} of {len(rows)} are PROVED with the lemmas by hand, and {len(alone)} without a lemma by",
        f"hand, {quick} of these within {_ASKED_SECONDS} CPU seconds. A mutant lacks a guard. {len(mutants)}",
        f"of the {len(alone)} have a mutant that is not proved.",
        "",
        "The column `explored` is a naive check: the interpreter explores the property at all constants",
        "with one to four elements in each set, with at most 200,000 states. Of quorums it takes some sets",
        "of sets.",
        "",
        "Each proof is for all constants that satisfy the ASSUMEs of the module and the assumptions of the",
        "last column. The module does not declare these (`beyond_declared` in JSON). Where one of them is",
        "false, for example without any node, the property may be false. JSON has `constants: all` where",
        "nothing is assumed, and `constants: assumed` elsewhere.",
        "",
        made_on(),
        f"Not measured: {', '.join(lacking) or 'none'}.",
        "",
        f"| {' | '.join(_HEADERS)} |",
        f"|{'---|' * len(_HEADERS)}",
    ]
    return "\n".join([*lines, *(f"| {' | '.join(row.cells())} |" for row in rows), ""])


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("endive", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--assumed", action="store_true", help="only measure what the proofs assume")
    given = parser.parse_args()
    benchmarks = given.endive / "benchmarks"
    known = sorted(file.name.removesuffix(".config.json") for file in benchmarks.glob("*.config.json"))
    rows = {}
    if (given.names or given.assumed) and _ROWS.exists():
        rows = {one["name"]: Row(**one) for one in json.loads(_ROWS.read_text())}
    for name in given.names or (rows if given.assumed else known):
        if given.assumed:
            rows[name] = measure_assumed(benchmarks, rows[name], given.seconds)
        else:
            rows[name] = measure(benchmarks, name, given.seconds)
        print(" | ".join(rows[name].cells()), flush=True)
        inside = [rows[one] for one in known if one in rows]
        _ROWS.write_text(json.dumps([asdict(one) for one in inside], indent=1) + "\n")
        _PAGE.write_text(page(inside, given.seconds, [one for one in known if one not in rows]))


if __name__ == "__main__":
    main()
