"""Operators that combine functions: ``:>``, ``@@``, and bags."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from verifier.encodings.sorts import (
    Function,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
    Variant,
)
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.tla.translate.arithmetic import sum_of
from verifier.tla.translate.comparability import require_comparable_members
from verifier.tla.translate.connectives import and_, formula_of, if_, not_, or_
from verifier.tla.translate.domains import domain_of
from verifier.tla.translate.functions import apply
from verifier.tla.translate.joining import join_all_sorts, join_sorts, least_sort
from verifier.tla.translate.kinds import kinds_of
from verifier.tla.translate.listed_sorts import lists_members
from verifier.tla.translate.making import as_partial, less
from verifier.tla.translate.membership import contains
from verifier.tla.translate.narrowing import extend
from verifier.tla.translate.parts import make_known_table, rows_of, table_of
from verifier.tla.translate.sequences import append
from verifier.tla.translate.set_operators import keep_members, members_in_order, unite
from verifier.tla.translate.shapes import NOTHING
from verifier.tla.translate.spreading import each_once, for_all, integer_of, spread
from verifier.tla.translate.symbolic import NO, YES, Entries, Known, Nothing, Sym, Table, Untranslated
from verifier.tla.translate.terms import TRUTH, literal, variable
from verifier.tla.values import materialize

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


def pair_of(key: Sym, item: Sym) -> Sym:
    """``key :> item``"""
    return Table({key.value: item}) if isinstance(key, Known) else Entries(((YES, key, item),))


def merge_functions(t: Translator, one: Sym, other: Sym) -> Sym:
    """``one @@ other``"""
    comparable = require_comparable_members(t, domain_of(t, one), domain_of(t, other))
    return t.after(comparable, _merge_entries(t, one, other))


def _merge_entries(t: Translator, one: Sym, other: Sym) -> Sym:
    first, second = table_of(one), table_of(other)
    if first is not None and second is not None:
        return make_known_table(Table({**second.rows, **first.rows}))
    above, below = _entries(one), _entries(other)
    if above is None:
        left = partial_function(t, one)
        if below is not None and (isinstance(other, Entries) or lists_members(t, left.sort)):
            return _with_entries(t, left, below)
        return _merge(t, left, partial_function(t, other))
    if first is not None and isinstance(other, Entries):
        return _with_entries(t, partial_function(t, one), other)
    entries = partial_function(t, other)
    for condition, key, item in above.rows:
        entries = t.term(if_(t, condition, extend(t, entries, key, item), entries))
    return entries


def _with_entries(t: Translator, function: Term, more: Entries) -> Term:
    """Add entries to a function at keys that it lacks. A later entry may replace an earlier one."""
    term, domain = function, domain_of(t, function)
    for condition, key, item in more.rows:
        new = condition
        if not _is_empty(function):
            new = and_(t, [condition, not_(t, contains(t, domain, key))])
        term = t.term(if_(t, new, extend(t, term, key, item), term))
    return term


def partial_function(t: Translator, value: Sym) -> Term:
    """Return a function as a term whose sort lets the domain vary."""
    table = rows_of(t, value)
    if table is not None and not table.rows:
        sort: Sort = PartialFunction(NOTHING, NOTHING)
        return literal(sort, t.names.encode((), sort))
    if table is not None:
        keys = join_all_sorts(t, [least_sort(t, key) for key in table.rows])
        return as_partial(t, table, keys, None)
    term = t.term(value)
    wider = _partial_sort(t, term.sort)
    if wider is None:
        raise Untranslated(None, "@@ of functions of this kind")
    return t.convert(term, wider)


def _partial_sort(t: Translator, sort: Sort) -> PartialFunction | None:
    """Return a sort of functions with varying domain that holds the functions of a sort."""
    match sort:
        case PartialFunction():
            return sort
        case Function():
            return PartialFunction(sort.domain, sort.range)
        case Sequence():
            return PartialFunction(Range(1, sort.capacity), sort.element)
        case Tuple():
            return PartialFunction(Range(1, len(sort.items)), join_all_sorts(t, sort.items))
        case Record():
            keys = join_all_sorts(t, map(partial(least_sort, t), sort.field_sorts))
            return PartialFunction(keys, join_all_sorts(t, (part for _, part in sort.fields)))
        case Variant():
            kinds = [_partial_sort(t, part) for _, part in sort.alternatives]
            partials = [kind for kind in kinds if kind is not None]
            return (
                PartialFunction(
                    join_all_sorts(t, (kind.domain for kind in partials)),
                    join_all_sorts(t, (kind.range for kind in partials)),
                )
                if partials
                else None
            )
    return None


def _merge(t: Translator, one: Term, other: Term) -> Term:
    sort = join_sorts(t, one.sort, other.sort)
    assert isinstance(sort, PartialFunction)
    left, right = t.convert(one, sort), t.convert(other, sort)
    symbol = Symbol("k", sort.domain)
    inside = [contains(t, domain_of(t, part), variable(symbol)) for part in (left, right)]
    applied = [Term(Operator.APPLY, sort.range, (part, variable(symbol))) for part in (left, right)]
    body = t.term(if_(t, inside[0], *applied))
    return Term(Operator.PARTIAL_FUNCTION, sort, (formula_of(t, or_(t, inside)), body), binds=symbol)


def set_to_seq(t: Translator, of: Sym) -> Sym:
    """Translate ``SetToSeq``: the members in TLC's order."""
    result: Sym = Known(())
    for case in members_in_order(t, of):
        result = if_(t, case.condition, append(t, result, case.item), result)
    return result


