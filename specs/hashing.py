"""The hash of a protocol's meaning: what rows, certificates, traces and expectations are recorded for.

It is taken of the definition's structure, never of how that is shown. Each part is written with its kind and
its length, so that no two definitions are written alike: operators, sorts with all that they hold, literals
with their types, bound variables by the binder that they belong to, and not by their names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from verifier.encodings.concrete import Concrete, Element, FrozenMap
from verifier.encodings.sorts import Sort
from verifier.encodings.terms import Symbol, Term
from verifier.errors import UsageError

if TYPE_CHECKING:
    from verifier.specs.definition import Action, Definition

VERSION = 1
"""Part of every hash. Raise it when definitions are written otherwise here, and also when an operator or a
sort gets another meaning (``verifier.encodings``): what was recorded before then answers another question."""

_LENGTH = 16
"""Hexadecimal digits that are kept."""


_NOTHING = b"none"


class NoCanonicalForm(UsageError):
    """A definition holds something that has no form to hash; guessing one could make two protocols alike."""


def spec_hash(definition: Definition) -> str:
    """The hash of all that decides what engines answer about the definition.

    Not covered is what only readers see: descriptions, the drawing, names of bound variables, and which
    properties are checked by default.
    """
    return _Writer(definition).definition(definition).hex()[:_LENGTH]


def value_form(value: Concrete) -> bytes:
    """A concrete value with its type; values are written alike exactly if they are the same.

    Raises NoCanonicalForm for what no sort has.
    """
    match value:
        case None:
            return _NOTHING
        case bool():  # before int, of which it is a kind
            return b"true" if value else b"false"
        case int():
            return _pack(b"integer", str(int(value)).encode())
        case str():
            return _pack(b"text", _text(value))
        case tuple():
            return _pack(b"sequence", *map(value_form, value))
        case Element():
            parts = (value.kind, value.count, value.prefix, value.number)
            return _pack(b"element", *map(value_form, parts))
        case frozenset():
            return _pack(b"set", *sorted(map(value_form, value)))
        case FrozenMap():
            return _pack(b"map", *sorted(_pack(value_form(k), value_form(v)) for k, v in value.items()))
    raise NoCanonicalForm(
        f"the value {value!r} of type {type(value).__name__} cannot be part of a spec hash: values are None, "
        f"booleans, integers, texts, elements, tuples, frozen sets, FrozenMaps; extend "
        f"value_form in {__name__}"
    )


def _pack(*parts: bytes) -> bytes:
    """The parts in a row, told apart by their lengths."""
    return b"".join(b"%d:%b" % (len(part), part) for part in parts)


def _digest(*parts: bytes) -> bytes:
    return hashlib.sha256(_pack(*parts)).digest()


def _text(words: str) -> bytes:
    return str(words).encode("utf-8", "surrogatepass")


class _Writer:
    """Digests of one definition's parts, each sort once, and each term once per meaning of its variables.

    Terms and sorts are known by their identity: the definition keeps them alive. (Sorts that compare equal
    may differ in what the comparison leaves out.)
    """

    def __init__(self, definition: Definition) -> None:
        self._state = {
            symbol: _pack(str(place).encode(), _text(symbol.name))
            for place, symbol in enumerate(definition.variables)
        }
        self._state_symbols = frozenset(self._state)
        self._sorts: dict[int, bytes] = {}
        self._heads: dict[tuple[str, int], bytes] = {}
        self._bound: dict[int, tuple[Symbol, ...]] = {}
        self._terms: dict[tuple[int, tuple[int, ...]], bytes] = {}

    def definition(self, definition: Definition) -> bytes:
        bound = definition.constraint
        properties = ((_text(p.name), _text(p.kind), self.closed(p.formula)) for p in definition.properties)
        return _digest(
            _pack(b"version", str(VERSION).encode()),
            _pack(b"name", _text(definition.name)),
            _pack(b"constants", *_constants(definition.constants)),
            _pack(b"variables", *(_pack(_text(s.name), self.sort(s.sort)) for s in definition.variables)),
            _pack(b"init", self.closed(definition.init)),
            _pack(b"actions", *map(self.action, definition.actions)),
            _pack(b"properties", *(_pack(*parts) for parts in properties)),
            _pack(b"constraint", *(() if bound is None else (self.closed(bound),))),
            _pack(b"lemmas", *(_pack(_text(x.name), self.closed(x.formula)) for x in definition.lemmas)),
        )

    def action(self, action: Action) -> bytes:
        """An action: its parameters, which traces name, bind like quantifiers around it."""
        symbols = [parameter.symbol for parameter in action.parameters]
        levels = {symbol: level for level, symbol in enumerate(symbols)}
        depth = len(symbols)

        def terms(these: Iterable[Term]) -> bytes:
            return _pack(*(self.term(term, levels, depth) for term in these))

        parameters = (
            _pack(_text(p.symbol.name), self.sort(p.symbol.sort), b"free" if p.free else b"expanded")
            for p in action.parameters
        )
        return _digest(
            _text(action.name),
            _pack(*parameters),
            terms(action.when),
            _pack(*(terms(assignment) for assignment in action.then)),
        )

    def closed(self, term: Term) -> bytes:
        """A formula over the state variables only."""
        return self.term(term, {}, 0)

    def term(self, term: Term, levels: Mapping[Symbol, int], depth: int) -> bytes:
        """A term under ``depth`` binders, of which ``levels`` says the place of each variable's.

        A bound variable counts the binders between its own and itself (de Bruijn). What a term says is the
        same wherever these counts are, for all bound variables in it.
        """
        bound = self._bound.get(id(term))
        if bound is None:
            bound = self._bound[id(term)] = tuple(term.free - self._state_symbols)
        try:
            key = (id(term), tuple([depth - levels[symbol] for symbol in bound]))
        except KeyError as error:
            (symbol,) = error.args
            raise NoCanonicalForm(
                f"the variable {symbol.name!r} belongs to no state, action or quantifier around it"
            ) from error
        found = self._terms.get(key)
        if found is None:
            found = self._terms[key] = self._node(term, levels, depth)
        return found

    def _node(self, term: Term, levels: Mapping[Symbol, int], depth: int) -> bytes:
        head = self._head(term, levels, depth)
        if term.binds is not None:
            levels, depth = {**levels, term.binds: depth}, depth + 1
        arguments = [self.term(argument, levels, depth) for argument in term.arguments]
        return hashlib.sha256(b"".join((head, *arguments))).digest()  # digests are of one length

    def _head(self, term: Term, levels: Mapping[Symbol, int], depth: int) -> bytes:
        """All of a node but its arguments."""
        if term.data is None and term.binds is None:
            shape = (term.operator, id(term.sort))
            found = self._heads.get(shape)
            if found is None:
                found = self._heads[shape] = self._written(term, _NOTHING)
            return found
        if not isinstance(term.data, Symbol):
            return self._written(term, value_form(term.data))
        level = levels.get(term.data)
        if level is None:
            which = _pack(b"state", self._state[term.data])
        else:
            which = _pack(b"bound", str(depth - level).encode())
        return self._written(term, which, self.sort(term.data.sort))

    def _written(self, term: Term, *data: bytes) -> bytes:
        binds = b"" if term.binds is None else self.sort(term.binds.sort)
        return _pack(_pack(_text(term.operator), _pack(*data), self.sort(term.sort), binds))

    def sort(self, sort: Sort) -> bytes:
        """A sort: its class and all its fields, also those that comparing sorts leaves out."""
        found = self._sorts.get(id(sort))
        if found is None:
            parts = (
                _pack(_text(field.name), self._content(getattr(sort, field.name)))
                for field in fields(sort)  # type: ignore[arg-type]
            )
            found = self._sorts[id(sort)] = _digest(_text(type(sort).__name__), *parts)
        return found

    def _content(self, content: Any) -> bytes:
        if isinstance(content, Sort):
            return _pack(b"sort", self.sort(content))
        if isinstance(content, tuple):
            return _pack(b"parts", *map(self._content, content))
        return _pack(b"value", value_form(content))


def _constants(constants: Mapping[str, Hashable]) -> list[bytes]:
    return sorted(_pack(_text(name), value_form(value)) for name, value in constants.items())
