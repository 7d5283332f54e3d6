"""``results/hunts.md``: bugs at large constants by ``verify check --find-bugs``, beside ``tlc -simulate``.

Run ``python -m results.generators.hunts SHARED TLC [--seeds N] [--seconds N] [--cases FOLDER] [--only PART]…
[--again]``. SHARED is the folder that has the texts under ``upstream``; ``--cases`` is the folder
``bugs/reproduce`` of specula-org/specula-case-studies (etcd-raft, scenario ``snapshot``) with the real bugs
of etcd's Raft. Each row is one command with several seeds, as the user would write it, and TLC's random
simulation with all cores, where there is a text. A row that two seeds in a row do not find is left. Rows are
written as they come, and known runs are not repeated unless asked ``--again``: a run goes on where another
was ended.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.support.measuring import run_to_end, verify
from tests.support.tla_mutants import MUTANTS, Mutant

_HERE = Path(__file__).resolve().parents[1]
_JSON, _TABLE = _HERE / "hunts.json", _HERE / "hunts.md"
_KAFKA = "upstream/kafka-specification"
_HEAD = ("hunt", "found", "steps", "by", "median s", "median CPU s", "TLC -simulate: s, CPU s")
_ASKED_SECONDS = {"kip320-first-try (5,4,4,4)": 15, "kip320-first-try (7,4,4,4)": 60}
_GIVEN_UP = 2
"""The seeds in a row without a violation after which a row is left."""


@dataclass(frozen=True)
class Texts:
    """A TLA+ text for TLC, and for a hunt of a module."""

    module: Path
    config: Path
    library: Path | None = None


@dataclass(frozen=True)
class Hunt:
    """One row: what is hunted, and where a TLA+ text of it is."""

    name: str
    words: tuple[str, ...] = ()
    """The spec and its constants; empty if the text is hunted itself."""
    texts: Callable[[Path, Path], Texts] | None = None
    """Make the texts from the shared folder in a temporary one."""
    limit_factor: float = 1.0
    """The time limit of this hunt, as a multiple of that of others."""


def _kafka(spec: str, module: str, replicas: int) -> Hunt:
    given = {"replicas": replicas, "log_size": 4, "max_records": 4, "max_leader_epoch": 4}
    words = [
        spec,
        "--property",
        "StrongIsr",
        *(w for name, n in given.items() for w in ("--set", f"{name}={n}")),
    ]

    def texts(shared: Path, folder: Path) -> Texts:
        names = ", ".join(f"r{number}" for number in range(1, replicas + 1))
        config = folder / "Hunt.cfg"
        config.write_text(
            f"SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\nINVARIANT StrongIsr\n"
            f"CONSTANTS Replicas = {{{names}}}\n LogSize = 4\n MaxRecords = 4\n MaxLeaderEpoch = 4\n"
        )
        return Texts(shared / _KAFKA / f"{module}.tla", config)

    return Hunt(f"{spec} ({replicas},4,4,4)", tuple(words), texts)


def _mutant(mutant: Mutant) -> Hunt:
    # Half of an odd number of servers is no more a quorum than before.
    servers = 4 if mutant.what.startswith("half") else 5
    names = ", ".join(f"n{number}" for number in range(1, servers + 1))

    def texts(shared: Path, folder: Path) -> Texts:
        config = mutant.config.replace("{n1, n2}", f"{{{names}}}")
        module = replace(mutant, config=config).write(shared, folder / "texts")
        return Texts(module, module.with_name("Own.cfg"))

    return Hunt(f"{mutant.name}, {servers} servers", (), texts)


def _case(folder: Path) -> Hunt:
    library = folder.parents[2]
    return Hunt(
        f"etcd {folder.name}",
        (),
        lambda shared, own: Texts(folder / "MCetcdraft.tla", folder / "MCetcdraft.cfg", library),
        limit_factor=3.0,
    )


_BOOKKEEPER = (
    "--set",
    "clients=3",
    "--set",
    "write_quorum=2",
    "--set",
    "send_limit=2",
    "--set",
    "inflight_limit=2",
)
_FENCE = ("--property", "NoDivergenceBetweenWriterAndMetaData", "--set", "bookies=4", "--set", "send_limit=4")


def hunts(cases: Path | None) -> list[Hunt]:
    """Return all rows."""
    own = [
        _kafka("kip320-first-try", "Kip320FirstTry", 5),
        _kafka("kip320-first-try", "Kip320FirstTry", 7),
        _kafka("kip101", "Kip101", 5),
        _kafka("kip279", "Kip279", 5),
        Hunt("bookkeeper-4-13, 4 bookies, 4 entries", ("bookkeeper-4-13", *_FENCE)),
        *(_mutant(mutant) for mutant in MUTANTS if mutant.module in ("Raft", "KRaft")),
        Hunt(
            "bookkeeper, two recoveries",
            ("bookkeeper", "--property", "AllCommittedEntriesReachAckQuorum", *_BOOKKEEPER),
            limit_factor=3.0,
        ),
    ]
    found = sorted(cases.glob("*/MCetcdraft.cfg")) if cases is not None else []
    return [*own, *(_case(path.parent) for path in found)]


def by_hunt(hunt: Hunt, shared: Path, seed: int, seconds: float) -> dict[str, Any]:
    """Measure one command."""
    with tempfile.TemporaryDirectory() as folder:
        words = list(hunt.words)
        if not words:
            assert hunt.texts is not None
            made = hunt.texts(shared, Path(folder))
            words = [str(made.module), "--config", str(made.config)]
            words += [] if made.library is None else ["--library", str(made.library)]
        words += ["--find-bugs", "--first", "--seed", str(seed), "--timeout", f"{seconds:g}s"]
        run = run_to_end(verify("check", *words, "--format", "json"), limit=2 * seconds + 60)
    if run is None:
        return {"found": False, "reason": "the command did not end in time"}
    made_of = {"wall": round(run.wall, 1), "cpu": round(run.cpu, 1)}
    if not run.output.startswith("{"):
        return {"found": False, "reason": run.last_error, **made_of}
    said = json.loads(run.output)
    broken = [one for one in said["results"] if one["verdict"] == "VIOLATED"]
    if not broken:
        return {"found": False, "tried": said["statistics"].get("tried", {}), **made_of}
    least = min(broken, key=lambda one: int(one["steps"]))
    by = said["statistics"]["decided_by"].get(least["property"], "")
    return {"found": True, "property": least["property"], "steps": least["steps"], "by": by, **made_of}


def by_tlc(hunt: Hunt, shared: Path, tlc: Path, seconds: float) -> dict[str, Any] | None:
    """Measure TLC's random simulation with all cores; None if there is no text."""
    if hunt.texts is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        texts = hunt.texts(shared, Path(folder))
        options = f"-DTLA-Library={texts.library}" if texts.library is not None else ""
        command = ["timeout", "-s", "INT", f"{seconds:g}", str(tlc), "-simulate", "-noGenerateSpecTE"]
        command += ["-workers", str(os.cpu_count() or 1), "-depth", "200", "-metadir", f"{folder}/states"]
        command += ["-config", str(texts.config), texts.module.name]
        environment = {"JDK_JAVA_OPTIONS": options} if options else {}
        run = run_to_end(command, limit=2 * seconds + 60, folder=texts.module.parent, environment=environment)
    if run is None:
        return {"found": False, "reason": "TLC did not end in time"}
    violated = re.search(r"Invariant (\w+) is violated", run.output)
    states = re.findall(r"^State (\d+):", run.output, re.MULTILINE)
    made: dict[str, Any] = {
        "wall": round(run.wall, 1),
        "cpu": round(run.cpu, 1),
        "found": violated is not None,
    }
    if violated is not None:
        made |= {"property": violated[1], "steps": int(states[-1]) - 1 if states else None}
    return made


