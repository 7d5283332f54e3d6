"""The page of how far each engine goes as constants grow, `results/scaling.md`, with pictures beside it.

It is made of the points that `results.generators.scaling_points` has measured.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import fill

from matplotlib.figure import Figure
from PIL import Image
from tabulate import tabulate

from results.generators.scaling_points import (
    ENGINES,
    IN_FILES,
    LADDERS,
    LIMIT,
    POINTS,
    RESULTS,
    Ladder,
    Point,
    Points,
    command_of,
    read_points,
)

_CORES, _CORES_OF_A_NODE, _NETWORK = 1000, 32, 10e9 / 8
_BARRIER_SECONDS = 1.0
"""Assumed for each level: two Spark jobs and the wait for their slowest tasks."""
_EFFICIENCY = 0.6
"""Assumed share of the time in which a core of the cluster has a task."""


def main() -> None:
    """Draws, and prints the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=LIMIT, help="processor seconds for each command")
    parser.add_argument("--points", type=Path, default=POINTS, help="where points are kept")
    parser.add_argument("--pictures", type=Path, default=RESULTS)
    given = parser.parse_args()
    for part in page(read_points(given.points), given.limit, given.pictures):
        words = part if part.startswith(("|", "!", "#")) else f"{fill(part, 112)}\n"
        print(words, flush=True)


def page(points: Points, limit: int, pictures: Path) -> Iterator[str]:
    """The paragraphs of the page; draws the pictures."""
    yield "# How far it goes\n"
    if not points:
        yield "Nothing is measured."
        return
    yield _say_measurement(points.values(), limit)
    for ladder in LADDERS:
        lines = {engine: line(points, ladder, engine, limit) for engine in ENGINES}
        picture = pictures / f"scaling-{ladder.spec}.png"
        _draw(ladder, lines, limit, picture)
        yield f"## {ladder.spec}, {ladder.property_name}\n"
        yield f"![time and memory]({picture.name})\n"
        yield _table(ladder, lines, limit) + "\n"
    yield from _projection(points.get(IN_FILES), limit)


def _say_measurement(points: Iterable[Point], limit: int) -> str:
    """When the points were measured, where, and what the figures are."""
    known = list(points)
    dates = sorted({point.date for point in known})
    loads = [point.load for point in known]
    versions = ", ".join(f"{name} ({many})" for name, many in Counter(p.version for p in known).items())
    memory = ENGINES["explore"][-1]
    return (
        f"`make scaling`, {' to '.join(dict.fromkeys((dates[0], dates[-1])))}, {platform.machine()}, "
        f"{os.cpu_count()} cores, load at the end of the commands {min(loads):.1f} to {max(loads):.1f}, "
        f"limit {limit} processor seconds for each command. Versions of the program, and how many commands "
        f"were measured with each: {versions}. Of each whole command: processor seconds of all its "
        "processes, seconds of the clock, which are longer the more other work there was, and MiB of its "
        "largest process. A dash: not decided within the limit, and nothing larger was tried. Blank with no "
        f"dash above: not measured yet. `explore` writes to files what is beyond {memory}, `ic3` works "
        "without lemmas, `induct` by them.\n"
    )


def line(points: Points, ladder: Ladder, engine: str, limit: int) -> list[Point]:
    """Return the known points of a protocol at growing constants, up to the first that is undecided or not
    measured."""
    found: list[Point] = []
    for step in ladder.steps:
        point = points.get(command_of(ladder, engine, step))
        if point is None or not point.answers(limit):
            break
        found.append(point)
        if not point.is_within(limit):
            break
    return found


def _label(step: Sequence[int]) -> str:
    return ".".join(map(str, step))


def _table(ladder: Ladder, points: Mapping[str, Sequence[Point]], limit: int) -> str:
    rows = []
    for number, step in enumerate(ladder.steps):
        explored = [one for one in points["explore"][number : number + 1] if one.is_within(limit)]
        states = "".join(f"{one.figures['distinct_states']:,}" for one in explored)
        cells = [_cell(points[engine][number : number + 1], limit) for engine in ENGINES]
        rows.append([_label(step), states, *cells])
    headers = [", ".join(ladder.names), "states", *(f"{engine}: CPU s, s, MiB" for engine in ENGINES)]
    return tabulate(rows, headers, tablefmt="github", disable_numparse=True)


def _cell(points: Sequence[Point], limit: int) -> str:
    """At most one point."""
    if not points:
        return ""
    (point,) = points
    if not point.is_within(limit):
        return "–"
    return f"{point.cpu:.1f}, {point.wall:.1f}, {point.memory / 2**20:.0f}"


def _draw(ladder: Ladder, points: Mapping[str, Sequence[Point]], limit: int, path: Path) -> None:
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    time, memory = figure.subplots(1, 2)
    labels = [_label(step) for step in ladder.steps]
    for engine, measured in points.items():
        known = [point for point in measured if point.is_within(limit)]
        places = range(len(known))
        (drawn,) = time.plot(places, [point.cpu for point in known], "o-", label=engine)
        memory.plot(places, [point.memory / 2**20 for point in known], "o-", label=engine)
        if len(known) < len(measured):
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
    shrink(path)


def shrink(path: Path) -> None:
    """Give a picture 256 colours, which are enough for lines: the file is a third as large."""
    with Image.open(path) as picture:
        few = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


def _projection(taken: Point | None, limit: int) -> Iterator[str]:
    """Yield an estimate of the time on a cluster, from one exploration in files by two processes."""
    yield "## A cluster\n"
    if taken is None or not taken.is_within(limit):
        yield "The exploration that this is computed from is not measured, or did not end within the limit."
        return
    figures = taken.figures
    states, levels = figures["distinct_states"], figures["levels"]
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
