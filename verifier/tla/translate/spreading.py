"""The members of sets, as single items or as a variable."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, assert_never

from verifier.encodings.sorts import Listed, Range, Record, Set, Sort, Tuple, Variant
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.tla.lazy_sets import Combined, FunctionSet, Interval, Powerset, ProductSet, RecordSet, Sequences
from verifier.tla.translate.cases import Case
from verifier.tla.translate.connectives import and_, formula_of, if_, implies, not_, or_
from verifier.tla.translate.few_items import list_few_items, list_in_order
from verifier.tla.translate.making import less
from verifier.tla.translate.member_shapes import add_members_or_refuse, shape_of
from verifier.tla.translate.parts import has_tag, payload_of, set_of
from verifier.tla.translate.shape_sorts import sort_of
from verifier.tla.translate.shapes import NOTHING, Shape
from verifier.tla.translate.symbolic import (
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
from verifier.tla.translate.terms import TRUTH, literal, variable
from verifier.tla.value_types import Value
from verifier.tla.values import is_infinite, is_set, materialize

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


_MOST_SUMS = 200_000
"""The number of pairs of a first member and a distance: to build a sum takes a gate for each."""
_MOST_SUBSETS = 64
MOST_EXPANDED = 300
"""The largest set whose members become single cases."""
MOST_FOLDED = 64
"""The limit of possible members for folding a set that the state decides."""


def over_alternatives(t: Translator, value: Term, do: Callable[[Term], Sym]) -> Sym:
    """Apply a function to each alternative of a variant. The result is undefined for alternatives for which
    the function has no result."""
    assert isinstance(value.sort, Variant)
    chosen: Sym = Nothing("a value of another kind is expected")
    made = []
    for tag, _ in value.sort.alternatives:
        result = do(payload_of(value, tag))
        if not isinstance(result, Nothing):
            made.append((tag, result))
    if len(made) == 1:
        ((tag, result),) = made
        return t.strict(result, payload_of(value, tag))
    for tag, result in made:
        chosen = if_(t, has_tag(value, tag), result, chosen)
    return chosen


def describe(value: Value) -> Sym:
    """Return a known set that is not listed as a description by its parts."""
    match value:
        case Interval():
            return Span(Known(value.low), Known(value.high))
        case FunctionSet():
            return Functions(Known(value.domain), Known(value.range))
        case RecordSet():
            return Records({name: Known(image) for name, image in value.fields.items()})
        case ProductSet():
            return Products(tuple(map(Known, value.items)))
        case Powerset():
            return Subsets(Known(value.base))
        case Sequences():
            return AllSequences(Known(value.base))
        case Combined() if value.sign == "\\cup":
            return Joined((Known(value.first), Known(value.second)))
    return Known(value)


# -- members


def spread(t: Translator, of: Sym, name: str = "x") -> list[Case]:
    """Return the members of a set, in TLC's order if all are known. ``name``: the name of variables."""
    match of:
        case Known():
            return _spread_known(t, of.value, name)
        case Term():
            return _spread_term(t, of, name)
        case Members():
            return [Case(condition, item) for condition, item in of.items]
        case Joined():
            return [case for part in of.parts for case in spread(t, part, name)]
        case Chosen():
            return [
                Case(and_(t, [when, case.condition]), case.item, case.symbol)
                for when, part in ((of.condition, of.then), (not_(t, of.condition), of.otherwise))
                for case in spread(t, part, name)
            ]
        case Part():
            both = [(and_(t, [c.condition, of.test(c.item)]), c) for c in spread(t, of.base, name)]
            return [Case(fits, c.item, c.symbol) for fits, c in both if fits is not NO]
        case Span():
            return _spread_span(t, of, name)
        case Subsets():
            return _spread_subsets(t, of, name)
        case Functions() | Records() | Products():
            return _spread_structure(t, of, name)
        case AllSequences():
            raise Untranslated(None, "a set that cannot be listed is gone through")
        case Nothing() | Table() | Row() | Entries() | LazyMap() | Op():
            raise Untranslated(None, "the members of what is not a set are gone through")
    assert_never(of)


