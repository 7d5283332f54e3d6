"""The description of an engine, for all its users: the command line, grids, manifests and reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from verifier.errors import UsageError, make_unknown_name_error
from verifier.outcomes.former_names import current_name
from verifier.runs.option import list_declared
from verifier.runs.options import Options
from verifier.runs.table import ENGINES
from verifier.specs.definition import PropertyKind

if TYPE_CHECKING:
    from rich.console import RenderableType

    from verifier.outcomes.run import Run
    from verifier.runs.loaded import Loaded
    from verifier.runs.question import Question
    from verifier.specs.definition import Definition
    from verifier.system.model import Model
    from verifier.text.progress import ProgressText

OptionsT = TypeVar("OptionsT", bound=Options)

Listen = Callable[[Any], None]
"""A callback for the engine's news, as they happen."""


class RunEngine(Protocol[OptionsT]):
    """Runs an engine until it is done, out of time, or interrupted."""

    def __call__(
        self, question: Question[OptionsT], listen: Listen = ..., built: Callable[[Model], None] = ...
    ) -> Run:
        """Run the engine. ``built`` gets the model before the search begins."""
        ...


class Render(Protocol):
    """A run as text for a terminal."""

    def __call__(self, run: Run, width: int, *, full: bool) -> list[RenderableType]:
        """Return lines of at most ``width`` characters. ``full``: whole states instead of changes."""
        ...


@dataclass(frozen=True)
class Written:
    """The content of an output file, and a message about it on one line (``{path}`` is the file)."""

    content: str | None
    """None if there is nothing to write."""
    words: str
    graph: Mapping[str, Any] | None = None
    """The graph that a page draws: the page of the run is what is written."""


@dataclass(frozen=True)
class OutputFile(Generic[OptionsT]):
    """A file that an engine can write beside its answer."""

    flag: str
    help: str
    prepare: Callable[[OptionsT, Path], OptionsT] = lambda options, path: options
    """Returns the options with those that the file needs. Raises UsageError for an unsuitable file."""
    of_question: Callable[[Question[OptionsT], Model], str] | None = None
    """Returns the content that is written once the model is built."""
    of_run: Callable[[Run, Path], Written] | None = None
    """Returns the content that is written at the end."""


def late(module: str, name: str) -> Callable[..., Any]:
    """Return a function of a module that is loaded at the first call: options are shown without it."""

    def call(*given: Any, **named: Any) -> Any:
        return getattr(import_module(module), name)(*given, **named)

    return call


def plain_progress() -> ProgressText:
    """Return a display that shows each piece of news in its own words."""
    from verifier.text.progress import ProgressText

    return ProgressText()


