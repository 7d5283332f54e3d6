"""Connectives that simplify known arguments, and IF."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from verifier.encodings.partiality import is_partial
from verifier.encodings.sorts import Boolean, Variant
from verifier.encodings.terms import Operator, Term
from verifier.tla.translate.joining import join_sorts, pair_terms
from verifier.tla.translate.parts import payload_of
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
from verifier.tla.translate.terms import TRUTH, literal, make_undefined_term
from verifier.tla.value_types import FALSE, TRUE, NoValue
from verifier.tla.values import is_set

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


# -- truth


def truth_of(t: Translator, value: Sym) -> Sym:
    """Return a value as a formula: YES, NO, Nothing or a boolean term."""
    match value:
        case Known():
            return (
                value if value.value is TRUE or value.value is FALSE else Nothing("TRUE or FALSE is expected")
            )
        case Nothing():
            return value
        case Chosen():
            return if_(t, value.condition, truth_of(t, value.then), truth_of(t, value.otherwise))
        case Term():
            if isinstance(value.sort, Boolean):
                return value
            if isinstance(value.sort, Variant) and "truth" in value.sort.payloads:
                return payload_of(value, "truth")
    return Nothing("TRUE or FALSE is expected")


def formula_of(t: Translator, value: Sym) -> Term:
    """Return a value as a boolean term, as `truth_of` does, but also for YES, NO and Nothing."""
    truth = truth_of(t, value)
    if isinstance(truth, Known):
        return literal(TRUTH, truth.value is TRUE)
    if isinstance(truth, Nothing):
        return make_undefined_term(TRUTH)
    assert isinstance(truth, Term)
    return truth


def and_(t: Translator, parts: Iterable[Sym]) -> Sym:
    """Return a conjunction, which is read from the left."""
    return _join(t, parts, Operator.AND, NO, YES)


def or_(t: Translator, parts: Iterable[Sym]) -> Sym:
    """Return a disjunction, which is read from the left."""
    return _join(t, parts, Operator.OR, YES, NO)


def _join(t: Translator, parts: Iterable[Sym], operator: Operator, last: Known, unit: Known) -> Sym:
    kept: list[Term] = []
    for part in parts:
        truth = truth_of(t, part)
        if isinstance(truth, Known):
            if truth.value is last.value:
                while kept and is_total(t, kept[-1]):
                    kept.pop()
                if not kept:
                    return last
                kept.append(formula_of(t, last))
                break
            continue
        if isinstance(truth, Nothing) and not kept:
            return truth
        kept.append(formula_of(t, truth))
        if isinstance(truth, Nothing):
            break
    if not kept:
        return unit
    return kept[0] if len(kept) == 1 else Term(operator, TRUTH, tuple(kept))


def not_(t: Translator, value: Sym) -> Sym:
    """Return a negation."""
    truth = truth_of(t, value)
    if isinstance(truth, Known):
        return NO if truth.value is TRUE else YES
    if isinstance(truth, Nothing):
        return truth
    return Term(Operator.NOT, TRUTH, (formula_of(t, truth),))


def implies(t: Translator, one: Sym, other: Callable[[], Sym]) -> Sym:
    """Return an implication. The right side is not translated if the left side is known to be false."""
    left = truth_of(t, one)
    if isinstance(left, Nothing) or left is NO:
        return YES if left is NO else left
    if isinstance(left, Known):
        return truth_of(t, other()) if left.value is TRUE else YES
    right = truth_of(t, other())
    if isinstance(right, Known) and right.value is TRUE:
        return Term(Operator.IMPLIES, TRUTH, (formula_of(t, left), formula_of(t, YES)))
    return Term(Operator.IMPLIES, TRUTH, (formula_of(t, left), formula_of(t, right)))


# -- choice


def if_(t: Translator, condition: Sym, then: Sym, otherwise: Sym) -> Sym:
    """Return IF ``condition`` THEN ``then`` ELSE ``otherwise``."""
    decides = truth_of(t, condition)
    if isinstance(decides, Nothing):
        return decides
    if isinstance(decides, Known):
        return then if decides.value is TRUE else otherwise
    if then is otherwise or _same_known(then, otherwise):
        return t.strict(then, decides)
    if isinstance(then, Nothing) and isinstance(otherwise, Nothing):
        return then
    lazy = (*LAZY_SETS, LazyMap, Op, Entries)
    if any(isinstance(item, (*lazy, Chosen)) or _infinite(item) for item in (then, otherwise)):
        if isinstance(otherwise, Nothing):
            return t.after(_choice(t, decides, YES, otherwise), then)
        if isinstance(then, Nothing):
            return t.after(_choice(t, decides, then, YES), otherwise)
        return Chosen(decides, then, otherwise)
    if isinstance(then, Table) and isinstance(otherwise, Table) and then.rows.keys() == otherwise.rows.keys():
        return Table({k: if_(t, decides, v, otherwise.rows[k]) for k, v in then.rows.items()})
    return _choice(t, decides, then, otherwise)


def _choice(t: Translator, decides: Sym, then: Sym, otherwise: Sym) -> Term:
    if isinstance(then, Nothing):
        right = t.term(otherwise)
        return Term(Operator.IF, right.sort, (formula_of(t, decides), make_undefined_term(right.sort), right))
    if isinstance(otherwise, Nothing):
        left = t.term(then)
        return Term(Operator.IF, left.sort, (formula_of(t, decides), left, make_undefined_term(left.sort)))
    left, right = pair_terms(t, then, otherwise)
    sort = join_sorts(t, left.sort, right.sort)
    return Term(Operator.IF, sort, (formula_of(t, decides), left, right))


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


def is_total(t: Translator, term: Term) -> bool:
    """True if a term has a value in every state, by its operators and sorts."""
    result = t.totals.get(term)
    if result is None:
        result = not is_partial(term) and all(map(partial(is_total, t), term.arguments))
        t.totals[term] = result
    return result
