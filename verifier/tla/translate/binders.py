"""Expressions that bind names: quantifiers, CHOOSE, sets of what passes a test, images."""

from __future__ import annotations

from collections.abc import Container, Iterator

from verifier.encodings.sorts import Set
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.tla import ast
from verifier.tla.errors import Place
from verifier.tla.lazy_sets import Interval
from verifier.tla.translate.calls import Calls
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.making import set_of
from verifier.tla.translate.spreading import Case
from verifier.tla.translate.symbolic import (
    NO,
    YES,
    AllSequences,
    Functions,
    Known,
    Members,
    Nothing,
    Part,
    Products,
    Records,
    Subsets,
    Sym,
    Untranslated,
)
from verifier.tla.translate.terms import TRUTH, undefined, variable
from verifier.tla.values import LazySet, is_infinite, is_set

_MOST_UNROLLED = 16
"""Members that may be in a set are looked at one by one where the order in which they are matters."""


class Binders(Calls):
    """Translates what binds names."""

    def bound_cases(
        self,
        bindings: tuple[ast.Binding, ...],
        context: Context,
        *,
        unroll: bool = False,
        once: Place | None = None,
        freely: bool = False,
        few: bool = False,
        as_one: Container[ast.Symbol] = (),
    ) -> tuple[Sym, Iterator[tuple[list[Case], Context]]]:
        """What reads the sets; and all ways in which names are bound: the cases of their sets, from the left,
        and the context. ``unroll``: values of small sorts one by one; ``once``: no member twice, for
        the formula there; ``freely``: one case for all subsets of a set, where there are many; ``few``: the
        values of small sorts one by one, in any order; ``as_one``: names for all of whose values, if these
        have parts, there is one case."""
        domains = [self.set_value(binding.domain, context) for binding in bindings]
        for binding, domain in zip(bindings, domains, strict=True):
            base = domain.base if isinstance(domain, Part) else domain
            if isinstance(base, Known) and is_infinite(base.value):
                raise Untranslated(binding.domain.place, "an infinite set is gone through")
        of = dict(zip(map(id, bindings), domains, strict=True))
        pairs = [(binding, name, of[id(binding)]) for binding, name in names_of(bindings)]

        def level(number: int, done: list[Case], inner: Context) -> Iterator[tuple[list[Case], Context]]:
            if number == len(pairs):
                yield done, inner
                return
            binding, name, domain = pairs[number]
            if isinstance(domain, Nothing):
                return
            shown = binding.names[0].name
            found = self.spread_freely(domain, shown, once=once is not None) if freely else None
            if name in as_one and isinstance(domain, Known):
                found = self.spread_as_one(domain.value, shown)
            if found is not None:
                cases = found
            elif once is not None:
                cases = self.spread_once(domain, shown, once)
            elif few and isinstance(domain, Term) and (items := self.few_items(domain)) is not None:
                cases = [Case(condition, item) for condition, item in items]
            else:
                cases = self.unrolled(domain) if unroll else self.spread(domain, shown)
            for case in self._matching(binding, cases):
                if case.condition is not NO:
                    yield from level(number + 1, [*done, case], self.put(binding, name, case.item, inner))

        return self.and_([self.reads(domain) for domain in domains]), level(0, [], context)

    def unrolled(self, domain: Sym) -> list[Case]:
        """The members of a set as known values, in order, if few may be in it."""
        cases = self.spread(domain)
        few = all(case.symbol is None or case.symbol.sort.size <= _MOST_UNROLLED for case in cases)
        if not few or all(case.symbol is None for case in cases):
            return cases
        return self.each_once(domain)

    def put(self, binding: ast.Binding, name: ast.Bound | None, item: Sym, context: Context) -> Context:
        """The context where a bound name, or a tuple of names, stands for an item."""
        if name is not None:
            return context.bound({name: item})
        fits = self._fits(binding, item)
        parts: dict[ast.Symbol, Sym] = {
            one: self.after(fits, self.apply(item, Known(number))) if not isinstance(fits, Nothing) else fits
            for number, one in enumerate(binding.names, 1)
        }
        return context.bound(parts)

    def _fits(self, binding: ast.Binding, item: Sym) -> Sym:
        """A formula that has a value where an item is a tuple of as many parts as there are names; it is true
        there."""
        count = len(binding.names)
        length = self.length_of(item)
        return self.if_(self.equal(length, Known(count)), YES, Nothing(f"tuples of {count} are expected"))

    def _matching(self, binding: ast.Binding, cases: list[Case]) -> list[Case]:
        """Cases that are read as tuples, where names of parts are bound, whether these are used or not."""
        if not binding.is_tuple:
            return cases
        return [Case(self.and_([c.condition, self._fits(binding, c.item)]), c.item, c.symbol) for c in cases]

    def _read_as(self, binding: ast.Binding, item: Sym, formula: Sym) -> Sym:
        """A formula about an item of a tuple of names, where the item is such a tuple."""
        return self.after(self._fits(binding, item), formula) if binding.is_tuple else formula

    def _quantifier(self, whole: ast.Quantifier, context: Context) -> Sym:
        found, exact = self._quantified(whole, context, unroll=False)
        return found if exact else self._quantified(whole, context, unroll=True)[0]

    def _quantified(self, whole: ast.Quantifier, context: Context, *, unroll: bool) -> tuple[Sym, bool]:
        """The formula; and whether its body has a value wherever it is read, so that the order in which
        members are looked at does not matter."""
        read, rows = self.bound_cases(whole.bindings, context, unroll=unroll)
        exact = [True]

        def parts() -> Iterator[Sym]:
            for cases, inner in rows:
                body = self.truth(self.value(whole.body, inner))
                if any(case.symbol is not None for case in cases) and self.reads(body) is not YES:
                    exact[0] = False
                for case in reversed(cases):
                    body = self.for_all(case, body) if whole.universal else self.exists(case, body)
                yield body

        found = self.and_(parts()) if whole.universal else self.or_(parts())
        return self.after(read, found), exact[0]

    def _choose(self, whole: ast.Choose, context: Context) -> Sym:
        domain = self.set_value(whole.binding.domain, context)
        if isinstance(domain, Nothing):
            return domain
        name = None if whole.binding.is_tuple else whole.binding.names[0]

        def body(item: Sym) -> Sym:
            found = self.truth(self.value(whole.body, self.put(whole.binding, name, item, context)))
            return self._read_as(whole.binding, item, found)

        return self.strict(self.chosen(domain, body), domain)

    def _filter(self, whole: ast.Filter, context: Context) -> Sym:
        domain = self.set_value(whole.binding.domain, context)
        if isinstance(domain, Nothing):
            return domain
        name = None if whole.binding.is_tuple else whole.binding.names[0]

        def test(item: Sym) -> Sym:
            found = self.truth(self.value(whole.body, self.put(whole.binding, name, item, context)))
            return self._read_as(whole.binding, item, found)

        if isinstance(domain, Known) and is_set(domain.value) and is_infinite(domain.value):
            return Part(domain, test)
        if isinstance(domain, Subsets) and self.many_subsets(domain) is not None:
            return Part(domain, test)
        found: list[tuple[Sym, Sym]] = []
        for case in self.spread(domain):
            if case.symbol is not None:
                return Part(domain, test)
            condition = self.and_([case.condition, test(case.item)])
            if isinstance(condition, Nothing):
                return condition
            if condition is not NO:
                found.append((condition, case.item))
        made = Members(tuple(found), domain) if _is_described(domain) else set_of(found)
        return self.after(self.reads(domain), made)

    def _image(self, whole: ast.Image, context: Context) -> Sym:
        members: list[tuple[Sym, Sym]] = []
        pieces: list[Term] = []
        read, rows = self.bound_cases(whole.bindings, context, few=True)
        for cases, inner in rows:
            item = self.value(whole.body, inner)
            if isinstance(item, Nothing):
                if all(case.condition is YES for case in cases):
                    return item
                item = undefined(TRUTH)
            condition = self.and_([case.condition for case in cases])
            symbols = [case.symbol for case in cases if case.symbol is not None]
            if not symbols:
                members.append((condition, item))
                continue
            made = self.term(item)
            if len(symbols) == 1:
                formula = self.formula(condition)
                pieces.append(Term(Operator.IMAGE, Set(made.sort), (formula, made), binds=symbols[0]))
                continue
            pieces.append(self._image_of_several(symbols, condition, made))
        found: Sym = self.of_one_kind(set_of(members))
        for piece in pieces:
            one = self.of_one_kind(piece)
            found = one if isinstance(found, Known) and not found.value else self.united(found, one)
        return self.after(read, found)

    def _image_of_several(self, symbols: list[Symbol], condition: Sym, made: Term) -> Term:
        own = self.fresh("v", made.sort)
        body = self.formula(self.and_([condition, Term(Operator.EQUAL, TRUTH, (variable(own), made))]))
        for symbol in reversed(symbols):
            body = Term(Operator.EXISTS, TRUTH, (body,), binds=symbol)
        return Term(Operator.COMPREHENSION, Set(made.sort), (body,), binds=own)


def names_of(bindings: tuple[ast.Binding, ...]) -> list[tuple[ast.Binding, ast.Bound | None]]:
    """Each name with its binding; None for a tuple of names."""
    return [(b, name) for b in bindings for name in (b.names if not b.is_tuple else (None,))]


def _is_described(of: Sym) -> bool:
    """Whether a set is one of functions, tuples or sets that is not listed."""
    if isinstance(of, Known):
        return isinstance(of.value, LazySet) and not isinstance(of.value, Interval)
    return isinstance(of, Functions | Records | Products | Subsets | AllSequences)


__all__ = ["Binders", "names_of"]
