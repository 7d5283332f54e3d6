"""Scopes: the meaning of names where an expression stands, with bound values, arguments and the states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from verifier.tla import ast
from verifier.tla.errors import Place, TlaError
from verifier.tla.first_order.kinds import Kind, Whole
from verifier.tla.first_order.typed import Typed


class Unread(TlaError):
    """Raised for an expression that has no reading for all constants."""

    def __init__(self, place: Place, words: str) -> None:
        super().__init__(place, f"no reading for all constants: {words}")


class Misfit(Unread):
    """Raised if a value is of another kind than its place needs."""


def describe_kind(kind: Kind) -> str:
    """Return a kind for a message. Of one that is not known, say what to write."""
    if kind.is_known:
        return str(kind)
    if not isinstance(kind, Whole):
        return f"{kind}, of which nothing here says more: compare it with a variable, or list its elements"
    return (
        "an integer whose bounds are not known, such as a quotient or a number of elements. For f' = [i "
        "\\in S |-> e], write f' \\in [S -> 0..N] /\\ \\A i \\in S : f'[i] = e"
    )


@dataclass(frozen=True)
class Delayed:
    """An argument: an expression, or an operator, with the meaning of its names."""

    whole: ast.Expression
    scope: Scope


@dataclass(frozen=True)
class Local:
    """A definition of a LET, with the meaning of the names around it."""

    values: Mapping[ast.Symbol, Meaning]
    old: Typed | None = None
    """The value of ``@`` around it."""


Meaning: TypeAlias = "Typed | Delayed | Local"


@dataclass(frozen=True)
class Scope:
    """The meaning of names in an expression."""

    module: str
    """The module that contains the text."""
    now: Mapping[ast.Variable, Typed]
    values: Mapping[ast.Symbol, Meaning] = field(default_factory=dict)
    after: Mapping[ast.Variable, Typed] = field(default_factory=dict)
    """The values of variables in the next state, as far as they are assigned."""
    primed: bool = False
    old: Typed | None = None
    """The value of ``@``."""
    assigning: bool = False
    """True if the expression itself is the next value of a variable."""

    def reading_only(self) -> Scope:
        """Return the scope of an expression that is no next value of a variable by itself."""
        return replace(self, assigning=False) if self.assigning else self

    def binding(self, symbol: ast.Symbol, meaning: Meaning) -> Scope:
        """Return the scope with one more name."""
        return replace(self, values={**self.values, symbol: meaning})

    def enter_definition(self, definition: ast.Definition, values: Mapping[ast.Symbol, Meaning]) -> Scope:
        """Return the scope of a definition's body. ``values``: of its parameters."""
        known = self.values.get(definition)
        around, old = (known.values, known.old) if isinstance(known, Local) else ({}, None)
        if definition.nested and not isinstance(known, Local):
            raise Unread(definition.place, f"{definition.name} is used outside of its LET")
        return replace(self, module=definition.module, values={**around, **values}, old=old)

    def resume_argument(self, argument: Delayed) -> Scope:
        """Return the scope of an argument, read in the state in which it is used."""
        primed = self.primed or argument.scope.primed
        return replace(argument.scope, now=self.now, after=self.after, primed=primed, assigning=False)
