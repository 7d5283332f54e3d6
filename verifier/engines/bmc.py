"""Bounded model checking: searches in processes side by side, each answer taken from whichever has it first.

Parallel steps find violations fast, serial steps with symmetry breaking exhaust a depth fast, and where the
states are few exploration does both; ``auto`` runs all three. Every violation is replayed and shortened here
before it counts. ``steps_ahead`` says which executions beyond the depth count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from verifier.clauses.unrolling import Clauses, Steps
from verifier.engines.bounded_search import (
    ActionsEnabled,
    DepthClosed,
    Search,
    SetupDone,
    SolverGaveUp,
    ViolationFound,
    search,
)
from verifier.engines.choices import StepsChoice, steps_ahead
from verifier.engines.implied import limit_by_implied
from verifier.engines.outcome import Outcome
from verifier.engines.search_by_exploring import NAME as EXPLORING
from verifier.engines.search_by_exploring import ExploringSearch, is_worth_trying, search_by_exploring
from verifier.processes.children import ChildEnded, Children, Work
from verifier.processes.limits import Limits
from verifier.symmetry.bit_permutations import bit_permutations
from verifier.system.model import Model
from verifier.trust.initial_states import require_initial_state
from verifier.trust.replay import Replayer, ReplayFailure
from verifier.trust.shorten import shorten
from verifier.trust.trace import Trace
from verifier.verdict import ENDED_FIRST, Verdict, VerdictKind, beyond_depth, say_not_reached

if TYPE_CHECKING:
    from verifier.engines.search_parts import Part

PREFERRED_SOLVER = "cadical"
"""CaDiCaL exhausts a depth serially four times as fast as Z3 (kip320 at depth 12). In parallel steps it is as
fast at few replicas, and two to four times as fast at five."""
_HEAD_START = 0.4
"""The seconds that exploration has before the serial search begins: both exhaust depths, and where the states
are few, exploration is done before serial steps are prepared."""


@dataclass(frozen=True)
class Request:
    """The properties to check, and how to check them."""

    properties: tuple[str, ...]
    depth: int
    steps: StepsChoice = StepsChoice.AUTO
    solver: str | None = None
    """None: for each search the one in ``PREFERRED_SOLVER``."""
    symmetry: bool = True
    shortest: bool = False
    limits: Limits = field(default_factory=Limits)
    seed: int = 0
    ending: tuple[str, ...] = ()
    """Properties that end the search when they are violated."""
    ends_beyond: bool = False
    """True if their violations beyond the depth count, as those of other properties do."""
    first: bool = False
    """True if each property does, once its verdict is known."""
    awaited: tuple[str, ...] = ()
    """Actions whose enabledness matters: the search continues until it is known."""
    stride: int = 1
    """See ``Search``. More than 1 only for parallel steps."""
    part: Part | None = None
    """The part of the executions to search; steps have to be serial."""
    guesses: Clauses | None = None
    """See ``Search``."""
    closed: Mapping[str, int] = field(default_factory=dict)
    """Depths that were closed before for properties, by another search: no violation is as short. The
    searches ask there all the same, since what that teaches a solver helps later by as much as it takes."""


@dataclass(frozen=True)
class Progress:
    """A depth closed for some properties, or a violation or witness (``steps`` actions), as it happens."""

    search: str
    properties: tuple[str, ...]
    depth: int
    seconds: float
    steps: int | None = None
    reached: bool = False
    """True if it is a witness."""
    beyond: bool = False
    """True if it has more actions than the depth asked for."""


def check(model: Model, request: Request, listen: Callable[[Progress], None] = lambda _: None) -> Outcome:
    """Checks the properties to the depth asked for, or until the limits or the user end it.

    The type invariant is always checked along, since an action that would leave a sort is disabled
    there and might hide violations; it appears among the verdicts if asked for or violated.
    Raises NoInitialState.
    """
    require_initial_state(model)
    return _BoundedCheck(model.asking(request.properties), request, listen).run()


@dataclass
class _Progress:
    """The state of knowledge about one property."""

    closed: int = -1
    closed_by: str | None = None
    """The search that closed the depth."""
    looked_ahead: bool = False
    """True if all executions beyond the depth that count were searched."""
    candidate: Trace | None = None
    found_by: str | None = None
    verdict: Verdict | None = None


@dataclass
class _BoundedCheck:
    model: Model
    request: Request
    listen: Callable[[Progress], None]
    began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        system = self.model.system
        asked = self.request.properties
        implied = tuple(prop.name for prop in system.implied if prop.name not in asked)
        # The last depth is left for a search to close, which decides.
        before = {name: min(depth, self.request.depth - 1) for name, depth in self.request.closed.items()}
        self.properties = {name: _Progress(before.get(name, -1)) for name in (*asked, *implied)}
        self.ahead = 0 if self.request.steps is StepsChoice.SERIAL else steps_ahead(self.request.depth)
        for name, known in self.properties.items():
            known.looked_ahead = not self._counts_beyond(name)
        self.replayer = Replayer(self.model)
        self.unseen = {action.name for action in self.model.definition.actions}
        self.failures: list[str] = []
        self.statistics: dict[str, Any] = {"searches": {}}

    def run(self) -> Outcome:
        children = Children(self.request.limits)
        reason = children.supervise(lambda: self._search(children))
        ended = ENDED_FIRST if self._ended_first else "; ".join(self.failures)
        self._conclude(reason or ended or "the searches ended early")
        self.statistics["peak_memory_bytes"] = children.peak_memory
        return self._outcome()

    def _counts_beyond(self, name: str) -> bool:
        """True if longer executions count. They do not for properties that are checked in addition. A
        translation's sorts are wide enough for the depth, and a later violation of them says nothing about
        the module; it counts if asked (``ends_beyond``)."""
        ends = name in self.request.ending and not self.request.ends_beyond
        return bool(self.ahead) and name in self.request.properties and not ends

    def _search(self, children: Children) -> None:
        for task in self._tasks():
            self.statistics["searches"][task.steps.value] = {"solver": task.solver}
            children.start(task.steps.value, self._work(task))
        if self._explores:
            self.statistics["searches"][EXPLORING] = {}
            children.start(EXPLORING, self._exploring())
        self._follow(children)

    @cached_property
    def _explores(self) -> bool:
        """Exploration solves nothing, so a solver that is named is not asked beside it."""
        request = self.request
        return request.steps is StepsChoice.AUTO and request.solver is None and is_worth_trying(self.model)

    def _exploring(self) -> Work:
        request = self.request
        task = ExploringSearch(request.depth, tuple(self.properties), request.symmetry, request.limits)
        return lambda report, _: search_by_exploring(self.model, task, report)

    def _tasks(self) -> Iterable[Search]:
        request = self.request
        chosen = {
            StepsChoice.AUTO: (Steps.PARALLEL, Steps.SERIAL),
            StepsChoice.PARALLEL: (Steps.PARALLEL,),
            StepsChoice.SERIAL: (Steps.SERIAL,),
        }[request.steps]
        permutations = tuple(bit_permutations(self.model)) if request.symmetry else ()
        for steps in chosen:
            yield Search(
                steps=steps,
                solver=request.solver or PREFERRED_SOLVER,
                depth=request.depth,
                properties=tuple(self.properties),
                symmetry=request.symmetry,
                seed=request.seed,
                stride=request.stride if steps is Steps.PARALLEL else 1,
                part=request.part,
                guesses=request.guesses,
                permutations=permutations if steps is Steps.SERIAL else (),
                awaited=request.awaited,
                ahead=self.ahead if steps is Steps.PARALLEL else 0,
                within=tuple(name for name in self.properties if not self._counts_beyond(name)),
            )

    def _work(self, task: Search) -> Work:
        system, replayer, depth = self.model.system, self.replayer, self.request.depth

        def is_within(violation: ViolationFound) -> bool:
            firings = [(system.instances[f.instance], f.inputs) for f in violation.firings]
            try:
                replayer.execute(violation.initial, firings, violation.violates)
                kept = shorten(replayer, violation.initial, firings, violation.violates)
                return replayer.execute(violation.initial, kept, violation.violates).steps <= depth
            except ReplayFailure:
                return True  # the parent says what is wrong with it

        waits = task.steps is Steps.SERIAL and self._explores

        def work(report: Callable[[Any], None], incoming: Connection) -> None:
            decided: set[str] = set()
            if waits:
                time.sleep(_HEAD_START)

            def receive_decided() -> set[str]:
                while incoming.poll():
                    decided.add(incoming.recv())
                return decided

            search(system, task, report, receive_decided, is_within)

        return work

    def _follow(self, children: Children) -> None:
        for event in children.events():
            name = event.child
            if isinstance(event, ChildEnded):
                if event.failure is not None:
                    self.failures.append(f"the {name} search failed: {event.failure}")
                elif not self.failures and self._is_finished():
                    return  # it has looked for the actions that are awaited, to the depth
                continue
            before = self._find_undecided()
            self._take(name, event.content)
            for decided in before - self._find_undecided():
                for child in children.running:
                    children.send(child, decided)
            self._end_superfluous(children)
            if self._is_finished() and not self._awaits_actions:
                return
            if self._ends():
                return

    def _end_superfluous(self, children: Children) -> None:
        """End the serial search once exploration has closed the depth: it finds nothing beyond the depth, and
        the parallel search needs its core."""
        left = [known for known in self.properties.values() if known.verdict is None]
        is_closed = all(one.closed >= self.request.depth and one.candidate is None for one in left)
        if is_closed and Steps.SERIAL.value in children.running and not self._awaits_actions:
            children.kill(Steps.SERIAL.value)

    @property
    def _awaits_actions(self) -> bool:
        return not self.unseen.isdisjoint(self.request.awaited)

    def _is_finished(self) -> bool:
        """True if all asked properties are decided. A property without a violation needs the type invariant
        to the same depth."""
        open_ones = self._find_undecided()
        asked = [self.properties[name].verdict for name in self.request.properties]
        not_found = (VerdictKind.HOLDS, VerdictKind.INCONCLUSIVE)
        deepest = max((v.depth or 0 for v in asked if v and v.kind in not_found), default=-1)
        return not open_ones.intersection(self.request.properties) and all(
            self.properties[name].closed >= deepest for name in open_ones
        )

    def _ends(self) -> bool:
        """True if a property is violated that ends the search."""
        known = (self.properties.get(name) for name in self.request.ending)
        return self._ended_first or any(one is not None and one.candidate is not None for one in known)

    @property
    def _ended_first(self) -> bool:
        return self.request.first and any(
            one.verdict is not None and one.verdict.kind is VerdictKind.VIOLATED
            for one in self.properties.values()
        )

    def _find_undecided(self) -> set[str]:
        return {name for name, known in self.properties.items() if known.verdict is None}

    def _take(self, name: str, event: Any) -> None:
        match event:
            case DepthClosed():
                self.statistics["searches"][name].update(
                    depth=event.depth, seconds=event.seconds, unrolling_seconds=event.unrolling_seconds
                )
                self._take_closed_depth(name, event)
            case ViolationFound():
                self._take_violation(name, event)
            case ActionsEnabled():
                self.unseen -= set(event.actions)
            case SetupDone():
                self.statistics["searches"][name].update(
                    preparing_seconds=event.seconds,
                    clauses_per_step=event.clauses_per_step,
                    structural_invariants=event.structural_invariants,
                )
            case SolverGaveUp():
                self.failures.append(event.reason)

    def _take_closed_depth(self, search_name: str, event: DepthClosed) -> None:
        news = tuple(name for name in event.properties if event.depth > self.properties[name].closed)
        for name in event.properties:
            known = self.properties[name]
            if name in news:
                known.closed, known.closed_by = event.depth, search_name
            in_steps = search_name == Steps.PARALLEL.value and event.depth >= self.ahead
            known.looked_ahead = known.looked_ahead or in_steps or event.everywhere
            if known.candidate is not None:
                if name in news:
                    self._judge_candidate(name)
            elif known.verdict is None and known.looked_ahead and known.closed >= self.request.depth:
                known.verdict = self._not_found(name)
        if news:
            self.listen(Progress(search_name, news, event.depth, self._measure_elapsed()))

    def _not_found(self, name: str) -> Verdict:
        known, kind, reason = self.properties[name], VerdictKind.HOLDS, None
        if self.model.system.seeks(name):
            kind, reason = VerdictKind.INCONCLUSIVE, say_not_reached(known.closed)
        return Verdict(name, kind, known.closed, self._measure_elapsed(), reason, found_by=known.closed_by)

    def _take_violation(self, search_name: str, event: ViolationFound) -> None:
        known = self.properties[event.violates]
        if known.verdict is not None and known.verdict.trace is not None:
            return
        firings = [(self.model.system.instances[f.instance], f.inputs) for f in event.firings]
        try:
            self.replayer.execute(event.initial, firings, event.violates)
            kept = shorten(self.replayer, event.initial, firings, event.violates)
            trace = self.replayer.execute(event.initial, kept, event.violates)
        except ReplayFailure as failure:
            self._fail(
                event.violates, f"the {search_name} search found a violation that does not replay: {failure}"
            )
            return
        reached = self.model.system.seeks(event.violates)
        steps, beyond = trace.steps, trace.steps > self.request.depth
        self.listen(
            Progress(
                search_name, (event.violates,), event.steps, self._measure_elapsed(), steps, reached, beyond
            )
        )
        if beyond and not (event.steps <= self.ahead and self._counts_beyond(event.violates)):
            return  # whether one is found is luck, so it decides nothing
        self.unseen -= {i.action for i, _ in firings}.union(action.name for action in trace.actions)
        if known.candidate is None or trace.steps < known.candidate.steps:
            known.candidate, known.found_by = trace, search_name
        self._judge_candidate(event.violates)

    def _judge_candidate(self, name: str) -> None:
        """Decides whether the violation found is good enough, given the depth closed."""
        known = self.properties[name]
        trace = known.candidate
        assert trace is not None
        if trace.steps <= self._find_depth_closed_for_all(known):
            self._fail(name, f"depth {known.closed} was closed, but a violation has {trace.steps} actions")
        elif known.verdict is None and (
            not self.request.shortest or known.closed >= min(trace.steps - 1, self.request.depth)
        ):
            self._conclude_violated(name)

    def _find_depth_closed_for_all(self, known: _Progress) -> int:
        """The depth closed for all executions; a shortened violation may be in another part."""
        part = self.request.part
        return known.closed if part is None else min(known.closed, part.whole_below - 1)

    def _find_depth_closed_beside(self, name: str) -> int:
        """The depth closed, beside properties that end the search: no deeper than these were, unless it was
        closed before."""
        ends = [self.properties[end].closed for end in self.request.ending if end in self.properties]
        return max(self.request.closed.get(name, -1), min([self.properties[name].closed, *ends]))

    def _conclude_violated(self, name: str) -> None:
        known = self.properties[name]
        assert known.candidate is not None
        steps, depth = known.candidate.steps, self.request.depth
        known.verdict = Verdict(
            name,
            VerdictKind.REACHED if self.model.system.seeks(name) else VerdictKind.VIOLATED,
            max(known.closed, steps if steps <= depth else 0),
            self._measure_elapsed(),
            reason=None if steps <= depth else beyond_depth(depth),
            trace=known.candidate,
            fewest=self._find_depth_closed_for_all(known) == known.candidate.steps - 1,
            found_by=known.found_by,
        )

    def _fail(self, name: str, reason: str) -> None:
        depth = max(self.properties[name].closed, 0)
        self.properties[name].verdict = Verdict(
            name, VerdictKind.ERROR, depth, self._measure_elapsed(), reason
        )

    def _measure_elapsed(self) -> float:
        return time.monotonic() - self.began

    def _conclude(self, reason: str) -> None:
        """Give verdicts to open properties when the searches have ended."""
        for name in self._find_undecided():
            known = self.properties[name]
            if known.candidate is not None:
                self._conclude_violated(name)
            elif known.closed >= self.request.depth:  # all that was asked for
                known.verdict = self._not_found(name)
            else:
                closed = self._find_depth_closed_beside(name)
                depth = closed if closed >= 0 else None
                known.verdict = Verdict(
                    name, VerdictKind.INCONCLUSIVE, depth, self._measure_elapsed(), reason
                )

    def _outcome(self) -> Outcome:
        verdicts = [known.verdict for known in self.properties.values() if known.verdict is not None]
        asked = [v for v in verdicts if v.property_name in self.request.properties]
        # Where an execution decides all that was asked for, it is luck whether another was found before.
        if any(verdict.trace is None for verdict in asked):
            asked += [v for v in verdicts if v not in asked and v.trace is not None]
        enabled = {action.name for action in self.model.definition.actions} - self.unseen
        return Outcome(
            limit_by_implied(self.model.system, asked),
            tuple(sorted(self.unseen)),
            self.statistics,
            tuple(sorted(enabled)),
        )
