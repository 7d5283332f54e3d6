"""What ``verify simulate`` does once its options are parsed."""

from __future__ import annotations

import time

import click

from verifier.cli.expect import exit_code, expectations_of
from verifier.cli.output import check_writable, console, print_json, print_lines
from verifier.cli.running import chosen_properties, limited, terminable, undecided, write_traces
from verifier.cli.simulate import Options
from verifier.cli.specs import Loaded, load
from verifier.deadlock import with_deadlock
from verifier.engines.bmc import Outcome
from verifier.engines.processes import Limits
from verifier.engines.simulate import Progress, Request, simulate
from verifier.errors import UsageError, unknown_name
from verifier.measure import measure
from verifier.model import Model, build
from verifier.report.machine import as_object
from verifier.report.run import Run
from verifier.report.simulation import render_simulation
from verifier.report.text import constants_line
from verifier.verdict import NO_DEADLOCK


def run(options: Options) -> int:
    """Simulates, prints, and returns the exit code."""
    began = time.monotonic()
    loaded = load(options.spec, options.settings)
    expectations = expectations_of(options.expect, loaded.definition, deadlock=options.deadlock)
    properties = _properties(options, loaded, expectations.properties)
    for name in options.count_action:
        known = [action.name for action in loaded.definition.actions]
        if name not in known:
            raise unknown_name(f"action of {loaded.definition.name}", name, known)
    if options.trace_out is not None:
        check_writable("--trace-out", options.trace_out)
    about = f"{loaded.definition.name} with {constants_line(loaded.definition.constants)}"
    click.echo(f"{about}: {options.walks} random executions", err=True)
    with terminable():
        model, building, found = _simulated(loaded, properties, options)
    finished = Run(
        engine="simulate",
        definition=loaded.definition,
        model=model,
        options={
            "properties": list(properties),
            "walks": options.walks,
            "depth": options.depth,
            "seed": options.seed,
            "timeout": options.timeout,
        },
        depth=options.depth,
        solvers=(),
        outcome=found,
        seconds=time.monotonic() - began,
        building_seconds=building,
        exit_code=exit_code(found.verdicts, expectations, found.enabled),
        expected=options.expect,
        missing=expectations.never_enabled(found.enabled),
    )
    if options.output_format == "json":
        print_json(as_object(finished))
    else:
        target = console()
        print_lines(target, render_simulation(finished, target.width, full=options.full))
    if options.trace_out is not None:
        write_traces(finished, options.trace_out)
    return finished.exit_code


def _properties(options: Options, loaded: Loaded, expected: tuple[str, ...]) -> tuple[str, ...]:
    if "none" not in options.properties:
        return chosen_properties(loaded.definition, options.properties, expected, options.deadlock)
    if len(options.properties) > 1:
        raise UsageError("--property none does not go with other properties")
    return tuple(dict.fromkeys((*expected, *((NO_DEADLOCK,) if options.deadlock else ()))))


def _simulated(
    loaded: Loaded, properties: tuple[str, ...], options: Options
) -> tuple[Model | None, float, Outcome]:
    """The model, the seconds it took to build, and what was found before the end or an interrupt."""
    began = time.monotonic()
    model, building = None, 0.0

    def tell(news: Progress) -> None:
        if news.violated is not None:
            click.echo(f"{news.violated} is {'reached' if news.reached else 'violated'}", err=True)

    try:
        with limited(options.timeout):
            model = with_deadlock(build(loaded.protocol))
        building = time.monotonic() - began
        request = Request(
            properties=properties,
            walks=options.walks,
            depth=options.depth,
            seed=options.seed,
            counted_actions=options.count_action,
            measures={text: measure(model, text) for text in options.histogram},
            limits=Limits(options.timeout),
        )
        return model, building, simulate(model, request, tell)
    except KeyboardInterrupt as stop:  # the simulation concludes by itself: this was before or after it
        return model, building, Outcome(tuple(undecided(properties, stop, options.timeout)), (), {})
