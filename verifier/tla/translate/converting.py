"""Conversion of terms from one sort to another."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from verifier.encodings.sorts import (
    Function,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
    Variant,
)
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.tla.translate.coding import NotInSort
from verifier.tla.translate.connectives import and_, formula_of, if_, implies, or_
from verifier.tla.translate.function_conversions import (
    from_partial,
    partial_to_sequence,
    to_partial,
    unless_unused,
    value_at,
)
from verifier.tla.translate.joining import join_all_sorts, join_sorts
from verifier.tla.translate.listed_sorts import from_listed, lists_members, push_conversion, to_listed
from verifier.tla.translate.making import equals, instead_of, less, term_of_row
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
from verifier.tla.translate.symbolic import NO, YES, Known, Nothing, Row, Sym, Untranslated
from verifier.tla.translate.terms import (
    SCALARS,
    TRUTH,
    alike,
    literal,
    make_undefined_term,
    meet,
    variable,
    within,
)
from verifier.tla.value_types import Value

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


_EMPTY = (Sequence(NOTHING, 0), PartialFunction(NOTHING, NOTHING))
"""Sorts that hold the empty function only."""


def convert(t: Translator, value: Term, target: Sort) -> Term:
    """Return a term in another sort. It is undefined where that sort lacks its value."""
    fits, made = t.fit_kinds(value, target)
    if fits is YES:
        return made
    converted = if_(t, fits, made, Nothing("outside"))
    return converted if isinstance(converted, Term) else make_undefined_term(target)


def fit_to_sort(t: Translator, value: Term, target: Sort) -> tuple[Sym, Term]:
    """Return the formula that a term's value has a kind of the other sort, and the converted term. For
    integers and other scalars the formula is YES: the reader of the term checks their range."""
    source = value.sort
    if alike(source, target) and (source == target or source not in _EMPTY):
        return YES, value
    if t.names.lists(source) and not t.names.lists(target):
        return from_listed(t, value, target)
    if lists_members(t, target) and value.operator in (
        Operator.SET,
        Operator.UNION,
        Operator.IF,
        Operator.EXTEND,
    ):
        return push_conversion(t, value, target)
    if isinstance(source, Variant):
        return _from_variant(t, value, source, target)
    if t.names.lists(target) and not t.names.lists(source):
        return to_listed(t, value, target)
    if isinstance(target, Variant):
        return _to_variant(t, value, target)
    if source in _EMPTY:
        empty: Value = ()
        try:
            return YES, instead_of(t, value, literal(target, t.names.encode(empty, target)))
        except NotInSort:
            return NO, value
    if value.operator is Operator.LITERAL:
        try:
            known = t.names.decode(value.data, source)
            return YES, literal(target, t.names.encode(known, target))
        except NotInSort:
            pass
    fits, made = _part_by_part(t, value, target)
    if fits is not NO and not alike(made.sort, target):  # readers take its parts for parts of the target
        raise Untranslated(None, f"a value of {source} as one of {target}")
    return fits, made


def _part_by_part(t: Translator, value: Term, target: Sort) -> tuple[Sym, Term]:
    source = value.sort
    match source, target:
        case Set(), Set():
            return _set(t, value, source, target)
        case Tuple(), Tuple() if len(source.items) == len(target.items):
            return _convert_to_tuple(t, [item_of(value, i) for i in range(len(source.items))], target)
        case Record(), Record() if set(source.field_sorts) == set(target.field_sorts):
            pairs = {name: t.fit_kinds(field_of(value, name), part) for name, part in target.fields}
            sort = Record(**{name: part.sort for name, (_, part) in pairs.items()})
            terms = tuple(part for _, part in pairs.values())
            return and_(t, [f for f, _ in pairs.values()]), Term(Operator.RECORD, sort, terms)
        case Function(), Function() if source.domain == target.domain:
            return _pointwise(t, value, source, target)
        case ((Tuple() | Sequence()), Sequence()):
            return _to_sequence(t, value, target)
        case Sequence(), Tuple():
            if source.capacity < len(target.items):
                return NO, value
            long = equals(t, sequence_length(value), Known(len(target.items)))
            fits, made = _convert_to_tuple(
                t, [element_at(value, i) for i in range(len(target.items))], target
            )
            return and_(t, [long, fits]), made
        case ((Tuple() | Record() | Function() | PartialFunction() | Sequence()), PartialFunction()):
            return to_partial(t, value, target)
        case PartialFunction(), (Function() | Tuple() | Record()):
            return from_partial(t, value, target)
        case PartialFunction(), Sequence():
            return partial_to_sequence(t, value, target)
        case Function(), Tuple() if source.domain == Range(1, len(target.items)):
            items = [value_at(t, value, Known(i)) for i in range(1, len(target.items) + 1)]
            return _convert_to_tuple(t, items, target)
    return NO, value


# -- part by part


def _convert_to_tuple(t: Translator, items: list[Term], target: Tuple) -> tuple[Sym, Term]:
    parts = [t.fit_kinds(item, sort) for item, sort in zip(items, target.items, strict=True)]
    made = tuple(part for _, part in parts)
    fits = and_(t, [f for f, _ in parts])
    return fits, Term(Operator.TUPLE, Tuple(*(m.sort for m in made)), made)


def _pointwise(t: Translator, value: Term, source: Function, target: Function) -> tuple[Sym, Term]:
    symbol = Symbol("k", source.domain)
    applied = Term(Operator.APPLY, source.range, (value, variable(symbol)))
    fits, body = t.fit_kinds(applied, target.range)
    every = YES if fits is YES else Term(Operator.FORALL, TRUTH, (formula_of(t, fits),), binds=symbol)
    return every, Term(Operator.FUNCTION, Function(source.domain, body.sort), (body,), binds=symbol)


def _set(t: Translator, value: Term, source: Set, target: Set) -> tuple[Sym, Term]:
    if source.element == NOTHING:
        return YES, instead_of(t, value, literal(target, frozenset()))
    symbol = Symbol("e", source.element)
    inside = Term(Operator.CONTAINS, TRUTH, (value, variable(symbol)))
    fits, body = t.fit_kinds(variable(symbol), target.element)
    if fits is NO:  # only the empty set is of both sorts
        return equals(t, value, Known(frozenset())), literal(target, frozenset())
    every: Sym = YES
    if fits is not YES:
        formula = Term(Operator.IMPLIES, TRUTH, (inside, formula_of(t, fits)))
        every = Term(Operator.FORALL, TRUTH, (formula,), binds=symbol)
        inside = Term(Operator.AND, TRUTH, (inside, formula_of(t, fits)))
    return every, Term(Operator.IMAGE, Set(body.sort), (inside, body), binds=symbol)


def _to_sequence(t: Translator, value: Term, target: Sequence) -> tuple[Sym, Term]:
    source = value.sort
    if source == Tuple():
        return YES, instead_of(t, value, literal(target, ()))
    if isinstance(source, Tuple):
        parts = [t.fit_kinds(item_of(value, i), target.element) for i in range(len(source.items))]
        element = join_all_sorts(t, [target.element, *(part.sort for _, part in parts)])
        items = tuple(t.convert(part, element) for _, part in parts)
        fits = and_(t, [f for f, _ in parts])
        return fits, Term(Operator.SEQUENCE, Sequence(element, len(items)), items)
    assert isinstance(source, Sequence)
    parts = [t.fit_kinds(element_at(value, i), target.element) for i in range(source.capacity)]
    slots = tuple(unless_unused(fit, part, target.element) for fit, part in parts)
    row = Row(slots, sequence_length(value))
    used = [
        implies(t, less(t, Known(i), sequence_length(value)), partial(itself, fit))
        for i, (fit, _) in enumerate(parts)
    ]
    return and_(t, used), term_of_row(t, row)


# -- variants


def _to_variant(t: Translator, value: Term, target: Variant) -> tuple[Sym, Term]:
    alternatives: list[tuple[Sym, str, Term]] = []
    for tag, part in target.alternatives:
        if isinstance(value.sort, SCALARS) and isinstance(part, SCALARS) and not meet(value.sort, part):
            continue
        fits, made = t.fit_kinds(value, part)
        if fits is NO:
            continue
        if isinstance(value.sort, SCALARS) and not within(value.sort, part):
            return _spread_scalar(t, value, target)
        alternatives.append((fits, tag, made))
        if fits is YES:
            break
    if not alternatives:
        return NO, value
    parts = {tag: made.sort for _, tag, made in alternatives}
    sort = Variant(**{tag: parts.get(tag, part) for tag, part in target.alternatives})
    wrapped = [(fits, Term(Operator.VARIANT, sort, (made,), tag)) for fits, tag, made in alternatives]
    whole = wrapped[-1][1]
    for fits, one in reversed(wrapped[:-1]):
        whole = Term(Operator.IF, sort, (formula_of(t, fits), one, whole))
    return or_(t, [fits for fits, _ in wrapped]), whole


def _spread_scalar(t: Translator, value: Term, target: Variant) -> tuple[Sym, Term]:
    """Convert a scalar to a variant. Its value decides the tag."""
    conditions: list[Sym] = []
    made: Sym = Nothing()
    for tag, part in target.alternatives:
        if not isinstance(part, SCALARS) or not meet(value.sort, part):
            continue
        inside, chosen = _as_scalar(value, part)
        conditions.append(inside)
        made = if_(t, inside, Term(Operator.VARIANT, target, (chosen,), tag), made)
    return or_(t, conditions), t.term(made)


def _as_scalar(value: Term, target: Sort) -> tuple[Sym, Term]:
    """Return the formula that another sort of scalars has a value, and the value in that sort."""
    inside = Term(Operator.CONTAINS, TRUTH, (literal(Set(target), frozenset(target.values())), value))
    symbol = Symbol("v", target)
    same = Term(Operator.EQUAL, TRUTH, (variable(symbol), value))
    return inside, Term(Operator.CHOOSE, target, (same,), binds=symbol)


def _from_variant(t: Translator, value: Term, source: Variant, target: Sort) -> tuple[Sym, Term]:
    conditions: list[Sym] = []
    made: Sym = Nothing()
    for tag, _ in source.alternatives:
        fits, part = t.fit_kinds(payload_of(value, tag), target)
        if fits is NO:
            continue
        if isinstance(part.sort, SCALARS) and isinstance(target, SCALARS) and not meet(part.sort, target):
            continue
        if isinstance(target, SCALARS) and part.sort != target:
            inside, part = _as_scalar(part, target)
            fits = and_(t, [fits, inside])
        held = and_(t, [has_tag(value, tag), fits])
        conditions.append(held)
        if isinstance(made, Term) and isinstance(target, Variant) and made.sort != part.sort:
            sort = Variant(
                **{
                    n: join_sorts(t, made.sort.payload(n), part.sort.payload(n))  # type: ignore[attr-defined]
                    for n, _ in target.alternatives
                }
            )
            made = Term(Operator.IF, sort, (formula_of(t, held), part, made))
        else:
            made = if_(t, held, part, made)
    if isinstance(made, Nothing):
        return NO, value
    return or_(t, conditions), t.term(made)
