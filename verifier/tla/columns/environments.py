"""The meaning of the names around an expression, and the frames in which the interpreter evaluates it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from verifier.tla import ast
from verifier.tla.ast import Expression, Symbol
from verifier.tla.columns.batches import ColumnReference
from verifier.tla.columns.numbers import Numbers
from verifier.tla.columns.read_variables import Read, reads
from verifier.tla.evaluator import Evaluator
from verifier.tla.frames import Code, Evaluate, Frame, Unit, Waiting

Framed: TypeAlias = Callable[[Sequence[Any]], Frame]
"""Returns a frame for the values of the columns of a leaf."""


@dataclass(frozen=True, eq=False)
class Given:
    """The argument of a parameter, or the body of a definition of a LET."""

    expression: Expression
    around: Environment | None
    """The environment of the expression. None: that of the definition itself."""
    make: Evaluate | Code


@dataclass(frozen=True, eq=False)
class Environment:
    """The names around an expression: bound names are columns, others are delayed."""

    unit: Unit
    names: Mapping[Symbol, ColumnReference | Given] = field(default_factory=dict)

    def having(self, more: Mapping[Symbol, ColumnReference | Given]) -> Environment:
        """Return the environment with more names."""
        return Environment(self.unit, {**self.names, **more})


class Columns:
    """The columns of the variables, and the columns that expressions read."""

    def __init__(self, core: Evaluator, variables: Sequence[ast.Variable]) -> None:
        self.core, self.variables = core, variables
        self._reads: dict[tuple[Expression, str, bool], list[Read]] = {}
        self.numbers = [Numbers() for _ in variables]
        pairs = list(enumerate(zip(variables, self.numbers, strict=True)))
        self.now = [ColumnReference(numbers, each.name, place) for place, (each, numbers) in pairs]
        self.next = [
            ColumnReference(numbers, each.name, place, primed=True) for place, (each, numbers) in pairs
        ]

    def read(self, whole: Expression, around: Environment, primed: bool) -> list[ColumnReference]:
        """Return the columns on which the value of an expression depends."""
        references: dict[ColumnReference, None] = {}
        self._read(whole, around, primed, references)
        return list(references)

    def _read(
        self, whole: Expression, around: Environment, primed: bool, columns: dict[ColumnReference, None]
    ) -> None:
        for one in self._symbols(whole, around.unit.module, primed):
            if isinstance(one.symbol, ast.Variable):
                index = self.core.index[one.symbol]
                columns[(self.next if one.primed else self.now)[index]] = None
                continue
            stands = around.names.get(one.symbol)
            if isinstance(stands, ColumnReference):
                columns[stands] = None
            elif stands is not None:
                flags = (False, True) if getattr(one.symbol, "arity", 0) else (one.primed,)
                for flag in flags:
                    self._read(stands.expression, stands.around or around, flag, columns)

    def _symbols(self, whole: Expression, module: str, primed: bool) -> list[Read]:
        """Return the symbols that an expression reads, in a fixed order."""
        symbols = self._reads.get((whole, module, primed))
        if symbols is None:
            read = reads(self.core, whole, module, primed)
            symbols = sorted(read, key=lambda one: (type(one.symbol).__name__, one.symbol.name, one.primed))
            self._reads[whole, module, primed] = symbols
        return symbols

    def make_framing(
        self, whole: Expression, around: Environment, columns: Sequence[ColumnReference]
    ) -> Framed:
        """Return a function that makes the frame of an expression for the values of columns."""
        wanted = [one.symbol for one in reads(self.core, whole, around.unit.module, False)]
        wanted = [symbol for symbol in dict.fromkeys(wanted) if symbol in around.names]
        unit, places = around.unit, {of: place for place, of in enumerate(columns)}
        for symbol in wanted:  # the list grows during the loop
            stands = around.names[symbol]
            if isinstance(stands, Given) and stands.around is None:
                inner = reads(self.core, stands.expression, unit.module, False)
                wanted += [
                    one.symbol for one in inner if one.symbol in around.names and one.symbol not in wanted
                ]
        bound, waiting, given = [], [], []
        for symbol in dict.fromkeys(wanted):
            stands, slot = around.names[symbol], unit.slot(symbol)
            if isinstance(stands, ColumnReference):
                bound.append((slot, places[stands]))
            elif isinstance(stands.make, Code):
                waiting.append((slot, stands.make))
            else:
                assert stands.around is not None
                given.append(
                    (slot, stands.make, self.make_framing(stands.expression, stands.around, columns))
                )

        def frame(values: Sequence[Any]) -> Frame:
            made = unit.frame()
            for slot, place in bound:
                made[slot] = values[place]
            for slot, make, inner in given:
                made[slot] = make(inner(values))
            for slot, code in waiting:
                made[slot] = Waiting(code, made)
            return made

        return frame
