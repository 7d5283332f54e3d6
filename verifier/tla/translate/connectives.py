"""Connectives that fold what is known, and the choice between two."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from verifier.encodings.concrete import Concrete
from verifier.encodings.sorts import Boolean, Sort, Variant
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.tla.errors import Place
from verifier.tla.translate.coding import Names
from verifier.tla.translate.symbolic import (
    LAZY_SETS,
    NO,
    YES,
    Chosen,
    Entries,
    Known,
    LazyMap,
    Nothing,
    Sym,
    Table,
)
from verifier.tla.translate.symbolic import Operator as Op
from verifier.tla.translate.terms import TRUTH, literal, undefined
from verifier.tla.values import FALSE, TRUE, NoValue, is_set


class Connectives:
    """Makes formulas, and what makes terms of values asks of what is built on it."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.joins: dict[tuple[Sort, Sort], Sort] = {}
        self.totals: dict[Term, bool] = {}
        self.tables: dict[Table, Term] = {}
        self.domains: dict[object, Term] = {}
        self.members: dict[object, list[Any]] = {}
        self.placed: dict[tuple[Term, Sort], tuple[Sym, Term]] = {}
        self.listed_kinds: dict[Sort, dict[str, list[Concrete]]] = {}
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

    def fresh(self, name: str, sort: Sort) -> Symbol:
        """A new bound variable."""
        return Symbol(name, sort)

    # -- what is made elsewhere

    def term(self, value: Sym) -> Term:
        """A value as a term, in the least sort."""
        raise NotImplementedError

    def pair(self, one: Sym, other: Sym) -> tuple[Term, Term]:
        """Two values as terms whose sorts are alike."""
        raise NotImplementedError

    def join(self, one: Sort, other: Sort) -> Sort:
        """The least sort for the values of both."""
        raise NotImplementedError

    def payload(self, value: Term, tag: str) -> Term:
        """What a variant holds."""
        raise NotImplementedError

    def after(self, read: Sym, value: Sym) -> Sym:
        """A value, where a formula has one: it is true there."""
        raise NotImplementedError

    def strict(self, result: Sym, *parts: Sym) -> Sym:
        """What an operator made, made to read the parts."""
        raise NotImplementedError

    def is_total(self, term: Term) -> bool:
        """Whether a term has a value in every state, by its operators and sorts."""
        raise NotImplementedError

    # -- truth

    def truth(self, value: Sym) -> Sym:
        """A formula: YES, NO, Nothing or a boolean term."""
        match value:
            case Known():
                return (
                    value
                    if value.value is TRUE or value.value is FALSE
                    else Nothing("TRUE or FALSE is expected")
                )
            case Nothing():
                return value
            case Chosen():
                return self.if_(value.condition, self.truth(value.then), self.truth(value.otherwise))
            case Term():
                if isinstance(value.sort, Boolean):
                    return value
                if isinstance(value.sort, Variant) and "truth" in value.sort.payloads:
                    return self.payload(value, "truth")
        return Nothing("TRUE or FALSE is expected")

    def formula(self, value: Sym) -> Term:
        """The same as a term."""
        found = self.truth(value)
        if isinstance(found, Known):
            return literal(TRUTH, found.value is TRUE)
        if isinstance(found, Nothing):
            return undefined(TRUTH)
        assert isinstance(found, Term)
        return found

    def and_(self, parts: Iterable[Sym]) -> Sym:
        """A conjunction, read from the left."""
        return self._joined(parts, Operator.AND, NO, YES)

    def or_(self, parts: Iterable[Sym]) -> Sym:
        """A disjunction, read from the left."""
        return self._joined(parts, Operator.OR, YES, NO)

    def _joined(self, parts: Iterable[Sym], operator: Operator, last: Known, unit: Known) -> Sym:
        kept: list[Term] = []
        for part in parts:
            found = self.truth(part)
            if isinstance(found, Known):
                if found.value is last.value:
                    while kept and self.is_total(kept[-1]):
                        kept.pop()
                    if not kept:
                        return last
                    kept.append(self.formula(last))
                    break
                continue
            if isinstance(found, Nothing) and not kept:
                return found
            kept.append(self.formula(found))
            if isinstance(found, Nothing):
                break
        if not kept:
            return unit
        return kept[0] if len(kept) == 1 else Term(operator, TRUTH, tuple(kept))

    def not_(self, value: Sym) -> Sym:
        """A negation."""
        found = self.truth(value)
        if isinstance(found, Known):
            return NO if found.value is TRUE else YES
        if isinstance(found, Nothing):
            return found
        return Term(Operator.NOT, TRUTH, (self.formula(found),))

    def implies(self, one: Sym, other: Callable[[], Sym]) -> Sym:
        """An implication; the right side is not asked for where the left is false."""
        left = self.truth(one)
        if isinstance(left, Nothing) or left is NO:
            return YES if left is NO else left
        if isinstance(left, Known):
            return self.truth(other()) if left.value is TRUE else YES
        right = self.truth(other())
        if isinstance(right, Known) and right.value is TRUE:
            return Term(Operator.IMPLIES, TRUTH, (self.formula(left), self.formula(YES)))
        return Term(Operator.IMPLIES, TRUTH, (self.formula(left), self.formula(right)))

    # -- choice

    def if_(self, condition: Sym, then: Sym, otherwise: Sym) -> Sym:
        """One of two."""
        decides = self.truth(condition)
        if isinstance(decides, Nothing):
            return decides
        if isinstance(decides, Known):
            return then if decides.value is TRUE else otherwise
        if then is otherwise or _same_known(then, otherwise):
            return self.strict(then, decides)
        if isinstance(then, Nothing) and isinstance(otherwise, Nothing):
            return then
        lazy = (*LAZY_SETS, LazyMap, Op, Entries)
        if any(isinstance(item, (*lazy, Chosen)) or _infinite(item) for item in (then, otherwise)):
            if isinstance(otherwise, Nothing):
                return self.after(self._choice(decides, YES, otherwise), then)
            if isinstance(then, Nothing):
                return self.after(self._choice(decides, then, YES), otherwise)
            return Chosen(decides, then, otherwise)
        if (
            isinstance(then, Table)
            and isinstance(otherwise, Table)
            and then.rows.keys() == otherwise.rows.keys()
        ):
            return Table({k: self.if_(decides, v, otherwise.rows[k]) for k, v in then.rows.items()})
        return self._choice(decides, then, otherwise)

    def _choice(self, decides: Sym, then: Sym, otherwise: Sym) -> Term:
        if isinstance(then, Nothing):
            right = self.term(otherwise)
            return Term(Operator.IF, right.sort, (self.formula(decides), undefined(right.sort), right))
        if isinstance(otherwise, Nothing):
            left = self.term(then)
            return Term(Operator.IF, left.sort, (self.formula(decides), left, undefined(left.sort)))
        left, right = self.pair(then, otherwise)
        sort = self.join(left.sort, right.sort)
        return Term(Operator.IF, sort, (self.formula(decides), left, right))


def _same_known(one: Sym, other: Sym) -> bool:
    if not (isinstance(one, Known) and isinstance(other, Known)):
        return False
    try:
        return type(one.value) is type(other.value) and bool(one.value == other.value)
    except NoValue:
        return False


def _infinite(value: Sym) -> bool:
    from verifier.tla.values import is_infinite

    return isinstance(value, Known) and is_set(value.value) and is_infinite(value.value)


__all__ = ["Connectives"]
