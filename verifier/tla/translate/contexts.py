"""The contexts in which expressions are translated, and arguments whose translation is delayed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression
from verifier.tla.facts import ACTION
from verifier.tla.translate.symbolic import Sym

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator

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


class Thunk:
    """An argument or a definition of a LET that is translated when it is needed."""

    def __init__(self, translator: Translator, body: Expression, context: Context) -> None:
        self.translator, self.body, self.context = translator, body, context
        self.found: Sym | None = None
        self.assigned: object = None
        """If the thunk waits: the next state for which ``found`` holds."""
        facts = translator.evaluator.analysis.of(body, context.module)
        self.acts = facts.level >= ACTION
        self.kept: bool = not self.acts and not facts.changing and not context.primed
        # An argument may read the next state, whose values differ between the ways to take a step.
        given = (context.env.get(one) for one in facts.free)
        self.waits: bool = any(isinstance(one, Thunk) and (one.waits or not one.kept) for one in given)

    def force(self, primed: bool) -> Sym:
        """Return the translation."""
        if primed and not self.context.primed:
            return self.translator.value(self.body, replace(self.context, primed=True))
        assigned = self.translator.assigned
        if self.found is not None and (not self.waits or self.assigned is assigned):
            return self.found
        before, self.translator.unassigned = self.translator.unassigned, set()
        try:
            found = self.translator.value(self.body, self.context)
        finally:
            missing = self.translator.unassigned
            self.translator.unassigned = before | missing
        if self.kept and not (self.waits and missing):
            self.found, self.assigned = found, assigned
        return found


__all__ = ["Around", "Context", "Thunk"]
