"""Scopes: the meaning of names at a place of a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from verifier.errors import nearest
from verifier.tla.ast import (
    Builtin,
    Constant,
    Definition,
    Expression,
    Instance,
    Parameter,
    Symbol,
    Variable,
)
from verifier.tla.errors import Place, TlaError
from verifier.tla.standard import providers

Named: TypeAlias = Symbol | Instance

LANGUAGE: dict[str, Builtin] = {
    **{
        name: Builtin(name, 2)
        for name in ["=", "#", "=>", "<=>", "\\in", "\\notin", "\\subseteq", "\\cup", "\\cap", "\\", "\\cdot"]
    },
    **{name: Builtin(name, 1) for name in ["~", "SUBSET", "UNION", "DOMAIN"]},
    **{name: Builtin(name, 0) for name in ["TRUE", "FALSE", "BOOLEAN", "STRING"]},
}
"""The operators that need no module, without those that have a form of their own in the syntax."""


@dataclass
class Scope:
    """Names and their meanings. Missing names may be in the scope around."""

    around: Scope | None = None
    names: dict[str, Named] = field(default_factory=dict)
    extra: tuple[Parameter, ...] = ()
    """The parameters of the instance that is being read: its definitions have them before their own."""
    nested: bool = False
    """True if definitions made here belong to a LET."""
    made: list[Definition] | None = None
    """The list that collects the definitions of a LET and of its instances."""
    loose: set[str] = field(default_factory=set)
    """The names here that may get another meaning."""
    places: dict[str, Place] = field(default_factory=dict)
    """The places of the names that are declared here."""
    below: Mapping[str, int] = field(default_factory=dict)
    """The lines of all definitions of the module, for errors at names that are used too early."""

    def inner(self) -> Scope:
        """Return a scope inside this one."""
        return Scope(self, extra=self.extra, nested=self.nested, made=self.made)

    def outward(self) -> Iterator[Scope]:
        """Yield this scope, and those around it."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.around

    def find(self, name: str) -> Named | None:
        """Return the meaning of a name; None if it is unknown."""
        scope: Scope | None = self
        while scope is not None:
            symbol = scope.names.get(name)
            if symbol is not None:
                return symbol
            scope = scope.around
        return LANGUAGE.get(name)

    def declare(self, name: str, meaning: Named, place: Place) -> None:
        """Give a name a meaning. Raises TlaError if it has another one already."""
        if name in _RESERVED:
            raise TlaError(place, f"{name} is a word of the language, so it cannot be a name")
        known = self.find(name)
        if name in _FORMS:
            raise TlaError(place, f"{name} is a symbol of the language, so it cannot be defined")
        if known is not None and known is not meaning and not self.is_loose(name):
            where = self._where(name, known, place)
            raise TlaError(place, f"{name} has a meaning already{where}: rename one of them")
        self.names[name], self.places[name] = meaning, place
        self.loose.discard(name)

    def _where(self, name: str, known: Named, place: Place) -> str:
        """Return the origin of a name's meaning, as seen from a place."""
        if isinstance(known, Builtin):
            return f" (from the standard module {known.module})" if known.module else ""
        scope: Scope | None = self
        while scope is not None and name not in scope.names:
            scope = scope.around
        there = known.place if isinstance(known, Definition) else scope and scope.places.get(name)
        if not there:
            return ""
        return f" (from {f'{there.line}:{there.column}' if there.file == place.file else there})"

    def bring(self, name: str, meaning: Named, place: Place, *, loose: bool, instance: bool) -> None:
        """Give a name its meaning from another module, unless another meaning takes precedence."""
        known = self.find(name)
        if loose:
            if known is None:
                self.names[name] = meaning
                self.loose.add(name)
            return
        new = known is None or known is meaning or self.is_loose(name)
        if new or not _gives_way(meaning, known, self, instance=instance):
            self.declare(name, meaning, place)

    def is_loose(self, name: str) -> bool:
        """True if a name has a meaning that yields to another one."""
        scope: Scope | None = self
        while scope is not None and name not in scope.names:
            scope = scope.around
        return scope is not None and name in scope.loose

    def iterate_names(self) -> Iterator[str]:
        """Yield all names."""
        for scope in self.outward():
            yield from scope.names

    def _line(self, name: str) -> int | None:
        """Return the line where the module defines a name."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.below:
                return scope.below[name]
            scope = scope.around
        return None

    def unknown(self, name: str, place: Place, kind: str = "operator") -> TlaError:
        """Return the error for a name that has no meaning here."""
        line = self._line(name)
        if line is not None and line > place.line:
            words = f"{name} is defined only below, in line {line}: move it up, or say RECURSIVE"
            return TlaError(place, words)
        if line is not None:
            words = f"{name} is not known within its own definition"
            return TlaError(place, f"{words}: say RECURSIVE {name} before, with (_) for an argument")
        near = nearest(name, set(self.iterate_names()))
        hint = f"; did you mean {near}?" if near and name[0].isalnum() else ""
        return TlaError(place, f"unknown {kind} {name}{_needs(name) or hint}")


def _gives_way(symbol: Named, known: Named | None, scope: Scope, *, instance: bool) -> bool:
    """True if the first of two imported definitions is taken. SANY warns of it. Those of an instance must
    have the same number of arguments."""
    defined = (Definition, Builtin)
    if not isinstance(known, defined) or not isinstance(symbol, defined):
        return False
    return not instance or own_arity(known, scope.extra) == own_arity(symbol, scope.extra)


def own_arity(symbol: Symbol, extra: tuple[Parameter, ...]) -> int:
    """Return the number of arguments besides those of the surrounding instance."""
    if isinstance(symbol, Definition):
        return sum(parameter not in extra for parameter in symbol.parameters)
    return symbol.arity if isinstance(symbol, Constant | Builtin | Parameter) else 0


_RESERVED = frozenset({
    "ASSUME", "ASSUMPTION", "AXIOM", "CASE", "CHOOSE", "CONSTANT", "CONSTANTS", "COROLLARY", "DOMAIN", "ELSE",
    "ENABLED", "EXCEPT", "EXTENDS", "IF", "IN", "INSTANCE", "LAMBDA", "LEMMA", "LET", "LOCAL", "MODULE",
    "OTHER", "PROPOSITION", "RECURSIVE", "SUBSET", "THEN", "THEOREM", "UNCHANGED", "UNION", "VARIABLE",
    "VARIABLES", "WITH",
    "ACTION", "BY", "DEF", "DEFINE", "DEFS", "HAVE", "HIDE", "NEW", "OBVIOUS", "OMITTED", "ONLY", "PICK",
    "PROOF", "PROVE", "QED", "STATE", "SUFFICES", "TAKE", "TEMPORAL", "USE", "WITNESS",
})  # fmt: skip
"""The reserved words; the second half are words of proofs."""
_FORMS = frozenset({"/\\", "\\/", "\\X", "'", "[]", "<>", "~>", "-+->"})
"""Symbols of the language that have a form of their own."""


@dataclass(frozen=True)
class Apart:
    """A scope in which an instance's module has variables of its own, with their values."""

    scope: Scope
    values: tuple[tuple[Variable, Expression], ...]


_SETS_OF_NUMBERS = {"ℕ": "Nat", "ℤ": "Int", "ℝ": "Real"}


def _needs(name: str) -> str:
    if name in _SETS_OF_NUMBERS:
        return f": define {name} == {_SETS_OF_NUMBERS[name]}, since SANY has it by that name only"
    module = providers().get(name)
    return f": it is in the module {module}; add it to EXTENDS" if module else ""
