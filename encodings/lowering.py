"""The finite reading: from terms to boolean terms, quantifiers expanded over the values of their sorts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pysmt.fnode import FNode

from verifier.encodings import scalars
from verifier.encodings.bits import FALSE, TRUE, conjunction, disjunction, negation
from verifier.encodings.concrete import Concrete
from verifier.encodings.lowered import (
    Lowered,
    LoweredOption,
    LoweredSequence,
    cases,
    convert,
    either,
    equal,
    is_total,
    known,
    select,
)
from verifier.encodings.scalars import Scalar
from verifier.encodings.sorts import Bag, Function, Option, Record, Sequence, Set
from verifier.encodings.terms import Operator, Symbol, Term

Bindings = Mapping[Symbol, Concrete]
"""The concrete values of bound variables and expanded parameters."""


class Lowering:
    """Lowers terms over one meaning of the free variables, each term once per binding."""

    def __init__(self, variables: Mapping[Symbol, Lowered]) -> None:
        self._variables = dict(variables)
        self._memo: dict[tuple[int, tuple[Concrete, ...]], Lowered] = {}
        self._terms: dict[int, tuple[Term, tuple[Symbol, ...]]] = {}

    def formula(self, term: Term, bindings: Bindings | None = None) -> FNode:
        """A boolean term, lowered."""
        result = self.lower(term, bindings or {})
        assert isinstance(result, FNode)
        return result

    def lower(self, term: Term, bindings: Bindings) -> Any:
        """Any term, lowered."""
        entry = self._terms.get(id(term))
        if entry is None:  # keeping the term alive keeps its id its own
            entry = (term, tuple(symbol for symbol in term.free if symbol not in self._variables))
            self._terms[id(term)] = entry
        key = (id(term), tuple(bindings[symbol] for symbol in entry[1]))
        result = self._memo.get(key)
        if result is None:
            result = self._memo[key] = _RULES[term.operator](self, term, bindings)
        return result

    def _at(self, term: Term, index: int, bindings: Bindings) -> Any:
        return self.lower(term.arguments[index], bindings)

    def _all(self, term: Term, bindings: Bindings) -> list[Any]:
        return [self.lower(argument, bindings) for argument in term.arguments]

    def _expand(self, term: Term, bindings: Bindings, index: int = 0) -> list[tuple[Concrete, Any]]:
        """The bound variable's values, each with the argument lowered for it."""
        assert term.binds is not None
        body, symbol = term.arguments[index], term.binds
        return [(value, self.lower(body, {**bindings, symbol: value})) for value in symbol.sort.values()]

    # Leaves and booleans

    def _literal(self, term: Term, bindings: Bindings) -> Lowered:
        return known(term.sort, term.data)

    def _variable(self, term: Term, bindings: Bindings) -> Lowered:
        assert isinstance(term.data, Symbol)
        if term.data in self._variables:
            return self._variables[term.data]
        return known(term.sort, bindings[term.data])

    def _not(self, term: Term, bindings: Bindings) -> Lowered:
        return negation(self._at(term, 0, bindings))

    def _and(self, term: Term, bindings: Bindings) -> Lowered:
        return conjunction(self._all(term, bindings))

    def _or(self, term: Term, bindings: Bindings) -> Lowered:
        return disjunction(self._all(term, bindings))

    def _implies(self, term: Term, bindings: Bindings) -> Lowered:
        premise = self._at(term, 0, bindings)
        return TRUE if premise is FALSE else disjunction((negation(premise), self._at(term, 1, bindings)))

    def _equal(self, term: Term, bindings: Bindings) -> Lowered:
        return equal(*self._all(term, bindings))

    def _if(self, term: Term, bindings: Bindings) -> Lowered:
        condition = self._at(term, 0, bindings)
        then, otherwise = (
            convert(self._at(term, index, bindings), term.arguments[index].sort, term.sort) for index in (1, 2)
        )
        return either(condition, then, otherwise)  # type: ignore[no-any-return]

    def _forall(self, term: Term, bindings: Bindings) -> Lowered:
        return conjunction(holds for _, holds in self._expand(term, bindings))

    def _exists(self, term: Term, bindings: Bindings) -> Lowered:
        return disjunction(holds for _, holds in self._expand(term, bindings))

    # Integers

    def _count(self, term: Term, bindings: Bindings) -> Lowered:
        return scalars.total_of(holds for _, holds in self._expand(term, bindings))

    def _add(self, term: Term, bindings: Bindings) -> Lowered:
        left, right = self._all(term, bindings)
        return _sum(left, right, 1)

    def _subtract(self, term: Term, bindings: Bindings) -> Lowered:
        left, right = self._all(term, bindings)
        return _sum(left, right, -1)

    # Options

    def _some(self, term: Term, bindings: Bindings) -> Lowered:
        value = self._at(term, 0, bindings)
        return value if term.sort.is_scalar else LoweredOption(TRUE, value)  # type: ignore[no-any-return]

    def _is_none(self, term: Term, bindings: Bindings) -> Lowered:
        value = self._at(term, 0, bindings)
        return value.equals(None) if isinstance(value, Scalar) else negation(value.present)

    def _get(self, term: Term, bindings: Bindings) -> Lowered:
        value = self._at(term, 0, bindings)
        if isinstance(value, Scalar):
            return value.without(None)
        return select([(value.present, value.payload)], exhaustive=False)  # type: ignore[no-any-return]

    # Records and functions

    def _record(self, term: Term, bindings: Bindings) -> Lowered:
        assert isinstance(term.sort, Record)
        return dict(zip(term.sort.field_sorts, self._all(term, bindings), strict=True))

    def _field(self, term: Term, bindings: Bindings) -> Lowered:
        return self._at(term, 0, bindings)[term.data]  # type: ignore[no-any-return]

    def _record_update(self, term: Term, bindings: Bindings) -> Lowered:
        assert isinstance(term.sort, Record)
        record, value = self._all(term, bindings)
        name = str(term.data)
        return {**record, name: convert(value, term.arguments[1].sort, term.sort.field_sorts[name])}

    def _apply(self, term: Term, bindings: Bindings) -> Lowered:
        function, key = self._all(term, bindings)
        possible = cases(term.arguments[1].sort, key)
        exhaustive = is_total(key) and all(value in function for value, _ in possible)
        return select([(when, function[value]) for value, when in possible if value in function], exhaustive)  # type: ignore[no-any-return]

    def _function(self, term: Term, bindings: Bindings) -> Lowered:
        assert isinstance(term.sort, Function)
        source, target = term.arguments[0].sort, term.sort.range
        return {key: convert(value, source, target) for key, value in self._expand(term, bindings)}

    def _function_update(self, term: Term, bindings: Bindings) -> Lowered:
        assert isinstance(term.sort, Function)
        function, key, value = self._all(term, bindings)
        value = convert(value, term.arguments[2].sort, term.sort.range)
        result = dict(function)
        for item, when in cases(term.arguments[1].sort, key):
            if item in result:
                result[item] = either(when, value, result[item])
        return result

    # Sets and bags

    def _set(self, term: Term, bindings: Bindings) -> Lowered:
        assert isinstance(term.sort, Set)
        members: dict[Concrete, list[FNode]] = {item: [] for item in term.sort.element.values()}
        for argument in term.arguments:
            for item, when in cases(argument.sort, self.lower(argument, bindings)):
                members.setdefault(item, []).append(when)
        return {item: disjunction(conditions) for item, conditions in members.items()}

    def _contains(self, term: Term, bindings: Bindings) -> Lowered:
        members, item = self._all(term, bindings)
        possible = cases(term.arguments[1].sort, item)
        return disjunction(conjunction((when, members.get(value, FALSE))) for value, when in possible)

    def _pointwise(self, term: Term, bindings: Bindings, combine: Callable[[FNode, FNode], FNode]) -> Lowered:
        left, right = self._all(term, bindings)
        return {item: combine(left.get(item, FALSE), right.get(item, FALSE)) for item in {**left, **right}}

    def _union(self, term: Term, bindings: Bindings) -> Lowered:
        return self._pointwise(term, bindings, lambda a, b: disjunction((a, b)))

    def _intersection(self, term: Term, bindings: Bindings) -> Lowered:
        return self._pointwise(term, bindings, lambda a, b: conjunction((a, b)))

    def _difference(self, term: Term, bindings: Bindings) -> Lowered:
        return self._pointwise(term, bindings, lambda a, b: conjunction((a, negation(b))))

    def _subset(self, term: Term, bindings: Bindings) -> Lowered:
        left, right = self._all(term, bindings)
        return conjunction(disjunction((negation(when), right.get(item, FALSE))) for item, when in left.items())

    def _comprehension(self, term: Term, bindings: Bindings) -> Lowered:
        return dict(self._expand(term, bindings))

    def _image(self, term: Term, bindings: Bindings) -> Lowered:
        assert isinstance(term.sort, Set)
        members: dict[Concrete, list[FNode]] = {item: [] for item in term.sort.element.values()}
        bodies = self._expand(term, bindings, 1)
        for (_, inside), (_, body) in zip(self._expand(term, bindings), bodies, strict=True):
            for item, when in cases(term.sort.element, body):
                members.setdefault(item, []).append(conjunction((inside, when)))
        return {item: disjunction(conditions) for item, conditions in members.items()}

    def _cardinality(self, term: Term, bindings: Bindings) -> Lowered:
        return scalars.total_of(self._at(term, 0, bindings).values())

    def _minimum_of(self, term: Term, bindings: Bindings) -> Lowered:
        return _first(sorted(self._at(term, 0, bindings).items()))

    def _maximum_of(self, term: Term, bindings: Bindings) -> Lowered:
        return _first(sorted(self._at(term, 0, bindings).items(), reverse=True))

    def _choose(self, term: Term, bindings: Bindings) -> Lowered:
        options, earlier = [], FALSE
        for value, holds in self._expand(term, bindings):
            options.append((conjunction((holds, negation(earlier))), known(term.sort, value)))
            earlier = disjunction((earlier, holds))
        return select(options, exhaustive=earlier is TRUE)  # type: ignore[no-any-return]

    def _copies(self, term: Term, bindings: Bindings) -> Lowered:
        bag, item = self._all(term, bindings)
        possible = cases(term.arguments[1].sort, item)
        return select([(when, bag.get(value, Scalar.known(0))) for value, when in possible], is_total(item))  # type: ignore[no-any-return]

    def _bag_change(self, term: Term, bindings: Bindings, change: Callable[[Scalar], Scalar]) -> Lowered:
        assert isinstance(term.sort, Bag)
        bag, item = self._all(term, bindings)
        result = dict(bag)
        for value, when in cases(term.arguments[1].sort, item):
            result[value] = scalars.either(when, change(result[value]), result[value])
        return result

    def _bag_add(self, term: Term, bindings: Bindings) -> Lowered:
        return self._bag_change(term, bindings, lambda copies: copies.shifted(1))

    def _bag_remove(self, term: Term, bindings: Bindings) -> Lowered:
        return self._bag_change(
            term, bindings, lambda copies: scalars.greater(copies.shifted(-1), Scalar.known(0))
        )

    # Sequences

    def _sequence(self, term: Term, bindings: Bindings) -> Lowered:
        assert isinstance(term.sort, Sequence)
        element = term.sort.element
        slots = (convert(self.lower(item, bindings), item.sort, element) for item in term.arguments)
        return LoweredSequence(Scalar.known(len(term.arguments)), tuple(slots))

    def _sequence_at(self, term: Term, bindings: Bindings) -> Lowered:
        sequence, index = self._all(term, bindings)
        options = []
        for place, when in index.cases():
            if 0 <= place < len(sequence.slots):
                used = sequence.length.at_least(place + 1)
                options.append((conjunction((when, used)), sequence.slots[place]))
        return select(options, exhaustive=False)  # type: ignore[no-any-return]

    def _append(self, term: Term, bindings: Bindings) -> Lowered:
        assert isinstance(term.sort, Sequence)
        sequence, item = self._all(term, bindings)
        one = LoweredSequence(Scalar.known(1), (convert(item, term.arguments[1].sort, term.sort.element),))
        return _concatenate(sequence, one, term.sort)

    def _concatenate(self, term: Term, bindings: Bindings) -> Lowered:
        assert isinstance(term.sort, Sequence)
        parts = []
        for argument, value in zip(term.arguments, self._all(term, bindings), strict=True):
            assert isinstance(argument.sort, Sequence)
            target = Sequence(term.sort.element, argument.sort.capacity)
            parts.append(convert(value, argument.sort, target))
        return _concatenate(parts[0], parts[1], term.sort)

    def _truncate(self, term: Term, bindings: Bindings) -> Lowered:
        assert isinstance(term.sort, Sequence)
        sequence, length = self._all(term, bindings)
        filler = known(term.sort.element, term.sort.element.default)
        slots = (
            either(length.at_least(index + 1), slot, filler) for index, slot in enumerate(sequence.slots)
        )
        kept = scalars.lesser(sequence.length, scalars.greater(length, Scalar.known(0)))
        return LoweredSequence(kept, tuple(slots))

    def _filter(self, term: Term, bindings: Bindings) -> Lowered:
        assert isinstance(term.sort, Sequence) and term.binds is not None
        sequence = self._at(term, 0, bindings)
        filler = known(term.sort.element, term.sort.element.default)
        result = LoweredSequence(Scalar.known(0), ())
        verdicts = self._expand(term, bindings, 1)
        for index, slot in enumerate(sequence.slots):
            holds = disjunction(
                conjunction((equal(slot, known(term.sort.element, value)), verdict)) for value, verdict in verdicts
            )
            keep = conjunction((sequence.length.at_least(index + 1), holds))
            sort = Sequence(term.sort.element, index + 1)
            longer = _concatenate(result, LoweredSequence(Scalar.known(1), (slot,)), sort)
            padded = LoweredSequence(result.length, (*result.slots, filler))
            result = either(keep, longer, padded)
        return result