def _spread_term(t: Translator, of: Term, name: str) -> list[Case]:
    if isinstance(of.sort, Variant):
        return _spread_variant(t, of, name)
    if isinstance(of.sort, Set):
        if t.names.lists(of.sort.element):
            return _spread_listed(t, of, of.sort.element)
        symbol = Symbol(name, of.sort.element)
        inside = Term(Operator.CONTAINS, TRUTH, (of, variable(symbol)))
        return [] if of.sort.element == NOTHING else [Case(inside, variable(symbol), symbol)]
    if not t.names.lists(of.sort):
        raise Untranslated(None, "a set that cannot be listed is gone through")
    cases = []
    for known, one in t.names.listing(of.sort).items():
        same = Term(Operator.EQUAL, TRUTH, (of, literal(of.sort, one)))
        inner = spread(t, Known(known), name) if is_set(known) else []
        cases += [Case(and_(t, [same, case.condition]), case.item, case.symbol) for case in inner]
    return cases


def _spread_listed(t: Translator, of: Term, element: Sort) -> list[Case]:
    key = of.data if of.operator is Operator.VARIABLE else of
    cases = t.members.get(key)
    if cases is None:
        cases = t.members[key] = [
            Case(Term(Operator.CONTAINS, TRUTH, (of, literal(element, one))), Known(known))
            for known, one in t.names.listing(element).items()
        ]
    return list(cases)


def _spread_subsets(t: Translator, of: Subsets, name: str) -> list[Case]:
    few = list_few_items(t, of.base)
    if few is not None:
        return [
            Case(and_(t, [when for when, _ in some]), set_of([(YES, item) for _, item in some]))
            for size in range(len(few) + 1)
            for some in combinations(few, size)
        ]
    base = t.term(of.base)
    if not isinstance(base.sort, Set):
        raise Untranslated(None, "SUBSET of what may be no set is gone through")
    symbol = Symbol(name, base.sort)
    inside = Term(Operator.SUBSET, TRUTH, (variable(symbol), base))
    return [Case(inside, variable(symbol), symbol)]


def _spread_variant(t: Translator, of: Term, name: str) -> list[Case]:
    assert isinstance(of.sort, Variant)
    tags = [tag for tag, part in of.sort.alternatives if isinstance(part, Set)]
    if not tags:
        raise Untranslated(None, "a set that cannot be listed is gone through")
    return [
        Case(and_(t, [has_tag(of, tag), case.condition]), case.item, case.symbol)
        for tag in tags
        for case in spread(t, payload_of(of, tag), name)
    ]


def _spread_known(t: Translator, value: Value, name: str) -> list[Case]:
    if not is_set(value):
        raise Untranslated(None, "a set is expected")
    if is_infinite(value):
        raise Untranslated(None, "an infinite set is gone through")
    size = len(value) if isinstance(value, frozenset) else value.size()
    if size <= (_MOST_SUBSETS if isinstance(value, Powerset) else MOST_EXPANDED):
        return [Case(YES, Known(item)) for item in list_in_order(t, value)]
    shape = Shape()
    add_members_or_refuse(shape, value)
    sort = sort_of(shape, t.names)
    symbol = Symbol(name, sort)
    inside = YES if sort.size == size else t.has_candidate(Known(value), variable(symbol))
    return [Case(inside, variable(symbol), symbol)]


def spread_as_one(t: Translator, value: Value, name: str) -> list[Case] | None:
    """Return the members of a known set as one variable. None unless they have parts and are all values of
    their sort."""
    if not is_set(value) or is_infinite(value):
        return None
    size = len(value) if isinstance(value, frozenset) else value.size()
    shape = Shape()
    add_members_or_refuse(shape, value)
    sort = sort_of(shape, t.names)
    if not isinstance(sort, Record | Tuple) or sort.size != size:
        return None
    symbol = Symbol(name, sort)
    return [Case(YES, variable(symbol), symbol)]


def _spread_span(t: Translator, of: Span, name: str) -> list[Case]:
    """Return the members of an interval whose ends the state decides. Many members are one variable if their
    number is known, as that of ``x..x + 1000``: it says how far a member is from the first one."""
    low, high = t.term(of.low), t.term(of.high)
    first, last = bounds_of(low.sort).low, bounds_of(high.sort).high
    if last - first < MOST_EXPANDED:
        values = map(Known, range(first, last + 1))
        return [Case(_between(t, of, value), value) for value in values]
    (base, below), (other, above) = _with_offset(low), _with_offset(high)
    if not _is_same(base, other) or bounds_of(low.sort).size * (above - below + 1) > _MOST_SUMS:
        count = f"{last - first + 1:,}"
        raise Untranslated(None, f"the translation would expand a range of up to {count} values here")
    if above < below:
        return []
    symbol = Symbol(name, Range(0, above - below))
    sort = Range(first, bounds_of(low.sort).high + above - below)
    return [Case(YES, Term(Operator.ADD, sort, (low, variable(symbol))), symbol)]


