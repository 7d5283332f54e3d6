"""Arguments whose translation is delayed."""

from __future__ import annotations

from dataclasses import replace

from verifier.tla.ast import Expression
from verifier.tla.facts import ACTION
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.symbolic import Sym
from verifier.tla.translate.translator import Translator


class Thunk:
    """An argument or a definition of a LET that is translated when it is needed."""

    def __init__(self, translator: Translator, body: Expression, context: Context) -> None:
        self.translator, self.body, self.context = translator, body, context
        self.translation: Sym | None = None
        self.assigned: object = None
        """If the thunk waits: the next state for which ``translation`` holds."""
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
        if self.translation is not None and (not self.waits or self.assigned is assigned):
            return self.translation
        before, self.translator.unassigned = self.translator.unassigned, set()
        try:
            value = self.translator.value(self.body, self.context)
        finally:
            missing = self.translator.unassigned
            self.translator.unassigned = before | missing
        if self.kept and not (self.waits and missing):
            self.translation, self.assigned = value, assigned
        return value
