"""The options that name a protocol and its constants, and getting the protocol they name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from verifier.errors import UsageError

if TYPE_CHECKING:
    from verifier.specs.definition import Definition
    from verifier.specs.protocol import Protocol

Command = TypeVar("Command", bound=Callable[..., Any])

SPEC_HELP = (
    "A built-in protocol (verify list), or a Python file with one: FILE.py, or FILE.py:Class where it "
    "has several. The code of the file is run."
)
SET_HELP = "Give a constant a value; may be repeated."


def spec_options(command: Command) -> Command:
    """Adds ``SPEC``, ``--spec`` and ``--set``."""
    for option in (
        click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help=SET_HELP),
        click.option("--spec", "spec_option", metavar="SPEC", help=SPEC_HELP),
        click.argument("spec_argument", metavar="[SPEC]", required=False),
    ):
        command = option(command)
    return command


def named_spec(option: str | None, argument: str | None) -> str:
    """The spec that was named, in either way. Raises UsageError if none or two were."""
    if option is not None and argument is not None and option != argument:
        raise UsageError(f"two specs are named, {option} and {argument}: name one")
    spec = option if option is not None else argument
    if spec is None:
        raise UsageError("no spec is named: give --spec NAME or --spec FILE.py (verify list shows the names)")
    return spec


def parse_settings(words: Sequence[str]) -> dict[str, str]:
    """The settings of constants. Raises UsageError for a malformed one."""
    settings: dict[str, str] = {}
    for word in words:
        name, equals, value = (part.strip() for part in word.partition("="))
        if not equals or not name or not value:
            raise UsageError(f"--set {word} is not allowed: it takes NAME=VALUE, as in --set replicas=4")
        if settings.setdefault(name, value) != value:
            raise UsageError(f"--set gives {name} two values, {settings[name]} and {value}")
    return settings


@dataclass(frozen=True)
class Loaded:
    """A protocol at its constants, and its definition."""

    spec: str
    protocol: Protocol
    definition: Definition


def load(spec: str, settings: dict[str, Any]) -> Loaded:
    """The protocol and its definition. Raises UsageError or DefinitionError for what is wrong with them."""
    from verifier.specs.protocol import DefinitionError, define
    from verifier.specs.registry import BUILT_IN
    from verifier.specs.registry import load as load_class

    found = load_class(spec)
    try:
        protocol = found(settings)
        return Loaded(spec, protocol, define(protocol))
    except (UsageError, DefinitionError):
        raise
    except Exception as error:
        if spec in BUILT_IN:
            raise
        raise UsageError(f"{_place(spec, error)}: {type(error).__name__}: {error}") from error


def _place(spec: str, error: BaseException) -> str:
    """The file of a protocol, with the line of it that was running."""
    path = spec if Path(spec).suffix == ".py" else spec.rpartition(":")[0]
    line, step = None, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == str(Path(path)):
            line = step.tb_lineno
        step = step.tb_next
    return path if line is None else f"{path}, line {line}"
