"""Constructors of terms, and sorts that may stand for each other."""

from __future__ import annotations

from verifier.encodings.sorts import (
    Boolean,
    Function,
    Listed,
    Option,
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

TRUTH = Boolean()
SCALARS = (Range, Listed)


def literal(sort: Sort, value: object) -> Term:
    """Return a value of a sort as a term."""
    return Term(Operator.LITERAL, sort, (), value)


def variable(symbol: Symbol) -> Term:
    """Return a variable as a term."""
    return Term(Operator.VARIABLE, symbol.sort, (), symbol)


def number(value: int) -> Term:
    """Return an integer as a term."""
    return literal(Range(value, value), value)


def make_undefined_term(sort: Sort) -> Term:
    """Return a term of a sort that has no value in any state."""
    if sort.lacking is None and sort.size:
        return Term(Operator.GET, sort, (literal(Option(sort), None),))
    return Term(Operator.CHOOSE, sort, (literal(TRUTH, False),), binds=Symbol("x", sort))


def is_undefined(term: Term) -> bool:
    """True if a term was made by `make_undefined_term`."""
    return term.operator in (Operator.GET, Operator.CHOOSE) and term.arguments[0].operator is Operator.LITERAL


def always_true(term: Term) -> bool:
    """True if a formula is surely true wherever it has a value."""
    match term.operator:
        case Operator.LITERAL:
            return term.data is True
        case Operator.IMPLIES:
            return always_true(term.arguments[1])
        case Operator.EQUAL:
            return term.arguments[0] is term.arguments[1]
        case Operator.AND:
            return all(map(always_true, term.arguments))
    return False


def never_true(term: Term) -> bool:
    """True if a formula is surely true in no state: it is false, or has no value."""
    match term.operator:
        case Operator.LITERAL:
            return term.data is False
        case Operator.AND:
            return any(map(never_true, term.arguments))
        case Operator.OR:
            return all(map(never_true, term.arguments))
        case Operator.IF:
            return all(map(never_true, term.arguments[1:]))
    return is_undefined(term)


def with_symbols(term: Term, put: dict[Symbol, Term]) -> Term:
    """Substitute terms for free variables of a term. The substitutes bind none of its variables."""
    made: dict[Term, Term] = {}

    def of(one: Term) -> Term:
        if not one.free & put.keys():
            return one
        replaced = made.get(one)
        if replaced is None:
            if one.operator is Operator.VARIABLE:
                assert isinstance(one.data, Symbol)
                return put[one.data]
            arguments = tuple(map(of, one.arguments))
            replaced = made[one] = Term(one.operator, one.sort, arguments, one.data, one.binds)
        return replaced

    return of(term)


def alike(source: Sort, target: Sort) -> bool:
    """True if values of one sort are values of the other without a conversion."""
    if source == target:
        return True
    match source, target:
        case ((Range() | Listed()), (Range() | Listed())):
            return True
        case Set(), Set():
            return alike(source.element, target.element)
        case Sequence(), Sequence():
            return alike(source.element, target.element)
        case Tuple(), Tuple():
            return len(source.items) == len(target.items) and all(map(alike, source.items, target.items))
        case Record(), Record():
            return [n for n, _ in source.fields] == [n for n, _ in target.fields] and all(
                alike(one, other) for (_, one), (_, other) in zip(source.fields, target.fields, strict=True)
            )
        case Function(), Function():
            return source.domain == target.domain and alike(source.range, target.range)
        case PartialFunction(), PartialFunction():
            return alike(source.domain, target.domain) and alike(source.range, target.range)
        case Variant(), Variant():
            return [n for n, _ in source.alternatives] == [n for n, _ in target.alternatives] and all(
                alike(one, other)
                for (_, one), (_, other) in zip(source.alternatives, target.alternatives, strict=True)
            )
    return False


def loses(source: Sort, target: Sort) -> bool:
    """True if two sorts are alike (`alike`) but the target lacks scalars of the source. A set of the target's
    sort silently loses such a member."""
    if source == target:
        return False
    match source, target:
        case Range(), Range():
            return source.low <= source.high and not target.low <= source.low <= source.high <= target.high
        case ((Range() | Listed()), (Range() | Listed())):
            return not within(source, target)
        case Set(), Set():
            return loses(source.element, target.element)
        case Sequence(), Sequence():
            return loses(source.element, target.element)
        case Tuple(), Tuple():
            return any(map(loses, source.items, target.items))
        case Record(), Record():
            parts = target.field_sorts
            return any(name in parts and loses(one, parts[name]) for name, one in source.fields)
        case ((Function() | PartialFunction()), (Function() | PartialFunction())):
            return loses(source.domain, target.domain) or loses(source.range, target.range)
        case Variant(), Variant():
            alternatives = dict(target.alternatives)
            return any(
                tag in alternatives and loses(one, alternatives[tag]) for tag, one in source.alternatives
            )
    return False


def within(one: Sort, other: Sort) -> bool:
    return all(other.contains(value) for value in one.values())


def meet(one: Sort, other: Sort) -> bool:
    if isinstance(one, Range) and isinstance(other, Range):
        return one.low <= other.high and other.low <= one.high
    return any(other.contains(value) for value in one.values())


__all__ = [
    "SCALARS",
    "TRUTH",
    "alike",
    "always_true",
    "is_undefined",
    "literal",
    "make_undefined_term",
    "meet",
    "never_true",
    "number",
    "variable",
    "with_symbols",
    "within",
]
