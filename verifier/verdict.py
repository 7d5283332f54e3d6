"""Verdicts: what an engine found out about one property."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from verifier.trust.trace import Trace


class VerdictKind(StrEnum):
    """What is known of a property."""

    HOLDS = "HOLDS"
    """No violation in any execution of at most ``depth`` actions."""
    PROVED = "PROVED"
    """For all depths, with a certificate."""
    VIOLATED = "VIOLATED"
    """With a replayed trace; of a reachable property without one: no reachable state satisfies it."""
    REACHED = "REACHED"
    """A reachable state satisfies it; with a replayed trace to that state."""
    NOT_INDUCTIVE = "NOT_INDUCTIVE"
    """With a counterexample to induction, whose first state may be unreachable."""
    INCONCLUSIVE = "INCONCLUSIVE"
    """Nothing decided beyond ``depth``; ``reason`` says why."""
    ERROR = "ERROR"
    """This program contradicts itself; ``reason`` shows both sides."""


EXIT_CODES = {
    VerdictKind.HOLDS: 0,
    VerdictKind.PROVED: 0,
    VerdictKind.REACHED: 0,
    VerdictKind.VIOLATED: 10,
    VerdictKind.NOT_INDUCTIVE: 11,
    VerdictKind.INCONCLUSIVE: 12,
    VerdictKind.ERROR: 1,
}
"""The exit code of each verdict; 2 is wrong usage."""

NEVER_REACHED = "reached in no state: every reachable state was looked at"
NO_STATE_REACHES = "reached in no state: an invariant excludes it"


def settled(*, sought: bool) -> tuple[VerdictKind, str | None]:
    """What a proof for all depths means, and why: what was ``sought`` (a reachable property) is reached by no
    execution, so its claim fails; any other property is proved."""
    return (VerdictKind.VIOLATED, NO_STATE_REACHES) if sought else (VerdictKind.PROVED, None)


def not_reached(depth: int) -> str:
    """Why nothing is decided of a reachable property that was looked for to that depth."""
    return f"reached in no execution of at most {depth} {'action' if depth == 1 else 'actions'}"


WORST_LAST = (
    VerdictKind.PROVED,
    VerdictKind.REACHED,
    VerdictKind.HOLDS,
    VerdictKind.INCONCLUSIVE,
    VerdictKind.NOT_INDUCTIVE,
    VerdictKind.VIOLATED,
    VerdictKind.ERROR,
)
"""All kinds, from the best to the worst."""


@dataclass(frozen=True)
class Verdict:
    """What is known of one property."""

    property_name: str
    kind: VerdictKind
    depth: int | None
    """The depth closed (HOLDS, INCONCLUSIVE) or searched; None if not even the initial states were."""
    seconds: float
    reason: str | None = None
    trace: Trace | None = None
    fewest: bool = False
    """Whether no execution of fewer actions violates the property, or reaches what it names."""
    found_by: str | None = None
    """Which search decided."""
    certificate: str | None = None
    """The file that the proof was written to."""

    @property
    def steps(self) -> int | None:
        """The number of actions of the counterexample or witness."""
        return None if self.trace is None else self.trace.steps


def worst(kinds: Iterable[VerdictKind]) -> VerdictKind:
    """The worst verdict. Raises ValueError if there is none: a run that decided nothing is no success."""
    return max(kinds, key=WORST_LAST.index)


def in_words(kind: VerdictKind, depth: int | None, steps: int | None, reason: str | None) -> str:
    """``HOLDS(12)``, ``VIOLATED in 13 steps``, ``INCONCLUSIVE(timeout of 60 s, depth 7 closed)``."""
    match kind:
        case VerdictKind.HOLDS:
            return f"HOLDS({depth})"
        case VerdictKind.VIOLATED | VerdictKind.REACHED if steps is not None:
            return f"{kind} in {steps_words(steps)}"
        case VerdictKind.INCONCLUSIVE:
            closed = "no depth closed" if depth is None else f"depth {depth} closed"
            return f"INCONCLUSIVE({reason}, {closed})"
        case VerdictKind.PROVED:
            return str(kind)
    return f"{kind}({reason})" if reason else str(kind)


def steps_words(count: int) -> str:
    """``1 step``, ``13 steps``."""
    return f"{count} {'step' if count == 1 else 'steps'}"
