"""Translation of ``DOMAIN``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from verifier.encodings.sorts import PartialFunction, Sequence, Set, Variant
from verifier.encodings.terms import Operator, Term
from verifier.tla.translate.connectives import if_
from verifier.tla.translate.listed_sorts import over_listed
from verifier.tla.translate.parts import rows_of, sequence_length
from verifier.tla.translate.spreading import over_alternatives
from verifier.tla.translate.symbolic import Chosen, Entries, Known, LazyMap, Members, Nothing, Row, Span, Sym

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


def domain_of(t: Translator, function: Sym) -> Sym:
    """``DOMAIN function``"""
    if isinstance(function, Nothing):
        return function
    if isinstance(function, Chosen):
        return if_(t, function.condition, domain_of(t, function.then), domain_of(t, function.otherwise))
    if isinstance(function, LazyMap):
        return function.domain
    table = rows_of(t, function)
    if table is not None:
        return Known(frozenset(table.rows))
    if isinstance(function, Row):
        return Span(Known(1), function.length)
    if isinstance(function, Entries):
        return Members(tuple((condition, key) for condition, key, _ in function.rows))
    if isinstance(function, Term):
        sort = function.sort
        if t.names.lists(sort):
            return over_listed(t, function, partial(domain_of, t))
        if isinstance(sort, Sequence):
            return Span(Known(1), sequence_length(function))
        if isinstance(sort, PartialFunction):
            return _domain_term(t, function)
        if isinstance(sort, Variant):
            return over_alternatives(t, function, partial(domain_of, t))
    return Nothing("a function is expected")


def _domain_term(t: Translator, function: Term) -> Term:
    assert isinstance(function.sort, PartialFunction)
    key = function.data if function.operator is Operator.VARIABLE else function
    domain = t.domains.get(key)
    if domain is None:
        domain = t.domains[key] = Term(Operator.DOMAIN, Set(function.sort.domain), (function,))
    return domain
