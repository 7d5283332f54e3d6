"""cvc5, given boolean terms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import cvc5

from verifier.solvers.buffered import BufferedSolver
from verifier.solvers.interface import Answer, ScriptAnswer


class Cvc5Solver(BufferedSolver):
    """cvc5 as a clause solver; see `ClauseSolver`."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        self._manager = cvc5.TermManager()
        self._solver = cvc5.Solver(self._manager)
        self._solver.setLogic("QF_UF")
        self._solver.setOption("incremental", "true")
        self._solver.setOption("produce-models", "true")
        self._solver.setOption("produce-unsat-assumptions", "true")
        if seed:
            self._solver.setOption("seed", str(seed))
            self._solver.setOption("sat-random-seed", str(seed))
        self._sort = self._manager.getBooleanSort()
        self._terms: dict[int, cvc5.Term] = {}
        self._assumed: list[int] = []

    def _term(self, literal: int) -> cvc5.Term:
        """The term of a literal."""
        term = self._terms.get(literal)
        if term is None:
            variable = abs(literal)
            positive = self._manager.mkConst(self._sort, f"v{variable}")
            self._terms[variable] = positive
            self._terms[-variable] = self._manager.mkTerm(cvc5.Kind.NOT, positive)
            term = self._terms[literal]
        return term

    def _hand_over(self, batch: list[tuple[int, ...]]) -> None:
        term, make, add = self._term, self._manager.mkTerm, self._solver.assertFormula
        disjunction = cvc5.Kind.OR
        for clause in batch:
            if len(clause) == 1:
                add(term(clause[0]))
            else:
                add(make(disjunction, *map(term, clause)))

    def _decide(self, assumptions: list[int]) -> Answer:
        self._assumed = assumptions
        if assumptions:
            result = self._solver.checkSatAssuming(*map(self._term, assumptions))
        else:
            result = self._solver.checkSat()
        if result.isSat():
            return Answer.SATISFIABLE
        return Answer.UNSATISFIABLE if result.isUnsat() else Answer.UNKNOWN

    def _read(self, variable: int) -> bool:
        term = self._terms.get(variable)
        return term is not None and bool(self._solver.getValue(term).getBooleanValue())

    def _read_core(self) -> Iterable[int]:
        if not self._assumed:
            return ()
        failed = set(self._solver.getUnsatAssumptions())
        return [literal for literal in dict.fromkeys(self._assumed) if self._term(literal) in failed]

    def _release(self) -> None:
        self._terms = {}
        del self._solver, self._manager, self._sort


def decide_script(script: str, assumed: Sequence[str], steps: int) -> ScriptAnswer:
    """Decide SMT-LIB assertions by cvc5, if the boolean constants of these names are true."""
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("full-saturate-quant", "true")
    if steps:
        solver.setOption("rlimit", str(steps))
    parser = cvc5.InputParser(solver)
    symbols = parser.getSymbolManager()
    lines = ["(set-logic ALL)", script, *(f"(assert {name})" for name in assumed), "(check-sat)"]
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, "\n".join(lines), "script")
    said = ""
    while not (command := parser.nextCommand()).isNull():
        said += command.invoke(solver, symbols)
    answers = {"unsat": Answer.UNSATISFIABLE, "sat": Answer.SATISFIABLE}
    return ScriptAnswer(answers.get(said.strip(), Answer.UNKNOWN), tuple(assumed))
