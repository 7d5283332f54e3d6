"""What an operator reads is evaluated, whether its value depends on it or not.

An expression has no value where something that it reads has none, although its value may not depend on that:
``Head(Append(<<1>>, Tail(<<>>)))``. Terms say what they read by what they are made of. So where a part is not
in the term that an operator makes, the term is made to read it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from verifier.encodings.partiality import is_partial
from verifier.encodings.sorts import Boolean
from verifier.encodings.terms import Operator, Term
from verifier.tla.lazy_sets import Infinite
from verifier.tla.translate.sets import Sets
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
    Span,
    Subsets,
    Sym,
    Table,
)
from verifier.tla.translate.symbolic import Operator as Op
from verifier.tla.translate.terms import TRUTH, always_true, is_undefined, literal
from verifier.tla.values import is_infinite, is_set

_FAR = 5
"""How deep a part is looked for in what was made of it."""


class Reading(Sets):
    """Knows what is read."""

    def reads(self, value: Sym) -> Sym:
        """A formula that is true where all that a value is made of has a value, and has none elsewhere."""
        match value:
            case Known() | LazyMap() | Op():
                return YES
            case Nothing():
                return value
            case Term():
                return self._reads_term(value)
            case Table():
                return self.and_([self.reads(item) for item in value.rows.values()])
            case Row():
                length = value.length
                slots = [
                    self.guarded(self.less(Known(place), length), self.reads(slot))
                    for place, slot in enumerate(value.slots)
                ]
                return self.and_([self.reads(length), *slots])
            case Entries():
                return self._reads_entries(value)
            case Chosen():
                then, otherwise = self.reads(value.then), self.reads(value.otherwise)
                sides = (
                    YES if then is YES and otherwise is YES else self.if_(value.condition, then, otherwise)
                )
                return self.and_([self.reads(value.condition), sides])
        return self._reads_set(value)

    def _reads_entries(self, value: Entries) -> Sym:
        parts = []
        for condition, key, item in value.rows:
            both = self.and_([self.reads(key), self.reads(item)])
            parts.append(self.and_([self.reads(condition), self.guarded(condition, both)]))
        return self.and_(parts)

    def _reads_term(self, value: Term) -> Sym:
        if self.is_total(value):
            return YES
        # What implies the truth is read, and never asked whether it is true.
        asked = value if isinstance(value.sort, Boolean) else Term(Operator.EQUAL, TRUTH, (value, value))
        return Term(Operator.IMPLIES, TRUTH, (asked, literal(TRUTH, True)))

    def _reads_set(self, value: Sym) -> Sym:
        match value:
            case Functions():
                return self.and_([self.reads(value.domain), self.reads(value.range)])
            case Records():
                return self.and_([self.reads(image) for image in value.fields.values()])
            case Products():
                return self.and_([self.reads(item) for item in value.items])
            case Subsets() | AllSequences():
                return self.reads(value.base)
            case Span():
                return self.and_([self.reads(value.low), self.reads(value.high)])
            case Joined():
                return self.and_([self.reads(part) for part in value.parts])
            case Members():
                return self.and_(
                    [self.and_([self.reads(c), self.guarded(c, self.reads(i))]) for c, i in value.items]
                )
            case Part():
                return self._reads_part(value)
        return YES

    def _reads_part(self, value: Part) -> Sym:
        base = self.reads(value.base)
        if isinstance(value.base, Known) and is_set(value.base.value) and is_infinite(value.base.value):
            return base
        tests = []
        for case in self.spread(value.base):
            read = self.reads(value.test(case.item))
            tests.append(YES if read is YES else self.for_all(case, read))
        return self.and_([base, *tests])

    def guarded(self, condition: Sym, read: Sym) -> Sym:
        """What is read only under a condition."""
        return YES if read is YES else self.implies(condition, lambda: read)

    def is_total(self, term: Term) -> bool:
        """Whether a term has a value in every state, by its operators and sorts."""
        found = self.totals.get(term)
        if found is None:
            found = not is_partial(term) and all(map(self.is_total, term.arguments))
            self.totals[term] = found
        return found

    def surely_read(self, guards: Iterable[Sym]) -> bool:
        """Whether each of some guards has a value wherever those before it are true, as far as is seen."""
        within: set[tuple[object, object]] = set()
        for guard in guards:
            if isinstance(guard, Known):
                continue
            if not isinstance(guard, Term) or not self._is_total_within(guard, within):
                return False
            if guard.operator is Operator.CONTAINS and guard.arguments[0].operator is Operator.DOMAIN:
                (function,), key = guard.arguments[0].arguments, guard.arguments[1]
                if function.operator is Operator.VARIABLE and key.operator is Operator.LITERAL:
                    within.add((function.data, key.data))
        return True

    def _is_total_within(self, term: Term, within: set[tuple[object, object]]) -> bool:
        """Whether a term has a value where some keys are in the domains of some variables."""
        if self.is_total(term):
            return True
        if (
            term.operator is Operator.IF
            and is_undefined(term.arguments[2])
            and always_true(term.arguments[0])
        ):
            return all(self._is_total_within(part, within) for part in term.arguments[:2])
        if is_partial(term):
            if term.operator is not Operator.APPLY:
                return False
            function, key = term.arguments
            return (function.data, key.data) in within and key.operator is Operator.LITERAL
        return all(self._is_total_within(part, within) for part in term.arguments)

    # -- made to read

    def strict(self, result: Sym, *parts: Sym) -> Sym:
        """What an operator made, made to read the parts."""
        if isinstance(result, Nothing):
            return result
        lost = [part for part in parts if not (isinstance(part, Term) and _reads(result, part, _FAR))]
        return self.after(self.and_([self.reads(part) for part in lost]), result)

    def after(self, read: Sym, value: Sym) -> Sym:
        """A value, where a formula has one: it is true there."""
        if read is YES or isinstance(value, Nothing | Op):
            return value
        if isinstance(value, LazyMap):
            return LazyMap(
                value.domain,
                lambda key: self.after(read, value.at(key)),
                lambda: self.after(read, value.whole()),
            )
        if isinstance(read, Nothing):
            return read
        match value:
            case Members() if value.items:
                (condition, item), *rest = value.items
                return replace(value, items=((self.and_([read, condition]), item), *rest))
            case Members() if value.base is not None:
                return replace(value, base=self.after(read, value.base))
            case Table() if value.rows:
                first = next(iter(value.rows))
                return Table({**value.rows, first: self.after(read, value.rows[first])})
            case Row():
                return replace(value, length=self.after(read, value.length))
            case Entries() if value.rows:
                (condition, key, made), *others = value.rows
                return Entries(((self.and_([read, condition]), key, made), *others))
            case Chosen():
                return replace(value, condition=self.and_([read, value.condition]))
        return self._after_set(read, value)

    def _after_set(self, read: Sym, value: Sym) -> Sym:
        match value:
            case Functions():
                return replace(value, domain=self.after(read, value.domain))
            case Records() if value.fields:
                first = next(iter(value.fields))
                return Records({**value.fields, first: self.after(read, value.fields[first])})
            case Products():
                return Products((self.after(read, value.items[0]), *value.items[1:]))
            case Subsets() | AllSequences() | Part():
                return replace(value, base=self.after(read, value.base))
            case Span():
                return replace(value, low=self.after(read, value.low))
            case Joined():
                return Joined((self.after(read, value.parts[0]), *value.parts[1:]))
            case Known() if isinstance(value.value, Infinite):
                return Part(value, lambda item: read)
        found = self.term(value)
        return self.if_(read, found, Nothing())


def _reads(result: Sym, part: Term, far: int) -> bool:
    """Whether a term reads a part of it wherever it is read itself; it may say no although it does."""
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


__all__ = ["Reading"]
