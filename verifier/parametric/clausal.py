"""Formulas as clauses: without quantifiers, for all values of their variables.

An existential variable becomes a Skolem function of the variables that it depends on. So the clauses are
satisfiable exactly if the formula is, and the formula implies each ground instance of a clause.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from verifier.parametric.errors import NotParametric
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import BOOL, Node, walk

_MOST_COVERS = 3
"""The number of terms for a variable in triggers."""


@dataclass(frozen=True)
class Clause:
    """A formula without quantifiers that holds for all values of its variables."""

    variables: tuple[Node, ...]
    body: Node


class Clausifier:
    """Turns formulas into clauses. Skolem functions are numbered in the order of their creation."""

    def __init__(self, logic: Logic) -> None:
        self.logic = logic
        self._skolem: dict[str, int] = {}

    def clauses(self, formula: Node, name: str) -> tuple[Clause, ...]:
        """Return clauses that together are satisfiable if the formula is. Skolem functions begin with
        ``name``."""
        matrix, variables = self._matrix(formula, True, (), name)
        return tuple(
            Clause(tuple(v for v in variables if v in part.free), part)
            for part in self._conjuncts(matrix)
            if part is not self.logic.true
        )

    def _conjuncts(self, matrix: Node) -> Iterator[Node]:
        """Yield parts whose conjunction is the matrix. ``a or (b and c)`` is split if each part has fewer
        variables: it then has fewer instances."""
        if matrix.kind == "and":
            for part in matrix.args:
                yield from self._conjuncts(part)
        elif (split := self._distribute(matrix)) is not None:
            for part in split:
                yield from self._conjuncts(part)
        else:
            yield matrix

    def _distribute(self, node: Node) -> list[Node] | None:
        for arg in node.args if node.kind == "or" else ():
            if arg.kind == "and":
                others = [other for other in node.args if other is not arg]
                by_variables: dict[frozenset[Node], list[Node]] = {}
                for part in arg.args:
                    by_variables.setdefault(part.free, []).append(part)
                joined = map(self.logic.conj, by_variables.values())
                parts = [self.logic.disj((*others, part)) for part in joined]
                if all(len(part.free) < len(node.free) for part in parts):
                    return parts
        return None

    def _matrix(
        self, node: Node, sign: bool, outer: tuple[Node, ...], name: str
    ) -> tuple[Node, tuple[Node, ...]]:
        """Return the node, or its negation, without quantifiers, and the variables that it is about."""
        logic = self.logic
        if not node.quantified:
            return (node if sign else logic.neg(node)), ()
        match node.kind:
            case "not":
                return self._matrix(node.args[0], not sign, outer, name)
            case "and" | "or":
                matrices = [self._matrix(arg, sign, outer, name) for arg in node.args]
                joined = logic.conj if (node.kind == "and") == sign else logic.disj
                return joined(part for part, _ in matrices), tuple(v for _, vs in matrices for v in vs)
            case "forall" | "exists":
                return self._quantifier(node, sign, outer, name)
            case "=":
                one, other = node.args
                both = logic.conj((logic.implies(one, other), logic.implies(other, one)))
                return self._matrix(both, sign, outer, name)
            case "ite":
                condition, then, otherwise = node.args
                both = logic.conj((logic.implies(condition, then), logic.disj((condition, otherwise))))
                return self._matrix(both, sign, outer, name)
        raise NotParametric("a formula with quantifiers is a key, or decides which number is meant")

    def _quantifier(
        self, node: Node, sign: bool, outer: tuple[Node, ...], name: str
    ) -> tuple[Node, tuple[Node, ...]]:
        logic, bound = self.logic, node.data.variables
        if (node.kind == "forall") == sign:
            fresh = tuple(logic.variable(v.sort) for v in bound)
            body = logic.substitute(node.args[0], dict(zip(bound, fresh, strict=True)))
            matrix, more = self._matrix(body, sign, (*outer, *fresh), name)
            return matrix, (*fresh, *more)
        depends = tuple(v for v in outer if v in node.free)
        values: dict[Node, Node] = {}
        for variable in bound:
            number = self._skolem[name] = self._skolem.get(name, 0) + 1
            values[variable] = logic.app(f"{name}!{number}", variable.sort, depends)
        return self._matrix(logic.substitute(node.args[0], values), sign, outer, name)


def close_clause(logic: Logic, clause: Clause, leads: Mapping[str, Sequence[str]]) -> Node:
    """Return the clause as one formula for a solver, with triggers if it contains predicates of
    definitions."""
    if not clause.variables:
        return clause.body
    return logic.forall(clause.variables, clause.body, list_triggers(logic, clause, leads))


def list_triggers(
    logic: Logic, clause: Clause, leads: Mapping[str, Sequence[str]]
) -> tuple[tuple[Node, ...], ...]:
    """Return the triggers that make a solver instantiate a clause with predicates of definitions. A trigger
    is such a predicate, or its twin in the other state, with further terms for variables that it lacks. It is
    empty if there is no such predicate."""
    parts = list(_plain_applications(clause.body))
    heads: dict[Node, None] = {}
    for part in parts:
        if part.data in leads and part.args and all(arg.kind == "var" for arg in part.args):
            heads[part] = None
            for like in leads[part.data]:
                heads[logic.app(like, BOOL, part.args)] = None
    triggers: dict[tuple[Node, ...], None] = {}
    for head in heads:
        rest = [v for v in clause.variables if v not in head.free]
        terms = [part for part in parts if part.data not in leads and part.free <= set(rest)]
        covers = [[part for part in terms if v in part.free] for v in rest]
        if all(covers):
            for chosen in product(*(cover[:3] for cover in covers)):
                triggers[tuple(dict.fromkeys((head, *chosen)))] = None
    return tuple(triggers)


def close_definition(logic: Logic, clause: Clause, name: str) -> Node:
    """Return a clause of the definition of a predicate as one formula. A solver instantiates it only where
    the predicate is applied, at values of the other variables that occur in such places, too."""
    if not clause.variables:
        return clause.body
    parts = list(_plain_applications(clause.body))
    triggers: dict[tuple[Node, ...], None] = {}
    for head in (part for part in parts if part.data == name):
        rest = [v for v in clause.variables if v not in head.free]
        terms = [part for part in parts if part.data != name and not _depends(part, rest)]
        covers = [[part for part in terms if v in part.free] for v in rest]
        if all(covers):
            for chosen in product(*(cover[:_MOST_COVERS] for cover in covers)):
                triggers[tuple(dict.fromkeys((head, *chosen)))] = None
    return logic.forall(clause.variables, clause.body, tuple(triggers))


def _depends(part: Node, variables: Sequence[Node]) -> bool:
    """True if a term has a Skolem function of one of the variables: only the clause itself speaks of it."""
    found = list[Node]()
    walk(part, lambda one: found.append(one) if one.kind == "app" and "!" in one.data else None)
    return any(not one.free.isdisjoint(variables) for one in found)


def _plain_applications(node: Node) -> Iterable[Node]:
    """Return applications to variables and to other such applications, which solvers can match."""
    applications: dict[Node, None] = {}
    plain: dict[Node, bool] = {}

    def see(one: Node) -> None:
        plain[one] = one.kind == "var" or (one.kind == "app" and all(plain[arg] for arg in one.args))
        if one.kind == "app" and one.free and plain[one]:
            applications[one] = None

    walk(node, see)
    return applications
