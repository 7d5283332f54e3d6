"""Finds what a protocol's methods change while they are read: they may change nothing.

A method runs once for all states, and again to compare its formulas. If it changes a counter or a list, its
formulas may depend on how often methods ran, and in which order. So this module compares, before and after,
what the code can reach: attributes, global names, closures, defaults, the state of Python's random numbers.
``functools.cache`` and ``cached_property`` may keep what they computed.
"""

from __future__ import annotations

import functools
import inspect
import random
from collections import deque
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from types import CodeType, FunctionType, GeneratorType, MappingProxyType
from typing import Any

from verifier.specs.reading.code_places import is_engine, is_watched

_PLAIN = (int, float, complex, str, bytes, type(None))
_MOST_PARTS = 100_000
"""Parts beyond these are not compared: a table so large is data, and walking it takes time."""


@dataclass
class Holdings:
    """Everything that the code of a protocol can reach, by its name in words."""

    protocol: Any
    found: dict[str, Hashable] = field(default_factory=dict)
    _kept: list[Any] = field(default_factory=list)
    """Everything that is known by its id: while it lives, nothing else has that id."""
    _seen: set[int] = field(default_factory=set)
    _around: set[int] = field(default_factory=set)
    """The ids of the values around the one that is being marked: a list may contain itself."""

    def __post_init__(self) -> None:
        kind = type(self.protocol)
        for base in kind.__mro__:
            self._add_class(base)
        name = kind.__name__
        for key, value in _attributes_of(self.protocol).items():
            self._add(f"the attribute {key} of an instance of {name}", value)
        self.found["the state of Python's random numbers"] = hash(random.getstate())

    def list_changes(self, before: Holdings) -> list[str]:
        """Return what is not as it was before, by its name in words."""
        names = {**before.found, **self.found}
        return [name for name in names if before.found.get(name) != self.found.get(name)]

    def _add_class(self, kind: type) -> None:
        if id(kind) in self._seen or is_engine(kind.__module__) or not _is_own(kind):
            return
        self._seen.add(id(kind))
        for key, value in vars(kind).items():
            if not (key.startswith("__") and key.endswith("__")):
                self._add(f"the attribute {key} of {kind.__name__}", value)

    def _add(self, name: str, value: Any) -> None:
        functions = list(_functions_in(value))
        for function in functions:
            self._add_function(function)
        if isinstance(value, type):
            self._add_class(value)
        elif not functions:
            self.found[name] = self._mark(value)

    def _add_function(self, function: FunctionType) -> None:
        code = function.__code__
        module = str(function.__globals__.get("__name__", ""))
        if id(function) in self._seen or not is_watched(code.co_filename, module):
            return
        self._seen.add(id(function))
        for key, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            try:
                self._add(f"{key} around {code.co_qualname}", cell.cell_contents)
            except ValueError:  # the cell is empty
                continue
        defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        for number, value in enumerate(defaults, 1):
            self._add(f"the default {number} of {code.co_qualname}", value)
        for key in sorted(_names_in(code)):
            if key in function.__globals__:
                self._add(f"the global name {key}", function.__globals__[key])

    def _mark(self, value: Any) -> Hashable:
        """Return what is equal as long as nobody changes the value."""
        if isinstance(value, _PLAIN):
            return type(value), value
        self._kept.append(value)
        if len(self._kept) > _MOST_PARTS or id(value) in self._seen or id(value) in self._around:
            return id(value)
        self._around.add(id(value))
        try:
            return self._mark_parts(value)
        finally:
            self._around.discard(id(value))

    def _mark_parts(self, value: Any) -> Hashable:
        match value:
            case dict() | MappingProxyType():
                return id(value), tuple((self._mark(key), self._mark(part)) for key, part in value.items())
            case list() | tuple() | deque():
                return id(value), tuple(map(self._mark, value))
            case set() | frozenset():
                return id(value), frozenset(map(self._mark, value))
            case bytearray():
                return id(value), bytes(value)
            case count():
                return id(value), repr(value)
            case GeneratorType():
                return id(value), -1 if value.gi_frame is None else value.gi_frame.f_lasti
            case random.Random():
                return id(value), hash(value.getstate())
        if not _is_own(type(value)):
            return id(value)
        self._seen.add(id(value))
        parts = _attributes_of(value).items()
        return id(value), tuple((key, self._mark(part)) for key, part in parts)


def _is_own(kind: type) -> bool:
    """True if a class belongs to a protocol or its helpers."""
    if is_engine(kind.__module__):
        return False
    try:
        return is_watched(inspect.getfile(kind), kind.__module__)
    except (TypeError, OSError):  # a class of Python's own, or of a text
        return False


def _attributes_of(instance: Any) -> Mapping[str, Any]:
    """The attributes of an instance that it was given, without those that are computed once."""
    kind = type(instance)
    return {
        key: value
        for key, value in getattr(instance, "__dict__", {}).items()
        if not isinstance(inspect.getattr_static(kind, key, None), functools.cached_property)
    }


def _functions_in(value: Any) -> Iterator[FunctionType]:
    """The functions that an attribute or a global name stands for."""
    match value:
        case FunctionType():
            yield value
        case staticmethod() | classmethod():
            yield from _functions_in(value.__func__)
        case property():
            yield from _functions_in(value.fget)
        case functools.cached_property() | functools.partial():
            yield from _functions_in(value.func)
        case _:
            inner = (
                inspect.getattr_static(value, name, None) for name in ("method", "__wrapped__", "__func__")
            )
            yield from (one for one in inner if isinstance(one, FunctionType))


def _names_in(code: CodeType) -> set[str]:
    """The global names and attributes that some code and the functions in it name."""
    inner = (one for one in code.co_consts if isinstance(one, CodeType))
    return set(code.co_names).union(*map(_names_in, inner))
