"""Options that the commands share which run an engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from verifier.cli.paths import FileToWrite

_EXPECT_HELP = (
    "The verdict that counts as success (exit code 0): holds, proved, reached, violated, not_inductive or "
    "inconclusive; of several properties, the worst verdict. PROPERTY=VERDICT speaks of one property, which "
    "is checked along; ACTION=enabled demands that an action was enabled in a state searched. May be "
    "repeated. Any other verdict gives its own exit code, and 14 where that would be 0."
)
_TRACE_HELP = (
    "Write the counterexample as ITF JSON, for verify replay. Of several violated properties the first gets "
    "FILE; T.itf.json becomes T.NAME.itf.json for each other. Without a counterexample nothing is written."
)
_CERTIFICATE_HELP = (
    "Write the proof, for verify certify. Of several proved properties the first gets FILE; P.json becomes "
    "P.NAME.json for each other."
)
_DEADLOCK_HELP = "Also look for a reachable state in which no action is enabled (NoDeadlock; exit code 13)."
_FULL_HELP = "Show whole states, changes marked by a star, instead of changes only."


def property_option(what: str, all_or_none: str = "'all' is all of them") -> Callable[..., Any]:
    """``--property``; ``what`` is what becomes of it, as in ``What to check``."""
    words = f"{what}; may be repeated. {all_or_none}. [default: what the spec checks by default]"
    return click.option("--property", "properties", multiple=True, metavar="NAME", help=words)


deadlock_option = click.option("--deadlock", is_flag=True, help=_DEADLOCK_HELP)
full_option = click.option("--full", is_flag=True, help=_FULL_HELP)
trace_option = click.option("--trace-out", type=FileToWrite(), metavar="FILE", help=_TRACE_HELP)
certificate_option = click.option("--certificate", type=FileToWrite(), metavar="FILE", help=_CERTIFICATE_HELP)
expect_option = click.option("--expect", multiple=True, metavar="VERDICT", help=_EXPECT_HELP)
