"""The values of expressions: each translation of one is compared in states.

A translation is a function of the state and of the values of the names around the expression. If these names
have values, the interpreter evaluates the expression with the same ones. So each rule is compared by itself,
whatever made its operands. If both semantics have a value it must be the same, in every state of the sorts:
no rule knows which states are reachable. If only one has a value, the comparison is made at the place of the
read, in properties and steps (``comparison``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from random import Random
from typing import TYPE_CHECKING, Any

from verifier.encodings.definedness import Definedness
from verifier.encodings.layout import Layout
from verifier.encodings.lowering import Lowering
from verifier.encodings.random_values import draw_value
from verifier.encodings.sorts import Boolean, SortError, sorts_in
from verifier.encodings.terms import Symbol, Term
from verifier.runs.validation.budget import Budget
from verifier.runs.validation.subject import Subject
from verifier.system.size import bits_of
from verifier.tla import ast
from verifier.tla.facts import ACTION, AT, TEMPORAL
from verifier.tla.translate.contexts import Around
from verifier.tla.translate.symbolic import (
    AllSequences,
    Functions,
    Known,
    LazyMap,
    Nothing,
    Part,
    Products,
    Records,
    Subsets,
    Sym,
    Untranslated,
)
from verifier.tla.translate.symbolic import Operator as Op
from verifier.tla.translate.thunks import Thunk

if TYPE_CHECKING:
    from pysmt.fnode import FNode

    from verifier.tla.facts import Facts
    from verifier.tla.translate.notes import Note, Notes

_DESCRIBED = (Functions, Records, Products, Subsets, AllSequences, LazyMap, Part, Op)
"""Values that are no terms, and may be too large for one."""
_MOST_BITS = 128
"""The limit of bits of values that are compared by themselves."""
_MOST_BINDINGS = 3
"""The number of values that are tried for the names bound around an expression."""


class NotCompared(Exception):
    """Raised for an expression that cannot be compared by itself."""


@dataclass(frozen=True)
class Lowered:
    """A value as formulas: the condition under which it is defined, and its bits."""

    defined: FNode
    bits: tuple[FNode, ...]
    layout: Layout | None
    """None for a truth value, which is one bit."""
    term: Term


@dataclass(frozen=True)
class Question:
    """A translation, at values of the names that are bound around it."""

    note: Note
    facts: Facts
    result: Lowered | Known
    names: Mapping[ast.Symbol, Lowered | Known]
    """The values of the names around it."""
    assigned: Mapping[ast.Variable, Lowered | Known] | None
    """The values of variables in the next state, if it reads that; None: those of the following state."""

    @property
    def truth(self) -> FNode | None:
        """Return the formula, if it is one."""
        result = self.result
        return result.bits[0] if isinstance(result, Lowered) and result.layout is None else None


class Expressions:
    """Makes questions from the recorded translations."""

    def __init__(self, subject: Subject, notes: Notes, chance: Random, budget: Budget) -> None:
        self.subject, self.notes, self.chance, self.budget = subject, notes, chance, budget
        self.t = notes.translator
        self.analysis = subject.spec.evaluator.analysis
        made, layout = subject.made.translation, subject.model.layout
        self.after = Layout({symbol.name: symbol.sort for symbol in made.successor})
        meanings = {symbol: layout.lowered[symbol.name] for symbol in subject.model.definition.variables}
        meanings |= {symbol: self.after.lowered[symbol.name] for symbol in made.successor}
        self.known = frozenset(meanings)
        self.lowering = Lowering(meanings, budget.check)
        self.definedness = Definedness(self.lowering)
        self._layouts: dict[object, Layout] = {}

    def questions(self) -> Iterator[Question]:
        """Yield all questions; those of the smallest expressions first, as they were translated. Raises
        OutOfTime."""
        for note in list(self.notes):
            self.budget.check()
            try:
                yield from self._of(note)
            except (NotCompared, Untranslated, SortError):
                continue

    def _of(self, note: Note) -> Iterator[Question]:
        facts = self.analysis.of(note.whole, note.context.module)
        if facts.level >= TEMPORAL or facts.changing or isinstance(note.translation, Nothing):
            return
        before, self.t.assigned = self.t.assigned, note.assigned
        try:
            named = ((symbol, self._evaluate_name(symbol, note, facts)) for symbol in facts.free)
            names = {symbol: one for symbol, one in named if one is not None}
            result = self._evaluate_value(note.translation)
            following = self._find_assigned_values(note, facts)
        finally:
            self.t.assigned = before
        valued = (result, *names.values(), *(following or {}).values())
        terms = [one for one in valued if isinstance(one, Term)]
        if not terms and not facts.reads:
            return  # the interpreter evaluated it
        for bindings in self._bindings(terms):
            assigned = None
            if following is not None:
                assigned = {one: self._lower(value, bindings) for one, value in following.items()}
            meant = {symbol: self._lower(one, bindings) for symbol, one in names.items()}
            yield Question(note, facts, self._lower(result, bindings), meant, assigned)

    def _evaluate_name(self, symbol: ast.Symbol, note: Note, facts: Facts) -> Term | Known | None:
        """Return the value of a name; None for an operator that is defined in a LET. Raises NotCompared if it
        has no single value. The argument of an operator differs below a prime, and @ in an operator of a LET
        refers to the place of the LET."""
        context = note.context
        meaning = context.at if symbol is AT else context.env.get(symbol)
        if isinstance(meaning, Around):
            if context.at is not None:
                raise NotCompared
            return None
        if isinstance(meaning, Thunk):
            if meaning.acts:
                raise NotCompared
            meant = self._evaluate_value(meaning.force(context.primed))
            if facts.level >= ACTION and isinstance(meant, Term) and meant.free & self.known:
                raise NotCompared
            return meant
        if meaning is None:
            raise NotCompared
        return self._evaluate_value(meaning)

    def _find_assigned_values(self, note: Note, facts: Facts) -> dict[ast.Variable, Term | Known] | None:
        """Return the values of variables in the next state; empty if it is not read."""
        if facts.level < ACTION and not note.context.primed:
            return {}
        if note.assigned is None:
            return None
        return {
            one: self._evaluate_value(value) for one, value in note.assigned.items() if one in facts.reads
        }

    def _evaluate_value(self, value: Sym) -> Term | Known:
        """Return a value, known or as a term. Raises NotCompared or Untranslated."""
        if isinstance(value, Known):
            return value
        if isinstance(value, (Nothing, *_DESCRIBED)):
            raise NotCompared
        term = self.t.term(value)
        if bits_of(term.sort) > _MOST_BITS or not all(one.size for one in sorts_in(term.sort)):
            raise NotCompared  # a sort without values, as for the members of {}, has no bits to read
        return term

    def _bindings(self, terms: Sequence[Term]) -> list[dict[Symbol, Any]]:
        """Return some values of the names that are bound around terms."""
        free = frozenset[Symbol]().union(*(term.free for term in terms)) - self.known
        symbols = sorted(free, key=lambda symbol: symbol.name)
        if any(not symbol.sort.size for symbol in symbols):
            return []
        several = prod(symbol.sort.size for symbol in symbols)
        drawn = [{one: draw_value(one.sort, self.chance) for one in symbols} for _ in range(_MOST_BINDINGS)]
        return drawn[: min(several, _MOST_BINDINGS)]

    def _lower(self, value: Term | Known, bindings: Mapping[Symbol, Any]) -> Lowered | Known:
        if isinstance(value, Known):
            return value
        defined = self.definedness.of(value, bindings)
        if isinstance(value.sort, Boolean):
            return Lowered(defined, (self.lowering.formula(value, bindings),), None, value)
        layout = self._layouts.get(value.sort)
        if layout is None:
            layout = self._layouts[value.sort] = Layout({"value": value.sort})
        lowered = self.lowering.convert(value.sort, value, bindings)
        return Lowered(defined, tuple(layout.encode({"value": lowered})), layout, value)


__all__ = ["Expressions", "Lowered", "NotCompared", "Question"]