def _is_same(one: Term, other: Term) -> bool:
    """True if two terms are written alike."""
    if one is other:
        return True
    alike = one.operator is other.operator and one.data == other.data and one.binds is other.binds is None
    return (
        alike
        and len(one.arguments) == len(other.arguments)
        and all(map(_is_same, one.arguments, other.arguments))
    )


def _with_offset(of: Term) -> tuple[Term, int]:
    """Return an integer as a term and a number that is added to it."""
    match of:
        case Term(operator=Operator.ADD, arguments=(base, Term(operator=Operator.LITERAL, data=int(more)))):
            offset, known = _with_offset(base)
            return offset, known + more
        case Term(
            operator=Operator.SUBTRACT, arguments=(base, Term(operator=Operator.LITERAL, data=int(less)))
        ):
            offset, known = _with_offset(base)
            return offset, known - less
    return of, 0


def _between(t: Translator, of: Span, value: Sym) -> Sym:
    return and_(t, [less(t, of.low, value, equal=True), less(t, value, of.high, equal=True)])


def _spread_structure(t: Translator, of: Functions | Records | Products, name: str) -> list[Case]:
    shape = shape_of(t, of)
    sort = sort_of(shape, t.names)
    symbol = Symbol(name, sort)
    return [Case(t.has_candidate(of, variable(symbol)), variable(symbol), symbol)]


def each_once(t: Translator, of: Sym) -> list[Case]:
    """Return the members of a set as known values, each once, in TLC's order."""
    cases = spread(t, of)
    if any(not isinstance(case.item, Known) for case in cases):
        cases = spread(t, t.term(of))
    conditions: dict[Value, Sym] = {}
    for case in cases:
        if case.symbol is None:
            assert isinstance(case.item, Known)
            value = materialize(case.item.value)
            conditions[value] = (
                or_(t, [conditions[value], case.condition]) if value in conditions else case.condition
            )
            continue
        if case.symbol.sort.size > MOST_FOLDED:
            raise Untranslated(None, "a fold over a set with many possible members")
        for one in case.symbol.sort.values():
            value = t.names.decode(one, case.symbol.sort)
            conditions[value] = t.has_candidate(of, Known(value))
    return [Case(conditions[value], Known(value)) for value in list_in_order(t, frozenset(conditions))]


# -- integers


def integer_of(t: Translator, value: Sym) -> Sym:
    """Return a value as an integer: a known one, or a term of a sort of integers."""
    match value:
        case Known():
            return value if type(value.value) is int else Nothing("an integer is expected")
        case Nothing():
            return value
        case Chosen():
            return if_(t, value.condition, integer_of(t, value.then), integer_of(t, value.otherwise))
        case Term() if isinstance(value.sort, Range):
            return value
        case Term() if isinstance(value.sort, Listed):
            if value.sort.bounds is not None:
                return value
            ints = [v for v in value.sort.values() if isinstance(v, int)]
            if not ints:
                return Nothing("an integer is expected")
            sort = Range(min(ints), max(ints))
            symbol = Symbol("i", sort)
            same = Term(Operator.EQUAL, TRUTH, (variable(symbol), value))
            return Term(Operator.CHOOSE, sort, (same,), binds=symbol)
        case Term() if isinstance(value.sort, Variant):
            return over_alternatives(t, value, partial(integer_of, t))
    return Nothing("an integer is expected")


# -- quantifiers


def for_all(t: Translator, case: Case, body: Sym) -> Sym:
    """Return the formula that a body is true of all members in a case."""
    whole = implies(t, case.condition, lambda: body)
    if case.symbol is None or isinstance(whole, Known | Nothing):
        return whole
    return Term(Operator.FORALL, TRUTH, (formula_of(t, whole),), binds=case.symbol)


def exists(t: Translator, case: Case, body: Sym) -> Sym:
    """Return the formula that a body is true of some member in a case."""
    whole = and_(t, [case.condition, body])
    if case.symbol is None or isinstance(whole, Known | Nothing):
        return whole
    return Term(Operator.EXISTS, TRUTH, (formula_of(t, whole),), binds=case.symbol)


def bounds_of(sort: Sort) -> Range:
    if isinstance(sort, Listed) and sort.bounds is not None:
        return sort.bounds
    assert isinstance(sort, Range)
    return sort
