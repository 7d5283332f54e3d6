"""Membership in sets, and subsets."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, assert_never

from verifier.encodings.sorts import (
    Boolean,
    Function,
    Listed,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Tuple,
    Variant,
)
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.tla.lazy_sets import Infinite
from verifier.tla.translate.cases import Case
from verifier.tla.translate.coding import NotInSort
from verifier.tla.translate.connectives import and_, if_, implies, not_, or_
from verifier.tla.translate.few_items import list_in_order
from verifier.tla.translate.function_conversions import is_row, row_of_partial
from verifier.tla.translate.infinite_sets import in_infinite, of_other_kind
from verifier.tla.translate.joining import fit_pair
from verifier.tla.translate.kinds import expect_kind, kinds_of
from verifier.tla.translate.listed_sorts import over_listed
from verifier.tla.translate.making import equals, less
from verifier.tla.translate.parts import (
    element_at,
    itself,
    rows_of,
    sequence_length,
    table_of,
)
from verifier.tla.translate.shapes import NOTHING
from verifier.tla.translate.spreading import (
    MOST_EXPANDED,
    describe,
    for_all,
    integer_of,
    over_alternatives,
    spread,
)
from verifier.tla.translate.symbolic import (
    LAZY_SETS,
    NO,
    YES,
    AllSequences,
    Chosen,
    Entries,
    Functions,
    Joined,
    Known,
    LazyMap,
    Members,
    Nothing,
    Part,
    Products,
    Records,
    Row,
    Span,
    Subsets,
    Sym,
    Table,
    Untranslated,
)
from verifier.tla.translate.symbolic import Operator as Op
from verifier.tla.translate.terms import SCALARS, TRUTH, literal, variable
from verifier.tla.translate.value_kinds import EVERY
from verifier.tla.value_types import ModelValue, NoValue, Value
from verifier.tla.values import LazySet, is_infinite, is_member, is_set

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


Structure: TypeAlias = Functions | Records | Products | AllSequences


def has_candidate(t: Translator, of: Sym, item: Sym) -> Sym:
    """Return the formula that a value of a sort, of whatever kind, is a member."""
    before, t.of_candidates = t.of_candidates, True
    try:
        return contains(t, of, item)
    finally:
        t.of_candidates = before


def _passes(t: Translator, of: Part, item: Sym) -> Sym:
    """Return the formula that a value passes the test of a set. The test comes from the module's text."""
    before, t.of_candidates = t.of_candidates, False
    try:
        return of.test(item)
    finally:
        t.of_candidates = before


def contains(t: Translator, of: Sym, item: Sym) -> Sym:
    """Return the formula that an item is a member."""
    if isinstance(item, Nothing):
        return item
    if isinstance(item, Chosen):
        return if_(t, item.condition, contains(t, of, item.then), contains(t, of, item.otherwise))
    return _contains(t, of, item)


def _contains(t: Translator, of: Sym, item: Sym) -> Sym:
    match of:
        case Nothing():
            return of
        case Chosen():
            return if_(t, of.condition, contains(t, of.then, item), contains(t, of.otherwise, item))
        case Known():
            return _in_known(t, of.value, item)
        case Members():
            return or_(t, [and_(t, [when, equals(t, one, item)]) for when, one in of.items])
        case Joined():
            return or_(t, [contains(t, part, item) for part in of.parts])
        case Part():
            inside = contains(t, of.base, item)
            return NO if inside is NO else and_(t, [inside, _passes(t, of, item)])
        case Span():
            return _in_span(t, of, item)
        case Term():
            return _in_term_of(t, of, item)
        case Subsets():
            return _in_subsets(t, of, item)
        case Functions() | Records() | Products() | AllSequences():
            return _in_structure(t, of, item)
        case Table() | Row() | Entries() | LazyMap() | Op():
            return Nothing("a set is expected")
    assert_never(of)


def _in_span(t: Translator, of: Span, item: Sym) -> Sym:
    """Translate membership in an interval. An empty interval accepts any kind of item; a model value is no
    member."""
    whole = integer_of(t, item)
    parts = [less(t, of.low, whole, equal=True), less(t, whole, of.high, equal=True)]
    inside = of_other_kind(t) if isinstance(whole, Nothing) else and_(t, parts)
    kinds = kinds_of(t, item)
    if kinds.keys() == {"integer"}:
        return inside
    model = [held for kind, held in kinds.items() if kind == "model"]
    never = or_(t, [*model, less(t, of.high, of.low)])
    other = if_(t, never, NO, of_other_kind(t))
    return if_(t, kinds["integer"], inside, other) if "integer" in kinds else other


def _in_term_of(t: Translator, of: Term, item: Sym) -> Sym:
    if isinstance(of.sort, Variant):
        return over_alternatives(t, of, lambda part: contains(t, part, item))
    if isinstance(of.sort, Set):
        return _in_term(t, of, item)
    if t.names.lists(of.sort):
        return over_listed(t, of, lambda part: contains(t, part, item))
    return Nothing("a set is expected")


