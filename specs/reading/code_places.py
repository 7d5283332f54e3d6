"""The place of a protocol's code: the file and the line that an error names."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import re
import sys
import sysconfig
import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from types import CodeType
from typing import Any

from verifier.specs.formula_count import SourceText

_STANDARD_LIBRARY = tuple(
    str(Path(path).resolve()) + "/"
    for path in {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
)
_INSTALLED = ("/site-packages/", "/dist-packages/")
_METHODS = {ast.FunctionDef, ast.AsyncFunctionDef}
_BEGINS = re.compile(r"\s*(async\s+)?def\b|.*\blambda\b")


def is_engine(module: str) -> bool:
    """True if a module is part of the verifier and of no protocol, not even a built-in one."""
    parts = module.split(".")
    return parts[0] == "verifier" and not (len(parts) > 3 and parts[1] == "specs" and parts[2] != "reading")


@functools.lru_cache(maxsize=1024)
def is_library(file: str) -> bool:
    """True if a file belongs to Python or to an installed package, and not to a protocol."""
    return is_standard_library(file) or any(folder in str(Path(file).resolve()) for folder in _INSTALLED)


@functools.lru_cache(maxsize=1024)
def is_standard_library(file: str) -> bool:
    """True if a file belongs to Python itself, and to no installed package."""
    path = str(Path(file).resolve())
    is_installed = any(folder in path for folder in _INSTALLED)
    return file.startswith("<frozen ") or (path.startswith(_STANDARD_LIBRARY) and not is_installed)


def is_watched(file: str, module: str, own: Collection[str] = ()) -> bool:
    """True if code in a file and module can belong to a protocol or its helpers.

    ``own`` are the packages that the protocol comes from. They count even if they are installed.
    """
    if is_engine(module):
        return False
    return module.partition(".")[0] in own or not is_library(file)


def is_generated(code: CodeType) -> bool:
    """True if Python made some code of a class itself, as the ``__eq__`` and ``__hash__`` of data classes."""
    name = code.co_name
    return code.co_filename == "<string>" and name.startswith("__") and name.endswith("__")


def code_of(function: Any) -> CodeType | None:
    """The code of a function. Decorators are skipped if they name the function that they wrap."""
    if callable(function):
        function = inspect.unwrap(function)
    function = getattr(function, "func", function)
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return code if isinstance(code, CodeType) else None


def place_of(function: Any) -> str:
    """The file and line of a function's ``def``, as text; empty if the function has none."""
    code = code_of(function)
    if code is None:
        return ""
    first = code.co_firstlineno
    end = max((line for _, _, line in code.co_lines() if line is not None), default=first)
    for line in range(first, end + 1):
        if _BEGINS.match(linecache.getline(code.co_filename, line)):
            return place(code.co_filename, line)
    return place(code.co_filename, first)


def place(file: str, line: int) -> str:
    """A place in words."""
    return f"{file}, line {line}"


def list_methods_at(places: Iterable[str]) -> list[SourceText]:
    """Return the texts of the methods at these places, without those that have no file."""
    texts = []
    for where in dict.fromkeys(places):
        file, _, number = where.rpartition(", line ")
        lines = linecache.getlines(file)[int(number) - 1 :] if file else []
        if lines:
            texts.append(SourceText(file, int(number), "".join(inspect.getblock(lines))))
    return texts


def place_of_class(kind: type) -> str:
    """The file and line of a class, as text; empty if its source cannot be had."""
    lines, first = _source(kind)
    return place(inspect.getfile(kind), first) if lines else ""


def place_of_attribute(kind: type, name: str) -> str:
    """The file and line that give a class an attribute, as text; of the class if there is no such line."""
    owner = next((base for base in kind.__mro__ if name in vars(base)), kind)
    lines, first = _source(owner)
    if lines:
        (defined,) = ast.parse(textwrap.dedent("".join(lines))).body
        for node in getattr(defined, "body", []):
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                return place(inspect.getfile(owner), first + node.lineno - 1)
    return place_of_class(kind)


def find_defined_twice(kind: type) -> Iterator[tuple[str, str, str]]:
    """Names that the body of a class gives twice, at least once to a method, with both places: Python drops
    the first. Setters and overloads go with what stands above them."""
    file = getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
    linecache.checkcache(file)
    given: dict[str, ast.stmt] = {}
    for node in _classes("".join(linecache.getlines(file))).get(kind.__qualname__, ()):
        for name in _list_given(node):
            before = given.get(name)
            if before is not None and _METHODS & {type(before), type(node)}:
                yield name, place(file, before.lineno), place(file, node.lineno)
            given[name] = node


@functools.lru_cache(maxsize=64)
def _classes(text: str) -> dict[str, list[ast.stmt]]:
    """The bodies of the classes of a file, by their names."""
    try:
        return dict(_classes_in(ast.parse(text).body, ""))
    except (SyntaxError, ValueError):
        return {}


def _classes_in(body: Sequence[ast.stmt], around: str) -> Iterator[tuple[str, list[ast.stmt]]]:
    for node in body:
        match node:
            case ast.ClassDef():
                yield f"{around}{node.name}", node.body
                yield from _classes_in(node.body, f"{around}{node.name}.")
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from _classes_in(node.body, f"{around}{node.name}.<locals>.")


def _list_given(node: ast.stmt) -> list[str]:
    """The names that a statement of a class gives."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        marks = [ast.unparse(mark) for mark in node.decorator_list]
        beside = any(mark.split(".")[-1] in ("setter", "deleter", "overload") for mark in marks)
        return [] if beside else [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _source(kind: type) -> tuple[list[str], int]:
    try:
        lines, first = inspect.getsourcelines(kind)
    except (OSError, TypeError):
        return [], 0
    skipped = next((place for place, line in enumerate(lines) if line.lstrip().startswith("class ")), 0)
    return lines, first + skipped


def find_raising_line(error: BaseException) -> str:
    """The file and line of the protocol's code that was running when ``error`` was raised."""
    line, step = "", error.__traceback__
    while step is not None:
        module = str(step.tb_frame.f_globals.get("__name__", ""))
        if is_watched(step.tb_frame.f_code.co_filename, module) and not is_generated(step.tb_frame.f_code):
            line = place(step.tb_frame.f_code.co_filename, step.tb_lineno)
        step = step.tb_next
    return line


def prefix_place(where: str, words: str) -> str:
    """The words after the place, if the place is known."""
    return f"{where}: {words}" if where else words
