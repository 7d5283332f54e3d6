"""What ``verify explore`` does once its options are parsed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from verifier.cli.output import say, write
from verifier.cli.running import Shown, announce, check_targets, show, terminable
from verifier.cli.states_progress import StatesReporter
from verifier.engines.explore import Exploration
from verifier.errors import UsageError
from verifier.runs import explore
from verifier.runs.loading import load
from verifier.runs.options import ExploreOptions
from verifier.text.exploration import render_exploration
from verifier.text.state_graph import MOST_STATES, as_dot, as_graphml

_GRAPHS = {".dot": as_dot, ".graphml": as_graphml}


def run(
    spec: str, settings: dict[str, str], options: ExploreOptions, shown: Shown, graph: Path | None
) -> int:
    """Explores, prints, and returns the exit code."""
    if graph is not None:
        if graph.suffix not in _GRAPHS:
            raise UsageError(f"--graph {graph} is not allowed: the file must end in .dot or .graphml")
        most = min(options.max_states or MOST_STATES, MOST_STATES)
        options = replace(options, graph=True, max_states=most)
    asked = explore.prepare(load(spec, settings), options)
    check_targets(shown, {"--graph": graph}, asked.properties)
    announce(asked.definition, f"{', '.join(asked.properties)} in every reachable state")
    with terminable(), StatesReporter() as reporter:
        finished = explore.run(asked, reporter)
    code = show(finished, shown, render_exploration)
    if graph is not None:
        assert isinstance(finished.outcome, Exploration)
        _write_graph(graph, finished.outcome)
    return code


def _write_graph(path: Path, found: Exploration) -> None:
    if found.graph is None:
        say(f"nothing was explored, so {path} is not written", err=True)
        return
    write("--graph", path, _GRAPHS[path.suffix](found.graph))
    part = "" if found.statistics["complete"] else ", a part of all"
    count, edges = len(found.graph.rows), len(found.graph.edges)
    say(f"{count} states and {edges} steps{part} are in {path}", err=True)
