"""Code lenses over properties and actions: what one can ask of them, and the last verdict with its age."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol.types import CodeLens, Command

from verifier.server.editor.findings import defines_protocol
from verifier.specs.names import title_of
from verifier.tla.errors import Place

if TYPE_CHECKING:
    from verifier.server.editor.language_server import EditorServer

CHECK, PROVE, FIND = "verify.check", "verify.prove", "verify.findViolation"
WHY, COVER = "verify.whyDisabled", "verify.coverage"
ENGINES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    CHECK: ("check", {}),
    PROVE: ("prove", {}),
    FIND: ("check", {"find_bugs": True}),
}
"""The engine of each command, with its options."""
_TITLES = {CHECK: "check", PROVE: "prove", FIND: "find a violation"}
_PROPERTIES = {"invariant", "step_invariant", "reachable", "temporal", "type_invariant"}


@dataclass(frozen=True)
class Told:
    """A verdict, when it was told, and of which text."""

    words: str
    at: float
    spec_hash: str

    def age(self, now: float) -> str:
        """Return how old it is: ``3 min``."""
        seconds = int(now - self.at)
        for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
            if seconds >= size:
                return f"{seconds // size} {unit}"
        return f"{seconds} s"


@dataclass
class Verdicts:
    """The last verdict on each property of each file."""

    known: dict[tuple[Path, str], Told] = field(default_factory=dict)

    def note(self, file: Path, content: Mapping[str, Any]) -> None:
        """Keep the verdicts of a run."""
        for one in content["results"]:
            words = str(one["verdict"])
            if one["verdict"] == "VIOLATED" and one["steps"] is not None:
                words = f"VIOLATED in {one['steps']} steps"
            elif one["verdict"] == "HOLDS" and one["depth"] is not None:
                words = f"HOLDS({one['depth']})"
            self.known[file, one["property"]] = Told(words, time.time(), content["spec_hash"])

    def title(self, file: Path, name: str, *, changed: bool) -> str | None:
        """Return the last verdict with its age; None if there is none."""
        told = self.known.get((file, name))
        if told is None:
            return None
        old = ", of an earlier text" if changed else ""
        return f"{told.words} ({told.age(time.time())} ago{old})"


def make_lenses(server: EditorServer, path: Path) -> list[CodeLens]:
    """Return the lenses of a document."""
    text = server.text(path)
    if path.suffix == ".py":
        return list(_of_python(server, path, text))
    looked, module = server.looked.get(path), server.modules.get(path)
    if looked is None or module is None:
        return []
    found: list[CodeLens] = []
    for one in module.declarations():
        if not one.is_top:
            continue
        if one.name in looked.properties:
            found += _of_property(server, path, one.name, one.place)
        elif one.name in looked.actions:
            found += _of_action(server, path, one.name, one.place)
    return found


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


def describe_coverage(content: Mapping[str, Any]) -> dict[str, str]:
    """Return in words how often each action is taken."""
    states = f"{content['states']} {'states' if content['all_states'] else 'nearest states'}"
    found: dict[str, str] = {}
    for one in content["actions"]:
        if one["steps"]:
            unused = [part["formula"] for part in one["parts"] if part["steps"] == 0]
            more = f"; never true: {', '.join(unused)}" if unused else ""
            found[one["action"]] = f"taken {one['steps']} times in {states}{more}"
        else:
            why = f": {one['nearest']['formula']} {one['nearest']['says']}" if "nearest" in one else ""
            found[one["action"]] = f"never enabled in {states}{why}"
    return found


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
