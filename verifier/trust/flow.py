"""The flow of data in an execution: for each value that a step assigns, the parts of the state it comes from.

Only what decides a value counts: of a choice the branch taken, of a maximum the greatest argument. A
parameter comes from what the action compares it with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from verifier.encodings.concrete import Concrete, show
from verifier.encodings.lowering import Bindings
from verifier.encodings.sorts import Boolean
from verifier.encodings.terms import Operator, Symbol, Term, conjuncts
from verifier.specs.definition import Action, Definition
from verifier.trust.concrete_reading import ConcreteReading
from verifier.trust.trace import ActionTaken

if TYPE_CHECKING:
    from verifier.encodings.sorts import Sort

_MOST_READS = 24
"""A value that comes from more parts of the state comes from everywhere: its flow says nothing."""
_MOST_ELEMENTS = 64
"""The most elements of a sort over which a quantifier or a function is followed."""
_ABOUT = (Operator.GET, Operator.IS_NONE, Operator.AT, Operator.LENGTH, Operator.CARDINALITY)
_EXTREMES = (Operator.MAXIMUM, Operator.MINIMUM)


@dataclass(frozen=True)
class Flow:
    """A part of the state that a step changes, and the parts of the state before it that gave the value."""

    target: str
    reads: tuple[str, ...]


def flows(definition: Definition, state: Mapping[str, Concrete], taken: ActionTaken) -> list[Flow]:
    """Return where the values come from that an action gives, by the paths that traces and reports show."""
    action = next((one for one in definition.actions if one.name == taken.name), None)
    if action is None:
        return []
    bindings = {p.symbol: taken.parameters[p.symbol.name] for p in action.parameters}
    follow = _Following(ConcreteReading(state), action)
    flows: dict[str, Flow] = {}
    for target, value in action.then:
        for one in follow.follow_assignment(target, value, bindings):
            flows[one.target] = one
    return list(flows.values())


@dataclass(frozen=True)
class _Following:
    reading: ConcreteReading
    action: Action

    def follow_assignment(
        self, target: Term, value: Term, bindings: Bindings, conditions: tuple[str, ...] = ()
    ) -> Iterator[Flow]:
        """Yield the flows of an assignment: of a function for each key, of a record for each field."""
        match value.operator:
            case Operator.IF:
                condition, then, otherwise = value.arguments
                chosen = then if self.reading.holds(condition, bindings) else otherwise
                around = (*conditions, *self.reads(condition, bindings))
                yield from self.follow_assignment(target, chosen, bindings, around)
            case Operator.FUNCTION if value.binds is not None and _is_small(value.binds.sort):
                (body,) = value.arguments
                key = Term(Operator.VARIABLE, value.binds.sort, data=value.binds)
                part = Term(Operator.APPLY, body.sort, (target, key))
                for element in value.binds.sort.each():
                    yield from self.follow_assignment(
                        part, body, {**bindings, value.binds: element}, conditions
                    )
            case Operator.FUNCTION_UPDATE:
                base, key, new = value.arguments
                yield from self.follow_assignment(target, base, bindings, conditions)
                yield from self.follow_assignment(
                    Term(Operator.APPLY, new.sort, (target, key)), new, bindings, conditions
                )
            case _:
                if self.reading.value(target, bindings) == self.reading.value(value, bindings):
                    return
                path = self._path(target, bindings)
                names = dict.fromkeys(
                    [*conditions, *self._sources(value, bindings), *self._keys(target, bindings)]
                )
                if path is not None and 0 < len(names) <= _MOST_READS:
                    yield Flow(path, tuple(names))

    def _sources(self, value: Term, bindings: Bindings) -> Iterator[str]:
        """Yield the parts that a value is made of, and those that its parameters come from."""
        yield from self.reads(value, bindings)
        for symbol in dict.fromkeys(self._find_parameters(value, bindings)):
            yield from self._origins(symbol, bindings)

    def _find_parameters(self, value: Term, bindings: Bindings) -> Iterator[Symbol]:
        """Yield the parameters that a value is made of, but not those that say where it is read."""
        if isinstance(value.data, Symbol) and value.data in bindings:
            yield value.data
        elif not _is_path(value, bindings):
            for one in value.arguments:
                yield from self._find_parameters(one, bindings)

    def _origins(self, parameter: Symbol, bindings: Bindings) -> Iterator[str]:
        """Yield the parts with which an action compares a parameter; else those that it looks up with it."""
        lines = [part for line in self.action.when for part in conjuncts(line) if parameter in part.free]
        equal = (line.arguments for line in lines if line.operator in (Operator.EQUAL, Operator.CONTAINS))
        others = [
            other
            for sides in equal
            for one, other in (sides, sides[::-1])
            if _plain(one).data == parameter and parameter not in other.free
        ]
        for term in others or (term for line in lines for term in _find_lookups(line, parameter, bindings)):
            yield from self.reads(term, bindings)

    def _keys(self, target: Term, bindings: Bindings) -> Iterator[str]:
        """Yield the parts that say where a value is put."""
        while target.operator in (Operator.APPLY, Operator.FIELD):
            if target.operator is Operator.APPLY:
                yield from self.reads(target.arguments[1], bindings)
            target = target.arguments[0]

    def reads(self, term: Term, bindings: Bindings) -> Iterator[str]:
        """Yield the paths of the parts of the state that decide the value of a term."""
        path = self._path(term, bindings)
        if path is not None:
            yield path
            return
        match term.operator:
            case Operator.IF:
                condition, then, otherwise = term.arguments
                yield from self.reads(condition, bindings)
                yield from self.reads(
                    then if self.reading.holds(condition, bindings) else otherwise, bindings
                )
            case operator if operator in _EXTREMES:
                extreme = self.reading.value(term, bindings)
                for one in term.arguments:
                    if self.reading.value(one, bindings) == extreme:
                        yield from self.reads(one, bindings)
            case _ if term.binds is not None:
                if _is_small(term.binds.sort):
                    for value in term.binds.sort.each():
                        yield from self._within(term.arguments, {**bindings, term.binds: value})
            case _:
                yield from self._within(term.arguments, bindings)

    def _within(self, terms: Iterable[Term], bindings: Bindings) -> Iterator[str]:
        """Yield the reads of terms in order, up to a condition that is false: the others do not count."""
        for one in terms:
            yield from islice(self.reads(one, bindings), _MOST_READS + 1)
            if isinstance(one.sort, Boolean) and not self.reading.holds(one, bindings):
                return

    def _path(self, term: Term, bindings: Bindings) -> str | None:
        """The path of a part of the state, with the values of its keys; None of another term."""
        match term.operator:
            case Operator.VARIABLE if isinstance(term.data, Symbol) and term.data not in bindings:
                return term.data.name
            case Operator.APPLY:
                base = self._path(term.arguments[0], bindings)
                key = self.reading.value(term.arguments[1], bindings)
                return None if base is None else f"{base}[{show(key)}]"
            case Operator.FIELD if isinstance(term.data, str):
                base = self._path(term.arguments[0], bindings)
                return None if base is None else f"{base}.{term.data}"
            case operator if operator in _ABOUT:
                return self._path(term.arguments[0], bindings)
        return None


def _is_path(term: Term, bindings: Bindings) -> bool:
    """True if a term is a part of the state, or is about one."""
    if term.operator is Operator.VARIABLE:
        return term.data not in bindings
    is_part = term.operator in (Operator.APPLY, Operator.FIELD, *_ABOUT)
    return is_part and _is_path(term.arguments[0], bindings)


def _find_lookups(term: Term, parameter: Symbol, bindings: Bindings) -> Iterator[Term]:
    """The parts of the state that a formula reads at a key that is a parameter."""
    if _is_path(term, bindings):
        if parameter in term.free:
            yield term
    elif term.binds is None:  # within, paths depend on what is bound
        for one in term.arguments:
            yield from _find_lookups(one, parameter, bindings)


def _plain(term: Term) -> Term:
    """A term without the option around it."""
    return _plain(term.arguments[0]) if term.operator in (Operator.SOME, Operator.GET) else term


def _is_small(sort: Sort) -> bool:
    return sort.size <= _MOST_ELEMENTS
