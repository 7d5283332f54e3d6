"""Runs of exhaustive exploration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from verifier.errors import UsageError
from verifier.printable import say_count
from verifier.runs.engine import Engine, Listen, OutputFile, Written, late
from verifier.runs.explore_options import ExploreOptions
from verifier.runs.options import TRANSLATION, check_ends

if TYPE_CHECKING:
    from rich.console import RenderableType

    from verifier.outcomes.labeled_graph import LabeledGraph
    from verifier.outcomes.run import Run
    from verifier.runs.loaded import Loaded
    from verifier.runs.question import Question
    from verifier.system.model import Model

_GRAPH = (
    "Write the states and steps of a small model as a graph: FILE.html (a page that draws it), FILE.dot "
    "(Graphviz), FILE.json (the format that dot -Tjson gives for TLC's graphs) or FILE.graphml."
)
_HELP = """Look at every reachable state, breadth first, without a solver.

Counts states and steps, says how often each action was enabled and taken, and gives each property's
verdict with a shortest counterexample. If it looked at every state, HOLDS is about executions of any length,
as PROVED is. Progress goes to standard error, the result to standard output.

\b
Examples:
  verify explore kip320 --set max_leader_epoch=1
  verify explore rabbit-sac --set queues=4 --symmetry --deadlock
  verify explore my_protocol.py --graph states.html
  verify explore TwoPhase.tla --config Small.cfg
  verify explore kip320 --set log_size=3 --workers 2
  verify explore kip320 --set log_size=3 --work states
  verify explore kip320 --set log_size=3 --work states --resume
  verify explore kip320 --set log_size=3 --master 'local[2]'
"""


def _prepare(loaded: Loaded, options: ExploreOptions) -> Question[ExploreOptions]:
    from verifier.runs.beyond import check
    from verifier.runs.question import ask
    from verifier.runs.semantics import name_semantics_asked

    # The interpreter keeps the states of a module in one process, so its tasks need no folder.
    check(options, in_files=loaded.source is None or name_semantics_asked(options) == TRANSLATION)
    check_ends(options)
    if loaded.source is None:  # a configuration says nothing of a protocol's symmetry
        options = replace(options, symmetry=bool(options.symmetry))
    # The graph and the counts include deadlocks in any case.
    return replace(ask(loaded, options), deadlock=True)


def _run(
    question: Question[ExploreOptions],
    listen: Listen = lambda _: None,
    built: Callable[[Model], None] = lambda _: None,
) -> Run:
    from verifier.engines.explore import Request, explore
    from verifier.runs.beyond import beyond, remarks
    from verifier.runs.news import Remark
    from verifier.runs.question import answer, conclude
    from verifier.specs.definition import PropertyKind

    options = question.options
    kinds = {prop.name: prop.kind for prop in question.definition.properties}
    invariants = [name for name in question.properties if kinds.get(name) is PropertyKind.TYPE_INVARIANT]
    ending = options.ending
    if options.first:
        ending += tuple(n for n in question.properties if kinds.get(n) is not PropertyKind.REACHABLE)
    named = question.options.properties or question.expectations.properties
    request = Request(
        properties=question.properties,
        max_states=options.max_states,
        max_depth=options.depth,
        symmetry=bool(options.symmetry),
        keep_going=options.keep_going,
        graph=options.graph,
        coverage=options.coverage,
        along=options.ending if named else (*invariants, *options.ending),
        ending=ending,
        kernels=options.kernels != "off",
        limits=question.limits,
    )
    if not (options.graph or options.coverage):
        request = replace(request, beyond=beyond(question))
        for words in remarks(options):
            listen(Remark(words))
    result = answer(question, lambda model: explore(model, request, listen), built)
    return conclude(question, result, ENGINE.name, depth=result.outcome.statistics.get("depth", 0))


def _with_graph(options: ExploreOptions, path: Path) -> ExploreOptions:
    from verifier.text.state_graph import GRAPHS, MOST_IN_A_PAGE, MOST_STATES

    if path.suffix not in (*GRAPHS, ".html"):
        raise UsageError(
            f"--graph {path} is not allowed: the file must end in .html, .dot, .json or .graphml"
        )
    drawn = MOST_IN_A_PAGE if path.suffix == ".html" else MOST_STATES
    most = min(options.max_states or drawn, drawn)
    return replace(options, graph=True, max_states=most)


def _graph(run: Run, path: Path) -> Written:
    from verifier.text.state_graph import GRAPHS, as_data

    graph = _label(run)
    if graph is None:
        return Written(None, "nothing was explored, so {path} is not written")
    complete = bool(run.outcome.statistics["complete"])
    more = "" if complete else "; there may be more, which were not looked at"
    counted = f"{say_count(len(graph.states), 'state')} and {say_count(len(graph.edges), 'step')}"
    words = f"{counted} are in {{path}}{more}"
    if path.suffix == ".html":
        return Written(None, words, as_data(graph, complete=complete))
    return Written(GRAPHS[path.suffix](graph), words)


def _label(run: Run) -> LabeledGraph | None:
    """Return the graph as text; None if nothing was explored."""
    from verifier.engines.exploration import Exploration
    from verifier.outcomes.labeled_graph import LabeledExploration
    from verifier.text.state_graph import label_graph

    outcome = run.outcome
    if isinstance(outcome, LabeledExploration):
        return outcome.graph
    if not isinstance(outcome, Exploration) or outcome.graph is None:
        return None
    traces = {
        verdict.property_name: verdict.trace.states
        for verdict in outcome.verdicts
        if verdict.trace is not None
    }
    return label_graph(outcome.graph, traces)


def _announce(asked: Question[ExploreOptions]) -> str:
    names, depth = ", ".join(asked.properties), asked.options.depth
    if depth is None:
        return f"{names} in every reachable state"
    return f"{names} in the states within {say_count(depth, 'action')}"


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
    announcement=_announce,
    render=_render,
    progress=late("verifier.text.progress", "StatesText"),
    files=(OutputFile("--graph", _GRAPH, prepare=_with_graph, of_run=_graph),),
    relative_cost=4.0,
    counts_states=True,
    forks_late=True,
    finds_fewest=lambda options: True,
)
