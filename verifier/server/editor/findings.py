"""Errors and warnings in the texts of an editor: modules, configurations, Python protocols and manifests.

Opening a Python file does not run it. It is run once it is saved, if the editor is told to.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from verifier.errors import UsageError
from verifier.processes.limits import Interrupted
from verifier.processes.stacks import make_room_for_recursion
from verifier.runs.modules.loading import evaluate_or_refuse
from verifier.server.problems import drop_place, find_place
from verifier.specs.definition import DefinitionError
from verifier.tla.config import Config, parse_config
from verifier.tla.errors import Place, TlaError
from verifier.tla.levels import check_levels
from verifier.tla.loading import read_module
from verifier.tla.naming import actions
from verifier.tla.specification import specify

MANIFEST = "verify.toml"
_CELLS = re.compile(r"^\s*\[\[cell\]\]", re.MULTILINE)
_PLACE_OF_TOML = re.compile(r"\(at line (\d+), column (\d+)\)")
_CELL = re.compile(r"cell '?([^',:]+)'?")


@dataclass(frozen=True)
class Finding:
    """An error or a warning, with its place in a file."""

    file: Path
    place: Place
    words: str
    is_warning: bool = False


@dataclass(frozen=True)
class Findings:
    """The result of looking at a file, and what can be asked of it."""

    problems: tuple[Finding, ...] = ()
    properties: tuple[str, ...] = ()
    """The names of the properties that the configuration checks."""
    actions: tuple[str, ...] = ()


def find_in_module(file: Path, texts: Mapping[Path, str], libraries: Sequence[Path] = ()) -> Findings:
    """Look at a module, and at its configuration if there is one beside it."""
    make_room_for_recursion()
    try:
        module, library = read_module(file, libraries, texts)
        check_levels(module)
        warnings = library.warnings()
        config = _read_config(file.with_suffix(".cfg"), texts)
        if config is None:
            return Findings(tuple(_as_warnings(file, warnings)))
        spec = evaluate_or_refuse(lambda: specify(module, config, {}, library.words))
    except TlaError as error:
        return Findings((Finding(Path(error.place.file), error.place, error.words),))
    except UsageError as error:
        return Findings((_without_place(file, str(error)),))
    except RecursionError:
        return Findings((Finding(file, Place(str(file), 1, 1), "it is nested too deep to be read"),))
    names = tuple(dict.fromkeys(name.partition("(")[0] for name in actions(spec)))
    problems = tuple(_as_warnings(file, [*warnings, *spec.warnings]))
    return Findings(problems, (*spec.invariants, *spec.properties), names)


def _read_config(path: Path, texts: Mapping[Path, str]) -> Config | None:
    text = texts.get(path)
    if text is None:
        if not path.is_file():
            return None
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    return parse_config(text, str(path))


def _without_place(file: Path, words: str) -> Finding:
    place = find_place(words)
    if place is None:
        return Finding(file, Place(str(file), 1, 1), words)
    return Finding(Path(place.file), place, drop_place(words))


def _as_warnings(file: Path, warnings: list[str]) -> Iterator[Finding]:
    for words in dict.fromkeys(warnings):
        plain = words.removeprefix("warning: ")
        one = _without_place(file, plain)
        yield Finding(one.file, one.place, one.words, is_warning=True)


def find_in_config(file: Path, texts: Mapping[Path, str], libraries: Sequence[Path] = ()) -> Findings:
    """Look at a configuration, with its module if that stands beside it."""
    module = file.with_suffix(".tla")
    if module in texts or module.is_file():
        return find_in_module(module, texts, libraries)
    try:
        _read_config(file, texts)
    except TlaError as error:
        return Findings((Finding(file, error.place, error.words),))
    return Findings()


def find_in_python(file: Path, text: str, *, run: bool) -> Findings:
    """Look at a Python file. ``run``: run it as a protocol, as it is saved, if it seems to be one."""
    try:
        tree = ast.parse(text, str(file))
    except SyntaxError as error:
        place = Place(str(file), error.lineno or 1, error.offset or 1)
        return Findings((Finding(file, place, f"Python cannot read this: {error.msg}"),))
    if not run or not defines_protocol(tree):
        return Findings()
    from verifier.runs.protocol_loading import load_protocol

    try:
        load_protocol(str(file), {})
    except (UsageError, DefinitionError) as error:
        return Findings((_without_place(file, " ".join(str(error).split())),))
    except Interrupted:
        return Findings()
    return Findings()


def defines_protocol(tree: ast.Module) -> bool:
    """True if a class of a file derives from ``Protocol`` by that name."""
    return any(
        isinstance(base, ast.Name | ast.Attribute) and ast.unparse(base).rpartition(".")[2] == "Protocol"
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        for base in node.bases
    )


def is_manifest(file: Path, text: str) -> bool:
    """True if a TOML file is a manifest of ``verify ci``."""
    return file.name == MANIFEST or _CELLS.search(text) is not None


def find_in_manifest(file: Path, text: str) -> Findings:
    """Look at a manifest, as it is saved."""
    from verifier.ci.manifest import read_manifest

    try:
        read_manifest(file)
    except UsageError as error:
        return Findings((Finding(file, _place_in_manifest(file, text, str(error)), str(error)),))
    return Findings()


def _place_in_manifest(file: Path, text: str, words: str) -> Place:
    """Return the place of an error: by TOML's words, or the line of the cell that it names."""
    match = _PLACE_OF_TOML.search(words)
    if match is not None:
        return Place(str(file), int(match[1]), int(match[2]))
    cell = _CELL.search(words)
    if cell is not None:
        for number, line in enumerate(text.splitlines(), 1):
            if re.match(rf"\s*id\s*=\s*['\"]{re.escape(cell[1])}['\"]", line):
                return Place(str(file), number, 1)
    return Place(str(file), 1, 1)


def look_at(
    file: Path,
    text: str,
    texts: Mapping[Path, str],
    libraries: Sequence[Path],
    *,
    run_python: bool,
) -> Findings:
    """Look at a file by its kind."""
    match file.suffix:
        case ".tla":
            return find_in_module(file, texts, libraries)
        case ".cfg":
            return find_in_config(file, texts, libraries)
        case ".py":
            return find_in_python(file, text, run=run_python)
        case ".toml" if is_manifest(file, text):
            return find_in_manifest(file, text)
    return Findings()
