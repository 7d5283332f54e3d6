"""Union, intersection and difference, CHOOSE, and folds over sets."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from verifier.encodings.sorts import Listed, PartialFunction, Range, Set, Sort, Variant, sorts_in
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.tla.lazy_sets import Interval
from verifier.tla.translate.arithmetic import add_or_subtract, power_of
from verifier.tla.translate.cases import Case
from verifier.tla.translate.comparability import (
    require_comparable_members,
    require_one_kind,
    require_one_kind_of_parts,
)
from verifier.tla.translate.connectives import and_, formula_of, if_, not_, or_
from verifier.tla.translate.joining import fit_pair, join_sorts, pair_terms
from verifier.tla.translate.kinds import expect_kind
from verifier.tla.translate.making import equals, less
from verifier.tla.translate.membership import contains
from verifier.tla.translate.parts import set_of
from verifier.tla.translate.shapes import NOTHING
from verifier.tla.translate.spreading import (
    MOST_FOLDED,
    each_once,
    exists,
    for_all,
    integer_of,
    over_alternatives,
    spread,
)
from verifier.tla.translate.strict_reading import reads
from verifier.tla.translate.symbolic import (
    LAZY_SETS,
    NO,
    YES,
    Chosen,
    Joined,
    Known,
    Members,
    Nothing,
    Part,
    Span,
    Subsets,
    Sym,
    Untranslated,
)
from verifier.tla.translate.symbolic import Operator as Op
from verifier.tla.translate.terms import TRUTH, variable
from verifier.tla.values import is_infinite, is_set

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


def extreme(t: Translator, of: Sym, *, largest: bool) -> Sym:
    """Translate ``Min`` or ``Max``."""
    operator = Operator.MAXIMUM_OF if largest else Operator.MINIMUM_OF
    term = t.term(of)
    if isinstance(term.sort, Set) and isinstance(term.sort.element, Range):
        return Term(operator, term.sort.element, (term,))
    read: list[Sym] = []
    result: Sym = Known(frozenset())
    for case in spread(t, term):
        one = integer_of(t, case.item)
        read.append(for_all(t, case, one if isinstance(one, Nothing) else reads(t, one)))
        if not isinstance(one, Nothing):
            result = unite(t, result, _alone_or_image(t, case, one))
    numbers = t.term(result)
    assert isinstance(numbers.sort, Set)
    if not isinstance(numbers.sort.element, Range | Listed) or numbers.sort.element == NOTHING:
        return Nothing("a set of integers is expected")
    return t.after(and_(t, read), Term(operator, numbers.sort.element, (numbers,)))


def _alone_or_image(t: Translator, case: Case, item: Sym) -> Sym:
    """Return the set of an item that is made from one member, or from all members of a case."""
    if case.symbol is None:
        return Members(((case.condition, item),))
    made = t.term(item)
    return Term(Operator.IMAGE, Set(made.sort), (formula_of(t, case.condition), made), binds=case.symbol)


_MOST_COUNTED = 8
"""The largest set whose members are counted one by one."""


def unite(t: Translator, one: Sym, other: Sym) -> Sym:
    r"""``one \\cup other``"""
    if any(_stays_lazy(part) for part in (one, other)):
        # TLC looks into the listed set first, and reports members of another kind there.
        lazy_first = _stays_lazy(one) and not _stays_lazy(other)
        joined = Joined((other, one) if lazy_first else (one, other))
        listed = all(not _stays_lazy(part) or _is_interval(part) for part in (one, other))
        return t.after(require_comparable_members(t, one, other), joined) if listed else joined
    return t.after(require_comparable_members(t, one, other), _unite_listed(t, one, other))


def _unite_listed(t: Translator, one: Sym, other: Sym) -> Sym:
    if isinstance(one, Members) and isinstance(other, Members):
        return set_of([*one.items, *other.items])
    left, right = pair_terms(t, one, other)
    if not isinstance(left.sort, Set) or not isinstance(right.sort, Set):
        return Nothing("sets are expected")
    return Term(Operator.UNION, join_sorts(t, left.sort, right.sort), (left, right))


def _stays_lazy(value: Sym) -> bool:
    if isinstance(value, Known):
        return is_set(value.value) and not isinstance(value.value, frozenset)
    return isinstance(value, LAZY_SETS) and not isinstance(value, Members | Part | Span)


def _is_interval(value: Sym) -> bool:
    return isinstance(value, Known) and isinstance(value.value, Interval)


def intersect(t: Translator, one: Sym, other: Sym) -> Sym:
    r"""``one \\cap other``"""
    if _stays_lazy(one) and not _stays_lazy(other):
        one, other = other, one
    if _stays_lazy(other):
        return keep_members(t, one, lambda item: t.member_of(other, item))
    return t.after(require_comparable_members(t, one, other), _intersect_listed(t, one, other))


def _intersect_listed(t: Translator, one: Sym, other: Sym) -> Sym:
    if isinstance(one, Known) and not isinstance(other, Known):
        one, other = other, one
    if isinstance(other, Known) and isinstance(one, Term):
        return keep_members(t, other, lambda item: contains(t, one, item))
    return keep_members(t, one, lambda item: contains(t, other, item))


def difference(t: Translator, one: Sym, other: Sym) -> Sym:
    r"""``one \\ other``"""
    if _stays_lazy(one) or _stays_lazy(other):
        return keep_members(t, one, lambda item: not_(t, t.member_of(other, item)))
    return t.after(require_comparable_members(t, one, other), _difference_of_listed(t, one, other))


def _difference_of_listed(t: Translator, one: Sym, other: Sym) -> Sym:
    if isinstance(one, Term) and isinstance(one.sort, Set):
        (fits, left), (also, right) = fit_pair(t, one, other)
        if fits is YES and also is YES and isinstance(right.sort, Set):
            return Term(Operator.DIFFERENCE, left.sort, (left, right))
    return keep_members(t, one, lambda item: not_(t, contains(t, other, item)))


def keep_members(t: Translator, of: Sym, test: Callable[[Sym], Sym]) -> Sym:
    if isinstance(of, Known) and is_set(of.value) and is_infinite(of.value):
        return Part(of, test)
    items: list[tuple[Sym, Sym]] = []
    for case in spread(t, of):
        if case.symbol is not None:
            return Part(of, test)
        condition = and_(t, [case.condition, test(case.item)])
        if condition is not NO:
            items.append((condition, case.item))
    return set_of(items)


def cardinality_of(t: Translator, of: Sym) -> Sym:
    """Translate ``Cardinality``."""
    if isinstance(of, Chosen):
        return if_(t, of.condition, cardinality_of(t, of.then), cardinality_of(t, of.otherwise))
    if isinstance(of, Subsets):
        return power_of(t, Known(2), cardinality_of(t, of.base))
    if isinstance(of, Members) and len(of.items) <= _MOST_COUNTED:
        return _count_members(t, of)
    term = t.term(of)
    if isinstance(term.sort, Variant):
        return over_alternatives(t, term, partial(cardinality_of, t))
    if not isinstance(term.sort, Set):
        return Nothing("a set is expected")
    return Term(Operator.CARDINALITY, Range(0, term.sort.element.size), (term,))


def subsets_of_size(t: Translator, size: Sym, of: Sym) -> Sym:
    """Translate ``kSubset``."""
    count = integer_of(t, size)
    if isinstance(count, Nothing):
        return count
    return Part(Subsets(of), lambda item: equals(t, cardinality_of(t, item), count))


def _count_members(t: Translator, of: Members) -> Sym:
    """Return the number of members. A member counts if no earlier one is equal."""
    count: Sym = Known(0)
    for place, (condition, item) in enumerate(of.items):
        again = or_(t, [and_(t, [when, equals(t, one, item)]) for when, one in of.items[:place]])
        new = and_(t, [condition, not_(t, again)])
        count = add_or_subtract(t, Operator.ADD, count, if_(t, new, Known(1), Known(0)))
    return t.strict(count, of)


def unite_all(t: Translator, of: Sym) -> Sym:
    """Translate ``UNION``."""
    parts: list[Sym] = []
    read: list[Sym] = []
    for case in spread(t, of):
        made = expect_kind(t, case.item, "set")
        if isinstance(made, Nothing):  # there must be no such member
            read.append(for_all(t, case, made))
            continue
        if case.symbol is None:
            empty = Known(frozenset())
            parts.append(made if case.condition is YES else if_(t, case.condition, made, empty))
            continue
        read.append(for_all(t, case, reads(t, made)))
        item = t.term(made)
        if not isinstance(item.sort, Set):
            raise Untranslated(None, "UNION of sets that cannot be listed")
        symbol = Symbol("e", item.sort.element)
        inside = Term(Operator.CONTAINS, TRUTH, (item, variable(symbol)))
        some = exists(t, case, inside)
        members = Term(Operator.COMPREHENSION, Set(symbol.sort), (formula_of(t, some),), binds=symbol)
        parts.append(require_one_kind(t, members))
    result: Sym = Known(frozenset())
    for part in parts:
        result = part if isinstance(result, Known) and result.value == frozenset() else unite(t, result, part)
    return t.after(and_(t, read), require_one_kind_of_parts(t, result))


# -- CHOOSE


def choose(t: Translator, domain: Sym, body: Callable[[Sym], Sym]) -> Sym:
    """Translate CHOOSE: the first member that satisfies the body, in TLC's order."""
    cases = spread(t, domain)
    first = partial(_alone, t) if any(map(partial(_is_permuted, t), cases)) else partial(_first, t)
    if isinstance(domain, Known) and all(case.symbol is None for case in cases):
        return first(cases, body)
    symbols = [case.symbol for case in cases if case.symbol is not None]
    if len(cases) != 1 or not symbols:
        if not symbols and any(not isinstance(case.item, Known) for case in cases):
            integers = all(map(_is_integer, cases))
            return (partial(_least, t) if integers else partial(_alone, t))(cases, body)
        return first(each_once(t, domain), body)
    (case,) = cases
    fits = and_(t, [case.condition, body(case.item)])
    plain = isinstance(case.item, Term) and case.item.data is case.symbol
    exact = plain and has_tlc_order(symbols[0].sort) and reads(t, fits) is YES
    if not exact and symbols[0].sort.size <= MOST_FOLDED:
        return first(each_once(t, domain), body)
    if not plain:
        raise Untranslated(None, "CHOOSE from a set of this form")
    if isinstance(fits, Nothing):
        return fits
    return _make_choose_term(t, case, symbols[0], formula_of(t, fits))


