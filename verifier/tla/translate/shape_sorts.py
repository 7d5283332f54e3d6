"""The smallest sort for a shape. It holds all values that the shape was built from, and usually others."""

from __future__ import annotations

from collections.abc import Iterable

from verifier.encodings.concrete import tag_of_fields
from verifier.encodings.sorts import (
    Boolean,
    Function,
    Listed,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
    Variant,
    is_field,
)
from verifier.tla.order import text
from verifier.tla.translate.coding import Names
from verifier.tla.translate.shapes import NOTHING, Functions, Rows, Shape
from verifier.tla.value_types import ModelValue, NoValue, Value

_MOST_MIXED = 64
"""The limit of integers that are listed beside words in one sort."""
_MOST_KEYS, _MOST_UNSEEN = 256, 4
"""Limits of a sort of keys or members: its size, and its size as a multiple of the values seen. If a sort
passes both, its values are listed one by one."""
_MOST_KEYS_COMPACT, _MOST_UNSEEN_COMPACT = 32, 2
"""The limits where states should be small. Such states are explored one by one, so a missing value costs one
more round. A solver would have to find it."""
_MOST_SHAPES = 8
"""The limit of different sets of fields. Beyond it, records become functions of strings."""


def sort_of(shape: Shape, names: Names) -> Sort:
    """Return the smallest sort of a shape."""
    kinds = _kinds(shape, names)
    if not kinds:
        return NOTHING
    if len(kinds) == 1:
        return next(iter(kinds.values()))
    return Variant(**kinds)


def _key_sort(shape: Shape, names: Names) -> Sort:
    """Return the sort of keys or members. It lists values with parts if the sort would have many more values
    than were seen."""
    sort, seen = sort_of(shape, names), shape.list_values()
    if not seen or isinstance(sort, Boolean | Range | Listed):
        return sort
    least, times = _MOST_KEYS, _MOST_UNSEEN
    if names.compact:
        least, times = _MOST_KEYS_COMPACT, _MOST_UNSEEN_COMPACT
    if not shape.lists and sort.size <= max(least, times * len(seen)):
        return sort
    if shape.ints or shape.truths:  # a sort lists values with parts and words, and nothing beside these
        return sort
    return Listed(*map(names.word, sorted(seen, key=lambda value: text(value, names.order))))


def _kinds(shape: Shape, names: Names) -> dict[str, Sort]:
    kinds: dict[str, Sort] = _scalars(shape, names)
    if shape.truths:
        kinds["truth"] = Boolean()
    if shape.sets is not None:
        kinds["set"] = Set(_key_sort(shape.sets, names))
    records, rows, functions = shape.records, shape.rows, shape.functions
    unfit = any(not is_field(name) for fields in records for name in fields)
    if unfit or len(records) > _MOST_SHAPES or (functions is not None and records):
        functions, records = _with_records(shape), {}
    if functions is not None and rows is not None:
        functions, rows = _with_rows(functions, rows), None
    if rows is not None:
        kinds["sequence"] = _rows_sort(rows, names)
    for fields in records.values():
        record = {name: sort_of(fields[name], names) for name in names.order.sort(fields)}
        tag = "record" if len(records) == 1 else tag_of_fields(record)
        while tag in kinds:  # as of [a_b : S] beside [a : S, b : S]
            tag += "_"
        kinds[tag] = Record(**record)
    if functions is not None:
        kinds["function"] = _function_sort(functions, names)
    return kinds


def _with_records(shape: Shape) -> Functions:
    made = Functions(partial=True)
    if shape.functions is not None:
        both = Shape(functions=made)
        both.merge(Shape(functions=shape.functions))
    for fields in shape.records.values():
        made.domains.add(frozenset(fields))
        for name, part in fields.items():
            made.keys.add(name)
            made.results.merge(part)
    return made


def _scalars(shape: Shape, names: Names) -> dict[str, Sort]:
    kinds: dict[str, Sort] = {}
    for companions in names.companions:
        if any(word in shape.words for word in companions):
            shape.words |= dict.fromkeys(companions)
    plain: list[Value] = [w for w in shape.words if isinstance(w, ModelValue)]
    plain += [w for w in shape.words if isinstance(w, str)]
    plain.sort(key=lambda word: (isinstance(word, str), names.order.place(_name(word))))
    words = [names.word(word) for word in plain]
    if words and shape.ints and len(shape.ints) <= _MOST_MIXED:
        kinds["word"] = Listed(*words, *sorted(shape.ints))
        return kinds
    if shape.ints:
        kinds["number"] = _integers(shape.ints)
    if words:
        kinds["word"] = Listed(*words)
    return kinds


def _name(word: Value) -> str:
    return word.name if isinstance(word, ModelValue) else str(word)


def _integers(values: Iterable[int]) -> Sort:
    """Return a range for integers that lie close together, and a list for others."""
    integers = sorted(values)
    low, high = integers[0], integers[-1]
    if high - low + 1 <= 2 * len(integers) + 8:
        return Range(low, high)
    return Listed(*integers)


def _rows_sort(rows: Rows, names: Names) -> Sort:
    if len(rows.lengths) == 1:
        return Tuple(*(sort_of(shape, names) for shape in rows.items))
    element = Shape()
    for shape in rows.items:
        element.merge(shape)
    return Sequence(sort_of(element, names), max(rows.lengths))


def _with_rows(functions: Functions, rows: Rows) -> Functions:
    made = Functions(set(functions.domains), partial=functions.partial)
    made.keys.merge(functions.keys)
    made.results.merge(functions.results)
    for length in rows.lengths:
        made.domains.add(frozenset(range(1, length + 1)))
    for number, shape in enumerate(rows.items, 1):
        made.keys.add(number)
        made.results.merge(shape)
    return made


def _function_sort(functions: Functions, names: Names) -> Sort:
    keys, results = _key_sort(functions.keys, names), sort_of(functions.results, names)
    if len(functions.domains) == 1 and not functions.partial:
        (domain,) = functions.domains
        exact = exact_sort(domain, names)
        if exact is not None:
            return Function(exact, results)
    return PartialFunction(keys, results)


def exact_sort(domain: frozenset[Value], names: Names) -> Sort | None:
    """Return the sort that has exactly these values; None if there is none."""
    shape = Shape()
    for key in domain:
        shape.add(key)
    if not domain:
        return None
    if shape.ints and not (shape.words or shape.truths or shape.rows or shape.sets):
        integers = sorted(shape.ints)
        if len(integers) == len(domain):
            return (
                Range(integers[0], integers[-1])
                if integers[-1] - integers[0] + 1 == len(integers)
                else Listed(*integers)
            )
    try:
        sort = sort_of(shape, names)
    except NoValue:
        return None
    return sort if sort.size == len(domain) else None