def _in_term(t: Translator, of: Term, item: Sym) -> Sym:
    assert isinstance(of.sort, Set)
    element = of.sort.element
    if element == NOTHING and of.operator is Operator.LITERAL:
        return NO
    if isinstance(item, Known):
        try:
            made = literal(element, t.names.encode(item.value, element))
        except NotInSort:
            return NO
        return Term(Operator.CONTAINS, TRUTH, (of, made))
    fits, made = t.fit_kinds(t.term(item), element)
    if fits is NO:
        return NO
    return and_(t, [fits, Term(Operator.CONTAINS, TRUTH, (of, made))])


def _in_known(t: Translator, value: Value, item: Sym) -> Sym:
    if not is_set(value):
        return Nothing("a set is expected")
    if isinstance(item, Known):
        try:
            return YES if is_member(item.value, value) else NO
        except NoValue as error:
            return of_other_kind(t, str(error))
    if isinstance(value, Infinite):
        return in_infinite(t, value, item)
    described = describe(value)
    if not isinstance(described, Known):
        return contains(t, described, item)
    if isinstance(value, LazySet) and (is_infinite(value) or value.size() > 5000):
        raise Untranslated(None, "membership in a set that is not listed")
    members = list_in_order(t, value)
    term = t.term(item)
    if isinstance(term.sort, Boolean | Variant) or not isinstance(term.sort, SCALARS):
        numbers = bool(members) and all(isinstance(m, int) for m in members)
        known = len(members) <= MOST_EXPANDED and table_of(item) is not None
        if (numbers and isinstance(term.sort, Variant)) or known:
            return or_(t, [equals(t, item, Known(m)) for m in members])
    return _among(t, members, term)


def _among(t: Translator, members: list[Value], term: Term) -> Sym:
    kept = []
    for member in members:
        try:
            kept.append(t.names.encode(member, term.sort))
        except NotInSort:
            continue
    if not kept:
        return NO
    if len(kept) == term.sort.size:
        return YES
    return Term(Operator.CONTAINS, TRUTH, (literal(Set(term.sort), frozenset(kept)), term))


def _in_structure(t: Translator, of: Structure, item: Sym) -> Sym:
    """Translate membership in a set of functions, records, tuples or sequences. For an item of another kind
    it has no value, but a model value is no member (``tla.lazy_sets``)."""
    table = table_of(item)
    if table is not None:
        return _table_in(t, of, table)
    if isinstance(item, Known):
        return NO if isinstance(item.value, ModelValue) else of_other_kind(t)
    if isinstance(item, LAZY_SETS):
        return of_other_kind(t)
    term = t.term(item)
    match term.sort:
        case Variant():
            return over_alternatives(t, term, lambda part: _in_structure(t, of, part))
        case Listed():
            return over_listed(t, term, lambda part: contains(t, of, part))
        case Record() | Tuple() | Function():
            rows = rows_of(t, term)
            assert rows is not None
            return _table_in(t, of, rows)
        case Sequence():
            return _sequence_in(t, of, term)
        case PartialFunction():
            return _partial_in(t, of, term)
        case Boolean() | Range() | Set():
            return of_other_kind(t)
    raise Untranslated(None, f"membership of a value of {term.sort} in this set")


def _in_subsets(t: Translator, of: Subsets, item: Sym) -> Sym:
    whole = expect_kind(t, item, "set")
    if isinstance(whole, Nothing):
        return of_other_kind(t, whole.words)
    inside = t.strict(subset(t, whole, of.base), whole)
    return if_(t, kinds_of(t, item)["set"], inside, NO) if t.of_candidates else inside


def _table_in(t: Translator, of: Structure, table: Table) -> Sym:
    """Translate membership of a function whose keys are known."""
    rows, places = table.rows, set(range(1, len(table.rows) + 1))
    match of:
        case Functions():
            keys = equals(t, Known(frozenset(rows)), of.domain)
            if keys is NO:
                return NO
            return and_(t, [keys, *(t.member_of(of.range, one) for one in rows.values())])
        case Records():
            if not all(isinstance(key, str) for key in rows):
                return of_other_kind(t)
            if rows.keys() != of.fields.keys():
                return NO
            return and_(t, [t.member_of(image, rows[name]) for name, image in of.fields.items()])
        case Products():
            if rows.keys() != places:
                return of_other_kind(t)
            if len(rows) != len(of.items):
                return NO
            return and_(t, [t.member_of(image, rows[n]) for n, image in enumerate(of.items, 1)])
        case AllSequences():
            if rows.keys() != places:
                return of_other_kind(t)
            return and_(t, [t.member_of(of.base, one) for one in rows.values()])
    assert_never(of)


