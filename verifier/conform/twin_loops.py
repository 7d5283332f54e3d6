r"""Loops over renamed sets that take few of the names that may be exchanged in a state.

If an exchange of two names leaves a state the same, it maps the steps from that state to each other. So of
names that may all be exchanged, a loop takes the first ones only: as many as loops over that set are nested.
A step with other names is the image of one with these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression
from verifier.tla.drawing import Draw
from verifier.tla.facts import subexpressions
from verifier.tla.frames import Undefined
from verifier.tla.specification import Specification
from verifier.tla.value_types import ModelValue, NoValue, Value

_ALL = 1_000


class TwinDraw(Draw):
    """Takes the first names of each kind. It has the kinds of the names in the state whose steps are
    sought."""

    def __init__(self, nested: int) -> None:
        super().__init__()
        self.most = _ALL  # it is asked for each row; no member with a successor is counted
        self.nested = nested
        self.twins: Mapping[ModelValue, int] = {}

    def mix(self, row: Iterable[Value]) -> list[Value]:
        """Return some of the members, in order."""
        counts, taken = Counter[int](), list[Value]()
        for one in row:
            kind = self.twins.get(one) if type(one) is ModelValue else None
            if kind is not None:
                counts[kind] += 1
            if kind is None or counts[kind] <= self.nested:
                taken.append(one)
        return taken


def count_nested(spec: Specification, groups: Sequence[Sequence[ModelValue]]) -> int:
    r"""Return a number that loops over the names of one set, each inside of another, do not exceed. Of two
    conjuncts, the second one is inside of the loops of the first."""
    assert spec.next is not None
    return max(_Count(spec, frozenset(group)).most(spec.next.body, spec.next.module) for group in groups)


class _Count:
    def __init__(self, spec: Specification, names: frozenset[ModelValue]) -> None:
        self.evaluator, self.names = spec.evaluator, names
        self.definitions: dict[Definition, int] = {}

    def most(self, whole: Expression, module: str) -> int:
        """Return the most loops around one place of an expression, and before it."""
        parts = [whole.body] if isinstance(whole, ast.Let) else subexpressions(whole)[0]
        counts = [self.most(part, module) for part in parts]
        if isinstance(whole, ast.Junction) and not whole.conjunction:
            return max(counts, default=0)
        count = sum(counts)
        if count and not _is_walked_once(whole):
            return _ALL
        if isinstance(whole, ast.Quantifier):
            count += sum(len(one.names) * self._is_over_names(one.domain, module) for one in whole.bindings)
        if isinstance(whole, ast.Apply | ast.OperatorArgument):
            symbol = self.evaluator.resolve(whole.operator, module) or whole.operator
            if isinstance(symbol, Definition) and symbol.body is not None:
                if symbol not in self.definitions:
                    count_of = self._count_of_recursive if symbol.recursive else self._count_of
                    self.definitions[symbol] = count_of(symbol)
                count += self.definitions[symbol]
        return min(count, _ALL)

    def _count_of(self, symbol: Definition) -> int:
        assert symbol.body is not None
        return self.most(symbol.body, symbol.module)

    def _count_of_recursive(self, symbol: Definition) -> int:
        """Return no limit if any loop over names is reached from a recursive definition."""
        seen, waiting = {symbol}, [symbol]
        while waiting:
            one = waiting.pop()
            parts = [(one.body, one.module)]
            while parts:
                whole, module = parts.pop()
                if whole is None:
                    continue
                parts += [(part, module) for part in subexpressions(whole)[0]]
                if isinstance(whole, ast.Let):
                    parts += [(whole.body, module), *((inner.body, module) for inner in whole.definitions)]
                domains = [one.domain for one in whole.bindings] if isinstance(whole, ast.Quantifier) else []
                if any(self._is_over_names(domain, module) for domain in domains):
                    return _ALL
                if isinstance(whole, ast.Apply | ast.OperatorArgument):
                    called = self.evaluator.resolve(whole.operator, module) or whole.operator
                    if isinstance(called, Definition) and called not in seen:
                        seen.add(called)
                        waiting.append(called)
        return 0

    def _is_over_names(self, domain: Expression, module: str) -> bool:
        """True if a set may be one whose loop takes some names only."""
        if not self.evaluator.analysis.of(domain, module).fixed:
            return False
        try:
            found = self.evaluator.compile_value(domain, module)()
        except (Undefined, NoValue, RecursionError):
            return False
        return type(found) is not frozenset or not self.names.isdisjoint(found)


def _is_walked_once(whole: Expression) -> bool:
    r"""True if each part of an expression is walked at most once on a way through it. An argument, the body
    of a function, and that of ``\A`` may be walked several times."""
    if isinstance(whole, ast.Quantifier):
        return not whole.universal
    return isinstance(whole, ast.Junction | ast.If | ast.Case | ast.Let | ast.Step)
