"""What ``verify bmc`` does once its options are parsed."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from verifier import itf, smt2
from verifier.cli.bmc import Options
from verifier.cli.expect import Expectation, exit_code, parse_expectations
from verifier.cli.output import check_writable, console, print_json, print_lines, write
from verifier.cli.progress import Reporter
from verifier.cli.specs import Loaded, load
from verifier.engines.bmc import PREFERRED_SOLVERS, Outcome, Request, StepsChoice, check
from verifier.engines.processes import Limits
from verifier.errors import UsageError, unknown_name
from verifier.model import Model, build
from verifier.report.machine import as_object
from verifier.report.run import Run
from verifier.report.text import constants_line, render_run
from verifier.specs.definition import Definition
from verifier.verdict import Verdict, VerdictKind

_TRACE_SUFFIX = ".itf.json"


def run(options: Options) -> int:
    """Checks, prints, and returns the exit code."""
    began = time.monotonic()
    loaded = load(options.spec, options.settings)
    request = _request(options, loaded)
    names = [prop.name for prop in loaded.definition.properties]
    expectations = parse_expectations(options.expect, names)
    for option, path in (("--trace-out", options.trace_out), ("--dump-smt2", options.dump_smt2)):
        if path is not None:
            check_writable(option, path)
    _announce(loaded, request)
    with _terminable():
        model, building, outcome = _checked(loaded, request, options)
    finished = _finished(options, loaded, request, expectations, model, outcome, (began, building))
    _show(finished, options)
    if options.trace_out is not None:
        _write_traces(finished, options.trace_out)
    return finished.exit_code


def _request(options: Options, loaded: Loaded) -> Request:
    if options.shortest and options.steps == "parallel":
        raise UsageError(
            "--shortest does not go with --steps parallel: that no execution is shorter is shown by serial "
            "steps (allowed: --steps auto, serial)"
        )
    return Request(
        properties=chosen_properties(loaded.definition, options.properties),
        depth=loaded.protocol.default_depth if options.depth is None else options.depth,
        steps=StepsChoice(options.steps),
        solver=options.solver,
        symmetry=options.symmetry,
        shortest=options.shortest,
        limits=Limits(options.timeout, options.memory),
        seed=options.seed,
    )


def chosen_properties(definition: Definition, asked: Sequence[str]) -> tuple[str, ...]:
    """The properties to check. Raises UsageError for an unknown one, or if there is none."""
    known = [prop.name for prop in definition.properties]
    for name in asked:
        if name not in (*known, "all"):
            raise unknown_name("property", name, [*known, "all"])
    if "all" in asked:
        return tuple(known)
    chosen = dict.fromkeys(asked) if asked else [prop.name for prop in definition.properties if prop.default]
    if not chosen:
        names = ", ".join(known)
        raise UsageError(
            f"{definition.name} checks no property by default: name one with --property ({names})"
        )
    return tuple(chosen)


def _announce(loaded: Loaded, request: Request) -> None:
    definition = loaded.definition
    about = f"{definition.name} with {constants_line(definition.constants)}"
    click.echo(f"{about}: {', '.join(request.properties)} to depth {request.depth}", err=True)


class _OutOfTime(KeyboardInterrupt):
    """The time is over; as with Ctrl-C, nothing on the way may catch it."""


@contextmanager
def _limited(seconds: float | None) -> Iterator[None]:
    """Raises _OutOfTime inside when the time is over. The search has a clock of its own."""

    def stop(*_: Any) -> None:
        raise _OutOfTime

    if seconds is None:
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _terminable() -> Iterator[None]:
    """A request to terminate counts as Ctrl-C: what is known is kept."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _checked(loaded: Loaded, request: Request, options: Options) -> tuple[Model | None, float, Outcome]:
    """The model, the seconds it took to build, and what was found before the end or an interrupt."""
    began = time.monotonic()
    model, building = None, 0.0
    try:
        with _limited(options.timeout):
            model = build(loaded.protocol)
        building = time.monotonic() - began
        if options.dump_smt2 is not None:
            write("--dump-smt2", options.dump_smt2, smt2.dump(model, request.properties, request.depth))
        with Reporter() as reporter:
            return model, building, check(model, request, reporter)
    except KeyboardInterrupt as stop:  # the search concludes by itself: this was before or after it
        late = isinstance(stop, _OutOfTime)
        reason = f"timeout of {options.timeout:g} s, while building" if late else "interrupted"
        seconds = time.monotonic() - began
        verdicts = [
            Verdict(name, VerdictKind.INCONCLUSIVE, None, seconds, reason) for name in request.properties
        ]
        return model, building, Outcome(tuple(verdicts), (), {"searches": {}, "peak_memory_bytes": 0})


def _finished(
    options: Options,
    loaded: Loaded,
    request: Request,
    expectations: Sequence[Expectation],
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
        exit_code=exit_code(outcome.verdicts, expectations),
        expected=options.expect,
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


def _write_traces(finished: Run, path: Path) -> None:
    traces = [verdict.trace for verdict in finished.outcome.verdicts if verdict.trace is not None]
    if not traces or finished.model is None:
        old = "; the one that is there is older" if path.is_file() else ""
        click.echo(f"no counterexample, so {path} is not written{old}", err=True)
        return
    for number, trace in enumerate(traces):
        target = path if number == 0 else beside(path, str(trace.violates))
        text = json.dumps(itf.dump(trace, finished.model), ensure_ascii=False, indent=2)
        write("--trace-out", target, f"{text}\n")
        click.echo(f"the counterexample of {trace.violates} is in {target}", err=True)


def beside(path: Path, name: str) -> Path:
    """``t.itf.json`` with a name: ``t.NAME.itf.json``."""
    if path.name.endswith(_TRACE_SUFFIX):
        return path.with_name(f"{path.name.removesuffix(_TRACE_SUFFIX)}.{name}{_TRACE_SUFFIX}")
    return path.with_name(f"{path.stem}.{name}{path.suffix}")
