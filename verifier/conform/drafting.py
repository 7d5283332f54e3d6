"""A proposal of a mapping file, from the names in a log and in the specification."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from verifier.conform.logs import Event
from verifier.conform.machine import Machine

_MOST_NAMES = 100
"""The most names of events that a field may have."""
_NEAR = 0.6
_KEY = re.compile(r"[A-Za-z0-9_-]+")


def draft_mapping(machine: Machine, events: Sequence[Event]) -> Iterator[str]:
    """Yield the lines of a mapping file, to be read and corrected."""
    yield "# A proposal by names alone: correct it before you use it."
    field = _field_of_events(machine, events)
    if field is None:
        yield f'# event = "…": no field names an action in all events. Actions: {", ".join(machine.actions)}'
        return
    yield f"event = {json.dumps(field)}"
    groups: dict[str, list[Event]] = {}
    for event in events:
        groups.setdefault(str(event.fields[field]), []).append(event)
    near = {name: _nearest(name, machine.actions) for name in groups}
    left = [name for name, action in near.items() if action is None]
    if left:
        yield "# No action is near to these; ignore those that say nothing, and map the others:"
        yield f"# ignore = {json.dumps(left)}"
    unlogged = [name for name in machine.actions if name not in near.values()]
    if unlogged:
        yield "# No event is near to these; an action that is not logged is silent:"
        yield f"# silent = {{ actions = {json.dumps(unlogged)}, most = 1 }}"
    for name, action in near.items():
        if action is not None:
            yield from _draft_rule(machine, name, action, groups[name], field)


def _draft_rule(
    machine: Machine, name: str, action: str, events: Iterable[Event], field: str
) -> Iterator[str]:
    yield ""
    yield f"[events.{_key(name)}]"
    yield f"action = {json.dumps(action)}"
    fields = list(dict.fromkeys(key for event in events for key in event.fields if key != field))
    given = {one: near for one in machine.actions[action] if (near := _nearest(one, fields))}
    rest = [one for one in fields if one not in given.values()]
    after = {one: near for one in machine.variables if (near := _nearest(one, rest))}
    for title, found in (("parameters", given), ("after", after)):
        if found:
            pairs = ", ".join(f"{_key(one)} = {json.dumps(near)}" for one, near in found.items())
            yield f"{title} = {{ {pairs} }}"
    unused = [one for one in rest if one not in after.values()]
    if unused:
        open_names = [one for one in machine.actions[action] if one not in given]
        yield f"# parameters without a field: {', '.join(open_names) or 'none'}"
        yield f"# variables: {', '.join(machine.variables)}"
        yield f"# fields that are not used: {', '.join(unused)}"


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
    found = difflib.get_close_matches(_plain(name), plain, 1, _NEAR if len(name) > 3 else 0.99)
    return plain[found[0]] if found else None


def _key(name: str) -> str:
    return name if _KEY.fullmatch(name) else json.dumps(name)
