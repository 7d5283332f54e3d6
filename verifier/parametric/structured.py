"""Terms of options, records, functions and variants, read as values of first-order logic."""

from __future__ import annotations

from verifier.encodings.sorts import Sort, Variant
from verifier.encodings.terms import Term
from verifier.parametric.first_order_values import Fields, Mapped, Members, OptionOf, Partly, Tags, Value
from verifier.parametric.nodes import Node
from verifier.parametric.term_reader import Reader, Scope


def some(reader: Reader, term: Term, scope: Scope) -> OptionOf:
    return OptionOf(reader.logic.false, reader.part(term.arguments[0], scope))


def is_none(reader: Reader, term: Term, scope: Scope) -> Node:
    return reader.part(term.arguments[0], scope).absent  # type: ignore[no-any-return]


def get(reader: Reader, term: Term, scope: Scope) -> Value:
    """Return the value of an option. For none it is the value of unused slots, as in the finite reading."""
    option = reader.part(term.arguments[0], scope)
    return reader.values.choice(option.absent, reader.values.make_unused(term.sort), option.value)  # type: ignore[no-any-return]


def record(reader: Reader, term: Term, scope: Scope) -> Fields:
    names = list(getattr(term.sort, "field_sorts", ())) or [str(n) for n in range(len(term.arguments))]
    return Fields({n: reader.part(arg, scope) for n, arg in zip(names, term.arguments, strict=True)})


def field(reader: Reader, term: Term, scope: Scope) -> Value:
    return reader.part(term.arguments[0], scope).of[str(term.data)]  # type: ignore[no-any-return]


def record_update(reader: Reader, term: Term, scope: Scope) -> Fields:
    record, value = (reader.part(arg, scope) for arg in term.arguments)
    return Fields({**record.of, str(term.data): value})


def apply(reader: Reader, term: Term, scope: Scope) -> Value:
    function, key = (reader.part(arg, scope) for arg in term.arguments)
    return function.at(key)  # type: ignore[no-any-return]


def function(reader: Reader, term: Term, scope: Scope) -> Mapped:
    return Mapped(reader.body(term, scope, term.arguments[0]))


def function_update(reader: Reader, term: Term, scope: Scope) -> Value:
    function, key, value = (reader.part(arg, scope) for arg in term.arguments)
    return reader.update(term.arguments[0].sort, function, key, value)


def variant(reader: Reader, term: Term, scope: Scope) -> Tags:
    assert isinstance(term.sort, Variant)
    payload = reader.part(term.arguments[0], scope) if term.arguments else Fields({})
    return reader.values.make_variant(term.sort, str(term.data), payload)


def has_tag(reader: Reader, term: Term, scope: Scope) -> Node:
    sort = term.arguments[0].sort
    assert isinstance(sort, Variant)
    number = [tag for tag, _ in sort.alternatives].index(str(term.data))
    return reader.logic.equal(reader.part(term.arguments[0], scope).tag, reader.logic.integer(number))


def payload(reader: Reader, term: Term, scope: Scope) -> Value:
    return reader.part(term.arguments[0], scope).payloads[str(term.data)]  # type: ignore[no-any-return]


def partial_function(reader: Reader, term: Term, scope: Scope) -> Partly:
    """Return a partial function. Only values of the enumerated sort are keys."""
    assert term.binds is not None
    (inside, body), sort = term.arguments, term.binds.sort
    is_key = reader.body(term, scope, inside)
    return Partly(
        lambda key: reader.logic.conj((reader.values.make_typing_formula(sort, key), is_key(key))),
        reader.body(term, scope, body),
    )


def domain(reader: Reader, term: Term, scope: Scope) -> Members:
    return Members(reader.part(term.arguments[0], scope).has)


def extend(reader: Reader, term: Term, scope: Scope) -> Value:
    function, key, value = (reader.part(arg, scope) for arg in term.arguments)
    return reader.update(term.sort, function, key, value)


def without(reader: Reader, term: Term, scope: Scope) -> Partly:
    function, key = (reader.part(arg, scope) for arg in term.arguments)
    domain: Sort = term.sort.domain  # type: ignore[attr-defined]
    return Partly(
        lambda k: reader.logic.conj((reader.logic.neg(reader.values.equal(domain, k, key)), function.has(k))),
        function.at,
    )
