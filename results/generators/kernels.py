"""Explorations with the compiled library and by NumPy alone: `results/kernels.md`.

Whole commands take turns: `--kernels off`, and `auto` with the library kept. First comes one with an empty
cache, so that it is compiled. Processor seconds are those of all processes, the compiler among them.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
import tempfile
from collections.abc import Sequence
from typing import Any

from tabulate import tabulate

from tests.support.measuring import as_installed, run_to_end, verify

_EACH_THREE = ("--set", "log_size=3", "--set", "max_records=3", "--set", "max_leader_epoch=3")
_BOOKKEEPER = ("--set", "bookies=3", "--set", "write_quorum=3", "--set", "ack_quorum=2")
_PULSAR = ("pulsar-compaction", "--set", "message_sent_limit=5")
QUESTIONS = {
    "kip320 to depth 17": ("kip320", "--property", "StrongIsr", *_EACH_THREE, "--depth", "17"),
    "kip320 to depth 19": ("kip320", "--property", "StrongIsr", *_EACH_THREE, "--depth", "19"),
    "kip320 to depth 17, files": (
        *("kip320", "--property", "StrongIsr", *_EACH_THREE),
        *("--depth", "17", "--workers", "2"),
    ),
    "kip320 to depth 19, symmetry": (
        *("kip320", "--property", "StrongIsr", *_EACH_THREE),
        *("--depth", "19", "--symmetry"),
    ),
    "bookkeeper to depth 15": ("bookkeeper", *_BOOKKEEPER, "--depth", "15"),
    "bookkeeper to depth 17": ("bookkeeper", *_BOOKKEEPER, "--depth", "17"),
    "pulsar-compaction to depth 12": (*_PULSAR, "--depth", "12"),
    "rabbit-sac": ("rabbit-sac", "--set", "queues=4", "--set", "apps=3"),
    "MCBakery": ("{examples}/Bakery-Boulangerie/MCBakery.tla", "--by", "translation"),
}
_COUNTS = ("distinct_states", "generated_states", "depth", "deadlocks", "levels", "actions", "complete")
_HEADERS = ["explored", "states", "NumPy, s", "kernels, s", "NumPy / kernels", "first time, s"]
_HEADERS += ["MiB", "MiB, kernels"]


def main() -> None:
    """Measures, and prints the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("question", nargs="*", default=list(QUESTIONS), help="of these")
    parser.add_argument("--examples", default="../shared/tla/examples", help="the TLA+ examples")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print("# Compiled kernels\n")
    print(
        f"`python -m results.generators.kernels --rounds {options.rounds}`, "
        f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {platform.machine()}, "
        f"{os.cpu_count()} cores, load {os.getloadavg()[2]:.1f}.\n"
    )
    print(
        "Processor seconds of whole commands, which take turns: `verify explore --kernels off`, `auto` with\n"
        "the library kept, and once with an empty cache, so that it is compiled. Medians. Counts, levels\n"
        "and coverage are equal in all lines. On a machine with other work, memory is slower\n"
        "for both, and the ratios of single rounds differ.\n"
    )
    rows = [_row(name, QUESTIONS[name], options.examples, options.rounds) for name in options.question]
    print(tabulate(rows, _HEADERS, tablefmt="github", disable_numparse=True))


def _row(name: str, words: Sequence[str], examples: str, rounds: int) -> list[str]:
    command = [word.format(examples=examples) for word in words]
    with tempfile.TemporaryDirectory() as cache:
        first = _measure(command, "auto", cache)
        runs = [[_measure(command, kernels, cache) for kernels in ("off", "auto")] for _ in range(rounds)]
    for _, counts, _ in (one for both in runs for one in both):
        assert counts == first[1], name
    numpy, kernels = (statistics.median(both[place][0] for both in runs) for place in (0, 1))
    peaks = [f"{runs[-1][place][2] >> 20:,}" for place in (0, 1)]
    seconds = [f"{numpy:.1f}", f"{kernels:.1f}", f"{numpy / kernels:.2f}", f"{first[0]:.1f}"]
    return [name, f"{first[1]['distinct_states']:,}", *seconds, *peaks]


def _measure(words: Sequence[str], kernels: str, cache: str) -> tuple[float, dict[str, Any], int]:
    """Processor seconds, counts, and the peak of memory."""
    command = verify("explore", *words, "--kernels", kernels, "--format", "json")
    done = run_to_end(command, environment={**as_installed(), "XDG_CACHE_HOME": cache})
    assert done is not None
    found = json.loads(done.output)["statistics"]
    counts = {name: found[name] for name in _COUNTS}
    return done.cpu, counts, int(found["peak_memory_bytes"])


if __name__ == "__main__":
    main()
