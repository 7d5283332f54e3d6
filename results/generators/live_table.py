"""Temporal properties beside TLC: the table of `results/liveness.md`.

`python -m results.generators.live_table [FOLDER]`. The folder has `tlc`, a script that runs TLC, and in
`upstream` the repositories of the original texts; `model-checking-15b007f` is that commit of
exactly-once/model-checking, `rabbit-gist` the gist of the first text of the queues. TLC runs each row that
has a text there, right after `verify`. Without a folder or that text, the table has what TLC was measured to
take before (`results/tlc.json`).
"""

from __future__ import annotations

import datetime
import json
import platform
import re
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabulate import tabulate

from tests.support.measuring import run_to_end, verify
from tests.support.tlc import MEASURED

HEADERS = ["spec", "constants", "fairness", "engine", "verdict", "states", "s", "CPU s"]
HEADERS += ["TLC", "its states", "its s", "its CPU s"]
_LIMIT = 240.0
_TO_END = 20.0
_QUEUES = ("queues", "apps", "restart_limit")
_RABBIT = "formal-methods-playground/tla/rebalancing-clients/standard-liveness/rabbit_leaderless_rebalancing"
_CONFIGURATION = "SPECIFICATION {spec}\nPROPERTY {property}\nCHECK_DEADLOCK FALSE\n"
_BESIDE = "Beside"
"""The module that adds the question to a text."""


@dataclass(frozen=True)
class Text:
    """An original text, and how a configuration gives it constants."""

    path: str
    configuration: str
    specification: str = "Spec"
    added: str = ""
    """Definitions that the text lacks."""


_SETS = "CONSTANTS\n A = {{{apps}}}\n Q = {{{queues}}}\n"
_LIMITED = _SETS + " RESTART_LIMIT = {restart_limit}\n"
RESTART = {
    "spec": Text(_RABBIT, _LIMITED),
    "next": Text(_RABBIT, _LIMITED, "Only", "Only == Init /\\ [][Next]_vars /\\ WF_vars(Next)\n"),
}
_FIRST = "rabbit-gist/rabbit_leaderless_rebalancing"
_BALANCE = """
vars == <<subscriber_queue, active, app, id>>
Waits(a, q) == \\E i \\in DOMAIN subscriber_queue[q] : subscriber_queue[q][i] = a
Perfect == /\\ \\A q \\in Q : active[q] # 0
           /\\ \\A a \\in A : app[a] # 0
           /\\ \\A a \\in A, b \\in A : AppActiveCount(a) <= AppActiveCount(b) + 1
           /\\ \\A a \\in A, q \\in Q : active[q] = a \\/ Waits(a, q)
Liveness == []<>Perfect
SubscribeTo(a, q) ==
  /\\ app[a] # 0 /\\ ~Waits(a, q) /\\ active[q] # a
  /\\ subscriber_queue' = [subscriber_queue EXCEPT ![q] = Append(@, a)]
  /\\ UNCHANGED <<active, app, id>>
Only == Init /\\ [][Next]_vars /\\ WF_vars(Next)
Each == Only /\\ WF_vars(Start) /\\ \\A a \\in A, q \\in Q : WF_vars(SubscribeTo(a, q))
"""
FIRST = {
    "spec": Text(_FIRST, _SETS, "Only", _BALANCE),
    "each-subscribe": Text(_FIRST, _SETS, "Each", _BALANCE),
}
_ONCE = "CONSTANTS\n defaultInitValue = defaultInitValue\n NULL = NULL\n"
ATOMIC = Text(
    "model-checking/exactly_once",
    _ONCE + " EMPTY = EMPTY\n MaxQueue = {max_queue}\n MaxRetry = {max_retry}\n",
)


TWO_STEPS = Text(
    "model-checking-15b007f/exactly_once_none_atomic",
    _ONCE
    + " EMPTY = EMPTY\n COMMITTED = COMMITTED\n"
    + " MessageCount = {message_count}\n DupCount = {dup_count}\n",
)
_COMPACTION = """CONSTANTS
 MessageSentLimit = 2
 CompactionTimesLimit = 3
 ModelConsumer = FALSE
 ConsumeTimesLimit = 0
 KeySpace = {{1, 2}}
 ValueSpace = {{1, 2}}
 RetainNullKey = TRUE
 MaxCrashTimes = 1
 ModelProducer = TRUE
 Nil = Nil
 Compactor_In_PhaseOne = Compactor_In_PhaseOne
 Compactor_In_PhaseTwoWrite = Compactor_In_PhaseTwoWrite
 Compactor_In_PhaseTwoUpdateContext = Compactor_In_PhaseTwoUpdateContext
 Compactor_In_PhaseTwoUpdateHorizon = Compactor_In_PhaseTwoUpdateHorizon
 Compactor_In_PhaseTwoPersistCusror = Compactor_In_PhaseTwoPersistCusror
 Compactor_In_PhaseTwoDeleteLedger = Compactor_In_PhaseTwoDeleteLedger
"""
COMPACTION = {
    "spec": Text("pulsar-tlaplus/compaction", _COMPACTION),
    "next": Text("pulsar-tlaplus/compaction", _COMPACTION, "Fair", "Fair == Spec /\\ WF_vars(Next)\n"),
}


