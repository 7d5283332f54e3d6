"""The sorts that two values have in common, and the values as terms of these."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from verifier.encodings.sorts import Sort
from verifier.encodings.terms import Term
from verifier.tla.translate.coding import NotInSort
from verifier.tla.translate.shape_sorts import sort_of
from verifier.tla.translate.shapes import NOTHING, NoShape, Shape
from verifier.tla.translate.symbolic import YES, Known, Sym, Untranslated
from verifier.tla.translate.terms import alike, literal, loses
from verifier.tla.values import NoValue, Value

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


def least_sort(t: Translator, value: Value) -> Sort:
    """The least sort of a value."""
    shape = Shape()
    try:
        shape.add(value)
    except (NoShape, NoValue) as error:
        raise Untranslated(None, f"no sort holds this value: {error}") from None
    return sort_of(shape, t.names)


def join_sorts(t: Translator, one: Sort, other: Sort) -> Sort:
    """The least sort for the values of both."""
    if one == other:
        return one
    found = t.joins.get((one, other))
    if found is None:
        shape = Shape()
        try:
            shape.add_sort(one, t.names)
            shape.add_sort(other, t.names)
        except NoShape as error:
            raise Untranslated(None, f"{one} and {other} have no common sort: {error}") from None
        found = sort_of(shape, t.names)
        if loses(one, found) or loses(other, found):
            raise Untranslated(None, f"{one} and {other} have no common sort: {found} lacks some values")
        t.joins[one, other] = found
    return found


def join_all_sorts(t: Translator, sorts: Iterable[Sort]) -> Sort:
    """The same of several."""
    found: Sort | None = None
    for sort in sorts:
        found = sort if found is None else join_sorts(t, found, sort)
    return NOTHING if found is None else found


def pair_terms(t: Translator, one: Sym, other: Sym) -> tuple[Term, Term]:
    """Two values as terms whose sorts are alike; undefined where that sort does not have them."""
    found = _known_pair(t, one, other)
    if found is not None:
        return found
    left, right = t.term(one), t.term(other)
    sort = _common_sort(t, left.sort, right.sort)
    return (left, right) if sort is None else (t.convert(left, sort), t.convert(right, sort))


def fit_pair(t: Translator, one: Sym, other: Sym) -> tuple[tuple[Sym, Term], tuple[Sym, Term]]:
    """The same, each with the condition that the sort has the value. The common sort may list the values
    of one and so leave out some of the other: what it does not have is equal to nothing that it has."""
    found = _known_pair(t, one, other)
    if found is not None:
        return (YES, found[0]), (YES, found[1])
    left, right = t.term(one), t.term(other)
    sort = _common_sort(t, left.sort, right.sort)
    if sort is None:
        return (YES, left), (YES, right)
    return t.fitted(left, sort), t.fitted(right, sort)


def _known_pair(t: Translator, one: Sym, other: Sym) -> tuple[Term, Term] | None:
    """The same where one value is known, and the sort of the other has it."""
    for this, side, swapped in ((one, other, False), (other, one, True)):
        if isinstance(this, Known) and not isinstance(side, Known):
            that = t.term(side)
            try:
                made = literal(that.sort, t.names.encode(this.value, that.sort))
            except NotInSort:
                continue
            return (that, made) if swapped else (made, that)
    return None


def _common_sort(t: Translator, one: Sort, other: Sort) -> Sort | None:
    """A sort to which terms of two sorts are converted; None where they need no conversion."""
    if one == other:
        return None
    sort = join_sorts(t, one, other)
    # What lists sets and what lists words are alike, and their join is neither.
    return None if alike(one, other) and alike(one, sort) else sort
