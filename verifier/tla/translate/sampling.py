"""States of a specification, found by the interpreter, from which sorts are guessed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import inf
from random import Random

from verifier.processes.limits import Interrupted
from verifier.tla import ast
from verifier.tla.ast import Builtin, Definition
from verifier.tla.explorer import Explorer
from verifier.tla.found import State
from verifier.tla.frames import UNSET, Undefined
from verifier.tla.specification import Formula, Specification
from verifier.tla.translate.set_shapes import add_members
from verifier.tla.translate.shapes import NoShape, Shape
from verifier.tla.values import NoValue, listed

MOST_SAMPLED = 2_000
MOST_SAMPLED_WIDELY, MOST_GENERATED_WIDELY = 8_000, 40_000
"""Of a module that is explored: what has no more states is explored by the interpreter."""
MOST_INITIAL = 50_000
_WALKS, _STEPS = 30, 60
"""Random walks beyond the first states."""


@dataclass
class Sample:
    """States that are reachable."""

    states: list[State]
    initial: list[State]
    complete: bool
    """Whether these are all states."""
    ways: int | None = None
    """In how many ways Init is true, as TLC counts them; None if that is not known."""
    generated: tuple[int, ...] = ()
    """How many states were generated when all states of a depth had been looked at, for depths 0, 1, …"""


def sample(
    specification: Specification,
    most: int = MOST_SAMPLED,
    most_generated: float = inf,
    depth: int | None = None,
) -> Sample:
    """The first states, breadth first: so many, or until so many were generated; and some beyond, at most
    ``depth`` steps, where no longer executions matter. Raises Undefined if one has no value somewhere."""
    plain = replace(specification, symmetry=[], view=None)
    explorer = Explorer(plain, properties=(), keep_going=True, max_states=MOST_INITIAL)
    explorer.assume()
    complete = False
    began, ways = 0, None
    generated: list[int] = []

    def stop(found: Explorer) -> None:
        if len(found.states) > most and began:
            raise Interrupted("enough")

    explorer.enforce = stop
    try:
        explorer._initial()
        began, ways = len(explorer.states), explorer.found.generated
        if specification.next is not None:
            walk = explorer._walker(specification.next, primed=False)
            number, end = 0, began
            while number < len(explorer.states):
                if number == end:
                    end = len(explorer.states)
                    generated.append(explorer.found.generated)
                if len(explorer.states) > most or explorer.found.generated > most_generated:
                    raise Interrupted("enough")
                explorer._expand(number, walk)
                number += 1
        complete = True
    except Interrupted:
        if not began:
            raise
    except Undefined:
        pass
    states = list(explorer.states)
    if not complete and states and specification.next is not None:
        steps = _STEPS if depth is None else max(min(_STEPS, depth), 1)
        states += Stepper(specification).strolls(states[-50:], _WALKS, steps)
    return Sample(states, list(explorer.states[:began]), complete, ways, tuple(generated))


class Stepper:
    """Finds successors of single states."""

    def __init__(self, specification: Specification) -> None:
        plain = replace(specification, symmetry=[], view=None)
        self.explorer = Explorer(plain, properties=(), keep_going=True)
        self.evaluator = specification.evaluator
        assert specification.next is not None
        self.walk = self.explorer._walker(specification.next, primed=False)

    def within(self, state: State) -> bool:
        """Whether the constraints let steps begin in a state."""
        self.evaluator.now[:] = state
        return all(test() for test in self.explorer.constraints)

    def successors(self, state: State) -> list[State]:
        """All successors of a state. Raises Undefined."""
        found: list[State] = []
        self._visit(state, found.append)
        return found

    def actions(self, state: State, following: State) -> list[str]:
        """The names of the actions that lead from a state to another one. Raises Undefined."""
        found: dict[str, None] = {}

        def compare(reached: State) -> None:
            if reached == following:
                action = self.evaluator.actions.action
                found["Next" if action is None else action.shown] = None

        self.evaluator.actions.action = None
        self._visit(state, compare)
        return list(found)

    def _visit(self, state: State, visit: Callable[[State], None]) -> None:
        """Each way to take a step, with the state that it leads to."""
        self.evaluator.now[:] = state
        self.evaluator.next[:] = [UNSET] * len(state)
        self.walk(lambda: visit(tuple(listed(value) for value in self.explorer._captured("Next"))))

    def strolls(self, start: list[State], count: int, steps: int) -> list[State]:
        """States on random walks; always the same ones."""
        chance = Random(0)
        found: dict[State, None] = {}
        for _ in range(count):
            state = chance.choice(start)
            for _ in range(steps):
                try:
                    following = self.successors(state) if self.within(state) else []
                except Undefined:
                    break
                if not following:
                    break
                state = chance.choice(following)
                found[state] = None
        return list(found)


def bounds_of_types(specification: Specification, shapes: dict[str, Shape]) -> None:
    """Adds the sets that invariants say variables are in, where they are finite."""
    for formula in specification.invariants.values():
        for variable, of in _memberships(specification, formula, ()):
            wider = Shape()
            try:
                wider.merge(shapes[variable.name])
                add_members(wider, specification.evaluator.compiled(of.body, of.module)())
            except (NoShape, NoValue, Undefined):
                continue
            shapes[variable.name] = wider


def _memberships(
    specification: Specification, formula: Formula, seen: tuple[Definition, ...]
) -> Iterable[tuple[ast.Variable, Formula]]:
    body, evaluator = formula.body, specification.evaluator
    if isinstance(body, ast.Junction) and body.conjunction:
        for item in body.items:
            yield from _memberships(specification, Formula(item, formula.module), seen)
    if not isinstance(body, ast.Apply):
        return
    symbol = evaluator.resolve(body.operator, formula.module) or body.operator
    if (
        isinstance(symbol, Definition)
        and not body.arguments
        and symbol.body is not None
        and symbol not in seen
    ):
        yield from _memberships(specification, Formula(symbol.body, symbol.module), (*seen, symbol))
    elif isinstance(symbol, Builtin) and symbol.name == "\\in":
        left, right = body.arguments
        known = evaluator.is_constant(right, formula.module)
        if known and isinstance(left, ast.Apply) and isinstance(left.operator, ast.Variable):
            yield left.operator, Formula(right, formula.module)
