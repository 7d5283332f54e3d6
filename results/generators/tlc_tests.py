"""``results/tlc-tests.md``: TLC's own tests, what they expect of TLC beside what verify says.

Run ``python -m results.generators.tlc_tests TLAPLUS [--jobs 2] [--seconds 10]``: a checkout of TLC's source.
A test names a module of ``test-model``, a configuration and the exit status that TLC must end with; where it
counts states, the counts. Nothing of theirs is stored but names and numbers. Left out are tests of TLC's
insides: of its debugger, checkpoints, coverage, distributed mode, fingerprints, dumps and trace expressions.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from verifier.verdict import LEFT_TO_LIVE

_TABLE = Path(__file__).resolve().parents[1] / "tlc-tests.md"
_HOME = Path("tlatools", "org.lamport.tlatools")
_FOLDERS = ("", "liveness", "evalorder", "suite", "simulation", "doinitfunctor", "other")
_OTHERS = re.compile(
    r"_TTraceTest|debug|Debug|DumpTrace|DumpLoad|Coverage|Checkpoint|Recover|Distributed|Fingerprint(?!Exc)"
    r"|LargeFormula|Serial|Simulat|Dump|Unparsable|Userfile|Metadir|Suppress|AsError|Benchmark"
)
"""Names of tests of TLC's insides."""
_STRING = r'"((?:\\.|[^"\\])*)"'
_SUPER = re.compile(r"super\(\s*" + _STRING + r"(.*?)\);", re.DOTALL)
_ARGUMENTS = re.compile(r"new String\[\]\s*\{(.*?)\}", re.DOTALL)
_STATUS = re.compile(r"ExitStatus\.([A-Z_]+)")
_STATS = re.compile(r"TLC_STATS,\s*" + ",\\s*".join([_STRING] * 3))
_INSIDE = (
    *("-dump", "-dumptrace", "-recover", "-checkpoint", "-debugger", "-view", "-userFile", "-loadTrace"),
    *("-inv", "-invlevel", "-continue", "-postCondition", "-aril"),
)
_KINDS = {
    "SUCCESS": "success",
    "VIOLATION_SAFETY": "safety",
    "VIOLATION_LIVENESS": "liveness",
    "VIOLATION_DEADLOCK": "deadlock",
    "VIOLATION_ASSUMPTION": "assumption",
}


@dataclass(frozen=True)
class Test:
    """What a test of TLC's asks."""

    name: str
    module: Path
    config: Path | None
    expected: str
    """How TLC ends; ``error`` for any error."""
    counts: tuple[int, int] | None
    """States generated and distinct states, of a search to the end."""
    deadlock: bool
    """Whether it looks for deadlocks."""


def tests(home: Path) -> Iterator[Test]:
    """The tests that are not of TLC's insides."""
    for folder in _FOLDERS:
        for file in sorted((home / "test" / "tlc2" / "tool" / folder).glob("*Test.java")):
            found = None if _OTHERS.search(file.name) else _read(home, file)
            if found is not None:
                yield found


def _read(home: Path, file: Path) -> Test | None:
    text = file.read_text(errors="replace")
    made = _SUPER.search(text)
    if made is None or "extends ModelCheckerTestCase" not in text:
        return None
    spec, rest = made[1], made[2]
    listed = _ARGUMENTS.search(rest)
    given = re.findall(_STRING, listed[1]) if listed is not None else []
    if any(word in given for word in _INSIDE):
        return None
    path = re.match(r"\s*,\s*" + _STRING, rest)
    folder = home / "test-model" / (path[1] if path is not None else "")
    named_one = given[given.index("-config") + 1 :] if "-config" in given else []
    config = named_one[0] if named_one else f"{spec}.cfg"
    config = config if "." in config else f"{config}.cfg"
    status = _STATUS.search(rest)
    kind = _KINDS.get(status[1] if status is not None else "SUCCESS", "error")
    stats = _STATS.search(text)
    counts = (int(stats[1]), int(stats[2])) if stats is not None and kind == "success" else None
    module = folder / f"{Path(spec).name}.tla" if spec.endswith(".tla") else folder / f"{spec}.tla"
    if not module.is_file():
        return None
    checks = re.search(r"checkDeadLock\(\)\s*\{\s*return true", text) is not None
    named = folder / config
    return Test(file.stem, module, named if named.is_file() else None, kind, counts, checks)


@dataclass(frozen=True)
class Answer:
    """How verify ends."""

    kind: str
    """As TLC's, ``refused`` for what is not taken, ``undecided``."""
    counts: tuple[int, int] | None
    why: str


