"""The disjuncts of guards in TLA+ actions, and the conditions of IF, as coverage counts them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from verifier.conform.coverage import Part
from verifier.conform.next_places import make_part
from verifier.tla import ast
from verifier.tla.ast import Definition, Expression, Parameter
from verifier.tla.exploration_result import State
from verifier.tla.facts import STATE
from verifier.tla.frames import UNSET, Frame, Undefined, Unit
from verifier.tla.specification import Specification
from verifier.tla.value_types import NoValue, Value


@dataclass(frozen=True)
class _Tested:
    part: Part
    wanted: bool
    unit: Unit
    parameters: tuple[Parameter, ...]
    test: Callable[[Frame], bool]


class GuardParts:
    """The parts of guards of a module's actions, each compiled once."""

    def __init__(self, spec: Specification) -> None:
        self.spec = spec
        self._known: dict[str, list[_Tested]] = {}

    def of(self, action: str) -> list[Part]:
        """Return the parts of an action."""
        return [one.part for one in self._test_parts(action)]

    def true_in(self, state: State, action: str, given: Mapping[str, Value]) -> list[Part]:
        """Return the parts that are true in a step from a state."""
        evaluator, parts = self.spec.evaluator, list[Part]()
        evaluator.now[:], evaluator.next[:] = state, [UNSET] * len(state)
        for one in self._test_parts(action):
            frame = one.unit.frame()
            if any(parameter.name not in given for parameter in one.parameters):
                continue
            for parameter in one.parameters:
                frame[one.unit.slot(parameter)] = given[parameter.name]
            try:
                if one.test(frame) is one.wanted:
                    parts.append(one.part)
            except (Undefined, NoValue):
                continue
        return parts

    def _test_parts(self, action: str) -> list[_Tested]:
        if action not in self._known:
            symbol = self.spec.module.names.get(action)
            body = symbol.body if isinstance(symbol, Definition) else None
            made = [] if body is None else list(self._parts(action, body, symbol))  # type: ignore[arg-type]
            self._known[action] = made
        return self._known[action]

    def _parts(self, action: str, whole: Expression, of: Definition) -> Iterator[_Tested]:
        match whole:
            case ast.Junction() if not whole.conjunction:
                for item in whole.items:
                    yield from self._make_parts(action, item, of, wanted=True)
                    yield from self._parts(action, item, of)
            case ast.Junction():
                for item in whole.items:
                    yield from self._parts(action, item, of)
            case ast.If():
                for wanted in (True, False):
                    yield from self._make_parts(action, whole.condition, of, wanted=wanted, condition=True)
                yield from self._parts(action, whole.then, of)
                yield from self._parts(action, whole.otherwise, of)

    def _make_parts(
        self, action: str, whole: Expression, of: Definition, *, wanted: bool, condition: bool = False
    ) -> Iterator[_Tested]:
        """Yield a part that is a formula of a state, the action's parameters and nothing else."""
        evaluator, unit = self.spec.evaluator, Unit(of.module)
        facts = evaluator.analysis.of(whole, of.module)
        own = tuple(one for one in of.parameters if one in facts.free)
        if (
            facts.level > STATE
            or facts.changing
            or len(own) < len(facts.free)
            or any(one.arity for one in own)
        ):
            return
        words = (" is true" if wanted else " is false") if condition else ""
        for parameter in own:
            unit.slot(parameter)
        yield _Tested(make_part(action, whole, words), wanted, unit, own, evaluator.truth(whole, unit))
