"""The members of sets, each once. Equal items, and those in several parts of a union, are told apart."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from verifier.encodings.sorts import Range, Set
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.tla.errors import Place
from verifier.tla.translate.cases import Case
from verifier.tla.translate.connectives import and_, implies, not_, or_
from verifier.tla.translate.few_items import list_few_items
from verifier.tla.translate.making import equals
from verifier.tla.translate.parts import itself
from verifier.tla.translate.spreading import MOST_FOLDED, spread
from verifier.tla.translate.symbolic import NO, Chosen, Joined, Known, Members, Part, Subsets, Sym
from verifier.tla.translate.terms import TRUTH, variable
from verifier.tla.translate.terms import number as integer
from verifier.tla.values import materialize

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


_FEW_ITEMS = 4
"""The limit of items in a set. Beyond it, all its subsets are one case."""


def spread_once(t: Translator, of: Sym, name: str, place: Place) -> list[Case]:
    """Return the members of a set, as `spread` does, but without repetition where possible. ``place``: the
    formula that needs them."""
    match of:
        case Members():
            return _items_once(t, [Case(condition, item) for condition, item in of.items], place)
        case Joined():
            return [
                Case(_in_none(t, of.parts[:number], case), case.item, case.symbol)
                for number, part in enumerate(of.parts)
                for case in spread_once(t, part, name, place)
            ]
        case Chosen():
            return [
                Case(and_(t, [when, case.condition]), case.item, case.symbol)
                for when, part in ((of.condition, of.then), (not_(t, of.condition), of.otherwise))
                for case in spread_once(t, part, name, place)
            ]
        case Part():
            cases = spread_once(t, of.base, name, place)
            both = [(and_(t, [c.condition, of.test(c.item)]), c) for c in cases]
            return [Case(fits, c.item, c.symbol) for fits, c in both if fits is not NO]
        case Subsets() if list_few_items(t, of.base) is not None and not isinstance(of.base, Known):
            return _items_once(t, spread(t, of, name), place)
    return spread(t, of, name)


def many_subsets(t: Translator, of: Subsets) -> list[tuple[Sym, Sym]] | None:
    """Return the items of a set that the state decides and that has many subsets; None for another set."""
    few = None if isinstance(of.base, Known) else list_few_items(t, of.base)
    return few if few is not None and len(few) > _FEW_ITEMS else None


def spread_freely(t: Translator, of: Sym, name: str, *, once: bool) -> list[Case] | None:
    """Return all of many subsets of a set as one case: a variable says which items are in. None for another
    set. ``once``: no subset occurs twice, because no item is taken that equals an earlier one."""
    if isinstance(of, Part):
        cases = spread_freely(t, of.base, name, once=once)
        return cases and [Case(and_(t, [c.condition, of.test(c.item)]), c.item, c.symbol) for c in cases]
    items = many_subsets(t, of) if isinstance(of, Subsets) else None
    if items is None:
        return None
    symbol = Symbol(name, Set(Range(1, len(items))))
    t.free.add(symbol)
    taken = [
        Term(Operator.CONTAINS, TRUTH, (variable(symbol), integer(place)))
        for place in range(1, len(items) + 1)
    ]
    allowed = []
    for place, (inside, item) in enumerate(items):
        earlier = items[:place] if once else []
        again = or_(t, [and_(t, [when, equals(t, one, item)]) for when, one in earlier])
        new = and_(t, [inside, not_(t, again)])
        allowed.append(implies(t, taken[place], partial(itself, new)))
    chosen = Members(tuple((one, item) for one, (_, item) in zip(taken, items, strict=True)))
    return [Case(and_(t, allowed), chosen, symbol)]


def _items_once(t: Translator, cases: list[Case], place: Place) -> list[Case]:
    """Return items that may be equal. Each is a member only if no earlier item equals it."""
    known = [case.item.value for case in cases if isinstance(case.item, Known)]
    if len(known) == len(cases) == len(set(map(materialize, known))):
        return cases
    if len(cases) > MOST_FOLDED:
        t.uncounted = t.uncounted or place
        return cases
    items = []
    for number, case in enumerate(cases):
        same = [and_(t, [c.condition, equals(t, c.item, case.item)]) for c in cases[:number]]
        items.append(Case(and_(t, [case.condition, not_(t, or_(t, same))]), case.item))
    return items


def _in_none(t: Translator, parts: tuple[Sym, ...], case: Case) -> Sym:
    inside = [not_(t, t.has_candidate(part, case.item)) for part in parts]
    return and_(t, [case.condition, *inside])
