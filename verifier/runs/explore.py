"""Runs of exhaustive exploration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from verifier.engines.explore import Exploration, Progress, Request, explore
from verifier.outcomes.run import Run
from verifier.processes.children import Limits
from verifier.runs.loading import Loaded
from verifier.runs.options import ExploreOptions
from verifier.runs.question import Asked, ask, finished, searched

ENGINE = "explore"


def prepare(loaded: Loaded, options: ExploreOptions) -> Asked[ExploreOptions]:
    """The run, its names checked. Raises UsageError for what cannot be asked."""
    # The graph and the counts speak of deadlocks whether they are looked for or not.
    return replace(ask(loaded, options), deadlock=True)


def recorded(asked: Asked[ExploreOptions]) -> dict[str, Any]:
    """The options as results name them."""
    options = asked.options
    return {
        "max_states": options.max_states,
        "max_depth": options.max_depth,
        "symmetry": options.symmetry,
        "deadlock": options.deadlock,
        "keep_going": options.keep_going,
        "timeout": options.timeout,
        "memory": options.memory,
    }


def run(asked: Asked[ExploreOptions], listen: Callable[[Progress], None] = lambda _: None) -> Run:
    """Explores, until it is done or interrupted."""
    options = asked.options
    request = Request(
        properties=asked.properties,
        max_states=options.max_states,
        max_depth=options.max_depth,
        symmetry=options.symmetry,
        keep_going=options.keep_going,
        graph=options.graph,
        limits=Limits(options.timeout, options.memory),
    )
    found = searched(
        asked,
        lambda model: explore(model, request, listen),
        lambda verdicts: Exploration(verdicts, (), {}),
    )
    return finished(
        asked,
        found,
        engine=ENGINE,
        options=recorded(asked),
        depth=found.outcome.statistics.get("depth", 0),
    )
