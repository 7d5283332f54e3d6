"""Values that TLC refuses to compare because of their parts, as in ``comparing.has_parts_to_refuse``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.encodings.sorts import PartialFunction, Sequence, Set, Variant
from verifier.encodings.terms import Operator, Term
from verifier.tla.comparing import are_all_refused, is_refused
from verifier.tla.translate.comparability import is_sequence
from verifier.tla.translate.connectives import and_, if_, or_
from verifier.tla.translate.domains import domain_of
from verifier.tla.translate.function_conversions import row_of_partial
from verifier.tla.translate.functions import apply
from verifier.tla.translate.kinds import kinds_of
from verifier.tla.translate.making import equals, less
from verifier.tla.translate.parts import element_at, has_tag, payload_of, rows_of, sequence_length
from verifier.tla.translate.set_operators import cardinality_of
from verifier.tla.translate.spreading import exists, for_all, spread
from verifier.tla.translate.symbolic import NO, YES, Chosen, Known, Members, Nothing, Part, Row, Span, Sym
from verifier.tla.translate.terms import TRUTH, literal
from verifier.tla.translate.value_kinds import FUNCTION, SET, clash, kind_of
from verifier.tla.value_types import Value
from verifier.tla.values import materialize, pairs_of

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


@dataclass(frozen=True)
class Skeleton:
    """The kinds of a value's parts."""

    kind: str
    size: int = 0
    members: frozenset[Skeleton] = frozenset()
    """The skeletons of a set's members."""
    rows: frozenset[tuple[Value, Skeleton]] = frozenset()
    """Each key of a function, with the skeleton of its value there."""


def refuse_parts(t: Translator, one: Sym, other: Sym) -> Sym:
    """True where two sets or functions differ only in parts that TLC refuses to compare."""
    if isinstance(one, Nothing) or isinstance(other, Nothing):
        return NO
    if isinstance(one, Known) and isinstance(other, Known):
        return (
            YES
            if _has_parts(one.value) and is_refused(materialize(one.value), materialize(other.value))
            else NO
        )
    for this, that in ((one, other), (other, one)):
        if isinstance(this, Chosen):
            return if_(
                t, this.condition, refuse_parts(t, this.then, that), refuse_parts(t, this.otherwise, that)
            )
        if isinstance(this, Term) and isinstance(this.sort, Variant):
            return _refuse_alternatives(t, this, this.sort, that)
    if _is_listed(t, one) or _is_listed(t, other):
        return _refuse_listed(t, one, other)
    kinds, others = kinds_of(t, one), kinds_of(t, other)
    if FUNCTION in kinds and FUNCTION in others:
        return _refuse_functions(t, one, other)
    if SET in kinds and SET in others:
        return _refuse_sets(t, one, other)
    return NO


def _refuse(t: Translator, one: Sym, other: Sym) -> Sym:
    """True where TLC refuses to compare two parts of other values."""
    wrong = [
        and_(t, [held, also])
        for kind, held in kinds_of(t, one).items()
        for another, also in kinds_of(t, other).items()
        if clash(kind, {another})
    ]
    return or_(t, [*wrong, refuse_parts(t, one, other)])


def _refuse_alternatives(t: Translator, one: Term, sort: Variant, other: Sym) -> Sym:
    parts = []
    for tag, _ in sort.alternatives:
        refused = refuse_parts(t, payload_of(one, tag), other)
        if refused is not NO:
            parts.append(and_(t, [has_tag(one, tag), refused]))
    return or_(t, parts)


# -- values that a sort lists


def _is_listed(t: Translator, value: Sym) -> bool:
    return isinstance(value, Term) and t.names.lists(value.sort)