def _sequence_in(t: Translator, of: Structure, term: Term) -> Sym:
    """Translate membership of a sequence whose length varies."""
    assert isinstance(term.sort, Sequence)
    length, capacity = sequence_length(term), term.sort.capacity
    match of:
        case Functions():
            keys = equals(t, Span(Known(1), length), of.domain)
            return and_(t, [keys, _sequence_in(t, AllSequences(of.range), term)])
        case Records():
            return if_(t, equals(t, length, Known(0)), NO, of_other_kind(t))
        case Products():
            if capacity < len(of.items):
                return NO
            inside = [t.member_of(image, element_at(term, n)) for n, image in enumerate(of.items)]
            return and_(t, [equals(t, length, Known(len(of.items))), *inside])
        case AllSequences():
            inside = [t.member_of(of.base, element_at(term, place)) for place in range(capacity)]
            return and_(
                t, [or_(t, [not_(t, less(t, Known(place), length)), one]) for place, one in enumerate(inside)]
            )
    assert_never(of)


def _partial_in(t: Translator, of: Structure, term: Term) -> Sym:
    """Translate membership of a function whose domain varies."""
    assert isinstance(term.sort, PartialFunction)
    keys = term.sort.domain
    domain = Term(Operator.DOMAIN, Set(keys), (term,))
    match of:
        case Functions():
            symbol = Symbol("k", keys)
            applied = Term(Operator.APPLY, term.sort.range, (term, variable(symbol)))
            inside = t.member_of(of.range, applied)
            case = Case(Term(Operator.CONTAINS, TRUTH, (domain, variable(symbol))), NO, symbol)
            return and_(t, [equals(t, domain, of.domain), for_all(t, case, inside)])
        case Records():
            words = frozenset(one for one in keys.values() if isinstance(t.names.decode(one, keys), str))
            is_record = Term(Operator.SUBSET, TRUTH, (domain, literal(Set(keys), words)))
            inside = _record_in(t, of, term, domain)
            return if_(t, is_record, inside, of_other_kind(t))
        case Products() | AllSequences():
            row = row_of_partial(t, term)
            inside = _sequence_in(t, of, t.term(row))
            return if_(t, is_row(t, term, row), inside, of_other_kind(t))
    assert_never(of)


def _record_in(t: Translator, of: Records, term: Term, domain: Term) -> Sym:
    assert isinstance(term.sort, PartialFunction)
    keys = term.sort.domain
    try:
        fields = {name: literal(keys, t.names.encode(name, keys)) for name in of.fields}
    except NotInSort:  # the function can have no such key
        return NO
    inside = [
        t.member_of(of.fields[name], Term(Operator.APPLY, term.sort.range, (term, key)))
        for name, key in fields.items()
    ]
    return and_(t, [equals(t, domain, Known(frozenset(fields))), *inside])


def subset(t: Translator, one: Sym, other: Sym) -> Sym:
    """Return the formula that a set is a subset of another."""
    if isinstance(one, Nothing) or isinstance(other, Nothing):
        return one if isinstance(one, Nothing) else other
    if isinstance(one, Term) and not isinstance(one.sort, Set | Variant):
        return Nothing("a set is expected")
    if isinstance(other, Known):
        other = describe(other.value)
    if isinstance(other, Joined) and not t.of_candidates:  # TLC looks into one part after the other
        return _all_inside(t, one, partial(t.member_of, other))
    inside = _subset(t, one, other)
    return inside if t.of_candidates else t.require_comparable_parts(one, other, inside)


def _subset(t: Translator, one: Sym, other: Sym) -> Sym:
    if (
        isinstance(one, Term)
        and isinstance(other, Term)
        and isinstance(one.sort, Set)
        and isinstance(other.sort, Set)
    ):
        (fits, left), (also, right) = fit_pair(t, one, other)
        if also is YES:
            return NO if fits is NO else if_(t, fits, Term(Operator.SUBSET, TRUTH, (left, right)), NO)
    return _all_inside(t, one, partial(contains, t, other))


def _all_inside(t: Translator, one: Sym, is_inside: Callable[[Sym], Sym]) -> Sym:
    """Return the formula that all members of a set are in another. TLC asks for model values first. If one of
    them is missing, no other member is looked for, which may be of a kind without an answer."""
    first: list[Sym] = []
    then: list[Sym] = []
    for case in spread(t, one):
        inside = is_inside(case.item)
        kinds = {} if t.of_candidates else kinds_of(t, case.item)
        models = [held for kind, held in kinds.items() if kind not in EVERY]
        if not models or len(models) == len(kinds):
            (first if models else then).append(for_all(t, case, inside))
            continue
        is_model = or_(t, models)
        first.append(for_all(t, case, implies(t, is_model, partial(itself, inside))))
        then.append(for_all(t, case, or_(t, [is_model, inside])))
    return and_(t, [*first, *then])
