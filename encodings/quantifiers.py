"""Quantifiers, choice and comprehension: formulas about all elements of a sort or set.

A domain is a sort or a set value. The arguments of each function are one or more domains and a Python
function with one parameter for each domain, ``forall(nodes, lambda n: up(n))``, or a generator,
``forall(up(n) for n in nodes)`` (``verifier.encodings.generators``). The names of the parameters and of the
generator's variables become the names of the bound variables. The finite reading expands the quantifiers, so
a protocol never loops over elements.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
from dataclasses import dataclass
from types import FunctionType, GeneratorType
from typing import Any, TypeAlias, overload

from verifier.encodings.compound_values import PartialFunctionValue
from verifier.encodings.generators import Bound, Generated, bound, generated
from verifier.encodings.sorts import Boolean, Function, PartialFunction, Range, Set, Sort, SortError, join
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.encodings.type_variables import A, B, C, D, E, K, V
from verifier.encodings.values import (
    BOOLEAN,
    BooleanValue,
    FunctionValue,
    IntegerValue,
    Number,
    OptionValue,
    Plain,
    SequenceValue,
    SetValue,
    Truth,
    Value,
    bounds,
    coerce,
    integer,
    unify,
    wrap,
)

Domain: TypeAlias = Sort[V] | SetValue[V]
Given: TypeAlias = Generator[V, None, None]
"""A generator that stands for both the domain and the function."""


def _sort(domain: Any) -> Sort:
    if isinstance(domain, SetValue):
        return domain.element
    if not isinstance(domain, Sort):
        shown = f"a value of {domain.sort}" if isinstance(domain, Value) else repr(domain)
        raise SortError(f"a quantifier goes over a sort or a set, not over {shown}")
    return domain


def _bind(
    domain: Domain, body: Callable[..., Any], position: int = 0, domains: int = 1
) -> tuple[Symbol, Any]:
    names = _parameters(body, domains)
    made = bound(names[position] if position < len(names) else f"x{position}", domain, _sort(domain))
    return made.symbol, made.variable


def _parameters(body: Any, domains: int) -> tuple[str, ...]:
    """The names of the parameters by place. Raises SortError unless there is one for each domain."""
    if not callable(body) or isinstance(body, Sort):
        shown = f"a value of {body.sort}" if isinstance(body, Value) else repr(body)
        raise SortError(f"a quantifier takes a function after its domains, as lambda n: …, not {shown}")
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


def _read(arguments: tuple[Any, ...]) -> Generated:
    """The variables, the conditions of a generator, and what is said of them."""
    *domains, body = arguments or (None,)
    if isinstance(body, GeneratorType):
        if domains:
            raise SortError("a generator names its domains itself: leave out the one before it")
        return generated(body)
    if not domains:
        raise SortError("a quantifier takes domains, and then a function: forall(self.nodes, lambda n: …)")
    places = enumerate(domains)
    made = [Bound(domain, *_bind(domain, body, place, len(domains))) for place, domain in places]
    return Generated(tuple(made), body(*(one.variable for one in made)))


def _formula(value: Any) -> BooleanValue:
    if isinstance(value, GeneratorType):
        raise SortError("a generator is no formula: write forall(… for n in …) or exists(…) around it")
    formula = coerce(value, BOOLEAN)
    assert isinstance(formula, BooleanValue)
    return formula


@overload
def forall(each: Generator[Truth, None, None], /) -> BooleanValue: ...
@overload
def forall(a: Domain[A], body: Callable[[A], Truth], /) -> BooleanValue: ...
@overload
def forall(a: Domain[A], b: Domain[B], body: Callable[[A, B], Truth], /) -> BooleanValue: ...
@overload
def forall(a: Domain[A], b: Domain[B], c: Domain[C], body: Callable[[A, B, C], Truth], /) -> BooleanValue: ...
@overload
def forall(
    a: Domain[A], b: Domain[B], c: Domain[C], d: Domain[D], body: Callable[[A, B, C, D], Truth], /
) -> BooleanValue: ...
@overload
def forall(
    a: Domain[A],
    b: Domain[B],
    c: Domain[C],
    d: Domain[D],
    e: Domain[E],
    body: Callable[[A, B, C, D, E], Truth],
    /,
) -> BooleanValue: ...
@overload
def forall(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, /, *more: Any) -> BooleanValue: ...
def forall(*arguments: Any) -> BooleanValue:
    """``forall(replicas, offsets, lambda r, o: …)`` or ``forall(… for r in replicas for o in offsets)``:
    whether the formula holds for all values."""
    read = _read(arguments)
    formula = _formula(read.element)
    for step in reversed(read.steps):
        if isinstance(step, BooleanValue):
            formula = step.implies(formula)
            continue
        _sort(step.domain)
        if isinstance(step.domain, SetValue):
            formula = step.domain.contains(step.variable).implies(formula)
        formula = BooleanValue(Term(Operator.FORALL, BOOLEAN, (formula.term,), binds=step.symbol))
    return formula


@overload
def exists(each: Generator[Truth, None, None], /) -> BooleanValue: ...
@overload
def exists(a: Domain[A], body: Callable[[A], Truth], /) -> BooleanValue: ...
@overload
def exists(a: Domain[A], b: Domain[B], body: Callable[[A, B], Truth], /) -> BooleanValue: ...
@overload
def exists(a: Domain[A], b: Domain[B], c: Domain[C], body: Callable[[A, B, C], Truth], /) -> BooleanValue: ...
@overload
def exists(
    a: Domain[A], b: Domain[B], c: Domain[C], d: Domain[D], body: Callable[[A, B, C, D], Truth], /
) -> BooleanValue: ...
@overload
def exists(
    a: Domain[A],
    b: Domain[B],
    c: Domain[C],
    d: Domain[D],
    e: Domain[E],
    body: Callable[[A, B, C, D, E], Truth],
    /,
) -> BooleanValue: ...
@overload
def exists(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, /, *more: Any) -> BooleanValue: ...
def exists(*arguments: Any) -> BooleanValue:
    """``exists(replicas, lambda r: …)`` or ``exists(… for r in replicas)``: whether the formula holds for
    some values."""
    read = _read(arguments)
    formula = _formula(read.element)
    for step in reversed(read.steps):
        if isinstance(step, BooleanValue):
            formula = step & formula
            continue
        formula = _within(step.domain, step.variable, formula)
        formula = BooleanValue(Term(Operator.EXISTS, BOOLEAN, (formula.term,), binds=step.symbol))
    return formula


def _within(domain: Domain, variable: Any, formula: Any) -> BooleanValue:
    _sort(domain)
    inside = _formula(formula)
    return domain.contains(variable) & inside if isinstance(domain, SetValue) else inside


@dataclass(frozen=True)
class _One:
    """What a quantifier with one domain says: its variable, a generator's if, and what is said of them."""

    bound: Bound
    condition: BooleanValue | None
    said: Any

    @property
    def inside(self) -> BooleanValue:
        """The formula that says which values of the variable's sort are meant."""
        condition = constantly(True) if self.condition is None else self.condition
        return _within(self.bound.domain, self.bound.variable, condition)


