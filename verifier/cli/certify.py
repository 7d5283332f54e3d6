"""``verify certify``: the options; ``verifier.cli.certify_run`` does the work."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from verifier.cli.output import format_option
from verifier.cli.parameters import DURATION, one_of
from verifier.cli.paths import FileToRead, SpecName
from verifier.cli.specs import SPEC_HELP
from verifier.solvers.names import SOLVER_NAMES

_SPEC_HELP = f"{SPEC_HELP} [default: the one the file names, if it is built in]"
_SOLVER_HELP = "What checks; not the solver that found the proof. [default: z3, or cadical if z3 found it]"


@dataclass(frozen=True)
class Options:
    """What was asked for on the command line."""

    path: Path
    spec: str | None
    solver: str | None
    timeout: float | None
    output_format: str


@click.command("certify")
@click.argument("path", metavar="FILE", type=FileToRead())
@click.option(
    "--spec",
    type=SpecName(),
    metavar="SPEC",
    help=f"{SPEC_HELP} [default: the one the file names, if it is built in]",
)
@click.option("--solver", type=one_of("solver", SOLVER_NAMES), help=_SOLVER_HELP)
@click.option("--timeout", type=DURATION, help="End the check after this time: 90, 90s, 2m, 1h.")
@format_option
def command(
    path: Path, spec: str | None, solver: str | None, timeout: float | None, output_format: str
) -> int:
    """Check a proof again, from its file, with another solver than the one that found it.

    The file must be of this version of the protocol and say what its lemmas say here; then the invariant
    must hold initially, be kept by every instance of every action, and imply the property.

    The file may come from a stranger: of a protocol that is not built in, you say with --spec whose code is
    run.

    \b
    Examples:
      verify certify proof.json
      verify certify proof.json --spec my_protocol.py
    """
    from verifier.cli.certify_run import run

    return run(Options(path, spec, solver, timeout, output_format))
