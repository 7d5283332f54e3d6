"""The rules by operator: how truth, equality and sets are read; those of integers are in ``integers``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from verifier.encodings.expressions import BOOLEAN, all_values, term_of, wrap
from verifier.encodings.sorts import IndexSet, Set
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.encodings.values import BooleanValue
from verifier.tla import ast
from verifier.tla.errors import Place
from verifier.tla.first_order.advice import advise, refuse_pair
from verifier.tla.first_order.cardinalities import read_cardinality
from verifier.tla.first_order.comprehensions import make_comprehension
from verifier.tla.first_order.integers import INTEGER_OPERATORS
from verifier.tla.first_order.kinds import (
    Fields,
    Kind,
    Map,
    Member,
    Optional,
    Pair,
    SetOf,
    Truth,
    Whole,
    Word,
    has_integers,
    has_sets,
    join,
)
from verifier.tla.first_order.reading import Reading, Rule
from verifier.tla.first_order.scopes import Misfit, Scope, Unread
from verifier.tla.first_order.sums import FOLDS
from verifier.tla.first_order.typed import (
    ALWAYS,
    NEVER,
    Collection,
    Typed,
    conjoin,
    disjoin,
    find_number,
    quantify,
    variable_of,
)
from verifier.tla.first_order.unions import make_union_rule

TRUTH = Truth()


def _truth(value: BooleanValue) -> Rule:
    return lambda reading, whole, scope, expected: Typed(TRUTH, value)


def _connective(combine: Callable[..., BooleanValue]) -> Rule:
    def rule(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Typed:
        return Typed(TRUTH, combine(*(reading.formula(one, scope) for one in whole.arguments)))

    return rule


def _equals(reading: Reading, whole: ast.Apply, scope: Scope) -> BooleanValue:
    """Return the equality of two values: of one kind, or such that one is of the kind of the other."""
    one, other = whole.arguments
    kinds: list[Kind] = []
    for left, right in ((one, other), (other, one)):
        try:
            known = _of_both(reading, reading.read_typed(left, scope), right, scope)
            kinds.append(known.kind)
            if not known.kind.is_known and not isinstance(known.kind, Whole):
                continue
            second = reading.read_typed(right, scope, known.kind)
        except Misfit:
            continue
        both = (known.value, second.value) if left is one else (second.value, known.value)
        return both[0] == both[1]  # type: ignore[no-any-return]
    if _apart(reading, scope, one, other) or _apart(reading, scope, other, one):
        return NEVER
    equal = _equal_with_any_bounds(reading, reading.read_typed(one, scope), reading.read_typed(other, scope))
    if equal is not None:
        return equal
    if kinds == [SetOf(None)] * 2:
        return ALWAYS
    shown = " and ".join(map(str, kinds)) or "values whose kinds are not known"
    raise Unread(whole.place, f"{shown} are compared{advise(*kinds) if len(kinds) == 2 else ''}")


def _equal_with_any_bounds(reading: Reading, one: Typed, other: Typed) -> BooleanValue | None:
    """Return the equality of integers, or of values without sets that differ in the bounds of integers: each
    integer is compared, so bounds do not matter. None for other values."""
    if isinstance(one.kind, Whole) and isinstance(other.kind, Whole):
        return one.value == other.value  # type: ignore[no-any-return]
    if has_sets(one.kind) or has_sets(other.kind) or not (one.kind.is_known and other.kind.is_known):
        return None
    fitting = reading.any_bounds.widen(other, one.kind)
    return None if fitting is None else one.value == fitting.value


def _of_both(reading: Reading, known: Typed, other: ast.Expression, scope: Scope) -> Typed:
    """Return an element of a family as a set, unless it is compared with another element."""
    if not reading.families.is_element(known):
        return known
    partner = reading.read(other, scope)
    is_set = isinstance(partner, Collection) or isinstance(partner.kind, SetOf)
    return reading.families.as_set(known) if is_set else known


def _apart(reading: Reading, scope: Scope, one: ast.Expression, other: ast.Expression) -> bool:
    """True for a single model value and an element of a constant set: they differ, as is assumed. A string
    differs from the elements if an ASSUME says so."""
    try:
        atom, element = reading.read_typed(one, scope), reading.read_typed(other, scope)
    except Misfit:
        return False
    if isinstance(atom.kind, Word) and isinstance(element.kind, Member) and atom.word is not None:
        constant = element.kind.constant
        if (atom.word, constant) in reading.constants.declared_apart:
            return True
        return reading.constants.assume_apart(atom.word, constant)
    return False


def _equal(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Typed:
    return Typed(TRUTH, _equals(reading, whole, scope))


def _differ(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Typed:
    return Typed(TRUTH, ~_equals(reading, whole, scope))


_PARTIAL = frozenset({Operator.GET, Operator.MINIMUM_OF, Operator.MAXIMUM_OF, Operator.APPLY})
"""The operators by which a value of a module may be one that there is not."""


def contains(reading: Reading, item: ast.Expression, members: ast.Expression, scope: Scope) -> BooleanValue:
    """Return the formula that an item is in a set. It has the reads of the item, although every value of the
    item's kind may be in the set: such a formula has no value where the item has none."""
    collection = reading.collection(members, scope)
    said = _find_membership(reading, item, members, scope)
    element = Whole() if isinstance(collection.element, Whole) else collection.element
    try:
        value = reading.read_typed(item, scope, element)
    except Misfit:
        return said
    term = term_of(value.value)
    if not _has_partial(term) or any(part == term for part in said.term.walk()):
        return said
    return conjoin(wrap(Term(Operator.EQUAL, BOOLEAN, (term, term))), said)


