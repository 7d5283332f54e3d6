"""A spec once it is loaded: its protocol at its constants, and the options for reading a module."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from typing import Protocol as Interface

from verifier.specs.definition import Definition
from verifier.specs.protocol import Protocol
from verifier.specs.reading.keys import Site
from verifier.verdict import Verdict

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from verifier.encodings.terms import Term
    from verifier.outcomes.run import Run
    from verifier.processes.limits import Limits
    from verifier.system.model import Model
    from verifier.trust.certificate import Certificate
    from verifier.trust.trace import Trace

TLA = ".tla"
"""The suffix of TLA+ files."""


@dataclass(frozen=True)
class ReadingOptions:
    """The options for reading a TLA+ module; empty for other specs."""

    config: Path | None = None
    """None: the file of the same name beside the module."""
    libraries: tuple[Path, ...] = ()
    """Folders with modules that it extends."""
    lemmas: tuple[str, ...] = ()
    """Operators of the module that help to prove."""

    def beside(self, folder: Path) -> ReadingOptions:
        """Return the options with paths relative to that folder."""
        config = None if self.config is None else folder / self.config
        return replace(self, config=config, libraries=tuple(folder / path for path in self.libraries))


class Source(Interface):
    """The origin of a definition that is only made once the question is known.

    It may have to be made again after an engine's answer.
    """

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

    def as_protocol(self, loaded: Loaded, properties: Sequence[str], lemmas: Sequence[str]) -> Loaded:
        """Return the protocol for proofs at all constants, with these properties and further lemmas. Raises
        UsageError for a text without a reading."""
        ...

    def check_assumptions(self) -> None:
        """Raise AssumptionFailed if the protocol's assumptions reject its constants."""
        ...

    def name_growing_variables(self, run: Run) -> Run:
        """Return the run; what a limit left open names the variables that seem unbounded."""
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
class Agreement:
    """A comparison of a protocol with its module that found no difference."""

    figures: Mapping[str, Any]
    """Its extent."""
    violated: Mapping[str, tuple[Verdict, Mapping[str, Any]]] = field(default_factory=dict)
    """The properties that an execution of the module violates at some of the compared constants, each with
    the file of the execution."""
    without_value: Mapping[str, str] = field(default_factory=dict)
    """The properties that have no value in a reached state, each with the reason."""


@dataclass(frozen=True)
class OfModule:
    """The module from whose text a protocol was read for all constants."""

    source_hash: str
    """The hash of the texts and the configuration."""
    assumed: tuple[str, ...]
    """The assumptions on constants that are single values, in words."""
    compare: Callable[[Limits], Agreement]
    """Compares the protocol with the interpreter of the module. Raises Differs and TypeInvariantViolated."""
    write_module: Callable[[Mapping[str, Term]], str]
    """Returns the text of a module that extends this one by lemmas. Raises NoText."""
    extended: Callable[[str, Sequence[str], Sequence[str]], AbstractContextManager[Loaded]]
    """Takes the text of such a module, properties and the names of the lemmas. Gives that module as a
    protocol, while its file exists."""
    type_invariant: str = ""
    """The operator that gives the sorts of variables."""
    names: frozenset[str] = frozenset()
    """The names that mean something in the module."""
    undeclared: tuple[str, ...] = ()
    """Those assumptions that no text of the module makes."""
    explain: Callable[[Definition, Trace], Trace] = lambda definition, trace: trace
    """Takes the protocol at constants, and a counterexample to one of its claims. Returns it with the text
    of the module that is false at its end."""
    retell: Callable[[Definition, Verdict], tuple[Verdict, Mapping[str, Any]] | None] = lambda *_: None
    """Takes the protocol at constants, and a violation there. Returns it as an execution of the module, with
    its file. None if the module has no such text."""
    left_out: tuple[Verdict, ...] = ()
    """The open verdicts on properties without a proof for all constants: no invariants, or without a
    reading."""
    ignored: str = ""
    """The constraints of the configuration, in words. A proof ignores them."""


class Differs(Exception):
    """Raised if a protocol that was read from a module differs from the module."""


class TypeInvariantViolated(Exception):
    """Raised if an execution of a module violates its type invariant, so that nothing can be proved."""

    def __init__(
        self,
        words: str,
        name: str,
        constants: str,
        verdicts: tuple[Verdict, ...],
        traces: Mapping[str, Mapping[str, Any]],
    ) -> None:
        super().__init__(words)
        self.name, self.constants = name, constants
        """The name of the type invariant, and the constants of the execution."""
        self.verdicts, self.traces = verdicts, traces
        """The properties that executions at these constants violate, and the files of these executions."""


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
    of_module: OfModule | None = None
    """For a protocol that was read from a TLA+ module: that module."""

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
