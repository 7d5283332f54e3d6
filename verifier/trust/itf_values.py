"""Values of sorts in the JSON of the Informal Trace Format, written and read."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from verifier.encodings.concrete import Concrete, Element, FrozenMap, Tagged, show
from verifier.encodings.sorts import (
    Bag,
    Boolean,
    Enum,
    Function,
    IndexSet,
    Listed,
    Option,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
    Variant,
)
from verifier.errors import UsageError
from verifier.trust.replay import ReplayFailure

_UNIT: dict[str, list[Any]] = {"#tup": []}


def as_json(sort: Sort, value: Any) -> Any:
    """A concrete value as JSON."""
    match sort:
        case Option():
            if value is None:
                return {"tag": "None", "value": _UNIT}
            return {"tag": "Some", "value": as_json(sort.inner, value)}
        case Record():
            return {name: as_json(part, value[name]) for name, part in sort.fields}
        case Tuple():
            return {"#tup": list(map(as_json, sort.items, value))}
        case Variant():
            return {"tag": value.tag, "value": as_json(sort.payload(value.tag), value.payload)}
        case PartialFunction():
            pairs = ((key, value[key]) for key in sort.domain.each() if key in value)
            return {"#map": [[as_json(sort.domain, key), as_json(sort.range, item)] for key, item in pairs]}
        case Listed():
            return _write_listed_as_json(value)
        case Function():
            pairs = ((key, value[key]) for key in sort.domain.each())
            return {"#map": [[as_json(sort.domain, key), as_json(sort.range, item)] for key, item in pairs]}
        case Bag():
            held = (item for item in sort.element.each() if item in value)
            return {"#map": [[as_json(sort.element, item), value[item]] for item in held]}
        case Set():
            return {"#set": [as_json(sort.element, item) for item in sort.element.each() if item in value]}
        case Sequence():
            return [as_json(sort.element, item) for item in value]
    return value.name if isinstance(value, Element) else value


def _write_listed_as_json(value: Any) -> Any:
    """Return a listed value as JSON by its own type: its sort adds nothing."""
    match value:
        case Tagged():
            return {"tag": value.tag, "value": _write_listed_as_json(value.payload)}
        case tuple():
            return {"#tup": list(map(_write_listed_as_json, value))}
        case frozenset():
            return {"#set": [_write_listed_as_json(item) for item in sorted(value, key=show)]}
        case FrozenMap():
            return {
                "#map": [
                    [_write_listed_as_json(key), _write_listed_as_json(item)] for key, item in value.items()
                ]
            }
    return value.name if isinstance(value, Element) else value


def _same(one: Any, other: Any) -> bool:
    """True if two JSON values are the same; true is not 1."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