@dataclass(frozen=True)
class Engine(Generic[OptionsT]):
    """An engine: its name, options and run, and the display of its answer."""

    name: str
    """The name of the command, in options and results."""
    help: str
    """The help text of the command, with examples."""
    options: type[OptionsT]
    prepare: Callable[[Loaded, OptionsT], Question[OptionsT]]
    """Returns the question, with its names checked. Raises UsageError for one that cannot be asked."""
    run: RunEngine[OptionsT]
    announcement: Callable[[Question[OptionsT]], str]
    """Returns a short text about the run that begins."""
    render: Render
    progress: Callable[[], ProgressText] = plain_progress
    files: tuple[OutputFile[OptionsT], ...] = ()
    writes_traces: bool = True
    writes_certificates: bool = False
    certifying: Mapping[str, Any] = field(default_factory=dict)
    """The options under which each of its proofs has a certificate."""
    decides: bool = True
    """True if it decides properties; an engine that only samples is not swept."""
    decides_reachable: bool = True
    """True if it decides properties that some state must satisfy."""
    asks: tuple[str, ...] = ()
    """The other engines that it asks, each with its own question. Empty if it searches itself."""
    for_all: Callable[[Question[OptionsT]], bool] = lambda _: False
    """True if a question is about all constants at once."""
    decides_temporal: bool = False
    """True if it decides exactly the temporal properties."""
    relative_cost: float = 1.0
    """The estimated time of a run relative to bounded model checking."""
    reads_free: bool = False
    """True if open parameters of a protocol are free; otherwise they are expanded."""
    counts_states: bool = False
    """True if it counts all reachable states."""
    is_bounded: Callable[[Mapping[str, Any]], bool] = field(default=lambda options: True)
    """Returns True if the depth is in effect, given the other options."""
    has_parts: bool = False
    """True if its search can be split."""
    forks_late: bool = False
    """True if it starts processes while its progress is shown."""
    finds_fewest: Callable[[Mapping[str, Any]], bool] = field(default=lambda options: False)
    """Returns True if a counterexample has the fewest actions, given its options."""
    may_find_fewest: bool = False
    """True if a run says of each counterexample whether it has the fewest actions, and another run of the
    same question may not know it."""
    manifest_defaults: Callable[[Mapping[str, Any]], Mapping[str, Any]] = field(default=lambda options: {})
    """Returns the defaults in a manifest, given the other options: its expectations may be of the fewest
    actions."""

    @property
    def defaults_in_python(self) -> Mapping[str, Any]:
        """Return the defaults in Python that differ from the command's: there, results have certificates."""
        return {} if self.decides_temporal else self.certifying

    @property
    def looks_for_deadlocks(self) -> bool:
        """True if it can check freedom from deadlock."""
        return "deadlock" in list_declared(self.options)

    @property
    def has_depth(self) -> bool:
        """True if its option ``depth`` limits the actions of an execution."""
        return "depth" in list_declared(self.options)

    def claims(self, definition: Definition) -> Mapping[str, bool]:
        """Return the properties that it can check, and whether each is checked by default."""
        if self.asks:
            return {n: d for name in self.asks for n, d in engine_named(name).claims(definition).items()}
        if self.decides_temporal:
            return {prop.name: prop.default for prop in definition.temporal}
        checks = definition.checks_deadlock and self.looks_for_deadlocks
        stuck = {definition.titles.no_deadlock: True} if checks else {}
        return {
            prop.name: prop.default and (self.decides_reachable or prop.kind is not PropertyKind.REACHABLE)
            for prop in definition.properties
        } | stuck

    def options_of(self, given: Mapping[str, Any]) -> OptionsT:
        """Return the options from valid names and values, as the program gives them. Raises UsageError for an
        unknown name."""
        known = list(self.options.__dataclass_fields__)
        for name in given:
            if name not in known:
                raise make_unknown_name_error(f"option of {self.name}", name, known)
        values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in given.items()}
        return self.options(**values)

    def options_for(self, properties: Sequence[str], given: Mapping[str, Any]) -> OptionsT:
        """Return the options for these properties. Options that this engine lacks are ignored: grids and
        manifests give their limits to every engine."""
        own = {name: value for name, value in given.items() if name in self.options.__dataclass_fields__}
        return self.options_of({**own, "properties": list(properties)})

    def parse_options(self, given: Mapping[str, Any], *, of_command: bool = False) -> dict[str, Any]:
        """Parse options from a file. ``of_command``: accept those that only a command or a script has. Raises
        UsageError for an unknown name or a value that is not allowed."""
        known = list_declared(self.options)
        for name in given:
            if name not in known:
                raise make_unknown_name_error(f"option of {self.name}", name, sorted(known))
            if known[name].of_command and not of_command:
                raise UsageError(f"{name} is not allowed here: only the command has it ({known[name].flag})")
        return {name: known[name].parse(value) for name, value in given.items()}


def engine_named(name: str) -> Engine[Any]:
    """Return the engine. Raises UsageError for an unknown name."""
    name = current_name(name)
    if name not in ENGINES:
        raise make_unknown_name_error("engine", name, ENGINES)
    engine: Engine[Any] = import_module(ENGINES[name][0]).ENGINE
    return engine
