"""What ``verify bmc`` does once its options are parsed."""

from __future__ import annotations

from pathlib import Path

from verifier.clauses import smt2
from verifier.cli.output import write
from verifier.cli.progress import Reporter
from verifier.cli.running import Shown, announce, check_targets, show, terminable
from verifier.engines.bmc import Request
from verifier.runs import bmc
from verifier.runs.loading import load
from verifier.runs.options import BmcOptions
from verifier.system.model import Model
from verifier.text.run import render_run


def run(
    spec: str, settings: dict[str, str], options: BmcOptions, shown: Shown, dump_smt2: Path | None
) -> int:
    """Checks, prints, and returns the exit code."""
    asked = bmc.prepare(load(spec, settings), options)
    check_targets(shown, {"--dump-smt2": dump_smt2}, asked.properties)

    def dump(model: Model, request: Request) -> None:
        if dump_smt2 is not None:
            write("--dump-smt2", dump_smt2, smt2.dump(model, request.properties, request.depth))

    announce(asked.definition, f"{', '.join(asked.properties)} to depth {bmc.depth_of(asked)}")
    with terminable(), Reporter() as reporter:
        finished = bmc.run(asked, reporter, dump)
    return show(finished, shown, render_run)
