"""Guided random walks: many side by side, restarted from the most promising states that walks have reached.

Walks take a few actions per round. The next round begins again in an initial state, or where states were most
novel (``novelty``). A walk draws a preference for each action and keeps it, as in swarm testing, and actions
that were seldom taken come first. Between rounds a solver looks some parallel steps ahead of the most novel
states (``probes``): the walks come far, and the solver finds what random choices miss there.

A violation is replayed and shortened. It may not have the fewest actions. Walks prove nothing.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.engines.implied import limit_by_implied
from verifier.engines.novelty import Novelty
from verifier.engines.outcome import Outcome
from verifier.engines.probes import Probes
from verifier.engines.simulate import Progress, Request
from verifier.engines.walked import confirm
from verifier.explicit.initial import initial_states
from verifier.explicit.moves import Look, Moves
from verifier.explicit.packing import Rows, places, unpack
from verifier.processes.limits import Interrupted
from verifier.processes.watching import Watched, look_at
from verifier.solvers import UnknownAnswer
from verifier.system.model import Model
from verifier.trust.initial_states import require_initial_state
from verifier.trust.replay import Bits, Replayer
from verifier.trust.shorten import Firings
from verifier.verdict import ENDED_FIRST, Verdict, VerdictKind

_WIDTH, _MOST_CHOICES = 1024, 1 << 20
"""The most walks side by side, and the limit of walks times moves."""
_STEPS = 16
"""The actions of a walk in one round."""
_KEPT, _KEPT_PER_STEP = 512, 12
"""The promising states that are kept, and those that each step of all walks adds."""
_FRESH = 0.2
"""The share of walks that begin in an initial state."""
_EVEN = 0.2
"""The share of walks that choose among actions without a preference."""
_ROUNDS = 400
"""The rounds after which all counts and promising states are forgotten: other features are drawn then."""
_PROBED_EFFORT = 3_000_000
"""The solver's propagations after each round, about as long as a round takes."""
_PROBED = 64
"""The most probes after each round."""
_QUICK_EFFORT = 250_000
"""The propagations of a probe below which the next ones look further."""
_AVERAGED = 16
"""The probes of which the efforts are averaged."""
SOLVER = "cadical"


@dataclass(frozen=True, eq=False)
class _Node:
    """A promising state: an earlier one, or an initial state, and the moves from there."""

    before: _Node | None
    initial: int
    """The place of the initial state."""
    moves: tuple[int, ...]
    depth: int

    def path(self) -> list[int]:
        """Return all moves from the initial state."""
        parts, node = [], self
        while node.before is not None:
            parts.append(node.moves)
            node = node.before
        return [move for part in reversed(parts) for move in part]


@dataclass
class _Round:
    """Walks side by side, and the nodes in which they began."""

    rows: Rows
    nodes: list[_Node]
    weights: NDArray[np.float64]
    """For each action and walk the preference."""
    alive: NDArray[np.intp]
    history: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = field(default_factory=list)
    violating: dict[str, set[int]] = field(default_factory=dict)
    """For each property the walks that violate it in some state of this round."""

    def moves(self, walk: int) -> tuple[int, ...]:
        """Return the moves of a walk in this round. A walk that has ended took part in the first steps."""
        taken = []
        for who, how in self.history:
            place = int(np.searchsorted(who, walk))
            if place == len(who) or who[place] != walk:
                break
            taken.append(int(how[place]))
        return tuple(taken)


def walk_guided(
    model: Model, request: Request, listen: Callable[[Progress], None] = lambda _: None
) -> Outcome:
    """Walk; the same seed gives the same walks. Raises NoInitialState, and Interrupted where a limit is
    reached before all moves are compiled."""
    require_initial_state(model)
    return _GuidedWalks(model.asking(request.properties), request, listen).run()


