"""Rows for the tests of reports: a run of a toy whose text is as hostile as text can be, and grids."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from tests.command_line import verify
from verifier.outcomes.row import Row, rows_of
from verifier.report.report import Report
from verifier.verdict import VerdictKind

JUNIT_SCHEMA = Path(__file__).with_name("junit-10.xsd")
"""From Jenkins' xUnit plugin, under the MIT licence, which stands in it."""

HOSTILE = '</script><script>document.title="broken"</script><b>&amp;`|*'
"""A value of the protocol below."""

_SPEC = f'''
from verifier.encodings.sorts import Enum, Function, Set
from verifier.specs.protocol import IndexSetConstant, Protocol, State, Step, action, invariant

WORDS = Enum("word", ("plain", {HOSTILE!r}))


class Hostile(Protocol):
    """Nodes pass on a word that wants to be a script."""

    nodes = IndexSetConstant(3, kind="node")
    words = WORDS

    def state(self):
        return State(heard=Function(self.nodes, Set(WORDS)))

    def init(self, s):
        from verifier.encodings.quantifiers import forall
        return forall(self.nodes, lambda n: s.heard[n].is_empty)

    @action(node="nodes", word="words")
    def say(self, s, node, word):
        return Step(when=[~s.heard[node].contains(word)], then={{s.heard[node]: s.heard[node].add(word)}})

    @action(teller="nodes", hearer="nodes", word="words")
    def tell(self, s, teller, hearer, word):
        return Step(
            when=[s.heard[teller].contains(word), ~s.heard[hearer].contains(word)],
            then={{s.heard[hearer]: s.heard[hearer].add(word)}},
        )

    @invariant()
    def somebody_is_spared(self, s):
        from verifier.encodings.quantifiers import exists
        return exists(self.nodes, lambda n: ~s.heard[n].contains({HOSTILE!r}))
'''


def hostile_spec(folder: Path) -> Path:
    """A protocol file whose violation has the hostile word in it."""
    path = folder / "hostile.py"
    path.write_text(_SPEC, encoding="utf-8")
    return path


def run_rows(*arguments: str) -> list[Row]:
    """The rows of a run, by way of the JSON that it prints."""
    done = verify(*arguments, "--format", "json")
    assert done.exit_code in (0, 10, 11, 12), done.output
    return list(rows_of(json.loads(done.stdout)))


@cache
def kip320_first_try() -> Row:
    """The violation of StrongIsr, found fast."""
    arguments = ("--spec", "kip320-first-try", "--property", "StrongIsr", "--steps", "parallel")
    (row,) = run_rows("bmc", *arguments)
    assert row.trace is not None
    return row


@cache
def bookkeeper_data_loss() -> Row:
    """The data loss of BookKeeper 4.13, found fast."""
    name = "NoDivergenceBetweenWriterAndMetaData"
    (row,) = run_rows("bmc", "--spec", "bookkeeper-4-13", "--property", name, "--steps", "parallel")
    assert row.trace is not None
    return row


def like(row: Row, **changes: Any) -> Row:
    """The row with other contents; without its trace unless it is given."""
    return replace(row, **{"trace": None, "steps": None, **changes})


def every_verdict() -> list[Row]:
    """A row of each kind."""
    row = kip320_first_try()
    kinds: list[tuple[VerdictKind, dict[str, Any]]] = [
        (VerdictKind.HOLDS, {"depth": 12}),
        (VerdictKind.PROVED, {"depth": None}),
        (VerdictKind.REACHED, {"trace": row.trace, "steps": row.steps}),
        (VerdictKind.VIOLATED, {"trace": row.trace, "steps": row.steps}),
        (VerdictKind.NOT_INDUCTIVE, {"reason": "BecomeLeader breaks a|lemma"}),
        (VerdictKind.INCONCLUSIVE, {"reason": "timeout of 60 s", "depth": 7}),
        (VerdictKind.ERROR, {"reason": "two\x00sides", "error": "two\x00sides"}),
    ]
    return [
        like(row, verdict=kind, property_name=f"Of{kind.title()}", exit_code=kind.exit_code, **rest)
        for kind, rest in kinds
    ]


def grid(jobs: int, traces: int) -> Report:
    """A report of many jobs over four constants, the first of which have traces."""
    kip, book = kip320_first_try(), bookkeeper_data_loss()
    names = ("replicas", "log_size", "max_records", "max_leader_epoch")
    rows = []
    places = itertools.product(
        (2, 3, 4, 5), (1, 2, 3, 4), (1, 2, 3, 4), (1, 2), ("StrongIsr", "WeakIsr"), ("bmc", "prove")
    )
    for number, (*values, name, engine) in enumerate(itertools.islice(places, jobs)):
        settings = dict(zip(names, values, strict=True))
        found = number < traces
        rows.append(
            replace(
                kip if number % 2 else book,
                spec="kip320-first-try" if number % 2 else "bookkeeper-4-13",
                constants=settings
                if number % 2
                else {"bookies": values[0], "send_limit": values[1], "ack_quorum": values[2]},
                property_name=name,
                engine=engine,
                solver="cadical" if number % 3 else "z3",
                verdict=VerdictKind.VIOLATED if found else list(VerdictKind)[number % 2 * 5],
                reason="timeout of 60 s" if number % 2 else None,
                seconds=0.02 * (number % 97 + 1) ** 1.5,
                depth=number % 13 + 1,
                steps=(kip if number % 2 else book).steps if found else None,
                trace=(kip if number % 2 else book).trace if found else None,
            )
        )
    assert len(rows) == jobs
    return Report(f"{jobs} jobs", rows)
