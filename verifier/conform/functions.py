"""A Python function as a mapping: it says of each event which action it is, with which values."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from verifier.conform.logs import Event, LogError
from verifier.conform.mapping import Rule, make_target
from verifier.errors import UsageError, make_unknown_name_error
from verifier.processes.limits import Interrupted
from verifier.runs.toml_file import check_keys
from verifier.specs.names import own_name

ReadEvent: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Any] | None]
"""Returns the meaning of an event: its ``action``, and values in ``parameters``, ``before`` and ``after``.
None is the meaning of an event that says nothing."""
_WORDS = ("action", "parameters", "before", "after")


def load_function(file: Path) -> dict[str, Any]:
    """Return the mapping that a Python file has: its function ``read``, and what its ``MAPPING`` says."""
    try:
        names = runpy.run_path(str(file))
    except Exception as error:  # of the user's own code
        raise UsageError(f"{file}: {type(error).__name__}: {error}") from error
    if not callable(names.get("read")):
        raise UsageError(f"{file} has no function read(event), which says what an event means")
    return {**names.get("MAPPING", {}), "read": names["read"]}


def ask_function(
    read: ReadEvent,
    log: Path,
    event: Event,
    actions: Mapping[str, Iterable[str]],
    variables: list[str],
) -> tuple[Event, Rule | None]:
    """Return an event with the values that a function gives, and the rule that reads them; None for one that
    says nothing."""
    try:
        meant = read(event.fields)
    except Interrupted:
        raise
    except Exception as error:  # of the user's own code
        words = f"the mapping's function fails: {type(error).__name__}: {error}"
        raise LogError(log, event.line, words, text=event.text) from error
    if meant is None:
        return event, None
    try:
        return _rule(meant, event, actions, variables)
    except UsageError as error:
        words = f"the mapping's function returns what is not a meaning: {error}"
        raise LogError(log, event.line, words, text=event.text) from None


def _rule(
    meant: Mapping[str, Any], event: Event, actions: Mapping[str, Iterable[str]], variables: list[str]
) -> tuple[Event, Rule]:
    if not isinstance(meant, Mapping):
        raise UsageError(f"{meant!r} is not a table with an action")
    check_keys(meant, _WORDS, "the meaning")
    action = own_name(str(meant.get("action")), actions)
    if action not in actions:
        raise make_unknown_name_error("action", action, actions)
    fields: dict[str, Any] = {}
    given = {}
    for name, value in meant.get("parameters", {}).items():
        if name not in actions[action]:
            raise make_unknown_name_error(f"parameter of {action}", name, actions[action])
        given[name] = f"parameter {name}"
        fields[given[name]] = value
    targets = []
    for when in ("before", "after"):
        parts = []
        for written, value in meant.get(when, {}).items():
            target = make_target(written, "the meaning", variables)
            fields.update({key: int(key) if key.isdigit() else key for key in target.keys})
            name = written if when == "after" else f"{written} before"
            fields[name] = value
            parts.append((target, name))
        targets.append(tuple(parts))
    return replace(event, fields=fields), Rule(action, given, *targets)
