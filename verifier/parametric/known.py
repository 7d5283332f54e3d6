"""Hypotheses and the terms in them: all hypotheses, or those that an author names."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from verifier.parametric.clausal import Clause
from verifier.parametric.facts import Facts
from verifier.parametric.instances import Kinds, ground_terms
from verifier.parametric.nodes import BOOL, INT, Node, walk
from verifier.parametric.terms_in_formulas import collect_skolem_functions


@dataclass(frozen=True)
class Known:
    """Clauses of lemmas, each with the lemma's name."""

    hypotheses: tuple[tuple[str, Clause], ...]

    def only(self, wanted: Container[str]) -> Known:
        """Return the clauses of some lemmas."""
        return Known(tuple((name, clause) for name, clause in self.hypotheses if name in wanted))

    def counts(self, facts: Facts) -> tuple[Node, ...]:
        """Return the counts and sums without variables."""
        return tuple(facts.choose_counts(self._terms) | facts.choose_sums(self._terms))

    @cached_property
    def _terms(self) -> tuple[Node, ...]:
        """Return the terms without variables. Each obligation asks for the counts among them."""
        return ground_terms(clause.body for _, clause in self.hypotheses)

    def collect_unnamed_kinds(self, kinds: Kinds) -> frozenset[Any]:
        """Return the kinds of integers that a hypothesis says to exist."""
        made = collect_skolem_functions([clause for _, clause in self.hypotheses], {})
        return frozenset(kinds.of(node) for node in made if node.sort == INT)

    @cached_property
    def parts_of_one(self) -> tuple[Node, ...]:
        """Return the application to a variable of each state variable that is a function of one value."""
        parts: dict[str, Node] = {}

        def see(node: Node) -> None:
            if node.kind == "app" and node.sort != BOOL and [arg.kind for arg in node.args] == ["var"]:
                parts.setdefault(node.data, node)

        for _, clause in self.hypotheses:
            walk(clause.body, see)
        return tuple(parts.values())

    @cached_property
    def state_constants(self) -> tuple[Node, ...]:
        """Return the scalar variables of the state, and scalars in variables that have no key."""
        return tuple(node for node in self._terms if node.kind == "app" and not node.args)
