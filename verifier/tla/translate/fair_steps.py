"""The steps that fairness conditions mention.

``WF_v(A)`` is about the steps of A that change v. These must be steps of the definition's actions. A way to
take A is such a step under two conditions: it assigns the same as a way to take Next, and its guard is at
least as strong. If its guard is stronger, it becomes an action of its own, which adds no step. If its formula
is a different one, it becomes an action too, and a solver has to show that it adds no step
(``engines/contained``). Everything else is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from verifier.printable import join_words
from verifier.specs.definition import Action, Definition
from verifier.specs.hashing import meanings
from verifier.specs.temporal import Fairness, Strength, Taken, TemporalFormula
from verifier.tla import ast
from verifier.tla.said_parts import name_action
from verifier.tla.translate.assigned_variables import variables
from verifier.tla.translate.branches import Branch
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.definition import Maker
from verifier.tla.translate.next_actions import Steps
from verifier.tla.translate.symbolic import Untranslated

FAIR = "!fair"
"""The suffix of the name of an action that exists only for a fairness condition."""


class _LeftOpen(Untranslated):
    """Raised for an action that does not determine the next value of all variables."""


@dataclass
class TemporalParts:
    """The fairness conditions and temporal properties, translated."""

    fairness: list[Fairness] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    """Actions that exist only for fairness. Their steps are also steps of other actions."""
    open: dict[str, str] = field(default_factory=dict)
    """The actions among these that a solver has still to check, with the conditions that need them."""
    assumed: list[TemporalFormula] = field(default_factory=list)
    """The other temporal formulas of the specification."""


class FairSteps:
    """Finds the actions of fairness conditions, and adds those that the definition lacks."""

    def __init__(self, maker: Maker, definition: Definition, parts: TemporalParts) -> None:
        self.maker, self.t, self.parts = maker, maker.t, parts
        self.forms = meanings(definition)
        self.known = [(action, *self.forms(action)) for action in definition.actions]

    def condition(self, whole: ast.Fairness, c: Context, bound: tuple[str, ...]) -> Fairness | None:
        """Translate a condition. None if the action does not determine all variables. ``bound``: the values
        of the names around it, as text."""
        take_back = self.mark()
        try:
            return self._fair(whole, c, bound)
        except _LeftOpen:
            take_back()
            return None

    def mark(self) -> Callable[[], None]:
        """Return a function that removes the actions that are added from here on."""
        kept = list(self.parts.actions), dict(self.parts.open), list(self.known)

        def take_back() -> None:
            self.parts.actions[:], self.parts.open, self.known = kept

        return take_back

    def _fair(self, whole: ast.Fairness, c: Context, bound: tuple[str, ...]) -> Fairness:
        kind = "SF" if whole.strong else "WF"
        label = f"{kind} of {name_action(whole.action)}" + (f" with {', '.join(bound)}" if bound else "")
        steps = list(self._steps(whole, c, label))
        strength = Strength.STRONG if whole.strong else Strength.WEAK
        return Fairness(strength, steps=tuple(dict.fromkeys(steps)), label=label)

    def _steps(self, whole: ast.Fairness, c: Context, label: str) -> Iterator[Taken]:
        """Yield the instances that are steps of the action and change its variables."""
        steps, action = Steps(self.t), whole.action
        every = variables(self.t.evaluator, whole.subscript, c) or []
        if {id(one) for one in every} != {id(one) for one in self.maker.spec.variables}:
            action = ast.Step(whole.action, whole.subscript, False, place=whole.place)
        self.t.unassigned.clear()
        for branch in steps.walk(action, c, Branch(), top=True):
            if self.t.unassigned:  # a way that looks impossible may be possible, so it stays
                words, them = _next_values(self.t.unassigned)
                raise Untranslated(whole.place, f"{label} reads {words} before it assigns {them}")
            if branch.dead:
                continue
            if len(branch.assigned) < len(self.maker.spec.variables):
                free = [v for v in self.maker.spec.variables if v not in branch.assigned]
                words = f"{label} leaves open {_next_values(v.name for v in free)[0]}"
                if not set(free) & set(every):
                    raise _LeftOpen(whole.place, words)
                raise Untranslated(whole.place, f"{words}: the fairness of such an action is not supported")
            yield self._make_taken(self.maker.action(branch), whole, label)

    def _make_taken(self, made: Action, whole: ast.Fairness, label: str) -> Taken:
        demands, assigns = self.forms(made)
        wider = None
        for action, guards, assigned in self.known:
            if assigned == assigns and guards == demands:
                return _instances(action)
            if assigned == assigns and guards <= demands:
                wider = action
        number = len(self.parts.actions) + 1
        own = replace(made, name=f"{(wider or made).name}{FAIR}{number}")
        self.parts.actions.append(own)
        if wider is None:
            self.parts.open[own.name] = f"{whole.place}: {label}"
        self.known.append((own, demands, assigns))
        return _instances(own)


def _next_values(variables: Iterable[str]) -> tuple[str, str]:
    """Return words for the next values of variables, and their pronoun."""
    names = sorted(variables)
    many = len(names) > 1
    return f"the next value{'s' if many else ''} of {join_words(names)}", "them" if many else "it"


def _instances(action: Action) -> Taken:
    """Return all instances of an action. A parameter with only one value is part of the action's name and
    tells actions apart. Any other parameter stands for each of its values."""
    values = {
        p.symbol.name: tuple(p.symbol.sort.values()) for p in action.parameters if p.symbol.sort.size == 1
    }
    return Taken(action.name, tuple((name, value) for name, (value,) in values.items()))
