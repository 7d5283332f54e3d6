"""Formulas that a protocol's author writes: one, or a list of conjuncts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import GeneratorType
from typing import Any, TypeAlias

from verifier.encodings.expressions import BOOLEAN, Value, coerce, sort_of
from verifier.encodings.sorts import Sort
from verifier.encodings.terms import Operator, Term
from verifier.encodings.values import BooleanValue
from verifier.specs.definition import Definition, DefinitionError, PropertyKind
from verifier.specs.reading.code_places import place_of, prefix_place

Formulas: TypeAlias = BooleanValue | list[Any] | tuple[Any, ...]
"""A formula, or a list or tuple of conjuncts, which can be lists themselves."""


def conjuncts(written: Any) -> Iterator[Any]:
    """The conjuncts of nested lists and tuples, from left to right."""
    if isinstance(written, list | tuple):
        for item in written:
            yield from conjuncts(item)
    else:
        yield written


def formula(written: Any, what: str, method: Any, locate: Callable[[Any], str] = place_of) -> Term:
    """The conjunction of what a method gives. Raises DefinitionError if a part of it is no formula.
    ``locate`` finds the place in the method that an error names."""
    terms = tuple(_one(item, what, partial(locate, method)) for item in conjuncts(written))
    if not terms:
        words = f"{what} is an empty list: write its formulas, or constantly(True) if that is meant"
        raise DefinitionError(prefix_place(locate(method), words))
    return terms[0] if len(terms) == 1 else Term(Operator.AND, BOOLEAN, terms)


def _one(value: Any, what: str, where: Callable[[], str]) -> Term:
    if isinstance(value, bool):
        words = (
            f"{what} is decided while Python reads the protocol: it is {value} whatever the state; "
            f"compare values with == and !=, or write constantly({value}) if that is meant"
        )
    elif value is None:
        words = f"{what} is None, not a formula: is a return missing?"
    elif isinstance(value, GeneratorType):
        words = f"{what} is a generator, not a formula: write forall(… for n in self.nodes) or exists(…)"
    elif callable(value) and not isinstance(value, Value | Sort | type):
        words = f"{what} is a function, not a formula: call it, as in s.up.contains(n)"
    else:
        try:
            return coerce(value, BOOLEAN).term
        except TypeError as error:
            why = f", but a value of {sort_of(value)}" if isinstance(value, Value) else f": {error}"
            words = f"{what} is not a formula{why}"
            raise DefinitionError(prefix_place(where(), words)) from error
    raise DefinitionError(prefix_place(where(), words))


def check_variables(definition: Definition) -> None:
    """Raises DefinitionError if a term has a variable that means nothing there: that of a quantifier, an
    action or a step, kept and used outside of it."""
    state = frozenset(definition.variables)
    own = {f"action {a.name}": frozenset(p.symbol for p in a.parameters) for a in definition.actions}
    steps = (p for p in definition.properties if p.kind is PropertyKind.STEP_INVARIANT)
    own |= {f"property {p.name}": frozenset(definition.successor) for p in steps}
    for place, term in definition.terms():
        strays = sorted(symbol.name for symbol in term.free - state - own.get(place, frozenset()))
        if strays:
            raise DefinitionError(
                f"{definition.name}: {place} has the variable {strays[0]} outside the quantifier, action or "
                "step invariant that it belongs to"
            )
