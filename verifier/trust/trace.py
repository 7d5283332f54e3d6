"""Traces: executions as concrete states and the actions between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from verifier.encodings.blame import Blame
from verifier.encodings.concrete import Concrete, show
from verifier.encodings.terms import Symbol
from verifier.encodings.tla_values import Words, show_tla


@dataclass(frozen=True)
class ActionTaken:
    """An action with the values of all its parameters, expanded and free."""

    name: str
    parameters: Mapping[str, Concrete]

    words: Words | None = field(default=None, compare=False)
    """Of a TLA+ module: the meaning of the words in the parameters."""

    def __str__(self) -> str:
        say = show if self.words is None else partial(show_tla, words=self.words)
        shown = (f"{name}={say(value)}" for name, value in self.parameters.items())
        return f"{self.name}({', '.join(shown)})"


@dataclass(frozen=True)
class Loop:
    """The loop of an infinite execution: an earlier state follows the last state."""

    start: int
    """The index of the state that follows the last one."""
    closing: ActionTaken | None
    """The action that leads there. None: the execution stutters in the last state, which is the start."""
    fairness: str
    """The name of the fairness that the loop meets."""
    conditions: tuple[tuple[str, str], ...] = ()
    """Each fairness condition with the reason why the loop meets it."""


@dataclass(frozen=True)
class FailingPart:
    """A part of a formula, in words: of a property one that is false, of an action one that it demands."""

    formula: str
    witnesses: tuple[tuple[str, str], ...]
    """The values bound around it."""
    where: tuple[tuple[str, str], ...]
    """Values that it mentions."""
    blame: Blame | None = None
    """Of a false part, why it is false, and the parts of the state that decide it."""
    premises: tuple[FailingPart, ...] = ()
    """The demands on it, which are true: left sides of implications, conditions, membership in sets."""
    is_branch: bool = False
    """True of a sentence that says which branch applies, and why."""
    action: str = ""
    """The action that waits for it, where none is enabled."""

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the object that a trace file has for it."""
        premises = [one.as_json for one in self.premises]
        return {
            "formula": self.formula,
            "witnesses": [list(one) for one in self.witnesses],
            "where": [list(one) for one in self.where],
            **({} if self.blame is None else self.blame.as_json),
            **({"premises": premises} if premises else {}),
            **({"branch": True} if self.is_branch else {}),
            **({"action": self.action} if self.action else {}),
        }


@dataclass(frozen=True)
class Trace:
    """An execution: ``states[i + 1]`` follows from ``states[i]`` by ``actions[i]``."""

    spec: str
    spec_hash: str
    constants: Mapping[str, Concrete]
    violates: str | None
    """The property that the last state violates or reaches."""
    states: tuple[Mapping[str, Concrete], ...]
    actions: tuple[ActionTaken, ...]
    loop: Loop | None = None
    """Set if the execution is infinite."""
    shown: tuple[Mapping[str, str], ...] = ()
    """The text shown in place of the states, where the protocol says so: ALIAS of TLA+."""
    variables: tuple[Symbol, ...] = ()
    """The variables at sorts of this execution alone, where its protocol has none: TLA+, not translated."""
    failing: tuple[FailingPart, ...] = ()
    """Why the last state or step violates the property, where the protocol's own language says it."""
    fails_in_step: bool = False
    """True if these concern the last step."""
    words: Words | None = None
    """Of a TLA+ module: the meaning of the words in the states."""

    @property
    def steps(self) -> int:
        """The number of actions, with the one that closes the loop."""
        return len(self.actions) + (self.loop is not None and self.loop.closing is not None)
