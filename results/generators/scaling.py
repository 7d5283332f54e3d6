"""How far each engine goes as constants grow: `results/scaling.md`, with pictures beside it.

Each point is a whole command, one after the other. Times are processor seconds of all its processes, since
what else the machine does counts less in them than in the time on the clock. An engine's line ends with the
first constants at which it does not decide within the limit.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill

from matplotlib.figure import Figure
from tabulate import tabulate

from results.generators.measuring import measured

FOLDER = Path(__file__).resolve().parent.parent
ENGINES: Mapping[str, tuple[str, ...]] = {
    "explore": ("explore",),
    "bmc": ("bmc",),
    "ic3": ("prove", "--engine", "ic3", "--no-lemmas"),
    "induct": ("induct",),
}
_CORES, _CORES_OF_A_NODE, _NETWORK = 1000, 32, 10e9 / 8
_BARRIER_SECONDS = 1.0
"""Assumed for each level: two Spark jobs and the wait for their slowest tasks."""
_EFFICIENCY = 0.6
"""Assumed share of the time in which a core of the cluster has a task."""


@dataclass(frozen=True)
class Ladder:
    """A protocol at growing constants, and the property that is asked about."""

    spec: str
    property_name: str
    names: tuple[str, ...]
    steps: tuple[tuple[int, ...], ...]


LADDERS = (
    Ladder(
        "kip320",
        "StrongIsr",
        ("replicas", "log_size", "max_records", "max_leader_epoch"),
        ((2, 1, 1, 1), (2, 2, 2, 2), (3, 2, 2, 1), (3, 2, 2, 2), (3, 3, 3, 2), (3, 3, 3, 3), (4, 3, 3, 3)),
    ),
    Ladder(
        "bookkeeper",
        "NoDivergenceBetweenClientAndMetaData",
        ("bookies", "write_quorum", "ack_quorum"),
        ((2, 2, 1), (3, 2, 1), (3, 2, 2), (3, 3, 2), (4, 3, 2)),
    ),
    Ladder(
        "pulsar-compaction",
        "CompactionHorizonCorrectness",
        ("message_sent_limit", "compaction_times_limit"),
        ((1, 2), (2, 3), (3, 3), (4, 3), (5, 3)),
    ),
    Ladder("rabbit-sac", "DeadlockBalanced", ("queues", "apps"), ((2, 2), (3, 3), (4, 3), (4, 4), (5, 4))),
    Ladder(
        "exactly-once",
        "Safety",
        ("message_count", "dup_count"),
        ((1, 2), (2, 2), (3, 2), (4, 2)),
    ),
    Ladder(
        "exactly-once-atomic", "Safety", ("max_queue", "max_retry"), ((2, 1), (2, 2), (3, 1), (3, 2), (4, 2))
    ),
)


@dataclass(frozen=True)
class Point:
    """What came of one command."""

    seconds: float
    memory: int
    """Bytes of its largest process."""
    decided: bool
    states: int | None = None


def main() -> None:
    """Measures, draws, and prints the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=300, help="processor seconds for each command")
    parser.add_argument("--spec", action="append", help="only these protocols")
    parser.add_argument("--pictures", type=Path, default=FOLDER)
    given = parser.parse_args()
    ladders = [ladder for ladder in LADDERS if not given.spec or ladder.spec in given.spec]
    for part in _page(ladders, given.limit, given.pictures):
        words = part if part.startswith(("|", "!", "#")) else f"{fill(part, 112)}\n"
        print(words, flush=True)


def _page(ladders: Sequence[Ladder], limit: int, pictures: Path) -> Iterator[str]:
    load = os.getloadavg()[0]
    yield "# How far it goes\n"
    command = f"python -m results.generators.scaling {' '.join(sys.argv[1:])}".strip()
    today = f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}"
    yield (
        f"`{command}` (`make scaling` for all), {today}, {platform.machine()}, {os.cpu_count()} cores, "
        f"load {load:.1f} at the beginning, limit {limit} s for each command. Seconds are processor seconds "
        "of all processes of the whole command; memory is that of its largest process. A dash: not decided "
        "within the limit, and nothing larger was tried. `ic3` works without lemmas, `induct` by them.\n"
    )
    for ladder in ladders:
        points = {engine: _line(ladder, engine, limit) for engine in ENGINES}
        picture = pictures / f"scaling-{ladder.spec}.png"
        _draw(ladder, points, limit, picture)
        yield f"## {ladder.spec}, {ladder.property_name}\n"
        yield f"![time and memory]({picture.name})\n"
        yield _table(ladder, points) + "\n"
    yield from _projection(limit)


def _line(ladder: Ladder, engine: str, limit: int) -> list[Point]:
    found: list[Point] = []
    for step in ladder.steps:
        settings = [f"{name}={value}" for name, value in zip(ladder.names, step, strict=True)]
        chosen = [word for setting in settings for word in ("--set", setting)]
        asked = ["--spec", ladder.spec, "--property", ladder.property_name]
        found.append(_point([*ENGINES[engine], *asked, *chosen], limit))
        print(f"{ladder.spec} {engine} {step}: {found[-1]}", file=sys.stderr, flush=True)
        if not found[-1].decided:
            break
    return found


