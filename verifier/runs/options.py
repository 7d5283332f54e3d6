"""Options that several engines have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from verifier.errors import UsageError
from verifier.runs.option import Duration, OneOf, Size, Switch, Words, internal, option
from verifier.solvers.solver_names import SOLVER_NAMES

_EXPECT = (
    "Exit with 0 if the worst verdict is VERDICT: holds, proved, reached, violated, not_inductive or "
    "inconclusive. A deadlock counts as violated. PROPERTY=VERDICT expects a verdict on one property; "
    "ACTION=enabled expects that some state enables the action. May be repeated. If an expectation fails, "
    "the exit code is that of the verdict, or 14 if that would be 0. PROVED does not meet holds."
)
_DEADLOCK = (
    "Look for a reachable state in which no action is enabled (NoDeadlock; exit code 13). [default: only for "
    "TLA+ modules, without --property, unless the configuration says CHECK_DEADLOCK FALSE]"
)
_TIMEOUT = "End after this time: 90, 90s, 2m, 1h."
_MEMORY = "End at this much memory: 512MiB, 2GiB."

_BY = (
    "TLA+ modules: use the interpreter, which evaluates the module as TLC does, or the translation into "
    "formulas. auto chooses the one that seems faster. check runs both side by side."
)

DEFAULT_PROPERTIES = (
    "[default: those of the configuration; in Python, all except @reachable properties and properties "
    "declared with default=False]"
)

_FIRST = "End at the first violation. [default: each property gets its verdict]"
KEEP_GOING = "Continue after a violation even if a variable of the module seems unbounded."

COVERAGE = (
    "Count how often each formula of guards and properties was evaluated, and how often it was true. "
    "Formulas that were never true are listed first."
)

AUTO, INTERPRETER, TRANSLATION = "auto", "interpreter", "translation"
_VALIDATE = (
    "TLA+ modules: take this long to compare the translation with the interpreter. [default: 0.2 s, or 5 % "
    "of the run]"
)

SOLVER = OneOf(SOLVER_NAMES)


def properties_option(what: str, also: str = "'all' is all of them") -> tuple[str, ...]:
    """Declare the option for properties. ``what``: the start of its help, as in ``What to check``."""
    words = f"{what}; may be repeated. {also}. {DEFAULT_PROPERTIES}"
    declared: tuple[str, ...] = option((), Words(), words, flag="--property")
    return declared


def memory_option(default: str = "") -> int | None:
    """Declare the limit of memory. ``default``: its help says what happens without it."""
    declared: int | None = option(None, Size(), f"{_MEMORY}{default}")
    return declared


@dataclass(frozen=True)
class Options:
    """The options of every engine."""

    properties: tuple[str, ...] = properties_option("What to check")
    expect: tuple[str, ...] = option((), Words("VERDICT"), _EXPECT)
    timeout: float | None = option(None, Duration(), _TIMEOUT)
    ending: tuple[str, ...] = internal(())
    """Properties whose violation aborts the run, so that the caller can retry."""


@dataclass(frozen=True)
class ValidationOption:
    """The option of engines whose verdicts depend on the translation of a TLA+ module."""

    validate: float | None = option(None, Duration(), _VALIDATE)


@dataclass(frozen=True)
class FirstOption:
    """The option of engines that find violations."""

    first: bool = option(False, Switch(), _FIRST)


def counts_formulas(options: Any) -> bool:
    """True if an engine counts formulas."""
    return bool(getattr(options, "coverage", False))


def check_ends(options: Any) -> None:
    """Raise UsageError for options that contradict each other about the end of a run."""
    if options.first and options.keep_going:
        raise UsageError("--first does not go with --keep-going: one ends at a violation, the other goes on")


@dataclass(frozen=True)
class DeadlockOption:
    """The option of engines that can check for deadlocks."""

    deadlock: bool = option(False, Switch(), _DEADLOCK)


@dataclass(frozen=True)
class SemanticsOption:
    """The option of engines that answer questions about TLA+ modules by either semantics."""

    by: str = option(AUTO, OneOf((AUTO, INTERPRETER, TRANSLATION)), _BY)
