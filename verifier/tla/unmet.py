"""The parts of a temporal property that an infinite execution does not meet, and the states in which.

``<>P`` is not met if P is false in every state; ``P ~> Q`` if P is true in a state and Q false from there on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from verifier.encodings.blame import Blame
from verifier.tla.explaining import false_parts, whole_part
from verifier.tla.exploration_result import State
from verifier.tla.frames import Undefined
from verifier.tla.lasso import Lasso
from verifier.tla.said_parts import SaidPart
from verifier.tla.specification import Specification
from verifier.tla.splitting import Formula, Safety
from verifier.tla.unfolding import (
    Always,
    Eventually,
    Fair,
    Leaf,
    Not,
    Several,
    Texts,
    Unfolded,
    unfold_formula,
)
from verifier.tla.value_types import NoValue

_MOST = 6
_MOST_COMPARED = 300
"""In a longer loop, the values of one state are shown, and nobody looks whether the others have the same."""


@dataclass(frozen=True)
class UnmetPart:
    """A formula, its truth, and the states of the execution in which it has this truth."""

    part: SaidPart
    truth: bool
    states: str
    """The states in words: ``in every state of the loop``."""
    at: int | None = None
    """The state of which the values are, if they differ between states."""
    demand: str = ""
    """The demand of the property on it, as ``always eventually``; empty for a part of a formula."""


def unmet_parts(spec: Specification, safety: Safety, states: Sequence[State], start: int) -> list[UnmetPart]:
    """Return what an execution does not meet of a property. None of it if an expression has no value.

    ``start`` is the number of the state that follows the last one.
    """
    lasso = Lasso(spec.evaluator, states, start)
    try:
        for formula in safety.parts:
            texts = Texts()
            whole = unfold_formula(spec.evaluator, formula, texts)
            if not lasso.truths(whole)[0]:
                return list(_Explanation(spec, lasso, texts).of(whole))[:_MOST]
    except (Undefined, NoValue, RecursionError):
        pass
    return []


@dataclass
class _Explanation:
    spec: Specification
    lasso: Lasso
    texts: Texts

    def of(
        self, whole: Unfolded, at: int = 0, *, wanted: bool = True, around: str | None = ""
    ) -> Iterator[UnmetPart]:
        """Yield why a formula does not have the truth that is wanted of it at a position.

        ``around``: the demand of the property on it, empty for itself; None if there is a choice.
        """
        match whole:
            case Leaf():
                yield from self._leaf(whole, [at], truth=not wanted, demand=around)
            case Not(part=part):
                yield from self.of(part, at, wanted=not wanted, around=None)
            case Fair():
                yield self._fair(whole, wanted=wanted)
            case Several(parts=(Not(part=Leaf()), Eventually() as due)) if around == "always" and wanted:
                yield from self.of(whole.parts[0], at, around=None)
                yield from self.of(due, at, around="leads to")
            case Several(conjunction=conjunction, parts=parts):
                unmet = (part for part in parts if self.lasso.truths(part)[at] != wanted)
                kept = around if conjunction and around in ("", "always", "eventually always") else None
                for number, part in enumerate(unmet):
                    if number == 0 or conjunction != wanted:  # a conjunction is false for one part
                        yield from self.of(part, at, wanted=wanted, around=kept)
            case Always(part=part) | Eventually(part=part):
                row, places = self.lasso.truths(part), self._from(at)
                unmet_places = [place for place in places if row[place] != wanted]
                inside = _add_demand(around, whole) if wanted else None
                if isinstance(whole, Always) == wanted:  # one place is enough
                    yield from self.of(part, unmet_places[0], wanted=wanted, around=inside)
                elif isinstance(part, Leaf):
                    yield from self._leaf(part, places, truth=not wanted, demand=inside)
                elif isinstance(part, Not) and isinstance(part.part, Leaf):
                    yield from self._leaf(part.part, places, truth=wanted, demand=None)
                else:
                    yield from self.of(part, max(at, self.lasso.start), wanted=wanted, around=inside)

    def _fair(self, whole: Fair, *, wanted: bool) -> UnmetPart:
        """Return a fairness condition. If it is false, it says when its step is enabled, but never taken."""
        says, start = "", self.lasso.start
        if wanted:
            enabled = self.lasso.truths(whole.enabled)
            off = [place for place, is_enabled in enumerate(enabled) if not is_enabled]
            since = max(off, default=-1) + 1
            if since <= start:
                when = f"from state {since} on" if since else "in every state"
            else:
                when = f"in state {enabled.index(True, start)}, again and again"
            says = f"{whole.step_said} is enabled {when}, and no step of the loop takes it"
        part = SaidPart(whole.enabled.body.place, whole.said, (), (), Blame(says) if says else None)
        return UnmetPart(_with_bound_values(part, whole.enabled), not wanted, "in every state")

    def _from(self, at: int) -> list[int]:
        """Return the positions from one on: first those before the loop comes back."""
        last, start = len(self.lasso.states), self.lasso.start
        return [*range(at, last), *range(start, min(at, last))]

    def _leaf(
        self, leaf: Leaf, places: Sequence[int], *, truth: bool, demand: str | None
    ) -> Iterator[UnmetPart]:
        """Yield the formula itself, and the smallest parts that make it false, in some states."""
        start, of_step = self.lasso.start, leaf.stuttering is not None
        place = next((one for one in places if one >= start), places[0])
        whole = self._whole(leaf, place)
        inner = list[SaidPart]()
        if not truth and not of_step:
            state, formula = self.lasso.states[place], Formula(leaf.body, leaf.module)
            parts = false_parts(self.spec, [formula], state, None, self.texts)
            inner = [part for part in parts if whole is None or part.formula != whole.formula]
        if whole is not None:
            few = len(places) <= _MOST_COMPARED
            alike = few and all(self._whole(leaf, other) == whole for other in places)
            said = _unmark(whole) if of_step or inner else whole  # of several parts, those are at fault
            words = self._words(places, of_steps=of_step)
            named = _with_bound_values(said, leaf)
            yield UnmetPart(named, truth, words, None if alike else place, demand or "")
        for part in inner:
            yield UnmetPart(_with_bound_values(part, leaf), truth, self._words([place]))

    def _whole(self, leaf: Leaf, place: int) -> SaidPart | None:
        """Return the formula with the values that it reads in a state, or in the step from there."""
        states = self.lasso.states
        following = states[place + 1 if place + 1 < len(states) else self.lasso.start]
        return whole_part(self.spec, Formula(leaf.body, leaf.module), states[place], following, self.texts)

    def _words(self, places: Sequence[int], *, of_steps: bool = False) -> str:
        """Say which states of the execution they are, or which steps: step 1 begins in state 0."""
        start, last = self.lasso.start, len(self.lasso.states) - 1
        what, first = "step" if of_steps else "state", min(places)
        number = first + of_steps
        if start == last == first:
            return "in every step of the loop" if of_steps else f"in state {last}, forever"
        if len(places) == 1:
            return f"in {what} {number}{', again and again' if first >= start else ''}"
        if first >= start:
            return f"in every {what} of the loop"
        return f"in every {what}" if first == 0 else f"in {what} {number} and in all that follow"


def _unmark(part: SaidPart) -> SaidPart:
    """Return a part without values, where these do not decide it: as those of a subscript."""
    blame = None if part.blame is None else replace(part.blame, culprits=(), context=())
    return replace(part, reads=(), blame=blame)


def _add_demand(around: str | None, whole: Always | Eventually) -> str | None:
    """Return the demand on the formula below an operator; None if there are no words for it."""
    mine = "always" if isinstance(whole, Always) else "eventually"
    if around in ("", mine):
        return mine
    if around == "leads to":
        return around if isinstance(whole, Eventually) else None
    return f"{around} {mine}" if around in ("always", "eventually") else None


def _with_bound_values(part: SaidPart, leaf: Leaf) -> SaidPart:
    """Return the part with the values of the quantified names around its formula."""
    inner = {name for name, _ in part.bound}
    around = [(name, value) for name, value in leaf.bound if name not in inner]
    named = [(name, value) for name, value in around if re.search(rf"\b{name}\b", part.formula)]
    return replace(part, bound=(*(named or around), *part.bound))
