"""The interpreter's results in bounded model checking of a module.

They are the answer, or save work in the searches of the translated module.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import psutil

from verifier.engines.outcome import Outcome
from verifier.engines.search_by_exploring import NAME as EXPLORING
from verifier.printable import say_count
from verifier.runs.modules.exploring import list_enabled_actions
from verifier.runs.modules.module_question import ModuleQuestion
from verifier.runs.modules.traces import report_violation
from verifier.runs.modules.verdicts import SettledVerdicts, replay_verdict, temporal_verdicts
from verifier.runs.options import INTERPRETER
from verifier.runs.question import Answer, conclude
from verifier.runs.semantics import name_semantics
from verifier.tla.exploration_result import State
from verifier.tla.explorer import Explorer
from verifier.tla.specification import Specification
from verifier.verdict import OF_STEPS, Verdict, VerdictKind

if TYPE_CHECKING:
    from verifier.outcomes.run import Run


_UP_TO_NAMES = ", counted up to renaming of model values"


@dataclass(frozen=True)
class SearchCheckpoint:
    """The interpreter's results, without the explored states, which may be many."""

    asked: ModuleQuestion
    specification: Specification
    states: int
    """The number of states found."""
    closed: int
    """The depth that is closed for properties without a violation; -1 if not even the initial states were
    explored."""
    enabled: tuple[str, ...]
    """The actions that were taken."""
    never: tuple[str, ...]
    """The actions that were not taken, if every state to the depth was explored."""
    seconds: float
    reason: str
    """The reason for the end, if a limit or the user ended it."""
    leaves_off: bool
    """True if it leaves the rest to the translated module."""
    settled: SettledVerdicts = field(default_factory=SettledVerdicts)
    """The violated properties."""

    @property
    def words(self) -> str:
        """Return a report for the waiting user."""
        depth = self.asked.question.options.depth
        names = "" if self.asked.symmetry is None else _UP_TO_NAMES
        if self.leaves_off:
            closed = "no depth" if self.closed < 0 else f"depth {self.closed}"
            words = f"the interpreter closed {closed} ({say_count(self.states, 'state')}{names})"
            return f"{words}: the module is translated to go on"
        decided = self.reason or self.settled.verdicts.keys() >= {*self.asked.question.properties}
        looked = say_count(self.states, "state")
        looked = looked if decided else f"all {looked} within {say_count(depth, 'step')}"
        return f"the interpreter looked at {looked}{names}"

    @property
    def rest(self) -> ModuleQuestion:
        """Return the question with the known depths. A depth that the interpreter closed is closed for the
        module, at all sorts. Whether the sorts are left within that depth is not known, so it is checked at
        every depth."""
        if self.closed < 0:
            return self.asked
        question = self.asked.question
        names = [name for name in question.properties if name not in self.settled.verdicts]
        options = replace(question.options, closed=dict.fromkeys(names, self.closed))
        return replace(self.asked, question=replace(question, options=options))

    def run(self, ended: str = "") -> Run:
        """Return the run, if nothing follows. ``ended``: the reason, if a limit or the user ended it."""
        question, reason = self.asked.question, ended or self.reason
        depth, verdicts = question.options.depth, list[Verdict]()
        for name in question.properties:
            if name in self.settled.verdicts:
                verdicts.append(self.settled.verdicts[name])
            elif reason:
                closed = self.closed if self.closed >= 0 else None
                verdicts.append(Verdict(name, VerdictKind.INCONCLUSIVE, closed, self.seconds, reason))
            else:
                titles = self.asked.module.definition.titles
                name = titles.undefined_read if name == titles.sorts else name  # noqa: PLW2901 -- that remains
                verdicts.append(Verdict(name, VerdictKind.HOLDS, depth, self.seconds, found_by=EXPLORING))
        verdicts += temporal_verdicts(self.specification, self.asked.named)
        outcome = Outcome(
            tuple(verdicts),
            self.never,
            {
                "searches": {EXPLORING: {"depth": depth, "seconds": round(self.seconds, 3)}},
                "peak_memory_bytes": int(psutil.Process().memory_info().rss),
            },
            self.enabled,
        )
        made = conclude(question, Answer(None, 0.0, outcome), self.asked.engine.name, depth=depth)
        return name_semantics(INTERPRETER, replace(made, traces=self.settled.traces))


def make_checkpoint_if_named(
    explorer: Explorer,
    spec: Specification,
    asked: ModuleQuestion,
    began: float,
    *,
    reason: str,
    leaves_off: bool,
) -> SearchCheckpoint | None:
    """Return the results of a finished search; None if they cannot be reported for the asked properties. The
    actions of its violations are known."""
    if not covers_violations(explorer, asked.question.properties):
        return None
    return make_checkpoint(explorer, spec, asked, began, reason=reason, leaves_off=leaves_off)


def covers_violations(explorer: Explorer, names: Sequence[str]) -> bool:
    """True if the results of a search can be reported for the asked properties."""
    violations = explorer.result.violations
    if not explorer.count or not violations.keys() <= {*names}:
        return False
    return not any(name + OF_STEPS in names for name in violations)  # states or steps may violate it


def make_checkpoint(
    explorer: Explorer,
    spec: Specification,
    asked: ModuleQuestion,
    began: float,
    *,
    reason: str,
    leaves_off: bool = False,
) -> SearchCheckpoint:
    """Return the results of a search that knows the properties by their names in the question. ``spec``: the
    specification by which violations are judged."""
    names, result, seconds = asked.question.properties, explorer.result, time.monotonic() - began
    settled = replay_violations(explorer, spec, asked, seconds)
    enabled, never = list_enabled_actions(result, asked.module.definition)
    whole = result.complete or result.closed == asked.question.options.depth
    return SearchCheckpoint(
        asked,
        spec,
        explorer.count,
        result.closed,
        enabled,
        tuple(sorted(never)) if whole else (),
        seconds,
        reason,
        leaves_off and not settled.verdicts.keys() >= {*names},
        settled,
    )


def replay_violations(
    explorer: Explorer, spec: Specification, asked: ModuleQuestion, seconds: float
) -> SettledVerdicts:
    """Return the violations that a search found, replayed. The actions of its violations are known."""
    names, violations = asked.question.properties, explorer.result.violations
    verdicts, traces, states = dict[str, Verdict](), dict[str, Any](), dict[str, Sequence[State]]()
    for name in names:
        if name in violations:
            states[name] = violations[name].states
            verdict, traces[name] = report_violation(
                spec, asked.question.definition, violations[name], seconds
            )
            verdicts[name] = replay_verdict(spec, verdict, states[name])
    return SettledVerdicts(verdicts, states, traces)
