"""A protocol that is a Python class, its functions run with the values of single states.

What it says of a state is compared with the formulas that were made of it (``runs/protocol_validation``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from verifier.encodings.expressions import BOOLEAN, coerce, wrap
from verifier.encodings.plain_terms import Environment, belongs, plain
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.specs.action_members import parameter_of
from verifier.specs.definition import PropertyKind
from verifier.specs.formulas import conjuncts
from verifier.specs.members import ActionMember, LemmaMember, PropertyMember
from verifier.specs.names import Titled, claim_title, title_of
from verifier.specs.plain_steps import Happening, happening
from verifier.specs.protocol import members_of
from verifier.specs.reading.again import InOneState, NoReading, OutOfTime, PlainReader, Rerun
from verifier.specs.reading.code_places import place_of
from verifier.specs.reading.keys import Site
from verifier.specs.state import complete, successor_of
from verifier.specs.targets import assignments

if TYPE_CHECKING:
    from verifier.specs.protocol import Protocol

Lines = tuple[Term, ...]
Change = tuple[Lines, tuple[tuple[Term, Term], ...]]


class Unread(Exception):
    """A function has no reading in a state, or ends with an error of Python."""


@dataclass(frozen=True)
class Function:
    """A function that gives a formula, and where it stands."""

    place: str
    lines: Rerun[Lines]


@dataclass(frozen=True)
class ActionFunction:
    """A function that gives a step, and where it stands."""

    place: str
    parameters: tuple[Symbol, ...]
    change: Rerun[Change]


class InStates:
    """A protocol, state by state. ``tick`` may raise OutOfTime."""

    def __init__(self, protocol: Protocol, places: frozenset[Site], tick: Callable[[], None]) -> None:
        self._protocol = protocol
        self._own = InOneState(places, tick)
        self._reader = PlainReader(tick)
        self._state = complete(protocol.state())
        self._after = successor_of(self._state)
        self.variables = self._state.symbols
        kind, state = type(protocol), self._state
        self.init = self._function(kind.init, partial(protocol.init, state))
        self.constraint = self._function(kind.constraint, partial(protocol.constraint, state))
        self.properties: dict[str, Function] = {}
        self.step_properties: dict[str, Function] = {}
        self.lemmas: dict[str, Function] = {}
        self.actions: dict[str, ActionFunction] = {}
        for name, member in members_of(kind):
            match member:
                case ActionMember():
                    self.actions[title_of(name)] = self._action(name, member)
                case PropertyMember() | LemmaMember():
                    self._add(claim_title(kind, name, member.name), member)

    def _add(self, title: str, member: PropertyMember | LemmaMember) -> None:
        call = partial(member.method, self._protocol, self._state)
        lemmas = self.lemmas
        if isinstance(member, PropertyMember):
            of_steps = member.kind is PropertyKind.STEP_INVARIANT
            lemmas = self.step_properties if of_steps else self.properties
            call = partial(call, self._after) if of_steps else call
        lemmas[title] = self._function(member.method, call)

    def _function(self, method: Any, call: Callable[[], Any]) -> Function:
        def lines() -> Lines:
            written = call()
            return () if written is None else tuple(coerce(one, BOOLEAN).term for one in conjuncts(written))

        return Function(place_of(method), Rerun(self._own, lines))

    def _action(self, method: str, member: ActionMember) -> ActionFunction:
        item = Titled(title_of(method), "action", method, place_of(member.method))
        domains = member.domains.items()
        symbols = tuple(parameter_of(self._protocol, item, name, domain).symbol for name, domain in domains)
        arguments = {s.name: wrap(Term(Operator.VARIABLE, s.sort, (), s)) for s in symbols}

        def change() -> Change:
            step = member.method(self._protocol, self._state, **arguments)
            when = tuple(coerce(line, BOOLEAN).term for line in step.when)
            return when, assignments(step.then, self.variables)

        return ActionFunction(item.place, symbols, Rerun(self._own, change))

    def environment(self, state: Mapping[str, Any]) -> Environment:
        """The variables with their values in a state of the verifier."""
        return {symbol: plain(state[symbol.name]) for symbol in self.variables}

    def holds(self, function: Function, e: Environment) -> bool:
        """True if a formula holds. Raises Undefined if it reads what has no value, Unread if nothing says."""
        return all(self._read(line, e) for line in self._make(function.lines, e))

    def holds_of_step(self, function: Function, e: Environment, after: Environment) -> bool:
        """Evaluate a formula of a state and its successor."""
        values = zip(self._after.symbols, after.values(), strict=True)
        return self.holds(function, {**e, **dict(values)})

    def is_within(self, e: Environment) -> bool:
        """True if the constraint, if there is one, holds. Raises as ``holds`` does."""
        return self.holds(self.constraint, e)

    def is_initial(self, e: Environment) -> bool:
        """True if all values are in their sorts, and Init holds. Raises as ``holds`` does."""
        return all(belongs(value, s.sort) for s, value in e.items()) and self.holds(self.init, e)

    def happening(self, action: ActionFunction, values: tuple[Any, ...], e: Environment) -> Happening:
        """Run an action with plain values of its parameters. Raises Unread if nothing says how."""
        parameters = dict(zip(action.parameters, values, strict=True))
        when, then = self._make(action.change, {**e, **parameters})
        try:
            return happening(self._reader, when, then, e, parameters)
        except NoReading as error:
            raise Unread from error

    def _make(self, rerun: Rerun[Any], e: Environment) -> Any:
        try:
            return rerun.at(e)
        except OutOfTime:
            raise
        except Exception as error:  # the protocol's own code, where Python's answers are others
            raise Unread from error

    def _read(self, term: Term, e: Environment) -> Any:
        try:
            return self._reader(term)(e)
        except NoReading as error:
            raise Unread from error
