"""The command that shows an execution which a cell of a manifest found."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from verifier.ci.check import CellResult
from verifier.ci.manifest import Cell
from verifier.encodings.concrete import show
from verifier.outcomes.row import Row
from verifier.runs.engine import engine_named
from verifier.runs.loaded import TLA
from verifier.runs.modules.loading import word_of
from verifier.runs.option import list_declared
from verifier.text.commands import name_spec


def say_how_to_see(checked: CellResult) -> str:
    """Say which command shows the executions of a cell's unmet checks; nothing if there is none."""
    return say_command_for(checked.cell, [one.row for one in checked.surprises if one.row is not None])


def say_command_for(cell: Cell, rows: Sequence[Row]) -> str:
    """Say which command shows the executions of some rows of a cell; nothing if none has one."""
    shown = [row for row in rows if row.trace is not None]
    several = "executions" if len(shown) > 1 else "execution"
    return f"To see the {several}, run: {command_of_cell(cell, shown)}" if shown else ""


def command_of_cell(cell: Cell, rows: Sequence[Row]) -> str:
    """Return the command that asks the questions of some rows of a cell again, in the working directory."""
    engine, reading = engine_named(cell.engine), cell.reading
    declared = list_declared(engine.options)
    words = [] if reading.config is None else ["--config", str(reading.config)]
    words += [word for folder in reading.libraries for word in ("--library", str(folder))]
    words += [word for lemma in reading.lemmas for word in ("--lemma", lemma)]
    for name, value in cell.constants.items():
        said = word_of(value) if cell.place.endswith(TLA) else show(value)
        words += ["--set", f"{name}={said}"]
    words += [word for row in rows for word in ("--property", row.property_name)]
    for name, value in cell.options.items():
        if value != declared[name].default:
            words += declared[name].words(value)
    return " ".join(["verify", engine.name, name_spec(cell.place), shlex.join(words)])
