"""Formulas about all sets of some kind, as predicates of the sets that they are about.

``\\A q : IsMajority(q, config[i]) => …`` is a predicate of ``config[i]``, and of the other variables that it
mentions. So it is the same formula before and after a step that sends ``config[i]`` elsewhere, and a solver
needs none of the sets to see it. The predicate has a defining axiom: nothing is assumed.
"""

from __future__ import annotations

from collections.abc import Iterator

from verifier.encodings.sorts import Set, sorts_in
from verifier.encodings.terms import Operator, Term
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import Node
from verifier.specs.definition import Definition

SET_SORT = "set of "
"""The beginning of the names of sorts whose elements are sets."""


def find_sets(formula: Node) -> tuple[Node, ...]:
    """Return the greatest terms in a formula that are sets and contain none of the variables bound in it, in
    the order of their occurrence."""
    found: dict[Node, None] = {}
    seen: set[Node] = set()

    def see(node: Node) -> None:
        if node in seen:
            return
        seen.add(node)
        if node.sort.startswith(SET_SORT) and node.free <= formula.free:
            found[node] = None
            return
        for arg in node.args:
            see(arg)

    see(formula)
    return tuple(found)


def abstract_sets(logic: Logic, formula: Node) -> tuple[Node, tuple[Node, ...], tuple[Node, ...]]:
    """Return a formula about any sets, its free variables, and the terms that these variables stand for."""
    sets = find_sets(formula)
    fresh = {node: node if node.kind == "var" else logic.variable(node.sort) for node in sets}
    general = logic.replace_constants(formula, {n: v for n, v in fresh.items() if n is not v})
    others = sorted(general.free - set(fresh.values()), key=lambda node: node.data)
    return general, (*fresh.values(), *others), (*fresh, *others)


def counts_any_sets(definition: Definition) -> bool:
    """True if a protocol with sets in its variables says something of all sets by their numbers of elements,
    as of all majorities. Then the sets in variables are values themselves, too: the number of elements is a
    function of the set, wherever it is."""
    if not any(isinstance(part, Set) for v in definition.variables for part in sorts_in(v.sort)):
        return False
    return any(map(_counts_any_set, _list_formulas(definition)))


def _list_formulas(definition: Definition) -> Iterator[Term]:
    yield definition.init
    for action in definition.actions:
        yield from action.when
        yield from (value for _, value in action.then)
    yield from (lemma.formula for lemma in definition.lemmas)
    yield from (claim.formula for claim in definition.properties)


def _counts_any_set(formula: Term) -> bool:
    return any(
        inner.operator is Operator.CARDINALITY and inner.arguments[0].data == whole.binds
        for whole in formula.walk()
        if whole.operator in (Operator.FORALL, Operator.EXISTS)
        if whole.binds is not None and isinstance(whole.binds.sort, Set)
        for inner in whole.walk()
    )
