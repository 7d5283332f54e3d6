"""Terms read as values of first-order logic, with quantifiers. Terms that are not first-order are refused."""

from __future__ import annotations

from collections.abc import Mapping

from verifier.encodings.terms import Operator, Symbol
from verifier.parametric import collected, connectives, integers, structured
from verifier.parametric.counted import count_members
from verifier.parametric.dividing import divide_by_constant
from verifier.parametric.first_order_values import Value
from verifier.parametric.sort_nodes import Values
from verifier.parametric.subsequences import filter_items
from verifier.parametric.summing import sum_values
from verifier.parametric.term_reader import Definitions, Reader, Rule


def make_reader(
    values: Values,
    definitions: Definitions,
    state: Mapping[Symbol, Value],
    before: Reader | None = None,
) -> Reader:
    """Return the reader of terms in a state. ``before``: the reader in the state before a step."""
    return Reader(RULES, values, definitions, state, before)


RULES: Mapping[Operator, Rule] = {
    Operator.LITERAL: connectives.literal,
    Operator.VARIABLE: connectives.variable,
    Operator.NOT: connectives.negation,
    Operator.AND: connectives.conjunction,
    Operator.OR: connectives.disjunction,
    Operator.IMPLIES: connectives.implication,
    Operator.EQUAL: connectives.equation,
    Operator.IF: connectives.conditional,
    Operator.FORALL: Reader.read_quantified,
    Operator.EXISTS: Reader.read_quantified,
    Operator.LESS: integers.compare,
    Operator.LESS_EQUAL: integers.compare,
    Operator.ADD: integers.calculate,
    Operator.SUBTRACT: integers.calculate,
    Operator.MULTIPLY: integers.calculate,
    Operator.MINIMUM: integers.extreme,
    Operator.MAXIMUM: integers.extreme,
    Operator.MINIMUM_OF: integers.extreme_of,
    Operator.MAXIMUM_OF: integers.extreme_of,
    Operator.CHOOSE: integers.choose,
    Operator.COUNT: count_members,
    Operator.CARDINALITY: count_members,
    Operator.SUM_OF: sum_values,
    Operator.DIVIDE: divide_by_constant,
    Operator.MODULO: divide_by_constant,
    Operator.SOME: structured.some,
    Operator.IS_NONE: structured.is_none,
    Operator.GET: structured.get,
    Operator.RECORD: structured.record,
    Operator.TUPLE: structured.record,
    Operator.FIELD: structured.field,
    Operator.RECORD_UPDATE: structured.record_update,
    Operator.APPLY: structured.apply,
    Operator.FUNCTION: structured.function,
    Operator.FUNCTION_UPDATE: structured.function_update,
    Operator.VARIANT: structured.variant,
    Operator.HAS_TAG: structured.has_tag,
    Operator.PAYLOAD: structured.payload,
    Operator.PARTIAL_FUNCTION: structured.partial_function,
    Operator.DOMAIN: structured.domain,
    Operator.EXTEND: structured.extend,
    Operator.WITHOUT: structured.without,
    Operator.SET: collected.set_of,
    Operator.CONTAINS: collected.contains,
    Operator.UNION: collected.combine_members,
    Operator.INTERSECTION: collected.combine_members,
    Operator.DIFFERENCE: collected.combine_members,
    Operator.SUBSET: collected.subset,
    Operator.COMPREHENSION: collected.comprehension,
    Operator.IMAGE: collected.image,
    Operator.UNION_OF: collected.image,
    Operator.COPIES: collected.copies,
    Operator.BAG_ADD: collected.bag_change,
    Operator.BAG_REMOVE: collected.bag_change,
    Operator.SEQUENCE: collected.sequence,
    Operator.LENGTH: collected.length,
    Operator.AT: collected.at,
    Operator.APPEND: collected.append,
    Operator.TRUNCATE: collected.truncate,
    Operator.CONCATENATE: collected.concatenate,
    Operator.BETWEEN: collected.between,
    Operator.MAP: collected.map_items,
    Operator.SEQUENCE_UPDATE: collected.sequence_update,
    Operator.OCCURS: collected.occurs,
    Operator.ELEMENTS: collected.elements,
    Operator.REVERSE: collected.reverse,
    Operator.FILTER: filter_items,
}
"""The rules by operator. A term with another operator is refused."""
