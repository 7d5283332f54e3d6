"""The finite reading: lowers terms to boolean terms and expands quantifiers over their sorts' values.

Building must not be what takes the time. So nothing is lowered that cannot matter: what constants decide
comes first, a quantifier over a set looks at the values that the set can contain, and what was made of a term
serves for all terms like it (``readings``). None of this changes the formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from typing import Any

from pysmt.fnode import FNode

from verifier.encodings import scalars, sequences
from verifier.encodings.bits import FALSE, TRUE, conjunction, disjunction, negation
from verifier.encodings.compound_lowering import COMPOUND_RULES, apply_partial
from verifier.encodings.concrete import Concrete
from verifier.encodings.fitting import convert
from verifier.encodings.lowered import (
    Lowered,
    LoweredOption,
    LoweredSequence,
    defined,
    either,
    equal,
    holds,
    known,
    restricted,
    select,
)
from verifier.encodings.partiality import never_has_value
from verifier.encodings.readings import Bindings, Memory
from verifier.encodings.scalars import Scalar
from verifier.encodings.sorts import Function, PartialFunction, Record, Sequence, Sort
from verifier.encodings.terms import Operator, Symbol, Term

__all__ = ["Bindings", "Lowering"]


class Lowering(Memory):
    """Lowers terms for one meaning of the free variables.

    Terms that are alike are lowered once for each value of what they read of bound variables. It calls
    ``tick`` for each of these and for each value of a bound variable. ``tick`` may raise an exception to end
    the work.
    """

    def __init__(
        self,
        variables: Mapping[Symbol, Lowered],
        tick: Callable[[], None] = lambda: None,
        outer: Lowering | None = None,
    ) -> None:
        self._variables = dict(variables)
        super().__init__(self._variables, outer)
        self._tick = tick

    def extended(self, variables: Mapping[Symbol, Lowered]) -> Lowering:
        """A lowering that gives further variables a meaning. It shares what does not read them."""
        return Lowering({**self._variables, **variables}, self._tick, self)

    def lower(self, term: Term, bindings: Bindings) -> Any:
        """The lowered form of a term."""
        reading = self.reading(term)
        key = reading.key(bindings)
        result = reading.results.lowered.get(key)
        if result is None:
            self._tick()
            result = reading.results.lowered[key] = _RULES[term.operator](self, term, bindings)
        return result

    def _all(self, term: Term, bindings: Bindings) -> list[Any]:
        return [self.lower(argument, bindings) for argument in term.arguments]

    def _only(self, term: Term, bindings: Bindings) -> Any:
        (argument,) = term.arguments
        return self.lower(argument, bindings)

    def _formulas(self, term: Term, bindings: Bindings) -> Iterator[FNode]:
        return (self.formula(argument, bindings) for argument in term.arguments)

    def _as(self, sort: Sort, term: Term, bindings: Bindings) -> Any:
        """The lowered form of a term, in the shape of a sort that includes the term's sort."""
        return convert(self.lower(term, bindings), term.sort, sort)

    def _expand(self, term: Term, bindings: Bindings) -> Iterator[tuple[Concrete, Bindings]]:
        """The bound variable's values that count, each with the bindings that include it."""
        assert term.binds is not None
        for value in self.candidates(term, bindings):
            self._tick()
            yield value, {**bindings, term.binds: value}

    def _instances(self, term: Term, bindings: Bindings) -> Iterator[tuple[Concrete, FNode]]:
        """The bound variable's values that count, each with the last argument lowered to a formula for it."""
        for value, inner in self._expand(term, bindings):
            yield value, self.formula(term.arguments[-1], inner)

    # Leaves and booleans

    def _literal(self, term: Term, bindings: Bindings) -> Any:
        return known(term.sort, term.data)

    def _variable(self, term: Term, bindings: Bindings) -> Any:
        assert isinstance(term.data, Symbol)
        if term.data in self._variables:
            return self._variables[term.data]
        return known(term.sort, bindings[term.data])

    def _decided(self, term: Term, bindings: Bindings, decisive: FNode) -> bool:
        """Whether an argument without state variables decides the term, before others are lowered for it."""
        constants = self.reading(term).constants
        return any(self.formula(argument, bindings) is decisive for argument in constants)

    def _and(self, term: Term, bindings: Bindings) -> Any:
        if self._decided(term, bindings, FALSE):
            return FALSE
        return conjunction(self._formulas(term, bindings))

    def _or(self, term: Term, bindings: Bindings) -> Any:
        if self._decided(term, bindings, TRUE):
            return TRUE
        return disjunction(self._formulas(term, bindings))

    def _implies(self, term: Term, bindings: Bindings) -> Any:
        if self._decided(term, bindings, TRUE):
            return TRUE
        premise = self.formula(term.arguments[0], bindings)
        if premise is FALSE:
            return TRUE
        return disjunction((negation(premise), self.formula(term.arguments[1], bindings)))

    def _if(self, term: Term, bindings: Bindings) -> Any:
        condition, *branches = term.arguments
        decides = self.formula(condition, bindings)
        if decides is TRUE or decides is FALSE:
            return self._as(term.sort, branches[decides is FALSE], bindings)
        for branch, other in (branches, reversed(branches)):
            if never_has_value(branch):  # that this one is not taken is what ``Definedness`` says
                return self._as(term.sort, other, bindings)
        return either(decides, *(self._as(term.sort, branch, bindings) for branch in branches))

    # Options

    def _some(self, term: Term, bindings: Bindings) -> Any:
        value = self._only(term, bindings)
        return value if term.sort.is_scalar else LoweredOption(TRUE, value)

    def _is_none(self, term: Term, bindings: Bindings) -> Any:
        value = self._only(term, bindings)
        return value.equals(None) if isinstance(value, Scalar) else negation(value.present)

    def _get(self, term: Term, bindings: Bindings) -> Any:
        value = self._only(term, bindings)
        if isinstance(value, Scalar):
            return value.without(None)
        return restricted(term.sort, value.present, value.payload)

    # Records and functions

    def _record(self, term: Term, bindings: Bindings) -> Any:
        assert isinstance(term.sort, Record)
        return dict(zip(term.sort.field_sorts, self._all(term, bindings), strict=True))

    def _record_update(self, term: Term, bindings: Bindings) -> Any:
        assert isinstance(term.sort, Record)
        name = str(term.data)
        record = self.lower(term.arguments[0], bindings)
        value = self._as(term.sort.field_sorts[name], term.arguments[1], bindings)
        return restricted(term.sort, defined(record), {**record, name: value})

    def _apply(self, term: Term, bindings: Bindings) -> Any:
        function = self.lower(term.arguments[0], bindings)
        keys, within = self._key(term.arguments[1], bindings, function)
        if isinstance(term.arguments[0].sort, PartialFunction):
            return apply_partial(term.sort, function, keys)
        return select(term.sort, [(when, function[key]) for key, when in keys], within is TRUE)

    def _function(self, term: Term, bindings: Bindings) -> Any:
        assert isinstance(term.sort, Function)
        (body,) = term.arguments
        return {key: self._as(term.sort.range, body, inner) for key, inner in self._expand(term, bindings)}

    def _function_update(self, term: Term, bindings: Bindings) -> Any:
        assert isinstance(term.sort, Function)
        function = self._as(term.sort, term.arguments[0], bindings)
        keys, within = self._key(term.arguments[1], bindings, function)
        value = self._as(term.sort.range, term.arguments[2], bindings)
        changed = {key: either(when, value, function[key]) for key, when in keys}
        return restricted(term.sort, conjunction((defined(function), within)), {**function, **changed})

    # Sets and bags

    def _set(self, term: Term, bindings: Bindings) -> Any:
        members: dict[Concrete, list[FNode]] = {}
        items = self._all(term, bindings)
        for argument in term.arguments:
            for value, when in self.possible(argument, bindings):
                members.setdefault(value, []).append(when)
        return restricted(
            term.sort,
            conjunction(defined(item) for item in items),
            {value: disjunction(conditions) for value, conditions in members.items()},
        )

    def _gather(
        self, term: Term, bindings: Bindings, part: Callable[[Bindings], Iterable[tuple[Concrete, FNode]]]
    ) -> Any:
        """The set of the ``part`` that each value of the bound variable contributes, if it counts."""
        condition, body = term.arguments
        members: dict[Concrete, list[FNode]] = {}
        complete = []
        for _, inner in self._expand(term, bindings):
            inside = self.formula(condition, inner)
            complete.append(disjunction((negation(inside), defined(self.lower(body, inner)))))
            for value, when in part(inner):
                members.setdefault(value, []).append(conjunction((inside, when)))
        return restricted(
            term.sort,
            conjunction(complete),
            {value: disjunction(conditions) for value, conditions in members.items()},
        )

    def _image(self, term: Term, bindings: Bindings) -> Any:
        return self._gather(term, bindings, lambda inner: self.possible(term.arguments[1], inner))

    def _union_of(self, term: Term, bindings: Bindings) -> Any:
        def members(inner: Bindings) -> Iterator[tuple[Concrete, FNode]]:
            return ((value, holds(held)) for value, held in self.lower(term.arguments[1], inner).items())

        return self._gather(term, bindings, members)

    def _sum_of(self, term: Term, bindings: Bindings) -> Any:
        condition, summand = term.arguments
        return scalars.sum_of(
            scalars.either(self.formula(condition, inner), self.lower(summand, inner), Scalar.known(0))
            for _, inner in self._expand(term, bindings)
        )

    def _contains(self, term: Term, bindings: Bindings) -> Any:
        members = self.lower(term.arguments[0], bindings)
        items = self.possible(term.arguments[1], bindings)
        return disjunction(
            conjunction((when, holds(members[item]))) for item, when in items if item in members
        )

    def _pointwise(self, term: Term, bindings: Bindings, combine: Callable[[FNode, FNode], FNode]) -> Any:
        left, right = self._all(term, bindings)
        both = conjunction((defined(left), defined(right)))
        members = {
            item: combine(holds(left.get(item, FALSE)), holds(right.get(item, FALSE)))
            for item in {**left, **right}
        }
        return restricted(term.sort, both, members)

    def _union(self, term: Term, bindings: Bindings) -> Any:
        return self._pointwise(term, bindings, lambda a, b: disjunction((a, b)))

    def _intersection(self, term: Term, bindings: Bindings) -> Any:
        return self._pointwise(term, bindings, lambda a, b: conjunction((a, b)))

    def _difference(self, term: Term, bindings: Bindings) -> Any:
        return self._pointwise(term, bindings, lambda a, b: conjunction((a, negation(b))))

    def _subset(self, term: Term, bindings: Bindings) -> Any:
        left, right = self._all(term, bindings)
        included = (
            disjunction((negation(holds(inside)), holds(right.get(item, FALSE))))
            for item, inside in left.items()
        )
        return conjunction((defined(left), defined(right), *included))

    def _cardinality(self, term: Term, bindings: Bindings) -> Any:
        members = self._only(term, bindings)
        total = scalars.total_of(holds(inside) for inside in members.values())
        return restricted(term.sort, defined(members), total)

    def _first(self, term: Term, bindings: Bindings, *, descending: bool) -> Any:
        """The first member of a set of integers in the given order."""
        members = [(item, holds(inside)) for item, inside in self._only(term, bindings).items()]
        members.sort(key=lambda member: member[0], reverse=descending)
        return _first_that_holds(term.sort, members)

    def _choose(self, term: Term, bindings: Bindings) -> Any:
        return _first_that_holds(term.sort, self._instances(term, bindings))

    def _copies(self, term: Term, bindings: Bindings) -> Any:
        bag, item = self._all(term, bindings)
        none = Scalar.known(0)
        options = [(when, bag.get(value, none)) for value, when in self.possible(term.arguments[1], bindings)]
        both = conjunction((defined(bag), defined(item)))
        return restricted(term.sort, both, select(term.sort, options, both is TRUE))

    def _change_copies(self, term: Term, bindings: Bindings, change: Callable[[Scalar], Scalar]) -> Any:
        bag, item = self._all(term, bindings)
        changed = dict(bag)
        for value, when in self.possible(term.arguments[1], bindings):
            copies = bag.get(value, Scalar.known(0))
            changed[value] = scalars.either(when, change(copies), copies)
        return restricted(term.sort, defined(item), changed)

    def _bag_add(self, term: Term, bindings: Bindings) -> Any:
        return self._change_copies(term, bindings, lambda copies: copies.shifted(1))

    def _bag_remove(self, term: Term, bindings: Bindings) -> Any:
        zero = Scalar.known(0)
        return self._change_copies(term, bindings, lambda copies: scalars.greater(copies.shifted(-1), zero))

    # Sequences

    def _sequence(self, term: Term, bindings: Bindings) -> Any:
        assert isinstance(term.sort, Sequence)
        slots = (self._as(term.sort.element, item, bindings) for item in term.arguments)
        return LoweredSequence(Scalar.known(len(term.arguments)), tuple(slots))

    def _append(self, term: Term, bindings: Bindings) -> Any:
        assert isinstance(term.sort, Sequence)
        sequence, item = term.arguments
        left = self._as(_with_element(sequence.sort, term.sort.element), sequence, bindings)
        right = sequences.single(self._as(term.sort.element, item, bindings))
        return sequences.concatenate(term.sort, left, right)

    def _concatenate(self, term: Term, bindings: Bindings) -> Any:
        assert isinstance(term.sort, Sequence)
        element = term.sort.element
        left, right = (self._as(_with_element(part.sort, element), part, bindings) for part in term.arguments)
        return sequences.concatenate(term.sort, left, right)

    def _truncate(self, term: Term, bindings: Bindings) -> Any:
        assert isinstance(term.sort, Sequence)
        return sequences.truncate(term.sort.element, *self._all(term, bindings))

    def _filter(self, term: Term, bindings: Bindings) -> Any:
        assert isinstance(term.sort, Sequence)
        sequence = self.lower(term.arguments[0], bindings)
        kept = sequences.keep(term.sort, sequence, self._instances(term, bindings))
        return restricted(term.sort, defined(sequence), kept)


    def _map(self, term: Term, bindings: Bindings) -> Any:
        assert isinstance(term.sort, Sequence)
        sequence, body = term.arguments
        assert term.binds is not None
        symbol = term.binds
        return sequences.mapped(
            symbol.sort,
            term.sort.element,
            self.lower(sequence, bindings),
            lambda value: self.lower(body, {**bindings, symbol: value}),
        )

    def _sequence_update(self, term: Term, bindings: Bindings) -> Any:
        assert isinstance(term.sort, Sequence)
        sequence, index, item = term.arguments
        return sequences.update(
            self._as(term.sort, sequence, bindings),
            self.lower(index, bindings),
            self._as(term.sort.element, item, bindings),
        )


