"""Refinements of abstract protocols that a protocol class states, and their reading."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from verifier.encodings.expressions import Value, coerce, literal, term_of, wrap
from verifier.encodings.sorts import IndexSet, SortError
from verifier.encodings.substitution import substitute
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.errors import UsageError, among
from verifier.specs.constants import ConfiguredProtocol, IndexSetConstant, constants_of
from verifier.specs.definition import Definition, DefinitionError, Property, PropertyKind, Refinement
from verifier.specs.names import Titled, claim_title
from verifier.specs.outline import check_parameters
from verifier.specs.reading.code_places import place_of, prefix_place
from verifier.specs.refinement import begins, exactly, fairness, steps
from verifier.specs.state import State
from verifier.specs.temporal import SPEC_FAIRNESS, TemporalProperty

Method = Callable[..., Any]
Define = Callable[[Any], Definition]
BEGINNINGS = "Init"
"""The ending of the name of the property about initial states."""
FAIRLY = "Fairness"
"""The ending of the name of the temporal property."""


@dataclass(frozen=True)
class RefinementMember:
    """A method marked as a refinement mapping. ``self.voting(s)`` gives what it returns."""

    method: Method
    abstract: type[ConfiguredProtocol]
    constants: Mapping[str, str]
    default: bool
    name: str | None

    def __get__(self, instance: object | None, owner: type) -> Self | Callable[..., Mapping[str, Any]]:
        return self if instance is None else lambda s: self.method(instance, s)


def refines(
    abstract: type[ConfiguredProtocol],
    *,
    constants: Mapping[str, str] | None = None,
    default: bool = True,
    name: str | None = None,
) -> Callable[[Method], RefinementMember]:
    """Marks a method as a refinement mapping: the protocol refines ``abstract``.

    The method returns a dictionary with an expression for each variable of the abstract protocol:
    ``return {"rm_state": s.rm_state}``. A variable that is left out is the one of the same name.
    ``constants`` names, for constants of the abstract protocol, attributes of this one. A constant that is
    left out is the one of the same name.
    """
    given: Any = abstract  # whatever a protocol's author wrote
    if not isinstance(given, type) or not hasattr(given, "spec_name"):
        words = f"@refines takes the class of the abstract protocol, as in @refines(Voting), not {given!r}"
        raise DefinitionError(words)
    named: Any = {} if constants is None else constants
    if not isinstance(named, Mapping):
        words = f"constants of @refines are names by names, as in {{'ballots': 'rounds'}}, not {named!r}"
        raise DefinitionError(words)

    def of(found: Any) -> RefinementMember:
        if not inspect.isfunction(found):
            raise DefinitionError(f"@refines marks a method, not {found!r}: a method has one mark")
        return RefinementMember(found, abstract, dict(named), default, name)

    return of


@dataclass(frozen=True)
class Refined:
    """A refinement that was read: its properties, each with its title."""

    refinement: Refinement
    properties: tuple[tuple[Titled, Property], ...]
    temporal: tuple[tuple[Titled, TemporalProperty], ...]
    """That executions are mapped to fair ones, if the abstract protocol states fairness."""


def refinements(
    protocol: ConfiguredProtocol, state: State, after: State, init: Term, define: Define
) -> list[Refined]:
    """The refinements of a protocol. Raises DefinitionError for one that is not well formed."""
    members = _members(type(protocol))
    return [_refine(protocol, state, after, init, define, *member) for member in members]


def _members(protocol: type) -> Iterator[tuple[str, RefinementMember]]:
    names: dict[str, None] = {}
    for base in reversed(protocol.__mro__):
        names.update(dict.fromkeys(vars(base)))
    for name in names:
        member = inspect.getattr_static(protocol, name)
        if isinstance(member, RefinementMember):
            yield name, member


def _add_suffix(title: str, suffix: str) -> str:
    """``IsDisksInit`` or ``is_disks_init``."""
    return f"{title}_{suffix.lower()}" if title[0].islower() else f"{title}{suffix}"


def _refine(
    protocol: ConfiguredProtocol,
    state: State,
    after: State,
    init: Term,
    define: Define,
    method: str,
    member: RefinementMember,
) -> Refined:
    check_parameters(f"refinement {method}", member.method, ("s",))
    place = place_of(member.method)
    abstract = define(_abstract(protocol, method, member))
    returned: Any = member.method(protocol, state)
    before = dict(_meaning(protocol, state, method, place, abstract, returned))
    moved = {old: _variable(new) for old, new in zip(state.symbols, after.symbols, strict=True)}
    later = {symbol: substitute(term, moved) for symbol, term in before.items()}
    title = claim_title(type(protocol), method, member.name)
    said = inspect.getdoc(member.method) or f"Every execution is one of {abstract.name}."
    first = f"Where an execution begins, one of {abstract.name} may begin."
    claims = (
        (title, PropertyKind.STEP_INVARIANT, steps(abstract, before, later), said),
        (_add_suffix(title, BEGINNINGS), PropertyKind.INVARIANT, begins(init, abstract, before), first),
    )
    stated = next((one.conditions for one in abstract.fairness if one.name == SPEC_FAIRNESS), ())
    fair = fairness(abstract, stated, before, later)
    lasting = _add_suffix(title, FAIRLY)
    last = f"Every execution is a fair one of {abstract.name}."
    return Refined(
        Refinement(title, _add_suffix(title, BEGINNINGS), abstract.name, tuple(before.items())),
        tuple(
            (Titled(name, "refinement", method, place), Property(name, kind, formula, member.default, about))
            for name, kind, formula, about in claims
        ),
        ()
        if fair is None
        else (
            (
                Titled(lasting, "refinement", method, place),
                TemporalProperty(lasting, fair, member.default, last),
            ),
        ),
    )


def _variable(symbol: Symbol) -> Term:
    return Term(Operator.VARIABLE, symbol.sort, (), symbol)


# The abstract protocol at the constants of the concrete one


@dataclass(frozen=True)
class _SharedIndexSet(IndexSetConstant):
    """The index set of another protocol, as a constant of an abstract one."""

    shared: IndexSet | None = None

    def meaning(self, setting: Any, protocol: ConfiguredProtocol) -> IndexSet:
        assert self.shared is not None
        return self.shared


def _abstract(protocol: ConfiguredProtocol, method: str, member: RefinementMember) -> ConfiguredProtocol:
    """The abstract protocol at the constants of the concrete one, whose index sets it shares."""
    known, kind = constants_of(member.abstract), member.abstract
    name, place = kind.spec_name(), place_of(member.method)
    for constant in member.constants:
        if constant not in known:
            words = f"refinement {method}: {name} has no constant {constant!r} {among(constant, list(known))}"
            raise DefinitionError(prefix_place(place, words))
    settings: dict[str, Any] = {}
    shared: dict[str, Any] = {}
    for constant, declared in known.items():
        value = _setting(protocol, method, member, constant)
        if isinstance(declared, IndexSetConstant) != isinstance(value, IndexSet):
            wanted = "an index set" if isinstance(declared, IndexSetConstant) else declared.allowed
            words = f"refinement {method}: the constant {constant} of {name} is {wanted}, not {value!r}"
            raise DefinitionError(prefix_place(place, words))
        settings[constant] = value
        if isinstance(value, IndexSet):
            settings[constant] = value.count
            shared[constant] = _SharedIndexSet(value.count, declared.description, value.name, shared=value)
    made: Any = type(kind.__name__, (kind,), {"name": name, "__module__": kind.__module__, **shared})
    try:
        abstract: ConfiguredProtocol = made(settings)
    except UsageError as error:
        raise UsageError(f"refinement {method} of {protocol.spec_name()}: {error}") from error
    return abstract


def _setting(protocol: ConfiguredProtocol, method: str, member: RefinementMember, constant: str) -> Any:
    """The concrete protocol's value for a constant of the abstract one."""
    own = list(constants_of(type(protocol)))
    named: Any = member.constants.get(constant, constant)
    if isinstance(named, str) and (named in own if constant == named else hasattr(protocol, named)):
        return getattr(protocol, named)
    words = (
        f"refinement {method}: {protocol.spec_name()} has no constant {named!r} for the one of "
        f"{member.abstract.spec_name()}: name one, as in constants={{{constant!r}: {(own or ['…'])[0]!r}}}"
    )
    raise DefinitionError(prefix_place(place_of(member.method), words))


