"""The text of a module by its syntax alone: declared names, their scopes, and what a name refers to.

It needs no module that can be read: one that is being written seldom can. The grammar says what declares a
name, and where it is known (its ``locals.scm``).
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

import tree_sitter
from tree_sitter import Node

from verifier.tla.errors import Place, TlaError
from verifier.tla.standard import BUILT_IN, LIBRARY, standard
from verifier.tla.text import Source, parse_text, text_of

_NAMED_OUTSIDE = {"operator_definition", "function_definition", "module_definition", "theorem", "assumption"}
"""Forms that are scopes, and whose own name is known around them."""
_KINDS = {
    "constant_declaration": "constant",
    "variable_declaration": "variable",
    "operator_definition": "operator",
    "function_definition": "function",
    "module_definition": "instance",
    "theorem": "theorem",
    "assumption": "assumption",
}


@dataclass(frozen=True)
class Declaration:
    """A name where it is declared."""

    name: str
    kind: str
    file: Path
    place: Place
    """The place of the name."""
    whole: Place
    """The place of the form that declares it."""
    text: str
    """The text of that form."""
    is_top: bool
    """True if it belongs to the module, and not to a part of it."""


@dataclass(frozen=True)
class StandardName:
    """An operator of a standard module, which has no file."""

    name: str
    module: str


@cache
def _locals() -> tree_sitter.Query:
    """Return the grammar's rules about names."""
    rules = importlib.resources.files("tree_sitter_tlaplus") / "queries" / "locals.scm"
    return tree_sitter.Query(parse_text("---- MODULE M ----\n====", "M").tree.language, rules.read_text())


