"""The code that a protocol may run: its methods, and all that its modules can name."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from verifier.specs.members import ActionMember, LemmaMember, PropertyMember
from verifier.specs.places import is_engine, is_watched


@dataclass
class Reached:
    """What is within reach of a protocol class; nothing of the engine's or of a library's."""

    protocol: type
    functions: list[tuple[CodeType, Mapping[str, Any]]] = field(default_factory=list)
    """The code of each function, also of those within others, with its globals."""

    def __post_init__(self) -> None:
        bases = (base for base in self.protocol.__mro__ if not is_engine(base.__module__))
        self.own = {base.__module__.partition(".")[0] for base in bases} - {"builtins"}
        seen: dict[int, Any] = {}
        stack: list[Any] = list(self.protocol.__mro__)
        while stack:
            item = stack.pop()
            if id(item) not in seen:
                seen[id(item)] = item
                stack.extend(self._next(item))

    def _next(self, item: Any) -> list[Any]:
        """What can be named by way of an object."""
        match item:
            case FunctionType():
                return self._of_function(item)
            case ModuleType():
                return list(vars(item).values()) if self._is_own(item.__name__) else []
            case type():
                if not self._is_own(item.__module__):
                    return []
                return [sys.modules.get(item.__module__), *item.__mro__, *vars(item).values()]
            case MethodType():
                return [item.__func__, item.__self__]
            case ActionMember() | PropertyMember() | LemmaMember():
                return [item.method]
            case property():
                return [item.fget]
            case staticmethod() | classmethod():
                return [item.__func__]
            case partial():
                return [item.func, *item.args, *item.keywords.values()]
            case dict():
                return list(item.values())
            case list() | tuple() | set() | frozenset():
                return list(item)
        return self._of_instance(item)

    def _of_function(self, function: FunctionType) -> list[Any]:
        names = function.__globals__
        cells = [content for cell in function.__closure__ or () for content in _contents(cell)]
        if not is_watched(function.__code__.co_filename, str(names.get("__name__", "")), self.own):
            return cells
        self.functions.extend((code, names) for code in _with_inner(function.__code__))
        return [*cells, *names.values(), *vars(function).values()]

    def _of_instance(self, item: Any) -> list[Any]:
        held = getattr(item, "__dict__", None)
        if not isinstance(held, dict):
            return []
        if self._is_own(type(item).__module__):
            return [type(item), *held.values()]
        return [held["__wrapped__"]] if "__wrapped__" in held else []

    def _is_own(self, module: str) -> bool:
        """Whether a module is the protocol's own, or a helper's."""
        if module == "builtins" or is_engine(module):
            return False
        loaded = sys.modules.get(module)
        origin = getattr(getattr(loaded, "__spec__", None), "origin", None)
        file = getattr(loaded, "__file__", None) or ""
        return origin not in ("built-in", "frozen") and is_watched(str(file), module, self.own)


def _contents(cell: Any) -> list[Any]:
    try:
        return [cell.cell_contents]
    except ValueError:  # not filled yet
        return []


def _with_inner(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _with_inner(inner)
