"""TLA+ modules as the search over logs sees them: the interpreter computes the steps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from contextlib import suppress
from typing import Any

from verifier.conform.coverage import Part
from verifier.conform.machine import Fits, Parameters, TooManyInitial, agree_in_pairs, pair_off
from verifier.conform.module_parts import GuardParts
from verifier.conform.near_failures import NearFailures
from verifier.conform.outcome import Obstacle, as_obstacle
from verifier.errors import UsageError
from verifier.processes.limits import Interrupted
from verifier.runs.modules.loading import TlaLoaded, evaluate_or_refuse
from verifier.tla.blocked import find_blocked
from verifier.tla.explaining import false_parts
from verifier.tla.exploration_result import State, Taken
from verifier.tla.explorer import Explorer
from verifier.tla.frames import UNSET
from verifier.tla.naming import actions
from verifier.tla.order import text
from verifier.tla.parameters import find_taken_action
from verifier.tla.specification import Specification
from verifier.tla.translate.sampling import Stepper
from verifier.tla.value_types import Boolean, Fn, ModelValue, Value
from verifier.tla.values import materialize, pairs_of

_AS_TRACE_MODULE = "write it as a module that reads its log"
_MOST_INITIAL = 200_000
"""The limit of initial states that are listed: the first event may say which they are."""
_TITLE = re.compile(r"([^(]+)(?:\((.*)\))?")


class ModuleMachine:
    """A TLA+ module at the constants of its configuration."""

    is_symbolic = True

    def __init__(self, module: TlaLoaded) -> None:
        self.module, self.spec = module, module.specification
        if self.spec.next is None:
            raise UsageError(f"{self.spec.module.name} has no Next, so that no log has an execution")
        self.next = self.spec.next
        _refuse_search(self.spec)
        titles = [match for match in map(_TITLE.fullmatch, actions(self.spec)) if match]
        self.actions: Mapping[str, tuple[str, ...]] = {
            one[1]: tuple(filter(None, (one[2] or "").split(", "))) for one in titles
        }
        self.variables = tuple(variable.name for variable in self.spec.variables)
        evaluator = self.spec.evaluator
        self._tests = {
            name: evaluator.compile_truth(formula.body, formula.module)
            for name, formula in self.spec.invariants.items()
            if not evaluator.analysis.of(formula.body, formula.module).changing
        }
        self.invariants = tuple(self._tests)
        self._explorer = Explorer(self.spec, properties=(), max_depth=0, by_columns=False)
        evaluate_or_refuse(self._explorer.assume)
        self._stepper = Stepper(self.spec)
        self._parts = GuardParts(self.spec)
        self._near = NearFailures(self.spec)
        self._steps: dict[State, list[tuple[State, Taken]]] = {}

    def initial(self, most: int | None = None) -> list[State]:
        """Return the initial states. Raises TooManyInitial if they are too many to list."""
        explorer = self._explorer
        if not explorer.states:
            explorer.max_states = _MOST_INITIAL
            with suppress(Interrupted):
                evaluate_or_refuse(explorer.explore)
        if len(explorer.states) >= _MOST_INITIAL:
            raise TooManyInitial(f"more than {_MOST_INITIAL:,} initial states")
        return list(explorer.states)

    def holds(self, state: State, invariant: str) -> bool:
        """True if a state satisfies an invariant. Raises UsageError if it has no value."""
        evaluator = self.spec.evaluator
        evaluator.now[:], evaluator.next[:] = state, [UNSET] * len(state)
        return evaluate_or_refuse(self._tests[invariant])

    def steps(self, state: State, action: str, fits: Fits) -> Iterator[tuple[Parameters, State]]:
        """Yield the steps of an action whose parameters fit."""
        if state not in self._steps:
            if len(self._steps) > 1000:
                self._steps.clear()
            self._steps[state] = evaluate_or_refuse(lambda: self._all_steps(state))
        for after, one in self._steps[state]:
            if one.name == action and fits(one.parameters):
                yield one.parameters, after

    def _all_steps(self, state: State) -> list[tuple[State, Taken]]:
        stepper = self._stepper
        stepper.arrive(0)
        if not stepper.within(state):
            return []
        return [one for one in stepper.take_steps(state) if stepper.goes_on(state, one[0])]

    def value(self, state: State, variable: str) -> Value:
        """Return the value of a variable."""
        return state[self.variables.index(variable)]

    def part(self, value: Value, key: Any) -> Value:
        """Return the value of a function or sequence at a key. Raises KeyError."""
        value = materialize(value)
        pairs = dict(enumerate(value, 1)) if type(value) is tuple else value
        if isinstance(pairs, dict):
            for own, item in pairs.items():
                if self.agrees(own, key):
                    return item
        raise KeyError(key)

    def agrees(self, value: Value, written: Any) -> bool:
        """True if a value is the one that a log writes as JSON. A set is written as an array."""
        value = materialize(value)
        match written:
            case bool():
                return type(value) is Boolean and value.truth is written
            case int() | float():
                return type(value) is int and value == written
            case str():
                return (value.name if type(value) is ModelValue else value) == written
            case list() if type(value) is tuple:
                return len(value) == len(written) and all(map(self.agrees, value, written))
            case list() if type(value) is frozenset:
                return pair_off(value, written, self.agrees) is not None
            case {"#map": pairs} if type(value) in (Fn, tuple):
                return agree_in_pairs(pairs_of(value).items(), pairs, self.agrees)
            case dict() if type(value) in (Fn, tuple):
                return self._agrees_with_object(value, written)
        return False

    def _agrees_with_object(self, value: Value, written: Mapping[str, Any]) -> bool:
        pairs = dict(enumerate(value, 1)) if type(value) is tuple else value
        named = {str(key): item for key, item in pairs.items()}
        same = named.keys() == written.keys()
        return same and all(self.agrees(item, written[name]) for name, item in named.items())

    def show(self, value: Value) -> str:
        """Return a value in TLA+ syntax."""
        return text(materialize(value), self.spec.evaluator.order)

    def parts(self, action: str) -> list[Part]:
        """Return the disjuncts of an action's guard, and its conditions with both values."""
        return self._parts.of(action)

    def true_parts(self, state: State, action: str, given: Parameters) -> list[Part]:
        """Return the parts that are true in a step. A part without a value is not."""
        return self._parts.true_in(state, action, given)

    @property
    def unknown(self) -> Set[Part]:
        """The conjuncts of which ``near_failures`` could not say all: what stands after them has no value."""
        return self._near.unknown

    def conjuncts(self, action: str) -> list[Part]:
        """Return the conjuncts of an action's guard."""
        return self._near.of(action)

    def near_failures(self, state: State, action: str) -> Iterator[tuple[Part, list[State]]]:
        """Yield the conjuncts that alone are false in a state, with the states to which the steps without
        them lead."""
        self._stepper.arrive(0)
        if self._stepper.within(state):
            yield from self._near.near(state, action)

    def explain_invariant(self, state: State, invariant: str) -> list[Obstacle]:
        """Return the smallest false parts of an invariant that is false in a state."""
        return [
            Obstacle(invariant, 0, one.formula, str(one.place), tuple(dict((*one.bound, *one.reads)).items()))
            for one in false_parts(self.spec, [self.spec.invariants[invariant]], state)
        ]

    def explain_obstacles(self, state: State, action: str, fits: Fits) -> list[Obstacle]:
        """Return why no step of an action fits in a state, the nearest way first."""
        walker = self.spec.evaluator.actions

        def allows() -> bool:
            one = find_taken_action(walker)
            return one.name != action or fits(one.parameters)

        self._stepper.arrive(0)
        blocked = find_blocked(self.spec, self.next, state, allows)
        return [as_obstacle(one) for one in blocked if action in one.action.split(" / ")]


def _refuse_search(spec: Specification) -> None:
    """Raise UsageError for a formula whose value depends on a search or on chance, such as a constraint with
    ``TLCGet("level")``: a log has no search."""
    for formula in (*spec.init, spec.next, *spec.constraints, *spec.action_constraints):
        if formula is not None and spec.evaluator.analysis.of(formula.body, formula.module).changing:
            words = "this depends on a search or on chance, and a log has neither"
            raise UsageError(f"{formula.body.place}: {words}: {_AS_TRACE_MODULE}")
