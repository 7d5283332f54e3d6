"""The shapes of the members of a set, also of one that is described and not listed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from verifier.encodings.sorts import PartialFunction, Set, Sort
from verifier.tla.lazy_sets import FunctionSet
from verifier.tla.translate.set_shapes import add_members
from verifier.tla.translate.shape_sorts import sort_of
from verifier.tla.translate.shapes import NOTHING, NoShape, Shape
from verifier.tla.translate.symbolic import (
    Functions,
    Joined,
    Known,
    Products,
    Records,
    Subsets,
    Sym,
    Untranslated,
)
from verifier.tla.value_types import Value

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


def shape_of(t: Translator, of: Sym) -> Shape:
    """Return the shape of the members of a set."""
    shape = Shape()
    match of:
        case Known():
            add_members_or_refuse(shape, of.value)
        case Functions():
            _add_functions(t, shape, of)
        case Records():
            fields = shape._record(frozenset(of.fields))
            for name, image in of.fields.items():
                fields[name].merge(shape_of(t, image))
        case Products():
            rows = shape._row(len(of.items))
            for part, image in zip(rows.items, of.items, strict=True):
                part.merge(shape_of(t, image))
        case Subsets():
            shape.sets = shape_of(t, of.base)
        case Joined():
            for one in of.parts:
                shape.merge(shape_of(t, one))
        case _:
            element = _element(t, of)
            if element != NOTHING:
                shape.add_sort(element, t.names)
    return shape


def _add_functions(t: Translator, shape: Shape, of: Functions) -> None:
    results = shape_of(t, of.range)
    if isinstance(of.domain, Known):
        whole = FunctionSet(of.domain.value, frozenset(), t.names.order.sort)
        add_members_or_refuse(shape, whole)
        _fill(shape, results)
    elif (keys := _element(t, of.domain)) == NOTHING:
        shape.add(())
    else:
        shape.add_sort(PartialFunction(keys, sort_of(results, t.names)), t.names)


def _element(t: Translator, of: Sym) -> Sort:
    term = t.term(of)
    if not isinstance(term.sort, Set):
        raise Untranslated(None, "a set is expected")
    return term.sort.element


def add_members_or_refuse(shape: Shape, of: Value) -> None:
    """Add the members of a value to a shape. Raises Untranslated for a set without bounds."""
    try:
        add_members(shape, of)
    except NoShape as error:
        raise Untranslated(None, f"a set without bounds is gone through: {error}") from None


def _fill(shape: Shape, results: Shape) -> None:
    for part in _parts(shape):
        part.merge(results)


def _parts(shape: Shape) -> Iterable[Shape]:
    if shape.rows is not None:
        yield from shape.rows.items
    for fields in shape.records.values():
        yield from fields.values()
    if shape.functions is not None:
        yield shape.functions.results
