"""Commands on TLA+ files: ``verify explore FILE.tla`` and ``verify show FILE.tla``."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from verifier.cli.specs import parse_settings, tla_files, tla_lemmas
from verifier.errors import UsageError
from verifier.runs.engine import Engine

if TYPE_CHECKING:
    from verifier.cli.running import Display
    from verifier.runs.tla import TlaLoaded


def _load(spec: str, settings: Sequence[str], began: float) -> TlaLoaded:
    from verifier.runs.tla import load

    config, libraries = tla_files(spec)
    return load(spec, parse_settings(settings), config, libraries, began)


def run_tla(engine: Engine[Any], spec: str, given: dict[str, Any], began: float) -> int:
    """Runs an engine on a TLA+ file."""
    if engine.name == "explore":
        return _explore(engine, spec, given, began)
    from verifier.cli.reporter import Reporter
    from verifier.cli.running import announce, check_targets, show, terminable
    from verifier.runs.tla_symbolic import run, symbolic

    loaded = _load(spec, given.pop("settings"), began)
    _without_files(engine, given)
    if given.pop("certificate", None) is not None:
        raise UsageError("--certificate is not supported for TLA+ files yet")
    shown = _display(given)
    options = engine.options_of(given)
    check_targets(shown, {}, options.properties)
    own = getattr(options, "lemmas", ())
    lemmas = own if isinstance(own, tuple) and own else tla_lemmas()
    asked = symbolic(loaded, options.properties, lemmas)
    announce(
        loaded.definition, f"{engine.name}, at sorts found in {len(asked.translation.sample.states)} states"
    )
    with terminable(), Reporter(engine.progress()) as reporter:
        found = run(engine, asked, options, reporter)
    return show(found, shown, engine.render)


def _without_files(engine: Engine[Any], given: dict[str, Any]) -> None:
    for file in engine.files:
        if given.pop(file.flag[2:].replace("-", "_")) is not None:
            raise UsageError(f"{file.flag} is not supported for TLA+ files yet")


def _display(given: dict[str, Any]) -> Display:
    from verifier.cli.running import Display

    return Display(
        given.pop("output_format"), given.pop("full"), given.pop("trace_out", None), given.pop("html")
    )


def _explore(engine: Engine[Any], spec: str, given: dict[str, Any], began: float) -> int:
    from verifier.cli.output import note
    from verifier.cli.reporter import Reporter
    from verifier.cli.running import announce, check_targets, show, terminable
    from verifier.runs.tla import chosen, explore
    from verifier.runs.tla_symbolic import explored
    from verifier.text.tla import render_tla

    loaded = _load(spec, given.pop("settings"), began)
    _without_files(engine, given)
    shown = _display(given)
    options = engine.options_of(given)
    properties = chosen(loaded, options)
    check_targets(shown, {}, properties)
    alias = loaded.specification.config.alias
    if alias is not None:
        note(f"ALIAS {alias.name} is not applied: traces show the variables")
    announce(loaded.definition, f"{', '.join(properties) or 'all states'} in every reachable state")
    with terminable(), Reporter(engine.progress()) as reporter:
        compiled, why = explored(engine, loaded, options, reporter)
    if compiled is not None:
        note(
            "explored as translated: generated states are counted by steps of actions, not as TLC counts them"
        )
        return show(compiled, shown, engine.render)
    note(f"explored by the interpreter: {why}")
    with terminable(), Reporter(engine.progress()) as reporter:
        run = explore(loaded, options, reporter)
    return show(run, shown, render_tla)


def show_tla(spec: str, settings: Sequence[str], output_format: str) -> int:
    """Describes a TLA+ file."""
    from verifier.cli.output import console, print_json, print_lines
    from verifier.runs.tla import describe
    from verifier.runs.tla_symbolic import description
    from verifier.text.tla import render_description

    loaded = _load(spec, settings, time.monotonic())
    about = describe(loaded) | description(loaded)
    if output_format == "json":
        print_json(about)
    else:
        target = console()
        print_lines(target, render_description(about, target.width))
    return 0
