"""The options that name a protocol and its constants."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from verifier.cli.completion import CONFIG, LIBRARIES, make_completer
from verifier.cli.help_groups import SPEC_HELP as SPEC_HELP
from verifier.cli.paths import FileToRead, FolderToRead, SpecName
from verifier.errors import UsageError, cut
from verifier.processes.limits import Interrupted, Limits

if TYPE_CHECKING:
    from verifier.runs.loaded import ReadingOptions

Command = TypeVar("Command", bound=Callable[..., Any])

CONFIG_HELP = "TLA+ modules: the configuration. [default: FILE.cfg beside FILE.tla]"
LIBRARY_HELP = "TLA+ modules: a folder with modules that it extends; may be repeated."
_LEMMA_OF_MODULE = "TLA+ modules: use this operator as a lemma in proofs; may be repeated."
LEMMA_HELP = (
    f"{_LEMMA_OF_MODULE} Python protocols, with prove and induct: of the declared lemmas, use only those "
    "named. [default: all that are declared]"
)
_LEMMA_OF_EITHER = LEMMA_HELP.replace(", with prove and induct", "")
_LEMMAS_OF_PROTOCOLS = (
    "a Python protocol declares its lemmas: only prove and induct accept --lemma, and use only those named"
)
_LEMMAS = "verifier.cli.specs.lemma"
CHOSEN_LEMMAS = "chosen_lemmas"
"""The field of the options of an engine that chooses among a protocol's lemmas."""
SET_HELP = (
    "Give a constant a value; may be repeated. For TLA+ modules also RM='{r1, r2}' and Quorum='<-Majority'."
)


def spec_options(command: Command, *, proves: bool = False, chooses: bool = False) -> Command:
    """Adds ``SPEC``, ``--set``, and what TLA+ modules need. ``--spec SPEC`` is another form of ``SPEC``.

    ``proves``: the help shows ``--lemma``. The other commands accept it, so that one line of options does for
    several commands. ``chooses``: the command chooses among the lemmas of a protocol, too.
    """
    for option in (
        set_option,
        click.option("--spec", "spec_option", type=SpecName(), metavar="SPEC", hidden=True),
        click.argument("spec_argument", type=SpecName(), metavar="[SPEC]", required=False),
    ):
        command = option(command)
    command = reading_options(command)
    own = {flag for made in getattr(command, "__click_params__", ()) for flag in made.opts}
    if "--lemma" not in own:  # the lemmas of verify induct are an option of the engine
        command = lemma_option(command, hidden=not proves, chooses=chooses)
    return command


def set_option(command: Command) -> Command:
    """Adds ``--set``."""
    complete = make_completer("constants")
    return click.option(
        "--set", "settings", multiple=True, metavar="NAME=VALUE", help=SET_HELP, shell_complete=complete
    )(command)


def lemma_option(command: Command, *, hidden: bool = False, chooses: bool = False) -> Command:
    """Adds ``--lemma``. ``chooses``: for protocols, too."""
    shown: dict[str, Any] = {"metavar": "NAME", "multiple": True, "hidden": hidden}
    words = _LEMMA_OF_EITHER if chooses else _LEMMA_OF_MODULE
    return _keep_option("--lemma", _LEMMAS, words, **shown)(command)


def reading_options(command: Command) -> Command:
    """Adds what says how a TLA+ module is read: ``--config`` and ``--library``."""
    folders: dict[str, Any] = {"metavar": "DIR", "type": FolderToRead(), "multiple": True}
    command = _keep_option("--library", LIBRARIES, LIBRARY_HELP, **folders)(command)
    return _keep_option("--config", CONFIG, CONFIG_HELP, metavar="FILE", type=FileToRead())(command)


def _keep_option(flag: str, key: str, words: str, **more: Any) -> Callable[[Command], Command]:
    """An option that is kept for those who ask, instead of being an argument of every command."""

    def keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
        context.meta[key] = value

    return click.option(flag, callback=keep, expose_value=False, help=words, **more)


def list_lemmas() -> tuple[str, ...]:
    """Return the lemmas that the command line names."""
    return tuple(click.get_current_context().meta.get(_LEMMAS) or ())


def reading_of(spec: str | None, lemmas: Sequence[str] = (), *, chooses: bool = False) -> ReadingOptions:
    """Return the options for reading the spec, if it is a TLA+ module. Raises UsageError if they are given
    for another spec. ``lemmas``: those of an engine's own option. ``chooses``: the engine chooses among the
    lemmas of a protocol."""
    from verifier.runs.loaded import TLA, ReadingOptions

    meta = click.get_current_context().meta
    config, libraries = meta.get(CONFIG), tuple(meta.get(LIBRARIES) or ())
    kept = list_lemmas()
    if spec is not None and spec.endswith(TLA):
        return ReadingOptions(config, libraries, kept or tuple(lemmas))
    kept = () if chooses else kept
    if config is not None or libraries or kept:
        flag = "--config" if config is not None else "--library" if libraries else "--lemma"
        if kept and spec is not None and flag == "--lemma":
            raise UsageError(_LEMMAS_OF_PROTOCOLS)
        what = "no spec is named" if spec is None else f"{spec} is not one"
        raise UsageError(f"{flag} is for TLA+ modules, and {what}")
    return ReadingOptions()


@contextmanager
def reading_within(limits: Limits, least: float = 0.0) -> Iterator[None]:
    """Limit the time of reading a spec, which does not check the clock. Raises Interrupted at the limit.
    ``least``: the seconds that reading has in any case."""
    if limits.seconds is None:
        yield
        return
    from verifier.processes.watching import Watched

    began = time.monotonic()

    def look() -> None:
        if time.monotonic() - began >= least:
            limits.check_time()

    watched = Watched(look)
    try:
        with watched:
            yield
    except Exception as error:
        if not watched.raised:
            raise
        raise Interrupted(f"{watched.reason}, while the spec was read") from error


def find_named_spec(option: str | None, argument: str | None) -> str:
    """The spec that was named, in either way. Raises UsageError if none or two were."""
    if option is not None and argument is not None and option != argument:
        raise UsageError(f"two specs are named, {option} and {argument}: name one")
    spec = option if option is not None else argument
    if spec is None:
        words = "give NAME, FILE.py or FILE.tla (verify list shows the names)"
        raise UsageError(f"no spec is named: {words}")
    return spec


def parse_settings(
    words: Sequence[str], option: str = "--set", example: str = "replicas=4"
) -> dict[str, str]:
    """Parse names and values. Raises UsageError for a malformed word, or two values of one name."""
    settings: dict[str, str] = {}
    for word in words:
        name, equals, value = (part.strip() for part in word.partition("="))
        if not equals or not name or not value:
            takes = f"it takes NAME=VALUE, as in {option} {example}"
            raise UsageError(f"{option} {cut(word)} is not allowed: {takes}")
        if settings.setdefault(name, value) != value:
            raise UsageError(f"{option} gives {name} two values, {cut(settings[name])} and {cut(value)}")
    return settings
