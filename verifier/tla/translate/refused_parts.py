"""Values that TLC does not compare because of their parts, as ``comparing.has_parts_to_refuse`` has it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.encodings.sorts import PartialFunction, Sequence, Set, Variant
from verifier.encodings.terms import Operator, Term
from verifier.tla.comparing import are_all_refused, is_refused
from verifier.tla.translate.symbolic import (
    NO,
    YES,
    Chosen,
    Known,
    Members,
    Nothing,
    Part,
    Row,
    Span,
    Sym,
)
from verifier.tla.translate.terms import TRUTH, literal
from verifier.tla.translate.value_kinds import FUNCTION, SET, clash, kind_of
from verifier.tla.values import Value, listed, pairs_of

if TYPE_CHECKING:
    from verifier.tla.translate.builtins import Builtins


@dataclass(frozen=True)
class Skeleton:
    """The kinds of a value's parts."""

    kind: str
    size: int = 0
    members: frozenset[Skeleton] = frozenset()
    """Of a set."""
    rows: frozenset[tuple[Value, Skeleton]] = frozenset()
    """Of a function: each key, and the skeleton of what it has there."""


def refuse_parts(t: Builtins, one: Sym, other: Sym) -> Sym:
    """True where two sets or functions differ in nothing but parts that TLC does not compare."""
    if isinstance(one, Nothing) or isinstance(other, Nothing):
        return NO
    if isinstance(one, Known) and isinstance(other, Known):
        return YES if _has_parts(one.value) and is_refused(listed(one.value), listed(other.value)) else NO
    for this, that in ((one, other), (other, one)):
        if isinstance(this, Chosen):
            return t.if_(
                this.condition, refuse_parts(t, this.then, that), refuse_parts(t, this.otherwise, that)
            )
        if isinstance(this, Term) and isinstance(this.sort, Variant):
            return _refuse_alternatives(t, this, this.sort, that)
    if _is_listed(t, one) or _is_listed(t, other):
        return _refuse_listed(t, one, other)
    kinds, others = t.kinds(one), t.kinds(other)
    if FUNCTION in kinds and FUNCTION in others:
        return _refuse_functions(t, one, other)
    if SET in kinds and SET in others:
        return _refuse_sets(t, one, other)
    return NO


def _refuse(t: Builtins, one: Sym, other: Sym) -> Sym:
    """True where TLC does not compare two values, which are parts of others."""
    wrong = [
        t.and_([held, also])
        for kind, held in t.kinds(one).items()
        for another, also in t.kinds(other).items()
        if clash(kind, {another})
    ]
    return t.or_([*wrong, refuse_parts(t, one, other)])


def _refuse_alternatives(t: Builtins, one: Term, sort: Variant, other: Sym) -> Sym:
    found = []
    for tag, _ in sort.alternatives:
        refused = refuse_parts(t, t.payload(one, tag), other)
        if refused is not NO:
            found.append(t.and_([t.has_tag(one, tag), refused]))
    return t.or_(found)


# -- values that a sort lists


def _is_listed(t: Builtins, value: Sym) -> bool:
    return isinstance(value, Term) and t.names.lists(value.sort)


def _refuse_listed(t: Builtins, one: Sym, other: Sym) -> Sym:
    """Compare values of which one is of a sort that lists its values: each pair is looked at."""
    if not _is_listed(t, one):
        one, other = other, one
    assert isinstance(one, Term)
    mine = t.names.listing(one.sort)
    if not any(map(_has_parts, mine)):
        return NO
    if isinstance(other, Term) and _is_listed(t, other):
        theirs = t.names.listing(other.sort)
        found: dict[Value, list[Value]] = {}
        for value, another in _pairs_to_refuse(mine, theirs):
            found.setdefault(value, []).append(another)
        return t.or_(
            [
                t.and_([_is_one_of(one, [mine[value]]), _is_one_of(other, [theirs[a] for a in some])])
                for value, some in found.items()
            ]
        )
    each = {value: refuse_parts(t, Known(value), other) for value in mine if _has_parts(value)}
    return t.or_(
        [t.and_([_is_one_of(one, [mine[value]]), held]) for value, held in each.items() if held is not NO]
    )


def _is_one_of(term: Term, values: list[object]) -> Term:
    return Term(Operator.CONTAINS, TRUTH, (literal(Set(term.sort), frozenset(values)), term))


def _pairs_to_refuse(mine: Iterable[Value], theirs: Iterable[Value]) -> Iterable[tuple[Value, Value]]:
    groups, others = _by_skeleton(mine), _by_skeleton(theirs)
    for skeleton, values in groups.items():
        for another, more in others.items():
            if _may_refuse(skeleton, another):
                yield from ((a, b) for a in values for b in more if is_refused(a, b))


def _by_skeleton(values: Iterable[Value]) -> dict[Skeleton, list[Value]]:
    found: dict[Skeleton, list[Value]] = {}
    for value in values:
        if _has_parts(value):
            found.setdefault(_skeleton(value), []).append(value)
    return found


def _has_parts(value: Value) -> bool:
    return kind_of(value) in (SET, FUNCTION)


def _skeleton(value: Value) -> Skeleton:
    kind, value = kind_of(value), listed(value)
    if kind == SET:
        return Skeleton(SET, len(value), members=frozenset(map(_skeleton, value)))
    if kind == FUNCTION:
        rows = pairs_of(value)
        return Skeleton(
            FUNCTION, len(rows), rows=frozenset((key, _skeleton(part)) for key, part in rows.items())
        )
    return Skeleton(kind)