def answer(test: Test, libraries: Sequence[str], seconds: int) -> Answer:
    """What verify says of a test."""
    config = [] if test.config is None else ["--config", str(test.config)]
    deadlock = ["--deadlock"] if test.deadlock else []
    asked = ["--spec", str(test.module), *config, *libraries, "--timeout", f"{seconds}s", "--format", "json"]
    code, found, why = _run(["explore", *asked, *deadlock])
    if code not in (0, 10, 12, 13) or found is None:
        return Answer(_of_error(code, why), None, why)
    figures = found["statistics"]
    counts = (figures.get("generated_states", -1), figures.get("distinct_states", -1))
    kinds = {row["property"]: row for row in found["results"]}
    stuck = kinds.pop("NoDeadlock", None) or kinds.pop("NoDeadlock (built in)", None)
    if any(row["verdict"] == "VIOLATED" for row in kinds.values()):
        return Answer("safety", counts, "")
    if test.deadlock and stuck is not None and stuck["verdict"] == "VIOLATED":
        return Answer("deadlock", counts, "")
    if any(row["reason"] == LEFT_TO_LIVE for row in kinds.values()):
        code, lasting, why = _run(["live", *asked])
        if code not in (0, 10, 12) or lasting is None:
            return Answer(_of_error(code, why), counts, why)
        rows = lasting["results"]
        if any(row["verdict"] == "VIOLATED" for row in rows):
            return Answer("liveness", counts, "")
        if any(row["verdict"] not in ("HOLDS", "PROVED") for row in rows):
            return Answer("undecided", counts, str(rows[0]["reason"]))
    open_ones = [row for row in kinds.values() if row["verdict"] not in ("HOLDS", "PROVED")]
    reasons = [str(row["reason"]) for row in open_ones if row["reason"] != LEFT_TO_LIVE]
    return Answer("undecided" if reasons else "success", counts, reasons[0] if reasons else "")


def _of_error(code: int, why: str) -> str:
    if code == 2:
        return "assumption" if "ASSUME" in why or "assumption" in why else "error"
    return "undecided" if code in (12, -1) else f"exit code {code}"


def _run(words: Sequence[str]) -> tuple[int, dict[str, Any] | None, str]:
    from verifier.cli.main import cli

    done = CliRunner().invoke(cli, words)
    last = [line for line in done.stderr.splitlines() if line.startswith("verify: ")]
    found = json.loads(done.stdout) if done.stdout.startswith("{") else None
    why = last[-1].removeprefix("verify: ") if last else str(done.exception or "")
    return done.exit_code, found, why


def judged(test: Test, got: Answer) -> str:
    """``agrees``, or how the two differ."""
    same = test.expected == got.kind or (test.expected == "assumption" and got.kind == "error")
    if not same:
        return "refused" if got.kind == "error" and test.expected != "error" else "differs"
    if test.counts is not None and got.counts is not None and test.counts != got.counts:
        return f"counts: {test.counts[0]}, {test.counts[1]} and {got.counts[0]}, {got.counts[1]}"
    return "agrees"


def main(arguments: Sequence[str] | None = None) -> None:
    """Writes the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--library", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=10)
    given = parser.parse_args(arguments)
    home = (given.checkout / _HOME).resolve()
    libraries = [word for folder in given.library for word in ("--library", str(Path(folder).resolve()))]
    asked = list(tests(home))
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(given.jobs, mp_context=context, max_tasks_per_child=40) as pool:
        work = partial(answer, libraries=libraries, seconds=given.seconds)
        answers = list(pool.map(work, asked))
    _TABLE.write_text(_written(home, asked, answers))


def _written(home: Path, asked: Sequence[Test], answers: Sequence[Answer]) -> str:
    rows, count = list[str](), Counter[str]()
    for test, got in zip(asked, answers, strict=True):
        said = judged(test, got)
        count[said.partition(":")[0]] += 1
        why = re.sub(r"\S*/(?=\w+\.(?:tla|cfg))", "", got.why) if said != "agrees" else ""
        why = " ".join(why.split())[:160].replace("|", "\\|")
        rows.append(f"| {test.name} | {test.expected} | {got.kind} | {said} | {why} |")
    share = 100 * count["agrees"] / max(len(rows), 1)
    return "\n".join(
        [
            "# TLC's own tests",
            "",
            "Made by `python -m results.generators.tlc_tests TLAPLUS`: what the tests of TLC expect of TLC,",
            "beside what `verify explore` says, and `verify live` of temporal properties.",
            "`error` is any error.",
            "",
            f"{count['agrees']} of {len(rows)} tests agree ({share:.0f} %): "
            + ", ".join(f"{number} {word}" for word, number in sorted(count.items()) if word != "agrees")
            + ".",
            "",
            "| test | TLC | verify | | what verify says |",
            "|---|---|---|---|---|",
            *rows,
            "",
        ]
    )


if __name__ == "__main__":
    main()
