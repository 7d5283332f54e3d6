"""Arguments that an operator reads without using them.

An expression has no value if any argument has none, even if the result does not depend on it:
``Head(Append(<<1>>, Tail(<<>>)))``. A term reads its arguments. So if the term for an operator lacks an
argument, it is changed to read that too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from verifier.encodings.partiality import is_partial
from verifier.encodings.sorts import Boolean
from verifier.encodings.terms import Operator, Term
from verifier.tla.lazy_sets import Infinite
from verifier.tla.translate.connectives import and_, if_, implies, is_total
from verifier.tla.translate.making import less
from verifier.tla.translate.spreading import for_all, spread
from verifier.tla.translate.symbolic import (
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
    SetForm,
    Span,
    Subsets,
    Sym,
    Table,
)
from verifier.tla.translate.symbolic import Operator as Op
from verifier.tla.translate.terms import TRUTH, always_true, is_undefined, literal
from verifier.tla.values import is_infinite, is_set

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


_FAR = 5
"""The depth to which a part is searched in the term that is made from it."""


def reads(t: Translator, value: Sym) -> Sym:
    """Return TRUE where all parts of a value have a value; it has no value elsewhere."""
    match value:
        case Known() | LazyMap() | Op():
            return YES
        case Nothing():
            return value
        case Term():
            return _reads_term(t, value)
        case Table():
            return and_(t, [reads(t, item) for item in value.rows.values()])
        case Row():
            length = value.length
            slots = [
                guard_reads(t, less(t, Known(place), length), reads(t, slot))
                for place, slot in enumerate(value.slots)
            ]
            return and_(t, [reads(t, length), *slots])
        case Entries():
            return _reads_entries(t, value)
        case Chosen():
            then, otherwise = reads(t, value.then), reads(t, value.otherwise)
            sides = YES if then is YES and otherwise is YES else if_(t, value.condition, then, otherwise)
            return and_(t, [reads(t, value.condition), sides])
    return _reads_set(t, value)


def _reads_entries(t: Translator, value: Entries) -> Sym:
    parts = []
    for condition, key, item in value.rows:
        both = and_(t, [reads(t, key), reads(t, item)])
        parts.append(and_(t, [reads(t, condition), guard_reads(t, condition, both)]))
    return and_(t, parts)


def _reads_term(t: Translator, value: Term) -> Sym:
    if is_total(t, value):
        return YES
    # The premise of an implication with a true conclusion is read, but its truth does not matter.
    asked = value if isinstance(value.sort, Boolean) else Term(Operator.EQUAL, TRUTH, (value, value))
    return Term(Operator.IMPLIES, TRUTH, (asked, literal(TRUTH, True)))


def _reads_set(t: Translator, value: SetForm) -> Sym:
    match value:
        case Functions():
            return and_(t, [reads(t, value.domain), reads(t, value.range)])
        case Records():
            return and_(t, [reads(t, image) for image in value.fields.values()])
        case Products():
            return and_(t, [reads(t, item) for item in value.items])
        case Subsets() | AllSequences():
            return reads(t, value.base)
        case Span():
            return and_(t, [reads(t, value.low), reads(t, value.high)])
        case Joined():
            return and_(t, [reads(t, part) for part in value.parts])
        case Members():
            base = YES if value.base is None else reads(t, value.base)
            return and_(t, [base, *(_reads_member(t, c, i) for c, i in value.items)])
        case Part():
            return _reads_part(t, value)
    assert_never(value)


def _reads_member(t: Translator, condition: Sym, item: Sym) -> Sym:
    return and_(t, [reads(t, condition), guard_reads(t, condition, reads(t, item))])


def _reads_part(t: Translator, value: Part) -> Sym:
    base = reads(t, value.base)
    if isinstance(value.base, Known) and is_set(value.base.value) and is_infinite(value.base.value):
        return base
    tests = []
    for case in spread(t, value.base):
        read = reads(t, value.test(case.item))
        tests.append(YES if read is YES else for_all(t, case, read))
    return and_(t, [base, *tests])


def guard_reads(t: Translator, condition: Sym, read: Sym) -> Sym:
    """Return a formula that is read only under a condition."""
    return YES if read is YES else implies(t, condition, lambda: read)


def surely_read(t: Translator, guards: Iterable[Sym]) -> bool:
    """True if each guard surely has a value where all guards before it are true."""
    within: set[tuple[object, object]] = set()
    for guard in guards:
        if isinstance(guard, Known):
            continue
        if not isinstance(guard, Term) or not _is_total_within(t, guard, within):
            return False
        if guard.operator is Operator.CONTAINS and guard.arguments[0].operator is Operator.DOMAIN:
            (function,), key = guard.arguments[0].arguments, guard.arguments[1]
            if function.operator is Operator.VARIABLE and key.operator is Operator.LITERAL:
                within.add((function.data, key.data))
    return True


def _is_total_within(t: Translator, term: Term, within: set[tuple[object, object]]) -> bool:
    """True if a term has a value where some keys are in the domains of some variables."""
    if is_total(t, term):
        return True
    if term.operator is Operator.IF and is_undefined(term.arguments[2]) and always_true(term.arguments[0]):
        return all(_is_total_within(t, part, within) for part in term.arguments[:2])
    if is_partial(term):
        if term.operator is not Operator.APPLY:
            return False
        function, key = term.arguments
        return (function.data, key.data) in within and key.operator is Operator.LITERAL
    return all(_is_total_within(t, part, within) for part in term.arguments)


# -- results that read all arguments


def strict(t: Translator, result: Sym, *parts: Sym) -> Sym:
    """Return an operator's result, changed to read these arguments."""
    if isinstance(result, Nothing):
        return result
    lost = [part for part in parts if not (isinstance(part, Term) and _reads(result, part, _FAR))]
    return t.after(and_(t, [reads(t, part) for part in lost]), result)


