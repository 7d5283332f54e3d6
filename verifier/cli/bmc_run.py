"""What ``verify bmc`` does once its options are parsed."""

from __future__ import annotations

import time

import click

from verifier import smt2
from verifier.cli.bmc import Options
from verifier.cli.expect import Expectations, exit_code, expectations_of
from verifier.cli.output import check_writable, console, print_json, print_lines, write
from verifier.cli.progress import Reporter
from verifier.cli.running import chosen_properties, limited, terminable, undecided, write_traces
from verifier.cli.specs import Loaded, load
from verifier.deadlock import with_deadlock
from verifier.engines.bmc import PREFERRED_SOLVERS, Outcome, Request, StepsChoice, check
from verifier.engines.processes import Limits
from verifier.errors import UsageError
from verifier.model import Model, build
from verifier.report.machine import as_object
from verifier.report.run import Run
from verifier.report.text import constants_line, render_run


def run(options: Options) -> int:
    """Checks, prints, and returns the exit code."""
    began = time.monotonic()
    loaded = load(options.spec, options.settings)
    expectations = expectations_of(options.expect, loaded.definition, deadlock=options.deadlock)
    request = _request(options, loaded, expectations.properties)
    for option, path in (("--trace-out", options.trace_out), ("--dump-smt2", options.dump_smt2)):
        if path is not None:
            check_writable(option, path)
    _announce(loaded, request)
    with terminable():
        model, building, outcome = _checked(loaded, request, options)
    finished = _finished(options, loaded, request, expectations, model, outcome, (began, building))
    _show(finished, options)
    if options.trace_out is not None:
        write_traces(finished, options.trace_out)
    return finished.exit_code


def _request(options: Options, loaded: Loaded, expected: tuple[str, ...]) -> Request:
    if options.shortest and options.steps == "parallel":
        raise UsageError(
            "--shortest does not go with --steps parallel: that no execution is shorter is shown by serial "
            "steps (allowed: --steps auto, serial)"
        )
    return Request(
        properties=chosen_properties(loaded.definition, options.properties, expected, options.deadlock),
        depth=loaded.protocol.default_depth if options.depth is None else options.depth,
        steps=StepsChoice(options.steps),
        solver=options.solver,
        symmetry=options.symmetry,
        shortest=options.shortest,
        limits=Limits(options.timeout, options.memory),
        seed=options.seed,
    )


def _announce(loaded: Loaded, request: Request) -> None:
    definition = loaded.definition
    about = f"{definition.name} with {constants_line(definition.constants)}"
    click.echo(f"{about}: {', '.join(request.properties)} to depth {request.depth}", err=True)


def _checked(loaded: Loaded, request: Request, options: Options) -> tuple[Model | None, float, Outcome]:
    """The model, the seconds it took to build, and what was found before the end or an interrupt."""
    began = time.monotonic()
    model, building = None, 0.0
    try:
        with limited(options.timeout):
            model = build(loaded.protocol)
        model = with_deadlock(model) if options.deadlock else model
        building = time.monotonic() - began
        if options.dump_smt2 is not None:
            write("--dump-smt2", options.dump_smt2, smt2.dump(model, request.properties, request.depth))
        with Reporter() as reporter:
            return model, building, check(model, request, reporter)
    except KeyboardInterrupt as stop:  # the search concludes by itself: this was before or after it
        verdicts = undecided(request.properties, stop, options.timeout)
        return model, building, Outcome(tuple(verdicts), (), {"searches": {}, "peak_memory_bytes": 0})


def _finished(
    options: Options,
    loaded: Loaded,
    request: Request,
    expectations: Expectations,
    model: Model | None,
    outcome: Outcome,
    times: tuple[float, float],
) -> Run:
    began, building = times
    return Run(
        engine="bmc",
        definition=loaded.definition,
        model=model,
        options={
            "properties": list(request.properties),
            "depth": request.depth,
            "steps": request.steps.value,
            "symmetry": request.symmetry,
            "shortest": request.shortest,
            "timeout": options.timeout,
            "memory": options.memory,
            "seed": request.seed,
        },
        depth=request.depth,
        solvers=_solvers(request),
        outcome=outcome,
        seconds=time.monotonic() - began,
        building_seconds=building,
        exit_code=exit_code(outcome.verdicts, expectations, outcome.enabled),
        expected=options.expect,
        missing=expectations.never_enabled(outcome.enabled),
    )


def _solvers(request: Request) -> tuple[str, ...]:
    if request.solver is not None:
        return (request.solver,)
    ran = (steps for steps in PREFERRED_SOLVERS if request.steps in (StepsChoice.AUTO, steps.value))
    return tuple(dict.fromkeys(PREFERRED_SOLVERS[steps] for steps in ran))


def _show(finished: Run, options: Options) -> None:
    if options.output_format == "json":
        print_json(as_object(finished))
    else:
        target = console()
        print_lines(target, render_run(finished, target.width, full=options.full))
