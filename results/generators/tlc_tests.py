"""``results/tlc-tests.md``: TLC's own tests, what they expect of TLC beside what verify says.

Run ``python -m results.generators.tlc_tests TLAPLUS [--jobs 2] [--seconds 20] [--only NAME]``: a checkout of
TLC's source. A test names a module of ``test-model``, a configuration and the exit status that TLC must end
with; where it counts states, the counts. Nothing of theirs is stored but names and numbers. Tests of TLC's
insides are named, and left out.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from results.generators.their_tests import AGREEING, AGREES, REFUSED, Row, describe_making, run_apart, table
from results.generators.tlc_tests_read import LeftOut, Test, tests
from verifier.verdict import LEFT_TO_LIVE, NEVER_REACHED, POSTCONDITION_FALSE

_TABLE = Path(__file__).resolve().parents[1] / "tlc-tests.md"
_HOME = Path("tlatools", "org.lamport.tlatools")
_REASONS = {
    "CdotWithContextDTest": "to TLC, what is assigned before holds between the two actions, too",
    "LivenessSymmetryWarning": "TLC decides liveness on permuted states and misses the violation",
    "Github742Test": "TLC takes no more than 32 conjuncts of fairness; verify has no such limit",
    "Github819Test": "TLC cannot read `\\A x \\in {} : []<>TRUE`; it is true, as verify says",
    "EmptyOrderOfSolutionsTest": "TLC refuses `<>[]TRUE => TRUE` as a tautology; it is true, as verify says",
    "UnsymmetricModelCheckerTestB": "TLC decides liveness on permuted states and misses the violation",
    "ETest12": "TLC cannot count a set of 8,000,000,000 functions; verify does",
    "ETest13": "TLC cannot count a set of 8,000,000,000 functions; verify does",
    "StandardModulesTest": "no state satisfies Init: verify refuses that, where TLC looks at no state",
    "Test57": (
        "`I!B(Next)` is ENABLED with primed variables of the instance and of the module, which verify"
        " refuses; TLC takes one for the other and finds `I!C` false, which the module says is true"
    ),
    "Github696bTest": "TLC sorts a set of several kinds, which is an error; verify does not",
}
"""The reasons for differences that verify's output does not tell."""


_FINE = ("HOLDS", "PROVED", "REACHED")


@dataclass(frozen=True)
class Answer:
    """The end of a run of verify."""

    kind: str
    """One of TLC's kinds, or ``undecided``."""
    counts: tuple[int, int] | None
    why: str


def answer(test: Test, libraries: Sequence[str], seconds: int) -> Answer:
    """Return the answer of verify on a test."""
    config = [] if test.config is None else ["--config", str(test.config)]
    asked = ["--spec", str(test.module), *config, *libraries, "--timeout", f"{seconds}s", "--format", "json"]
    code, found, why = run_apart(["explore", *asked], seconds + 20)
    if code not in (0, 10, 12, 13) or found is None:
        return Answer(_of_error(code, why), None, why)
    if not test.deadlock and any(_is_deadlock(row) for row in found["results"]):
        # TLC was told not to look for it, and goes on.
        code, found, why = run_apart(["explore", *asked, "--keep-going"], seconds + 20)
        if code not in (0, 10, 12, 13) or found is None:
            return Answer(_of_error(code, why), None, why)
    figures = found["statistics"]
    counts = (figures.get("generated_states", -1), figures.get("distinct_states", -1))
    kinds = {row["property"]: row for row in found["results"]}
    stuck = kinds.pop("NoDeadlock", None) or kinds.pop("NoDeadlock (built in)", None)
    violated = [row for row in kinds.values() if row["verdict"] == "VIOLATED"]
    if violated:
        # TLC has one status for assumptions and for what is to be true at the end.
        at_the_end = all(row["reason"] in (NEVER_REACHED, POSTCONDITION_FALSE) for row in violated)
        return Answer("assumption" if at_the_end else "safety", counts, "")
    if test.deadlock and stuck is not None and stuck["verdict"] == "VIOLATED":
        return Answer("deadlock", counts, "")
    if any(row["reason"] == LEFT_TO_LIVE for row in kinds.values()):
        code, lasting, why = run_apart(["live", *asked], seconds + 20)
        if code not in (0, 10, 12) or lasting is None:
            return Answer(_of_error(code, why), counts, why)
        rows = lasting["results"]
        if any(row["verdict"] == "VIOLATED" for row in rows):
            return Answer("liveness", counts, "")
        if any(row["verdict"] not in ("HOLDS", "PROVED") for row in rows):
            return Answer("undecided", counts, str(rows[0]["reason"]))
    open_ones = [row for row in kinds.values() if row["verdict"] not in _FINE]
    reasons = [str(row["reason"]) for row in open_ones if row["reason"] != LEFT_TO_LIVE]
    return Answer("undecided" if reasons else "success", counts, reasons[0] if reasons else "")