@dataclass(frozen=True)
class Row:
    """A question, and the verdict that it must end with."""

    spec: str
    constants: Mapping[str, int | str]
    property_name: str
    verdict: str = "PROVED"
    fairness: str = "spec"
    engines: tuple[str, ...] = ("auto",)
    text: Text | None = None


def restart(*values: int, engines: tuple[str, ...] = ("auto",), next_only: bool = False) -> Row:
    """The later text of the queues; with weak fairness of the next step only, it does not balance them."""
    constants = dict(zip(_QUEUES, values, strict=True))
    verdict, fairness = ("VIOLATED", "next") if next_only else ("PROVED", "spec")
    return Row("rabbit-sac-restart", constants, "Liveness", verdict, fairness, engines, RESTART[fairness])


def once(message_count: int, dup_count: int) -> Row:
    """The text in which the outbox and the store are not written at once: not its newest version."""
    constants = {"message_count": message_count, "dup_count": dup_count}
    return Row("exactly-once", constants, "Termination", engines=("auto", "prove"), text=TWO_STEPS)


def atomic(max_queue: int, max_retry: int) -> Row:
    """The text in which they are."""
    constants = {"max_queue": max_queue, "max_retry": max_retry}
    return Row("exactly-once-atomic", constants, "Termination", text=ATOMIC)


def sac(queues: int, apps: int, fairness: str, verdict: str, engines: tuple[str, ...] = ("auto",)) -> Row:
    """The first text of the queues."""
    constants = {"queues": queues, "apps": apps}
    return Row("rabbit-sac", constants, "Liveness", verdict, fairness, engines, FIRST[fairness])


def ledger(fairness: str) -> Row:
    """Three bookies, as the text was presumably meant; TLC has no text of that."""
    constants = {"losses": "none", "late_reads": "intended"}
    return Row("bookkeeper", constants, "Liveness", "PROVED", fairness, ("orbits",))


ROWS = [
    restart(2, 2, 0, engines=("auto", "prove")),
    restart(2, 2, 1),
    restart(2, 3, 0),
    restart(2, 3, 1),
    restart(3, 2, 1),
    restart(2, 3, 1, next_only=True),
    restart(3, 3, 0, engines=("auto", "ranking")),
    restart(4, 4, 0, engines=("ranking", "auto")),
    restart(4, 4, 1, engines=("ranking",)),
    sac(2, 2, "each-subscribe", "PROVED"),
    sac(2, 3, "each-subscribe", "PROVED"),
    sac(4, 4, "each-subscribe", "PROVED", ("ranking",)),
    sac(2, 3, "spec", "VIOLATED"),
    once(1, 2),
    once(2, 2),
    Row("exactly-once", {"message_count": 2, "dup_count": 2}, "Termination", "VIOLATED", "first-process"),
    atomic(2, 1),
    atomic(2, 2),
    atomic(3, 1),
    Row("pulsar-compaction", {}, "Termination", "VIOLATED", "spec", text=COMPACTION["spec"]),
    Row("pulsar-compaction", {}, "Termination", "PROVED", "next", ("auto", "prove"), COMPACTION["next"]),
    ledger("spec"),
    ledger("recovery"),
]


def decide_by_verify(row: Row, engine: str) -> tuple[list[str], bool]:
    """Return the cells of `verify live` in the table, and whether the verdict is the expected one."""
    words = ["live", "--spec", row.spec, "--property", row.property_name, "--fairness", row.fairness]
    words += [word for name, value in row.constants.items() for word in ("--set", f"{name}={value}")]
    words += ["--engine", engine, "--timeout", f"{_LIMIT:g}s", "--format", "json"]
    taken = run_to_end(verify(*words), limit=_LIMIT + _TO_END)
    assert taken is not None
    content = json.loads(taken.output)
    result = next(item for item in content["results"] if item["property"] == row.property_name)
    figures = content["statistics"]["properties"][row.property_name]
    steps = f" in {result['steps']} steps" if result["steps"] is not None else ""
    by = figures.get("decided_by")
    states = figures.get("distinct_states") if engine == "auto" and by == "explicit" else None
    cells = [f"{engine}: {by}" if by else engine, f"{result['verdict']}{steps}"]
    cells += ["" if states is None else f"{states:,}", f"{taken.wall:.1f}", f"{taken.cpu:.1f}"]
    return cells, result["verdict"] == row.verdict


