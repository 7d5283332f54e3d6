"""What is known while one module is translated, and what all rules of the translation ask of each other.

A rule is a function of a translator: ``and_(t, parts)``, ``spread(t, of)``. The modules of rules stand one on
the other. What they need of those above them, they ask the translator for: these are its methods.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from verifier.encodings.concrete import Concrete
from verifier.encodings.sorts import Sort
from verifier.encodings.terms import Symbol, Term
from verifier.tla import ast
from verifier.tla.ast import Definition, Expression
from verifier.tla.errors import Place
from verifier.tla.evaluator import Evaluator
from verifier.tla.frames import Unit
from verifier.tla.symmetry import Symmetry
from verifier.tla.translate import comparability, converting, evaluating, membership, reading, sets
from verifier.tla.translate.coding import Names
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.expressions import FORMS
from verifier.tla.translate.recursion import Fold
from verifier.tla.translate.symbolic import Sym, Table

if TYPE_CHECKING:
    from verifier.tla.translate.spreading import Case


class Translator:
    """Translates the expressions of one module."""

    def __init__(
        self,
        evaluator: Evaluator,
        names: Names,
        variables: dict[ast.Variable, Symbol],
        successor: dict[ast.Variable, Symbol],
    ) -> None:
        self.evaluator, self.names = evaluator, names
        self.variables, self.successor = variables, successor
        self.forms = dict(FORMS)
        self._begin_state()
        self._begin_memory()

    def _begin_state(self) -> None:
        """What holds at a place and a time of the translation."""
        self.assigned: dict[ast.Variable, Sym] | None = None
        """What variables are in the next state; None: the symbols of the state after a step."""
        self.unassigned: set[str] = set()
        """The variables that were read in the next state before they had a value there."""
        self.own: dict[ast.Variable, Sym] = {}
        """What the variables are of what stands below ENABLED in an instance."""
        self.depths: dict[Definition, int] = {}
        self.repeated: dict[Definition, int] = {}
        """How often operators called themselves within a call of them."""
        self.symmetry: Symmetry | None = None
        """The permutations that are to change nothing but names: no order of what they move may matter."""
        self.keeps_sorts = True
        """Whether what is assigned may be left without a value outside of its variable's sort."""
        self.kept_narrow = False
        """Whether what is made is assigned to a variable, and need not be outside of its sort."""
        self.of_candidates = False
        """Whether membership is asked of all values of a sort, to find the members of a set. No text compares
        these, so one of another kind is no member; elsewhere that has no value."""
        self.free: set[Symbol] = set()
        """Parameters of actions that engines may leave to the solver, however few values they have."""
        self.uncounted: Place | None = None
        """The first formula whose ways to be true were not told apart, though they should have been."""
        self.noted: Callable[[Expression, Context, Sym], None] = lambda whole, context, found: None
        """Is told of each expression what it is translated to, unless it is the same in all states."""

    def _begin_memory(self) -> None:
        """What was found before, so that it is not made anew."""
        self.joins: dict[tuple[Sort, Sort], Sort] = {}
        self.totals: dict[Term, bool] = {}
        self.tables: dict[Table, Term] = {}
        self.domains: dict[object, Term] = {}
        self.members: dict[object, list[Case]] = {}
        self.placed: dict[tuple[Term, Sort], tuple[Sym, Term]] = {}
        self.listed_kinds: dict[Sort, dict[str, list[Concrete]]] = {}
        self.folds: dict[Definition, Fold | None] = {}
        self.defined: dict[Definition, Sym] = {}
        self.tabled: dict[tuple[Any, ...], Sym] = {}
        """What calls within recursive operators stand for, by operator and arguments."""
        self.reached: dict[Definition, frozenset[Definition]] = {}
        self.compiled: dict[tuple[Expression, str], tuple[Unit, Any]] = {}
        self.known: dict[tuple[Expression, str], Sym] = {}

    def value(self, whole: Expression, context: Context) -> Sym:
        """What an expression is translated to. Raises Untranslated."""
        return evaluating.value_of(self, whole, context)

    def term(self, value: Sym) -> Term:
        """A value as a term, in the least sort. Raises Untranslated."""
        return sets.term_of(self, value)

    def fitted(self, value: Term, target: Sort) -> tuple[Sym, Term]:
        """Whether the kind of a term's value is one of another sort, and the term converted."""
        return converting.fitted(self, value, target)

    def convert(self, value: Term, target: Sort) -> Term:
        """A term in another sort; undefined where the value is not in it."""
        return converting.convert(self, value, target)

    def strict(self, result: Sym, *parts: Sym) -> Sym:
        """What an operator made, made to read the parts."""
        return reading.strict(self, result, *parts)

    def after(self, read: Sym, value: Sym) -> Sym:
        """A value, where a formula has one: it is true there."""
        return reading.after(self, read, value)

    def has_candidate(self, of: Sym, item: Sym) -> Sym:
        """Whether a value of a sort, of whatever kind, is a member."""
        return membership.has_candidate(self, of, item)

    def member_of(self, of: Sym, item: Sym) -> Sym:
        """Whether something is a member, where it is of a kind that may be compared with the members."""
        return comparability.member_of(self, of, item)

    def require_comparable_parts(self, one: Sym, other: Sym, inside: Sym) -> Sym:
        """Whether a set is in another, where what is missing may be compared with what the other has."""
        return comparability.require_comparable_parts(self, one, other, inside)


__all__ = ["Translator"]