def _one(name: str, domain: Any, body: Any) -> _One:
    """Raises SortError if a generator has several ``for``."""
    first, *others = (read := _read((domain,) if body is None else (domain, body))).steps
    condition = others[0] if others else None
    if not isinstance(first, Bound) or len(others) > 1 or isinstance(condition, Bound):
        raise SortError(f"the generator of {name}(…) has one for: a record can stand for several variables")
    return _One(first, condition, read.element)


def _selects(name: str, domain: Any, body: Any) -> tuple[Bound, BooleanValue]:
    """The variable, and the formula that selects its values: the body, or what a generator says."""
    one = _one(name, domain, body)
    if body is not None:
        return one.bound, _formula(one.said)
    shown = one.bound.symbol.name
    gives_variable = isinstance(one.said, Value) and one.said.term is one.bound.variable.term
    if name == "count" and gives_variable and isinstance(one.bound.symbol.sort, Boolean):
        raise SortError(f"count({shown} for …) could mean each {shown} or each true one: write a formula")
    if gives_variable:
        return one.bound, constantly(True) if one.condition is None else one.condition
    if name != "count":
        other = ", or image(…) for other values" if name == "comprehension" else ""
        raise SortError(
            f"a generator in {name}(…) gives its variable: {name}({shown} for {shown} in … if …){other}"
        )
    said = _formula(one.said)
    return one.bound, said if one.condition is None else one.condition & said


def _single(name: str, domain: Any, body: Any) -> tuple[Symbol, BooleanValue]:
    """The variable, and the formula of the values in the domain that are selected."""
    made, formula = _selects(name, domain, body)
    return made.symbol, _within(made.domain, made.variable, formula)


@overload
def count(domain: Domain[V], body: Callable[[V], Truth], /) -> IntegerValue: ...
@overload
def count(each: Given[Any], /) -> IntegerValue: ...
def count(domain: Any, body: Any = None) -> IntegerValue:
    """How many values satisfy the formula: ``count(nodes, up)``, ``count(n for n in nodes if up(n))`` or
    ``count(up(n) for n in nodes)``."""
    symbol, formula = _single("count", domain, body)
    return IntegerValue(Term(Operator.COUNT, Range(0, symbol.sort.size), (formula.term,), binds=symbol))