def _sum(left: Scalar, right: Scalar, sign: int) -> Scalar:
    if len(right.values) == 1 and right.total:
        value = right.values[0]
        assert isinstance(value, int)
        return left.shifted(sign * value)
    return scalars.combine(left, right, lambda a, b: a + sign * b)


def _first(members: list[tuple[Any, FNode]]) -> Scalar:
    """The first member present, in the order given."""
    found, earlier = [], FALSE
    for value, present in members:
        found.append((value, conjunction((present, negation(earlier)))))
        earlier = disjunction((earlier, present))
    found.sort(key=lambda pair: pair[0])
    return Scalar([v for v, _ in found], exactly=[when for _, when in found], total=earlier is TRUE)


def _concatenate(left: LoweredSequence, right: LoweredSequence, sort: Sequence) -> LoweredSequence:
    filler = known(sort.element, sort.element.default)
    slots = []
    for index in range(len(left.slots) + len(right.slots)):
        follows = filler
        for length, when in left.length.cases():
            assert isinstance(length, int)
            if 0 <= index - length < len(right.slots):
                follows = either(when, right.slots[index - length], follows)
        own = left.slots[index] if index < len(left.slots) else follows
        slots.append(either(left.length.at_least(index + 1), own, follows))
    length = left.length
    total = _sum(length, right.length, 1) if len(right.length.values) == 1 else _sum(right.length, length, 1)
    return LoweredSequence(total, tuple(slots))


