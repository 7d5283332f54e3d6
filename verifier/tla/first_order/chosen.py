r"""CHOOSE of the least or the greatest integer of a set.

``CHOOSE x \in S : \A y \in S : x <= y`` is the least element of S. Of a set without elements there is none:
the proof includes that it is not read there. Another CHOOSE is refused, because a proof would have to know
which value it is.
"""

from __future__ import annotations

from typing import Any

from verifier.encodings.expressions import term_of, wrap
from verifier.encodings.operations import maximum, minimum
from verifier.encodings.terms import Operator
from verifier.tla import ast
from verifier.tla.first_order.kinds import Kind, Whole
from verifier.tla.first_order.reading import Reading
from verifier.tla.first_order.scopes import Misfit, Scope, Unread
from verifier.tla.first_order.typed import Typed

_LEAST = {"<=": True, ">=": False}
"""The comparisons of the chosen element with others, each with True if it is the least one."""


def read_choice(reading: Reading, whole: ast.Choose, scope: Scope, expected: Kind | None) -> Typed:
    """Return the least or greatest element of a set of integers. Raises Unread for another choice."""
    is_least = _find_end(reading, whole, scope)
    if is_least is None:
        words = (
            "only the least or greatest element of a set with a name has a reading, as in "
            "LET S == {…} IN CHOOSE x \\in S : \\A y \\in S : x <= y. For another choice, write \\E"
        )
        raise Unread(whole.place, f"CHOOSE: {words}")
    domain = whole.binding.domain
    members = reading.collection(domain, scope)
    if not isinstance(members.element, Whole):
        raise Misfit(
            domain.place, f"a set of integers is expected here, and its elements are {members.element}"
        )
    kind = reading.find_element_kind(members, domain.place)
    made = reading.as_value(members, domain.place).value
    return Typed(kind, _find_value(made, is_least))


def _find_value(made: Any, is_least: bool) -> Any:
    """Return the least or greatest element. Of a set that lists its elements, it is one of these."""
    term = term_of(made)
    if term.operator is Operator.SET and term.arguments:
        first, *rest = map(wrap, term.arguments)
        if not rest:
            return first
        return minimum(first, *rest) if is_least else maximum(first, *rest)
    return made.minimum if is_least else made.maximum


def _find_end(reading: Reading, whole: ast.Choose, scope: Scope) -> bool | None:
    """Return True for the least element of a set, False for the greatest one, None for another choice."""
    claim = whole.body
    if whole.binding.is_tuple or len(whole.binding.names) != 1 or not isinstance(claim, ast.Quantifier):
        return None
    if not claim.universal or len(claim.bindings) != 1:
        return None
    other = claim.bindings[0]
    if other.is_tuple or len(other.names) != 1 or not _is_same(whole.binding.domain, other.domain):
        return None
    test = claim.body
    if not isinstance(test, ast.Apply) or not isinstance(test.operator, ast.Builtin):
        return None
    if test.operator.name not in _LEAST:
        return None
    reading.resolve(test.operator, scope, test.place)  # the configuration may put another one in its place
    is_least = _LEAST[test.operator.name]
    names = [one.operator if isinstance(one, ast.Apply) else None for one in test.arguments]
    if names == [whole.binding.names[0], other.names[0]]:
        return is_least
    return not is_least if names == [other.names[0], whole.binding.names[0]] else None


def _is_same(one: ast.Expression, other: ast.Expression) -> bool:
    """True if two expressions are one name without arguments."""
    if not isinstance(one, ast.Apply) or not isinstance(other, ast.Apply):
        return False
    return one.operator is other.operator and not one.arguments and not other.arguments
