"""Membership in sets that cannot be listed, such as Nat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.encodings.concrete import Concrete
from verifier.encodings.sorts import Set, Variant
from verifier.encodings.terms import Operator, Term
from verifier.tla.lazy_sets import Infinite
from verifier.tla.translate.connectives import if_
from verifier.tla.translate.parts import has_tag, payload_of
from verifier.tla.translate.symbolic import NO, YES, Nothing, Sym
from verifier.tla.translate.terms import SCALARS, TRUTH, literal
from verifier.tla.value_types import NoValue
from verifier.tla.values import is_member

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


_OTHER_KIND = "a value of another kind is looked for in this set"


def of_other_kind(t: Translator, words: str = _OTHER_KIND) -> Sym:
    """Return the answer for an item of a kind that the members of a set are not compared with."""
    return NO if t.of_candidates else Nothing(words)


def in_infinite(t: Translator, value: Infinite, item: Sym) -> Sym:
    """Translate membership in an infinite set."""
    if value.name == "Any":
        return YES
    term = t.term(item)
    if isinstance(term.sort, Variant):
        result: Sym = NO
        for tag, _ in term.sort.alternatives:
            result = if_(t, has_tag(term, tag), in_infinite(t, value, payload_of(term, tag)), result)
        return result
    if not isinstance(term.sort, SCALARS):
        return of_other_kind(t, f"a value of another kind is looked for in {value.name}")
    return _in_tested(t, value, term)


def _in_tested(t: Translator, value: Infinite, term: Term) -> Sym:
    """Return the formula that a scalar passes the test of an infinite set. It is undefined for values of
    another kind."""
    inside, read = set[Concrete](), set[Concrete]()
    for one in term.sort.values():
        try:
            passes = is_member(t.names.decode(one, term.sort), value)
        except NoValue:
            continue
        read.add(one)
        if passes:
            inside.add(one)
    held = _one_of(term, inside)
    if len(read) == term.sort.size:
        return held
    other = of_other_kind(t, f"a value of another kind is looked for in {value.name}")
    return if_(t, _one_of(term, read), held, other)


def _one_of(term: Term, values: set[Concrete]) -> Sym:
    if len(values) == term.sort.size:
        return YES
    if not values:
        return NO
    return Term(Operator.CONTAINS, TRUTH, (literal(Set(term.sort), frozenset(values)), term))
