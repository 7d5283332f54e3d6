"""Rows and reports to show: counterexamples that are found fast, and a report of many jobs."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from functools import cache

from click.testing import CliRunner

from verifier.cli.main import cli
from verifier.outcomes.row import Row, rows_of
from verifier.report.report import Report
from verifier.verdict import VerdictKind


def run_rows(*arguments: str) -> list[Row]:
    """The rows of a run, by way of the JSON that it prints."""
    done = CliRunner().invoke(cli, [*arguments, "--format", "json"])
    assert done.exit_code in (0, 10, 11, 12, 13), done.output
    return list(rows_of(json.loads(done.stdout)))


@cache
def kip320_first_try() -> Row:
    """The violation of StrongIsr, found fast."""
    arguments = ("--spec", "kip320-first-try", "--property", "StrongIsr", "--steps", "parallel")
    (row,) = run_rows("bmc", *arguments, "--solver", "cadical")
    assert row.trace is not None
    return row


@cache
def bookkeeper_data_loss() -> Row:
    """The data loss of BookKeeper 4.13, found fast."""
    name = "NoDivergenceBetweenWriterAndMetaData"
    (row,) = run_rows("bmc", "--spec", "bookkeeper-4-13", "--property", name, "--steps", "parallel")
    assert row.trace is not None
    return row


@cache
def rabbit_lasso() -> Row:
    """Apps that subscribe and let go forever, while one waits."""
    constants = ("--set", "queues=2", "--set", "apps=2")
    (row,) = run_rows("live", "--spec", "rabbit-sac", *constants, "--engine", "explicit")
    assert row.trace is not None
    return row


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