@dataclass
class ModuleText:
    """A file of modules."""

    file: Path
    source: Source
    _scopes: dict[int, dict[str, Node]] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path, text: str) -> ModuleText | None:
        """Return the text of a file; None if its comments do not end."""
        try:
            return cls(file, parse_text(text.replace("\r\n", "\n"), str(file)))
        except TlaError:
            return None

    @cached_property
    def _captures(self) -> Mapping[str, list[Node]]:
        return tree_sitter.QueryCursor(_locals()).captures(self.source.tree.root_node)

    @cached_property
    def _scope_ids(self) -> set[int]:
        return {node.id for node in self._captures.get("local.scope", ())}

    @cached_property
    def _names(self) -> Mapping[int, Mapping[str, Node]]:
        """The names of each scope, by the scope's node."""
        names: dict[int, dict[str, Node]] = {}
        for node in self._captures.get("local.definition", ()):
            scope = self._scope_of(node)
            names.setdefault(-1 if scope is None else scope.id, {}).setdefault(text_of(node), node)
        return names

    def _scope_of(self, node: Node) -> Node | None:
        """Return the scope in which a declared name is known."""
        form = node.parent
        if form is not None and form.type in _NAMED_OUTSIDE and form.child_by_field_name("name") == node:
            return self._around(form)
        return self._around(node)

    def _around(self, node: Node) -> Node | None:
        """Return the innermost scope around a node."""
        above = node.parent
        while above is not None and above.id not in self._scope_ids:
            above = above.parent
        return above

    @property
    def modules(self) -> list[Node]:
        """The modules of the file, without those inside others."""
        return [node for node in self.source.tree.root_node.children if node.type == "module"]

    def declarations(self) -> Iterator[Declaration]:
        """Yield the names that the file declares, those of modules and those of parts."""
        nodes = self._captures.get("local.definition", ())
        yield from map(self._declaration, sorted(nodes, key=lambda node: node.start_byte))

    def _declaration(self, node: Node) -> Declaration:
        form, scope = node.parent, self._scope_of(node)
        while form is not None and form.type not in _KINDS and form.id not in self._scope_ids:
            form = form.parent
        own = form is not None and form.type in _KINDS
        is_top = scope is None or scope.type == "module"
        is_named = own and form is not None and form.child_by_field_name("name") == node
        kind = _KINDS[form.type] if form is not None and own and (is_named or is_top) else "local name"
        whole = node if form is None else form
        written = self._written(whole)
        place, span = self.source.place(node), self.source.place(whole)
        return Declaration(text_of(node), kind, self.file, place, span, written, is_top)

    def _written(self, node: Node) -> str:
        return "\n".join(line.rstrip() for line in text_of(node).split("\n"))

    # -- what stands at a place

    def name_at(self, line: int, column: int) -> Node | None:
        """Return the name that stands at a place, if one does."""
        if not 0 < line <= len(self.source.lines):
            return None
        row, before = line - 1, self.source.lines[line - 1][: column - 1]
        point = (row, len(before.encode()))
        node = self.source.tree.root_node.descendant_for_point_range(point, point)
        if node is not None and node.type in ("identifier", "identifier_ref"):
            return node
        if point[1] > 0:  # directly behind the name
            left = (row, point[1] - 1)
            node = self.source.tree.root_node.descendant_for_point_range(left, left)
        return node if node is not None and node.type in ("identifier", "identifier_ref") else None

    def references(self) -> Iterator[Node]:
        """Yield the uses of names."""
        yield from (
            node for node in self._captures.get("local.reference", ()) if node.type == "identifier_ref"
        )

    def find_local(self, node: Node) -> Declaration | None:
        """Return the declaration of a name in this file; None if it stands in another one."""
        name = text_of(node)
        for known in self._captures.get("local.definition", ()):
            if known == node:
                return self._declaration(known)
        scope: Node | None = node
        while scope is not None:
            scope = self._around(scope)
            definition = self._names.get(-1 if scope is None else scope.id, {}).get(name)
            if definition is not None:
                return self._declaration(definition)
        return None

    def list_known_names(self, line: int, column: int) -> Iterator[Declaration]:
        """Yield the names that are known at a place, the innermost first."""
        line_text = self.source.lines[line - 1] if 0 < line <= len(self.source.lines) else ""
        point = (line - 1, len(line_text[: column - 1].encode()))
        node = self.source.tree.root_node.descendant_for_point_range(point, point)
        seen: set[str] = set()
        scopes: list[Node | None] = []
        while node is not None:
            if node.id in self._scope_ids:
                scopes.append(node)
            node = node.parent
        for scope in [*scopes, None, *(self.modules[:1] if not scopes else ())]:
            for name, definition in self._names.get(-1 if scope is None else scope.id, {}).items():
                if name not in seen:
                    seen.add(name)
                    yield self._declaration(definition)

    def list_extended_modules(self) -> list[str]:
        """Return the modules whose names are known here: of EXTENDS, and of INSTANCE without a name."""
        names: list[str] = []
        for module in self.modules:
            for unit in module.named_children:
                if unit.type == "extends":
                    names += [text_of(one) for one in unit.named_children if one.type == "identifier_ref"]
                plain = unit.named_children[0] if unit.type == "local_definition" else unit
                if plain.type == "instance" and plain.named_children:
                    names.append(text_of(plain.named_children[0]))
        return list(dict.fromkeys(names))

    def instance_of(self, node: Node) -> str | None:
        """Return the module that a name behind ``!`` belongs to; None for another name."""
        above = node.parent
        while above is not None and above.type in ("bound_op", "bound_nonfix_op"):
            node, above = above, above.parent
        if above is None or above.type != "prefixed_op" or above.child_by_field_name("op") != node:
            return None
        prefix = above.child_by_field_name("prefix")
        names = [one for one in _descendants(prefix) if one.type == "identifier_ref"] if prefix else []
        return self._module_of_instance(text_of(names[-1])) if names else None

    def _module_of_instance(self, name: str) -> str | None:
        for module in self.modules:
            for form in _descendants(module):
                own = form.child_by_field_name("name")
                if form.type != "module_definition" or own is None or text_of(own) != name:
                    continue
                instance = form.child_by_field_name("definition")
                if instance is not None and instance.named_children:
                    return text_of(instance.named_children[0])
        return None


