"""What the readings of modules share: where texts are found, and what an INSTANCE puts for declarations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from verifier.tla import ast
from verifier.tla.ast import Copy, Module, Symbol
from verifier.tla.errors import Place
from verifier.tla.scope import Named, Scope
from verifier.tla.text import Source


class Finder(Protocol):
    """Finds the text of modules."""

    def source(self, name: str, place: Place) -> Source:
        """The file of a module. Raises TlaError if there is none."""

    def standard(self, name: str) -> Module | None:
        """A module that is built in."""


@dataclass
class Context:
    """One reading of modules: of the root and all that it extends, or for one INSTANCE."""

    finder: Finder
    substitution: dict[str, Named] | None = None
    """What the names mean that the instantiated module declares; None: they stand for themselves."""
    around: Scope = field(default_factory=Scope)
    """Of an instance: where it is made."""
    path: str = ""
    outer: Context | None = None
    """Of an instance: the reading that it is made in."""
    copies: tuple[Copy, ...] = ()
    """The INSTANCEs without a name that lead here, the outermost first."""
    put: dict[tuple[str, bool], Symbol] = field(default_factory=dict)
    """Of an instance: what is put for the names, and which of them are variables."""
    read: dict[str, Module] = field(default_factory=dict)
    reading: list[str] = field(default_factory=list)
    declared: dict[tuple[str, int], ast.Variable | ast.Constant] = field(default_factory=dict)
    """What modules declare by the same name, and with as many arguments, is one: those of a constant are
    counted from 0, a variable has -1."""
    apart: bool = False
    """Whether the variables are those of the instantiated module itself, and nothing is put for them."""
    twin: Context | None = None
    """The same with its own variables, once it is needed."""
