"""``results/mutated-logs.md``: accepted logs with one change each, by ``verify conform`` beside TLC.

Run ``python -m results.generators.mutated_logs TRACES LIBRARIES [--count N] [--jobs 2] [--only LOG]``.
TRACES has trace modules with logs that they accept, LIBRARIES ``tla2tools.jar`` and ``CommunityModules.jar``.
``--answers FOLDER`` keeps TLC's answers, so that a later run does not ask again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from verifier.conform.judging import LogQuestion, judge_logs
from verifier.conform.outcome import Conformance, LogVerdict

_ROOT = Path(__file__).resolve().parents[2]
_TABLE = _ROOT / "results" / "mutated-logs.md"
_EXAMPLE = _ROOT / "docs" / "examples" / "replicated_log"
_KINDS = ("dropped", "doubled", "exchanged", "changed")
_DECISIONS = {None: "does not end", True: "accepts it", False: "rejects it"}
_PLACE = re.compile(r"^/\\ l = (\d+)$", re.M)
_HEAD = """# Mutated logs

Run ``python -m results.generators.mutated_logs TRACES LIBRARIES``. Of each accepted log there are 50 copies
with one event dropped, doubled, exchanged with the next one, or with one value changed (a number, a string or
a truth value). ``verify conform`` judges each copy, and TLC does with the same trace module. The log of the
example project is judged with its mapping, and TLC has a trace module that says the same. Of etcd's log these
are the first lines. Of 4C.E, which has events only, and of 4C.V, which has variables only, there are 40
copies. TLC judges the first 12 of them, and those that verify leaves undecided. The column "TLC ends" leaves
out copies for which TLC needs longer than its seconds. Other programs used both cores meanwhile (load 3 to
10). Of 12C.VpEA there are 12 copies.

"as TLC" counts equal verdicts, of the copies that TLC decides within its seconds (300; 60 where it looks for
one execution depth first, in logs with few variables). verify has 150 s, there 100 s. "later" and "earlier"
count rejected copies of which TLC explains fewer or more events. A copy that is neither rejected nor accepted
has a value whose use is an error, to TLC too, or is undecided.

| log | lines | change | copies | rejected | accepted | undecided | TLC ends | as TLC | later | earlier |
|---|---|---|---|---|---|---|---|---|---|---|
"""
_WHY = """
An accepted copy is still an execution. TLC accepts it, too, where it ends. The reasons:

- dropped: the key-value store logs what a step changes, not the whole state. An update that is not in the
  log was not taken, and later lines say other changes. etcd's module skips some answers
  (`SkipUnusedLogline`), and makes no step for other events. In the example, no later line depends on a lost
  acknowledgement or a commit.
- doubled: the action is possible in the state after it, with the same values: a message is sent again, a
  configuration that is applied is applied.
- exchanged: steps of different transactions, keys or servers. Both orders are possible.
- changed: no formula reads the field in that event (`caller`, `level`), or the step is possible with the
  other value, which no later line contradicts.

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
    is_wide: bool = False
    """True if many states agree with the log, so that TLC looks for one execution depth first."""
    count: int = 50
    """The number of copies."""
    mapping: Path | None = None
    """The mapping with which verify judges the log; None if it takes the trace module."""

    @property
    def seconds(self) -> int:
        """The seconds after which TLC is stopped."""
        return 60 if self.is_wide else 300

    @property
    def asked(self) -> int | None:
        """The number of copies that TLC judges; None for all."""
        return 12 if self.is_wide else None


_KEY_VALUE_STORE = ("key-value-store", "KeyValueStoreTrace", "TRACE_PATH")
_SIZES = {"CONFIG_PATH": "conf.10-20-5.ndjson"}
CASES = (
    *(
        Case(*_KEY_VALUE_STORE, f"trace.ndjson.{kind}", None, _SIZES)
        for kind in ("4C.VEA", "8C.VEA", "12C.VEA", "4C.EA", "8C.EA", "12C.EA")
    ),
    *(
        Case(*_KEY_VALUE_STORE, f"trace.ndjson.{kind}", None, _SIZES, is_wide=True, count=count)
        for kind, count in (("12C.VpEA", 12), ("4C.V", 40), ("4C.E", 40))
    ),
    Case("etcd-raft", "Traceetcdraft", "JSON", "example.ndjson", 150),
    Case("replicated_log", "ReplicatedLogTrace", "LOG", "run.ndjson", mapping=_EXAMPLE / "log.toml"),
)  # fmt: skip


