"""The contexts in which expressions are translated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from verifier.tla import ast
from verifier.tla.ast import Definition
from verifier.tla.translate.symbolic import Sym

Arguments: TypeAlias = tuple[Any, ...]
"""The values of an operator's parameters in a call."""


@dataclass(frozen=True, eq=False)
class Context:
    """The place of an expression: the names that are bound there, its module, and the calls around it."""

    env: dict[ast.Symbol, Any]
    module: str
    primed: bool = False
    at: Sym | None = None
    folding: Mapping[ast.Apply | ast.Definition, Sym] = field(default_factory=dict)
    """The values of an operator's recursive calls and of its member, while it folds a set. The context holds
    them, because a delayed argument may be translated while the operator folds another set."""
    calls: Mapping[Definition, tuple[Arguments, ...]] = field(default_factory=dict)
    """The calls around the expression, the outermost first."""

    def with_names(self, more: dict[ast.Symbol, Any]) -> Context:
        """Return a context that also has these names."""
        return replace(self, env={**self.env, **more})


@dataclass(frozen=True)
class Around:
    """The place of a definition of a LET that has parameters."""

    at: Sym | None
    """The value of @ there."""
