"""Loading of a spec: its protocol, at its constants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from typing import Protocol as Interface

from verifier.encodings.concrete import show
from verifier.encodings.sorts import Sort
from verifier.errors import UsageError
from verifier.specs.constants import ChoiceConstant, Constant, IntegerConstant, constants_of
from verifier.specs.definition import Definition
from verifier.specs.presentation import vocabulary
from verifier.specs.protocol import DefinitionError, Protocol, define, read
from verifier.specs.reading.code_places import place_of, placed, raised_at
from verifier.specs.reading.explaining import explained
from verifier.specs.reading.keys import Site
from verifier.specs.registry import BUILT_IN
from verifier.specs.registry import load as load_class

if TYPE_CHECKING:
    from verifier.outcomes.run import Run
    from verifier.runs.engine import Engine, Listen
    from verifier.runs.question import Question
    from verifier.system.model import Model
    from verifier.trust.certificate import Certificate

_MOST_BUILT_IN, _MOST = 1000, 100_000
"""The largest number for a constant of a built-in protocol, and of any other protocol without a maximum."""


TLA = ".tla"
"""The suffix of TLA+ files."""


@dataclass(frozen=True)
class Reading:
    """The options for reading a TLA+ module; empty for other specs."""

    config: Path | None = None
    """None: the file of the same name beside the module."""
    libraries: tuple[Path, ...] = ()
    """Folders with modules that it extends."""
    lemmas: tuple[str, ...] = ()
    """Operators of the module that help to prove."""

    def beside(self, folder: Path) -> Reading:
        """Return the options with paths relative to that folder."""
        config = None if self.config is None else folder / self.config
        return replace(self, config=config, libraries=tuple(folder / path for path in self.libraries))


class Source(Interface):
    """The origin of a definition that is only made once the question is known.

    It may have to be made again after an engine's answer.
    """

    def prepared(self, engine: Engine[Any], loaded: Loaded, options: Any) -> Question[Any]:
        """Return the question, with its names checked. Raises UsageError for one that cannot be asked."""
        ...

    def answered(
        self, engine: Engine[Any], question: Question[Any], listen: Listen, built: Callable[[Model], None]
    ) -> Run:
        """Run the engine, at a definition that suffices."""
        ...

    def whole(
        self,
        loaded: Loaded,
        named: Sequence[str],
        beyond: Sequence[Any],
        *,
        own_sorts: bool,
        temporal: bool,
    ) -> Loaded:
        """Return the protocol with its complete definition (``Loaded.whole``)."""
        ...

    def check_assumptions(self) -> None:
        """Raise AssumptionFailed if the protocol's assumptions reject its constants."""
        ...

    @property
    def files(self) -> tuple[Path, ...]:
        """Return the files that were read, which loading the protocol needs."""
        ...

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return warnings about texts that readers may misunderstand."""
        ...

    @property
    def postconditions(self) -> tuple[str, ...]:
        """Return the formulas that are evaluated after all states were explored."""
        ...

    @property
    def has_view(self) -> bool:
        """True if exploration takes states with equal views for one."""
        ...


Validate: TypeAlias = "Callable[[Model, Certificate, float, int], Mapping[str, Any]]"
"""Takes a model, a certificate, seconds and a seed. Returns the extent of the comparison. Raises
Disagrees."""


@dataclass(frozen=True)
class Loaded:
    """A protocol at its constants, and its definition."""

    spec: str
    """The spec as it was named: a built-in name, or a file."""
    definition: Definition
    vocabulary: Mapping[str, Any]
    """The names that a formula given as text may use besides the variables."""
    began: float | None = None
    """The start of the command, on the monotonic clock; None: its time begins with the question."""
    source: Source | None = None
    """For a TLA+ module; None if the definition is complete."""
    validate: Validate | None = None
    """For a translated module: compares it with its translation, as a certificate claims it."""
    protocol: Protocol | None = None
    """For a Python class: the protocol. Its functions run again when a verdict depends on them."""
    targets: frozenset[Site] = frozenset()
    """The instructions of its code that compute the targets of steps."""

    def whole(
        self,
        named: Sequence[str] = (),
        beyond: Sequence[Any] = (),
        *,
        own_sorts: bool = False,
        temporal: bool = False,
    ) -> Loaded:
        """Return the protocol with a definition from which a model can be built. Raises UsageError if there
        is none. For a TLA+ module, it has the operators in ``named``; the first is a temporal property if
        ``temporal``. It has sorts for the states ``beyond``; with ``own_sorts`` also for intermediate values
        of assignments."""
        if self.source is None:
            return self
        return self.source.whole(self, named, beyond, own_sorts=own_sorts, temporal=temporal)


def load(
    spec: str,
    settings: Mapping[str, Any],
    began: float | None = None,
    reading: Reading | None = None,
    *,
    empty: bool = False,
    claimed: str | None = None,
) -> Loaded:
    """Load the protocol and its definition. Raises UsageError or DefinitionError. ``empty``: accept a
    variable that cannot have a value at these constants; such a protocol is never built. ``claimed``: the
    protocol's name in a trace or certificate, which gives the constants."""
    if spec.endswith(TLA):
        from verifier.runs.modules.source import load_tla

        return load_tla(spec, settings, began, reading or Reading())
    if reading not in (None, Reading()):
        raise only_of_modules(spec)
    found = load_class(spec)
    try:
        return load_class_at(found, settings, spec, began, empty=empty)
    except UsageError as error:
        if claimed in (None, found.spec_name()):
            raise
        words = f"the file is of {claimed!r}, and {spec} defines {found.spec_name()!r}"
        raise UsageError(f"{words}: {error}") from error
    except DefinitionError:
        raise
    except Exception as error:  # the user's code may raise anything
        if spec in BUILT_IN:
            raise
        path = spec if Path(spec).suffix == ".py" else spec.rpartition(":")[0]
        raise UsageError(f"{raised_at(error) or path}: {explained(error)}") from error


