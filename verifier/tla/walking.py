"""Walks over the formulas of a specification: the ways in which they are true, and the states that these
set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from verifier.tla.ast import Step
from verifier.tla.calls import endless
from verifier.tla.errors import Place
from verifier.tla.exploration_result import State, Taken
from verifier.tla.frames import PLAIN, SETTLED, UNSET, Undefined, Unit, force_delayed
from verifier.tla.retracing import Walk, action_between
from verifier.tla.specification import Specification
from verifier.tla.splitting import Formula
from verifier.tla.unassigned import say_branches_without
from verifier.tla.value_types import NoValue, Value


class Walks:
    """Walks over the formulas of a specification."""

    def __init__(self, specification: Specification) -> None:
        self.specification, self.evaluator = specification, specification.evaluator
        self.names = [variable.name for variable in specification.variables]

    def over(self, formula: Formula, *, primed: bool, later: bool = False) -> Walk:
        """Return the walk over a formula. ``later``: it follows another one."""
        body = formula.body
        unit = Unit(formula.module)
        if isinstance(body, Step):
            body = body.action
        walk = self.evaluator.actions.walk(body, unit, primed, top=True)
        if later:
            walk = self.evaluator.actions.settle_walk(walk, body, unit, primed)

        def run_walk(follow: Callable[[], None]) -> None:
            try:
                walk(unit.frame(), follow)
            except NoValue as error:
                raise Undefined(self.place, str(error)) from None
            except RecursionError:
                raise Undefined(self.place, endless("an action")) from None

        return run_walk

    def walk_initial(self, add: Callable[[], None]) -> None:
        """Call ``add`` for each way in which the initial formulas are true."""
        formulas = self.specification.init
        walks = [self.over(f, primed=True, later=number > 0) for number, f in enumerate(formulas)]
        following = self.evaluator.next

        def at(index: int) -> None:
            if index == len(walks):
                add()
            else:
                walks[index](lambda: at(index + 1))

        following[:] = [UNSET] * len(following)
        at(0)
        following[:] = [UNSET] * len(following)

    def actions(self, states: Sequence[State]) -> Iterator[Taken]:
        """Yield the actions between states. Raises Undefined."""
        formula = self.specification.next
        if formula is None:
            return
        walk = self.over(formula, primed=False)
        # A random expression has another value when it is evaluated again.
        again = Taken("Next") if self.evaluator.analysis.of(formula.body, formula.module).changing else None
        for one, other in pairwise(states):
            registers = dict(self.evaluator.registers)  # the effects of TLCSet belong to the search
            action = action_between(self.evaluator, walk, one, other) or again
            self.evaluator.registers.clear()
            self.evaluator.registers.update(registers)
            if action is None:
                raise Undefined(self.place, "a step that was found is not found again")
            yield action

    def titles(self, states: Sequence[State]) -> list[str]:
        """Return the names of an execution's steps. All are Next if an action has no value."""
        try:
            return [one.title(self.evaluator.order) for one in self.actions(states)]
        except Undefined:
            return ["Next"] * (len(states) - 1)

    def capture(self, what: str) -> State:
        """Return the next state. Raises Undefined unless all variables have a value."""
        made, plain, kinds = tuple(self.evaluator.next), True, self.plain
        for value in made:
            if value is UNSET:
                raise self._explain_unset(what, made)
            plain = plain and type(value) in kinds
        return made if plain else tuple(self._list_value(item, i) for i, item in enumerate(made))

    def _explain_unset(self, what: str, made: State) -> Undefined:
        """Return the error of variables without a value, which names the branches that forget them."""
        variables = self.specification.variables
        unset = [one for one, value in zip(variables, made, strict=True) if value is UNSET]
        left = ", ".join(one.name for one in unset)
        words = f"{what} leaves {left} without a value"
        if what != "Next":
            return Undefined(self.place, words)
        several, action = len(unset) > 1, self.evaluator.actions.action
        where = "" if action is None else say_branches_without(self.evaluator, action, unset, self.place.file)
        kept = f"<<{left}>>" if several else left
        there, values = " there" if where else "", "their values" if several else "its value"
        advice = f"(UNCHANGED {kept}{there} would keep {values})"
        return Undefined(self.place, f"{words}{where and ' '}{where} {advice}")

    def _list_value(self, value: Value, index: int) -> Value:
        try:
            return force_delayed(value)
        except NoValue as error:
            raise Undefined(self.place, f"{self.names[index]} gets a value: {error}") from None

    @property
    def plain(self) -> frozenset[type]:
        """Return types of values that need no further listing. If functions are computed on demand, tuples
        and functions may contain one, which would read another state later."""
        return SETTLED if self.evaluator.computes_later else PLAIN

    @property
    def place(self) -> Place:
        """Return the place of the action that is walked."""
        action = self.evaluator.actions.action
        formula = self.specification.next
        if action is not None:
            return action.place
        return formula.body.place if formula is not None else Place(self.specification.module.file, 0, 0)