def _first(t: Translator, cases: list[Case], body: Callable[[Sym], Sym]) -> Sym:
    pairs: list[tuple[Sym, Sym]] = []
    for case in cases:
        fits = and_(t, [case.condition, body(case.item)])
        if fits is NO:
            continue
        pairs.append((fits, case.item))
        if fits is YES:
            break
    result: Sym = Nothing("CHOOSE finds no element")
    for fits, item in reversed(pairs):
        result = if_(t, fits, item, result)
    return result


def _is_integer(case: Case) -> bool:
    item = case.item
    if isinstance(item, Known):
        return type(item.value) is int
    return isinstance(item, Term) and isinstance(item.sort, Range)


def _least(t: Translator, cases: list[Case], body: Callable[[Sym], Sym]) -> Sym:
    """Translate CHOOSE from integers that the state decides. TLC's first is the least that satisfies the
    body."""
    fits = [and_(t, [case.condition, body(case.item)]) for case in cases]
    result: Sym = Nothing("CHOOSE finds no element")
    for place in reversed(range(len(cases))):
        item = cases[place].item
        before = [
            and_(t, [fit, less(t, other.item, item)])
            for fit, other in zip(fits, cases, strict=True)
            if other is not cases[place]
        ]
        result = if_(t, and_(t, [fits[place], *map(partial(not_, t), before)]), item, result)
    return result