# The mapping


def _meaning(
    protocol: ConfiguredProtocol, state: State, method: str, place: str, abstract: Definition, returned: Any
) -> Iterator[tuple[Symbol, Term]]:
    """The term for each variable of the abstract protocol, in exactly its sort."""
    symbols = {symbol.name: symbol for symbol in abstract.variables}
    own = {symbol.name: symbol for symbol in state.symbols}
    if not isinstance(returned, Mapping):
        words = f"returns a dictionary, as in {{{next(iter(symbols))!r}: …}}, not {returned!r}"
        raise DefinitionError(prefix_place(place, f"refinement {method} {words}"))
    for name in returned:
        if name not in symbols:
            words = f"{abstract.name} has no variable {name!r} {among(str(name), list(symbols))}"
            raise DefinitionError(prefix_place(place, f"refinement {method}: {words}"))
    for name, symbol in symbols.items():
        if name not in returned and name not in own:
            words = f"refinement {method} does not give a value to the variable {name} of {abstract.name}"
            raise DefinitionError(prefix_place(place, words))
        given = returned[name] if name in returned else wrap(_variable(own[name]))
        try:
            yield symbol, term_of(_expression(given, symbol))
        except SortError as error:
            words = f"the variable {name} of {abstract.name} is in {symbol.sort}: {error}"
            raise DefinitionError(prefix_place(place, f"refinement {method}: {words}")) from error


def _expression(given: Any, symbol: Symbol) -> Any:
    if not isinstance(given, Value):
        try:
            made: Value = literal(symbol.sort, given)
        except SortError:
            pass  # it may have expressions in it
        else:
            return made
    return exactly(coerce(given, symbol.sort), symbol.sort)
