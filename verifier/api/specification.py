"""A protocol at its constants, and the engines as its methods."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifier.api.result import Result
from verifier.errors import UsageError, make_unknown_name_error
from verifier.runs.asking import answer_question, make_question
from verifier.runs.engine import engine_named
from verifier.runs.loaded import Loaded, ReadingOptions
from verifier.runs.loading import load as load_spec
from verifier.runs.loading import only_of_modules
from verifier.runs.option import Option, Words, list_declared
from verifier.runs.protocol_loading import load_class_at
from verifier.runs.table import ENGINES
from verifier.specs.definition import Definition
from verifier.specs.protocol import Protocol
from verifier.testing.requests import MOST_STATES, SuiteRequest

if TYPE_CHECKING:
    from verifier.api.engine_methods import EngineMethods
    from verifier.conform.outcome import LogVerdict
    from verifier.testing.suites import TestSuite
else:
    EngineMethods = object


def _method(specification: Specification, name: str) -> Callable[..., Result]:
    """The engine as a function of its options, with the signature and the words that ``help`` shows."""
    engine = engine_named(name)

    def ask(*properties: str, **options: Any) -> Result:
        return specification.run(name, *properties, **options)

    known = list_declared(engine.options)
    defaults = engine.defaults_in_python
    named = [_parameter(option, defaults) for option in known.values() if option.name != "properties"]
    by_place = inspect.Parameter("properties", inspect.Parameter.VAR_POSITIONAL, annotation=str)
    signature = inspect.Signature([by_place, *named], return_annotation=Result)
    listed = "\n".join(f"  {option.name}: {option.help}" for option in known.values())
    ask.__name__, ask.__qualname__ = name, f"Specification.{name}"
    ask.__doc__ = engine.help.replace("\b\n", "") + f"\nOptions:\n{listed}\n"
    ask.__signature__ = signature  # type: ignore[attr-defined]
    return ask


def _parameter(option: Option, defaults: Mapping[str, Any]) -> inspect.Parameter:
    default = defaults.get(option.name, option.default)
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=default)


@dataclass(frozen=True)
class Specification(EngineMethods):
    """A protocol at its constants. Make one with ``verifier.load``.

    Every engine of the table is a method. Type checkers know the methods from ``engine_methods.pyi``.
    """

    loaded: Loaded
    given: Mapping[str, Any] = field(default_factory=dict)
    """The constants as they were given."""
    reading: ReadingOptions = field(default_factory=ReadingOptions)
    is_class: bool = False
    """True if it was loaded as a class, which no other process finds by its name."""

    def run(self, engine: str, /, *properties: str, **options: Any) -> Result:
        """Runs any engine by name, until it is done, out of time, or interrupted.

        ``options`` are the command's, with the same defaults: ``timeout`` takes seconds or text as in "5m".
        Only ``explore`` of ``prove`` is off by default, since results have certificates.
        Raises UsageError for what cannot be asked.
        """
        descriptor = engine_named(engine)
        given = {name: value for name, value in options.items() if value is not None}
        for item in list_declared(descriptor.options).values():
            if isinstance(item.kind, Words) and isinstance(given.get(item.name), str):
                given[item.name] = (given[item.name],)
        parsed = descriptor.parse_options(given, of_command=True)
        named = (*properties, *parsed.pop("properties", ()))
        for name in named:
            if not isinstance(name, str):
                raise make_unknown_name_error("property", name, self.properties)
        options = descriptor.options_of({**descriptor.defaults_in_python, **parsed, "properties": named})
        question = make_question(descriptor, self.loaded, options)
        return Result(answer_question(descriptor, question))

    if not TYPE_CHECKING:  # a type checker would take every misspelt engine for an attribute

        def __getattr__(self, name: str) -> Callable[..., Result]:
            """The engine of this name. It takes the options that ``verify ENGINE --help`` lists by name, and
            properties also by place."""
            if name in ENGINES:
                return _method(self, name)
            raise AttributeError(f"a specification has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *ENGINES})

    @property
    def definition(self) -> Definition:
        """The protocol as plain data."""
        return self.loaded.definition

    @property
    def name(self) -> str:
        """The protocol's own name."""
        return self.definition.name

    @property
    def constants(self) -> Mapping[str, Any]:
        """All constants with their values."""
        return dict(self.definition.constants)

    @property
    def properties(self) -> tuple[str, ...]:
        """The names of all properties."""
        return tuple(prop.name for prop in self.definition.properties)

    @property
    def actions(self) -> tuple[str, ...]:
        """The names of all actions."""
        return tuple(action.name for action in self.definition.actions)

    @property
    def engines(self) -> tuple[str, ...]:
        """The names of all engines."""
        return tuple(ENGINES)

    def conform(
        self,
        *logs: str | Path,
        mapping: str | Path | Mapping[str, Any] | None = None,
        env: str | None = None,
        coverage: bool = False,
        max_states: int | None = None,
        timeout: float | None = None,
        jobs: int = 1,
        master: str | None = None,
        archive: str | Path | None = None,
        conf: Mapping[str, str] | None = None,
    ) -> list[LogVerdict]:
        """Says of each log whether the protocol allows it, and if not, where and why.

        ``mapping`` is a file, or its content as a dictionary, in which ``read`` may be a function that says
        what an event means. Executions in ITF need none, nor does a TLA+ module that reads its log itself,
        through the environment variable ``env``. With ``coverage``, accepted logs say what they cover.
        ``master`` judges several logs on Spark, with settings ``conf`` and a packed environment ``archive``.
        Executors load the specification again, so a class has to be loaded by its file. Raises UsageError for
        what cannot be asked. A log that cannot be judged has the verdict ERROR.
        """
        from verifier.conform.judging import LogQuestion, judge_logs_with

        given = Path(mapping) if isinstance(mapping, str) else mapping
        question = LogQuestion(
            self.loaded.spec, given, env, self.given, self.reading, max_states, timeout, coverage
        )
        paths = [Path(log) for log in logs]
        if master is None:
            if archive is not None or conf is not None:
                raise UsageError("archive and conf are for Spark: they need master")
            return judge_logs_with(self.loaded, question, paths, jobs)
        if self.is_class:
            words = "executors of Spark load a specification again: load it by its file, FILE.py:CLASS"
            raise UsageError(f"{self.name} was loaded as a class, and {words}")
        from verifier.conform.spark_use import use_spark

        folder = None if archive is None else Path(archive)
        with use_spark("conform with master", master, folder, conf or {}) as spark:
            return judge_logs_with(self.loaded, question, paths, spark=spark)

    def tests(
        self,
        cover: str = "transitions",
        *,
        depth: int | None = None,
        count: int | None = None,
        seed: int = 0,
        max_states: int = MOST_STATES,
        timeout: float | None = None,
    ) -> TestSuite:
        """Returns executions that cover the protocol, as tests of an implementation; ``write`` writes them.

        ``cover``: actions, instances, states, transitions, pairs, guards, near-failures or near-violations.
        Raises UsageError for what cannot be asked.
        """
        from verifier.processes.limits import Limits
        from verifier.testing.suites import make_suite

        request = SuiteRequest(cover, depth, count, seed, max_states, Limits(timeout))
        return make_suite(self.loaded, request)

    def __repr__(self) -> str:
        constants = "".join(f", {name}={value!r}" for name, value in self.constants.items())
        return f"verifier.load({self.loaded.spec!r}{constants})"


def load(
    spec: str | Path | type[Protocol],
    /,
    *,
    config: str | Path | None = None,
    library: Iterable[str | Path] = (),
    lemmas: Iterable[str] = (),
    **constants: Any,
) -> Specification:
    """A protocol at constants: a built-in one by name, one of your own by its file (``FILE.py`` or
    ``FILE.py:Class``) or its class, or a TLA+ module (``FILE.tla``).

    Constants that are not given have their defaults; those of a module have what its configuration says:
    ``config``, or the file of the same name beside the module. ``library`` has folders with modules that it
    extends, ``lemmas`` operators of it that help to prove. Raises UsageError for an unknown spec or constant,
    and DefinitionError if the protocol is not well formed.
    """
    reading = ReadingOptions(
        None if config is None else Path(config), tuple(map(Path, library)), tuple(lemmas)
    )
    if isinstance(spec, type):
        if reading != ReadingOptions():
            raise only_of_modules(spec.spec_name())
        return Specification(load_class_at(spec, constants), constants, is_class=True)
    return Specification(load_spec(str(spec), constants, reading=reading), constants, reading)
