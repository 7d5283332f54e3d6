"""The branches of an action that give a variable no next value, where the branches beside them give one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from verifier.tla import action_forms as forms
from verifier.tla import ast
from verifier.tla.action_forms import action_form
from verifier.tla.ast import Definition, Expression, Variable
from verifier.tla.errors import Place
from verifier.tla.said_parts import span

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator

_MOST_NAMED = 3
"""The most branches that an error names."""


@dataclass(frozen=True)
class _Reading:
    """The assignments of a formula to the next value of a variable."""

    assigns: bool
    """True if some branch assigns it."""
    lacking: tuple[tuple[str, Place], ...] = ()
    """The kind and the place of each branch that does not, though one beside it does."""


_NOTHING = _Reading(False)


def say_branches_without(
    evaluator: Evaluator, action: Definition, variables: Iterable[Variable], file: str
) -> str:
    """Name the branches of an action that assign none of the variables; empty if there is none, or if they
    are many or differ. ``file``: the file that the reader knows of."""
    if action.body is None:
        return ""
    found = {_Reader(evaluator, one).read(action.body, action.module, (action,)) for one in variables}
    if len(found) != 1:
        return ""
    (reading,) = found
    if not 0 < len(reading.lacking) <= _MOST_NAMED:
        return ""
    return " or ".join(f"in the {kind} at {_say_place(place, file)}" for kind, place in reading.lacking)


def _say_place(place: Place, file: str) -> str:
    return f"line {place.line}, column {place.column}{'' if place.file == file else f' of {place.file}'}"


class _Reader:
    """Reads formulas without evaluating them: a branch may be one that no state takes."""

    def __init__(self, evaluator: Evaluator, variable: Variable) -> None:
        self.evaluator, self.variable = evaluator, variable

    def read(self, whole: Expression, module: str, seen: tuple[Definition, ...]) -> _Reading:
        """Read a formula whose text stands in a module. ``seen``: the definitions around it."""
        match action_form(self.evaluator, whole, module):
            case forms.Conjunction(items):
                return reduce(_join, (self.read(item, module, seen) for item in items), _NOTHING)
            case forms.Disjunction(items):
                return self._branches([("disjunct", item) for item in items], module, seen)
            case forms.Condition(_, then, otherwise):
                both = [("THEN branch", then), *([] if otherwise is None else [("ELSE branch", otherwise)])]
                return self._branches(both, module, seen)
            case forms.Cases(case):
                arms = [("arm of CASE", arm) for _, arm in case.arms]
                others = [] if case.other is None else [("arm OTHER", case.other)]
                return self._branches([*arms, *others], module, seen)
            case forms.Choice(quantifier):
                return self.read(quantifier.body, module, seen)
            case forms.Binding(let):
                return self.read(let.body, module, seen)
            case forms.Call(definition) if definition.body is not None and definition not in seen:
                return self.read(definition.body, definition.module, (*seen, definition))
            case forms.Stay(body):
                return _Reading(self._is_read_in(body, module))
            case forms.Assignment(_, ast.Prime(left)):
                return _Reading(self._is_read_in(left, module))
        return _NOTHING

    def _is_read_in(self, body: Expression, module: str) -> bool:
        return self.variable in self.evaluator.analysis.of(body, module).reads

    def _branches(
        self, branches: Sequence[tuple[str, Expression]], module: str, seen: tuple[Definition, ...]
    ) -> _Reading:
        """Read formulas of which a step takes one."""
        readings = [self.read(formula, module, seen) for _, formula in branches]
        if not any(one.assigns for one in readings):
            return _NOTHING
        lacking: list[tuple[str, Place]] = []
        for (kind, formula), one in zip(branches, readings, strict=True):
            lacking += one.lacking if one.assigns else [(kind, span(formula))]
        return _Reading(True, tuple(lacking))


def _join(one: _Reading, other: _Reading) -> _Reading:
    """Read two formulas of which a step takes both."""
    if one.assigns and other.assigns:
        return one if not one.lacking else other if not other.lacking else _Reading(True)
    return one if one.assigns else other
