"""The hash of a protocol's meaning. Rows, certificates, traces and expectations name their protocol's hash.

The hash covers the structure of the definition, not any text that shows it. The form that is hashed has the
kind and the length of each part, so two different definitions have different forms. It contains operators,
sorts with all of their fields, and literals with their types. A bound variable is identified by its binder,
not by its name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from verifier.encodings.concrete import Concrete, Element, FrozenMap, Tagged
from verifier.encodings.sorts import Sort
from verifier.encodings.terms import Symbol, Term
from verifier.errors import UsageError

if TYPE_CHECKING:
    from verifier.specs.meaning import Action, Meaning, Parameter
    from verifier.specs.ranking import Helpful, RankingArgument
    from verifier.specs.temporal import Fairness, FairnessVariant, TemporalFormula

VERSION = 1
"""Part of every hash. Raise it when this module changes the form of definitions.

Raise it also when an operator or a sort gets another meaning (``verifier.encodings``), because older records
then answer another question.
"""

_LENGTH = 16
"""The number of hexadecimal digits of a hash."""


_NOTHING = b"none"


class NoCanonicalForm(UsageError):
    """A part of a definition has no form to hash. A guessed form could give two protocols the same hash."""


def spec_hash(definition: Meaning) -> str:
    """The hash of everything on which the answers of the engines depend.

    It does not cover descriptions, the drawing, the names of bound variables, and which properties are
    checked by default.
    """
    return _Writer(definition).definition(definition).hex()[:_LENGTH]


def meanings(definition: Meaning) -> Callable[[Action], tuple[frozenset[bytes], frozenset[bytes]]]:
    """The demands and assignments of an action, as sets of forms: two actions with the same
    forms have the same steps, whatever they and their parameters are called."""
    writer = _Writer(definition)
    alive: list[Action] = []  # the writer knows terms by their ids

    def forms(action: Action) -> tuple[frozenset[bytes], frozenset[bytes]]:
        alive.append(action)
        used = [p.symbol for p in action.parameters if any(p.symbol in term.free for term in _terms(action))]
        levels = {symbol: level for level, symbol in enumerate(used)}

        def form(term: Term) -> bytes:
            return writer.term(term, levels, len(used))

        assigned = (_pack(form(target), form(value)) for target, value in action.then)
        return frozenset(map(form, action.when)), frozenset(assigned)

    return forms


def _terms(action: Action) -> Iterator[Term]:
    yield from action.when
    for assignment in action.then:
        yield from assignment


def value_form(value: Concrete) -> bytes:
    """The form of a concrete value with its type. Two values have the same form only if they are equal.

    Raises NoCanonicalForm if no sort has such a value.
    """
    match value:
        case None:
            return _NOTHING
        case bool():  # before int, because bool is a subclass of int
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
        case Tagged():
            return _pack(b"tagged", _text(value.tag), value_form(value.payload))
        case frozenset():
            return _pack(b"set", *sorted(map(value_form, value)))
        case FrozenMap():
            return _pack(b"map", *sorted(_pack(value_form(k), value_form(v)) for k, v in value.items()))
    raise NoCanonicalForm(
        f"the value {value!r} of type {type(value).__name__} cannot be part of a spec hash: values are None, "
        f"booleans, integers, texts, elements, tuples, frozen sets, FrozenMaps, Tagged; extend "
        f"value_form in {__name__}"
    )


def _pack(*parts: bytes) -> bytes:
    """The parts one after the other, each after its length."""
    return b"".join(b"%d:%b" % (len(part), part) for part in parts)


def _digest(*parts: bytes) -> bytes:
    return hashlib.sha256(_pack(*parts)).digest()


def _text(words: str) -> bytes:
    return str.__str__(words).encode("utf-8", "surrogatepass")


def _reading(parameter: Parameter) -> bytes:
    """The protocol's own reading of it, not how an engine reads what is left open."""
    if parameter.left_open:
        return b"free or expanded"
    return b"free" if parameter.free else b"expanded"


