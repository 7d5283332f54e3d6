"""The variable of a module that is the place in its log: ``l`` in ``Trace[l]``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression, Variable
from verifier.tla.exploration_result import State
from verifier.tla.facts import CONSTANT, subexpressions
from verifier.tla.frames import Undefined
from verifier.tla.order import Order, text
from verifier.tla.reading_files import read_json_lines
from verifier.tla.specification import Specification
from verifier.tla.value_types import NoValue, Value


@dataclass(frozen=True)
class LogIndex:
    """The variable that is the place in the log."""

    number: int
    """The number of the variable in a state."""
    log: tuple[Value, ...]
    order: Order

    def of(self, state: State) -> int:
        """Return the place in the log, from 1, at which a state is."""
        value = state[self.number]
        return value if type(value) is int else 1

    def places(self, log: Path, count: int) -> list[int]:
        """Return for each entry the number, from 0, of the file's event that it is. The module may leave out
        events, but not change their order."""
        if len(self.log) == count:
            return list(range(count))
        try:
            written = [text(value, self.order) for value in read_json_lines(log)]
        except NoValue:
            return []
        places, place = list[int](), 0
        for entry in self.log:
            own = text(entry, self.order)
            while place < len(written) and written[place] != own:
                place += 1
            if place == len(written):
                return places
            places.append(place)
            place += 1
        return places


def find_log_index(spec: Specification) -> LogIndex | None:
    """Return the variable that a constant sequence is most often applied to; None if there is none."""
    evaluator, counts = spec.evaluator, Counter[Variable]()
    logs: dict[Variable, tuple[Expression, str]] = {}
    for function, variable, module in _lookups(spec):
        facts = evaluator.analysis.of(function, module)
        if facts.level == CONSTANT and not facts.free and variable in evaluator.index:
            counts[variable] += 1
            logs.setdefault(variable, (function, module))
    for variable, _ in counts.most_common():
        with suppress(Undefined, NoValue):
            log = evaluator.compile_value(*logs[variable])()
            if type(log) is tuple:
                return LogIndex(evaluator.index[variable], log, evaluator.order)
    return None


def _lookups(spec: Specification) -> Iterator[tuple[Expression, Variable, str]]:
    """Yield each constant that is applied to a variable, in all definitions of the module."""
    for one in spec.module.names.values():
        if not isinstance(one, Definition) or one.body is None:
            continue
        waiting: list[Expression] = [one.body]
        while waiting:
            part = waiting.pop()
            match part:
                case ast.FunctionApply(function=log, argument=ast.Apply(operator=Variable() as variable)):
                    yield log, variable, one.module
            waiting += subexpressions(part)[0]
