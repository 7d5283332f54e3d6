"""Bits that remember what has happened in an execution, or guess what is to come.

*Monitors* remember. They are deterministic.

*Promises* guess (Clarke, Grumberg, Hamaguchi 1997, doi:10.1023/A:1008615614281). A promise says of each place
of an execution whether ``P until Q`` holds from there on. It holds there exactly if Q does, or P does and it
holds at the next place. Of all guesses that fit, the right one is that in which no promise is kept open for
ever: again and again it is not made, or Q holds.

What is true of an execution exactly if it is true of each of its ends, such as ``always eventually P``, is
guessed once and for all, and each loop must confirm the guess.

A promise changes only in steps that change the state: an execution may stutter anywhere, and a formula
without "next" does not notice it. Every execution has exactly one right guess. So nothing is lost, and what
is checked along with a property is checked of all executions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pysmt.fnode import FNode

from verifier.encodings.bits import (
    FALSE,
    TRUE,
    choice,
    conjunction,
    disjunction,
    equivalence,
    negation,
    restrict_formulas,
)


@dataclass(frozen=True)
class Event:
    """An event that may happen again and again: that a state satisfies a formula, or that a step is taken."""

    state: FNode
    steps: tuple[tuple[int, FNode], ...] = ()
    """For each instance (by its place) when a step of it counts, over the state before and its inputs."""

    def by(self, instance: int) -> FNode:
        """Return the formula that a step of the instance is the event."""
        return dict(self.steps).get(instance, FALSE)


@dataclass(frozen=True)
class Monitor:
    """A bit that remembers. Its new value is over the old bit, the step, and the new state."""

    what: str
    sets: Event
    """The bit is set in a state, or by a step, where this happens."""
    keeps: FNode
    """It stays set in a state where this holds."""
    first: FNode
    """Its value in the first state."""

    @property
    def changes(self) -> bool:
        """True if the bit may ever change."""
        return self.sets.state is not FALSE or bool(self.sets.steps) or self.keeps is not TRUE

    def begins(self, own: FNode) -> FNode:
        """The bit's condition in the first state."""
        return equivalence(own, self.first)

    def fits(self, own: FNode) -> FNode:
        """The bit's condition in every state."""
        possible = disjunction((self.sets.state, self.keeps, negation(own)))
        return conjunction(
            (disjunction((negation(self.sets.state), own)), TRUE if self.sets.steps else possible)
        )

    def after(self, own: FNode, number: int, updates: Mapping[FNode, FNode]) -> FNode:
        """The bit after a step of the instance of this number."""
        sets, keeps = restrict_formulas((self.sets.state, self.keeps), updates)
        return disjunction((sets, self.sets.by(number), conjunction((keeps, own))))


@dataclass(frozen=True)
class Promise:
    """A bit that says whether a formula holds until an event happens, and that it does happen."""

    what: str
    holds: FNode
    reaches: Event

    def begins(self, own: FNode) -> FNode:
        """The bit's condition in the first state."""
        return self.fits(own)

    def fits(self, own: FNode) -> FNode:
        """The bit's condition in every state."""
        return self._fits(own, self.holds, self.reaches.state)

    def _fits(self, own: FNode, holds: FNode, reached: FNode) -> FNode:
        """That the bit is set where the event is now, and is not where it can no more be."""
        possible = disjunction((reached, holds, negation(own)))
        return conjunction((disjunction((negation(reached), own)), possible))

    def after(
        self, own: FNode, number: int, updates: Mapping[FNode, FNode], guess: FNode
    ) -> tuple[FNode, FNode]:
        """The bit after a step of the instance, and the condition under which the bit lets it be taken. The
        step chooses the guess where the bit decides nothing; it has one choice elsewhere."""
        happens = self.reaches.by(number)
        met = disjunction((self.reaches.state, happens))
        over = disjunction((met, negation(self.holds)))
        holds, reached = restrict_formulas((self.holds, self.reaches.state), updates)
        new = disjunction((reached, conjunction((holds, choice(over, guess, own)))))
        chosen = conjunction((over, holds, negation(reached)))
        allowed = (
            disjunction((negation(happens), own)),
            disjunction((over, self._fits(own, holds, reached))),
            disjunction((negation(guess), chosen)),
        )
        return new, conjunction(allowed)

    def justice(self, own: FNode) -> Event:
        """The event that happens again and again if the promise is not open forever."""
        return Event(disjunction((negation(own), self.reaches.state)), self.reaches.steps)


@dataclass(frozen=True)
class Guess:
    """A bit that says of the whole execution whether an event happens again and again."""

    what: str
    event: Event


Watch = Monitor | Promise | Guess
