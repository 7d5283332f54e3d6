r"""``UNION``: an element belongs to it if it belongs to one of the sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from verifier.encodings.terms import Symbol
from verifier.encodings.values import BooleanValue
from verifier.tla import ast
from verifier.tla.first_order.comprehensions import make_comprehension
from verifier.tla.first_order.kinds import Kind, SetOf
from verifier.tla.first_order.reading import Reading, Rule
from verifier.tla.first_order.scopes import Scope, Unread, describe_kind
from verifier.tla.first_order.typed import NEVER, Collection, Typed, conjoin, quantify, variable_of

_CUP = ast.Builtin("\\cup", 2)
_HasPartial: TypeAlias = "Callable[[BooleanValue], bool]"


def make_union_rule(has_partial: _HasPartial) -> Rule:
    """Return the rule. ``has_partial``: true if a formula may read a value that there is not."""

    def rule(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Collection:
        (family,) = whole.arguments
        if isinstance(family, ast.Image):
            listed = _union_of_image(reading, family, scope, expected, has_partial)
            if listed is not None:
                return listed
        if isinstance(family, ast.SetOf) and family.items:
            return reading.collection(_unite(family), scope, _element(expected))
        if isinstance(family, ast.Apply) and _is_powerset(family.operator):
            return reading.collection(family.arguments[0], scope, _element(expected))
        return _union_of_family(reading, whole, scope, expected)

    return rule


def _unite(family: ast.SetOf) -> ast.Expression:
    r"""Return ``A \cup B`` for ``UNION {A, B}``."""
    first, *others = family.items
    for other in others:
        first = ast.Apply(_CUP, (first, other), place=family.place)
    return first


def _is_powerset(operator: ast.Symbol) -> bool:
    return isinstance(operator, ast.Builtin) and operator.name == "SUBSET"


def _element(expected: Kind | None) -> Kind | None:
    return expected.element if isinstance(expected, SetOf) and expected.is_known else None


def _union_of_family(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Collection:
    wanted = expected if isinstance(expected, SetOf) and expected.is_known else None
    family = reading.collection(whole.arguments[0], scope, wanted)
    if family.element is None or family.element == SetOf(None):
        return Collection(None, lambda _: NEVER)
    kind = reading.find_element_kind(family, whole.arguments[0].place)
    symbol = Symbol("s", kind.sort(reading.sorts))
    one = Typed(kind, variable_of(symbol))
    members = reading.families.as_set(one) if reading.families.is_element(one) else one
    if not isinstance(members.kind, SetOf) or members.kind.element is None:
        words = f"UNION is read of a set of sets, and the elements of this set are {describe_kind(kind)}"
        raise Unread(whole.place, f"{words}: write {{x \\in S : \\E y \\in T : P}}")
    inside = reading.kinds.of_set(members)

    def has(item: Typed) -> BooleanValue:
        return quantify(False, symbol, conjoin(family.has(one), inside.has(item)))

    return _as_value(reading, members.kind.element, has)


def _union_of_image(
    reading: Reading, image: ast.Image, scope: Scope, expected: Kind | None, has_partial: _HasPartial
) -> Collection | None:
    r"""Return ``UNION {e : y \in S}`` without the set of sets: some y has the element in its e. None if a
    read may have no value: the set of sets reads each e, as TLA+ does."""
    if len(image.bindings) != 1 or (len(image.bindings[0].names) != 1 and not image.bindings[0].is_tuple):
        return None
    if reading.ranges_over_nothing(image.bindings, scope):
        return Collection(None, lambda _: NEVER)
    made, inner = reading.bind(image.bindings[0], scope)
    symbol, within, _ = made[0]
    part = reading.collection(image.body, inner, _element(expected))
    if part.element is None:
        return Collection(None, lambda _: NEVER)
    kind = reading.find_element_kind(part, image.body.place)

    def has(item: Typed) -> BooleanValue:
        return quantify(False, symbol, conjoin(within, part.has(item)))

    example = Symbol("x", kind.sort(reading.sorts))
    return None if has_partial(has(Typed(kind, variable_of(example)))) else _as_value(reading, kind, has)


def _as_value(reading: Reading, kind: Kind, has: Callable[[Typed], BooleanValue]) -> Collection:
    return Collection(kind, has, make_comprehension(reading, kind, has))
