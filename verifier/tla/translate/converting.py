"""Conversion of terms from one sort to another."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from verifier.encodings.concrete import Concrete
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
from verifier.tla.translate.joining import join_all_sorts, join_sorts
from verifier.tla.translate.listed_sorts import from_listed, lists_members, push_conversion, to_listed
from verifier.tla.translate.making import as_partial, equals, instead_of, less, term_of_row, term_of_table
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
from verifier.tla.translate.symbolic import NO, YES, Known, Nothing, Row, Sym, Table, Untranslated
from verifier.tla.translate.terms import (
    SCALARS,
    TRUTH,
    alike,
    literal,
    meet,
    number,
    undefined,
    variable,
    within,
)
from verifier.tla.values import Value

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


_EMPTY = (Sequence(NOTHING, 0), PartialFunction(NOTHING, NOTHING))
"""Sorts that hold the empty function only."""


def convert(t: Translator, value: Term, target: Sort) -> Term:
    """Return a term in another sort. It is undefined where that sort lacks its value."""
    fits, made = t.fitted(value, target)
    if fits is YES:
        return made
    found = if_(t, fits, made, Nothing("outside"))
    return found if isinstance(found, Term) else undefined(target)


def fitted(t: Translator, value: Term, target: Sort) -> tuple[Sym, Term]:
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
            return _tupled(t, [item_of(value, i) for i in range(len(source.items))], target)
        case Record(), Record() if set(source.field_sorts) == set(target.field_sorts):
            pairs = {name: t.fitted(field_of(value, name), part) for name, part in target.fields}
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
            fits, made = _tupled(t, [element_at(value, i) for i in range(len(target.items))], target)
            return and_(t, [long, fits]), made
        case ((Tuple() | Record() | Function() | PartialFunction() | Sequence()), PartialFunction()):
            return _to_partial(t, value, target)
        case PartialFunction(), (Function() | Tuple() | Record()):
            return _from_partial(t, value, target)
        case PartialFunction(), Sequence():
            return _partial_to_sequence(t, value, target)
        case Function(), Tuple() if source.domain == Range(1, len(target.items)):
            items = [_applied(t, value, Known(i)) for i in range(1, len(target.items) + 1)]
            return _tupled(t, items, target)
    return NO, value


# -- part by part


def _tupled(t: Translator, items: list[Term], target: Tuple) -> tuple[Sym, Term]:
    parts = [t.fitted(item, sort) for item, sort in zip(items, target.items, strict=True)]
    made = tuple(part for _, part in parts)
    fits = and_(t, [f for f, _ in parts])
    return fits, Term(Operator.TUPLE, Tuple(*(m.sort for m in made)), made)


def _pointwise(t: Translator, value: Term, source: Function, target: Function) -> tuple[Sym, Term]:
    symbol = Symbol("k", source.domain)
    applied = Term(Operator.APPLY, source.range, (value, variable(symbol)))
    fits, body = t.fitted(applied, target.range)
    every = YES if fits is YES else Term(Operator.FORALL, TRUTH, (formula_of(t, fits),), binds=symbol)
    return every, Term(Operator.FUNCTION, Function(source.domain, body.sort), (body,), binds=symbol)


def _set(t: Translator, value: Term, source: Set, target: Set) -> tuple[Sym, Term]:
    if source.element == NOTHING:
        return YES, instead_of(t, value, literal(target, frozenset()))
    symbol = Symbol("e", source.element)
    inside = Term(Operator.CONTAINS, TRUTH, (value, variable(symbol)))
    fits, body = t.fitted(variable(symbol), target.element)
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
        parts = [t.fitted(item_of(value, i), target.element) for i in range(len(source.items))]
        element = join_all_sorts(t, [target.element, *(part.sort for _, part in parts)])
        items = tuple(t.convert(part, element) for _, part in parts)
        fits = and_(t, [f for f, _ in parts])
        return fits, Term(Operator.SEQUENCE, Sequence(element, len(items)), items)
    assert isinstance(source, Sequence)
    parts = [t.fitted(element_at(value, i), target.element) for i in range(source.capacity)]
    slots = tuple(_unless_unused(fit, part, target.element) for fit, part in parts)
    row = Row(slots, sequence_length(value))
    used = [
        implies(t, less(t, Known(i), sequence_length(value)), partial(itself, fit))
        for i, (fit, _) in enumerate(parts)
    ]
    return and_(t, used), term_of_row(t, row)


def _unless_unused(fits: Sym, slot: Term, element: Sort) -> Term:
    """Return a slot of a converted sequence. If no element fits, no sequence that fits uses the slot."""
    return literal(element, element.default) if fits is NO else slot


def _applied(t: Translator, value: Term, key: Known) -> Term:
    assert isinstance(value.sort, Function | PartialFunction)
    made = literal(value.sort.domain, t.names.encode(key.value, value.sort.domain))
    return Term(Operator.APPLY, value.sort.range, (value, made))


# -- functions whose domain varies


def _to_partial(t: Translator, value: Term, target: PartialFunction) -> tuple[Sym, Term]:
    source = value.sort
    rows: dict[Value, Sym]
    if isinstance(source, Function | PartialFunction):
        symbol = Symbol("k", target.domain)
        known, key = t.fitted(variable(symbol), source.domain)
        if known is NO:
            if isinstance(source, PartialFunction):
                none = literal(target, t.names.encode((), target))
                return equals(
                    t, Term(Operator.DOMAIN, Set(source.domain), (value,)), Known(frozenset())
                ), none
            return NO, value
        keys: Term = literal(Set(source.domain), frozenset(source.domain.values()))
        if isinstance(source, PartialFunction):
            keys = Term(Operator.DOMAIN, Set(source.domain), (value,))
        inside = and_(t, [known, Term(Operator.CONTAINS, TRUTH, (keys, key))])
        fits, body = t.fitted(Term(Operator.APPLY, source.range, (value, key)), target.range)
        if fits is not YES:
            body = t.convert(Term(Operator.APPLY, source.range, (value, key)), target.range)
        sort = PartialFunction(target.domain, body.sort)
        return _keys_within(t, keys, source.domain, target.domain), Term(
            Operator.PARTIAL_FUNCTION, sort, (formula_of(t, inside), body), binds=symbol
        )
    if isinstance(source, Tuple):
        rows = {place: item_of(value, place - 1) for place in range(1, len(source.items) + 1)}
    elif isinstance(source, Record):
        rows = {name: field_of(value, name) for name, _ in source.fields}
    else:
        assert isinstance(source, Sequence)
        return _sequence_to_partial(t, value, source, target)
    if not rows:
        return YES, instead_of(t, value, literal(target, t.names.encode((), target)))
    for key in rows:
        try:
            t.names.encode(key, target.domain)
        except NotInSort:
            return NO, value
    return YES, as_partial(t, Table(rows), target.domain, target.range)


def _sequence_to_partial(
    t: Translator, value: Term, source: Sequence, target: PartialFunction
) -> tuple[Sym, Term]:
    length, rows, tests = sequence_length(value), [], list[Sym]()
    for place, key in enumerate(_places(t, target.domain)[: source.capacity]):
        fits, part = t.fitted(element_at(value, place), target.range)
        if fits is NO:
            break
        rows.append((key, part))
        tests.append(implies(t, less(t, Known(place), length), partial(itself, fits)))
    if len(rows) < source.capacity:
        tests.append(less(t, length, Known(len(rows)), equal=True))
    sort = PartialFunction(target.domain, join_all_sorts(t, [target.range, *(part.sort for _, part in rows)]))
    made: Term = literal(sort, t.names.encode((), sort))
    for place, (key, part) in enumerate(rows):
        longer = Term(Operator.EXTEND, sort, (made, key, t.convert(part, sort.range)))
        made = Term(Operator.IF, sort, (Term(Operator.LESS, TRUTH, (number(place), length)), longer, made))
    return and_(t, tests), made


def _keys_within(t: Translator, keys: Term, source: Sort, target: Sort) -> Sym:
    """Return the formula that another sort has all keys of a function."""
    if source == target:
        return YES
    inside = set[Concrete]()
    for key in source.values():
        try:
            t.names.encode(t.names.decode(key, source), target)
        except NotInSort:
            continue
        inside.add(key)
    if len(inside) == source.size:
        return YES
    return Term(Operator.SUBSET, TRUTH, (keys, literal(Set(source), frozenset(inside))))


def _from_partial(t: Translator, value: Term, target: Sort) -> tuple[Sym, Term]:
    source = value.sort
    assert isinstance(source, PartialFunction)
    keys: list[Value]
    if isinstance(target, Function):
        keys = [t.names.decode(key, target.domain) for key in target.domain.values()]
    elif isinstance(target, Tuple):
        keys = list(range(1, len(target.items) + 1))
    else:
        assert isinstance(target, Record)
        keys = list(target.field_sorts)
    try:
        rows: dict[Value, Sym] = {key: _applied(t, value, Known(key)) for key in keys}
    except NotInSort:
        return NO, value
    domain = Term(Operator.DOMAIN, Set(source.domain), (value,))
    fits = equals(t, domain, Known(frozenset(keys)))
    further, made = t.fitted(term_of_table(t, Table(rows)), target)
    return and_(t, [fits, further]), made


def _partial_to_sequence(t: Translator, value: Term, target: Sequence) -> tuple[Sym, Term]:
    row = row_of_partial(t, value)
    slots = []
    fits = []
    for place, slot in enumerate(row.slots[: target.capacity]):
        fit, made = t.fitted(t.term(slot), target.element)
        fits.append(implies(t, less(t, Known(place), row.length), partial(itself, fit)))
        slots.append(_unless_unused(fit, made, target.element))
    short = less(t, row.length, Known(target.capacity), equal=True)
    cut = Row(tuple(slots), if_(t, short, row.length, Known(0)))
    return and_(t, [is_row(t, value, row), short, *fits]), term_of_row(t, cut)


def row_of_partial(t: Translator, value: Term) -> Row:
    """Return a function whose domain varies by its values at 1, 2, 3 and so on."""
    assert isinstance(value.sort, PartialFunction)
    count = len(_places(t, value.sort.domain))
    domain = Term(Operator.DOMAIN, Set(value.sort.domain), (value,))
    size = Term(Operator.CARDINALITY, Range(0, value.sort.domain.size), (domain,))
    return Row(tuple(_applied(t, value, Known(place)) for place in range(1, count + 1)), size)


def _places(t: Translator, keys: Sort) -> list[Term]:
    """Return 1, 2, 3 and so on as terms of a sort of keys, up to the first that the sort lacks."""
    found: list[Term] = []
    while True:
        try:
            found.append(literal(keys, t.names.encode(len(found) + 1, keys)))
        except NotInSort:
            return found


def is_row(t: Translator, value: Term, row: Row) -> Sym:
    """Return the formula that the domain of a function is 1 to the number of its elements."""
    assert isinstance(value.sort, PartialFunction)
    domain = Term(Operator.DOMAIN, Set(value.sort.domain), (value,))
    places = _places(t, value.sort.domain)
    keys = literal(Set(value.sort.domain), frozenset(place.data for place in places))
    within = Term(Operator.SUBSET, TRUTH, (domain, keys))
    used = [
        implies(
            t,
            less(t, Known(number), row.length),
            partial(itself, Term(Operator.CONTAINS, TRUTH, (domain, place))),
        )
        for number, place in enumerate(places)
    ]
    return and_(t, [within, *used])


# -- variants


def _to_variant(t: Translator, value: Term, target: Variant) -> tuple[Sym, Term]:
    found: list[tuple[Sym, str, Term]] = []
    for tag, part in target.alternatives:
        if isinstance(value.sort, SCALARS) and isinstance(part, SCALARS) and not meet(value.sort, part):
            continue
        fits, made = t.fitted(value, part)
        if fits is NO:
            continue
        if isinstance(value.sort, SCALARS) and not within(value.sort, part):
            return _spread_scalar(t, value, target)
        found.append((fits, tag, made))
        if fits is YES:
            break
    if not found:
        return NO, value
    parts = {tag: made.sort for _, tag, made in found}
    sort = Variant(**{tag: parts.get(tag, part) for tag, part in target.alternatives})
    wrapped = [(fits, Term(Operator.VARIANT, sort, (made,), tag)) for fits, tag, made in found]
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
        fits, part = t.fitted(payload_of(value, tag), target)
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