def _may_refuse(one: Skeleton, other: Skeleton) -> bool:
    """True if TLC may refuse to compare values of two skeletons; never where both are the same."""
    if one == other:
        return False
    if one.kind != other.kind or one.kind not in (SET, FUNCTION):
        return clash(one.kind, {other.kind})
    if one.size != other.size:
        return False
    if one.kind == SET:
        return all(_may_refuse(item, more) for item in one.members for more in other.members)
    rows, others = dict(one.rows), dict(other.rows)
    if rows.keys() != others.keys():
        return True
    return any(_may_refuse(part, others[key]) for key, part in rows.items())


# -- functions and sets


def _refuse_functions(t: Builtins, one: Sym, other: Sym) -> Sym:
    first, second = t.rows_of(one), t.rows_of(other)
    if first is not None and second is not None and first.rows.keys() != second.rows.keys():
        both = first.rows, second.rows
        return YES if len(both[0]) == len(both[1]) and are_all_refused(*both) else NO
    found: list[Sym] = []
    items, others = _items_of(t, one), _items_of(t, other)
    if items is not None and others is not None:
        found.append(_refuse_first(t, one, other, items, others))
    if first is not None and second is not None:
        found.append(_refuse_each(t, [(item, second.rows[key]) for key, item in first.rows.items()]))
    elif not (_is_row(one) and _is_row(other)):
        found.append(_refuse_mappings(t, one, other))
    return t.or_(found)


def _is_row(value: Sym) -> bool:
    return isinstance(value, Row) or (isinstance(value, Term) and isinstance(value.sort, Sequence))


def _items_of(t: Builtins, function: Sym) -> Row | None:
    """The items of a function that may be a sequence; None of one that never is."""
    if isinstance(function, Row):
        return function
    table = t.rows_of(function)
    if table is not None:
        keys = range(1, len(table.rows) + 1)
        in_order = table.rows.keys() == set(keys)
        return Row(tuple(table.rows[key] for key in keys), Known(len(keys))) if in_order else None
    term = t.term(function)
    if isinstance(term.sort, Sequence):
        return Row(tuple(t.at(term, place) for place in range(term.sort.capacity)), t.length(term))
    return t.row_of_partial(term) if isinstance(term.sort, PartialFunction) else None


def _refuse_first(t: Builtins, one: Sym, other: Sym, items: Row, others: Row) -> Sym:
    """True where, of sequences, the first items that differ are refused."""
    pairs = list(zip(items.slots, others.slots, strict=False))
    refused = [_refuse(t, item, another) for item, another in pairs]
    if all(each is NO for each in refused):
        return NO
    equal = [t.equal(item, another) for item, another in pairs]
    first = [
        t.and_([t.less(Known(place), items.length), *equal[:place], each])
        for place, each in enumerate(refused)
        if each is not NO
    ]
    sequences = [t.is_sequence(one), t.is_sequence(other), t.equal(items.length, others.length)]
    return t.and_([*sequences, t.or_(first)])


def _refuse_each(t: Builtins, pairs: list[tuple[Sym, Sym]]) -> Sym:
    """True where, of functions with the same keys, some items are refused, and all others are equal."""
    refused = [_refuse(t, item, another) for item, another in pairs]
    if all(each is NO for each in refused):
        return NO
    kept = [
        t.or_([t.equal(item, another), each]) for (item, another), each in zip(pairs, refused, strict=True)
    ]
    return t.and_([t.or_(refused), *kept])


def _refuse_mappings(t: Builtins, one: Sym, other: Sym) -> Sym:
    """Compare functions whose keys vary."""
    keys, more = t.domain(one), t.domain(other)
    refused = _refuse_sets(t, keys, more)
    some: list[Sym] = []
    every: list[Sym] = [t.equal(keys, more)]
    for case in t.spread(keys):
        item, another = t.apply(one, case.item), t.apply(other, case.item)
        wrong = _refuse(t, item, another)
        if wrong is not NO:
            some.append(t.exists(case, wrong))
        every.append(t.for_all(case, t.or_([t.equal(item, another), wrong])))
    return t.or_([refused, t.and_([*every, t.or_(some)])]) if some else refused


def _refuse_sets(t: Builtins, one: Sym, other: Sym) -> Sym:
    if not (_is_finite(one) and _is_finite(other)):
        return NO
    cases, others = t.spread(one), t.spread(other)
    refused = {
        (place, more): _refuse(t, case.item, another.item)
        for place, case in enumerate(cases)
        for more, another in enumerate(others)
    }
    if all(each is NO for each in refused.values()):
        return NO
    every = [
        t.for_all(case, t.for_all(another, refused[place, more]))
        for place, case in enumerate(cases)
        for more, another in enumerate(others)
    ]
    some = t.or_([t.exists(case, YES) for case in cases])
    return t.and_([some, *every, t.equal(t.cardinality(one), t.cardinality(other))])


def _is_finite(value: Sym) -> bool:
    if isinstance(value, Known):
        return isinstance(value.value, frozenset)
    return isinstance(value, Members | Part | Span) or (
        isinstance(value, Term) and isinstance(value.sort, Set)
    )


__all__ = ["refuse_parts"]
