"""The translator of a module's expressions: its state, and the operations that rules call on each other.

A rule is a function of a translator: ``and_(t, parts)``, ``spread(t, of)``. The modules of rules form layers.
A rule reaches a higher layer through the methods of the translator. This module knows no rule: ``rules`` has
the table of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from verifier.encodings.concrete import Concrete
from verifier.encodings.sorts import Sort
from verifier.encodings.terms import Symbol, Term
from verifier.tla import ast
from verifier.tla.ast import Definition, Expression
from verifier.tla.errors import Place
from verifier.tla.frames import Unit
from verifier.tla.interpreter import Interpreter
from verifier.tla.symmetry import Symmetry
from verifier.tla.translate.cases import Case
from verifier.tla.translate.coding import Names
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.recursion import Fold
from verifier.tla.translate.symbolic import Sym, Table


@dataclass(frozen=True)
class Rules:
    """The rules of the translation: of the forms of expressions, and the operations of the translator."""

    forms: Mapping[type[Expression], Callable[[Translator, Any, Context], Sym]]
    value: Callable[[Translator, Expression, Context], Sym]
    term: Callable[[Translator, Sym], Term]
    fit_kinds: Callable[[Translator, Term, Sort], tuple[Sym, Term]]
    convert: Callable[[Translator, Term, Sort], Term]
    strict: Callable[..., Sym]
    after: Callable[[Translator, Sym, Sym], Sym]
    has_candidate: Callable[[Translator, Sym, Sym], Sym]
    member_of: Callable[[Translator, Sym, Sym], Sym]
    require_comparable_parts: Callable[[Translator, Sym, Sym, Sym], Sym]


class Translator:
    """Translates the expressions of one module."""

    def __init__(
        self,
        rules: Rules,
        evaluator: Interpreter,
        names: Names,
        variables: dict[ast.Variable, Symbol],
        successor: dict[ast.Variable, Symbol],
    ) -> None:
        self.evaluator, self.names = evaluator, names
        self.variables, self.successor = variables, successor
        self.rules, self.forms = rules, dict(rules.forms)
        self._begin_state()
        self._begin_memory()

    def _begin_state(self) -> None:
        """Initialise the state that changes with the place and the time of the translation."""
        self.assigned: dict[ast.Variable, Sym] | None = None
        """The values of variables in the next state. None: the symbols of the state after a step."""
        self.unassigned: set[str] = set()
        """The variables that were read in the next state before they had a value there."""
        self.own: dict[ast.Variable, Sym] = {}
        """The values of variables below ENABLED in an instance."""
        self.depths: dict[Definition, int] = {}
        self.repeated: dict[Definition, int] = {}
        """The number of calls that each operator made of itself within one call."""
        self.symmetry: Symmetry | None = None
        """The permutations that change only names. No order of the values that they move may matter."""
        self.keeps_sorts = True
        """True if assigned values outside of their variable's sort may have no value."""
        self.kept_narrow = False
        """True while the value of an assignment is translated, which need not exist outside of the variable's
        sort."""
        self.of_candidates = False
        """True while membership is decided for all values of a sort, to find the members of a set. No formula
        of the module compares these values, so a value of another kind is no member. Elsewhere such a
        membership has no value."""
        self.free: set[Symbol] = set()
        """Parameters of actions that engines may leave to the solver, even if they have few values."""
        self.uncounted: Place | None = None
        """The first formula whose ways to be true were not told apart, although they should have been."""
        self.noted: Callable[[Expression, Context, Sym], None] = lambda whole, context, translation: None
        """A callback with each expression that depends on the state, and its translation."""

    def _begin_memory(self) -> None:
        """Initialise the caches."""
        self.joins: dict[tuple[Sort, Sort, int], Sort] = {}
        self.totals: dict[Term, bool] = {}
        self.tables: dict[Table, Term] = {}
        self.domains: dict[object, Term] = {}
        self.members: dict[object, list[Case]] = {}
        self.placed: dict[tuple[Term, Sort], tuple[Sym, Term]] = {}
        self.listed_kinds: dict[Sort, dict[str, list[Concrete]]] = {}
        self.folds: dict[Definition, Fold | None] = {}
        self.defined: dict[Definition, Sym] = {}
        self.tabled: dict[tuple[Any, ...], Sym] = {}
        """The values of calls within recursive operators, by operator and arguments."""
        self.reached: dict[Definition, frozenset[Definition]] = {}
        self.compiled: dict[tuple[Expression, str], tuple[Unit, Any]] = {}
        self.known: dict[tuple[Expression, str], Sym] = {}

    def value(self, whole: Expression, context: Context) -> Sym:
        """Translate an expression. Raises Untranslated."""
        return self.rules.value(self, whole, context)

    def term(self, value: Sym) -> Term:
        """Return a value as a term of the least sort. Raises Untranslated."""
        return self.rules.term(self, value)

    def fit_kinds(self, value: Term, target: Sort) -> tuple[Sym, Term]:
        """Return the formula that a term's value has a kind of the other sort, and the converted term."""
        return self.rules.fit_kinds(self, value, target)

    def convert(self, value: Term, target: Sort) -> Term:
        """Return a term in another sort. It is undefined where that sort lacks its value."""
        return self.rules.convert(self, value, target)

    def strict(self, result: Sym, *parts: Sym) -> Sym:
        """Return an operator's result, changed to read these arguments."""
        return self.rules.strict(self, result, *parts)

    def after(self, read: Sym, value: Sym) -> Sym:
        """Return a value; it has no value where the formula ``read`` has none. The formula is true
        elsewhere."""
        return self.rules.after(self, read, value)

    def has_candidate(self, of: Sym, item: Sym) -> Sym:
        """Return the formula that a value of a sort, of whatever kind, is a member."""
        return self.rules.has_candidate(self, of, item)

    def member_of(self, of: Sym, item: Sym) -> Sym:
        """Translate membership. It has no value where the item may not be compared with the members."""
        return self.rules.member_of(self, of, item)

    def require_comparable_parts(self, one: Sym, other: Sym, inside: Sym) -> Sym:
        """Return ``inside``, whether a set is a subset of another. It has no value where a missing member may
        not be compared with the members of the other set."""
        return self.rules.require_comparable_parts(self, one, other, inside)
