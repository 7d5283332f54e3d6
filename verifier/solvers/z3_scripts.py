"""Z3 for SMT-LIB scripts that grow, with the values of its models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import z3

from verifier.solvers.interface import Answer, ScriptAnswer

_LARGEST = 2**40
"""Larger integers of a model are cut to this, so that they fit into arrays."""


class Z3Script:
    """Z3 for assertions that are added one after the other; see `ScriptSolver`."""

    def __init__(self) -> None:
        self._context = z3.Context()
        self._solver = z3.Solver(ctx=self._context)
        self._declared: set[str] = set()

    def add(self, declarations: Iterable[str], assertions: Iterable[str]) -> None:
        """Add assertions. A declaration that was added before is left out, since Z3 refuses it."""
        new = [line for line in declarations if line not in self._declared]
        self._declared.update(new)
        self._solver.from_string("\n".join((*new, *assertions)))

    def decide(self, assumed: Sequence[str], steps: int, *, complete: bool) -> ScriptAnswer:
        """Decide the assertions, if the boolean constants of these names are true."""
        self._solver.set("rlimit", steps)
        self._solver.set("smt.mbqi", complete)
        status = self._solver.check(*(z3.Bool(name, self._context) for name in assumed))
        if status == z3.unsat:
            return ScriptAnswer(Answer.UNSATISFIABLE, tuple(str(name) for name in self._solver.unsat_core()))
        return ScriptAnswer(Answer.SATISFIABLE if status == z3.sat else Answer.UNKNOWN)

    @property
    def steps(self) -> int:
        """The work so far, in Z3's own unit."""
        counted = self._solver.statistics()
        entries = (counted[place] for place in range(len(counted)))
        return next((int(value) for name, value in entries if name == "rlimit count"), 0)

    def find_model(self) -> Z3Model | None:
        """Return the model of the last answer, or None."""
        try:
            return Z3Model(self._solver.model())
        except z3.Z3Exception:
            # Z3 reports the error again when it reads assertions, unless another call comes between.
            self._solver.reason_unknown()
            return None


class Z3Model:
    """The values in a model of Z3; see `ScriptModel`."""

    def __init__(self, model: z3.ModelRef) -> None:
        self._model = model
        self._declared = {one.name(): one for one in model.decls()}
        self._numbers: dict[str, int] = {}
        self._elements: list[z3.ExprRef] = []
        self._tables: dict[str, _Table] = {}
        self._some: dict[str, int] = {}

    def value(self, function: str, args: tuple[int, ...], sort: str) -> int:
        """Return the value of a function at arguments."""
        table = self._tables.get(function)
        if table is None:
            table = self._tables[function] = self._read_table(function, sort)
        found = table.values.get(args)
        if found is None:
            found = table.values[args] = table.otherwise if table.rule is None else self._apply(table, args)
        return found

    def _read_table(self, function: str, sort: str) -> _Table:
        declared = self._declared.get(function)
        meaning = None if declared is None else self._model[declared]
        if declared is None or meaning is None:
            return _Table({}, self._choose(sort))
        if not isinstance(meaning, z3.FuncInterp):
            return _Table({(): self._number(meaning)}, 0)
        values = {}
        for place in range(meaning.num_entries()):
            entry = meaning.entry(place)
            args = tuple(self._number(entry.arg_value(one)) for one in range(entry.num_args()))
            values[args] = self._number(entry.value())
        otherwise = meaning.else_value()
        if otherwise is None:
            return _Table(values, self._choose(sort))
        if otherwise.num_args() == 0 and not z3.is_var(otherwise):
            return _Table(values, self._number(otherwise))
        return _Table(values, self._choose(sort), declared)

    def _apply(self, table: _Table, args: tuple[int, ...]) -> int:
        """Return the value where the model has a term of the arguments instead of a table."""
        declared = table.rule
        terms = [self._term(declared.domain(place), value) for place, value in enumerate(args)]
        if any(term is None for term in terms):
            return table.otherwise
        return self._number(self._model.eval(declared(*terms), model_completion=True))

    def _number(self, value: Any) -> int:
        """Return a value as a number. Elements are numbered as they come."""
        if z3.is_int_value(value):
            return int(max(-_LARGEST, min(_LARGEST, value.as_long())))
        if z3.is_true(value) or z3.is_false(value):
            return int(z3.is_true(value))
        number = self._numbers.setdefault(value.sexpr(), len(self._elements))
        if number == len(self._elements):
            self._elements.append(value)
        return number

    def _term(self, sort: z3.SortRef, number: int) -> Any:
        if sort.kind() == z3.Z3_INT_SORT:
            return z3.IntVal(number, self._model.ctx)
        if sort.kind() == z3.Z3_BOOL_SORT:
            return z3.BoolVal(bool(number), self._model.ctx)
        return self._elements[number] if 0 <= number < len(self._elements) else None

    def _choose(self, sort: str) -> int:
        """Return some value of a sort, for a symbol that the model leaves open. -1 is no element."""
        if sort not in self._some:
            named = (one for one in self._model.sorts() if one.name() == sort)
            universe = next((self._model.get_universe(one) for one in named), None)
            is_number = sort in ("Bool", "Int")
            self._some[sort] = self._number(universe[0]) if universe else 0 if is_number else -1
        return self._some[sort]


class _Table:
    def __init__(self, values: dict[tuple[int, ...], int], otherwise: int, rule: Any = None) -> None:
        self.values = values
        self.otherwise = otherwise
        self.rule = rule
        """The function, if its value elsewhere is a term of the arguments."""