def _alone(t: Translator, cases: list[Case], body: Callable[[Sym], Sym]) -> Sym:
    """Translate CHOOSE from items that the state decides. All that satisfy the body must be equal."""
    fits = [and_(t, [case.condition, body(case.item)]) for case in cases]
    result: Sym = Nothing("CHOOSE finds no element")
    clashes = []
    for place in reversed(range(len(cases))):
        for other in range(place):
            both = and_(t, [fits[other], fits[place]])
            if both is not NO:
                same = equals(t, cases[other].item, cases[place].item)
                clashes.append(and_(t, [both, not_(t, same)]))
        result = if_(t, fits[place], cases[place].item, result)
    clash = or_(t, clashes)
    return t.after(if_(t, clash, Nothing("CHOOSE has several elements"), YES), result)


def _make_choose_term(t: Translator, case: Case, symbol: Symbol, formula: Term) -> Term:
    """Translate CHOOSE from a large sort. If the sort's order is not TLC's, or permutations change it, only
    one member may satisfy the body."""
    if not has_tlc_order(symbol.sort) or _is_permuted(t, case):
        other = Symbol("y", symbol.sort)
        renamed = Term(Operator.CONTAINS, TRUTH, (_make_comprehension(case, formula), variable(other)))
        same = Term(Operator.EQUAL, TRUTH, (variable(other), variable(symbol)))
        only = Term(Operator.IMPLIES, TRUTH, (renamed, same))
        alone = Term(Operator.FORALL, TRUTH, (only,), binds=other)
        formula = Term(Operator.AND, TRUTH, (formula, alone))
    return Term(Operator.CHOOSE, symbol.sort, (formula,), binds=symbol)


