"""Random executions, many side by side: the states that they reach, their lengths, and counts.

Each walk chooses uniformly among the enabled instances (and values of their free parameters). A walk ends in
a deadlock, at a violation, or after the given number of actions. A step invariant is violated if an enabled
instance violates it, even if the walk takes another one. A witness of a reachable property ends no walk. A
walk without a finding proves nothing: the verdict is then INCONCLUSIVE.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pysmt.fnode import FNode

from verifier.encodings.concrete import Concrete, show
from verifier.engines.implied import limit_by_implied
from verifier.engines.outcome import Outcome
from verifier.engines.walked import confirm
from verifier.explicit.compiled import Program
from verifier.explicit.guard_counts import GuardCounts
from verifier.explicit.initial import initial_states
from verifier.explicit.moves import Look, Moves
from verifier.explicit.packing import Rows, places, to_slices, unpack
from verifier.printable import say_count
from verifier.processes.limits import Interrupted, Limits
from verifier.processes.watching import Watched, look_at
from verifier.system.model import Model
from verifier.trust.initial_states import require_initial_state
from verifier.verdict import ENDED_FIRST, Verdict, VerdictKind

_MOST_SIDE_BY_SIDE = 4096
_MOST_CHOICES = 1 << 22
"""The limit of walks times moves that are evaluated together."""
UP_TO_VIOLATION = ", each up to its first violation"
"""Said where an execution ended early, so that one of another property may have been missed."""


@dataclass(frozen=True)
class Request:
    """The number and length of walks, and the counts."""

    properties: tuple[str, ...]
    walks: int = 10_000
    depth: int = 100
    seed: int = 0
    counted_actions: tuple[str, ...] = ()
    measures: Mapping[str, list[tuple[Concrete, FNode]]] = field(default_factory=dict)
    """Expressions by their text, each as values with conditions; read off the last state of a walk."""
    ending: tuple[str, ...] = ()
    """Properties that end guided walks when they are violated."""
    first: bool = False
    """True if a property that is violated ends all."""
    limits: Limits = field(default_factory=Limits)
    coverage: bool = False
    """Count formulas in each state of a walk. Guided walks do not."""


@dataclass(frozen=True)
class Progress:
    """The number of walks that have ended."""

    walks: int
    seconds: float
    violated: str | None = None
    """A property just found to be violated, or reached."""
    reached: bool = False


def simulate(model: Model, request: Request, listen: Callable[[Progress], None] = lambda _: None) -> Outcome:
    """Walks at random; the same seed gives the same walks. Raises NoInitialState, and Interrupted where a
    limit is reached before all moves are compiled."""
    require_initial_state(model)
    return _Simulation(model.asking(request.properties), request, listen).run()


@dataclass
class _Walks:
    """Walks side by side."""

    rows: Rows
    start: Rows
    alive: NDArray[np.intp]
    """The positions of the walks that continue."""
    lengths: NDArray[np.int64]
    moves: list[tuple[NDArray[np.intp], NDArray[np.int64]]]
    """Per step which walks moved, and how."""
    reached: dict[str, NDArray[np.bool_]] = field(default_factory=dict)
    """For each reachable property the walks that reached it."""


@dataclass
class _Simulation:
    model: Model
    request: Request
    listen: Callable[[Progress], None]
    began: float = field(default_factory=time.monotonic)
    ended: int = 0
    steps: int = 0
    deadlocks: int = 0
    cut: int = 0

    def __post_init__(self) -> None:
        self.limits = self.request.limits.begin()
        implied = (prop.name for prop in self.model.system.implied)
        self.names = tuple(dict.fromkeys((*self.request.properties, *implied)))
        """The properties asked for, and the implied ones."""
        self.rng = np.random.default_rng(self.request.seed)
        with Watched(look_at(self.limits)):
            self.moves = Moves(self.model)
        self.action = np.array([self._number(move.instance.action) for move in self.moves.moves], np.int64)
        self.violations: dict[str, Verdict] = {}
        self.violating: Counter[str] = Counter()
        self.reaching: Counter[str] = Counter()
        self.enabled: Counter[str] = Counter()
        self.taken: Counter[str] = Counter()
        self.lengths: Counter[int] = Counter()
        self.counted: dict[str, Counter[int]] = {name: Counter() for name in self.request.counted_actions}
        self.histograms: dict[str, Counter[Concrete]] = {text: Counter() for text in self.request.measures}
        self.guard_counts = GuardCounts(self.model) if self.request.coverage else None
        program = Program(self.model.system.bits)
        for measured in self.request.measures.values():
            for _, when in measured:
                program.output(program.number(when))
        self.measuring = program.compile()

    def _number(self, action: str) -> int:
        names = [known.name for known in self.model.definition.actions]
        return names.index(action)

    def run(self) -> Outcome:
        reason = ""
        try:
            self._simulate()
        except Interrupted as limit:
            reason = str(limit)
        except KeyboardInterrupt:
            reason = "interrupted"
        shown = [name for name in self.names if name in self.request.properties or name in self.violations]
        verdicts = limit_by_implied(self.model.system, [self._verdict(name, reason) for name in shown])
        never = tuple(a.name for a in self.model.definition.actions if not self.enabled[a.name])
        return Outcome(verdicts, never, self._statistics(), tuple(a for a in self.enabled if self.enabled[a]))

    def _simulate(self) -> None:
        initial = initial_states(self.model.system)
        width = max(1, min(_MOST_SIDE_BY_SIDE, _MOST_CHOICES // max(1, len(self.moves.moves))))
        while self.ended < self.request.walks and len(initial):
            count = min(width, self.request.walks - self.ended)
            start = initial[self.rng.integers(0, len(initial), count)]
            walks = _Walks(start.copy(), start, np.arange(count), np.zeros(count, np.int64), [])
            while len(walks.alive):
                self._step(walks)
            self._finish(walks)
            if self.request.first and any(v.kind is VerdictKind.VIOLATED for v in self.violations.values()):
                raise Interrupted(ENDED_FIRST)
            self.listen(Progress(self.ended, time.monotonic() - self.began))

    def _step(self, walks: _Walks) -> None:
        """Take one action in every walk that continues, after checking its state."""
        self.limits.check_time()
        rows = walks.rows[walks.alive]
        look = self.moves.look(rows)
        if self.guard_counts is not None:
            self.guard_counts.count(rows)
        at_end = len(walks.moves) >= self.request.depth
        going = self._check(walks, look, at_end)
        enabled = np.unpackbits(
            look.enabled.view(np.uint8), axis=1, bitorder="little", count=len(walks.alive)
        ).astype(np.bool_)
        self._cover(enabled)
        choices = enabled.sum(axis=0)
        self.deadlocks += int(np.bitwise_count(look.deadlocked).sum())
        self.cut += int((going & (choices > 0)).sum()) if at_end else 0
        going &= (choices > 0) & (not at_end)
        picked = np.floor(self.rng.random(len(choices)) * choices).astype(np.int64)
        chosen = np.argmax(np.cumsum(enabled, axis=0) > picked, axis=0) if len(enabled) else picked
        moving = np.flatnonzero(going)
        for number in np.unique(chosen[moving]):
            sources = moving[chosen[moving] == number]
            walks.rows[walks.alive[sources]] = self.moves.after(look, int(number), sources)
            self.taken[self.moves.moves[number].instance.action] += len(sources)
        walks.alive = walks.alive[moving]
        walks.lengths[walks.alive] += 1
        self.steps += len(moving)
        walks.moves.append((walks.alive, chosen[moving]))

    def _cover(self, enabled: NDArray[np.bool_]) -> None:
        for number, action in enumerate(self.model.definition.actions):
            own = enabled[self.action == number]
            if own.size:
                self.enabled[action.name] += int(own.any(axis=0).sum())

    def _check(self, walks: _Walks, look: Look, at_end: bool) -> NDArray[np.bool_]:
        """Notes violations and witnesses; the walks that go on are those without a violation."""
        going = np.ones(len(walks.alive), np.bool_)
        for name in self.names:
            if at_end and self.model.system.about_steps(name):
                continue  # the step that breaks it would be one too many
            failing = places(look.failing[name])
            if self.model.system.seeks(name):
                here = walks.reached.setdefault(name, np.zeros(len(walks.rows), np.bool_))
                here[walks.alive[failing]] = True
            else:
                self.violating[name] += len(failing)
                going[failing] = False
            if len(failing) and name not in self.violations:
                self._record_violation(name, walks, int(walks.alive[failing[0]]))
        return going

    def _record_violation(self, name: str, walks: _Walks, walk: int) -> None:
        firings = []
        for who, how in walks.moves:
            for number in how[who == walk]:
                move = self.moves.moves[int(number)]
                firings.append((move.instance, move.inputs))
        seconds = time.monotonic() - self.began
        bits = unpack(walks.start[walk], len(self.model.system.bits))
        verdict = confirm(self.model, name, bits, firings, seconds)
        self.violations[name] = verdict
        if verdict.kind is not VerdictKind.ERROR:
            self.listen(Progress(self.ended, seconds, name, verdict.kind is VerdictKind.REACHED))

    def _finish(self, walks: _Walks) -> None:
        """Counts what walks that have ended came to."""
        self.ended += len(walks.rows)
        self.lengths.update(walks.lengths.tolist())
        for name, where in walks.reached.items():
            self.reaching[name] += int(where.sum())
        for name, counter in self.counted.items():
            times = np.zeros(len(walks.rows), np.int64)
            for who, how in walks.moves:
                times[who] += self.action[how] == self._number(name)
            counter.update(times.tolist())
        outputs = iter(self.measuring(list(to_slices(walks.rows, max(1, self.moves.bits)))))
        for text, measured in self.request.measures.items():
            for value, _ in measured:
                held = np.unpackbits(next(outputs).view(np.uint8), bitorder="little", count=len(walks.rows))
                self.histograms[text][value] += int(held.sum())

    def _verdict(self, name: str, reason: str) -> Verdict:
        if name in self.violations:
            return self.violations[name]
        words = f"no violation in {self.ended:,} random executions"
        if self.model.system.seeks(name):
            words = (
                f"reached in none of {self.ended:,} random executions of at most "
                f"{say_count(self.request.depth, 'action')}"
            )
        if any(self.violating.values()):
            words += UP_TO_VIOLATION
        seconds = time.monotonic() - self.began
        why = f"{reason}; {words}" if reason else words
        return Verdict(name, VerdictKind.INCONCLUSIVE, None, seconds, why)

    def _statistics(self) -> dict[str, Any]:
        seconds = time.monotonic() - self.began
        names = [action.name for action in self.model.definition.actions]
        seeks = self.model.system.seeks
        return {
            "walks": self.ended,
            "steps": self.steps,
            "steps_per_second": round(self.steps / seconds) if seconds else None,
            "walks_at_deadlock": self.deadlocks,
            "walks_cut_at_depth": self.cut,
            "walks_violating": {n: self.violating[n] for n in self.request.properties if not seeks(n)},
            "walks_reaching": {n: self.reaching[n] for n in self.request.properties if seeks(n)},
            "actions": {n: {"enabled": self.enabled[n], "taken": self.taken[n]} for n in names},
            "lengths": _by_name(dict(sorted(self.lengths.items()))),
            "action_counts": {name: _by_name(dict(sorted(c.items()))) for name, c in self.counted.items()},
            "histograms": {text: _by_name(counts) for text, counts in self.histograms.items()},
            **({} if self.guard_counts is None else self.guard_counts.as_statistics()),
        }


def _by_name(counts: Mapping[Any, int]) -> dict[str, int]:
    """Counts by the values as a reader writes them."""
    return {show(value): count for value, count in counts.items() if count}
