r"""Sums of integers over a finite set: folds with ``+`` and 0, and the usual recursive definitions.

Addition is commutative and associative. So such a fold is the sum, in whatever order it takes the elements.
It is read so only if its text shows that it is one: the operator is ``+`` of Integers, the base is 0, and
each element is taken once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import NoReturn

from verifier.encodings import integer_bounds
from verifier.encodings.expressions import integer, term_of, wrap
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.tla import ast
from verifier.tla.errors import Place
from verifier.tla.first_order.constants import nodes_below
from verifier.tla.first_order.kinds import Kind, Whole, has_unbounded
from verifier.tla.first_order.reading import RECURSIVE, Reading, Rule
from verifier.tla.first_order.scopes import Delayed, Misfit, Scope, Unread
from verifier.tla.first_order.typed import Typed, find_number, variable_of

Summand = Callable[[Typed], Typed]
"""Returns the integer of an element."""
_ADVICE = "a fold is read as a sum only with + and 0: write FoldFunctionOnSet(+, 0, f, S)"


def _refuse(place: Place, what: str) -> NoReturn:
    raise Unread(place, f"{what}; {_ADVICE}")


def _find_written(whole: ast.Expression, scope: Scope) -> Place:
    """Return the place of what a parameter stands for: that in a library says little."""
    while isinstance(whole, ast.Apply | ast.OperatorArgument):
        meaning = scope.values.get(whole.operator)
        if not isinstance(meaning, Delayed):
            break
        whole, scope = meaning.whole, meaning.scope
    return whole.place


def _make_sum(
    reading: Reading, members: ast.Expression, scope: Scope, summand: Summand, place: Place
) -> Typed:
    """Return the sum of the integers of a set's elements."""
    collection = reading.collection(members, scope)
    if collection.element is None:
        return Typed(Whole(), integer(0))
    written = _find_written(members, scope)
    kind = reading.find_element_kind(collection, written)
    if has_unbounded(kind):
        raise Unread(written, "a sum over integers without bounds")
    symbol = Symbol("summed", kind.sort(reading.sorts))
    element = Typed(kind, variable_of(symbol))
    inside = collection.has(element)
    one = summand(element)
    if not isinstance(one.kind, Whole):
        raise Misfit(place, f"an integer is expected here, and this is {one.kind}")
    terms = inside.term, term_of(one.value)
    # The module is also read at great constants, at which no solver is asked.
    bounds = integer_bounds.span_of_sum(terms[1].sort, 0, symbol.sort.size)
    return Typed(Whole(), wrap(Term(Operator.SUM_OF, bounds, terms, binds=symbol)))


# -- folds of the modules Folds, FiniteSetsExt and Functions


