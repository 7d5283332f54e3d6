"""Z3's incremental SAT core, used through DIMACS where that is cheaper than through terms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import z3
from z3 import z3core

from verifier.solvers.buffered import BufferedSolver
from verifier.solvers.interface import Answer, ScriptAnswer

# A DIMACS batch costs Z3 about 0.5 microseconds per variable up to the largest one named, plus
# 0.7 per clause; a clause built through the C API costs about 4.5. Hence: text from this many
# clauses per variable on.
_DIMACS_DENSITY = 1 / 7


class Z3Solver(BufferedSolver):
    """Z3 as a clause solver; see `ClauseSolver`.

    The logic QF_FD selects Z3's SAT solver instead of its SMT core. Z3's DIMACS reader names
    variable n by the numeric symbol n, so the same text in a later batch, and constants made here
    with that symbol, mean the same variable.
    """

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        # A context of its own: contexts are not thread-safe, and its memory goes with the solver.
        self._context = z3.Context()
        self._ref = self._context.ref()
        # ``z3.SolverFor`` would make Z3's global context only to name the logic: 17 MiB in each process.
        logic = z3core.Z3_mk_string_symbol(self._ref, "QF_FD")
        self._solver = z3.Solver(z3core.Z3_mk_solver_for_logic(self._ref, logic), ctx=self._context)
        if seed:
            self._solver.set(random_seed=seed)
        self._sort = z3core.Z3_mk_bool_sort(self._ref)
        # Terms by literal; both signs of a variable are made together.
        self._terms: dict[int, z3.Ast] = {}
        self._declarations: dict[int, z3.FuncDecl] = {}
        self._assumed: list[int] = []
        self._model: z3.ModelRef | None = None

    def _term(self, literal: int) -> z3.Ast:
        """The term of a literal."""
        term = self._terms.get(literal)
        if term is None:
            variable = abs(literal)
            positive = z3core.Z3_mk_const(self._ref, z3core.Z3_mk_int_symbol(self._ref, variable), self._sort)
            # Terms are counted references in this context; one that is kept must be counted.
            z3core.Z3_inc_ref(self._ref, positive)
            negative = z3core.Z3_mk_not(self._ref, positive)
            z3core.Z3_inc_ref(self._ref, negative)
            self._terms[variable] = positive
            self._terms[-variable] = negative
            term = self._terms[literal]
        return term

    def _hand_over(self, batch: list[tuple[int, ...]]) -> None:
        largest = max([max(*clause, -min(clause)) for clause in batch])
        if len(batch) >= largest * _DIMACS_DENSITY:
            lines = [f"{' '.join(map(str, clause))} 0\n" for clause in batch]
            self._solver.from_string(f"p cnf {largest} {len(lines)}\n{''.join(lines)}")
            return
        handle = self._solver.solver
        for clause in batch:
            width = len(clause)
            terms = (z3.Ast * width)(*map(self._term, clause))
            z3core.Z3_solver_assert(self._ref, handle, z3core.Z3_mk_or(self._ref, width, terms))

    def _decide(self, assumptions: list[int]) -> Answer:
        self._model = None
        self._assumed = assumptions
        count = len(assumptions)
        terms = (z3.Ast * count)(*map(self._term, assumptions))
        status = z3core.Z3_solver_check_assumptions(self._ref, self._solver.solver, count, terms)
        if status == z3.Z3_L_TRUE:
            return Answer.SATISFIABLE
        return Answer.UNSATISFIABLE if status == z3.Z3_L_FALSE else Answer.UNKNOWN

    def _read(self, variable: int) -> bool:
        if self._model is None:
            self._model = self._solver.model()
        declaration = self._declarations.get(variable)
        if declaration is None:
            constant = z3core.Z3_to_app(self._ref, self._term(variable))
            declaration = self._declarations[variable] = z3core.Z3_get_app_decl(self._ref, constant)
        value = z3core.Z3_model_get_const_interp(self._ref, self._model.model, declaration)
        # No value: Z3 never saw the variable, or every value would do.
        return bool(value) and z3core.Z3_get_bool_value(self._ref, value) == z3.Z3_L_TRUE

    def _read_core(self) -> Iterable[int]:
        # Terms are shared, so equal terms are equal addresses.
        by_address = {self._term(literal).value: literal for literal in self._assumed}
        return [by_address[term.as_ast().value] for term in self._solver.unsat_core()]

    def _release(self) -> None:
        self._model = None
        self._declarations = {}
        for term in self._terms.values():
            z3core.Z3_dec_ref(self._ref, term)
        self._terms = {}
        del self._solver, self._context


def decide_script(script: str, assumed: Sequence[str], steps: int) -> ScriptAnswer:
    """Decide SMT-LIB assertions by Z3, if the boolean constants of these names are true."""
    context = z3.Context()
    solver = z3.Solver(ctx=context)
    if steps:
        solver.set("rlimit", steps)
    solver.from_string(script)
    status = solver.check(*(z3.Bool(name, context) for name in assumed))
    if status == z3.unsat:
        return ScriptAnswer(Answer.UNSATISFIABLE, tuple(str(name) for name in solver.unsat_core()))
    return ScriptAnswer(Answer.SATISFIABLE if status == z3.sat else Answer.UNKNOWN)
