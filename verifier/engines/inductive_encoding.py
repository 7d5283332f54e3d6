"""The clauses of all obligations of an inductive check, in one incremental solver.

The clauses define every formula in a state, and in the next state after each instance. A query assumes some
formulas, that one instance is enabled, and that one formula fails after it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from itertools import chain

from pysmt.fnode import FNode

from verifier.clauses.cnf import Clausifier
from verifier.encodings.bits import restrict_formulas
from verifier.engines.inductive_question import (
    Kind,
    ObligationResult,
    Question,
)
from verifier.solvers import Answer, open_solver
from verifier.system.transition_system import TransitionSystem


class InductiveEncoding:
    """The clauses of all obligations, in one solver.

    The next state has no variables. A formula in the next state is the formula with its bits replaced by the
    updates of one instance. So a term that the instance does not update is the same literal before and after.
    """

    def __init__(self, system: TransitionSystem, question: Question) -> None:
        self.system = system
        self.formulas = question.formulas
        split = {} if question.split is None else question.split.parts
        self.parts = {name: split.get(name, (term,)) for name, term in self.formulas.items()}
        self._terms = tuple(dict.fromkeys((*self.formulas.values(), *chain(*self.parts.values()))))
        self._cnf = cnf = Clausifier()
        for symbol in system.bits:
            cnf.declare(symbol)
        self.now = {name: cnf.literal(term) for name, term in question.formulas.items()}
        cnf.assert_term(system.valid)
        self.initial = cnf.literal(system.init)
        self.assume = {name: cnf.fresh() for name in question.formulas}
        cnf.clauses += [[-self.assume[name], literal] for name, literal in self.now.items()]
        self._name_of = {literal: name for name, literal in self.assume.items()}
        self._taken: dict[int, int] = {}
        self._next: dict[tuple[FNode, int], int] = {}
        self._solver = open_solver(question.solver, question.seed)
        self._given = 0
        self._support = {term: _variables(term) for term in self._terms}
        self._kept = question.kept
        self._images = question.images

    def _take(self, index: int) -> int:
        """The literal that an instance is enabled. Defines every formula in the state after it, too."""
        if index not in self._taken:
            instance = self.system.instances[index]
            for symbol in instance.inputs:
                self._cnf.declare(symbol)
            if not self._kept.has_any(index):  # else few are asked for, and each is defined when it is
                self._define_after(self._terms, index)
            self._taken[index] = self._cnf.literal(instance.guard)
        return self._taken[index]

    def _define_after(self, terms: tuple[FNode, ...], index: int) -> None:
        asked = terms
        if self._images is not None:
            asked = tuple(self._images.choose_conjuncts(index, term) for term in terms)
        later = restrict_formulas(asked, self.system.instances[index].updates)
        for term, after in zip(terms, later, strict=True):
            self._next[term, index] = self._cnf.literal(after)

    def _literal_after(self, term: FNode, index: int) -> int:
        if (term, index) not in self._next:
            self._define_after((term,), index)
        return self._next[term, index]

    def is_unchanged(self, name: str, index: int, part: int | None = None) -> bool:
        """True if the instance updates no bit of the formula, or of a part of it."""
        term = self.formulas[name] if part is None else self.parts[name][part]
        return self._support[term].isdisjoint(self.system.instances[index].updates)

    def ask(
        self, kind: Kind, name: str, index: int | None, assumed: Sequence[str], part: int | None = None
    ) -> ObligationResult:
        """Decides an obligation, or one about a part of the formula. The formulas ``assumed`` hold in the
        state before."""
        began = time.monotonic()
        assumptions = [self.assume[other] for other in assumed]
        if index is None:
            assumptions += [self.initial] if kind is Kind.INITIATION else []
            assumptions.append(-self.now[name])
        else:
            term = self.formulas[name] if part is None else self.parts[name][part]
            assumptions += [self._take(index), -self._literal_after(term, index)]
        self._solver.add_clauses(self._cnf.clauses[self._given :])
        self._given = len(self._cnf.clauses)
        answer = self._solver.solve(assumptions)
        seconds = time.monotonic() - began
        if answer is not Answer.SATISFIABLE:
            holds = True if answer is Answer.UNSATISFIABLE else None
            return ObligationResult(kind, name, index, holds, seconds)
        state = tuple(self._solver.value(variable) for variable in range(1, len(self.system.bits) + 1))
        inputs = () if index is None else self.system.instances[index].inputs
        chosen = tuple(self._solver.value(self._cnf.declare(symbol)) for symbol in inputs)
        return ObligationResult(kind, name, index, False, seconds, state, chosen, tuple(assumed))

    def hold_always(self, names: Iterable[str]) -> None:
        """Assume formulas in the state before from now on, so that the solver simplifies by them. Every later
        obligation must assume them."""
        self._cnf.clauses += [[self.assume[name]] for name in names]

    def hold_terms(self, terms: Iterable[FNode]) -> None:
        """Assume terms in the state before from now on, as ``hold_always`` does with formulas."""
        for term in terms:
            self._cnf.assert_term(term)

    def assumptions_used(self) -> frozenset[str]:
        """The assumed formulas that the proof of the last obligation uses."""
        core = self._solver.failed_assumptions()
        return frozenset(self._name_of[literal] for literal in core if literal in self._name_of)

    def failing_after(self, names: Iterable[str], index: int) -> list[str]:
        """The formulas that fail after that instance in the last counterexample."""
        literals = {name: self._next[self.formulas[name], index] for name in names}
        return [name for name, after in literals.items() if self._solver.value(abs(after)) != (after > 0)]


def _variables(term: FNode) -> frozenset[FNode]:
    variables: frozenset[FNode] = term.get_free_variables()
    return variables