def _has_partial(whole: Term) -> bool:
    """True if a read in a term may have no value. A function of an index set has all elements as keys."""
    return any(
        term.operator in _PARTIAL
        and not (term.operator is Operator.APPLY and isinstance(term.arguments[1].sort, IndexSet))
        for term in whole.walk()
    )


def _find_membership(
    reading: Reading, item: ast.Expression, members: ast.Expression, scope: Scope
) -> BooleanValue:
    """Return the formula that an item with a value is in a set."""
    collection = reading.collection(members, scope)
    if collection.element is None:
        return NEVER
    try:
        if not isinstance(collection.element, Whole):
            return collection.has(reading.read_typed(item, scope, collection.element))
    except Misfit:
        pass
    value = reading.read_typed(item, scope)
    if isinstance(collection.element, Whole) and isinstance(value.kind, Whole):
        return collection.has(Typed(collection.element, value.value))
    if (among := _among(reading, value, collection)) is not None:
        return among
    below = reading.kinds.narrow(value, collection.element)
    if below is not None:
        return conjoin(below[0], collection.has(below[1]))
    if (
        isinstance(value.kind, Word)
        and value.word is not None
        and isinstance(collection.element, Member)
        and reading.constants.assume_apart(value.word, collection.element.constant)
    ):
        return NEVER
    words = f"{value.kind} is sought in a set whose elements are {collection.element}"
    raise Unread(item.place, words + advise(value.kind, collection.element))


def _among(reading: Reading, value: Typed, collection: Collection) -> BooleanValue | None:
    """Return the formula that a set is among some elements of a family; None for other values."""
    if (
        not isinstance(collection.element, Member)
        or collection.element.constant not in reading.constants.families
    ):
        return None
    symbol = Symbol("Q", collection.element.sort(reading.sorts))
    one = Typed(collection.element, variable_of(symbol))
    own = reading.families.as_set(one)
    fitting = reading.kinds.widen(value, own.kind)
    if fitting is None:
        return None
    return quantify(False, symbol, conjoin(collection.has(one), own.value == fitting.value))


