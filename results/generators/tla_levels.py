"""``results/tla-levels.md``: larger TLA+ specifications explored to a depth, level by level beside TLC.

Run ``python -m results.generators.tla_levels UPSTREAM TLC [--seconds 120] [--by SEMANTICS]``. Both take the
text and the configuration as they are; TLC by way of a module that extends the text, stops at the depth and
counts levels.
Where SYMMETRY is refused here, TLC runs without it.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from tests.support.measuring import run_to_end, verify

_TABLE = Path(__file__).resolve().parents[1] / "tla-levels.md"
_RAFT, _KRAFT = "raft-tlaplus/specifications", "kafka-tlaplus/kafka_data_replication/kraft"
_DEPTHS = {
    f"{_RAFT}/standard-raft/Raft": 11, f"{_RAFT}/raft-and-fsync/RaftFsync": 11,
    f"{_RAFT}/pull-raft/PullRaft": 10, f"{_RAFT}/pull-raft/PullRaftVariant2": 10,
    f"{_RAFT}/pull-raft/KRaft": 10, f"{_RAFT}/pull-raft/KRaftWithReconfig": 3,
    f"{_RAFT}/flexible-raft/FlexibleRaft": 8,
    f"{_RAFT}/standard-raft/RaftWithReconfigJointConsensus": 5,
    f"{_KRAFT}/kip-966/kafka_replication_kip_966": 5, f"{_KRAFT}/v3.5/kafka_replication_v3_5": 6,
    "kafka-tlaplus/groupprotocol/consumer_group_protocol_kip_848_v2": 7,
    "kafka-tlaplus/transactions/diary/02_AddPartitionsToTxn/tlaplus/kafka_transactions": 40,
}  # fmt: skip
_COUNTING = """---- MODULE Counting ----
EXTENDS {module}, TLC
CountingWithin == TLCGet("level") <= {depth} + 1
CountingState == PrintT(<<"LEVEL", TLCGet("level")>>)
====
"""


def own_levels(module: Path, depth: int, seconds: float, by: str = "auto") -> dict[str, Any] | str:
    """The statistics of `verify explore` by a semantics; or what went wrong."""
    words = ["explore", "--spec", str(module), "--depth", str(depth), "--timeout", f"{seconds:g}s"]
    done = run_to_end(verify(*words, "--by", by, "--format", "json"))
    assert done is not None
    if not done.output.startswith("{"):
        return done.last_error
    run: dict[str, Any] = json.loads(done.output)
    return dict(run["statistics"])


def tlc_levels(module: Path, depth: int, tlc: Path, symmetry: bool, seconds: float) -> list[int] | str:
    """The distinct states per level that TLC finds; or what went wrong."""
    config = module.with_suffix(".cfg").read_text()
    if not symmetry:
        config = re.sub(r"^\s*SYMMETRY\s+\w+", "", config, flags=re.MULTILINE)
    config += "\nCONSTRAINT CountingWithin\nINVARIANT CountingState\n"
    with tempfile.TemporaryDirectory() as folder:
        for text in module.parent.glob("*.tla"):
            shutil.copy(text, folder)
        (Path(folder) / "Counting.tla").write_text(_COUNTING.format(module=module.stem, depth=depth))
        (Path(folder) / "Counting.cfg").write_text(config)
        words = [str(tlc), "-workers", "1", "-noGenerateSpecTE", "-deadlock", "-metadir", f"{folder}/states"]
        done = run_to_end([*words, "Counting.tla"], limit=seconds, folder=Path(folder))
    if done is None:
        return "TLC was not done in time"
    counts = Counter(int(level) for level in re.findall(r'<<"LEVEL", (\d+)>>', done.output))
    errors = [line for line in done.output.splitlines() if line.startswith("Error")]
    if errors or not counts:
        return (errors or ["TLC printed no levels"])[0]
    return [counts[level] for level in sorted(counts)]


def compare_levels(
    name: str, depth: int, upstream: Path, tlc: Path, seconds: float, by: str = "auto"
) -> list[str]:
    """The cells of a specification, by a semantics."""
    module = upstream / f"{name}.tla"
    own = own_levels(module, depth, seconds, by)
    if isinstance(own, str):
        return [module.stem, str(depth), own.replace(f"{upstream}/", ""), "", "**no**"]
    levels = own["levels"]
    theirs = tlc_levels(module, depth, tlc, own["symmetry_refused"] is None, seconds)
    how = "SYMMETRY" if own["symmetry"] else "SYMMETRY refused" if own["symmetry_refused"] else ""
    if isinstance(theirs, str):
        return [module.stem, str(depth), " ".join(map(str, levels)), theirs, "**no**"]
    counted = theirs[: len(levels)]
    agrees = "yes" if counted == levels else "**no**"
    tlc_shown = "the same" if counted == levels else " ".join(map(str, counted))
    return [f"{module.stem} {how}".strip(), str(depth), " ".join(map(str, levels)), tlc_shown, agrees]


def table(rows: list[list[str]]) -> str:
    """The rows as Markdown."""
    lines = [
        "# Larger TLA+ specifications: states per level",
        "",
        "`python -m results.generators.tla_levels UPSTREAM TLC` makes this table: distinct states at each",
        "depth from 0 on, of the text with its configuration, as `verify explore --depth` and TLC find",
        "them.",
        f"{sum(row[-1] == 'yes' for row in rows)} of {len(rows)} agree at every level.",
        "",
        "| specification | depth | distinct states per level | TLC | agrees |",
        "|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *(f"| {' | '.join(cells)} |" for cells in rows), ""])


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("upstream", type=Path)
    parser.add_argument("tlc", type=Path)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--by", choices=("auto", "interpreter", "translation"), default="auto")
    given = parser.parse_args()
    rows = []
    for name, depth in _DEPTHS.items():
        rows.append(compare_levels(name, depth, given.upstream, given.tlc, given.seconds, given.by))
        print(rows[-1], flush=True)
        _TABLE.write_text(table(rows))


if __name__ == "__main__":
    main()
