"""Measures how far each engine goes as constants grow: the points of `results/scaling.json`.

Each point is a whole command, one after the other, and is kept as soon as it is measured, so that a run that
was interrupted goes on. A limit counts processor seconds of all processes, since what else the machine does
counts less in them than in the time on the clock. An engine's line ends with the first constants at which it
does not decide within the limit. `results.generators.scaling` makes the page of them.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.support.measuring import measure_verify, run_to_end
from verifier.version import UNKNOWN

RESULTS = Path(__file__).resolve().parent.parent
POINTS = RESULTS / "scaling.json"
LIMIT = 300
"""Processor seconds for each command."""
_SOURCES = ("verifier", "encodings", "specs")
ENGINES: Mapping[str, tuple[str, ...]] = {
    "explore": ("explore", "--memory", "8GiB"),
    "ic3": ("prove", "--engine", "ic3", "--no-lemmas"),
    "bmc": ("bmc",),
    "induct": ("induct",),
}


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


_IN_FILES = ("explore", "--workers", "2", "--spec", "kip320", "--property", "StrongIsr")
IN_FILES = (*_IN_FILES, "--set", "log_size=3", "--set", "max_records=3", "--set", "max_leader_epoch=2")
"""An exploration in files by two processes. What a cluster would take is projected from it."""


@dataclass(frozen=True)
class Point:
    """The result of one command."""

    command: tuple[str, ...]
    """The words after `verify`."""
    version: str
    """The version of the program: the last commit to it."""
    date: str
    limit: int
    decided: bool
    cpu: float
    """Processor seconds of all its processes."""
    wall: float
    memory: int
    """Bytes of its largest process."""
    load: float
    """When it ended, its own included."""
    figures: Mapping[str, int] = field(default_factory=dict)
    """Some of its statistics: states, levels, bytes."""

    def is_within(self, limit: int) -> bool:
        """True if it was decided within this number of processor seconds."""
        return self.decided and self.cpu <= limit

    def answers(self, limit: int) -> bool:
        """True if it tells whether the command decides within this number of processor seconds."""
        return self.decided or self.limit >= limit


Points = dict[tuple[str, ...], Point]
"""By their commands."""


def main() -> None:
    """Measures the points that are missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=LIMIT, help="processor seconds for each command")
    specs = [ladder.spec for ladder in LADDERS]
    parser.add_argument("--spec", action="append", choices=specs, help="only these protocols")
    parser.add_argument("--engine", action="append", choices=list(ENGINES), help="only these, in this order")
    parser.add_argument("--points", type=Path, default=POINTS, help="where points are kept")
    parser.add_argument("--renew", action="store_true", help="measure points of other versions again")
    given = parser.parse_args()
    measuring = Measuring(given.points, given.limit, version(), renew=given.renew)
    try:
        for engine in given.engine or ENGINES:
            for ladder in LADDERS:
                if not given.spec or ladder.spec in given.spec:
                    measuring.line(ladder, engine)
        if not given.engine and not given.spec:
            measuring.point(IN_FILES)
    except KeyboardInterrupt:
        raise SystemExit(f"interrupted: {given.points} keeps what was measured, to go on from") from None


@dataclass
class Measuring:
    """Measures what the file of points does not answer."""

    path: Path
    limit: int
    version: str
    renew: bool = False

    def __post_init__(self) -> None:
        self.points = read_points(self.path)

    def line(self, ladder: Ladder, engine: str) -> None:
        """Measure a protocol at growing constants, as far as the engine decides."""
        for step in ladder.steps:
            if not self.point(command_of(ladder, engine, step)).is_within(self.limit):
                break

    def point(self, command: tuple[str, ...]) -> Point:
        """The point of a command, measured if it is not known."""
        known = self.points.get(command)
        other = known is not None and known.version != self.version
        if known is not None and known.answers(self.limit) and not (other and self.renew):
            _say(f"kept, of {known.version} and not {self.version}" if other else "kept", known)
            return known
        taken = measure_verify(command, self.limit)
        statistics = taken.content.get("statistics", {})
        point = Point(
            command=command,
            version=self.version,
            date=f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}",
            limit=self.limit,
            decided=bool(taken.content) and taken.content["exit_code"] == 0,
            cpu=round(taken.cpu, 2),
            wall=round(taken.wall, 2),
            memory=taken.memory,
            load=round(taken.load, 1),
            figures=dict(_figures(statistics)),
        )
        self.points[command] = point
        write_points(self.path, self.points)
        _say("measured", point)
        return point


def command_of(ladder: Ladder, engine: str, step: Sequence[int]) -> tuple[str, ...]:
    """The words after `verify`."""
    settings = [f"{name}={value}" for name, value in zip(ladder.names, step, strict=True)]
    chosen = [word for setting in settings for word in ("--set", setting)]
    return (*ENGINES[engine], "--spec", ladder.spec, "--property", ladder.property_name, *chosen)


def read_points(path: Path) -> Points:
    """The points of a file; none if there is no file. A file that holds something else ends the program."""
    if not path.exists():
        return {}
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        points = [Point(**{**row, "command": tuple(row["command"])}) for row in rows]
    except (ValueError, TypeError, KeyError) as error:
        raise SystemExit(f"{path} holds no points: {error}") from None
    return {point.command: point for point in points}


def write_points(path: Path, points: Points) -> None:
    """Replaces the file, a line for each point, so that it is whole at any time."""
    rows = ",\n".join(json.dumps(asdict(point)) for point in points.values())
    new = path.with_suffix(".new")
    new.write_text(f"[\n{rows}\n]\n", encoding="utf-8")
    os.replace(new, path)


def version() -> str:
    """The last commit to the program, and whether it was changed since."""
    last = run_to_end(["git", "log", "-1", "--format=%h", "--", *_SOURCES], folder=RESULTS.parent)
    changed = run_to_end(["git", "status", "--porcelain", "--", *_SOURCES], folder=RESULTS.parent)
    if last is None or changed is None or last.code or changed.code:
        return UNKNOWN
    return last.output.strip() + (" with changes" if changed.output else "")


def _figures(statistics: Mapping[str, object]) -> Iterator[tuple[str, int]]:
    for name in ("distinct_states", "bytes_exchanged", "bytes_in_files"):
        if isinstance(value := statistics.get(name), int):
            yield name, value
    if isinstance(levels := statistics.get("levels"), list):
        yield "levels", len(levels)


def _say(how: str, point: Point) -> None:
    end = f"{point.cpu:.1f} s" if point.decided else f"not decided in {point.limit} s"
    print(f"verify {' '.join(point.command)}: {how}, {end}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
