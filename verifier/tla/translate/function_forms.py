r"""Translation of ``[x \\in S |-> e]``, of recursive functions, and of EXCEPT."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from verifier.encodings.sorts import PartialFunction, Set
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.tla import ast
from verifier.tla.translate.binders import bind, bind_cases, names_of, translate_listed_set
from verifier.tla.translate.connectives import and_, if_
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.evaluating import DEEPEST, make_known_function, make_strictly
from verifier.tla.translate.functions import apply, look_up, update_at
from verifier.tla.translate.making import less
from verifier.tla.translate.membership import contains
from verifier.tla.translate.parts import make_known_table
from verifier.tla.translate.sequences import at_most
from verifier.tla.translate.spreading import each_once, spread
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
from verifier.tla.value_types import Fn

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


_MOST_ENTRIES = 8
"""The largest set of scalars over which a function gets one entry for each, if the state decides the set."""
_MOST_TABLED = 64
"""A recursive function is tabled up to this number of possible arguments. Beyond, it is inlined."""


def translate_function(t: Translator, whole: ast.Function, context: Context) -> Sym:
    if whole.itself is not None:
        return _recursive(t, whole, context)
    several = sum(len(b.names) if not b.is_tuple else 1 for b in whole.bindings) > 1
    rows: dict[Any, Sym] = {}
    if not several:
        domain = translate_listed_set(t, whole.bindings[0].domain, context)
        if isinstance(domain, Span) and isinstance(domain.low, Known) and domain.low.value == 1:
            return _by_slots(t, whole, domain, context)
    read, ways = bind_cases(t, whole.bindings, context)
    if isinstance(read, Nothing):
        return read
    for cases, inner in ways:
        keys = [case.item for case in cases]
        if not (all(isinstance(k, Known) for k in keys) and all(c.condition is YES for c in cases)):
            few = _entries(t, whole, context)
            return _partial(t, whole, context) if few is None else t.after(read, few)
        item = t.value(whole.body, inner)
        if isinstance(item, Nothing):
            return item
        key = tuple(k.value for k in keys) if several else keys[0].value  # type: ignore[union-attr]
        rows[key] = item
    return t.after(read, make_known_table(Table(rows)))


def _by_slots(t: Translator, whole: ast.Function, domain: Span, context: Context) -> Sym:
    slots: list[Sym] = []
    length = domain.high
    for case in spread(t, domain):
        assert isinstance(case.item, Known)
        if case.item.value < 1:
            continue
        inner = bind(t, whole.bindings[0], whole.bindings[0].names[0], case.item, context)
        item = t.value(whole.body, inner)
        if isinstance(item, Nothing):
            short = less(t, length, case.item)
            return Row(tuple(slots), _length(t, if_(t, short, length, item), len(slots)))
        slots.append(item)
    return Row(tuple(slots), _length(t, length, len(slots)))


def _length(t: Translator, high: Sym, most: int) -> Sym:
    """Return the length of a sequence over ``1..high``; 0 where high is below 1."""
    return at_most(t, if_(t, less(t, high, Known(0)), Known(0), high), most)


def _entries(t: Translator, whole: ast.Function, context: Context) -> Sym | None:
    """Translate a function to one entry for each item. None if a symbol stands for items, or if the items are
    scalars that are known or many."""
    _, ways = bind_cases(t, whole.bindings, context)
    rows: list[tuple[Sym, Sym, Context]] = []
    for cases, inner in ways:
        if any(case.symbol is not None for case in cases):
            return None
        keys = dict(enumerate((case.item for case in cases), 1))
        key = cases[0].item if len(cases) == 1 else make_known_table(Table(keys))
        rows.append((and_(t, [case.condition for case in cases]), key, inner))
    are_known = all(isinstance(key, Known) for _, key, _ in rows)
    if (are_known or len(rows) > _MOST_ENTRIES) and all(_is_scalar(t, key) for _, key, _ in rows):
        return None
    entries, read = [], []
    for condition, key, inner in rows:
        item = t.value(whole.body, inner)
        if isinstance(item, Nothing):
            read.append(if_(t, condition, item, YES))
        else:
            entries.append((condition, key, item))
    return t.after(and_(t, read), Entries(tuple(entries)) if entries else Known(()))


def _is_scalar(t: Translator, key: Sym) -> bool:
    if isinstance(key, Known):
        return not isinstance(key.value, tuple | Fn | frozenset)
    return isinstance(key, Term) and isinstance(key.sort, SCALARS) and not t.names.lists(key.sort)


def _partial(t: Translator, whole: ast.Function, context: Context) -> Sym:
    """Translate a function over a set that the state decides. With several arguments, its keys are tuples."""
    keys = [(translate_listed_set(t, b.domain, context), b, name) for b, name in names_of(whole.bindings)]
    domains = tuple(one for one, _, _ in keys)
    domain = t.term(domains[0] if len(domains) == 1 else Products(domains))
    if not isinstance(domain.sort, Set):
        return Nothing("a set is expected")
    symbol = Symbol(whole.bindings[0].names[0].name, domain.sort.element)
    inner = context
    for place, (_, binding, name) in enumerate(keys, 1):
        key: Sym = variable(symbol)
        if len(keys) > 1:
            key = apply(t, key, Known(place))
        inner = bind(t, binding, name, key, inner)
    body = t.value(whole.body, inner)
    inside = Term(Operator.CONTAINS, TRUTH, (domain, variable(symbol)))
    made = t.term(body)
    sort = PartialFunction(symbol.sort, made.sort)
    return Term(Operator.PARTIAL_FUNCTION, sort, (inside, made), binds=symbol)


def _recursive(t: Translator, whole: ast.Function, context: Context) -> Sym:
    r"""Translate ``f[x \\in S] == e``, which may be recursive. A value is translated when it is needed."""
    domains = [translate_listed_set(t, binding.domain, context) for binding, _ in names_of(whole.bindings)]
    domain = domains[0] if len(domains) == 1 else make_strictly(lambda *d: Products(d), *domains)
    if isinstance(domain, Nothing):
        return domain
    facts = t.evaluator.analysis.of(whole.body, context.module)
    known: dict[Any, Sym] = {}
    depth = [0]

    def inline(key: Sym) -> Sym:
        inner = context.with_names({whole.itself: made})  # type: ignore[dict-item]
        for place, (binding, name) in enumerate(names_of(whole.bindings), 1):
            part = key if len(domains) == 1 else apply(t, key, Known(place))
            inner = bind(t, binding, name, part, inner)
        if depth[0] >= DEEPEST:
            return Nothing(f"a function calls itself deeper than {DEEPEST} times")
        depth[0] += 1
        try:
            value = t.value(whole.body, inner)
        finally:
            depth[0] -= 1
        inside = contains(t, domain, key)
        return value if inside is YES else if_(t, inside, value, Nothing("outside of the domain"))

    def at(key: Sym) -> Sym:
        if isinstance(key, Known):
            if key.value not in known:
                known[key.value] = inline(key)
            return known[key.value]
        if whole.itself not in facts.free:
            return inline(key)
        term = t.term(key)
        if term.operator is Operator.LITERAL:
            return at(Known(t.names.decode(term.data, term.sort)))
        if term.sort.size > _MOST_TABLED:
            return inline(key)
        rows = {value: at(Known(value)) for value in values_of_sort(t, term)}
        return t.strict(look_up(t, Table(rows), term), term)

    def entire() -> Sym:
        return make_known_function({case.item.value: at(case.item) for case in each_once(t, domain)})  # type: ignore[union-attr]

    made = LazyMap(domain, at, entire)
    return made


def values_of_sort(t: Translator, term: Term) -> list[Any]:
    """Return all values that a term may have by its sort."""
    return [t.names.decode(value, term.sort) for value in term.sort.values()]


def translate_application(t: Translator, whole: ast.FunctionApply, context: Context) -> Sym:
    function, key = t.value(whole.function, context), t.value(whole.argument, context)
    return t.strict(apply(t, function, key), function, key)


def translate_except(t: Translator, whole: ast.Except, context: Context) -> Sym:
    value = t.value(whole.function, context)
    for update in whole.updates:
        path = [t.value(part, context) for part in update.path]

        def make(old: Sym, update: ast.Update = update) -> Sym:
            return t.value(update.value, replace(context, at=old))

        value = t.strict(update_at(t, value, path, make), value, *path)
    return value
