"""The text of an operator: its definition, and the comment above it."""

from __future__ import annotations

import re
from pathlib import Path

from verifier.errors import UsageError
from verifier.files import text_of
from verifier.tla import ast
from verifier.tla.errors import Place
from verifier.tla.said_parts import span
from verifier.tla.text import text_at

_OF_A_LINE = re.compile(r"^\s*\\\*+ ?(.*)$")
_OF_A_BLOCK = re.compile(r"^\s*\(\*+\s?(.*?)\s*\**\)\s*$")
_RULE = re.compile(r"[-=*\s]*")
_MOST_NAMES = 3
"""A definition that names another one is followed so far."""
_MOST_LINES = 12
"""The limit of lines of a comment; a longer one describes several operators."""


def describe_operator(module: ast.Module, name: str) -> tuple[str, str]:
    """Return an operator's definition, on one line, and the comment above it; empty if there is none.

    A definition that only names another one, as ``Inv!1`` does, has the other's text beside it.
    """
    symbol = module.names.get(name)
    if not isinstance(symbol, ast.Definition) or symbol.body is None:
        return "", ""
    said, body = [text_at(span(symbol.body))], symbol.body
    while len(said) < _MOST_NAMES and isinstance(body, ast.Apply) and not body.arguments:
        named = body.operator
        if not isinstance(named, ast.Definition) or named.body is None:
            break
        body = named.body
        said.append(text_at(span(body)))
    return " == ".join(said), comment_above(symbol.place)


def place_of(module: ast.Module, name: str) -> str:
    """Return the file and the line of an operator's definition; empty if there is none."""
    symbol = module.names.get(name)
    return f"{symbol.place.file}:{symbol.place.line}" if isinstance(symbol, ast.Definition) else ""


def comment_above(place: Place) -> str:
    """Return the comment that ends on the line above a definition. Each of its lines is a comment."""
    try:
        lines = text_of(Path(place.file)).splitlines()[: max(place.line - 1, 0)]
    except (OSError, UnicodeDecodeError, UsageError):
        return ""
    said: list[str] = []
    for line in reversed(lines):
        part = _OF_A_LINE.match(line) or _OF_A_BLOCK.match(line)
        if part is None:
            break
        said.append("" if _RULE.fullmatch(part[1]) else part[1])
    if len(said) > _MOST_LINES:
        return ""
    return " ".join(" ".join(reversed(said)).split())
