"""Terms that count values: as a new symbol, or compared with a small number.

A count is compared with a small number by this number of different values, or not one more.
"""

from __future__ import annotations

from itertools import combinations

from verifier.encodings.sorts import Boolean, Enum, IndexSet, Range, Record, Set, Sort, Tuple
from verifier.encodings.terms import Operator, Term
from verifier.parametric.arguments import abstract_parameters
from verifier.parametric.counting import Counting
from verifier.parametric.errors import NotParametric
from verifier.parametric.first_order_values import Quantified
from verifier.parametric.nodes import INT, Node
from verifier.parametric.term_reader import Reader, Scope
from verifier.parametric.traced import Traced, is_unbounded

_COUNTS = (Operator.COUNT, Operator.CARDINALITY)
_MOST = 3
"""The largest number for which a formula lists different values."""


def count_members(reader: Reader, term: Term, scope: Scope) -> Node:
    """Return the count as a new symbol."""
    logic, (argument,) = reader.logic, term.arguments
    if term.operator is Operator.COUNT:
        assert term.binds is not None
        sort, holds = term.binds.sort, reader.body(term, scope, argument)
    else:
        assert isinstance(argument.sort, Set)
        sort, holds = argument.sort.element, reader.part(argument, scope).contains
    if not has_one_form(sort):
        raise NotParametric(f"values of {sort} are counted, which has no parametric reading")
    one = reader.values.quantify(sort)
    if term.operator is Operator.CARDINALITY and reader.values.has_sets_in_states:
        members = reader.part(argument, scope)
        if members.node is not None:
            return _count_named(reader, sort, argument.sort, members.node, one)
    abstracted = abstract_parameters(logic, logic.conj((one.within, holds(one.value))), one.variables)
    inside, outside = abstracted.formula, abstracted.variables
    word = "count" if len(one.variables) == 1 else f"count of {len(one.variables)}"
    name = reader.symbol(word, inside, (*outside, *one.variables), lambda _: (), INT)
    size = _size(reader, sort)
    reader.definitions.counts.setdefault(name, Counting(outside, one.variables, one.within, inside, size))
    return logic.app(name, INT, abstracted.arguments)


def _count_named(reader: Reader, sort: Sort, whole: Sort, node: Node, one: Quantified) -> Node:
    """Return the number of elements of a set that is a value itself: one function of all such sets. So equal
    sets have equal numbers, without a fact."""
    logic = reader.logic
    assert isinstance(whole, Set)
    variable = logic.variable(node.sort)
    inside = logic.conj((one.within, reader.values.sets.make(whole, variable).contains(one.value)))
    name = reader.symbol("count", inside, (variable, *one.variables), lambda _: (), INT)
    counting = Counting((variable,), one.variables, one.within, inside, _size(reader, sort))
    reader.definitions.counts.setdefault(name, counting)
    return logic.app(name, INT, (node,))


def has_one_form(sort: Sort) -> bool:
    """True if different nodes are different values."""
    match sort:
        case Boolean() | Range() | Enum() | IndexSet():
            return True
        case Record() | Tuple():
            return all(map(has_one_form, sort.parts()))
    return False


def _size(reader: Reader, sort: Sort) -> Node | None:
    logic, values = reader.logic, reader.values
    match sort:
        case IndexSet():
            return values.number(sort.count)
        case Range() if is_unbounded(sort.low) or is_unbounded(sort.high):
            return None
        case Range():
            zero, more = logic.integer(0), logic.plus(values.number(sort.high), logic.integer(1))
            size = logic.minus(more, values.number(sort.low))
            return logic.ite(logic.less_equal(zero, size), size, zero)
    return None


def compare_count(reader: Reader, term: Term, scope: Scope) -> Node | None:
    """The comparison of a count with a small number as a formula; None if the term is no such comparison."""
    one, other = term.arguments
    logic = reader.logic
    if one.operator in _COUNTS and (number := _small(other)) is not None:
        match term.operator:
            case Operator.LESS:
                return logic.neg(at_least(reader, one, scope, number))
            case Operator.LESS_EQUAL:
                return logic.neg(at_least(reader, one, scope, number + 1))
        return _exactly(reader, one, scope, number)
    if other.operator in _COUNTS and (number := _small(one)) is not None:
        match term.operator:
            case Operator.LESS:
                return at_least(reader, other, scope, number + 1)
            case Operator.LESS_EQUAL:
                return at_least(reader, other, scope, number)
        return _exactly(reader, other, scope, number)
    return None


def _small(term: Term) -> int | None:
    """Return the number of a term, if it is small and depends on no constant."""
    if term.operator is not Operator.LITERAL or not isinstance(term.sort, Range):
        return None
    low = term.sort.low
    fixed = not isinstance(low, Traced) and low == term.sort.high and abs(low) <= _MOST
    return low if fixed else None


def _exactly(reader: Reader, counted: Term, scope: Scope, number: int) -> Node:
    more = at_least(reader, counted, scope, number + 1)
    return reader.logic.conj((at_least(reader, counted, scope, number), reader.logic.neg(more)))


def at_least(reader: Reader, counted: Term, scope: Scope, number: int) -> Node:
    """Return the formula that this number of different values is counted."""
    logic, values = reader.logic, reader.values
    (argument,) = counted.arguments
    if counted.operator is Operator.COUNT:
        assert counted.binds is not None
        sort, holds = counted.binds.sort, reader.body(counted, scope, argument)
    else:
        assert isinstance(argument.sort, Set)
        sort, holds = argument.sort.element, reader.part(argument, scope).contains
    ones = [values.quantify(sort) for _ in range(max(0, number))]
    differ = (logic.neg(values.equal(sort, a.value, b.value)) for a, b in combinations(ones, 2))
    inside = (logic.conj((one.within, holds(one.value))) for one in ones)
    variables = [variable for one in ones for variable in one.variables]
    said = logic.exists(variables, logic.conj((*inside, *differ)))
    return said if scope.weak.isdisjoint(counted.free) else reader.remove_quantifiers(said)
