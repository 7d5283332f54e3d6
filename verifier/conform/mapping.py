"""Mapping files: which event of a log is which action, which of its fields are parameters or variables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from verifier.conform.logs import Event, LogError
from verifier.errors import UsageError, make_unknown_name_error
from verifier.runs.toml_file import check_keys, read_toml
from verifier.specs.names import own_name

_TABLES = ("event", "ignore", "silent", "constants", "events", "state", "end", "invariants", "merge")
_RULE = ("action", "parameters", "before", "after")
_TARGET = re.compile(r"([^\[\]]+)((?:\[[^\[\]]+\])*)")
OPTIONAL = "?"
"""The end of a field's name that no event must have."""
ANY = "any action"
"""The action of an event that names none: a state of the log."""
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
    """The action; ``ANY`` for any action."""
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
    event: str | None
    """The field that names an event; None if each event is a state, and the first one is initial."""
    ignore: frozenset[str]
    silent: tuple[str, ...]
    most_silent: int
    constants: Mapping[str, str]
    rules: Mapping[str, Rule]
    state: tuple[tuple[Target, str], ...] = ()
    """Variables with the fields that have their values after each event."""
    end: frozenset[str] = frozenset()
    """The names of the events with which a whole log ends; empty for all."""
    invariants: tuple[str, ...] | None = None
    """The invariants that are judged; None for all of the specification."""
    clock: str | None = None
    """The field by which the files of several nodes are merged to one log; None if each file is a log."""
    read: Callable[[Mapping[str, Any]], Mapping[str, Any] | None] | None = None
    """The function that says what an event means, in place of ``event`` and ``rules``."""

    def name_of(self, log: Path, event: Event) -> str:
        """Return the name of an event. Raises LogError if it has none."""
        if self.event is None:
            return ANY
        if self.read is not None:
            meant = self.read(event.fields)
            return str(meant["action"]) if meant is not None else ""
        name = value_of(event, self.event)
        if name is MISSING:
            words = f"the event has no field {self.event}, which names it"
            raise LogError(log, event.line, words, text=event.text)
        return str(name)

    def rule_of(
        self, log: Path, event: Event, actions: Mapping[str, Iterable[str]], variables: Iterable[str]
    ) -> Rule | None:
        """Return the meaning of an event; None for one that is ignored. Raises LogError if it has none."""
        if self.event is None:
            return Rule(ANY, after=self.state)
        name = self.name_of(log, event)
        if name in self.ignore:
            return None
        if name in self.rules:
            rule = self.rules[name]
            return replace(rule, after=(*rule.after, *self.state)) if self.state else rule
        if name in actions:
            given = {one: one for one in actions[name] if one in event.fields}
            fields = (one for one in variables if one in event.fields and one not in given)
            after = tuple((Target(one, (), one), one) for one in fields if one != self.event)
            return Rule(name, given, after=(*after, *self.state))
        words = f"the event {name!r} is not an action: map it by [events.{name}] in {self.file}, or ignore it"
        raise LogError(log, event.line, words, text=event.text)

    def ends_early(self, log: Path, events: list[Event]) -> str:
        """Return why a log is not whole; empty if it is."""
        names = [self.name_of(log, event) for event in events]
        if not self.end or (names and names[-1] in self.end):
            return ""
        last = f"its last event is {names[-1]!r}" if names else "it has no event"
        return f"the log ends early: {last}, and a whole log ends with {' or '.join(sorted(self.end))}"


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
    content: Mapping[str, Any],
    file: Path | str,
    actions: Mapping[str, Iterable[str]],
    variables: Iterable[str],
    invariants: Iterable[str] = (),
) -> Mapped:
    """Return the content of a mapping. Raises UsageError for names that the specification lacks."""
    check_keys(content, (*_TABLES, "read"), file, "table")
    event, variables, invariants = content.get("event"), list(variables), list(invariants)
    state, read = _targets(content, "state", str(file), variables), content.get("read")
    if read is not None:
        event = ""
    elif not isinstance(event, str) and (event is not None or not state):
        words = 'event = "FIELD" must say which field names an event'
        raise UsageError(f"{file}: {words}, or [state] which field is which variable")
    silent = _table(content, "silent", file)
    check_keys(silent, ("actions", "most"), f"{file}: silent")
    hidden = tuple(own_name(str(name), actions) for name in silent.get("actions", ()))
    for name in hidden:
        if name not in actions:
            raise UsageError(f"{file}: silent: {make_unknown_name_error('action', name, actions)}")
    most = silent.get("most", 1)
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        raise UsageError(f"{file}: silent: most = {most} is not allowed: it takes an integer, at least 1")
    rules = {
        name: _rule(table, f"{file}: events.{name}", name, actions, variables)
        for name, table in _table(content, "events", file).items()
    }
    constants = {name: _setting(value) for name, value in _table(content, "constants", file).items()}
    ignore = frozenset(map(str, content.get("ignore", ())))
    end = frozenset(map(str, content.get("end", ())))
    named = tuple(map(str, content["invariants"])) if "invariants" in content else None
    for name in named or ():
        if name not in invariants:
            raise UsageError(f"{file}: {make_unknown_name_error('invariant', name, invariants)}")
    return Mapped(
        str(file), event, ignore, hidden, most if hidden else 0, constants, rules, state, end, named,
        _clock(content, file), read,
    )  # fmt: skip


