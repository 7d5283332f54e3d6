"""Runs of bounded model checking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from verifier.engines.bmc import PREFERRED_SOLVERS, Outcome, Progress, Request, StepsChoice, check
from verifier.errors import UsageError
from verifier.outcomes.run import Run
from verifier.processes.children import Limits
from verifier.runs.loading import Loaded
from verifier.runs.options import BmcOptions
from verifier.runs.question import Asked, ask, finished, searched
from verifier.system.model import Model

ENGINE = "bmc"


def prepare(loaded: Loaded, options: BmcOptions) -> Asked[BmcOptions]:
    """The run, its names checked. Raises UsageError for what cannot be asked."""
    if options.shortest and options.steps == "parallel":
        raise UsageError(
            "--shortest does not go with --steps parallel: that no execution is shorter is shown by serial "
            "steps (allowed: --steps auto, serial)"
        )
    if options.part is not None and options.steps != "serial":
        raise UsageError("only a search with serial steps has parts (allowed: steps serial)")
    return ask(loaded, options)


def depth_of(asked: Asked[BmcOptions]) -> int:
    """The depth asked for, or the spec's default."""
    depth = asked.options.depth
    return asked.definition.presentation.default_depth if depth is None else depth


def recorded(asked: Asked[BmcOptions]) -> dict[str, Any]:
    """The options as results name them."""
    options = asked.options
    return {
        "depth": depth_of(asked),
        "steps": options.steps,
        "solver": options.solver,
        "symmetry": options.symmetry,
        "shortest": options.shortest,
        "deadlock": asked.deadlock,
        "timeout": options.timeout,
        "memory": options.memory,
        "seed": options.seed,
        **({} if options.part is None else {"part": asdict(options.part)}),
    }


def run(
    asked: Asked[BmcOptions],
    listen: Callable[[Progress], None] = lambda _: None,
    once_built: Callable[[Model, Request], None] = lambda *_: None,
) -> Run:
    """Searches, until it is done or interrupted."""
    options = asked.options
    request = Request(
        properties=asked.properties,
        depth=depth_of(asked),
        steps=StepsChoice(options.steps),
        solver=options.solver,
        symmetry=options.symmetry,
        shortest=options.shortest,
        limits=Limits(options.timeout, options.memory),
        seed=options.seed,
        part=options.part,
    )

    def search(model: Model) -> Outcome:
        once_built(model, request)
        return check(model, request, listen)

    found = searched(
        asked, search, lambda verdicts: Outcome(verdicts, (), {"searches": {}, "peak_memory_bytes": 0})
    )
    return finished(
        asked,
        found,
        engine=ENGINE,
        options=recorded(asked),
        depth=request.depth,
        solvers=_solvers(request),
    )


def _solvers(request: Request) -> tuple[str, ...]:
    if request.solver is not None:
        return (request.solver,)
    ran = (steps for steps in PREFERRED_SOLVERS if request.steps in (StepsChoice.AUTO, steps.value))
    return tuple(dict.fromkeys(PREFERRED_SOLVERS[steps] for steps in ran))
