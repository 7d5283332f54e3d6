"""Formulas of the states and steps of a graph, each decided for all of them at once.

Equal values of what a part of a formula reads are looked up and not evaluated again. That is sound if a part
has one value for the values that it reads (``leaves``). ``ENABLED <<A>>_v`` is decided by walking A from all
states, so it is left to the interpreter if an error occurs on a way that the interpreter may not try.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from verifier.storage.distinct import distinct
from verifier.tla import ast
from verifier.tla.ast import Expression, Variable
from verifier.tla.columns.batches import UNSET_NUMBER, Batch
from verifier.tla.columns.compiling import Compiler
from verifier.tla.columns.environments import Columns, Environment
from verifier.tla.columns.numbers import Column
from verifier.tla.columns.truths import Mask, Negated, Truth
from verifier.tla.columns.unsuited import Unsuited
from verifier.tla.columns.walks import Walk
from verifier.tla.exploration_result import State
from verifier.tla.frames import UNSET, Unit
from verifier.tla.interpreter import Interpreter

_ROWS = 1 << 15
"""The number of states or steps between two checks of the limits."""


@dataclass(frozen=True)
class ColumnStates:
    """States as columns: the numbers of the values of each variable."""

    columns: Columns
    compiler: Compiler
    numbers: Sequence[Column]

    def __len__(self) -> int:
        return len(self.numbers[0])

    @classmethod
    def of_states(
        cls, evaluator: Interpreter, variables: Sequence[Variable], states: Sequence[State]
    ) -> ColumnStates:
        """Return states as columns. Raises NoValue."""
        columns = Columns(evaluator, variables)
        numbers = [
            np.fromiter((own.of(state[place]) for state in states), np.int64, len(states))
            for place, own in enumerate(columns.numbers)
        ]
        return cls(columns, Compiler(columns, evaluator), numbers)


class Formulas:
    """Decides formulas of states and steps. All methods raise one of ``FOUND_AGAIN`` for a formula that the
    interpreter must decide."""

    def __init__(self, states: ColumnStates, evaluator: Interpreter, check: Callable[[], None]) -> None:
        self.columns, self.compiler, self.states = states.columns, states.compiler, states.numbers
        self.count, self.evaluator, self.check = len(states), evaluator, check

    def where(self, whole: Expression, module: str) -> Mask:
        """Return the states in which a formula is true."""
        around = Environment(Unit(module))
        while isinstance(whole, ast.Let):
            around, whole = self.compiler.let(whole, around), whole.body
        mask = np.zeros(self.count, np.bool_)
        test = self._truth(whole, around)
        for part in self._parts(self.count):
            mask[part] = test.true(Batch(self.states, part))
        return mask

    def steps(self, whole: Expression, module: str, sources: Column, targets: Column) -> Mask:
        """Return the steps, given by the numbers of their states, for which a formula is true."""
        test = self.compiler.truth(whole, Environment(Unit(module)))
        mask = np.zeros(len(sources), np.bool_)
        for part in self._parts(len(sources)):
            following = targets[part]
            own = {of: column[following] for of, column in zip(self.columns.next, self.states, strict=True)}
            mask[part] = test.true(Batch(self.states, sources[part], own))
        return mask

    def _truth(self, whole: Expression, around: Environment) -> Truth:
        if isinstance(whole, ast.Enabled):
            return _Possible(self, whole, around)
        return self.compiler.truth(whole, around)

    def _parts(self, count: int) -> Iterator[Column]:
        """Yield the numbers up to ``count`` in parts. Afterwards no state is set in the interpreter."""
        for first in range(0, count, _ROWS):
            self.check()
            yield np.arange(first, min(first + _ROWS, count))
        for values in (self.evaluator.now, self.evaluator.next):
            values[:] = [UNSET] * len(values)


class _Possible(Truth):
    """``ENABLED <<A>>_v``"""

    def __init__(self, formulas: Formulas, whole: ast.Enabled, around: Environment) -> None:
        step, compiler = whole.body, formulas.compiler
        if whole.own or not isinstance(step, ast.Step) or step.stuttering:
            raise Unsuited(f"{whole.place}: ENABLED of a formula of another kind")
        self.walk: Walk = compiler.walk(step.action, around)
        self.changed = Negated(compiler.compile_unchanged(step.subscript, around))
        self.assigned = formulas.columns.read(step.subscript, around, True)

    def true(self, batch: Batch) -> Mask:
        """Return the mask of the states in which the step is possible."""
        rows = self.walk.rows(batch)
        if any((rows.column(of) == UNSET_NUMBER).any() for of in self.assigned if of.primed):
            raise Unsuited("a variable has no value")
        possible = distinct(rows.parents[self.changed.true(rows)])
        return np.isin(batch.parents, possible, assume_unique=True)
