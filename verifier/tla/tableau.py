"""The automaton of a temporal formula, which follows an execution.

A formula is first a disjunction of cases. In a case, formulas about the end of an execution alone (fairness,
``[]<>P``, ``<>[]P``) become conditions on its loop. For the rest, an automaton follows the execution
(Couvreur 1999, doi:10.1007/3-540-48119-2_16). Its states are sets of formulas that must hold from here on. A
transition decides each of them by the present state and step, and says which formulas must hold from the next
state on. ``<>F`` may be postponed; the loop must not postpone it forever.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TypeAlias, TypeVar

from verifier.errors import UsageError
from verifier.tla.unfolding import (
    FALSE,
    TRUE,
    Always,
    Eventually,
    Fair,
    Leaf,
    Not,
    Several,
    Unfolded,
    negation,
)

_MOST_CASES = 1000
"""The limit of the ways in which a property may fail."""
_MOST_STATES = 4096
"""The limit of an automaton's states."""
Literal: TypeAlias = Leaf | Not
"""A leaf, or the negation of one."""
ItemT = TypeVar("ItemT")


@dataclass(frozen=True)
class Transition:
    """A transition of an automaton at a position of an execution."""

    literals: tuple[Literal, ...] = ()
    """The formulas that are true of the state and of the step from it."""
    then: tuple[Unfolded, ...] = ()
    """The formulas that must hold from the next position on: the next state of the automaton."""
    put_off: tuple[Eventually, ...] = ()

    def but(self, literal: Literal) -> Transition:
        """Return the transition with one more literal."""
        return replace(self, literals=_with(self.literals, literal))

    def leaving(self, formula: Always | Eventually) -> Transition:
        """Return the transition that postpones a formula to the next position."""
        put_off = _with(self.put_off, formula) if isinstance(formula, Eventually) else self.put_off
        return replace(self, then=_with(self.then, formula), put_off=put_off)


def _with(items: tuple[ItemT, ...], one: ItemT) -> tuple[ItemT, ...]:
    return items if one in items else (*items, one)


@dataclass(frozen=True)
class Case:
    """A way in which a formula is true of an execution."""

    fair: tuple[Fair, ...]
    """The fairness conditions that the execution meets."""
    again: tuple[Literal, ...]
    """The literals that are true infinitely often."""
    lasts: tuple[Literal, ...]
    """The literals that are true from some position on."""
    first: tuple[Unfolded, ...]
    """The formulas that hold of the whole execution: the first state of the automaton."""


def cases(formula: Unfolded) -> list[Case]:
    """Return the ways in which a formula is true. Raises UsageError if they are too many."""
    return [_case(conjuncts) for conjuncts in _cases(normal(formula))]


def normal(formula: Unfolded, *, negated: bool = False) -> Unfolded:
    """Return the formula, or its negation, in normal form. All negations are at leaves, and ``[]`` and ``<>``
    are as far inside as possible."""
    match formula:
        case Not():
            return normal(formula.part, negated=not negated)
        case Leaf():
            return Not(formula) if negated else formula
        case Fair():
            return normal(formula.meaning, negated=True) if negated else formula
        case Several():
            parts = (normal(part, negated=negated) for part in formula.parts)
            return _several(formula.conjunction is not negated, parts)
        case Always() if not negated:
            return _always(normal(formula.part))
        case Eventually() if negated:
            return _always(normal(formula.part, negated=True))
    return _eventually(normal(formula.part, negated=negated))


def _several(conjunction: bool, parts: Iterable[Unfolded]) -> Unfolded:
    states: dict[Unfolded, None] = {}
    for part in parts:
        same = isinstance(part, Several) and part.conjunction is conjunction
        states |= dict.fromkeys(part.parts if isinstance(part, Several) and same else (part,))
    neutral, decides = (TRUE, FALSE) if conjunction else (FALSE, TRUE)
    states.pop(neutral, None)
    if decides in states:
        return decides
    return next(iter(states)) if len(states) == 1 else Several(conjunction, tuple(states))


def _always(part: Unfolded) -> Unfolded:
    part = _expand_nested(part)
    if is_of_all_ends(part):
        return part
    match part:
        case Several() if part.conjunction or not part.parts:
            return _several(part.conjunction, map(_always, part.parts))
        case Several() if all(isinstance(one, Eventually) or is_of_all_ends(one) for one in part.parts):
            return _several(False, map(_always, part.parts))
        case Always():
            return part
    return Always(part)


def _eventually(part: Unfolded) -> Unfolded:
    part = _expand_nested(part)
    if is_of_all_ends(part):
        return part
    match part:
        case Several() if not part.conjunction or not part.parts:
            return _several(part.conjunction, map(_eventually, part.parts))
        case Several() if all(isinstance(one, Always) or is_of_all_ends(one) for one in part.parts):
            return _several(True, map(_eventually, part.parts))
        case Eventually():
            return part
    return Eventually(part)


