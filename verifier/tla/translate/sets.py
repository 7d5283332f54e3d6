"""Sets as terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.encodings.sorts import Set
from verifier.encodings.terms import Operator, Term
from verifier.tla.translate.connectives import formula_of
from verifier.tla.translate.joining import join_all_sorts, join_sorts, least_sort, pair_terms
from verifier.tla.translate.making import term_of_entries, term_of_row, term_of_table
from verifier.tla.translate.shapes import NOTHING
from verifier.tla.translate.spreading import spread
from verifier.tla.translate.symbolic import (
    YES,
    AllSequences,
    Chosen,
    Entries,
    Functions,
    Joined,
    Known,
    LazyMap,
    Members,
    Nothing,
    Part,
    Products,
    Records,
    Row,
    Span,
    Subsets,
    Sym,
    Table,
    Untranslated,
)
from verifier.tla.translate.symbolic import Operator as Op
from verifier.tla.translate.terms import TRUTH, literal, make_undefined_term

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


def term_of(t: Translator, value: Sym) -> Term:
    """Return a value as a term of the least sort."""
    match value:
        case Term():
            return value
        case Known():
            sort = least_sort(t, value.value)
            return literal(sort, t.names.encode(value.value, sort))
        case Table():
            term = t.tables.get(value)
            if term is None:
                term = t.tables[value] = term_of_table(t, value)
            return term
        case Row():
            return term_of_row(t, value)
        case Entries():
            return term_of_entries(t, value)
        case Chosen():
            left, right = pair_terms(t, value.then, value.otherwise)
            sort = join_sorts(t, left.sort, right.sort)
            return Term(Operator.IF, sort, (formula_of(t, value.condition), left, right))
        case Nothing():
            return make_undefined_term(TRUTH)
        case LazyMap():
            return t.term(value.whole())
        case Op():
            raise Untranslated(None, "an operator is not a value")
    return set_term(t, value)


def set_term(t: Translator, value: Sym) -> Term:
    """Return the description of a set as a term."""
    if isinstance(value, AllSequences):
        raise Untranslated(None, "the set of all sequences is not a value of a state")
    if isinstance(value, Functions | Records | Products | Subsets | Joined | Span):
        return t.term(t.strict(_set_term(t, value), value))
    if isinstance(value, Part | Members) and value.base is not None:
        return t.term(t.strict(_set_term(t, value), value.base))
    return _set_term(t, value)


def _set_term(t: Translator, value: Sym) -> Term:
    pieces: list[Term] = []
    plain: list[Term] = []
    for case in spread(t, value):
        item = t.term(case.item)
        if case.symbol is not None:
            inside = formula_of(t, case.condition)
            if item.operator is Operator.VARIABLE and item.data is case.symbol:
                pieces.append(Term(Operator.COMPREHENSION, Set(item.sort), (inside,), binds=case.symbol))
            else:
                pieces.append(Term(Operator.IMAGE, Set(item.sort), (inside, item), binds=case.symbol))
        elif case.condition is YES:
            plain.append(item)
        else:
            one = Term(Operator.SET, Set(item.sort), (item,))
            none = literal(Set(item.sort), frozenset())
            pieces.append(Term(Operator.IF, one.sort, (formula_of(t, case.condition), one, none)))
    if plain:
        element = join_all_sorts(t, [item.sort for item in plain])
        pieces.insert(0, Term(Operator.SET, Set(element), tuple(t.convert(i, element) for i in plain)))
    if not pieces:
        return literal(Set(NOTHING), frozenset())
    whole = join_all_sorts(t, [piece.sort for piece in pieces])
    term = t.convert(pieces[0], whole)
    for piece in pieces[1:]:
        term = Term(Operator.UNION, whole, (term, t.convert(piece, whole)))
    return term
