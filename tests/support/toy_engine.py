"""An engine in one module, as CONTRIBUTING.md describes: breadth-first search on the concrete evaluator.

``tests/runs/test_toy_engine.py`` puts it into a copy of the package, with one line in the table of engines.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.engines.outcome import Outcome
from verifier.explicit.initial import initial_states
from verifier.explicit.packing import unpack
from verifier.outcomes.run import Run
from verifier.runs.engine import Engine, Listen
from verifier.runs.loaded import Loaded
from verifier.runs.option import Whole, option
from verifier.runs.options import Options
from verifier.runs.question import Question, answer, ask, conclude
from verifier.system.model import Model
from verifier.system.transition_system import Instance
from verifier.text.run import render_verdicts
from verifier.trust.replay import Replayer
from verifier.verdict import Verdict, VerdictKind

if TYPE_CHECKING:
    from rich.console import RenderableType

State = tuple[bool, ...]
Firings = tuple[tuple[Instance, tuple[bool, ...]], ...]


@dataclass(frozen=True)
class ToyOptions(Options):
    """The options of the toy."""

    depth: int = option(3, Whole(), "The most actions of an execution.")
    most_states: int = option(10_000, Whole(1), "End when there are more states than this.")


def _search(model: Model, question: Question[ToyOptions], listen: Listen) -> Outcome:
    """Looks at the states level by level. Instances with inputs are not tried, so nothing HOLDS by it."""
    began, replayer, options = time.monotonic(), Replayer(model), question.options
    starts = [tuple(unpack(row, len(model.system.bits))) for row in initial_states(model.system)]
    seen: dict[State, tuple[State, Firings]] = {start: (start, ()) for start in starts}
    found: dict[str, Verdict] = {}
    level = list(seen)
    for depth in range(options.depth + 1):
        following: list[State] = []
        for state in level:
            initial, firings = seen[state]
            for name in set(question.properties).intersection(replayer.find_violated(state)) - found.keys():
                trace = replayer.execute(initial, firings, name)
                kind = VerdictKind.REACHED if model.system.seeks(name) else VerdictKind.VIOLATED
                found[name] = Verdict(name, kind, depth, time.monotonic() - began, trace=trace, fewest=True)
            for instance in model.system.instances:
                after = None if instance.inputs else replayer.successor(state, instance, ())
                if after is not None and tuple(after) not in seen and len(seen) < options.most_states:
                    seen[tuple(after)] = (initial, (*firings, (instance, ())))
                    following.append(tuple(after))
        listen(f"depth {depth}: {len(seen)} states")
        level = following
    seconds = time.monotonic() - began
    verdicts = [
        found.get(name) or Verdict(name, VerdictKind.INCONCLUSIVE, None, seconds, "only a toy")
        for name in question.properties
    ]
    return Outcome(tuple(verdicts), (), {"toy_states": len(seen)})


def _prepare(loaded: Loaded, options: ToyOptions) -> Question[ToyOptions]:
    return ask(loaded, options)


def _run(
    question: Question[ToyOptions],
    listen: Listen = lambda _: None,
    built: Callable[[Model], None] = lambda _: None,
) -> Run:
    found = answer(question, lambda model: _search(model, question, listen), built)
    return conclude(question, found, ENGINE.name, depth=question.options.depth)


def _render(run: Run, width: int, *, full: bool) -> list[RenderableType]:
    return [f"{run.outcome.statistics['toy_states']} states", *render_verdicts(run, width)]


ENGINE = Engine(
    name="toy",
    help="Look at a few states.\n\n\b\nExample:\n  verify toy --spec kip101 --depth 3\n",
    options=ToyOptions,
    prepare=_prepare,
    run=_run,
    announcement=lambda question: f"a look to depth {question.options.depth}",
    render=_render,
    finds_fewest=lambda options: True,
)
