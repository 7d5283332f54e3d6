"""Assigned values keep the sort of their variable.

An operator may give a value that its arguments' sort lacks: ``n + 1``, or one more message. In the least sort
that has the value, a function would be converted there and back, slot by slot. Assignments avoid this. A
value outside of the variable's sort has no value here; if such a value is reachable, the sort is widened.
Sometimes widening does not help, because the value is only an intermediate result. Then sorts are not kept.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from verifier.encodings.sorts import (
    Listed,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
    Variant,
)
from verifier.encodings.terms import Operator, Term
from verifier.tla.translate.connectives import and_, if_, implies, not_, or_
from verifier.tla.translate.joining import join_sorts
from verifier.tla.translate.making import less
from verifier.tla.translate.parts import (
    element_at,
    field_of,
    has_tag,
    item_of,
    itself,
    payload_of,
    sequence_length,
)
from verifier.tla.translate.shapes import NOTHING
from verifier.tla.translate.symbolic import NO, YES, Known, Nothing, Sym
from verifier.tla.translate.terms import TRUTH, is_undefined, literal, make_undefined_term

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


_MOST_MEMBERS = 2_000
"""The largest sort of members that is compared with another sort, value by value."""


def extend(t: Translator, function: Term, key: Sym, item: Sym) -> Term:
    """Return a function whose domain varies, with a value at a key."""
    assert isinstance(function.sort, PartialFunction)
    at, value = t.term(key), t.term(item)
    narrow = _extend_within(t, function, at, value) if is_to_keep_sort(t, function) else None
    if narrow is not None:
        return narrow
    keys = function.sort.domain
    if not t.names.lists(keys):
        keys = join_sorts(t, keys, at.sort)
    sort = PartialFunction(keys, join_sorts(t, function.sort.range, value.sort))
    whole = t.convert(function, sort)
    return Term(Operator.EXTEND, sort, (whole, t.convert(at, sort.domain), t.convert(value, sort.range)))


def is_to_keep_sort(t: Translator, function: Term) -> bool:
    """True if a function is built from a part of the state whose sort it should keep."""
    if not t.kept_narrow or is_undefined(function):
        return t.kept_narrow
    match function.operator:
        case Operator.VARIABLE | Operator.FIELD | Operator.APPLY | Operator.PAYLOAD:
            return not (isinstance(function.sort, PartialFunction) and function.sort.domain == NOTHING)
        case Operator.EXTEND | Operator.FUNCTION_UPDATE:
            return is_to_keep_sort(t, function.arguments[0])
        case Operator.IF:
            return all(map(partial(is_to_keep_sort, t), function.arguments[1:]))
    return False


def _extend_within(t: Translator, function: Term, key: Term, item: Term) -> Term | None:
    """Extend a function within its own sort. It has no value where the sort lacks the entry. None if no
    formula says where that is."""
    sort = function.sort
    assert isinstance(sort, PartialFunction)
    tests: list[Sym] = []
    parts = []
    for part, target in ((key, sort.domain), (item, sort.range)):
        fits, made = t.fit_kinds(part, target)
        if fits is NO:
            return make_undefined_term(sort)
        inside = within_sort(t, made, target)
        if inside is None:
            return None
        tests += [fits, inside]
        parts.append(made)
    longer = Term(Operator.EXTEND, sort, (function, *parts))
    return t.term(if_(t, and_(t, tests), longer, Nothing("outside")))


def within_sort(t: Translator, value: Term, target: Sort) -> Sym | None:
    """Return the formula that a target sort has a value whose sort is like it. None if no formula says so."""
    source = value.sort
    if source == target:
        return YES
    tests: list[Sym | None] = [None]
    match source, target:
        case ((Range() | Listed()), (Range() | Listed())):
            kept = frozenset(one for one in source.values() if target.contains(one))
            if len(kept) == source.size:
                return YES
            return Term(Operator.CONTAINS, TRUTH, (literal(Set(source), kept), value)) if kept else NO
        case Set(), Set() if source.element.size <= _MOST_MEMBERS:
            kept = frozenset(one for one in source.element.values() if target.element.contains(one))
            whole = len(kept) == source.element.size
            return YES if whole else Term(Operator.SUBSET, TRUTH, (value, literal(source, kept)))
        case Tuple(), Tuple():
            tests = [within_sort(t, item_of(value, n), one) for n, one in enumerate(target.items)]
        case Record(), Record():
            tests = [within_sort(t, field_of(value, name), part) for name, part in target.fields]
        case Variant(), Variant():
            tests = [_within_tag(t, value, tag, part) for tag, part in target.alternatives]
        case Sequence(), Sequence():
            tests = _within_sequences(t, value, target)
    return None if None in tests else and_(t, [test for test in tests if test is not None])


def _within_tag(t: Translator, value: Term, tag: str, target: Sort) -> Sym | None:
    held = has_tag(value, tag)
    inside = YES if held is NO else within_sort(t, payload_of(value, tag), target)
    return None if inside is None else or_(t, [not_(t, held), inside])


def _within_sequences(t: Translator, value: Term, target: Sequence) -> list[Sym | None]:
    assert isinstance(value.sort, Sequence)
    length = sequence_length(value)
    tests = [within_sort(t, length, Range(0, target.capacity))]
    for place in range(min(value.sort.capacity, target.capacity)):
        inside = within_sort(t, element_at(value, place), target.element)
        used = less(t, Known(place), length)
        tests.append(None if inside is None else implies(t, used, partial(itself, inside)))
    return tests
