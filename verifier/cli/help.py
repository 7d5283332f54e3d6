"""``verify help``."""

from __future__ import annotations

import click

from verifier.cli.completion import commands
from verifier.errors import make_unknown_name_error


@click.command("help")
@click.argument("name", metavar="[COMMAND]", required=False, shell_complete=commands)
@click.pass_context
def command(context: click.Context, name: str | None) -> int:
    """Show the help of COMMAND, or of verify.

    \b
    Example:
      verify help bmc
    """
    root = context.find_root()
    group = root.command
    assert isinstance(group, click.Group)
    if name is None:
        click.echo(group.get_help(root))
        return 0
    command = group.get_command(root, name)
    if command is None:
        raise make_unknown_name_error("command", name, group.list_commands(root))
    click.echo(command.get_help(click.Context(command, parent=root, info_name=name)))
    return 0
