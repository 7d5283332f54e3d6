"""Temporal properties and fairness that a protocol class states, and their reading."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, overload

from verifier.encodings.concrete import Concrete
from verifier.encodings.expressions import constant
from verifier.encodings.sorts import Sort, SortError
from verifier.errors import among
from verifier.specs.definition import Action, DefinitionError
from verifier.specs.formulas import formula
from verifier.specs.names import Titled, claim_title, title_of
from verifier.specs.outline import check_parameters
from verifier.specs.reading.code_places import place_of, prefix_place
from verifier.specs.state import State
from verifier.specs.temporal import (
    NO_FAIRNESS,
    SPEC_FAIRNESS,
    Fairness,
    FairnessVariant,
    TemporalFormula,
    TemporalOperator,
    TemporalProperty,
    quantify,
)

Method = Callable[..., Any]


@dataclass(frozen=True)
class TemporalMember:
    """A method marked as a temporal property. ``self.liveness(s)`` gives its formula."""

    method: Method
    default: bool
    name: str | None

    def __get__(self, instance: object | None, owner: type) -> Self | Callable[..., TemporalFormula]:
        return self if instance is None else lambda s: self.method(instance, s)


@overload
def temporal(method: Method, /) -> TemporalMember: ...
@overload
def temporal(*, default: bool = True, name: str | None = None) -> Callable[[Method], TemporalMember]: ...
def temporal(method: Any = None, /, *, default: bool = True, name: str | None = None) -> Any:
    """Marks a method as a property of whole executions. It returns a temporal formula:
    ``return always_eventually(self.is_balanced(s))``."""

    def of(found: Any) -> TemporalMember:
        if not inspect.isfunction(found):
            raise DefinitionError(f"@temporal marks a method, not {found!r}: a method has one mark")
        return TemporalMember(found, default, name)

    return of if method is None else of(method)


def _about(operator: TemporalOperator, *written: Any) -> TemporalFormula:
    """The formula about states, or, if one of these is temporal, about places of an execution."""
    what = f"what {operator} is about"
    if any(isinstance(one, TemporalFormula) for one in written):
        parts = (one if isinstance(one, TemporalFormula) else now(one) for one in written)
        return TemporalFormula(operator, parts=tuple(parts))
    try:
        return TemporalFormula(operator, tuple(formula(one, what, None) for one in written))
    except DefinitionError as error:
        # The reading of the class adds the place of what Python calls wrong.
        raise SortError(str(error)) from None


def now(claim: Any) -> TemporalFormula:
    """That the present state satisfies the formula: the first one, or in ``always(now(P) | …)`` each one."""
    if isinstance(claim, TemporalFormula):
        raise DefinitionError("what now is about is a formula of one state, not a temporal formula")
    return _about(TemporalOperator.NOW, claim)


def always(claim: Any) -> TemporalFormula:
    """That all states satisfy the formula: ``[]P``. For one of states alone, ``@invariant`` is simpler."""
    return _about(TemporalOperator.ALWAYS, claim)


def eventually(claim: Any) -> TemporalFormula:
    """That some state satisfies the formula: TLA+'s ``<>P``."""
    return _about(TemporalOperator.EVENTUALLY, claim)


def always_eventually(claim: Any) -> TemporalFormula:
    """That infinitely many states satisfy it: ``[]<>P``."""
    return _about(TemporalOperator.ALWAYS_EVENTUALLY, claim)


def eventually_always(claim: Any) -> TemporalFormula:
    """That all states from some state on satisfy it: ``<>[]P``."""
    return _about(TemporalOperator.EVENTUALLY_ALWAYS, claim)


def leads_to(first: Any, second: Any) -> TemporalFormula:
    """That where the first holds, the second holds then or later: ``P ~> Q``."""
    return _about(TemporalOperator.LEADS_TO, first, second)


def until(first: Any, second: Any) -> TemporalFormula:
    """That the second holds now or later, and the first until then."""
    return _about(TemporalOperator.UNTIL, first, second)


def for_each(domain: Sort, body: Callable[..., TemporalFormula] | None = None) -> TemporalFormula:
    """The temporal formula for all values of a sort: ``for_each(self.apps, lambda a: leads_to(…, …))``."""
    return quantify(TemporalOperator.FOR_EACH, domain, body)