def find_text(row: Row, folder: Path | None) -> Path | None:
    """Return the file of the original text, if the folder has it."""
    if folder is None or row.text is None:
        return None
    source = (folder / "upstream" / row.text.path).with_suffix(".tla")
    return source if source.exists() else None


def measure_tlc(row: Row, folder: Path, source: Path) -> list[str]:
    """Return the cells of TLC's run on the original text."""
    assert row.text is not None
    sets = {
        name: ", ".join(f"{name[0]}{number}" for number in range(1, int(row.constants[name]) + 1))
        for name in ("apps", "queues")
        if name in row.constants
    }
    constants = row.text.configuration.format(**{**row.constants, **sets})
    with tempfile.TemporaryDirectory() as place:
        module = Path(place) / source.name
        module.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
        beside = f"---- MODULE {_BESIDE} ----\nEXTENDS {source.stem}\n{row.text.added}\n====\n"
        module.with_stem(_BESIDE).write_text(beside, encoding="utf-8")
        asked = _CONFIGURATION.format(spec=row.text.specification, property=row.property_name)
        module.with_name(f"{_BESIDE}.cfg").write_text(asked + constants, encoding="utf-8")
        words = ["-workers", "1", "-metadir", place, "-config", f"{_BESIDE}.cfg", f"{_BESIDE}.tla"]
        command = ["timeout", f"{_LIMIT:g}", str(folder / "tlc"), *words]
        taken = run_to_end(command, limit=_LIMIT + _TO_END, folder=Path(place))
    if taken is None or "No error has been found" not in taken.output:
        if taken is None or not re.search(r"Temporal propert.* violated", taken.output):
            return [f"not in {_LIMIT:g} s", "", "", ""]
        return ["violated", "", f"{taken.wall:.1f}", f"{taken.cpu:.1f}"]
    states = re.findall(r"([\d,]+) distinct states found", taken.output)
    count = int(states[-1].replace(",", ""))
    return ["holds", f"{count:,}", f"{taken.wall:.1f}", f"{taken.cpu:.1f}"]


def read_recorded(row: Row) -> list[str]:
    """Return the cells of an earlier measurement of TLC."""
    for known in json.loads(MEASURED.read_text(encoding="utf-8"))["rows"]:
        asked: Mapping[str, Any] = known["constants"]
        fairness = "each-subscribe" if "LSpec2" in known["note"] else "spec"
        same = (known["spec"], asked, fairness) == (row.spec, dict(row.constants), row.fairness)
        if same and known["properties"] == [row.property_name]:
            states = known["distinct_states"]
            return [known["verdict"], f"{states:,}" if states else "", f"{known['seconds']:g} before", ""]
    return ["", "", "", ""]


def main() -> None:
    """Prints the table as Markdown; ends with 1 if a verdict is not the one expected."""
    folder = Path(sys.argv[1]).resolve() if sys.argv[1:] else None
    lines, failing = [], []
    for row in ROWS:
        given = ", ".join(f"{name} {value}" for name, value in row.constants.items()) or "the defaults"
        tlc: list[str] | None = None
        for engine in row.engines:
            cells, expected = decide_by_verify(row, engine)
            if tlc is None:
                source = find_text(row, folder)
                tlc = measure_tlc(row, folder, source) if folder and source else read_recorded(row)
            lines.append([row.spec, given, row.fairness, *cells, *tlc])
            tlc = ["", "", "", ""]
            print(*lines[-1], sep=" | ", file=sys.stderr, flush=True)
            if not expected:
                failing.append(f"{row.spec} at {given}, fairness {row.fairness}: not {row.verdict}")
    print("# Temporal properties beside TLC\n")
    print(f"`python -m results.generators.live_table` on {datetime.date.today()}, ", end="")
    print(f"Python {platform.python_version()}; at most {_LIMIT:g} s each.\n")
    print("Each row is a whole `verify live` command, with its replay or the check of its proof: what it")
    print("took on the clock and of the processors, but for processes that were killed.")
    print("`auto: explicit`: of the engines side by side, this one decided. TLC, with one worker, decides")
    print("the same property of the original text right after; `before` is from an earlier run.\n")
    print(tabulate(lines, headers=HEADERS, tablefmt="github", disable_numparse=True))
    for where in failing:
        print(f"\nNot as expected: {where}")
    sys.exit(bool(failing))


if __name__ == "__main__":
    main()
