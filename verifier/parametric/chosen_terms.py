"""Terms for instances that a goal tells: the ends of its intervals, and witnesses of the lemma."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from verifier.parametric.clausal import Clause
from verifier.parametric.instances import Kinds, instances, number_of_instances
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import BOOL, INT, Node
from verifier.parametric.terms_in_formulas import collect_skolem_functions, list_compared_terms

_MOST_WITNESSES = 30
"""The limit of witnesses of one claim of a lemma."""


def say_at_ends(
    logic: Logic, goal: Iterable[Clause], named: Sequence[Node], without: Container[Node]
) -> dict[Node, list[Node]]:
    """Return the ends of the intervals about which a goal makes claims, each with the claims at this end.
    ``named``: the terms that an end may have as arguments. ``without``: terms that are no ends."""
    at_ends: dict[Node, list[Node]] = {}
    for clause in goal:
        if len(clause.variables) == 1 and clause.variables[0].sort == INT:
            ends = list_compared_terms(logic, clause.body, clause.variables[0])
            known = (term for term in ends if _find_keys(term) <= set(named))
            for end in (term for term in known if term not in without):
                said = logic.substitute(clause.body, {clause.variables[0]: end})
                at_ends.setdefault(end, []).append(said)
    return at_ends


def _find_keys(term: Node) -> set[Node]:
    """Return the arguments of a term, or of the terms in a sum."""
    parts = term.args if term.kind == "sum" else (term,)
    return {arg for part in parts for arg in part.args}


def find_witnesses(
    logic: Logic, kinds: Kinds, clauses: Iterable[Clause], terms: Sequence[Node]
) -> list[Node]:
    """Return the values that clauses say to exist, for these terms. Where an action keeps a lemma, the lemma
    before the action is mostly needed for other values than after it; so its witnesses are, too."""
    made: dict[Node, None] = {}
    for part in collect_skolem_functions(clauses, {}):
        if part.sort != BOOL and all(arg.kind == "var" for arg in part.args):
            one = Clause(tuple(dict.fromkeys(part.args)), part)
            if number_of_instances(logic, kinds, one, terms) <= _MOST_WITNESSES:
                made |= dict.fromkeys(node for _, node in instances(logic, kinds, one, terms))
    return list(made)
