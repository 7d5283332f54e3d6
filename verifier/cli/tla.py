"""Commands on TLA+ files: ``verify explore FILE.tla`` and ``verify show FILE.tla``."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from verifier.cli.specs import parse_settings, tla_files
from verifier.errors import UsageError
from verifier.runs.engine import Engine

if TYPE_CHECKING:
    from verifier.runs.tla import TlaLoaded

_TAKES = ("explore",)


def _load(spec: str, settings: Sequence[str], began: float) -> TlaLoaded:
    from verifier.runs.tla import load

    config, libraries = tla_files(spec)
    return load(spec, parse_settings(settings), config, libraries, began)


def run_tla(engine: Engine[Any], spec: str, given: dict[str, Any], began: float) -> int:
    """Runs an engine on a TLA+ file. Raises UsageError for one that does not take them."""
    if engine.name not in _TAKES:
        words = f"verify {engine.name} does not take TLA+ files yet"
        raise UsageError(f"{words}: verify explore --spec {spec} looks at every state")
    from verifier.cli.output import note
    from verifier.cli.reporter import Reporter
    from verifier.cli.running import Display, announce, check_targets, show, terminable
    from verifier.runs.tla import chosen, explore
    from verifier.text.tla import render_tla

    loaded = _load(spec, given.pop("settings"), began)
    for file in engine.files:
        if given.pop(file.flag[2:].replace("-", "_")) is not None:
            raise UsageError(f"{file.flag} is not supported for TLA+ files yet")
    shown = Display(
        given.pop("output_format"), given.pop("full"), given.pop("trace_out", None), given.pop("html")
    )
    options = engine.options_of(given)
    properties = chosen(loaded, options)
    check_targets(shown, {}, properties)
    alias = loaded.specification.config.alias
    if alias is not None:
        note(f"ALIAS {alias.name} is not applied: traces show the variables")
    announce(loaded.definition, f"{', '.join(properties) or 'all states'} in every reachable state")
    with terminable(), Reporter(engine.progress()) as reporter:
        run = explore(loaded, options, reporter)
    return show(run, shown, render_tla)


def show_tla(spec: str, settings: Sequence[str], output_format: str) -> int:
    """Describes a TLA+ file."""
    from verifier.cli.output import console, print_json, print_lines
    from verifier.runs.tla import describe
    from verifier.text.tla import render_description

    about = describe(_load(spec, settings, time.monotonic()))
    if output_format == "json":
        print_json(about)
    else:
        target = console()
        print_lines(target, render_description(about, target.width))
    return 0
