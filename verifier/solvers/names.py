"""The solvers by name, and how each is opened without importing the others."""

from __future__ import annotations

from importlib import metadata

from verifier.errors import unknown_name
from verifier.solvers.interface import ClauseSolver

SOLVER_NAMES = ("z3", "cadical", "cvc5", "bitwuzla")
DEFAULT_SOLVER = "z3"


def open_solver(name: str, seed: int = 0) -> ClauseSolver:
    """A new, empty solver.

    `seed` (0 or more) varies the search, never a definite answer. Raises UsageError for an unknown name.
    """
    # The imports are here, not above: each of these packages takes 0.05 to 0.3 s to load.
    match name:
        case "z3":
            from verifier.solvers.z3_backend import Z3Solver

            return Z3Solver(seed)
        case "cadical":
            from verifier.solvers.cadical_backend import CadicalSolver

            return CadicalSolver(seed)
        case "cvc5":
            from verifier.solvers.cvc5_backend import Cvc5Solver

            return Cvc5Solver(seed)
        case "bitwuzla":
            from verifier.solvers.bitwuzla_backend import BitwuzlaSolver

            return BitwuzlaSolver(seed)
    raise unknown_name("solver", name, SOLVER_NAMES)


def solver_version(name: str) -> str:
    """The version of a solver, read from the metadata of its package and without loading it.

    Raises UsageError for an unknown name.
    """
    match name:
        case "z3":
            return metadata.version("z3-solver")
        case "cadical":
            # The package contains several releases of CaDiCaL: name the one that is used.
            return f"1.9.5 (python-sat {metadata.version('python-sat')})"
        case "minisat":  # what ``AssumingSolver`` is
            return f"2.2 (python-sat {metadata.version('python-sat')})"
        case "cvc5" | "bitwuzla":
            return metadata.version(name)
    raise unknown_name("solver", name, SOLVER_NAMES)
