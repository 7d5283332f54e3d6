"""One way to take an action."""

from __future__ import annotations

from dataclasses import dataclass, field

from verifier.encodings.terms import Symbol
from verifier.tla import ast
from verifier.tla.translate.symbolic import Sym

MOST_BRANCHES = 20_000


@dataclass(frozen=True, eq=False)
class Branch:
    """One way in which an action can be taken, as far as it is known."""

    name: str = "Next"
    guards: tuple[Sym, ...] = ()
    assigned: dict[ast.Variable, Sym] = field(default_factory=dict)
    parameters: tuple[tuple[str, Sym, Symbol | None], ...] = ()
    dead: bool = False
    """Whether something without a value is evaluated, so that nothing follows."""