def _point(arguments: Sequence[str], limit: int) -> Point:
    taken = measured(arguments, limit)
    decided = bool(taken.content) and taken.content["exit_code"] == 0
    states = taken.content.get("statistics", {}).get("distinct_states")
    return Point(taken.cpu, taken.memory, decided, states)


def _label(step: Sequence[int]) -> str:
    return ".".join(map(str, step))


def _table(ladder: Ladder, points: Mapping[str, Sequence[Point]]) -> str:
    rows = []
    for number, step in enumerate(ladder.steps):
        explored = points["explore"][number : number + 1]
        states = next((f"{one.states:,}" for one in explored if one.decided and one.states), "")
        cells = [_cell(points[engine][number : number + 1]) for engine in ENGINES]
        rows.append([_label(step), states, *cells])
    headers = [", ".join(ladder.names), "states", *(f"{engine}: s, MiB" for engine in ENGINES)]
    return tabulate(rows, headers, tablefmt="github", disable_numparse=True)


def _cell(points: Sequence[Point]) -> str:
    """At most one point."""
    if not points:
        return ""
    (point,) = points
    return f"{point.seconds:.1f}, {point.memory / 2**20:.0f}" if point.decided else "–"


def _draw(ladder: Ladder, points: Mapping[str, Sequence[Point]], limit: int, path: Path) -> None:
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    time, memory = figure.subplots(1, 2)
    labels = [_label(step) for step in ladder.steps]
    for engine, line in points.items():
        known = [point for point in line if point.decided]
        places = range(len(known))
        (drawn,) = time.plot(places, [point.seconds for point in known], "o-", label=engine)
        memory.plot(places, [point.memory / 2**20 for point in known], "o-", label=engine)
        if len(known) < len(line):
            # Crosses of several engines at the same constants stand side by side.
            shift = 0.12 * (list(points).index(engine) - 1.5)
            time.plot([len(known) + shift], [limit], "x", color=drawn.get_color())
    for axes, words in ((time, "processor seconds"), (memory, "MiB of the largest process")):
        axes.set_yscale("log")
        axes.set_xticks(range(len(labels)), labels, rotation=30)
        axes.set_xlabel(", ".join(ladder.names))
        axes.set_ylabel(words)
        axes.grid(visible=True, which="major", alpha=0.3)
    words = "cross: not\nwithin the limit"
    figure.legend(*time.get_legend_handles_labels(), loc="outside right center", title=words)
    figure.suptitle(ladder.spec)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def _projection(limit: int) -> Iterator[str]:
    """What a cluster would take, from one exploration in files by two processes."""
    constants = ("--set", "log_size=3", "--set", "max_records=3", "--set", "max_leader_epoch=2")
    asked = ("--spec", "kip320", "--property", "StrongIsr")
    taken = measured(["explore", *asked, *constants, "--workers", "2"], limit)
    figures = taken.content.get("statistics", {})
    yield "## A cluster\n"
    if not figures.get("complete"):
        yield "The exploration that this is computed from did not end within the limit."
        return
    states, levels = figures["distinct_states"], len(figures["levels"])
    cpu = taken.cpu / states
    shuffled, kept = figures["bytes_exchanged"] / states, figures["bytes_in_files"] / states
    yield (
        f"Measured on kip320 3.3.3.2 in files, by two processes: {states:,} states, {cpu * 1e6:.1f} µs of "
        f"processor time, {shuffled:.0f} bytes exchanged and {kept:.0f} bytes kept for each. **Projected, "
        f"not measured**, for {_CORES:,} cores of this kind in nodes of {_CORES_OF_A_NODE} with "
        f"{_NETWORK * 8 / 1e9:.0f} Gbit/s each, which all exchanged bytes cross twice (written to and read "
        f"from the shared folder), cores with a task for {_EFFICIENCY:.0%} of the time, {levels} levels of "
        f"{_BARRIER_SECONDS:.0f} s of starting and waiting each, and states and levels of the same shape:\n"
    )
    rows = []
    for exponent in (8, 9, 10, 11, 12):
        many = 10**exponent
        computing = many * cpu / (_CORES * _EFFICIENCY)
        network = 2 * many * shuffled / (_NETWORK * _CORES / _CORES_OF_A_NODE)
        whole = computing + network + levels * _BARRIER_SECONDS
        one = many * cpu
        folder = many * kept / 2**40
        rows.append([f"10^{exponent}", _duration(one), _duration(whole), f"{folder:.3g} TiB"])
    yield tabulate(rows, ["states", "one core", f"{_CORES:,} cores", "folder"], tablefmt="github")
    yield (
        "\nBelow some 10^8 states one machine is enough: a cluster gains little on levels that take a "
        "second. The folder's own speed is assumed to keep up with the network, which has to be tried."
    )


def _duration(seconds: float) -> str:
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


if __name__ == "__main__":
    main()
