"""The command of an engine, made from the engine's declaration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from verifier.cli.completion import make_completer
from verifier.cli.defaults import project_defaults
from verifier.cli.entry import take_start
from verifier.cli.help_groups import GroupedCommand
from verifier.cli.output import format_option, html_option, note
from verifier.cli.parameters import FolderParameter, Parameter
from verifier.cli.paths import FileToWrite
from verifier.cli.specs import CHOSEN_LEMMAS, spec_options
from verifier.runs.engine import Engine, engine_named
from verifier.runs.option import Folder, Option, Switch, Words, list_declared

_FULL_HELP = (
    "Show whole states, with a star at each change, instead of only the changes. prove also shows its "
    "invariants in full."
)
_TRACE_HELP = (
    "Write the counterexample as ITF JSON, for verify replay. If several properties are violated, "
    "--trace-out T.itf.json writes the one printed first to T.itf.json, and that of each other property "
    "to T.PROPERTY.itf.json."
)
_CERTIFICATE_HELP = (
    "Write all proofs to a file, for verify certify. The file also names the properties without a proof."
)
_DEFAULTS = "verifier.cli.defaults"
Decorator = Callable[[Callable[..., int]], Callable[..., int]]


class _EngineCommand(GroupedCommand):
    """A command whose options have the defaults of the project."""

    engine: Engine[Any]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Takes the arguments. Raises UsageError if the project's defaults are not allowed."""
        asks_for_help = any(word in ctx.help_option_names for word in args)
        if not ctx.resilient_parsing and not asks_for_help:
            path, defaults = project_defaults(self.engine, Path.cwd())
            ctx.default_map = dict(defaults)
            ctx.meta[_DEFAULTS] = path
        return super().parse_args(ctx, args)


class _Switch(click.Option):
    """A switch that can be turned off, though its help shows only how it is turned on."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The help without the form that turns it off."""
        off, self.secondary_opts = self.secondary_opts, []
        try:
            return super().get_help_record(ctx)
        finally:
            self.secondary_opts = off


class _Valued(click.Option):
    """An option whose help shows its current name, though it accepts a former one."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the help without the former name."""
        names, self.opts = self.opts, self.opts[:1]
        try:
            return super().get_help_record(ctx)
        finally:
            self.opts = names


def engine_command(name: str) -> click.Command:
    """The command ``verify NAME``."""
    engine = engine_named(name)

    def run(**given: Any) -> int:
        began = take_start()
        from verifier.cli.engine_run import run_engine

        _say_defaults(engine)
        return run_engine(engine, given, began)

    function: Callable[..., int] = run
    for decorator in reversed(list(_options(engine))):
        function = decorator(function)
    chooses = CHOSEN_LEMMAS in engine.options.__dataclass_fields__
    function = spec_options(function, proves=engine.writes_certificates, chooses=chooses)
    made = click.command(name, cls=_EngineCommand, help=engine.help)(function)
    made.engine = engine
    return made


def _options(engine: Engine[Any]) -> Iterator[Decorator]:
    """Yield a decorator for each option. The help has them in groups of its own."""
    known = dict(list_declared(engine.options))
    yield _option(known.pop("properties"), "temporal" if engine.decides_temporal else "properties")
    expect = known.pop("expect")
    yield from map(_option, known.values())
    yield format_option
    yield html_option
    yield click.option("--full", is_flag=True, help=_FULL_HELP)
    if engine.writes_traces:
        yield _file("--trace-out", _TRACE_HELP)
    if engine.writes_certificates:
        yield _file("--certificate", _CERTIFICATE_HELP)
    for file in engine.files:
        yield _file(file.flag, file.help)
    yield _option(expect)


def _file(flag: str, words: str) -> Decorator:
    return click.option(flag, type=FileToWrite(), metavar="FILE", help=words)


def _option(option: Option, completes: str = "properties") -> Decorator:
    shown = option.default is not None and option.default is not False
    common: dict[str, Any] = {"default": option.default, "help": option.help, "show_default": shown}
    if isinstance(option.kind, Switch):
        both = bool(option.default or option.kind.both_ways)
        flags = f"{option.flag}/--no-{option.flag[2:]}"
        kind_of_option = click.Option if both else _Switch
        common["show_default"] = both and option.default is not None
        return click.option(flags, option.name, is_flag=True, cls=kind_of_option, **common)
    if isinstance(option.kind, Words):
        metavar, complete = option.kind.metavar, make_completer(completes)
        return click.option(
            option.flag,
            option.name,
            multiple=True,
            metavar=metavar,
            help=option.help,
            shell_complete=complete if option.name == "properties" else None,
        )
    of_kind = FolderParameter if isinstance(option.kind, Folder) else Parameter
    kind = of_kind(option.kind)
    names = [flag for flag in (option.flag, option.former_flag) if flag is not None]
    return click.option(*names, option.name, cls=_Valued, type=kind, metavar=option.metavar, **common)


def _say_defaults(engine: Engine[Any]) -> None:
    """Says which options the project's file gives, so that a run does not surprise."""
    context = click.get_current_context()
    used = [
        " ".join(known.words(context.params[name])) or f"no {known.flag}"
        for name, known in list_declared(engine.options).items()
        if context.get_parameter_source(name) is ParameterSource.DEFAULT_MAP
    ]
    if used:
        note(f"{context.meta[_DEFAULTS]} gives {' '.join(used)}")
