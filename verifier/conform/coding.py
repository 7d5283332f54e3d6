"""A specification as the search by solver sees it: a definition, and the way between its values and those of
the machine that enumerates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from verifier.conform.machine import Parameters, State
from verifier.conform.protocols import ProtocolMachine
from verifier.encodings.concrete import Concrete
from verifier.encodings.plain_terms import plain
from verifier.encodings.sorts import Sort
from verifier.specs.definition import Definition, PropertyKind


class NotSymbolic(Exception):
    """Raised for what the search by solver has no rule for."""


class Coding(Protocol):
    """The definition that a solver gets, and how its values are read."""

    first_index: int
    """The index of the first item of a tuple."""
    names_each_parameter: bool
    """True if the definition's actions have the parameters of the machine's: else the solver's executions may
    be more than the machine's, and one that does not replay is no error."""

    @property
    def definition(self) -> Definition:
        """The definition, at the sorts so far."""

    def decode(self, value: Concrete, sort: Sort) -> Any:
        """Return a value of a sort as the machine knows it."""

    def decode_state(self, values: Mapping[str, Concrete]) -> State:
        """Return a state as the machine knows it."""

    def decode_parameters(self, values: Mapping[str, Concrete]) -> Parameters:
        """Return the values of expanded parameters, as far as they are known."""

    def name_of(self, action: str) -> str:
        """Return the machine's name of an action of the definition."""

    def is_initial(self, state: State) -> bool:
        """True if a state is initial, by another reading than the solver's where there is one."""

    def claims(self) -> frozenset[str]:
        """Return the invariants that the solver can require. Values of bits lie in their sorts."""

    def widen(self, state: State) -> bool:
        """Widen the sorts for the steps from a state, from which a step may leave them. False if that cannot
        happen, or the sorts are as wide as they get. Raises NotSymbolic."""


class ProtocolCoding:
    """A Python protocol: the definition that the machine itself reads. A step whose values leave their sorts
    is no step, to both."""

    first_index, names_each_parameter = 0, True

    def __init__(self, machine: ProtocolMachine) -> None:
        self.definition = machine.definition
        self._variables = machine.variables

    def decode(self, value: Concrete, sort: Sort) -> Any:
        """Return a value of a sort as the machine knows it."""
        return plain(value)

    def decode_state(self, values: Mapping[str, Concrete]) -> State:
        """Return a state as the machine knows it."""
        return tuple(plain(values[name]) for name in self._variables)

    def decode_parameters(self, values: Mapping[str, Concrete]) -> Parameters:
        """Return the values of expanded parameters."""
        return {name: plain(value) for name, value in values.items()}

    def name_of(self, action: str) -> str:
        """Return the machine's name of an action of the definition."""
        return action

    def is_initial(self, state: State) -> bool:
        """True: the replay of the execution reads Init."""
        return True

    def claims(self) -> frozenset[str]:
        """Return the invariants that the solver can require. Type invariants, which say more of steps, are
        left out."""
        properties = self.definition.properties
        return frozenset(one.name for one in properties if one.kind is PropertyKind.INVARIANT)

    def widen(self, state: State) -> bool:
        """Return False: no step leaves the sorts."""
        return False
