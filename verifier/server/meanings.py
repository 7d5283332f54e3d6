"""Hashes of what single properties mean: two texts with the same hash of a property give it the same verdict.

A property's hash covers the whole specification, without the definitions that neither its behaviour nor the
property needs. Where it is not known what they need, it covers everything.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from verifier.runs.loaded import Loaded
from verifier.runs.modules.source import TlaSource
from verifier.specs.definition import Definition as Protocol
from verifier.specs.definition import PropertyKind
from verifier.specs.hashing import spec_hash
from verifier.tla import ast
from verifier.tla.ast import Definition, Expression, Symbol
from verifier.tla.errors import Place
from verifier.tla.facts import subexpressions
from verifier.tla.order import text
from verifier.tla.specification import Specification
from verifier.tla.splitting import Formula
from verifier.tla.text import Source, parse_text
from verifier.verdict import OF_STEPS, TEMPORAL_PART

_DEFINITIONS = ("operator_definition", "function_definition")


def hash_meanings(loaded: Loaded, names: Iterable[str]) -> dict[str, str]:
    """Return the hash of each property."""
    if isinstance(loaded.source, TlaSource):
        behaviour = _ModuleMeaning(loaded.source.module.specification, loaded.source.files)
        return {name: behaviour.hash(name) for name in names}
    return {name: _hash_in_protocol(loaded.definition, name) for name in names}


def _hash_in_protocol(definition: Protocol, name: str) -> str:
    own = tuple(one for one in definition.properties if one.name == name)
    lasting = tuple(one for one in definition.temporal if one.name == name)
    reads_all = any(one.kind is PropertyKind.UNDEFINED_READ for one in own)
    if (not own and not lasting) or reads_all or definition.refinements:
        return spec_hash(definition)
    return spec_hash(replace(definition, properties=own, temporal=lasting, lemmas=()))


class _ModuleMeaning:
    """The texts of a module, by the definitions that its behaviour and a property need."""

    def __init__(self, spec: Specification, files: tuple[Path, ...]) -> None:
        self.spec, self.files = spec, files
        self.root = Path(spec.module.file)
        config = spec.config
        single = (config.specification, config.init, config.next, config.view, config.alias, config.periodic)
        listed = (config.constraints, config.action_constraints, config.symmetry, config.postconditions)
        configured = [one.name for one in single if one is not None]
        configured += [one.name for several in (*listed, config.possible) for one in several]
        configured += [one.operator for one in config.constants.values() if one.operator is not None]
        self._roots = [
            *spec.init,
            *filter(None, (spec.next, spec.view, spec.alias, spec.periodic)),
            *spec.fairness,
            *spec.constraints,
            *spec.action_constraints,
            *spec.symmetry,
            *spec.postconditions.values(),
            *spec.possible.values(),
            *(Formula(one.body, spec.module.name) for one in spec.module.assumptions),
            *(self._named(one) for one in configured if one in spec.module.names),
        ]

    def _named(self, name: str) -> Formula:
        """Return a name as a formula. The definition itself is needed, though its parts may be opened."""
        symbol = self.spec.module.names[name]
        assert not isinstance(symbol, ast.Instance)
        place = symbol.place if isinstance(symbol, Definition) else Place(self.spec.module.file, 0, 0)
        return Formula(ast.Apply(symbol, place=place), self.spec.module.name)

    def hash(self, name: str) -> str:
        """Return the hash of a property."""
        plain = name.removesuffix(TEMPORAL_PART).removesuffix(OF_STEPS)
        formulas = list(self._formulas(plain))
        needed = _find_needed(self.spec, [*self._roots, *formulas])
        config = self.spec.config
        about = [
            name,
            repr(self._list_ordered_values()),
            repr({key: text(value, self.spec.evaluator.order) for key, value in self.spec.constants.items()}),
            repr([(key, one.operator) for key, one in config.constants.items()]),
            repr([config.check_deadlock if not formulas else None]),
            repr([one and one.name for one in (config.specification, config.init, config.next, config.view)]),
        ]
        hashed = hashlib.sha256("\0".join(about).encode())
        for file in sorted(set(self.files)):
            if file.suffix == ".tla":
                hashed.update(f"\0{file.name}\0{self._text(file, needed)}".encode())
        return hashed.hexdigest()[:16]

    def _formulas(self, name: str) -> Iterator[Formula]:
        """Yield what the property says. A check that the module does not name says nothing of its own."""
        if name in self.spec.invariants:
            yield self.spec.invariants[name]
        if name in self.spec.properties:
            yield from self.spec.properties[name].parts
        if isinstance(self.spec.module.names.get(name), Definition):  # its parts may be opened already
            yield self._named(name)

    def _list_ordered_values(self) -> list[str]:
        """Return the strings and model values that values are made of, in the order that CHOOSE may see."""
        evaluator = self.spec.evaluator
        texts = "".join(file.read_text(encoding="utf-8") for file in self.files)
        words = list(evaluator.order.ranks)[: evaluator.order.texts]
        return [word for word in words if f'"{word}"' in texts or word in evaluator.model_values]

    def _text(self, file: Path, needed: set[Definition]) -> str:
        """Return the text of a file, without comments and the definitions of the root that are not needed."""
        source = parse_text(file.read_text(encoding="utf-8").replace("\r\n", "\n"), str(file))
        lines = list(source.lines)
        if file == self.root:
            own = self.spec.module.names.values()
            at = {
                one.place.line: one
                for one in own
                if isinstance(one, Definition) and one.place.file == str(file)
            }
            for first, last in _find_rows(source):
                symbol = at.get(first + 1)
                if symbol is not None and symbol not in needed and not (symbol.statement or symbol.recursive):
                    lines[first : last + 1] = [""] * (last + 1 - first)
        return " ".join(" ".join(lines).split())


def _find_rows(source: Source) -> Iterator[tuple[int, int]]:
    """Yield the first and last row of each definition that has its rows for itself."""
    for module in source.tree.root_node.children:
        units = module.children if module.type == "module" else []
        for unit, following in pairwise(units):
            begin, end = unit.start_point.row, following.start_point.row - 1
            before = source.lines[begin][: unit.start_point.column]
            if (
                unit.type in ("operator_definition", "function_definition")
                and end >= begin
                and not before.strip()
            ):
                yield begin, end


def _find_needed(spec: Specification, formulas: Iterable[Formula]) -> set[Definition]:
    """Return the definitions that formulas need, with those that stand in for others."""
    needed: set[Definition] = set()
    waiting: list[tuple[Expression, str]] = [(one.body, one.module) for one in formulas]
    seen: set[tuple[int, str]] = set()
    while waiting:
        whole, module = waiting.pop()
        if (id(whole), module) in seen:
            continue
        seen.add((id(whole), module))
        waiting += [(part, module) for part in subexpressions(whole)[0]]
        if isinstance(whole, ast.Let):
            waiting.append((whole.body, module))
            waiting += [(one.body, module) for one in whole.definitions if one.body is not None]
        for symbol in _symbols(whole):
            for one in (symbol, spec.evaluator.resolve(symbol, module)):
                if isinstance(one, Definition) and one not in needed:
                    needed.add(one)
                    if one.body is not None:
                        waiting.append((one.body, one.module))
    return needed


def _symbols(whole: Expression) -> tuple[Symbol, ...]:
    if isinstance(whole, ast.Apply | ast.OperatorArgument):
        return (whole.operator,)
    return ()