@overload
def choose(domain: Domain[V], body: Callable[[V], Truth], /) -> V: ...
@overload
def choose(each: Given[V], /) -> V: ...
def choose(domain: Any, body: Any = None) -> Any:
    """The first value, in the order of the sort, that satisfies the formula; undefined if there is none.

    ``choose(nodes, up)`` or ``choose(n for n in nodes if up(n))``. An ordered choice over an index set breaks
    its symmetry.
    """
    symbol, formula = _single("choose", domain, body)
    return wrap(Term(Operator.CHOOSE, symbol.sort, (formula.term,), binds=symbol))


@overload
def comprehension(domain: Domain[V], body: Callable[[V], Truth], /) -> SetValue[V]: ...
@overload
def comprehension(each: Given[V], /) -> SetValue[V]: ...
def comprehension(domain: Any, body: Any = None) -> SetValue[Any]:
    """The set of the values that satisfy the formula: ``{x \\in domain : body}``.

    ``comprehension(nodes, up)`` or ``comprehension(n for n in nodes if up(n))``.
    """
    symbol, formula = _single("comprehension", domain, body)
    return SetValue(Term(Operator.COMPREHENSION, Set(symbol.sort), (formula.term,), binds=symbol))


those = comprehension
"""The former name, so that protocols written with it still run."""


@overload
def image(domain: Domain[K], body: Callable[[K], V], /) -> SetValue[V]: ...
@overload
def image(domain: Domain[K], body: Callable[[K], int], /) -> SetValue[IntegerValue]: ...
@overload
def image(each: Given[V], /) -> SetValue[V]: ...
def image(domain: Any, body: Any = None) -> SetValue[Any]:
    """The set of the values of ``body``: ``{body : x \\in domain}``.

    ``image(nodes, epoch_of)`` or ``image(epoch_of(n) for n in nodes if up(n))``.
    """
    one = _one("image", domain, body)
    result = one.said if isinstance(one.said, Value) else _plain(one.said)
    made = Term(Operator.IMAGE, Set(result.sort), (one.inside.term, result.term), binds=one.bound.symbol)
    return SetValue(made)


@overload
def function(domain: Sort[K], body: Callable[[K], V]) -> FunctionValue[K, V]: ...
@overload
def function(domain: Sort[K], body: Callable[[K], V | Plain], result: Sort[V]) -> FunctionValue[K, V]: ...
@overload
def function(domain: Given[V]) -> FunctionValue[Any, V]: ...
@overload
def function(domain: Generator[Any, None, None], *, result: Sort[V]) -> FunctionValue[Any, V]: ...
def function(domain: Any, body: Any = None, result: Any = None) -> FunctionValue:
    """The function that maps each value of ``domain`` to ``body`` of it: ``[x \\in domain |-> body]``.

    ``function(nodes, epoch_of)`` or ``function(epoch_of(n) for n in nodes)``. ``result`` is the sort of the
    body. It is needed if the body is a plain Python value.
    """
    one = _one("function", domain, body)
    keys = one.bound.domain
    if not isinstance(keys, Sort):
        raise SortError(f"a function has all values of a sort as its keys, not those of {keys!r}")
    if one.condition is not None:
        raise SortError("a function has a value for each key: write if_(…) for its value, and no if")
    value = one.said if result is None else coerce(one.said, result)
    sort = Function(keys, value.sort if result is None else join(result, value.sort))
    return FunctionValue(Term(Operator.FUNCTION, sort, (value.term,), binds=one.bound.symbol))


@overload
def partial_function(domain: Domain[K], body: Callable[[K], V]) -> PartialFunctionValue[K, V]: ...
@overload
def partial_function(
    domain: Domain[K], body: Callable[[K], V | Plain], result: Sort[V]
) -> PartialFunctionValue[K, V]: ...
@overload
def partial_function(domain: Given[V]) -> PartialFunctionValue[Any, V]: ...
def partial_function(domain: Any, body: Any = None, result: Any = None) -> PartialFunctionValue:
    """The function that maps each value of ``domain`` to ``body`` of it: ``[x \\in domain |-> body]``.

    ``domain`` is a set, which may differ from state to state, or a sort: ``partial_function(s.up, epoch_of)``
    or ``partial_function(epoch_of(n) for n in s.nodes if up(n))``. ``result`` is the sort of the body. It is
    needed if the body is neither an expression, nor an integer, nor a boolean.
    """
    one = _one("partial_function", domain, body)
    keys = one.bound.symbol.sort
    value = coerce(one.said, result) if result is not None else one.said
    if not isinstance(value, Value):
        value = _plain(value)
    sort = PartialFunction(keys, value.sort if result is None else join(result, value.sort))
    terms = (one.inside.term, value.term)
    return PartialFunctionValue(Term(Operator.PARTIAL_FUNCTION, sort, terms, binds=one.bound.symbol))


