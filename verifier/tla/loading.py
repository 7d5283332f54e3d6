"""The search for modules: built-in ones, the file's folder, the given folders, and this program's library."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from verifier.errors import nearest
from verifier.tla.ast import Module
from verifier.tla.contexts import Context
from verifier.tla.errors import Place, TlaError
from verifier.tla.modules import module_of
from verifier.tla.pluscal import changes, explain_missing_translation
from verifier.tla.standard import BUILT_IN, LIBRARY, PARTIAL, standard
from verifier.tla.text import Source, parse, parse_text, text_of
from verifier.tla.words import in_order


@dataclass
class Library:
    """The folders in which modules are searched, and the modules found."""

    folders: tuple[Path, ...]
    shown: str = ""
    """The name of a file's folder in errors, with a slash; empty for the folder itself."""
    sources: dict[str, Source] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)
    """The files read, without those of this program's own library."""
    untranslated: str = ""
    """The warning about the root's PlusCal if it has no translation."""
    texts: Mapping[Path, str] = field(default_factory=dict)
    """The texts of files that an editor has open, which are read in place of the files."""
    words: tuple[str, ...] = ()
    """The words of all modules in the order in which TLC first meets them: TLC's order of strings."""

    def standard(self, name: str) -> Module | None:
        """Return a built-in module; None if another one of its name stands beside the specification."""
        file = standard(name)
        return None if file is not None and self._has_another(name, file.names) else file

    def _has_another(self, name: str, operators: Container[str]) -> bool:
        """True if a file beside the specification has the name, and none of the operators: no copy of it."""
        if not (self.folders[0] / f"{name}.tla").is_file():
            return False
        root = self.source(name, Place(name, 0, 0)).tree.root_node
        modules = [node for node in root.named_children if node.type == "module"]
        named = [unit.child_by_field_name("name") for module in modules for unit in module.named_children]
        defined = [text_of(one) for one in named if one is not None]
        return bool(defined) and not any(one in operators for one in defined)

    def source(self, name: str, place: Place) -> Source:
        """Return the text of a module. Raises TlaError if there is none."""
        if name not in self.sources:
            self.keep(name, self._read(name, place))
        return self.sources[name]

    def keep(self, name: str, source: Source) -> None:
        """Store a file under the module for which it was read, and under the other modules in it."""
        self.sources[name] = source
        for node in source.tree.root_node.named_children:
            own = node.child_by_field_name("name") if node.type == "module" else None
            if own is not None:
                self.sources.setdefault(text_of(own), source)

    def parse(self, path: Path) -> Source:
        """Parse a file, or the text that is open in its place. Raises TlaError."""
        text = self.texts.get(path)
        if text is None:
            return parse(path, str(path))
        written = text.replace("\r\n", "\n")
        return replace(parse_text(written, str(path)), written=written)

    def warnings(self) -> list[str]:
        """Return warnings about texts that readers may misunderstand."""
        files = {source.file: source for source in self.sources.values()}
        warnings = [self.untranslated] if self.untranslated else []
        for file, source in files.items():
            warnings += [f"{file}: {words}" for words in changes(source.written, Path(file).stem)]
        return [f"warning: {words}" for words in warnings]

    @contextmanager
    def hinting(self) -> Iterator[None]:
        """Add to errors how PlusCal is translated, if it is not. The names that an algorithm declares are
        those of its translation."""
        try:
            yield
        except TlaError as error:
            if not self.untranslated:
                raise
            raise TlaError(error.place, f"{error.words}; {self.untranslated}") from None

    def _read(self, name: str, place: Place) -> Source:
        # Of this program's own modules some operators are faster than their text elsewhere, or can be
        # evaluated
        # at all; what stands beside the specification was put there on purpose.
        own = LIBRARY / f"{name}.tla"
        for folder in self.folders[:1] if own.is_file() else self.folders:
            path = folder / f"{name}.tla"
            if path in self.texts or path.is_file():
                self.files.append(path)
                return self.parse(path)
        if own.is_file():
            return replace(parse(own, f"{name}.tla (of verify)"), own=True)
        if name in PARTIAL:
            return parse_text(f"---- MODULE {name} ----\n====\n", f"{name}.tla (empty)")
        beside = [path.stem for folder in (*self.folders, LIBRARY) for path in folder.glob("*.tla")]
        near = nearest(name, [*beside, *BUILT_IN])
        hint = f"; did you mean {near}?" if near else ""
        folders = ", ".join(str(folder) for folder in self.folders)
        words = f"there is no module {name} in {folders}: name its folder with --library{hint}"
        raise TlaError(place, words)


def read_module(
    path: Path, libraries: Sequence[Path] = (), texts: Mapping[Path, str] | None = None
) -> tuple[Module, Library]:
    """Read the module of a file, with all modules that it needs. Raises TlaError. ``texts``: texts that are
    read in place of files."""
    library = Library((path.parent, *libraries), texts=texts or {})
    root = library.parse(path)
    library.keep(path.stem, root)
    library.untranslated = explain_missing_translation(root.written, path.stem)
    library.files.append(path)
    context = Context(library)
    with library.hinting():
        module = module_of(context, path.stem, Place(str(path), 0, 0))
    library.words = tuple(in_order(path.stem, library.sources))
    return module, library