def seeds_left(runs: Sequence[dict[str, Any]], seeds: int) -> bool:
    """True if a row needs another run: it has not all its seeds, and the last ones found something."""
    last = runs[-_GIVEN_UP:]
    return len(runs) < seeds and not (len(last) == _GIVEN_UP and not any(run["found"] for run in last))


def cells(name: str, row: dict[str, Any]) -> list[str]:
    """Return the cells of a row."""
    runs = row["runs"]
    found = [run for run in runs if run["found"]]

    def median(what: str) -> str:
        # A seed that finds nothing takes longer than any other.
        times = sorted(run[what] if run["found"] else float("inf") for run in runs)
        middle = statistics.median_high(times) if times else float("inf")
        return "–" if middle == float("inf") else f"{middle:.1f}"

    steps = "–" if not found else f"{min(r['steps'] for r in found)} to {max(r['steps'] for r in found)}"
    asked = f" (asked: {_ASKED_SECONDS[name]})" if name in _ASKED_SECONDS else ""
    by = ", ".join(sorted({run["by"] for run in found}))
    return [
        name,
        f"{len(found)} of {len(runs)}",
        steps,
        by,
        median("wall") + asked,
        median("cpu"),
        _say(row["tlc"]),
    ]


def _say(theirs: dict[str, Any] | None) -> str:
    if theirs is None:
        return ""
    if not theirs["found"]:
        return str(theirs.get("reason") or f"nothing in {theirs['wall']:.0f} s")
    return f"{theirs['steps']} steps: {theirs['wall']:.1f}, {theirs['cpu']:.1f}"