def _with_element(sort: Sort, element: Sort) -> Sequence:
    assert isinstance(sort, Sequence)
    return Sequence(element, sort.capacity)


def _first_that_holds(sort: Sort, candidates: Iterable[tuple[Concrete, FNode]]) -> Any:
    """The first value whose condition holds; undefined if no condition holds."""
    options, earlier = [], FALSE
    for value, condition in candidates:
        options.append((conjunction((condition, negation(earlier))), known(sort, value)))
        earlier = disjunction((earlier, condition))
    return select(sort, options, earlier is TRUE)


_Rule = Callable[[Lowering, Term, Bindings], Any]


def _of_all(operation: Callable[..., Lowered]) -> _Rule:
    """The rule for an operation on all arguments in lowered form."""
    return lambda lowering, term, bindings: operation(*lowering._all(term, bindings))


def _of_sort(operation: Callable[..., Lowered]) -> _Rule:
    """The rule for an operation on the result's sort and all arguments in lowered form."""
    return lambda lowering, term, bindings: operation(term.sort, *lowering._all(term, bindings))


def _of_formulas(operation: Callable[[Iterable[FNode]], Lowered]) -> _Rule:
    """The rule for an operation on all arguments as formulas."""
    return lambda lowering, term, bindings: operation(lowering._formulas(term, bindings))


