"""Sorts that list values with parts one by one, such as messages, of which few occur."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from verifier.encodings.sorts import PartialFunction, Record, Set, Sort, Tuple
from verifier.encodings.terms import Operator, Term
from verifier.tla.translate.coding import NotInSort
from verifier.tla.translate.connectives import and_, formula_of, if_, or_
from verifier.tla.translate.joining import join_all_sorts, join_sorts
from verifier.tla.translate.making import equals
from verifier.tla.translate.parts import rows_of
from verifier.tla.translate.symbolic import NO, YES, Known, Nothing, Sym, Table
from verifier.tla.translate.terms import TRUTH, is_undefined, literal, make_undefined_term
from verifier.tla.value_types import Value

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


def over_listed(t: Translator, value: Term, do: Callable[[Sym], Sym]) -> Sym:
    """Apply a function to each value of a sort that lists them. The result is undefined where the function
    has no result."""
    chosen: Sym = Nothing("a value of another kind is expected")
    for known, one in t.names.listing(value.sort).items():
        result = do(Known(known))
        if not isinstance(result, Nothing):
            same = Term(Operator.EQUAL, TRUTH, (value, literal(value.sort, one)))
            chosen = if_(t, same, result, chosen)
    return chosen


def to_listed(t: Translator, value: Term, target: Sort) -> tuple[Sym, Term]:
    """Return the formula that a value is one of those that a sort lists, and the value in that sort."""
    placed = t.placed.get((value, target))
    if placed is None:
        placed = t.placed[value, target] = _place_listed(t, value, target)
    return placed


def _place_listed(t: Translator, value: Term, target: Sort) -> tuple[Sym, Term]:
    if is_undefined(value):
        return Nothing("outside"), make_undefined_term(target)
    if value.operator is Operator.IF:
        return push_conversion(t, value, target)
    table = rows_of(t, value) if isinstance(value.sort, Record | Tuple) else None
    known: dict[tuple[Value, Value], Sym] = {}
    places = [
        (same, literal(target, one))
        for member, one in t.names.listing(target).items()
        if (same := _is_listed(t, value, table, member, known)) is not NO
    ]
    if not places:
        return NO, value
    made = places[-1][1]
    for same, one in reversed(places[:-1]):
        made = Term(Operator.IF, target, (formula_of(t, same), one, made))
    return or_(t, [same for same, _ in places]), made


def _is_listed(
    t: Translator, value: Term, table: Table | None, member: Value, known: dict[tuple[Value, Value], Sym]
) -> Sym:
    """Return the formula that a value equals one listed value, by its parts if it has a table. ``known``:
    comparisons of parts that were made before."""
    if table is None:
        return equals(t, value, Known(member))
    own = dict(enumerate(member, 1)) if isinstance(member, tuple) else member
    if not isinstance(own, dict) or own.keys() != table.rows.keys():
        return NO
    parts = []
    for key, item in own.items():
        same = known.get((key, item))
        if same is None:
            same = known[key, item] = equals(t, table.rows[key], Known(item))
        if same is NO:
            return NO
        parts.append(same)
    return and_(t, parts)


def from_listed(t: Translator, value: Term, target: Sort) -> tuple[Sym, Term]:
    """Return the formula that a listed value fits another sort, and the value in that sort."""
    alternatives: list[tuple[Sym, Term]] = []
    for member, one in t.names.listing(value.sort).items():
        try:
            made = literal(target, t.names.encode(member, target))
        except NotInSort:
            continue
        alternatives.append((Term(Operator.EQUAL, TRUTH, (value, literal(value.sort, one))), made))
    if not alternatives:
        return NO, value
    whole = alternatives[-1][1]
    for same, made in reversed(alternatives[:-1]):
        whole = Term(Operator.IF, target, (formula_of(t, same), made, whole))
    fits = YES if len(alternatives) == value.sort.size else or_(t, [same for same, _ in alternatives])
    return fits, whole


def lists_members(t: Translator, sort: Sort) -> bool:
    """True for a sort of sets whose members are listed, or of functions whose keys are listed."""
    if isinstance(sort, Set):
        return t.names.lists(sort.element)
    return isinstance(sort, PartialFunction) and t.names.lists(sort.domain)


def push_conversion(t: Translator, value: Term, target: Sort) -> tuple[Sym, Term]:
    """Convert the arguments of a term in place of the term, so that no formula ranges over all possible
    members. ``fit_to_sort`` says what is returned."""
    match value.operator, target:
        case Operator.SET, Set():
            fits, items = _fit_all(t, [(item, target.element) for item in value.arguments])
            return fits, Term(Operator.SET, target, tuple(items))
        case Operator.EXTEND, PartialFunction():
            sorts = (target, target.domain, target.range)
            fits, (whole, key, item) = _fit_all(t, list(zip(value.arguments, sorts, strict=True)))
            results = [target.range, item.sort]
            if isinstance(whole.sort, PartialFunction):
                results.append(whole.sort.range)
            wide = PartialFunction(target.domain, join_all_sorts(t, results))
            parts = (t.convert(whole, wide), key, t.convert(item, wide.range))
            return fits, Term(Operator.EXTEND, wide, parts)
        case Operator.UNION, _:
            fits, sides = _fit_all(t, [(part, target) for part in value.arguments])
            return fits, Term(Operator.UNION, target, tuple(t.convert(side, target) for side in sides))
        case Operator.IF, _:
            condition, *branches = value.arguments
            (one, then), (two, otherwise) = (_side(t, branch, target) for branch in branches)
            fits = YES if one is YES and two is YES else if_(t, condition, one, two)
            sort = join_sorts(t, then.sort, otherwise.sort)
            sides = [t.convert(side, sort) for side in (then, otherwise)]
            return fits, Term(Operator.IF, sort, (condition, *sides))
    return NO, value  # a set is no function


def _side(t: Translator, value: Term, target: Sort) -> tuple[Sym, Term]:
    """Convert a term, as ``fit_to_sort`` does. The result has a sort like the target even if it does not
    fit."""
    fits, made = t.fit_kinds(value, target)
    return fits, make_undefined_term(target) if fits is NO else made


def _fit_all(t: Translator, pairs: list[tuple[Term, Sort]]) -> tuple[Sym, list[Term]]:
    fitted = [_side(t, value, sort) for value, sort in pairs]
    return and_(t, [fits for fits, _ in fitted]), [made for _, made in fitted]
