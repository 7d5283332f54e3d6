"""Exploration, the search for lassos and proof of a temporal property, side by side.

The first decisive answer counts. Two decisive answers that contradict each other are an error, and so is a
lasso that is no longer than what a search has closed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any

import psutil

from verifier.engines import bmc, explore, prove, ranking
from verifier.engines.choices import LiveEngine
from verifier.engines.live_methods import (
    Listen,
    Request,
    by_exploration,
    by_orbits,
    by_proof,
    by_ranking,
    by_search,
)
from verifier.engines.live_orbits import no_symmetry
from verifier.engines.proofs import ProveOutcome
from verifier.printable import say_count
from verifier.processes.children import ChildEnded, Children, Message, Work
from verifier.processes.memory_shares import MemoryShares
from verifier.system.liveness import LiveModel
from verifier.system.ranking_model import is_ranked
from verifier.verdict import Verdict, VerdictKind

_ENGINES = {
    LiveEngine.EXPLICIT: by_exploration,
    LiveEngine.BMC: by_search,
    LiveEngine.L2S: by_proof,
    LiveEngine.RANKING: by_ranking,
    LiveEngine.ORBITS: by_orbits,
}
_PARTS_OF_MEMORY = {
    LiveEngine.EXPLICIT: 5,
    LiveEngine.BMC: 2,
    LiveEngine.L2S: 3,
    LiveEngine.RANKING: 1,
    LiveEngine.ORBITS: 3,
}
_BY_DEPTHS = (LiveEngine.BMC, LiveEngine.L2S)
_EXPLORING = (LiveEngine.EXPLICIT, LiveEngine.ORBITS)
_IN_THE_BACKGROUND = 5
"""The difference in priority between a group of engines and the one before it (``_place``)."""
_BEYOND_ALL_DEPTHS = 1_000_000
_SECONDS_FOR_OTHERS = 0.2
"""The time for further answers that were given at the same time."""


@dataclass(frozen=True)
class _Answer:
    """The answer of an engine."""

    outcome: ProveOutcome


def side_by_side(live: LiveModel, request: Request, listen: Listen = lambda _: None) -> ProveOutcome:
    """Run the engines, and return the first decision, or the findings of each if none decides."""
    return _Portfolio(live, request, listen).run()


def _place(engine: LiveEngine, beside: Sequence[LiveEngine]) -> int:
    """Return the number of groups before the engine's, if there are fewer cores than processes. A ranking
    comes first, since it takes seconds or proves nothing. Then comes exploration, which ends; then engines
    that proceed from depth to depth."""
    groups = ((LiveEngine.RANKING,), _EXPLORING, _BY_DEPTHS)
    present = [group for group in groups if any(one in beside for one in group)]
    return next(place for place, group in enumerate(present) if engine in group)


class _Portfolio:
    def __init__(self, live: LiveModel, request: Request, listen: Listen) -> None:
        self.live = live
        self.name = live.property_.name
        self.request = replace(request, limits=request.limits.begin())
        self.memory = MemoryShares(request.limits.memory or psutil.virtual_memory().available)
        self.listen = listen
        self.began = time.monotonic()
        useless = {LiveEngine.RANKING: not is_ranked(live), LiveEngine.ORBITS: no_symmetry(live) is not None}
        useless |= {} if request.explore else dict.fromkeys(_EXPLORING, True)
        self.engines = tuple(engine for engine in _ENGINES if not useless.get(engine))
        self.answers: dict[LiveEngine, ProveOutcome] = {}
        self.failures: dict[LiveEngine, str] = {}
        self.heard: dict[LiveEngine, dict[str, Any]] = {engine: {} for engine in self.engines}
        self.closed: dict[LiveEngine, int] = {}
        """The most states of a lasso of which an engine says that there is none."""

    def run(self) -> ProveOutcome:
        children = Children(self.request.limits, nested=True)
        reason = children.supervise(lambda: self._follow(children))
        outcome = self._outcome(reason)
        about = {
            engine.value: self.heard[engine] | ({"failure": failure} if failure else {})
            for engine, failure in ((engine, self.failures.get(engine)) for engine in self.engines)
        }
        statistics = {**outcome.statistics, "engines": about}
        peak = max(children.peak_memory, statistics.get("peak_memory_bytes", 0))
        return replace(outcome, statistics={**statistics, "peak_memory_bytes": peak})

    def _follow(self, children: Children) -> None:
        for engine in self.engines:
            children.start(engine.value, self._work(engine))
        for event in children.events():
            self._take(event)
            if self._decisive(children.running):
                break
        until = time.monotonic() + _SECONDS_FOR_OTHERS
        while time.monotonic() < until and (events := list(children.poll(0.0))):
            for event in events:
                self._take(event)

    def _work(self, engine: LiveEngine) -> Work:
        part = _PARTS_OF_MEMORY[engine] / sum(_PARTS_OF_MEMORY[one] for one in self.engines)
        limits = replace(self.request.limits, memory=self.memory.give(engine.value, part))
        request = replace(self.request, limits=limits, depth=_BEYOND_ALL_DEPTHS)
        decide = _ENGINES[engine]

        def work(report: Callable[[Any], None], incoming: Connection) -> None:
            os.nice(_IN_THE_BACKGROUND * _place(engine, self.engines))
            report(_Answer(decide(self.live, request, report)))

        return work

    def _take(self, event: Message | ChildEnded) -> None:
        engine = LiveEngine(event.child)
        if isinstance(event, ChildEnded):
            if event.failure is not None:
                self.failures[engine] = event.failure
            return
        news = event.content
        if isinstance(news, _Answer):
            self.answers[engine] = news.outcome
            if engine in _EXPLORING and "distinct_states" in news.outcome.statistics:
                self.heard[engine] = {"states": news.outcome.statistics["distinct_states"]}
            for verdict in news.outcome.verdicts:
                if verdict.property_name == self.name and verdict.kind is VerdictKind.INCONCLUSIVE:
                    self._close(engine, verdict.depth)
            return
        self._hear(engine, news)
        self.listen(news)

    def _hear(self, engine: LiveEngine, news: Any) -> None:
        """Remembers how far an engine is."""
        match news:
            case ranking.Progress():
                self.heard[engine] = {"claims": news.claims, "shown": news.shown}
            case explore.Progress():
                self.heard[engine] = {"states": news.states}
            case bmc.Progress() if news.steps is None and self.name in news.properties:
                self._close(engine, news.depth)
            case prove.Progress() if news.depth is not None:
                self._close(engine, news.depth - 1)  # the step that starts the loop

    def _close(self, engine: LiveEngine, depth: int | None) -> None:
        if engine in _BY_DEPTHS and depth is not None and depth >= 0:
            self.closed[engine] = max(depth, self.closed.get(engine, 0))
            self.heard[engine]["depth"] = self.closed[engine]

    # What it all means

    def _own(self) -> Iterator[tuple[LiveEngine, Verdict]]:
        """The verdict of each engine on the property itself."""
        for engine, outcome in self.answers.items():
            for verdict in outcome.verdicts:
                if verdict.property_name == self.name:
                    yield engine, verdict

    def _decisive(self, running: list[str]) -> list[LiveEngine]:
        """The engines that decide, in the order of their answers.

        That an implied property is violated decides nothing while exploration may still find a lasso.
        """
        engines = [engine for engine, verdict in self._own() if verdict.kind is not VerdictKind.INCONCLUSIVE]
        if engines or LiveEngine.EXPLICIT.value in running:
            return engines
        explored = self.answers.get(LiveEngine.EXPLICIT)
        if explored is not None and len(explored.verdicts) > 1:
            return [LiveEngine.EXPLICIT]
        return [engine for engine, outcome in self.answers.items() if len(outcome.verdicts) > 1]

    def _outcome(self, reason: str) -> ProveOutcome:
        deciding = self._decisive([])
        conflict = self._conflict()
        if conflict:
            return self._without_answer(VerdictKind.ERROR, conflict)
        if deciding:
            first = self.answers[deciding[0]]
            statistics = {**first.statistics, "decided_by": deciding[0].value}
            return replace(first, statistics=statistics)
        said = {engine: verdict.reason for engine, verdict in self._own()} | self.failures
        own = "; ".join(f"{engine}: {words}" for engine, words in said.items() if words)
        return self._without_answer(VerdictKind.INCONCLUSIVE, reason or own or "the engines ended early")

    def _without_answer(self, kind: VerdictKind, reason: str) -> ProveOutcome:
        depth = max(self.closed.values(), default=None)
        verdict = Verdict(self.name, kind, depth, time.monotonic() - self.began, reason)
        enabled = {name for outcome in self.answers.values() for name in outcome.enabled}
        return ProveOutcome((verdict,), (), {}, tuple(sorted(enabled)))

    def _conflict(self) -> str | None:
        """Return the contradiction between answers; None if there is none."""
        said = list(self._own())
        lassos = [(engine, verdict) for engine, verdict in said if verdict.kind is VerdictKind.VIOLATED]
        passed = [(e, v) for e, v in said if v.kind in (VerdictKind.PROVED, VerdictKind.HOLDS)]
        for engine, verdict in lassos:
            for other, none in passed:
                return f"{engine} found a lasso, but {other} says {none.kind}"
            states = 0 if verdict.trace is None else len(verdict.trace.states)
            # A search counts states with what the property remembers, and a lasso may be shorter without it.
            for other, depth in self.closed.items() if not self.live.remembers else ():
                if states <= depth:
                    words = f"{other} says that there is no lasso of at most {say_count(depth, 'state')}"
                    return f"{words}, but {engine} found one of {states}"
        return None
