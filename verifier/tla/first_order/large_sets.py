r"""Quantifiers over all sets that are large enough, such as majorities, read as a count.

``\E Q \in {Q \in SUBSET S : M(Q)} : \A n \in Q : P(n)`` is M of the set of all n in S with P(n), if M
holds of every greater set too: then Q is a part of that set, and that set is such a Q itself.
``\A Q : \E n \in Q : P(n)`` is the negation of this for the negated P. The condition M compares
Cardinality(Q), or a positive multiple of it, with a number that does not depend on Q.
"""

from __future__ import annotations

from dataclasses import replace

from verifier.encodings.expressions import wrap
from verifier.encodings.sorts import Set
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.encodings.values import BooleanValue
from verifier.tla import ast
from verifier.tla.first_order.kinds import SetOf
from verifier.tla.first_order.reading import Reading
from verifier.tla.first_order.scopes import Scope
from verifier.tla.first_order.typed import ALWAYS, Typed, conjoin, quantify, variable_of

_GREATER, _LESS = (">", ">="), ("<", "<=")


def read_over_large_sets(reading: Reading, whole: ast.Quantifier, scope: Scope) -> BooleanValue | None:
    """Return the meaning of a quantifier over large sets; None if it has another form. If a module has a form
    that no count expresses, such as "any two majorities meet", all of its large sets are kept as sets."""
    if reading.constants.keeps_large_sets:
        return None
    for place, binding in enumerate(whole.bindings):
        large = _large(reading, binding.domain, scope)
        if large is None or binding.is_tuple or len(binding.names) != 1:
            continue
        others = whole.bindings[:place] + whole.bindings[place + 1 :]
        body = replace(whole, bindings=others) if others else whole.body
        counted = _inner(reading, whole.universal, binding.names[0], large, body, scope)
        reading.constants.has_uncounted_sets |= counted is None
        return counted
    return None


def _large(reading: Reading, domain: ast.Expression, scope: Scope) -> tuple[ast.Filter, Scope] | None:
    """Return the set of large sets that an expression is, with its scope; None if it is none."""
    while isinstance(domain, ast.Apply) and isinstance(domain.operator, ast.Definition):
        meant = reading.resolve(domain.operator, scope, domain.place)
        assert isinstance(meant, ast.Definition)
        domain, scope = reading.enter(meant, domain, scope)
    if not isinstance(domain, ast.Filter) or domain.binding.is_tuple or len(domain.binding.names) != 1:
        return None
    whole = domain.binding.domain
    if not _is_builtin(whole, "SUBSET") or not isinstance(domain.body, ast.Apply):
        return None
    bound, test = domain.binding.names[0], domain.body
    if not isinstance(test.operator, ast.Builtin) or len(test.arguments) != 2:
        return None
    great, small = test.arguments if test.operator.name in _GREATER else test.arguments[::-1]
    if test.operator.name not in (*_GREATER, *_LESS) or not _grows(great, bound):
        return None
    return None if _mentions(reading, small, scope, bound) else (domain, scope)


def _grows(whole: ast.Expression, bound: ast.Bound) -> bool:
    """True for the number of elements of a bound set, or a positive multiple of it."""
    if _is_builtin(whole, "*"):
        assert isinstance(whole, ast.Apply)
        one, other = whole.arguments
        if isinstance(one, ast.Number):
            one, other = other, one
        return isinstance(other, ast.Number) and other.value > 0 and _grows(one, bound)
    if not _is_builtin(whole, "Cardinality"):
        return False
    assert isinstance(whole, ast.Apply)
    (members,) = whole.arguments
    return isinstance(members, ast.Apply) and members.operator is bound


def _is_builtin(whole: ast.Expression, name: str) -> bool:
    if not isinstance(whole, ast.Apply) or not isinstance(whole.operator, ast.Builtin):
        return False
    return whole.operator.name == name


def _mentions(reading: Reading, whole: ast.Expression, scope: Scope, bound: ast.Bound) -> bool:
    return bound in reading.specification.evaluator.analysis.of(whole, scope.module).free


def _inner(
    reading: Reading,
    universal: bool,
    bound: ast.Bound,
    large: tuple[ast.Filter, Scope],
    body: ast.Expression,
    scope: Scope,
) -> BooleanValue | None:
    """Return the meaning, with the same quantifiers over other values moved outside."""
    if not isinstance(body, ast.Quantifier):
        return None
    domains = [binding.domain for binding in body.bindings]
    if body.universal is universal:
        if any(_mentions(reading, domain, scope, bound) for domain in domains):
            return None
        made, inside = [], scope
        for binding in body.bindings:
            more, bound_scope = reading.bind(binding, scope)
            made += more
            inside = replace(inside, values={**inside.values, **bound_scope.values})
        said = _inner(reading, universal, bound, large, body.body, inside)
        for symbol, within, _ in reversed(made):
            if said is not None:
                if within is not ALWAYS:
                    said = within.implies(said) if universal else conjoin(within, said)
                said = quantify(universal, symbol, said)
        return said
    binding = body.bindings[0]
    is_of_set = isinstance(binding.domain, ast.Apply) and binding.domain.operator is bound
    if len(body.bindings) != 1 or len(binding.names) != 1 or binding.is_tuple or not is_of_set:
        return None
    if _mentions(reading, body.body, scope, bound):
        return None
    return _count(reading, universal, binding.names[0], large, body.body, scope)


def _count(
    reading: Reading,
    universal: bool,
    name: ast.Bound,
    large: tuple[ast.Filter, Scope],
    body: ast.Expression,
    scope: Scope,
) -> BooleanValue:
    """Return the formula that the set of all elements with a property is large, or that those without are
    not."""
    sets, around = large
    assert isinstance(sets.binding.domain, ast.Apply)
    whole = sets.binding.domain.arguments[0]
    members = reading.collection(whole, around)
    kind = reading.find_element_kind(members, whole.place)
    symbol = Symbol(name.name, kind.sort(reading.sorts))
    item = Typed(kind, variable_of(symbol))
    said = reading.formula(body, scope.binding(name, item))
    inside = conjoin(members.has(item), ~said if universal else said)
    made = wrap(Term(Operator.COMPREHENSION, Set(symbol.sort), (inside.term,), binds=symbol))
    is_large = reading.formula(sets.body, around.binding(sets.binding.names[0], Typed(SetOf(kind), made)))
    return ~is_large if universal else is_large
