"""The variables that an expression reads in this state or the next, and the names from around it.

Too many reads do no harm, but too few would merge two values. So an argument counts for both states if its
operator may put it below a prime.
"""

from __future__ import annotations

from dataclasses import dataclass

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression, Symbol
from verifier.tla.columns.unsuited import Unsuited
from verifier.tla.evaluator import Evaluator
from verifier.tla.facts import ACTION, TEMPORAL, subexpressions


@dataclass(frozen=True)
class Read:
    """A symbol that is read: a variable, or a name that is bound or defined around."""

    symbol: Symbol
    primed: bool


def reads(core: Evaluator, whole: Expression, module: str, primed: bool) -> frozenset[Read]:
    """Return the symbols that an expression reads, including the names that it binds itself. Raises Unsuited
    for an expression that may have another value each time, and for ENABLED, which walks."""
    facts = core.analysis.of(whole, module)
    if facts.changing or facts.enabled or facts.level == TEMPORAL:
        raise Unsuited(f"{whole.place}: a formula with ENABLED, or that may change by itself")
    reading = _VariableCollector(core)
    reading.look(whole, module, primed)
    return frozenset(reading.read)


class _VariableCollector:
    def __init__(self, core: Evaluator) -> None:
        self.core, self.read = core, set[Read]()
        self.seen: set[tuple[Definition, bool]] = set()

    def both(self, whole: Expression, module: str) -> None:
        self.look(whole, module, False)
        self.look(whole, module, True)

    def look(self, whole: Expression, module: str, primed: bool) -> None:
        if isinstance(whole, ast.Prime):
            return self.look(whole.body, module, True)
        if isinstance(whole, ast.Unchanged):
            return self.both(whole.body, module)
        if isinstance(whole, ast.Step):
            self.look(whole.action, module, primed)
            return self.both(whole.subscript, module)
        if isinstance(whole, ast.Let):  # its definitions are read where they are mentioned
            return self.look(whole.body, module, primed)
        acts = False
        if isinstance(whole, ast.Apply | ast.OperatorArgument):
            acts = self._symbol(whole.operator, module, primed)
        for part in subexpressions(whole)[0]:
            self.look(part, module, primed)
            if acts and not primed:
                self.look(part, module, True)
        return None

    def _symbol(self, symbol: Symbol, module: str, primed: bool) -> bool:
        """Read the meaning of a symbol. Return True if it may put its arguments below a prime."""
        symbol = self.core.resolve(symbol, module) or symbol
        if isinstance(symbol, ast.Variable | ast.Bound | ast.Parameter):
            self.read.add(Read(symbol, primed))
            return isinstance(symbol, ast.Parameter)
        if not isinstance(symbol, Definition) or symbol in self.core.constants:
            return False
        facts = self.core.analysis.of_definition(symbol)
        if symbol.nested:
            self.read.add(Read(symbol, primed))
        if (symbol, primed) not in self.seen:
            self.seen.add((symbol, primed))
            assert symbol.body is not None
            self.look(symbol.body, symbol.module, primed)
        return facts.level >= ACTION