def _clock(content: Mapping[str, Any], file: Path | str) -> str | None:
    table = _table(content, "merge", file)
    check_keys(table, ("clock",), f"{file}: merge")
    if table and not isinstance(table.get("clock"), str):
        raise UsageError(f'{file}: merge = {{ clock = "FIELD" }} must say which field is the time')
    return table.get("clock")


def merge_logs(logs: Sequence[tuple[Path, list[Event]]], clock: str) -> list[Event]:
    """Return the events of several files in the order of a clock, numbered from 1. Raises LogError for an
    event without a time."""
    timed: list[tuple[int | float, str, Event]] = []
    for log, events in logs:
        for event in events:
            time = value_of(event, clock)
            if isinstance(time, bool) or not isinstance(time, int | float):
                words = f"the event has no number in {clock}, by which the files are merged"
                raise LogError(log, event.line, words, text=event.text)
            timed.append((time, f"{log}:{event.line}: {event.text}", event))
    timed.sort(key=lambda one: one[0])
    return [Event(number, text, one.fields) for number, (_, text, one) in enumerate(timed, 1)]


def read_mapping_file(file: Path) -> Mapping[str, Any]:
    """Return the content of a mapping file in TOML. Raises UsageError if it has another form."""
    return read_toml(file, "mapping", _TABLES)


def constants_of(content: Mapping[str, Any], file: Path | str) -> dict[str, str]:
    """Return the constants of a mapping, as settings."""
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
    action = own_name(str(table.get("action", event)), actions)
    if action not in actions:
        raise UsageError(f"{place}: {make_unknown_name_error('action', action, actions)}")
    given = {str(name): str(path) for name, path in _table(table, "parameters", place).items()}
    for name in given:
        if name not in actions[action]:
            error = make_unknown_name_error(f"parameter of {action}", name, actions[action])
            raise UsageError(f"{place}: {error}")
    before, after = (_targets(table, key, place, variables) for key in ("before", "after"))
    return Rule(action, given, before, after)


def _targets(
    table: Mapping[str, Any], key: str, place: str, variables: list[str]
) -> tuple[tuple[Target, str], ...]:
    pairs = _table(table, key, place).items()
    return tuple((make_target(one, place, variables), str(path)) for one, path in pairs)


def mapping_of_states(variables: Iterable[str]) -> Mapped:
    """Return the mapping of a log that has the values of all variables, by their names, and nothing else."""
    state = tuple((Target(name, (), name), name) for name in variables)
    return Mapped("ITF", None, frozenset(), (), 0, {}, {}, state)


def make_target(written: str, place: str, variables: list[str]) -> Target:
    """Return what is written as a variable or a part of one. Raises UsageError."""
    match = _TARGET.fullmatch(written)
    if match is None:
        raise UsageError(f"{place}: {written} is neither a variable nor a part such as term[node]")
    if match[1] not in variables:
        raise UsageError(f"{place}: {make_unknown_name_error('variable', match[1], variables)}")
    return Target(match[1], tuple(match[2][1:-1].split("][")) if match[2] else (), written)


def check_fields(log: Path, mapping: Mapped, events: Iterable[tuple[Event, Rule]]) -> None:
    """Raise UsageError for a field that no event of its name has: a misspelt one would accept every log."""
    if mapping.read is not None:
        return  # its fields are what the function returns
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
            subject = "no event" if mapping.event is None else f"no event {name!r}"
            words = f"{subject} has a field {path}, which {mapping.file} maps"
            raise LogError(log, line, f"{words}: write {path}? if none must have it")
