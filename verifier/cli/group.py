"""The group of commands: loads a command when it is called, and says errors on one line."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import click

from verifier.errors import UsageError, unknown_name
from verifier.printable import printable
from verifier.verdict import ExitCode


class LazyGroup(click.Group):
    """A group whose commands are named by module and attribute (the command, or what makes it from its name),
    with the short help to list."""

    def __init__(self, *args: Any, commands_at: Mapping[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._commands_at = commands_at

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order to show."""
        return list(self._commands_at)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, loaded; None if there is none of that name."""
        if cmd_name not in self._commands_at:
            return None
        module, _, attribute = self._commands_at[cmd_name][0].partition(":")
        found = getattr(import_module(module), attribute)
        command = found if isinstance(found, click.Command) else found(cmd_name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments name. Raises UsageError for an unknown one."""
        if args and not args[0].startswith("-") and args[0] not in self._commands_at:
            raise unknown_name("command", args[0], self._commands_at)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands in the help, without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, words) in self._commands_at.items()])

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Runs a command and exits with the code it returns; every error is one line."""
        try:
            code = super().main(args, prog_name or "verify", complete_var, standalone_mode=False, **extra)
            sys.stdout.flush()
        except click.Abort:
            code = _say("interrupted", ExitCode.INCONCLUSIVE)
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message(), err=True)
            code = ExitCode.WRONG_USAGE
        except click.ClickException as error:
            code = _say(error.format_message(), ExitCode.WRONG_USAGE)
        except Exception as error:  # noqa: BLE001 -- the last resort: no traceback for users
            code = _handled(error)
        if standalone_mode:
            sys.exit(code or 0)
        return code


def _handled(error: Exception) -> int:
    if os.environ.get("VERIFY_DEBUG"):
        traceback.print_exception(error)
    if isinstance(error, UsageError | _input_errors()):
        return _say(str(error), ExitCode.WRONG_USAGE)
    try:
        said = str(error)
    except Exception as other:  # noqa: BLE001 -- some ask a process for their text that has ended
        said = f"its text cannot be had ({type(other).__name__})"
    words = f"internal error, please report it: {type(error).__name__}: {said}"
    return _say(f"{words} (VERIFY_DEBUG=1 shows where)", ExitCode.INTERNAL_ERROR)


def _input_errors() -> type[Exception]:
    from verifier.specs.protocol import DefinitionError

    return DefinitionError


def _say(message: str, code: int) -> int:
    """One line on standard error, whatever the message has in it."""
    click.echo(f"verify: {printable(' '.join(message.split()))}", err=True)
    return code
