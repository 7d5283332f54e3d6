"""Finds the object that an expression of Python source stands for, in a frame that is about to use it."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from inspect import CO_GENERATOR
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from verifier.encodings.expressions import Value, sort_of
from verifier.encodings.sorts import Option, Sort
from verifier.specs.reading.code_places import code_of
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
"""Functions whose result is never a value, for any argument."""


_PLAIN_TYPES = (bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, range)
_TAKING = ("pop", "popitem", "popleft")
"""Methods that remove the object that they return."""
_EMPTY = (Sort, str, bytes, type, ModuleType, FunctionType, BuiltinFunctionType)
"""Types whose objects count as holding no value, although they have attributes."""


class Unknown(Exception):
    """The object cannot be found without running the expression."""


@dataclass(frozen=True)
class Scope:
    """The objects that names stand for in a frame, and the results of the frame's calls."""

    names: Mapping[str, Any]
    returned: Mapping[tuple[int, int], tuple[CodeType, Any]]
    """For the line and column where a call ends: the code that returned, and its result."""

    @classmethod
    def of(cls, frame: FrameType, returned: Mapping[tuple[int, int], tuple[CodeType, Any]]) -> Scope:
        """The scope at the frame's present instruction."""
        return cls(names_of(frame), returned)

    def is_value(self, node: ast.expr) -> bool:
        """True if an expression is a value of the state or, if that is unknown, mentions one."""
        try:
            return is_symbolic(self.resolve(node))
        except Unknown:
            return self._mentions(node)

    def is_known_value(self, node: ast.expr) -> bool:
        """True if an expression is a value of the state or, if that is unknown, is computed from one."""
        try:
            return isinstance(self.resolve(node), Value)
        except Unknown:
            made = isinstance(node, ast.BinOp | ast.UnaryOp | ast.Compare | ast.Call)
            return made and self._mentions(node)

    def is_of_python(self, node: ast.expr) -> bool:
        """True if an expression is a type of plain values, or has some of those."""
        try:
            operand = self.resolve(node)
        except Unknown:
            return False
        kinds = operand if isinstance(operand, tuple | list) else getattr(operand, "__args__", (operand,))
        return any(kind in _PLAIN_TYPES for kind in kinds)

    def holds_value(self, node: ast.expr) -> bool:
        """True if an expression is a value, or a collection that holds values.

        Only the keys of a mapping count, because ``in`` compares only the keys.
        """
        try:
            operand = self.resolve(node)
            return holds(list(operand) if isinstance(operand, Mapping) else operand)
        except Unknown:
            return self._mentions(node)

    def set_holds_value(self, node: ast.expr) -> bool | None:
        """True if a set of Python, or the keys of a dictionary, hold a value; None if it is neither."""
        match node:
            case ast.Set():
                return any(map(self.is_value, node.elts))
            case ast.SetComp() | ast.Call(func=ast.Name(id="set" | "frozenset")):
                return self._mentions(node)
            case ast.Dict():
                return any(self.is_value(key) for key in node.keys if key is not None)
            case ast.DictComp():
                return self._mentions(node.key)
            case ast.Call(func=ast.Attribute(attr="keys" | "items", value=whole), args=[]):
                return self.set_holds_value(whole)
            case ast.BinOp():
                held = self.set_holds_value(node.left), self.set_holds_value(node.right)
                return None if None in held else any(held)
        try:
            operand = self.resolve(node)
        except Unknown:
            return None
        return holds(list(operand)) if isinstance(operand, set | frozenset | Mapping) else None

    def is_optional(self, node: ast.expr) -> bool:
        """True if an expression is an option, or can be one."""
        try:
            operand = self.resolve(node)
        except Unknown:
            return True
        return isinstance(operand, Value) and isinstance(sort_of(operand), Option)

    def is_none_by_default(self, node: ast.expr) -> bool:
        """True if an expression is an attribute whose default in the class is None, as in a data class."""
        try:
            owner = self.resolve(node.value) if isinstance(node, ast.Attribute) else None
        except Unknown:
            return False
        if owner is None or is_symbolic(owner) or not isinstance(node, ast.Attribute):
            return False
        return getattr(type(owner), node.attr, owner) is None

    def resolve(self, node: ast.expr) -> Any:
        """The object that the expression stands for. Raises Unknown if only running it would tell."""
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                if node.id not in self.names:
                    raise Unknown
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
        raise Unknown

    def _result(self, node: ast.Call) -> Any:
        """The result of a call. A callback can return at the same place, so the code is compared, too."""
        code, result = self.returned[node.end_lineno or 0, node.end_col_offset or 0]
        called = self.resolve(node.func)
        if code_of(called) is not code or code.co_flags & CO_GENERATOR:
            raise Unknown
        return result

    def _entry(self, table: ast.expr, arguments: list[ast.expr]) -> Any:
        """The result of a dictionary's ``get``."""
        whole = self.resolve(table)
        if type(whole) is not dict or not 1 <= len(arguments) <= 2:
            raise Unknown
        key, *otherwise = map(self.resolve, arguments)
        if not isinstance(key, str | int | None):
            raise Unknown
        return whole.get(key, *otherwise)

    def _part(self, node: ast.Attribute | ast.Subscript) -> Any:
        whole = self.resolve(node.value)
        try:
            if isinstance(node, ast.Attribute):
                return getattr(whole, node.attr)
            return whole[self.resolve(node.slice)]
        except Unknown:
            raise
        except Exception as error:  # a Python property of the protocol may raise anything
            raise Unknown from error

    def _mentions(self, node: ast.AST) -> bool:
        """True if a value occurs in an expression. Calls whose result is never a value do not count."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _PLAIN:
            return False
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _TAKING:
            return True  # the object that it removed is gone, so it may have been a value
        if isinstance(node, ast.expr):
            try:
                if holds(self.resolve(node)):
                    return True
            except Unknown:
                pass
        # The parts count even if the object is known: the method of a dictionary holds no value, but the
        # dictionary may.
        return any(self._mentions(child) for child in ast.iter_child_nodes(node))


def names_of(frame: FrameType) -> dict[str, Any]:
    """The objects that names stand for in a frame."""
    return {**vars(builtins), **frame.f_globals, **frame.f_locals}


def is_symbolic(item: Any) -> bool:
    """True if an object stands for something that depends on the state."""
    return isinstance(item, Value | State)


def holds(item: Any, depth: int = 3) -> bool:
    """True if an object is a value, or holds values, or is an iterator, which may give values."""
    if is_symbolic(item) or isinstance(item, Iterator):
        return True
    if depth == 0 or isinstance(item, _EMPTY):
        return False
    return any(holds(part, depth - 1) for part in _contents(item))


def _contents(item: Any) -> Iterator[Any]:
    """The objects that an object holds, as far as its attributes and elements show."""
    if isinstance(item, Mapping):
        yield from item.values()
    if isinstance(item, list | tuple | set | frozenset | Mapping):
        yield from item
    yield from getattr(item, "__dict__", {}).values()
    for slot in getattr(type(item), "__slots__", ()):
        yield getattr(item, slot, None)
