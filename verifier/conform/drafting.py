"""A proposal of a mapping file, from the first events of a log: from trials, and from names."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from verifier.conform.logs import Event
from verifier.conform.machine import Machine
from verifier.conform.mapping import read_mapping
from verifier.conform.search import Search
from verifier.conform.trials import MOST_EVENTS, Guess, Meaning, Trials, find_rivals, is_found
from verifier.errors import UsageError
from verifier.printable import say_count

_MOST_NAMES = 100
"""The most names of events that a field may have."""
_MOST_WORD_FIELDS, _MOST_STATES = 3, 2_000
_BY_NAMES = "# A proposal by names alone: correct it before you use it."
_NEAR = 0.6
_KEY = re.compile(r"[A-Za-z0-9_-]+")


def draft_mapping(machine: Machine, events: Sequence[Event]) -> Iterator[str]:
    """Yield the lines of a mapping file, to be read and corrected."""
    near_field = _field_of_events(machine, events)
    field, guesses = _try_fields(machine, events, [near_field] if near_field else _list_word_fields(events))
    best = guesses[0] if guesses else None
    if field is None:
        yield _BY_NAMES
        yield f'# event = "…": no field names an action in all events. Actions: {", ".join(machine.actions)}'
        return
    groups: dict[str, list[Event]] = {}
    for event in events:
        groups.setdefault(str(event.fields[field]), []).append(event)
    rules = {name: _Rule(machine, field, name, groups[name]) for name in groups}
    for name, rule in rules.items():
        meaning = best.meanings.get(name) if best is not None else None
        if best is not None and meaning is not None and is_found(name, meaning):
            rule.take(meaning, find_rivals(best, guesses, name))
    explained, tried = _count_explained(machine, field, rules, events)
    if any(rule.meaning is not None for rule in rules.values()):
        words = f"it explains the first {explained} of {say_count(tried, 'event')}"
        yield f"# A proposal by trial: {words}. Correct it before you use it."
    else:
        yield _BY_NAMES
    yield f"event = {json.dumps(field)}"
    left = [name for name, rule in rules.items() if rule.action is None]
    if left:
        yield "# No action matches these events. Ignore the irrelevant ones, and map the others:"
        yield f"# ignore = {json.dumps(left)}"
    unlogged = [name for name in machine.actions if name not in {rule.action for rule in rules.values()}]
    if unlogged:
        yield "# No event matches these actions. If they are not logged, declare them silent:"
        yield f"# silent = {{ actions = {json.dumps(unlogged)}, most = 1 }}"
    for rule in rules.values():
        if rule.action is not None:
            yield from rule.write()


class _Rule:
    """The meaning of the events of a name: by their name, or by trial."""

    def __init__(self, machine: Machine, field: str, name: str, events: Sequence[Event]) -> None:
        self.machine, self.name, self.count = machine, name, len(events)
        self.meaning: Meaning | None = None
        self.rivals: list[str] = []
        self.fields = list(dict.fromkeys(key for event in events for key in event.fields if key != field))
        self.action = _nearest(name, machine.actions)
        self.given: dict[str, str] = {}
        self.after: dict[str, str] = {}
        if self.action is not None:
            own = machine.actions[self.action]
            self.given = {one: near for one in own if (near := _nearest(one, self.fields))}
            rest = [one for one in self.fields if one not in self.given.values()]
            self.after = {one: near for one in machine.variables if (near := _nearest(one, rest))}

    def take(self, meaning: Meaning, rivals: list[str]) -> None:
        """Take what trials found in place of what the names say."""
        self.meaning, self.rivals, self.action = meaning, rivals, meaning.action
        claims = meaning.choose_claims()
        self.given = {one.target: one.field for one in claims if one.kind == "parameters"}
        self.after = {one.target: one.field for one in claims if one.kind == "after"}

    def as_table(self) -> dict[str, Any]:
        """Return the rule as a mapping has it."""
        return {"action": self.action, "parameters": self.given, "after": self.after}

    def write(self) -> Iterator[str]:
        """Yield the lines of the rule, with how sure it is."""
        yield ""
        yield f"# {self._how_sure()}"
        yield f"[events.{_key(self.name)}]"
        yield f"action = {json.dumps(self.action)}"
        for title, paths in (("parameters", self.given), ("after", self.after)):
            if paths:
                pairs = ", ".join(f"{_key(one)} = {json.dumps(near)}" for one, near in paths.items())
                yield f"{title} = {{ {pairs} }}"
        used = {path.split(".")[0] for path in (*self.given.values(), *self.after.values())}
        keys = {key for one in self.after for key in re.findall(r"\[([^\]]+)\]", one)}
        unused = [one for one in self.fields if one not in used | keys]
        if unused and self.action is not None:
            open_names = [one for one in self.machine.actions[self.action] if one not in self.given]
            yield f"# parameters without a field: {', '.join(open_names) or 'none'}"
            yield f"# variables: {', '.join(self.machine.variables)}"
            yield f"# fields that are not used: {', '.join(unused)}"

    def _how_sure(self) -> str:
        if self.meaning is None:
            return "chosen only because the names are similar"
        events = say_count(self.meaning.count, "event")
        if self.rivals:
            return f"{events}: {', '.join(self.rivals)} would fit as well"
        told = self.meaning.told & self.meaning.claims
        by_name = "chosen because the names are similar; the step is possible"
        return f"{events}: {'no other action fits as well' if told else by_name}"


def _try_fields(
    machine: Machine, events: Sequence[Event], fields: Sequence[str]
) -> tuple[str | None, list[Guess]]:
    """Return the field whose values are names of events by trial, and the guesses. The first field stands if
    trials say nothing."""
    best: tuple[float, str | None, list[Guess]] = (0.0, None, [])
    for field in fields:
        try:
            guesses = Trials(machine, field).guess(events)
        except UsageError:
            guesses = []
        names = [name for name, one in guesses[0].meanings.items() if is_found(name, one)] if guesses else []
        score = guesses[0].score if names else 0.0
        if score > best[0]:
            best = (score, field, guesses)
    if best[1] is None and fields and _is_near_some(machine, events, fields[0]):
        return fields[0], []
    return best[1], best[2]


def _is_near_some(machine: Machine, events: Sequence[Event], field: str) -> bool:
    return any(_nearest(str(event.fields[field]), machine.actions) for event in events)


def _list_word_fields(events: Sequence[Event]) -> list[str]:
    """Return the fields that have words in all events, some of them more than once: fewest words first."""
    fields = []
    for field in events[0].fields if events else ():
        values = [event.fields.get(field) for event in events]
        words = {value for value in values if isinstance(value, str)}
        if all(isinstance(value, str) for value in values) and len(words) < min(len(values), _MOST_NAMES):
            fields.append((len(words), field))
    return [field for _, field in sorted(fields)][:_MOST_WORD_FIELDS]


def _count_explained(
    machine: Machine, field: str, rules: Mapping[str, _Rule], events: Sequence[Event]
) -> tuple[int, int]:
    """Return how many of the first events the rules explain, and how many these are."""
    tables = {name: rule.as_table() for name, rule in rules.items() if rule.action is not None}
    ignored = [name for name, rule in rules.items() if rule.action is None]
    content = {"event": field, "ignore": ignored, "events": tables, "invariants": []}
    first = list(events[:MOST_EVENTS])
    mapped = read_mapping(content, "the proposal", machine.actions, machine.variables)
    try:
        return Search(machine, mapped, _MOST_STATES).judge_events(Path("log"), first).explained, len(first)
    except UsageError:
        return 0, len(first)


def _field_of_events(machine: Machine, events: Sequence[Event]) -> str | None:
    """Return the field whose values are nearest to the actions; None if no field is near to any."""
    best: tuple[float, str | None] = (0.0, None)
    for field in events[0].fields if events else ():
        values: list[Any] = [event.fields.get(field) for event in events]
        names = set(filter(lambda value: isinstance(value, str), values))
        if len(names) > _MOST_NAMES or not all(isinstance(value, str) for value in values):
            continue
        near = sum(_nearest(name, machine.actions) is not None for name in names) / len(names)
        best = max(best, (near, field), key=lambda one: one[0])
    return best[1]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is nearest, if one is near."""
    plain = {_plain(one): one for one in reversed(list(known))}
    matches = difflib.get_close_matches(_plain(name), plain, 1, _NEAR if len(name) > 3 else 0.99)
    return plain[matches[0]] if matches else None


def _key(name: str) -> str:
    return name if _KEY.fullmatch(name) else json.dumps(name)
