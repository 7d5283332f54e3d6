"""``verify replay``."""

from __future__ import annotations

from pathlib import Path

import click

from verifier.cli.paths import FileToRead, SpecName
from verifier.cli.specs import SET_HELP, SPEC_HELP, parse_settings

_SPEC_HELP = (
    f"The protocol to check against. [default: the one the file names, if it is built in] {SPEC_HELP}"
)
_SET_HELP = f"{SET_HELP} [default: those of the file]"


@click.command("replay")
@click.argument("file", type=FileToRead())
@click.option("--spec", type=SpecName(), metavar="SPEC", help=_SPEC_HELP)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help=_SET_HELP)
@click.option("--show", "shown", is_flag=True, help="Show the execution too.")
@click.option("--full", is_flag=True, help="Show the execution with whole states.")
def command(file: Path, spec: str | None, settings: tuple[str, ...], shown: bool, full: bool) -> int:
    """Check a trace file (ITF JSON) against its protocol, without a solver.

    Every state and action is computed anew: Init holds in state 0, each action is enabled and gives the next
    state, and the property fails in the last. If not, exit code 2 and a line that says at which step and why.

    \b
    Example:
      verify replay trace.itf.json
    """
    from verifier.cli.replay_run import run

    return run(file, spec, parse_settings(settings), show=shown or full, full=full)
