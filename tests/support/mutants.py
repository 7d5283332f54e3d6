"""Single changes to the source text of the Kafka protocols, and whether anything notices them.

A mutant is one piece of text replaced by another: a guard or an update dropped, a comparison off by
one or turned around, a conjunct or a branch left out, leader and follower mixed up. Each is explored
at small constants and compared with the original: verdicts, shortest violations, states, depth, and
how often each action is possible. ``python -m tests.support.mutants`` prints what noticed each.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.support.explicit import Exploration, explore
from tests.support.models import build
from verifier.encodings.quantifiers import exists, forall
from verifier.encodings.sorts import SortError
from verifier.specs import registry
from verifier.specs.expectations import expectations
from verifier.specs.protocol import DefinitionError, Protocol

PACKAGE = "verifier.specs.kafka"
FOLDER = Path(registry.__file__).parent / "kafka"
CHECKED_BY = {
    "replication": ("kafka-truncate-hw", "kip320", "kip101", "kip279", "kip320-first-try"),
    "truncate_hw": ("kafka-truncate-hw",),
    "kip101": ("kip101",),
    "kip279": ("kip279", "kip320", "kip320-first-try"),
    "kip320_first_try": ("kip320-first-try",),
    "kip320": ("kip320",),
    "async_isr": ("kafka-async-isr",),
}
"""For each module, the specs that are built from it."""
Constants = tuple[tuple[str, Any], ...]
MORE_RECORDS = {"replicas": 2, "log_size": 2, "max_records": 3, "max_leader_epoch": 1}

_NEIGHBOUR: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
}
_OPPOSITE = {"minimum": "maximum", "maximum": "minimum", "forall": "exists", "exists": "forall"}


@dataclass(frozen=True, order=True)
class Change:
    """The text from ``start`` to ``end`` replaced; ``words`` say what that changes."""

    start: int
    end: int
    replacement: str
    words: str


@dataclass(frozen=True)
class Mutant:
    """One change in a method of one of the family's modules."""

    module: str
    method: str
    change: Change
    occurrence: int
    """Among the changes of that method in the same words."""

    @property
    def name(self) -> str:
        """Return the change on one line."""
        again = f" ({self.occurrence})" if self.occurrence > 1 else ""
        return f"{self.module}.{self.method}: {' '.join(self.change.words.split())}{again}"

    @property
    def source(self) -> str:
        """The module's source with the change."""
        original = _source(self.module)
        return original[: self.change.start] + self.change.replacement + original[self.change.end :]


@cache
def _source(module: str) -> str:
    return (FOLDER / f"{module}.py").read_text(encoding="utf-8")


def mutants() -> list[Mutant]:
    """All of them, in the order of the sources."""
    return [mutant for module in CHECKED_BY for mutant in _mutants_of(module)]


def _mutants_of(module: str) -> Iterator[Mutant]:
    source = _source(module)
    methods = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    for method in methods:
        # Not what only declares sorts: a wider one changes nothing that can be observed. Nor what is said of
        # whole executions: exploration does not decide that.
        declares = method.name in ("state", "__init__")
        returns = "" if method.returns is None else ast.unparse(method.returns)
        lasting = "TemporalFormula" in returns or "Fairness" in returns
        marks = {mark.id for mark in method.decorator_list if isinstance(mark, ast.Name)}
        if declares or lasting or "property" in marks:
            continue
        times = Counter[str]()
        for change in sorted(set(_Changes(source).of(method))):
            times[change.words] += 1
            yield Mutant(module, method.name, change, times[change.words])


