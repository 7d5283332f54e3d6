"""The group of commands: loads a command when it is called, and says errors on one line."""

from __future__ import annotations

import os
import re
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from verifier.cli.unknown_options import explain_unknown_option
from verifier.errors import ReaderGone, UsageError, cut, make_unknown_name_error
from verifier.printable import join_words, printable
from verifier.processes.interrupts import (
    INTERRUPTED,
    answering,
    handler,
    hold_interrupts,
    is_interrupt,
    speak_last,
)
from verifier.processes.limits import Interrupted
from verifier.verdict import ExitCode

_TOO_MUCH = re.compile(r"Got unexpected extra arguments? \((.*)\)", re.DOTALL)
"""The message of click for arguments that a command does not take."""
_LONG = re.compile(r"[^\s'\"]{81,}")
"""A text that is too long for a word of a message of click."""


class LazyGroup(click.Group):
    """A group whose commands are named by module and attribute (the command, or what makes it from its name),
    with the short help to list."""

    def __init__(
        self,
        *args: Any,
        commands_at: Mapping[str, tuple[str, str]],
        everywhere: Sequence[click.Parameter] = (),
        **kwargs: Any,
    ) -> None:
        """``everywhere`` are options that each command takes as well."""
        super().__init__(*args, **kwargs)
        self._commands_at = commands_at
        self._everywhere = everywhere
        self.params += everywhere

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order to show."""
        return list(self._commands_at)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, loaded; None if there is none of that name."""
        if cmd_name not in self._commands_at:
            return None
        module, _, attribute = self._commands_at[cmd_name][0].partition(":")
        entry = getattr(import_module(module), attribute)
        command = entry if isinstance(entry, click.Command) else entry(cmd_name)
        assert isinstance(command, click.Command)
        known = {param.name for param in command.params}
        command.params += [param for param in self._everywhere if param.name not in known]
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments name. Raises UsageError for an unknown one."""
        named = args and not args[0].startswith("-") and not ctx.resilient_parsing
        if named and args[0] not in self._commands_at:
            raise make_unknown_name_error("command", args[0], self._commands_at)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands that begin so, without loading them, and the options."""
        commands = [
            CompletionItem(name, help=words)
            for name, (_, words) in self._commands_at.items()
            if name.startswith(incomplete)
        ]
        return commands + click.Command.shell_complete(self, ctx, incomplete)

    def _message(self, error: click.ClickException, args: Sequence[str]) -> str:
        """Describe the mistake in the command line, and where to look."""
        words = error.format_message()
        if not isinstance(error, click.UsageError):
            return words
        if isinstance(error, click.NoSuchOption) and error.ctx is not None:
            words = explain_unknown_option(self, error.ctx, error.option_name)
        if error.ctx is not None and (too_much := _TOO_MUCH.fullmatch(words)):
            words = _explain_extra_arguments(error.ctx.command, too_much[1])
        command = next((word for word in args if word in self._commands_at), None)
        path = error.ctx.command_path if error.ctx else " ".join(filter(None, ("verify", command)))
        return f"{words.rstrip('.')}; try {path} --help"

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
        words, began = sys.argv[1:] if args is None else args, time.monotonic()
        speak_last(partial(self.say_end_by_force, words, began))
        try:
            code = super().main(args, prog_name or "verify", complete_var, standalone_mode=False, **extra)
            with hold_interrupts():
                sys.stdout.flush()
        except click.Abort:
            code = self.say_end(words, began, INTERRUPTED)
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message(), err=True)
            code = ExitCode.WRONG_USAGE
        except click.ClickException as error:
            message = self._message(error, words)
            code = _say(_LONG.sub(lambda match: cut(match[0]), message), ExitCode.WRONG_USAGE)
        except Exception as error:  # noqa: BLE001 -- the last resort: no traceback for users
            if is_interrupt(error) or isinstance(error, Interrupted):
                reason = str(error) if isinstance(error, Interrupted) else INTERRUPTED
                code = self.say_end(words, began, reason)
            else:
                code = _handle(error)
        if standalone_mode:
            sys.exit(code or 0)
        return code

    def say_end(self, args: Sequence[str], began: float, reason: str) -> int:
        """Says that a command was ended, in the format that it was asked for."""
        end = handler()
        if end is not None:
            end.conclude()
        if end is None or not end.has_answered:
            from verifier.cli.ended import document_of_end

            document = document_of_end(self, args, reason, time.monotonic() - began)
            with answering():
                click.echo(document or "", nl=False)
                sys.stdout.flush()
        return _say(reason, ExitCode.INCONCLUSIVE)

    def say_end_by_force(self, args: Sequence[str], began: float, has_answered: bool) -> int:
        """Says the same where the streams may be in use: by the descriptor."""
        from verifier.cli.ended import document_of_end
        from verifier.cli.streams import write_all

        if not has_answered:
            document = document_of_end(self, args, INTERRUPTED, time.monotonic() - began)
            write_all(1, document or "")
        return ExitCode.INCONCLUSIVE


def _explain_extra_arguments(command: click.Command, extra: str) -> str:
    """Say what arguments a command takes, and which are too much."""
    taken = [one.human_readable_name for one in command.params if isinstance(one, click.Argument)]
    takes = f"one {join_words([name.strip('[]') for name in taken])}" if taken else "no argument"
    return f"{command.name} takes {takes}; {extra} is too much"


def _handle(error: Exception) -> int:
    if os.environ.get("VERIFY_DEBUG"):
        traceback.print_exception(error)
    if isinstance(error, ReaderGone):
        return ExitCode.READER_GONE
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