def _in(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Typed:
    return Typed(TRUTH, contains(reading, whole.arguments[0], whole.arguments[1], scope))


def _not_in(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Typed:
    return Typed(TRUTH, ~contains(reading, whole.arguments[0], whole.arguments[1], scope))


def _subset(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Typed:
    one, other = whole.arguments
    first, second = reading.collection(one, scope), reading.collection(other, scope)
    is_all = second.whole and first.element == second.element and second.element is not None
    if first.element is None:
        return Typed(TRUTH, ALWAYS)
    kind = reading.find_element_kind(first, one.place)
    symbol = Symbol("x", kind.sort(reading.sorts))
    item = Typed(kind, variable_of(symbol))
    if is_all and not has_integers(kind):
        own = first.has(item)  # its reads stay, although the answer needs none
        return Typed(TRUTH, quantify(True, symbol, own.implies(own)) if _has_partial(own.term) else ALWAYS)
    if second.element is None:
        inside: BooleanValue = NEVER
    else:
        narrower = reading.kinds.narrow(item, second.element)
        if narrower is None:
            is_set = isinstance(second.element, SetOf) and reading.families.is_element(item)
            wider = reading.kinds.widen(reading.families.as_set(item) if is_set else item, second.element)
            if wider is None:
                refuse_pair("{} are compared", whole.place, kind, second.element)
            narrower = ALWAYS, wider
        inside = conjoin(narrower[0], second.has(narrower[1]))
    said = Term(Operator.FORALL, BOOLEAN, (first.has(item).implies(inside).term,), binds=symbol)
    return Typed(TRUTH, wrap(said))


# -- sets


def _both_sets(
    reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None
) -> tuple[Collection, Collection]:
    """Return the sets of an operator. If one is known only by the other, it is read as one of its kind."""
    wanted = expected.element if isinstance(expected, SetOf) else None
    one, other = whole.arguments
    first, second = reading.collection(one, scope, wanted), reading.collection(other, scope, wanted)
    if first.element != second.element:
        for element in (first.element, second.element):
            if element is None or not element.is_known:
                continue
            left, right = reading.collection(one, scope, element), reading.collection(other, scope, element)
            if left.element == right.element:
                return left, right
    return first, second


def _union(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Collection:
    first, second = _both_sets(reading, whole, scope, expected)
    if first.element is None or second.element is None:
        return second if first.element is None else first
    kind = _union_kind(reading, first, second, whole.place)
    if kind is None:
        refuse_pair("a union of {}", whole.place, first.element, second.element)
    parts = (first, second)

    def has(one: Typed) -> BooleanValue:
        said = []
        for part in parts:
            assert part.element is not None
            below = reading.kinds.narrow(one, part.element)
            if below is None:
                refuse_pair("a union of {}", whole.place, first.element, second.element)
            said.append(conjoin(below[0], part.has(below[1])))
        return disjoin(*said)

    is_whole = any(part.whole and part.element == kind for part in parts)
    if first.unbounded or second.unbounded:
        return Collection(kind, has, whole=is_whole, unbounded=True)
    if isinstance(kind, Whole) and all(part.made is not None for part in parts):
        return Collection(
            kind, lambda one: disjoin(first.has(one), second.has(one)), first.made | second.made
        )
    if not kind.is_known:
        return Collection(kind, has, whole=is_whole)
    if all(part.made is not None and part.element == kind for part in parts):
        return Collection(kind, has, first.made | second.made, whole=is_whole)
    return Collection(kind, has, make_comprehension(reading, kind, has), whole=is_whole)


def _union_kind(reading: Reading, first: Collection, second: Collection, place: Place) -> Kind | None:
    """Return the kind of the elements of a union. One word beside values of another kind is none of them, as
    is assumed if these are the elements of a constant."""
    for one, other in ((first, second), (second, first)):
        if isinstance(one.element, Word) and not isinstance(other.element, Word | Optional):
            if one.words is None or len(one.words) != 1 or other.element is None:
                return None
            if isinstance(other.element, Member):
                constant = other.element.constant
                if not reading.constants.assume_apart(one.words[0], constant):
                    reading.constants.assume_beside_strings(constant, place)
            return Optional(other.element, one.words[0])
        number = _find_only_number(one)
        if number is not None and isinstance(other.element, Fields | Pair | Map | SetOf):
            return Optional(other.element, number)
    return join(first.element, second.element)


def _find_only_number(one: Collection) -> int | None:
    """Return the only element of a set if it is a written integer; None for another set."""
    if not isinstance(one.element, Whole) or one.made is None:
        return None
    items = term_of(one.made)
    if items.operator is not Operator.SET or len(items.arguments) != 1:
        return None
    return find_number(Typed(one.element, wrap(items.arguments[0])))


def _within(keeps: bool) -> Rule:
    """Return the rule of intersection, or of difference."""

    def rule(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Collection:
        first, second = _both_sets(reading, whole, scope, expected)
        if first.element is None or second.element is None:
            empty = first if first.element is None else second
            return empty if keeps else first
        if first.element != second.element and not isinstance(first.element, Whole):
            refuse_pair("{}", whole.place, first.element, second.element)

        def has(one: Typed) -> BooleanValue:
            inside = second.has(one)
            return conjoin(first.has(one), inside if keeps else ~inside)

        made = None
        if first.made is not None and second.made is not None:
            made = first.made & second.made if keeps else first.made - second.made
        return Collection(first.element, has, made, unbounded=first.unbounded)

    return rule


def _powerset(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Collection:
    wanted = expected.element if isinstance(expected, SetOf) else None
    inner = wanted.element if isinstance(wanted, SetOf) else None
    base = reading.collection(whole.arguments[0], scope, inner)
    element = reading.find_element_kind(base, whole.arguments[0].place)
    if base.whole and not has_integers(element):
        return Collection(SetOf(element), lambda _: ALWAYS, whole=True)

    def has(one: Typed) -> BooleanValue:
        # The elements of the value, which may have other integers than those of the kind.
        sort = term_of(one.value).sort
        assert isinstance(sort, Set)
        symbol = Symbol("x", sort.element)
        inside = base.has(Typed(element, variable_of(symbol)))
        said = one.value.contains(variable_of(symbol)).implies(inside)
        return wrap(Term(Operator.FORALL, BOOLEAN, (said.term,), binds=symbol))  # type: ignore[no-any-return]

    return Collection(SetOf(element), has, whole=base.whole)


def _booleans(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Collection:
    return Collection(TRUTH, lambda _: ALWAYS, all_values(BOOLEAN), whole=True)


def _domain(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Collection:
    function = reading.read_typed(whole.arguments[0], scope)
    if not isinstance(function.kind, Map):
        raise Unread(whole.place, f"DOMAIN of {function.kind}")
    return reading.kinds.whole(function.kind.domain)


OPERATORS: Mapping[str, Rule] = {
    "TRUE": _truth(ALWAYS),
    "FALSE": _truth(NEVER),
    "~": _connective(lambda one: ~one),
    "=>": _connective(lambda one, other: one.implies(other)),
    "<=>": _connective(lambda one, other: one == other),
    "=": _equal,
    "#": _differ,
    "\\in": _in,
    "\\notin": _not_in,
    "\\subseteq": _subset,
    "\\cup": _union,
    "\\cap": _within(keeps=True),
    "\\": _within(keeps=False),
    "SUBSET": _powerset,
    "UNION": make_union_rule(lambda said: _has_partial(said.term)),
    "BOOLEAN": _booleans,
    "DOMAIN": _domain,
    "Cardinality": read_cardinality,
    **INTEGER_OPERATORS,
    **FOLDS,
}
"""The rules by the name of the operator. Another operator is refused."""
