r"""Properties ``[](A => []B)`` that read numbers of the search, such as ``TLCGet("queue")``.

In modules that validate traces, TLC evaluates B in a state once all successors of that state are known. The
property fails if A holds in a state and B in no state that follows it, or in the state itself.
"""

from __future__ import annotations

from collections.abc import Iterable

from verifier.tla import ast
from verifier.tla.checks import Test
from verifier.tla.explorer import Explorer
from verifier.tla.facts import STATE
from verifier.tla.specification import Specification
from verifier.tla.splitting import Formula


class LastingProperty:
    """A property ``[](A => []B)``, evaluated in each state once its successors are known."""

    def __init__(self, name: str, begins: Test, lasts: Test) -> None:
        self.name, self.begins, self.lasts = name, begins, lasts
        self.fails: set[int] = set()
        """The states in which B is false."""
        self.begun: set[int] = set()
        """The states in which A is true."""


class AfterExpansion:
    """Evaluates properties after the expansion of each state."""

    def __init__(self, explorer: Explorer, properties: Iterable[LastingProperty]) -> None:
        self.explorer, self.properties = explorer, list(properties)
        self.steps: dict[int, list[int]] = {}
        if self.properties:
            explorer.follow = self._follow
            explorer.after = self._evaluate

    def _follow(self, number: int, other: int) -> None:
        self.steps.setdefault(number, []).append(other)

    def _evaluate(self, number: int) -> None:
        self.explorer.evaluator.now[:] = self.explorer.states[number]
        for one in self.properties:
            if one.begins():
                one.begun.add(number)
            if not one.lasts():
                one.fails.add(number)

    def find_violated(self) -> list[str]:
        """Return the names of the properties that fail in the explored states."""
        return [one.name for one in self.properties if one.fails & self._find_reached(one.begun)]

    def _find_reached(self, begun: set[int]) -> set[int]:
        reached, waiting = set(begun), list(begun)
        while waiting:
            for other in self.steps.get(waiting.pop(), ()):
                if other not in reached:
                    reached.add(other)
                    waiting.append(other)
        return reached


def find_lasting(spec: Specification, name: str) -> list[LastingProperty] | None:
    """Return the parts of a property of this form; None if a part of it has another form."""
    lasting = []
    for part in spec.properties[name].liveness:
        match part.body:
            case ast.Temporal(kind="[]", items=(ast.Apply(ast.Builtin(name="=>"), (begins, later)),)):
                if not isinstance(later, ast.Temporal) or later.kind != "[]":
                    return None
                formulas = [Formula(one, part.module) for one in (begins, later.items[0])]
            case _:
                return None
        facts = [spec.evaluator.analysis.of(one.body, one.module) for one in formulas]
        if any(one.level > STATE for one in facts):
            return None
        tests = [spec.evaluator.compile_truth(one.body, one.module) for one in formulas]
        lasting.append(LastingProperty(name, *tests))
    return lasting