class _Writer:
    """Digests of the parts of one definition.

    It makes one digest for each sort, and one for each term with each meaning of its variables. It identifies
    terms and sorts by ``id``; the definition keeps them alive. (Sorts can be equal and yet differ in a field
    that the comparison ignores.)
    """

    def __init__(self, definition: Meaning) -> None:
        self._state = {
            symbol: _pack(str(place).encode(), _text(symbol.name))
            for place, symbol in enumerate((*definition.variables, *definition.successor))
        }
        self._state_symbols = frozenset(self._state)
        self._sorts: dict[int, bytes] = {}
        self._heads: dict[tuple[str, int], bytes] = {}
        self._bound: dict[int, tuple[Symbol, ...]] = {}
        self._terms: dict[tuple[int, tuple[int, ...]], bytes] = {}

    def definition(self, definition: Meaning) -> bytes:
        bound = definition.constraint
        properties = (
            (_text(p.name), _text(p.kind), self.write_closed(p.formula)) for p in definition.properties
        )
        return _digest(
            _pack(b"version", str(VERSION).encode()),
            _pack(b"name", _text(definition.name)),
            _pack(b"constants", *_constants(definition.constants)),
            _pack(b"variables", *(_pack(_text(s.name), self.sort(s.sort)) for s in definition.variables)),
            _pack(b"init", self.write_closed(definition.init)),
            _pack(b"actions", *map(self.action, definition.actions)),
            _pack(b"properties", *(_pack(*parts) for parts in properties)),
            _pack(b"constraint", *(() if bound is None else (self.write_closed(bound),))),
            _pack(
                b"lemmas", *(_pack(_text(x.name), self.write_closed(x.formula)) for x in definition.lemmas)
            ),
            *self._liveness(definition),
        )

    def _liveness(self, definition: Meaning) -> Iterator[bytes]:
        """Temporal properties and fairness. A definition without them has the form that it had before."""
        if definition.temporal:
            forms = (_pack(_text(p.name), self.temporal(p.formula, {}, 0)) for p in definition.temporal)
            yield _pack(b"temporal", *forms)
        if definition.fairness:
            yield _pack(b"fairness", *(_variant(variant) for variant in definition.fairness))
        if definition.rankings:
            yield _pack(b"rankings", *map(self.ranking, definition.rankings))

    def ranking(self, found: RankingArgument) -> bytes:
        """A ranking."""
        measures = (_pack(*map(self.write_closed, measure)) for measure in found.measures)
        helpful = (_pack(_condition(one.condition), self._helpful(one)) for one in found.helpful)
        return _pack(_text(found.property_name), _pack(*measures), _pack(*helpful))

    def _helpful(self, one: Helpful) -> bytes:
        levels = {symbol: level for level, symbol in enumerate(one.parameters)}
        return self.term(one.when, levels, len(one.parameters))

    def temporal(self, formula: TemporalFormula, levels: Mapping[Symbol, int], depth: int) -> bytes:
        """A temporal formula under ``depth`` binders."""
        binds = b"" if formula.binds is None else self.sort(formula.binds.sort)
        if formula.binds is not None:
            levels, depth = {**levels, formula.binds: depth}, depth + 1
        return _digest(
            _text(formula.operator),
            binds,
            _pack(*(self.term(term, levels, depth) for term in formula.terms)),
            _pack(*(self.temporal(part, levels, depth) for part in formula.parts)),
            *(() if formula.condition is None else (_condition(formula.condition),)),
        )

    def action(self, action: Action) -> bytes:
        """An action. Its parameters bind like quantifiers around it. Their names count: traces use them."""
        symbols = [parameter.symbol for parameter in action.parameters]
        levels = {symbol: level for level, symbol in enumerate(symbols)}
        depth = len(symbols)

        def terms(these: Iterable[Term]) -> bytes:
            return _pack(*(self.term(term, levels, depth) for term in these))

        parameters = (
            _pack(_text(p.symbol.name), self.sort(p.symbol.sort), _reading(p)) for p in action.parameters
        )
        return _digest(
            _text(action.name),
            _pack(*parameters),
            terms(action.when),
            _pack(*(terms(assignment) for assignment in action.then)),
        )

    def write_closed(self, term: Term) -> bytes:
        """A formula over the state variables only."""
        return self.term(term, {}, 0)

    def term(self, term: Term, levels: Mapping[Symbol, int], depth: int) -> bytes:
        """A term under ``depth`` binders. ``levels`` has the place of each bound variable's binder.

        The form of a bound variable is the number of binders between it and its own binder (de Bruijn). If
        two places give the same numbers for all bound variables of a term, its form is the same in both.
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
        result = self._terms.get(key)
        if result is None:
            result = self._terms[key] = self._node(term, levels, depth)
        return result

    def _node(self, term: Term, levels: Mapping[Symbol, int], depth: int) -> bytes:
        head = self._head(term, levels, depth)
        if term.binds is not None:
            levels, depth = {**levels, term.binds: depth}, depth + 1
        arguments = [self.term(argument, levels, depth) for argument in term.arguments]
        return hashlib.sha256(b"".join((head, *arguments))).digest()  # all digests have the same length

    def _head(self, term: Term, levels: Mapping[Symbol, int], depth: int) -> bytes:
        """The form of a term without its arguments."""
        if term.data is None and term.binds is None:
            shape = (term.operator, id(term.sort))
            head = self._heads.get(shape)
            if head is None:
                head = self._heads[shape] = self._write_term(term, _NOTHING)
            return head
        if not isinstance(term.data, Symbol):
            return self._write_term(term, value_form(term.data))
        level = levels.get(term.data)
        if level is None:
            which = _pack(b"state", self._state[term.data])
        else:
            which = _pack(b"bound", str(depth - level).encode())
        return self._write_term(term, which, self.sort(term.data.sort))

    def _write_term(self, term: Term, *data: bytes) -> bytes:
        binds = b"" if term.binds is None else self.sort(term.binds.sort)
        return _pack(_pack(_text(term.operator), _pack(*data), self.sort(term.sort), binds))

    def sort(self, sort: Sort) -> bytes:
        """A sort: its class and all of its fields, also those that the comparison of sorts ignores."""
        digest = self._sorts.get(id(sort))
        if digest is None:
            parts = (
                _pack(_text(field.name), self._content(getattr(sort, field.name)))
                for field in fields(sort)  # type: ignore[arg-type]
            )
            digest = self._sorts[id(sort)] = _digest(_text(type(sort).__name__), *parts)
        return digest

    def _content(self, content: Any) -> bytes:
        if isinstance(content, Sort):
            return _pack(b"sort", self.sort(content))
        if isinstance(content, tuple):
            return _pack(b"parts", *map(self._content, content))
        return _pack(b"value", value_form(content))


def _variant(variant: FairnessVariant) -> bytes:
    return _pack(_text(variant.name), *map(_condition, variant.conditions))


def _condition(one: Fairness) -> bytes:
    steps = (_pack(_text(taken.action), _write_given(taken.given)) for taken in one.steps or ())
    return _pack(
        _text(one.strength),
        _pack(*map(_text, one.actions)),
        _pack(*map(_text, one.each)),
        _write_given(one.given),
        *(() if one.steps is None else (_pack(*steps),)),
    )


def _write_given(values: Iterable[tuple[str, Concrete]]) -> bytes:
    return _pack(*(_pack(_text(name), value_form(value)) for name, value in values))


def _constants(constants: Mapping[str, Hashable]) -> list[bytes]:
    return sorted(_pack(_text(name), value_form(value)) for name, value in constants.items())
