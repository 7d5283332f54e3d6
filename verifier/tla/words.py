"""The words of a specification in the order in which TLC first meets them: its order of strings.

TLC numbers each word when it first meets it. First come the values of the configuration, then TLC's own
words, then the words of the texts as they are parsed. Last come the strings as the modules are analysed. A
module is parsed when a name first needs it: modules that a module extends come before those that these
extend, and instances after all of them. TLC itself adds a module to those that the root extends.

Source: ``util.UniqueString`` (tlaplus/tlaplus).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from tree_sitter import Node

from verifier.tla.standard import LIBRARY
from verifier.tla.text import Source, text_of

ADDED = "_TLCTrace"
"""The module that TLC adds to those that the root extends."""
FILE = LIBRARY / "words.json"
"""The words that TLC meets in itself and in its modules (``results.generators.tlc_words``)."""
_WORD = re.compile(
    r'(?<!\\)"(?:\\.|[^"\\\n])*"|-{4,}+(?:[ \t]*MODULE)?|\\[A-Za-z]+|<[\d*+]+>[\w.]*|\]_|>>_|(?:WF|SF)_'
    r"|[0-9_]*[A-Za-z]\w*|\d+|_(?=\W)",
    re.ASCII,
)
_NO_WORDS = ('"', "-", "\\", "<", "]", ">")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t", "f": "\f", "r": "\r"}


@dataclass(frozen=True)
class Words:
    """The modules that a module mentions, its words, and its strings."""

    extends: tuple[str, ...] = ()
    instances: tuple[str, ...] = ()
    inner: Mapping[str, Words] = field(default_factory=dict, hash=False)
    words: tuple[str, ...] = ()
    strings: tuple[str, ...] = ()
    """Strings in the order in which expressions are analysed."""


def words_of(source: Source, name: str) -> Words:
    """Return the words of the module of this name in a file."""
    for node in source.tree.root_node.named_children:
        own = node.child_by_field_name("name") if node.type == "module" else None
        if own is not None and text_of(own) == name:
            return _words(source, node)
    return Words()


def _words(source: Source, module: Node) -> Words:
    extends, instances, inner = list[str](), list[str](), dict[str, Words]()
    for unit in module.named_children:
        if unit.type == "extends":
            extends += [text_of(one) for one in unit.named_children if one.type == "identifier_ref"]
        elif unit.type == "module":
            name = unit.child_by_field_name("name")
            inner[text_of(name) if name is not None else ""] = _words(source, unit)
        else:
            instances += [text_of(one.named_children[0]) for one in _instances(unit) if one.named_children]
    text = source.text.encode()[module.start_byte : module.end_byte].decode()
    words = dict.fromkeys(word for word in _WORD.findall(text) if not word.startswith(_NO_WORDS))
    strings = dict.fromkeys(_strings(module))
    return Words(tuple(extends), tuple(dict.fromkeys(instances)), inner, tuple(words), tuple(strings))


def _instances(unit: Node) -> Iterator[Node]:
    if unit.type == "instance":
        yield unit
    elif unit.type in ("local_definition", "module_definition"):
        for one in unit.named_children:
            yield from _instances(one)


def _strings(node: Node) -> Iterator[str]:
    r"""Yield the strings below a node. The bounds of ``{e : x \in S}`` are analysed before ``e``."""
    stack = [node]
    while stack:
        one = stack.pop()
        if one.type == "string":
            yield _ESCAPE.sub(lambda escape: _ESCAPED.get(escape[1], escape[1]), text_of(one)[1:-1])
            continue
        below = one.named_children
        if one.type == "set_map":
            below = sorted(below, key=lambda child: child.type != "quantifier_bound")
        stack += reversed(below)


# -- the order of modules


@dataclass(eq=False)
class _Unit:
    name: str
    words: Words
    around: _Unit | None = None
    bound: dict[str, _Unit] = field(default_factory=dict)
    extended: list[_Unit] = field(default_factory=list)
    instantiated: list[_Unit] = field(default_factory=list)
    inner: list[_Unit] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.inner = [_Unit(name, words, self) for name, words in self.words.inner.items()]

    def resolve(self, name: str) -> _Unit | None:
        """Return the module that a name means here, if it is known already."""
        unit: _Unit | None = self
        while unit is not None:
            resolved = unit.bound.get(name) or next((one for one in unit.inner if one.name == name), None)
            if resolved is not None:
                return resolved
            unit = unit.around
        return None


class _Modules:
    """The modules as TLC finds, parses and analyses them."""

    def __init__(self, root: str, read: Callable[[str], Words]) -> None:
        self.read, self.parsed = read, dict[str, _Unit]()
        words = read(root)
        extends = (*words.extends, ADDED)
        self.root = self._unit(root, Words(extends, words.instances, words.inner, words.words, words.strings))
        while True:
            needed, extending = self._find_unresolved(self.root, set(), extending=True), True
            if needed is None:
                needed, extending = self._find_unresolved(self.root, set(), extending=False), False
            if needed is None:
                break
            self._bind(*needed, extending=extending)

    def _unit(self, name: str, words: Words | None = None) -> _Unit:
        unit = self.parsed.get(name)
        if unit is None:
            self.parsed[name] = unit = _Unit(name, self.read(name) if words is None else words)
        return unit

    def _bind(self, unit: _Unit, name: str, *, extending: bool) -> None:
        other = unit.bound[name] = self._unit(name)
        outermost = unit
        while outermost.around is not None:
            outermost = outermost.around
        (outermost.extended if extending else outermost.instantiated).append(other)
        if extending:  # modules inside it are known to modules that extend it
            for one in other.inner:
                if one.name in (*unit.words.extends, *unit.words.instances):
                    unit.bound.setdefault(one.name, one)

    def _find_unresolved(self, unit: _Unit, seen: set[_Unit], *, extending: bool) -> tuple[_Unit, str] | None:
        if unit in seen:
            return None
        seen.add(unit)
        for name in unit.words.extends if extending else unit.words.instances:
            if unit.resolve(name) is None:
                return unit, name
        named = (*unit.words.extends, *unit.words.instances)
        known = [one for name in named if (one := unit.resolve(name)) is not None]
        for one in (*known, *unit.inner):
            needed = self._find_unresolved(one, seen, extending=extending)
            if needed is not None:
                return needed
        return None

    def analyse(self) -> list[_Unit]:
        """Return the modules in the order in which they are analysed: a module after those that it needs."""
        units: dict[_Unit, None] = {}
        seen: set[_Unit] = set()

        def add(unit: _Unit) -> None:
            if unit in seen:
                return
            seen.add(unit)
            for one in (*unit.extended, *unit.instantiated):
                add(one)
            units[unit] = None

        add(self.root)
        return list(units)


@cache
def _own() -> tuple[tuple[str, ...], Mapping[str, Words], tuple[str, ...]]:
    """Return TLC's own words in three groups. They are the words before it reads, those of its modules, and
    those before it analyses."""
    data = json.loads(FILE.read_text(encoding="utf-8"))
    modules = {
        name: Words(
            tuple(one["extends"]), tuple(one["instances"]), {}, tuple(one["words"]), tuple(one["strings"])
        )
        for name, one in data["modules"].items()
    }
    return tuple(data["first"]), modules, tuple(data["between"])


def in_order(root: str, sources: Mapping[str, Source]) -> Iterator[str]:
    """Yield the words of a specification after those of its configuration, in TLC's order."""
    first, modules, between = _own()

    def read(name: str) -> Words:
        source = sources.get(name)
        if source is None or (source.own and name in modules):
            return modules.get(name, Words())
        return words_of(source, name)

    analysis = _Modules(root, read)
    yield from first
    for unit in analysis.parsed.values():
        yield unit.name
        yield from unit.words.words
    yield from between
    for unit in analysis.analyse():
        yield from unit.words.strings


def as_data(words: Words, known: Sequence[str]) -> dict[str, list[str]]:
    """Return the words as they are stored, without those known before."""
    own = [word for word in words.words if word not in known]
    return {
        "extends": list(words.extends),
        "instances": list(words.instances),
        "words": own,
        "strings": list(words.strings),
    }