def _is_deadlock(row: Mapping[str, Any]) -> bool:
    return str(row["property"]).startswith("NoDeadlock") and row["verdict"] == "VIOLATED"


def _of_error(code: int, why: str) -> str:
    if code == 2:
        return "assumption" if re.search(r"the assumption( \w+)? is false", why) else "error"
    return "undecided" if code in (12, -1) else f"exit code {code}"


def judge_run(test: Test, got: Answer) -> Row:
    """``agrees``, or how the two differ."""
    same = test.expected == got.kind or (test.expected == "assumption" and got.kind == "error")
    # Of properties that TLC finds violated some end with the status of liveness, others with that of safety.
    same = same or {test.expected, got.kind} == {"liveness", "safety"}
    if not same:
        refused = got.kind == "error" and test.expected != "error"
        return Row(test.name, test.expected, got.kind, REFUSED if refused else "differs", got.why)
    if test.counts is not None and got.counts is not None and test.counts != got.counts:
        words = f"counts: {test.counts[0]}, {test.counts[1]} and {got.counts[0]}, {got.counts[1]}"
        return Row(test.name, test.expected, got.kind, words, got.why)
    return Row(test.name, test.expected, got.kind, AGREES, "")


def _agreeing() -> set[str]:
    """The tests that the table has as agreeing."""
    lines = [line for line in _TABLE.read_text().splitlines() if line.startswith(AGREEING)]
    return {name for line in lines for name in line.removeprefix(AGREEING).rstrip(".").split(", ")}


def _try(test: Test, libraries: Sequence[str], seconds: int, known: Container[str]) -> Row:
    if test.name in known:
        return Row(test.name, test.expected, test.expected, AGREES, "")
    row = judge_run(test, answer(test, libraries, seconds))
    if row.judged != AGREES:
        print(f"{row.name}: {row.expected}, {row.got}: {row.judged}: {row.why[:150]}", file=sys.stderr)
    return row


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table; with --only, print its row for one test."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--library", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--again", action="store_true", help="not those that agree")
    given = parser.parse_args(arguments)
    home = (given.checkout / _HOME).resolve()
    libraries = [word for folder in given.library for word in ("--library", str(Path(folder).resolve()))]
    all_tests = list(tests(home))
    asked = [one for one in all_tests if isinstance(one, Test) and one.name in (given.only or [one.name])]
    known = _agreeing() if given.again else set()
    work = partial(_try, libraries=libraries, seconds=given.seconds, known=known)
    with ThreadPoolExecutor(given.jobs) as pool:
        rows = list(pool.map(work, asked))
    if not given.only:
        words = ["--library FOLDER"] * len(given.library) + ["--again"] * given.again
        words += [f"--jobs {given.jobs}", f"--seconds {given.seconds}"]
        left_out = [one for one in all_tests if isinstance(one, LeftOut)]
        _TABLE.write_text(_make_page(" ".join(words), rows, left_out))


def _make_page(words: str, rows: Sequence[Row], others: Sequence[LeftOut]) -> str:
    left_out = defaultdict[str, list[str]](list)
    for one in others:
        left_out[one.why].append(one.name)
    return "\n".join(
        [
            "# TLC's own tests",
            "",
            describe_making(f"python -m results.generators.tlc_tests TLAPLUS {words}"),
            "what the tests of TLC expect of TLC, beside what `verify explore` says, and `verify live` of",
            "temporal properties. Compared are how the run ends (`error` is any error; violations of safety",
            "and of liveness count as one) and, of searches to the end, the states generated and distinct.",
            "",
            *table(rows, "TLC", _REASONS),
            "",
            "## Left out: tests of TLC's insides",
            "",
            *(f"- {why}: {', '.join(names)}" for why, names in left_out.items()),
            "",
        ]
    )


if __name__ == "__main__":
    main()
