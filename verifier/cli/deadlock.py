"""``--deadlock``."""

from __future__ import annotations

import click

deadlock_option = click.option(
    "--deadlock",
    is_flag=True,
    help="Also look for a reachable state in which no action is enabled (NoDeadlock; exit code 13).",
)
