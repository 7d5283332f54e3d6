"""Ground instances of hypotheses, at the terms of a goal and an action.

Integers are classified by their use: an offset is never compared with an epoch, so no hypothesis about
offsets is instantiated at an epoch. This only selects instances; each instance is implied in any case.

Source: Detlefs, Nelson and Saxe 2005, doi:10.1145/1066100.1066102, choose instances by the terms of a goal,
too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from verifier.parametric.clausal import Clause
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import BOOL, INT, Node, walk

Place = tuple[Any, ...]
"""The position of an integer: a variable, or an argument or the result of a function."""


class Kinds:
    """Classes of integers: integers that are compared or added are of one kind."""

    def __init__(self) -> None:
        self._parent: dict[Place, Place] = {}
        self._seen: set[Node] = set()

    def learn(self, node: Node) -> None:
        """Learn from a formula."""
        walk(node, self._see, self._seen)

    def _find(self, place: Place) -> Place:
        while (parent := self._parent.setdefault(place, place)) != place:
            self._parent[place] = place = self._parent[parent]
        return place

    def _place(self, node: Node) -> Place | None:
        match node.kind:
            case "var":
                return ("var", node.data)
            case "app":
                return (node.data, "result")
            case "sum":
                return next((p for p in map(self._place, node.args) if p is not None), None)
            case "ite":
                return next((p for p in map(self._place, node.args[1:]) if p is not None), None)
        return None

    def _see(self, node: Node) -> None:
        if node.kind == "app":
            for number, arg in enumerate(node.args):
                if arg.sort == INT:
                    self._join((node.data, number), self._place(arg))
        elif node.kind in ("=", "<=", "sum"):
            self._join(*(self._place(arg) for arg in node.args if arg.sort == INT))
        elif node.kind == "ite" and node.sort == INT:
            self._join(*(self._place(arg) for arg in node.args[1:]))

    def _join(self, *places: Place | None) -> None:
        known = [self._find(place) for place in places if place is not None]
        for other in known[1:]:
            self._parent[self._find(other)] = self._find(known[0])

    def of(self, node: Node) -> Any:
        """Return the kind of a term: the use of an integer, or the sort of another term."""
        if node.sort != INT:
            return node.sort
        place = self._place(node)
        return None if place is None else self._find(place)


def ground_terms(formulas: Iterable[Node]) -> tuple[Node, ...]:
    """Return the ground terms in formulas, without formulas, in the order of their occurrence."""
    terms: dict[Node, None] = {}
    seen: set[Node] = set()

    def see(node: Node) -> None:
        if node.sort != BOOL and not node.free and node.kind in ("app", "sum"):
            terms[node] = None

    for formula in formulas:
        walk(formula, see, seen)
    return tuple(node for node in terms if node.kind != "sum" or node.args)


def choose_terms(logic: Logic, kinds: Kinds, clause: Clause, terms: Sequence[Node]) -> list[list[Node]]:
    """Return the terms at which each variable of a clause is instantiated."""
    by_kind: dict[Any, list[Node]] = {BOOL: [logic.true, logic.false]}
    for term in terms:
        if term.sort != BOOL:
            by_kind.setdefault(kinds.of(term), []).append(term)
    wanted = [kinds.of(variable) for variable in clause.variables]
    return [[] if kind is None else by_kind.get(kind, []) for kind in wanted]


def number_of_instances(logic: Logic, kinds: Kinds, clause: Clause, terms: Sequence[Node]) -> int:
    """Return the number of instances of a clause at the terms."""
    return prod(map(len, choose_terms(logic, kinds, clause, terms)))


def instances(
    logic: Logic, kinds: Kinds, clause: Clause, terms: Sequence[Node]
) -> Iterator[tuple[tuple[Node, ...], Node]]:
    """Yield the instances of a clause at the terms, with these. Truth values are instantiated with both."""
    return instantiate(logic, clause, choose_terms(logic, kinds, clause, terms))


def instantiate(
    logic: Logic, clause: Clause, choices: Sequence[Sequence[Node]]
) -> Iterator[tuple[tuple[Node, ...], Node]]:
    """Yield the instances of a clause at terms for each variable, with these.

    Variables get their values one after the other, so that instances share what the first values decide. The
    order of the instances is that of the product of the terms. This is sound since terms are ground: no value
    contains a variable that is replaced later.
    """

    def fill(body: Node, chosen: tuple[Node, ...]) -> Iterator[tuple[tuple[Node, ...], Node]]:
        if body is logic.true:
            return
        if len(chosen) == len(choices):
            yield chosen, body
            return
        variable = clause.variables[len(chosen)]
        for term in choices[len(chosen)]:
            yield from fill(logic.substitute(body, {variable: term}), (*chosen, term))

    if all(choices):
        yield from fill(clause.body, ())


@dataclass(frozen=True)
class Family:
    """Instances of a clause: those at lists of terms, one for each variable. Few of them are ever made, since
    a model tells which it violates. They are numbered in the order of the product of the terms."""

    lemma: str
    clause: Clause
    choices: tuple[tuple[Node, ...], ...]
    near: frozenset[Node] = frozenset()
    """If there are any, only instances at one of these terms belong to the family."""

    @staticmethod
    def of(lemma: str, body: Node) -> Family:
        """Return a family of one formula."""
        return Family(lemma, Clause((), body), ())

    @property
    def size(self) -> int:
        """The number of choices of terms."""
        return prod(map(len, self.choices))

    @property
    def is_ground(self) -> bool:
        """True if it is one formula."""
        return not self.choices

    def make(self, logic: Logic, number: int) -> Node:
        """Return an instance."""
        chosen = dict[Node, Node]()
        for variable, terms in zip(reversed(self.clause.variables), reversed(self.choices), strict=True):
            number, place = divmod(number, len(terms))
            chosen[variable] = terms[place]
        body = self.clause.body
        for variable in self.clause.variables:
            body = logic.substitute(body, {variable: chosen[variable]})
        return body

    def list_all(self, logic: Logic) -> Iterator[Node]:
        """Yield all instances that say something."""
        for chosen, body in instantiate(logic, self.clause, self.choices):
            if not self.near or not self.near.isdisjoint(chosen):
                yield body
