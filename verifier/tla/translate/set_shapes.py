"""The shapes of the members of sets. Large sets are not listed for them."""

from __future__ import annotations

from verifier.tla.lazy_sets import Combined, FunctionSet, Interval, Powerset, ProductSet, RecordSet
from verifier.tla.translate.shapes import MOST_LISTED, NoShape, Shape
from verifier.tla.value_types import NoValue, Value
from verifier.tla.values import LazySet, is_infinite, members


def add_members(shape: Shape, of: Value) -> None:
    """Add all members of a set to a shape. Raises NoShape for infinite sets, and NoValue for other values."""
    if not isinstance(of, frozenset):
        shape.seen = None
    match of:
        case Interval():
            if of.size() > MOST_LISTED:
                raise NoShape("a large interval")
            shape.ints.update(range(of.low, of.high + 1))
        case Powerset():
            add_members(shape.members(), of.base)
        case FunctionSet():
            _add_functions(shape, of)
        case ProductSet() | RecordSet():
            _add_products(shape, of)
        case Combined() if of.sign == "\\cup":
            add_members(shape, of.first)
            add_members(shape, of.second)
        case _:
            _add_listed(shape, of)


def _add_listed(shape: Shape, of: Value) -> None:
    if is_infinite(of):
        raise NoShape("an infinite set")
    if isinstance(of, LazySet) and of.size() > MOST_LISTED:
        raise NoShape("a large set")
    for item in members(of):
        shape.add(item)


def _add_products(shape: Shape, of: RecordSet | ProductSet) -> None:
    if isinstance(of, ProductSet):
        for part, image in zip(shape._row(len(of.items)).items, of.items, strict=False):
            add_members(part, image)
        return
    fields = shape._record(frozenset(of.fields))
    for name, image in of.fields.items():
        add_members(fields[name], image)


def _add_functions(shape: Shape, of: FunctionSet) -> None:
    try:
        domain = frozenset(members(of.domain))
    except NoValue as error:
        raise NoShape(f"functions of a set that is not listed: {error}") from None
    results = Shape()
    if domain:
        add_members(results, of.range)
    if domain == frozenset(range(1, len(domain) + 1)):
        for part in shape._row(len(domain)).items[: len(domain)]:
            part.merge(results)
    elif all(type(key) is str for key in domain):
        for part in shape._record(frozenset(domain)).values():
            part.merge(results)
    else:
        functions = shape._functions()
        functions.domains.add(domain)
        for key in domain:
            functions.keys.add(key)
        functions.results.merge(results)


__all__ = ["add_members"]