# -- bags


def function_over(t: Translator, of: Sym, body: Callable[[Sym], Sym]) -> Sym:
    """``[x \\in of |-> body(x)]``"""
    cases = spread(t, of)
    if all(case.condition is YES and isinstance(case.item, Known) for case in cases):
        return make_known_table(Table({materialize(case.item.value): body(case.item) for case in cases}))  # type: ignore[union-attr]
    domain = t.term(of)
    assert isinstance(domain.sort, Set)
    symbol = Symbol("k", domain.sort.element)
    inside = Term(Operator.CONTAINS, TRUTH, (domain, variable(symbol)))
    made = t.term(body(variable(symbol)))
    return Term(
        Operator.PARTIAL_FUNCTION, PartialFunction(symbol.sort, made.sort), (inside, made), binds=symbol
    )


def copies(t: Translator, item: Sym, bag: Sym) -> Sym:
    """Translate ``CopiesIn``."""
    count = integer_of(t, apply(t, bag, item))
    return if_(t, t.member_of(domain_of(t, bag), item), count, Known(0))


def is_bag(t: Translator, value: Sym) -> Sym:
    """Translate ``IsABag``: a function to positive integers. For a value of another kind it is FALSE."""
    function = kinds_of(t, value).get("function", NO)
    if function is NO:
        return NO
    keys = spread(t, domain_of(t, value))
    return and_(t, [function, *(for_all(t, case, _positive(t, value, case.item)) for case in keys)])


def _positive(t: Translator, function: Sym, key: Sym) -> Sym:
    count = apply(t, function, key)
    is_integer = kinds_of(t, count).get("integer", NO)
    return NO if is_integer is NO else and_(t, [is_integer, less(t, Known(0), integer_of(t, count))])


def bag_in(t: Translator, item: Sym, bag: Sym) -> Sym:
    """Translate ``BagIn``. It has no value if the item's multiplicity is not positive."""
    inside = t.member_of(domain_of(t, bag), item)
    no_bag = Nothing("a bag has positive integers as its values")
    return t.after(if_(t, inside, if_(t, _positive(t, bag, item), YES, no_bag), YES), inside)


def bag_cardinality(t: Translator, bag: Sym) -> Sym:
    """Translate ``BagCardinality``."""
    result: Sym = Known(0)
    for case in each_once(t, domain_of(t, bag)):
        more = sum_of(t, Operator.ADD, result, apply(t, bag, case.item))
        result = if_(t, case.condition, more, result)
    return _of_bags(t, [bag], result)


def _of_bags(t: Translator, bags: Iterable[Sym], value: Sym) -> Sym:
    """Return a value that is none unless these are bags."""
    are_bags = and_(t, [is_bag(t, bag) for bag in bags])
    return t.after(if_(t, are_bags, YES, Nothing("a bag has positive integers as its values")), value)


def bag_sum(t: Translator, one: Sym, other: Sym) -> Sym:
    """``one (+) other``"""
    keys = unite(t, domain_of(t, one), domain_of(t, other))
    made = function_over(
        t, keys, lambda key: sum_of(t, Operator.ADD, copies(t, key, one), copies(t, key, other))
    )
    return _of_bags(t, [one, other], made)


def bag_difference(t: Translator, one: Sym, other: Sym) -> Sym:
    """``one (-) other``"""

    def subtract_copies(key: Sym) -> Sym:
        return sum_of(t, Operator.SUBTRACT, copies(t, key, one), copies(t, key, other))

    keys = keep_members(
        t, domain_of(t, one), lambda key: less(t, Known(0), integer_of(t, subtract_copies(key)))
    )
    return function_over(t, keys, subtract_copies)


def bag_within(t: Translator, one: Sym, other: Sym) -> Sym:
    r"""``one \\sqsubseteq other``"""
    return and_(
        t,
        [
            for_all(
                t,
                case,
                less(t, integer_of(t, apply(t, one, case.item)), copies(t, case.item, other), equal=True),
            )
            for case in spread(t, domain_of(t, one))
        ],
    )


def _entries(value: Sym) -> Entries | None:
    """Return a function by its entries; None if it is not given by single entries."""
    table = table_of(value)
    if table is not None:
        return Entries(tuple((YES, Known(key), item) for key, item in table.rows.items()))
    return value if isinstance(value, Entries) else None


def _is_empty(function: Term) -> bool:
    return isinstance(function.sort, PartialFunction) and function.sort.domain == NOTHING