def table(rows: dict[str, dict[str, Any]], seconds: float) -> str:
    """Return the page."""
    about = (
        "`verify check SPEC … --find-bugs --first --seed N`, whole commands with several seeds, and TLC's "
        f"random simulation with all cores. Each run has at most {seconds:g} s, and three times as many for "
        "two recoveries and etcd's real bugs (specula-org/specula-case-studies). "
        "`python -m results.generators.hunts` makes this table; it has the specs and constants. Medians "
        "count a seed that finds nothing as the slowest."
    )
    lines = [
        "# Hunts at large constants",
        "",
        about,
        "",
        f"| {' | '.join(_HEAD)} |",
        f"|{'---|' * len(_HEAD)}",
    ]
    return "\n".join([*lines, *(f"| {' | '.join(cells(name, row))} |" for name, row in rows.items()), ""])


def measure_hunts(hunt: Hunt, row: dict[str, Any], given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield the row after each of its runs."""
    while seeds_left(row["runs"], given.seeds):
        run = by_hunt(hunt, given.shared, len(row["runs"]), hunt.limit_factor * given.seconds)
        row = {**row, "runs": [*row["runs"], run]}
        yield row
    if "tlc" not in row:
        yield {**row, "tlc": by_tlc(hunt, given.shared, given.tlc, hunt.limit_factor * given.seconds)}


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shared", type=Path)
    parser.add_argument("tlc", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--cases", type=Path)
    parser.add_argument("--only", action="append", metavar="PART")
    parser.add_argument("--again", action="store_true")
    given = parser.parse_args()
    given.shared, given.tlc = given.shared.resolve(), given.tlc.resolve()
    known: dict[str, dict[str, Any]] = json.loads(_JSON.read_text()) if _JSON.is_file() else {}
    all_hunts = hunts(given.cases.resolve() if given.cases else None)
    for hunt in all_hunts:
        if given.only is not None and not any(part in hunt.name for part in given.only):
            continue
        begun = {"runs": []} if given.again else known.get(hunt.name, {"runs": []})
        for row in measure_hunts(hunt, begun, given):
            known[hunt.name] = row
            shown = {name: {"tlc": None, **one} for name, one in known.items()}
            _JSON.write_text(json.dumps(known, indent=1) + "\n")
            _TABLE.write_text(table(shown, given.seconds))
            print(hunt.name, row["runs"][-1], row.get("tlc"), flush=True)


if __name__ == "__main__":
    main()