def for_some(domain: Sort, body: Callable[..., TemporalFormula] | None = None) -> TemporalFormula:
    """The temporal formula for at least one value of a sort."""
    return quantify(TemporalOperator.FOR_SOME, domain, body)


def temporal_properties(protocol: Any, state: State) -> list[tuple[Titled, TemporalProperty]]:
    """The temporal properties of a protocol. Raises DefinitionError for one that is not well formed."""
    return [_property(protocol, state, *found) for found in _members(type(protocol))]


def _members(protocol: type) -> Iterator[tuple[str, TemporalMember]]:
    names: dict[str, None] = {}
    for base in reversed(protocol.__mro__):
        names.update(dict.fromkeys(vars(base)))
    for name in names:
        member = inspect.getattr_static(protocol, name)
        if isinstance(member, TemporalMember):
            yield name, member


def _property(
    protocol: Any, state: State, method: str, member: TemporalMember
) -> tuple[Titled, TemporalProperty]:
    check_parameters(f"temporal property {method}", member.method, ("s",))
    place = place_of(member.method)
    said = member.method(protocol, state)
    if not isinstance(said, TemporalFormula):
        words = f"temporal property {method} returns {said!r}, no temporal formula: write eventually(…), "
        raise DefinitionError(prefix_place(place, f"{words}always_eventually(…), leads_to(…, …) or the like"))
    title = claim_title(type(protocol), method, member.name)
    about = inspect.getdoc(member.method) or ""
    return Titled(title, "property", method, place), TemporalProperty(title, said, member.default, about)


def fairness_variants(protocol: Any, actions: Sequence[Action]) -> tuple[FairnessVariant, ...]:
    """The protocol's own fairness first, if it states one, and then its named variants."""
    methods = type(protocol).fairness, type(protocol).fairness_variants
    own, named = protocol.fairness(), protocol.fairness_variants()
    if not isinstance(own, list | tuple):
        shown = str(own) if isinstance(own, Fairness) else repr(own)
        raise _wrong(methods[0], f"fairness returns a list, as in [weak()], not {shown}")
    if not isinstance(named, Mapping):
        raise _wrong(methods[1], f"fairness_variants returns a dict of names and lists, not {named!r}")
    for name in named:
        if name in (SPEC_FAIRNESS, NO_FAIRNESS) or not isinstance(name, str):
            raise _wrong(methods[1], f"a variant of fairness has a name of its own, not {name!r}")
    written = [(SPEC_FAIRNESS, own, methods[0])] if own else []
    written += [(name, conditions, methods[1]) for name, conditions in named.items()]
    return tuple(
        FairnessVariant(name, tuple(check_fairness(one, actions, method) for one in conditions))
        for name, conditions, method in written
    )


def _wrong(method: Any, words: str) -> DefinitionError:
    return DefinitionError(prefix_place(place_of(method), words))


def check_fairness(condition: Any, actions: Sequence[Action], method: Any) -> Fairness:
    """The condition with the titles of its actions. Raises DefinitionError for unknown names."""
    if not isinstance(condition, Fairness):
        raise _wrong(method, f"a fairness condition is weak(…) or strong(…), not {condition!r}")
    known = {action.name: action for action in actions}
    titles = tuple(title_of(name) for name in condition.actions)
    for name, title in zip(condition.actions, titles, strict=True):
        if title not in known:
            raise _wrong(method, f"fairness of {name!r}, which is not an action {among(title, list(known))}")
    for action in (known[title] for title in titles or known):
        expanded = {p.symbol.name: p.symbol.sort for p in action.parameters if not p.free or p.left_open}
        for name in (*condition.each, *dict(condition.given)):
            if name not in expanded:
                words = f"fairness for {name!r}: {action.name} has no such parameter that is expanded"
                raise _wrong(method, f"{words} {among(name, list(expanded))}")
    sorts = {p.symbol.name: p.symbol.sort for title in titles or known for p in known[title].parameters}
    given = tuple((name, _value(sorts[name], name, value, method)) for name, value in condition.given)
    return replace(condition, actions=titles, given=given)


def _value(sort: Sort, name: str, value: Any, method: Any) -> Concrete:
    try:
        return constant(sort, value)
    except TypeError as error:
        raise _wrong(method, f"fairness for {name} = {value!r}: {error}") from None