def _map_then_fold(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Typed:
    r"""Return ``MapThenFoldSet(+, 0, f, LAMBDA s : CHOOSE x \in s : TRUE, S)``."""
    operator, base, value, choice, members = whole.arguments
    if not _is_addition(reading, operator, scope):
        _refuse(_find_written(operator, scope), "this is not + of Integers")
    _require_zero(reading, base, scope)
    _require_any_member(reading, choice, scope)
    return _make_sum(reading, members, scope, _function_of(reading, value, scope), value.place)


def _fold_set(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Typed:
    """Return ``FoldSet(+, 0, S)``, or with ``LAMBDA x, made : e + made`` for ``+``."""
    operator, base, members = whole.arguments
    _require_zero(reading, base, scope)
    if _is_addition(reading, operator, scope):
        return _make_sum(reading, members, scope, lambda one: one, members.place)
    meaning, inner = _follow(operator, scope)
    if not isinstance(meaning, ast.Lambda) or len(meaning.parameters) != 2:
        _refuse(operator.place, "this is neither + nor a LAMBDA")
    element, made = meaning.parameters
    added = _find_added(reading, meaning.body, inner, made)
    if added is None:
        body = meaning.body
        folded = (
            ast.OperatorArgument(body.operator, place=body.place) if isinstance(body, ast.Apply) else body
        )
        _refuse(_find_written(folded, inner), "this does not add one integer to the others")

    def summand(one: Typed) -> Typed:
        return reading.read_typed(added, inner.binding(element, one))

    return _make_sum(reading, members, scope, summand, added.place)


def _follow(whole: ast.Expression, scope: Scope) -> tuple[ast.Expression, Scope]:
    """Return what an operator that is an argument stands for, with its scope."""
    while isinstance(whole, ast.OperatorArgument) and isinstance(whole.operator, ast.Parameter):
        meaning = scope.values.get(whole.operator)
        if not isinstance(meaning, Delayed):
            raise Unread(whole.place, f"{whole.operator.name} has no value here")
        whole, scope = meaning.whole, scope.resume_argument(meaning)
    return whole, scope


def _is_addition(reading: Reading, whole: ast.Expression, scope: Scope) -> bool:
    """True for + itself, and for a LAMBDA that adds its two arguments."""
    meaning, inner = _follow(whole, scope)
    if isinstance(meaning, ast.OperatorArgument):
        return _is_plus(reading, meaning.operator, inner, meaning.place)
    if not isinstance(meaning, ast.Lambda) or len(meaning.parameters) != 2:
        return False
    added = _find_added(reading, meaning.body, inner, meaning.parameters[1])
    return added is not None and _is_name(added, meaning.parameters[0])


def _is_plus(reading: Reading, symbol: ast.Symbol, scope: Scope, place: Place) -> bool:
    meant = reading.resolve(symbol, scope, place)
    return isinstance(meant, ast.Builtin) and meant.name == "+" and meant.module in _ARITHMETIC


_ARITHMETIC = ("Naturals", "Integers", "Reals")
"""The modules that define addition."""


def _find_added(
    reading: Reading, whole: ast.Expression, scope: Scope, made: ast.Symbol
) -> ast.Expression | None:
    """Return what a formula adds to a name; None if it does anything else."""
    if not isinstance(whole, ast.Apply) or len(whole.arguments) != 2:
        return None
    if isinstance(whole.operator, ast.Parameter):
        meaning = scope.values.get(whole.operator)
        if not isinstance(meaning, Delayed):
            return None
        is_sum = _is_addition(reading, meaning.whole, scope.resume_argument(meaning))
    else:
        is_sum = _is_plus(reading, whole.operator, scope, whole.place)
    if not is_sum:
        return None
    for one, other in (whole.arguments, whole.arguments[::-1]):
        if _is_name(one, made) and not _mentions(other, made):
            return other
    return None


def _is_name(whole: ast.Expression, symbol: ast.Symbol) -> bool:
    return isinstance(whole, ast.Apply) and whole.operator is symbol and not whole.arguments


def _mentions(whole: ast.Expression, symbol: ast.Symbol) -> bool:
    nodes = nodes_below([whole])
    return any(getattr(node, "operator", None) is symbol for node in nodes)


def _require_zero(reading: Reading, whole: ast.Expression, scope: Scope) -> None:
    if find_number(reading.read_typed(whole, scope)) != 0:
        _refuse(_find_written(whole, scope), "the fold does not begin with 0")


def _require_any_member(reading: Reading, whole: ast.Expression, scope: Scope) -> None:
    r"""Refuse another choice than ``LAMBDA s : CHOOSE x \in s : TRUE``: it could be no element."""
    meaning, _ = _follow(whole, scope)
    chooser = meaning if isinstance(meaning, ast.Lambda) else None
    if chooser is None or not _chooses_any(chooser.body, chooser.parameters[0]):
        _refuse(whole.place, "this does not choose an element of the set")


def _chooses_any(whole: ast.Expression, members: ast.Symbol) -> bool:
    r"""True for ``CHOOSE x \in s : TRUE``."""
    if not isinstance(whole, ast.Choose) or whole.binding.is_tuple or not isinstance(whole.body, ast.Apply):
        return False
    said = whole.body.operator
    is_true = isinstance(said, ast.Builtin) and said.name == "TRUE"
    return is_true and _is_name(whole.binding.domain, members)


def _function_of(reading: Reading, whole: ast.Expression, scope: Scope) -> Summand:
    """Return an operator of one argument as a function."""
    meaning, inner = _follow(whole, scope)
    if isinstance(meaning, ast.Lambda) and len(meaning.parameters) == 1:
        parameter, body = meaning.parameters[0], meaning.body
        return lambda one: reading.read_typed(body, inner.binding(parameter, one))
    if isinstance(meaning, ast.OperatorArgument) and isinstance(meaning.operator, ast.Definition):
        symbol = reading.resolve(meaning.operator, inner, meaning.place)
        if isinstance(symbol, ast.Definition) and symbol.body is not None and not symbol.recursive:
            (parameter,), body = symbol.parameters, symbol.body
            return lambda one: reading.read_typed(body, inner.enter_definition(symbol, {parameter: one}))
    _refuse(whole.place, "the integer of each element is neither a LAMBDA nor an operator")


# -- recursive definitions


def _recursive_sum(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Typed:
    r"""Return a sum that is defined so, with more parameters and in another order, maybe:

    Sum(f, S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \in S : TRUE IN f[x] + Sum(f, S \ {x})
    """
    symbol = whole.operator
    assert isinstance(symbol, ast.Definition)
    parts = _find_parts(reading, symbol, scope)
    if parts is None:
        raise Unread(whole.place, f"{symbol.shown} is recursive, and not written as a sum; {_ADVICE}")
    members, chosen, added = parts
    values = {
        parameter: Delayed(argument, scope.reading_only())
        for parameter, argument in zip(symbol.parameters, whole.arguments, strict=True)
    }
    own = whole.arguments[symbol.parameters.index(members)]
    inner = scope.enter_definition(
        symbol, {one: value for one, value in values.items() if one is not members}
    )

    def summand(one: Typed) -> Typed:
        return reading.read_typed(added, inner.binding(chosen, one))

    return _make_sum(reading, own, scope, summand, added.place)


def _find_parts(
    reading: Reading, symbol: ast.Definition, scope: Scope
) -> tuple[ast.Parameter, ast.Definition, ast.Expression] | None:
    """Return the parameter that is the set, the name of the chosen element, and what is added for it."""
    body, own = symbol.body, replace(scope, module=symbol.module)
    if not isinstance(body, ast.If) or not isinstance(body.otherwise, ast.Let):
        return None
    members = _find_emptied(reading, body.condition, symbol.parameters, own)
    if members is None or not isinstance(body.then, ast.Number) or body.then.value != 0:
        return None
    definitions, said = body.otherwise.definitions, body.otherwise.body
    if len(definitions) != 1 or definitions[0].parameters or definitions[0].body is None:
        return None
    (chosen,) = definitions
    assert chosen.body is not None
    if chosen.recursive or chosen.takes is not None or not _chooses_any(chosen.body, members):
        return None
    if not isinstance(said, ast.Apply) or not _is_plus_of_two(reading, said, own):
        return None
    for one, other in (said.arguments, said.arguments[::-1]):
        is_rest = _is_rest(reading, one, symbol, members, chosen, own)
        if is_rest and not _mentions_any(other, (members, symbol)):
            return members, chosen, other
    return None


def _mentions_any(whole: ast.Expression, symbols: tuple[ast.Symbol, ...]) -> bool:
    """True if one of the symbols occurs, other than in the definition of the chosen element."""
    nodes: Iterator[object] = nodes_below([whole], definitions=False)
    return any(getattr(node, "operator", None) is one for node in nodes for one in symbols)


def _is_plus_of_two(reading: Reading, whole: ast.Apply, scope: Scope) -> bool:
    return len(whole.arguments) == 2 and _is_plus(reading, whole.operator, scope, whole.place)


def _is_builtin(reading: Reading, whole: ast.Expression, name: str, scope: Scope) -> bool:
    if not isinstance(whole, ast.Apply) or not isinstance(whole.operator, ast.Builtin):
        return False
    return (
        whole.operator.name == name and reading.resolve(whole.operator, scope, whole.place) is whole.operator
    )


def _find_emptied(
    reading: Reading, condition: ast.Expression, parameters: tuple[ast.Parameter, ...], scope: Scope
) -> ast.Parameter | None:
    """Return the parameter that a condition compares with the empty set."""
    if not _is_builtin(reading, condition, "=", scope):
        return None
    assert isinstance(condition, ast.Apply)
    for one, other in (condition.arguments, condition.arguments[::-1]):
        if isinstance(other, ast.SetOf) and not other.items:
            return next((parameter for parameter in parameters if _is_name(one, parameter)), None)
    return None


def _is_rest(
    reading: Reading,
    whole: ast.Expression,
    symbol: ast.Definition,
    members: ast.Parameter,
    chosen: ast.Definition,
    scope: Scope,
) -> bool:
    r"""True for the definition itself with ``S \ {x}`` for S, and the other parameters as they are."""
    if not isinstance(whole, ast.Apply) or whole.operator is not symbol:
        return False
    for parameter, argument in zip(symbol.parameters, whole.arguments, strict=True):
        if parameter is not members:
            if not _is_name(argument, parameter) and not _is_same_operator(argument, parameter):
                return False
            continue
        if not _is_builtin(reading, argument, "\\", scope):
            return False
        assert isinstance(argument, ast.Apply)
        base, without = argument.arguments
        items = without.items if isinstance(without, ast.SetOf) else ()
        if not _is_name(base, members) or len(items) != 1 or not _is_name(items[0], chosen):
            return False
    return True


def _is_same_operator(whole: ast.Expression, parameter: ast.Parameter) -> bool:
    return isinstance(whole, ast.OperatorArgument) and whole.operator is parameter


FOLDS: Mapping[str, Rule] = {
    "MapThenFoldSet": _map_then_fold,
    "FoldSet": _fold_set,
    RECURSIVE: _recursive_sum,
}
"""The rules by the name of the operator."""
