"""Finds the places in code where Python decides something that the author may have meant as a formula.

A class can define ``==`` and ``&``, but not ``is``, ``in`` and ``match``. On values these are silent
mistakes. This module finds them in the bytecode, which shows exactly which code runs. It gets their source
text by the positions in the bytecode.

So are comparisons and differences of Python's own sets: ``{s.x} == {s.y}`` compares expressions, not values.
They are looked for in code that writes a set, or keeps a dictionary. Calls of ``isinstance``, ``len`` and the
methods of sets are looked for by their names, and so is ``__class__``.
"""

from __future__ import annotations

import ast
import dis
import functools
import itertools
import linecache
from collections.abc import Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any, TypeAlias

_IDENTITY = frozenset(
    number
    for name, number in dis.opmap.items()
    if name == "IS_OP" or name.endswith(("_IF_NONE", "_IF_NOT_NONE"))
)
_MEMBERSHIP = frozenset({dis.opmap["CONTAINS_OP"]})
_MATCHING = frozenset(
    number for name, number in dis.opmap.items() if name in ("MATCH_CLASS", "MATCH_SEQUENCE", "MATCH_MAPPING")
)
_DECIDING = _IDENTITY | _MEMBERSHIP | _MATCHING
_OPERATORS = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
_WRITES_A_SET = frozenset({dis.opmap["BUILD_SET"]})
_LESSENING = (ast.Sub, ast.BitAnd, ast.BitXor)
_OF_SETS = frozenset({dis.opmap["COMPARE_OP"], dis.opmap["BINARY_OP"]})

_CALLING = frozenset({dis.opmap["CALL"]})
_WRITES_A_MAP = frozenset({dis.opmap["BUILD_MAP"], dis.opmap["MAP_ADD"]})
_GIVING_A_MAP = frozenset(
    dis.opmap[name] for name in ("BUILD_MAP", "BUILD_TUPLE", "BINARY_OP", "CALL", "DICT_UPDATE", "SWAP")
)
_OF_A_MAP = frozenset(
    dis.opmap[name]
    for name in (
        "LOAD_FAST", "LOAD_DEREF", "LOAD_GLOBAL", "LOAD_NAME", "BUILD_MAP", "BUILD_CONST_KEY_MAP", "CALL"
    )
    if name in dis.opmap
)  # fmt: skip
_STORING = frozenset(number for name, number in dis.opmap.items() if name.startswith(("STORE_", "UNPACK_")))
_FILLING = frozenset({dis.opmap["CACHE"], dis.opmap["EXTENDED_ARG"]})
COUNTING = frozenset(
    {
        "len", "list", "tuple", "set", "frozenset", "sorted", "sum", "min", "max", "any", "all", "Counter",
        "OrderedDict", "ChainMap", "defaultdict", "str", "repr",
    }
)  # fmt: skip
"""Functions whose answer depends on how many different keys there are."""
ASKING = COUNTING | {"isinstance", "issubclass", "type", "id", "is_", "is_not"}
"""Functions whose answer about an expression, or what holds some, is none about its values."""
OF_MAPS = frozenset({"get", "pop", "popitem", "setdefault", "keys", "values", "fromkeys"})
"""Methods of Python's dictionaries that speak of keys by what they are equal to."""
OF_SETS = frozenset(
    {
        "isdisjoint", "issubset", "issuperset", "union", "intersection", "difference",
        "symmetric_difference", "difference_update", "intersection_update", "symmetric_difference_update",
    }
)  # fmt: skip
"""Methods of Python's sets that compare elements."""
_SPECIAL = frozenset({"__len__", "__contains__", "__getitem__", "__eq__", "__ne__"})
_BUILT_IN = ASKING - {"is_", "is_not", "Counter", "OrderedDict", "ChainMap", "defaultdict"}
"""Those that are known without a module."""
CALLED = ASKING | OF_SETS | OF_MAPS | _SPECIAL
"""Functions that are found by name."""

_CLASS = "__class__"

SetOperation: TypeAlias = ast.Compare | ast.BinOp | ast.AugAssign
Decision: TypeAlias = ast.Match | ast.Call | ast.Attribute | SetOperation
Span: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True)
class Suspect:
    """An instruction by which Python decides something."""

    line: int
    node: Decision | None
    """The source of the instruction; None if there is none."""
    optional: frozenset[str] = frozenset()
    """The parameters of the functions around it whose default is None."""