class _GuidedWalks:
    def __init__(self, model: Model, request: Request, listen: Callable[[Progress], None]) -> None:
        self.model, self.request, self.listen = model, request, listen
        self.began = time.monotonic()
        self.limits = request.limits.begin()
        self.implied = tuple(prop.name for prop in model.system.implied)
        self.names = tuple(dict.fromkeys((*request.properties, *self.implied)))
        self.open = list(self.names)
        self.rng = np.random.default_rng(request.seed)
        with Watched(look_at(self.limits)):
            self.moves = Moves(model)
            self.initial = initial_states(model.system)
        # A module may have several actions of one name, which are counted together.
        actions = list(dict.fromkeys(action.name for action in model.definition.actions))
        self.action = np.array([actions.index(move.instance.action) for move in self.moves.moves], np.intp)
        # The moves of one action lie together, so that they are counted by one sum.
        self.order = np.argsort(self.action, kind="stable")
        self.present, self.first = np.unique(self.action[self.order], return_index=True)
        self.actions = [actions[number] for number in self.present]
        self.names_of_actions = actions
        self.enabled, self.taken = np.zeros(len(actions), np.int64), np.zeros(len(actions), np.int64)
        self.verdicts: dict[str, Verdict] = {}
        self.violating: Counter[str] = Counter()
        self.ended = self.steps = self.deadlocks = self.deepest = self.rounds = self.restarts = 0
        self.probes: Probes | None = None
        self.efforts: list[int] = []
        self.probed: set[tuple[bool, ...]] = set()
        self.replayer = Replayer(model)
        self._forget()

    def _forget(self) -> None:
        """Begin with other features."""
        self.novelty = Novelty(self.model.layout.leaves, self.rng)
        self.rows: Rows = self.initial[:0]
        self.nodes: list[_Node] = []
        self.chosen = np.zeros(0, np.int64)
        """For each promising state, how many walks began there."""
        self.known: set[bytes] = set()

    def run(self) -> Outcome:
        reason = ""
        try:
            while self._goes_on:
                self._round()
                self._probe()
                self.listen(Progress(self.ended, time.monotonic() - self.began))
        except Interrupted as limit:
            reason = str(limit)
        except KeyboardInterrupt:
            reason = "interrupted"
        finally:
            if self.probes is not None:
                self.probes.close()
        shown = [name for name in self.names if name in self.request.properties or name in self.verdicts]
        verdicts = limit_by_implied(self.model.system, [self._verdict(name, reason) for name in shown])
        enabled = tuple(n for n, times in zip(self.names_of_actions, self.enabled, strict=True) if times)
        never = tuple(name for name in self.names_of_actions if name not in enabled)
        return Outcome(verdicts, never, self._statistics(), enabled)

    @property
    def _goes_on(self) -> bool:
        asked = any(name in self.open for name in self.request.properties)
        return asked and self.ended < self.request.walks and len(self.initial) > 0

    # -- walks

    def _round(self) -> None:
        if self.rounds and self.rounds % _ROUNDS == 0:
            self._forget()
        walks = self._begin()
        try:
            for step in range(_STEPS + 1):
                self.limits.check_time()
                look = self.moves.look(walks.rows[walks.alive])
                going = self._check(walks, look)
                if not self._move(walks, look, going, ends=step == _STEPS):
                    break
        finally:  # walks that a limit or a violation ends count, too
            self.rounds += 1
            self.ended += len(walks.rows)
            self.violating.update({name: len(seen) for name, seen in walks.violating.items()})

    def _begin(self) -> _Round:
        """Return walks that begin in initial states, and in promising ones: the better the more often."""
        width = max(1, min(_WIDTH, _MOST_CHOICES // max(1, len(self.moves.moves))))
        count = min(width, self.request.walks - self.ended)
        again = self.rng.random(count) >= _FRESH if len(self.rows) else np.zeros(count, np.bool_)
        self.restarts += int(again.sum())
        picked = self.rng.integers(0, len(self.initial), count)
        rows = self.initial[picked]
        nodes = [_Node(None, int(place), (), 0) for place in picked]
        if again.any():
            scores = self.novelty.score(self.rows) / (1.0 + self.chosen)
            chosen = self.rng.choice(len(scores), int(again.sum()), p=scores / scores.sum())
            np.add.at(self.chosen, chosen, 1)
            rows[again] = self.rows[chosen]
            for walk, place in zip(np.flatnonzero(again), chosen, strict=True):
                nodes[walk] = self.nodes[place]
        return _Round(rows, nodes, self._weights(count), np.arange(count))

    def _weights(self, count: int) -> NDArray[np.float64]:
        """Return preferences of walks: a few actions are nearly switched off, others come first."""
        drawn = np.exp(self.rng.normal(0.0, 1.2, (len(self.present), count)))
        drawn[self.rng.random(drawn.shape) < 0.25] = 0.01
        drawn[:, self.rng.random(count) < _EVEN] = 1.0
        rare: NDArray[np.float64] = 1.0 / np.sqrt(1.0 + self.taken[self.present])
        return drawn * rare[:, np.newaxis]

    def _move(self, walks: _Round, look: Look, going: NDArray[np.bool_], *, ends: bool) -> bool:
        """Take an action in every walk that continues, unless the round ends. Return whether any does."""
        count = len(walks.alive)
        enabled = np.unpackbits(look.enabled.view(np.uint8), axis=1, bitorder="little", count=count)
        enabled = enabled[self.order]
        ways = np.add.reduceat(enabled, self.first, axis=0, dtype=np.int64)
        self.enabled[self.present] += (ways > 0).sum(axis=1)
        self.deadlocks += int(np.bitwise_count(look.deadlocked).sum())
        depths = np.array([walks.nodes[walk].depth for walk in walks.alive]) + len(walks.history)
        going &= ways.any(axis=0) & (depths < self.request.depth)
        moving = np.flatnonzero(going)
        if len(moving) and walks.history:
            self._keep(walks, moving)
        if ends or not len(moving):
            return False
        likely = np.cumsum((ways > 0)[:, moving] * walks.weights[:, walks.alive[moving]], axis=0)
        action = np.argmax(likely > self.rng.random(len(moving)) * likely[-1], axis=0)
        which = np.floor(self.rng.random(len(moving)) * ways[action, moving]).astype(np.int64)
        chosen = np.empty(len(moving), np.intp)
        bounds = [*self.first.tolist(), len(self.order)]
        for number in np.unique(action):
            own = action == number
            part = np.cumsum(
                enabled[bounds[number] : bounds[number + 1], moving[own]], axis=0, dtype=np.int64
            )
            chosen[own] = self.order[bounds[number] + np.argmax(part > which[own], axis=0)]
        for number in np.unique(chosen):
            sources = moving[chosen == number]
            walks.rows[walks.alive[sources]] = self.moves.after(look, int(number), sources)
        np.add.at(self.taken, self.action[chosen], 1)
        walks.alive = walks.alive[moving]
        walks.history.append((walks.alive, chosen))
        self.steps += len(moving)
        self.deepest = max(self.deepest, int(depths[moving].max()) + 1)
        return True

    def _keep(self, walks: _Round, moving: NDArray[np.intp]) -> None:
        """Keep the most novel of the states that the walks have just reached, if they can go on there."""
        alive = walks.alive[moving]
        rows = walks.rows[alive]
        scores = self.novelty.note(rows)
        for place in np.argsort(-scores, kind="stable")[: 4 * _KEPT_PER_STEP][:_KEPT_PER_STEP]:
            key = rows[place].tobytes()
            if key in self.known:
                continue
            self.known.add(key)
            walk = int(alive[place])
            begun, moves = walks.nodes[walk], walks.moves(walk)
            self.nodes.append(_Node(begun, begun.initial, moves, begun.depth + len(moves)))
            self.rows = np.concatenate([self.rows, rows[place : place + 1]])
            self.chosen = np.append(self.chosen, 0)
        if len(self.rows) > 2 * _KEPT:
            scores = self.novelty.score(self.rows) / (1.0 + self.chosen)
            best = np.argsort(-scores, kind="stable")[:_KEPT]
            self.rows, self.chosen = self.rows[best], self.chosen[best]
            self.nodes = [self.nodes[place] for place in best]

    # -- probes

    def _probe(self) -> None:
        """Look ahead of promising states, and of states on the way to them."""
        if self.probes is None and self.open:
            self.probes = Probes(self.model.system, self.open, SOLVER, self.request.seed)
        if self.probes is None or not len(self.rows):
            return
        began = self.probes.effort()
        likely = self.novelty.score(self.rows)
        for place in self.rng.choice(len(likely), _PROBED, p=likely / likely.sum()):
            if self.probes.effort() - began > _PROBED_EFFORT or not self._goes_on:
                return
            path = self.nodes[place].path()
            # The most novel states are often dead ends. Those before them may still lead elsewhere.
            end = int(self.rng.integers(0, 2 * len(path)))
            self._look_ahead(self.probes, self.nodes[place].initial, path[:end])
            self.limits.check_time()

    def _look_ahead(self, probes: Probes, initial: int, path: Sequence[int]) -> None:
        firings = self._firings(path)
        state: Bits | None = unpack(self.initial[initial], len(self.model.system.bits))
        for instance, inputs in firings:
            assert state is not None, "walks take enabled instances only"
            state = self.replayer.successor(state, instance, inputs)
        assert state is not None
        if tuple(state) in self.probed:
            return
        self.probed.add(tuple(state))
        before = probes.effort()
        try:
            execution = probes.search(state)
        except UnknownAnswer:
            return
        self.efforts = [*self.efforts[-_AVERAGED + 1 :], probes.effort() - before]
        if execution is not None:
            names, ahead = execution
            system = self.model.system
            firings += [(system.instances[one.instance], one.inputs) for one in ahead]
            for name in names:
                self._record_violation(name, initial, firings)
        elif len(self.efforts) == _AVERAGED and sum(self.efforts) < _QUICK_EFFORT * _AVERAGED:
            self.efforts = []
            probes.look_further()

    # -- violations

    def _check(self, walks: _Round, look: Look) -> NDArray[np.bool_]:
        """Note violations and witnesses; the walks that go on are those without a violation."""
        going = np.ones(len(walks.alive), np.bool_)
        for name in self.names:
            failing = places(look.failing[name])
            if not self.model.system.seeks(name) and (name in self.open or name in self.implied):
                going[failing] = False  # else what is beyond a known violation would stay unseen
            seen = walks.violating.setdefault(name, set())
            seen.update(walks.alive[failing].tolist())
            if len(failing) and name in self.open:
                walk = int(walks.alive[failing[0]])
                node = walks.nodes[walk]
                self._record_violation(name, node.initial, self._firings([*node.path(), *walks.moves(walk)]))
        return going

    def _firings(self, path: Sequence[int]) -> Firings:
        return [(self.moves.moves[move].instance, self.moves.moves[move].inputs) for move in path]

    def _record_violation(self, name: str, place: int, firings: Firings) -> None:
        seconds = time.monotonic() - self.began
        initial = unpack(self.initial[place], len(self.model.system.bits))
        verdict = confirm(self.model, name, initial, firings, seconds)
        self.verdicts[name] = verdict
        self.open.remove(name)
        if self.probes is not None:
            self.probes.settle(name)
        if verdict.kind is not VerdictKind.ERROR:
            self.listen(Progress(self.ended, seconds, name, verdict.kind is VerdictKind.REACHED))
        if verdict.kind is VerdictKind.VIOLATED and (self.request.first or name in self.request.ending):
            raise Interrupted(ENDED_FIRST)

    def _verdict(self, name: str, reason: str) -> Verdict:
        if name in self.verdicts:
            return self.verdicts[name]
        seconds = time.monotonic() - self.began
        words = f"{'no witness' if self.model.system.seeks(name) else 'no violation'} in {self._describe()}"
        why = f"{reason}; {words}" if reason else words
        return Verdict(name, VerdictKind.INCONCLUSIVE, None, seconds, why)

    def _describe(self) -> str:
        """Return what was tried, in words."""
        ahead = (
            ""
            if self.probes is None
            else f", {len(self.probed):,} searches of {self.probes.steps} steps ahead"
        )
        return f"{self.ended:,} guided walks ({self.steps:,} actions, at most {self.deepest} in a row{ahead})"

    def _statistics(self) -> dict[str, Any]:
        seconds = time.monotonic() - self.began
        seeks = self.model.system.seeks
        counts = zip(self.names_of_actions, self.enabled.tolist(), self.taken.tolist(), strict=True)
        return {
            "walks": self.ended,
            "steps": self.steps,
            "steps_per_second": round(self.steps / seconds) if seconds else None,
            "walks_at_deadlock": self.deadlocks,
            "walks_cut_at_depth": 0,
            "walks_violating": {n: self.violating[n] for n in self.request.properties if not seeks(n)},
            "walks_reaching": {n: self.violating[n] for n in self.request.properties if seeks(n)},
            "actions": {name: {"enabled": enabled, "taken": taken} for name, enabled, taken in counts},
            "lengths": {},
            "action_counts": {},
            "histograms": {},
            "restarts": self.restarts,
            "deepest": self.deepest,
            "probes": len(self.probed),
            "probed_steps": 0 if self.probes is None else self.probes.steps,
        }
