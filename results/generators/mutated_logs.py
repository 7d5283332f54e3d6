"""``results/mutated-logs.md``: accepted logs with one change each, by ``verify conform`` beside TLC.

Run ``python -m results.generators.mutated_logs TRACES LIBRARIES [--count 50] [--jobs 2] [--only WORDS]``.
TRACES has trace modules with logs that they accept, LIBRARIES ``tla2tools.jar`` and ``CommunityModules.jar``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from verifier.conform.judging import LogQuestion, judge_logs
from verifier.conform.outcome import Conformance, LogVerdict

_TABLE = Path(__file__).resolve().parents[1] / "mutated-logs.md"
_KINDS = ("dropped", "doubled", "exchanged", "changed")
_DEPTH = re.compile(r"depth of the complete state graph search is (\d+)")
_SECONDS = 120
_HEAD = """# Mutated logs

Run ``python -m results.generators.mutated_logs TRACES LIBRARIES --count {count}``. Of each accepted log there
are {count} copies with one event dropped, doubled, exchanged with the next one, or with one value changed (a
number, a string or a truth value). ``verify conform`` judges each copy, and TLC does with the same trace
module.

"as TLC" counts equal verdicts. "later" counts copies that TLC rejects after fewer explained events than
verify. An accepted copy is still an execution; below the table is what was changed in these. A copy that is
neither rejected nor accepted has a value whose use is an error, to TLC too.

| log | lines | change | copies | rejected | accepted | as TLC | later |
|---|---|---|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Case:
    """An accepted log and its trace module."""

    folder: str
    module: str
    variable: str
    log: str
    lines: int | None = None
    """The number of lines that are taken; None for all."""
    surroundings: Mapping[str, str] = field(default_factory=dict)
    """Other files that the module reads, by environment variable."""


CASES = (
    *(
        Case(
            "key-value-store", "KeyValueStoreTrace", "TRACE_PATH", f"trace.ndjson.{kind}", None,
            {"CONFIG_PATH": "conf.10-20-5.ndjson"},
        )
        for kind in ("4C.VEA", "8C.VEA")
    ),
    Case("etcd-raft", "Traceetcdraft", "JSON", "example.ndjson", 150),
)  # fmt: skip


@dataclass(frozen=True)
class Copy:
    """A copy of a log with one change."""

    kind: str
    line: int
    words: str
    """The event or the field that was changed."""
    text: str


def copies(lines: Sequence[str], count: int, seed: str) -> Iterator[Copy]:
    """Yield copies of a log, each with one change of a kind; the kinds take turns."""
    chance = Random(seed)
    for number in range(count):
        kind, at = _KINDS[number % len(_KINDS)], chance.randrange(len(lines) - 1)
        made, event = list(lines), json.loads(lines[at])
        named = event.get("event", "")
        words = str(named.get("name", "") if isinstance(named, dict) else named)
        match kind:
            case "dropped":
                del made[at]
            case "doubled":
                made.insert(at, lines[at])
            case "exchanged":
                made[at], made[at + 1] = lines[at + 1], lines[at]
            case _:
                path = chance.choice(list(_leaves(event)))
                made[at], words = json.dumps(_with(event, path, chance, lines)), ".".join(map(str, path))
        yield Copy(kind, at + 1, words, "\n".join(made) + "\n")


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    match value:
        case dict():
            for name, one in value.items():
                yield from _leaves(one, (*path, name))
        case list():
            for number, one in enumerate(value):
                yield from _leaves(one, (*path, number))
        case bool() | int() | str():
            yield path


