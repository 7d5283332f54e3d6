"""Reads what a quantifier ranges over: domains and functions, or a generator, as bound variables and a
body."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from types import FunctionType, GeneratorType
from typing import Any, TypeAlias

from verifier.encodings.collection_values import SetValue
from verifier.encodings.expressions import BOOLEAN, Value, coerce, describe_value, term_of
from verifier.encodings.generators import Bound, Generated, make_bound, read_generator
from verifier.encodings.operations import constantly
from verifier.encodings.python_use import GUARD
from verifier.encodings.sorts import (
    Boolean,
    Sort,
    SortError,
)
from verifier.encodings.terms import Symbol
from verifier.encodings.type_variables import V
from verifier.encodings.values import BooleanValue

Domain: TypeAlias = Sort[V] | SetValue[V]
Given: TypeAlias = Generator[V, None, None]
"""A generator that stands for both the domain and the function."""


def domain_sort(domain: Any) -> Sort:
    if isinstance(domain, SetValue):
        return domain.element
    if not isinstance(domain, Sort):
        raise SortError(f"a quantifier goes over a sort or a set, not over {describe_value(domain)}")
    return domain


def _bind(
    domain: Domain, body: Callable[..., Any], position: int = 0, domains: int = 1
) -> tuple[Symbol, Any]:
    names = _parameters(body, domains)
    name = names[position] if position < len(names) else f"x{position}"
    made = make_bound(name, domain, domain_sort(domain))
    return made.symbol, made.variable


def _parameters(body: Any, domains: int) -> tuple[str, ...]:
    """The names of the parameters by place. Raises SortError unless there is one for each domain."""
    if not callable(body) or isinstance(body, Sort):
        raise SortError(
            f"a quantifier takes a function after its domains, as lambda n: …, not {describe_value(body)}"
        )
    if isinstance(body, FunctionType) and not body.__code__.co_flags & inspect.CO_VARARGS:
        code = body.__code__  # as signature says it, which takes long
        names = code.co_varnames[: code.co_argcount]
        least = code.co_argcount - len(body.__defaults__ or ())
    else:
        try:
            parameters = inspect.signature(body).parameters.values()
        except (TypeError, ValueError):  # a function of Python that does not say
            return ()
        placed = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
        names = tuple(one.name for one in placed)
        if any(one.kind is one.VAR_POSITIONAL for one in parameters) or hasattr(body, "__wrapped__"):
            return names
        least = sum(one.default is one.empty for one in placed)
    if not least <= domains <= len(names):
        raise SortError(
            f"the function of a quantifier has a parameter for each domain, here {domains}: it has "
            f"{', '.join(names) or 'none'}"
        )
    return names


def read(arguments: tuple[Any, ...]) -> Generated:
    """The variables, the conditions of a generator, and what is said of them."""
    *domains, body = arguments or (None,)
    if isinstance(body, GeneratorType):
        if domains:
            raise SortError("a generator names its domains itself: leave out the one before it")
        return read_generator(body)
    if not domains:
        raise SortError("a quantifier takes domains, and then a function: forall(self.nodes, lambda n: …)")
    places = enumerate(domains)
    made = [Bound(domain, *_bind(domain, body, place, len(domains))) for place, domain in places]
    guard, call = GUARD.get(), partial(body, *(one.variable for one in made))
    symbols = tuple(one.symbol for one in made)
    return Generated(tuple(made), call() if guard is None else guard.body(symbols, call))


def formula_of(value: Any) -> BooleanValue:
    if isinstance(value, GeneratorType):
        raise SortError("a generator is not a formula: write forall(… for n in …) or exists(…) around it")
    formula = coerce(value, BOOLEAN)
    assert isinstance(formula, BooleanValue)
    return formula


def within(domain: Domain, variable: Any, formula: Any) -> BooleanValue:
    domain_sort(domain)
    inside = formula_of(formula)
    return domain.contains(variable) & inside if isinstance(domain, SetValue) else inside


@dataclass(frozen=True)
class OneVariable:
    """A quantifier with one domain: its variable, a generator's if, and what is said of them."""

    bound: Bound
    condition: BooleanValue | None
    said: Any

    @property
    def inside(self) -> BooleanValue:
        """The formula that says which values of the variable's sort are meant."""
        domain, variable = self.bound.domain, self.bound.variable
        if self.condition is None and isinstance(domain, SetValue):
            return domain.contains(variable)
        return within(domain, variable, constantly(True) if self.condition is None else self.condition)


def one_variable(name: str, domain: Any, body: Any) -> OneVariable:
    """Raises SortError if a generator has several ``for``."""
    first, *others = (generated := read((domain,) if body is None else (domain, body))).steps
    condition = others[0] if others else None
    if not isinstance(first, Bound) or len(others) > 1 or isinstance(condition, Bound):
        raise SortError(f"the generator of {name}(…) has one for: a record can stand for several variables")
    return OneVariable(first, condition, generated.element)


def selects(name: str, domain: Any, body: Any) -> tuple[Bound, BooleanValue]:
    """The variable, and the formula that selects its values: the body, or what a generator says."""
    one = one_variable(name, domain, body)
    if body is not None:
        return one.bound, formula_of(one.said)
    shown = one.bound.symbol.name
    gives_variable = isinstance(one.said, Value) and term_of(one.said) is term_of(one.bound.variable)
    if name == "count" and gives_variable and isinstance(one.bound.symbol.sort, Boolean):
        raise SortError(f"count({shown} for …) could mean each {shown} or each true one: write a formula")
    if gives_variable:
        return one.bound, constantly(True) if one.condition is None else one.condition
    if name != "count":
        other = ", or image(…) for other values" if name == "comprehension" else ""
        raise SortError(
            f"a generator in {name}(…) gives its variable: {name}({shown} for {shown} in … if …){other}"
        )
    said = formula_of(one.said)
    return one.bound, said if one.condition is None else one.condition & said


def select_in_domain(name: str, domain: Any, body: Any) -> tuple[Symbol, BooleanValue]:
    """The variable, and the formula of the values in the domain that are selected."""
    made, formula = selects(name, domain, body)
    return made.symbol, within(made.domain, made.variable, formula)
