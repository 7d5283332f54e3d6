"""Data that the readers of modules share: the finder of texts, and the substitutions of an INSTANCE."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from verifier.tla import ast
from verifier.tla.ast import Copy, Module, Symbol
from verifier.tla.errors import Place
from verifier.tla.scope import Named, Scope
from verifier.tla.text import Source


class Finder(Protocol):
    """Finds the texts of modules."""

    def source(self, name: str, place: Place) -> Source:
        """Return the file of a module. Raises TlaError if there is none."""

    def standard(self, name: str) -> Module | None:
        """Return a built-in module; None if it is not built in."""


@dataclass
class Context:
    """One reading of modules: of the root and all that it extends, or for one INSTANCE."""

    finder: Finder
    substitution: dict[str, Named] | None = None
    """The substitutes of the names that the instantiated module declares. None: no name is substituted."""
    around: Scope = field(default_factory=Scope)
    """For an instance: the scope that contains it."""
    path: str = ""
    outer: Context | None = None
    """For an instance: the reading that contains it."""
    copies: tuple[Copy, ...] = ()
    """The INSTANCEs without a name that lead here, the outermost first."""
    put: dict[tuple[str, bool], Symbol] = field(default_factory=dict)
    """For an instance: the substitutes by name, and whether the name is a variable."""
    read: dict[str, Module] = field(default_factory=dict)
    reading: list[str] = field(default_factory=list)
    declared: dict[tuple[str, int], ast.Variable | ast.Constant] = field(default_factory=dict)
    """The declared symbols by name and number of arguments: equal declarations of several modules are one.
    Arguments of a constant are counted from 0; a variable has -1."""
    apart: bool = False
    """True if the instantiated module keeps its own variables, without substitutes."""
    twin: Context | None = None
    """This context with the module's own variables, made when it is needed."""
