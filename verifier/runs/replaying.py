"""Trace files, loaded and replayed against their protocols."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifier.engines.outcome import Outcome
from verifier.errors import UsageError, make_unknown_name_error
from verifier.outcomes.content import as_object
from verifier.outcomes.row import ASKED, DOCUMENTED, PLACES, TRACE_FILE, Row, rows_of
from verifier.outcomes.run import Run
from verifier.runs.building import build_model
from verifier.runs.loaded import TLA, Loaded, ReadingOptions
from verifier.runs.loading import choose_trusted_spec, load, require_same_constants
from verifier.specs.definition import Definition
from verifier.specs.names import own_name
from verifier.system.deadlock import with_deadlock
from verifier.system.fairness import conditions_named
from verifier.system.liveness import live_model
from verifier.system.model import Model
from verifier.trust import itf
from verifier.trust.lasso import check_lasso
from verifier.trust.replay import Replayer, ReplayFailure
from verifier.trust.trace import Trace
from verifier.verdict import Verdict, VerdictKind

if TYPE_CHECKING:
    from verifier.runs.modules.loading import TlaLoaded

ENGINE = "replay"
_OWN_CONSTANTS = "replay it at its own constants, or look for another execution"


@dataclass(frozen=True)
class Replayed:
    """A trace that is an execution of the protocol and shows what it claims."""

    definition: Definition
    model: Model | None
    """None for a TLA+ module: its interpreter has replayed the trace and written its values."""
    trace: Trace
    warning: str | None
    """Set if the trace was made with another version of the protocol."""
    seconds: float
    written: Mapping[str, Any] | None = None
    """The trace as ITF, if there is no model."""
    of_module: tuple[str, ...] = ()
    """Warnings about a TLA+ module and its configuration."""


def replay_text(
    file: Path,
    text: str,
    spec: str | None,
    settings: Mapping[str, str],
    reading: ReadingOptions | None = None,
) -> Replayed:
    """Replay the trace in a file's text. Raises UsageError, which names the file, if it is no trace or does
    not replay."""
    began = time.monotonic()
    with _naming(file):
        data = itf.parse(text, file)
        about = itf.header(data)
    trusted = choose_trusted_spec(about.spec, spec, "the trace")
    if trusted.endswith(TLA):
        return _by_interpreter(file, data, about, _module(trusted, about, settings, reading), began)
    loaded = load(trusted, {**about.constants, **settings}, claimed=about.spec)
    _check_constants(about, loaded.definition.constants, settings, "--set")
    with _naming(file):
        about = _with_own_name(about, loaded)
        _check_property(about, loaded)
        model = with_deadlock(build_model(loaded.definition))
        trace = _check_trace(model, replace(itf.load(data, model), violates=about.violates), about)
    definition = loaded.definition
    return Replayed(definition, model, trace, _warning(about, definition), time.monotonic() - began)


def _module(
    spec: str, about: itf.Header, settings: Mapping[str, str], reading: ReadingOptions | None
) -> TlaLoaded:
    """Load the module at the trace's constants. Raises UsageError if others are given."""
    from verifier.runs.modules.loading import load as load_module

    reading = reading or ReadingOptions()
    if reading.config is not None:
        own = load_module(spec, settings, reading.config, reading.libraries).definition.constants
        _check_constants(about, own, own, f"--config {reading.config}")
    module = load_module(spec, settings, reading.config, reading.libraries, said=about.constants)
    _check_constants(about, module.definition.constants, settings, "--set")
    return module


def _check_constants(about: itf.Header, own: Mapping[str, Any], given: Collection[str], by: str) -> None:
    """Raise UsageError if a ``given`` constant differs from the trace's."""
    chosen = {name: value for name, value in own.items() if name in given}
    require_same_constants(about.constants, chosen, "the trace", by, _OWN_CONSTANTS)


