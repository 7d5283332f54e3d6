"""What an expression of Python source stands for in a frame that is about to use it."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from inspect import CO_GENERATOR
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from verifier.encodings.sorts import Option, Sort
from verifier.encodings.values import Value
from verifier.specs.reading.places import code_of
from verifier.specs.state import State

_PLAIN = (
    "bool",
    "callable",
    "hasattr",
    "hash",
    "id",
    "isinstance",
    "issubclass",
    "len",
    "repr",
    "str",
    "type",
)
"""Calls whose result is no value, whatever they are given."""


_TAKING = ("pop", "popitem", "popleft")
"""Methods that take out what they return."""
_EMPTY = (Sort, str, bytes, type, ModuleType, FunctionType, BuiltinFunctionType)
"""What holds no value, though it may have much else in it."""


class _Unknown(Exception):
    """An expression that only running it would tell."""


@dataclass(frozen=True)
class Scope:
    """What names stand for in a frame, and what its calls of Python functions returned."""

    names: Mapping[str, Any]
    returned: Mapping[tuple[int, int], tuple[CodeType, Any]]
    """By the line and column where the call ends, with the code that ended there."""

    @classmethod
    def of(cls, frame: FrameType, returned: Mapping[tuple[int, int], tuple[CodeType, Any]]) -> Scope:
        """The scope at the frame's present instruction."""
        return cls(names_of(frame), returned)

    def is_value(self, node: ast.expr) -> bool:
        """Whether an expression stands for a value of the state, or cannot do without one."""
        try:
            return is_symbolic(self.resolve(node))
        except _Unknown:
            return self._mentions(node)

    def holds_value(self, node: ast.expr) -> bool:
        """Whether an expression is a value, or a collection with values in it; of a mapping the keys count,
        which are what ``in`` looks at."""
        try:
            found = self.resolve(node)
            return holds(list(found) if isinstance(found, Mapping) else found)
        except _Unknown:
            return self._mentions(node)

    def is_optional(self, node: ast.expr) -> bool:
        """Whether an expression is an option, or may be one."""
        try:
            found = self.resolve(node)
        except _Unknown:
            return True
        return isinstance(found, Value) and isinstance(found.sort, Option)

    def is_none_by_default(self, node: ast.expr) -> bool:
        """Whether an expression is an attribute that the object's class has as None, a data class's, say."""
        try:
            owner = self.resolve(node.value) if isinstance(node, ast.Attribute) else None
        except _Unknown:
            return False
        if owner is None or is_symbolic(owner) or not isinstance(node, ast.Attribute):
            return False
        return getattr(type(owner), node.attr, owner) is None

    def resolve(self, node: ast.expr) -> Any:
        """The object that the expression stands for. Raises _Unknown if only running it would tell."""
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                if node.id not in self.names:
                    raise _Unknown
                return self.names[node.id]
            case ast.NamedExpr():
                return self.resolve(node.value)
            case ast.Attribute() | ast.Subscript():
                return self._part(node)
            case ast.Tuple() | ast.List() | ast.Set():
                return [self.resolve(item) for item in node.elts]
            case ast.Call(func=ast.Attribute(attr="get", value=table), keywords=[]):
                return self._entry(table, node.args)
            case ast.Call() if (node.end_lineno, node.end_col_offset) in self.returned:
                return self._result(node)
        raise _Unknown

    def _result(self, node: ast.Call) -> Any:
        """What a call returned, if it was the function called that did: a callback of its returns, too."""
        code, result = self.returned[node.end_lineno or 0, node.end_col_offset or 0]
        called = self.resolve(node.func)
        if code_of(called) is not code or code.co_flags & CO_GENERATOR:
            raise _Unknown
        return result

    def _entry(self, table: ast.expr, arguments: list[ast.expr]) -> Any:
        """What ``get`` of a dictionary gives."""
        whole = self.resolve(table)
        if type(whole) is not dict or not 1 <= len(arguments) <= 2:
            raise _Unknown
        key, *otherwise = map(self.resolve, arguments)
        if not isinstance(key, str | int | None):
            raise _Unknown
        return whole.get(key, *otherwise)

    def _part(self, node: ast.Attribute | ast.Subscript) -> Any:
        whole = self.resolve(node.value)
        try:
            if isinstance(node, ast.Attribute):
                return getattr(whole, node.attr)
            return whole[self.resolve(node.slice)]
        except _Unknown:
            raise
        except Exception as error:  # a property of the protocol may raise anything
            raise _Unknown from error

    def _mentions(self, node: ast.AST) -> bool:
        """Whether a value occurs in an expression, other than in calls that give back none."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _PLAIN:
            return False
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _TAKING:
            return True  # what it took is gone, and cannot be looked at
        if isinstance(node, ast.expr):
            try:
                if holds(self.resolve(node)):
                    return True
            except _Unknown:
                pass
        # Also of what is known: a method of a dictionary holds nothing, the dictionary may.
        return any(self._mentions(child) for child in ast.iter_child_nodes(node))


def names_of(frame: FrameType) -> dict[str, Any]:
    """What names stand for in a frame."""
    return {**vars(builtins), **frame.f_globals, **frame.f_locals}


def is_symbolic(item: Any) -> bool:
    """Whether an object stands for something that differs from state to state."""
    return isinstance(item, Value | State)


def holds(item: Any, depth: int = 3) -> bool:
    """Whether an object is a value, or may give one: a collection or object with values, an iterator."""
    if is_symbolic(item) or isinstance(item, Iterator):
        return True
    if depth == 0 or isinstance(item, _EMPTY):
        return False
    return any(holds(part, depth - 1) for part in _contents(item))


def _contents(item: Any) -> Iterator[Any]:
    """What an object holds, as far as looking at it tells."""
    if isinstance(item, Mapping):
        yield from item.values()
    if isinstance(item, list | tuple | set | frozenset | Mapping):
        yield from item
    yield from getattr(item, "__dict__", {}).values()
    for slot in getattr(type(item), "__slots__", ()):
        yield getattr(item, slot, None)
