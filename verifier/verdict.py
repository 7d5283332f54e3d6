"""Verdicts: what an engine found out about one property."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING

from verifier.printable import say_count

if TYPE_CHECKING:
    from verifier.trust.trace import Trace


_SURPRISE = "a good verdict that --expect does not ask for, or any other difference in verify ci"


VACUOUS = "vacuous: "
"""The beginning of the reason of a HOLDS that says nothing: no fair execution stays within a constraint."""
LOOPS_OF_VIEW = "leave it open: a loop of the VIEW, as TLC finds, need not be an execution"
"""The end of the reason for an open property, if a VIEW hides variables that grow forever."""
LEFT_TO_LIVE = "temporal: only check and live decide it"
"""Why a property of executions has no verdict of an engine that looks at states and steps."""
ENDED_FIRST = "ended at the first violation, as asked"
"""Why a property has no verdict of a run that was to end once another one is violated."""
COMPLETE = "complete: every reachable state was checked"
"""Why a property HOLDS of an exploration."""
FOUND_ALL = "ended when the other properties were violated or reached"
"""Why a property has no verdict of an exploration that found all others."""
ENDED_OTHERS = "ended when the other properties were violated"
"""Why a property has no verdict of a run in which all that was asked for by name is violated."""
ONE_OF_EACH_VIEW = "complete up to the VIEW: one state of each of its values was checked"
"""Why a property HOLDS of an exploration that takes states with equal views for one."""
TEMPORAL_PART = " (temporal part)"
"""The suffix of a property's name where engines decide the rest of it."""
OF_STEPS = "!step"
"""The suffix of a property's name for its part about steps, if it also has one about states."""


def say_limits(constraints: Sequence[str]) -> str:
    """Say that a verdict is about executions within constraints, with a space before the words; nothing
    without constraints."""
    if not constraints:
        return ""
    return f" within the constraint{'' if len(constraints) == 1 else 's'} {', '.join(constraints)}"


def say_reachable(constraints: Sequence[str]) -> str:
    """Return the words for a state that an execution within constraints reaches."""
    return f"state reachable{say_limits(constraints)}" if constraints else "reachable state"


class ExitCode(IntEnum):
    """The exit codes of all commands, each with what it means; from the best to the worst."""

    meaning: str

    def __new__(cls, code: int, meaning: str) -> ExitCode:
        """A code with its meaning."""
        made = int.__new__(cls, code)
        made._value_ = code
        made.meaning = meaning
        return made

    SUCCESS = 0, "holds, proved or reached, or the verdict that --expect names"
    NOT_AS_EXPECTED = 14, _SURPRISE
    INCONCLUSIVE = 12, "inconclusive: time, memory, interrupted, not reached within the depth"
    NOT_INDUCTIVE = 11, "not inductive: a proof by lemmas fails, but the property may hold"
    DEADLOCK = 13, "a deadlock (checked by default for TLA+, with --deadlock for Python)"
    VIOLATED = 10, "violated"
    WRONG_USAGE = 2, "wrong usage or bad input"
    READER_GONE = 141, "the reader of the output ended early, as in verify show kip320 | head"
    INTERNAL_ERROR = 1, "an error of verify itself"

    @classmethod
    def worst(cls, codes: Iterable[int]) -> ExitCode:
        """The worst of several; success if there is none."""
        return max(map(cls, codes), key=list(cls).index, default=cls.SUCCESS)


class VerdictKind(StrEnum):
    """The kinds of verdicts, from the best to the worst."""

    PROVED = "PROVED"
    """For all depths, with a certificate."""
    REACHED = "REACHED"
    """A reachable state satisfies it; with a replayed trace to that state."""
    HOLDS = "HOLDS"
    """No violation in any execution of at most ``depth`` actions."""
    INCONCLUSIVE = "INCONCLUSIVE"
    """Nothing decided beyond ``depth``; ``reason`` says why."""
    NOT_INDUCTIVE = "NOT_INDUCTIVE"
    """With a counterexample to induction, whose first state may be unreachable."""
    VIOLATED = "VIOLATED"
    """With a replayed trace; of a reachable property without one: no reachable state satisfies it."""
    ERROR = "ERROR"
    """This program contradicts itself; ``reason`` shows both sides."""

    @property
    def exit_code(self) -> ExitCode:
        """The exit code where nothing was expected."""
        return _EXIT_CODES[self]


