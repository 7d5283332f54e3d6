"""Runs of exhaustive exploration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from verifier.errors import UsageError
from verifier.runs.engine import Engine, Listen, OutputFile, Written, late
from verifier.runs.option import Switch, Whole, internal, option
from verifier.runs.options import DeadlockOption, Options, memory_option

if TYPE_CHECKING:
    from rich.console import RenderableType

    from verifier.outcomes.run import Run
    from verifier.runs.loading import Loaded
    from verifier.runs.question import Question
    from verifier.system.model import Model

_KEEP_GOING = "Count all states, even when every property asked for is violated or reached before."
_SYMMETRY = (
    "Of states that differ only in the names of interchangeable elements, look at one. Counts are then of "
    "such classes; how many states they have is said too."
)
_GRAPH = (
    "Write the states and steps as a graph, for small ones: .dot (Graphviz) or .graphml, by FILE's ending."
)
_HELP = """Look at every reachable state, breadth first, without a solver.

Counts states and steps, says how often each action was enabled and taken, and gives each property's
verdict with a shortest counterexample. Progress goes to standard error, the result to standard output.

\b
Examples:
  verify explore --spec kip320 --set max_leader_epoch=1
  verify explore --spec rabbit-sac --set queues=4 --symmetry --deadlock
  verify explore --spec my_protocol.py --max-states 1000000 --graph states.dot
  verify explore --spec TwoPhase.tla --config Small.cfg
"""


@dataclass(frozen=True)
class ExploreOptions(DeadlockOption, Options):
    """What exhaustive exploration can be asked."""

    keep_going: bool = option(False, Switch(), _KEEP_GOING)
    symmetry: bool = option(False, Switch(both_ways=True), _SYMMETRY)
    max_states: int | None = option(None, Whole(), "End when there are more states than this.")
    max_depth: int | None = option(None, Whole(), "Look no further than this many actions.")
    memory: int | None = memory_option(" [default: most of what the machine has free]")
    graph: bool = internal(False)
    """Keep the states and steps."""


def _prepare(loaded: Loaded, options: ExploreOptions) -> Question[ExploreOptions]:
    from verifier.runs.question import ask

    # The graph and the counts speak of deadlocks whether they are looked for or not.
    return replace(ask(loaded, options), deadlock=True)


def _run(
    question: Question[ExploreOptions],
    listen: Listen = lambda _: None,
    built: Callable[[Model], None] = lambda _: None,
) -> Run:
    from verifier.engines.explore import Request, explore
    from verifier.runs.question import answer, conclude
    from verifier.specs.definition import PropertyKind

    options = question.options
    kinds = {prop.name: prop.kind for prop in question.definition.properties}
    invariants = [name for name in question.properties if kinds.get(name) is PropertyKind.TYPE_INVARIANT]
    named = question.options.properties or question.expectations.properties
    request = Request(
        properties=question.properties,
        max_states=options.max_states,
        max_depth=options.max_depth,
        symmetry=options.symmetry,
        keep_going=options.keep_going,
        graph=options.graph,
        along=() if named else tuple(invariants),
        ending=options.ending,
        limits=question.limits,
    )
    found = answer(question, lambda model: explore(model, request, listen), built)
    return conclude(question, found, ENGINE.name, depth=found.outcome.statistics.get("depth", 0))


def _with_graph(options: ExploreOptions, path: Path) -> ExploreOptions:
    from verifier.text.state_graph import GRAPHS, MOST_STATES

    if path.suffix not in GRAPHS:
        raise UsageError(f"--graph {path} is not allowed: the file must end in .dot or .graphml")
    most = min(options.max_states or MOST_STATES, MOST_STATES)
    return replace(options, graph=True, max_states=most)


def _graph(run: Run, path: Path) -> Written:
    from verifier.engines.explore import Exploration
    from verifier.text.state_graph import GRAPHS

    found = run.outcome
    if not isinstance(found, Exploration) or found.graph is None:
        return Written(None, "nothing was explored, so {path} is not written")
    part = "" if found.statistics["complete"] else ", a part of all"
    size = f"{len(found.graph.rows)} states and {len(found.graph.edges)} steps{part}"
    return Written(GRAPHS[path.suffix](found.graph), f"{size} are in {{path}}")


def _render(run: Run, width: int, *, full: bool) -> list[RenderableType]:
    from verifier.text.exploration import render_exploration
    from verifier.text.tla import render_tla

    by_interpreter = run.model is None and "levels" in run.outcome.statistics
    return (render_tla if by_interpreter else render_exploration)(run, width, full=full)


ENGINE = Engine(
    name="explore",
    help=_HELP,
    options=ExploreOptions,
    prepare=_prepare,
    run=_run,
    announcement=lambda asked: f"{', '.join(asked.properties)} in every reachable state",
    render=_render,
    progress=late("verifier.text.progress", "StatesText"),
    files=(OutputFile("--graph", _GRAPH, prepare=_with_graph, of_run=_graph),),
    relative_cost=4.0,
    counts_states=True,
    depth_option="max_depth",
    finds_fewest=lambda options: True,
)
