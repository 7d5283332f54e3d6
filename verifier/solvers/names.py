"""The solvers by name, and how each is opened without importing the others."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata

from verifier.errors import unknown_name
from verifier.solvers.interface import ClauseSolver

SOLVER_NAMES = ("z3", "cadical", "cvc5", "bitwuzla")
"""The solvers that a user can choose."""
DEFAULT_SOLVER = "z3"
QUERY_SOLVER = "minisat"
"""The preferred solver for thousands of small queries a second, as IC3 asks them."""


# The imports are in the functions: each of these packages takes 0.05 to 0.3 s to load.
def _z3(seed: int) -> ClauseSolver:
    from verifier.solvers.z3_backend import Z3Solver

    return Z3Solver(seed)


def _cadical(seed: int) -> ClauseSolver:
    from verifier.solvers.cadical_backend import CadicalSolver

    return CadicalSolver(seed)


def _minisat(seed: int) -> ClauseSolver:
    from verifier.solvers.assuming import AssumingSolver

    return AssumingSolver()  # it is deterministic, and has no seed


def _cvc5(seed: int) -> ClauseSolver:
    from verifier.solvers.cvc5_backend import Cvc5Solver

    return Cvc5Solver(seed)


def _bitwuzla(seed: int) -> ClauseSolver:
    from verifier.solvers.bitwuzla_backend import BitwuzlaSolver

    return BitwuzlaSolver(seed)


BACKENDS: dict[str, Callable[[int], ClauseSolver]] = {
    "z3": _z3,
    "cadical": _cadical,
    "minisat": _minisat,
    "cvc5": _cvc5,
    "bitwuzla": _bitwuzla,
}
"""All solvers. Every engine opens its solvers here, so that a new backend serves all of them."""


def open_solver(name: str, seed: int = 0) -> ClauseSolver:
    """A new, empty solver.

    `seed` (0 or more) varies the search, never a definite answer. Raises UsageError for an unknown name.
    """
    if name not in BACKENDS:
        raise unknown_name("solver", name, SOLVER_NAMES)
    return BACKENDS[name](seed)


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
        case "minisat":
            return f"2.2 (python-sat {metadata.version('python-sat')})"
        case "cvc5" | "bitwuzla":
            return metadata.version(name)
    raise unknown_name("solver", name, SOLVER_NAMES)