def _of_instances(operation: Callable[[Iterable[FNode]], Lowered]) -> _Rule:
    """The rule for an operation on the formulas for all values of the bound variable."""
    return lambda lowering, term, bindings: operation(
        formula for _, formula in lowering._instances(term, bindings)
    )


_RULES: Mapping[Operator, _Rule] = {
    Operator.LITERAL: Lowering._literal,
    Operator.VARIABLE: Lowering._variable,
    Operator.NOT: _of_formulas(lambda formulas: negation(*formulas)),
    Operator.AND: Lowering._and,
    Operator.OR: Lowering._or,
    Operator.IMPLIES: Lowering._implies,
    Operator.EQUAL: _of_all(equal),
    Operator.IF: Lowering._if,
    Operator.LESS: _of_all(scalars.less),
    Operator.LESS_EQUAL: _of_all(scalars.less_equal),
    Operator.ADD: _of_all(scalars.add),
    Operator.SUBTRACT: _of_all(scalars.subtract),
    Operator.MULTIPLY: _of_all(scalars.multiply),
    Operator.DIVIDE: _of_all(scalars.quotient),
    Operator.MODULO: _of_all(scalars.remainder),
    Operator.MINIMUM: _of_all(lambda *integers: reduce(scalars.lesser, integers)),
    Operator.MAXIMUM: _of_all(lambda *integers: reduce(scalars.greater, integers)),
    Operator.SOME: Lowering._some,
    Operator.IS_NONE: Lowering._is_none,
    Operator.GET: Lowering._get,
    Operator.RECORD: Lowering._record,
    Operator.FIELD: lambda lowering, term, bindings: lowering._only(term, bindings)[term.data],
    Operator.RECORD_UPDATE: Lowering._record_update,
    Operator.APPLY: Lowering._apply,
    Operator.FUNCTION: Lowering._function,
    Operator.FUNCTION_UPDATE: Lowering._function_update,
    Operator.SET: Lowering._set,
    Operator.CONTAINS: Lowering._contains,
    Operator.UNION: Lowering._union,
    Operator.INTERSECTION: Lowering._intersection,
    Operator.DIFFERENCE: Lowering._difference,
    Operator.SUBSET: Lowering._subset,
    Operator.COMPREHENSION: lambda lowering, term, bindings: {
        value: inside for value, inside in lowering._instances(term, bindings) if inside is not FALSE
    },
    Operator.IMAGE: Lowering._image,
    Operator.UNION_OF: Lowering._union_of,
    Operator.CARDINALITY: Lowering._cardinality,
    Operator.MINIMUM_OF: lambda lowering, term, bindings: lowering._first(term, bindings, descending=False),
    Operator.MAXIMUM_OF: lambda lowering, term, bindings: lowering._first(term, bindings, descending=True),
    Operator.CHOOSE: Lowering._choose,
    Operator.FORALL: _of_instances(conjunction),
    Operator.EXISTS: _of_instances(disjunction),
    Operator.COUNT: _of_instances(scalars.total_of),
    Operator.SUM_OF: Lowering._sum_of,
    Operator.SEQUENCE: Lowering._sequence,
    Operator.LENGTH: lambda lowering, term, bindings: lowering._only(term, bindings).length,
    Operator.AT: _of_sort(sequences.at),
    Operator.APPEND: Lowering._append,
    Operator.TRUNCATE: Lowering._truncate,
    Operator.FILTER: Lowering._filter,
    Operator.CONCATENATE: Lowering._concatenate,
    Operator.BETWEEN: _of_sort(sequences.between),
    Operator.REVERSE: _of_sort(sequences.reverse),
    Operator.MAP: Lowering._map,
    Operator.SEQUENCE_UPDATE: Lowering._sequence_update,
    Operator.OCCURS: _of_all(sequences.occurs),
    Operator.ELEMENTS: _of_sort(sequences.elements),
    Operator.SUM: _of_sort(sequences.total),
    Operator.COPIES: Lowering._copies,
    Operator.BAG_ADD: Lowering._bag_add,
    Operator.BAG_REMOVE: Lowering._bag_remove,
    **COMPOUND_RULES,
}
