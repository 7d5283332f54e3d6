"""Names the option that was meant, or the commands that have it, for an option that a command lacks."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

import click

from verifier.printable import join_words

_NEAR = 0.7
"""The likeness of two names from which one may be meant for the other, without their dashes."""
_MOST = 2
"""The number of options that are suggested."""


def explain_unknown_option(group: click.Group, context: click.Context, option: str) -> str:
    """Say that a command lacks an option. Name the commands that have it, or near options."""
    here = context.command_path.partition(" ")[2] or context.command_path
    words = f"{here} has no option {option}"
    others = _list_flags(group, context)
    having = [name for name, flags in others.items() if option in flags]
    if having:
        return f"{words}: {join_words(having)} {'has' if len(having) == 1 else 'have'} it"
    near = _find_near(option, _flags_of(context.command, context))
    if near:
        return f"{words}; did you mean {join_words(near, 'or')}?"
    for flag in _find_near(option, dict.fromkeys(flag for flags in others.values() for flag in flags)):
        having = [name for name, flags in others.items() if flag in flags]
        return f"{words}; {join_words(having)} {'has' if len(having) == 1 else 'have'} {flag}"
    return words


def _list_flags(group: click.Group, context: click.Context) -> Mapping[str, list[str]]:
    """Return the options of all other commands by the command's name."""
    if context.command is group:
        return {}
    flags = {}
    for name in group.list_commands(context):
        try:
            command = group.get_command(context, name)
        except ImportError:  # a package is missing that this command needs
            continue
        if command is not None and command.name != context.command.name:
            flags[name] = _flags_of(command, context)
    return flags


def _flags_of(command: click.Command, context: click.Context) -> list[str]:
    params = [one for one in command.get_params(context) if isinstance(one, click.Option) and not one.hidden]
    longs = [[flag for flag in one.opts if flag.startswith("--")] for one in params]
    off = [flag for one in params for flag in one.secondary_opts]
    return [*(flags[0] for flags in longs if flags), *off]  # the others are former names


def _find_near(option: str, flags: Iterable[str]) -> list[str]:
    """Return the options whose names are near, the nearest first."""
    plain = {flag.lstrip("-"): flag for flag in flags}
    near = difflib.get_close_matches(option.lstrip("-").casefold(), list(plain), n=_MOST, cutoff=_NEAR)
    return [plain[name] for name in near]
