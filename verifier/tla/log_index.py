"""The variable of a module that is the place in its log: ``l`` in ``Trace[l]``, ``Trace[l + 1]`` or
``Trace[l']``."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from verifier.tla import ast
from verifier.tla.ast import Builtin, Definition, Expression, Variable
from verifier.tla.exploration_result import State
from verifier.tla.facts import CONSTANT, subexpressions
from verifier.tla.frames import Undefined
from verifier.tla.interpreter import Interpreter
from verifier.tla.order import Order, text
from verifier.tla.reading_files import READERS, read_json_lines
from verifier.tla.specification import Specification
from verifier.tla.value_types import NoValue, Value


@dataclass(frozen=True)
class LogIndex:
    """The variable that is the place in the log."""

    number: int
    """The number of the variable in a state."""
    log: tuple[Value, ...]
    order: Order
    offset: int = 0
    """The place of the entry that comes next is the variable's value plus this number."""

    def of(self, state: State) -> int:
        """Return the place in the log, from 1, at which a state is."""
        return self.find_place(state[self.number])

    def find_place(self, value: Value) -> int:
        """Return the place in the log, from 1, for a value of the variable."""
        return value + self.offset if type(value) is int else 1

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


def find_log_index(spec: Specification, initial: Sequence[State]) -> LogIndex | None:
    """Return the variable that a sequence from a file is most often applied to; None if there is none. Of
    ``Log[l]`` and ``Log[l + 1]``, the one that is the first entry in the initial states tells the place."""
    evaluator, counts = spec.evaluator, Counter[Variable]()
    offsets = defaultdict[Variable, set[int]](set)
    logs: dict[Variable, tuple[Expression, str]] = {}
    for function, variable, offset, module in _lookups(spec):
        facts = evaluator.analysis.of(function, module)
        is_log = facts.level == CONSTANT and not facts.free and variable in evaluator.index
        if is_log and _reads_file(evaluator, function, module, set()):
            counts[variable] += 1
            offsets[variable].add(offset)
            logs.setdefault(variable, (function, module))
    for variable, _ in counts.most_common():
        with suppress(Undefined, NoValue):
            log = evaluator.compile_value(*logs[variable])()
            if type(log) is tuple:
                number = evaluator.index[variable]
                made = [LogIndex(number, log, evaluator.order, offset) for offset in offsets[variable]]
                return min(made, key=lambda one: (_begins_late(one, initial), one.offset < 0, one.offset))
    return None


def _begins_late(index: LogIndex, initial: Sequence[State]) -> bool:
    return any(index.of(state) != 1 for state in initial)


def _lookups(spec: Specification) -> Iterator[tuple[Expression, Variable, int, str]]:
    """Yield each function that is applied to a variable, or to one plus a number, in all definitions of the
    module. The number is what the variable lacks to the place of the next entry."""
    for one in spec.module.names.values():
        if not isinstance(one, Definition) or one.body is None:
            continue
        waiting: list[Expression] = [one.body]
        while waiting:
            part = waiting.pop()
            if isinstance(part, ast.FunctionApply):
                variable, offset = _find_variable(part.argument)
                if variable is not None:
                    yield part.function, variable, offset, one.module
            waiting += _list_parts(part)


def _find_variable(whole: Expression) -> tuple[Variable | None, int]:
    """Return the variable of ``l``, ``l'``, ``l + 1`` or ``l' - 1``, and the number that is added to it. A
    step that reads the entry at ``l'`` goes on to ``l'``, so this is the next one."""
    match whole:
        case ast.Apply(operator=Variable() as variable):
            return variable, 0
        case ast.Prime(body=ast.Apply(operator=Variable() as variable)):
            return variable, 1
        case ast.Apply(operator=Builtin(name="+" | "-" as sign), arguments=(first, ast.Number(value=number))):
            variable_of, offset = _find_variable(first)
            return variable_of, offset + (number if sign == "+" else -number)
    return None, 0


def _list_parts(whole: Expression) -> list[Expression]:
    if isinstance(whole, ast.Let):
        return [whole.body, *(one.body for one in whole.definitions if one.body is not None)]
    return subexpressions(whole)[0]


def _reads_file(evaluator: Interpreter, whole: Expression, module: str, seen: set[Definition]) -> bool:
    """True if an expression may read a file."""
    if isinstance(whole, ast.Apply | ast.OperatorArgument):
        symbol = evaluator.resolve(whole.operator, module) or whole.operator
        if symbol.name in READERS:
            return True
        if isinstance(symbol, Definition) and symbol.body is not None and symbol not in seen:
            seen.add(symbol)
            if _reads_file(evaluator, symbol.body, symbol.module, seen):
                return True
    return any(_reads_file(evaluator, part, module, seen) for part in _list_parts(whole))