class _Changes:
    """The changes at each node of the syntax tree of one source."""

    def __init__(self, source: str) -> None:
        self.source = source
        lines = source.splitlines(keepends=True)
        self.line_starts = [sum(map(len, lines[:index])) for index in range(len(lines))]
        self.inner: set[ast.AST] = set()

    def of(self, method: ast.FunctionDef) -> Iterator[Change]:
        """All changes in the method; of a chain of operands, each is left out once."""
        for statement in method.body:
            for node in ast.walk(statement):
                yield from self._operators(node)
                if isinstance(node, ast.Call):
                    yield from self._calls(node)
                    yield from self._swaps(node)
                elif isinstance(node, ast.List):
                    yield from self._without_each([(item, item) for item in node.elts])
                elif isinstance(node, ast.keyword) and isinstance(node.value, ast.Dict):
                    updates = zip(node.value.keys, node.value.values, strict=True)
                    yield from self._without_each([(key, value) for key, value in updates if key])

    def _operators(self, node: ast.AST) -> Iterator[Change]:
        match node:
            case ast.Compare(ops=[operator], left=left, comparators=[right]) if type(operator) in _NEIGHBOUR:
                other = f"{self._text(left)} {_NEIGHBOUR[type(operator)]} {self._text(right)}"
                yield self._becomes(node, other)
            case ast.BinOp(op=ast.BitAnd() | ast.BitOr() as joint) if node not in self.inner:
                yield from self._without_each([(item, item) for item in self._operands(node, type(joint))])
            case ast.BinOp(op=ast.Add() | ast.Sub(), left=left, right=ast.Constant(value=1)):
                yield self._becomes(node, self._text(left))
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                yield self._becomes(node, self._text(operand))
            case ast.Attribute(value=value, attr="minimum" | "maximum" as name):
                yield self._becomes(node, f"{self._text(value)}.{_OPPOSITE[name]}")

    def _calls(self, call: ast.Call) -> Iterator[Change]:
        match call:
            case (
                ast.Call(func=ast.Name("if_"), args=[_, *branches])
                | ast.Call(func=ast.Name("minimum"), args=branches)
            ):
                for branch in branches:
                    yield self._becomes(call, self._text(branch))
            case ast.Call(func=ast.Name("forall" | "exists" as name), args=[ast.GeneratorExp() as each]):
                words = f"{name} over {self._text(each.generators[0].iter)} becomes {_OPPOSITE[name]}"
                yield Change(self._start(call), self._start(call) + len(name), _OPPOSITE[name], words)
                for loop in each.generators:
                    for premise in loop.ifs:
                        words = f"without the premise {self._text(premise)}"
                        yield Change(self._end(loop.iter), self._end(premise), "", words)
            case ast.Call(func=ast.Attribute(value=premise, attr="implies"), args=[conclusion]):
                words = f"without the premise {self._text(premise)}"
                yield Change(self._start(call), self._end(call), f"({self._text(conclusion)})", words)
            case ast.Call(func=ast.Attribute(value=changed, attr="add" | "remove" | "truncate")):
                yield self._becomes(call, self._text(changed))
            case ast.Call(func=ast.Attribute(attr="updated"), keywords=fields):
                yield from self._without_each([(field, field) for field in fields])

    def _swaps(self, call: ast.Call) -> Iterator[Change]:
        """A leader and a follower, passed side by side, the other way round."""
        for one, other in pairwise(call.args):
            if {self._text(one), self._text(other)} == {"leader", "follower"}:
                swapped = f"{self._text(other)}, {self._text(one)}"
                words = f"{self._text(call.func)} of {swapped}"
                yield Change(self._start(one), self._end(other), swapped, words)

    def _becomes(self, node: ast.AST, replacement: str) -> Change:
        return Change(
            self._start(node), self._end(node), replacement, f"{self._text(node)} becomes {replacement}"
        )

    def _without_each(self, items: Sequence[tuple[ast.AST, ast.AST]]) -> Iterator[Change]:
        """Leaving out each item (from its first node to its last), with what joins it to a neighbour."""
        spans = [self._add_parentheses(self._start(first), self._end(last)) for first, last in items]
        for index, (start, end) in enumerate(spans):
            words = f"without {self.source[start:end]}"
            if index + 1 < len(spans):
                yield Change(start, spans[index + 1][0], "", words)
            elif index:
                yield Change(spans[index - 1][1], end, "", words)
            else:
                yield Change(start, end, "", words)

    def _operands(self, node: ast.expr, joint: type[ast.operator]) -> Iterator[ast.expr]:
        if isinstance(node, ast.BinOp) and type(node.op) is joint:
            self.inner.add(node)
            yield from self._operands(node.left, joint)
            yield from self._operands(node.right, joint)
        else:
            yield node

    def _add_parentheses(self, start: int, end: int) -> tuple[int, int]:
        """The span with the parentheses right around it."""
        before, after = self.source[:start].rstrip(), self.source[end:].lstrip()
        if before.endswith("(") and after.startswith(")"):
            return self._add_parentheses(len(before) - 1, len(self.source) - len(after) + 1)
        return start, end

    def _start(self, node: Any) -> int:
        offset: int = self.line_starts[node.lineno - 1] + node.col_offset
        return offset

    def _end(self, node: Any) -> int:
        offset: int = self.line_starts[node.end_lineno - 1] + node.end_col_offset
        return offset

    def _text(self, node: ast.AST) -> str:
        start, end = self._start(node), self._end(node)
        if isinstance(node, ast.BinOp | ast.Compare):
            start, end = self._add_parentheses(start, end)
        return self.source[start:end]


