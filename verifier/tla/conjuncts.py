"""Invariants by conjuncts. Each conjunct is evaluated once for the values of the variables that it reads.

States share most of their values, so most conjuncts of an invariant are known to be true in a new state. This
is sound if a conjunct has one value for the same variables. If a conjunct is false or has no value, the whole
invariant is evaluated. So verdicts and errors are those of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression
from verifier.tla.evaluator import Evaluator
from verifier.tla.facts import STATE
from verifier.tla.frames import UNSET, Undefined
from verifier.tla.splitting import Formula
from verifier.tla.value_types import NoValue, Value

_MOST = 200_000
_TRIED = 1_000
_WORTH_IT = 0.3
"""The share of states whose values must be known for the table to be used."""


class Known:
    """A conjunct, and the values of variables for which it is true."""

    __slots__ = ("answered", "asked", "reads", "test", "true")

    def __init__(self, test: Callable[[], bool], reads: list[int]) -> None:
        self.test, self.reads = test, reads
        self.true: set[Value] = set()
        self.asked = self.answered = 0

    def holds(self, state: list[Value]) -> bool:
        """True if the conjunct is true in a state."""
        if self.asked > _TRIED and self.answered < self.asked * _WORTH_IT:
            return self.test()
        reads = self.reads
        key = state[reads[0]] if len(reads) == 1 else tuple([state[index] for index in reads])
        self.asked += 1
        if key in self.true:
            self.answered += 1
            return True
        if not self.test():
            return False
        if len(self.true) >= _MOST:
            self.true.clear()
        self.true.add(key)
        return True


def remembering(evaluator: Evaluator, formula: Formula) -> Callable[[], bool]:
    """Return a test that a formula is true in the state that is set. It remembers its conjuncts."""
    whole, module = formula.body, formula.module
    test = evaluator.compile_truth(whole, module)
    facts = evaluator.analysis.of(whole, module)
    if facts.level > STATE or facts.changing or facts.enabled:
        return test
    parts = list(_conjuncts(evaluator, whole, module))
    known = [
        Known(
            evaluator.compile_truth(part, name),
            [evaluator.index[variable] for variable in evaluator.analysis.of(part, name).reads],
        )
        for part, name in parts
    ]
    if not all(each.reads for each in known):
        return test
    now = evaluator.now

    def holds_by_memory() -> bool:
        if UNSET in now:
            return test()
        try:
            for each in known:
                if not each.holds(now):
                    return test()
        except (Undefined, NoValue, RecursionError):
            return test()
        return True

    return holds_by_memory


def _conjuncts(
    evaluator: Evaluator, whole: Expression, module: str, seen: tuple[Definition, ...] = ()
) -> Iterator[tuple[Expression, str]]:
    """Yield the conjuncts of a formula with the modules that contain their text."""
    if isinstance(whole, ast.Junction) and whole.conjunction:
        for item in whole.items:
            yield from _conjuncts(evaluator, item, module, seen)
        return
    if isinstance(whole, ast.Apply) and not whole.arguments:
        symbol = evaluator.resolve(whole.operator, module) or whole.operator
        if (
            isinstance(symbol, Definition)
            and symbol not in evaluator.constants
            and symbol not in seen
            and not symbol.parameters
            and not symbol.nested
            and isinstance(symbol.body, ast.Junction)
            and symbol.body.conjunction
        ):
            yield from _conjuncts(evaluator, symbol.body, symbol.module, (*seen, symbol))
            return
    yield whole, module
