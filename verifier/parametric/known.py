"""Hypotheses, and what they speak of: all that there are, or those that an author names."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from verifier.parametric.clausal import Clause
from verifier.parametric.facts import Facts
from verifier.parametric.instances import Kinds, ground_terms
from verifier.parametric.logic import BOOL, INT, Node, walk
from verifier.parametric.spoken_of import skolem_functions


@dataclass(frozen=True)
class Known:
    """Clauses of lemmas, each with the lemma's name."""

    hypotheses: tuple[tuple[str, Clause], ...]

    def only(self, wanted: Container[str]) -> Known:
        """Those of some lemmas."""
        return Known(tuple((name, clause) for name, clause in self.hypotheses if name in wanted))

    def counts(self, facts: Facts) -> tuple[Node, ...]:
        """The counts without variables."""
        return tuple(facts.counts(clause.body for _, clause in self.hypotheses))

    def unnamed_kinds(self, kinds: Kinds) -> frozenset[Any]:
        """The kinds of integers of which a hypothesis says that there is one."""
        made = skolem_functions([clause for _, clause in self.hypotheses], {})
        return frozenset(kinds.of(node) for node in made if node.sort == INT)

    @cached_property
    def parts_of_one(self) -> tuple[Node, ...]:
        """Of each state variable that is a function of one value, its application to a variable."""
        found: dict[str, Node] = {}

        def see(node: Node) -> None:
            if node.kind == "app" and node.sort != BOOL and [arg.kind for arg in node.args] == ["var"]:
                found.setdefault(node.data, node)

        for _, clause in self.hypotheses:
            walk(clause.body, see)
        return tuple(found.values())

    @cached_property
    def state_constants(self) -> tuple[Node, ...]:
        """The variables of the state that are scalars, and scalars in them that have no key."""
        bodies = [clause.body for _, clause in self.hypotheses]
        return tuple(node for node in ground_terms(bodies) if node.kind == "app" and not node.args)
