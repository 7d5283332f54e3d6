"""Helpers for the tests of sweeps."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.support.command_line import ROOT
from verifier.outcomes.row import Row
from verifier.sweep.expansion import expand
from verifier.sweep.grid import Grid, axes_of
from verifier.sweep.job import Job

_MISBEHAVING = """\
import ctypes, multiprocessing, os, subprocess, sys, time
sys.path.insert(0, {root!r})
from tests.support.toys import Chain as Base
from verifier.specs.protocol import IntegerConstant


def in_a_job():
    # The driver reads this file too, and shall not suffer.
    return multiprocessing.parent_process() is not None


class Chain(Base):
    trouble = IntegerConstant(0)

    def init(self, s):
        if in_a_job():
            misbehave(self.trouble)
        return super().init(s)


def misbehave(trouble):
{body}
"""

TROUBLES = """
if trouble == 1:
    ctypes.string_at(0)
if trouble == 2:
    time.sleep(1000)
if trouble == 3:
    eaten = []
    while True:
        eaten.append(bytearray(b"x") * 10_000_000)
if trouble == 4:
    raise RuntimeError("as planned")
if trouble == 5:
    os._exit(3)
if trouble == 6:
    sleeper = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    time.sleep(1000)
"""
"""A segmentation fault, a job that hangs, one that eats memory, an error, an end, a child that hides."""


def misbehaving(folder: Path, body: str = TROUBLES) -> str:
    """A spec whose code does ``body`` with the constant ``trouble`` when a job loads it; 0 is no trouble."""
    file = folder / "misbehaving.py"
    indented = textwrap.indent(body.strip("\n"), "    ")
    file.write_text(_MISBEHAVING.format(root=str(ROOT), body=indented), encoding="utf-8")
    return f"{file}:Chain"


def jobs_of(*axes: str, **grid: Any) -> list[Job]:
    """The jobs of a grid."""
    return list(expand([Grid(axes=axes_of(axes), **grid)]).jobs)


def identify_row(row: Row) -> Row:
    """Return the row under the key that follows from its question."""
    return replace(row, job_id=row.identity)


def verdicts(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Property and verdict of each row."""
    return [(row.property_name, row.verdict.value) for row in rows]
