"""What ``verify explore`` does once its options are parsed."""

from __future__ import annotations

import time

import click

from verifier.cli.expect import Expectations, exit_code, expectations_of
from verifier.cli.explore import Options
from verifier.cli.output import check_writable, console, print_json, print_lines, write
from verifier.cli.running import chosen_properties, limited, terminable, undecided, write_traces
from verifier.cli.specs import Loaded, load
from verifier.cli.states_progress import StatesReporter
from verifier.deadlock import with_deadlock
from verifier.engines.explore import Exploration, Request, explore
from verifier.engines.processes import Limits
from verifier.errors import UsageError
from verifier.model import Model, build
from verifier.report.exploration import render_exploration
from verifier.report.graph import MOST_STATES, as_dot, as_graphml
from verifier.report.machine import as_object
from verifier.report.run import Run
from verifier.report.text import constants_line

_GRAPHS = {".dot": as_dot, ".graphml": as_graphml}


def run(options: Options) -> int:
    """Explores, prints, and returns the exit code."""
    began = time.monotonic()
    loaded = load(options.spec, options.settings)
    expectations = expectations_of(options.expect, loaded.definition, deadlock=options.deadlock)
    request = _request(options, loaded, expectations.properties)
    for option, path in (("--trace-out", options.trace_out), ("--graph", options.graph)):
        if path is not None:
            check_writable(option, path)
    about = f"{loaded.definition.name} with {constants_line(loaded.definition.constants)}"
    click.echo(f"{about}: {', '.join(request.properties)} in every reachable state", err=True)
    with terminable():
        model, building, found = _explored(loaded, request, options)
    finished = _finished(options, loaded, request, expectations, model, found, (began, building))
    if options.output_format == "json":
        print_json(as_object(finished))
    else:
        target = console()
        print_lines(target, render_exploration(finished, target.width, full=options.full))
    if options.trace_out is not None:
        write_traces(finished, options.trace_out)
    if options.graph is not None:
        _write_graph(options, found)
    return finished.exit_code


def _request(options: Options, loaded: Loaded, expected: tuple[str, ...]) -> Request:
    if options.graph is not None and options.graph.suffix not in _GRAPHS:
        raise UsageError(f"--graph {options.graph} is not allowed: the file must end in .dot or .graphml")
    wanted = options.graph is not None
    most = options.max_states
    return Request(
        properties=chosen_properties(loaded.definition, options.properties, expected, options.deadlock),
        max_states=min(most or MOST_STATES, MOST_STATES) if wanted else most,
        max_depth=options.max_depth,
        symmetry=options.symmetry,
        keep_going=options.keep_going,
        graph=wanted,
        limits=Limits(options.timeout, options.memory),
    )


def _explored(loaded: Loaded, request: Request, options: Options) -> tuple[Model | None, float, Exploration]:
    """The model, the seconds it took to build, and what was found before the end or an interrupt."""
    began = time.monotonic()
    model, building = None, 0.0
    try:
        with limited(options.timeout):
            model = with_deadlock(build(loaded.protocol))
        building = time.monotonic() - began
        with StatesReporter() as reporter:
            return model, building, explore(model, request, reporter)
    except KeyboardInterrupt as stop:  # the exploration concludes by itself: this was before or after it
        verdicts = undecided(request.properties, stop, options.timeout)
        return model, building, Exploration(tuple(verdicts), (), {})


def _finished(
    options: Options,
    loaded: Loaded,
    request: Request,
    expectations: Expectations,
    model: Model | None,
    found: Exploration,
    times: tuple[float, float],
) -> Run:
    began, building = times
    return Run(
        engine="explore",
        definition=loaded.definition,
        model=model,
        options={
            "properties": list(request.properties),
            "max_states": request.max_states,
            "max_depth": request.max_depth,
            "symmetry": request.symmetry,
            "deadlock": options.deadlock,
            "keep_going": request.keep_going,
            "timeout": options.timeout,
            "memory": options.memory,
        },
        depth=found.statistics.get("depth", 0),
        solvers=(),
        outcome=found,
        seconds=time.monotonic() - began,
        building_seconds=building,
        exit_code=exit_code(found.verdicts, expectations, found.enabled),
        expected=options.expect,
        missing=expectations.never_enabled(found.enabled),
    )


def _write_graph(options: Options, found: Exploration) -> None:
    assert options.graph is not None
    if found.graph is None:
        click.echo(f"nothing was explored, so {options.graph} is not written", err=True)
        return
    write("--graph", options.graph, _GRAPHS[options.graph.suffix](found.graph))
    part = "" if found.statistics["complete"] else ", a part of all"
    count, edges = len(found.graph.rows), len(found.graph.edges)
    click.echo(f"{count} states and {edges} steps{part} are in {options.graph}", err=True)
