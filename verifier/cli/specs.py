"""The options that name a protocol and its constants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from verifier.cli.completion import completed
from verifier.cli.paths import SpecName
from verifier.errors import UsageError, cut

Command = TypeVar("Command", bound=Callable[..., Any])

SPEC_HELP = (
    "A built-in protocol (verify list), or a Python file with one: FILE.py, or FILE.py:Class where it "
    "has several. The code of the file is run. Or a TLA+ module, FILE.tla."
)
CONFIG_HELP = "Of a TLA+ module: its configuration. [default: FILE.cfg beside FILE.tla]"
LIBRARY_HELP = "Of a TLA+ module: a folder with modules that it extends; may be repeated."
LEMMA_HELP = "Of a TLA+ module: an operator that helps to prove, for induct and prove; may be repeated."
_CONFIG, _LIBRARIES = "verifier.cli.specs.config", "verifier.cli.specs.library"
_LEMMAS = "verifier.cli.specs.lemma"
SET_HELP = "Give a constant a value; may be repeated."


def spec_options(command: Command) -> Command:
    """Adds ``SPEC``, ``--spec`` and ``--set``."""
    for option in (
        click.option(
            "--set",
            "settings",
            multiple=True,
            metavar="NAME=VALUE",
            help=SET_HELP,
            shell_complete=completed("constants"),
        ),
        click.option("--spec", "spec_option", type=SpecName(), metavar="SPEC", help=SPEC_HELP),
        _kept("--config", _CONFIG, CONFIG_HELP, metavar="FILE", type=click.Path(path_type=Path)),
        _kept(
            "--library",
            _LIBRARIES,
            LIBRARY_HELP,
            metavar="DIR",
            type=click.Path(path_type=Path),
            multiple=True,
        ),
        click.argument("spec_argument", type=SpecName(), metavar="[SPEC]", required=False),
    ):
        command = option(command)
    own = {flag for made in getattr(command, "__click_params__", ()) for flag in made.opts}
    if "--lemma" not in own:  # verify induct chooses among lemmas by an option of that name
        command = _kept("--lemma", _LEMMAS, LEMMA_HELP, metavar="NAME", multiple=True)(command)
    return command


def _kept(flag: str, key: str, words: str, **more: Any) -> Callable[[Command], Command]:
    """An option that is kept for those who ask, instead of being an argument of every command."""

    def keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
        context.meta[key] = value

    return click.option(flag, callback=keep, expose_value=False, help=words, **more)


def tla_files(spec: str) -> tuple[Path | None, tuple[Path, ...]]:
    """The configuration and the folders of modules that were named. Raises UsageError if the spec is no TLA+
    module."""
    meta = click.get_current_context().meta
    config, libraries = meta.get(_CONFIG), tuple(meta.get(_LIBRARIES) or ())
    if not spec.endswith(".tla") and (config is not None or libraries or tla_lemmas()):
        flag = "--config" if config is not None else "--library" if libraries else "--lemma"
        raise UsageError(f"{flag} is for TLA+ modules, and {spec} is none")
    for folder in libraries:
        if not folder.is_dir():
            raise UsageError(f"--library {folder} is no folder")
    return config, libraries


def tla_lemmas() -> tuple[str, ...]:
    """The operators of a TLA+ module that were named as lemmas."""
    return tuple(click.get_current_context().meta.get(_LEMMAS) or ())


def named_spec(option: str | None, argument: str | None) -> str:
    """The spec that was named, in either way. Raises UsageError if none or two were."""
    if option is not None and argument is not None and option != argument:
        raise UsageError(f"two specs are named, {option} and {argument}: name one")
    spec = option if option is not None else argument
    if spec is None:
        raise UsageError("no spec is named: give --spec NAME or --spec FILE.py (verify list shows the names)")
    tla_files(spec)
    return spec


def parse_settings(
    words: Sequence[str], option: str = "--set", example: str = "replicas=4"
) -> dict[str, str]:
    """What an option sets to what. Raises UsageError for a malformed word, or two values of one name."""
    settings: dict[str, str] = {}
    for word in words:
        name, equals, value = (part.strip() for part in word.partition("="))
        if not equals or not name or not value:
            takes = f"it takes NAME=VALUE, as in {option} {example}"
            raise UsageError(f"{option} {cut(word)} is not allowed: {takes}")
        if settings.setdefault(name, value) != value:
            raise UsageError(f"{option} gives {name} two values, {cut(settings[name])} and {cut(value)}")
    return settings