_LOGS = frozenset(case.log for case in CASES)


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


def by_tlc(case: Case, folder: Path, libraries: Path, log: Path) -> tuple[bool | None, int]:
    """Return whether TLC accepts a log, None if it does not end or ends in an error, and the number of events
    that its states explain."""
    names = {name: str((folder / file).resolve()) for name, file in case.surroundings.items()}
    path = os.pathsep.join(str(libraries / one) for one in ("tla2tools.jar", "CommunityModules.jar"))
    with tempfile.TemporaryDirectory() as temporary:
        states = Path(temporary, "states.dump")
        command = ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx1500m"]
        command += [f"-DTLA-Library={_EXAMPLE}", "-cp", path]
        command += ["-Dtlc2.tool.queue.IStateQueue=StateDeque"] if case.is_wide else []
        command += ["tlc2.TLC", "-workers", "1", "-lncheck", "final", "-metadir", temporary]
        command += ["-dump", str(states), "-config", f"{case.module}.cfg", f"{case.module}.tla"]
        try:
            done = subprocess.run(
                command, cwd=folder, env={**os.environ, **names, case.variable: str(log)},
                capture_output=True, text=True, timeout=case.seconds, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return None, 0
        places = map(int, _PLACE.findall(states.read_text())) if states.exists() else iter(())
        explained = max(places, default=1) - 1
    accepted = done.returncode == 0 if done.returncode in (0, 10, 11, 12, 13) else None
    return accepted, explained


def ask_tlc(
    case: Case, folder: Path, libraries: Path, answers: Path | None, log: Path
) -> tuple[bool | None, int]:
    """Return what TLC says of a log, from the folder of its answers if it was asked before."""
    asked = f"{case.module} {case.seconds} {case.is_wide} {log.read_text()}"
    kept = answers / f"{hashlib.sha256(asked.encode()).hexdigest()}.json" if answers else None
    if kept is not None and kept.exists():
        accepts, explained = json.loads(kept.read_text())
        return accepts, explained
    answer = by_tlc(case, folder, libraries, log)
    if kept is not None:
        kept.write_text(json.dumps(answer))
    return answer


Judged: TypeAlias = tuple[Copy, LogVerdict, bool | None, int]
"""A copy, the verdict on it, and whether TLC accepts it, with the number of events that TLC explains."""


def judge_copies(
    case: Case, traces: Path, libraries: Path, count: int, jobs: int, answers: Path | None
) -> tuple[int, list[Judged]]:
    """Return the number of lines, and each copy with the verdicts."""
    folder = traces / case.folder
    with tempfile.TemporaryDirectory() as temporary:
        source = folder / case.log
        if case.mapping is not None:
            folder, source = Path(__file__).parent / "replicated_log_trace", Path(temporary, case.log)
            subprocess.run([sys.executable, _EXAMPLE / "service.py", source], check=True)
        lines = [line for line in source.read_text().split("\n") if line.strip()][: case.lines]
        made = list(copies(lines, count, case.log))
        files = [Path(temporary, f"{number:03}.ndjson") for number in range(count)]
        for file, copy in zip(files, made, strict=True):
            file.write_text(copy.text)
        os.environ.update({name: str((folder / file).resolve()) for name, file in case.surroundings.items()})
        if case.mapping is None:
            module = str(folder / f"{case.module}.tla")
            question = LogQuestion(module, variable=case.variable, timeout=100 if case.is_wide else 150)
        else:
            question = LogQuestion(str(_EXAMPLE / "ReplicatedLog.tla"), case.mapping)
        ours = judge_logs(question, files, jobs)
        asked = [file for number, file in enumerate(files) if _is_asked(case, number, ours[number])]
        with ThreadPoolExecutor(jobs) as pool:
            given = pool.map(partial(ask_tlc, case, folder, libraries, answers), asked)
            by_file = dict(zip(asked, given, strict=True))
        theirs = [by_file.get(file, (None, 0)) for file in files]
    return len(lines), [(copy, own, *other) for copy, own, other in zip(made, ours, theirs, strict=True)]


def _is_asked(case: Case, number: int, own: LogVerdict) -> bool:
    """True if TLC judges the copy, too."""
    return case.asked is None or number < case.asked or own.verdict is Conformance.UNDECIDED


def rows(case: Case, length: int, found: list[Judged]) -> Iterator[str]:
    """Yield the rows of the table for a log."""
    for kind in _KINDS:
        of_kind = [one for one in found if one[0].kind == kind]
        by_verdict = Counter(one[1].verdict for one in of_kind)
        ended = [one for one in of_kind if one[2] is not None or one[1].verdict is Conformance.ERROR]
        alike = sum(_agrees(own, tlc) for _, own, tlc, _ in ended)
        rejected = [(own.explained, tlc) for _, own, accepts, tlc in of_kind if _both_reject(own, accepts)]
        cells = (
            case.log, length, kind, len(of_kind), by_verdict[Conformance.REJECTED],
            by_verdict[Conformance.ACCEPTED], by_verdict[Conformance.UNDECIDED], len(ended), alike,
            sum(own > tlc for own, tlc in rejected), sum(own < tlc for own, tlc in rejected),
        )  # fmt: skip
        yield f"| {' | '.join(map(str, cells))} |"


def _both_reject(own: LogVerdict, tlc: bool | None) -> bool:
    return own.verdict is Conformance.REJECTED and tlc is False


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
    left = [(copy, own, tlc) for copy, own, tlc, _ in found if own.verdict is Conformance.UNDECIDED]
    if left:
        far = [
            f"line {copy.line} {copy.kind}, {own.explained} of {own.lines}"
            f" (TLC {_DECISIONS[tlc]} in {case.seconds} s)"
            for copy, own, tlc in left
        ]
        yield f"- {case.log}, undecided, and how many events executions agree with. {'; '.join(far)}"
    for copy, own, tlc, explained in found:
        same_place = not _both_reject(own, tlc) or own.explained == explained
        is_open = case.is_wide and tlc is None
        if not is_open and not (_agrees(own, tlc) and same_place):
            says = _DECISIONS[tlc]
            own_words = f"{own.verdict} after {own.explained} events ({own.reason[:100]})"
            words = f"line {copy.line} {copy.kind}, `{copy.words}`: {own_words}"
            yield f"- {case.log}, {words}, and TLC {says} after {explained}"


def _read_others(only: str) -> tuple[list[str], list[str]]:
    """Return the rows and remarks of the table on logs that are not judged again."""
    lines = _TABLE.read_text().split("\n")
    rows = [line for line in lines if line.startswith("| ") and line.split()[1] != "log"]
    remarks = [line for line in lines if line.startswith("- ") and line.split()[1].rstrip(",") in _LOGS]
    again = {case.log for case in CASES if f"{case.folder}/{case.log}".endswith(only)}
    return (
        [line for line in rows if line.split()[1] not in again],
        [line for line in remarks if line.split()[1].rstrip(",") not in again],
    )


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", type=Path)
    parser.add_argument("libraries", type=Path)
    parser.add_argument("--count", type=int)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--answers", type=Path)
    given = parser.parse_args()
    table, remarks = _read_others(given.only) if given.only else ([], [])
    for case in CASES:
        if f"{case.folder}/{case.log}".endswith(given.only):
            count = given.count or case.count
            length, found = judge_copies(
                case, given.traces.resolve(), given.libraries.resolve(), count, given.jobs, given.answers
            )
            table += list(rows(case, length, found))
            remarks += list(notes(case, found))
            print("\n".join([*table[-len(_KINDS) :], *notes(case, found)]), flush=True)
    parts = (_HEAD, "\n".join(table), "\n", _WHY, "\n".join(remarks), "\n")
    _TABLE.write_text("".join(parts))


if __name__ == "__main__":
    main()
