"""The messages of a trace as arrows between lanes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from verifier.encodings.concrete import Concrete, show
from verifier.report.itf_values import value_of
from verifier.specs.drawn_paths import NAMES, head_of, parts_of

State = Mapping[str, Any]
"""The variables of a state, as JSON."""


@dataclass(frozen=True)
class Arrow:
    """A message from one lane to another."""

    sender: int
    receiver: int
    sent: int
    """The step that sent it."""
    received: int | None
    """The step that received it; None if it was lost or has not arrived at the end."""
    lost: bool
    directed: bool
    """False if it is only known that an action concerns both lanes."""
    label: str


@dataclass(frozen=True)
class Taken:
    """An action of the trace, with its parameters as JSON."""

    name: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class Messages:
    """Finds the arrows of a trace."""

    states: Sequence[State]
    actions: Sequence[Taken]
    """The action before each state; of the first state nothing."""
    lane_of: Callable[[str, str], int | None]
    """The lane with a name, or of the value with this text in lanes of a kind."""

    def mail(self, message: Mapping[str, Any]) -> Iterator[Arrow]:
        """The messages that the state holds. Step 0 counts as the sender of those in the first state."""
        variable, parts = head_of(message["path"]), parts_of(message["path"])
        in_flight = [_Flying.of(state.get(variable), parts, message) for state in self.states]
        keys = {key: names for flying in in_flight for key, names in flying.names.items()}
        for key, names in keys.items():
            yield from self._flights(message, names, key, [flying.counts.get(key, 0) for flying in in_flight])

    def _flights(
        self,
        message: Mapping[str, Any],
        names: Mapping[str, Any],
        key: tuple[Concrete, ...],
        counts: list[int],
    ) -> Iterator[Arrow]:
        """The arrows of one message, from how many there are of it in each state; -1 says that it is lost."""
        waiting, answered = [0] * max(counts[0], 0), set[int]()
        for step in range(1, len(counts)):
            before, after = counts[step - 1], counts[step]
            action = self.actions[step]
            if after == -1 and before != -1:
                yield from self._arrow(message, names, waiting.pop(0) if waiting else step, None, lost=True)
                waiting.clear()
                continue
            change = max(after, 0) - max(before, 0)
            handled = message.get("holds") and _is_parameter(key[-1], action)
            waiting += [step] * change
            if change == 0 and handled and waiting:
                answered.add(waiting[0])
                yield from self._arrow(message, names, waiting[0], step)
            for _ in range(-change):
                sent = waiting.pop(0)
                if any(fnmatchcase(action.name, pattern) for pattern in message.get("lost_by", ())):
                    yield from self._arrow(message, names, sent, None, lost=True)
                elif handled or sent not in answered:
                    yield from self._arrow(message, names, sent, step)
        for sent in waiting:
            if sent not in answered:
                yield from self._arrow(message, names, sent, None)

    def calls(self, message: Mapping[str, Any]) -> Iterator[Arrow]:
        """The messages that actions carry."""
        for step, action in enumerate(self.actions):
            if step > 0 and any(fnmatchcase(action.name, pattern) for pattern in message["actions"]):
                sent = self._find_writing_step(message["sent"], action, step) if message["sent"] else step
                yield from self._arrow(message, action.parameters, sent, step)

    def _find_writing_step(self, path: str, action: Taken, step: int) -> int:
        """The last step before this one that changed the value at a path; 0 if it is in the first state."""
        variable, parts = head_of(path), parts_of(path)
        held = [_at(state.get(variable), parts, action.parameters) for state in self.states[:step]]
        return next((n for n in range(step - 1, 0, -1) if held[n] != held[n - 1]), 0)

    def _arrow(
        self,
        message: Mapping[str, Any],
        names: Mapping[str, Any],
        sent: int,
        received: int | None,
        *,
        lost: bool = False,
    ) -> Iterator[Arrow]:
        """The message's arrow, if its ends have two different lanes."""
        sender, receiver = (
            self.lane_of(_name_value(message[end], names), message.get(f"{end}_kind", ""))
            for end in ("sender", "receiver")
        )
        if sender is not None and receiver is not None and sender != receiver:
            label = re.sub(NAMES, lambda name: _name_value(name[1], names, name[0]), message["label"])
            yield Arrow(sender, receiver, sent, received, lost, message.get("directed", True), label)