_EXIT_CODES = {
    VerdictKind.PROVED: ExitCode.SUCCESS,
    VerdictKind.REACHED: ExitCode.SUCCESS,
    VerdictKind.HOLDS: ExitCode.SUCCESS,
    VerdictKind.INCONCLUSIVE: ExitCode.INCONCLUSIVE,
    VerdictKind.NOT_INDUCTIVE: ExitCode.NOT_INDUCTIVE,
    VerdictKind.VIOLATED: ExitCode.VIOLATED,
    VerdictKind.ERROR: ExitCode.INTERNAL_ERROR,
}

NEVER_REACHED = "reached in no state: every reachable state was looked at"
_NOT_REACHED = "not reached in any execution of at most"
POSTCONDITION_FALSE = "the postcondition is false"
NO_STATE_REACHES = "reached in no state: an invariant excludes it"


def settle_verdict(*, sought: bool) -> tuple[VerdictKind, str | None]:
    """The verdict that a proof for all depths means, and why: what was ``sought`` (a reachable property) is
    reached by no execution, so its claim fails; any other property is proved."""
    return (VerdictKind.VIOLATED, NO_STATE_REACHES) if sought else (VerdictKind.PROVED, None)


def say_not_reached(depth: int) -> str:
    """Say why a reachable property stays open that was looked for to that depth."""
    return f"{_NOT_REACHED} {say_count(depth, 'action')}"


def beyond_depth(depth: int) -> str:
    """The text about a longer execution than was asked for, which decides all the same."""
    return f"beyond the depth of {depth} asked for"


_OF_SAMPLES = (" random executions", " guided walks")
"""Words of a reason that counts executions of a sample. A sample closes no depth, so none is named."""
IS_VIOLATED = " is violated"
"""The end of the reason for an open verdict: another property, which comes first, is violated."""
ALL_CONSTANTS = "all-constants"
"""The search that decided: a proof for all constants."""


@dataclass(frozen=True)
class Verdict:
    """The verdict on one property."""

    property_name: str
    kind: VerdictKind
    depth: int | None
    """The depth closed (HOLDS, INCONCLUSIVE) or searched; None if not even the initial states were."""
    seconds: float
    reason: str | None = None
    trace: Trace | None = None
    fewest: bool = False
    """True if no execution of fewer actions violates the property, or reaches what it names."""
    found_by: str | None = None
    """The search that decided."""
    certificate: str | None = None
    """The file that the proof was written to."""

    @property
    def steps(self) -> int | None:
        """The number of actions of the counterexample or witness."""
        return None if self.trace is None else self.trace.steps


def worst(kinds: Iterable[VerdictKind]) -> VerdictKind:
    """The worst verdict. Raises ValueError if there is none: a run that decided nothing is no success."""
    return max(kinds, key=list(VerdictKind).index)


def in_words(
    kind: VerdictKind,
    depth: int | None,
    steps: int | None,
    reason: str | None,
    *,
    searches_depths: bool = True,
) -> str:
    """``HOLDS(12)``, ``VIOLATED in 13 steps``, ``INCONCLUSIVE(timeout of 60 s, depth 7 closed)``.

    No depth matters to what another engine decides. ``searches_depths``: False for a proof for all
    constants."""
    match kind:
        case VerdictKind.HOLDS:
            return f"HOLDS({depth})" + (", vacuous" if (reason or "").startswith(VACUOUS) else "")
        case VerdictKind.VIOLATED | VerdictKind.REACHED if steps is not None:
            return f"{kind} in {steps_words(steps)}" + (f", {reason}" if reason else "")
        case VerdictKind.INCONCLUSIVE if reason != LEFT_TO_LIVE:
            return f"INCONCLUSIVE({say_why_open(reason, depth) if searches_depths else reason})"
        case VerdictKind.PROVED:
            return str(kind)
    return f"{kind}({reason})" if reason else str(kind)


def say_why_open(reason: str | None, depth: int | None) -> str:
    """Return the reason for an open property, with the depth closed, unless the reason names it."""
    of_sample = depth is None and any(words in (reason or "") for words in _OF_SAMPLES)
    if of_sample or _says_depth(reason):
        return str(reason)
    between = ";" if "; " in str(reason) else ","
    return f"{reason}{between} {'no depth closed' if depth is None else f'depth {depth} closed'}"


def _says_depth(reason: str | None) -> bool:
    """True if a reason for an open property names the depth that was searched."""
    return reason is not None and reason.startswith(_NOT_REACHED)


def steps_words(count: int) -> str:
    """``1 step``, ``13 steps``."""
    return say_count(count, "step")