def suspects(code: CodeType, names: Mapping[str, Any]) -> dict[int, Suspect]:
    """The suspects in this code, without nested code, by the offset of the instruction.

    ``names`` are the globals of the code.
    """
    numbers = code.co_code[::2]
    offsets = [2 * place for place, number in enumerate(numbers) if number in _DECIDING]
    of_sets = [2 * place for place, number in enumerate(numbers) if number in _OF_SETS]
    if _WRITES_A_SET.isdisjoint(numbers):
        named = [offset for offset in of_sets if _may_be_a_map(numbers, offset // 2)]
        of_sets = named if named and _names_a_map(code) else []
    calls = [2 * place for place, number in enumerate(numbers) if number in _CALLING]
    if CALLED.isdisjoint(code.co_names) or not _calls_one(code):
        calls = []
    kinds = []
    if _CLASS in code.co_names:
        kinds = [2 * place for place, number in enumerate(numbers) if number == dis.opmap["LOAD_ATTR"]]
    if not offsets and not of_sets and not calls and not kinds:
        return {}
    text, spans = source(code, names), list(code.co_positions())
    operations: Mapping[tuple[int | None, ...], Decision] = _set_operations(text) if of_sets else {}
    called: Mapping[tuple[int | None, ...], Decision] = _calls(text) if calls else {}
    classes: Mapping[tuple[int | None, ...], Decision] = _classes(text) if kinds else {}
    suspects = {
        offset: Suspect(node.lineno, node)
        for known, placed in ((operations, of_sets), (called, calls), (classes, kinds))
        for offset in placed
        if (node := known.get(spans[offset // 2])) is not None
    }
    nodes = _decisions(text) if offsets else []
    return suspects | {
        offset: _innermost(nodes, spans[offset // 2], code.co_firstlineno) for offset in offsets
    }


def source(code: CodeType, names: Mapping[str, Any]) -> str:
    """The text of the file of some code; empty if it is not available."""
    linecache.checkcache(code.co_filename)
    return "".join(linecache.getlines(code.co_filename, dict(names)))


@functools.lru_cache(maxsize=64)
def _decisions(text: str) -> list[tuple[Span, Decision, frozenset[str]]]:
    """The comparisons and matches in a text by which Python decides something.

    Each has the span of its deciding part, and the parameters around it whose default is None.
    """
    tree = parse_text(text)
    optional: dict[ast.AST, frozenset[str]] = {}
    for function in ast.walk(tree):  # outer functions come first
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            names = optional.get(function, frozenset()) | _none_by_default(function.args)
            optional.update(dict.fromkeys(ast.walk(function), names))
    decisions: list[tuple[Span, Decision, frozenset[str]]] = []
    for node in ast.walk(tree):
        around = optional.get(node, frozenset())
        if isinstance(node, ast.Compare) and any(isinstance(operator, _OPERATORS) for operator in node.ops):
            decisions.append((_span(node), node, around))
        elif isinstance(node, ast.Match):
            decisions.extend((_span(case.pattern), node, around) for case in node.cases)
    return decisions


def _may_be_a_map(numbers: bytes, place: int) -> bool:
    """True if the right operand of an instruction is a name, a call or a dictionary."""
    before = place - 1
    while before > 0 and numbers[before] in _FILLING:
        before -= 1
    return numbers[before] in _OF_A_MAP


@functools.lru_cache(maxsize=4096)
def _names_a_map(code: CodeType) -> bool:
    """True if some code writes a dictionary and keeps it, or what it is part of, under a name."""
    numbers = [number for number in code.co_code[::2] if number not in _FILLING]
    if _WRITES_A_MAP.isdisjoint(numbers):
        return False
    return any(a in _GIVING_A_MAP and b in _STORING for a, b in itertools.pairwise(numbers))


def _calls_one(code: CodeType) -> bool:
    """True if some code loads one of these functions or methods, and not just a field of such a name."""
    found = {(item.opname, item.argval) for item in dis.get_instructions(code) if item.argval in CALLED}
    return any(opname != "LOAD_ATTR" or name not in _BUILT_IN for opname, name in found)


@functools.lru_cache(maxsize=64)
def _calls(text: str) -> dict[tuple[int | None, ...], ast.Call]:
    """The calls by which Python may decide something, by the positions of their instructions."""
    return {
        (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset): node
        for node in ast.walk(parse_text(text))
        if isinstance(node, ast.Call) and name_of_call(node) in CALLED
    }


@functools.lru_cache(maxsize=64)
def _classes(text: str) -> dict[tuple[int | None, ...], ast.Attribute]:
    """The uses of ``__class__``, by the positions of their instructions."""
    return {
        (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset): node
        for node in ast.walk(parse_text(text))
        if isinstance(node, ast.Attribute) and node.attr == _CLASS
    }


def name_of_call(node: ast.Call) -> str:
    """The name of what is called; empty if it has none."""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


@functools.lru_cache(maxsize=64)
def _set_operations(text: str) -> dict[tuple[int | None, ...], SetOperation]:
    """Possible comparisons, difference or intersection of sets, by the positions of its instruction."""
    return {
        (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset): node
        for node in ast.walk(parse_text(text))
        if isinstance(node, ast.Compare)
        or (isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, _LESSENING))
    }


def _none_by_default(arguments: ast.arguments) -> set[str]:
    placed = [*arguments.posonlyargs, *arguments.args]
    pairs = [*zip(placed[::-1], arguments.defaults[::-1], strict=False)]
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return {
        argument.arg
        for argument, default in (*pairs, *named)
        if isinstance(default, ast.Constant) and default.value is None
    }


def _span(node: ast.expr | ast.pattern) -> Span:
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0


def _innermost(
    nodes: list[tuple[Span, Decision, frozenset[str]]], span: tuple[int | None, ...], otherwise: int
) -> Suspect:
    """The smallest node that contains a span. If the span has no line, ``otherwise`` is the line."""
    line, end_line, column, end_column = span
    if line is None or end_line is None or column is None or end_column is None:
        return Suspect(line or otherwise, None)
    around = [
        (outer, node, optional)
        for outer, node, optional in nodes
        if outer[:2] <= (line, column) and (end_line, end_column) <= outer[2:]
    ]
    if not around:
        return Suspect(line, None)
    _, node, optional = max(around, key=lambda item: (item[0][:2], (-item[0][2], -item[0][3])))
    return Suspect(line, node, optional)


@functools.lru_cache(maxsize=16)
def parse_text(text: str) -> ast.Module:
    """The syntax of a text; empty if it has none."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return ast.Module([], [])
