"""Breadth-first exploration by the interpreter, with TLC's counts.

States beyond a constraint are checked, but neither counted nor expanded. With a view, states of equal views
are one; with symmetry, states that a permutation turns into each other are.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from verifier.processes.limits import Interrupted
from verifier.tla.ast import Definition, Step
from verifier.tla.automorphisms import asymmetry, permutations
from verifier.tla.conjuncts import remembering
from verifier.tla.errors import Place, TlaError
from verifier.tla.found import Found, State, Violation
from verifier.tla.frames import UNSET, Undefined, Unit
from verifier.tla.orbits import Orbits
from verifier.tla.retracing import Walk, action_between, has_a_step
from verifier.tla.specification import Formula, Specification
from verifier.tla.symmetry import Asymmetric, Symmetry
from verifier.tla.values import Boolean, Fn, ModelValue, NoValue, Value, listed

DEADLOCK = "NoDeadlock"
_BETWEEN_CHECKS = 128
"""So many states are looked at or generated before the limits are looked at again."""


class Explorer:
    """Explores a specification."""

    def __init__(
        self,
        specification: Specification,
        *,
        properties: tuple[str, ...],
        keep_going: bool = False,
        first: bool = False,
        max_states: int | None = None,
        max_depth: int | None = None,
        enforce: Callable[[Explorer], None] = lambda explorer: None,
    ) -> None:
        self.specification, self.evaluator = specification, specification.evaluator
        self.properties, self.keep_going, self.first = properties, keep_going, first
        """``first``: the search ends once all states as deep as a violation were looked at."""
        self.max_states, self.max_depth, self.enforce = max_states, max_depth, enforce
        self.asymmetric: str | None = None
        """Why the permutations of the configuration are not used."""
        self._start()
        self.names = [variable.name for variable in specification.variables]
        self.plain: tuple[type, ...] = (int, str, frozenset, tuple, Fn, Boolean, ModelValue)
        self._prepare()

    def _start(self) -> None:
        self.found = Found()
        self.states: list[State] = []
        self.parents: list[int] = []
        self.seen: dict[Any, int] = {}
        self.shared: dict[Value, Value] = {}
        self.level = 0
        self.current = -1
        self.depths: dict[str, int] = {}
        """Of each property that is violated, the depth of the state that does, or from which a step does."""

    def _prepare(self) -> None:
        asked, spec, evaluator = set(self.properties), self.specification, self.evaluator

        def test(formula: Formula) -> Callable[[], bool]:
            return evaluator.compiled_truth(formula.body, formula.module)

        self.invariants = [(n, remembering(evaluator, f)) for n, f in spec.invariants.items() if n in asked]
        self.initially: list[tuple[str, Callable[[], bool]]] = []
        self.steps: list[tuple[str, Callable[[], bool]]] = []
        for name, safety in spec.properties.items():
            if name in asked:
                self.invariants += [(name, remembering(evaluator, f)) for f in safety.always]
                self.initially += [(name, test(formula)) for formula in safety.initially]
                self.steps += [(name, test(formula)) for formula in safety.steps]
        self.constraints = [test(formula) for formula in spec.constraints]
        self.action_constraints = [test(formula) for formula in spec.action_constraints]
        self.view = evaluator.compiled(spec.view.body, spec.view.module) if spec.view is not None else None
        self.orbits: Orbits | None = None
        self._permuted = False
        self.looks_for_deadlocks = DEADLOCK in asked
        evaluator.answers = self._answers()
        self.began = time.monotonic()

    def _answers(self) -> dict[str, Callable[[], Value]]:
        """What TLCGet answers."""
        return {
            "config": lambda: Fn({"mode": "bfs", "worker": 1, "depth": -1, "seed": 0, "traces": -1}),
            "level": lambda: self.level + 1,
            "distinct": lambda: self.found.distinct,
            "generated": lambda: self.found.generated,
            "diameter": lambda: self.level + 1,
            "queue": lambda: len(self.states) - self.current - 1,
            "duration": lambda: int(time.monotonic() - self.began),
        }

    # -- symmetry

    def permute(self) -> Symmetry | None:
        """Uses the permutations of the configuration, if the formulas do not tell them apart.

        First of all that is evaluated, since what is remembered must be watched.
        """
        if not self._permuted:
            self._permute()
        return self.evaluator.symmetry if self.orbits is not None else None

    def _permute(self) -> None:
        spec, asked, self._permuted = self.specification, set(self.properties), True
        if not spec.symmetry:  # what another search watches goes on to be watched
            return
        self.evaluator.symmetry = None
        group = permutations(spec)
        if not group:
            return
        parts = [safety for name, safety in spec.properties.items() if name in asked]
        formulas = [
            *spec.init, *filter(None, (spec.next, spec.view)), *spec.constraints, *spec.action_constraints,
            *(formula for name, formula in spec.invariants.items() if name in asked),
            *(formula for part in parts for formula in (*part.initially, *part.always, *part.steps)),
        ]  # fmt: skip
        self.asymmetric = asymmetry(spec, formulas, group)
        if self.asymmetric is None:
            self.evaluator.symmetry = symmetry = Symmetry(group, self.evaluator.order)
            self.orbits = Orbits(symmetry.renamings)

    def _without_symmetry(self, reason: Asymmetric) -> None:
        """Begins anew without permutations. Raises Asymmetric where they are another search's: it uses them
        for more than this one, and goes by what is watched."""
        if not self.specification.symmetry:
            raise reason
        self.asymmetric, self.orbits, self.evaluator.symmetry = str(reason), None, None
        self._start()

    # -- assumptions

    def assume(self) -> None:
        """Evaluates the ASSUMEs, before anything else. Raises TlaError for one that is false."""
        self.permute()
        for assumption in self.specification.module.assumptions:
            if self.evaluator.analysis.of(assumption.body, self.specification.module.name).reads:
                words = "an assumption speaks of constants only, and this one reads a variable"
                raise TlaError(assumption.body.place, words)
            test = self.evaluator.compiled_truth(assumption.body, self.specification.module.name)
            try:
                held = test()
            except Asymmetric as reason:
                self._without_symmetry(reason)
                held = test()
            if not held:
                name = f" {assumption.name}" if assumption.name else ""
                raise TlaError(assumption.body.place, f"the assumption{name} is false at these constants")

    # -- the search

    def explore(self) -> None:
        """Explores until all is seen, or all that is asked for is decided, or the limits end it.

        Begins anew without permutations if they turn out to change more than names.
        """
        self.permute()
        try:
            self._explore()
        except Asymmetric as reason:
            self._without_symmetry(reason)
            self._explore()

    def _explore(self) -> None:
        if self.specification.next is None:
            self.found.complete, self.found.closed = True, 0
            return
        self._initial()
        found, end, first = self.found, len(self.states), 0
        walk = self._walker(self.specification.next, primed=False)
        while True:
            if end > first:
                found.depth = self.level
                found.levels.append(end - first)
            if self._decided():
                break
            if self.level == self.max_depth:
                found.complete = False
                if self.looks_for_deadlocks:
                    self._look_for_deadlocks(range(first, end), walk)
                found.closed = self.level
                break
            for number in range(first, end):
                self.current = number
                self._expand(number, walk)
                if self._decided():
                    found.waiting = len(self.states) - number - 1
                    return
            found.closed = self.level
            if len(self.states) == end:
                found.complete = True
                break
            if self.first and min(self.depths.values(), default=self.level + 1) <= self.level:
                self._forget_deeper()
                break
            first, end, self.level = end, len(self.states), self.level + 1
        found.waiting = len(self.states) - self.current - 1

    def _decided(self) -> bool:
        asked = set(self.properties)
        ends = not (self.keep_going or self.first)
        return bool(asked) and ends and self.found.violations.keys() >= asked

    def _forget_deeper(self) -> None:
        """Forgets what states violate that follow the level at hand: not all of them were looked at."""
        kept = {name: one for name, one in self.found.violations.items() if self.depths[name] <= self.level}
        self.found.violations = kept

    def _walker(
        self, formula: Formula, *, primed: bool, later: bool = False
    ) -> Walk:
        """The walk over a formula; ``later``: it follows another one."""
        body = formula.body
        unit = Unit(formula.module)
        if isinstance(body, Step):
            body = body.action
        walk = self.evaluator.actions.walk(body, unit, primed, top=True)
        if later:
            walk = self.evaluator.actions.settled(walk, body, unit, primed)

        def walked(follow: Callable[[], None]) -> None:
            try:
                walk(unit.frame(), follow)
            except NoValue as error:
                raise Undefined(self._action_place(), str(error)) from None

        return walked

    def _initial(self) -> None:
        found, now, following = self.found, self.evaluator.now, self.evaluator.next

        def add() -> None:
            if found.generated % _BETWEEN_CHECKS == 0:
                self.enforce(self)
            state = self._captured("Init")
            assigned = following[:]
            now[:] = state
            following[:] = [UNSET] * len(following)
            found.generated += 1
            within = all(test() for test in self.constraints)
            new, number = self._add(state, -1) if within else (True, -1)
            if new:
                self._check(state, number, -1, self.initially)
                self._check(state, number, -1, self.invariants)
            found.beyond += not within
            found.initial = len(self.states)
            now[:], following[:] = [UNSET] * len(now), assigned

        self._walk_initial(add)

    def _walk_initial(self, add: Callable[[], None]) -> None:
        formulas = self.specification.init
        walks = [self._walker(f, primed=True, later=number > 0) for number, f in enumerate(formulas)]
        following = self.evaluator.next

        def at(index: int) -> None:
            if index == len(walks):
                add()
            else:
                walks[index](lambda: at(index + 1))

        following[:] = [UNSET] * len(following)
        at(0)
        following[:] = [UNSET] * len(following)

    def _captured(self, what: str) -> State:
        """The next state, all of whose variables must have a value."""
        made, plain = tuple(self.evaluator.next), True
        for value in made:
            if value is UNSET:
                names = [n for n, v in zip(self.names, made, strict=True) if v is UNSET]
                raise Undefined(self._action_place(), f"{what} leaves {', '.join(names)} without a value")
            plain = plain and type(value) in self.plain
        return made if plain else tuple(self._listed(item, i) for i, item in enumerate(made))

    def _listed(self, value: Value, index: int) -> Value:
        try:
            return listed(value)
        except NoValue as error:
            raise Undefined(self._action_place(), f"{self.names[index]} gets a value: {error}") from None

    def _action_place(self) -> Place:
        action = self.evaluator.actions.action
        formula = self.specification.next
        if action is not None:
            return action.place
        return formula.body.place if formula is not None else Place(self.specification.module.file, 0, 0)

    def _add(self, state: State, parent: int) -> tuple[bool, int]:
        """Whether a state is new, and its number. The state is set in the evaluator."""
        key: Any = state if self.view is None else self.view()
        known = self.seen.get(key)
        if known is None and self.orbits is not None:
            known = self.orbits.find(key)
        if known is not None:
            return False, known
        share = self.shared.setdefault
        state = tuple([share(value, value) if type(value) is not int else value for value in state])
        number = len(self.states)
        self.seen[state if self.view is None else key] = number
        if self.orbits is not None:
            self.orbits.add(state if self.view is None else key)
        self.states.append(state)
        self.parents.append(parent)
        self.found.distinct += 1
        if self.max_states is not None and number >= self.max_states:
            raise Interrupted(f"more than {self.max_states} states")
        return True, number

    def _expand(self, number: int, walk: Walk) -> None:
        if number % _BETWEEN_CHECKS == 0:
            self.enforce(self)
        evaluator, found = self.evaluator, self.found
        now, following, walker = evaluator.now, evaluator.next, evaluator.actions
        state = self.states[number]
        now[:] = state
        following[:] = [UNSET] * len(following)
        successors: list[tuple[State, Definition | None]] = []
        next_values, keep, plain = following, successors.append, self.plain

        def add() -> None:
            made = tuple(next_values)
            for value in made:
                if type(value) not in plain and (value is UNSET or hasattr(value, "listed")):
                    made = self._captured("Next")
                    break
            keep((made, walker.action))
            if len(successors) % _BETWEEN_CHECKS == 0:
                self.enforce(self)

        walker.action = None
        walk(add)
        found.generated += len(successors)
        if not successors:
            found.deadlocks += 1
            if self.looks_for_deadlocks and DEADLOCK not in found.violations:
                self._violated(DEADLOCK, number, None)
        taken = found.taken
        for _made, action in successors:
            name = action.shown if action is not None else "Next"
            taken[name] = taken.get(name, 0) + 1
        self._take(successors, state, number)

    def _look_for_deadlocks(self, numbers: Iterable[int], walk: Walk) -> None:
        """Whether states that are not expanded have a step."""
        expanded = self.current
        for self.current in numbers:
            if self.current % _BETWEEN_CHECKS == 0:
                self.enforce(self)
            if not has_a_step(self.evaluator, walk, self.states[self.current]):
                self.found.deadlocks += 1
                if DEADLOCK not in self.found.violations:
                    self._violated(DEADLOCK, self.current, None)
        self.current = expanded

    def _take(self, successors: list[tuple[State, Definition | None]], state: State, number: int) -> None:
        now, following = self.evaluator.now, self.evaluator.next
        simple = not (self.steps or self.action_constraints or self.view or self.constraints)
        seen, steps = self.seen, dict[State, bool]()
        for made, _ in successors:
            if simple and made in seen:
                continue
            within = True
            if self.steps or self.action_constraints:
                if made not in steps:
                    now[:], following[:] = state, made
                    steps[made] = all(test() for test in self.action_constraints)
                    self._check(made, -1, number, self.steps, of_step=True)
                within = steps[made]
            now[:] = made
            following[:] = [UNSET] * len(following)
            within = within and all(test() for test in self.constraints)
            new, known = self._add(made, number) if within else (True, -1)
            if new:
                if known >= 0:
                    now[:] = self.states[known]  # the values that are kept
                self._check(made, known, number, self.invariants)
            self.found.beyond += not within

    # -- violations

    def _check(
        self,
        state: State,
        number: int,
        parent: int,
        tests: list[tuple[str, Callable[[], bool]]],
        *,
        of_step: bool = False,
    ) -> None:
        violations = self.found.violations
        for name, test in tests:
            if name in violations:
                continue
            if not test():
                if number >= 0:
                    self._violated(name, number, None)
                else:
                    self._violated(name, parent, state, of_step=of_step)

    def _violated(self, name: str, number: int, last: State | None, *, of_step: bool = False) -> None:
        chain = [] if last is None else [last]
        while number >= 0:
            chain.append(self.states[number])
            number = self.parents[number]
        self.found.violations[name] = Violation(name, chain[::-1], [])
        self.depths[name] = len(chain) - 1 - of_step

    def name_actions(self) -> None:
        """Finds the actions between the states of the violations."""
        if self.specification.next is None:
            return
        walk = self._walker(self.specification.next, primed=False)
        for violation in self.found.violations.values():
            pairs = zip(violation.states, violation.states[1:], strict=False)
            violation.actions = [self._action(walk, one, other) for one, other in pairs]

    def _action(self, walk: Walk, one: State, other: State) -> str:
        name = action_between(self.evaluator, walk, one, other)
        if name is None:
            raise Undefined(self._action_place(), "a step that was found is not found again")
        return name
