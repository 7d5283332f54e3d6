r"""The kinds of values that operators take and that may be compared.

An operator has no value for an argument of another kind, as in the interpreter: ``x \cup {1}`` where x is no
set, ``Cardinality(x)`` where x is a record. One function narrows the arguments of all operators to the kind
that they take.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from verifier.encodings.sorts import Listed, Set, Variant
from verifier.encodings.terms import Operator, Term
from verifier.tla.translate.connectives import and_, if_, not_, or_
from verifier.tla.translate.parts import has_tag, payload_of
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
from verifier.tla.translate.terms import TRUTH, literal
from verifier.tla.translate.value_kinds import FUNCTION, SET, kind_of, kind_of_sort

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


def expect_kind(t: Translator, value: Sym, kind: str) -> Sym:
    """Return a value; it has no value where it is of another kind."""
    if isinstance(value, Nothing | Op):
        return value
    if isinstance(value, Chosen):
        sides = [expect_kind(t, side, kind) for side in (value.then, value.otherwise)]
        same = sides[0] is value.then and sides[1] is value.otherwise
        return value if same else if_(t, value.condition, *sides)
    if isinstance(value, Term) and isinstance(value.sort, Variant):
        tags = [tag for tag, _ in value.sort.alternatives if kind in kinds_of(t, payload_of(value, tag))]
        if len(tags) == 1:
            return expect_kind(t, payload_of(value, tags[0]), kind)
    kinds = kinds_of(t, value)
    held = kinds.get(kind)
    if held is None:
        return Nothing(f"a {kind} is expected")
    if len(kinds) == 1:
        return value
    return t.after(if_(t, held, YES, Nothing(f"a {kind} is expected")), value)


def kinds_of(t: Translator, value: Sym) -> dict[str, Sym]:
    """Map each kind that an expression may have to the formula that it has this kind."""
    match value:
        case Known():
            return {kind_of(value.value): YES}
        case Nothing() | Op():
            return {}
        case Term():
            return _kinds_of_term(t, value)
        case Table() | Row() | Entries() | LazyMap():
            return {FUNCTION: YES}
        case Chosen():
            kinds: dict[str, Sym] = {}
            sides = ((value.condition, value.then), (not_(t, value.condition), value.otherwise))
            for when, side in sides:
                for kind, held in kinds_of(t, side).items():
                    kinds[kind] = or_(t, [kinds.get(kind, NO), and_(t, [when, held])])
            return kinds
        case Functions() | Records() | Products() | Subsets() | AllSequences() | Span():
            return {SET: YES}
        case Members() | Joined() | Part():
            return {SET: YES}
    assert_never(value)


def _kinds_of_term(t: Translator, value: Term) -> dict[str, Sym]:
    sort = value.sort
    if isinstance(sort, Variant):
        kinds: dict[str, Sym] = {}
        for tag, _ in sort.alternatives:
            held = has_tag(value, tag)
            for kind, when in kinds_of(t, payload_of(value, tag)).items():
                kinds[kind] = or_(t, [kinds.get(kind, NO), and_(t, [held, when])])
        return kinds
    if not isinstance(sort, Listed):
        return {kind_of_sort(sort): YES}
    groups = t.listed_kinds.get(sort)
    if groups is None:
        groups = t.listed_kinds[sort] = {}
        for one in sort.values():
            groups.setdefault(kind_of(t.names.decode(one, sort)), []).append(one)
    if len(groups) == 1:
        return dict.fromkeys(groups, YES)
    return {
        kind: Term(Operator.CONTAINS, TRUTH, (literal(Set(sort), frozenset(some)), value))
        for kind, some in groups.items()
    }
