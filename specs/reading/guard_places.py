"""The place of a guard line in the text of an action's method."""

from __future__ import annotations

import ast
import linecache
from types import CodeType
from typing import Any

from verifier.specs.reading.code_places import code_of, place, place_of


def place_of_guard(method: Any, index: int) -> str:
    """The file and line of a guard line, counted from 0. It is that of the ``def`` if the method has no text,
    or several steps."""
    code = code_of(method)
    steps = [] if code is None else [call for call in _calls_in(code) if _is_step(call.func)]
    guards = [guard for step in steps for guard in _guards_of(step)]
    if code is None or len(steps) != 1 or not guards:
        return place_of(method)
    is_listed = index < len(guards) and not any(isinstance(guard, ast.Starred) for guard in guards)
    return place(code.co_filename, guards[index if is_listed else 0].lineno)


def _calls_in(code: CodeType) -> list[ast.Call]:
    """The calls in the text of a function."""
    try:
        file = ast.parse("".join(linecache.getlines(code.co_filename)))
    except (SyntaxError, ValueError):  # the file was changed meanwhile
        return []
    for node in ast.walk(file):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first == code.co_firstlineno:
                return [call for call in ast.walk(node) if isinstance(call, ast.Call)]
    return []


def _is_step(called: ast.expr) -> bool:
    return (isinstance(called, ast.Name) and called.id == "Step") or (
        isinstance(called, ast.Attribute) and called.attr == "Step"
    )


def _guards_of(step: ast.Call) -> list[ast.expr]:
    """The guard lines that a call of Step lists, or the one expression that makes them."""
    given = [*step.args[:1], *(keyword.value for keyword in step.keywords if keyword.arg == "when")]
    return [
        guard
        for value in given
        for guard in (value.elts if isinstance(value, ast.List | ast.Tuple) else [value])
    ]