_RULES: Mapping[Operator, Callable[[Lowering, Term, Bindings], Lowered]] = {
    Operator.LITERAL: Lowering._literal,
    Operator.VARIABLE: Lowering._variable,
    Operator.NOT: Lowering._not,
    Operator.AND: Lowering._and,
    Operator.OR: Lowering._or,
    Operator.IMPLIES: Lowering._implies,
    Operator.EQUAL: Lowering._equal,
    Operator.IF: Lowering._if,
    Operator.LESS: lambda lowering, term, bindings: scalars.less(*lowering._all(term, bindings)),
    Operator.LESS_EQUAL: lambda lowering, term, bindings: scalars.less_equal(*lowering._all(term, bindings)),
    Operator.MINIMUM: lambda lowering, term, bindings: scalars.lesser(*lowering._all(term, bindings)),
    Operator.MAXIMUM: lambda lowering, term, bindings: scalars.greater(*lowering._all(term, bindings)),
    Operator.ADD: Lowering._add,
    Operator.SUBTRACT: Lowering._subtract,
    Operator.SOME: Lowering._some,
    Operator.IS_NONE: Lowering._is_none,
    Operator.GET: Lowering._get,
    Operator.RECORD: Lowering._record,
    Operator.FIELD: Lowering._field,
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
    Operator.COMPREHENSION: Lowering._comprehension,
    Operator.IMAGE: Lowering._image,
    Operator.CARDINALITY: Lowering._cardinality,
    Operator.MINIMUM_OF: Lowering._minimum_of,
    Operator.MAXIMUM_OF: Lowering._maximum_of,
    Operator.CHOOSE: Lowering._choose,
    Operator.FORALL: Lowering._forall,
    Operator.EXISTS: Lowering._exists,
    Operator.COUNT: Lowering._count,
    Operator.SEQUENCE: Lowering._sequence,
    Operator.LENGTH: lambda lowering, term, bindings: lowering._at(term, 0, bindings).length,
    Operator.AT: Lowering._sequence_at,
    Operator.APPEND: Lowering._append,
    Operator.TRUNCATE: Lowering._truncate,
    Operator.FILTER: Lowering._filter,
    Operator.CONCATENATE: Lowering._concatenate,
    Operator.COPIES: Lowering._copies,
    Operator.BAG_ADD: Lowering._bag_add,
    Operator.BAG_REMOVE: Lowering._bag_remove,
}
