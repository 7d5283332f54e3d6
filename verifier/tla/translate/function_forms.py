"""``[x \\in S |-> e]``, also recursive, and EXCEPT."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from verifier.encodings.sorts import PartialFunction, Set
from verifier.encodings.terms import Operator, Term
from verifier.tla import ast
from verifier.tla.translate.binders import Binders, names_of
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.evaluating import DEEPEST
from verifier.tla.translate.making import known_table
from verifier.tla.translate.symbolic import (
    YES,
    Entries,
    Known,
    LazyMap,
    Nothing,
    Products,
    Row,
    Span,
    Sym,
    Table,
)
from verifier.tla.translate.terms import SCALARS, TRUTH, variable
from verifier.tla.values import Fn

_MOST_ENTRIES = 8
"""A function over a set of so many scalars that the state decides has an entry for each of them."""
_MOST_TABLED = 64
"""A recursive function is computed for each of so many arguments that it may be applied to, else inlined."""


class FunctionForms(Binders):
    """Translates functions."""

    def _function(self, whole: ast.Function, context: Context) -> Sym:
        if whole.itself is not None:
            return self._recursive(whole, context)
        several = sum(len(b.names) if not b.is_tuple else 1 for b in whole.bindings) > 1
        rows: dict[Any, Sym] = {}
        if not several:
            domain = self.set_value(whole.bindings[0].domain, context)
            if isinstance(domain, Span) and isinstance(domain.low, Known) and domain.low.value == 1:
                return self._by_slots(whole, domain, context)
        read, found = self.bound_cases(whole.bindings, context)
        if isinstance(read, Nothing):
            return read
        for cases, inner in found:
            keys = [case.item for case in cases]
            if not (all(isinstance(k, Known) for k in keys) and all(c.condition is YES for c in cases)):
                few = self._entries(whole, context)
                return self._partial(whole, context) if few is None else self.after(read, few)
            item = self.value(whole.body, inner)
            if isinstance(item, Nothing):
                return item
            key = tuple(k.value for k in keys) if several else keys[0].value  # type: ignore[union-attr]
            rows[key] = item
        return self.after(read, known_table(Table(rows)))

    def _by_slots(self, whole: ast.Function, domain: Span, context: Context) -> Sym:
        slots: list[Sym] = []
        length = domain.high
        for case in self.spread(domain):
            assert isinstance(case.item, Known)
            if case.item.value < 1:
                continue
            inner = self.put(whole.bindings[0], whole.bindings[0].names[0], case.item, context)
            item = self.value(whole.body, inner)
            if isinstance(item, Nothing):
                short = self.less(length, case.item)
                return Row(tuple(slots), self._length(self.if_(short, length, item), len(slots)))
            slots.append(item)
        return Row(tuple(slots), self._length(length, len(slots)))

    def _length(self, high: Sym, most: int) -> Sym:
        """The length of a sequence over ``1..high``, which is empty where high is below 1."""
        return self.at_most(self.if_(self.less(high, Known(0)), Known(0), high), most)

    def _entries(self, whole: ast.Function, context: Context) -> Sym | None:
        """A function with an entry for each item; None if they are told by a symbol, or are scalars that are
        known or many."""
        _, found = self.bound_cases(whole.bindings, context)
        rows: list[tuple[Sym, Sym, Context]] = []
        for cases, inner in found:
            if any(case.symbol is not None for case in cases):
                return None
            keys = dict(enumerate((case.item for case in cases), 1))
            key = cases[0].item if len(cases) == 1 else known_table(Table(keys))
            rows.append((self.and_([case.condition for case in cases]), key, inner))
        are_known = all(isinstance(key, Known) for _, key, _ in rows)
        if (are_known or len(rows) > _MOST_ENTRIES) and all(self._is_scalar(key) for _, key, _ in rows):
            return None
        entries, read = [], []
        for condition, key, inner in rows:
            item = self.value(whole.body, inner)
            if isinstance(item, Nothing):
                read.append(self.if_(condition, item, YES))
            else:
                entries.append((condition, key, item))
        return self.after(self.and_(read), Entries(tuple(entries)) if entries else Known(()))

    def _is_scalar(self, key: Sym) -> bool:
        if isinstance(key, Known):
            return not isinstance(key.value, tuple | Fn | frozenset)
        return isinstance(key, Term) and isinstance(key.sort, SCALARS) and not self.names.lists(key.sort)

    def _partial(self, whole: ast.Function, context: Context) -> Sym:
        """A function over a set that the state decides; of several arguments, over tuples of them."""
        found = [(self.set_value(b.domain, context), b, name) for b, name in names_of(whole.bindings)]
        if len(found) == 1:
            domain = self.term(found[0][0])
        else:
            domain = self.term(Products(tuple(one for one, _, _ in found)))
        if not isinstance(domain.sort, Set):
            return Nothing("a set is expected")
        symbol = self.fresh(whole.bindings[0].names[0].name, domain.sort.element)
        inner = context
        for place, (_, binding, name) in enumerate(found, 1):
            key: Sym = variable(symbol)
            if len(found) > 1:
                key = self.apply(key, Known(place))
            inner = self.put(binding, name, key, inner)
        body = self.value(whole.body, inner)
        inside = Term(Operator.CONTAINS, TRUTH, (domain, variable(symbol)))
        made = self.term(body)
        sort = PartialFunction(symbol.sort, made.sort)
        return Term(Operator.PARTIAL_FUNCTION, sort, (inside, made), binds=symbol)

    def _recursive(self, whole: ast.Function, context: Context) -> Sym:
        """``f[x \\in S] == e``, which may be recursive: each value is computed when it is asked for."""
        domains = [self.set_value(binding.domain, context) for binding, _ in names_of(whole.bindings)]
        domain = domains[0] if len(domains) == 1 else self._strict(lambda *d: Products(d), *domains)
        if isinstance(domain, Nothing):
            return domain
        facts = self.evaluator.analysis.of(whole.body, context.module)
        known: dict[Any, Sym] = {}
        depth = [0]

        def inline(key: Sym) -> Sym:
            inner = context.bound({whole.itself: made})  # type: ignore[dict-item]
            for place, (binding, name) in enumerate(names_of(whole.bindings), 1):
                part = key if len(domains) == 1 else self.apply(key, Known(place))
                inner = self.put(binding, name, part, inner)
            if depth[0] >= DEEPEST:
                return Nothing(f"a function calls itself deeper than {DEEPEST} times")
            depth[0] += 1
            try:
                found = self.value(whole.body, inner)
            finally:
                depth[0] -= 1
            inside = self.contains(domain, key)
            return found if inside is YES else self.if_(inside, found, Nothing("outside of the domain"))

        def at(key: Sym) -> Sym:
            if isinstance(key, Known):
                if key.value not in known:
                    known[key.value] = inline(key)
                return known[key.value]
            if whole.itself not in facts.free:
                return inline(key)
            term = self.term(key)
            if term.operator is Operator.LITERAL:
                return at(Known(self.names.decode(term.data, term.sort)))
            if term.sort.size > _MOST_TABLED:
                return inline(key)
            rows = {value: at(Known(value)) for value in self.values_of_sort(term)}
            return self.strict(self._from_table(Table(rows), term), term)

        def entire() -> Sym:
            return self._tabled({case.item.value: at(case.item) for case in self.each_once(domain)})  # type: ignore[union-attr]

        made = LazyMap(domain, at, entire)
        return made

    def values_of_sort(self, term: Term) -> list[Any]:
        """All values that a term may have by its sort."""
        return [self.names.decode(value, term.sort) for value in term.sort.values()]

    def _applied_to(self, whole: ast.FunctionApply, context: Context) -> Sym:
        function, key = self.value(whole.function, context), self.value(whole.argument, context)
        return self.strict(self.apply(function, key), function, key)

    def _except(self, whole: ast.Except, context: Context) -> Sym:
        found = self.value(whole.function, context)
        for update in whole.updates:
            path = [self.value(part, context) for part in update.path]

            def make(old: Sym, update: ast.Update = update) -> Sym:
                return self.value(update.value, replace(context, at=old))

            found = self.strict(self.updated(found, path, make), found, *path)
        return found


__all__ = ["FunctionForms"]
