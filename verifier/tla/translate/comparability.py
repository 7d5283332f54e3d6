"""The kinds of values that TLC compares with each other. All other comparisons have no value."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import TYPE_CHECKING, assert_never

from verifier.encodings.sorts import Function, PartialFunction, Record, Sequence, Set, Tuple
from verifier.encodings.terms import Symbol, Term
from verifier.tla.translate.connectives import and_, if_, not_, or_
from verifier.tla.translate.domains import domain_of
from verifier.tla.translate.function_conversions import is_row, row_of_partial
from verifier.tla.translate.kinds import expect_kind, kinds_of
from verifier.tla.translate.making import less
from verifier.tla.translate.membership import contains
from verifier.tla.translate.parts import rows_of, sequence_length
from verifier.tla.translate.spreading import describe, exists, spread
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
)
from verifier.tla.translate.symbolic import Operator as Op
from verifier.tla.translate.terms import variable
from verifier.tla.translate.value_kinds import (
    EVERY,
    FUNCTION,
    INTEGER,
    SET,
    STRING,
    clash,
    kind_of,
    kinds_of_members,
)
from verifier.tla.value_types import Fn
from verifier.tla.values import is_set, pairs_of

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


def member_of(t: Translator, of: Sym, item: Sym) -> Sym:
    """Translate membership. It has no value where the item may not be compared with the members."""
    if t.of_candidates:
        return contains(t, of, item)
    members = expect_kind(t, of, SET)
    inside = _member_of_set(t, members, item)
    return inside if members is of else t.strict(inside, members)


def _member_of_set(t: Translator, of: Sym, item: Sym) -> Sym:
    if isinstance(of, Known):
        of = describe(of.value)
    match of:
        case Nothing():
            return of
        case Chosen():
            sides = [t.member_of(side, item) for side in (of.then, of.otherwise)]
            return if_(t, of.condition, *sides)
        case Joined():
            return or_(t, [t.member_of(part, item) for part in of.parts])
        case Part():
            inside = t.member_of(of.base, item)
            return NO if inside is NO else and_(t, [inside, of.test(item)])
        case Members(base=base) if base is not None:
            inside = t.member_of(base, item)
            return NO if inside is NO else and_(t, [inside, contains(t, of, item)])
    inside = contains(t, of, item)
    return t.after(_comparable_with_members(t, of, item, inside), inside)


def require_comparable(t: Translator, one: Sym, other: Sym) -> Sym:
    """Return TRUE where two values may be compared; it has no value elsewhere."""
    wrong = [
        and_(t, [first, second])
        for kind, first in kinds_of(t, one).items()
        for another, second in kinds_of(t, other).items()
        if clash(kind, {another})
    ]
    return if_(t, or_(t, wrong), Nothing("values of different kinds are compared"), YES)


def _comparable_with_members(t: Translator, of: Sym, item: Sym, inside: Sym) -> Sym:
    """Return TRUE where an item is in a set or may be compared with its members; it has no value
    elsewhere."""
    kinds = kinds_of(t, item)
    clashes = _clash_with_some(t, of, kinds)
    if clashes is NO:
        return YES
    wrong = and_(t, [not_(t, inside), clashes])
    return if_(t, wrong, Nothing("a value of another kind than the members of the set"), YES)


def require_comparable_members(t: Translator, one: Sym, other: Sym) -> Sym:
    """Return TRUE where the members of two finite sets may be compared with each other; it has no value
    elsewhere."""
    first, second = _some_of_kinds(t, one), _some_of_kinds(t, other)
    pairs = [(a, b) for a in first for b in second if clash(a, {b})]
    if not pairs:
        return YES
    return _unless_both(t, [(first[a], second[b]) for a, b in pairs])


def require_one_kind_of_parts(t: Translator, of: Sym) -> Sym:
    """Return a set whose members are listed; it has no value where it unites members that may not be
    compared. Membership in a union looks into one part after the other, so it does not require this."""
    if isinstance(of, Chosen):
        sides = [require_one_kind_of_parts(t, side) for side in (of.then, of.otherwise)]
        same = sides[0] is of.then and sides[1] is of.otherwise
        return of if same else if_(t, of.condition, *sides)
    if not isinstance(of, Joined):
        return of
    pairs = [pair for pair in combinations(of.parts, 2) if _may_clash(t, *pair)]
    return t.after(and_(t, [require_comparable_members(t, one, other) for one, other in pairs]), of)


def _may_clash(t: Translator, one: Sym, other: Sym) -> bool:
    """True if members of two sets may be of kinds that are not compared. The form of most sets tells."""
    kinds = _kinds_by_form(t, other)
    return any(clash(kind, kinds) for kind in _kinds_by_form(t, one))


def _kinds_by_form(t: Translator, of: Sym) -> set[str]:
    match of:
        case Known():
            return kinds_of_members(of.value) if is_set(of.value) else set()
        case Functions() | Records() | Products() | AllSequences():
            return {FUNCTION}
        case Subsets():
            return {SET}
        case Span():
            return {INTEGER}
        case Joined():
            return set().union(*(_kinds_by_form(t, part) for part in of.parts))
    return set(_some_of_kinds(t, of))


def require_one_kind(t: Translator, of: Sym) -> Sym:
    """Return a finite set; it has no value where its members may not be compared with each other."""
    by_kind = _some_of_kinds(t, of)
    pairs = [(by_kind[a], by_kind[b]) for a, b in combinations(by_kind, 2) if clash(a, {b})]
    return t.after(_unless_both(t, pairs), of)


def _unless_both(t: Translator, pairs: Iterable[tuple[list[Sym], list[Sym]]]) -> Sym:
    """Return TRUE; it has no value where there are members of two kinds that may not be compared."""
    wrong = [and_(t, [or_(t, one), or_(t, other)]) for one, other in pairs]
    return if_(t, or_(t, wrong), Nothing("members of different kinds are in one set"), YES)


def _some_of_kinds(t: Translator, of: Sym) -> dict[str, list[Sym]]:
    """Map each kind that members of a finite set may have to the formulas that say when one has it."""
    if isinstance(of, Known):
        return {kind: [YES] for kind in kinds_of_members(of.value)}
    by_kind: dict[str, list[Sym]] = {}
    for case in spread(t, of):
        for kind, held in kinds_of(t, case.item).items():
            by_kind.setdefault(kind, []).append(exists(t, case, held))
    return by_kind


def require_comparable_key(t: Translator, function: Sym, key: Sym) -> Sym:
    """Return TRUE where a key may be compared with the keys of a function; it has no value elsewhere."""
    kinds, own = kinds_of(t, key), _kinds_of_keys(t, function)
    model = [held for kind, held in kinds.items() if kind not in EVERY]
    comparable: Sym = YES
    if model and INTEGER in own:  # the keys of a sequence are compared with integers alone
        wrong = and_(t, [or_(t, model), is_sequence(t, function)])
        comparable = if_(t, wrong, Nothing("a sequence has integers as its keys"), YES)
    if not any(clash(kind, own) for kind in kinds):
        return comparable
    return and_(t, [comparable, _comparable_with_members(t, domain_of(t, function), key, NO)])


def is_sequence(t: Translator, function: Sym) -> Sym:
    """Return the formula that a function is a sequence and not empty."""
    table = rows_of(t, function)
    if table is not None:
        return YES if table.rows and table.rows.keys() == set(range(1, len(table.rows) + 1)) else NO
    if isinstance(function, Row):
        return less(t, Known(0), function.length)
    if isinstance(function, Entries):
        function = t.term(function)
    if not isinstance(function, Term) or not isinstance(function.sort, Sequence | PartialFunction):
        return NO
    if isinstance(function.sort, Sequence):
        return less(t, Known(0), sequence_length(function))
    row = row_of_partial(t, function)
    return and_(t, [less(t, Known(0), row.length), is_row(t, function, row)])


def _kinds_of_keys(t: Translator, function: Sym) -> set[str]:
    """Return the kinds that keys of a function may have."""
    match function:
        case Table():
            return {kind_of(key) for key in function.rows}
        case Row():
            return {INTEGER}
        case Term(sort=Tuple() | Sequence()):
            return {INTEGER}
        case Term(sort=Record()):
            return {STRING}
        case Term(sort=Function(domain=keys) | PartialFunction(domain=keys)):
            return set(kinds_of(t, variable(Symbol("k", keys))))
        case Term():  # each alternative is asked for itself
            return set()
        case Known() if isinstance(function.value, tuple | Fn):
            return {kind_of(key) for key in pairs_of(function.value)}
    return set(EVERY)


def require_comparable_parts(t: Translator, one: Sym, other: Sym, inside: Sym) -> Sym:
    """Return ``inside``, whether a set is a subset of another. It has no value where a missing member may not
    be compared with the members of the other set. Model values come first: if one of them is missing, nothing
    else is compared."""
    cases = [(case, kinds_of(t, case.item)) for case in spread(t, one)]
    if _clash_with_some(t, other, dict.fromkeys((k for _, kinds in cases for k in kinds), YES)) is NO:
        return inside
    by_kind: dict[str, list[Sym]] = {}
    missing: list[Sym] = []
    for case, kinds in cases:
        for kind, held in kinds.items():
            if kind != "model":
                by_kind.setdefault(kind, []).append(exists(t, case, held))
                continue
            absent = not_(t, contains(t, other, case.item))
            missing.append(exists(t, case, and_(t, [held, absent])))
    clashes = _clash_with_some(t, other, {kind: or_(t, held) for kind, held in by_kind.items()})
    wrong = and_(t, [not_(t, inside), clashes, not_(t, or_(t, missing))])
    return t.after(if_(t, wrong, Nothing("a value of another kind than the members"), YES), inside)


def _clash_with_some(t: Translator, of: Sym, kinds: dict[str, Sym]) -> Sym:
    """True where some member of a set may not be compared with a value. ``kinds``: the kinds that the value
    may have, each with its condition."""
    match of:
        case Known():
            described = describe(of.value)
            if not isinstance(described, Known):
                return _clash_with_some(t, described, kinds)
            return _clash_with_kinds(t, kinds_of_members(of.value), kinds)
        case Functions() | Records() | Products() | AllSequences():
            return _clash_with_kinds(t, {FUNCTION}, kinds)
        case Subsets():
            return _clash_with_kinds(t, {SET}, kinds)
        case Span():
            other = _clash_with_kinds(t, {INTEGER}, kinds)
            return NO if other is NO else and_(t, [less(t, of.low, of.high, equal=True), other])
        case Joined():
            return or_(t, [_clash_with_some(t, part, kinds) for part in of.parts])
        case Chosen():
            sides = [_clash_with_some(t, side, kinds) for side in (of.then, of.otherwise)]
            return if_(t, of.condition, *sides)
        case Members() | Part() | Term():
            return _clash_with_listed(t, of, kinds)
        case Nothing() | Table() | Row() | Entries() | LazyMap() | Op():  # membership itself has no value
            return NO
    assert_never(of)


def _clash_with_kinds(t: Translator, members: set[str], kinds: dict[str, Sym]) -> Sym:
    return or_(t, [held for kind, held in kinds.items() if clash(kind, members)])


def _clash_with_listed(t: Translator, of: Members | Part | Term, kinds: dict[str, Sym]) -> Sym:
    if isinstance(of, Term):
        if not isinstance(of.sort, Set):
            return NO
        if t.names.lists(of.sort.element):
            own = {kind_of(one) for one in t.names.listing(of.sort.element)}
            if not any(clash(kind, own) or clash(other, {kind}) for kind in kinds for other in own):
                return NO
    clashes = []
    for case in spread(t, of):
        for kind, held in kinds_of(t, case.item).items():
            also = or_(t, [is_of for other, is_of in kinds.items() if clash(kind, {other})])
            if also is not NO:
                clashes.append(exists(t, case, and_(t, [held, also])))
    return or_(t, clashes)
