"""The options of the provers."""

from __future__ import annotations

from dataclasses import dataclass

from verifier.engines.choices import EngineChoice
from verifier.runs.option import OneOf, Switch, internal, option
from verifier.runs.options import (
    KEEP_GOING,
    SOLVER,
    DeadlockOption,
    FirstOption,
    Options,
    SemanticsOption,
    ValidationOption,
    memory_option,
    properties_option,
)

_ENGINE = (
    "ic3 searches for an invariant. kind is k-induction. auto runs both, beside bounded model checking and "
    "exploration, and takes the first answer."
)
_EXPLORE = (
    "Explore beside the provers. Exploration uses no solver and gives no certificate. So --solver and "
    "--certificate switch it off."
)
_SOLVER = (
    "The solver of k-induction and bounded model checking. IC3 uses MiniSat and, where there is a C "
    "compiler, a solver of its own. Another solver checks every proof. "
    "[default: cadical for k-induction, z3 for bounded model checking]"
)
_LEMMAS = "Check the spec's lemmas first, and let IC3 use those that are inductive."
_ALL_CONSTANTS = (
    "Prove invariants for all values of the constants at once, with the spec's lemmas "
    "(docs/all-constants.md)."
)
_SUGGEST = (
    "If --all-constants fails, search for lemmas at small constants, and print those that complete the "
    "proof. For a TLA+ module, the proof then includes them. For a Python protocol, paste them "
    "into the class, and run again."
)


@dataclass(frozen=True)
class ProveOptions(SemanticsOption, ValidationOption, DeadlockOption, FirstOption, Options):
    """The options of the provers."""

    properties: tuple[str, ...] = properties_option("What to prove")
    engine: str = option("auto", OneOf(tuple(map(str, EngineChoice))), _ENGINE)
    solver: str | None = option(None, SOLVER, _SOLVER)
    lemmas: bool = option(True, Switch(), _LEMMAS)
    explore: bool = option(True, Switch(), _EXPLORE)
    all_constants: bool = option(False, Switch(), _ALL_CONSTANTS)
    suggest: bool = option(False, Switch(), _SUGGEST)
    keep_going: bool = option(False, Switch(), KEEP_GOING)
    memory: int | None = memory_option()
    chosen_lemmas: tuple[str, ...] = internal((), recorded=True)
    """The only lemmas to use, of a protocol that declares its lemmas; empty: all of them."""
