"""Terms of integers, read as values of first-order logic."""

from __future__ import annotations

from collections.abc import Callable

from verifier.encodings.sorts import Range
from verifier.encodings.terms import Operator, Term
from verifier.parametric import counted
from verifier.parametric.arguments import abstract_parameters
from verifier.parametric.errors import NotParametric
from verifier.parametric.extremal import Extreme
from verifier.parametric.nodes import INT, Node
from verifier.parametric.term_reader import Reader, Scope


def compare(reader: Reader, term: Term, scope: Scope) -> Node:
    small = counted.compare_count(reader, term, scope)
    if small is not None:
        return small
    one, other = (reader.part(arg, scope) for arg in term.arguments)
    strict = term.operator is Operator.LESS
    return reader.logic.less(one, other) if strict else reader.logic.less_equal(one, other)


def calculate(reader: Reader, term: Term, scope: Scope) -> Node:
    one, other = (reader.part(arg, scope) for arg in term.arguments)
    match term.operator:
        case Operator.ADD:
            return reader.logic.plus(one, other)
        case Operator.SUBTRACT:
            return reader.logic.minus(one, other)
    return reader.logic.times(one, other)


def extreme(reader: Reader, term: Term, scope: Scope) -> Node:
    first, *rest = (reader.part(arg, scope) for arg in term.arguments)
    for other in rest:
        least = reader.logic.less_equal(first, other)
        chosen = least if term.operator is Operator.MINIMUM else reader.logic.neg(least)
        first = reader.short_integer(reader.logic.ite(chosen, first, other))
    return first  # type: ignore[no-any-return]


def extreme_of(reader: Reader, term: Term, scope: Scope) -> Node:
    """Return the least or greatest element of a set: a function symbol with an axiom for sets that have
    one."""
    members, sort = reader.part(term.arguments[0], scope), term.arguments[0].binds
    low = reader.values.number(sort.sort.low) if sort is not None and isinstance(sort.sort, Range) else None
    return _end(reader, members.contains, least=term.operator is Operator.MINIMUM_OF, first=low)


def choose(reader: Reader, term: Term, scope: Scope) -> Node:
    """Return the first value of a sort that satisfies the body: the least integer."""
    assert term.binds is not None
    if not isinstance(term.binds.sort, Range):
        raise NotParametric("choose over what is not a range has no parametric reading")
    sort, body = term.binds.sort, reader.body(term, scope, term.arguments[0])
    return _end(
        reader, lambda v: reader.logic.conj((reader.values.make_typing_formula(sort, v), body(v))), least=True
    )


def _end(reader: Reader, contains: Callable[[Node], Node], *, least: bool, first: Node | None = None) -> Node:
    """Return the least or greatest number that is contained. ``first``: a value that may be contained. The
    consequence is stated by itself, because no solver guesses it."""
    logic = reader.logic
    variable, other = logic.variable(INT), logic.variable(INT)
    abstracted = abstract_parameters(logic, contains(variable), (variable,))
    inside, outside = abstracted.formula, abstracted.variables
    also = logic.substitute(inside, {variable: other})

    def axioms(applied: Node) -> tuple[Node, ...]:
        some = logic.exists((variable,), inside)
        among = logic.substitute(inside, {variable: applied})
        ends = logic.less_equal(applied, other) if least else logic.less_equal(other, applied)
        known = [] if first is None else [logic.substitute(inside, {variable: first})]
        return (
            *(logic.implies(said, among) for said in known),
            logic.implies(some, among),
            logic.forall((other,), logic.implies(also, ends)),
        )

    word = "least" if least else "greatest"
    name = reader.symbol(word, inside, (*outside, variable), lambda _: (), INT)
    if not reader.definitions.axioms[name]:
        applied = logic.app(name, INT, outside)
        said = tuple(logic.forall(outside, axiom) for axiom in axioms(applied))
        reader.definitions.axioms[name] = said
        reader.definitions.extremes[name] = Extreme(outside, variable, inside, least, first)
    return logic.app(name, INT, abstracted.arguments)
