r"""Expressions that bind names: quantifiers, CHOOSE, and sets ``{x \in S : P}`` and ``{e : x \in S}``."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import TYPE_CHECKING

from verifier.encodings.sorts import Set
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.tla import ast
from verifier.tla.errors import Place
from verifier.tla.lazy_sets import Interval
from verifier.tla.translate.cases import Case
from verifier.tla.translate.comparability import require_one_kind, require_one_kind_of_parts
from verifier.tla.translate.connectives import and_, formula_of, if_, or_, truth_of
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.evaluating import set_value
from verifier.tla.translate.few_items import list_few_items
from verifier.tla.translate.functions import apply
from verifier.tla.translate.making import equals
from verifier.tla.translate.parts import set_of
from verifier.tla.translate.sequences import length_of
from verifier.tla.translate.set_operators import choose, unite
from verifier.tla.translate.spreading import each_once, exists, for_all, spread, spread_as_one
from verifier.tla.translate.spreading_once import many_subsets, spread_freely, spread_once
from verifier.tla.translate.strict_reading import reads
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
from verifier.tla.translate.terms import TRUTH, make_undefined_term, variable
from verifier.tla.values import LazySet, is_infinite, is_set

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


_MOST_UNROLLED = 16
"""Members of sorts up to this size become one case each where the order of the members matters."""


def translate_listed_set(t: Translator, whole: ast.Expression, context: Context) -> Sym:
    """Translate a set whose members are gone through. It has no value where TLC cannot list it."""
    return require_one_kind_of_parts(t, set_value(t, whole, context))


def bind_cases(
    t: Translator,
    bindings: tuple[ast.Binding, ...],
    context: Context,
    *,
    unroll: bool = False,
    once: Place | None = None,
    freely: bool = False,
    few: bool = False,
    as_one: Container[ast.Symbol] = (),
) -> tuple[Sym, Iterator[tuple[list[Case], Context]]]:
    """Return a formula that reads the sets, and all ways to bind the names. A way is one case of each set,
    from the left, with the context in which the names are bound. ``unroll``: each value of a small sort is a
    case, in order. ``once``: no member occurs twice; the formula is the one at this place. ``freely``: all
    subsets of a set with many subsets are one case. ``few``: each value of a small sort is a case, in any
    order. ``as_one``: for these names, one case stands for all values that have parts."""
    domains = [translate_listed_set(t, binding.domain, context) for binding in bindings]
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
        whole_cases = spread_freely(t, domain, shown, once=once is not None) if freely else None
        if name in as_one and isinstance(domain, Known):
            whole_cases = spread_as_one(t, domain.value, shown)
        if whole_cases is not None:
            cases = whole_cases
        elif once is not None:
            cases = spread_once(t, domain, shown, once)
        elif few and isinstance(domain, Term) and (items := list_few_items(t, domain)) is not None:
            cases = [Case(condition, item) for condition, item in items]
        else:
            cases = unroll_members(t, domain) if unroll else spread(t, domain, shown)
        for case in _matching(t, binding, cases):
            if case.condition is not NO:
                yield from level(number + 1, [*done, case], bind(t, binding, name, case.item, inner))

    return and_(t, [reads(t, domain) for domain in domains]), level(0, [], context)


def unroll_members(t: Translator, domain: Sym) -> list[Case]:
    """Return the members of a set as known values, in order, if the set can have only few."""
    cases = spread(t, domain)
    few = all(case.symbol is None or case.symbol.sort.size <= _MOST_UNROLLED for case in cases)
    if not few or all(case.symbol is None for case in cases):
        return cases
    return each_once(t, domain)


def bind(t: Translator, binding: ast.Binding, name: ast.Bound | None, item: Sym, context: Context) -> Context:
    """Return the context in which a bound name, or a tuple of names, stands for an item."""
    if name is not None:
        return context.with_names({name: item})
    fits = _fits(t, binding, item)
    parts: dict[ast.Symbol, Sym] = {
        one: t.after(fits, apply(t, item, Known(number))) if not isinstance(fits, Nothing) else fits
        for number, one in enumerate(binding.names, 1)
    }
    return context.with_names(parts)


def _fits(t: Translator, binding: ast.Binding, item: Sym) -> Sym:
    """Return TRUE where an item is a tuple with as many parts as there are names; it has no value
    elsewhere."""
    count = len(binding.names)
    length = length_of(t, item)
    return if_(t, equals(t, length, Known(count)), YES, Nothing(f"tuples of {count} are expected"))


def _matching(t: Translator, binding: ast.Binding, cases: list[Case]) -> list[Case]:
    """Require that cases are tuples where a binding names their parts, whether the names are used or not."""
    if not binding.is_tuple:
        return cases
    return [Case(and_(t, [c.condition, _fits(t, binding, c.item)]), c.item, c.symbol) for c in cases]


def _read_as(t: Translator, binding: ast.Binding, item: Sym, formula: Sym) -> Sym:
    """Return a formula about an item; for a tuple of names it has a value only where the item is such a
    tuple."""
    return t.after(_fits(t, binding, item), formula) if binding.is_tuple else formula


def translate_quantifier(t: Translator, whole: ast.Quantifier, context: Context) -> Sym:
    formula, exact = _quantify(t, whole, context, unroll=False)
    return formula if exact else _quantify(t, whole, context, unroll=True)[0]


def _quantify(t: Translator, whole: ast.Quantifier, context: Context, *, unroll: bool) -> tuple[Sym, bool]:
    """Return the formula, and whether its body has a value wherever it is read. If the body always has a
    value, the order of the members does not matter."""
    read, rows = bind_cases(t, whole.bindings, context, unroll=unroll)
    exact = [True]

    def parts() -> Iterator[Sym]:
        for cases, inner in rows:
            body = truth_of(t, t.value(whole.body, inner))
            if any(case.symbol is not None for case in cases) and reads(t, body) is not YES:
                exact[0] = False
            for case in reversed(cases):
                body = for_all(t, case, body) if whole.universal else exists(t, case, body)
            yield body

    formula = and_(t, parts()) if whole.universal else or_(t, parts())
    return t.after(read, formula), exact[0]


def translate_choose(t: Translator, whole: ast.Choose, context: Context) -> Sym:
    domain = translate_listed_set(t, whole.binding.domain, context)
    if isinstance(domain, Nothing):
        return domain
    name = None if whole.binding.is_tuple else whole.binding.names[0]

    def body(item: Sym) -> Sym:
        truth = truth_of(t, t.value(whole.body, bind(t, whole.binding, name, item, context)))
        return _read_as(t, whole.binding, item, truth)

    return t.strict(choose(t, domain, body), domain)


def translate_filter(t: Translator, whole: ast.Filter, context: Context) -> Sym:
    domain = translate_listed_set(t, whole.binding.domain, context)
    if isinstance(domain, Nothing):
        return domain
    name = None if whole.binding.is_tuple else whole.binding.names[0]

    def test(item: Sym) -> Sym:
        truth = truth_of(t, t.value(whole.body, bind(t, whole.binding, name, item, context)))
        return _read_as(t, whole.binding, item, truth)

    if isinstance(domain, Known) and is_set(domain.value) and is_infinite(domain.value):
        return Part(domain, test)
    if isinstance(domain, Subsets) and many_subsets(t, domain) is not None:
        return Part(domain, test)
    pairs: list[tuple[Sym, Sym]] = []
    for case in spread(t, domain):
        if case.symbol is not None:
            return Part(domain, test)
        condition = and_(t, [case.condition, test(case.item)])
        if isinstance(condition, Nothing):
            return condition
        if condition is not NO:
            pairs.append((condition, case.item))
    made = Members(tuple(pairs), domain) if _is_described(domain) else set_of(pairs)
    return t.after(reads(t, domain), made)


def translate_image(t: Translator, whole: ast.Image, context: Context) -> Sym:
    members: list[tuple[Sym, Sym]] = []
    pieces: list[Term] = []
    read, rows = bind_cases(t, whole.bindings, context, few=True)
    for cases, inner in rows:
        item = t.value(whole.body, inner)
        if isinstance(item, Nothing):
            if all(case.condition is YES for case in cases):
                return item
            item = make_undefined_term(TRUTH)
        condition = and_(t, [case.condition for case in cases])
        symbols = [case.symbol for case in cases if case.symbol is not None]
        if not symbols:
            members.append((condition, item))
            continue
        made = t.term(item)
        if len(symbols) == 1:
            formula = formula_of(t, condition)
            pieces.append(Term(Operator.IMAGE, Set(made.sort), (formula, made), binds=symbols[0]))
            continue
        pieces.append(_image_of_several(t, symbols, condition, made))
    result: Sym = require_one_kind(t, set_of(members))
    for piece in pieces:
        one = require_one_kind(t, piece)
        result = one if isinstance(result, Known) and not result.value else unite(t, result, one)
    return t.after(read, result)


def _image_of_several(t: Translator, symbols: list[Symbol], condition: Sym, made: Term) -> Term:
    own = Symbol("v", made.sort)
    body = formula_of(t, and_(t, [condition, Term(Operator.EQUAL, TRUTH, (variable(own), made))]))
    for symbol in reversed(symbols):
        body = Term(Operator.EXISTS, TRUTH, (body,), binds=symbol)
    return Term(Operator.COMPREHENSION, Set(made.sort), (body,), binds=own)


def names_of(bindings: tuple[ast.Binding, ...]) -> list[tuple[ast.Binding, ast.Bound | None]]:
    """Return each name with its binding. The name is None for a tuple of names."""
    return [(b, name) for b in bindings for name in (b.names if not b.is_tuple else (None,))]


def _is_described(of: Sym) -> bool:
    """True if a set consists of functions, tuples or sets, and is not listed."""
    if isinstance(of, Known):
        return isinstance(of.value, LazySet) and not isinstance(of.value, Interval)
    return isinstance(of, Functions | Records | Products | Subsets | AllSequences)
