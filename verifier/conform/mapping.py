"""Mapping files: which event of a log is which action, which of its fields are parameters or variables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from verifier.conform.logs import Event
from verifier.errors import UsageError, make_unknown_name_error
from verifier.runs.toml_file import check_keys, read_toml

_TABLES = ("event", "ignore", "silent", "constants", "events")
_RULE = ("action", "parameters", "before", "after")
_TARGET = re.compile(r"([^\[\]]+)((?:\[[^\[\]]+\])*)")
OPTIONAL = "?"
"""The end of a field's name that no event must have."""
MISSING = object()
"""The value of a field that an event does not have."""


@dataclass(frozen=True)
class Target:
    """A variable, or a part of it: ``term[node]``, where ``node`` is a field of the event."""

    variable: str
    keys: tuple[str, ...]
    written: str


@dataclass(frozen=True)
class Rule:
    """The meaning of the events of one name."""

    action: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    before: tuple[tuple[Target, str], ...] = ()
    after: tuple[tuple[Target, str], ...] = ()

    def fields(self) -> Iterable[str]:
        """Yield the fields of the event that it reads."""
        yield from self.parameters.values()
        for target, name in (*self.before, *self.after):
            yield name
            yield from target.keys


@dataclass(frozen=True)
class Mapped:
    """The content of a mapping file."""

    file: str
    event: str
    ignore: frozenset[str]
    silent: tuple[str, ...]
    most_silent: int
    constants: Mapping[str, str]
    rules: Mapping[str, Rule]

    def name_of(self, log: Path, event: Event) -> str:
        """Return the name of an event. Raises UsageError if it has none."""
        name = value_of(event, self.event)
        if name is MISSING:
            raise UsageError(f"{log}:{event.line}: the event has no field {self.event}, which names it")
        return str(name)

    def rule_of(self, log: Path, event: Event, actions: Iterable[str]) -> Rule | None:
        """Return the meaning of an event; None for one that is ignored. Raises UsageError if it has none."""
        name = self.name_of(log, event)
        if name in self.ignore:
            return None
        if name in self.rules:
            return self.rules[name]
        if name in actions:
            return Rule(name)
        words = f"the event {name!r} is no action: write [events.{name}] in {self.file}, or ignore it there"
        raise UsageError(f"{log}:{event.line}: {words}")


def value_of(event: Event, path: str) -> Any:
    """Return a field of an event, ``msg.term`` for a field in a field; MISSING if it has none."""
    value: Any = event.fields
    path = path.removesuffix(OPTIONAL)
    for part in [path] if path in event.fields else path.split("."):
        if isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        elif isinstance(value, Mapping) and part in value:
            value = value[part]
        else:
            return MISSING
    return value


def read_mapping(
    file: Path, actions: Mapping[str, Iterable[str]], variables: Iterable[str]
) -> Mapped:
    """Return the content of a mapping file. Raises UsageError for names that the specification lacks."""
    content = read_toml(file, "mapping", _TABLES)
    event = content.get("event")
    if not isinstance(event, str):
        raise UsageError(f'{file}: event = "FIELD" must say which field names an event')
    silent = _table(content, "silent", file)
    check_keys(silent, ("actions", "most"), f"{file}: silent")
    hidden = tuple(map(str, silent.get("actions", ())))
    for name in hidden:
        if name not in actions:
            raise UsageError(f"{file}: silent: {make_unknown_name_error('action', name, actions)}")
    most = silent.get("most", 1)
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        raise UsageError(f"{file}: silent: most = {most} is not allowed: it takes an integer from 1")
    rules = {
        name: _rule(table, f"{file}: events.{name}", name, actions, list(variables))
        for name, table in _table(content, "events", file).items()
    }
    constants = {name: _setting(value) for name, value in _table(content, "constants", file).items()}
    ignore = frozenset(map(str, content.get("ignore", ())))
    return Mapped(str(file), event, ignore, hidden, most if hidden else 0, constants, rules)


def constants_of(file: Path) -> dict[str, str]:
    """Return the constants of a mapping file, as settings."""
    content = read_toml(file, "mapping", _TABLES)
    return {name: _setting(value) for name, value in _table(content, "constants", file).items()}


def _setting(value: Any) -> str:
    return str(value).upper() if isinstance(value, bool) else str(value)


def _table(content: Mapping[str, Any], key: str, file: Path | str) -> dict[str, Any]:
    table = content.get(key, {})
    if not isinstance(table, dict):
        raise UsageError(f"{file}: {key} is a table, [{key}]")
    return table


def _rule(
    table: Any, place: str, event: str, actions: Mapping[str, Iterable[str]], variables: list[str]
) -> Rule:
    if not isinstance(table, dict):
        raise UsageError(f"{place} is a table, [events.{event}]")
    check_keys(table, _RULE, place)
    action = str(table.get("action", event))
    if action not in actions:
        raise UsageError(f"{place}: {make_unknown_name_error('action', action, actions)}")
    given = {str(name): str(path) for name, path in _table(table, "parameters", place).items()}
    for name in given:
        if name not in actions[action]:
            error = make_unknown_name_error(f"parameter of {action}", name, actions[action])
            raise UsageError(f"{place}: {error}")
    before, after = (
        tuple((_target(one, place, variables), str(path)) for one, path in _table(table, key, place).items())
        for key in ("before", "after")
    )
    return Rule(action, given, before, after)


def _target(written: str, place: str, variables: list[str]) -> Target:
    found = _TARGET.fullmatch(written)
    if found is None:
        raise UsageError(f"{place}: {written} is no variable, and no part such as term[node]")
    if found[1] not in variables:
        raise UsageError(f"{place}: {make_unknown_name_error('variable', found[1], variables)}")
    return Target(found[1], tuple(found[2][1:-1].split("][")) if found[2] else (), written)


def check_fields(log: Path, mapping: Mapped, events: Iterable[tuple[Event, Rule]]) -> None:
    """Raise UsageError for a field that no event of its name has: a misspelt one would accept every log."""
    missing: dict[tuple[str, str], int] = {}
    present: set[tuple[str, str]] = set()
    for event, rule in events:
        name = mapping.name_of(log, event)
        for path in rule.fields():
            if path.endswith(OPTIONAL):
                continue
            if value_of(event, path) is MISSING:
                missing.setdefault((name, path), event.line)
            else:
                present.add((name, path))
    for (name, path), line in missing.items():
        if (name, path) not in present:
            words = f"no event {name!r} has a field {path}, which {mapping.file} maps"
            raise UsageError(f"{log}:{line}: {words}: write {path}? if none must have it")