def only_of_modules(spec: str) -> UsageError:
    """Return the error for options that only TLA+ modules have."""
    return UsageError(f"a configuration, a library and lemmas are for TLA+ modules, and {spec} is none")


def load_class_at(
    kind: type[Protocol],
    settings: Mapping[str, Any],
    spec: str = "",
    began: float | None = None,
    *,
    empty: bool = False,
) -> Loaded:
    """Load a protocol from a class, as `load` does. ``spec``: its name. Exceptions of the class's own code
    pass through."""
    protocol = kind(dict(settings))
    _check_size(protocol, _MOST_BUILT_IN if spec in BUILT_IN else _MOST)
    definition, targets = read(protocol)
    if not empty and (found := _find_empty_sort(definition)) is not None:
        words = f"{found[0]} cannot have a value: {found[1]} is empty ({_why(protocol, found)})"
        raise DefinitionError(placed(place_of(kind.state), words))
    return Loaded(
        spec or kind.spec_name(), definition, vocabulary(protocol), began, protocol=protocol, targets=targets
    )


def _check_size(protocol: Protocol, most: int) -> None:
    """Raise UsageError for a number so large that even the definition takes too long."""
    for name, constant in constants_of(type(protocol)).items():
        value = protocol.constants[name]
        bounded = isinstance(constant, IntegerConstant) and constant.maximum is not None
        if isinstance(value, int) and abs(value) > most and not bounded:
            raise UsageError(f"constant {name}={value} is taken for a mistake: it is beyond {most:,}")


def _find_empty_sort(definition: Definition) -> tuple[str, Sort] | None:
    """Return a variable or free parameter that cannot have a value, and the empty part of its sort."""
    places = [(f"the state variable {symbol.name}", symbol.sort) for symbol in definition.variables]
    places += [
        (f"the parameter {parameter.symbol.name} of {action.name}", parameter.symbol.sort)
        for action in definition.actions
        for parameter in action.parameters
        if parameter.free
    ]
    return next(((what, part) for what, sort in places if (part := sort.lacking) is not None), None)


def _why(protocol: Protocol, found: tuple[str, Sort]) -> str:
    """Return the constants that make that sort empty: with other values of them it is another sort."""
    kind, given = type(protocol), protocol.constants
    shown = [
        f"{name}={show(given[name])}"
        for name, constant in constants_of(kind).items()
        if any(_has_changed(kind, {**given, name: other}, found) for other in _others(constant, given[name]))
    ]
    return ", ".join(shown) or "whatever the constants"


def _others(constant: Constant[Any], value: Any) -> list[Any]:
    if isinstance(constant, ChoiceConstant):
        return [choice for choice in constant.choices if choice != value]
    return [not value] if isinstance(value, bool) else [value + 1, value - 1]


def _has_changed(kind: type[Protocol], constants: Mapping[str, Any], found: tuple[str, Sort]) -> bool:
    try:
        return _find_empty_sort(define(kind(constants))) != found
    except Exception:  # noqa: BLE001 -- the user's code may reject these constants
        return False


def choose_trusted_spec(named: str, given: str | None, what: str) -> str:
    """Return the spec to load for a file that names one. ``given`` is the user's own choice, ``what`` the
    file. A file may come from anyone, so it never decides alone that foreign code runs. Raises UsageError if
    it names a spec that is not built in and the user gave none."""
    if given is not None:
        return given
    if named not in BUILT_IN:
        raise UsageError(
            f"{what} is of {named!r}, which is not built in: name its file with --spec FILE.py, if you trust "
            "its code, or --spec FILE.tla"
        )
    return named


def require_same_constants(
    made_with: Mapping[str, Any], own: Mapping[str, Any], file: str, by: str, use: str
) -> None:
    """Raise UsageError if the user gives a constant another value than a file has, as ``--config`` does.

    ``own``: the constants that the user gives ``by`` an option. ``use`` says what to do instead.
    """
    for name, value in made_with.items():
        if name in own and own[name] != value:
            raise UsageError(f"{file} was made with {name}={value}, and {by} gives {name}={own[name]}: {use}")
