"""Code lenses over properties and actions: what one can ask of them, and the last verdict with its age."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from lsprotocol.types import CodeLens, Command

from verifier.server.editor.editor_server import EditorServer
from verifier.server.editor.findings import defines_protocol
from verifier.server.editor.told import CHECK, COVER, FIND, PROVE, WHY
from verifier.specs.names import title_of
from verifier.tla.errors import Place

_TITLES = {CHECK: "check", PROVE: "prove", FIND: "find a violation"}
_PROPERTIES = {"invariant", "step_invariant", "reachable", "temporal", "type_invariant"}


def make_lenses(server: EditorServer, path: Path) -> list[CodeLens]:
    """Return the lenses of a document."""
    text = server.text(path)
    if path.suffix == ".py":
        return list(_of_python(server, path, text))
    looked, module = server.looked.get(path), server.modules.get(path)
    if looked is None or module is None:
        return []
    lenses: list[CodeLens] = []
    for one in module.declarations():
        if not one.is_top:
            continue
        if one.name in looked.properties:
            lenses += _of_property(server, path, one.name, one.place)
        elif one.name in looked.actions:
            lenses += _of_action(server, path, one.name, one.place)
    return lenses


def _of_property(server: EditorServer, path: Path, name: str, place: Place) -> Iterator[CodeLens]:
    for command, title in _TITLES.items():
        yield _lens(server, path, place, title, command, name)
    spec = server.find_open(path)
    claim = title_of(name) if path.suffix == ".py" else name
    last = server.verdicts.title(path, claim, changed=spec is None or spec.has_changed)
    if last is not None:
        yield _lens(server, path, place, last, "", name)


def _of_action(server: EditorServer, path: Path, name: str, place: Place) -> Iterator[CodeLens]:
    yield _lens(server, path, place, "why disabled?", WHY, name)
    yield _lens(server, path, place, "how often?", COVER, name)
    words = server.covered.get(path, {}).get(name)
    if words is not None:
        spec = server.find_open(path)
        old = " (of an earlier text)" if spec is None or spec.has_changed else ""
        yield _lens(server, path, place, f"{words}{old}", "", name)


def _lens(server: EditorServer, path: Path, place: Place, title: str, command: str, name: str) -> CodeLens:
    arguments = [str(path), name] if command else None
    where = server.positions(path).to_range(place)
    return CodeLens(range=where, command=Command(title=title, command=command, arguments=arguments))


def _of_python(server: EditorServer, path: Path, text: str) -> Iterator[CodeLens]:
    """Yield the lenses of a protocol's properties, by their decorators: its code is not run for them."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    if not defines_protocol(tree):
        return
    for kind in tree.body:
        for node in kind.body if isinstance(kind, ast.ClassDef) else ():
            if not isinstance(node, ast.FunctionDef):
                continue
            marks = {ast.unparse(one).partition("(")[0] for one in node.decorator_list}
            if marks & _PROPERTIES:
                place = Place(str(path), node.lineno, node.col_offset + 1)
                yield from _of_property(server, path, node.name, place)