def find_difference(mutant: Mutant, most_states: int = 12_000) -> str | None:
    """Return the first difference of the mutant at small constants, the smallest first; None if there is
    none."""
    found = (
        find_difference_at(mutant, spec, known) for spec, known in _configurations(mutant.module, most_states)
    )
    return next((difference for difference in found if difference is not None), None)


def find_difference_at(mutant: Mutant, spec: str, constants: Constants) -> str | None:
    """Return a difference of the mutant in this spec at these constants; None if there is none."""
    original = _original(spec, constants)
    try:
        model = build(mutant_protocol(spec, mutant)(dict(constants)))
    except (DefinitionError, SortError) as error:
        return f"refused: {error}"
    difference = _difference(explore(model, max_states=20 * original.distinct_states), original)
    return difference and f"{spec} {tuple(value for _, value in constants)}: {difference}"


def _difference(found: Exploration, original: Exploration) -> str | None:
    for name in sorted({*found.steps, *original.steps}):
        steps, known = found.steps.get(name), original.steps.get(name)
        if steps != known:
            return f"{name} {_verdict(steps)}, not {_verdict(known)}"
    if (found.distinct_states, found.depth) != (original.distinct_states, original.depth):
        words = f"{found.distinct_states} states in {found.depth} steps"
        return f"{words}, not {original.distinct_states} in {original.depth}"
    for name, times in original.taken.items():
        if found.taken.get(name, 0) != times:
            return f"{name} is possible {found.taken.get(name, 0)} times, not {times}"
    return None


def _verdict(steps: int | None) -> str:
    return "holds" if steps is None else f"violated in {steps}"


@cache
def _configurations(module: str, most_states: int) -> list[tuple[str, Constants]]:
    """The specs to try and small constants: measured ones, and one with more records than a log holds."""
    sizes: dict[tuple[str, Constants], int] = {}
    for spec in CHECKED_BY[module]:
        for known in expectations(spec):
            if known.distinct_states is not None and known.distinct_states < most_states:
                sizes[spec, tuple(known.constants.items())] = known.distinct_states
        if spec != "kafka-async-isr":
            sizes[spec, tuple(MORE_RECORDS.items())] = 2_000
    return sorted(sizes, key=lambda configuration: sizes[configuration])


@cache
def _original(spec: str, constants: Constants) -> Exploration:
    """Explore the unchanged protocol. Its measurements, if any, agree."""
    return explore(build(registry.load(spec)(dict(constants))))


def mutant_protocol(spec: str, mutant: Mutant) -> type[Protocol]:
    """The built-in protocol with the mutant in place of the module that it changes."""
    module = ModuleType(f"{PACKAGE}.{mutant.module}")
    with _fresh_modules():
        sys.modules[module.__name__] = module
        vars(module).update(forall=forall, exists=exists)
        exec(compile(mutant.source, module.__name__, "exec"), vars(module))
        return registry.load(spec)


@contextmanager
def _fresh_modules() -> Iterator[None]:
    """Forget the family's modules that are imported meanwhile."""
    kept = {name: module for name, module in sys.modules.items() if name.startswith(f"{PACKAGE}.")}
    for name in kept:
        del sys.modules[name]
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name.startswith(f"{PACKAGE}.")]:
            del sys.modules[name]
        sys.modules.update(kept)


if __name__ == "__main__":
    for candidate in mutants():
        print(f"{candidate.name}\n    {find_difference(candidate) or 'NOT NOTICED'}", flush=True)
