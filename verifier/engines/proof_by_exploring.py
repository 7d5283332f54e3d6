"""Proofs by exploration: every reachable state is explored twice.

If there are few states, this is the fastest proof. One exploration decides all asked properties, so it
continues beside the provers of one property after the other. It explores one state of each orbit, and ends by
itself if there are too many. Then every state is explored again, without symmetry and with another hash. The
second exploration must count as many states as the orbits have, and reach the same verdicts. There is no
invariant to write down, so nothing is explored if certificates are wanted.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from verifier.engines.bounded_search import DepthClosed, Event, ViolationFound
from verifier.engines.search_by_exploring import NAME, Told, is_worth_trying, share_of
from verifier.engines.state_space import ExplorationsDiffer, Explored, explore_twice
from verifier.processes.children import Child, ChildEnded, Children, Message, Work, seconds_of_others
from verifier.processes.limits import Limits
from verifier.system.model import Model
from verifier.verdict import COMPLETE, NEVER_REACHED

if TYPE_CHECKING:
    from verifier.engines.explore import Exploration, Progress, Request

_MOST_STATES = 150_000
"""With more, IC3 is mostly faster, and the exploration takes a core from it in vain."""
_MOST_STATES_AGAIN = 1_000_000
"""The limit of states without symmetry."""
_HEAD_START = 0.15
"""The processor seconds that the others get first. They then need no longer if the machine does other work
too. Lemmas decide some properties in that time at no cost here, and an invariant says more than a count."""
_PAUSE = 0.05
_IDLE_PAUSES = 5
"""On a busy machine they may have no turn in a single one."""
_AT_ONCE = 1.0
"""The processor seconds at normal priority: few states are explored by then."""
_POLITENESS = 5
"""The lower priority after that. Otherwise a fruitless exploration would slow IC3 and bounded model
checking."""


News = Event | Explored | ExplorationsDiffer


def exploring_work(model: Model, properties: Sequence[str], limits: Limits) -> Work:
    """Return the work that explores twice. It reports no end if there are too many states, or if a property
    that is checked in addition is violated: that limits the knowledge about the others."""
    implied = [prop.name for prop in model.system.implied]

    def work(report: Callable[[Any], None], _: Connection) -> None:
        _give_head_start()
        limited = False

        def tell(event: Event) -> None:
            nonlocal limited
            if not limited:
                report(event)
            limited |= isinstance(event, ViolationFound) and event.violates in implied

        told = Told(model, dict.fromkeys((*properties, *implied)), tell)
        result = explore_twice(_CompiledStates(model, tuple(properties), limits, told))
        if result is not None:
            report(result)

    return work


class _CompiledStates:
    """The states of a model, by its compiled moves: first one of each orbit, then all."""

    def __init__(self, model: Model, properties: tuple[str, ...], limits: Limits, told: Told) -> None:
        from verifier.engines.explore import Request  # NumPy takes as long to load as a small proof

        self._model, self._told, self._polite = model, told, _GivesWay()
        self._request = Request(properties, _MOST_STATES, symmetry=True, limits=share_of(limits))

    def explore(self) -> Explored | None:
        """Explore one state of each orbit. Violations are told as they are found."""

        def listen(progress: Progress) -> None:
            self._polite.look()
            self._told.listen(progress)

        outcome = self._explore(self._request, listen)
        return outcome if outcome is not None and outcome.states <= _MOST_STATES_AGAIN else None

    def explore_again(self) -> Explored | None:
        """Explore all states. Each exploration draws the constants of its hash again."""
        plain = replace(self._request, max_states=_MOST_STATES_AGAIN, symmetry=False)
        return self._explore(plain, lambda _: self._polite.look())

    def _explore(self, request: Request, listen: Callable[[Progress], None]) -> Explored | None:
        from verifier.engines.explore import explore

        outcome = explore(self._model, request, listen)
        return _describe_exploration(self._model, request.properties, outcome)


class _GivesWay:
    """Lowers the priority of this process once it has had its time at once."""

    def __init__(self) -> None:
        self._polite = False

    def look(self) -> None:
        """Looks at the clock."""
        if not self._polite and time.process_time() >= _AT_ONCE:
            self._polite = True
            os.nice(_POLITENESS)


def _give_head_start() -> None:
    """Waits until the others had their time, or none of them works."""
    first = last = seconds_of_others()
    idle = 0
    while last - first < _HEAD_START and idle < _IDLE_PAUSES:
        time.sleep(_PAUSE)
        now = seconds_of_others()
        idle = 0 if now > last else idle + 1
        last = now


def _describe_exploration(
    model: Model, properties: Sequence[str], exploration: Exploration
) -> Explored | None:
    """The proofs by a complete exploration; None if it is not complete, or an implied property is
    violated."""
    figures = exploration.statistics
    implied = {prop.name for prop in model.system.implied}
    if not figures["complete"] or any(v.trace and v.property_name in implied for v in exploration.verdicts):
        return None
    settled = [v.property_name for v in exploration.verdicts if v.reason in (COMPLETE, NEVER_REACHED)]
    return Explored(
        holds=tuple(name for name in properties if name in settled),
        states=figures.get("states_in_orbits", figures["distinct_states"]),
        depth=figures["depth"],
        never_enabled=exploration.never_enabled,
        enabled=exploration.enabled,
        seconds=figures["exploring_seconds"],
    )


class SharedExploration:
    """An exploration that continues while provers take one property after the other, with its results."""

    def __init__(self, model: Model, properties: Sequence[str], limits: Limits) -> None:
        self._model = model
        self._properties = tuple(properties)
        self._limits = limits
        self._ended = not is_worth_trying(model)
        self._child: Child | None = None
        self._news: list[News] = []

    def enter(self, children: Children) -> None:
        """Start the exploration among these children, or continue it among them."""
        if self._child is not None:
            children.adopt(NAME, self._child)
        elif not self._ended:
            children.start(NAME, exploring_work(self._model, self._properties, self._limits))

    def leave(self, children: Children) -> None:
        """Takes it out of these children, so that it is not killed with them."""
        self._child = children.release(NAME)
        self._ended = self._child is None

    def end(self) -> None:
        """Kills it."""
        if self._child is not None:
            with Children(Limits()) as children:
                children.adopt(NAME, self._child)
            self._child = None

    @property
    def enabled(self) -> tuple[str, ...]:
        """Return the actions that are enabled in some reachable state; none if not all states were
        explored."""
        return next((news.enabled for news in self._news if isinstance(news, Explored)), ())

    def select_news(self, name: str) -> list[News]:
        """The findings about a property so far; of the depths closed only the last."""
        selected = [news for news in self._news if _concerns(name, news)]
        closed = [news for news in selected if isinstance(news, DepthClosed)]
        return [news for news in selected if news not in closed[:-1]]

    def settles(self, name: str) -> bool:
        """True if it has decided the property."""
        return any(isinstance(news, Explored | ViolationFound) for news in self.select_news(name))

    def hear(self, event: Message | ChildEnded, name: str) -> list[News]:
        """Take an event of the child. Return its news about the property."""
        if isinstance(event, ChildEnded):
            return []
        self._news.append(event.content)
        return [event.content] if _concerns(name, event.content) else []


def _concerns(name: str, news: News) -> bool:
    match news:
        case DepthClosed():
            return name in news.properties
        case ViolationFound():
            return name == news.violates
        case Explored():
            return name in news.holds
    return isinstance(news, ExplorationsDiffer)
