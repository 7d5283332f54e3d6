"""One exploration by every means: `results/beyond-one-core.md`.

The same question in the memory of one process, by processes, on Spark, and with a quarter of the memory. All
counts must be equal. Processor seconds are those of all processes, looked at several times a second.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

from tabulate import tabulate

from tests.support.measuring import Measured, measure_verify

_COUNTS = ("distinct_states", "generated_states", "depth", "deadlocks", "levels", "actions", "complete")
_PROGRAM = 80 << 20
"""Bytes of the program without states, roughly."""


@dataclass(frozen=True)
class Question:
    """An exploration, and its means beyond one process."""

    spec: str
    arguments: tuple[str, ...]
    means: tuple[str, ...]


_EACH_THREE = ("--set", "log_size=3", "--set", "max_records=3", "--set", "max_leader_epoch=3")
_KIP320 = ("--property", "StrongIsr", *_EACH_THREE)
QUESTIONS = {
    "kip320": Question("kip320", (*_KIP320, "--depth", "19"), ("workers", "local", "cluster", "memory")),
    "kip320-whole": Question("kip320", _KIP320, ("workers", "local", "cluster")),
    "bookkeeper": Question(
        "bookkeeper",
        ("--property", "NoDivergenceBetweenClientAndMetaData", "--set", "bookies=3")
        + ("--set", "write_quorum=3", "--set", "ack_quorum=2", "--depth", "17"),
        ("workers", "local", "cluster"),
    ),
    "pulsar-compaction": Question(
        "pulsar-compaction",
        ("--property", "CompactionHorizonCorrectness", "--set", "message_sent_limit=5", "--depth", "15"),
        ("workers", "local", "cluster"),
    ),
}


def main() -> None:
    """Measures, and prints the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("question", nargs="*", default=list(QUESTIONS), help="of these")
    for part in _page(parser.parse_args().question):
        print(part if part.startswith(("|", "#")) else f"{fill(part, 112)}\n", flush=True)


def _page(names: Sequence[str]) -> Iterator[str]:
    yield "# Exploration beyond one core\n"
    yield (
        "Each section is made by `python -m results.generators.beyond_one_core NAME`. Whole commands, one "
        "after the other. Where the load is larger than the number of cores, other work took part of them: "
        "then the wall time says little, and the processor time of all processes more. Counts, levels and "
        "coverage are compared, and equal in all lines.\n"
    )
    for name in names:
        yield from _section(name, QUESTIONS[name])


def _section(title: str, question: Question) -> Iterator[str]:
    asked = ("--spec", question.spec, *question.arguments)
    yield f"## {title}\n"
    yield (
        f"`verify explore {' '.join(asked)}`, {datetime.datetime.now(datetime.UTC):%Y-%m-%d}, "
        f"{platform.machine()}, {os.cpu_count()} cores.\n"
    )
    first = _explore(asked)
    quarter = _PROGRAM + (first.content["statistics"]["peak_memory_bytes"] - _PROGRAM) // 4
    options = {
        "workers": ["--workers", "2"],
        "local": ["--master", "local[2]"],
        "cluster": ["--master", "local-cluster[2,1,2048]"],
        "memory": ["--memory", f"{quarter >> 20}MiB"],
    }
    rows = [_row("one process, in memory", first)]
    for name in question.means:
        found = _explore([*asked, *options[name]])
        assert _counts(found) == _counts(first), name
        rows.append(_row(f"`{' '.join(options[name])}`", found))
    figures = first.content["statistics"]
    yield f"{figures['distinct_states']:,} states, {figures['generated_states']:,} generated.\n"
    headers = ["means", "wall, s", "processors, s", "load", "peak, MiB", "peak of a task, MiB", "files, MiB"]
    yield tabulate(rows, headers, tablefmt="github", disable_numparse=True) + "\n"


def _counts(found: Measured) -> list[Any]:
    return [found.content["statistics"][name] for name in _COUNTS]


def _explore(arguments: Sequence[str]) -> Measured:
    found = measure_verify(["explore", *arguments])
    print(
        arguments, f"{found.wall:.1f} s", found.content["results"][0]["reason"], file=sys.stderr, flush=True
    )
    return found


def _row(name: str, found: Measured) -> list[str]:
    figures = found.content["statistics"]
    sizes = [figures.get(key) for key in ("peak_memory_bytes", "peak_task_memory_bytes", "bytes_in_files")]
    shown = ["" if size is None else f"{size / 2**20:,.0f}" for size in sizes]
    return [name, f"{found.wall:.1f}", f"{found.cpu:.1f}", f"{found.load:.1f}", *shown]


if __name__ == "__main__":
    main()