@dataclass(frozen=True)
class _Flying:
    """The messages that one state holds at a path."""

    counts: dict[tuple[Concrete, ...], int] = field(default_factory=dict)
    """The number of messages, by the values of the names in brackets; -1 if it is lost."""
    names: dict[tuple[Concrete, ...], dict[str, Any]] = field(default_factory=dict)
    """These values by name, as JSON."""

    @classmethod
    def of(cls, data: Any, parts: Sequence[tuple[str, str]], message: Mapping[str, Any]) -> _Flying:
        """Return the messages below a part of the state."""
        flying = cls()
        for names, value in _below(data, parts, {}):
            key = tuple(map(value_of, names.values()))
            held = value_of(value)
            if message.get("is_counted") and isinstance(held, int):
                count = held
            elif message.get("holds"):
                count = 1
            else:
                count = 1 if held == message["in_flight"] else -1 if held == message["lost"] else 0
            flying.counts[key] = flying.counts.get(key, 0) + count
            flying.names[key] = names
        return flying


def _below(
    data: Any, parts: Sequence[tuple[str, str]], names: dict[str, Any]
) -> Iterator[tuple[dict[str, Any], Any]]:
    """Yield every value at a path with brackets, and what the names in brackets stand for there."""
    if not parts:
        yield names, data
        return
    (field_name, bracket), rest = parts[0], parts[1:]
    if field_name:
        part = _field(data, field_name)
        if part is not None:
            yield from _below(part, rest, names)
        return
    for key, value in _members(data, bracket):
        yield from _below(value, rest, names if key is None else {**names, bracket: key})


def _members(data: Any, bracket: str) -> list[tuple[Any, Any]]:
    """The keys of a function with their values, or the members of a container; the key of an item is None."""
    match data:
        case {"#map": pairs}:
            return [(key, value) for key, value in pairs]
        case {"#set": items}:
            return [(item, True) for item in items]
        case {"#tup": items}:
            index = int(bracket) if bracket.isdigit() else len(items)
            return [(None, items[index])] if index < len(items) else []
        case list():
            return [(item, True) for item in data]
        case {"tag": "None"}:
            return []
        case {"tag": "Some", "value": {"#map": _} | {"#set": _} | {"#tup": _} | list() as inner}:
            return _members(inner, bracket)
        case {"tag": "Some", "value": inner}:
            return [(inner, True)]
    return []


def _field(data: Any, name: str) -> Any:
    """A field of a record, or what a variant holds under a tag; None if there is no such part."""
    match data:
        case {"tag": "Some", "value": inner} if name != "Some":
            return _field(inner, name)
        case {"tag": str(tag), "value": inner} if len(data) == 2 and name not in ("value",):
            return tag if name == "tag" else inner if name == tag else None
        case dict():
            return data.get(name)
    return None


def _at(data: Any, parts: Sequence[tuple[str, str]], parameters: Mapping[str, Any]) -> Any:
    """The value at a path whose brackets are parameters; for a message how many there are."""
    for place, (name, bracket) in enumerate(parts):
        if name:
            data = _field(data, name)
            continue
        if bracket.isdigit():
            wanted = [value for key, value in _members(data, bracket) if key is None]
        else:
            key = value_of(_find_value(bracket, parameters))
            wanted = [value for member, value in _members(data, bracket) if value_of(member) == key]
        data = len(wanted) if wanted[1:] else wanted[0] if wanted else None
        if data is None and place < len(parts) - 1:
            return None
    return data


def _find_value(path: str, names: Mapping[str, Any]) -> Any:
    """The value of a name, or of a field in it, as JSON; None if there is none."""
    head, *fields = path.split(".")
    value = names.get(head)
    for name in fields:
        value = _field(value, name)
    return value


def _name_value(path: str, names: Mapping[str, Any], otherwise: str | None = None) -> str:
    """The value of a name or a field in it, as text. Other text stays as it is."""
    if path.split(".")[0] not in names:
        return path if otherwise is None else otherwise
    value = _find_value(path, names)
    return "–" if value is None else show(value_of(value))


def _is_parameter(message: Concrete, action: Taken) -> bool:
    return any(value_of(value) == message for value in action.parameters.values())