def is_of_all_ends(formula: Unfolded) -> bool:
    """True if a formula holds of an execution exactly if it holds of all of its suffixes, and of one."""
    match formula:
        case Fair() | Always(Eventually()) | Eventually(Always()):
            return True
        case Several(parts=()):
            return False
        case Several():
            return all(map(is_of_all_ends, formula.parts))
    return False


def _expand_nested(part: Unfolded) -> Unfolded:
    """Return the formula with fairness expanded where it stands beside other formulas below ``[]`` or
    ``<>``."""
    if isinstance(part, Several):
        parts = (normal(one.meaning) if isinstance(one, Fair) else _expand_nested(one) for one in part.parts)
        return _several(part.conjunction, parts)
    return part


def _cases(formula: Unfolded) -> list[tuple[Unfolded, ...]]:
    """Return the formula as a disjunction of conjunctions, outside ``[]`` and ``<>``."""
    if not isinstance(formula, Several):
        return [(formula,)]
    parts = [_cases(part) for part in formula.parts]
    count = 1
    for part in parts:
        count = count * len(part) if formula.conjunction else max(count, sum(map(len, parts)))
        if count > _MOST_CASES:
            words = f"the property has more than {_MOST_CASES} ways to fail"
            raise UsageError(f"{words}: state it as several properties, or at smaller constants")
    if formula.conjunction:
        return [tuple(dict.fromkeys(sum(chosen, ()))) for chosen in product(*parts)]
    return [case for part in parts for case in part]


def _case(conjuncts: Sequence[Unfolded]) -> Case:
    fair, again, lasts, rest = list[Fair](), list[Literal](), list[Literal](), list[Unfolded]()
    for one in conjuncts:
        match one:
            case Fair():
                fair.append(one)
            case Always(Eventually(Leaf() | Not() as literal)):
                again.append(literal)
            case Eventually(Always(Leaf() | Not() as literal)):
                lasts.append(literal)
            case _:
                rest.append(_in_words(one))
    return Case(tuple(fair), tuple(again), tuple(lasts), tuple(dict.fromkeys(rest)))


def _in_words(formula: Unfolded) -> Unfolded:
    """Return the formula with fairness expanded."""
    match formula:
        case Fair():
            return normal(formula.meaning)
        case Several():
            return _several(formula.conjunction, map(_in_words, formula.parts))
        case Always():
            return Always(_in_words(formula.part))
        case Eventually():
            return Eventually(_in_words(formula.part))
    return formula


@dataclass
class Automaton:
    """The automaton of formulas. Its states are in the order of discovery. Raises UsageError if they are too
    many."""

    first: tuple[Unfolded, ...]
    transitions: list[list[tuple[Transition, int]]] = field(default_factory=list)
    """The transitions of each state, with the numbers of their targets."""

    def __post_init__(self) -> None:
        order: dict[Unfolded, int] = {}
        numbers = {self.first: 0}
        waiting = [self.first]
        for state in waiting:
            own = dict[tuple[Transition, int], None]()
            for one in _list_transitions(state):
                for formula in one.then:
                    order.setdefault(formula, len(order))
                then = tuple(sorted(one.then, key=order.__getitem__))
                if then not in numbers:
                    numbers[then] = len(numbers)
                    waiting.append(then)
                own[one, numbers[then]] = None
            if len(numbers) > _MOST_STATES:
                raise UsageError("the property has too many parts at a time: state it as several properties")
            self.transitions.append(list(own))

    @property
    def puts_off(self) -> tuple[Eventually, ...]:
        """Return the formulas that transitions may postpone."""
        return tuple(dict.fromkeys(x for own in self.transitions for one, _ in own for x in one.put_off))


def _list_transitions(state: tuple[Unfolded, ...]) -> Iterator[Transition]:
    """Yield the ways in which all formulas of a state may hold."""
    branches: list[tuple[tuple[Unfolded, ...], Transition]] = [(state, Transition())]
    while branches:
        open_, so_far = branches.pop()
        if open_:
            branches += _branches(open_[0], open_[1:], so_far)
        else:
            yield so_far


def _branches(
    one: Unfolded, rest: tuple[Unfolded, ...], so_far: Transition
) -> Iterator[tuple[tuple[Unfolded, ...], Transition]]:
    """Yield the open formulas and the transition so far, after one formula is decided."""
    match one:
        case Leaf() | Not():
            if negation(one) not in so_far.literals:
                yield rest, so_far.but(one)
        case Several() if one.conjunction:
            yield (*one.parts, *rest), so_far
        case Several():
            for part in one.parts:
                yield (part, *rest), so_far
        case Always():
            yield (one.part, *rest), so_far.leaving(one)
        case Eventually():
            yield (one.part, *rest), so_far
            yield rest, so_far.leaving(one)
        case Fair():
            raise AssertionError("fairness is said in other words")
