"""``verify export``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from verifier.cli.help_groups import GroupedCommand
from verifier.cli.output import check_writable, note, say, write
from verifier.cli.parameters import one_of
from verifier.cli.paths import FileToWrite
from verifier.cli.specs import find_named_spec, parse_settings, reading_of, spec_options
from verifier.errors import UsageError
from verifier.printable import json_text

if TYPE_CHECKING:
    from verifier.runs.loaded import ReadingOptions

_FORMATS = ("smt2", "vmt", "btor2", "aiger")
_READABLE = ".aag"

_PROPERTY_HELP = (
    "What to write as a property; may be repeated. 'all' is all of them. [default: what the spec checks by "
    "default]"
)
_FORMAT_HELP = (
    "smt2: definitions of the initial states, a step and the properties, for SMT solvers. vmt: the same as "
    "VMT-LIB, for nuXmv and ic3ia. btor2: for pono, AVR, BtorMC. aiger: for ABC and other hardware model "
    "checkers."
)
_OUT_HELP = (
    "Write to this file instead of standard output. AIGER is binary, except in a file *.aag and on standard "
    "output: there it is ASCII."
)
_MAP_HELP = (
    "Write as JSON which bit, latch, input and output stands for which variable, value, action and property."
)
_DEADLOCK_HELP = "Also write the property that in every reachable state an action is enabled (NoDeadlock)."


@dataclass(frozen=True)
class Options:
    """The options of the command line."""

    spec: str
    settings: dict[str, str]
    properties: tuple[str, ...]
    form: str | None
    out: Path | None
    names: Path | None
    deadlock: bool
    reading: ReadingOptions


@click.command("export", cls=GroupedCommand)
@spec_options
@click.option("--property", "properties", multiple=True, metavar="NAME", help=_PROPERTY_HELP)
@click.option("--format", "form", type=one_of(_FORMATS), help=_FORMAT_HELP)
@click.option("--out", type=FileToWrite(), metavar="FILE", help=_OUT_HELP)
@click.option("--map", "names", type=FileToWrite(), metavar="FILE", help=_MAP_HELP)
@click.option("--deadlock", is_flag=True, help=_DEADLOCK_HELP)
def command(
    spec_option: str | None, spec_argument: str | None, settings: tuple[str, ...], **rest: Any
) -> int:
    """Write a protocol at its constants, with properties, for other model checkers.

    In the exported file, executions have the same states as in verify. They may also contain steps that
    change nothing. The file says what a bad state means: a property is violated, or a reachable property is
    reached. An action is disabled where it would leave a sort. The type invariant, which is exported too,
    says that this never happens.

    \b
    Examples:
      verify export kip320 --property StrongIsr --format aiger --out k.aig
      berkeley-abc -c "read k.aig; pdr"
      verify export my_protocol.py --format btor2 > my_protocol.btor2
      verify export TwoPhase.tla --format vmt --out t.vmt
    """
    spec = find_named_spec(spec_option, spec_argument)
    return _run(Options(spec, parse_settings(settings), reading=reading_of(spec), **rest))


def _run(options: Options) -> int:
    if options.form is None:
        raise UsageError(f"no format is named: give --format NAME ({', '.join(_FORMATS)})")
    from verifier.interchange.exporting import Format, export
    from verifier.runs.building import build_model
    from verifier.runs.loading import load
    from verifier.runs.question import choose_properties
    from verifier.system.deadlock import with_deadlock
    from verifier.text.run import with_constants

    loaded = load(options.spec, options.settings, reading=options.reading)
    for words in loaded.source.warnings if loaded.source is not None else ():
        say(words, err=True)
    deadlock = options.deadlock or (loaded.definition.checks_deadlock and not options.properties)
    loaded = loaded.whole([name for name in options.properties if name != "all"])
    chosen = choose_properties(loaded.definition, options.properties, deadlock=deadlock)
    _check_files(options.out, options.names)
    model = build_model(loaded.definition)
    model = with_deadlock(model) if deadlock else model
    readable = options.out is None or options.out.suffix == _READABLE
    exported = export(model, chosen, Format(options.form), readable=readable)
    if options.out is None:
        click.echo(exported.content.decode(), nl=False)
    else:
        write("--out", options.out, exported.content)
    if options.names is not None:
        write("--map", options.names, json_text(exported.names) + "\n")
    about = with_constants(loaded.definition.name, loaded.definition.constants)
    note(f"{about}: {', '.join(chosen)} as {options.form}, {exported.size}")
    return 0


def _check_files(out: Path | None, names: Path | None) -> None:
    """Raises UsageError if one of the files could not be written."""
    for option, path in (("--out", out), ("--map", names)):
        if path is not None:
            check_writable(option, path)
