"""Checks a certificate: its invariant holds initially, every instance keeps it, and it implies the property.

On a way of its own: the bits of the next state are further variables, tied to the updates of one instance
at a time, of every instance without regard to symmetry; and Z3 and cvc5 get the terms themselves, by
pySMT's converters, not this project's clauses.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pysmt.exceptions import SolverReturnedUnknownResultError
from pysmt.fnode import FNode
from pysmt.logics import QF_UF
from pysmt.shortcuts import Solver

from verifier.certificate import Certificate, formulas, literal_term
from verifier.cnf import Clausifier
from verifier.encodings.bits import bit, equivalence, negation, restricted
from verifier.model import Model
from verifier.solvers import Answer, open_solver
from verifier.specs.definition import PropertyKind
from verifier.system import Instance

_BY_TERMS = ("z3", "cvc5")


@dataclass(frozen=True)
class Failed:
    """An obligation that does not hold, or (``certain`` false) on which the solver gave up."""

    obligation: str
    certain: bool


@dataclass(frozen=True)
class Checked:
    """What came of a check."""

    obligations: int
    """How many were asked of the solver."""
    failed: tuple[Failed, ...]
    seconds: float


class _Questions(Protocol):
    """What the check asks of a solver."""

    def hold(self, terms: Iterable[FNode]) -> None:
        """The terms hold from now on."""

    def scope(self, terms: Iterable[FNode]) -> None:
        """The terms hold until the next scope."""

    def refuted(self, assumptions: Sequence[FNode]) -> bool | None:
        """Whether the literals cannot hold with the rest; None if the solver gives up."""


class _Terms:
    """A solver that pySMT hands terms to."""

    def __init__(self, name: str) -> None:
        self._solver = Solver(name=name, logic=QF_UF, incremental=True)
        self._scoped = False

    def hold(self, terms: Iterable[FNode]) -> None:
        for term in terms:
            self._solver.add_assertion(term)

    def scope(self, terms: Iterable[FNode]) -> None:
        if self._scoped:
            self._solver.pop()
        self._scoped = True
        self._solver.push()
        self.hold(terms)

    def refuted(self, assumptions: Sequence[FNode]) -> bool | None:
        try:
            return not self._solver.solve(assumptions)
        except SolverReturnedUnknownResultError:
            return None


class _Clauses:
    """A solver that gets clauses; a scope is a literal that is assumed."""

    def __init__(self, name: str) -> None:
        self._cnf = Clausifier()
        self._solver = open_solver(name)
        self._given = 0
        self._scope: int | None = None

    def hold(self, terms: Iterable[FNode]) -> None:
        for term in terms:
            self._cnf.assert_term(term)

    def scope(self, terms: Iterable[FNode]) -> None:
        if self._scope is not None:
            self._cnf.add_clause([-self._scope])
        self._scope = self._cnf.fresh()
        for term in terms:
            self._cnf.add_clause([-self._scope, self._cnf.literal(term)])

    def refuted(self, assumptions: Sequence[FNode]) -> bool | None:
        assumed = [self._cnf.literal(term) for term in assumptions]
        assumed += [] if self._scope is None else [self._scope]
        self._solver.add_clauses(self._cnf.clauses[self._given :])
        self._given = len(self._cnf.clauses)
        answer = self._solver.solve(assumed)
        return None if answer is Answer.UNKNOWN else answer is Answer.UNSATISFIABLE


def other_solver(than: str) -> str:
    """A solver to check what that one found."""
    return "cadical" if than == "z3" else "z3"


def check(
    model: Model, certificate: Certificate, solver: str, listen: Callable[[str], None] = lambda _: None
) -> Checked:
    """Checks all obligations, telling which it is about to ask. Raises Misfit for unknown names."""
    return _Check(model, certificate, solver, listen).run()


class _Check:
    def __init__(
        self, model: Model, certificate: Certificate, solver: str, listen: Callable[[str], None]
    ) -> None:
        self.model = model
        self.certificate = certificate
        self.solver = solver
        self.listen = listen
        self.parts = formulas(model, certificate)
        self.failed: list[Failed] = []
        self.obligations = 0

    def run(self) -> Checked:
        began = time.monotonic()
        self._initiation()
        self._safety()
        self._consecution()
        return Checked(self.obligations, tuple(self.failed), time.monotonic() - began)

    def _open(self) -> _Questions:
        return _Terms(self.solver) if self.solver in _BY_TERMS else _Clauses(self.solver)

    def _ask(self, questions: _Questions, obligation: str, assumptions: Sequence[FNode] = ()) -> None:
        self.obligations += 1
        refuted = questions.refuted(assumptions)
        if not refuted:
            self.failed.append(Failed(obligation, certain=refuted is False))

    def _initiation(self) -> None:
        self.listen("initiation")
        questions = self._open()
        questions.hold([self.model.system.init])
        for name, part in self.parts.items():
            questions.scope([negation(part)])
            self._ask(questions, f"{name} holds initially")

    def _safety(self) -> None:
        self.listen("safety")
        questions = self._open()
        questions.hold(self.parts.values())
        for prop in self.model.system.properties:
            # Instances are disabled where they would leave a sort, so it must be shown that none would.
            if prop.name == self.certificate.property_name or prop.kind is PropertyKind.TYPE_INVARIANT:
                questions.scope([negation(prop.formula)])
                self._ask(questions, f"the invariant implies {prop.name}")

    def _consecution(self) -> None:
        system = self.model.system
        later = {symbol: bit(f"{symbol.symbol_name()} afterwards") for symbol in system.bits}
        questions = self._open()
        questions.hold(self.parts.values())
        failing: dict[str, list[FNode]] = {}
        speaks_of: dict[str, frozenset[Any]] = {}
        clauses = {f"clause {number}": clause for number, clause in enumerate(self.certificate.clauses, 1)}
        for name, part in self.parts.items():
            speaks_of[name] = frozenset(part.get_free_variables())
            if name in clauses:
                failing[name] = [
                    negation(restricted(literal_term(literal), later)) for literal in clauses[name]
                ]
            else:
                holds = bit(f"{name} holds afterwards")
                questions.hold([equivalence(holds, restricted(part, later))])
                failing[name] = [negation(holds)]
        for instance in system.instances:
            self.listen(instance.label)
            questions.scope([instance.guard, *self._moved(instance, later)])
            for name, assumptions in failing.items():
                # What speaks of nothing that is updated says the same afterwards.
                if not speaks_of[name].isdisjoint(instance.updates):
                    self._ask(questions, f"{instance.label} keeps {name}", assumptions)

    def _moved(self, instance: Instance, later: dict[FNode, FNode]) -> list[FNode]:
        return [equivalence(after, instance.updates.get(now, now)) for now, after in later.items()]
