"""Answers about names in a module: what they mean, where they are declared and used, and which are known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol.types import (
    CompletionItem,
    CompletionItemKind,
    DocumentSymbol,
    Hover,
    Location,
    MarkupContent,
    MarkupKind,
    Position,
    SymbolKind,
)

from verifier.errors import UsageError
from verifier.server.editor.editor_server import EditorServer
from verifier.server.editor.module_text import Declaration, ModuleText, StandardName
from verifier.server.editor.places import location
from verifier.tla.documented import comment_above
from verifier.tla.frames import Undefined
from verifier.tla.standard import BUILT_IN

if TYPE_CHECKING:
    from tree_sitter import Node


_PATIENCE_SECONDS = 0.2
"""The time for which a hover waits to read the current state."""
_MOST_LINES = 30
"""The most lines of a definition that a hover shows."""
_SYMBOLS = {
    "constant": SymbolKind.Constant,
    "variable": SymbolKind.Variable,
    "operator": SymbolKind.Function,
    "function": SymbolKind.Function,
    "instance": SymbolKind.Namespace,
    "theorem": SymbolKind.Property,
    "assumption": SymbolKind.Property,
}
_COMPLETIONS = {
    "constant": CompletionItemKind.Constant,
    "variable": CompletionItemKind.Variable,
    "instance": CompletionItemKind.Module,
    "local name": CompletionItemKind.Variable,
}
_KEYWORDS = (
    "ASSUME BOOLEAN CASE CHOOSE CONSTANT CONSTANTS DOMAIN ELSE ENABLED EXCEPT EXTENDS FALSE IF IN INSTANCE "
    "LAMBDA LET LOCAL OTHER RECURSIVE SF_ STRING SUBSET THEN THEOREM TRUE UNCHANGED UNION VARIABLE "
    "VARIABLES WF_ WITH"
)


def _name_at(server: EditorServer, path: Path, position: Position) -> tuple[ModuleText, Node] | None:
    text = server.modules.get(path)
    if text is None:
        return None
    node = text.name_at(*server.positions(path).to_place(position))
    return None if node is None else (text, node)


def _find(server: EditorServer, path: Path, position: Position) -> Declaration | StandardName | None:
    named = _name_at(server, path, position)
    return None if named is None else server.modules.find(*named)


def find_definition(server: EditorServer, path: Path, position: Position) -> Location | None:
    """Return where the name at a position is declared."""
    declaration = _find(server, path, position)
    if not isinstance(declaration, Declaration):
        return None
    return location(declaration.file, server.positions(declaration.file), declaration.place)


def find_references(
    server: EditorServer, path: Path, position: Position, *, declaration: bool
) -> list[Location]:
    """Return where the name at a position is used, in this module and those beside it."""
    target = _find(server, path, position)
    if not isinstance(target, Declaration):
        return []
    places = list(server.modules.find_references(target))
    if declaration:
        places.insert(0, (target.file, target.place))
    return [location(file, server.positions(file), place) for file, place in places]


def describe_name(server: EditorServer, path: Path, position: Position) -> Hover | None:
    """Return what the name at a position means, with its value in the state where one walks."""
    named = _name_at(server, path, position)
    declaration = None if named is None else server.modules.find(*named)
    if declaration is None or named is None:
        return None
    if isinstance(declaration, StandardName):
        words = f"`{declaration.name}` of the standard module {declaration.module}"
        return Hover(MarkupContent(MarkupKind.Markdown, words))
    lines = declaration.text.split("\n")
    shown = "\n".join([*lines[:_MOST_LINES], *(["…"] if len(lines) > _MOST_LINES else [])])
    parts = [f"```tla\n{shown}\n```"]
    comment = comment_above(declaration.whole) if declaration.is_top else ""
    if comment:
        parts.append(comment)
    if declaration.file != path:
        parts.append(f"{declaration.kind} of {declaration.file.name}")
    value = _value_of(server, path, declaration)
    if value is not None:
        parts.append(value)
    return Hover(MarkupContent(MarkupKind.Markdown, "\n\n".join(parts)))


def _value_of(server: EditorServer, path: Path, declaration: Declaration) -> str | None:
    """Return the value of a name in the current state, if the module is open and one walks in it."""
    spec = server.find_open(path)
    if spec is None or not spec.path or not declaration.is_top:
        return None
    with server.session.lock.take_within(_PATIENCE_SECONDS) as is_free:
        if not is_free:  # the editor rather has no value than waits
            return None
        try:
            value = spec.reading.evaluate(declaration.name)(spec.state(spec.current))
        except (UsageError, Undefined):  # it has parameters, or speaks of steps
            return None
        return f"In state {spec.current}: `{spec.machine.show(value)}`"


def outline(server: EditorServer, path: Path) -> list[DocumentSymbol]:
    """Return the names that a module declares."""
    text = server.modules.get(path)
    if text is None:
        return []
    positions = server.positions(path)
    return [
        DocumentSymbol(
            name=one.name,
            kind=_SYMBOLS.get(one.kind, SymbolKind.Object),
            range=positions.to_range(one.whole),
            selection_range=positions.to_range(one.place),
            detail=one.kind,
        )
        for one in text.declarations()
        if one.is_top
    ]


def complete_name(server: EditorServer, path: Path, position: Position) -> list[CompletionItem]:
    """Return the names that are known at a position."""
    text = server.modules.get(path)
    if text is None:
        return []
    positions = server.positions(path)
    line, column = positions.to_place(position)
    if positions.line(line).lstrip().startswith(("EXTENDS", "INSTANCE")):
        beside = sorted(file.stem for file in path.parent.glob("*.tla") if file != path)
        names = dict.fromkeys([*beside, *BUILT_IN])
        return [CompletionItem(name, kind=CompletionItemKind.Module) for name in names]
    return list(_known_names(server, text, line, column))


def _known_names(server: EditorServer, text: ModuleText, line: int, column: int) -> Iterator[CompletionItem]:
    seen: set[str] = set()
    for one in text.list_known_names(line, column):
        seen.add(one.name)
        kind = _COMPLETIONS.get(one.kind, CompletionItemKind.Function)
        yield CompletionItem(one.name, kind=kind, detail=one.kind)
    for module in text.list_extended_modules():
        for name, detail in server.modules.names_of(module, text.file).items():
            if name not in seen and name[0].isalpha():
                seen.add(name)
                yield CompletionItem(name, kind=CompletionItemKind.Function, detail=detail)
    for word in _KEYWORDS.split():
        yield CompletionItem(word, kind=CompletionItemKind.Keyword)
