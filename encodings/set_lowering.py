"""The finite reading of sets and bags."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pysmt.fnode import FNode

from verifier.encodings import scalars
from verifier.encodings.bits import FALSE, TRUE, conjunction, disjunction, negation
from verifier.encodings.concrete import Concrete
from verifier.encodings.lowered import holds, lower_constant, make_definedness, restrict_value, select
from verifier.encodings.readings import Bindings
from verifier.encodings.scalars import Scalar
from verifier.encodings.sorts import Sort
from verifier.encodings.term_lowering import Rule, TermLowering
from verifier.encodings.terms import Operator, Term


def _set(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    members: dict[Concrete, list[FNode]] = {}
    items = lowering.arguments(term, bindings)
    for argument in term.arguments:
        for value, when in lowering.possible(argument, bindings):
            members.setdefault(value, []).append(when)
    return restrict_value(
        term.sort,
        conjunction(make_definedness(item) for item in items),
        {value: disjunction(conditions) for value, conditions in members.items()},
    )


def _gather(
    lowering: TermLowering,
    term: Term,
    bindings: Bindings,
    part: Callable[[Bindings], Iterable[tuple[Concrete, FNode]]],
) -> Any:
    """The set of the ``part`` that each value of the bound variable contributes, if it counts."""
    condition, body = term.arguments
    members: dict[Concrete, list[FNode]] = {}
    complete = []
    for _, inner in lowering.expand(term, bindings):
        inside = lowering.formula(condition, inner)
        complete.append(disjunction((negation(inside), make_definedness(lowering.lower(body, inner)))))
        for value, when in part(inner):
            members.setdefault(value, []).append(conjunction((inside, when)))
    return restrict_value(
        term.sort,
        conjunction(complete),
        {value: disjunction(conditions) for value, conditions in members.items()},
    )


def _image(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    return _gather(lowering, term, bindings, lambda inner: lowering.possible(term.arguments[1], inner))


def _union_of(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    def members(inner: Bindings) -> Iterator[tuple[Concrete, FNode]]:
        return ((value, holds(held)) for value, held in lowering.lower(term.arguments[1], inner).items())

    return _gather(lowering, term, bindings, members)


def _sum_of(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    condition, summand = term.arguments
    return scalars.sum_of(
        scalars.either(
            lowering.formula(condition, inner), lowering.lower(summand, inner), Scalar.make_constant(0)
        )
        for _, inner in lowering.expand(term, bindings)
    )


def _contains(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    members = lowering.lower(term.arguments[0], bindings)
    items = lowering.possible(term.arguments[1], bindings)
    return disjunction(conjunction((when, holds(members[item]))) for item, when in items if item in members)


def _pointwise(
    lowering: TermLowering, term: Term, bindings: Bindings, combine: Callable[[FNode, FNode], FNode]
) -> Any:
    left, right = lowering.arguments(term, bindings)
    both = conjunction((make_definedness(left), make_definedness(right)))
    members = {
        item: combine(holds(left.get(item, FALSE)), holds(right.get(item, FALSE)))
        for item in {**left, **right}
    }
    return restrict_value(term.sort, both, members)


def _union(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    return _pointwise(lowering, term, bindings, lambda a, b: disjunction((a, b)))


def _intersection(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    return _pointwise(lowering, term, bindings, lambda a, b: conjunction((a, b)))


def _difference(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    return _pointwise(lowering, term, bindings, lambda a, b: conjunction((a, negation(b))))


def _subset(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    left, right = lowering.arguments(term, bindings)
    included = (
        disjunction((negation(holds(inside)), holds(right.get(item, FALSE)))) for item, inside in left.items()
    )
    return conjunction((make_definedness(left), make_definedness(right), *included))


def _cardinality(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    members = lowering.argument(term, bindings)
    total = scalars.total_of(holds(inside) for inside in members.values())
    return restrict_value(term.sort, make_definedness(members), total)


def _first(lowering: TermLowering, term: Term, bindings: Bindings, *, descending: bool) -> Any:
    """The first member of a set of integers in the given order."""
    members = [(item, holds(inside)) for item, inside in lowering.argument(term, bindings).items()]
    members.sort(key=lambda member: member[0], reverse=descending)
    return _first_that_holds(term.sort, members)


def _choose(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    return _first_that_holds(term.sort, lowering.instances(term, bindings))


def _copies(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    bag, item = lowering.arguments(term, bindings)
    none = Scalar.make_constant(0)
    options = [(when, bag.get(value, none)) for value, when in lowering.possible(term.arguments[1], bindings)]
    both = conjunction((make_definedness(bag), make_definedness(item)))
    return restrict_value(term.sort, both, select(term.sort, options, both is TRUE))


def _change_copies(
    lowering: TermLowering, term: Term, bindings: Bindings, change: Callable[[Scalar], Scalar]
) -> Any:
    bag, item = lowering.arguments(term, bindings)
    changed = dict(bag)
    for value, when in lowering.possible(term.arguments[1], bindings):
        copies = bag.get(value, Scalar.make_constant(0))
        changed[value] = scalars.either(when, change(copies), copies)
    return restrict_value(term.sort, make_definedness(item), changed)


def _bag_add(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    return _change_copies(lowering, term, bindings, lambda copies: copies.shift(1))


def _bag_remove(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    zero = Scalar.make_constant(0)
    return _change_copies(lowering, term, bindings, lambda copies: scalars.greater(copies.shift(-1), zero))


def _first_that_holds(sort: Sort, candidates: Iterable[tuple[Concrete, FNode]]) -> Any:
    """The first value whose condition holds; undefined if no condition holds."""
    options, earlier = [], FALSE
    for value, condition in candidates:
        options.append((conjunction((condition, negation(earlier))), lower_constant(sort, value)))
        earlier = disjunction((earlier, condition))
    return select(sort, options, earlier is TRUE)


SET_RULES: Mapping[Operator, Rule] = {
    Operator.SET: _set,
    Operator.CONTAINS: _contains,
    Operator.UNION: _union,
    Operator.INTERSECTION: _intersection,
    Operator.DIFFERENCE: _difference,
    Operator.SUBSET: _subset,
    Operator.COMPREHENSION: lambda lowering, term, bindings: {
        value: inside for value, inside in lowering.instances(term, bindings) if inside is not FALSE
    },
    Operator.IMAGE: _image,
    Operator.UNION_OF: _union_of,
    Operator.CARDINALITY: _cardinality,
    Operator.MINIMUM_OF: lambda lowering, term, bindings: _first(lowering, term, bindings, descending=False),
    Operator.MAXIMUM_OF: lambda lowering, term, bindings: _first(lowering, term, bindings, descending=True),
    Operator.CHOOSE: _choose,
    Operator.SUM_OF: _sum_of,
    Operator.COPIES: _copies,
    Operator.BAG_ADD: _bag_add,
    Operator.BAG_REMOVE: _bag_remove,
}
