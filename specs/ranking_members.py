"""Rankings that a protocol class states, and their reading."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from verifier.encodings.expressions import integer, literal, sort_of, term_of, wrap
from verifier.encodings.quantifiers import constantly, if_
from verifier.encodings.sorts import Function, Sort, SortError
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.encodings.values import BooleanValue, FunctionValue
from verifier.errors import among
from verifier.specs.definition import Action, DefinitionError
from verifier.specs.formulas import formula
from verifier.specs.names import own_name
from verifier.specs.outline import check_parameters
from verifier.specs.ranking import Helpful, RankingArgument
from verifier.specs.reading.code_places import place_of, prefix_place
from verifier.specs.state import State
from verifier.specs.temporal import Fairness, TemporalProperty, weak
from verifier.specs.temporal_members import check_fairness

Method = Callable[..., Any]


@dataclass(frozen=True)
class Ranking:
    """The result of a method marked with ``@ranking``.

    ``measures`` are integers, or formulas (which count 1 where they hold), or functions that give them, such
    as ``function(s.waiting[c] for c in self.clients)``. A function falls if none of its values rises and one
    falls. The first measure that changes decides. ``helpful`` says for fairness conditions in which states
    each helps: there a step of it is possible and lowers the rank. A family takes a function of the values
    of its parameters: ``{weak("grant", each="client"): lambda client: s.waiting[client]}``. Without it every
    step that the protocol can take lowers the rank.
    """

    measures: Sequence[Any]
    helpful: Mapping[Fairness, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class RankingMember:
    """A method marked as a ranking. ``self.progress(s)`` gives what it returns."""

    method: Method
    property_name: str

    def __get__(self, instance: object | None, owner: type) -> Self | Callable[..., Ranking]:
        return self if instance is None else lambda s: self.method(instance, s)


def ranking(property_name: str) -> Callable[[Method], RankingMember]:
    """Marks a method as the ranking of a temporal property: ``@ranking("Liveness")``. It returns
    ``Ranking((first, second), helpful={weak("serve"): s.waiting})``."""
    given: Any = property_name  # whatever a protocol's author wrote
    if not isinstance(given, str):
        words = "@ranking takes the name of a temporal property, as in @ranking('Liveness')"
        raise DefinitionError(f"{words}, not {given!r}")

    def of(found: Any) -> RankingMember:
        if not inspect.isfunction(found):
            raise DefinitionError(f"@ranking marks a method, not {found!r}: a method has one mark")
        return RankingMember(found, property_name)

    return of


def rankings(
    protocol: Any, state: State, actions: Sequence[Action], properties: Sequence[TemporalProperty]
) -> tuple[RankingArgument, ...]:
    """The rankings of a protocol. Raises DefinitionError for one that is not well formed."""
    arguments: dict[str, RankingArgument] = {}
    known = [prop.name for prop in properties]
    for name, member in _members(type(protocol)):
        read = _RankingReader(protocol, actions, name, member).read(state)
        one = replace(read, property_name=own_name(read.property_name, known))
        if one.property_name not in known:
            words = f"@ranking({one.property_name!r}) of {name}: the protocol has no such temporal property"
            raise _wrong(member, f"{words} {among(one.property_name, known)}")
        if one.property_name in arguments:
            raise _wrong(member, f"{name}: {one.property_name} has another ranking already")
        arguments[one.property_name] = one
    return tuple(arguments.values())


def _members(protocol: type) -> Iterator[tuple[str, RankingMember]]:
    names: dict[str, None] = {}
    for base in reversed(protocol.__mro__):
        names.update(dict.fromkeys(vars(base)))
    for name in names:
        member = inspect.getattr_static(protocol, name)
        if isinstance(member, RankingMember):
            yield name, member


def _wrong(member: RankingMember, words: str) -> DefinitionError:
    return DefinitionError(prefix_place(place_of(member.method), words))


@dataclass(frozen=True)
class _RankingReader:
    protocol: Any
    actions: Sequence[Action]
    name: str
    member: RankingMember

    def read(self, state: State) -> RankingArgument:
        check_parameters(f"ranking {self.name}", self.member.method, ("s",))
        said = self.member.method(self.protocol, state)
        if not isinstance(said, Ranking):
            words = f"ranking {self.name} returns Ranking((…), helpful={{…}}), not {said!r}"
            raise _wrong(self.member, words)
        if not isinstance(said.measures, tuple | list) or not said.measures:
            raise _wrong(self.member, f"ranking {self.name}: the measures are a tuple")
        measures = tuple(tuple(self._measure(one)) for one in said.measures)
        given = said.helpful or {weak(): constantly(True)}
        helpful = tuple(self._helpful(condition, when) for condition, when in given.items())
        about = inspect.getdoc(self.member.method) or ""
        return RankingArgument(self.member.property_name, measures, helpful, about)

    def _measure(self, written: Any) -> Iterator[Term]:
        """The integers of a measure."""
        sort = sort_of(written) if isinstance(written, FunctionValue) else None
        if isinstance(sort, Function):
            for key in sort.domain.each():
                yield from self._measure(written[literal(sort.domain, key)])
            return
        value = if_(written, 1, 0) if isinstance(written, BooleanValue) else written
        try:
            yield term_of(integer(value))
        except SortError as error:
            words = f"ranking {self.name}: a measure is an integer, a formula, or a function that gives such"
            raise _wrong(self.member, f"{words}: {error}") from error

    def _helpful(self, condition: Any, when: Any) -> Helpful:
        if not isinstance(condition, Fairness):
            words = f"ranking {self.name}: what helps is weak(…) or strong(…), not {condition!r}"
            raise _wrong(self.member, words)
        known = check_fairness(condition, self.actions, self.member.method)
        symbols = tuple(Symbol(name, self._sort(known, name)) for name in known.each)
        if symbols:
            values = (wrap(Term(Operator.VARIABLE, one.sort, data=one)) for one in symbols)
            if not callable(when):
                words = f"helps where a function of its values says: write lambda {', '.join(known.each)}: …"
                raise _wrong(self.member, f"ranking {self.name}: {condition} {words}")
            when = when(*values)
        place = f"where {condition} helps in ranking {self.name}"
        return Helpful(known, symbols, formula(when, place, self.member.method))

    def _sort(self, condition: Fairness, name: str) -> Sort:
        own = condition.actions or tuple(one.name for one in self.actions)
        return next(one.sorts[name] for one in self.actions if one.name in own)
