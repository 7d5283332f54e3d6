"""The definitions of a system: their axioms, and formulas with definitions unfolded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from verifier.parametric.clausal import Clausifier, close_clause, close_definition
from verifier.parametric.instances import Kinds, instances, number_of_instances
from verifier.parametric.matching import split_cases
from verifier.parametric.nodes import Node, walk
from verifier.parametric.system import ParametricSystem
from verifier.parametric.terms_in_formulas import collect_predicates, unfold, unfold_partly

_MOST_UNFOLDED = 100
"""A definition with more instances at an application is given to solvers with its quantifiers."""


class DefinitionAxioms:
    """Axioms of the definitions of a system."""

    def __init__(self, system: ParametricSystem, clausifier: Clausifier, kinds: Kinds) -> None:
        self.system, self.logic, self.clausifier, self.kinds = system, system.logic, clausifier, kinds

    @cached_property
    def leads(self) -> Mapping[str, tuple[str, ...]]:
        """Return the predicates of definitions, each with those of the same formula in the state before."""
        definitions = self.system.definitions
        twins = definitions.twins
        return {name: (twins[name],) if name in twins else () for name in definitions.axioms}

    def list_named(self, nodes: Iterable[Node]) -> list[tuple[str, Node]]:
        """Return the axioms of the symbols in formulas, and of the symbols in these axioms."""
        known = self.system.definitions.axioms
        symbols: dict[str, None] = {}
        seen: set[Node] = set()

        def see(node: Node) -> None:
            if node.kind == "app" and node.data in known:
                symbols.setdefault(node.data)

        for node in nodes:
            walk(node, see, seen)
        made: list[tuple[str, Node]] = []
        done: set[str] = set()
        while len(done) < len(symbols):
            for name in [name for name in symbols if name not in done]:
                done.add(name)
                for node in self.of(name):
                    made.append((name, node))
                    walk(node, see, seen)
        return made

    def list_all(self, nodes: Iterable[Node]) -> list[Node]:
        """Return the axioms of symbols in formulas, without names."""
        return [node for _, node in self.list_named(nodes)]

    def of(self, name: str) -> tuple[Node, ...]:
        """Return the axioms of a symbol."""
        known = self._known_axioms.get(name)
        if known is None:
            axioms = self.system.definitions.axioms[name]
            clauses = [c for axiom in axioms for c in self.clausifier.clauses(axiom, name)]
            if self.system.values.has_named_sets:
                clauses = [one for clause in clauses for one in split_cases(self.logic, clause)]
            if self.system.values.has_sets_in_states and name in self.leads:
                known = tuple(close_definition(self.logic, clause, name) for clause in clauses)
            else:
                known = tuple(close_clause(self.logic, clause, self.leads) for clause in clauses)
            self._known_axioms[name] = known
        return known

    @cached_property
    def _known_axioms(self) -> dict[str, tuple[Node, ...]]:
        return {}

    def unfold_in_turn(self, said: Sequence[Node]) -> list[Node]:
        """Unfold definitions in formulas, in the results, and so on."""
        unfolded: dict[Node, None] = {}
        more = list(said)
        while more:
            unfolded |= dict.fromkeys(more)
            more = [node for node in self.unfold(more) if node not in unfolded]
        return list(unfolded)

    def unfold_at(self, said: Iterable[Node], terms: Sequence[Node]) -> Iterator[Node]:
        """Yield definitions unfolded at the terms to which formulas apply them, and at other terms."""
        for node in collect_predicates(said, self.leads):
            for axiom in self.of(node.data):
                clause = unfold_partly(self.logic, axiom, node)
                if clause is None:
                    continue
                if number_of_instances(self.logic, self.kinds, clause, terms) <= _MOST_UNFOLDED:
                    yield from (body for _, body in instances(self.logic, self.kinds, clause, terms))

    def unfold(self, said: Iterable[Node]) -> list[Node]:
        """Return the definitions unfolded at the terms to which formulas apply them."""
        unfolded = []
        for node in collect_predicates(said, self.leads):
            for axiom in self.of(node.data):
                applied = unfold(self.logic, axiom, node)
                if applied is not None:
                    unfolded.append(applied)
        return unfolded