@dataclass(frozen=True)
class ValueReader:
    """Reads the JSON of one variable or parameter in one state."""

    step: int
    name: str

    def value(self, sort: Sort, data: Any) -> Concrete:
        """The concrete value, of the given sort, that JSON stands for."""
        match sort:
            case Boolean():
                return bool(self._plain(data, bool, "true or false"))
            case Range():
                return self._integer(data)
            case Option():
                return self._option(sort, data)
            case Record():
                return self._record(sort, data)
            case Function():
                return self._function(sort, data)
            case Set():
                return frozenset(self.value(sort.element, item) for item in self._read_marked(data, "#set"))
            case Bag() | Tuple() | Variant() | PartialFunction() | Listed():
                return self._compound(sort, data)
            case Sequence():
                items = self._plain(data, list, "an array")
                return tuple(self.value(sort.element, item) for item in items)
            case Enum() if isinstance(sort.members[0], int):
                return self._integer(data)
        return self._read_named(sort, data)

    def _read_named(self, sort: Sort, data: Any) -> Concrete:
        name = str(self._plain(data, str, f"a string that names one of {sort}"))
        if not isinstance(sort, IndexSet):
            return name
        element = sort.find_element(name)
        if element is None:
            raise ReplayFailure(self.step, f"{self.name} is {show(name)}, which is not in {sort}")
        return element

    def _compound(self, sort: Sort, data: Any) -> Concrete:
        match sort:
            case Tuple():
                items = self._read_marked(data, "#tup")
                if len(items) != len(sort.items):
                    raise self._wrong(f"a tuple of {len(sort.items)} items", data)
                return tuple(map(self.value, sort.items, items))
            case Variant():
                return self._variant(sort, data)
            case Bag():
                pairs = self._pairs(sort.element, data)
                return FrozenMap((key, self._integer(count)) for key, count in pairs.items())
            case PartialFunction():
                pairs = self._pairs(sort.domain, data)
                return FrozenMap((key, self.value(sort.range, item)) for key, item in pairs.items())
            case _:
                assert isinstance(sort, Listed)
                return self._read_listed(sort, data)

    def _wrong(self, wanted: str, data: Any) -> UsageError:
        shown = json.dumps(data, ensure_ascii=False)
        shown = shown if len(shown) <= 60 else f"{shown[:60]}…"
        return UsageError(f"state {self.step}: {self.name} should be {wanted}, the file has {shown}")

    def _plain(self, data: Any, kind: type, wanted: str) -> Any:
        if not isinstance(data, kind):
            raise self._wrong(wanted, data)
        return data

    def _integer(self, data: Any) -> int:
        if isinstance(data, dict) and re.fullmatch(r"-?[0-9]{1,18}", str(data.get("#bigint"))):
            return int(data["#bigint"])
        if not isinstance(data, int) or isinstance(data, bool):
            raise self._wrong("an integer", data)
        return data

    def _read_marked(self, data: Any, mark: str) -> list[Any]:
        items = data.get(mark) if isinstance(data, dict) else None
        if not isinstance(items, list):
            raise self._wrong(f'{{"{mark}": […]}}', data)
        return items

    def _option(self, sort: Option, data: Any) -> Concrete:
        match data:
            case {"tag": "None"}:
                return None
            case {"tag": "Some", "value": inner}:
                return self.value(sort.inner, inner)
            case _:
                raise self._wrong('{"tag": "None", …} or {"tag": "Some", "value": …}', data)

    def _variant(self, sort: Variant, data: Any) -> Concrete:
        tag = data.get("tag") if isinstance(data, dict) else None
        if not isinstance(tag, str) or tag not in sort.payloads or "value" not in data:
            raise self._wrong(f'{{"tag": …, "value": …}} with one of {", ".join(sort.payloads)}', data)
        return Tagged(tag, self.value(sort.payload(tag), data["value"]))

    def _read_listed(self, sort: Listed, data: Any) -> Concrete:
        if sort.bounds is not None:
            return self._integer(data)
        for value in sort.members:
            if _same(_write_listed_as_json(value), data):
                return value
        raise self._wrong(f"one of {sort}", data)

    def _record(self, sort: Record, data: Any) -> FrozenMap:
        if not isinstance(data, dict) or set(data) != set(sort.field_sorts):
            raise self._wrong(f"an object with {', '.join(sort.field_sorts)}", data)
        return FrozenMap((name, self.value(part, data[name])) for name, part in sort.fields)

    def _function(self, sort: Function, data: Any) -> FrozenMap:
        pairs = self._pairs(sort.domain, data)
        keys = list(sort.domain.each())
        for key in keys:
            if key not in pairs:
                raise ReplayFailure(self.step, f"{self.name} has no value for the key {show(key)}")
        for key in pairs:
            if key not in keys:
                words = f"{self.name} has the key {show(key)}, which is not in {sort.domain}"
                raise ReplayFailure(self.step, words)
        return FrozenMap((key, self.value(sort.range, pairs[key])) for key in keys)

    def _pairs(self, domain: Sort, data: Any) -> dict[Concrete, Any]:
        pairs: dict[Concrete, Any] = {}
        for pair in self._read_marked(data, "#map"):
            if not isinstance(pair, list) or len(pair) != 2:
                raise self._wrong('{"#map": [[key, value], …]}', data)
            key = self.value(domain, pair[0])
            if key in pairs:
                raise UsageError(f"state {self.step}: {self.name} has two values for the key {show(key)}")
            pairs[key] = pair[1]
        return pairs
