"""Sets that are values themselves: in records of a set, as arguments, and bound by quantifiers.

Such a set is an element of a sort of its own, and a predicate says what belongs to it. The sort stands for
all sets of these elements. So each formula has the set of the values that satisfy it: a symbol with a
defining axiom. Two elements of the sort are equal exactly if the sets are. That sets with the same elements
are equal is no axiom: solvers get fewer facts than are true.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Protocol

from verifier.encodings.sorts import Option, Record, Set, Sort, Tuple
from verifier.parametric.arguments import abstract_parameters
from verifier.parametric.first_order_values import Fields, Members, OptionOf, Quantified, Value, fields_of
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import BOOL, Node, canonical


class SortValues(Protocol):
    """The values of sorts (``sort_nodes``)."""

    logic: Logic

    def quantify(self, sort: Sort) -> Quantified:
        """Return all values of a sort."""

    def flat(self, sort: Sort, value: Value) -> tuple[Node, ...]:
        """Return a value as nodes."""


class NamedSets:
    """Sets as nodes."""

    def __init__(self, values: SortValues, axioms: dict[str, tuple[Node, ...]]) -> None:
        """``axioms``: of the symbols that are defined. Those of sets are added."""
        self._values, self._axioms = values, axioms

    def find_sort(self, sort: Set) -> str:
        """Return the sort of the nodes."""
        element = self._values.quantify(sort.element)
        return _find_sort(self._values.flat(sort.element, element.value))

    def make(self, sort: Set, node: Node) -> Members:
        """Return the set that a node is."""
        logic, flat = self._values.logic, self._values.flat
        return Members(lambda item: _is_member(logic, node, flat(sort.element, item)), node)

    def make_symbolic(self, sort: Set, name: str, args: Sequence[Node]) -> Members:
        """Return any set that is a value itself."""
        return self.make(sort, self._values.logic.app(name, self.find_sort(sort), args))

    def choose(self, condition: Node, one: Members, other: Members, *, as_value: bool) -> Members:
        """Return one set if the condition holds, else the other. ``as_value``: the result is a value itself
        if both are."""
        logic = self._values.logic
        if not as_value or one.node is None or other.node is None:
            return Members(lambda item: logic.ite(condition, one.contains(item), other.contains(item)))
        node = logic.ite(condition, one.node, other.node)

        def contains(item: Value) -> Node:
            said = one.contains(item)
            if said.kind == "app" and said.args[:1] == (one.node,):
                return logic.app(said.data, BOOL, (node, *said.args[1:]))
            return logic.ite(condition, said, other.contains(item))

        return Members(contains, node)

    def name(self, sort: Set, members: Members) -> Node:
        """Return a set as a node, with an axiom that says what belongs to it."""
        if members.node is not None:
            return members.node
        one = self._values.quantify(sort.element)
        item = self._values.flat(sort.element, one.value)
        inside = members.contains(one.value)
        if one.distinct is not None:
            inside = self._values.logic.conj((one.distinct, inside))
        return self._define(one.variables, item, inside)

    def name_all(self, sort: Sort, value: Value) -> Value:
        """Return a value whose sets are nodes, so that it can be compared with elements of a set."""
        match sort, value:
            case Set(), Members():
                return Members(value.contains, self.name(sort, value))
            case Option(), OptionOf():
                return OptionOf(value.absent, self.name_all(sort.inner, value.value), value.is_plain)
            case ((Record() | Tuple()), Fields()):
                return Fields({f: self.name_all(part, value.of[f]) for f, part in fields_of(sort)})
        return value

    def _define(self, variables: Sequence[Node], item: Sequence[Node], inside: Node) -> Node:
        """Return the set of the values that satisfy a formula. ``variables``: those of any value. ``item``:
        the value as nodes."""
        logic = self._values.logic
        abstracted = abstract_parameters(logic, inside, variables)
        outside = abstracted.variables
        every = (*outside, *variables)
        key = f"{canonical(abstracted.formula, every)} for {' '.join(one.sort for one in every)}"
        sort = _find_sort(item)
        name = f"{sort} {blake2b(key.encode(), digest_size=8).hexdigest()}"
        if name not in self._axioms:
            belongs = _is_member(logic, logic.app(name, sort, outside), item)
            self._axioms[name] = (logic.forall(every, logic.iff(belongs, abstracted.formula)),)
        return logic.app(name, sort, abstracted.arguments)


def _find_sort(elements: Sequence[Node]) -> str:
    return f"set of {', '.join(node.sort for node in elements)}"


def _is_member(logic: Logic, members: Node, item: Sequence[Node]) -> Node:
    return logic.app(f"in {members.sort}", BOOL, (members, *item))
