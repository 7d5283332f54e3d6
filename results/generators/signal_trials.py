"""``results/signals.md``: commands that get SIGINT or SIGTERM at random moments.

Run ``python -m results.generators.signal_trials --rows FILE --count 200``. Each trial is appended to the
rows, so the next run of the command goes on where this one ended. ``--seconds`` ends it early. ``--table``
writes the table of the rows there are.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

from tests.support.signals import (
    STUCK_SECONDS,
    Trial,
    commands,
    draw_trial,
    meets_python,
    prepare,
    run,
    wrongs,
)
from verifier.version import tool_version

TABLE = Path(__file__).resolve().parents[1] / "signals.md"
_SECONDS, _FAR_TOO_LATE = 1.0, 3.0
_LAST_WORDS, _WHERE_IT_WAS = 400, 20_000
_HEAD = """# Signals

Run ``python -m results.generators.signal_trials --rows FILE --count 200 --at-once {at_once}``, then with
``--table``. Each trial starts a command, and sends it SIGINT or SIGTERM at a random moment of its run. In
half of the trials the signal comes again within three seconds. In three of ten standard error is a terminal
that is almost full, and that nobody reads ("tty"). Several trials run at once: {load}.
"result" counts those that printed one. The others had none yet, or were still reading the protocol, which
takes seconds on such a machine.

A trial is wrong if the command leaves a process behind, shows a traceback or an internal error, has an exit
code other than 0, 10 and 12, or prints what is no JSON. Some signals come before Python has loaded anything
of verify, and end Python in its own way. These are counted in the column "Python". A command that is still
there 10 s after its signal is aborted, and shows where it is. The time is from the first signal to the end.
Of a command that had ended when the signal was due nothing is counted.

{trials:,} trials, {made}, verify {version}, Python {python}, {cores} cores. Wrong: {wrong}. Later than
{most:g} s: {late}; than {far:g} s: {far_late}.

| command | all | INT | TERM | twice | tty | result | Python | wrong | median | 95 % | most | > {most:g} s |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Row:
    """The outcome of one trial."""

    command: str
    after: float
    number: int
    again: float | None
    terminal: bool
    code: int
    seconds: float
    heard: bool
    spoke: bool
    wrong: tuple[str, ...]
    errors: str
    load: float


def try_command(name: str, words: tuple[str, ...], within: float, seed: str) -> Row:
    """One trial of a command."""
    trial = draw_trial(words, within, Random(seed))
    ended = run(trial)
    wrong = tuple(wrongs(trial, ended, STUCK_SECONDS))
    at_start = meets_python(trial.after, trial.number, ended.code, ended.errors)
    kept = _WHERE_IT_WAS if ended.code == -signal.SIGABRT else _LAST_WORDS
    said = ended.errors[-kept:] if wrong or at_start else ""
    return Row(
        name,
        round(trial.after, 3),
        trial.number,
        trial.again,
        trial.terminal,
        ended.code,
        round(ended.seconds, 3),
        ended.heard,
        bool(ended.output),
        wrong,
        said,
        round(os.getloadavg()[0], 1),
    )


def measure_signal_time(words: tuple[str, ...], within: float) -> float:
    """For how long a signal meets the command, at most ``within``: a shorter one is interrupted sooner."""
    began = time.monotonic()
    run(Trial(words, within, signal.SIGINT, None, False))
    return min(within, time.monotonic() - began)


def _trials(
    count: int, seed: int, only: Sequence[str], there: Mapping[str, int]
) -> Iterator[tuple[str, int]]:
    """The next trials, by rounds, so that a run that ends early has tried each command as often."""
    for number in range(count):
        for name in only:
            if there.get(name, 0) <= number:
                yield name, seed * 1_000_000 + number


def main() -> None:
    """Makes the trials, or writes the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    if given.table:
        TABLE.write_text(table(read(given.rows), given.at_once), encoding="utf-8")
        return
    # Where this runs in the background of a shell, Ctrl-C is ignored, and a command would inherit that:
    # Python drops the signals that come before the program has its handler.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    until = time.monotonic() + given.seconds
    with tempfile.TemporaryDirectory() as made, ThreadPoolExecutor(given.at_once) as pool:
        prepare(Path(made))
        known = commands(Path(made))
        names = given.only or list(known)
        spans = {name: measure_signal_time(*known[name]) for name in names}
        there: dict[str, int] = {}
        for row in read(given.rows):
            there[row.command] = there.get(row.command, 0) + 1
        waiting = _trials(given.count, given.seed, names, there)

        def work() -> None:
            while time.monotonic() < until:
                one = next(waiting, None)
                if one is None:
                    return
                name, number = one
                row = try_command(name, known[name][0], spans[name], f"{name} {number}")
                with given.rows.open("a", encoding="utf-8") as written:
                    written.write(json.dumps(asdict(row)) + "\n")
                if row.wrong or row.seconds > _FAR_TOO_LATE:
                    print(f"{row}", file=sys.stderr, flush=True)

        for done in [pool.submit(work) for _ in range(given.at_once)]:
            done.result()


def read(path: Path) -> list[Row]:
    """The rows of earlier runs."""
    if not path.is_file():
        return []
    entries: list[dict[str, Any]] = [
        json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return [Row(**{**entry, "wrong": tuple(entry["wrong"])}) for entry in entries]


def table(rows: Sequence[Row], at_once: int) -> str:
    """The rows as a table, by command."""
    rows = [row for row in rows if row.heard]
    loads = [row.load for row in rows]
    own = [row for row in rows if not _meets_python(row)]
    late = [row for row in own if row.seconds > _SECONDS]
    head = _HEAD.format(
        at_once=at_once,
        load=f"the load was {min(loads):g} to {max(loads):g}",
        trials=len(rows),
        made=f"{datetime.now(UTC):%Y-%m-%d}",
        version=tool_version(),
        python=platform.python_version(),
        cores=os.cpu_count(),
        wrong=sum(bool(row.wrong) for row in own),
        most=_SECONDS,
        far=_FAR_TOO_LATE,
        late=len(late),
        far_late=sum(row.seconds > _FAR_TOO_LATE for row in own),
    )
    lines = [
        _line(name, [row for row in rows if row.command == name])
        for name in dict.fromkeys(row.command for row in rows)
    ]
    wrong = [
        f"- {row.command}: {signal.Signals(row.number).name} after {row.after:.2f} s"
        f"{'' if row.again is None else f' and {row.again:.2f} s later'}: {', '.join(row.wrong)}\n"
        for row in own
        if row.wrong
    ]
    return head + "".join(lines) + ("\n" + "".join(wrong) if wrong else "")


def _meets_python(row: Row) -> bool:
    return meets_python(row.after, row.number, row.code, row.errors)


def _line(name: str, rows: Sequence[Row]) -> str:
    own = [row for row in rows if not _meets_python(row)]
    seconds = sorted(row.seconds for row in own)
    cells = [
        name,
        len(rows),
        sum(row.number == signal.SIGINT for row in rows),
        sum(row.number == signal.SIGTERM for row in rows),
        sum(row.again is not None for row in rows),
        sum(row.terminal for row in rows),
        sum(row.spoke for row in rows),
        len(rows) - len(own),
        sum(bool(row.wrong) for row in own),
        f"{statistics.median(seconds):.2f}",
        f"{seconds[int(len(seconds) * 0.95)]:.2f}",
        f"{seconds[-1]:.2f}",
        sum(one > _SECONDS for one in seconds),
    ]
    return f"| {' | '.join(map(str, cells))} |\n"


if __name__ == "__main__":
    main()
