"""Common sorts of two values, and conversion of the values to them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from verifier.encodings.sorts import Sort
from verifier.encodings.terms import Term
from verifier.tla.translate.coding import NotInSort
from verifier.tla.translate.shape_sorts import sort_of
from verifier.tla.translate.shapes import MOST_HELD, MOST_HELD_IN_FORMULAS, NOTHING, NoShape, Shape
from verifier.tla.translate.symbolic import YES, Known, Sym, Untranslated
from verifier.tla.translate.terms import alike, literal, loses
from verifier.tla.value_types import NoValue, Value

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator

_LONGEST_NAME = 120
"""Most characters of a sort in a message."""


def least_sort(t: Translator, value: Value) -> Sort:
    """Return the least sort of a value."""
    shape = Shape()
    try:
        shape.add(value)
    except (NoShape, NoValue) as error:
        raise Untranslated(None, f"no sort holds this value: {error}") from None
    return sort_of(shape, t.names)


def join_sorts(t: Translator, one: Sort, other: Sort) -> Sort:
    """Return the least sort with the values of both sorts."""
    if one == other:
        return one
    most = MOST_HELD if t.kept_narrow else MOST_HELD_IN_FORMULAS
    joined = t.joins.get((one, other, most))
    if joined is None:
        shape = Shape()
        try:
            shape.add_sort(one, t.names, most)
            shape.add_sort(other, t.names, most)
        except NoShape as error:
            raise Untranslated(None, f"{_refuse(one, other)}: {error}") from None
        joined = sort_of(shape, t.names)
        if loses(one, joined) or loses(other, joined):
            raise Untranslated(None, f"{_refuse(one, other)}: {_name(joined)} lacks some values")
        t.joins[one, other, most] = joined
    return joined


def _refuse(one: Sort, other: Sort) -> str:
    """Say that two sorts have no common sort."""
    return f"{_name(one)} and {_name(other)} have no common sort"


def _name(sort: Sort) -> str:
    """Return the name of a sort, without its middle if it lists many values."""
    name = str(sort)
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 20]} … {name[-17:]}"


def join_all_sorts(t: Translator, sorts: Iterable[Sort]) -> Sort:
    """Return the least sort with the values of all these sorts."""
    joined: Sort | None = None
    for sort in sorts:
        joined = sort if joined is None else join_sorts(t, joined, sort)
    return NOTHING if joined is None else joined


def pair_terms(t: Translator, one: Sym, other: Sym) -> tuple[Term, Term]:
    """Return two values as terms whose sorts are alike. A term is undefined where that sort lacks its
    value."""
    pair = _convert_known_pair(t, one, other)
    if pair is not None:
        return pair
    left, right = t.term(one), t.term(other)
    sort = _common_sort(t, left.sort, right.sort)
    return (left, right) if sort is None else (t.convert(left, sort), t.convert(right, sort))


def fit_pair(t: Translator, one: Sym, other: Sym) -> tuple[tuple[Sym, Term], tuple[Sym, Term]]:
    """Return two values as terms of a common sort, each with the formula that the sort has its value. The
    common sort may list the values of one and lack some of the other. A value that it lacks equals none that
    it has."""
    pair = _convert_known_pair(t, one, other)
    if pair is not None:
        return (YES, pair[0]), (YES, pair[1])
    left, right = t.term(one), t.term(other)
    sort = _common_sort(t, left.sort, right.sort)
    if sort is None:
        return (YES, left), (YES, right)
    return t.fit_kinds(left, sort), t.fit_kinds(right, sort)


def _convert_known_pair(t: Translator, one: Sym, other: Sym) -> tuple[Term, Term] | None:
    """Return a known value in the sort of the other value, and the other value. None if that sort lacks
    it."""
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
    """Return the sort to which terms of two sorts are converted. None if they need no conversion."""
    if one == other:
        return None
    sort = join_sorts(t, one, other)
    # A sort that lists sets and one that lists words are alike, but their join is like neither.
    return None if alike(one, other) and alike(one, sort) else sort