def _by_interpreter(
    file: Path, data: Mapping[str, Any], about: itf.Header, module: TlaLoaded, began: float
) -> Replayed:
    from verifier.runs.modules.loading import evaluate_or_refuse
    from verifier.runs.modules.replaying import follow_trace

    with _naming(file):
        followed = evaluate_or_refuse(lambda: follow_trace(module, data, about))
    definition = module.definition
    warning, seconds = _warning(about, definition), time.monotonic() - began
    of_module = module.specification.warnings
    return Replayed(definition, None, followed.trace, warning, seconds, followed.written, of_module)


def _check_trace(model: Model, trace: Trace, about: itf.Header) -> Trace:
    """Return the replayed trace. An infinite one gets the reasons why its loop is fair."""
    if trace.loop is None:
        Replayer(model).check(trace)
        return trace
    prop = next((one for one in model.definition.temporal if one.name == about.violates), None)
    if prop is None:
        words = "a trace with a loop violates a temporal property"
        raise UsageError(f"{words}, and {about.violates} is not a property of {model.definition.name}")
    conditions = conditions_named(model.definition, trace.loop.fairness)
    return check_lasso(live_model(model, prop, trace.loop.fairness, conditions), trace)


def row_of(replay: Replayed, file: Path | None = None) -> Row:
    """Return the verdict that a replayed trace of a file shows. Raises UsageError if it names no property."""
    model, trace = replay.model, replay.trace
    if trace.violates is None:
        raise UsageError("the trace names no property, so there is no verdict to report")
    sought = model is not None and model.system.seeks(trace.violates)
    kind = VerdictKind.REACHED if sought else VerdictKind.VIOLATED
    verdict = Verdict(trace.violates, kind, trace.steps, replay.seconds, trace=trace)
    run = Run(
        engine=ENGINE,
        definition=replay.definition,
        model=model,
        options={},
        depth=trace.steps,
        solvers=(),
        outcome=Outcome((verdict,), (), {}),
        seconds=replay.seconds,
        building_seconds=0.0,
        exit_code=kind.exit_code,
        traces={} if replay.written is None else {trace.violates: replay.written},
    )
    (row,) = rows_of(as_object(run))
    names = ("module", "config", ASKED, DOCUMENTED, PLACES)
    kept = {name: row.statistics[name] for name in names if name in row.statistics}
    kept |= {} if file is None else {TRACE_FILE: str(file)}
    return replace(row, statistics=kept, fewest=None)


@contextmanager
def _naming(file: Path) -> Iterator[None]:
    """Turn errors inside into errors of that file."""
    try:
        yield
    except ReplayFailure as failure:
        raise UsageError(f"{file} does not replay: step {failure.step}: {failure.reason}") from None
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from None


def _with_own_name(about: itf.Header, loaded: Loaded) -> itf.Header:
    """Return the header with the protocol's own name of the property."""
    if about.violates is None:
        return about
    names = [claim.name for claim in loaded.definition.properties]
    names += [claim.name for claim in loaded.definition.temporal]
    return replace(about, violates=own_name(about.violates, names))


def _check_property(about: itf.Header, loaded: Loaded) -> None:
    definition = loaded.definition
    temporal = [prop.name for prop in definition.temporal]
    known = [*(prop.name for prop in definition.properties), *temporal, definition.titles.no_deadlock]
    if about.violates in temporal and about.fairness is None:
        raise UsageError(f"{about.violates} is violated by infinite executions: the trace has no loop")
    if about.violates is not None and about.violates not in known:
        raise make_unknown_name_error(f"property of {loaded.definition.name}", about.violates, known)


def _warning(about: itf.Header, definition: Definition) -> str | None:
    if about.spec != definition.name:
        return f"the trace is of {about.spec}, checked against {definition.name}"
    if about.spec_hash != definition.spec_hash:
        words = f"the trace was made with hash {about.spec_hash}, the spec now has {definition.spec_hash}"
        return f"{definition.name} or its constants changed since: {words}"
    return None