def _descendants(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += reversed(one.named_children)


@dataclass
class ModuleTexts:
    """The modules of folders, with the texts that an editor has open in place of files."""

    open_texts: Mapping[Path, str]
    libraries: tuple[Path, ...] = ()
    _read: dict[Path, tuple[str, ModuleText | None]] = field(default_factory=dict)

    def get(self, file: Path) -> ModuleText | None:
        """Return the text of a file; None if there is none that can be read."""
        text = self.open_texts.get(file)
        if text is None:
            try:
                text = file.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                return None
        known = self._read.get(file)
        if known is None or known[0] != text:
            self._read[file] = known = (text, ModuleText.read(file, text))
        return known[1]

    def module(self, name: str, beside: Path) -> ModuleText | None:
        """Return the file of a module that another file names."""
        for folder in (beside.parent, *self.libraries, LIBRARY):
            text = self.get(folder / f"{name}.tla")
            if text is not None:
                return text
        return None

    def find(self, text: ModuleText, node: Node) -> Declaration | StandardName | None:
        """Return what a name refers to; None if nothing is known of it."""
        if node.parent is not None and node.parent.type in ("extends", "instance"):
            return self._find_module(text, text_of(node))
        module = text.instance_of(node)
        if module is not None:
            return self._find_in(module, text_of(node), text.file, set())
        local = text.find_local(node)
        if local is not None:
            return local
        for name in text.list_extended_modules():
            outer = self._find_in(name, text_of(node), text.file, set())
            if outer is not None:
                return outer
        return None

    def extends(self, file: Path, name: str) -> bool:
        """True if a module has the names of another one, by however many EXTENDS."""
        waiting, seen = [self.get(file)], {name}
        while waiting:
            text = waiting.pop()
            extended = [] if text is None else text.list_extended_modules()
            if name in extended:
                return True
            new = [one for one in extended if one not in seen and one not in BUILT_IN]
            seen.update(new)
            waiting += [self.module(one, file) for one in new]
        return False

    def _find_module(self, text: ModuleText, name: str) -> Declaration | StandardName | None:
        other = self.module(name, text.file) if name not in BUILT_IN else None
        if other is None or not other.modules:
            return StandardName(name, name) if name in BUILT_IN else None
        own = other.modules[0].child_by_field_name("name") or other.modules[0]
        place = other.source.place(own)
        return Declaration(name, "module", other.file, place, place, f"MODULE {name}", True)

    def _find_in(
        self, module: str, name: str, beside: Path, seen: set[str]
    ) -> Declaration | StandardName | None:
        if module in seen:
            return None
        seen.add(module)
        built_in = standard(module)
        if built_in is not None and name in built_in.names:
            return StandardName(name, module)
        text = self.module(module, beside) if built_in is None else None
        if text is None:
            return None
        for one in text.declarations():
            if one.is_top and one.name == name:
                return one
        for other in text.list_extended_modules():
            declaration = self._find_in(other, name, text.file, seen)
            if declaration is not None:
                return declaration
        return None

    def names_of(self, module: str, beside: Path, seen: set[str] | None = None) -> dict[str, str]:
        """Return the names that a module gives to those that extend it, each with its kind."""
        seen = set() if seen is None else seen
        if module in seen:
            return {}
        seen.add(module)
        built_in = standard(module)
        if built_in is not None:
            return dict.fromkeys(built_in.names, f"operator of {module}")
        text = self.module(module, beside)
        if text is None:
            return {}
        names = {one.name: f"{one.kind} of {module}" for one in text.declarations() if one.is_top}
        for other in text.list_extended_modules():
            names = {**self.names_of(other, text.file, seen), **names}
        return names

    def find_references(self, wanted: Declaration) -> Iterator[tuple[Path, Place]]:
        """Yield where a declared name stands: in its file, and in the modules beside it and open ones."""
        files = [wanted.file]
        if wanted.is_top:
            files += sorted(wanted.file.parent.glob("*.tla"))
            files += [file for file in self.open_texts if file.suffix == ".tla"]
        for file in dict.fromkeys(files):
            text = self.get(file)
            for node in text.references() if text is not None else ():
                if text is not None and text_of(node) == wanted.name:
                    declaration = self.find(text, node)
                    if isinstance(declaration, Declaration) and (declaration.file, declaration.place) == (
                        wanted.file,
                        wanted.place,
                    ):
                        yield file, text.source.place(node)