@overload
def filtered(sequence: SequenceValue[V], body: Callable[[V], Truth], /) -> SequenceValue[V]: ...
@overload
def filtered(each: Given[V], /) -> SequenceValue[V]: ...
def filtered(sequence: Any, body: Any = None) -> SequenceValue[Any]:
    """The subsequence of the elements that satisfy the formula.

    ``filtered(s.log, recent)`` or ``filtered(e for e in s.log if recent(e))``.
    """
    if body is None:
        made, formula = _selects("filtered", sequence, None)
        whole = _sequence(made.domain)
    else:
        whole = _sequence(sequence)
        made, formula = _selects("filtered", whole.sort.element, body)
    return SequenceValue(Term(Operator.FILTER, whole.sort, (whole.term, formula.term), binds=made.symbol))


def _sequence(domain: Any) -> Any:
    if not isinstance(domain, SequenceValue):
        raise SortError(f"filtered(…) goes over a sequence, not over {domain!r}")
    return domain


@overload
def if_(condition: Truth, then: OptionValue[V], otherwise: OptionValue[V] | V | Plain) -> OptionValue[V]: ...
@overload
def if_(condition: Truth, then: V | Plain, otherwise: OptionValue[V]) -> OptionValue[V]: ...
@overload
def if_(condition: Truth, then: V, otherwise: V | Plain) -> V: ...
@overload
def if_(condition: Truth, then: Plain, otherwise: V) -> V: ...
@overload
def if_(condition: Truth, then: bool, otherwise: bool) -> BooleanValue: ...  # type: ignore[overload-overlap]
@overload
def if_(condition: Truth, then: int, otherwise: int) -> IntegerValue: ...
def if_(condition: Any, then: Any, otherwise: Any) -> Any:
    """``IF condition THEN then ELSE otherwise``."""
    if not isinstance(then, Value) and not isinstance(otherwise, Value):
        then, otherwise = _plain(then), _plain(otherwise)
    left, right = unify(then, otherwise)
    sort = join(left.sort, right.sort)
    return wrap(Term(Operator.IF, sort, (coerce(condition, BOOLEAN).term, left.term, right.term)))


def _plain(value: Any) -> Value:
    return coerce(value, BOOLEAN) if isinstance(value, bool) else integer(value)


def minimum(left: Number, right: Number) -> IntegerValue:
    """The lesser of two integers."""
    return _extreme(Operator.MINIMUM, min, left, right)


def maximum(left: Number, right: Number) -> IntegerValue:
    """The greater of two integers."""
    return _extreme(Operator.MAXIMUM, max, left, right)


def _extreme(operator: Operator, pick: Callable[[int, int], int], left: Any, right: Any) -> IntegerValue:
    a, b = integer(left), integer(right)
    first, second = bounds(a), bounds(b)
    sort = Range(pick(first.low, second.low), pick(first.high, second.high))
    return IntegerValue(Term(operator, sort, (a.term, b.term)))


def all_of(*formulas: Truth) -> BooleanValue:
    """The conjunction of the formulas; true if there are none."""
    return _joined(Operator.AND, "all_of", "forall", formulas)


def any_of(*formulas: Truth) -> BooleanValue:
    """The disjunction of the formulas; false if there are none."""
    return _joined(Operator.OR, "any_of", "exists", formulas)


def _joined(operator: Operator, name: str, quantifier: str, formulas: tuple[Any, ...]) -> BooleanValue:
    if any(isinstance(item, GeneratorType) for item in formulas):
        raise SortError(
            f"{name}(…) joins single formulas: write {quantifier}(… for n in self.nodes) over a sort or set, "
            f"or {name}(*[…]) with a list of Python"
        )
    return BooleanValue(Term(operator, BOOLEAN, tuple(coerce(item, BOOLEAN).term for item in formulas)))


def constantly(value: bool) -> BooleanValue:
    """The formula that is ``value`` in every state. Use it if the constants alone decide a formula.

    A guard line or property that is a plain ``bool`` is refused, because it is usually a mistake.
    """
    if not isinstance(value, bool):
        raise SortError(f"constantly needs True or False, not {value!r}")
    formula = coerce(value, BOOLEAN)
    assert isinstance(formula, BooleanValue)
    return formula


def arbitrary(*variables: Value) -> BooleanValue:
    """A formula that is always true. In ``init`` it says that these variables may start with any value."""
    for variable in variables:
        if not isinstance(variable, Value):
            raise SortError(f"arbitrary needs variables of the state, as in arbitrary(s.x), not {variable!r}")
    return all_of(*(variable == variable for variable in variables))
