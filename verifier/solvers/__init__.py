"""One small clause-level interface over several solvers.

Importing this package imports no solver: each backend is loaded by `open_solver` when it is
asked for, and `solver_version` reads package metadata only.
"""

from __future__ import annotations

from verifier.solvers.interface import Answer, Clause, ClauseSolver, UnknownAnswer, satisfiable
from verifier.solvers.solver_names import (
    DEFAULT_SOLVER,
    QUERY_SOLVER,
    SOLVER_NAMES,
    open_solver,
    solver_version,
)

__all__ = [
    "DEFAULT_SOLVER",
    "QUERY_SOLVER",
    "SOLVER_NAMES",
    "Answer",
    "Clause",
    "ClauseSolver",
    "UnknownAnswer",
    "open_solver",
    "satisfiable",
    "solver_version",
]
