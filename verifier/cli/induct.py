"""``verify induct``: the options; ``verifier.cli.induct_run`` does the work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from verifier.cli.engine_options import certificate_option, expect_option, full_option, property_option
from verifier.cli.output import format_option, html_option
from verifier.cli.parameters import Count, Duration, OneOf, Size
from verifier.cli.specs import named_spec, parse_settings, spec_options
from verifier.solvers.names import SOLVER_NAMES

_LEMMA_HELP = "A lemma to use; may be repeated. [default: all lemmas of the spec]"
_SYMMETRY_HELP = "Ask about one instance of an action for all that differ in interchangeable elements only."
_HOUDINI_HELP = "Leave out lemmas until the rest is inductive, and say where each fell."
_MINIMISE_HELP = "Leave out every lemma that is not needed (implies --houdini)."
_REACHABLE_HELP = "Look for an execution of at most K actions to the first state of a counterexample."


@click.command("induct")
@spec_options
@property_option("What to prove")
@click.option("--lemma", "lemmas", multiple=True, metavar="NAME", help=_LEMMA_HELP)
@click.option(
    "--solver", type=OneOf("solver", SOLVER_NAMES), default="cadical", show_default=True, help="What solves."
)
@click.option("--symmetry/--no-symmetry", default=True, show_default=True, help=_SYMMETRY_HELP)
@click.option("--houdini", is_flag=True, help=_HOUDINI_HELP)
@click.option("--minimise", is_flag=True, help=_MINIMISE_HELP)
@click.option("--reachable", type=Count(), metavar="K", help=_REACHABLE_HELP)
@certificate_option
@click.option("--timeout", type=Duration(), help="End the check after this time: 90, 90s, 2m, 1h.")
@click.option("--memory", type=Size(), help="End the check at this much memory: 512MiB, 2GiB.")
@click.option("--seed", type=Count(), default=0, show_default=True, help="Vary the search.")
@format_option
@html_option
@full_option
@expect_option
def command(
    spec_option: str | None,
    spec_argument: str | None,
    settings: tuple[str, ...],
    output_format: str,
    full: bool,
    html: Path | None,
    certificate: Path | None,
    **rest: Any,
) -> int:
    """Prove properties for executions of any length, by the spec's lemmas.

    Shows that the lemmas hold initially, that every action keeps them, and that they imply the property;
    what does not follow from them may be kept together with them. Every proof is checked again by another
    solver, in a process of its own.

    \b
    Examples:
      verify induct --spec kip320 --property StrongIsr
      verify induct --spec kip320 --property StrongIsr --lemma Committed --reachable 6
      verify induct --spec kip320 --property StrongIsr --set replicas=5 --certificate proof.json
    """
    from verifier.cli.induct_run import run
    from verifier.cli.running import Shown
    from verifier.runs.options import InductOptions

    spec = named_spec(spec_option, spec_argument)
    shown = Shown(output_format, full, html=html)
    return run(spec, parse_settings(settings), InductOptions(**rest), shown, certificate)
