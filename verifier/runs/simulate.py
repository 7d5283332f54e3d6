"""Runs of random simulation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from verifier.engines.bmc import Outcome
from verifier.engines.simulate import Progress, Request, simulate
from verifier.errors import UsageError, unknown_name
from verifier.outcomes.run import Run
from verifier.processes.children import Limits
from verifier.runs.loading import Loaded
from verifier.runs.options import SimulateOptions
from verifier.runs.question import Asked, ask, chosen_properties, finished, searched
from verifier.specs.definition import NO_DEADLOCK, Definition
from verifier.system.measure import measure
from verifier.system.model import Model

ENGINE = "simulate"


def prepare(loaded: Loaded, options: SimulateOptions) -> Asked[SimulateOptions]:
    """The run, its names checked. Raises UsageError for what cannot be asked."""
    known = [action.name for action in loaded.definition.actions]
    for name in options.count_action:
        if name not in known:
            raise unknown_name(f"action of {loaded.definition.name}", name, known)
    return replace(ask(loaded, options, _properties), deadlock=True)


def _properties(
    definition: Definition, asked: Sequence[str], expected: tuple[str, ...], deadlock: bool
) -> tuple[str, ...]:
    if "none" not in asked:
        return chosen_properties(definition, asked, expected, deadlock)
    if len(asked) > 1:
        raise UsageError("--property none does not go with other properties")
    return tuple(dict.fromkeys((*expected, *((NO_DEADLOCK,) if deadlock else ()))))


def recorded(asked: Asked[SimulateOptions]) -> dict[str, Any]:
    """The options as results name them."""
    options = asked.options
    return {
        "walks": options.walks,
        "depth": options.depth,
        "seed": options.seed,
        "timeout": options.timeout,
    }


def run(asked: Asked[SimulateOptions], listen: Callable[[Progress], None] = lambda _: None) -> Run:
    """Simulates, until it is done or interrupted."""
    options = asked.options

    def search(model: Model) -> Outcome:
        request = Request(
            properties=asked.properties,
            walks=options.walks,
            depth=options.depth,
            seed=options.seed,
            counted_actions=options.count_action,
            measures={text: measure(model, text, asked.loaded.vocabulary) for text in options.histogram},
            limits=Limits(options.timeout),
        )
        return simulate(model, request, listen)

    found = searched(asked, search, lambda verdicts: Outcome(verdicts, (), {}))
    return finished(
        asked,
        found,
        engine=ENGINE,
        options=recorded(asked),
        depth=options.depth,
    )
