"""Finds whether the source only keeps a dictionary that it writes: under a name, in a list, or as a result.

What is asked of a dictionary that is kept is seen where its name is used. One asked where it is written
has no name.
"""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Mapping
from types import CodeType
from typing import TypeAlias

from verifier.specs.reading.suspects import CALLED, parse_text, source

Span: TypeAlias = tuple[int, int, int, int]
_PASSED_ON = (ast.IfExp, ast.NamedExpr, ast.List, ast.Tuple)
_KEEPING = (ast.Assign, ast.AnnAssign, ast.Return, ast.Lambda)
"""Statements and functions of which an expression is the value."""


def is_kept(code: CodeType, offset: int) -> bool:
    """True if an instruction that inserts a key is of a dictionary that the source only keeps. False for code
    without source text."""
    positions = list(code.co_positions())[offset // 2]
    line, end_line, column, end_column = positions
    if line is None or end_line is None or column is None or end_column is None:
        return False
    start, end = (line, column), (end_line, end_column)
    kept = _find_kept(source(code, {}))
    around = [(span, only) for span, only in kept.items() if span[:2] <= start and end <= span[2:]]
    if not around:
        return False
    return max(around, key=lambda item: (item[0][:2], (-item[0][2], -item[0][3])))[1]


@functools.lru_cache(maxsize=64)
def _find_kept(text: str) -> Mapping[Span, bool]:
    """The spans of what inserts keys in a text, and whether the dictionary is only kept."""
    tree = parse_text(text)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    kept: dict[Span, bool] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict | ast.DictComp | ast.Set | ast.SetComp):
            kept[_span(node)] = _is_kept(node, parents)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            kept[_span(node)] = isinstance(node.value, ast.Name | ast.Attribute)
    return kept


def _is_kept(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> bool:
    inner, outer = node, parents[node]
    while isinstance(outer, _PASSED_ON) or (isinstance(outer, ast.Dict) and inner in outer.values):
        if isinstance(outer, ast.IfExp) and inner is outer.test:
            return False
        inner, outer = outer, parents[outer]
    if isinstance(outer, ast.keyword):
        outer = parents[outer]
    return isinstance(outer, _KEEPING) or (isinstance(outer, ast.Call) and _hands_on(outer))


def _hands_on(call: ast.Call) -> bool:
    """True if a call puts its argument in a list, or is one of a helper, whose parameter is a name again."""
    match call.func:
        case ast.Name(id=name):
            return not hasattr(builtins, name) and name not in CALLED
        case ast.Attribute(attr="append" | "insert" | "appendleft"):
            return True
        case ast.Attribute(value=ast.Name(id="self")):
            return True
    return False


def _span(node: ast.expr) -> Span:
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0