def after(t: Translator, read: Sym, value: Sym) -> Sym:
    """Return a value; it has no value where the formula ``read`` has none. The formula is true elsewhere."""
    if read is YES or isinstance(value, Nothing | Op):
        return value
    if isinstance(value, LazyMap):
        return LazyMap(
            value.domain,
            lambda key: t.after(read, value.at(key)),
            lambda: t.after(read, value.whole()),
        )
    if isinstance(read, Nothing):
        return read
    match value:
        case Members() if value.items:
            (condition, item), *rest = value.items
            return replace(value, items=((and_(t, [read, condition]), item), *rest))
        case Members() if value.base is not None:
            return replace(value, base=t.after(read, value.base))
        case Table() if value.rows:
            first = next(iter(value.rows))
            return Table({**value.rows, first: t.after(read, value.rows[first])})
        case Row():
            return replace(value, length=t.after(read, value.length))
        case Entries() if value.rows:
            (condition, key, made), *others = value.rows
            return Entries(((and_(t, [read, condition]), key, made), *others))
        case Chosen():
            return replace(value, condition=and_(t, [read, value.condition]))
    return _after_set(t, read, value)


def _after_set(t: Translator, read: Sym, value: Sym) -> Sym:
    match value:
        case Functions():
            return replace(value, domain=t.after(read, value.domain))
        case Records() if value.fields:
            first = next(iter(value.fields))
            return Records({**value.fields, first: t.after(read, value.fields[first])})
        case Products():
            return Products((t.after(read, value.items[0]), *value.items[1:]))
        case Subsets() | AllSequences() | Part():
            return replace(value, base=t.after(read, value.base))
        case Span():
            return replace(value, low=t.after(read, value.low))
        case Joined():
            return Joined((t.after(read, value.parts[0]), *value.parts[1:]))
        case Known() if isinstance(value.value, Infinite):
            return Part(value, lambda item: read)
    term = t.term(value)
    return if_(t, read, term, Nothing())


def _reads(result: Sym, part: Term, far: int) -> bool:
    """True if a term surely reads a part wherever the term itself is read."""
    if result is part:
        return True
    if not isinstance(result, Term) or not far:
        return False
    if result.binds is not None:
        return False
    parts = result.arguments
    if result.operator in (Operator.IF, Operator.AND, Operator.OR, Operator.IMPLIES):
        parts = parts[:1]
    return any(_reads(one, part, far - 1) for one in parts)