def _refuse_listed(t: Translator, one: Sym, other: Sym) -> Sym:
    """Compare values by all pairs, where the sort of one of them lists its values."""
    if not _is_listed(t, one):
        one, other = other, one
    assert isinstance(one, Term)
    mine = t.names.listing(one.sort)
    if not any(map(_has_parts, mine)):
        return NO
    if isinstance(other, Term) and _is_listed(t, other):
        theirs = t.names.listing(other.sort)
        by_kind: dict[Value, list[Value]] = {}
        for value, another in _pairs_to_refuse(mine, theirs):
            by_kind.setdefault(value, []).append(another)
        return or_(
            t,
            [
                and_(t, [_is_one_of(one, [mine[value]]), _is_one_of(other, [theirs[a] for a in some])])
                for value, some in by_kind.items()
            ],
        )
    each = {value: refuse_parts(t, Known(value), other) for value in mine if _has_parts(value)}
    return or_(
        t, [and_(t, [_is_one_of(one, [mine[value]]), held]) for value, held in each.items() if held is not NO]
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
    by_skeleton: dict[Skeleton, list[Value]] = {}
    for value in values:
        if _has_parts(value):
            by_skeleton.setdefault(_skeleton(value), []).append(value)
    return by_skeleton


def _has_parts(value: Value) -> bool:
    return kind_of(value) in (SET, FUNCTION)


def _skeleton(value: Value) -> Skeleton:
    kind, value = kind_of(value), materialize(value)
    if kind == SET:
        return Skeleton(SET, len(value), members=frozenset(map(_skeleton, value)))
    if kind == FUNCTION:
        rows = pairs_of(value)
        return Skeleton(
            FUNCTION, len(rows), rows=frozenset((key, _skeleton(part)) for key, part in rows.items())
        )
    return Skeleton(kind)


def _may_refuse(one: Skeleton, other: Skeleton) -> bool:
    """True if TLC may refuse to compare values of two skeletons; never if both skeletons are equal."""
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


def _refuse_functions(t: Translator, one: Sym, other: Sym) -> Sym:
    first, second = rows_of(t, one), rows_of(t, other)
    if first is not None and second is not None and first.rows.keys() != second.rows.keys():
        both = first.rows, second.rows
        return YES if len(both[0]) == len(both[1]) and are_all_refused(*both) else NO
    parts: list[Sym] = []
    items, others = _items_of(t, one), _items_of(t, other)
    if items is not None and others is not None:
        parts.append(_refuse_first(t, one, other, items, others))
    if first is not None and second is not None:
        parts.append(_refuse_each(t, [(item, second.rows[key]) for key, item in first.rows.items()]))
    elif not (_is_row(one) and _is_row(other)):
        parts.append(_refuse_mappings(t, one, other))
    return or_(t, parts)


def _is_row(value: Sym) -> bool:
    return isinstance(value, Row) or (isinstance(value, Term) and isinstance(value.sort, Sequence))


def _items_of(t: Translator, function: Sym) -> Row | None:
    """Return the items of a function that may be a sequence; None for one that never is."""
    if isinstance(function, Row):
        return function
    table = rows_of(t, function)
    if table is not None:
        keys = range(1, len(table.rows) + 1)
        in_order = table.rows.keys() == set(keys)
        return Row(tuple(table.rows[key] for key in keys), Known(len(keys))) if in_order else None
    term = t.term(function)
    if isinstance(term.sort, Sequence):
        return Row(
            tuple(element_at(term, place) for place in range(term.sort.capacity)), sequence_length(term)
        )
    return row_of_partial(t, term) if isinstance(term.sort, PartialFunction) else None


def _refuse_first(t: Translator, one: Sym, other: Sym, items: Row, others: Row) -> Sym:
    """True where the first items in which two sequences differ are refused."""
    pairs = list(zip(items.slots, others.slots, strict=False))
    refused = [_refuse(t, item, another) for item, another in pairs]
    if all(each is NO for each in refused):
        return NO
    equal = [equals(t, item, another) for item, another in pairs]
    first = [
        and_(t, [less(t, Known(place), items.length), *equal[:place], each])
        for place, each in enumerate(refused)
        if each is not NO
    ]
    sequences = [is_sequence(t, one), is_sequence(t, other), equals(t, items.length, others.length)]
    return and_(t, [*sequences, or_(t, first)])


def _refuse_each(t: Translator, pairs: list[tuple[Sym, Sym]]) -> Sym:
    """True where some items of two functions with the same keys are refused, and all other items are
    equal."""
    refused = [_refuse(t, item, another) for item, another in pairs]
    if all(each is NO for each in refused):
        return NO
    kept = [
        or_(t, [equals(t, item, another), each]) for (item, another), each in zip(pairs, refused, strict=True)
    ]
    return and_(t, [or_(t, refused), *kept])


def _refuse_mappings(t: Translator, one: Sym, other: Sym) -> Sym:
    """Compare functions whose keys vary."""
    keys, more = domain_of(t, one), domain_of(t, other)
    refused = _refuse_sets(t, keys, more)
    some: list[Sym] = []
    every: list[Sym] = [equals(t, keys, more)]
    for case in spread(t, keys):
        item, another = apply(t, one, case.item), apply(t, other, case.item)
        wrong = _refuse(t, item, another)
        if wrong is not NO:
            some.append(exists(t, case, wrong))
        every.append(for_all(t, case, or_(t, [equals(t, item, another), wrong])))
    return or_(t, [refused, and_(t, [*every, or_(t, some)])]) if some else refused


def _refuse_sets(t: Translator, one: Sym, other: Sym) -> Sym:
    if not (_is_finite(one) and _is_finite(other)):
        return NO
    cases, others = spread(t, one), spread(t, other)
    refused = {
        (place, more): _refuse(t, case.item, another.item)
        for place, case in enumerate(cases)
        for more, another in enumerate(others)
    }
    if all(each is NO for each in refused.values()):
        return NO
    every = [
        for_all(t, case, for_all(t, another, refused[place, more]))
        for place, case in enumerate(cases)
        for more, another in enumerate(others)
    ]
    some = or_(t, [exists(t, case, YES) for case in cases])
    return and_(t, [some, *every, equals(t, cardinality_of(t, one), cardinality_of(t, other))])


def _is_finite(value: Sym) -> bool:
    if isinstance(value, Known):
        return isinstance(value.value, frozenset)
    return isinstance(value, Members | Part | Span) or (
        isinstance(value, Term) and isinstance(value.sort, Set)
    )


__all__ = ["refuse_parts"]
