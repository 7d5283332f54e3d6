"""The steps that fairness conditions speak of.

``WF_v(A)`` speaks of the steps of A that change v. They must be steps of actions of the definition: a way to
take A is one if it assigns the same as a way to take Next, and demands at least as much. Where it demands
more, it becomes an action of its own, which adds no step. Where it is said in other words it becomes an
action too, and a solver has to show that it adds no step (``engines/contained``). All else is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from verifier.specs.definition import Action, Definition
from verifier.specs.hashing import meanings
from verifier.specs.temporal import Fairness, Strength, Taken, TemporalFormula
from verifier.tla import ast
from verifier.tla.translate.branches import Branch
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.specification import Maker
from verifier.tla.translate.steps import Steps
from verifier.tla.translate.symbolic import Untranslated
from verifier.tla.translate.targets import variables

FAIR = "!fair"
"""What follows the name of an action that is there for the sake of a fairness condition."""


class _LeftOpen(Untranslated):
    """An action does not say what all variables become."""


@dataclass
class Lasting:
    """What was made of fairness and temporal properties."""

    fairness: list[Fairness] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    """Actions that are there for fairness only: their steps are steps of others."""
    open: dict[str, str] = field(default_factory=dict)
    """Those of which that is still to be shown, and the conditions that they are for."""
    assumed: list[TemporalFormula] = field(default_factory=list)
    """What else the specification says of executions."""


class FairSteps:
    """Finds the actions of fairness conditions, and adds those that the definition does not have."""

    def __init__(self, maker: Maker, definition: Definition, found: Lasting) -> None:
        self.maker, self.t, self.found = maker, maker.t, found
        self.forms = meanings(definition)
        self.known = [(action, *self.forms(action)) for action in definition.actions]

    def condition(self, whole: ast.Fairness, c: Context, bound: tuple[str, ...]) -> Fairness | None:
        """The condition, or None where the action leaves open what variables become. ``bound``: what names
        around it stand for, as text."""
        take_back = self.marked()
        try:
            return self._fair(whole, c, bound)
        except _LeftOpen:
            take_back()
            return None

    def marked(self) -> Callable[[], None]:
        """What takes back the actions that are added from here on."""
        kept = list(self.found.actions), dict(self.found.open), list(self.known)

        def take_back() -> None:
            self.found.actions[:], self.found.open, self.known = kept

        return take_back

    def _fair(self, whole: ast.Fairness, c: Context, bound: tuple[str, ...]) -> Fairness:
        kind = "SF" if whole.strong else "WF"
        name = whole.action.operator.name if isinstance(whole.action, ast.Apply) else "its action"
        label = f"{kind} of {name}" + (f" with {', '.join(bound)}" if bound else "")
        steps = list(self._steps(whole, c, label))
        strength = Strength.STRONG if whole.strong else Strength.WEAK
        return Fairness(strength, steps=tuple(dict.fromkeys(steps)), label=label)

    def _steps(self, whole: ast.Fairness, c: Context, label: str) -> Iterator[Taken]:
        """The instances that are steps of the action and change its variables."""
        steps, action = Steps(self.t), whole.action
        every = variables(self.t.evaluator, whole.subscript, c) or []
        if {id(one) for one in every} != {id(one) for one in self.maker.spec.variables}:
            action = ast.Step(whole.action, whole.subscript, False, place=whole.place)
        self.t.unassigned.clear()
        for branch in steps.walk(action, c, Branch(), top=True):
            if self.t.unassigned:  # what looks impossible may be possible, so it is not left out
                words = f"{label} reads what {', '.join(sorted(self.t.unassigned))} become"
                raise Untranslated(whole.place, f"{words}, before it says so")
            if branch.dead:
                continue
            if len(branch.assigned) < len(self.maker.spec.variables):
                free = [v for v in self.maker.spec.variables if v not in branch.assigned]
                words = f"{label} leaves open what {', '.join(v.name for v in free)} become"
                if not set(free) & set(every):
                    raise _LeftOpen(whole.place, words)
                raise Untranslated(whole.place, f"{words}: the fairness of such an action is not supported")
            yield self._taken(self.maker.action(branch), whole, label)

    def _taken(self, made: Action, whole: ast.Fairness, label: str) -> Taken:
        demands, assigns = self.forms(made)
        wider = None
        for action, guards, assigned in self.known:
            if assigned == assigns and guards == demands:
                return _instances(action)
            if assigned == assigns and guards <= demands:
                wider = action
        number = len(self.found.actions) + 1
        own = replace(made, name=f"{(wider or made).name}{FAIR}{number}")
        self.found.actions.append(own)
        if wider is None:
            self.found.open[own.name] = f"{whole.place}: {label}"
        self.known.append((own, demands, assigns))
        return _instances(own)


def _instances(action: Action) -> Taken:
    """All instances of the action. A parameter that is only shown in its name has one value there, by which
    actions are told apart; any other parameter stands for each of its values."""
    values = {
        p.symbol.name: tuple(p.symbol.sort.values()) for p in action.parameters if p.symbol.sort.size == 1
    }
    return Taken(action.name, tuple((name, value) for name, (value,) in values.items()))