def _make_comprehension(case: Case, formula: Term) -> Term:
    assert case.symbol is not None
    return Term(Operator.COMPREHENSION, Set(case.symbol.sort), (formula,), binds=case.symbol)


def _is_permuted(t: Translator, case: Case) -> bool:
    """True if permutations may change which member of a set is the first."""
    if t.symmetry is None:
        return False
    if isinstance(case.item, Known):
        return t.symmetry.touches(case.item.value)
    return not isinstance(case.item, Term) or _is_sort_permuted(t, case.item.sort)


def _is_sort_permuted(t: Translator, sort: Sort) -> bool:
    assert t.symmetry is not None
    listed = (part for part in sorts_in(sort) if isinstance(part, Listed))
    words = (word for part in listed for word in part.members if isinstance(word, str))
    return any(t.symmetry.touches(t.names.meant[word]) for word in words)


# -- folds


def members_in_order(t: Translator, of: Sym) -> list[Case]:
    """Return the members of a set in TLC's order. Raises Untranslated if permutations change that order."""
    cases = each_once(t, of)
    if any(map(partial(_is_permuted, t), cases)):
        raise Untranslated(None, "a fold over a set of values that SYMMETRY permutes")
    return cases


def fold_set(t: Translator, operator: Sym, base: Sym, of: Sym) -> Sym:
    """Translate ``FoldSet``. The first element is combined first."""
    assert isinstance(operator, Op)
    result = base
    for case in members_in_order(t, of):
        result = if_(t, case.condition, operator.call(case.item, result), result)
    return result


def map_then_fold(t: Translator, operator: Sym, base: Sym, image: Sym, choose: Sym, of: Sym) -> Sym:
    """Translate ``MapThenFoldSet`` for a choosing operator that ignores the order. The first element is
    combined last."""
    assert isinstance(operator, Op)
    assert isinstance(image, Op)
    result = base
    for case in reversed(members_in_order(t, of)):
        result = if_(t, case.condition, operator.call(image.call(case.item), result), result)
    return result


def has_tlc_order(sort: Sort) -> bool:
    """True if the order of a sort's values is TLC's."""
    return not isinstance(sort, Variant | PartialFunction) and all(map(has_tlc_order, sort.parts()))
