"""The check of a proof by another solver, in a process of its own. A proof counts only after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from verifier.clauses.tseitin import Definitions
from verifier.encodings.bits import conjunction, disjunction
from verifier.engines.choices import INDUCTION_SOLVER
from verifier.processes.children import Work
from verifier.solvers import QUERY_SOLVER, Answer, open_solver
from verifier.system.model import Model
from verifier.trust.certificate import Certificate, formulas
from verifier.trust.certify import CheckReport, check, other_solver
from verifier.trust.kept_formulas import KeptFormulas

RECHECK = "recheck"


@dataclass(frozen=True)
class DeadActions:
    """Actions that an invariant shows to be enabled in no reachable state."""

    names: tuple[str, ...]


def rechecker(solver: str) -> str:
    """The solver that checks a proof of the given one. An invariant of IC3 has thousands of clauses; CaDiCaL
    checks them in a quarter of Z3's time, and shares nothing with MiniSat but the interface."""
    return "cadical" if solver == QUERY_SOLVER else other_solver(solver)


def choose_induction_rechecker(solver: str) -> str:
    """Return the solver that checks an inductive proof of the given one. It must be another program. Its
    questions are small, and it loads the hypotheses for each instance. With them MiniSat takes a quarter to a
    half of Z3's time (kip320, bookkeeper, exactly-once, pulsar-compaction)."""
    return QUERY_SOLVER if solver == INDUCTION_SOLVER else rechecker(solver)


def recheck_work(
    model: Model, certificate: Certificate, solver: str, known: KeptFormulas | None = None
) -> Work:
    """Checks a certificate, and finds the actions that its invariant shows to be impossible. ``known``: what
    the same solver checked for other certificates of the model."""

    def work(report: Callable[[Any], None], incoming: Connection) -> None:
        checked: CheckReport = check(model, certificate, solver, known=known)
        if not checked.failed:
            report(DeadActions(_find_dead_actions(model, certificate, solver)))
        report(checked)

    return work


def _find_dead_actions(model: Model, certificate: Certificate, solver: str) -> tuple[str, ...]:
    cnf = Definitions()
    cnf.hold(conjunction(formulas(model, certificate).values()))
    names = dict.fromkeys(action.name for action in model.definition.actions)
    enabled = {
        name: cnf.literal(disjunction(i.guard for i in model.system.instances if i.action == name))
        for name in names
    }
    opened = open_solver(solver)
    try:
        opened.add_clauses(cnf.clauses)
        return tuple(n for n in names if opened.solve([enabled[n]]) is Answer.UNSATISFIABLE)
    finally:
        opened.close()
