"""What an expression of Python source stands for in a frame that is about to use it."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from dataclasses import dataclass
from types import FrameType
from typing import Any

from verifier.encodings.sorts import Option, Sort
from verifier.encodings.values import Value
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


class _Unknown(Exception):
    """An expression that only running it would tell."""


@dataclass(frozen=True)
class Scope:
    """What names stand for in a frame, and what its calls of Python functions returned."""

    names: Mapping[str, Any]
    returned: Mapping[tuple[int, int], Any]
    """By the line and column where the call ends."""

    @classmethod
    def of(cls, frame: FrameType, returned: Mapping[tuple[int, int], Any]) -> Scope:
        """The scope at the frame's present instruction."""
        return cls(names_of(frame), returned)

    def is_value(self, node: ast.expr) -> bool:
        """Whether an expression stands for a value of the state, or cannot do without one."""
        try:
            return is_symbolic(self.resolve(node))
        except _Unknown:
            return self._mentions(node)

    def holds_value(self, node: ast.expr) -> bool:
        """Whether an expression is a value, or a collection with values in it."""
        try:
            return holds(self.resolve(node))
        except _Unknown:
            return self._mentions(node)

    def is_optional(self, node: ast.expr) -> bool:
        """Whether an expression is an option, or may be one."""
        try:
            found = self.resolve(node)
        except _Unknown:
            return True
        return isinstance(found, Value) and isinstance(found.sort, Option)

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
            case ast.Call() if (node.end_lineno, node.end_col_offset) in self.returned:
                return self.returned[node.end_lineno or 0, node.end_col_offset or 0]
        raise _Unknown

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
        if isinstance(node, ast.expr):
            try:
                return holds(self.resolve(node))
            except _Unknown:
                pass
        return any(self._mentions(child) for child in ast.iter_child_nodes(node))


def names_of(frame: FrameType) -> dict[str, Any]:
    """What names stand for in a frame."""
    return {**vars(builtins), **frame.f_globals, **frame.f_locals}


def is_symbolic(item: Any) -> bool:
    """Whether an object stands for something that differs from state to state."""
    return isinstance(item, Value | State)


def holds(item: Any, depth: int = 3) -> bool:
    """Whether an object is a value, or a collection with values in it."""
    if is_symbolic(item):
        return True
    if depth == 0 or isinstance(item, Sort | str | bytes):
        return False
    return isinstance(item, list | tuple | set | frozenset | dict) and any(
        holds(part, depth - 1) for part in item
    )