def _with(event: Any, path: tuple[Any, ...], chance: Random, lines: Sequence[str]) -> Any:
    """Return an event with another value at a path: of a string, one that another event has there."""
    made = json.loads(json.dumps(event))
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    value = inner[path[-1]]
    match value:
        case bool():
            inner[path[-1]] = not value
        case int():
            inner[path[-1]] = value + chance.choice((-1, 1))
        case _:
            others = sorted(
                {found for line in lines if type(found := _at(json.loads(line), path)) is str} - {value}
            )
            inner[path[-1]] = chance.choice(others or [f"{value}x"])
    return made


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def by_tlc(case: Case, traces: Path, libraries: Path, log: Path) -> tuple[bool | None, int]:
    """Return whether TLC accepts a log, None if it ends otherwise, and the depth of its search."""
    folder = traces / case.folder
    names = {name: str((folder / file).resolve()) for name, file in case.surroundings.items()}
    path = os.pathsep.join(str(libraries / one) for one in ("tla2tools.jar", "CommunityModules.jar"))
    with tempfile.TemporaryDirectory() as states:
        command = ["java", "-XX:+UseSerialGC", "-cp", path, "tlc2.TLC", "-workers", "1", "-lncheck", "final"]
        command += ["-metadir", states, "-config", f"{case.module}.cfg", f"{case.module}.tla"]
        try:
            done = subprocess.run(
                command, cwd=folder, env={**os.environ, **names, case.variable: str(log)},
                capture_output=True, text=True, timeout=_SECONDS, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return None, 0
    depth = _DEPTH.search(done.stdout)
    accepted = done.returncode == 0 if done.returncode in (0, 10, 11, 12, 13) else None
    return accepted, int(depth[1]) if depth else 0


def judge_copies(
    case: Case, traces: Path, libraries: Path, count: int, jobs: int
) -> tuple[int, list[tuple[Copy, LogVerdict, bool | None, int]]]:
    """Return the number of lines, and each copy with the verdicts."""
    folder = traces / case.folder
    lines = [line for line in (folder / case.log).read_text().split("\n") if line.strip()][: case.lines]
    made = list(copies(lines, count, case.log))
    with tempfile.TemporaryDirectory() as temporary:
        files = [Path(temporary, f"{number:03}.ndjson") for number in range(count)]
        for file, copy in zip(files, made, strict=True):
            file.write_text(copy.text)
        os.environ.update({name: str((folder / file).resolve()) for name, file in case.surroundings.items()})
        question = LogQuestion(str(folder / f"{case.module}.tla"), variable=case.variable)
        ours = judge_logs(question, files, jobs)
        with ThreadPoolExecutor(jobs) as pool:
            theirs = list(pool.map(partial(by_tlc, case, traces, libraries), files))
    return len(lines), [(copy, own, *other) for copy, own, other in zip(made, ours, theirs, strict=True)]


def rows(case: Case, length: int, found: list[tuple[Copy, LogVerdict, bool | None, int]]) -> Iterator[str]:
    """Yield the rows of the table for a log."""
    for kind in _KINDS:
        of_kind = [one for one in found if one[0].kind == kind]
        rejected = [one for one in of_kind if one[1].verdict is Conformance.REJECTED]
        accepted = [one for one in of_kind if one[1].verdict is Conformance.ACCEPTED]
        alike = sum(
            own.verdict is not Conformance.UNDECIDED and _agrees(own, tlc) for _, own, tlc, _ in of_kind
        )
        later = sum(tlc is False and 0 < depth - 1 < own.explained for _, own, tlc, depth in rejected)
        cells = (case.log, length, kind, len(of_kind), len(rejected), len(accepted), alike, later)
        yield f"| {' | '.join(map(str, cells))} |"


def _agrees(own: LogVerdict, tlc: bool | None) -> bool:
    if own.verdict is Conformance.ERROR:
        return tlc is None
    return tlc is (own.verdict is Conformance.ACCEPTED)


def notes(case: Case, found: list[tuple[Copy, LogVerdict, bool | None, int]]) -> Iterator[str]:
    """Yield what was changed in accepted copies, and the copies of which TLC says otherwise."""
    accepted = Counter(
        f"{copy.kind}: `{copy.words}`" for copy, own, _, _ in found if own.verdict is Conformance.ACCEPTED
    )
    if accepted:
        listed = ", ".join(f"{words} ({count})" if count > 1 else words for words, count in accepted.items())
        yield f"- {case.log}, accepted. {listed}"
    for copy, own, tlc, depth in found:
        if not _agrees(own, tlc):
            says = {None: "ends otherwise", True: "accepts it", False: "rejects it"}[tlc]
            own_words = f"{own.verdict} ({own.reason[:100]})"
            words = f"line {copy.line} {copy.kind}, `{copy.words}`: {own_words}"
            yield f"- {case.log}, {words}, and TLC {says} at depth {depth}"


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", type=Path)
    parser.add_argument("libraries", type=Path)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    table, remarks = [], list[str]()
    for case in CASES:
        if given.only in f"{case.folder}/{case.log}":
            length, found = judge_copies(
                case, given.traces.resolve(), given.libraries.resolve(), given.count, given.jobs
            )
            table += list(rows(case, length, found))
            remarks += list(notes(case, found))
            print("\n".join([*table[-len(_KINDS) :], *notes(case, found)]), flush=True)
    _TABLE.write_text(_HEAD.format(count=given.count) + "\n".join([*table, "", *remarks]) + "\n")


if __name__ == "__main__":
    main()
