"""The solvers by name, and how each is opened without importing the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

from verifier.errors import make_unknown_name_error
from verifier.solvers.interface import ClauseSolver, ScriptAnswer, ScriptSolver
from verifier.version import UNKNOWN, find_version

DEFAULT_SOLVER = "z3"
QUERY_SOLVER = "minisat"
"""The preferred solver for thousands of small queries a second, as IC3 asks them."""
COMPILED = "compiled"
"""The solver of the compiled library, which comes with this program."""


@dataclass(frozen=True)
class Backend:
    """The module of a solver, and the source of its version. Its class takes a seed, which it may ignore."""

    module: str
    kind: str
    package: str
    release: str = ""
    """The release of the solver, if the package contains several."""
    for_users: bool = True
    """True if a user can choose it."""

    @property
    def is_installed(self) -> bool:
        """True if its package is installed."""
        return find_version(self.package) is not None

    @property
    def version(self) -> str:
        """The version, read from the metadata of the package, which is not loaded."""
        version = find_version(self.package) or UNKNOWN
        return f"{self.release} ({self.package} {version})" if self.release else version


BACKENDS: dict[str, Backend] = {
    "z3": Backend("verifier.solvers.z3_backend", "Z3Solver", "z3-solver"),
    "cadical": Backend("verifier.solvers.cadical_backend", "CadicalSolver", "python-sat", "1.9.5"),
    "minisat": Backend(
        "verifier.solvers.minisat_backend", "MinisatSolver", "python-sat", "2.2", for_users=False
    ),
    "cvc5": Backend("verifier.solvers.cvc5_backend", "Cvc5Solver", "cvc5"),
    "bitwuzla": Backend("verifier.solvers.bitwuzla_backend", "BitwuzlaSolver", "bitwuzla"),
}
"""All solvers. Every engine opens its solvers here, so that a new backend serves all of them. Each is loaded
when it is opened: the packages take 0.05 to 0.3 s."""

SOLVER_NAMES = tuple(name for name, backend in BACKENDS.items() if backend.for_users)
"""The solvers that a user can choose."""


def open_solver(name: str, seed: int = 0) -> ClauseSolver:
    """A new, empty solver.

    `seed` (0 or more) varies the search, never a definite answer. Raises UsageError for an unknown name.
    """
    if name not in BACKENDS:
        raise make_unknown_name_error("solver", name, SOLVER_NAMES)
    backend = BACKENDS[name]
    opened: ClauseSolver = getattr(import_module(backend.module), backend.kind)(seed)
    return opened


SCRIPT_SOLVERS = ("z3", "cvc5")
"""The solvers that decide scripts with quantifiers and integers."""
_GROWING = "verifier.solvers.z3_scripts"
"""The solver of scripts that grow."""


def decide_script(name: str, script: str, assumed: Sequence[str] = (), steps: int = 0) -> ScriptAnswer:
    """Decide assertions in SMT-LIB, if the boolean constants of these names are true.

    ``steps`` limits its work, in units of its own; 0 is no limit. Raises UsageError for a solver that reads
    no such scripts.
    """
    if name not in SCRIPT_SOLVERS:
        raise make_unknown_name_error("solver of scripts", name, SCRIPT_SOLVERS)
    decide = import_module(BACKENDS[name].module).decide_script
    answer: ScriptAnswer = decide(script, assumed, steps)
    return answer


def open_script_solver() -> ScriptSolver:
    """Return a new solver of scripts that grow, which is Z3."""
    opened: ScriptSolver = import_module(_GROWING).Z3Script()
    return opened


def load_script_solvers() -> None:
    """Loads the solvers of scripts, so that processes which are forked need not."""
    for module in (*(BACKENDS[name].module for name in SCRIPT_SOLVERS), _GROWING):
        import_module(module)


def solver_version(name: str) -> str:
    """The version of a solver. Raises UsageError for an unknown name."""
    if name not in BACKENDS:
        raise make_unknown_name_error("solver", name, SOLVER_NAMES)
    return BACKENDS[name].version
